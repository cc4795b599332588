/* html.c - writes a result as a page: the block of JSON, the command that reproduces the result, the file. */
#include "write/html.h"

#include "base/number.h"
#include "base/output.h"
#include "base/require.h"
#include "base/shell_word.h"
#include "data/variables.h"
#include "json/json.h"

#include <string.h>

/* ---- the command ---- */

typedef struct word_list {
    char **word;
    int64_t count, capacity;
} word_list;

static nonsens_status add_word(nonsens_context *ctx, arena *a, word_list *list, const char *word)
{
    ARENA_GROW(ctx, a, list->word, list->count, list->capacity);
    list->word[list->count] = shell_word(ctx, a, word);
    return list->word[list->count++] ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* Adds a file, with a leading folder if it could be taken for an option. */
static nonsens_status add_file(nonsens_context *ctx, arena *a, word_list *list, const char *file)
{
    const char *path = file[0] == '-' && file[1] ? arena_format(ctx, a, "./%s", file) : file;
    return path ? add_word(ctx, a, list, path) : NONSENS_ERR_MEMORY;
}

static nonsens_status add_files(nonsens_context *ctx, arena *a, word_list *list, const html_report *r, int64_t segments)
{
    bool several = segments > 0 && !r->options->segment[0] && !r->options->segments[0]; // each file was a segment
    for (int64_t i = 0; i < r->files; i++) {
        TRY(add_file(ctx, a, list, r->file[i]));
    }
    return r->files > 0 ? NONSENS_OK : add_word(ctx, a, list, several ? "FILES" : "FILE");
}

static nonsens_status add_options(nonsens_context *ctx, arena *a, word_list *list, const nonsens_options *options)
{
    char buffer[OPTION_VALUE_BYTES];
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if (!(info->commands & options->command) || !option_changes_results(info)) {
            continue;
        }
        const char *value = option_print(options, info, buffer);
        if (strcmp(value, option_usual(options, info)) == 0) {
            continue;
        }
        const char *key = arena_format(ctx, a, "--%s", info->key);
        TRY(key ? add_word(ctx, a, list, key) : NONSENS_ERR_MEMORY);
        if (info->type != NONSENS_OPTION_FLAG) {
            TRY(add_word(ctx, a, list, value));
        }
    }
    return NONSENS_OK;
}

static char *join_words(nonsens_context *ctx, arena *a, const word_list *list)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < list->count; i++) {
        bytes += strlen(list->word[i]) + 1;
    }
    char *out = arena_get(ctx, a, (int64_t)bytes, 1), *to = out;
    for (int64_t i = 0; out && i < list->count; i++) {
        size_t length = strlen(list->word[i]);
        memcpy(to, list->word[i], length);
        to[length] = i + 1 < list->count ? ' ' : '\0';
        to += length + 1;
    }
    return out;
}

char *html_command(nonsens_context *ctx, arena *a, const html_report *r, int64_t segments)
{
    word_list list = {0};
    bool ok = add_word(ctx, a, &list, "nonsens") == NONSENS_OK &&
              add_word(ctx, a, &list, option_command_name(r->options->command)) == NONSENS_OK &&
              add_files(ctx, a, &list, r, segments) == NONSENS_OK &&
              add_options(ctx, a, &list, r->options) == NONSENS_OK;
    return ok ? join_words(ctx, a, &list) : NULL;
}

/* ---- the block ---- */

static json_value *option_rows_of(nonsens_context *ctx, arena *scratch, const nonsens_options *options)
{
    json_value *array = json_array();
    char buffer[OPTION_VALUE_BYTES];
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & options->command) && option_changes_results(info)) {
            const char *value = report_utf8(ctx, scratch, option_print(options, info, buffer));
            json_array_append(array, json_object_of("key", json_string(info->key), "value", json_string(value), "usual",
                                                    json_string(option_usual(options, info)), "group",
                                                    json_string(info->group), "text", json_string(info->text), NULL));
        }
    }
    return array;
}

/* Makes what the registry says about the method; null for commands without a method. */
static json_value *method_of(const json_value *result)
{
    const nonsens_method_info *m = nonsens_method_find(json_get_string(result, "method"));
    return m ? json_object_of("name", json_string(m->name), "summary", json_string(m->summary), "citation",
                              json_string(m->citation), NULL)
             : json_null();
}

/* Removes modulation that the page does not show: if there are very many segments, only the first ones are shown. */
static void thin_modulation(json_value *result, int64_t segments)
{
    json_value *modulation = json_object_get(result, "modulation"), *of, *value;
    int64_t shown = html_segments_shown(segments, (int64_t)json_object_size(modulation));
    const char *name, *label;
    if (shown == segments || !json_is(modulation, JSON_OBJECT)) {
        return;
    }
    json_value *thin = json_object();
    for (size_t i = 0; (of = json_at(modulation, i, &name)); i++) {
        json_value *kept = json_object();
        for (size_t k = 0; k < (size_t)shown && (value = json_at(of, k, &label)); k++) {
            json_object_set(kept, label, json_incref(value));
        }
        json_object_set(thin, name, kept);
    }
    json_object_set(result, "modulation", thin);
}

/* Makes the list of data files, which the title of the page names. */
static json_value *file_names(nonsens_context *ctx, arena *scratch, const html_report *r)
{
    json_value *array = json_array();
    for (int64_t i = 0; i < r->files; i++) {
        json_array_append(array, json_string(report_utf8(ctx, scratch, r->file[i])));
    }
    return array;
}

static json_value *dates_of(nonsens_context *ctx, arena *scratch, const date_span *dates)
{
    return dates && dates->column
               ? json_object_of("column", json_string(report_utf8(ctx, scratch, dates->column)), "first",
                                json_string(dates->first), "last", json_string(dates->last), NULL)
               : json_null();
}

static json_value *block(nonsens_context *ctx, arena *scratch, const html_report *r)
{
    int64_t segments = json_get_integer(json_object_get(r->result, "data"), "segments", 0);
    thin_modulation(r->result, segments);
    json_value *left_out = html_thin_effects(r->result);
    return json_object_of("version", json_string(nonsens_version()), "p_value_bound", json_real(P_VALUE_BOUND), "files",
                          file_names(ctx, scratch, r), "dates", dates_of(ctx, scratch, r->dates), "command",
                          json_string(html_command(ctx, scratch, r, segments)), "name",
                          json_string(option_command_name(r->options->command)), "method", method_of(r->result),
                          "options", option_rows_of(ctx, scratch, r->options), "result", json_incref(r->result),
                          "left_out", left_out, "display", html_display(ctx, scratch, r), NULL);
}

/* ---- the file ---- */

/* The block replaces this mark, which the page has exactly once. */
static const char MARK[] = "\"the report goes here\"";

static const char *find_mark(const char *page)
{
    size_t length = sizeof MARK - 1;
    for (size_t i = 0; i + length <= report_page_size; i++) {
        if (memcmp(page + i, MARK, length) == 0) {
            return page + i;
        }
    }
    return NULL;
}

/* Writes the block with "<" as a JSON escape, since nothing in it may look like a tag to the browser. */
static void write_escaped(output *out, const char *json)
{
    while (*json) {
        size_t plain = strcspn(json, "<");
        output_write(out, json, plain);
        json += plain;
        if (*json) {
            output_write(out, "\\u003c", 6);
            json++;
        }
    }
}

static nonsens_status write_page(nonsens_context *ctx, const char *json, const char *path)
{
    const char *page = (const char *)report_page, *mark = find_mark(page);
    output *out;
    if (!mark) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "the page has no place for a report: build it anew (web/README.md)");
    }
    size_t before = (size_t)(mark - page), after = before + sizeof MARK - 1;
    TRY(output_open(ctx, path, &out));
    output_write(out, page, before);
    write_escaped(out, json);
    output_write(out, page + after, report_page_size - after);
    return output_close(ctx, out);
}

nonsens_status html_write(nonsens_context *ctx, arena *scratch, const html_report *r, const char *path)
{
    json_value *root = block(ctx, scratch, r);
    char *json = json_text(root, JSON_ASCII, REPORT_DIGITS);
    json_decref(root);
    nonsens_status status = json ? write_page(ctx, json, path) : fail_memory(ctx);
    memory_release(json);
    return status;
}

/* ---- of a result ---- */

/* Names disturbances after their variables, as in N_a; sources have their own names. */
static nonsens_status name_sources(nonsens_context *ctx, arena *a, const nonsens_result *result, char ***out)
{
    *out = result->source_name;
    if (result->source_name || !result->source.v) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, *out, result->source.cols);
    for (int64_t j = 0; j < result->source.cols; j++) {
        (*out)[j] = arena_format(ctx, a, "N_%s", result->names[j]);
        if (!(*out)[j]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    return NONSENS_OK;
}

static nonsens_status write_result(nonsens_context *ctx, arena *a, const nonsens_result *result, html_report *r,
                                   const char *path)
{
    char **name;
    TRY(name_sources(ctx, a, result, &name));
    r->source_name = name;
    r->source = result->source;
    r->result = report_document(ctx, a, result);
    nonsens_status status = json_is_complete(r->result) ? html_write(ctx, a, r, path) : fail_memory(ctx);
    json_decref(r->result);
    return status;
}

nonsens_status nonsens_result_write_html(nonsens_context *ctx, const nonsens_result *result, const nonsens_data *data,
                                         const char *const *files, int64_t count, const char *path)
{
    NEEDED(ctx, result, path);
    REQUIRE_COUNT(ctx, count, 0, NONSENS_MAX_COUNT);
    REQUIRE_TEXTS(ctx, files, count);
    arena scratch = {0};
    nonsens_data *owned = NULL;
    html_report r = {
        .options = &result->options, .data = data, .dates = data ? &data->dates : NULL, .file = files, .files = count};
    if (data && result->options.command == NONSENS_COMMAND_DIRECTION) {
        TRY(variables_pair(ctx, data, &result->options, &r.data, &owned));
    }
    bool same = !r.data || (r.data->hash == result->data_hash && r.data->n == result->rows);
    nonsens_status status = same ? write_result(ctx, &scratch, result, &r, path)
                                 : fail(ctx, NONSENS_ERR_USAGE, "these are not the data of this result");
    nonsens_data_free(owned);
    arena_free(&scratch);
    return status;
}
