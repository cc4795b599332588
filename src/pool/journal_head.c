/* journal_head.c - writes what the lines of a journal depend on, and checks whether a journal belongs to this run. */
#include "pool/journal_head.h"

#include "base/hash.h"
#include "base/show.h"
#include "base/utf8.h"

#include <string.h>
#include <sys/stat.h>

json_value *journal_text(const char *text)
{
    char shown[HASH_BYTES];
    uint64_t hash = HASH_START;
    hash_text(&hash, text);
    return json_string(utf8_is_valid(text, (int64_t)strlen(text)) ? text : hash_print(shown, hash));
}

/* ---- making ---- */

static json_value *settings_object(const nonsens_options *options, journal_setting_fn *is_setting)
{
    json_value *object = json_object();
    char value[OPTION_VALUE_BYTES];
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & options->command) && option_changes_results(info) && is_setting(info)) {
            json_object_set(object, info->key, journal_text(option_print(options, info, value)));
        }
    }
    return object;
}

nonsens_status journal_head_new(nonsens_context *ctx, const journal_kind *kind, const nonsens_options *options,
                                journal_setting_fn *is_setting, json_value **out)
{
    *out = json_object_of("options", json_string(kind->name), "seed", json_integer(0), "version",
                          json_string(nonsens_version()), "inputs", json_object(), "settings",
                          settings_object(options, is_setting), NULL);
    return json_is_complete(*out) ? NONSENS_OK : fail_memory(ctx);
}

nonsens_status journal_head_add_input(nonsens_context *ctx, json_value *head, const char *name, uint64_t hash)
{
    char text[HASH_BYTES];
    json_value *inputs = json_object_get(head, "inputs");
    return json_object_set(inputs, name, json_string(hash_print(text, hash))) ? NONSENS_OK : fail_memory(ctx);
}

/* ---- comparing ---- */

/* Returns the first key in member `part` of `head` whose value differs from that in `there`; NULL if none does. */
static const char *first_difference(const json_value *head, const json_value *there, const char *part)
{
    const char *key;
    const json_value *value, *new = json_object_get(head, part), *old = json_object_get(there, part);
    for (size_t i = 0; (value = json_at(new, i, &key)); i++) {
        if (!json_equal(value, json_object_get(old, key))) {
            return key;
        }
    }
    return NULL;
}

bool journal_heads_differ(const json_value *a, const json_value *b, const char **part, const char **key)
{
    static const char *const one[] = {"options", "version"}, *const many[] = {"inputs", "settings"};
    *key = NULL;
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) {
        *part = one[k];
        if (!json_equal(json_object_get(a, *part), json_object_get(b, *part))) {
            return true;
        }
    }
    for (size_t k = 0; k < sizeof many / sizeof *many; k++) {
        *part = many[k];
        *key = first_difference(a, b, *part);
        *key = *key ? *key : first_difference(b, a, *part);
        if (*key) {
            return true;
        }
    }
    return false;
}

static const char *setting_of(const json_value *head, const char *key, char shown[SHOWN_BYTES])
{
    const char *value = json_get_string(json_object_get(head, "settings"), key);
    return show_bare(shown, value ? value : "missing");
}

static nonsens_status compare_heads(nonsens_context *ctx, const char *path, const journal_kind *kind,
                                    const json_value *head, const json_value *there)
{
    char old[SHOWN_BYTES], new[SHOWN_BYTES];
    const char *version = json_get_string(there, "version");
    if (!version || strcmp(version, nonsens_version()) != 0) { // another version may give other results
        return fail(ctx, NONSENS_ERR_USAGE, "the journal %.500s was made by another version of nonsens; %s", path,
                    kind->otherwise);
    }
    const char *input = first_difference(head, there, "inputs");
    if (input) {
        return fail(ctx, NONSENS_ERR_USAGE, "the journal %.500s was made with other %s; give the same, or %s", path,
                    input, kind->otherwise);
    }
    const char *key = first_difference(head, there, "settings");
    if (key) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the journal %.300s was made with --%s %s, and this run has %s; give the same, or %s", path, key,
                    setting_of(there, key, old), setting_of(head, key, new), kind->otherwise);
    }
    return NONSENS_OK;
}

nonsens_status journal_check_head(nonsens_context *ctx, const journal *j, const journal_kind *kind,
                                  const json_value *head)
{
    char path[SHOWN_PATH_BYTES], begin[64];
    const char *name = json_get_string(j->first, "options");
    show_path(path, j->file.path);
    if (j->lost_first) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the journal %.500s: its first line, which says what it belongs to, was changed after being "
                    "written; undo the change, or %s",
                    path, kind->otherwise);
    }
    if (name && strcmp(name, kind->name) == 0) {
        return compare_heads(ctx, path, kind, head, j->first);
    }
    snprintf(begin, sizeof begin, "{\"options\":\"%s\"", kind->name);
    if (!j->first && journal_begins(j, begin)) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_USAGE, "%.500s is not a journal of %s; %s", path, kind->lines, kind->otherwise);
}

nonsens_status journal_begin(nonsens_context *ctx, journal *j, const journal_kind *kind, json_value *head)
{
    TRY(journal_check_head(ctx, j, kind, head));
    return j->first ? NONSENS_OK : journal_append(ctx, j, json_incref(head));
}

nonsens_status journal_check_file(nonsens_context *ctx, const char *path, const journal_kind *kind, bool resume)
{
    char shown[SHOWN_PATH_BYTES];
    struct stat facts;
    TRY(journal_file_check_free(ctx, path));
    bool blank = stat(path, &facts) != 0 || (S_ISREG(facts.st_mode) && facts.st_size == 0);
    if (!resume && !blank) {
        return fail(ctx, NONSENS_ERR_USAGE, "%.500s already exists; add --resume to continue its %s, or %s",
                    show_path(shown, path), kind->lines, kind->otherwise);
    }
    return nonsens_output_check(ctx, path);
}
