/* structured_scores.c - a hash table of fitted mechanisms; a fit starts from the best one with one cause fewer. */
#include "methods/structured/structured_scores.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/show.h"
#include "classifier/sample.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BUCKETS = 4096, MAX_GROUPS = 256, GROUP_ROWS = 4, FOLDS = 5 };

static nonsens_status warp_columns(nonsens_context *ctx, arena *a, const nonsens_data *data, const double ***warped)
{
    double *column;
    ARENA_TRY(ctx, a, *warped, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        SCOPED_ARENA(scratch);
        ARENA_TRY(ctx, a, column, data->n);
        TRY(sample_warp(ctx, &scratch, data->n, matrix_col(data->x, data->column_rank[k]), column));
        (*warped)[k] = column;
    }
    return NONSENS_OK;
}

/* Rows, or whole blocks of them, are dealt to groups. */
static nonsens_status deal_groups(nonsens_context *ctx, arena *a, int64_t seed, structured_scores *s)
{
    int64_t n = s->data->n, units = s->time.block_of ? s->time.count : n, *order;
    int64_t groups = s->time.block_of ? units : n / GROUP_ROWS;
    int32_t *group_of;
    s->groups = groups > MAX_GROUPS ? MAX_GROUPS : groups > 2 ? groups : 2;
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

/* Every segment must have rows in more than one fold, and every fold must have some. */
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
    if (s->time.block_of && s->time.count < (int64_t)FOLDS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--block-length %" PRId64 " makes %" PRId64 " blocks; at least %" PRId64
                    " are needed: take shorter blocks",
                    length, s->time.count, (int64_t)FOLDS);
    }
    return NONSENS_OK;
}

static nonsens_status deal_folds(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t seed,
                                 structured_scores *s, int32_t **fold)
{
    if (!s->time.block_of) {
        return sample_folds(ctx, a, data->segments, data->start, FOLDS, seed, 0, fold);
    }
    TRY(check_blocks(ctx, data, s));
    ARENA_TRY(ctx, a, s->time_order, data->n);
    TRY(time_blocks_order(ctx, a, data, s->time_order));
    return sample_block_folds(ctx, a, data->segments, data->start, s->time.block_of, s->time.count, FOLDS, seed, 0,
                              fold);
}

nonsens_status structured_scores_new(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, structured_scores *out)
{
    const double **warped;
    int32_t *fold;
    *out = (structured_scores){.data = data, .threads = (int)options->threads};
    ARENA_TRY(ctx, a, out->table, BUCKETS);
    TRY(warp_columns(ctx, a, data, &warped));
    TRY(time_blocks_new(ctx, a, data, options->block_length, &out->time));
    TRY(deal_folds(ctx, a, data, options->seed, out, &fold));
    TRY(deal_groups(ctx, a, options->seed, out));
    return mechanism_data_new(ctx, a, data->d, warped, data->segments, data->start, fold, FOLDS, &out->rows);
}

void structured_scores_free(structured_scores *s)
{
    arena_free(&s->memory);
}

static size_t bucket_of(int64_t effect, int64_t causes, const int64_t *cause)
{
    uint64_t hash = (uint64_t)effect + 1;
    for (int64_t i = 0; i < causes; i++) {
        hash = (hash ^ (uint64_t)(cause[i] + 1)) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return (size_t)(hash % BUCKETS);
}

const structured_score *scores_get(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause)
{
    for (structured_score *at = s->table[bucket_of(effect, causes, cause)]; at; at = at->next) {
        if (at->effect == effect && at->causes == causes &&
            (causes == 0 || memcmp(at->cause, cause, (size_t)causes * sizeof *cause) == 0)) {
            return at;
        }
    }
    return NULL;
}

nonsens_status scores_want(nonsens_context *ctx, structured_scores *s, int64_t effect, int64_t causes,
                           const int64_t *cause)
{
    if (scores_get(s, effect, causes, cause)) {
        return NONSENS_OK;
    }
    structured_score *entry, **bucket = &s->table[bucket_of(effect, causes, cause)];
    ARENA_TRY(ctx, &s->memory, entry, 1);
    ARENA_TRY(ctx, &s->memory, entry->group, s->groups);
    ARENA_TRY(ctx, &s->memory, entry->theta, (1 + FOLDS) * mechanism_size(&s->rows, causes));
    entry->effect = effect;
    entry->causes = causes;
    if (causes > 0) {
        memcpy(entry->cause, cause, (size_t)causes * sizeof *cause);
    }
    entry->next = *bucket;
    *bucket = entry;
    ARENA_GROW(ctx, &s->memory, s->wanted, s->wanted_count, s->wanted_capacity);
    s->wanted[s->wanted_count++] = entry;
    return NONSENS_OK;
}

/* The best of the existing fits with one cause fewer, or NULL. */
static const structured_score *find_smaller(const structured_scores *s, const structured_score *entry)
{
    const structured_score *best = NULL;
    for (int64_t out = 0; out < entry->causes; out++) {
        int64_t cause[MECHANISM_MAX_CAUSES], count = 0;
        for (int64_t i = 0; i < entry->causes; i++) {
            if (i != out) {
                cause[count++] = entry->cause[i];
            }
        }
        const structured_score *at = scores_get(s, entry->effect, count, cause);
        if (at && at->settled && (!best || at->total > best->total)) {
            best = at;
        }
    }
    return best;
}

static void keep_fit(const structured_scores *s, const mechanism_fit *fit, const structured_score *smaller,
                     structured_score *entry)
{
    int64_t size = (1 + FOLDS) * mechanism_size(&s->rows, entry->causes);
    memcpy(entry->theta, fit->theta, (size_t)size * sizeof *entry->theta);
    memcpy(entry->smooth, fit->smooth, sizeof entry->smooth);
    if (fit->is_guess) {
        entry->total = smaller->total; // NOLINT(clang-analyzer-core.NullDereference): a guess is made from `smaller`
        memcpy(entry->fold_total, smaller->fold_total, sizeof entry->fold_total);
        memcpy(entry->group, smaller->group, (size_t)s->groups * sizeof *entry->group);
        return;
    }
    entry->total = fit->total;
    memcpy(entry->fold_total, fit->fold_total, sizeof entry->fold_total);
    for (int64_t i = 0; i < s->data->n; i++) {
        entry->group[s->group_of[i]] += fit->held_out[i];
    }
}

static nonsens_status fit_wanted(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    structured_scores *s = state;
    structured_score *entry = s->wanted[job];
    const structured_score *smaller = find_smaller(s, entry);
    mechanism_fit fit;
    mechanism_guess guess = {0};
    if (smaller) {
        guess =
            (mechanism_guess){smaller->causes, smaller->cause, smaller->theta, smaller->smooth, smaller->fold_total};
    }
    TRY(mechanism_run(ctx, scratch, &s->rows, entry->effect, entry->causes, entry->cause, smaller ? &guess : NULL,
                      &fit));
    keep_fit(s, &fit, smaller, entry);
    return NONSENS_OK;
}

nonsens_status scores_settle(nonsens_context *ctx, structured_scores *s, const char *phase)
{
    int64_t count = s->wanted_count;
    s->wanted_count = 0;
    s->fits += count;
    if (count > 0) {
        TRY(parallel_for(ctx, s->threads, count, phase, fit_wanted, s));
    }
    for (int64_t i = 0; i < count; i++) {
        s->wanted[i]->settled = true;
    }
    return NONSENS_OK;
}

/* ---- changes of a disturbance ---- */

/* Of rows in blocks, one value stands for each: its mean, or its mean distance from the mean of the segment. */
static nonsens_status change_by_blocks(nonsens_context *ctx, arena *a, const structured_scores *sc, const double *v,
                                       change_test *out)
{
    double effect = out->effect; // that of rows, in their units
    const nonsens_data *pair = sc->data;
    int64_t *start;
    double *mean, *rows;
    ARENA_TRY(ctx, a, start, pair->segments + 1);
    ARENA_TRY(ctx, a, mean, sc->time.count);
    ARENA_TRY(ctx, a, rows, sc->time.count);
    for (int64_t e = 0; e < pair->segments; e++) {
        for (int64_t i = pair->start[e]; i < pair->start[e + 1]; i++) {
            int64_t block = sc->time.block_of[i];
            mean[block] += v[i];
            rows[block] += 1.0;
            start[e + 1] = block + 1 > start[e + 1] ? block + 1 : start[e + 1];
        }
    }
    for (int64_t b = 0; b < sc->time.count; b++) {
        mean[b] /= rows[b];
    }
    TRY(change_of_location(ctx, a, mean, pair->segments, start, out));
    out->effect = effect;
    return NONSENS_OK;
}

nonsens_status scores_test_changes(nonsens_context *ctx, arena *a, const structured_scores *sc, const double *v,
                                   change_test *location, change_test *scale)
{
    const nonsens_data *pair = sc->data;
    double *distance;
    TRY(change_of_location(ctx, a, v, pair->segments, pair->start, location));
    TRY(change_of_scale(ctx, a, v, pair->segments, pair->start, scale));
    if (!sc->time.block_of) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, distance, pair->n);
    for (int64_t e = 0; e < pair->segments; e++) {
        double mean = 0.0;
        for (int64_t i = pair->start[e]; i < pair->start[e + 1]; i++) {
            mean += v[i] / (double)(pair->start[e + 1] - pair->start[e]);
        }
        for (int64_t i = pair->start[e]; i < pair->start[e + 1]; i++) {
            distance[i] = fabs(v[i] - mean);
        }
    }
    TRY(change_by_blocks(ctx, a, sc, v, location));
    return change_by_blocks(ctx, a, sc, distance, scale);
}
