/* html.c - a result as a page: the block of JSON, the command that gives the result again, the file. */
#include "write/html.h"

#include "base/output.h"
#include "base/require.h"
#include "base/shell_word.h"
#include "data/variables.h"
#include "json/json_text.h"

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

/* A file that begins like an option is told from one by its folder. */
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

static json_t *option_row_of(nonsens_context *ctx, arena *scratch, const nonsens_options *options,
                             const nonsens_option_info *info)
{
    char buffer[OPTION_VALUE_BYTES];
    char *clean = report_utf8(ctx, scratch, option_print(options, info, buffer));
    return clean ? json_pack("{s:s, s:s, s:s, s:s, s:s}", "key", info->key, "value", clean, "usual",
                             option_usual(options, info), "group", info->group, "text", info->text)
                 : NULL;
}

static json_t *option_rows_of(nonsens_context *ctx, arena *scratch, const nonsens_options *options)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & options->command) && option_changes_results(info)) {
            ok = json_array_append_new(array, option_row_of(ctx, scratch, options, info)) == 0;
        }
    }
    return report_keep_if(ok, array);
}

/* What the registry says of the method; null for commands without one. */
static json_t *method_of(const json_t *result)
{
    const nonsens_method_info *m = nonsens_method_find(json_string_value(json_object_get(result, "method")));
    return m ? json_pack("{s:s, s:s, s:s}", "name", m->name, "summary", m->summary, "citation", m->citation)
             : json_null();
}

/* Of very many segments only the largest, which come first, keep their modulation; false if memory is exhausted. */
static bool thin_modulation(json_t *result, int64_t segments)
{
    json_t *modulation = json_object_get(result, "modulation"), *of, *value;
    int64_t shown = html_segments_shown(segments, (int64_t)json_object_size(modulation));
    const char *name, *label;
    if (shown == segments || !json_is_object(modulation)) {
        return true;
    }
    json_t *thin = json_object();
    bool ok = thin != NULL;
    json_object_foreach(modulation, name, of)
    {
        json_t *kept = json_object();
        int64_t count = 0;
        ok = ok && json_object_set_new(thin, name, kept) == 0;
        json_object_foreach(of, label, value)
        {
            ok = ok && (count++ >= shown || json_object_set(kept, label, value) == 0);
        }
    }
    return json_object_set_new(result, "modulation", report_keep_if(ok, thin)) == 0;
}

static json_t *block(nonsens_context *ctx, arena *scratch, const html_report *r)
{
    int64_t segments = json_integer_value(json_object_get(json_object_get(r->result, "data"), "segments"));
    char *command = html_command(ctx, scratch, r, segments);
    if (!command || !thin_modulation(r->result, segments)) {
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:O, s:o}", "version", nonsens_version(), "command", command, "name",
                     option_command_name(r->options->command), "method", method_of(r->result), "options",
                     option_rows_of(ctx, scratch, r->options), "result", r->result, "display",
                     html_display(ctx, scratch, r));
}

/* ---- the file ---- */

/* Where the block goes: the page has this just once. */
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

/* Nothing in the block may look like a tag to the browser: "<" is written as an escape, which JSON reads back. */
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
    json_t *root = block(ctx, scratch, r);
    char *json = root ? json_text(root, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(REPORT_DIGITS)) : NULL;
    json_decref(root);
    nonsens_status status = json ? write_page(ctx, json, path) : fail_memory(ctx);
    memory_release(json);
    return status;
}

/* ---- of a result ---- */

/* What disturbances are called: after their variables, N_a; sources have names of their own. */
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
    nonsens_status status = r->result ? html_write(ctx, a, r, path) : fail_memory(ctx);
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
    html_report r = {.options = &result->options, .data = data, .file = files, .files = count};
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
