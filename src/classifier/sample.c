/* sample.c - warps variables, deals folds and orders rows for segment classifiers; see sample.h. */
#include "classifier/sample.h"

#include "base/rng.h"
#include "math/sort.h"
#include "math/special.h"
#include "math/spline.h"

#include <math.h>

nonsens_status sample_warp(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, double *out)
{
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, scratch, entry, n);
    ARENA_TRY(ctx, scratch, spare, n);
    sort_column(x, n, entry, spare);
    double largest = special_normal_quantile(1.0 - 0.5 / (double)n);
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 1;
        while (end < n && entry[end].key == entry[i].key) {
            end++;
        }
        double u = 0.5 * (double)(i + end) / (double)n;
        double t = 0.5 * u + 0.25 * (1.0 + special_normal_quantile(u) / largest);
        for (; i < end; i++) {
            out[entry[i].row] = fmin(fmax(t, 0.0), 1.0);
        }
    }
    return NONSENS_OK;
}

int64_t sample_spline(int64_t m, double t, double value[4])
{
    return spline_cubic(m, t, value);
}

nonsens_status sample_folds(nonsens_context *ctx, arena *a, int64_t segments, const int64_t *start, int64_t folds,
                            int64_t seed, int64_t assignment, int32_t **out)
{
    int64_t n = start[segments], *order;
    ARENA_TRY(ctx, a, *out, n);
    ARENA_TRY(ctx, a, order, n);
    int64_t dealt = 0; // the fold at which the last segment ended, so that the folds have equal sizes
    for (int64_t e = 0; e < segments; e++) {
        int64_t rows = start[e + 1] - start[e];
        rng r = rng_new((uint64_t)seed, RNG_SEGMENT_FOLDS, (uint64_t)(assignment * segments + e));
        for (int64_t i = 0; i < rows; i++) {
            order[i] = start[e] + i;
        }
        rng_shuffle(&r, rows, order);
        for (int64_t i = 0; i < rows; i++) {
            (*out)[order[i]] = (int32_t)((dealt + i) % folds);
        }
        dealt = (dealt + rows) % folds;
    }
    return NONSENS_OK;
}

nonsens_status sample_block_folds(nonsens_context *ctx, arena *a, int64_t segments, const int64_t *start,
                                  const int32_t *block, int64_t blocks, int64_t folds, int64_t seed, int64_t assignment,
                                  int32_t **out)
{
    int64_t n = start[segments], *bound; // bound (segments + 1): the first block of each segment
    int32_t *fold;                       // (blocks)
    ARENA_TRY(ctx, a, *out, n);
    ARENA_TRY(ctx, a, bound, segments + 1);
    for (int64_t e = 0; e < segments; e++) {
        bound[e] = blocks;
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            bound[e] = block[i] < bound[e] ? block[i] : bound[e];
        }
    }
    bound[segments] = blocks;
    TRY(sample_folds(ctx, a, segments, bound, folds, seed, assignment, &fold));
    for (int64_t i = 0; i < n; i++) {
        (*out)[i] = fold[block[i]];
    }
    return NONSENS_OK;
}

/* Sorts rows by (fold, cell), stably: a counting sort by both in one key. */
static nonsens_status order_rows(nonsens_context *ctx, arena *a, classifier_sample *s, const int32_t *fold,
                                 const int32_t *corner)
{
    int64_t cells = s->basis * s->basis, keys = s->folds * cells, *place;
    ARENA_TRY(ctx, a, place, keys + 1);
    for (int64_t i = 0; i < s->n; i++) {
        place[fold[i] * cells + corner[i] + 1]++;
    }
    for (int64_t k = 0; k < keys; k++) {
        place[k + 1] += place[k];
    }
    for (int64_t k = 0; k <= s->folds; k++) {
        s->block[k] = place[k * cells];
    }
    for (int64_t i = 0; i < s->n; i++) {
        s->row[place[fold[i] * cells + corner[i]]++] = (int32_t)i;
    }
    return NONSENS_OK;
}

nonsens_status classifier_sample_new(nonsens_context *ctx, arena *a, const double *const warped[2], int64_t segments,
                                     const int64_t *start, const int32_t *fold, int64_t folds, int64_t basis,
                                     classifier_sample *out)
{
    *out = (classifier_sample){.n = start[segments], .segments = segments, .basis = basis, .folds = folds};
    double value[4];
    int32_t *corner, *label;
    ARENA_TRY(ctx, a, out->block, folds + 1);
    ARENA_TRY(ctx, a, out->label, out->n);
    ARENA_TRY(ctx, a, out->row, out->n);
    ARENA_TRY(ctx, a, out->corner, out->n);
    ARENA_TRY(ctx, a, out->value, 8 * out->n);
    ARENA_TRY(ctx, a, out->share, segments);
    ARENA_TRY(ctx, a, corner, out->n);
    ARENA_TRY(ctx, a, label, out->n);
    for (int64_t e = 0; e < segments; e++) {
        out->share[e] = (double)(start[e + 1] - start[e]) / (double)out->n;
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            label[i] = (int32_t)e;
            corner[i] = (int32_t)(sample_spline(basis, warped[0][i], value) * basis +
                                  sample_spline(basis, warped[1][i], value));
        }
    }
    TRY(order_rows(ctx, a, out, fold, corner));
    for (int64_t i = 0; i < out->n; i++) {
        int64_t from = out->row[i];
        out->label[i] = label[from];
        out->corner[i] = corner[from];
        sample_spline(basis, warped[0][from], out->value + 8 * i);
        sample_spline(basis, warped[1][from], out->value + 8 * i + 4);
    }
    return NONSENS_OK;
}
