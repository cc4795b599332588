/*
 * html_read.c - makes a page from a result that was written as JSON, with or without its data.
 *
 * The options in the file say which command it was and how the data were read.  A hash of the values shows whether the
 * data given now are the same.
 */
#include "base/hash.h"
#include "base/input.h"
#include "base/number.h"
#include "base/require.h"
#include "base/show.h"
#include "data/variables.h"
#include "read/table.h"
#include "write/html.h"
#include "json/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 1 << 29 };

static nonsens_status parse_json(nonsens_context *ctx, const char *path, const char *bytes, size_t size,
                                 json_value **root)
{
    json_error error;
    char what[256];
    nonsens_status status = json_parse(ctx, bytes, size, false, &error, root);
    if (status == NONSENS_ERR_DATA) {
        snprintf(what, sizeof what, "line %d, column %d is not JSON (%s)", error.line, error.column, error.what);
        return html_fail_result(ctx, path, what);
    }
    return status == NONSENS_OK ? html_check_result(ctx, path, *root) : status;
}

/* ---- its options ---- */

static unsigned command_of(const json_value *root)
{
    const char *method = json_get_string(root, "method");
    if (json_object_get(root, "effects")) {
        return NONSENS_COMMAND_EFFECT;
    }
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

/* Returns the value as text for nonsens_options_set; NULL if it cannot be the value of an option. */
static const char *value_text(const json_value *value, char number[NUMBER_BYTES])
{
    if (json_is(value, JSON_STRING)) {
        return json_string_value(value);
    }
    if (json_is(value, JSON_BOOLEAN)) {
        return value == json_boolean(true) ? "true" : "false";
    }
    if (json_is(value, JSON_INTEGER)) {
        snprintf(number, NUMBER_BYTES, "%" PRId64, json_integer_value(value));
        return number;
    }
    return json_is(value, JSON_REAL) ? number_print(number, json_number_value(value), 0) : NULL;
}

static nonsens_status set_option(nonsens_context *ctx, const char *path, nonsens_options *options, const char *key,
                                 const json_value *value)
{
    char number[NUMBER_BYTES], what[MESSAGE_BYTES];
    const char *text = value_text(value, number);
    if (!value || !nonsens_option_find(key, options->command)) { // options of other versions are only shown
        return NONSENS_OK;
    }
    if (text && !text[0]) { // the option is not set
        return NONSENS_OK;
    }
    nonsens_status status = text ? nonsens_options_set(ctx, options, key, text) : NONSENS_ERR_USAGE;
    if (status != NONSENS_ERR_USAGE) {
        return status;
    }
    snprintf(what, sizeof what, "option %s: %s", key, text ? nonsens_context_message(ctx) : "no value");
    return html_fail_result(ctx, path, what);
}

/* Sets the options of the file; as-published first, because it sets other options that the file may set again. */
static nonsens_status read_options(nonsens_context *ctx, const char *path, const json_value *root,
                                   nonsens_options *options)
{
    const json_value *from = json_object_get(json_object_get(root, "nonsens"), "options"), *value;
    const char *key;
    TRY(set_option(ctx, path, options, "as-published", json_object_get(from, "as-published")));
    for (size_t i = 0; (value = json_at(from, i, &key)); i++) {
        if (strcmp(key, "as-published") != 0) {
            TRY(set_option(ctx, path, options, key, value));
        }
    }
    return NONSENS_OK;
}

nonsens_status html_parse_result(nonsens_context *ctx, const char *path, const char *bytes, size_t size,
                                 json_value **root, nonsens_options **options)
{
    *options = NULL;
    TRY(parse_json(ctx, path, bytes, size, root));
    TRY(nonsens_options_new(ctx, command_of(*root), options));
    return read_options(ctx, path, *root, *options);
}

static nonsens_status read_result(nonsens_context *ctx, const char *path, json_value **root, nonsens_options **options)
{
    input file = {0};
    nonsens_status status = input_read_other(ctx, "result file", path, MAX_BYTES, &file);
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
    nonsens_data *data, *pair; /* all data that were read; their pair; either may be NULL */
} reading;

static nonsens_status read_data(nonsens_context *ctx, reading *r)
{
    char hash[HASH_BYTES];
    const char *wanted = json_get_string(json_object_get(r->page.result, "nonsens"), "data_hash");
    if (r->page.files == 0) {
        return NONSENS_OK;
    }
    TRY(dataset_read_files(ctx, r->page.file, r->page.files, r->options,
                           "the data of this result have none: give those", &r->data));
    r->page.data = r->data;
    r->page.dates = &r->data->dates;
    if (r->options->command == NONSENS_COMMAND_DIRECTION) {
        TRY(variables_pair(ctx, r->data, r->options, &r->page.data, &r->pair));
    }
    hash_print(hash, r->page.data->hash);
    r->page.other_data = strcmp(hash, wanted) != 0;
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

/* Fills place (*inputs + 1): the row of the data of each input row, both counted from 1; 0: it was left out. */
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

/* Takes the column "row", and N_<name> for each variable; every row of the data must occur exactly once. */
static nonsens_status take_sources(nonsens_context *ctx, arena *a, const char *path, const table *t, reading *r)
{
    const nonsens_data *data = r->page.data;
    int64_t inputs, *place, *seen, row = table_find(t, "row"); // seen (n): columns taken so far
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
                return fail_sources(ctx, path, "it has a row twice", NULL);
            }
            value[j * data->n + place[(int64_t)at] - 1] = t->column[column].value[i];
        }
    }
    r->page.source = matrix_view(value, data->n, data->d);
    r->page.source_name = name;
    return NONSENS_OK;
}

/* Reads the disturbances, unless the data are not those of the result: the rows would not match. */
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
