/* structured_share.c - fits as tasks and lines of JSON, for other processes and for a journal. */
#include "methods/structured_graph/structured_share.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "methods/structured_graph/structured_graph_method.h"
#include "pool/journal_index.h"
#include "pool/process_pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- fits as text ---- */

static int64_t theta_size(const structured_scores *s, const structured_part *part, int64_t causes)
{
    return (1 + s->rows.folds) * mechanism_size(&part->of->data, causes);
}

enum { HEAD_SIZE = 1 + MECHANISM_MAX_FOLDS + MECHANISM_WEIGHTS + MECHANISM_MAX_CAUSES };

static int64_t part_size(const structured_scores *s, const structured_part *part, int64_t causes)
{
    return HEAD_SIZE + s->cells + theta_size(s, part, causes);
}

/* Copies `count` doubles from the part to the list, or back, and moves on in the list. */
static void move(bool out, double **at, double *own, int64_t count)
{
    memcpy(out ? *at : own, out ? own : *at, (size_t)count * sizeof *own);
    *at += count;
}

static void move_part(bool out, const structured_scores *s, int64_t causes, structured_part *part, double *list)
{
    move(out, &list, &part->total, 1);
    move(out, &list, part->fold_total, MECHANISM_MAX_FOLDS);
    move(out, &list, part->smooth, MECHANISM_WEIGHTS);
    move(out, &list, part->loss, MECHANISM_MAX_CAUSES);
    move(out, &list, part->group, s->cells);
    move(out, &list, part->theta, theta_size(s, part, causes));
}

/* Packs the parts of a fit; NULL if out of memory. */
static json_value *pack(const structured_scores *s, const structured_score *fit)
{
    json_value *parts = json_array();
    for (int64_t k = 0; k < fit->parts; k++) {
        int64_t size = part_size(s, &fit->part[k], fit->causes);
        double *list = memory_get((size_t)size, sizeof *list);
        if (list) {
            move_part(true, s, fit->causes, &fit->part[k], list);
        }
        json_array_append(parts, list ? json_packed(list, size) : NULL);
        memory_release(list);
    }
    return parts;
}

/* Reads what pack has written; *read is false if it is something else. */
static nonsens_status unpack(nonsens_context *ctx, const structured_scores *s, const json_value *parts,
                             structured_score *fit, bool *read)
{
    SCOPED_ARENA(scratch);
    *read = (int64_t)json_array_size(parts) == fit->parts;
    for (int64_t k = 0; *read && k < fit->parts; k++) {
        double *list;
        int64_t size = part_size(s, &fit->part[k], fit->causes);
        ARENA_TRY(ctx, &scratch, list, size);
        *read = json_unpack(json_array_get(parts, (size_t)k), size, list);
        if (*read) {
            move_part(false, s, fit->causes, &fit->part[k], list);
        }
    }
    return NONSENS_OK;
}

static json_value *list_causes(const structured_score *fit)
{
    json_value *list = json_array();
    for (int64_t i = 0; i < fit->causes; i++) {
        json_array_append(list, json_integer(fit->cause[i]));
    }
    return list;
}

/* The kinds of intervention on the effect, a digit for each segment. */
static json_value *kinds_text(const structured_scores *s, int64_t version)
{
    int64_t segments = s->data->segments;
    char *text = memory_get((size_t)segments + 1, 1);
    for (int64_t e = 0; text && e < segments; e++) {
        text[e] = (char)('0' + s->parts.column[version].kind[e]);
    }
    json_value *made = text ? json_string(text) : NULL;
    memory_release(text);
    return made;
}

/* The kinds of later versions go with the task; all processes have the versions that exist from the start. */
static json_value *task_of(const structured_scores *s, const structured_score *entry, const structured_score *start)
{
    json_value *task = json_object_of("effect", json_integer(entry->effect), "cause", list_causes(entry), "version",
                                      json_integer(entry->version), NULL);
    if (entry->version >= s->data->d) {
        json_object_set(task, "kind", kinds_text(s, entry->version));
    }
    if (start) {
        json_object_set(task, "start", json_object_of("cause", list_causes(start), "parts", pack(s, start), NULL));
    }
    return task;
}

/* ---- lines ---- */

void scores_add_parts(const structured_scores *s, structured_score *entry)
{
    entry->total = 0.0; // an interrupted wave may have filled all three
    memset(entry->loss, 0, sizeof entry->loss);
    if (entry->parts != 1) {
        memset(entry->group, 0, (size_t)s->cells * sizeof *entry->group);
    }
    for (int64_t k = 0; k < entry->parts; k++) {
        const structured_part *part = &entry->part[k];
        entry->total += part->total;
        for (int64_t i = 0; i < entry->causes; i++) {
            entry->loss[i] += part->loss[i];
        }
        for (int64_t g = 0; entry->group != part->group && g < s->cells; g++) {
            entry->group[g] += part->group[g];
        }
    }
}

enum { NAME_BYTES = 128 };

static const char *name_of(const structured_score *entry, char name[NAME_BYTES])
{
    size_t used = (size_t)snprintf(name, NAME_BYTES, "fit %" PRId64, entry->version);
    for (int64_t i = 0; i < entry->causes; i++) {
        used += (size_t)snprintf(name + used, NAME_BYTES - used, "%c%" PRId64, i ? ',' : ' ', entry->cause[i]);
    }
    return name;
}

/* Hashes the start of a fit, because a fit from another start may differ. */
static const char *hash_start(const structured_scores *s, const structured_score *start, char text[HASH_BYTES])
{
    uint64_t hash = HASH_START;
    for (int64_t k = 0; start && k < start->parts; k++) {
        const structured_part *part = &start->part[k];
        hash_bytes(&hash, (const char *)part->theta, (size_t)theta_size(s, part, start->causes) * sizeof *part->theta);
        hash_bytes(&hash, (const char *)part->smooth, sizeof part->smooth);
    }
    return hash_print(text, hash);
}

static json_value *line_of(const structured_scores *s, const structured_score *entry, const structured_score *start)
{
    char name[NAME_BYTES], hash[HASH_BYTES];
    return json_object_of("options", json_string(name_of(entry, name)), "seed", json_integer(entry->effect), "start",
                          json_string(hash_start(s, start, hash)), "parts", pack(s, entry), NULL);
}

/* ---- a wave ---- */

static nonsens_status refuse_task(nonsens_context *ctx)
{
    return fail(ctx, NONSENS_ERR_OUTPUT, "a message from one process to another was damaged");
}

typedef struct wave {
    structured_scores *s;
    structured_score **missing; /* (jobs) */
    int64_t jobs;
    share_table table;
} wave;

/* In a single process: makes the fit in its entry. */
static nonsens_status make_here(nonsens_context *ctx, arena *scratch, const void *state, int64_t job, int64_t seed,
                                json_value **line)
{
    const wave *w = state;
    structured_score *entry = w->missing[job];
    const structured_score *start = scores_find_start(w->s, entry);
    (void)seed;
    TRY(scores_fit(ctx, scratch, w->s, start, entry));
    *line = line_of(w->s, entry, start);
    return NONSENS_OK;
}

static void name_fit(const void *sink, int64_t job, int64_t *cell, int64_t *seed)
{
    (void)sink;
    *cell = job;
    *seed = 0;
}

static json_value *describe_fit(const void *sink, int64_t job)
{
    const wave *w = sink;
    return task_of(w->s, w->missing[job], scores_find_start(w->s, w->missing[job]));
}

static nonsens_status take_fit(nonsens_context *ctx, wave *w, structured_score *entry, const json_value *line)
{
    bool read;
    TRY(unpack(ctx, w->s, json_object_get(line, "parts"), entry, &read));
    if (!read) {
        return refuse_task(ctx);
    }
    scores_add_parts(w->s, entry);
    return NONSENS_OK;
}

static nonsens_status keep_fit_line(nonsens_context *ctx, void *sink, int64_t job, json_value *line)
{
    wave *w = sink;
    nonsens_status status = json_is_complete(line) ? take_fit(ctx, w, w->missing[job], line) : fail_memory(ctx);
    if (status == NONSENS_OK && w->s->journal) {
        return journal_append(ctx, &w->s->journal->lines, line);
    }
    json_decref(line);
    return status;
}

/* Takes a fit from the journal if it holds one from the same start. */
static nonsens_status look_up(nonsens_context *ctx, const structured_scores *s, structured_score *entry, bool *found)
{
    char name[NAME_BYTES], hash[HASH_BYTES];
    json_value *line;
    *found = false;
    if (!s->journal) {
        return NONSENS_OK;
    }
    TRY(journal_index_find(ctx, s->journal, name_of(entry, name), entry->effect, &line));
    const char *start = json_get_string(line, "start");
    nonsens_status status = NONSENS_OK;
    if (start && strcmp(start, hash_start(s, scores_find_start(s, entry), hash)) == 0) {
        status = unpack(ctx, s, json_object_get(line, "parts"), entry, found);
    }
    json_decref(line);
    if (*found) {
        scores_add_parts(s, entry);
    }
    return status;
}

/* ---- tasks ---- */

/* Reads the causes of a fit into an entry with nothing else set. */
static nonsens_status read_causes(nonsens_context *ctx, const structured_scores *s, const json_value *task,
                                  structured_score *entry)
{
    const json_value *cause = json_object_get(task, "cause");
    entry->causes = (int64_t)json_array_size(cause);
    bool valid = entry->causes <= MECHANISM_MAX_CAUSES;
    for (int64_t i = 0; valid && i < entry->causes; i++) {
        entry->cause[i] = json_integer_value(json_array_get(cause, (size_t)i));
        valid = entry->cause[i] >= 0 && entry->cause[i] < s->data->d && entry->cause[i] != entry->effect;
    }
    return valid ? NONSENS_OK : refuse_task(ctx);
}

/* Adds versions up to this one, and sets its kinds. */
static nonsens_status set_version(nonsens_context *ctx, structured_scores *s, int64_t version, const char *kind)
{
    SCOPED_ARENA(scratch);
    uint8_t *kinds;
    int64_t segments = s->data->segments, last;
    if (version < 0 || (kind && (int64_t)strlen(kind) != segments)) {
        return refuse_task(ctx);
    }
    ARENA_TRY(ctx, &scratch, kinds, segments);
    for (int64_t e = 0; kind && e < segments; e++) {
        kinds[e] = (uint8_t)(kind[e] - '0');
    }
    while (s->parts.columns <= version) {
        TRY(structured_parts_add(ctx, &s->memory, &s->parts, kinds, &last));
    }
    uint8_t *own = s->parts.column[version].kind;
    if (kind && memcmp(own, kinds, (size_t)segments) != 0) { // it was added only to reach a later one
        memcpy(own, kinds, (size_t)segments);
    }
    return NONSENS_OK;
}

static nonsens_status list_parts(nonsens_context *ctx, structured_scores *s, const structured_score *entry,
                                 const char *kind, int64_t *count, const part_rows ***out)
{
    TRY(set_version(ctx, s, entry->version, kind));
    return structured_parts_of(ctx, &s->memory, &s->parts, entry->version, entry->effect, entry->causes, entry->cause,
                               count, out);
}

/* Makes the parts of the entry, memory from scratch. */
static nonsens_status new_entry(nonsens_context *ctx, arena *scratch, const share_table *t, const char *kind,
                                structured_score *entry)
{
    const part_rows **of;
    pthread_mutex_lock(t->preparing);
    nonsens_status status = list_parts(ctx, t->scores, entry, kind, &entry->parts, &of);
    pthread_mutex_unlock(t->preparing);
    TRY(status);
    ARENA_TRY(ctx, scratch, entry->part, entry->parts + 1);
    for (int64_t k = 0; k < entry->parts; k++) {
        TRY(scores_new_part(ctx, scratch, t->scores, entry->causes, of[k], &entry->part[k]));
    }
    entry->group = entry->part[0].group;
    if (entry->parts != 1) {
        ARENA_TRY(ctx, scratch, entry->group, t->scores->cells);
    }
    return NONSENS_OK;
}

/* Reads the fits of a task: the one to make and, if *has_start, the one that it starts from. */
static nonsens_status read_task(nonsens_context *ctx, arena *scratch, const share_table *t, const json_value *task,
                                structured_score *entry, structured_score *start, bool *has_start)
{
    const json_value *from = json_object_get(task, "start");
    const char *kind = json_get_string(task, "kind");
    *entry = (structured_score){.effect = json_get_integer(task, "effect", -1),
                                .version = json_get_integer(task, "version", -1)};
    *start = *entry;
    *has_start = from != NULL;
    if (entry->effect < 0 || entry->effect >= t->scores->data->d) {
        return refuse_task(ctx);
    }
    TRY(read_causes(ctx, t->scores, task, entry));
    TRY(new_entry(ctx, scratch, t, kind, entry));
    if (!from) {
        return NONSENS_OK;
    }
    bool read;
    TRY(read_causes(ctx, t->scores, from, start));
    TRY(new_entry(ctx, scratch, t, kind, start));
    TRY(unpack(ctx, t->scores, json_object_get(from, "parts"), start, &read));
    return read ? NONSENS_OK : refuse_task(ctx);
}

nonsens_status share_make(nonsens_context *ctx, arena *scratch, const share_table *t, const json_value *task,
                          json_value **line)
{
    structured_score entry, start;
    bool has_start;
    TRY(read_task(ctx, scratch, t, task, &entry, &start, &has_start));
    const structured_score *from = has_start ? &start : NULL;
    TRY(scores_fit(ctx, scratch, t->scores, from, &entry));
    *line = line_of(t->scores, &entry, from);
    return NONSENS_OK;
}

/* In the first process of a pool: makes a fit from its task. */
static nonsens_status make_by_task(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                                   json_value **line)
{
    const wave *w = state;
    return share_make(ctx, scratch, &w->table, task, line);
}

/* ---- fits that another process has made ---- */

json_value *share_give(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause)
{
    const structured_score *fit = scores_get(s, effect, causes, cause);
    return json_object_of("effect", json_integer(effect), "cause", list_causes(fit), "parts", pack(s, fit), NULL);
}

nonsens_status share_take(nonsens_context *ctx, structured_scores *s, const json_value *fit)
{
    structured_score name = {.effect = json_get_integer(fit, "effect", -1)};
    bool read;
    if (name.effect < 0 || name.effect >= s->data->d) {
        return refuse_task(ctx);
    }
    TRY(read_causes(ctx, s, fit, &name));
    TRY(scores_want(ctx, s, name.effect, name.causes, name.cause));
    structured_score *entry = (structured_score *)(uintptr_t)scores_get(s, name.effect, name.causes, name.cause);
    TRY(unpack(ctx, s, json_object_get(fit, "parts"), entry, &read));
    entry->settled = read;
    return read ? NONSENS_OK : refuse_task(ctx);
}

/* ---- the run ---- */

nonsens_status share_wave(nonsens_context *ctx, structured_scores *s, int64_t count, const char *phase)
{
    SCOPED_ARENA(scratch);
    pthread_mutex_t preparing = PTHREAD_MUTEX_INITIALIZER;
    wave w = {.s = s, .table = {s, &preparing}};
    ARENA_TRY(ctx, &scratch, w.missing, count);
    for (int64_t k = 0; k < count; k++) {
        bool found;
        TRY(look_up(ctx, s, s->wanted[s->wave + k], &found));
        if (!found) {
            w.missing[w.jobs++] = s->wanted[s->wave + k];
        }
    }
    pool_work work = {.phase = phase,
                      .threads = s->threads,
                      .make = make_here,
                      .make_task = make_by_task,
                      .state = &w,
                      .jobs = w.jobs,
                      .name = name_fit,
                      .describe = s->shared ? describe_fit : NULL,
                      .keep = keep_fit_line,
                      .sink = &w};
    return s->shared ? process_pool_run(ctx, &scratch, &work) : pool_run_alone(ctx, &work);
}

/* ---- another process ---- */

typedef struct share_server {
    structured_scores scores;
    targets hit;
    pthread_mutex_t preparing;
    share_table table;
} share_server;

nonsens_status share_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                         const targets *hit, void **out)
{
    share_server *server;
    ARENA_TRY(ctx, a, server, 1);
    *out = server;
    server->preparing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    server->table = (share_table){&server->scores, &server->preparing};
    TRY(targets_match(ctx, a, hit, data->segments, (const char *const *)data->labels, data->d, data->column_rank,
                      &server->hit));
    return structured_scores_new(ctx, a, data, options, &server->hit, &server->scores);
}

void share_free(void *state)
{
    share_server *server = state;
    if (server) {
        structured_scores_free(&server->scores);
    }
}

nonsens_status share_make_unit(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                               json_value **line)
{
    const share_server *server = state;
    return share_make(ctx, scratch, &server->table, task, line);
}
