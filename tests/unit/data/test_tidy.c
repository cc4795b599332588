/* test_tidy.c - what is left out of a data set, which warnings that gives, and what may not be left out. */
#include "base/rng.h"
#include "data/tidy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { N = 400, D = 5, SEGMENTS = 8 };

static const char *const NAMES[D] = {"a", "b", "c", "d", "e"};
static const char *const LABELS[SEGMENTS] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};

/* Makes unrelated columns in four segments of 100 rows. */
typedef struct world {
    double column[D][N];
    int32_t segment[N];
} world;

static void make_world(world *w)
{
    rng r = rng_new(3, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        w->segment[i] = (int32_t)(i % 4);
        for (int j = 0; j < D; j++) {
            w->column[j][i] = rng_normal(&r);
        }
    }
}

/* Runs it with the options "key", "value", ..., NULL of the command.  *out is NULL after an error. */
static nonsens_status tidy(fixture *f, const world *w, nonsens_command command, const char *const *words, bool named,
                           nonsens_data **out)
{
    nonsens_options *options;
    const double *column[D];
    for (int j = 0; j < D; j++) {
        column[j] = w->column[j];
    }
    assert_int_equal(nonsens_options_new(f->ctx, command, &options), NONSENS_OK);
    for (; *words; words += 2) {
        assert_int_equal(nonsens_options_set(f->ctx, options, words[0], words[1]), NONSENS_OK);
    }
    assert_int_equal(dataset_new_unaudited(f->ctx, N, D, column, NAMES, w->segment, SEGMENTS, LABELS, NULL, out),
                     NONSENS_OK);
    nonsens_status status = tidy_dataset(f->ctx, options, named, out);
    nonsens_options_free(options);
    if (status != NONSENS_OK) {
        nonsens_data_free(*out);
        *out = NULL;
    }
    return status;
}

static const char *const NOTHING[] = {NULL};

/* Checks which variables are left, and the warnings. */
static void assert_left(fixture *f, const world *w, nonsens_command command, const char *const *words,
                        const char *variables, int64_t warnings, const char *const *warning)
{
    nonsens_data *data;
    char left[D + 1] = "";
    if (tidy(f, w, command, words, false, &data) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    for (int64_t j = 0; j < data->d; j++) {
        strcat(left, data->names[j]);
    }
    assert_string_equal(left, variables);
    assert_int_equal(data->warnings, warnings);
    for (int64_t i = 0; i < warnings; i++) {
        assert_string_equal(data->warning[i], warning[i]);
    }
    nonsens_data_free(data);
}

static void assert_refused(fixture *f, const world *w, nonsens_command command, const char *const *words, bool named,
                           const char *sentence)
{
    nonsens_data *data;
    assert_int_equal(tidy(f, w, command, words, named, &data), NONSENS_ERR_DATA);
    assert_string_equal(nonsens_context_message(f->ctx), sentence);
}

#define SAID(...) (sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), ((const char *const[]){__VA_ARGS__})

static void test_nothing_is_left_out_of_clean_data(void **state)
{
    world w;
    make_world(&w);
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "abcde", 0, NULL);
}

static void test_constant_columns(void **state)
{
    static const char *const keep[] = {"keep-all", "true", NULL};
    world w;
    make_world(&w);
    for (int64_t i = 0; i < N; i++) {
        w.column[1][i] = 7;
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "acde",
                SAID("column \"b\" is constant and was left out"));
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, keep, "abcde", 0, NULL);
    memcpy(w.column[4], w.column[1], sizeof w.column[1]);
    assert_left(*state, &w, NONSENS_COMMAND_INDEPENDENCE, NOTHING, "acd",
                SAID("columns \"b\", \"e\" are constant and were left out"));
}

static void test_copies(void **state)
{
    world w;
    make_world(&w);
    for (int64_t i = 0; i < N; i++) {
        w.column[0][i] = exp(w.column[0][i]);
        w.column[2][i] = 3 - 1e-7 * w.column[0][i];
        w.column[3][i] = round(100 * w.column[1][i]) / 100;
        w.column[4][i] = w.column[0][i];
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "ab",
                SAID("columns \"c\", \"e\" are copies of \"a\" up to rounding and scale and were left out",
                     "column \"d\" is a copy of \"b\" up to rounding and scale and was left out"));
    assert_left(*state, &w, NONSENS_COMMAND_INDEPENDENCE, NOTHING, "abcde", 0, NULL);
    rng r = rng_new(4, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) { // r = .9998
        w.column[3][i] = w.column[1][i] + 0.02 * rng_normal(&r);
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "abd",
                SAID("columns \"c\", \"e\" are copies of \"a\" up to rounding and scale and were left out"));
}

/* Correlations near one that come only from outliers, or from shifts between segments. */
static void test_correlated_columns_that_are_no_copies(void **state)
{
    world w;
    make_world(&w);
    w.column[0][7] = w.column[1][7] = 1e9;
    for (int64_t i = 0; i < N; i++) {
        w.column[2][i] += 1000 * w.segment[i];
        w.column[3][i] += 1000 * w.segment[i];
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "abcde", 0, NULL);
}

static void test_columns_that_change_with_the_segment_alone(void **state)
{
    world w;
    make_world(&w);
    for (int64_t i = 0; i < N; i++) {
        w.column[0][i] = w.segment[i];
        w.column[1][i] = 5 - 2 * w.segment[i];
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "acde",
                SAID("column \"b\" is a copy of \"a\" up to rounding and scale and was left out"));
}

static void test_too_few_variables_are_left(void **state)
{
    world w;
    make_world(&w);
    for (int j = 1; j < D; j++) {
        for (int64_t i = 0; i < N; i++) {
            w.column[j][i] = j < 3 ? j : w.column[0][i] + 1e-3 * w.column[j][i];
        }
    }
    assert_refused(*state, &w, NONSENS_COMMAND_DIRECTION, NOTHING, false,
                   "columns \"b\", \"c\" are constant; columns \"d\", \"e\" are copies of \"a\" up to rounding and "
                   "scale: direction needs two variables, and only \"a\" is left; choose data with more variables, or "
                   "take copies as they are with --keep-all");
    assert_left(*state, &w, NONSENS_COMMAND_DIAGNOSE, NOTHING, "a",
                SAID("columns \"b\", \"c\" are constant and were left out",
                     "columns \"d\", \"e\" are copies of \"a\" up to rounding and scale and were left out"));
    for (int j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++) {
            w.column[j][i] = j;
        }
    }
    assert_refused(*state, &w, NONSENS_COMMAND_DIAGNOSE, NOTHING, false,
                   "columns \"a\", \"b\", \"c\", \"d\", \"e\" are constant: diagnose needs one variable, and none is "
                   "left; choose data with more variables");
}

static void test_named_variables_stay(void **state)
{
    static const char *const keep[] = {"keep-all", "true", NULL};
    fixture *f = *state;
    world w;
    nonsens_data *data;
    make_world(&w);
    for (int64_t i = 0; i < N; i++) {
        w.column[4][i] = 1;
    }
    assert_int_equal(tidy(f, &w, NONSENS_COMMAND_DISCOVER, NOTHING, true, &data), NONSENS_OK); // the audit refuses it
    assert_int_equal(data->d, D);
    nonsens_data_free(data);
    for (int64_t i = 0; i < N; i++) {
        w.column[3][i] = round(1000 * w.column[2][i]);
    }
    assert_refused(f, &w, NONSENS_COMMAND_DISCOVER, NOTHING, true,
                   "column \"d\" is a copy of \"c\" up to rounding and scale; choose other variables, or take them as "
                   "they are with --keep-all");
    assert_int_equal(tidy(f, &w, NONSENS_COMMAND_DISCOVER, keep, true, &data), NONSENS_OK);
    nonsens_data_free(data);
    assert_int_equal(tidy(f, &w, NONSENS_COMMAND_DIAGNOSE, NOTHING, true, &data), NONSENS_OK);
    nonsens_data_free(data);
    memcpy(w.column[3], w.column[2], sizeof w.column[3]);
    assert_refused(f, &w, NONSENS_COMMAND_DISCOVER, NOTHING, true,
                   "column \"d\" is a copy of \"c\" up to rounding and scale; choose other variables");
}

static void test_target(void **state)
{
    static const char *const of_c[] = {"target", "c", NULL}, *const of_b[] = {"target", "b", NULL},
                             *const second[] = {"target", "#2", NULL};
    world w;
    make_world(&w);
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, second, "abcde", 0, NULL);
    for (int64_t i = 0; i < N; i++) {
        w.column[1][i] = 7;
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, of_c, "acde", SAID("column \"b\" is constant and was left out"));
    assert_refused(*state, &w, NONSENS_COMMAND_DISCOVER, of_b, false,
                   "--target b: this column is constant; choose another one");
    assert_refused(*state, &w, NONSENS_COMMAND_DISCOVER, second, false,
                   "--target #2: column \"b\" is constant; name the target instead");
    memcpy(w.column[1], w.column[0], sizeof w.column[1]);
    assert_refused(*state, &w, NONSENS_COMMAND_DISCOVER, of_b, false,
                   "--target b: this column is a copy of \"a\" up to rounding and scale; choose that one");
}

/* ---- segments ---- */

/* Turns the first rows into new segments of these sizes, s4, s5, ... */
static void cut_small(world *w, const int *size)
{
    int64_t i = 0;
    for (int32_t e = 4; *size; e++, size++) {
        for (int k = 0; k < *size; k++) {
            w->segment[i++] = e;
        }
    }
}

static void assert_segments(fixture *f, const world *w, nonsens_command command, const char *const *words,
                            int64_t segments, int64_t rows, const char *warning)
{
    nonsens_data *data;
    assert_int_equal(tidy(f, w, command, words, false, &data), NONSENS_OK);
    assert_int_equal(data->segments, segments);
    assert_int_equal(data->n, rows);
    assert_int_equal(data->warnings, warning != NULL);
    if (warning) {
        assert_string_equal(data->warning[0], warning);
    }
    for (int64_t i = 0; i < data->n; i++) { // each row is the row of the input that it claims to be
        assert_true(data->sign[0] * data->x.v[i] == w->column[0][data->input_row[i]]);
        assert_string_equal(data->labels[data->segment[i]], LABELS[w->segment[data->input_row[i]]]);
    }
    nonsens_data_free(data);
}

static void test_small_segments(void **state)
{
    static const char *const keep[] = {"keep-all", "true", NULL};
    static const char *const of_small[] = {"of", "s5", NULL}, *const against_small[] = {"of", "s5", "against", "s6",
                                                                                        NULL};
    static const int sizes[] = {10, 9, 1, 0};
    world w;
    make_world(&w);
    cut_small(&w, sizes);
    const char *both = "2 of 7 segments have fewer than 10 rows and were left out, with 10 of 400 rows: \"s5\", \"s6\"";
    assert_segments(*state, &w, NONSENS_COMMAND_DIRECTION, NOTHING, 5, 390, both);
    assert_segments(*state, &w, NONSENS_COMMAND_DIRECTION, keep, 7, 400, NULL);
    assert_segments(*state, &w, NONSENS_COMMAND_EXPLAIN, of_small, 6, 399,
                    "1 of 7 segments has fewer than 10 rows and was left out, with 1 of 400 rows: \"s6\"");
    assert_segments(*state, &w, NONSENS_COMMAND_EXPLAIN, against_small, 7, 400, NULL);
}

/* If too few larger segments would be left, only single rows are left out; if all segments were such, none is. */
static void test_few_large_segments(void **state)
{
    static const int sizes[] = {9, 8, 1, 0};
    static const char *const of_large[] = {"of", "s0", NULL};
    const char *single = "1 of 5 segments has a single row and was left out, with 1 of 400 rows: \"s6\"";
    world w;
    make_world(&w);
    for (int64_t i = 0; i < N; i++) {
        w.segment[i] %= 2;
    }
    cut_small(&w, sizes);
    assert_segments(*state, &w, NONSENS_COMMAND_DIRECTION, NOTHING, 4, 399, single);
    assert_segments(*state, &w, NONSENS_COMMAND_EXPLAIN, of_large, 2, 382,
                    "3 of 5 segments have fewer than 10 rows and were left out, with 18 of 400 rows: \"s4\", \"s5\", "
                    "\"s6\"");
    for (int64_t i = 0; i < N; i++) {
        w.segment[i] = i > 0;
    }
    assert_segments(*state, &w, NONSENS_COMMAND_DIRECTION, NOTHING, 2, 400, NULL);
}

/* A column that varies only in a segment that is left out. */
static void test_columns_are_judged_by_the_rows_that_stay(void **state)
{
    static const int sizes[] = {3, 0};
    world w;
    make_world(&w);
    cut_small(&w, sizes);
    for (int64_t i = 3; i < N; i++) {
        w.column[2][i] = 0;
    }
    assert_left(*state, &w, NONSENS_COMMAND_DISCOVER, NOTHING, "abde",
                SAID("1 of 5 segments has fewer than 10 rows and was left out, with 3 of 400 rows: \"s4\"",
                     "column \"c\" is constant and was left out"));
}

static void test_pairs_keep_their_columns(void **state)
{
    static const char *const pairs[] = {"pairs", "all", NULL};
    static const int sizes[] = {1, 0};
    world w;
    make_world(&w);
    cut_small(&w, sizes);
    for (int64_t i = 0; i < N; i++) {
        w.column[1][i] = 7;
        w.column[3][i] = w.column[2][i];
    }
    assert_left(*state, &w, NONSENS_COMMAND_DIRECTION, pairs, "abcde",
                SAID("1 of 5 segments has fewer than 10 rows and was left out, with 1 of 400 rows: \"s4\""));
}

typedef struct faulty_run {
    const world *w;
    const nonsens_options *options;
} faulty_run;

static nonsens_status build_and_tidy(nonsens_context *ctx, arena *a, void *state)
{
    const faulty_run *run = state;
    const double *column[D];
    nonsens_data *data;
    (void)a;
    for (int j = 0; j < D; j++) {
        column[j] = run->w->column[j];
    }
    nonsens_status status =
        dataset_new_unaudited(ctx, N, D, column, NAMES, run->w->segment, SEGMENTS, LABELS, NULL, &data);
    status = status == NONSENS_OK ? tidy_dataset(ctx, run->options, false, &data) : status;
    nonsens_data_free(data);
    return status;
}

static void test_memory_may_fail_anywhere(void **state)
{
    static const int sizes[] = {3, 0};
    fixture *f = *state;
    nonsens_options *options;
    world w;
    make_world(&w);
    cut_small(&w, sizes);
    for (int64_t i = 0; i < N; i++) {
        w.column[1][i] = 7;
        w.column[3][i] = w.column[2][i];
    }
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &options), NONSENS_OK);
    faulty_run run = {&w, options};
    assert_true(fail_every_allocation(f, build_and_tidy, &run) > 10);
    nonsens_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_left_out_of_clean_data),
        TEST(test_constant_columns),
        TEST(test_copies),
        TEST(test_correlated_columns_that_are_no_copies),
        TEST(test_columns_that_change_with_the_segment_alone),
        TEST(test_too_few_variables_are_left),
        TEST(test_named_variables_stay),
        TEST(test_target),
        TEST(test_small_segments),
        TEST(test_few_large_segments),
        TEST(test_columns_are_judged_by_the_rows_that_stay),
        TEST(test_pairs_keep_their_columns),
        TEST(test_memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
