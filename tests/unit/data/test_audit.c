/* test_audit.c - every finding of the audit, and that shuffled rows give the same sentences. */
#include "base/rng.h"
#include "data/audit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* after our headers: it defines a macro called fail */

enum { N = 600, LIMIT = 6 };

typedef struct bench {
    nonsens_context *ctx;
    nonsens_data *data;
    double column[LIMIT][N];
    int64_t segment[N];
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->ctx = nonsens_context_new();
    rng r = rng_new(11, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        for (int j = 0; j < LIMIT; j++) {
            b->column[j][i] = j == 0 ? rng_laplace(&r) : j == 1 ? rng_uniform(&r) : rng_normal(&r);
        }
        b->segment[i] = i % 15;
    }
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    nonsens_data_free(b->data);
    nonsens_context_free(b->ctx);
    free(b);
    return 0;
}

static nonsens_status build(bench *b, int64_t n, int64_t d, bool segments)
{
    nonsens_data_free(b->data);
    return nonsens_data_from_arrays(b->ctx, n, d, b->column[0], 1, N, NULL, segments ? b->segment : NULL, &b->data);
}

static bool warned(const bench *b, const char *words)
{
    for (int64_t i = 0; i < nonsens_data_warning_count(b->data); i++) {
        if (strstr(nonsens_data_warning_at(b->data, i), words)) {
            return true;
        }
    }
    return false;
}

static void test_clean_data_is_silent(void **state)
{
    bench *b = *state;
    assert_int_equal(build(b, N, LIMIT, true), NONSENS_OK);
    for (int64_t i = 0; i < nonsens_data_warning_count(b->data); i++) {
        fail_msg("%s", nonsens_data_warning_at(b->data, i));
    }
    assert_int_equal(audit_require_segments(b->ctx, b->data), NONSENS_OK);
}

static void test_constant(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[1][i] = (double)b->segment[i];
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_true(warned(b, "\"c2\" is constant within every segment"));
    assert_false(warned(b, "\"c1\" is constant"));
    for (int64_t i = 0; i < N; i++) {
        b->column[1][i] = 1.25;
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "\"c2\" is constant"));
}

static void test_duplicates(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[2][i] = b->column[0][i];
        b->column[3][i] = -1e-7 * b->column[1][i] + 5;
    }
    assert_int_equal(build(b, N, 4, true), NONSENS_OK);
    assert_true(warned(b, "\"c1\" and \"c3\" are identical"));
    assert_true(warned(b, "\"c2\" and \"c4\" are exact linear functions"));
    assert_false(warned(b, "linear combination"));
    assert_int_equal(audit_require_pair(b->ctx, b->data), NONSENS_ERR_USAGE);
}

static void test_pair_must_not_be_collinear(void **state)
{
    bench *b = *state;
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_int_equal(audit_require_pair(b->ctx, b->data), NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        b->column[1][i] = 3 - 2 * b->column[0][i];
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_true(warned(b, "exact linear functions"));
    assert_int_equal(audit_require_pair(b->ctx, b->data), NONSENS_ERR_DATA);
    for (int64_t i = 0; i < N; i++) { // strongly related, but not exactly
        b->column[1][i] = 3 - 2 * b->column[0][i] + 1e-4 * b->column[2][i];
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_false(warned(b, "exact linear functions"));
    assert_int_equal(audit_require_pair(b->ctx, b->data), NONSENS_OK);
}

static void test_collinear_set(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[4][i] = 2 * b->column[0][i] - 3 * b->column[1][i] + 7;
    }
    assert_int_equal(build(b, N, 6, true), NONSENS_OK);
    // which of the three is named depends on the pivots; the relation is the same
    bool named = warned(b, "\"c5\" = 2 * \"c1\" - 3 * \"c2\" + constant") ||
                 warned(b, "\"c5\" = -3 * \"c2\" + 2 * \"c1\" + constant") ||
                 warned(b, "\"c1\" = 0.5 * \"c5\" + 1.5 * \"c2\" + constant") ||
                 warned(b, "\"c1\" = 1.5 * \"c2\" + 0.5 * \"c5\" + constant") ||
                 warned(b, "\"c2\" = 0.6667 * \"c1\" - 0.3333 * \"c5\" + constant") ||
                 warned(b, "\"c2\" = -0.3333 * \"c5\" + 0.6667 * \"c1\" + constant");
    assert_true(named);
    assert_false(warned(b, "exact linear functions"));
}

static void test_extreme_values(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[0][i] *= 1e300;
        b->column[1][i] *= 1e-310;
        b->column[2][i] = 1 + 0x1p-52 * floor(30 * fabs(b->column[2][i]));
    }
    assert_int_equal(build(b, N, 3, true), NONSENS_OK);
    assert_false(warned(b, "linear"));
}

static void test_discrete(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[1][i] = floor(5 * b->column[1][i]);
        b->column[2][i] = i < 400 ? floor(b->column[2][i]) : b->column[2][i];
    }
    assert_int_equal(build(b, N, 3, true), NONSENS_OK);
    assert_true(warned(b, "many rows share their value in \"c2\" (5 values), \"c3\" ("));
    assert_false(warned(b, "\"c1\" ("));
    assert_int_equal(build(b, 12, 1, false), NONSENS_OK); // few rows, but no ties
    assert_false(warned(b, "share their value"));
}

static void test_segments(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->segment[i] = i < 5 ? 77 : 1;
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_true(warned(b, "only 2 segments"));
    assert_true(warned(b, "the smallest, \"77\", has 5"));
    assert_true(warned(b, "2 segments for 2 variables; at least 5"));
    assert_int_equal(audit_require_segments(b->ctx, b->data), NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        b->segment[i] = i < 1 ? 77 : i % 3;
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_int_equal(audit_require_segments(b->ctx, b->data), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "\"77\" has a single row"));
    for (int64_t i = 0; i < N; i++) {
        b->segment[i] = 4;
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_int_equal(audit_require_segments(b->ctx, b->data), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "\"4\""));
    assert_int_equal(build(b, N, 2, false), NONSENS_OK);
    assert_false(warned(b, "segment"));
    assert_int_equal(audit_require_segments(b->ctx, b->data), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "--segments equal:K"));
}

static void test_autocorrelation(void **state)
{
    bench *b = *state;
    double last[15] = {0};
    for (int64_t i = 0; i < N; i++) { // an AR(1) process with coefficient .7 in each of the interleaved segments
        last[b->segment[i]] = 0.7 * last[b->segment[i]] + b->column[1][i] - 0.5;
        b->column[1][i] = last[b->segment[i]];
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_true(warned(b, "neighbouring rows within segments are correlated, as in a time series (lag-1 "
                          "autocorrelation: \"c2\" 0.6"));
    assert_true(warned(b, "use --block-length auto"));
    assert_false(warned(b, "\"c1\" 0."));
}

static int compare_doubles(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Values that are sorted, in all or nearly all rows, are no time series; values that wander up and down are one. */
static void test_sorted_rows_are_no_time_series(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[0][i] = floor(3 * b->column[0][i]); // with ties
        b->segment[i] = i / 150;
    }
    for (int64_t e = 0; e < 4; e++) {
        qsort(b->column[0] + 150 * e, 150, sizeof(double), compare_doubles);
    }
    for (int64_t i = 0; i < N; i++) {
        b->column[1][i] += b->column[0][i]; // follows the sorted one, and is not sorted
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_false(warned(b, "neighbouring rows"));
    for (int64_t i = 0; i < N; i++) {
        b->column[0][i] = -b->column[0][i];
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_false(warned(b, "neighbouring rows"));
    for (int64_t i = 0; i < N; i += 10) { // a tenth of the rows out of place
        b->column[0][i] += 2 * b->column[2][i];
    }
    assert_int_equal(build(b, N, 2, true), NONSENS_OK);
    assert_true(warned(b, "neighbouring rows"));
}

static void test_few_rows(void **state)
{
    bench *b = *state;
    assert_int_equal(build(b, 1, 2, false), NONSENS_ERR_DATA);
    assert_int_equal(build(b, 4, 5, false), NONSENS_OK);
    assert_true(warned(b, "only 4 rows for 5 variables"));
}

static void shuffle_rows(bench *b, uint64_t seed)
{
    rng r = rng_new(seed, RNG_TEST, 1);
    for (int64_t i = N - 1; i > 0; i--) {
        int64_t k = (int64_t)rng_below(&r, (uint64_t)i + 1), label = b->segment[i];
        b->segment[i] = b->segment[k];
        b->segment[k] = label;
        for (int j = 0; j < LIMIT; j++) {
            double swap = b->column[j][i];
            b->column[j][i] = b->column[j][k];
            b->column[j][k] = swap;
        }
    }
}

static void test_sentences_survive_shuffling(void **state)
{
    bench *b = *state;
    for (int64_t i = 0; i < N; i++) {
        b->column[2][i] = floor(b->column[2][i]);
        b->column[3][i] = b->column[0][i] + b->column[1][i];
        b->column[5][i] = -b->column[4][i];
        b->segment[i] = i < 300 ? 1 : i < 590 ? 2 : 3;
    }
    assert_int_equal(build(b, N, LIMIT, true), NONSENS_OK);
    nonsens_data *first = b->data;
    b->data = NULL;
    shuffle_rows(b, 5);
    assert_int_equal(build(b, N, LIMIT, true), NONSENS_OK);
    assert_int_equal(first->warnings, b->data->warnings);
    assert_true(first->warnings >= 4);
    for (int64_t i = 0; i < first->warnings; i++) {
        assert_string_equal(first->warning[i], b->data->warning[i]);
    }
    nonsens_data_free(first);
}

#define AUDIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        AUDIT_TEST(test_clean_data_is_silent),
        AUDIT_TEST(test_constant),
        AUDIT_TEST(test_duplicates),
        AUDIT_TEST(test_pair_must_not_be_collinear),
        AUDIT_TEST(test_collinear_set),
        AUDIT_TEST(test_extreme_values),
        AUDIT_TEST(test_discrete),
        AUDIT_TEST(test_segments),
        AUDIT_TEST(test_autocorrelation),
        AUDIT_TEST(test_sorted_rows_are_no_time_series),
        AUDIT_TEST(test_few_rows),
        AUDIT_TEST(test_sentences_survive_shuffling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
