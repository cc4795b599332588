/* test_html.c - the JSON block of a report page: its contents, the rows shown, and that no name can break out of it. */
#include "base/rng.h"
#include "data/dataset.h"
#include "write/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "json_of.h"

enum { ROWS = 30000, SEGMENTS = 4, SHOWN_MAX = 2000, FILE_MAX = 4000000 };

static char path[] = "/tmp/nonsens_html_XXXXXX";
static const char *const NAMES[] = {"</script><script>alert(1)</script>", "it's \"b\" <!-- \xe2\x80\xa8"};

static int open_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file >= 0 ? close(file) : -1;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

/* Draws segments of sizes 1 : 2 : 3 : 4, far from zero in the second variable; `reversed`: rows in reverse order. */
static void fill(double *values, int64_t *segment, int64_t rows, bool reversed)
{
    rng r = rng_new(5, RNG_TEST, 0);
    for (int64_t k = 0; k < rows; k++) {
        int64_t i = reversed ? rows - 1 - k : k, part = k % 10;
        segment[i] = part < 1 ? 0 : part < 3 ? 1 : part < 6 ? 2 : 3;
        values[2 * i] = (double)(1 + segment[i]) * rng_laplace(&r);
        values[2 * i + 1] = 1e9 + values[2 * i] + rng_laplace(&r);
    }
}

static nonsens_status make_data(nonsens_context *ctx, arena *a, int64_t rows, bool reversed, nonsens_data **data)
{
    double *values;
    int64_t *segment;
    ARENA_TRY(ctx, a, values, 2 * rows);
    ARENA_TRY(ctx, a, segment, rows);
    fill(values, segment, rows, reversed);
    return nonsens_data_from_arrays(ctx, rows, 2, values, 2, 1, NAMES, segment, data);
}

static nonsens_status write_page(nonsens_context *ctx, arena *a, int64_t rows, bool reversed)
{
    static const char *const files[] = {"-odd name's.csv"};
    nonsens_data *data = NULL;
    nonsens_options *options = NULL;
    nonsens_result *result = NULL;
    nonsens_status status = make_data(ctx, a, rows, reversed, &data);
    status = status == NONSENS_OK ? nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options) : status;
    status = status == NONSENS_OK ? nonsens_options_set(ctx, options, "method", "reci") : status;
    status = status == NONSENS_OK ? nonsens_options_set(ctx, options, "regression", "polynomial") : status;
    status = status == NONSENS_OK ? nonsens_options_set(ctx, options, "threads", "1") : status;
    status = status == NONSENS_OK ? nonsens_run_direction(ctx, data, options, &result) : status;
    status = status == NONSENS_OK ? nonsens_result_write_html(ctx, result, data, files, 1, path) : status;
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
    return status;
}

static char *read_page(fixture *f)
{
    char *text = arena_get(f->ctx, &f->scratch, FILE_MAX, 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    size_t bytes = fread(text, 1, FILE_MAX - 1, file);
    assert_true(bytes < FILE_MAX - 1);
    fclose(file);
    return text;
}

/* Returns the block; the caller releases it. */
static json_value *read_block(fixture *f)
{
    static const char before[] = "<script type=\"application/json\" id=\"report\">";
    char *page = read_page(f), *from = strstr(page, before);
    assert_non_null(from);
    from += sizeof before - 1;
    char *to = strchr(from, '<');
    assert_non_null(to);
    assert_memory_equal(to, "</script>", 9);
    return json_of_bytes(from, (size_t)(to - from));
}

static json_value *block_of(fixture *f, int64_t rows, bool reversed)
{
    assert_int_equal(write_page(f->ctx, &f->scratch, rows, reversed), NONSENS_OK);
    return read_block(f);
}

static void test_names_cannot_break_out(void **state)
{
    fixture *f = *state;
    json_value *root = block_of(f, 400, false);
    const json_value *names = json_object_get(json_object_get(json_object_get(root, "result"), "data"), "variables");
    assert_string_equal(json_string_value(json_array_get(names, 0)), NAMES[0]);
    assert_string_equal(json_string_value(json_array_get(names, 1)), NAMES[1]);
    assert_null(strstr(read_page(f), "alert(1)</script>"));
    assert_null(strstr(read_page(f), "the report goes here\"</script>"));
    json_decref(root);
}

/* Commands are quoted for the shell, and a file name that begins like an option is not taken for one. */
static void test_command_can_be_run(void **state)
{
    fixture *f = *state;
    json_value *root = block_of(f, 400, false);
    assert_string_equal(json_get_string(root, "command"),
                        "nonsens direction './-odd name'\\''s.csv' --method reci --regression polynomial");
    assert_true(json_number_value(json_object_get(root, "p_value_bound")) == nonsens_p_value_bound());
    json_decref(root);
}

/* Every segment contributes its share of the rows shown, in order of value. */
static void test_rows_are_taken_evenly(void **state)
{
    fixture *f = *state;
    json_value *root = block_of(f, ROWS, false), *display = json_object_get(root, "display");
    const json_value *segment = json_object_get(display, "segment"), *sizes = json_object_get(display, "sizes");
    int64_t count[SEGMENTS] = {0};
    assert_int_equal(json_array_size(segment), SHOWN_MAX);
    assert_int_equal(json_array_size(json_array_get(json_object_get(display, "values"), 1)), SHOWN_MAX);
    for (size_t k = 0; k < SHOWN_MAX; k++) {
        count[json_integer_value(json_array_get(segment, k))]++;
    }
    for (size_t e = 0; e < SEGMENTS; e++) {
        double expected = (double)json_integer_value(json_array_get(sizes, e)) * SHOWN_MAX / ROWS;
        assert_true(fabs((double)count[e] - expected) <= 1.0);
    }
    json_decref(root);
}

/* The same rows in another order of the input give the same block; only the positions in the input differ. */
static void test_row_order_does_not_matter(void **state)
{
    fixture *f = *state;
    json_value *a = block_of(f, ROWS, false), *b = block_of(f, ROWS, true);
    json_value *first = json_object_get(a, "display"), *second = json_object_get(b, "display");
    assert_true(json_equal(json_object_get(first, "values"), json_object_get(second, "values")));
    assert_true(json_equal(json_object_get(first, "summary"), json_object_get(second, "summary")));
    assert_false(json_equal(json_object_get(first, "row"), json_object_get(second, "row")));
    json_decref(a);
    json_decref(b);
}

/* A value is that of the row that it names, within the digits kept, even if the variable is far from zero. */
static void test_values_are_those_of_their_rows(void **state)
{
    fixture *f = *state;
    double *values = fixture_doubles(f, 2 * ROWS);
    int64_t *segment = arena_get(f->ctx, &f->scratch, ROWS, sizeof *segment);
    assert_non_null(segment);
    fill(values, segment, ROWS, false);
    json_value *root = block_of(f, ROWS, false), *display = json_object_get(root, "display");
    for (size_t k = 0; k < SHOWN_MAX; k += 37) {
        int64_t row = json_integer_value(json_array_get(json_object_get(display, "row"), k)) - 1;
        for (size_t j = 0; j < 2; j++) {
            const json_value *column = json_array_get(json_object_get(display, "values"), j);
            double shown = json_number_value(json_array_get(column, k));
            assert_true(fabs(shown - values[2 * row + (int64_t)j]) <= 0.01);
        }
    }
    json_decref(root);
}

/* Mean and standard deviation of a segment use all its rows, not only those shown; compared with plain sums. */
static void test_summary_is_of_all_rows(void **state)
{
    fixture *f = *state;
    double *values = fixture_doubles(f, 2 * ROWS), sum[SEGMENTS] = {0}, squares[SEGMENTS] = {0}, n[SEGMENTS] = {0};
    int64_t *segment = arena_get(f->ctx, &f->scratch, ROWS, sizeof *segment);
    assert_non_null(segment);
    fill(values, segment, ROWS, false);
    for (int64_t i = 0; i < ROWS; i++) {
        n[segment[i]] += 1.0;
        sum[segment[i]] += values[2 * i];
        squares[segment[i]] += values[2 * i] * values[2 * i];
    }
    json_value *root = block_of(f, ROWS, false), *display = json_object_get(root, "display");
    for (size_t e = 0; e < SEGMENTS; e++) {
        const char *label = json_string_value(json_array_get(json_object_get(display, "labels"), e));
        int g = label[0] - '0';
        const json_value *pair = json_array_get(json_array_get(json_object_get(display, "summary"), 0), e);
        double mean = sum[g] / n[g], deviation = sqrt(squares[g] / n[g] - mean * mean);
        assert_true(fabs(json_number_value(json_array_get(pair, 0)) - mean) <= 1e-4);
        assert_true(fabs(json_number_value(json_array_get(pair, 1)) / deviation - 1.0) <= 1e-4);
    }
    json_decref(root);
}

static void test_very_many_segments_are_cut(void **state)
{
    (void)state;
    assert_int_equal(html_segments_shown(10, 50), 10);
    assert_int_equal(html_segments_shown(1000000, 2), 10000);
    assert_int_equal(html_segments_shown(1000000, 100000), 20);
    assert_int_equal(html_segments_shown(7, 0), 7);
}

static void test_other_data_are_refused(void **state)
{
    fixture *f = *state;
    nonsens_data *data, *other;
    nonsens_options *options;
    nonsens_result *result;
    assert_int_equal(make_data(f->ctx, &f->scratch, 400, false, &data), NONSENS_OK);
    assert_int_equal(make_data(f->ctx, &f->scratch, 500, false, &other), NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &options), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, options, "method", "reci"), NONSENS_OK);
    assert_int_equal(nonsens_run_direction(f->ctx, data, options, &result), NONSENS_OK);
    assert_int_equal(nonsens_result_write_html(f->ctx, result, other, NULL, 0, path), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_result_write_html(f->ctx, result, NULL, NULL, 0, path), NONSENS_OK);
    json_value *root = read_block(f);
    assert_true(json_has(root, "display", JSON_NULL));
    json_decref(root);
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(other);
    nonsens_data_free(data);
}

/* A page made from a file has the same options, so the same command, but no data. */
static void test_result_file_is_read_back(void **state)
{
    fixture *f = *state;
    static const char text[] =
        "{\"nonsens\": {\"version\": \"0\", \"options\": {\"seed\": 7, \"alpha\": 0.01, \"segment\": \"day's\", "
        "\"no-header\": true, \"of another version\": 3}, \"data_hash\": \"0\"}, \"data\": {\"rows\": 3, \"segments\": "
        "2, \"variables\": [\"a\", \"b\"], \"warnings\": []}, \"method\": \"reci\", \"decision\": \"a->b\", "
        "\"evidence\": []}";
    int other = 7;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(nonsens_report_write_html(f->ctx, path, NULL, 0, NULL, path, &other), NONSENS_OK);
    assert_int_equal(other, 0);
    json_value *root = read_block(f);
    assert_string_equal(json_get_string(root, "command"),
                        "nonsens direction FILE --seed 7 --alpha 0.01 --segment 'day'\\''s' --no-header");
    json_decref(root);
}

static nonsens_status read_graph(fixture *f, const char *nodes, const char *edges)
{
    static const char text[] = "{\"nonsens\": {\"version\": \"0\", \"options\": {}, \"data_hash\": \"0\"}, \"data\": "
                               "{\"rows\": 3, \"segments\": 0, \"variables\": [], \"warnings\": []}, \"method\": "
                               "\"pc\", \"evidence\": [], \"nodes\": %s, \"edges\": %s}";
    char bytes[1024];
    json_value *root = NULL;
    nonsens_options *options = NULL;
    int length = snprintf(bytes, sizeof bytes, text, nodes, edges);
    nonsens_status status = html_parse_result(f->ctx, "r.json", bytes, (size_t)length, &root, &options);
    nonsens_options_free(options);
    json_decref(root);
    return status;
}

/* Both ends of an edge must be known nodes. */
static void test_graph_is_checked(void **state)
{
    fixture *f = *state;
    static const char nodes[] = "[\"a\", \"b\", \"\"]";
    static const char *const no_edges[] = {"[{\"from\": \"a\", \"to\": \"c\", \"type\": \"-->\"}]",
                                           "[{\"from\": \"c\", \"to\": \"c\", \"type\": \"-->\"}]",
                                           "[{\"from\": \"a\", \"to\": 1, \"type\": \"-->\"}]",
                                           "[{\"to\": \"a\", \"type\": \"-->\"}]",
                                           "[{\"from\": \"a\", \"to\": \"b\"}]",
                                           "[{\"from\": \"a\", \"to\": \"b\", \"type\": \"-->\", \"weight\": \"1\"}]",
                                           "[3]",
                                           "{}"};
    assert_int_equal(read_graph(f, nodes, "[]"), NONSENS_OK);
    assert_int_equal(read_graph(f, nodes, "[{\"from\": \"b\", \"to\": \"\", \"type\": \"-->\"}]"), NONSENS_OK);
    assert_int_equal(read_graph(f, "[1]", "[]"), NONSENS_ERR_DATA);
    for (size_t k = 0; k < sizeof no_edges / sizeof *no_edges; k++) {
        assert_int_equal(read_graph(f, nodes, no_edges[k]), NONSENS_ERR_DATA);
        assert_non_null(strstr(nonsens_context_message(f->ctx), "are no graph"));
    }
}

/* Makes `of_each` answers for each variable (v0, v1, ...), with the baseline; `mean` identifies the answer. */
static json_value *many_answers(int variables, int of_each)
{
    json_value *effects = json_array(), *baseline = json_array();
    char name[16];
    for (int k = 0; k < variables * of_each; k++) {
        snprintf(name, sizeof name, "v%d", k / of_each);
        json_array_append(effects, json_object_of("on", json_string(name), "mean", json_integer(k), NULL));
        json_array_append(baseline, json_object_of("on", json_string(name), "mean", json_integer(k), NULL));
    }
    return json_object_of("effects", effects, "baseline", baseline, "quartile_effects", json_array(), "rows",
                          json_array(), NULL);
}

/* The first answers of each variable stay, equally many of each, with everything that belongs to them. */
static void test_many_answers_are_cut(void **state)
{
    (void)state;
    json_value *result = many_answers(4, 300), *left_out = html_thin_effects(result);
    const json_value *effects = json_object_get(result, "effects"), *baseline = json_object_get(result, "baseline");
    assert_int_equal(json_array_size(effects), 1000);
    assert_int_equal(json_array_size(baseline), 1000);
    assert_int_equal(json_get_integer(left_out, "effects", -1), 200);
    for (size_t k = 0; k < 1000; k++) {
        int64_t wanted = (int64_t)(k / 250 * 300 + k % 250);
        assert_int_equal(json_get_integer(json_array_get(effects, k), "mean", -1), wanted);
        assert_int_equal(json_get_integer(json_array_get(baseline, k), "mean", -1), wanted);
    }
    json_decref(left_out);
    json_decref(result);
}

/* Pairs without a path are neither shown nor counted; at most 2,000 of the others, and of rows, are shown. */
static void test_pairs_and_rows_are_cut(void **state)
{
    (void)state;
    json_value *result = many_answers(1, 1), *pairs = json_array(), *rows = json_array();
    for (int k = 0; k < 5000; k++) {
        json_array_append(pairs, json_object_of("answered", json_string(k % 2 ? "one" : "no path"), NULL));
        json_array_append(rows, json_object_of("row", json_integer(k), NULL));
    }
    json_object_set(result, "quartile_effects", pairs);
    json_object_set(result, "rows", rows);
    json_value *left_out = html_thin_effects(result);
    assert_int_equal(json_array_size(json_object_get(result, "quartile_effects")), 2000);
    assert_int_equal(json_array_size(json_object_get(result, "rows")), 2000);
    assert_int_equal(json_array_size(json_object_get(result, "effects")), 1);
    assert_int_equal(json_get_integer(left_out, "effects", -1), 0);
    assert_int_equal(json_get_integer(left_out, "pairs", -1), 500);
    assert_int_equal(json_get_integer(left_out, "rows", -1), 3000);
    json_decref(left_out);
    json_decref(result);
}

static nonsens_status write_small(nonsens_context *ctx, arena *a, void *state)
{
    (void)state;
    return write_page(ctx, a, 60, false);
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    assert_true(fail_every_allocation(f, write_small, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_names_cannot_break_out),         TEST(test_command_can_be_run),
        TEST(test_rows_are_taken_evenly),          TEST(test_row_order_does_not_matter),
        TEST(test_values_are_those_of_their_rows), TEST(test_summary_is_of_all_rows),
        TEST(test_very_many_segments_are_cut),     TEST(test_other_data_are_refused),
        TEST(test_many_answers_are_cut),           TEST(test_pairs_and_rows_are_cut),
        TEST(test_result_file_is_read_back),       TEST(test_graph_is_checked),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_path, remove_path);
}
