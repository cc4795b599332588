/* rank_search.c - orders the rows of a pair, deals folds, then tries one rank after another until one is no better. */
#include "methods/shared/rank_search.h"

#include "base/show.h"
#include "data/canonical.h"
#include "methods/shared/rank_search_features.h"
#include "methods/shared/segment_groups.h"

#include <inttypes.h>
#include <math.h>

/* Smallest gain of a further feature over the gain of the one before it: for the second feature, and for later ones. */
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
    canonical_input in = {pair->n, 2, segments, column, pair->segment, size, NULL, NULL};
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

/* Fills in l->time_order: the search's rows of each segment, in order of time. */
static nonsens_status order_in_time(nonsens_context *ctx, arena *a, rank_search *l)
{
    int64_t *order, *place; // (n) rows of the data set in order of time; each row's index in the search
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, a, l->time_order, l->pair->n);
    ARENA_TRY(ctx, &scratch, order, l->pair->n);
    ARENA_TRY(ctx, &scratch, place, l->pair->n);
    TRY(time_blocks_order(ctx, &scratch, l->pair, order));
    for (int64_t i = 0; i < l->pair->n; i++) {
        place[l->user_row[i]] = i;
    }
    for (int64_t e = 0; e < l->pair->segments; e++) {
        int64_t from = l->pair->start[l->user_segment[e]];
        for (int64_t i = l->start[e]; i < l->start[e + 1]; i++) {
            l->time_order[i] = place[order[from + i - l->start[e]]];
        }
    }
    return NONSENS_OK;
}

/* Makes blocks of neighbouring input rows, and notes the block of each row in the search's order. */
static nonsens_status cut_blocks(nonsens_context *ctx, arena *a, rank_search *l)
{
    int32_t *block_of;
    TRY(time_blocks_new(ctx, a, l->pair, l->options->block_length, &l->time));
    if (!l->time.block_of) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, block_of, l->pair->n);
    for (int64_t e = 0, before = 0; e < l->pair->segments; e++) { // block numbers continue from one segment to the next
        int32_t first = INT32_MAX, last = 0;
        for (int64_t i = l->start[e]; i < l->start[e + 1]; i++) {
            block_of[i] = l->time.block_of[l->user_row[i]];
            first = block_of[i] < first ? block_of[i] : first;
            last = block_of[i] > last ? block_of[i] : last;
        }
        for (int64_t i = l->start[e]; i < l->start[e + 1]; i++) {
            block_of[i] = (int32_t)(block_of[i] - first + before);
        }
        before += last - first + 1;
    }
    l->blocks = (classifier_blocks){block_of, l->time.count, l->time.inflation, false};
    return order_in_time(ctx, a, l);
}

/* ---- setting up ---- */

/* Deals rows into folds: blocks stay whole, and every segment must have rows in more than one fold. */
static nonsens_status deal_folds(nonsens_context *ctx, arena *a, rank_search *l)
{
    const nonsens_options *o = l->options;
    const nonsens_data *pair = l->pair;
    if (!l->blocks.block_of) {
        return sample_folds(ctx, a, pair->segments, l->start, o->score_folds, o->seed, 0, &l->fold);
    }
    int64_t length = l->time.length, e = dataset_smallest_segment(pair);
    int64_t rows = pair->start[e + 1] - pair->start[e];
    char name[SHOWN_BYTES];
    if (rows <= length) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 ": segment %s has %" PRId64 " rows and would be a single block; take "
                    "shorter blocks, or leave such segments out",
                    length, show_quoted(name, pair->labels[e]), rows);
    }
    if (l->blocks.count < o->score_folds) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 " makes %" PRId64 " blocks, fewer than the %" PRId64 " folds; take "
                    "shorter blocks or fewer --score-folds",
                    length, l->blocks.count, o->score_folds);
    }
    return sample_block_folds(ctx, a, pair->segments, l->start, l->blocks.block_of, l->blocks.count, o->score_folds,
                              o->seed, 0, &l->fold);
}

/* ---- groups of segments ---- */

/* Sorts the rows by group; blocks are now the segments of the data set, and each row keeps its fold. */
static nonsens_status sort_by_group(nonsens_context *ctx, arena *a, rank_search *l, const int32_t *group)
{
    int64_t n = l->pair->n, *place, *user_row;
    int32_t *fold, *block_of;
    ARENA_TRY(ctx, a, place, l->segments + 1);
    ARENA_TRY(ctx, a, user_row, n);
    ARENA_TRY(ctx, a, fold, n);
    ARENA_TRY(ctx, a, block_of, n);
    l->inside[0] = l->warped[0];
    l->inside[1] = l->warped[1];
    l->inside_start = l->start;
    ARENA_TRY(ctx, a, l->warped[0], n);
    ARENA_TRY(ctx, a, l->warped[1], n);
    ARENA_TRY(ctx, a, l->start, l->segments + 1);
    for (int64_t i = 0; i < n; i++) {
        l->start[group[i] + 1]++;
    }
    for (int64_t g = 0; g < l->segments; g++) {
        l->start[g + 1] += l->start[g];
        place[g] = l->start[g];
    }
    for (int64_t e = 0; e < l->pair->segments; e++) {
        for (int64_t i = l->inside_start[e]; i < l->inside_start[e + 1]; i++) {
            int64_t to = place[group[i]]++;
            user_row[to] = l->user_row[i];
            fold[to] = l->fold[i];
            block_of[to] = (int32_t)e;
            l->warped[0][to] = l->inside[0][i];
            l->warped[1][to] = l->inside[1][i];
        }
    }
    l->user_row = user_row;
    l->fold = fold;
    l->blocks = (classifier_blocks){block_of, l->pair->segments, 1.0, true};
    l->user_segment = NULL;
    return NONSENS_OK;
}

/* Puts segments into groups; whole segments are dealt into folds. */
static nonsens_status group_segments(nonsens_context *ctx, arena *a, rank_search *l)
{
    const nonsens_options *o = l->options;
    int64_t n = l->pair->n, segments = l->pair->segments;
    int32_t *group, *fold;
    ARENA_TRY(ctx, a, group, n);
    ARENA_TRY(ctx, a, l->fold, n);
    TRY(sample_folds(ctx, a, 1, (int64_t[]){0, segments}, o->score_folds, o->seed, 0, &fold));
    for (int64_t e = 0; e < segments; e++) {
        for (int64_t i = l->start[e]; i < l->start[e + 1]; i++) {
            l->fold[i] = fold[e];
        }
    }
    segment_groups_input in = {.n = n,
                               .segments = segments,
                               .warped = {l->warped[0], l->warped[1]},
                               .start = l->start,
                               .unit_of = l->blocks.block_of,
                               .units = l->blocks.count,
                               .fold = fold,
                               .folds = o->score_folds,
                               .seed = o->seed};
    TRY(segment_groups_find(ctx, &in, group, &l->segments));
    l->grouped = true;
    return sort_by_group(ctx, a, l, group);
}

/* Sets the label of every row and the log share of its segment. */
static void label_rows(rank_search *l)
{
    for (int64_t e = 0; e < l->segments; e++) {
        for (int64_t i = l->start[e]; i < l->start[e + 1]; i++) {
            l->label[i] = (int32_t)e;
            l->chance[i] = log((double)(l->start[e + 1] - l->start[e]) / (double)l->pair->n);
        }
    }
}

/* Sets the log shares of groups from the other folds alone, because whole segments are held out. */
static nonsens_status find_held_out_shares(nonsens_context *ctx, rank_search *l)
{
    int64_t folds = l->options->score_folds, n = l->pair->n, *rows, *all; // rows (segments, folds), all (folds)
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, &scratch, rows, l->segments * folds);
    ARENA_TRY(ctx, &scratch, all, folds);
    for (int64_t i = 0; i < n; i++) {
        rows[l->label[i] * folds + l->fold[i]]++;
        all[l->fold[i]]++;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t e = l->label[i], outside = l->start[e + 1] - l->start[e] - rows[e * folds + l->fold[i]];
        l->chance[i] = log((double)outside / (double)(n - all[l->fold[i]]));
    }
    return NONSENS_OK;
}

nonsens_status rank_search_new(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                               bool may_group, rank_search *out)
{
    int64_t n = pair->n;
    *out =
        (rank_search){.pair = pair, .options = options, .threads = (int)options->threads, .segments = pair->segments};
    out->features = options->features == FEATURES_NETWORK ? &rank_search_network : &rank_search_spline;
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
    if (may_group && pair->segments > RANK_SEARCH_UNGROUPED) {
        TRY(group_segments(ctx, a, out));
    } else {
        out->inside[0] = out->warped[0];
        out->inside[1] = out->warped[1];
        out->inside_start = out->start;
        TRY(deal_folds(ctx, a, out));
    }
    out->max_rank = out->segments - 1 < RANK_SEARCH_MAX_RANK + 1 ? out->segments - 1 : RANK_SEARCH_MAX_RANK + 1;
    label_rows(out);
    TRY(out->grouped ? find_held_out_shares(ctx, out) : NONSENS_OK);
    return out->features->begin(ctx, a, out);
}

/* ---- fits ---- */

double rank_search_level(const rank_search *l)
{
    return l->options->alpha / (double)l->features->tests;
}

compare_draws rank_search_draws(const rank_search *l, int threads, int64_t draws)
{
    return (compare_draws){.threads = threads, .draws = draws, .seed = l->options->seed, .blocks = l->blocks};
}

void rank_search_compare(const rank_search *l, const double *larger, const double *smaller, classifier_difference *out)
{
    compare_rows(l->pair->n, larger, smaller, &l->blocks, l->scratch, out);
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

/* Does rank r count?  With very many rows the test also detects approximation error, but its gain stays small. */
static bool counts(const rank_search *l, enum classifier_kind kind, int64_t r, const classifier_difference *step)
{
    double share = kind != KIND_BOTH ? 0.0 : r <= 2 ? SECOND_GAIN : FURTHER_GAIN; // step[0] is zero
    return step[r].p_value <= rank_search_rank_level(l, kind, r) && step[r].mean > share * step[r - 1].mean;
}

nonsens_status rank_search_ranks(nonsens_context *ctx, arena *a, const rank_search *l, enum classifier_kind kind,
                                 int64_t max_rank, rank_search_outcome *out)
{
    while (out->rank == out->tried && out->tried < max_rank && out->tried < l->max_rank) {
        int64_t r = ++out->tried;
        TRY(l->features->try_rank(ctx, a, l, shape_of(kind, (int)r), out));
        out->rank = counts(l, kind, r, out->step) ? r : out->rank;
    }
    return NONSENS_OK;
}
