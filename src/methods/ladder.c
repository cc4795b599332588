#include "methods/ladder.h"

#include "data/canonical.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

enum { CALIBRATION_DRAWS = 199, BASIS = 14 };

/* ---- order ---- */

static nonsens_status warp_columns(nonsens_context *ctx, arena *a, const nonsens_data *pair, double *warped[2])
{
    for (int j = 0; j < 2; j++) {
        arena scratch = {0};
        ARENA_TRY(ctx, a, warped[j], pair->n);
        nonsens_status status = sample_warp(ctx, &scratch, pair->n, matrix_col(pair->x, j), warped[j]);
        arena_free(&scratch);
        TRY(status);
    }
    return NONSENS_OK;
}

/* Canonical order of the warped values, and the warped values in it. */
static nonsens_status order_rows(nonsens_context *ctx, arena *a, ladder *l, double *const warped[2])
{
    const nonsens_data *pair = l->pair;
    int64_t *size, segments = pair->segments;
    arena scratch = {0};
    ARENA_TRY(ctx, a, size, segments);
    for (int64_t e = 0; e < segments; e++) {
        size[e] = pair->start[e + 1] - pair->start[e];
    }
    const double *column[2] = {warped[0], warped[1]};
    canonical_input in = {pair->n, 2, segments, column, pair->segment, size};
    nonsens_status status = canonical_columns(ctx, &scratch, &in, l->user);
    if (status == NONSENS_OK) {
        status = canonical_rows(ctx, &scratch, &in, l->user, l->user_row, l->user_segment);
    }
    arena_free(&scratch);
    TRY(status);
    for (int64_t e = 0; e < segments; e++) {
        l->start[e + 1] = l->start[e] + size[l->user_segment[e]];
    }
    for (int64_t j = 0; j < 2; j++) {
        for (int64_t i = 0; i < pair->n; i++) {
            l->warped[j][i] = warped[l->user[j]][l->user_row[i]];
        }
    }
    return NONSENS_OK;
}

/* Blocks of neighbouring rows of the input, segment by segment. */
static nonsens_status cut_blocks(nonsens_context *ctx, arena *a, ladder *l)
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

/* ---- beginning ---- */

static nonsens_status allocate(nonsens_context *ctx, arena *a, ladder *l)
{
    int64_t n = l->pair->n, segments = l->pair->segments;
    ARENA_TRY(ctx, a, l->user_segment, segments);
    ARENA_TRY(ctx, a, l->user_row, n);
    ARENA_TRY(ctx, a, l->start, segments + 1);
    ARENA_TRY(ctx, a, l->warped[0], n);
    ARENA_TRY(ctx, a, l->warped[1], n);
    ARENA_TRY(ctx, a, l->chance, n);
    ARENA_TRY(ctx, a, l->scratch, n);
    return NONSENS_OK;
}

nonsens_status ladder_begin(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                            ladder *out)
{
    double *warped[2];
    int32_t *fold;
    *out = (ladder){.pair = pair, .options = options, .threads = (int)options->threads};
    TRY(allocate(ctx, a, out));
    TRY(warp_columns(ctx, a, pair, warped));
    TRY(order_rows(ctx, a, out, warped));
    TRY(cut_blocks(ctx, a, out));
    for (int64_t e = 0; e < pair->segments; e++) {
        for (int64_t i = out->start[e]; i < out->start[e + 1]; i++) {
            out->chance[i] = log((double)(out->start[e + 1] - out->start[e]) / (double)pair->n);
        }
    }
    int64_t cap = pair->segments - 1;
    out->most = cap < LADDER_MOST_RANK + 1 ? cap : LADDER_MOST_RANK + 1;
    TRY(sample_folds(ctx, a, pair->segments, out->start, options->score_folds, options->seed, 0, &fold));
    TRY(sample_build(ctx, a, (const double *const *)out->warped, pair->segments, out->start, fold,
                     options->score_folds, BASIS, &out->sample));
    return penalty_choose(ctx, a, out->threads, &out->sample, &out->penalty);
}

/* ---- fits ---- */

double ladder_level(const ladder *l)
{
    return l->options->alpha / LADDER_TESTS;
}

void ladder_compare(const ladder *l, const double *larger, const double *smaller, difference *out)
{
    compare_rows(l->pair->n, larger, smaller, l->block, l->blocks, l->scratch, out);
}

static shape shape_of(enum kind kind, int rank)
{
    return (shape){kind == KIND_FIRST ? rank : 0, kind == KIND_SECOND ? rank : 0, kind == KIND_BOTH ? rank : 0};
}

/* Fits all rows with this penalty, from where theta stands. */
static nonsens_status fit_rows(nonsens_context *ctx, const ladder *l, double lambda, fit *f)
{
    arena scratch = {0};
    f->lambda = lambda;
    nonsens_status status = fit_all(ctx, &scratch, l->threads, f);
    arena_free(&scratch);
    return status;
}

/* Fits all rows and every fold for scoring, then all rows for testing. */
static nonsens_status fit_and_score(nonsens_context *ctx, arena *a, const ladder *l, fit *f)
{
    TRY(fit_rows(ctx, l, l->penalty.all, f));
    TRY(fit_folds(ctx, a, l->threads, f));
    return fit_rows(ctx, l, l->penalty.test, f);
}

static nonsens_status fit_cold(nonsens_context *ctx, arena *a, const ladder *l, shape s, bool score, fit *f)
{
    arena scratch = {0};
    TRY(fit_new(ctx, a, &l->sample, s, &l->penalty, f));
    nonsens_status status = fit_start_cold(ctx, &scratch, f);
    arena_free(&scratch);
    TRY(status);
    if (score) {
        return fit_and_score(ctx, a, l, f);
    }
    TRY(fit_rows(ctx, l, l->penalty.all, f));
    return fit_rows(ctx, l, l->penalty.test, f);
}

/* Rank r against r - 1.  Ranks over two are scored only where the test on all rows rejects: few data have them. */
static nonsens_status judge_rank(nonsens_context *ctx, arena *a, const ladder *l, ranks *found, int64_t r)
{
    fit *large = &found->fit[r], *small = r == 1 ? NULL : &found->fit[r - 1];
    difference *step = &found->step[r];
    arena scratch = {0};
    nonsens_status status = compare_rank(ctx, &scratch, small, large, CALIBRATION_DRAWS, l->options->seed, step);
    arena_free(&scratch);
    TRY(status);
    if (!large->held_out && step->p_value <= ladder_level(l)) {
        TRY(fit_and_score(ctx, a, l, large));
    }
    if (large->held_out) {
        ladder_compare(l, large->held_out, small ? small->held_out : l->chance, step);
    }
    return NONSENS_OK;
}

nonsens_status ladder_ranks(nonsens_context *ctx, arena *a, const ladder *l, enum kind kind, int64_t most, ranks *out)
{
    *out = (ranks){0};
    for (int64_t r = 1; r <= most && r <= l->most; r++) {
        TRY(fit_cold(ctx, a, l, shape_of(kind, (int)r), r <= 2, &out->fit[r]));
        TRY(judge_rank(ctx, a, l, out, r));
        out->fitted = r;
        if (!ladder_is_better(l, &out->step[r])) {
            break;
        }
        out->rank = r;
    }
    return NONSENS_OK;
}

bool ladder_is_better(const ladder *l, const difference *d)
{
    return d->p_value <= ladder_level(l) && d->mean > 0.0;
}

nonsens_status ladder_restrict(nonsens_context *ctx, arena *a, const ladder *l, shape s, fit *whole, fit *out)
{
    arena scratch = {0};
    TRY(fit_new(ctx, a, &l->sample, s, &l->penalty, out));
    nonsens_status status = fit_start_restricted(ctx, &scratch, whole, out);
    arena_free(&scratch);
    TRY(status);
    TRY(fit_and_score(ctx, a, l, out));
    if (out->objective < whole->objective) { // the free fit sat in a worse optimum
        status = fit_start_extended(ctx, &scratch, out, whole);
        arena_free(&scratch);
        TRY(status);
        TRY(fit_and_score(ctx, a, l, whole));
    }
    return NONSENS_OK;
}

nonsens_status ladder_judge(nonsens_context *ctx, const ladder *l, const fit *small, const fit *large, difference *out)
{
    arena scratch = {0};
    nonsens_status status = compare_restriction(ctx, &scratch, l->threads, small, large, CALIBRATION_DRAWS,
                                                l->options->seed, out);
    arena_free(&scratch);
    TRY(status);
    ladder_compare(l, large->held_out, small->held_out, out);
    return NONSENS_OK;
}
