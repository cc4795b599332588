/* test_additive.c - decisions under additive noise, and the linear method: known answers, oracles, limits. */
#include "indep/hsic.h"
#include "methods/additive/additive.h"

#include <stdio.h>

#include "fixture.h"

#include "pair_runs.h"

enum { N = 600, SEGMENTS = 6 };

/* Draws y = slope x + noise, uniform or Gaussian. */
static double *line(fixture *f, int64_t n, double slope, bool gaussian, uint64_t stream)
{
    double *v = fixture_doubles(f, 2 * n);
    rng r = rng_new(21, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        v[i] = gaussian ? rng_normal(&r) : rng_uniform(&r) - 0.5;
        v[n + i] = slope * v[i] + 0.7 * (gaussian ? rng_normal(&r) : rng_uniform(&r) - 0.5);
    }
    return v;
}

/* ---- p-values ---- */

static hsic_result test_of(double z, double skewness, double p_value)
{
    return (hsic_result){.statistic = 3.0 + 2.0 * z,
                         .mean = 3.0,
                         .variance = 4.0,
                         .skewness = skewness,
                         .p_value = p_value,
                         .segments_used = 1};
}

static void test_log_p_where_p_is_zero(void **state)
{
    (void)state;
    hsic_result far = test_of(2000.0, 1.0, 0.0), farther = test_of(2100.0, 1.0, 0.0), plain = test_of(1.0, 1.0, 0.2);
    double a = additive_log_p(&far, 999), b = additive_log_p(&farther, 999);
    assert_true(isfinite(a) && isfinite(b) && b < a && a < -3000.0);
    /* Gamma of shape 4 and unit scale: Q(4, x) = exp(-x) (1 + x + x^2 / 2 + x^3 / 6), at x = 4 + 2 z. */
    double x = 4.0 + 2.0 * 2000.0, exact = -x + log(1.0 + x + x * x / 2.0 + x * x * x / 6.0);
    assert_true(fabs(a - exact) < 1e-9 * fabs(exact));
    assert_true(additive_log_p(&plain, 999) == log(0.2));
}

static void test_log_p_of_permutations(void **state)
{
    (void)state;
    hsic_result least = test_of(50.0, 1.0, 0.001), more = test_of(60.0, 1.0, 0.001), seen = test_of(3.0, 1.0, 0.004);
    least.by_permutation = more.by_permutation = seen.by_permutation = true;
    assert_true(additive_log_p(&seen, 999) == log(0.004));
    assert_true(additive_log_p(&least, 999) < additive_log_p(&seen, 999));
    assert_true(additive_log_p(&more, 999) < additive_log_p(&least, 999));
}

/* ---- linear mechanisms ---- */

static void test_line_is_found(void **state)
{
    fixture *f = *state;
    double *v = line(f, N, 1.1, false, 1);
    nonsens_result *result = run_pair(f, "method=lingam", N, v, NULL);
    assert_int_equal(result->decision, DECISION_FIRST_CAUSES);
    assert_int_equal(result->better, BETTER_FIRST);
    const nonsens_evidence *right = evidence_of(result, "hsic(residual of c2 given c1, c1)");
    const nonsens_evidence *wrong = evidence_of(result, "hsic(residual of c1 given c2, c2)");
    assert_true(right->p_value > 0.025 && wrong->p_value <= 0.025);
    assert_true(result->p_value == fmin(1.0, 2.0 * wrong->p_value));
    assert_true(result->score ==
                evidence_of(result, "log p(c1->c2)")->value - evidence_of(result, "log p(c2->c1)")->value);
    assert_true(result->score > 0.0 && evidence_of(result, "likelihood ratio(c1->c2)")->value > 0.0);
    assert_int_equal(result->notes, 0);
    nonsens_result_free(result);
    assert_swaps(f, "method=lingam", N, v);
    assert_steady(f, "method=lingam", N, v);
}

/* The statistic is that of textbook residuals of the original columns. */
static void test_statistic_is_that_of_least_squares(void **state)
{
    fixture *f = *state;
    double *v = line(f, N, -0.8, false, 2), *residual = fixture_doubles(f, N), mx = 0, my = 0, sxx = 0, sxy = 0;
    for (int64_t i = 0; i < N; i++) {
        mx += v[i] / N;
        my += v[N + i] / N;
    }
    for (int64_t i = 0; i < N; i++) {
        sxx += (v[i] - mx) * (v[i] - mx);
        sxy += (v[i] - mx) * (v[N + i] - my);
    }
    for (int64_t i = 0; i < N; i++) {
        residual[i] = v[N + i] - my - sxy / sxx * (v[i] - mx);
    }
    hsic_result expected;
    hsic_options how = {.null_kind = NULL_GAMMA, .threads = 1};
    assert_int_equal(hsic_test_scalars(f->ctx, &f->scratch, N, v, residual, 1, (int64_t[]){0, N}, &how, &expected),
                     NONSENS_OK);
    nonsens_result *result = run_pair(f, "method=lingam", N, v, NULL);
    double got = evidence_of(result, "hsic(residual of c2 given c1, c1)")->value;
    assert_true(fabs(got - expected.statistic) < 1e-6 * expected.statistic);
    nonsens_result_free(result);
}

/* Entropy of a standardised variable, up to a constant: Hyvarinen 1998, as Hyvarinen and Smith (2013) use it. */
static double entropy_of(int64_t n, const double *u)
{
    double even = 0, odd = 0;
    for (int64_t i = 0; i < n; i++) {
        even += log(cosh(u[i])) / n;
        odd += u[i] * exp(-u[i] * u[i] / 2) / n;
    }
    return -79.047 * (even - 0.37457) * (even - 0.37457) - 7.4129 * odd * odd;
}

static void standardise(int64_t n, double *v)
{
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / n;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] -= mean;
        square += v[i] * v[i] / n;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] /= sqrt(square);
    }
}

/* Uses skewed variables, for which both terms of the entropy matter. */
static void test_ratio_is_that_of_the_definition(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 2 * N), *rest = fixture_doubles(f, 2 * N), r = 0;
    rng random = rng_new(21, RNG_TEST, 3);
    for (int64_t i = 0; i < N; i++) {
        v[i] = -log(rng_uniform(&random));
        v[N + i] = 0.8 * v[i] + log(rng_uniform(&random));
    }
    nonsens_result *result = run_pair(f, "method=lingam", N, v, NULL);
    standardise(N, v);
    standardise(N, v + N);
    for (int64_t i = 0; i < N; i++) {
        r += v[i] * v[N + i] / N;
    }
    for (int64_t i = 0; i < N; i++) {
        rest[i] = v[i] - r * v[N + i];
        rest[N + i] = v[N + i] - r * v[i];
    }
    standardise(N, rest);
    standardise(N, rest + N);
    double expected = entropy_of(N, v + N) + entropy_of(N, rest) - entropy_of(N, v) - entropy_of(N, rest + N);
    assert_true(fabs(expected) > 0.01);
    assert_true(fabs(evidence_of(result, "likelihood ratio(c1->c2)")->value - expected) < 1e-10);
    nonsens_result_free(result);
}

static void test_no_direction_of_gaussian_lines(void **state)
{
    fixture *f = *state;
    int undecided = 0;
    for (uint64_t s = 0; s < 20; s++) {
        nonsens_result *result = run_pair(f, "method=lingam", N, line(f, N, 1.0, true, 100 + s), NULL);
        undecided += result->decision == DECISION_INCONCLUSIVE && result->reason && result->better != BETTER_NONE;
        nonsens_result_free(result);
    }
    assert_true(undecided >= 17); // each of 2 tests rejects .025 of the time: 16 or fewer have probability .02
}

static void test_independent_variables(void **state)
{
    fixture *f = *state;
    nonsens_result *result = run_pair(f, "method=lingam", N, line(f, N, 0.0, false, 3), NULL);
    assert_int_equal(result->decision, DECISION_INDEPENDENT);
    assert_true(result->p_value == evidence_of(result, "hsic(c1, c2)")->p_value);
    nonsens_result_free(result);
}

static void test_a_curve_is_neither(void **state)
{
    fixture *f = *state;
    double *v = line(f, N, 0.0, false, 4);
    for (int64_t i = 0; i < N; i++) {
        v[N + i] += 6.0 * v[i] * v[i];
    }
    nonsens_result *result = run_pair(f, "method=lingam", N, v, NULL);
    assert_int_equal(result->decision, DECISION_NEITHER);
    assert_non_null(result->reason);
    nonsens_result_free(result);
}

/* ---- segments ---- */

static void test_noise_that_changes_is_noted(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 2 * N);
    int64_t segment[N];
    for (int changing = 0; changing < 2; changing++) {
        rng r = rng_new(22, RNG_TEST, 0);
        for (int64_t i = 0; i < N; i++) {
            segment[i] = i % SEGMENTS;
            v[i] = (1.0 + (double)segment[i]) * rng_laplace(&r);
            v[N + i] = v[i] + (changing ? 1.0 + (double)segment[i] : 1.0) * rng_laplace(&r);
        }
        nonsens_result *result = run_pair(f, "method=lingam", N, v, segment);
        assert_int_equal(has_note(result, "same in all segments"), changing);
        assert_int_equal(evidence_of(result, "levene(residual of c2 given c1)")->p_value < 0.01, changing);
        assert_true(result->better == BETTER_FIRST);
        nonsens_result_free(result);
    }
}

/* Pooled tests see one group, so noise whose scale changes with that of the cause looks dependent on it. */
static void test_pooling(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 2 * N), p[2];
    int64_t segment[N];
    rng r = rng_new(23, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i % SEGMENTS;
        double scale = segment[i] < 3 ? 0.2 : 3.0;
        v[i] = scale * (rng_uniform(&r) - 0.5);
        v[N + i] = v[i] + scale * (rng_uniform(&r) - 0.5);
    }
    for (int pooled = 0; pooled < 2; pooled++) {
        nonsens_result *result = run_pair(f, pooled ? "method=lingam pooling=pooled" : "method=lingam", N, v, segment);
        p[pooled] = evidence_of(result, "hsic(residual of c2 given c1, c1)")->p_value;
        nonsens_result_free(result);
    }
    assert_true(p[0] > 0.01 && p[1] < 1e-6);
}

/* ---- limits ---- */

static void test_few_rows(void **state)
{
    fixture *f = *state;
    double v[] = {1, 2, 3, 4, 5, 2, 1, 4, 3, 6};
    nonsens_result *result = run_pair(f, "method=lingam", 5, v, NULL);
    assert_int_equal(result->decision, DECISION_INCONCLUSIVE);
    assert_int_equal(result->better, BETTER_NONE);
    assert_true(isnan(result->score) && isnan(result->p_value));
    nonsens_result_free(result);
}

static void test_scales_and_outliers(void **state)
{
    fixture *f = *state;
    double *v = line(f, N, 1.0, false, 5), *scaled = fixture_doubles(f, 2 * N);
    for (int64_t i = 0; i < N; i++) {
        scaled[i] = 1e30 * v[i];
        scaled[N + i] = 1e-30 * v[N + i];
    }
    nonsens_result *a = run_pair(f, "method=lingam", N, v, NULL), *b = run_pair(f, "method=lingam", N, scaled, NULL);
    assert_int_equal(a->decision, b->decision);
    assert_true(fabs(a->score - b->score) < 1e-6 * fabs(a->score));
    nonsens_result_free(a);
    nonsens_result_free(b);
    v[3] = 1e6;
    v[N + 7] = -1e6;
    a = run_pair(f, "method=lingam", N, v, NULL);
    assert_true(isfinite(a->score));
    nonsens_result_free(a);
}

static nonsens_status run_line(nonsens_context *ctx, arena *a, void *state)
{
    nonsens_result *result;
    (void)a;
    nonsens_status status =
        run_on(ctx, NONSENS_COMMAND_DIRECTION, "method=lingam threads=1", 40, 2, state, NULL, &result);
    nonsens_result_free(result);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    assert_true(fail_every_allocation(f, run_line, line(f, 40, 1.0, false, 6)) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_log_p_where_p_is_zero),
        TEST(test_log_p_of_permutations),
        TEST(test_line_is_found),
        TEST(test_statistic_is_that_of_least_squares),
        TEST(test_ratio_is_that_of_the_definition),
        TEST(test_no_direction_of_gaussian_lines),
        TEST(test_independent_variables),
        TEST(test_a_curve_is_neither),
        TEST(test_noise_that_changes_is_noted),
        TEST(test_pooling),
        TEST(test_few_rows),
        TEST(test_scales_and_outliers),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
