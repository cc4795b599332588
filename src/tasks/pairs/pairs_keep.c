/*
 * pairs_keep.c - keeps finished pairs as lines (pool/unit_lines.h), and remembers their results.  A pair's name in the
 * journal is [x, y], the variables' numbers.
 */
#include "base/hash.h"
#include "data/canonical.h"
#include "pool/journal_head.h"
#include "pool/process_pool.h"
#include "tasks/pairs/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the head of the journal ---- */

/* A pair's line depends neither on which pairs are run nor on what is computed from all of them. */
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

static int64_t key_of(const nonsens_pairs *pairs, int64_t index)
{
    return pairs->pair[index].x * pairs->variables + pairs->pair[index].y;
}

/* Returns the pair of these variables, or -1. */
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

/* Returns whether this is a pair's line: it has a decision or the reason of a failure, and no invalid p-value. */
static bool is_pair_line(const json_value *line)
{
    bool decided = json_has(line, "decision", JSON_STRING);
    double p = json_get_number(line, "p_value");
    bool first_and_last = json_object_get(line, "x") && json_object_get(line, "data_hash"); // all keys are between them
    return first_and_last && decided != json_has(line, "error", JSON_STRING) && !(p < 0.0 || p > 1.0);
}

static int64_t find_line(const void *run, const json_value *name, const json_value *line)
{
    const pairs_sink *sink = run;
    const json_value *first = json_array_get(name, 0), *second = json_array_get(name, 1);
    int64_t x = json_integer_value(first), y = json_integer_value(second);
    bool known = json_is(first, JSON_INTEGER) && json_is(second, JSON_INTEGER) && x >= 0 &&
                 x < sink->pairs->variables && y >= 0 && y < sink->pairs->variables;
    return known && is_pair_line(line) ? find_pair(sink, x, y) : -1;
}

static json_value *name_of(const void *run, int64_t index)
{
    const nonsens_pair *pair = &((const pairs_sink *)run)->pairs->pair[index];
    return json_array_of(2, json_integer(pair->x), json_integer(pair->y));
}

/* Remembers the values of a line; returns false if memory runs out. */
static bool take_line(void *run, int64_t index, const json_value *line)
{
    pairs_sink *sink = run;
    nonsens_pair *pair = &sink->pairs->pair[index];
    pair->score = json_get_number(line, "score");
    pair->p_value = json_get_number(line, "p_value");
    pair->q_value = NAN;
    sink->pairs->arrow[index] = arrow_of(line);
    return copy_text(sink, line, "decision", &pair->decision) && copy_text(sink, line, "direction", &pair->direction) &&
           copy_text(sink, line, "error", &pair->error);
}

static const unit_kind kind = {.journal = {"nonsens pairs", "pairs", "name another --journal or --json"},
                               .key = "pair",
                               .name = name_of,
                               .find = find_line,
                               .take = take_line};

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

/* Makes the head; the caller releases *head also on failure. */
static nonsens_status make_head(nonsens_context *ctx, const nonsens_data *data, const nonsens_pairs *pairs,
                                json_value **head)
{
    TRY(journal_head_new(ctx, &kind.journal, &pairs->options, is_setting, head));
    return journal_head_add_input(ctx, *head, "data", canonical_hash_all(data));
}

/* The members must also have the same list of pairs, although lines do not depend on it. */
nonsens_status pairs_set_key(nonsens_context *ctx, const nonsens_data *data, const nonsens_pairs *pairs)
{
    json_value *head;
    uint64_t list = HASH_START;
    for (int64_t k = 0; k < pairs->count; k++) {
        hash_number(&list, key_of(pairs, k));
    }
    nonsens_status status = make_head(ctx, data, pairs, &head);
    status = status == NONSENS_OK ? journal_head_add_input(ctx, head, "pairs", list) : status;
    status = status == NONSENS_OK ? process_pool_set_key(ctx, head) : status;
    json_decref(head);
    return status;
}

nonsens_status pairs_sink_new(nonsens_context *ctx, arena *scratch, const nonsens_data *data, nonsens_pairs *pairs,
                              pairs_sink *out)
{
    json_value *head = NULL;
    *out = (pairs_sink){.pairs = pairs, .ctx = ctx};
    pairs->lines.count = pairs->count;
    ARENA_TRY(ctx, &pairs->memory, pairs->arrow, pairs->count);
    TRY(sort_pairs(ctx, scratch, out));
    nonsens_status status = pairs->lines.journal ? make_head(ctx, data, pairs, &head) : NONSENS_OK;
    if (status == NONSENS_OK) {
        status =
            unit_sink_new(ctx, &pairs->memory, &kind, out, head, pairs->options.resume, &pairs->lines, &out->lines);
    }
    json_decref(head);
    return status;
}

void pairs_sink_free(pairs_sink *sink)
{
    unit_sink_free(&sink->lines);
}

nonsens_status pairs_keep(nonsens_context *ctx, pairs_sink *sink, int64_t index, json_value *line)
{
    sink->ctx = ctx;
    return unit_sink_keep(ctx, &sink->lines, index, line);
}
