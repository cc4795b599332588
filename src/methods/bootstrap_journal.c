/*
 * bootstrap_journal.c - finished resamples in a file, and whether they belong to this run.
 *
 * The first line (its head) says which data, which options and which version the resamples are of; each further line is
 * one resample:
 *
 *     {"options": "nonsens bootstrap", "seed": 0, "data_hash": "...", "settings": {"method": "lingam", ...}}
 *     {"options": "resample", "seed": 17, "edges": [[0, 2, 0], ...]}      or      "failed": "words" instead of edges
 *
 * Edges are [from, to, type], variables by their canonical rank: neither the order of columns nor names matter.  How
 * many resamples are asked for is no setting, so that a journal of 100 can be carried on to 1,000.
 */
#include "base/hash.h"
#include "base/journal.h"
#include "base/show.h"
#include "methods/bootstrap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "nonsens bootstrap"
#define UNIT "resample"

/* ---- options ---- */

nonsens_status bootstrap_check(nonsens_context *ctx, const nonsens_options *options)
{
    char shown[SHOWN_PATH_BYTES];
    if (options->journal[0] && options->bootstrap == 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--journal keeps resamples, and none are asked for; add --bootstrap B");
    }
    if (options->resume && !options->journal[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--resume goes on with a journal; name it by --journal FILE");
    }
    if (!options->journal[0]) {
        return NONSENS_OK;
    }
    show_path(shown, options->journal);
    if (strcmp(options->journal, "-") == 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--journal -: a journal is a file that is read again; give a path");
    }
    if (!options->resume && access(options->journal, F_OK) == 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--journal %s: the file is there already; go on with it by --resume, or name another one", shown);
    }
    return nonsens_output_check(ctx, options->journal);
}

/* ---- what resamples depend on ---- */

/* How many there are changes no resample, nor does what is read beyond the data, whose hash is looked at. */
static bool is_setting(const nonsens_option_info *info)
{
    return (info->commands & NONSENS_CMD_DISCOVER) && option_changes_results(info) &&
           strcmp(info->key, "bootstrap") != 0 && strcmp(info->group, "Data") != 0;
}

/* Text that is not UTF-8, which JSON cannot hold, by its hash. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    char hash[HASH_BYTES];
    if (!value) {
        uint64_t h = HASH_START;
        hash_text(&h, text);
        value = json_string(hash_print(hash, h));
    }
    return value;
}

static void print_knowledge(char text[HASH_BYTES], const nonsens_data *data, const knowledge *known)
{
    uint64_t hash = HASH_START;
    for (int64_t a = 0; a < data->d; a++) {
        for (int64_t b = 0; b < data->d; b++) {
            hash_number(&hash, known->flags[data->column_rank[a] * data->d + data->column_rank[b]]);
        }
    }
    hash_print(text, hash);
}

static json_t *settings_object(const nonsens_data *data, const nonsens_options *options, const knowledge *known,
                               char *value)
{
    char hash[HASH_BYTES] = "";
    json_t *object = json_object();
    bool ok = object && json_object_set_new(object, "version", json_string(nonsens_version())) == 0;
    for (size_t i = 0; ok && i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (is_setting(info)) {
            option_print(options, info, value, OPTION_TEXT_BYTES);
            ok = json_object_set_new(object, info->key, text_value(value)) == 0;
        }
    }
    if (known) {
        print_knowledge(hash, data, known);
    }
    ok = ok && json_object_set_new(object, "knowledge", json_string(hash)) == 0;
    if (!ok) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

static nonsens_status make_head(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                const nonsens_options *options, const knowledge *known, json_t **head)
{
    char hash[HASH_BYTES], *value;
    ARENA_TRY(ctx, scratch, value, OPTION_TEXT_BYTES);
    hash_print(hash, data->hash);
    *head = json_pack("{s:s, s:i, s:s, s:o}", "options", HEAD, "seed", 0, "data_hash", hash, "settings",
                      settings_object(data, options, known, value));
    return *head ? NONSENS_OK : fail_memory(ctx);
}

/* ---- does the journal belong to this run? ---- */

static nonsens_status refuse_setting(nonsens_context *ctx, const char *path, const char *key, const json_t *there,
                                     const json_t *here)
{
    char old[SHOWN_BYTES], new[SHOWN_BYTES];
    if (strcmp(key, "knowledge") == 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the journal %s was made with other knowledge; take the same --knowledge or another --journal",
                    path);
    }
    const char *dashes = strcmp(key, "version") == 0 ? "" : "--";
    return fail(ctx, NONSENS_ERR_USAGE,
                "the journal %s was made with %s%s %s, and this run has %s; take the same or another --journal", path,
                dashes, key, show_bare(old, there ? json_string_value(there) : "missing"),
                show_bare(new, json_string_value(here)));
}

static nonsens_status compare_heads(nonsens_context *ctx, const char *path, json_t *there, json_t *here)
{
    const char *key;
    json_t *value, *settings = json_object_get(there, "settings");
    if (!json_equal(json_object_get(there, "data_hash"), json_object_get(here, "data_hash"))) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the journal %s was made from other data; give the same data or another --journal", path);
    }
    json_object_foreach(json_object_get(here, "settings"), key, value)
    {
        json_t *old = json_object_get(settings, key);
        if (!json_is_string(old) || !json_equal(old, value)) {
            return refuse_setting(ctx, path, key, json_is_string(old) ? old : NULL, value);
        }
    }
    return NONSENS_OK;
}

static nonsens_status check_head(nonsens_context *ctx, const nonsens_options *options, const journal *j, json_t *head)
{
    char path[SHOWN_PATH_BYTES];
    json_t *there = journal_find(j, HEAD, 0);
    show_path(path, options->journal);
    if (there) {
        return compare_heads(ctx, path, there, head);
    }
    return journal_begins(options->journal, "{\"options\":\"" HEAD "\"")
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_USAGE, "%s is no journal of discover --bootstrap; name another --journal", path);
}

/* Opens the journal and looks whether it is the one of this head. */
static nonsens_status open_checked(nonsens_context *ctx, const nonsens_options *options, json_t *head, journal *out)
{
    TRY(journal_open(ctx, options->journal, out));
    nonsens_status status = check_head(ctx, options, out, head);
    if (status != NONSENS_OK) {
        journal_close(out);
    }
    return status;
}

nonsens_status bootstrap_check_journal(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                       const knowledge *known)
{
    arena scratch = {0};
    json_t *head = NULL;
    journal j;
    if (!options->journal[0]) {
        return NONSENS_OK;
    }
    nonsens_status status = make_head(ctx, &scratch, data, options, known, &head);
    status = status == NONSENS_OK ? open_checked(ctx, options, head, &j) : status;
    if (status == NONSENS_OK) {
        journal_close(&j);
    }
    json_decref(head);
    arena_free(&scratch);
    return status;
}

nonsens_status bootstrap_journal_open(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                      const nonsens_options *options, const knowledge *known, journal *out)
{
    json_t *head;
    TRY(make_head(ctx, scratch, data, options, known, &head));
    nonsens_status status = open_checked(ctx, options, head, out);
    if (status != NONSENS_OK || journal_find(out, HEAD, 0)) {
        json_decref(head);
        return status;
    }
    status = journal_append(ctx, out, head);
    if (status != NONSENS_OK) {
        journal_close(out);
    }
    return status;
}

/* ---- resamples ---- */

nonsens_status bootstrap_journal_keep(nonsens_context *ctx, journal *j, int64_t resample, int64_t edges,
                                      const bootstrap_edge *edge, const char *failure)
{
    json_t *line = json_pack("{s:s, s:I}", "options", UNIT, "seed", (json_int_t)resample);
    json_t *array = failure ? NULL : json_array();
    bool ok = line && (failure || array);
    for (int64_t i = 0; ok && array && i < edges; i++) {
        ok = json_array_append_new(
                 array, json_pack("[I, I, i]", (json_int_t)edge[i].from, (json_int_t)edge[i].to, edge[i].type)) == 0;
    }
    json_t *value = failure ? text_value(failure) : array;
    ok = json_object_set_new(line, failure ? "failed" : "edges", value) == 0 && ok; // takes the value in any case
    if (!ok) {
        json_decref(line);
        line = NULL;
    }
    return journal_append(ctx, j, line);
}

/* False where the line is not what bootstrap_journal_keep writes. */
static bool read_edge(const json_t *item, int64_t d, bootstrap_edge *edge)
{
    json_int_t from, to;
    int type;
    if (json_unpack((json_t *)item, "[I, I, i]", &from, &to, &type) != 0) {
        return false;
    }
    *edge = (bootstrap_edge){from, to, type};
    return from >= 0 && to >= 0 && from < d && to < d && from != to && type >= NONSENS_EDGE_DIRECTED &&
           type <= NONSENS_EDGE_BIDIRECTED;
}

nonsens_status bootstrap_journal_find(nonsens_context *ctx, arena *a, const journal *j, int64_t resample, int64_t d,
                                      bool *there, int64_t *edges, bootstrap_edge **edge, const char **failure)
{
    json_t *line = journal_find(j, UNIT, resample), *array = json_object_get(line, "edges");
    *failure = json_string_value(json_object_get(line, "failed"));
    *there = *failure || json_is_array(array);
    *edges = *there && !*failure ? (int64_t)json_array_size(array) : 0;
    *edge = NULL;
    if (*edges > 0) {
        ARENA_TRY(ctx, a, *edge, *edges);
    }
    for (int64_t i = 0; *there && i < *edges; i++) {
        *there = read_edge(json_array_get(array, (size_t)i), d, &(*edge)[i]);
    }
    return NONSENS_OK;
}
