/* options.c - setting, checking and printing options as text; the table of them is options_table.c. */
#include "options/options_internal.h"

#include "base/blas_memory.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/require.h"
#include "base/show.h"
#include "options/preset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- asking ---- */

size_t nonsens_option_count(void)
{
    return option_rows;
}

const nonsens_option_info *nonsens_option_at(size_t index)
{
    return index < option_rows ? &option_table[index].info : NULL;
}

static const option_row *row_find(const char *key, unsigned commands)
{
    for (size_t i = 0; i < option_rows; i++) {
        if ((option_table[i].info.commands & commands) && strcmp(option_table[i].info.key, key) == 0) {
            return &option_table[i];
        }
    }
    return NULL;
}

const nonsens_option_info *nonsens_option_find(const char *key, unsigned commands)
{
    const option_row *found = key ? row_find(key, commands) : NULL;
    return found ? &found->info : NULL;
}

/* ---- reading values ---- */

/* Decimal digits with an optional sign and nothing else. */
static bool read_integer(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    text += negative || *text == '+';
    if (!*text) {
        return false;
    }
    int64_t sum = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, *text - '0', &sum)) {
            return false;
        }
    }
    *value = negative ? -sum : sum;
    return true;
}

static bool read_real(const char *text, const char *end, double *value)
{
    return text < end && number_parse(text, end, value) == end && isfinite(*value);
}

static bool within(const nonsens_option_info *info, double value)
{
    return value >= info->lowest && value <= info->highest;
}

static nonsens_status refuse_number(nonsens_context *ctx, const option_row *r, const char *value)
{
    const nonsens_option_info *info = &r->info;
    char shown[SHOWN_BYTES];
    const char *kind = info->type == NONSENS_OPTION_INTEGER ? "a whole number " : "a number ";
    if (info->type == NONSENS_OPTION_RANGE) {
        kind = "LO:HI with LO <= HI, both ";
    }
    if (info->bounds) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be %s%s", info->key, show_bare(shown, value), kind,
                    info->bounds);
    }
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be %sfrom %s to %s", info->key, show_bare(shown, value), kind,
                number_print(low, info->lowest, 0), number_print(high, info->highest, 0));
}

static nonsens_status set_integer(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    int64_t number = 0;
    if (!read_integer(value, &number) || number < (int64_t)r->info.lowest || number > (int64_t)r->info.highest) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &number, sizeof number);
    return NONSENS_OK;
}

/* Two options have a value outside their interval (-1 and 0): what lies between the two is refused here. */
static bool is_gap(const option_row *r, double value)
{
    return (r->offset == offsetof(struct nonsens_options, edge_prob) && value < 0.0 && value != -1.0) ||
           (r->offset == offsetof(struct nonsens_options, sharpness) && value > 0.0 && value < 0.1);
}

static nonsens_status set_real(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    double number = 0.0;
    if (!read_real(value, value + strlen(value), &number) || !within(&r->info, number) || is_gap(r, number)) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &number, sizeof number);
    return NONSENS_OK;
}

static nonsens_status set_range(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    range pair = {0.0, 0.0};
    const char *colon = strchr(value, ':');
    bool ok = colon && read_real(value, colon, &pair.lo) && read_real(colon + 1, value + strlen(value), &pair.hi) &&
              within(&r->info, pair.lo) && within(&r->info, pair.hi) && pair.lo <= pair.hi;
    if (!ok) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &pair, sizeof pair);
    return NONSENS_OK;
}

/* The index of the word in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int index = 0;
    for (const char *at = choices;; at++, index++) {
        const char *end = at + strcspn(at, "|");
        if ((size_t)(end - at) == length && memcmp(at, word, length) == 0) {
            return index;
        }
        if (!*end) {
            return -1;
        }
        at = end;
    }
}

enum { CHOICES_BYTES = 256 };

/* words: room for the choices, one after another. */
static nearest nearest_choice(const char *choices, const char *value, char words[CHOICES_BYTES])
{
    nearest near = nearest_to(value);
    snprintf(words, CHOICES_BYTES, "%s", choices);
    for (char *word = words, *rest; word; word = rest) {
        rest = strchr(word, '|');
        if (rest) {
            *rest++ = '\0';
        }
        nearest_offer(&near, word);
    }
    return near;
}

static nonsens_status set_choice(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    int index = choice_index(r->info.choices, value);
    if (index < 0) {
        char shown[SHOWN_BYTES], words[CHOICES_BYTES], hint[HINT_BYTES];
        nearest near = nearest_choice(r->info.choices, value, words);
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be one of %s%s", r->info.key, show_bare(shown, value),
                    r->info.choices, nearest_hint(&near, hint));
    }
    memcpy(field, &index, sizeof index);
    return NONSENS_OK;
}

static nonsens_status set_flag(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    int index = choice_index("false|true", value);
    if (index < 0) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: must be true or false", r->info.key, show_bare(shown, value));
    }
    *(bool *)field = index == 1;
    return NONSENS_OK;
}

static nonsens_status set_text(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    size_t length = strlen(value);
    if (length >= r->bytes) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s: the text has %zu bytes; at most %zu are allowed", r->info.key,
                    length, r->bytes - 1);
    }
    memcpy(field, value, length + 1);
    return NONSENS_OK;
}

static nonsens_status set_row(nonsens_context *ctx, nonsens_options *options, const option_row *r, const char *value)
{
    void *field = (char *)options + r->offset;
    switch (r->info.type) {
    case NONSENS_OPTION_FLAG:
        return set_flag(ctx, r, field, value);
    case NONSENS_OPTION_INTEGER:
        return set_integer(ctx, r, field, value);
    case NONSENS_OPTION_REAL:
        return set_real(ctx, r, field, value);
    case NONSENS_OPTION_CHOICE:
        return set_choice(ctx, r, field, value);
    case NONSENS_OPTION_RANGE:
        return set_range(ctx, r, field, value);
    case NONSENS_OPTION_TEXT:
        break;
    }
    return set_text(ctx, r, field, value);
}

/* ---- the options of a run ---- */

bool option_changes_results(const nonsens_option_info *info)
{
    static const char *const how[] = {"threads", "max-memory", "journal", "resume", NULL};
    bool changes = true;
    for (size_t k = 0; how[k]; k++) {
        changes = changes && strcmp(info->key, how[k]) != 0;
    }
    return changes;
}

const char *option_command_name(unsigned command)
{
    static const char *const name[] = {"simulate",  "direction", "independence", "diagnose", "ica",
                                       "reproduce", "discover",  "compare",      "explain",  "report"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) { // in the order of the NONSENS_CMD_* bits
        if (command == 1u << k) {
            return name[k];
        }
    }
    return NULL;
}

/* Fields of other commands get their defaults too: code may read any field.  Where rows share one, its own counts. */
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

nonsens_status nonsens_options_new(nonsens_context *ctx, unsigned command, nonsens_options **out)
{
    NEEDED(ctx, out);
    *out = NULL;
    if (!option_command_name(command)) {
        return fail(ctx, NONSENS_ERR_USAGE, "options belong to exactly one command; %u is none", command);
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

/* Gives the options of the preset that the command has its values, or their defaults back where it is taken back. */
static nonsens_status set_preset(nonsens_context *ctx, nonsens_options *options)
{
    for (size_t i = 0; i < preset_count(); i++) {
        const option_row *r = row_find(preset_at(i)->key, options->command);
        TRY(r ? set_row(ctx, options, r, option_usual(options, &r->info)) : NONSENS_OK);
    }
    return NONSENS_OK;
}

nonsens_status nonsens_options_set(nonsens_context *ctx, nonsens_options *options, const char *key, const char *value)
{
    NEEDED(ctx, options, key, value);
    const option_row *r = row_find(key, options->command);
    bool was_published = options->as_published;
    TRY(r ? set_row(ctx, options, r, value) : fail_unknown(ctx, options, key));
    bool preset = r->offset == offsetof(struct nonsens_options, as_published);
    return preset && (was_published || options->as_published) ? set_preset(ctx, options) : NONSENS_OK;
}

/* ---- options that contradict one another, or themselves ---- */

enum { LEAST_BASIS = 6 };

static nonsens_status check_training(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->keep > o->restarts) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--keep %" PRId64 " is more than --restarts %" PRId64 "; keep at most as many networks as are made",
                    o->keep, o->restarts);
    }
    if (o->basis > 0 && o->basis < LEAST_BASIS) {
        return fail(ctx, NONSENS_ERR_USAGE, "--basis %" PRId64 " is too few; take at least %d, or 0 for the default",
                    o->basis, LEAST_BASIS);
    }
    return NONSENS_OK;
}

bool option_next_name(const char **rest, const char **begin, const char **end)
{
    if (!*rest || !**rest) {
        return false;
    }
    *begin = *rest;
    *end = *begin + strcspn(*begin, ",");
    *rest = **end ? *end + 1 : NULL;
    return true;
}

static nonsens_status check_names(nonsens_context *ctx, const char *key, const char *list)
{
    const char *begin, *end;
    size_t length = strlen(list);
    bool missing = length > 0 && list[length - 1] == ',';
    for (const char *rest = list; option_next_name(&rest, &begin, &end);) {
        missing = missing || begin + strspn(begin, " \t") >= end;
    }
    char shown[SHOWN_BYTES];
    return missing ? fail(ctx, NONSENS_ERR_USAGE, "--%s %s: a name is missing; write --%s a,b,c", key,
                          show_bare(shown, list), key)
                   : NONSENS_OK;
}

/* Some tests ask about one variable and the segment. */
static bool takes_one_variable(const nonsens_options *o)
{
    return o->command == NONSENS_CMD_INDEPENDENCE && option_is_sample_test(o->test);
}

static nonsens_status check_pair(nonsens_context *ctx, const nonsens_options *o)
{
    bool one = takes_one_variable(o);
    if (one && (o->y[0] || o->given[0])) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--%s has no place in this test, which asks whether --x changes over segments; leave it out",
                    o->y[0] ? "y" : "given");
    }
    if (!one && !o->x[0] != !o->y[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s is given without --%s; name both variables", o->x[0] ? "x" : "y",
                    o->x[0] ? "y" : "x");
    }
    if (o->given[0] && !o->x[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--given needs --x and --y; name the two variables as well");
    }
    return NONSENS_OK;
}

static nonsens_status check_variables(nonsens_context *ctx, const nonsens_options *o)
{
    TRY(check_pair(ctx, o));
    if (o->x[0] && o->vars[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--vars cannot be combined with --x and --y; name the variables in one way or the other");
    }
    if (o->x[0] && strcmp(o->x, o->y) == 0) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--x and --y both name %s; name two different variables",
                    show_quoted(shown, o->x));
    }
    TRY(check_names(ctx, "vars", o->vars));
    TRY(o->command == NONSENS_CMD_INDEPENDENCE ? check_names(ctx, "x", o->x) : NONSENS_OK);
    TRY(o->command == NONSENS_CMD_INDEPENDENCE ? check_names(ctx, "y", o->y) : NONSENS_OK);
    return check_names(ctx, "given", o->given);
}

/* K of "equal:K", or 0 where the text is something else. */
int64_t options_blocks(const nonsens_options *options)
{
    static const char prefix[] = "equal:";
    int64_t blocks = 0;
    const char *number = options->segments + sizeof prefix - 1;
    bool ok = strncmp(options->segments, prefix, sizeof prefix - 1) == 0 && *number >= '0' && *number <= '9' &&
              read_integer(number, &blocks) && blocks <= INT32_MAX;
    return ok ? blocks : 0;
}

static nonsens_status check_segments(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->segment[0] && o->segments[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--segment and --segments cannot be combined: labels come from a column or from row order");
    }
    if (o->segments[0] && options_blocks(o) < 2) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--segments %s: write equal:K with a whole number K of at least 2",
                    show_bare(shown, o->segments));
    }
    return NONSENS_OK;
}

static nonsens_status check_pairs(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->command != NONSENS_CMD_DIRECTION) {
        return NONSENS_OK;
    }
    if (o->pairs[0] && o->x[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--pairs says which pairs are looked at; leave out --x and --y");
    }
    if (!o->pairs[0] && (o->resume || o->fdr != FDR_BH)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s is for many pairs; name them with --pairs all or --pairs FILE",
                    o->resume ? "resume" : "fdr");
    }
    return NONSENS_OK;
}

static nonsens_status check_explained(nonsens_context *ctx, const nonsens_options *o)
{
    char shown[SHOWN_BYTES];
    if (o->command != NONSENS_CMD_EXPLAIN) {
        return NONSENS_OK;
    }
    if (!o->of[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "explain needs --of SEGMENT, the label of the segment to be explained");
    }
    if (strcmp(o->of, o->against) == 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--of and --against both name %s; name two different segments",
                    show_quoted(shown, o->of));
    }
    if (o->graph[0] && o->knowledge[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--graph and --knowledge cannot be combined: a graph that is given is not looked for");
    }
    return NONSENS_OK;
}

nonsens_status options_check(nonsens_context *ctx, const nonsens_options *options)
{
    TRY(check_explained(ctx, options));
    TRY(check_variables(ctx, options));
    TRY(check_pairs(ctx, options));
    TRY(check_segments(ctx, options));
    return check_training(ctx, options);
}

nonsens_status options_begin(nonsens_context *ctx, const nonsens_options *options, unsigned commands)
{
    context_begin(ctx);
    ctx->max_memory = options->max_memory * MEGABYTE;
    if (!(options->command & commands)) {
        return fail(ctx, NONSENS_ERR_USAGE, "the options were made for %s; make options for the command that is run",
                    option_command_name(options->command));
    }
    TRY(check_explained(ctx, options));
    TRY(check_training(ctx, options));
    return blas_reserve(ctx);
}

/* ---- printing ---- */

void option_print_choice(const char *choices, int index, char *buffer, size_t bytes)
{
    while (index-- > 0) {
        choices += strcspn(choices, "|") + 1;
    }
    snprintf(buffer, bytes, "%.*s", (int)strcspn(choices, "|"), choices);
}

const char *option_test_word(enum independence_test test, char word[OPTION_WORD_BYTES])
{
    const char *choices = nonsens_option_find("test", NONSENS_CMD_INDEPENDENCE)->choices;
    option_print_choice(choices, (int)test, word, OPTION_WORD_BYTES);
    return word;
}

void option_print(const nonsens_options *options, const nonsens_option_info *info, char *buffer, size_t bytes)
{
    const option_row *r = row_find(info->key, info->commands);
    const void *field = (const char *)options + r->offset;
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        snprintf(buffer, bytes, "%s", *(const bool *)field ? "true" : "false");
        break;
    case NONSENS_OPTION_INTEGER:
        snprintf(buffer, bytes, "%" PRId64, *(const int64_t *)field);
        break;
    case NONSENS_OPTION_REAL:
        snprintf(buffer, bytes, "%s", number_print(low, *(const double *)field, 0));
        break;
    case NONSENS_OPTION_CHOICE:
        option_print_choice(info->choices, *(const int *)field, buffer, bytes);
        break;
    case NONSENS_OPTION_RANGE:
        snprintf(buffer, bytes, "%s:%s", number_print(low, ((const range *)field)->lo, 0),
                 number_print(high, ((const range *)field)->hi, 0));
        break;
    case NONSENS_OPTION_TEXT:
        snprintf(buffer, bytes, "%s", (const char *)field);
        break;
    }
}

nonsens_status nonsens_options_get(nonsens_context *ctx, const nonsens_options *options, const char *key, char *buffer,
                                   size_t bytes)
{
    NEEDED(ctx, options, key, buffer);
    REQUIRE_COUNT(ctx, bytes, 1, NONSENS_MAX_COUNT);
    char text[OPTION_TEXT_BYTES];
    const option_row *r = row_find(key, options->command);
    if (!r) {
        return fail_unknown(ctx, options, key);
    }
    option_print(options, &r->info, text, sizeof text);
    size_t needed = strlen(text) + 1;
    if (needed > bytes) {
        return fail(ctx, NONSENS_ERR_USAGE, "the value of --%s takes %zu bytes; the buffer has %zu", key, needed,
                    bytes);
    }
    memcpy(buffer, text, needed);
    return NONSENS_OK;
}
