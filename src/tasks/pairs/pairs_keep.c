/*
 * pairs_keep.c - finished pairs: lines of the journal, and what is remembered of them.
 *
 * Behind the head of the journal (pool/journal_head.h) each line is {"pair": [x, y], "line": {...}} with the variables'
 * numbers; numbers are kept with 17 digits, which read back as the same doubles, so that a run that was stopped ends in
 * the same file as one that was not.
 */
#include "base/hash.h"
#include "pool/journal_head.h"
#include "tasks/pairs/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const journal_kind kind = {"nonsens pairs", "pairs", "write --json to another file"};

/* ---- what a journal belongs to ---- */

/* Values, and what lines depend on beside them: names, labels, and the order of rows, which blocks and one warning use.
 */
static uint64_t hash_of(const nonsens_data *data)
{
    uint64_t hash = data->hash;
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

/* Which pairs there are changes no line, nor does what is made of all of them. */
static bool is_setting(const nonsens_option_info *info)
{
    return strcmp(info->key, "pairs") != 0 && strcmp(info->key, "fdr") != 0;
}

/* ---- lines ---- */

static bool copy_text(pairs_sink *k, const json_value *line, const char *key, const char **out)
{
    const char *text = json_get_string(line, key);
    *out = text ? arena_text(k->ctx, &k->pairs->memory, text) : NULL;
    return !text || *out;
}

static bool is_arrow(const char *decision, const char *cause, const char *effect)
{
    size_t length = strlen(cause);
    return strncmp(decision, cause, length) == 0 && strncmp(decision + length, "->", 2) == 0 &&
           strcmp(decision + length + 2, effect) == 0;
}

static int arrow_of(const json_value *line)
{
    const char *decision = json_get_string(line, "decision");
    const char *x = json_get_string(line, "x"), *y = json_get_string(line, "y");
    if (!decision || !x || !y) {
        return 0;
    }
    return is_arrow(decision, x, y) ? 1 : is_arrow(decision, y, x) ? -1 : 0;
}

/* Remembers what a line says; false if memory is exhausted. */
static bool take_line(pairs_sink *k, int64_t index, const json_value *line)
{
    nonsens_pair *pair = &k->pairs->pair[index];
    pair->score = json_get_number(line, "score");
    pair->p_value = json_get_number(line, "p_value");
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
static int64_t find_pair(const pairs_sink *k, int64_t x, int64_t y)
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

/* Is it what is written for a pair: a decision or the reason of a failure, and, where there is one, a p-value? */
static bool is_pair_line(const json_value *line)
{
    bool decided = json_has(line, "decision", JSON_STRING);
    double p = json_get_number(line, "p_value");
    bool first_and_last = json_object_get(line, "x") && json_object_get(line, "data_hash"); // its keys are all there
    return first_and_last && decided != json_has(line, "error", JSON_STRING) && !(p < 0.0 || p > 1.0);
}

static void visit_line(void *user, const json_value *line, journal_place place)
{
    pairs_sink *k = user;
    const json_value *pair = json_object_get(line, "pair"), *inner = json_object_get(line, "line");
    const json_value *first = json_array_get(pair, 0), *second = json_array_get(pair, 1);
    int64_t x = json_integer_value(first), y = json_integer_value(second);
    bool known = json_is(first, JSON_INTEGER) && json_is(second, JSON_INTEGER) && x >= 0 && x < k->pairs->variables &&
                 y >= 0 && y < k->pairs->variables;
    if (!known) {
        return;
    }
    int64_t index = find_pair(k, x, y);
    if (index < 0 || !is_pair_line(inner) || k->pairs->line[index].there) {
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

static nonsens_status sort_pairs(nonsens_context *ctx, arena *scratch, pairs_sink *k)
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

static nonsens_status open_journal(nonsens_context *ctx, json_value *head, pairs_sink *k)
{
    TRY(journal_open_visited(ctx, k->pairs->journal, visit_line, k, &k->journal));
    TRY(k->status);
    return journal_begin(ctx, &k->journal, &kind, head);
}

static nonsens_status begin_journal(nonsens_context *ctx, const nonsens_data *data, pairs_sink *k)
{
    json_value *head;
    const nonsens_options *options = &k->pairs->options;
    TRY(journal_check_file(ctx, k->pairs->journal, &kind, options->resume));
    nonsens_status status = journal_head_new(ctx, &kind, options, is_setting, &head);
    status = status == NONSENS_OK ? journal_head_add_input(ctx, head, "data", hash_of(data)) : status;
    status = status == NONSENS_OK ? open_journal(ctx, head, k) : status;
    json_decref(head);
    return status;
}

nonsens_status pairs_sink_new(nonsens_context *ctx, arena *scratch, const nonsens_data *data, nonsens_pairs *pairs,
                              pairs_sink *out)
{
    *out = (pairs_sink){.pairs = pairs, .ctx = ctx};
    ARENA_TRY(ctx, &pairs->memory, pairs->line, pairs->count);
    if (!pairs->journal) {
        return NONSENS_OK;
    }
    TRY(sort_pairs(ctx, scratch, out));
    nonsens_status status = begin_journal(ctx, data, out);
    if (status != NONSENS_OK) {
        pairs_sink_free(out);
    }
    return status;
}

void pairs_sink_free(pairs_sink *sink)
{
    sink->pairs->file = journal_close_lines(&sink->journal);
}

/* ---- keeping and loading ---- */

static nonsens_status keep_in_memory(nonsens_context *ctx, pairs_sink *k, int64_t index, json_value *line)
{
    pairs_line *place = &k->pairs->line[index];
    char *text = json_text(line, JSON_COMPACT, JSON_EXACT_DIGITS);
    place->text = text ? arena_text(ctx, &k->pairs->memory, text) : NULL;
    place->there = place->text && take_line(k, index, line);
    memory_release(text);
    json_decref(line);
    return place->there ? NONSENS_OK : fail_memory(ctx);
}

static nonsens_status keep_in_journal(nonsens_context *ctx, pairs_sink *k, int64_t index, json_value *line)
{
    const nonsens_pair *pair = &k->pairs->pair[index];
    json_value *numbers = json_array_of(2, json_integer(pair->x), json_integer(pair->y));
    json_value *unit = json_object_of("pair", numbers, "line", line, NULL);
    TRY(journal_append(ctx, &k->journal, unit));
    return k->status == NONSENS_OK ? NONSENS_OK : fail_memory(ctx);
}

nonsens_status pairs_keep(nonsens_context *ctx, pairs_sink *sink, int64_t index, json_value *line)
{
    sink->ctx = ctx;
    return (sink->pairs->journal ? keep_in_journal : keep_in_memory)(ctx, sink, index, line);
}

nonsens_status pairs_load(nonsens_context *ctx, const nonsens_pairs *pairs, int64_t index, json_value **line)
{
    const pairs_line *place = &pairs->line[index];
    json_value *unit;
    if (!pairs->journal) {
        return json_parse(ctx, place->text, strlen(place->text), false, NULL, line);
    }
    TRY(journal_load(ctx, &pairs->file, place->place, &unit));
    *line = json_incref(json_object_get(unit, "line"));
    json_decref(unit);
    return *line ? NONSENS_OK
                 : fail(ctx, NONSENS_ERR_DATA, "the journal changed while it was read; remove it and start again");
}
