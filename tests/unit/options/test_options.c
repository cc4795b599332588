/* test_options.c - the option table: defaults, bounds, conversion of text to values and back. */
#include "base/memory.h"
#include "base/number.h"
#include "options/options.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const unsigned COMMANDS[] = {NONSENS_COMMAND_SIMULATE, NONSENS_COMMAND_DIRECTION, NONSENS_COMMAND_INDEPENDENCE,
                                    NONSENS_COMMAND_DIAGNOSE, NONSENS_COMMAND_REPRODUCE};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static nonsens_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = nonsens_context_new();
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    nonsens_context_free(ctx);
    return 0;
}

static nonsens_options *fresh(unsigned command)
{
    nonsens_options *options = NULL;
    assert_int_equal(nonsens_options_new(ctx, command, &options), NONSENS_OK);
    assert_non_null(options);
    return options;
}

static void assert_refused(unsigned command, const char *key, const char *value, const char *said)
{
    nonsens_options *options = fresh(command);
    nonsens_options before = *options;
    assert_int_equal(nonsens_options_set(ctx, options, key, value), NONSENS_ERR_USAGE);
    if (!strstr(nonsens_context_message(ctx), said)) {
        fail_msg("--%s %s: \"%s\" does not say \"%s\"", key, value, nonsens_context_message(ctx), said);
    }
    assert_memory_equal(&before, options, sizeof before); // the value is not clamped, and nothing changes
    nonsens_options_free(options);
}

/* Sets the pairs of key and value, ended by NULL, for direction, and checks the status and its message. */
static void check_together(const char *const *words, nonsens_status expected, const char *said)
{
    nonsens_options *options = fresh(NONSENS_COMMAND_DIRECTION);
    for (; *words; words += 2) {
        assert_int_equal(nonsens_options_set(ctx, options, words[0], words[1]), NONSENS_OK);
    }
    assert_int_equal(nonsens_options_check(ctx, options), expected);
    if (expected != NONSENS_OK && !strstr(nonsens_context_message(ctx), said)) {
        fail_msg("\"%s\" does not say \"%s\"", nonsens_context_message(ctx), said);
    }
    nonsens_options_free(options);
}

#define TOGETHER(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Contradictions that can be seen from options alone. */
static void test_contradictions(void **state)
{
    (void)state;
    check_together(TOGETHER("seed", "2"), NONSENS_OK, "");
    check_together(TOGETHER("x", "a", "y", "b", "segment", "s"), NONSENS_OK, "");
    check_together(TOGETHER("vars", "a, b", "segments", "equal:3", "keep", "4"), NONSENS_OK, "");
    check_together(TOGETHER("y", "a"), NONSENS_ERR_USAGE, "--y is given without --x");
    check_together(TOGETHER("x", "a", "y", "a"), NONSENS_ERR_USAGE, "--x and --y both name \"a\"");
    check_together(TOGETHER("x", "a", "y", "b", "vars", "a,b"), NONSENS_ERR_USAGE, "--vars cannot be combined");
    check_together(TOGETHER("vars", "a,,b"), NONSENS_ERR_USAGE, "a name is missing");
    check_together(TOGETHER("vars", "a, "), NONSENS_ERR_USAGE, "a name is missing");
    check_together(TOGETHER("segment", "s", "segments", "equal:3"), NONSENS_ERR_USAGE, "cannot be combined");
    check_together(TOGETHER("segments", "equal:1"), NONSENS_ERR_USAGE, "--segments equal:1: write equal:K");
    check_together(TOGETHER("segments", "equal:+3"), NONSENS_ERR_USAGE, "write equal:K");
    check_together(TOGETHER("segments", "equal:99999999999"), NONSENS_ERR_USAGE, "write equal:K");
    check_together(TOGETHER("restarts", "2", "keep", "3"), NONSENS_ERR_USAGE, "--keep 3 is more than --restarts 2");
}

static void test_values_are_shown(void **state)
{
    (void)state;
    assert_refused(NONSENS_COMMAND_DIRECTION, "alpha", "", "--alpha \"\": must be");
    assert_refused(NONSENS_COMMAND_DIRECTION, "optimiser", "", "--optimiser \"\": must be one of");
    assert_refused(NONSENS_COMMAND_DIRECTION, "alpha", "\x1b[1m", "--alpha \\x1b[1m: must be");
    assert_refused(NONSENS_COMMAND_DIRECTION, "alpha", "0000000000000000000000000000000000000000000000000",
                   "--alpha 00000000000000000000...00000000000000000: must be");
}

/* ---- the table itself ---- */

static void test_rows_are_well_formed(void **state)
{
    (void)state;
    assert_true(nonsens_option_count() > 30);
    assert_null(nonsens_option_at(nonsens_option_count()));
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        size_t length = strlen(info->text);
        assert_true(strlen(info->key) > 0 && strspn(info->key, "abcdefghijklmnopqrstuvwxyz-") == strlen(info->key));
        assert_true(info->commands != 0 && info->group[0] && info->unit && info->default_value);
        assert_true(length > 10 && info->text[length - 1] == '.');
        bool is_word = info->type == NONSENS_OPTION_INTEGER && info->choices; // a word that stands for 0
        assert_int_equal(info->choices != NULL, info->type == NONSENS_OPTION_CHOICE || is_word);
        assert_true(info->lowest <= info->highest);
        assert_true(!info->bounds || info->type == NONSENS_OPTION_REAL || is_word);
    }
}

/* A key names one row in each command; the same key may mean different rows in different commands. */
static void test_keys_are_unique_in_a_command(void **state)
{
    (void)state;
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        for (size_t j = 0; j < i; j++) {
            const nonsens_option_info *a = nonsens_option_at(i), *b = nonsens_option_at(j);
            assert_true(strcmp(a->key, b->key) != 0 || (a->commands & b->commands) == 0);
        }
    }
    assert_int_equal(nonsens_option_find("segments", NONSENS_COMMAND_SIMULATE)->type, NONSENS_OPTION_INTEGER);
    assert_int_equal(nonsens_option_find("segments", NONSENS_COMMAND_DIRECTION)->type, NONSENS_OPTION_TEXT);
    assert_null(nonsens_option_find("alpha", NONSENS_COMMAND_SIMULATE));
}

/* The old name of a renamed option sets the new one, and only where the new one is an option. */
static void test_renamed_options(void **state)
{
    (void)state;
    const char *value = NULL;
    nonsens_options *o = fresh(NONSENS_COMMAND_DISCOVER);
    assert_int_equal(nonsens_options_set(ctx, o, "most-rows", "500"), NONSENS_OK);
    assert_int_equal(nonsens_options_get(ctx, o, "max-rows", &value), NONSENS_OK);
    assert_string_equal(value, "500");
    assert_int_equal(nonsens_options_set(ctx, o, "bends", "4"), NONSENS_OK);
    assert_int_equal(o->knots, 4);
    assert_string_equal(nonsens_option_find("bends", NONSENS_COMMAND_DISCOVER)->key, "knots");
    assert_null(nonsens_option_find("bends", NONSENS_COMMAND_DIRECTION));
    nonsens_options_free(o);
}

static void test_defaults(void **state)
{
    (void)state;
    nonsens_options *o = fresh(NONSENS_COMMAND_DIRECTION);
    assert_int_equal(o->seed, 1);
    assert_int_equal(o->threads, 0);
    assert_true(o->alpha == 0.05 && o->validation == 0.1 && o->weight_decay == 1e-4);
    assert_string_equal(o->method, "structured");
    assert_string_equal(o->segment, "");
    assert_int_equal(o->folds, 10);
    assert_int_equal(o->restarts, 4);
    assert_int_equal(o->unmixing, UNMIX_AUTO);
    assert_int_equal(o->pooling, POOLING_STRATIFIED);
    assert_int_equal(o->null_kind, NULL_GAMMA);
    assert_int_equal(o->sim_segments, 10); // options of other commands have their defaults, too
    assert_true(o->scale.lo == 0.2 && o->scale.hi == 3.0 && o->edge_prob == -1.0);
    nonsens_options_free(o);
}

/* Every default is a legal value, and printing gives text that sets the same value. */
static void test_defaults_survive_a_round_trip(void **state)
{
    (void)state;
    char text[OPTION_VALUE_BYTES];
    for (size_t c = 0; c < COMMAND_COUNT; c++) {
        nonsens_options *o = fresh(COMMANDS[c]);
        nonsens_options before = *o;
        for (size_t i = 0; i < nonsens_option_count(); i++) {
            const nonsens_option_info *info = nonsens_option_at(i);
            if (info->commands & COMMANDS[c]) {
                const char *value = option_print(o, info, text);
                assert_string_equal(value, info->default_value);
                assert_int_equal(nonsens_options_set(ctx, o, info->key, value), NONSENS_OK);
            }
        }
        assert_memory_equal(&before, o, sizeof before);
        nonsens_options_free(o);
    }
}

/* ---- values ---- */

/* Every word of every choice is accepted, gets its own number and prints as itself. */
static void test_all_choices(void **state)
{
    (void)state;
    char word[64], text[OPTION_VALUE_BYTES];
    int words = 0;
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        unsigned command = info->commands & (~info->commands + 1u); // the lowest bit
        if (info->type != NONSENS_OPTION_CHOICE) {
            continue;
        }
        nonsens_options *o = fresh(command);
        for (const char *at = info->choices, *end; at; at = *end ? end + 1 : NULL) {
            end = at + strcspn(at, "|");
            assert_true(end > at && (size_t)(end - at) < sizeof word);
            memcpy(word, at, (size_t)(end - at));
            word[end - at] = '\0';
            assert_int_equal(nonsens_options_set(ctx, o, info->key, word), NONSENS_OK);
            assert_string_equal(option_print(o, info, text), word);
            words++;
        }
        nonsens_options_free(o);
    }
    assert_true(words >= 25);
}

/* The bounds are allowed, the next number beyond them is not. */
static void test_integer_bounds(void **state)
{
    (void)state;
    char text[64];
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        unsigned command = info->commands & (~info->commands + 1u);
        if (info->type != NONSENS_OPTION_INTEGER) {
            continue;
        }
        nonsens_options *o = fresh(command);
        snprintf(text, sizeof text, "%" PRId64, (int64_t)info->lowest);
        assert_int_equal(nonsens_options_set(ctx, o, info->key, text), NONSENS_OK);
        snprintf(text, sizeof text, "%" PRId64, (int64_t)info->highest);
        assert_int_equal(nonsens_options_set(ctx, o, info->key, text), NONSENS_OK);
        nonsens_options_free(o);
        snprintf(text, sizeof text, "%" PRId64, (int64_t)info->lowest - 1);
        assert_refused(command, info->key, text, info->key);
        if (info->highest < 0x1p53) {
            snprintf(text, sizeof text, "%" PRId64, (int64_t)info->highest + 1);
            assert_refused(command, info->key, text, text);
        }
    }
}

static void test_numbers_are_strict(void **state)
{
    (void)state;
    static const char *const not_integers[] = {
        "", "-", "1.0", "1e3", " 1", "1 ", "0x10", "1,000", "nan", "99999999999999999999", "9007199254740994"};
    for (size_t i = 0; i < sizeof not_integers / sizeof *not_integers; i++) {
        assert_refused(NONSENS_COMMAND_DIRECTION, "seed", not_integers[i], "from 0 to 9007199254740992");
    }
    static const char *const not_levels[] = {"", "0", "1", "1.5", "-0.1", "nan", "inf", "0,05", "0.05x", " 0.05"};
    for (size_t i = 0; i < sizeof not_levels / sizeof *not_levels; i++) {
        assert_refused(NONSENS_COMMAND_DIRECTION, "alpha", not_levels[i], "between 0 and 1, both excluded");
    }
}

static void test_reals_and_ranges(void **state)
{
    (void)state;
    nonsens_options *o = fresh(NONSENS_COMMAND_SIMULATE);
    char text[OPTION_VALUE_BYTES];
    assert_int_equal(nonsens_options_set(ctx, o, "scale", "1e-3:2.5"), NONSENS_OK);
    assert_true(o->scale.lo == 1e-3 && o->scale.hi == 2.5);
    option_print(o, nonsens_option_find("scale", NONSENS_COMMAND_SIMULATE), text);
    assert_string_equal(text, "0.001:2.5");
    assert_int_equal(nonsens_options_set(ctx, o, "mean", "-2:-1"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(ctx, o, "edge-prob", "0.3333333333333333"), NONSENS_OK);
    option_print(o, nonsens_option_find("edge-prob", NONSENS_COMMAND_SIMULATE), text);
    assert_string_equal(text, "0.3333333333333333");
    nonsens_options_free(o);
    assert_refused(NONSENS_COMMAND_SIMULATE, "edge-prob", "-0.5", "-1");
    assert_refused(NONSENS_COMMAND_SIMULATE, "scale", "3:1", "LO <= HI");
    assert_refused(NONSENS_COMMAND_SIMULATE, "scale", "0:1", "1e-09");
    assert_refused(NONSENS_COMMAND_SIMULATE, "scale", "1", "LO:HI");
    assert_refused(NONSENS_COMMAND_SIMULATE, "scale", "1:2:3", "LO:HI");
}

static void test_flags_and_texts(void **state)
{
    (void)state;
    nonsens_options *o = fresh(NONSENS_COMMAND_DIRECTION);
    assert_false(o->no_header);
    assert_int_equal(nonsens_options_set(ctx, o, "no-header", "true"), NONSENS_OK);
    assert_true(o->no_header);
    assert_int_equal(nonsens_options_set(ctx, o, "segment", "a long, \"odd\" name"), NONSENS_OK);
    assert_string_equal(o->segment, "a long, \"odd\" name");
    nonsens_options_free(o);
    assert_refused(NONSENS_COMMAND_DIRECTION, "no-header", "yes", "true or false");
    assert_refused(NONSENS_COMMAND_DIRECTION, "na", "drop", "error|drop-rows");
    assert_refused(NONSENS_COMMAND_DIRECTION, "na", "", "error|drop-rows");
}

static void assert_got(const nonsens_options *o, const char *key, const char *expected)
{
    const char *value = NULL;
    assert_int_equal(nonsens_options_get(ctx, o, key, &value), NONSENS_OK);
    assert_string_equal(value, expected);
}

/* Texts belong to the options, whatever their length, and are freed with them. */
static void test_texts_of_any_length(void **state)
{
    (void)state;
    enum { LONG = 1000000 };
    static char text[LONG + 1];
    int64_t held = memory_held();
    nonsens_options *o = fresh(NONSENS_COMMAND_DIRECTION);
    memset(text, 'a', LONG);
    assert_int_equal(nonsens_options_set(ctx, o, "vars", text), NONSENS_OK);
    assert_int_equal(nonsens_options_set(ctx, o, "segment", text), NONSENS_OK);
    assert_got(o, "vars", text);
    text[0] = 'b';
    assert_int_equal(strlen(o->vars), LONG);
    assert_int_equal(o->vars[0], 'a');                                                     // a copy
    assert_int_equal(nonsens_options_set(ctx, o, "vars", o->vars + LONG - 3), NONSENS_OK); // a part of itself
    assert_got(o, "vars", "aaa");
    assert_string_equal(o->vars, "aaa");
    assert_int_equal(nonsens_options_set(ctx, o, "vars", ""), NONSENS_OK); // the default
    assert_got(o, "vars", "");
    assert_int_equal(memory_held(), held + 2); // the options, and --segment
    nonsens_options_free(o);
    assert_int_equal(memory_held(), held);
    assert_true(sizeof *o < 1024);
}

/* Values are returned as they are printed, even after a failure, and after the last one is reset. */
static void test_getting(void **state)
{
    (void)state;
    nonsens_options *o = fresh(NONSENS_COMMAND_DIRECTION);
    const char *value = "untouched";
    assert_got(o, "alpha", "0.05");
    assert_int_equal(nonsens_options_set(ctx, o, "alpha", "1e-2"), NONSENS_OK);
    assert_got(o, "alpha", "0.01");
    assert_int_equal(nonsens_options_set(ctx, o, "alpha", "2"), NONSENS_ERR_USAGE);
    memory_fail_at(0);
    assert_int_equal(nonsens_options_set(ctx, o, "alpha", "0.02"), NONSENS_ERR_MEMORY);
    memory_fail_at(-1);
    assert_got(o, "alpha", "0.01");
    assert_true(o->alpha == 0.01);
    assert_int_equal(nonsens_options_set(ctx, o, "alpha", "+0.050"), NONSENS_OK);
    assert_got(o, "alpha", "0.05");
    assert_null(o->texts);
    assert_int_equal(nonsens_options_get(ctx, o, "nodes", &value), NONSENS_ERR_USAGE);
    assert_null(value);
    nonsens_options_free(o);
}

/* A copy lives as long as its arena, and so do its texts. */
static void test_copies(void **state)
{
    (void)state;
    arena a = {0};
    nonsens_options *o = fresh(NONSENS_COMMAND_INDEPENDENCE), copy;
    assert_int_equal(nonsens_options_set(ctx, o, "x", "a,b"), NONSENS_OK); // x shares its field with the x of direction
    assert_int_equal(nonsens_options_set(ctx, o, "given", "c"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(ctx, o, "seed", "3"), NONSENS_OK);
    for (int64_t n = 0; n < 3; n++) { // the default method is copied as well
        memory_fail_at(n);
        assert_int_equal(options_copy(ctx, &a, o, &copy), NONSENS_ERR_MEMORY);
    }
    memory_fail_at(-1);
    assert_int_equal(options_copy(ctx, &a, o, &copy), NONSENS_OK);
    nonsens_options_free(o);
    assert_string_equal(copy.x, "a,b");
    assert_string_equal(copy.given, "c");
    assert_string_equal(copy.method, "structured");
    assert_string_equal(copy.y, "");
    assert_int_equal(copy.seed, 3);
    assert_null(copy.texts);
    arena_free(&a);
}

static void test_unknown_keys(void **state)
{
    (void)state;
    assert_refused(NONSENS_COMMAND_DIRECTION, "frobnicate", "1", "frobnicate");
    assert_refused(NONSENS_COMMAND_SIMULATE, "alpha", "0.1", "simulate");
    nonsens_options *o = NULL;
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_SIMULATE, &o), NONSENS_ERR_USAGE);
    assert_null(o);
    assert_int_equal(nonsens_options_new(ctx, 0, &o), NONSENS_ERR_USAGE);
}

static void test_options_of_another_command(void **state)
{
    (void)state;
    nonsens_options *o = fresh(NONSENS_COMMAND_DIRECTION);
    nonsens_simulation *s;
    assert_int_equal(options_begin(ctx, o, NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DIAGNOSE), NONSENS_OK);
    assert_string_equal(nonsens_context_message(ctx), "");
    assert_int_equal(options_begin(ctx, o, NONSENS_COMMAND_INDEPENDENCE), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(ctx), "made for direction"));
    assert_int_equal(nonsens_simulation_new(ctx, o, &s), NONSENS_ERR_USAGE);
    assert_null(s);
    nonsens_options_free(o);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    nonsens_options *o = NULL;
    memory_fail_at(0);
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &o), NONSENS_ERR_MEMORY);
    memory_fail_at(-1);
    assert_null(o);
    assert_true(strlen(nonsens_context_message(ctx)) > 0);
}

/* ---- numbers as text ---- */

static void test_number_print(void **state)
{
    (void)state;
    char text[NUMBER_BYTES];
    assert_string_equal(number_print(text, 0.05, 0), "0.05");
    assert_string_equal(number_print(text, 0.1 + 0.2, 0), "0.30000000000000004");
    assert_string_equal(number_print(text, -1.0 / 3.0, 3), "-0.333");
    assert_string_equal(number_print(text, 1e300, 0), "1e+300");
    assert_string_equal(number_print(text, 0x1p53, 0), "9007199254740992");
    for (double v = -1.7e308; v < 1.7e308; v += 1.7e305 * 1.37) {
        double again = 0.0;
        number_print(text, v, 0);
        assert_ptr_equal(number_parse(text, text + strlen(text), &again), text + strlen(text));
        assert_true(again == v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_well_formed),
        cmocka_unit_test(test_keys_are_unique_in_a_command),
        cmocka_unit_test(test_renamed_options),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_defaults_survive_a_round_trip),
        cmocka_unit_test(test_all_choices),
        cmocka_unit_test(test_integer_bounds),
        cmocka_unit_test(test_numbers_are_strict),
        cmocka_unit_test(test_reals_and_ranges),
        cmocka_unit_test(test_flags_and_texts),
        cmocka_unit_test(test_texts_of_any_length),
        cmocka_unit_test(test_getting),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_options_of_another_command),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_number_print),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_values_are_shown),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
