/* test_registry.c - the rows of the registry: complete, consistent with the option table, and the messages of a choice.
 */
#include "methods/registry.h"
#include "tasks/choose_method.h"

#include <stdio.h>
#include <string.h>

#include "fixture.h"

static void test_rows_are_complete(void **state)
{
    (void)state;
    assert_null(method_at(nonsens_method_count()));
    assert_null(nonsens_method_at(nonsens_method_count()));
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const method *m = method_at(i);
        const nonsens_method_info *info = &m->info;
        assert_ptr_equal(info, nonsens_method_at(i));
        assert_ptr_equal(info, nonsens_method_find(info->name));
        assert_true(info->citation[0] && info->summary[0]);
        assert_int_equal(info->assumes[strlen(info->assumes) - 1], '.');
        assert_int_equal((info->commands & NONSENS_COMMAND_DIRECTION) != 0, m->direction != NULL);
        assert_int_equal((info->commands & NONSENS_COMMAND_DISCOVER) != 0, m->discover != NULL);
        assert_int_equal((info->commands & NONSENS_COMMAND_EXPLAIN) != 0, m->discover != NULL);
        assert_true(info->commands != 0 && (info->disturbances & ~info->commands) == 0);
        assert_int_equal(m->published_as != NULL, method_uses(m, NONSENS_COMMAND_DIRECTION, "as-published") ||
                                                      method_uses(m, NONSENS_COMMAND_DISCOVER, "as-published"));
        assert_true(!m->published_as || strstr(m->published_as, info->name));
        assert_true(!m->pair_option || method_uses(m, NONSENS_COMMAND_DISCOVER, m->pair_option));
    }
    assert_null(nonsens_method_find("none"));
    assert_null(nonsens_method_find(NULL));
}

/* Assumptions that no data can test come first, for methods that need segments or look inside them (--pooling). */
static void test_given_segments_are_assumed_first(void **state)
{
    static const char given[] = "Segments were not formed from these variables. ";
    static const char if_any[] = "Segments, if there are any, were not formed from these variables. ";
    (void)state;
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const method *m = method_at(i);
        bool looks_inside =
            method_uses(m, NONSENS_COMMAND_DIRECTION, "pooling") || method_uses(m, NONSENS_COMMAND_DISCOVER, "pooling");
        const char *first = m->info.needs_segments ? given : looks_inside ? if_any : "";
        assert_int_equal(strncmp(m->info.assumes, first, strlen(first)), 0);
        assert_int_equal(strstr(m->info.assumes, "not formed") != NULL, first[0] != '\0');
    }
}

/* Checks that each key is an option of the command and is listed once. */
static void check_keys(const method *m, unsigned command, const char *keys)
{
    char list[512], seen[512] = " ", word[64], *rest;
    assert_true(snprintf(list, sizeof list, "%s", keys) < (int)sizeof list);
    for (char *key = strtok_r(list, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        if (!nonsens_option_find(key, command)) {
            fail_msg("%s: no option %s", m->info.name, key);
        }
        snprintf(word, sizeof word, " %s ", key);
        assert_null(strstr(seen, word));
        strcat(strcat(seen, key), " ");
        assert_true(method_uses(m, command, key));
    }
    assert_false(method_uses(m, command, "") || method_uses(m, command, "seed") || method_uses(m, command, "max"));
}

static void test_options_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const method *m = method_at(i);
        assert_int_equal(m->info.direction_options != NULL, m->direction != NULL);
        assert_int_equal(m->info.discover_options != NULL, m->discover != NULL);
        if (m->direction) {
            check_keys(m, NONSENS_COMMAND_DIRECTION, m->info.direction_options);
        }
        if (m->discover) {
            check_keys(m, NONSENS_COMMAND_DISCOVER, m->info.discover_options);
        }
    }
}

/* Checks that methods named at the beginning of an option's help ("pc, cdnod: ...") use the option. */
static int check_help(const nonsens_option_info *info)
{
    char names[128], *rest;
    int named = 0;
    const char *colon = strchr(info->text, ':');
    if (!colon || (size_t)(colon - info->text) >= sizeof names) {
        return 0;
    }
    snprintf(names, sizeof names, "%.*s", (int)(colon - info->text), info->text);
    char *name = strtok_r(names, ", ", &rest);
    bool begins_with_name = method_find(name) != NULL;
    for (; begins_with_name && name; name = strtok_r(NULL, ", ", &rest)) {
        const method *m = method_find(name);
        unsigned command =
            info->commands & NONSENS_COMMAND_DIRECTION ? NONSENS_COMMAND_DIRECTION : NONSENS_COMMAND_DISCOVER;
        if (m && (m->info.commands & command) && !method_uses(m, command, info->key)) {
            fail_msg("the text of --%s names %s, whose row does not list it", info->key, name);
        }
        named += m != NULL;
    }
    return named;
}

static void test_help_names_methods_that_use_the_option(void **state)
{
    (void)state;
    int named = 0;
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        named += check_help(nonsens_option_at(i));
    }
    assert_true(named > 15);
}

/* Choices that are names of methods name methods for pairs. */
static void test_methods_for_pairs(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = NULL;
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const method *m = method_at(i);
        char choices[256], *rest;
        if (!m->pair_option) {
            assert_null(method_for_pairs(m, o));
            continue;
        }
        snprintf(choices, sizeof choices, "%s", nonsens_option_find(m->pair_option, NONSENS_COMMAND_DISCOVER)->choices);
        for (char *word = strtok_r(choices, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
            assert_int_equal(nonsens_options_set(ctx, o, m->pair_option, word), NONSENS_OK);
            assert_string_equal(method_for_pairs(m, o)->info.name, word);
            assert_non_null(method_for_pairs(m, o)->direction);
        }
    }
    nonsens_options_free(o);
}

/* Sets pairs of key and value, ended by NULL, and expects this message; NULL: success. */
static void choose(nonsens_context *ctx, unsigned command, const char *const *words, const char *said)
{
    nonsens_options *o = NULL;
    const method *m;
    assert_int_equal(nonsens_options_new(ctx, command, &o), NONSENS_OK);
    for (; *words; words += 2) {
        assert_int_equal(nonsens_options_set(ctx, o, words[0], words[1]), NONSENS_OK);
    }
    nonsens_status status = choose_method(ctx, o, &m);
    assert_int_equal(status, said ? NONSENS_ERR_USAGE : NONSENS_OK);
    if (said) {
        assert_string_equal(nonsens_context_message(ctx), said);
    } else {
        assert_string_equal(m->info.name, o->method);
    }
    nonsens_options_free(o);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_choosing(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    unsigned pair = NONSENS_COMMAND_DIRECTION, graph = NONSENS_COMMAND_DISCOVER, explain = NONSENS_COMMAND_EXPLAIN;
    choose(ctx, pair, WORDS("method", "reci"), NULL);
    choose(ctx, explain, WORDS("method", "pc", "knowledge", "file"), NULL);
    choose(ctx, graph, WORDS("method", "icp", "target", "a"), NULL);
    choose(
        ctx, graph, WORDS("method", "lingham"),
        "--method lingham: there is no such method for discover; there are structured, lingam, resit, icp, cdnod, pc, "
        "pc-nonsens. Did you mean lingam?");
    choose(ctx, pair,
           WORDS("method", "\x1b"
                           "pc"),
           "--method \\x1bpc: there is no such method for direction; there are structured, nonsens, nonsens-lr, "
           "linear-ica, lingam, resit, reci, icp, cdnod");
    choose(ctx, graph, WORDS("method", "pc", "target", "a"),
           "--target is for --method icp; pc finds the graph of all variables");
    choose(ctx, explain, WORDS("method", "resit", "knowledge", "file"),
           "--knowledge: resit does not use it; leave it out, or take a --method that does: structured, pc, "
           "pc-nonsens");
    choose(ctx, pair, WORDS("as-published", "true"),
           "--as-published is for --method nonsens and --method nonsens-lr; name one of them");
    choose(ctx, graph, WORDS("method", "pc-nonsens", "as-published", "true"),
           "--as-published is for --method pc-nonsens with --orient-by nonsens or nonsens-lr; name both");
}

/* Sets pairs of key and value, and expects this warning. */
static void warn(nonsens_context *ctx, unsigned command, const char *const *words, const char *said)
{
    nonsens_options *o = NULL;
    const method *m;
    assert_int_equal(nonsens_options_new(ctx, command, &o), NONSENS_OK);
    for (; *words; words += 2) {
        assert_int_equal(nonsens_options_set(ctx, o, words[0], words[1]), NONSENS_OK);
    }
    assert_int_equal(choose_method(ctx, o, &m), NONSENS_OK);
    context_begin(ctx);
    warn_unused_options(ctx, o, m);
    assert_string_equal(nonsens_context_warning(ctx), said);
    nonsens_options_free(o);
}

static void test_options_without_effect(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    unsigned pair = NONSENS_COMMAND_DIRECTION, graph = NONSENS_COMMAND_DISCOVER, explain = NONSENS_COMMAND_EXPLAIN;
    warn(ctx, pair, WORDS("basis", "10"), "");
    warn(ctx, pair, WORDS("method", "lingam", "basis", "10"), "--basis has no effect with lingam");
    warn(ctx, pair, WORDS("method", "lingam", "basis", "10", "null", "permutation", "layers", "2"),
         "--layers, --basis have no effect with lingam");
    warn(ctx, pair, WORDS("method", "lingam", "basis", "0", "seed", "7", "alpha", "0.01"), ""); // 0 is its default
    warn(ctx, pair, WORDS("method", "nonsens-lr", "as-published", "true"), ""); // also sets options of nonsens
    warn(ctx, pair, WORDS("method", "nonsens-lr", "as-published", "true", "pooling", "stratified"),
         "--pooling has no effect with nonsens-lr");
    warn(ctx, pair, WORDS("pooling", "pooled"), "--pooling has no effect with structured");
    warn(ctx, pair, WORDS("pooling", "pooled", "opinions", "all"), ""); // the other methods that are asked use it
    warn(ctx, graph, WORDS("method", "pc", "block-length", "auto"), "--block-length has no effect with pc");
    warn(ctx, explain, WORDS("of", "a", "method", "pc"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rows_are_complete),      TEST(test_options_exist), TEST(test_help_names_methods_that_use_the_option),
        TEST(test_methods_for_pairs),      TEST(test_choosing),      TEST(test_given_segments_are_assumed_first),
        TEST(test_options_without_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
