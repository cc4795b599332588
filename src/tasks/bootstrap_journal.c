/*
 * bootstrap_journal.c - keeps finished bootstrap samples in a file.
 *
 * The head (pool/journal_head.h) says which data, knowledge and options they belong to.  Each further line is one
 * sample:
 *
 *     {"options": "resample", "seed": 17, "edges": [[0, 2, 0], ...]}      or "failed": "message" instead of edges
 *
 * Edges are [from, to, type]; variables are given by canonical rank, so neither column order nor names matter.  The
 * number of bootstrap samples is not in the head, so a journal of 100 can be continued to 1,000.
 */
#include "base/hash.h"
#include "pool/journal_head.h"
#include "pool/journal_index.h"
#include "pool/process_pool.h"
#include "pool/shard.h"
#include "tasks/bootstrap.h"

#include <string.h>

#define UNIT "resample"

static const journal_kind kind = {"nonsens bootstrap", "bootstrap samples or fits", "name another --journal"};

/* ---- options ---- */

nonsens_status bootstrap_check(nonsens_context *ctx, const nonsens_options *options, bool keeps)
{
    bool samples = options->bootstrap > 0;
    if (!samples && (options->shard[0] || (options->journal[0] && !keeps))) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s bootstrap samples, and none are asked for; add --bootstrap B",
                    options->shard[0] ? "shard runs a part of the" : "journal keeps");
    }
    if ((options->resume || options->shard[0]) && !options->journal[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s; name it with --journal FILE",
                    options->resume ? "resume continues a journal" : "shard writes a journal");
    }
    shard part;
    TRY(shard_read(ctx, options->shard, &part));
    if (options->time_limit > 0.0 && options->bootstrap > 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--time-limit ends the search for one graph, and --bootstrap makes many; keep finished ones by "
                    "--journal FILE, and go on later with --resume");
    }
    if (!options->journal[0]) {
        return NONSENS_OK;
    }
    if (strcmp(options->journal, "-") == 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--journal -: a journal cannot be standard output; give a path");
    }
    return process_pool_follows(ctx) ? NONSENS_OK : journal_check_file(ctx, options->journal, &kind, options->resume);
}

/* ---- the head ---- */

/* Samples depend neither on how many there are, nor on the time limit, nor on how data are read (data are hashed). */
static bool is_setting(const nonsens_option_info *info)
{
    return strcmp(info->key, "bootstrap") != 0 && strcmp(info->key, "time-limit") != 0 &&
           strcmp(info->group, "Data") != 0;
}

/* Hashes prior knowledge and targets, with variables in canonical order; 0 if there is neither. */
static uint64_t knowledge_hash(const nonsens_data *data, const knowledge *known, const targets *hit)
{
    uint64_t hash = known || hit ? HASH_START : 0;
    for (int64_t a = 0; known && a < data->d; a++) {
        for (int64_t b = 0; b < data->d; b++) {
            hash_number(&hash, known->flags[data->column_rank[a] * data->d + data->column_rank[b]]);
        }
    }
    for (int64_t e = 0; hit && e < data->segments; e++) {
        hash_number(&hash, hit->unknown[e]);
        for (int64_t a = 0; a < data->d; a++) {
            hash_number(&hash, hit->kind[e * data->d + data->column_rank[a]]);
        }
    }
    return hash;
}

/* Makes the head; the caller releases *head also on failure. */
static nonsens_status make_head(nonsens_context *ctx, const bootstrap_input *in, json_value **head)
{
    TRY(journal_head_new(ctx, &kind, in->options, is_setting, head));
    TRY(journal_head_add_input(ctx, *head, "data", in->data->hash));
    return journal_head_add_input(ctx, *head, "knowledge", knowledge_hash(in->data, in->known, in->hit));
}

nonsens_status bootstrap_set_key(nonsens_context *ctx, const bootstrap_input *in)
{
    json_value *head = NULL;
    nonsens_status status = make_head(ctx, in, &head);
    status = status == NONSENS_OK ? process_pool_set_key(ctx, head) : status;
    json_decref(head);
    return status;
}

nonsens_status bootstrap_check_journal(nonsens_context *ctx, const bootstrap_input *in)
{
    json_value *head = NULL;
    journal j = {0};
    if (!in->options->journal[0]) {
        return NONSENS_OK;
    }
    nonsens_status status = make_head(ctx, in, &head);
    status = status == NONSENS_OK ? journal_look(ctx, in->options->journal, &j) : status;
    status = status == NONSENS_OK ? journal_check_head(ctx, &j, &kind, head) : status;
    journal_close(&j);
    json_decref(head);
    return status;
}

nonsens_status bootstrap_journal_open(nonsens_context *ctx, const bootstrap_input *in, journal *out)
{
    json_value *head;
    *out = (journal){0};
    nonsens_status status = make_head(ctx, in, &head);
    status = status == NONSENS_OK ? journal_open(ctx, in->options->journal, out) : status;
    status = status == NONSENS_OK ? journal_begin(ctx, out, &kind, head) : status;
    json_decref(head);
    if (status != NONSENS_OK) {
        journal_close(out);
    }
    return status;
}

nonsens_status bootstrap_index_open(nonsens_context *ctx, const bootstrap_input *in, journal_index *out)
{
    json_value *head;
    nonsens_status status = make_head(ctx, in, &head);
    status = status == NONSENS_OK ? journal_index_open(ctx, in->options->journal, out) : status;
    status = status == NONSENS_OK ? journal_begin(ctx, &out->lines, &kind, head) : status;
    json_decref(head);
    return status;
}

/* ---- bootstrap samples ---- */

json_value *bootstrap_line(int64_t number, const bootstrap_outcome *outcome)
{
    json_value *value = outcome->failure ? journal_text(outcome->failure) : json_array();
    for (int64_t i = 0; !outcome->failure && i < outcome->edges; i++) {
        const bootstrap_edge *e = &outcome->edge[i];
        json_array_append(value, json_array_of(3, json_integer(e->from), json_integer(e->to), json_integer(e->type)));
    }
    return json_object_of("options", json_string(UNIT), "seed", json_integer(number),
                          outcome->failure ? "failed" : "edges", value, NULL);
}

/* Reads an edge; false if it is not one that bootstrap_line writes. */
static bool read_edge(const json_value *item, int64_t d, bootstrap_edge *edge)
{
    int64_t number[3];
    if (json_array_size(item) != 3) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        const json_value *each = json_array_get(item, k);
        if (!json_is(each, JSON_INTEGER)) {
            return false;
        }
        number[k] = json_integer_value(each);
    }
    int64_t from = number[0], to = number[1], type = number[2];
    *edge = (bootstrap_edge){from, to, (int)type};
    return from >= 0 && to >= 0 && from < d && to < d && from != to && type >= NONSENS_EDGE_DIRECTED &&
           type <= NONSENS_EDGE_BIDIRECTED;
}

/* Returns whether an earlier edge is between the same two variables as the k-th. */
static bool is_repeated(const bootstrap_edge *edge, int64_t k)
{
    for (int64_t i = 0; i < k; i++) {
        if ((edge[i].from == edge[k].from && edge[i].to == edge[k].to) ||
            (edge[i].from == edge[k].to && edge[i].to == edge[k].from)) {
            return true;
        }
    }
    return false;
}

nonsens_status bootstrap_read_line(nonsens_context *ctx, arena *a, const json_value *line, int64_t d, bool *read,
                                   bootstrap_outcome *out)
{
    const json_value *array = json_object_get(line, "edges");
    *out = (bootstrap_outcome){.failure = json_get_string(line, "failed")};
    *read = out->failure || json_is(array, JSON_ARRAY);
    if (out->failure || !*read) {
        return NONSENS_OK;
    }
    out->edges = (int64_t)json_array_size(array);
    ARENA_TRY(ctx, a, out->edge, out->edges);
    for (int64_t i = 0; *read && i < out->edges; i++) {
        *read = read_edge(json_array_get(array, (size_t)i), d, &out->edge[i]) && !is_repeated(out->edge, i);
    }
    return NONSENS_OK;
}

json_value *bootstrap_journal_find(const journal *j, int64_t number)
{
    return journal_find(j, UNIT, number);
}
