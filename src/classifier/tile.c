/* tile.c - loads tiles of rows; their arithmetic is in tile_kernel.c. */
#include "classifier/tile.h"

KERNELS(tile_kernel, tile);

const tile_kernel *tile_kernel_choose(void)
{
    return instruction_set_choose(tile_kernels);
}

static const double NEVER = -1e30; /* logit of the padding */

nonsens_status tile_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                        classifier_tile **out)
{
    int64_t segments = m->data->segments, wide = (segments + TILE_PAD - 1) / TILE_PAD * TILE_PAD, r = m->rank;
    ARENA_TRY(ctx, a, *out, 1);
    ARENA_TRY(ctx, a, (*out)->weight, (r + 1) * wide);
    ARENA_TRY(ctx, a, (*out)->logit, TILE * wide);
    ARENA_TRY(ctx, a, (*out)->probability, TILE * wide);
    (*out)->wide = wide;
    (*out)->kernel = tile_kernel_choose();
    for (int64_t f = 0; f <= r; f++) {
        for (int64_t e = 0; e < wide; e++) {
            (*out)->weight[f * wide + e] = e < segments ? theta[model_weight(m, e, f)] : f < r ? 0.0 : NEVER;
        }
    }
    return NONSENS_OK;
}

void tile_locate(const classifier_model *m, const double *theta, int64_t corner, classifier_tile *t)
{
    int64_t basis = m->data->basis, products = basis * basis;
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
            t->place[f][i] = m->place[f * products + corner + i / 4 * basis + i % 4];
            t->coefficient[f][i] = theta[t->place[f][i]];
        }
    }
}

void tile_load(const classifier_model *m, const double *theta, int64_t from, int64_t end, classifier_tile *t)
{
    const classifier_sample *s = m->data;
    t->from = from;
    t->rows = 1;
    while (t->rows < TILE && from + t->rows < end && s->corner[from + t->rows] == s->corner[from]) {
        t->rows++;
    }
    tile_locate(m, theta, s->corner[from], t);
    t->kernel->load(m, t);
}

void tile_classify(const classifier_model *m, classifier_tile *t)
{
    t->kernel->classify(m, t);
}

void tile_sum(const tile_kernel *kernel, int64_t rows, const double *a, int64_t left, const double *b, int64_t right,
              double sign, bool lower, double *c)
{
    kernel->sum(rows, a, left, b, right, sign, lower, c);
}
