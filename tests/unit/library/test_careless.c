/*
 * test_careless.c - every public function with every mistake that a caller can make in one of its arguments.
 *
 * make_careless.py writes the calls from the public header; this file has their arguments and judges their results.
 */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include <nonsens/nonsens.h>

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { MIN_CALLS = 400, PATH_BYTES = 200, MAX_LISTS = 8 };

/* ---- what is called, and what is expected ---------------------------------------------------------------------- */

enum expected {
    VALID,      /* the call succeeds */
    REFUSED,    /* an error of usage or of the data, with a message */
    NO_CONTEXT, /* an error of usage; there is no context to hold a message */
    NEUTRAL,    /* the function has no status: it returns its neutral value */
    ANYTHING    /* the call returns */
};

static struct {
    enum expected expected;
    const char *function, *mistake;
    int count; // number of calls so far
} now;

static void expect(enum expected expected, const char *function, const char *mistake)
{
    now.expected = expected;
    now.function = function;
    now.mistake = mistake;
    now.count++;
}

#define WRONG(format, ...) fail_msg("%s, %s: " format, now.function, now.mistake, __VA_ARGS__)

static void (*cmocka_handler)(int number);

/* Prints which call crashed, and lets cmocka handle the same signal again. */
static void on_crash(int number)
{
    const char *const text[] = {"crash: ", now.function, ", ", now.mistake, "\n"};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        if (write(STDERR_FILENO, text[k], strlen(text[k])) < 0) {
            break;
        }
    }
    signal(number, cmocka_handler);
}

/* ---- context and lists of one call ----------------------------------------------------------------------------- */

static nonsens_context *context; // one for each call, so that its message comes from this call

static nonsens_context *new_context(void)
{
    nonsens_context_free(context);
    context = nonsens_context_new();
    assert_non_null(context);
    return context;
}

static struct {
    void *pages[MAX_LISTS];
    int count;
} lists;

/* Returns a copy that ends at the end of a page; the next page cannot be read. */
static void *guarded(const void *from, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_true(bytes <= page && lists.count < MAX_LISTS);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    lists.pages[lists.count++] = pages;
    return memcpy(pages + page - bytes, from, bytes);
}

static void release_lists(void)
{
    while (lists.count > 0) {
        munmap(lists.pages[--lists.count], 2 * (size_t)sysconf(_SC_PAGESIZE));
    }
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

static void judge_status(const nonsens_context *ctx, nonsens_status status)
{
    bool refused = status == NONSENS_ERR_USAGE || status == NONSENS_ERR_DATA;
    const char *message = nonsens_context_message(ctx);
    if (now.expected == VALID && status != NONSENS_OK) {
        WRONG("status %d, \"%s\"", (int)status, message);
    }
    if (now.expected == REFUSED && !refused) {
        WRONG("is not refused: status %d, \"%s\"", (int)status, message);
    }
    if (now.expected == NO_CONTEXT && status != NONSENS_ERR_USAGE) {
        WRONG("status %d", (int)status);
    }
    if (status != NONSENS_OK && !message[0]) {
        WRONG("status %d without a message", (int)status);
    }
}

static void judge_out(nonsens_status status, const void *out)
{
    if (status != NONSENS_OK && out) {
        WRONG("status %d, but something was made", (int)status);
    }
}

static void judge_nothing(void)
{
}

/* Requires a neutral value where one is expected, and otherwise another one, unless a valid call may return it. */
static void judge_neutral(bool neutral, bool maybe)
{
    if (now.expected == NEUTRAL && !neutral) {
        WRONG("%s", "the value is not neutral");
    }
    if (now.expected == VALID && neutral && !maybe) {
        WRONG("%s", "the value is neutral");
    }
}

static void judge_pointer(const void *value, bool maybe, bool null_is_neutral)
{
    if (null_is_neutral) {
        judge_neutral(!value, maybe);
    } else {
        assert_non_null(value);
    }
}

static void judge_integer(int64_t value, int64_t neutral, bool maybe)
{
    judge_neutral(value == neutral, maybe);
}

static void judge_number(double value)
{
    judge_neutral(isnan(value), false);
}

/* ---- valid arguments ------------------------------------------------------------------------------------------- */

static const char graph_text[] = "Graph Nodes:\nx1;x2;x3\n\nGraph Edges:\n1. x1 --> x2\n2. x2 --- x3\n";
static const char other_text[] = "Graph Nodes:\nx1;x2;x3\n\nGraph Edges:\n1. x2 --> x1\n";
static const char journal_text[] =
    "{\"options\":\"nonsens pairs\",\"seed\":0,\"version\":\"0\",\"inputs\":{},\"settings\":{}}\n";
static const double numbers[] = {1.5, 2.5, 4.0, 3.0, 9.0, 7.5, 8.0, 6.0};

static char folder[] = "/tmp/test_careless_XXXXXX";
static char table_file[PATH_BYTES], second_file[PATH_BYTES], graph_file[PATH_BYTES], result_file[PATH_BYTES],
    output_file[PATH_BYTES], journal_file[PATH_BYTES], merged_file[PATH_BYTES];

static nonsens_context *own; // for objects made here
static nonsens_data *a_data;
static nonsens_ci *a_ci;
static nonsens_result *a_result, *a_graph_result, *an_explanation, *some_sources;
static nonsens_result *an_effect, *all_effects, *a_counterfactual;
static nonsens_graph *a_graph, *another_graph;
static nonsens_comparison *a_comparison;
static nonsens_pairs *a_pairs;
static nonsens_explanations *some_explanations;
static nonsens_simulation *a_simulation;

static void must(nonsens_status status)
{
    if (status != NONSENS_OK) {
        fail_msg("status %d, %s", (int)status, nonsens_context_message(own));
    }
}

/* Values of the options of each command. */
static const struct setting {
    unsigned commands;
    const char *key, *value;
} SETTING[] = {
    {NONSENS_COMMAND_SIMULATE, "sem", "node"},
    {NONSENS_COMMAND_SIMULATE, "nodes", "3"},
    {NONSENS_COMMAND_SIMULATE, "segments", "4"},
    {NONSENS_COMMAND_SIMULATE, "per-segment", "40"},
    {NONSENS_COMMAND_SIMULATE, "depth", "1"},
    {NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT, "method",
     "lingam"},
    {NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_INDEPENDENCE, "x", "x1"},
    {NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_INDEPENDENCE, "y", "x2"},
    {NONSENS_COMMAND_INDEPENDENCE, "test", "fisher-z"},
    {NONSENS_COMMAND_EXPLAIN, "target", "x1"},
    {NONSENS_COMMAND_EXPLAIN, "of", "s1"},
    {NONSENS_COMMAND_EFFECT, "draws", "0"},
    {NONSENS_COMMAND_EFFECT, "extrapolate", "true"},
    {NONSENS_COMMAND_REPRODUCE, "reps", "1"},
    {NONSENS_COMMAND_REPRODUCE, "cells", "laplace-random-50"},
    {NONSENS_COMMAND_REPRODUCE, "resume", "true"},
    {NONSENS_COMMAND_REPRODUCE, "out", folder},
    {0, NULL, NULL},
};

static nonsens_options *made_options[32]; // by command; the last ones are for segments and pairs

static nonsens_options *make_options(unsigned command)
{
    nonsens_options *options = NULL;
    must(nonsens_options_new(own, command, &options));
    for (const struct setting *s = SETTING; s->commands; s++) {
        if (s->commands & command) {
            must(nonsens_options_set(own, options, s->key, s->value));
        }
    }
    return options;
}

static nonsens_options *options_of(unsigned command)
{
    int bit = 0;
    while (command >> bit > 1) {
        bit++;
    }
    if (!made_options[bit]) {
        made_options[bit] = make_options(command);
    }
    return made_options[bit];
}

static nonsens_options *options_for_pairs(void)
{
    nonsens_options **made = &made_options[sizeof made_options / sizeof *made_options - 1];
    if (!*made) {
        must(nonsens_options_new(own, NONSENS_COMMAND_DIRECTION, made));
        must(nonsens_options_set(own, *made, "method", "lingam"));
        must(nonsens_options_set(own, *made, "pairs", "all"));
    }
    return *made;
}

static nonsens_options *options_for_segments(void)
{
    nonsens_options **made = &made_options[sizeof made_options / sizeof *made_options - 2];
    if (!*made) {
        *made = make_options(NONSENS_COMMAND_EXPLAIN);
        must(nonsens_options_set(own, *made, "of", NONSENS_ALL_SEGMENTS));
    }
    return *made;
}

static nonsens_options *new_options(void)
{
    return make_options(NONSENS_COMMAND_ICA);
}

/* Reads data with segments, whatever the options of other calls say. */
static nonsens_data *new_data(void)
{
    nonsens_options *options = make_options(NONSENS_COMMAND_DISCOVER);
    nonsens_data *data = NULL;
    must(nonsens_options_set(own, options, "segment", "segment"));
    must(nonsens_data_read(own, table_file, options, &data));
    nonsens_options_free(options);
    return data;
}

typedef nonsens_status run_fn(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              nonsens_result **out);

static nonsens_result *run(run_fn *method, unsigned command)
{
    nonsens_result *result = NULL;
    must(method(own, a_data, options_of(command), &result));
    return result;
}

static nonsens_result *new_result(void)
{
    return run(nonsens_run_direction, NONSENS_COMMAND_DIRECTION);
}

static nonsens_ci *new_ci(void)
{
    nonsens_ci *tester = NULL;
    must(nonsens_ci_new(own, a_data, options_of(NONSENS_COMMAND_INDEPENDENCE), &tester));
    return tester;
}

static nonsens_graph *parse(const char *text)
{
    nonsens_graph *graph = NULL;
    must(nonsens_graph_parse(own, "text", text, strlen(text), NULL, &graph));
    return graph;
}

static nonsens_graph *new_graph(void)
{
    return parse(graph_text);
}

static nonsens_comparison *new_comparison(void)
{
    nonsens_comparison *comparison = NULL;
    must(nonsens_comparison_new(own, a_graph, another_graph, options_of(NONSENS_COMMAND_COMPARE), &comparison));
    return comparison;
}

static nonsens_pairs *new_pairs(void)
{
    nonsens_pairs *pairs = NULL;
    must(nonsens_run_pairs(own, a_data, options_for_pairs(), NULL, &pairs));
    return pairs;
}

static nonsens_explanations *new_explanations(void)
{
    nonsens_explanations *explanations = NULL;
    must(nonsens_run_explain_all(own, a_data, NULL, options_for_segments(), NULL, &explanations));
    return explanations;
}

static nonsens_simulation *new_simulation(void)
{
    nonsens_simulation *simulation = NULL;
    must(nonsens_simulation_new(own, options_of(NONSENS_COMMAND_SIMULATE), &simulation));
    return simulation;
}

static nonsens_status a_test(void *user, int64_t x, int64_t y, const int64_t *given, int64_t count, double *p_value)
{
    (void)user, (void)x, (void)y, (void)given, (void)count;
    *p_value = 0.5;
    return NONSENS_OK;
}

static int a_progress(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)user, (void)phase, (void)done, (void)total;
    return 0;
}

/* ---- all calls ------------------------------------------------------------------------------------------------- */

#include "careless_calls.h"

enum { FUNCTIONS = sizeof FUNCTION / sizeof *FUNCTION };

static void test_function(void **state)
{
    const struct function *f = *state;
    cmocka_handler = signal(SIGSEGV, on_crash);
    for (int k = 0; f->call(k); k++) {
        release_lists();
    }
    signal(SIGSEGV, cmocka_handler);
}

static void test_count(void **state)
{
    (void)state;
    print_message("%d calls of %d functions.\n", now.count, (int)FUNCTIONS);
    assert_true(now.count >= MIN_CALLS);
}

static void name_file(char *path, const char *name)
{
    assert_true(snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_files(void)
{
    name_file(table_file, "table.csv");
    name_file(second_file, "second.csv");
    name_file(graph_file, "graph.txt");
    name_file(result_file, "result.json");
    name_file(output_file, "output");
    name_file(journal_file, "journal");
    name_file(merged_file, "merged");
    a_simulation = new_simulation();
    must(nonsens_simulation_write_csv(own, a_simulation, table_file));
    must(nonsens_simulation_write_csv(own, a_simulation, second_file));
    write_text(graph_file, graph_text);
    write_text(journal_file, journal_text);
}

static nonsens_status explain(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              nonsens_result **out)
{
    return nonsens_run_explain(ctx, data, NULL, options, out);
}

static nonsens_status effect(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                             nonsens_result **out)
{
    return nonsens_run_effect(ctx, data, NULL, options, out);
}

static void make_effects(void)
{
    nonsens_options *options = options_of(NONSENS_COMMAND_EFFECT);
    all_effects = run(effect, NONSENS_COMMAND_EFFECT);
    must(nonsens_options_set(own, options, "do", "x1=0.1"));
    an_effect = run(effect, NONSENS_COMMAND_EFFECT);
    must(nonsens_options_set(own, options, "row", "1"));
    a_counterfactual = run(effect, NONSENS_COMMAND_EFFECT);
    must(nonsens_options_set(own, options, "row", ""));
}

static int set_up(void **state)
{
    (void)state;
    own = nonsens_context_new();
    if (!own || !mkdtemp(folder)) {
        return -1;
    }
    make_files();
    a_data = new_data();
    a_ci = new_ci();
    a_result = new_result();
    a_graph_result = run(nonsens_run_discover, NONSENS_COMMAND_DISCOVER);
    an_explanation = run(explain, NONSENS_COMMAND_EXPLAIN);
    make_effects();
    some_sources = run(nonsens_run_ica, NONSENS_COMMAND_ICA);
    must(nonsens_result_write_json(own, a_graph_result, result_file));
    a_graph = new_graph();
    another_graph = parse(other_text);
    a_comparison = new_comparison();
    a_pairs = new_pairs();
    some_explanations = new_explanations();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[PATH_BYTES];
    nonsens_result *const results[] = {a_result,    a_graph_result,   an_explanation, an_effect,
                                       all_effects, a_counterfactual, some_sources};
    for (size_t k = 0; k < sizeof results / sizeof *results; k++) {
        nonsens_result_free(results[k]);
    }
    for (size_t k = 0; k < sizeof made_options / sizeof *made_options; k++) {
        nonsens_options_free(made_options[k]);
    }
    nonsens_ci_free(a_ci);
    nonsens_data_free(a_data);
    nonsens_comparison_free(a_comparison);
    nonsens_graph_free(a_graph);
    nonsens_graph_free(another_graph);
    nonsens_pairs_free(a_pairs);
    nonsens_explanations_free(some_explanations);
    nonsens_simulation_free(a_simulation);
    nonsens_context_free(context);
    nonsens_context_free(own);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    struct CMUnitTest tests[FUNCTIONS + 1];
    for (size_t k = 0; k < FUNCTIONS; k++) {
        tests[k] = (struct CMUnitTest){FUNCTION[k].name, test_function, NULL, NULL, (void *)&FUNCTION[k]};
    }
    tests[FUNCTIONS] = (struct CMUnitTest)cmocka_unit_test(test_count);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
