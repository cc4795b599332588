/* rank_search.c - orders and folds the rows of a pair, then tries one rank after another until one is no better. */
#include "methods/shared/rank_search.h"

#include "base/show.h"
#include "data/canonical.h"
#include "math/sort.h"
#include "methods/shared/rank_search_features.h"

#include <inttypes.h>
#include <math.h>

/* Smallest gain of a further feature, relative to that of the feature before: the second, and those after it. */
static const double SECOND_GAIN = 0.015, FURTHER_GAIN = 0.075;

/* ---- order ---- */

/* Puts the warped values into canonical order; a variable whose canonical sign is negative is reversed. */
static nonsens_status order_rows(nonsens_context *ctx, arena *a, rank_search *l)
{
    const nonsens_data *pair = l->pair;
    int64_t *size, segments = pair->segments;
    double *warped[2], sign[2];
    SCOPED_ARENA(scratch);
    for (int j = 0; j < 2; j++) {
        ARENA_TRY(ctx, a, warped[j], pair->n);
        TRY(sample_warp(ctx, &scratch, pair->n, matrix_col(pair->x, j), warped[j]));
        arena_free(&scratch);
    }
    ARENA_TRY(ctx, a, size, segments);
    for (int64_t e = 0; e < segments; e++) {
        size[e] = pair->start[e + 1] - pair->start[e];
    }
    const double *column[2] = {warped[0], warped[1]};
    canonical_input in = {pair->n, 2, segments, column, pair->segment, size, NULL};
    TRY(canonical_columns(ctx, &scratch, &in, l->user, sign));
    TRY(canonical_rows(ctx, &scratch, &in, l->user, sign, l->user_row, l->user_segment));
    for (int64_t e = 0; e < segments; e++) {
        l->start[e + 1] = l->start[e] + size[l->user_segment[e]];
    }
    for (int64_t j = 0; j < 2; j++) {
        for (int64_t i = 0; i < pair->n; i++) {
            double w = warped[l->user[j]][l->user_row[i]];
            l->warped[j][i] = sign[l->user[j]] < 0 ? 1.0 - w : w;
        }
    }
    return NONSENS_OK;
}

/* Cuts each segment into blocks of rows that are neighbours in the input. */
static nonsens_status cut_blocks(nonsens_context *ctx, arena *a, rank_search *l)
{
    int64_t length = l->options->block_length;
    if (length <= 1) {
        return NONSENS_OK;
    }
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, a, l->block, l->pair->n);
    ARENA_TRY(ctx, a, entry, l->pair->n);
    ARENA_TRY(ctx, a, spare, l->pair->n);
    for (int64_t e = 0; e < l->pair->segments; e++) {
        int64_t from = l->start[e], rows = l->start[e + 1] - from;
        for (int64_t i = 0; i < rows; i++) {
            entry[i] = (sort_entry){(uint64_t)l->pair->input_row[l->user_row[from + i]], from + i};
        }
        sort_entries(entry, spare, rows, NULL, NULL);
        for (int64_t i = 0; i < rows; i++) {
            l->block[entry[i].row] = (int32_t)(l->blocks + i / length);
        }
        l->blocks += (rows + length - 1) / length;
    }
    return NONSENS_OK;
}

/* ---- setting up ---- */

/* Blocks are dealt whole, and every segment must have rows in more than one fold. */
static nonsens_status deal_folds(nonsens_context *ctx, arena *a, rank_search *l)
{
    const nonsens_options *o = l->options;
    const nonsens_data *pair = l->pair;
    if (!l->block) {
        return sample_folds(ctx, a, pair->segments, l->start, o->score_folds, o->seed, 0, &l->fold);
    }
    int64_t length = o->block_length, e = dataset_smallest_segment(pair);
    int64_t rows = pair->start[e + 1] - pair->start[e];
    char name[SHOWN_BYTES];
    if (rows <= length) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 ": segment %s has %" PRId64 " rows and would be a single block; take "
                    "shorter blocks, or leave such segments out",
                    length, show_quoted(name, pair->labels[e]), rows);
    }
    if (l->blocks < o->score_folds) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 " makes %" PRId64 " blocks, fewer than the %" PRId64 " folds; take "
                    "shorter blocks or fewer --score-folds",
                    length, l->blocks, o->score_folds);
    }
    return sample_block_folds(ctx, a, pair->segments, l->start, l->block, l->blocks, o->score_folds, o->seed, 0,
                              &l->fold);
}

/* Sets the label of every row and the log share of its segment. */
static void label_rows(rank_search *l)
{
    for (int64_t e = 0; e < l->pair->segments; e++) {
        for (int64_t i = l->start[e]; i < l->start[e + 1]; i++) {
            l->label[i] = (int32_t)e;
            l->chance[i] = log((double)(l->start[e + 1] - l->start[e]) / (double)l->pair->n);
        }
    }
}

nonsens_status rank_search_new(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                               rank_search *out)
{
    int64_t n = pair->n, cap = pair->segments - 1;
    *out = (rank_search){.pair = pair, .options = options, .threads = (int)options->threads};
    out->features = options->features == FEATURES_NETWORK ? &rank_search_network : &rank_search_spline;
    out->max_rank = cap < RANK_SEARCH_MAX_RANK + 1 ? cap : RANK_SEARCH_MAX_RANK + 1;
    ARENA_TRY(ctx, a, out->user_segment, pair->segments);
    ARENA_TRY(ctx, a, out->user_row, n);
    ARENA_TRY(ctx, a, out->start, pair->segments + 1);
    ARENA_TRY(ctx, a, out->label, n);
    ARENA_TRY(ctx, a, out->warped[0], n);
    ARENA_TRY(ctx, a, out->warped[1], n);
    ARENA_TRY(ctx, a, out->chance, n);
    ARENA_TRY(ctx, a, out->scratch, n);
    TRY(order_rows(ctx, a, out));
    TRY(cut_blocks(ctx, a, out));
    TRY(deal_folds(ctx, a, out));
    label_rows(out);
    return out->features->begin(ctx, a, out);
}

/* ---- fits ---- */

double rank_search_level(const rank_search *l)
{
    return l->options->alpha / (double)l->features->tests;
}

void rank_search_compare(const rank_search *l, const double *larger, const double *smaller, classifier_difference *out)
{
    compare_rows(l->pair->n, larger, smaller, l->block, l->blocks, l->scratch, out);
}

double rank_search_rank_level(const rank_search *l, enum classifier_kind kind, int64_t rank)
{
    return kind == KIND_BOTH && rank > 1 ? l->options->alpha / (double)l->features->further_tests
                                         : rank_search_level(l);
}

static classifier_shape shape_of(enum classifier_kind kind, int rank)
{
    return (classifier_shape){kind == KIND_FIRST ? rank : 0, kind == KIND_SECOND ? rank : 0,
                              kind == KIND_BOTH ? rank : 0};
}

/* Does rank r count?  With very many rows a test also finds the features' own error, but the gain stays small. */
static bool counts(const rank_search *l, enum classifier_kind kind, int64_t r, const classifier_difference *step)
{
    double share = kind != KIND_BOTH ? 0.0 : r <= 2 ? SECOND_GAIN : FURTHER_GAIN; // step[0] is zero
    return step[r].p_value <= rank_search_rank_level(l, kind, r) && step[r].mean > share * step[r - 1].mean;
}

nonsens_status rank_search_ranks(nonsens_context *ctx, arena *a, const rank_search *l, enum classifier_kind kind,
                                 int64_t max_rank, rank_search_outcome *out)
{
    *out = (rank_search_outcome){0};
    for (int64_t r = 1; r <= max_rank && r <= l->max_rank; r++) {
        out->tried = r;
        TRY(l->features->try_rank(ctx, a, l, shape_of(kind, (int)r), out));
        if (!counts(l, kind, r, out->step)) {
            break;
        }
        out->rank = r;
    }
    return NONSENS_OK;
}
