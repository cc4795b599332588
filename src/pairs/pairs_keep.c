/*
 * pairs_keep.c - finished pairs: lines of the journal, what is remembered of them, and whether a journal fits.
 *
 * A journal begins with a line that says what its lines depend on: version, data, options.  Each further one is
 * {"pair": [x, y], "line": {...}} with the variables' numbers; numbers are kept with 17 digits, which read back as the
 * same doubles, so that a run that was stopped ends in the same file as one that was not.
 */
#include "base/hash.h"
#include "base/show.h"
#include "pairs/pairs.h"
#include "report/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "nonsens-pairs"

enum { FORMAT = 1 };

/* ---- what a journal belongs to ---- */

/* What lines hang on beside the values: names and labels, and the order of rows, which blocks and one warning use. */
static uint64_t input_hash(const nonsens_data *data)
{
    uint64_t hash = HASH_START;
    for (int64_t j = 0; j < data->d; j++) {
        hash_text(&hash, data->names[j]);
        hash_number(&hash, data->column_rank[j]);
    }
    for (int64_t e = 0; e < data->segments; e++) {
        hash_text(&hash, data->labels[e]);
    }
    for (int64_t i = 0; i < data->n; i++) {
        hash_number(&hash, data->input_row[i]);
    }
    return hash;
}

/* Options that change no line: which pairs, and what is made of all of them. */
static const char *const free_options[] = {"pairs", "fdr"};

static nonsens_status make_header(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                  const nonsens_options *options, json_t **out)
{
    char hash[HASH_BYTES], input[HASH_BYTES];
    hash_print(hash, data->hash);
    hash_print(input, input_hash(data));
    json_t *chosen = report_options(ctx, scratch, options);
    for (size_t k = 0; k < sizeof free_options / sizeof *free_options; k++) {
        json_object_del(chosen, free_options[k]);
    }
    *out = json_pack("{s:i, s:s, s:s, s:s, s:o}", HEAD, FORMAT, "version", nonsens_version(), "data_hash", hash,
                     "input_hash", input, "options", chosen);
    return *out ? NONSENS_OK : fail_memory(ctx);
}

/* The first option in which the two differ, or NULL. */
static const char *other_option(const json_t *here, const json_t *there)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)here, key, value)
    {
        if (!json_equal(value, json_object_get(there, key))) {
            return key;
        }
    }
    return NULL;
}

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(json_object_get(a, key), json_object_get(b, key));
}

static nonsens_status check_header(nonsens_context *ctx, const pairs_keeper *k)
{
    char path[SHOWN_PATH_BYTES];
    const json_t *here = k->header, *there = k->found;
    show_path(path, k->pairs->journal);
    if (!is_same(here, there, HEAD) || !is_same(here, there, "version")) {
        return fail(ctx, NONSENS_ERR_USAGE, "%.500s was begun by another version of nonsens; remove it and start again",
                    path);
    }
    if (!is_same(here, there, "data_hash") || !is_same(here, there, "input_hash")) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "%.500s was begun with other data; give the data it was begun with, or remove it and start again",
                    path);
    }
    const char *option = other_option(json_object_get(here, "options"), json_object_get(there, "options"));
    if (option) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "%.500s was begun with another value of --%s; give the same options, or remove it and start again",
                    path, option);
    }
    return NONSENS_OK;
}

/* ---- lines ---- */

static bool copy_text(pairs_keeper *k, const json_t *line, const char *key, const char **out)
{
    const char *text = json_string_value(json_object_get(line, key));
    *out = text ? arena_text(k->ctx, &k->pairs->memory, text) : NULL;
    return !text || *out;
}

static double number_of(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_arrow(const char *decision, const char *cause, const char *effect)
{
    size_t length = strlen(cause);
    return strncmp(decision, cause, length) == 0 && strncmp(decision + length, "->", 2) == 0 &&
           strcmp(decision + length + 2, effect) == 0;
}

static int arrow_of(const json_t *line)
{
    const char *decision = json_string_value(json_object_get(line, "decision"));
    const char *x = json_string_value(json_object_get(line, "x")), *y = json_string_value(json_object_get(line, "y"));
    if (!decision || !x || !y) {
        return 0;
    }
    return is_arrow(decision, x, y) ? 1 : is_arrow(decision, y, x) ? -1 : 0;
}

/* Remembers what a line says; false where memory is exhausted. */
static bool take_line(pairs_keeper *k, int64_t index, const json_t *line)
{
    nonsens_pair *pair = &k->pairs->pair[index];
    pair->score = number_of(line, "score");
    pair->p_value = number_of(line, "p_value");
    pair->q_value = NAN;
    k->pairs->line[index].arrow = arrow_of(line);
    return copy_text(k, line, "decision", &pair->decision) && copy_text(k, line, "direction", &pair->direction) &&
           copy_text(k, line, "error", &pair->error);
}

static int64_t key_of(const nonsens_pairs *pairs, int64_t index)
{
    return pairs->pair[index].x * pairs->variables + pairs->pair[index].y;
}

/* The pair of these variables, or -1. */
static int64_t find_pair(const pairs_keeper *k, int64_t x, int64_t y)
{
    int64_t low = 0, high = k->pairs->count, wanted = x * k->pairs->variables + y;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (key_of(k->pairs, k->sorted[middle]) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < k->pairs->count && key_of(k->pairs, k->sorted[low]) == wanted ? k->sorted[low] : -1;
}

static void visit_line(void *user, const json_t *line, journal_place place)
{
    pairs_keeper *k = user;
    json_int_t x, y;
    json_t *inner;
    if (json_object_get(line, HEAD)) {
        k->found = k->found ? k->found : json_incref((json_t *)line);
        return;
    }
    if (!k->found || json_unpack((json_t *)line, "{s:[I, I], s:o}", "pair", &x, &y, "line", &inner) != 0 || x < 0 ||
        x >= k->pairs->variables || y < 0 || y >= k->pairs->variables) {
        return;
    }
    int64_t index = find_pair(k, x, y);
    bool whole = json_object_get(inner, "x") && json_object_get(inner, "data_hash"); // its first and its last key
    if (index < 0 || !whole || k->pairs->line[index].there) {
        return;
    }
    if (take_line(k, index, inner)) {
        k->pairs->line[index].there = true;
        k->pairs->line[index].place = place;
    } else {
        k->status = NONSENS_ERR_MEMORY;
    }
}

/* ---- opening and closing ---- */

typedef struct keyed {
    int64_t key, index;
} keyed;

static int by_key(const void *a, const void *b)
{
    int64_t x = ((const keyed *)a)->key, y = ((const keyed *)b)->key;
    return x < y ? -1 : x > y;
}

static nonsens_status sort_pairs(nonsens_context *ctx, arena *scratch, pairs_keeper *k)
{
    keyed *entry; // (count)
    ARENA_TRY(ctx, scratch, entry, k->pairs->count);
    ARENA_TRY(ctx, scratch, k->sorted, k->pairs->count);
    for (int64_t i = 0; i < k->pairs->count; i++) {
        entry[i] = (keyed){key_of(k->pairs, i), i};
    }
    qsort(entry, (size_t)k->pairs->count, sizeof *entry, by_key);
    for (int64_t i = 0; i < k->pairs->count; i++) {
        k->sorted[i] = entry[i].index;
    }
    return NONSENS_OK;
}

static nonsens_status refuse_leftover(nonsens_context *ctx, const nonsens_pairs *pairs)
{
    char path[SHOWN_PATH_BYTES];
    if (pairs->options.resume || access(pairs->journal, F_OK) != 0) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "%.500s is there already, from a run that did not end; go on with --resume, or remove it and start "
                "again",
                show_path(path, pairs->journal));
}

static nonsens_status open_journal(nonsens_context *ctx, arena *scratch, const nonsens_data *data, pairs_keeper *k)
{
    char path[SHOWN_PATH_BYTES];
    TRY(refuse_leftover(ctx, k->pairs));
    TRY(nonsens_output_check(ctx, k->pairs->journal));
    TRY(make_header(ctx, scratch, data, &k->pairs->options, &k->header));
    TRY(journal_open_visited(ctx, k->pairs->journal, visit_line, k, &k->journal));
    TRY(k->status);
    if (k->found) {
        return check_header(ctx, k);
    }
    if (!journal_begins(k->pairs->journal, "{\"" HEAD "\":")) {
        return fail(ctx, NONSENS_ERR_USAGE, "%.500s is no journal of pairs; remove it, or write --json to another file",
                    show_path(path, k->pairs->journal));
    }
    return journal_append(ctx, &k->journal, json_incref(k->header));
}

nonsens_status pairs_keeper_open(nonsens_context *ctx, arena *scratch, const nonsens_data *data, nonsens_pairs *pairs,
                                 pairs_keeper *out)
{
    *out = (pairs_keeper){.pairs = pairs, .ctx = ctx};
    ARENA_TRY(ctx, &pairs->memory, pairs->line, pairs->count);
    if (!pairs->journal) {
        return NONSENS_OK;
    }
    TRY(sort_pairs(ctx, scratch, out));
    nonsens_status status = open_journal(ctx, scratch, data, out);
    if (status != NONSENS_OK) {
        pairs_keeper_close(out);
    }
    return status;
}

void pairs_keeper_close(pairs_keeper *keeper)
{
    journal_close(&keeper->journal);
    json_decref(keeper->header);
    json_decref(keeper->found);
    keeper->header = keeper->found = NULL;
}

/* ---- keeping and loading ---- */

static nonsens_status keep_in_memory(nonsens_context *ctx, pairs_keeper *k, int64_t index, json_t *line)
{
    pair_line *place = &k->pairs->line[index];
    size_t bytes = json_dumpb(line, NULL, 0, JSON_COMPACT);
    place->text = bytes > 0 ? arena_get(ctx, &k->pairs->memory, (int64_t)bytes + 1, 1) : NULL;
    if (place->text) {
        json_dumpb(line, place->text, bytes, JSON_COMPACT);
        place->there = take_line(k, index, line);
    }
    json_decref(line);
    return place->there ? NONSENS_OK : fail_memory(ctx);
}

static nonsens_status keep_in_journal(nonsens_context *ctx, pairs_keeper *k, int64_t index, json_t *line)
{
    const nonsens_pair *pair = &k->pairs->pair[index];
    json_t *unit = json_pack("{s:[I, I], s:o}", "pair", (json_int_t)pair->x, (json_int_t)pair->y, "line", line);
    TRY(journal_append(ctx, &k->journal, unit));
    return k->status == NONSENS_OK ? NONSENS_OK : fail_memory(ctx);
}

nonsens_status pairs_keep(nonsens_context *ctx, pairs_keeper *keeper, int64_t index, json_t *line)
{
    if (!line) {
        return fail_memory(ctx);
    }
    keeper->ctx = ctx;
    return (keeper->pairs->journal ? keep_in_journal : keep_in_memory)(ctx, keeper, index, line);
}

nonsens_status pairs_load(nonsens_context *ctx, const nonsens_pairs *pairs, int64_t index, json_t **line)
{
    const pair_line *place = &pairs->line[index];
    json_t *unit;
    if (!pairs->journal) {
        *line = json_loads(place->text, 0, NULL);
        return *line ? NONSENS_OK : fail_memory(ctx);
    }
    TRY(journal_load(ctx, pairs->journal, place->place, &unit));
    *line = json_incref(json_object_get(unit, "line"));
    json_decref(unit);
    return *line ? NONSENS_OK
                 : fail(ctx, NONSENS_ERR_DATA, "the journal changed while it was read; remove it and start again");
}
