/*
 * options.c - makes, sets, reads and copies the options of a run; options_table.c has the table of them.
 *
 * Fields hold values as the code reads them.  `texts` holds, as text, every value that differs from its default, until
 * it is set again.  A text field points there, or to a default of the table.
 */
#include "options/options_internal.h"

#include "base/show.h"
#include "options/preset.h"

#include <string.h>

struct option_text {
    struct option_text *next;
    const option_row *row;
    char value[];
};

/* ---- the table ---- */

size_t nonsens_option_count(void)
{
    return option_rows;
}

const nonsens_option_info *nonsens_option_at(size_t index)
{
    return index < option_rows ? &option_table[index].info : NULL;
}

/* Returns today's name of an option that was renamed; scripts and results with the old one stay valid. */
static const char *current_key(const char *key)
{
    static const struct {
        const char *old, *key;
    } renamed[] = {{"most-rows", "max-rows"}, {"bends", "knots"}};
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++) {
        if (strcmp(key, renamed[k].old) == 0) {
            return renamed[k].key;
        }
    }
    return key;
}

const option_row *option_find_row(const char *key, unsigned commands)
{
    key = current_key(key);
    for (size_t i = 0; i < option_rows; i++) {
        if ((option_table[i].info.commands & commands) && strcmp(option_table[i].info.key, key) == 0) {
            return &option_table[i];
        }
    }
    return NULL;
}

const nonsens_option_info *nonsens_option_find(const char *key, unsigned commands)
{
    const option_row *found = key ? option_find_row(key, commands) : NULL;
    return found ? &found->info : NULL;
}

bool option_changes_results(const nonsens_option_info *info)
{
    static const char *const execution[] = {"threads", "max-memory", "journal", "resume", "shard", NULL};
    bool changes = true;
    for (size_t k = 0; execution[k]; k++) {
        changes = changes && strcmp(info->key, execution[k]) != 0;
    }
    return changes;
}

const char *option_command_name(unsigned command)
{
    static const char *const name[] = {"simulate", "direction", "independence", "diagnose", "ica",   "reproduce",
                                       "discover", "compare",   "explain",      "report",   "merge", "effect"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) { // in the order of the NONSENS_COMMAND_* bits
        if (command == 1u << k) {
            return name[k];
        }
    }
    return NULL;
}

/* ---- setting ---- */

/* Replaces the text of a row in the list by another one, or removes it if that is NULL. */
static void replace_text(nonsens_options *options, const option_row *r, struct option_text *text)
{
    struct option_text **link = &options->texts, *old;
    while (*link && (*link)->row != r) {
        link = &(*link)->next;
    }
    old = *link;
    if (old) {
        *link = old->next;
        memory_release(old);
    }
    if (text) {
        text->next = options->texts;
        options->texts = text;
    }
}

/* Sets one option; nothing changes if it fails.  Defaults take no memory: a text field points into the table. */
static nonsens_status set_row(nonsens_context *ctx, nonsens_options *options, const option_row *r, const char *value)
{
    char buffer[OPTION_VALUE_BYTES];
    nonsens_options changed = *options;
    struct option_text *text = NULL;
    TRY(option_parse(ctx, r, value, option_field(&changed, r)));
    const char *printed = option_print(&changed, &r->info, buffer);
    if (strcmp(printed, r->info.default_value) != 0) {
        size_t bytes = strlen(printed) + 1;
        text = memory_get(1, sizeof *text + bytes);
        if (!text) {
            return fail_memory(ctx);
        }
        text->row = r;
        memcpy(text->value, printed, bytes);
    }
    if (r->info.type == NONSENS_OPTION_TEXT) {
        *(const char **)option_field(&changed, r) = text ? text->value : r->info.default_value;
    }
    replace_text(&changed, r, text);
    *options = changed;
    return NONSENS_OK;
}

/* Fields of other commands get defaults too: code may read any field.  If rows share one, the command's row decides. */
static nonsens_status set_defaults(nonsens_context *ctx, nonsens_options *options)
{
    for (int own = 0; own <= 1; own++) {
        for (size_t i = 0; i < option_rows; i++) {
            if (own == ((option_table[i].info.commands & options->command) != 0)) {
                TRY(set_row(ctx, options, &option_table[i], option_table[i].info.default_value));
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status nonsens_options_new(nonsens_context *ctx, nonsens_command command, nonsens_options **out)
{
    NEEDED(ctx, out);
    *out = NULL;
    if (!option_command_name(command)) {
        return fail(
            ctx, NONSENS_ERR_USAGE,
            "options belong to exactly one command, but %u is not a command; pass one NONSENS_COMMAND_ constant",
            command);
    }
    nonsens_options *options = memory_get(1, sizeof *options);
    if (!options) {
        return fail_memory(ctx);
    }
    options->command = command;
    nonsens_status status = set_defaults(ctx, options);
    if (status != NONSENS_OK) {
        nonsens_options_free(options);
        return status;
    }
    *out = options;
    return NONSENS_OK;
}

void nonsens_options_free(nonsens_options *options)
{
    while (options && options->texts) {
        replace_text(options, options->texts->row, NULL);
    }
    memory_release(options);
}

static nonsens_status fail_unknown(nonsens_context *ctx, const nonsens_options *options, const char *key)
{
    const char *command = option_command_name(options->command);
    char shown[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_USAGE, "--%s is not an option of %s; `nonsens help %s` lists them",
                show_bare(shown, key), command, command);
}

const char *option_usual(const nonsens_options *options, const nonsens_option_info *info)
{
    const char *preset = options->as_published ? preset_find(info->key) : NULL;
    return preset ? preset : info->default_value;
}

/* Sets the options of the preset that the command has: to the preset's values, or to their defaults if it is off. */
static nonsens_status set_preset(nonsens_context *ctx, nonsens_options *options)
{
    for (size_t i = 0; i < preset_count(); i++) {
        const option_row *r = option_find_row(preset_at(i)->key, options->command);
        TRY(r ? set_row(ctx, options, r, option_usual(options, &r->info)) : NONSENS_OK);
    }
    return NONSENS_OK;
}

nonsens_status nonsens_options_set(nonsens_context *ctx, nonsens_options *options, const char *key, const char *value)
{
    NEEDED(ctx, options, key, value);
    const option_row *r = option_find_row(key, options->command);
    bool was_published = options->as_published;
    TRY(r ? set_row(ctx, options, r, value) : fail_unknown(ctx, options, key));
    bool preset = r->offset == offsetof(struct nonsens_options, as_published);
    return preset && (was_published || options->as_published) ? set_preset(ctx, options) : NONSENS_OK;
}

/* ---- reading ---- */

nonsens_status nonsens_options_get(nonsens_context *ctx, const nonsens_options *options, const char *key,
                                   const char **out)
{
    NEEDED(ctx, options, key, out);
    const option_row *r = option_find_row(key, options->command);
    *out = NULL;
    if (!r) {
        return fail_unknown(ctx, options, key);
    }
    const struct option_text *text = options->texts;
    while (text && text->row != r) {
        text = text->next;
    }
    *out = text ? text->value : r->info.default_value;
    return NONSENS_OK;
}

/* ---- copying ---- */

nonsens_status options_copy(nonsens_context *ctx, arena *a, const nonsens_options *from, nonsens_options *to)
{
    *to = *from;
    to->texts = NULL;
    for (size_t i = 0; i < option_rows; i++) {
        const option_row *r = &option_table[i];
        if (r->info.type != NONSENS_OPTION_TEXT) {
            continue;
        }
        const char *text = *(const char *const *)option_field_const(from, r);
        const char **copy = option_field(to, r);
        if (text && text[0] && *copy == text) { // not copied yet (rows of several commands may share a field)
            *copy = arena_text(ctx, a, text);
            TRY(*copy ? NONSENS_OK : NONSENS_ERR_MEMORY);
        }
    }
    return NONSENS_OK;
}
