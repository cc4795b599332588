/* structured_setup.c - prepares what all fits share: warped columns, folds, groups of rows for standard errors. */
#include "base/rng.h"
#include "base/show.h"
#include "classifier/sample.h"
#include "methods/structured_graph/structured_gaps.h"

#include <inttypes.h>

enum { GROUP_ROWS = 4 };

/* Warps the values of a column that are not missing; missing ones, which no fit uses, become 0.5. */
static nonsens_status warp_present(nonsens_context *ctx, const nonsens_data *data, int64_t j, double *out)
{
    SCOPED_ARENA(scratch);
    const double *x = matrix_col(data->x, j);
    double *value, *warped;
    int64_t count = 0;
    ARENA_TRY(ctx, &scratch, value, data->n);
    ARENA_TRY(ctx, &scratch, warped, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        if (!dataset_is_gap(data, i, j)) {
            value[count++] = x[i];
        }
    }
    TRY(sample_warp(ctx, &scratch, count, value, warped));
    count = 0;
    for (int64_t i = 0; i < data->n; i++) {
        out[i] = dataset_is_gap(data, i, j) ? 0.5 : warped[count++];
    }
    return NONSENS_OK;
}

static nonsens_status warp_columns(nonsens_context *ctx, arena *a, const nonsens_data *data, const double ***warped)
{
    double *column;
    ARENA_TRY(ctx, a, *warped, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        SCOPED_ARENA(scratch);
        int64_t j = data->column_rank[k];
        ARENA_TRY(ctx, a, column, data->n);
        TRY(data->gap ? warp_present(ctx, data, j, column)
                      : sample_warp(ctx, &scratch, data->n, matrix_col(data->x, j), column));
        (*warped)[k] = column;
    }
    return NONSENS_OK;
}

/* Deals rows, or whole blocks of them, to groups. */
static nonsens_status deal_groups(nonsens_context *ctx, arena *a, int64_t seed, structured_scores *s)
{
    int64_t n = s->data->n, units = s->time.block_of ? s->time.count : n, *order;
    int64_t groups = s->time.block_of ? units : n / GROUP_ROWS;
    int32_t *group_of;
    s->groups = groups > SCORE_MAX_GROUPS ? SCORE_MAX_GROUPS : groups > 2 ? groups : 2;
    ARENA_TRY(ctx, a, s->group_of, n);
    ARENA_TRY(ctx, a, group_of, units);
    ARENA_TRY(ctx, a, order, units);
    for (int64_t i = 0; i < units; i++) {
        order[i] = i;
    }
    rng r = rng_new((uint64_t)seed, RNG_SCORE_GROUPS, 0);
    rng_shuffle(&r, units, order);
    for (int64_t i = 0; i < units; i++) {
        group_of[order[i]] = (int32_t)(i % s->groups);
    }
    for (int64_t i = 0; i < n; i++) {
        s->group_of[i] = group_of[s->time.block_of ? s->time.block_of[i] : i];
    }
    return NONSENS_OK;
}

/* Checks that every segment has rows in more than one fold, and that every fold has some. */
static nonsens_status check_blocks(nonsens_context *ctx, const nonsens_data *data, const structured_scores *s)
{
    char shown[SHOWN_BYTES];
    int64_t length = s->time.length, e = dataset_smallest_segment(data), rows = data->start[e + 1] - data->start[e];
    if (s->time.block_of && rows <= length) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 ": segment %s has %" PRId64
                    " rows and would be a single block; take shorter blocks, or leave such segments out",
                    length, show_quoted(shown, data->labels[e]), rows);
    }
    if (s->time.block_of && s->time.count < (int64_t)SCORE_FOLDS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 " makes %" PRId64 " blocks; at least %" PRId64
                    " are needed: take shorter blocks",
                    length, s->time.count, (int64_t)SCORE_FOLDS);
    }
    return NONSENS_OK;
}

static nonsens_status deal_folds(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t seed,
                                 structured_scores *s, int32_t **fold)
{
    if (!s->time.block_of) {
        return sample_folds(ctx, a, data->segments, data->start, SCORE_FOLDS, seed, 0, fold);
    }
    TRY(check_blocks(ctx, data, s));
    ARENA_TRY(ctx, a, s->time_order, data->n);
    TRY(time_blocks_order(ctx, a, data, s->time_order));
    return sample_block_folds(ctx, a, data->segments, data->start, s->time.block_of, s->time.count, SCORE_FOLDS, seed,
                              0, fold);
}

nonsens_status structured_scores_new(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, const targets *hit, structured_scores *out)
{
    const double **warped;
    int32_t *fold;
    *out = (structured_scores){.data = data, .threads = (int)options->threads};
    ARENA_TRY(ctx, a, out->table, SCORE_BUCKETS);
    TRY(warp_columns(ctx, a, data, &warped));
    TRY(time_blocks_new(ctx, a, data, options->block_length, &out->time));
    TRY(deal_folds(ctx, a, data, options->seed, out, &fold));
    TRY(deal_groups(ctx, a, options->seed, out));
    TRY(gaps_new(ctx, a, out));
    TRY(mechanism_data_new(ctx, a, data->d, warped, data->segments, data->start, fold, SCORE_FOLDS, out->threads,
                           &out->rows));
    return structured_parts_new(ctx, a, &out->rows, warped, data->start, hit, &out->parts);
}
