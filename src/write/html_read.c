/*
 * html_read.c - a page from a result that was written as JSON, with or without the data it was found in.
 *
 * The options in the file say which command it was and how the data were read; a hash of the values says whether the
 * data given now are the same.
 */
#include "base/hash.h"
#include "base/input.h"
#include "base/number.h"
#include "base/require.h"
#include "base/show.h"
#include "base/text_set.h"
#include "data/variables.h"
#include "read/table.h"
#include "write/html.h"
#include "json/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES_MAX = 1 << 29 };

static nonsens_status fail_result(nonsens_context *ctx, const char *path, const char *what)
{
    char shown[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_DATA,
                "result file %s: %s; give what --json of nonsens direction, discover or explain wrote",
                show_bare(shown, input_name(path)), what);
}

/* ---- is it a result? ---- */

static bool all_texts(const json_t *array)
{
    const json_t *item;
    size_t k;
    bool ok = json_is_array(array);
    json_array_foreach(array, k, item)
    {
        ok = ok && json_is_string(item);
    }
    return ok;
}

static bool number_or_null(const json_t *value)
{
    return !value || json_is_null(value) || json_is_number(value);
}

static bool text_or_null(const json_t *value)
{
    return !value || json_is_null(value) || json_is_string(value);
}

static bool is_evidence(const json_t *array)
{
    const json_t *item;
    size_t k;
    bool ok = json_is_array(array);
    json_array_foreach(array, k, item)
    {
        ok = ok && json_is_string(json_object_get(item, "name")) && json_is_string(json_object_get(item, "text")) &&
             number_or_null(json_object_get(item, "value")) && number_or_null(json_object_get(item, "p_value"));
    }
    return ok;
}

static nonsens_status put_name(nonsens_context *ctx, text_set *names, const json_t *text, int32_t *index)
{
    return text_set_put(ctx, names, json_string_value(text), (int64_t)json_string_length(text), index);
}

/* *ok stays as it was where both ends of the edge are among the nodes and its other parts are as documented. */
static nonsens_status check_edge(nonsens_context *ctx, text_set *names, int64_t nodes, const json_t *edge, bool *ok)
{
    const json_t *from = json_object_get(edge, "from"), *to = json_object_get(edge, "to");
    int32_t first, second;
    if (!json_is_string(from) || !json_is_string(to) || !json_is_string(json_object_get(edge, "type")) ||
        !number_or_null(json_object_get(edge, "weight")) || !number_or_null(json_object_get(edge, "p_value")) ||
        !number_or_null(json_object_get(edge, "support"))) {
        *ok = false;
        return NONSENS_OK;
    }
    TRY(put_name(ctx, names, from, &first));
    TRY(put_name(ctx, names, to, &second));
    *ok = *ok && first < nodes && second < nodes;
    return NONSENS_OK;
}

/* In time that grows with the file: names are found by their hash. */
static nonsens_status check_edges(nonsens_context *ctx, arena *scratch, const json_t *nodes, const json_t *edges,
                                  bool *ok)
{
    text_set names = {.keep = scratch, .scratch = scratch};
    const json_t *item;
    size_t k;
    int32_t index;
    json_array_foreach(nodes, k, item)
    {
        TRY(put_name(ctx, &names, item, &index));
    }
    int64_t count = names.count;
    *ok = true;
    for (k = 0; *ok && k < json_array_size(edges); k++) {
        TRY(check_edge(ctx, &names, count, json_array_get(edges, k), ok));
    }
    return NONSENS_OK;
}

/* *ok: is it one?  Fails for want of memory. */
static nonsens_status is_graph(nonsens_context *ctx, const json_t *nodes, const json_t *edges, bool *ok)
{
    arena scratch = {0};
    *ok = false;
    if (!all_texts(nodes) || !json_is_array(edges)) {
        return NONSENS_OK;
    }
    nonsens_status status = check_edges(ctx, &scratch, nodes, edges, ok);
    arena_free(&scratch);
    return status;
}

/* {variable: {segment: number or null}} */
static bool is_modulation(json_t *modulation)
{
    const char *name, *label;
    json_t *of, *value;
    bool ok = !modulation || json_is_object(modulation);
    json_object_foreach(modulation, name, of)
    {
        ok = ok && json_is_object(of);
        json_object_foreach(of, label, value)
        {
            ok = ok && number_or_null(value);
        }
    }
    return ok;
}

static bool is_change(const json_t *object)
{
    static const char *const number[] = {"own_change", "p_value",         "q_value",       "scale",
                                         "shift",      "marginal_change", "standard_error"};
    static const char *const interval[] = {"interval", "scale_interval"};
    bool ok = json_is_string(json_object_get(object, "variable")) && json_is_integer(json_object_get(object, "rank")) &&
              json_is_string(json_object_get(object, "verdict")) && json_is_string(json_object_get(object, "how")) &&
              all_texts(json_object_get(object, "follows"));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        ok = ok && number_or_null(json_object_get(object, number[i]));
    }
    for (size_t i = 0; i < sizeof interval / sizeof *interval; i++) {
        const json_t *pair = json_object_get(object, interval[i]);
        ok = ok && (json_is_null(pair) || (json_array_size(pair) == 2 && number_or_null(json_array_get(pair, 0)) &&
                                           number_or_null(json_array_get(pair, 1))));
    }
    return ok;
}

static bool is_explained(const json_t *object)
{
    const json_t *item, *variables = json_object_get(object, "variables");
    size_t k;
    bool ok = json_is_string(json_object_get(object, "of")) && json_object_get(object, "against") &&
              text_or_null(json_object_get(object, "against")) && json_is_integer(json_object_get(object, "of_rows")) &&
              json_is_integer(json_object_get(object, "against_rows")) &&
              all_texts(json_object_get(object, "root_causes")) && json_is_array(variables);
    json_array_foreach(variables, k, item)
    {
        ok = ok && is_change(item);
    }
    return ok;
}

/* Files of earlier versions have none. */
static bool is_levels(const json_t *levels, const json_t *notes)
{
    return !levels || (all_texts(levels) && json_array_size(levels) == json_array_size(notes));
}

/* How often each pair had which edge. */
static bool is_bootstrap(const json_t *bootstrap)
{
    const json_t *item, *pairs = json_object_get(bootstrap, "pairs");
    size_t k;
    bool ok = !bootstrap || (json_is_integer(json_object_get(bootstrap, "replicates")) &&
                             json_is_integer(json_object_get(bootstrap, "failed")) && json_is_array(pairs));
    json_array_foreach(pairs, k, item)
    {
        ok = ok && json_is_string(json_object_get(item, "a")) && json_is_string(json_object_get(item, "b"));
    }
    return ok;
}

static bool is_program(const json_t *program)
{
    return json_is_object(json_object_get(program, "options")) && json_is_string(json_object_get(program, "version")) &&
           json_is_string(json_object_get(program, "data_hash"));
}

static bool is_data(const json_t *data)
{
    return all_texts(json_object_get(data, "variables")) && all_texts(json_object_get(data, "warnings")) &&
           json_is_integer(json_object_get(data, "rows")) && json_is_integer(json_object_get(data, "segments"));
}

static nonsens_status check_result(nonsens_context *ctx, const char *path, const json_t *root)
{
    const json_t *notes = json_object_get(root, "notes");
    if (!json_is_object(root) || !is_program(json_object_get(root, "nonsens"))) {
        return fail_result(ctx, path, "no result: \"nonsens\" with version, options and data_hash is missing");
    }
    if (!is_data(json_object_get(root, "data"))) {
        return fail_result(ctx, path, "\"data\" lacks rows, segments, variables or warnings");
    }
    if (!json_is_string(json_object_get(root, "method")) || !is_evidence(json_object_get(root, "evidence"))) {
        return fail_result(ctx, path, "\"method\" or \"evidence\" is missing or is not as documented (docs/json.md)");
    }
    if (json_object_get(root, "explain") && !is_explained(json_object_get(root, "explain"))) {
        return fail_result(ctx, path, "\"explain\" is not as documented (docs/json.md)");
    }
    bool ok = true;
    if (json_object_get(root, "edges") || json_object_get(root, "nodes")) {
        TRY(is_graph(ctx, json_object_get(root, "nodes"), json_object_get(root, "edges"), &ok));
    }
    if (!ok) {
        return fail_result(ctx, path, "\"nodes\" and \"edges\" are no graph");
    }
    ok = (!notes || all_texts(notes)) && is_levels(json_object_get(root, "note_levels"), notes) &&
         is_bootstrap(json_object_get(root, "bootstrap")) && is_modulation(json_object_get(root, "modulation")) &&
         text_or_null(json_object_get(root, "decision")) && text_or_null(json_object_get(root, "direction")) &&
         text_or_null(json_object_get(root, "reason")) && text_or_null(json_object_get(root, "assumptions")) &&
         number_or_null(json_object_get(root, "score")) && number_or_null(json_object_get(root, "p_value"));
    return ok ? NONSENS_OK : fail_result(ctx, path, "a part of it is not as documented (docs/json.md)");
}

static nonsens_status parse_json(nonsens_context *ctx, const char *path, const char *bytes, size_t size, json_t **root)
{
    json_error_t error;
    char what[256];
    bool no_memory;
    *root = json_parse(bytes, size, 0, &error, &no_memory);
    if (no_memory) {
        return fail_memory(ctx);
    }
    if (!*root) {
        snprintf(what, sizeof what, "line %d, column %d is not JSON (%s)", error.line, error.column, error.text);
        return fail_result(ctx, path, what);
    }
    return check_result(ctx, path, *root);
}

/* ---- its options ---- */

static unsigned command_of(const json_t *root)
{
    const char *method = json_string_value(json_object_get(root, "method"));
    if (json_object_get(root, "explain")) {
        return NONSENS_COMMAND_EXPLAIN;
    }
    if (json_object_get(root, "edges")) {
        return NONSENS_COMMAND_DISCOVER;
    }
    if (json_object_get(root, "unmixing")) {
        return NONSENS_COMMAND_ICA;
    }
    if (strcmp(method, "independence") == 0) {
        return NONSENS_COMMAND_INDEPENDENCE;
    }
    return strcmp(method, "diagnose") == 0 ? NONSENS_COMMAND_DIAGNOSE : NONSENS_COMMAND_DIRECTION;
}

/* As nonsens_options_set takes it; NULL for what is no value of an option. */
static const char *value_text(const json_t *value, char number[NUMBER_BYTES])
{
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (json_is_boolean(value)) {
        return json_is_true(value) ? "true" : "false";
    }
    if (json_is_integer(value)) {
        snprintf(number, NUMBER_BYTES, "%" PRId64, (int64_t)json_integer_value(value));
        return number;
    }
    return json_is_real(value) ? number_print(number, json_real_value(value), 0) : NULL;
}

static nonsens_status set_option(nonsens_context *ctx, const char *path, nonsens_options *options, const char *key,
                                 const json_t *value)
{
    char number[NUMBER_BYTES], what[MESSAGE_BYTES];
    const char *text = value_text(value, number);
    if (!value || !nonsens_option_find(key, options->command)) { // of another version: it is shown, and that is all
        return NONSENS_OK;
    }
    if (text && !text[0]) { // a text that is not set
        return NONSENS_OK;
    }
    nonsens_status status = text ? nonsens_options_set(ctx, options, key, text) : NONSENS_ERR_USAGE;
    if (status != NONSENS_ERR_USAGE) {
        return status;
    }
    snprintf(what, sizeof what, "option %s: %s", key, text ? nonsens_context_message(ctx) : "no value");
    return fail_result(ctx, path, what);
}

/* as-published goes first: it sets others, which the file may set anew. */
static nonsens_status read_options(nonsens_context *ctx, const char *path, json_t *root, nonsens_options *options)
{
    json_t *from = json_object_get(json_object_get(root, "nonsens"), "options"), *value;
    const char *key;
    TRY(set_option(ctx, path, options, "as-published", json_object_get(from, "as-published")));
    json_object_foreach(from, key, value)
    {
        if (strcmp(key, "as-published") != 0) {
            TRY(set_option(ctx, path, options, key, value));
        }
    }
    return NONSENS_OK;
}

nonsens_status html_parse_result(nonsens_context *ctx, const char *path, const char *bytes, size_t size, json_t **root,
                                 nonsens_options **options)
{
    *options = NULL;
    TRY(parse_json(ctx, path, bytes, size, root));
    TRY(nonsens_options_new(ctx, command_of(*root), options));
    return read_options(ctx, path, *root, *options);
}

static nonsens_status read_result(nonsens_context *ctx, const char *path, json_t **root, nonsens_options **options)
{
    input file = {0};
    nonsens_status status = input_read_other(ctx, "result file", path, BYTES_MAX, &file);
    if (status == NONSENS_OK) {
        status = html_parse_result(ctx, path, file.bytes ? file.bytes : "", file.size, root, options);
    }
    input_free(&file);
    return status;
}

/* ---- its data ---- */

typedef struct reading {
    html_report page;
    nonsens_options *options;
    nonsens_data *data, *pair; /* all that was read; what was made of it; either may be NULL */
} reading;

static nonsens_status read_data(nonsens_context *ctx, reading *r)
{
    char hash[HASH_BYTES];
    const json_t *wanted = json_object_get(json_object_get(r->page.result, "nonsens"), "data_hash");
    if (r->page.files == 0) {
        return NONSENS_OK;
    }
    TRY(dataset_read_files(ctx, r->page.file, r->page.files, r->options,
                           "the data of this result have none: give those", &r->data));
    r->page.data = r->data;
    if (r->options->command == NONSENS_COMMAND_DIRECTION) {
        TRY(variables_pair(ctx, r->data, r->options, &r->page.data, &r->pair));
    }
    hash_print(hash, r->page.data->hash);
    r->page.other_data = strcmp(hash, json_string_value(wanted)) != 0;
    return NONSENS_OK;
}

/* ---- its disturbances ---- */

static nonsens_status fail_sources(nonsens_context *ctx, const char *path, const char *what, const char *name)
{
    char shown[SHOWN_BYTES], quoted[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_DATA,
                "file of disturbances %s: %s%s; give what --sources of direction or discover wrote",
                show_bare(shown, input_name(path)), what, name ? show_quoted(quoted, name) : "");
}

/* place (rows of the input + 1): where row k of the input, from 1, is in the data, counted from 1; 0: nowhere. */
static nonsens_status find_places(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t *inputs,
                                  int64_t **place)
{
    *inputs = 0;
    for (int64_t i = 0; i < data->n; i++) {
        *inputs = data->input_row[i] + 1 > *inputs ? data->input_row[i] + 1 : *inputs;
    }
    ARENA_TRY(ctx, a, *place, *inputs + 1);
    for (int64_t i = 0; i < data->n; i++) {
        (*place)[data->input_row[i] + 1] = i + 1;
    }
    return NONSENS_OK;
}

/* Columns "row" and N_<name> of each variable; every row of the data once. */
static nonsens_status take_sources(nonsens_context *ctx, arena *a, const char *path, const table *t, reading *r)
{
    const nonsens_data *data = r->page.data;
    int64_t inputs, *place, *seen, row = table_find(t, "row"); // seen (n): for how many columns so far
    double *value;
    char **name;
    if (row < 0 || !t->column[row].value) {
        return fail_sources(ctx, path, "it has no column row with the numbers of rows", NULL);
    }
    if (t->rows != data->n) {
        return fail_sources(ctx, path, "it has not as many rows as the data", NULL);
    }
    TRY(find_places(ctx, a, data, &inputs, &place));
    ARENA_TRY(ctx, a, value, data->n * data->d);
    ARENA_TRY(ctx, a, seen, data->n);
    ARENA_TRY(ctx, a, name, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        name[j] = arena_format(ctx, a, "N_%s", data->names[j]);
        int64_t column = name[j] ? table_find(t, name[j]) : -1;
        if (!name[j]) {
            return NONSENS_ERR_MEMORY;
        }
        if (column < 0 || !t->column[column].value || t->column[column].missing) {
            return fail_sources(ctx, path, "there is no column of numbers ", name[j]);
        }
        for (int64_t i = 0; i < t->rows; i++) {
            double at = t->column[row].value[i];
            if (!(at >= 1.0 && at <= (double)inputs) || at != floor(at) || place[(int64_t)at] == 0) {
                return fail_sources(ctx, path, "it has a row that the data do not have", NULL);
            }
            if (seen[place[(int64_t)at] - 1]++ != j) {
                return fail_sources(ctx, path, "it has a row more than once", NULL);
            }
            value[j * data->n + place[(int64_t)at] - 1] = t->column[column].value[i];
        }
    }
    r->page.source = matrix_view(value, data->n, data->d);
    r->page.source_name = name;
    return NONSENS_OK;
}

/* Of other data than the result's they would stand at the wrong rows: the page then has none. */
static nonsens_status read_sources(nonsens_context *ctx, arena *a, const char *path, reading *r)
{
    table t;
    if (!path || r->page.other_data) {
        return NONSENS_OK;
    }
    if (!r->page.data || !(r->options->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER))) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--sources are of direction or discover and need the data; give --data FILE too");
    }
    TRY(table_read(ctx, a, path, NULL, &t));
    return take_sources(ctx, a, path, &t, r);
}

static nonsens_status write_report(nonsens_context *ctx, arena *scratch, const char *result, const char *sources,
                                   reading *r, const char *path)
{
    TRY(read_result(ctx, result, &r->page.result, &r->options));
    r->page.options = r->options;
    TRY(read_data(ctx, r));
    TRY(read_sources(ctx, scratch, sources, r));
    return html_write(ctx, scratch, &r->page, path);
}

nonsens_status nonsens_report_write_html(nonsens_context *ctx, const char *result, const char *const *files,
                                         int64_t count, const char *sources, const char *path, int *other_data)
{
    NEEDED(ctx, result, path);
    REQUIRE_COUNT(ctx, count, 0, NONSENS_MAX_COUNT);
    REQUIRE_TEXTS(ctx, files, count);
    arena scratch = {0};
    reading r = {.page = {.file = files, .files = count}};
    context_begin(ctx);
    nonsens_status status = write_report(ctx, &scratch, result, sources, &r, path);
    if (other_data) {
        *other_data = r.page.other_data;
    }
    nonsens_data_free(r.pair);
    nonsens_data_free(r.data);
    nonsens_options_free(r.options);
    json_decref(r.page.result);
    arena_free(&scratch);
    return status;
}
