/* model_rows.c - sums a segment classifier over rows: log-likelihood and its slopes; computes scores and features. */
#include "classifier/classifier_information.h"
#include "classifier/tile.h"

#include <string.h>

/*
 * Slopes over all tiles of a fold, with respect to the coefficients of every logit and to the weights.  Both are sums
 * over rows of (products, features) times (probabilities - label indicator).
 */
typedef struct slopes {
    int64_t left;    /* 16 products and r + 1 features, padded */
    double *both;    /* (TILE, left) */
    double *local;   /* (left, wide) of one tile */
    double *logits;  /* (m^2, wide) */
    double *weights; /* (left - 16, wide) */
} slopes;

static void add_to(int64_t n, const double *from, double *to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] += from[i];
    }
}

/* Adds a tile; its probabilities are overwritten. */
static void add_slopes(const classifier_model *m, classifier_tile *t, slopes *s)
{
    int64_t wide = t->wide, basis = m->data->basis, corner = m->data->corner[t->from];
    for (int64_t k = 0; k < t->rows; k++) {
        double *row = s->both + k * s->left;
        memcpy(row, t->product[k], sizeof t->product[k]);
        memcpy(row + TILE_PRODUCTS, t->feature[k], (size_t)(m->rank + 1) * sizeof *row);
        t->probability[k * wide + m->data->label[t->from + k]] -= 1.0;
    }
    memset(s->local, 0, (size_t)(s->left * wide) * sizeof *s->local);
    tile_sum(t->kernel, t->rows, s->both, s->left, t->probability, wide, 1.0, false, s->local);
    for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
        add_to(wide, s->local + i * wide, s->logits + (corner + i / 4 * basis + i % 4) * wide);
    }
    add_to((s->left - TILE_PRODUCTS) * wide, s->local + TILE_PRODUCTS * wide, s->weights);
}

/* Adds to the gradient and the slope of `out` unless they are NULL. */
static void write_slopes(const classifier_model *m, const classifier_tile *t, const slopes *s, classifier_sums *out)
{
    int64_t products = m->data->basis * m->data->basis, wide = t->wide;
    for (int64_t f = 0; out->gradient && f < m->rank; f++) {
        for (int64_t i = 0; i < products; i++) {
            double sum = 0.0;
            for (int64_t e = 0; e < m->data->segments; e++) {
                sum += t->weight[f * wide + e] * s->logits[i * wide + e];
            }
            out->gradient[m->place[f * products + i]] -= sum;
        }
    }
    for (int64_t e = 0; out->gradient && e < m->data->segments; e++) {
        for (int64_t f = 0; f <= m->rank; f++) {
            out->gradient[model_weight(m, e, f)] -= s->weights[f * wide + e];
        }
    }
    for (int64_t e = 0; out->slope && e < m->data->segments; e++) {
        for (int64_t i = 0; i < products; i++) {
            out->slope[e * products + i] += s->logits[i * wide + e];
        }
    }
}

nonsens_status model_sum(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                         int64_t fold, classifier_sums *out)
{
    classifier_tile *t;
    slopes s = {0};
    classifier_information *w = NULL;
    bool sloped = out->gradient || out->slope;
    TRY(tile_new(ctx, scratch, m, theta, &t));
    if (sloped) {
        s.left = (TILE_PRODUCTS + m->rank + 1 + TILE_PAD - 1) / TILE_PAD * TILE_PAD;
        ARENA_TRY(ctx, scratch, s.both, TILE * s.left);
        ARENA_TRY(ctx, scratch, s.local, s.left * t->wide);
        ARENA_TRY(ctx, scratch, s.logits, m->data->basis * m->data->basis * t->wide);
        ARENA_TRY(ctx, scratch, s.weights, (s.left - TILE_PRODUCTS) * t->wide);
    }
    if (out->fisher) {
        TRY(information_new(ctx, scratch, m, t, m->square, &w));
    }
    out->log_likelihood = 0.0;
    for (int64_t from = m->data->block[fold], end = m->data->block[fold + 1]; from < end; from += t->rows) {
        tile_load(m, theta, from, end, t);
        tile_classify(m, t);
        for (int64_t k = 0; k < t->rows; k++) {
            out->log_likelihood += t->logit[k * t->wide + m->data->label[from + k]] - t->log_norm[k];
        }
        if (w) {
            information_add_rows(m, t, w, out->fisher);
        }
        if (sloped) {
            add_slopes(m, t, &s);
        }
    }
    write_slopes(m, t, &s, out);
    if (w) {
        information_write(m, t, w, out->fisher);
    }
    return NONSENS_OK;
}

nonsens_status model_score(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                           int64_t fold, double *out)
{
    classifier_tile *t;
    TRY(tile_new(ctx, scratch, m, theta, &t));
    for (int64_t from = m->data->block[fold], end = m->data->block[fold + 1]; from < end; from += t->rows) {
        tile_load(m, theta, from, end, t);
        tile_classify(m, t);
        for (int64_t k = 0; k < t->rows; k++) {
            out[m->data->row[from + k]] = t->logit[k * t->wide + m->data->label[from + k]] - t->log_norm[k];
        }
    }
    return NONSENS_OK;
}

nonsens_status model_covariance(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                                double *out)
{
    int64_t segments = m->data->segments;
    classifier_tile *t;
    double *square, *mean;
    TRY(tile_new(ctx, scratch, m, theta, &t));
    ARENA_TRY(ctx, scratch, square, t->wide * t->wide);
    ARENA_TRY(ctx, scratch, mean, t->wide);
    for (int64_t from = 0; from < m->data->n; from += t->rows) {
        tile_load(m, theta, from, m->data->n, t);
        tile_classify(m, t);
        for (int64_t k = 0; k < t->rows; k++) {
            add_to(t->wide, t->probability + k * t->wide, mean);
        }
        tile_sum(t->kernel, t->rows, t->probability, t->wide, t->probability, t->wide, 1.0, true, square);
    }
    for (int64_t e = 0; e < segments; e++) {
        for (int64_t k = 0; k <= e; k++) {
            out[e * segments + k] = ((e == k ? mean[e] : 0.0) - square[e * t->wide + k]) / (double)m->data->n;
            out[k * segments + e] = out[e * segments + k];
        }
    }
    return NONSENS_OK;
}

nonsens_status model_features(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                              int64_t fold, double *out)
{
    classifier_tile *t;
    TRY(tile_new(ctx, scratch, m, theta, &t));
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
