/* test_reci.c - regression errors compared: leave-one-out errors against fits without a row, known answers, limits. */
#include "math/column.h"
#include "math/linalg.h"
#include "regress/gp.h"

#include <stdio.h>

#include "fixture.h"

#include "pair_runs.h"

enum { N = 400, SMALL = 30, DEGREE = 3 };

static double *curve(fixture *f, int64_t n, double noise, uint64_t stream)
{
    double *v = fixture_doubles(f, 2 * n);
    rng r = rng_new(41, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        v[i] = 2.0 * rng_uniform(&r) - 1.0;
        v[n + i] = v[i] * v[i] + 0.3 * v[i] + noise * rng_normal(&r);
    }
    return v;
}

/* Returns the error of y at row `left` of the polynomial fit to the other rows, by normal equations of powers. */
static double error_without(fixture *f, const double *x, const double *y, int64_t left)
{
    double gram[(DEGREE + 1) * (DEGREE + 1)] = {0}, weight[DEGREE + 1] = {0}, power[DEGREE + 1], predicted = 0.0;
    for (int64_t i = 0; i < SMALL; i++) {
        for (int k = 0; k <= DEGREE; k++) {
            power[k] = pow(x[i], k);
        }
        for (int k = 0; k <= DEGREE && i != left; k++) {
            weight[k] += power[k] * y[i];
            for (int j = 0; j <= DEGREE; j++) {
                gram[k * (DEGREE + 1) + j] += power[k] * power[j];
            }
        }
    }
    assert_int_equal(linalg_solve(f->ctx, &f->scratch, DEGREE + 1, 1, gram, weight), NONSENS_OK);
    for (int k = 0; k <= DEGREE; k++) {
        predicted += weight[k] * pow(x[left], k);
    }
    return y[left] - predicted;
}

static void test_polynomial_errors_are_of_rows_left_out(void **state)
{
    fixture *f = *state;
    double *v = curve(f, SMALL, 0.3, 1), *z = fixture_doubles(f, 2 * SMALL), sum[2] = {0};
    for (int j = 0; j < 2; j++) {
        column_standardise(SMALL, v + j * SMALL, z + j * SMALL);
    }
    for (int64_t i = 0; i < SMALL; i++) {
        sum[0] += pow(error_without(f, z, z + SMALL, i), 2) / SMALL;
        sum[1] += pow(error_without(f, z + SMALL, z, i), 2) / SMALL;
    }
    nonsens_result *result = run_pair(f, "method=reci regression=polynomial degree=3", SMALL, v, NULL);
    assert_true(fabs(evidence_of(result, "error(c2 given c1)")->value - sum[0]) < 1e-9 * sum[0]);
    assert_true(fabs(evidence_of(result, "error(c1 given c2)")->value - sum[1]) < 1e-9 * sum[1]);
    assert_true(fabs(result->score - log(sum[1] / sum[0])) < 1e-9);
    nonsens_result_free(result);
}

static void test_curve_errors_are_of_rows_left_out(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, 0.2, 2), *z = fixture_doubles(f, 2 * N), sum = 0.0;
    for (int j = 0; j < 2; j++) {
        column_standardise(N, v + j * N, z + j * N);
    }
    const double *x = z;
    gp_fit fit;
    gp_options how = {.leave_one_out = true, .threads = 1};
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &(column_set){N, 1, &x}, z + N, &how, &fit),
                     NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        sum += fit.left_out[i] * fit.left_out[i] / N;
    }
    nonsens_result *result = run_pair(f, "method=reci", N, v, NULL);
    assert_true(fabs(evidence_of(result, "error(c2 given c1)")->value - sum) < 1e-6 * sum);
    nonsens_result_free(result);
}

static void test_direction_is_named(void **state)
{
    fixture *f = *state;
    static const char *const settings[] = {"method=reci", "method=reci regression=polynomial"};
    for (int k = 0; k < 2; k++) {
        double *v = curve(f, N, 0.1, 3);
        nonsens_result *result = run_pair(f, settings[k], N, v, NULL);
        assert_int_equal(result->decision, DECISION_FIRST_CAUSES);
        assert_true(result->assumes_effect && result->score > 0.0 && isnan(result->p_value));
        assert_true(evidence_of(result, "standard errors")->value > 2.0);
        assert_true(has_note(result, "rule of thumb") && !has_note(result, "undecided"));
        nonsens_result_free(result);
        assert_swaps(f, settings[k], N, v);
        assert_steady(f, settings[k], N, v);
    }
}

/* On a linear mechanism the errors are almost equal: the evidence is weak, and the result says so. */
static void test_weak_evidence_is_noted(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 2 * N);
    rng r = rng_new(42, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        v[i] = rng_normal(&r);
        v[N + i] = v[i] + rng_normal(&r);
    }
    nonsens_result *result = run_pair(f, "method=reci", N, v, NULL);
    assert_true(has_note(result, "undecided") && has_note(result, "little noise"));
    assert_true(result->decision == DECISION_FIRST_CAUSES || result->decision == DECISION_SECOND_CAUSES);
    nonsens_result_free(result);
}

/* Every row (a, b) has a twin (b, a), so nothing distinguishes the variables. */
static void test_equal_errors(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 4 * SMALL);
    rng r = rng_new(43, RNG_TEST, 0);
    for (int64_t i = 0; i < SMALL; i++) {
        double a = rng_normal(&r), b = a + rng_normal(&r);
        v[2 * i] = v[2 * SMALL + 2 * i + 1] = a;
        v[2 * i + 1] = v[2 * SMALL + 2 * i] = b;
    }
    assert_int_equal(decision_of(f, "method=reci regression=polynomial", 2 * SMALL, v), DECISION_INCONCLUSIVE);
}

/* A variable with one outlier has a wide range, so its errors are small on the paper's scale. */
static void test_scale_by_range(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, 0.1, 4), extent[2] = {0};
    v[N + 5] = 3.0;
    nonsens_result *result = run_pair(f, "method=reci regression=polynomial", N, v, NULL);
    for (int j = 0; j < 2; j++) {
        double *z = fixture_doubles(f, N), lo = 0, hi = 0;
        column_standardise(N, v + j * N, z);
        for (int64_t i = 0; i < N; i++) {
            lo = fmin(lo, z[i]);
            hi = fmax(hi, z[i]);
        }
        extent[j] = hi - lo;
    }
    double expected = log(evidence_of(result, "error(c1 given c2)")->value / (extent[0] * extent[0])) -
                      log(evidence_of(result, "error(c2 given c1)")->value / (extent[1] * extent[1]));
    assert_true(fabs(evidence_of(result, "score by range")->value - expected) < 1e-9);
    nonsens_result_free(result);
}

static void test_odd_data_have_answers(void **state)
{
    fixture *f = *state;
    static const char *const settings[] = {"method=reci", "method=reci regression=polynomial degree=20"};
    double few[] = {1, 2, 3, 4, 5, 2, 1, 4, 3, 6};
    for (int k = 0; k < 2; k++) {
        double *v = curve(f, N, 0.1, 5);
        v[4] = 1e6; // determines a polynomial by itself
        v[N + 9] = -1e6;
        nonsens_result *result = run_pair(f, settings[k], N, v, NULL);
        assert_true(isfinite(result->score) && isfinite(evidence_of(result, "standard errors")->value));
        nonsens_result_free(result);
        for (int64_t i = 0; i < 2 * N; i++) {
            v[i] = rint(v[i]) > 0 ? 1e-30 : 0.0;
        }
        result = run_pair(f, settings[k], N, v, NULL);
        assert_true(isfinite(result->score));
        nonsens_result_free(result);
        result = run_pair(f, settings[k], 5, few, NULL);
        assert_true(isfinite(result->score));
        nonsens_result_free(result);
    }
}

static nonsens_status run_small(nonsens_context *ctx, arena *a, void *state)
{
    nonsens_result *result;
    (void)a;
    nonsens_status status = run_on(ctx, NONSENS_COMMAND_DIRECTION, "method=reci regression=polynomial threads=1", SMALL,
                                   2, state, NULL, &result);
    nonsens_result_free(result);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    assert_true(fail_every_allocation(f, run_small, curve(f, SMALL, 0.1, 6)) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_polynomial_errors_are_of_rows_left_out),
        TEST(test_curve_errors_are_of_rows_left_out),
        TEST(test_direction_is_named),
        TEST(test_weak_evidence_is_noted),
        TEST(test_equal_errors),
        TEST(test_scale_by_range),
        TEST(test_odd_data_have_answers),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
