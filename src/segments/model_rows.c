/*
 * model_rows.c - sums of a segment classifier over rows: log-likelihood, gradient, Fisher matrix; scores and features.
 *
 * Rows of one cell of the tensor product are taken together in tiles: they share their 16 products, so that all sums
 * are short dense loops, scattered to the parameters once a tile.
 */
#include "segments/model.h"

#include "math/envelope.h"
#include "math/pair.h"

#include <math.h>
#include <string.h>

enum { TILE = 32, LOCAL = 16 };

/* exp for x <= 0 to 2e-15 relative, in a form that compilers turn into vector code. */
static inline double exp_negative(double x)
{
    static const double log2e = 1.4426950408889634, hi = 0.693147180369123816490, lo = 1.90821492927058770002e-10;
    static const double shift = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to an integer in the low bits
    x = x < -700.0 ? -700.0 : x;
    double biased = x * log2e + shift, k = biased - shift;
    double r = (x - k * hi) - k * lo;
    double p = 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    int64_t bits;
    memcpy(&bits, &biased, sizeof bits);
    bits = (int64_t)((uint64_t)(bits + 1023) << 52);
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

/* Up to TILE rows of one cell, and what belongs to the cell. */
typedef struct tile {
    int64_t rows, from;                    /* from: first row in the sample */
    int32_t place[MODEL_MOST_RANK][LOCAL]; /* parameters of the cell's products, feature by feature */
    double coefficient[MODEL_MOST_RANK][LOCAL];
    double product[TILE][LOCAL];               /* values of the 16 products */
    double feature[TILE][MODEL_MOST_RANK + 1]; /* h_1 .. h_r, 1 */
    double *logit, *probability;               /* (TILE, segments) */
    double log_norm[TILE];                     /* log sum exp of the logits */
} tile;

static nonsens_status tile_new(nonsens_context *ctx, arena *a, const model *m, tile **out)
{
    ARENA_TRY(ctx, a, *out, 1);
    ARENA_TRY(ctx, a, (*out)->logit, TILE * m->data->segments);
    ARENA_TRY(ctx, a, (*out)->probability, TILE * m->data->segments);
    return NONSENS_OK;
}

/* The longest run of rows of one cell from `from` on, at most TILE and not beyond `end`. */
static void tile_load(const model *m, const double *theta, int64_t from, int64_t end, tile *t)
{
    const sample *s = m->data;
    int64_t corner = s->corner[from], products = s->basis * s->basis;
    t->from = from;
    t->rows = 1;
    while (t->rows < TILE && from + t->rows < end && s->corner[from + t->rows] == corner) {
        t->rows++;
    }
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t i = 0; i < LOCAL; i++) {
            t->place[f][i] = m->place[f * products + corner + i / 4 * s->basis + i % 4];
            t->coefficient[f][i] = theta[t->place[f][i]];
        }
    }
    for (int64_t k = 0; k < t->rows; k++) {
        const double *v = s->value + 8 * (from + k);
        for (int64_t i = 0; i < LOCAL; i++) {
            t->product[k][i] = v[i / 4] * v[4 + i % 4];
        }
        for (int64_t f = 0; f < m->rank; f++) {
            t->feature[k][f] = envelope_dot(LOCAL, t->product[k], t->coefficient[f]);
        }
        t->feature[k][m->rank] = 1.0;
    }
}

/* Logits, probabilities and log norms of the tile's rows. */
static void tile_classify(const model *m, const double *weights, tile *t)
{
    int64_t segments = m->data->segments, r = m->rank;
    for (int64_t k = 0; k < t->rows; k++) {
        double *logit = t->logit + k * segments, *p = t->probability + k * segments, top = -INFINITY, sum = 0.0;
        for (int64_t e = 0; e < segments; e++) {
            double sum_e = weights[e * (r + 1) + r];
            for (int64_t f = 0; f < r; f++) {
                sum_e += weights[e * (r + 1) + f] * t->feature[k][f];
            }
            logit[e] = sum_e;
            top = sum_e > top ? sum_e : top;
        }
        for (int64_t e = 0; e < segments; e++) {
            p[e] = exp_negative(logit[e] - top);
        }
        for (int64_t e = 0; e < segments; e++) {
            sum += p[e];
        }
        for (int64_t e = 0; e < segments; e++) {
            p[e] /= sum;
        }
        t->log_norm[k] = top + log(sum);
    }
}

static void add_gradient(const model *m, const double *weights, const tile *t, double *gradient)
{
    int64_t segments = m->data->segments, r = m->rank;
    double local[MODEL_MOST_RANK][LOCAL] = {{0}};
    double *tail = gradient + m->coefficients;
    for (int64_t k = 0; k < t->rows; k++) {
        const double *p = t->probability + k * segments, *h = t->feature[k];
        int64_t y = m->data->label[t->from + k];
        double back[MODEL_MOST_RANK];
        for (int64_t f = 0; f < r; f++) {
            back[f] = weights[y * (r + 1) + f];
        }
        for (int64_t e = 0; e < segments; e++) {
            for (int64_t f = 0; f < r; f++) {
                back[f] -= p[e] * weights[e * (r + 1) + f];
                tail[e * (r + 1) + f] -= p[e] * h[f];
            }
            tail[e * (r + 1) + r] -= p[e];
        }
        for (int64_t f = 0; f <= r; f++) {
            tail[y * (r + 1) + f] += h[f];
        }
        for (int64_t f = 0; f < r; f++) {
            for (int64_t i = 0; i < LOCAL; i++) {
                local[f][i] += back[f] * t->product[k][i];
            }
        }
    }
    for (int64_t f = 0; f < r; f++) {
        for (int64_t i = 0; i < LOCAL; i++) {
            gradient[t->place[f][i]] += local[f][i];
        }
    }
}

/*
 * Scratch of the Fisher sums of one tile.  All sums over its rows are products A'B of two arrays with a row of numbers
 * per row of the tile, done by sum_products in registers.  Widths are padded to a multiple of PAD with zeros.
 */
enum { PAD = 8 };

typedef struct fisher_work {
    int64_t wide;                 /* segments (r + 1), padded */
    double square[LOCAL * LOCAL]; /* coefficients with coefficients, of one pair of features */
    double scaled[TILE * LOCAL];  /* products times the Fisher weight of a pair of features */
    double of_features[TILE][MODEL_MOST_RANK][MODEL_MOST_RANK];
    double *spread; /* (TILE, r, segments) p_e (a_ef - mean a_f) */
    double *column; /* (TILE, wide) */
    double *cross;  /* (LOCAL, wide) coefficients of a feature with weights */
    double *tail;   /* (wide, wide) weights with weights, over all tiles */
} fisher_work;

static nonsens_status fisher_new(nonsens_context *ctx, arena *a, const model *m, fisher_work **out)
{
    int64_t wide = (m->data->segments * (m->rank + 1) + PAD - 1) / PAD * PAD;
    ARENA_TRY(ctx, a, *out, 1);
    (*out)->wide = wide;
    ARENA_TRY(ctx, a, (*out)->spread, TILE * m->rank * m->data->segments);
    ARENA_TRY(ctx, a, (*out)->column, TILE * wide);
    ARENA_TRY(ctx, a, (*out)->cross, LOCAL * wide);
    ARENA_TRY(ctx, a, (*out)->tail, wide * wide);
    return NONSENS_OK;
}

/* c (4 rows of stride ldc, 8 columns) += sign * sum over rows of a[0..3] b[0..7]; one step of a row is lda, ldb. */
static inline void sum_block(int64_t rows, const double *a, int64_t lda, const double *b, int64_t ldb, double sign,
                             double *c, int64_t ldc)
{
    pair sum[4][4] = {{{0}}};
    for (int64_t k = 0; k < rows; k++) {
        pair right[4];
        for (int j = 0; j < 4; j++) {
            right[j] = pair_load(b + k * ldb + 2 * j);
        }
        for (int i = 0; i < 4; i++) {
            double left = a[k * lda + i];
            for (int j = 0; j < 4; j++) {
                sum[i][j] += left * right[j];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            c[i * ldc + 2 * j] += sign * sum[i][j][0];
            c[i * ldc + 2 * j + 1] += sign * sum[i][j][1];
        }
    }
}

/* c (left, right) += sign A'B for A (rows, left), B (rows, right); of a `lower` triangle only blocks that touch it. */
static void sum_products(int64_t rows, const double *a, int64_t left, const double *b, int64_t right, double sign,
                         bool lower, double *c)
{
    for (int64_t i = 0; i < left; i += 4) {
        for (int64_t j = 0; j < right && !(lower && j > i + 3); j += 8) {
            sum_block(rows, a + i, left, b + j, right, sign, c + i * right + j, right);
        }
    }
}

/* p_e (a_ef - sum_e p_e a_ef), and from it the r x r Fisher matrix of the features. */
static void spread_weights(const model *m, const double *weights, const double *p, double *spread,
                           double of_features[MODEL_MOST_RANK][MODEL_MOST_RANK])
{
    int64_t segments = m->data->segments, r = m->rank;
    for (int64_t f = 0; f < r; f++) {
        double mean = 0.0;
        for (int64_t e = 0; e < segments; e++) {
            mean += p[e] * weights[e * (r + 1) + f];
        }
        for (int64_t e = 0; e < segments; e++) {
            spread[f * segments + e] = p[e] * (weights[e * (r + 1) + f] - mean);
        }
        for (int64_t g = 0; g <= f; g++) {
            double sum = 0.0;
            for (int64_t e = 0; e < segments; e++) {
                sum += spread[f * segments + e] * weights[e * (r + 1) + g];
            }
            of_features[f][g] = sum;
        }
    }
}

/* Coefficients of feature f with those of feature g. */
static void sum_square(const tile *t, int64_t f, int64_t g, fisher_work *w)
{
    for (int64_t k = 0; k < t->rows; k++) {
        for (int64_t i = 0; i < LOCAL; i++) {
            w->scaled[k * LOCAL + i] = w->of_features[k][f][g] * t->product[k][i];
        }
    }
    memset(w->square, 0, sizeof w->square);
    sum_products(t->rows, w->scaled, LOCAL, t->product[0], LOCAL, 1.0, false, w->square);
}

/* Coefficients of feature f with all weights. */
static void sum_cross(const model *m, const tile *t, int64_t f, fisher_work *w)
{
    int64_t segments = m->data->segments, r = m->rank;
    for (int64_t k = 0; k < t->rows; k++) {
        const double *spread = w->spread + (k * r + f) * segments;
        for (int64_t e = 0; e < segments; e++) {
            for (int64_t g = 0; g <= r; g++) {
                w->column[k * w->wide + e * (r + 1) + g] = spread[e] * t->feature[k][g];
            }
        }
    }
    memset(w->cross, 0, (size_t)(LOCAL * w->wide) * sizeof *w->cross);
    sum_products(t->rows, t->product[0], LOCAL, w->column, w->wide, 1.0, false, w->cross);
}

/* Weights with weights: (diag p - p p') times the products of features. */
static void sum_tail(const model *m, const tile *t, fisher_work *w)
{
    int64_t segments = m->data->segments, r = m->rank;
    for (int64_t k = 0; k < t->rows; k++) {
        const double *p = t->probability + k * segments, *h = t->feature[k];
        for (int64_t e = 0; e < segments; e++) {
            for (int64_t f = 0; f <= r; f++) {
                double scaled = p[e] * h[f];
                double *row = w->tail + (e * (r + 1) + f) * w->wide + e * (r + 1);
                w->column[k * w->wide + e * (r + 1) + f] = scaled;
                for (int64_t g = 0; g <= f; g++) {
                    row[g] += scaled * h[g];
                }
            }
        }
    }
    sum_products(t->rows, w->column, w->wide, w->column, w->wide, -1.0, true, w->tail);
}

static void scatter_square(const model *m, const tile *t, int64_t f, int64_t g, const fisher_work *w, double *fisher)
{
    for (int64_t i = 0; i < LOCAL; i++) {
        for (int64_t j = 0; j < LOCAL; j++) {
            int64_t a = t->place[f][i], b = t->place[g][j];
            if (f == g && b > a) {
                continue; // its mirror image (j, i) adds to the lower triangle
            }
            fisher[(a > b ? a : b) * m->parameters + (a > b ? b : a)] += w->square[i * LOCAL + j];
        }
    }
}

static void scatter_cross(const model *m, const tile *t, int64_t f, const fisher_work *w, double *fisher)
{
    for (int64_t k = 0; k < m->data->segments * (m->rank + 1); k++) {
        double *row = fisher + (m->coefficients + k) * m->parameters;
        for (int64_t i = 0; i < LOCAL; i++) {
            row[t->place[f][i]] += w->cross[i * w->wide + k];
        }
    }
}

static void add_fisher(const model *m, const double *weights, const tile *t, fisher_work *w, double *fisher)
{
    int64_t segments = m->data->segments, r = m->rank;
    for (int64_t k = 0; k < t->rows; k++) {
        spread_weights(m, weights, t->probability + k * segments, w->spread + k * r * segments, w->of_features[k]);
    }
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = 0; g <= f; g++) {
            sum_square(t, f, g, w);
            scatter_square(m, t, f, g, w, fisher);
        }
        sum_cross(m, t, f, w);
        scatter_cross(m, t, f, w, fisher);
    }
    sum_tail(m, t, w);
}

static void add_slope(const model *m, const tile *t, double *slope)
{
    const sample *s = m->data;
    int64_t segments = s->segments, corner = s->corner[t->from];
    for (int64_t e = 0; e < segments; e++) {
        double local[LOCAL] = {0};
        for (int64_t k = 0; k < t->rows; k++) {
            double residual = t->probability[k * segments + e] - (s->label[t->from + k] == e ? 1.0 : 0.0);
            for (int64_t i = 0; i < LOCAL; i++) {
                local[i] += residual * t->product[k][i];
            }
        }
        for (int64_t i = 0; i < LOCAL; i++) {
            slope[e * s->basis * s->basis + corner + i / 4 * s->basis + i % 4] += local[i];
        }
    }
}

static void add_tail(const model *m, const fisher_work *w, double *fisher)
{
    int64_t weights = m->data->segments * (m->rank + 1);
    for (int64_t i = 0; i < weights; i++) {
        for (int64_t j = 0; j <= i; j++) {
            fisher[(m->coefficients + i) * m->parameters + m->coefficients + j] += w->tail[i * w->wide + j];
        }
    }
}

nonsens_status model_sum(nonsens_context *ctx, arena *scratch, const model *m, const double *theta, int64_t fold,
                         model_sums *out)
{
    const double *weights = theta + m->coefficients;
    tile *t;
    fisher_work *w = NULL;
    TRY(tile_new(ctx, scratch, m, &t));
    if (out->fisher) {
        TRY(fisher_new(ctx, scratch, m, &w));
    }
    out->log_likelihood = 0.0;
    for (int64_t from = m->data->block[fold], end = m->data->block[fold + 1]; from < end; from += t->rows) {
        tile_load(m, theta, from, end, t);
        tile_classify(m, weights, t);
        for (int64_t k = 0; k < t->rows; k++) {
            out->log_likelihood += t->logit[k * m->data->segments + m->data->label[from + k]] - t->log_norm[k];
        }
        if (out->gradient) {
            add_gradient(m, weights, t, out->gradient);
        }
        if (out->fisher) {
            add_fisher(m, weights, t, w, out->fisher);
            add_slope(m, t, out->slope);
        }
    }
    if (out->fisher) {
        add_tail(m, w, out->fisher);
    }
    return NONSENS_OK;
}

nonsens_status model_score(nonsens_context *ctx, arena *scratch, const model *m, const double *theta, int64_t fold,
                           double *out)
{
    tile *t;
    TRY(tile_new(ctx, scratch, m, &t));
    for (int64_t from = m->data->block[fold], end = m->data->block[fold + 1]; from < end; from += t->rows) {
        tile_load(m, theta, from, end, t);
        tile_classify(m, theta + m->coefficients, t);
        for (int64_t k = 0; k < t->rows; k++) {
            out[m->data->row[from + k]] = t->logit[k * m->data->segments + m->data->label[from + k]] - t->log_norm[k];
        }
    }
    return NONSENS_OK;
}

nonsens_status model_features(nonsens_context *ctx, arena *scratch, const model *m, const double *theta, int64_t fold,
                              double *out)
{
    tile *t;
    TRY(tile_new(ctx, scratch, m, &t));
    for (int64_t from = m->data->block[fold], end = m->data->block[fold + 1]; from < end; from += t->rows) {
        tile_load(m, theta, from, end, t);
        for (int64_t k = 0; k < t->rows; k++) {
            for (int64_t f = 0; f < m->rank; f++) {
                out[f * m->data->n + m->data->row[from + k]] = t->feature[k][f];
            }
        }
    }
    return NONSENS_OK;
}
