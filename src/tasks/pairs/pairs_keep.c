/*
 * pairs_keep.c - keeps finished pairs as lines of the journal, and remembers their results.
 *
 * After the head of the journal (pool/journal_head.h) each line is {"pair": [x, y], "line": {...}} with the variables'
 * numbers.  Values have 17 digits, which read back as the same doubles, so a run that was stopped and resumed writes
 * the same file as one that was not.
 */
#include "base/hash.h"
#include "pool/journal_head.h"
#include "tasks/pairs/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const journal_kind kind = {"nonsens pairs", "pairs", "write --json to another file"};

/* ---- the head of the journal ---- */

/* Hashes all that lines depend on: values, names, labels, and the order of rows, which blocks and one warning use. */
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

/* The choice of pairs changes no line, nor does what is computed from all of them. */
static bool is_setting(const nonsens_option_info *info)
{
    return strcmp(info->key, "pairs") != 0 && strcmp(info->key, "fdr") != 0;
}

/* ---- lines ---- */

static bool copy_text(pairs_sink *sink, const json_value *line, const char *key, const char **out)
{
    const char *text = json_get_string(line, key);
    *out = text ? arena_text(sink->ctx, &sink->pairs->memory, text) : NULL;
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

/* Remembers the values of a line; false if memory is exhausted. */
static bool take_line(pairs_sink *sink, int64_t index, const json_value *line)
{
    nonsens_pair *pair = &sink->pairs->pair[index];
    pair->score = json_get_number(line, "score");
    pair->p_value = json_get_number(line, "p_value");
    pair->q_value = NAN;
    sink->pairs->line[index].arrow = arrow_of(line);
    return copy_text(sink, line, "decision", &pair->decision) && copy_text(sink, line, "direction", &pair->direction) &&
           copy_text(sink, line, "error", &pair->error);
}

static int64_t key_of(const nonsens_pairs *pairs, int64_t index)
{
    return pairs->pair[index].x * pairs->variables + pairs->pair[index].y;
}

/* The pair of these variables, or -1. */
static int64_t find_pair(const pairs_sink *sink, int64_t x, int64_t y)
{
    int64_t low = 0, high = sink->pairs->count, wanted = x * sink->pairs->variables + y;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (key_of(sink->pairs, sink->sorted[middle]) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sink->pairs->count && key_of(sink->pairs, sink->sorted[low]) == wanted ? sink->sorted[low] : -1;
}

/* Is this a line of a pair?  It has a decision or the reason of a failure, and a valid p-value if it has one. */
static bool is_pair_line(const json_value *line)
{
    bool decided = json_has(line, "decision", JSON_STRING);
    double p = json_get_number(line, "p_value");
    bool first_and_last = json_object_get(line, "x") && json_object_get(line, "data_hash"); // then it has all its keys
    return first_and_last && decided != json_has(line, "error", JSON_STRING) && !(p < 0.0 || p > 1.0);
}

static void visit_line(void *user, const json_value *line, journal_place place)
{
    pairs_sink *sink = user;
    const json_value *pair = json_object_get(line, "pair"), *inner = json_object_get(line, "line");
    const json_value *first = json_array_get(pair, 0), *second = json_array_get(pair, 1);
    int64_t x = json_integer_value(first), y = json_integer_value(second);
    bool known = json_is(first, JSON_INTEGER) && json_is(second, JSON_INTEGER) && x >= 0 &&
                 x < sink->pairs->variables && y >= 0 && y < sink->pairs->variables;
    if (!known) {
        return;
    }
    int64_t index = find_pair(sink, x, y);
    if (index < 0 || !is_pair_line(inner) || sink->pairs->line[index].done) {
        return;
    }
    if (take_line(sink, index, inner)) {
        sink->pairs->line[index].done = true;
        sink->pairs->line[index].place = place;
    } else {
        sink->status = NONSENS_ERR_MEMORY;
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

static nonsens_status sort_pairs(nonsens_context *ctx, arena *scratch, pairs_sink *sink)
{
    keyed *entry; // (count)
    ARENA_TRY(ctx, scratch, entry, sink->pairs->count);
    ARENA_TRY(ctx, scratch, sink->sorted, sink->pairs->count);
    for (int64_t i = 0; i < sink->pairs->count; i++) {
        entry[i] = (keyed){key_of(sink->pairs, i), i};
    }
    qsort(entry, (size_t)sink->pairs->count, sizeof *entry, by_key);
    for (int64_t i = 0; i < sink->pairs->count; i++) {
        sink->sorted[i] = entry[i].index;
    }
    return NONSENS_OK;
}

static nonsens_status open_journal(nonsens_context *ctx, json_value *head, pairs_sink *sink)
{
    TRY(journal_open_visited(ctx, sink->pairs->journal, visit_line, sink, &sink->journal));
    TRY(sink->status);
    return journal_begin(ctx, &sink->journal, &kind, head);
}

static nonsens_status begin_journal(nonsens_context *ctx, const nonsens_data *data, pairs_sink *sink)
{
    json_value *head;
    const nonsens_options *options = &sink->pairs->options;
    TRY(journal_check_file(ctx, sink->pairs->journal, &kind, options->resume));
    nonsens_status status = journal_head_new(ctx, &kind, options, is_setting, &head);
    status = status == NONSENS_OK ? journal_head_add_input(ctx, head, "data", hash_of(data)) : status;
    status = status == NONSENS_OK ? open_journal(ctx, head, sink) : status;
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

static nonsens_status keep_in_memory(nonsens_context *ctx, pairs_sink *sink, int64_t index, json_value *line)
{
    pairs_line *place = &sink->pairs->line[index];
    char *text = json_text(line, JSON_COMPACT, JSON_EXACT_DIGITS);
    place->text = text ? arena_text(ctx, &sink->pairs->memory, text) : NULL;
    place->done = place->text && take_line(sink, index, line);
    memory_release(text);
    json_decref(line);
    return place->done ? NONSENS_OK : fail_memory(ctx);
}

static nonsens_status keep_in_journal(nonsens_context *ctx, pairs_sink *sink, int64_t index, json_value *line)
{
    const nonsens_pair *pair = &sink->pairs->pair[index];
    json_value *numbers = json_array_of(2, json_integer(pair->x), json_integer(pair->y));
    json_value *unit = json_object_of("pair", numbers, "line", line, NULL);
    TRY(journal_append(ctx, &sink->journal, unit));
    return sink->status == NONSENS_OK ? NONSENS_OK : fail_memory(ctx);
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
