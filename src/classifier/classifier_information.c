/* classifier_information.c - sums the Fisher matrix of a segment classifier over tiles and groups of rows. */
#include "classifier/classifier_information.h"

#include "math/pair.h"

#include <string.h>

enum { MAX_PAIRS = (MODEL_MAX_RANK + 1) * (MODEL_MAX_RANK + 2) / 2 };

struct classifier_information {
    int64_t wide;                                 /* of the tile */
    const int64_t *row;                           /* where rows of the matrix begin: `square` or `packed` of a model */
    double square[TILE_PRODUCTS * TILE_PRODUCTS]; /* coefficients with coefficients, of one pair of features */
    double scaled[TILE * TILE_PRODUCTS];          /* products times the covariance of a pair of features' weights */
    double covariance[TILE][MODEL_MAX_RANK][MODEL_MAX_RANK];
    double inner[TILE][MAX_PAIRS]; /* h_f h_g, pairs f >= g */
    double *spread;                /* (r, TILE, wide) p_e (a_ef - mean a_f) */
    double *column;                /* (TILE, r + 1, wide) */
    double *local;                 /* (16, r + 1, wide) coefficients of a feature with weights, of one tile */
    double *cross;                 /* (coefficients, r + 1, wide) the same over all tiles */
    double *diagonal;              /* (pairs of features, wide) sum of h_f h_g p_e */
    double *tail;                  /* (pairs of features, wide, wide) sum of h_f h_g p_e p_k */

    /* by groups */
    int64_t groups;                                           /* of the current cell that are not in `cross` yet */
    int64_t waiting;                                          /* of any cell that are not in `tail` yet */
    double *along;                                            /* (TILE, 16, r + 1) sums of b h_g */
    double squares[MAX_PAIRS][TILE_PRODUCTS * TILE_PRODUCTS]; /* of the cell */
    double *probability; /* (TILE, wide) of the waiting groups, whose h_f h_g are in inner */
};

nonsens_status information_new(nonsens_context *ctx, arena *a, const classifier_model *m, const classifier_tile *t,
                               const int64_t *row, classifier_information **out)
{
    int64_t r = m->rank, wide = t->wide, pairs = (r + 1) * (r + 2) / 2;
    ARENA_TRY(ctx, a, *out, 1);
    (*out)->wide = wide;
    (*out)->row = row;
    ARENA_TRY(ctx, a, (*out)->spread, r * TILE * wide + 1);
    ARENA_TRY(ctx, a, (*out)->column, TILE * (r + 1) * wide);
    ARENA_TRY(ctx, a, (*out)->local, TILE_PRODUCTS * (r + 1) * wide);
    ARENA_TRY(ctx, a, (*out)->cross, m->coefficients * (r + 1) * wide + 1);
    ARENA_TRY(ctx, a, (*out)->diagonal, pairs * wide);
    ARENA_TRY(ctx, a, (*out)->tail, pairs * wide * wide);
    ARENA_TRY(ctx, a, (*out)->along, TILE * TILE_PRODUCTS * (r + 1));
    ARENA_TRY(ctx, a, (*out)->probability, TILE * wide);
    return NONSENS_OK;
}

static void add_multiple(int64_t n, double factor, const double *from, double *to)
{
    for (int64_t i = 0; i < n; i += 2) {
        pair_store(to + i, pair_load(to + i) + factor * pair_load(from + i));
    }
}

static void set_multiple(int64_t n, double factor, const double *from, double *to)
{
    for (int64_t i = 0; i < n; i += 2) {
        pair_store(to + i, factor * pair_load(from + i));
    }
}

/* Computes for row k p_e (a_ef - sum_e p_e a_ef), and from it the r x r covariance of the features' weights. */
static void spread_weights(int64_t r, const classifier_tile *t, const double *p, int64_t k, classifier_information *w)
{
    int64_t wide = w->wide;
    for (int64_t f = 0; f < r; f++) {
        const double *weight = t->weight + f * wide;
        double mean = tile_dot(wide, p, weight), *spread = w->spread + (f * TILE + k) * wide;
        for (int64_t e = 0; e < wide; e += 2) {
            pair_store(spread + e, pair_load(p + e) * (pair_load(weight + e) - mean));
        }
        for (int64_t g = 0; g <= f; g++) {
            w->covariance[k][f][g] = tile_dot(wide, spread, t->weight + g * wide);
        }
    }
}

/* Adds the (16, 16) matrix to the entries of the parameters of features f and g. */
static void scatter_square(const classifier_tile *t, const int64_t *row, int64_t f, int64_t g, const double *square,
                           double *fisher)
{
    for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
        for (int64_t j = 0; j < TILE_PRODUCTS; j++) {
            int64_t a = t->place[f][i], b = t->place[g][j];
            if (f == g && b > a) {
                continue; // its mirror image (j, i) adds to the lower triangle
            }
            fisher[row[a > b ? a : b] + (a > b ? b : a)] += square[i * TILE_PRODUCTS + j];
        }
    }
}

static void scatter_cross(const classifier_tile *t, int64_t f, int64_t all, classifier_information *w)
{
    for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
        add_multiple(all, 1.0, w->local + i * all, w->cross + t->place[f][i] * all);
    }
}

/* ---- by rows ---- */

static void add_square(const classifier_tile *t, int64_t f, int64_t g, classifier_information *w, double *fisher)
{
    for (int64_t k = 0; k < t->rows; k++) {
        set_multiple(TILE_PRODUCTS, w->covariance[k][f][g], t->product[k], w->scaled + k * TILE_PRODUCTS);
    }
    memset(w->square, 0, sizeof w->square);
    tile_sum(t->kernel, t->rows, w->scaled, TILE_PRODUCTS, t->product[0], TILE_PRODUCTS, 1.0, false, w->square);
    scatter_square(t, w->row, f, g, w->square, fisher);
}

/* Adds the block of the coefficients of feature f with all weights. */
static void add_cross(const classifier_model *m, const classifier_tile *t, int64_t f, classifier_information *w)
{
    int64_t r = m->rank, wide = w->wide, all = (r + 1) * wide;
    for (int64_t k = 0; k < t->rows; k++) {
        for (int64_t g = 0; g <= r; g++) {
            set_multiple(wide, t->feature[k][g], w->spread + (f * TILE + k) * wide, w->column + k * all + g * wide);
        }
    }
    memset(w->local, 0, (size_t)(TILE_PRODUCTS * all) * sizeof *w->local);
    tile_sum(t->kernel, t->rows, t->product[0], TILE_PRODUCTS, w->column, all, 1.0, false, w->local);
    scatter_cross(t, f, all, w);
}

/* Adds the block of weights with weights: products of features f and g, `inner` for each row, times (diag p - p p'). */
static void add_tail(const classifier_tile *t, int64_t rows, const double *p, const double *inner, int64_t step,
                     int64_t at, classifier_information *w)
{
    int64_t wide = w->wide;
    for (int64_t k = 0; k < rows; k++) {
        set_multiple(wide, inner[k * step], p + k * wide, w->column + k * wide);
        add_multiple(wide, inner[k * step], p + k * wide, w->diagonal + at * wide);
    }
    tile_sum(t->kernel, rows, w->column, wide, p, wide, 1.0, true, w->tail + at * wide * wide);
}

void information_add_rows(const classifier_model *m, const classifier_tile *t, classifier_information *w,
                          double *fisher)
{
    int64_t r = m->rank, at = 0;
    for (int64_t k = 0; k < t->rows; k++) {
        spread_weights(r, t, t->probability + k * w->wide, k, w);
    }
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = 0; g <= f; g++) {
            add_square(t, f, g, w, fisher);
        }
        add_cross(m, t, f, w);
    }
    for (int64_t f = 0; f <= r; f++) {
        for (int64_t g = 0; g <= f; g++, at++) {
            for (int64_t k = 0; k < t->rows; k++) {
                w->inner[k][at] = t->feature[k][f] * t->feature[k][g];
            }
            add_tail(t, t->rows, t->probability, &w->inner[0][at], MAX_PAIRS, at, w);
        }
    }
}

/* ---- by groups ---- */

static void sum_waiting(const classifier_model *m, const classifier_tile *t, classifier_information *w)
{
    int64_t pairs = (m->rank + 1) * (m->rank + 2) / 2;
    for (int64_t at = 0; at < pairs; at++) {
        add_tail(t, w->waiting, w->probability, &w->inner[0][at], MAX_PAIRS, at, w);
    }
    w->waiting = 0;
}

/* Computes the sums of b h_g over the rows of a group, from those of b b'. */
static void find_along(int64_t r, const classifier_tile *t, const double *moment, double *along)
{
    for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
        double all = 0.0;
        for (int64_t g = 0; g < r; g++) {
            along[i * (r + 1) + g] = tile_dot(TILE_PRODUCTS, moment + i * TILE_PRODUCTS, t->coefficient[g]);
        }
        for (int64_t j = 0; j < TILE_PRODUCTS; j++) {
            all += moment[i * TILE_PRODUCTS + j]; // B-splines add up to one
        }
        along[i * (r + 1) + r] = all;
    }
}

/* Computes the sums of h_f h_g over the rows of a group, for all pairs f >= g. */
static void find_inner(int64_t r, const classifier_tile *t, const double *along, int64_t count, double *inner)
{
    for (int64_t f = 0; f <= r; f++) {
        for (int64_t g = 0; g < f || (g == f && f < r); g++) {
            double sum = 0.0;
            for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
                sum += along[i * (r + 1) + f] * t->coefficient[g][i];
            }
            *inner++ = sum;
        }
    }
    *inner = (double)count;
}

static void sum_groups(const classifier_model *m, const classifier_tile *t, classifier_information *w)
{
    int64_t all = (m->rank + 1) * w->wide;
    for (int64_t f = 0; f < m->rank; f++) {
        memset(w->local, 0, (size_t)(TILE_PRODUCTS * all) * sizeof *w->local);
        tile_sum(t->kernel, w->groups, w->along, TILE_PRODUCTS * (m->rank + 1), w->spread + f * TILE * w->wide, w->wide,
                 1.0, false, w->local);
        scatter_cross(t, f, all, w);
    }
    w->groups = 0;
}

void information_add_group(const classifier_model *m, const double *moment, int64_t count, classifier_tile *t,
                           classifier_information *w)
{
    int64_t r = m->rank, at = 0;
    if (w->groups == TILE) {
        sum_groups(m, t, w);
    }
    if (w->waiting == TILE) {
        sum_waiting(m, t, w);
    }
    double *along = w->along + w->groups * TILE_PRODUCTS * (r + 1), *inner = w->inner[w->waiting];
    find_along(r, t, moment, along);
    find_inner(r, t, along, count, inner);
    t->rows = 1;
    for (int64_t f = 0; f < r; f++) {
        t->feature[0][f] = inner[r * (r + 1) / 2 + f] / (double)count; // the mean, from the pair of h_f with 1
    }
    tile_classify(m, t);
    memcpy(w->probability + w->waiting * w->wide, t->probability, (size_t)w->wide * sizeof(double));
    spread_weights(r, t, t->probability, w->groups, w);
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = 0; g <= f; g++, at++) {
            add_multiple(TILE_PRODUCTS * TILE_PRODUCTS, w->covariance[w->groups][f][g], moment, w->squares[at]);
        }
    }
    w->groups++;
    w->waiting++;
}

void information_end_cell(const classifier_model *m, const classifier_tile *t, classifier_information *w,
                          double *fisher)
{
    int64_t at = 0;
    sum_groups(m, t, w);
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t g = 0; g <= f; g++, at++) {
            scatter_square(t, w->row, f, g, w->squares[at], fisher);
            memset(w->squares[at], 0, sizeof w->squares[at]);
        }
    }
}

/* ---- the whole ---- */

static void write_tail(const classifier_model *m, const classifier_information *w, double *fisher)
{
    int64_t wide = w->wide, at = 0;
    for (int64_t f = 0; f <= m->rank; f++) {
        for (int64_t g = 0; g <= f; g++, at++) {
            const double *tail = w->tail + at * wide * wide;
            for (int64_t e = 0; e < m->data->segments; e++) {
                double *row = fisher + w->row[model_weight(m, e, f)];
                double *mirror = fisher + w->row[model_weight(m, e, g)];
                for (int64_t k = 0; k < e; k++) {
                    row[model_weight(m, k, g)] -= tail[e * wide + k];
                    if (f != g) {
                        mirror[model_weight(m, k, f)] -= tail[e * wide + k];
                    }
                }
                row[model_weight(m, e, g)] += w->diagonal[at * wide + e] - tail[e * wide + e];
            }
        }
    }
}

void information_write(const classifier_model *m, const classifier_tile *t, classifier_information *w, double *fisher)
{
    int64_t r = m->rank, wide = w->wide;
    sum_waiting(m, t, w);
    for (int64_t e = 0; e < m->data->segments; e++) {
        for (int64_t g = 0; g <= r; g++) {
            double *row = fisher + w->row[model_weight(m, e, g)];
            for (int64_t i = 0; i < m->coefficients; i++) {
                row[i] += w->cross[(i * (r + 1) + g) * wide + e];
            }
        }
    }
    write_tail(m, w, fisher);
}
