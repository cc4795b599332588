/* structured_scores.c - a hash table of fitted mechanisms; a fit starts from the best one with one cause fewer. */
#include "methods/structured_graph/structured_scores.h"

#include "base/parallel.h"
#include "methods/structured_graph/structured_gaps.h"
#include "methods/structured_graph/structured_share.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = SCORE_BUCKETS, FOLDS = SCORE_FOLDS };

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

static structured_score *find_score(const structured_scores *s, int64_t version, int64_t effect, int64_t causes,
                                    const int64_t *cause)
{
    for (structured_score *at = s->table[bucket_of(effect, causes, cause)]; at; at = at->next) {
        if (at->effect == effect && at->version == version && at->causes == causes &&
            (causes == 0 || memcmp(at->cause, cause, (size_t)causes * sizeof *cause) == 0)) {
            return at;
        }
    }
    return NULL;
}

const structured_score *scores_get(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause)
{
    return find_score(s, s->parts.version[effect], effect, causes, cause);
}

const structured_score *scores_get_version(const structured_scores *s, int64_t version, int64_t effect, int64_t causes,
                                           const int64_t *cause)
{
    return find_score(s, version, effect, causes, cause);
}

static void leave_out(int64_t causes, const int64_t *cause, int64_t out, int64_t *rest)
{
    for (int64_t i = 0, count = 0; i < causes; i++) {
        if (i != out) {
            rest[count++] = cause[i];
        }
    }
}

/*
 * A fit that starts from nothing takes long and ends in a worse optimum.  Unless a set with one cause fewer was asked
 * for, asks for the set without the cause that explains least alone.
 */
static nonsens_status want_start(nonsens_context *ctx, structured_scores *s, int64_t version, int64_t effect,
                                 int64_t causes, const int64_t *cause)
{
    int64_t rest[MECHANISM_MAX_CAUSES], weakest = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < causes; i++) {
        leave_out(causes, cause, i, rest);
        if (scores_get_version(s, version, effect, causes - 1, rest)) {
            return NONSENS_OK;
        }
        const structured_score *alone = scores_get_version(s, version, effect, 1, &cause[i]);
        double total = alone && alone->settled ? alone->total : -INFINITY;
        weakest = total < least ? i : weakest;
        least = fmin(least, total);
    }
    leave_out(causes, cause, weakest, rest);
    return causes > 0 ? scores_want_version(ctx, s, version, effect, causes - 1, rest) : NONSENS_OK;
}

nonsens_status scores_new_part(nonsens_context *ctx, arena *a, const structured_scores *s, int64_t causes,
                               const part_rows *of, structured_part *part)
{
    *part = (structured_part){.of = of};
    ARENA_TRY(ctx, a, part->group, s->cells);
    ARENA_TRY(ctx, a, part->theta, (1 + FOLDS) * mechanism_size(&of->data, causes));
    return NONSENS_OK;
}

/* Allocates the parts of an entry; their number depends on the interventions and the causes only. */
static nonsens_status make_parts(nonsens_context *ctx, structured_scores *s, structured_score *entry)
{
    const part_rows **of;
    TRY(structured_parts_of(ctx, &s->memory, &s->parts, entry->version, entry->effect, entry->causes, entry->cause,
                            &entry->parts, &of));
    ARENA_TRY(ctx, &s->memory, entry->part, entry->parts + 1);
    for (int64_t k = 0; k < entry->parts; k++) {
        TRY(scores_new_part(ctx, &s->memory, s, entry->causes, of[k], &entry->part[k]));
    }
    entry->group = entry->part[0].group;
    if (entry->parts != 1) {
        ARENA_TRY(ctx, &s->memory, entry->group, s->cells);
    }
    return NONSENS_OK;
}

static nonsens_status queue_fit(nonsens_context *ctx, structured_scores *s, structured_score *entry)
{
    ARENA_GROW(ctx, &s->memory, s->wanted, s->wanted_count, s->wanted_capacity);
    s->wanted[s->wanted_count++] = entry;
    entry->wanted = true;
    return NONSENS_OK;
}

nonsens_status scores_want(nonsens_context *ctx, structured_scores *s, int64_t effect, int64_t causes,
                           const int64_t *cause)
{
    return scores_want_version(ctx, s, s->parts.version[effect], effect, causes, cause);
}

nonsens_status scores_want_version(nonsens_context *ctx, structured_scores *s, int64_t version, int64_t effect,
                                   int64_t causes, const int64_t *cause)
{
    structured_score *known = find_score(s, version, effect, causes, cause);
    if (known) {
        return known->settled || known->wanted ? NONSENS_OK : queue_fit(ctx, s, known);
    }
    TRY(want_start(ctx, s, version, effect, causes, cause));
    structured_score *entry, **bucket = &s->table[bucket_of(effect, causes, cause)];
    ARENA_TRY(ctx, &s->memory, entry, 1);
    entry->effect = effect;
    entry->version = version;
    entry->causes = causes;
    if (causes > 0) {
        memcpy(entry->cause, cause, (size_t)causes * sizeof *cause);
    }
    TRY(make_parts(ctx, s, entry));
    entry->next = *bucket;
    *bucket = entry;
    return queue_fit(ctx, s, entry);
}

const structured_score *scores_find_start(const structured_scores *s, const structured_score *entry)
{
    const structured_score *best = NULL;
    for (int64_t out = 0; out < entry->causes; out++) {
        int64_t cause[MECHANISM_MAX_CAUSES];
        leave_out(entry->causes, entry->cause, out, cause);
        const structured_score *at = scores_get_version(s, entry->version, entry->effect, entry->causes - 1, cause);
        if (at && at->settled && (!best || at->total > best->total)) {
            best = at;
        }
    }
    return best;
}

static void keep_fit(const structured_scores *s, int64_t causes, const mechanism_fit *fit,
                     const structured_part *smaller, structured_part *part)
{
    const mechanism_data *rows = &part->of->data;
    memcpy(part->theta, fit->theta, (size_t)((1 + FOLDS) * mechanism_size(rows, causes)) * sizeof *part->theta);
    memcpy(part->smooth, fit->smooth, sizeof part->smooth);
    memcpy(part->loss, fit->loss, sizeof part->loss);
    if (fit->is_guess) {
        part->total = smaller->total; // NOLINT(clang-analyzer-core.NullDereference): a guess is made from `smaller`
        memcpy(part->fold_total, smaller->fold_total, sizeof part->fold_total);
        memcpy(part->group, smaller->group, (size_t)s->cells * sizeof *part->group);
        return;
    }
    part->total = fit->total;
    memcpy(part->fold_total, fit->fold_total, sizeof part->fold_total);
    memset(part->group, 0, (size_t)s->cells * sizeof *part->group); // an interrupted wave may have filled it
    for (int64_t i = 0; i < s->data->n; i++) {                      // zero at rows of other parts
        part->group[s->cell_of[i]] += fit->held_out[i];
    }
}

/* Fits a part, from the fit `smaller` of the same rows on some of the causes if it is not NULL. */
static nonsens_status fit_part(nonsens_context *ctx, arena *scratch, const structured_scores *s, int64_t effect,
                               int64_t causes, const int64_t *cause, int64_t smaller_causes,
                               const int64_t *smaller_cause, const structured_part *smaller, structured_part *part)
{
    mechanism_fit fit;
    mechanism_guess guess = {0};
    const mechanism_data *rows;
    double fold_total[MECHANISM_MAX_FOLDS];
    TRY(gaps_rows(ctx, scratch, s, &part->of->data, effect, causes, cause, &rows));
    if (s->gaps && rows->n < MIN_PART_ROWS) {
        return NONSENS_OK; // too few to say anything
    }
    if (smaller) {
        guess = (mechanism_guess){smaller_causes,  smaller_cause, smaller->theta,
                                  smaller->smooth, smaller->loss, smaller->fold_total};
    }
    if (smaller && rows != &part->of->data) { // it may have been fitted to more rows
        TRY(gaps_fold_totals(ctx, scratch, rows, effect, smaller_causes, smaller_cause, smaller->theta, fold_total));
        guess.fold_total = fold_total;
    }
    TRY(mechanism_run(ctx, scratch, rows, effect, causes, cause, smaller ? &guess : NULL, &fit));
    keep_fit(s, causes, &fit, smaller, part);
    gaps_scale(s, effect, causes, cause, part);
    return NONSENS_OK;
}

/* Adds the causes one by one, because a fit with several causes that starts from nothing ends in a worse optimum. */
nonsens_status scores_fit_part(nonsens_context *ctx, arena *scratch, const structured_scores *s, int64_t effect,
                               int64_t causes, const int64_t *cause, structured_part *part)
{
    structured_part fits[1 + MECHANISM_MAX_CAUSES];
    for (int64_t k = 0; k <= causes; k++) {
        TRY(scores_new_part(ctx, scratch, s, k, part->of, &fits[k]));
        TRY(fit_part(ctx, scratch, s, effect, k, cause, k - 1, cause, k > 0 ? &fits[k - 1] : NULL,
                     k < causes ? &fits[k] : part));
    }
    return NONSENS_OK;
}

static const structured_part *find_part(const structured_score *entry, const part_rows *of)
{
    for (int64_t k = 0; entry && k < entry->parts; k++) {
        if (entry->part[k].of == of) {
            return &entry->part[k];
        }
    }
    return NULL;
}

nonsens_status scores_fit(nonsens_context *ctx, arena *scratch, const structured_scores *s,
                          const structured_score *start, structured_score *entry)
{
    for (int64_t k = 0; k < entry->parts; k++) {
        arena_mark mark = arena_tell(scratch);
        structured_part *part = &entry->part[k];
        const structured_part *from = find_part(start, part->of);
        TRY(from ? fit_part(ctx, scratch, s, entry->effect, entry->causes, entry->cause, start->causes, start->cause,
                            from, part)
                 : scores_fit_part(ctx, scratch, s, entry->effect, entry->causes, entry->cause, part));
        arena_rewind(scratch, mark);
    }
    scores_add_parts(s, entry);
    return NONSENS_OK;
}

static nonsens_status fit_wanted(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    structured_scores *s = state;
    structured_score *entry = s->wanted[s->wave + job];
    return scores_fit(ctx, scratch, s, scores_find_start(s, entry), entry);
}

/* Is a fit that this one may start from still waiting, among the wanted ones from `first` on? */
static bool has_to_wait(const structured_scores *s, int64_t first, int64_t count, const structured_score *entry)
{
    int64_t cause[MECHANISM_MAX_CAUSES];
    bool found = false;
    for (int64_t out = 0; out < entry->causes; out++) {
        leave_out(entry->causes, entry->cause, out, cause);
        const structured_score *at = scores_get_version(s, entry->version, entry->effect, entry->causes - 1, cause);
        for (int64_t i = first; at && !at->settled && !found && i < count; i++) {
            found = s->wanted[i] == at;
        }
    }
    return found;
}

/* Moves the wanted fits from `first` on that need not wait for others to the front; returns the end of these. */
static int64_t gather_wave(structured_scores *s, int64_t first, int64_t count)
{
    int64_t end = first;
    for (int64_t i = first; i < count; i++) {
        structured_score *entry = s->wanted[i];
        if (!has_to_wait(s, first, count, entry)) {
            s->wanted[i] = s->wanted[end];
            s->wanted[end++] = entry;
        }
    }
    return end;
}

/* Fits small sets before larger ones that start from them.  Fits that an interrupt leaves open may be wanted again. */
nonsens_status scores_settle(nonsens_context *ctx, structured_scores *s, const char *phase)
{
    int64_t count = s->wanted_count;
    s->wanted_count = s->wave = 0;
    s->fits += count;
    for (int64_t i = 0; i < count; i++) {
        s->wanted[i]->wanted = false;
    }
    while (s->wave < count) {
        int64_t end = gather_wave(s, s->wave, count);
        TRY(s->shared || s->journal ? share_wave(ctx, s, end - s->wave, phase)
                                    : parallel_for(ctx, s->threads, end - s->wave, phase, fit_wanted, s));
        for (; s->wave < end; s->wave++) {
            s->wanted[s->wave]->settled = true;
        }
    }
    return NONSENS_OK;
}

/* ---- changes of a disturbance ---- */

const bool *scores_shared(const structured_score *fit)
{
    return fit->parts > 0 ? fit->part[0].of->keep : NULL;
}

bool scores_is_target(const structured_scores *s, const structured_score *fit)
{
    const target_column *column = &s->parts.column[fit->version];
    bool hit = false;
    for (int64_t e = 0; e < s->data->segments; e++) {
        hit = hit || column->kind[e] != TARGET_NONE;
    }
    return hit;
}

/* Rows whose changes are tested. */
typedef struct tested {
    int64_t segments, *start; /* (segments + 1) */
    const double *v;          /* (n) */
    const int32_t *block;     /* (n) numbered from 0; NULL: every row stands for itself */
    int64_t blocks;
} tested;

/* Returns the lowest block number of a segment, whose rows are not in order of time. */
static int64_t lowest_block(const structured_scores *sc, int64_t e)
{
    int64_t lowest = INT64_MAX;
    for (int64_t i = sc->data->start[e]; sc->time.block_of && i < sc->data->start[e + 1]; i++) {
        lowest = sc->time.block_of[i] < lowest ? sc->time.block_of[i] : lowest;
    }
    return lowest;
}

/* Takes the rows of kept segments at which v is a number, in the same order. */
static nonsens_status keep_segments(nonsens_context *ctx, arena *a, const structured_scores *sc, const bool *keep,
                                    const double *v, tested *out)
{
    const nonsens_data *data = sc->data;
    double *kept;
    int32_t *block;
    int64_t n = 0;
    *out = (tested){data->segments, data->start, v, sc->time.block_of, sc->time.count};
    if (!keep && !sc->gaps) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, out->start, data->segments + 1);
    ARENA_TRY(ctx, a, kept, data->n);
    ARENA_TRY(ctx, a, block, data->n);
    out->segments = out->blocks = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t first = out->blocks, lowest = lowest_block(sc, e);
        bool is_kept = !keep || keep[e];
        for (int64_t i = data->start[e]; is_kept && i < data->start[e + 1]; i++) {
            if (isnan(v[i])) {
                continue;
            }
            int64_t own = sc->time.block_of ? first + sc->time.block_of[i] - lowest : 0;
            kept[n] = v[i];
            block[n++] = (int32_t)own;
            out->blocks = own + 1 > out->blocks ? own + 1 : out->blocks;
        }
        if (is_kept) {
            out->start[++out->segments] = n;
        }
    }
    out->v = kept;
    out->block = sc->time.block_of ? block : NULL;
    return NONSENS_OK;
}

/* Tests one value per block of rows: its mean, or its mean distance from the mean of the segment. */
static nonsens_status change_by_blocks(nonsens_context *ctx, arena *a, const tested *t, const double *v,
                                       change_test *out)
{
    double effect = out->effect; // that of rows, in their units
    int64_t *start;
    double *mean, *rows;
    ARENA_TRY(ctx, a, start, t->segments + 1);
    ARENA_TRY(ctx, a, mean, t->blocks);
    ARENA_TRY(ctx, a, rows, t->blocks);
    for (int64_t e = 0; e < t->segments; e++) {
        for (int64_t i = t->start[e]; i < t->start[e + 1]; i++) {
            int64_t block = t->block[i];
            mean[block] += v[i];
            rows[block] += 1.0;
            start[e + 1] = block + 1 > start[e + 1] ? block + 1 : start[e + 1];
        }
    }
    int64_t count = 0, block = 0;
    for (int64_t e = 0; e < t->segments; e++) { // a block whose values are all missing has no mean
        for (int64_t end = start[e + 1]; block < end; block++) {
            mean[count] = rows[block] > 0.0 ? mean[block] / rows[block] : 0.0;
            count += rows[block] > 0.0;
        }
        start[e + 1] = count;
    }
    TRY(change_of_location(ctx, a, mean, t->segments, start, out));
    out->effect = effect;
    return NONSENS_OK;
}

nonsens_status scores_test_changes(nonsens_context *ctx, arena *a, const structured_scores *sc, const bool *keep,
                                   const double *v, change_test *location, change_test *scale)
{
    tested t;
    double *distance;
    TRY(keep_segments(ctx, a, sc, keep, v, &t));
    TRY(change_of_location(ctx, a, t.v, t.segments, t.start, location));
    TRY(change_of_scale(ctx, a, t.v, t.segments, t.start, scale));
    if (!t.block) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, distance, sc->data->n);
    for (int64_t e = 0; e < t.segments; e++) {
        double mean = 0.0;
        for (int64_t i = t.start[e]; i < t.start[e + 1]; i++) {
            mean += t.v[i] / (double)(t.start[e + 1] - t.start[e]);
        }
        for (int64_t i = t.start[e]; i < t.start[e + 1]; i++) {
            distance[i] = fabs(t.v[i] - mean);
        }
    }
    TRY(change_by_blocks(ctx, a, &t, t.v, location));
    return change_by_blocks(ctx, a, &t, distance, scale);
}

hsic_options scores_test_options(const structured_scores *s, const nonsens_options *options)
{
    hsic_options hsic = hsic_options_from(options, 0.0, 0);
    hsic.null_kind = NULL_GAMMA;
    hsic.time_order = s->time_order;
    hsic.min_shift = s->time.length;
    hsic.memory = s->time_order ? time_blocks_memory(&s->time) : 0.0;
    return hsic;
}
