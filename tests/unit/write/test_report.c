/* test_report.c - results written as JSON, text and CSV; every writer with the n-th allocation failing. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/dataset.h"
#include "methods/shared/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "json_of.h"

enum { ROWS = 120, SEGMENTS = 4 };

static nonsens_context *ctx;
static char path[] = "/tmp/nonsens_report_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    ctx = nonsens_context_new();
    int file = mkstemp(path);
    return ctx && file >= 0 ? close(file) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    nonsens_context_free(ctx);
    return unlink(path);
}

/* Makes two dependent variables with unusual names: one in Latin-1, one with a quote and a comma. */
static nonsens_status make_data(nonsens_data **data)
{
    static const char *const names[] = {"temp\xe9rature", "say \"b\", c"};
    double values[2 * ROWS];
    int64_t segment[ROWS];
    rng r = rng_new(5, RNG_TEST, 0);
    for (int64_t i = 0; i < ROWS; i++) {
        segment[i] = i % SEGMENTS;
        values[2 * i] = (double)(1 + segment[i]) * rng_laplace(&r);
        values[2 * i + 1] = values[2 * i] + rng_laplace(&r);
    }
    return nonsens_data_from_arrays(ctx, ROWS, 2, values, 2, 1, names, segment, data);
}

static json_value *load_json(void)
{
    return json_of_file(path);
}

/* Makes a result with all members set by hand. */
static nonsens_result *make_result(const nonsens_data *data)
{
    nonsens_options *options;
    nonsens_result *r;
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options), NONSENS_OK);
    assert_int_equal(result_new(ctx, data, options, "nonsens", &r), NONSENS_OK);
    nonsens_options_free(options);
    r->decision = DECISION_SECOND_CAUSES;
    r->better = BETTER_SECOND;
    r->score = -INFINITY;
    r->p_value = 0.05;
    r->assumes_effect = true;
    assert_int_equal(result_add(ctx, r, 1.5, NAN, NULL, "first(%d)", 1), NONSENS_OK);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(result_add(ctx, r, i, 0.5, "text", "more(%d)", i), NONSENS_OK);
        assert_int_equal(result_note(ctx, r, (nonsens_note_level)(i % 3), "note %d", i), NONSENS_OK);
    }
    assert_int_equal(result_finish(ctx, r), NONSENS_OK);
    return r;
}

static void test_json_follows_the_contract(void **state)
{
    (void)state;
    nonsens_data *data;
    assert_int_equal(make_data(&data), NONSENS_OK);
    nonsens_result *r = make_result(data);
    assert_int_equal(nonsens_result_write_json(ctx, r, path), NONSENS_OK);
    json_value *root = load_json(), *first = json_array_get(json_object_get(root, "evidence"), 0);
    assert_string_equal(json_get_string(root, "decision"),
                        "say \"b\", c->temp\xc3\xa9rature"); // Latin-1 was converted to UTF-8
    assert_true(json_has(root, "score", JSON_NULL));
    assert_true(json_number_value(json_object_get(root, "p_value")) == 0.05);
    assert_ptr_equal(json_object_get(root, "assumes_effect"), json_boolean(true));
    assert_null(json_object_get(root, "reason"));
    assert_null(json_object_get(root, "modulation"));
    assert_int_equal(json_array_size(json_object_get(root, "evidence")), 101);
    assert_int_equal(json_array_size(json_object_get(root, "notes")), 100);
    assert_true(json_has(first, "p_value", JSON_NULL));
    assert_string_equal(json_get_string(first, "name"), "first(1)");
    json_value *program = json_object_get(root, "nonsens"), *options = json_object_get(program, "options");
    assert_int_equal(strlen(json_get_string(program, "data_hash")), 16);
    assert_null(json_object_get(options, "threads"));
    assert_null(json_object_get(options, "nodes"));
    assert_int_equal(json_integer_value(json_object_get(options, "width")), 32);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "data"), "rows")), ROWS);
    json_decref(root);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static void test_text_begins_with_the_decision(void **state)
{
    (void)state;
    nonsens_data *data;
    char line[200] = "";
    assert_int_equal(make_data(&data), NONSENS_OK);
    nonsens_result *r = make_result(data);
    assert_int_equal(nonsens_result_write_text(ctx, r, 1, path), NONSENS_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "decision: say \"b\", c->temp\\xe9rature\n");
    fclose(f);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

/* Sentences say "p < 0.001", tables "< 0.001"; JSON has the number, and the bound once. */
static void test_small_p_values(void **state)
{
    (void)state;
    nonsens_data *data;
    char text[20000] = "";
    assert_int_equal(make_data(&data), NONSENS_OK);
    nonsens_result *r = make_result(data);
    r->p_value = 3e-40;
    r->evidence[1].p_value = 4e-40;
    assert_int_equal(nonsens_result_write_text(ctx, r, NONSENS_TEXT_ALL, path), NONSENS_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_non_null(strstr(text, " (p < 0.001;"));
    assert_non_null(strstr(text, "    < 0.001  text\n"));
    assert_null(strstr(text, "e-40"));
    assert_int_equal(nonsens_result_write_json(ctx, r, path), NONSENS_OK);
    json_value *root = load_json(), *second = json_array_get(json_object_get(root, "evidence"), 1);
    assert_true(json_number_value(json_object_get(root, "p_value")) == 3e-40);
    assert_true(json_number_value(json_object_get(root, "p_value_bound")) == 0.001);
    assert_true(json_number_value(json_object_get(second, "p_value")) == 4e-40);
    json_decref(root);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static int64_t count_lines(void)
{
    FILE *f = fopen(path, "r");
    int64_t lines = 0;
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;) {
        lines += c == '\n';
    }
    fclose(f);
    return lines;
}

/* With a hundred notes and more evidence, a pair's text is still short, and everything is there on request. */
static void test_text_fits(void **state)
{
    (void)state;
    enum { PAIR_LINES = 18 };
    nonsens_data *data;
    assert_int_equal(make_data(&data), NONSENS_OK);
    nonsens_result *r = make_result(data);
    assert_int_equal(nonsens_result_write_text(ctx, r, 0, path), NONSENS_OK);
    assert_true(count_lines() <= PAIR_LINES);
    assert_int_equal(nonsens_result_write_text(ctx, r, NONSENS_TEXT_ALL, path), NONSENS_OK);
    assert_true(count_lines() > 200);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

/* Two long names that differ only in their middles are not shortened to the same text. */
static void test_names_stay_apart(void **state)
{
    (void)state;
    nonsens_data *data;
    char name[2][81], text[20000] = "";
    assert_int_equal(make_data(&data), NONSENS_OK);
    for (int k = 0; k < 2; k++) {
        memset(name[k], 'n', 80);
        name[k][40] = (char)('a' + k);
        name[k][80] = '\0';
        data->names[k] = name[k];
    }
    nonsens_result *r = make_result(data);
    assert_int_equal(nonsens_result_write_text(ctx, r, 0, path), NONSENS_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    char *sentence = strstr(text, "\n\n");
    assert_non_null(sentence);
    assert_non_null(strstr(sentence, name[0]));
    assert_non_null(strstr(sentence, name[1]));
    nonsens_result_free(r);
    nonsens_data_free(data);
}

/* Whatever the names contain, the first line is the decision; JSON keeps them unchanged. */
static void test_names_cannot_break_lines(void **state)
{
    (void)state;
    nonsens_data *data;
    char line[300] = "", name[201];
    assert_int_equal(make_data(&data), NONSENS_OK);
    memset(name, 'n', 200);
    name[200] = '\0';
    char odd[] = "a\ndecision: b->a\x1b[2J";
    data->names[0] = odd;
    data->names[1] = name;
    nonsens_result *r = make_result(data);
    assert_int_equal(nonsens_result_write_text(ctx, r, 1, path), NONSENS_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    char expected[300]; // not shortened, so that scripts can read it
    snprintf(expected, sizeof expected, "decision: %s->a\\x0adecision: b->a\\x1b[2J\n", name);
    assert_string_equal(line, expected);
    while (fgets(line, sizeof line, f)) {
        assert_null(strchr(line, 0x1b));
        assert_int_not_equal(strncmp(line, "decision:", 9), 0);
    }
    fclose(f);
    assert_int_equal(nonsens_result_write_json(ctx, r, path), NONSENS_OK);
    json_value *root = load_json(), *names = json_object_get(json_object_get(root, "data"), "variables");
    assert_string_equal(json_string_value(json_array_get(names, 0)), data->names[0]);
    assert_string_equal(json_string_value(json_array_get(names, 1)), name);
    json_decref(root);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

/* Row i of the file belongs to row i of the input, whatever the canonical order. */
static void test_sources_in_input_order(void **state)
{
    (void)state;
    nonsens_data *data;
    char line[200] = "";
    double source[2 * ROWS];
    assert_int_equal(make_data(&data), NONSENS_OK);
    nonsens_result *r = make_result(data);
    assert_int_equal(nonsens_result_write_sources(ctx, r, path), NONSENS_ERR_USAGE); // there are no sources yet
    for (int64_t i = 0; i < ROWS; i++) {
        source[i] = (double)data->input_row[i] + 0.5;
        source[ROWS + i] = -(double)data->input_row[i];
    }
    r->source = matrix_view(source, ROWS, 2);
    assert_int_equal(nonsens_result_write_sources(ctx, r, path), NONSENS_OK);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "row,N_temp\xe9rature,\"N_say \"\"b\"\", c\"\n");
    for (int i = 0; i < ROWS; i++) {
        char expected[64];
        assert_non_null(fgets(line, sizeof line, f));
        snprintf(expected, sizeof expected, "%d,%d.5,-%d\n", i + 1, i, i);
        assert_string_equal(line, expected);
    }
    fclose(f);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

typedef nonsens_status (*run_fn)(nonsens_context *, const nonsens_data *, const nonsens_options *, nonsens_result **);

static nonsens_status whole_course(unsigned command, run_fn run)
{
    nonsens_data *data = NULL;
    nonsens_options *options = NULL;
    nonsens_result *result = NULL;
    nonsens_status status = make_data(&data);
    status = status == NONSENS_OK ? nonsens_options_new(ctx, command, &options) : status;
    status = status == NONSENS_OK ? nonsens_options_set(ctx, options, "threads", "1") : status;
    status = status == NONSENS_OK ? run(ctx, data, options, &result) : status;
    status = status == NONSENS_OK ? nonsens_result_write_json(ctx, result, path) : status;
    status = status == NONSENS_OK ? nonsens_result_write_text(ctx, result, 0, path) : status;
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
    return status;
}

/* Every failing allocation is reported, and memory is freed; at last the run succeeds.  If there are many, some are
 * skipped. */
static void fail_everywhere(unsigned command, run_fn run)
{
    enum { LIMIT = 100000, EVERY_ONE = 50 };
    int64_t n = 0;
    nonsens_status status = NONSENS_ERR_MEMORY;
    for (; n < LIMIT && status != NONSENS_OK; n += 1 + n / EVERY_ONE) {
        memory_fail_at(n);
        status = whole_course(command, run);
        memory_fail_at(-1);
        assert_true(status == NONSENS_OK || status == NONSENS_ERR_MEMORY);
    }
    assert_int_equal(status, NONSENS_OK);
    assert_true(n > 5);
}

static void test_nth_allocation_fails(void **state)
{
    (void)state;
    fail_everywhere(NONSENS_COMMAND_INDEPENDENCE, nonsens_run_independence);
    fail_everywhere(NONSENS_COMMAND_DIAGNOSE, nonsens_run_diagnose);
    fail_everywhere(NONSENS_COMMAND_ICA, nonsens_run_ica);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_follows_the_contract),
        cmocka_unit_test(test_text_begins_with_the_decision),
        cmocka_unit_test(test_names_cannot_break_lines),
        cmocka_unit_test(test_text_fits),
        cmocka_unit_test(test_names_stay_apart),
        cmocka_unit_test(test_sources_in_input_order),
        cmocka_unit_test(test_small_p_values),
        cmocka_unit_test(test_nth_allocation_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
