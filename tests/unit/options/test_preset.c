/* test_preset.c - --as-published: what it sets, what overrides it, where it is refused, and that it can be repeated. */
#include "options/options.h"
#include "options/preset.h"
#include "tasks/choose_method.h"

#include <stdio.h>
#include <string.h>

#include "fixture.h"

static nonsens_options *fresh(nonsens_context *ctx, unsigned command)
{
    nonsens_options *o = NULL;
    assert_int_equal(nonsens_options_new(ctx, command, &o), NONSENS_OK);
    return o;
}

static void set(nonsens_context *ctx, nonsens_options *o, const char *key, const char *value)
{
    if (nonsens_options_set(ctx, o, key, value) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(ctx));
    }
}

static void assert_value(nonsens_context *ctx, const nonsens_options *o, const char *key, const char *expected)
{
    const char *text;
    assert_int_equal(nonsens_options_get(ctx, o, key, &text), NONSENS_OK);
    if (strcmp(text, expected) != 0) {
        fail_msg("--%s is %s, not %s", key, text, expected);
    }
}

/* Every value is legal and is written as it is printed, and the help text names its option. */
static void test_the_table_is_sound(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = fresh(ctx, NONSENS_COMMAND_DIRECTION);
    const char *text = nonsens_option_find("as-published", NONSENS_COMMAND_DIRECTION)->text;
    set(ctx, o, "as-published", "true");
    assert_true(o->as_published && preset_count() > 10);
    assert_null(preset_at(preset_count()));
    for (size_t i = 0; i < preset_count(); i++) {
        const preset_value *p = preset_at(i);
        assert_non_null(nonsens_option_find(p->key, NONSENS_COMMAND_DIRECTION));
        assert_value(ctx, o, p->key, p->value);
        assert_string_equal(preset_find(p->key), p->value);
        assert_non_null(strstr(text, p->key));
    }
    assert_null(preset_find("method"));
    nonsens_options_free(o);
}

/* These are the paper's settings, whatever the table says. */
static void test_it_is_the_paper(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = fresh(ctx, NONSENS_COMMAND_DIRECTION), *usual = fresh(ctx, NONSENS_COMMAND_DIRECTION);
    set(ctx, o, "as-published", "true");
    assert_true(o->folds == 1 && o->restarts == 1 && o->keep == 0);
    assert_int_equal(o->optimiser, OPTIMISER_SGD);
    assert_int_equal(o->inputs, INPUTS_PLAIN);
    assert_int_equal(o->unmixing, UNMIX_SCORE_MATCHING);
    assert_int_equal(o->pooling, POOLING_POOLED);
    assert_int_equal(o->ratio, RATIO_PRINTED);
    assert_int_equal(o->null_kind, NULL_GAMMA);
    assert_true(o->layers == usual->layers && o->alpha == usual->alpha && o->seed == usual->seed);
    nonsens_options_free(o);
    nonsens_options_free(usual);
}

static void test_the_later_one_counts(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = fresh(ctx, NONSENS_COMMAND_DIRECTION), *before = fresh(ctx, NONSENS_COMMAND_DIRECTION);
    set(ctx, o, "folds", "5");
    set(ctx, o, "seed", "7");
    set(ctx, o, "as-published", "true");
    set(ctx, o, "pooling", "stratified");
    assert_value(ctx, o, "folds", "1");
    assert_value(ctx, o, "seed", "7");
    assert_value(ctx, o, "pooling", "stratified");
    assert_int_equal(nonsens_options_set(ctx, o, "as-published", "maybe"), NONSENS_ERR_USAGE);
    assert_value(ctx, o, "pooling", "stratified");
    set(ctx, o, "as-published", "false"); // the defaults again
    set(ctx, o, "seed", "1");
    assert_memory_equal(o, before, sizeof *o);
    nonsens_options_free(o);
    nonsens_options_free(before);
}

/* Setting all printed values, or only the unusual ones, in the order of the table gives the same options. */
static void test_options_can_be_repeated(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = fresh(ctx, NONSENS_COMMAND_DIRECTION);
    set(ctx, o, "as-published", "true");
    set(ctx, o, "folds", "10"); // its default, but unusual with the preset
    set(ctx, o, "layers", "5");
    for (int only_unusual = 0; only_unusual < 2; only_unusual++) {
        nonsens_options *again = fresh(ctx, NONSENS_COMMAND_DIRECTION);
        int said = 0;
        for (size_t i = 0; i < nonsens_option_count(); i++) {
            const nonsens_option_info *info = nonsens_option_at(i);
            char buffer[OPTION_VALUE_BYTES];
            const char *text = option_print(o, info, buffer);
            if ((info->commands & o->command) && !(only_unusual && strcmp(text, option_usual(o, info)) == 0)) {
                set(ctx, again, info->key, text);
                said++;
            }
        }
        assert_memory_equal(o, again, offsetof(struct nonsens_options, texts));
        assert_value(ctx, again, "folds", "10");
        assert_value(ctx, again, "layers", "5");
        assert_true(!only_unusual || said == 3);
        nonsens_options_free(again);
    }
    nonsens_options_free(o);
}

/* discover has few of these options; those it has are set. */
static void test_a_command_with_few_of_them(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = fresh(ctx, NONSENS_COMMAND_DISCOVER);
    set(ctx, o, "as-published", "true");
    assert_value(ctx, o, "pooling", "pooled");
    assert_value(ctx, o, "layers", "3");
    set(ctx, o, "layers", "5");
    assert_value(ctx, o, "layers", "5");
    assert_int_equal(nonsens_options_set(ctx, o, "folds", "1"), NONSENS_ERR_USAGE);
    nonsens_options_free(o);
    o = fresh(ctx, NONSENS_COMMAND_ICA);
    assert_int_equal(nonsens_options_set(ctx, o, "as-published", "true"), NONSENS_ERR_USAGE);
    nonsens_options_free(o);
}

static void test_other_methods_refuse_it(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    static const struct {
        unsigned command;
        const char *method, *orient_by;
        nonsens_status expected;
    } table[] = {
        {NONSENS_COMMAND_DIRECTION, "nonsens", NULL, NONSENS_OK},
        {NONSENS_COMMAND_DIRECTION, "nonsens-lr", NULL, NONSENS_OK},
        {NONSENS_COMMAND_DIRECTION, "structured", NULL, NONSENS_ERR_USAGE},
        {NONSENS_COMMAND_DIRECTION, "linear-ica", NULL, NONSENS_ERR_USAGE},
        {NONSENS_COMMAND_DISCOVER, "pc-nonsens", "nonsens", NONSENS_OK},
        {NONSENS_COMMAND_DISCOVER, "pc-nonsens", "nonsens-lr", NONSENS_OK},
        {NONSENS_COMMAND_DISCOVER, "pc-nonsens", "structured", NONSENS_ERR_USAGE},
        {NONSENS_COMMAND_DISCOVER, "pc", "nonsens", NONSENS_ERR_USAGE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        nonsens_options *o = fresh(ctx, table[i].command);
        const method *m;
        set(ctx, o, "method", table[i].method);
        if (table[i].orient_by) {
            set(ctx, o, "orient-by", table[i].orient_by);
        }
        assert_int_equal(choose_method(ctx, o, &m), NONSENS_OK);
        set(ctx, o, "as-published", "true");
        assert_int_equal(nonsens_options_check(ctx, o), table[i].expected);
        assert_int_equal(choose_method(ctx, o, &m), table[i].expected);
        assert_true(table[i].expected == NONSENS_OK || strstr(nonsens_context_message(ctx), "--as-published is for"));
        nonsens_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_table_is_sound),         TEST(test_it_is_the_paper),
        TEST(test_the_later_one_counts),       TEST(test_options_can_be_repeated),
        TEST(test_a_command_with_few_of_them), TEST(test_other_methods_refuse_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
