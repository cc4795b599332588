/* option_values.c - converts the value of one option from text into its field, and back. */
#include "options/options_internal.h"

#include "base/nearest.h"
#include "base/number.h"
#include "base/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- from text ---- */

bool option_read_integer(const char *text, int64_t *value)
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
    bool is_word = r->info.choices && strcmp(value, r->info.choices) == 0; // the word stands for 0
    if (!is_word && (!option_read_integer(value, &number) || number < (int64_t)r->info.lowest ||
                     number > (int64_t)r->info.highest)) {
        return refuse_number(ctx, r, value);
    }
    memcpy(field, &number, sizeof number);
    return NONSENS_OK;
}

/* Two options have a special value outside their interval (-1 and 0); values between the two are refused. */
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

/* Returns the index of the word in "a|b|c", or -1. */
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

/* Finds the choice nearest to the value; words is scratch, where the choices are split. */
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

/* Lists the commands whose option of this name has the choice; NULL if there are none. */
static const char *list_commands_with(const char *key, const char *value, show_list *list)
{
    unsigned commands = 0;
    *list = (show_list){.max = SHOW_LIST_MAX};
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        bool has = info->type == NONSENS_OPTION_CHOICE && strcmp(info->key, key) == 0;
        commands |= has && choice_index(info->choices, value) >= 0 ? info->commands : 0;
    }
    for (unsigned bit = 1; bit && bit <= commands; bit <<= 1) {
        if (commands & bit) {
            show_list_add(list, option_command_name(bit));
        }
    }
    return commands ? show_list_end(list) : NULL;
}

static nonsens_status set_choice(nonsens_context *ctx, const option_row *r, void *field, const char *value)
{
    int index = choice_index(r->info.choices, value);
    if (index < 0) {
        char shown[SHOWN_BYTES], words[CHOICES_BYTES], hint[HINT_BYTES];
        show_list list;
        const char *commands = list_commands_with(r->info.key, value, &list);
        if (commands) {
            return fail(ctx, NONSENS_ERR_USAGE, "--%s %s is for %s; here it must be one of %s", r->info.key,
                        show_bare(shown, value), commands, r->info.choices);
        }
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

nonsens_status option_parse(nonsens_context *ctx, const option_row *r, const char *value, void *field)
{
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
    *(const char **)field = value;
    return NONSENS_OK;
}

/* ---- to text ---- */

void option_print_choice(const char *choices, int index, char *buffer, size_t bytes)
{
    while (index-- > 0) {
        choices += strcspn(choices, "|") + 1;
    }
    snprintf(buffer, bytes, "%.*s", (int)strcspn(choices, "|"), choices);
}

const char *option_test_word(enum option_independence_test test, char word[OPTION_WORD_BYTES])
{
    const char *choices = nonsens_option_find("test", NONSENS_COMMAND_INDEPENDENCE)->choices;
    option_print_choice(choices, (int)test, word, OPTION_WORD_BYTES);
    return word;
}

const char *option_print(const nonsens_options *options, const nonsens_option_info *info,
                         char buffer[OPTION_VALUE_BYTES])
{
    const void *field = option_field_const(options, option_find_row(info->key, info->commands));
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        return *(const bool *)field ? "true" : "false";
    case NONSENS_OPTION_INTEGER:
        if (info->choices && *(const int64_t *)field == 0) {
            return info->choices;
        }
        snprintf(buffer, OPTION_VALUE_BYTES, "%" PRId64, *(const int64_t *)field);
        break;
    case NONSENS_OPTION_REAL:
        snprintf(buffer, OPTION_VALUE_BYTES, "%s", number_print(low, *(const double *)field, 0));
        break;
    case NONSENS_OPTION_CHOICE:
        option_print_choice(info->choices, *(const int *)field, buffer, OPTION_VALUE_BYTES);
        break;
    case NONSENS_OPTION_RANGE:
        snprintf(buffer, OPTION_VALUE_BYTES, "%s:%s", number_print(low, ((const range *)field)->lo, 0),
                 number_print(high, ((const range *)field)->hi, 0));
        break;
    case NONSENS_OPTION_TEXT:
        return *(const char *const *)field;
    }
    return buffer;
}
