/* score_motion.c - differentiates the expected score of a segment classifier along a step; see score_motion.h. */
#include "classifier/score_motion.h"

#include "classifier/tile.h"

#include <string.h>

nonsens_status score_motion_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                                score_motion *out)
{
    SCOPED_ARENA(scratch);
    classifier_tile *t;
    int64_t n = m->data->n, r = m->rank;
    TRY(tile_new(ctx, &scratch, m, theta, &t));
    *out = (score_motion){.model = m, .theta = theta};
    ARENA_TRY(ctx, a, out->probability, n * t->wide);
    ARENA_TRY(ctx, a, out->feature, n * r + 1);
    for (int64_t from = 0; from < n; from += t->rows) {
        tile_load(m, theta, from, n, t);
        tile_classify(m, t);
        memcpy(out->probability + from * t->wide, t->probability, (size_t)(t->rows * t->wide) * sizeof(double));
        for (int64_t k = 0; k < t->rows; k++) {
            memcpy(out->feature + (from + k) * r, t->feature[k], (size_t)r * sizeof(double));
        }
    }
    return NONSENS_OK;
}

/* Lays out the weights of a step like those of a tile. */
static nonsens_status transpose_weights(nonsens_context *ctx, arena *a, const classifier_model *m, int64_t wide,
                                        const double *step, double **out)
{
    ARENA_TRY(ctx, a, *out, (m->rank + 1) * wide);
    for (int64_t f = 0; f <= m->rank; f++) {
        for (int64_t e = 0; e < m->data->segments; e++) {
            (*out)[f * wide + e] = step[model_weight(m, e, f)];
        }
    }
    return NONSENS_OK;
}

/* Adds the tile's sums over rows to those of the products of its cell, logits (m^2, wide). */
static void add_cell(const classifier_model *m, const classifier_tile *t, const double *along, double *local,
                     double *logits)
{
    int64_t wide = t->wide, basis = m->data->basis, corner = m->data->corner[t->from];
    memset(local, 0, (size_t)(TILE_PRODUCTS * wide) * sizeof *local);
    tile_sum(t->kernel, t->rows, t->product[0], TILE_PRODUCTS, along, wide, 1.0, false, local);
    for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
        double *to = logits + (corner + i / 4 * basis + i % 4) * wide;
        for (int64_t e = 0; e < wide; e += 2) {
            pair_store(to + e, pair_load(to + e) + pair_load(local + i * wide + e));
        }
    }
}

nonsens_status score_motion_along(nonsens_context *ctx, arena *scratch, const score_motion *motion, const double *step,
                                  double *out)
{
    const classifier_model *m = motion->model;
    int64_t n = m->data->n, products = m->data->basis * m->data->basis;
    classifier_tile *t;
    double *local, *logits, *weight, *along;
    TRY(tile_new(ctx, scratch, m, motion->theta, &t));
    TRY(transpose_weights(ctx, scratch, m, t->wide, step, &weight));
    ARENA_TRY(ctx, scratch, along, TILE * t->wide);
    ARENA_TRY(ctx, scratch, local, TILE_PRODUCTS * t->wide);
    ARENA_TRY(ctx, scratch, logits, products * t->wide);
    for (int64_t from = 0; from < n; from += t->rows) {
        tile_load(m, step, from, n, t);
        t->kernel->move(
            m, t,
            &(tile_motion){motion->probability + from * t->wide, motion->feature + from * m->rank, weight, along});
        add_cell(m, t, along, local, logits);
    }
    for (int64_t e = 0; e < m->data->segments; e++) {
        for (int64_t i = 0; i < products; i++) {
            out[e * products + i] = logits[i * t->wide + e];
        }
    }
    return NONSENS_OK;
}
