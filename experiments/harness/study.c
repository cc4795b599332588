/* study.c - chooses cells, runs the units that the journal lacks, and reads all units. */
#include "harness/study.h"

#include "base/hash.h"
#include "base/show.h"
#include "options/options.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- selected cells ---- */

enum { PATTERN_BYTES = 4096 }; /* a longer pattern matches no cell */

bool study_is_named(const char *patterns, const char *name)
{
    const char *rest = patterns, *begin, *end;
    char pattern[PATTERN_BYTES];
    while (option_next_name(&rest, &begin, &end)) {
        bool fits = end - begin < PATTERN_BYTES;
        snprintf(pattern, sizeof pattern, "%.*s", fits ? (int)(end - begin) : 0, begin);
        if (fits && fnmatch(pattern, name, 0) == 0) {
            return true;
        }
    }
    return false;
}

static nonsens_status refuse_patterns(nonsens_context *ctx, const study *s, const char *patterns, bool only_fine)
{
    char first[CELL_NAME_BYTES], last[CELL_NAME_BYTES], shown[SHOWN_BYTES];
    show_bare(shown, patterns);
    if (only_fine) {
        return fail(ctx, NONSENS_ERR_USAGE, "--cells %s: these cells of %s are of the finer grid; add --fine", shown,
                    s->name);
    }
    s->cell_name(0, first);
    s->cell_name(s->cells - 1, last);
    return fail(ctx, NONSENS_ERR_USAGE, "--cells %s: no cell of %s is called so; they go from %s to %s", shown, s->name,
                first, last);
}

static int64_t count_reps(const study *s, int64_t cell, int64_t reps)
{
    int64_t usual = s->cell_reps ? s->cell_reps(cell) : s->reps;
    return reps > 0 && usual > 1 ? reps : usual;
}

static void add_cell(study_run *r, int64_t cell, int64_t reps)
{
    r->cell[r->cells] = cell;
    r->reps_done[r->cells++] = reps;
    r->reps = reps > r->reps ? reps : r->reps;
}

nonsens_status study_choose(nonsens_context *ctx, arena *a, study_run *r, const char *patterns, bool fine, int64_t reps)
{
    const study *s = r->study;
    char name[CELL_NAME_BYTES];
    bool left_out = false;
    ARENA_TRY(ctx, a, r->cell, s->cells);
    ARENA_TRY(ctx, a, r->reps_done, s->cells);
    for (int64_t k = 0; k < s->cells; k++) {
        s->cell_name(k, name);
        if (!study_is_named(patterns, name)) {
            continue;
        }
        if (fine || !s->is_fine || !s->is_fine(k)) {
            add_cell(r, k, count_reps(s, k, reps));
        } else {
            left_out = true;
        }
    }
    return r->cells > 0 ? NONSENS_OK : refuse_patterns(ctx, s, patterns, left_out);
}

/* ---- one unit ---- */

typedef struct unit_name {
    char cell[CELL_NAME_BYTES], key[UNIT_KEY_BYTES];
    int64_t number, seed;
} unit_name;

static unit_name name_unit(const study_run *r, int64_t cell, int64_t seed)
{
    const study *s = r->study;
    unit_name u = {.number = cell, .seed = seed};
    s->cell_name(cell, u.cell);
    if (s->key) {
        s->key(r->data, cell, u.key);
        return u;
    }
    int revision = s->revision + (s->cell_revision ? s->cell_revision(cell) : 0);
    int used = snprintf(u.key, sizeof u.key, "%.40s/%d/%s", s->name, revision, u.cell);
    if (r->data_hash != 0) {
        snprintf(u.key + used, sizeof u.key - (size_t)used, "/%016" PRIx64, r->data_hash);
    }
    return u;
}

static unit_name unit_of(const study_run *r, int64_t unit)
{
    return name_unit(r, r->cell[unit / r->reps], r->first_seed + unit % r->reps);
}

/* The stream depends on the names of study and cell, so that new cells and studies do not change the others. */
static unit_seed seed_unit(const study *s, const unit_name *u)
{
    uint64_t job = HASH_START;
    hash_text(&job, s->name);
    hash_text(&job, u->cell);
    return (unit_seed){rng_new((uint64_t)u->seed, RNG_REPRODUCE, job), (uint64_t)u->seed};
}

/* Makes the journal line of a unit; the caller releases it. */
static nonsens_status make_line(nonsens_context *ctx, arena *scratch, const void *state, int64_t cell, int64_t seed,
                                json_value **out)
{
    const study_run *r = state;
    const study *s = r->study;
    unit_name u = name_unit(r, cell, seed);
    *out = s->key ? json_object() : json_object_of("figure", json_string(s->name), NULL);
    json_object_set(*out, "cell", json_string(u.cell));
    json_object_set(*out, "seed", json_integer(u.seed));
    json_object_set(*out, "options", json_string(u.key));
    nonsens_status status = *out ? s->run(ctx, scratch, r->data, cell, seed_unit(s, &u), *out) : NONSENS_OK;
    if (status == NONSENS_OK && !json_is_complete(*out)) {
        status = fail_memory(ctx);
    }
    if (status != NONSENS_OK) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

static bool read_unit(const study_run *r, int64_t unit, const json_value *line)
{
    return line && r->study->read(line, r->units + (size_t)unit * r->study->unit_bytes);
}

static void name_job(const void *sink, int64_t job, int64_t *cell, int64_t *seed)
{
    const study_run *r = sink;
    unit_name u = unit_of(r, r->missing[job]);
    *cell = u.number;
    *seed = u.seed;
}

static nonsens_status keep_job(nonsens_context *ctx, void *sink, int64_t job, json_value *line)
{
    study_run *r = sink;
    unit_name u = unit_of(r, r->missing[job]);
    const char *key = json_get_string(line, "options");
    if (!key || strcmp(key, u.key) != 0) {
        json_decref(line);
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the processes of this run are not all of one build of nonsens, or read other data");
    }
    bool good = read_unit(r, r->missing[job], line);
    if (r->journal) {
        TRY(journal_append(ctx, r->journal, line));
    } else {
        json_decref(line);
    }
    return good ? NONSENS_OK
                : fail(ctx, NONSENS_ERR_NUMERIC, "%s: a repetition lacks some of its results", r->study->name);
}

/* ---- all units ---- */

static pool_work work_of(study_run *r)
{
    return (pool_work){.phase = r->study->name,
                       .threads = r->threads,
                       .make = make_line,
                       .state = r,
                       .jobs = r->jobs,
                       .name = name_job,
                       .keep = keep_job,
                       .sink = r};
}

/* Lists missing units repetition by repetition: all cells grow at the same pace, which helps to estimate the time. */
static void list_missing(study_run *r)
{
    for (int64_t k = 0; k < r->reps * r->cells; k++) {
        int64_t unit = k % r->cells * r->reps + k / r->cells;
        unit_name u = unit_of(r, unit);
        const json_value *line = r->journal ? journal_find(r->journal, u.key, u.seed) : NULL;
        if (k / r->cells < r->reps_done[k % r->cells] && !read_unit(r, unit, line)) {
            r->missing[r->jobs++] = unit;
        }
    }
}

nonsens_status study_complete(nonsens_context *ctx, arena *a, study_run *r, const pool_members *others)
{
    ARENA_TRY(ctx, a, r->units, r->cells * r->reps * (int64_t)r->study->unit_bytes);
    ARENA_TRY(ctx, a, r->missing, r->cells * r->reps);
    list_missing(r);
    pool_work work = work_of(r);
    return pool_run(ctx, a, others, &work);
}

nonsens_status study_follow(nonsens_context *ctx, arena *a, study_run *r, const pool_members *members)
{
    pool_work work = work_of(r);
    return pool_follow(ctx, a, members, &work);
}

nonsens_status study_run_cell(nonsens_context *ctx, arena *a, study_run *r, int64_t cell, int64_t reps)
{
    ARENA_TRY(ctx, a, r->cell, 1);
    ARENA_TRY(ctx, a, r->reps_done, 1);
    add_cell(r, cell, count_reps(r->study, cell, reps));
    return study_complete(ctx, a, r, NULL);
}

study_units study_result(const study_run *r)
{
    return (study_units){r->cells, r->reps, r->cell, r->units, r->reps_done};
}

/* ---- lines ---- */

bool study_read_number(const json_value *value, double *out)
{
    *out = json_is(value, JSON_NUMBER) ? json_number_value(value) : NAN;
    return json_is(value, JSON_NUMBER) || json_is(value, JSON_NULL);
}

nonsens_status study_put(nonsens_context *ctx, json_value *line, const char *key, json_value *value)
{
    return json_object_set(line, key, value) ? NONSENS_OK : fail_memory(ctx);
}
