/* test_optimise.c - L-BFGS on functions with a known minimum, and on functions with a wrong gradient. */
#include "math/optimise.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

static const double AT_MINIMUM = 1e-6; /* distance of the point found from the true one */
static const optimise_options USUAL = {.memory = 10, .max_iterations = 2000, .gradient_tolerance = 1e-8};

static double rosenbrock(void *state, int64_t n, const double *x, double *g)
{
    double value = 0.0;
    (void)state;
    memset(g, 0, (size_t)n * sizeof *g);
    for (int64_t i = 0; i + 1 < n; i++) {
        double valley = x[i + 1] - x[i] * x[i], rest = 1.0 - x[i];
        value += 100.0 * valley * valley + rest * rest;
        g[i] += -400.0 * x[i] * valley - 2.0 * rest;
        g[i + 1] += 200.0 * valley;
    }
    return value;
}

/* sum_i c_i (x_i - i)^2 / 2 - 3 with curvatures c from 1 to 10^4. */
static double quadratic(void *state, int64_t n, const double *x, double *g)
{
    double value = -3.0;
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        double curvature = pow(10.0, 4.0 * (double)i / (double)(n - 1)), off = x[i] - (double)i;
        value += 0.5 * curvature * off * off;
        g[i] = curvature * off;
    }
    return value;
}

/* A narrow domain: -log(1 - x^2) + x, not finite outside (-1, 1); minimum at 1 - sqrt(2). */
static double barrier(void *state, int64_t n, const double *x, double *g)
{
    (void)state;
    (void)n;
    g[0] = 2.0 * x[0] / (1.0 - x[0] * x[0]) + 1.0;
    return -log(1.0 - x[0] * x[0]) + x[0];
}

/* x'x with the gradient reversed. */
static double upside_down(void *state, int64_t n, const double *x, double *g)
{
    double value = 0.0;
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        value += x[i] * x[i];
        g[i] = -2.0 * x[i];
    }
    return value;
}

/* A constant whose gradient claims that it falls everywhere. */
static double flat_liar(void *state, int64_t n, const double *x, double *g)
{
    (void)state;
    (void)x;
    for (int64_t i = 0; i < n; i++) {
        g[i] = 1.0;
    }
    return 5.0;
}

/* x'x with the first two components of the gradient rotated by a right angle. */
static double sideways(void *state, int64_t n, const double *x, double *g)
{
    double value = upside_down(state, n, x, g), first = g[0];
    g[0] = g[1];
    g[1] = -first;
    for (int64_t i = 2; i < n; i++) {
        g[i] = -g[i];
    }
    return value;
}

static double falling(void *state, int64_t n, const double *x, double *g)
{
    (void)state;
    (void)n;
    g[0] = -1.0;
    return -x[0];
}

static double not_a_number(void *state, int64_t n, const double *x, double *g)
{
    (void)x;
    (void)state;
    memset(g, 0, (size_t)n * sizeof *g);
    return NAN;
}

static optimise_result minimise(fixture *f, int64_t n, double *x, optimise_objective_fn objective)
{
    optimise_result result;
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, n, x, objective, NULL, &USUAL, &result), NONSENS_OK);
    return result;
}

static void test_rosenbrock(void **state)
{
    for (int64_t n = 2; n <= 10; n += 8) {
        double x[10];
        for (int64_t i = 0; i < n; i++) {
            x[i] = i % 2 ? 1.0 : -1.2;
        }
        optimise_result result = minimise(*state, n, x, rosenbrock);
        assert_int_equal(result.reason, STOP_CONVERGED);
        assert_true(result.iterations < 150 && result.evaluations < 250);
        assert_true(result.value < 1e-12 && result.value >= 0.0);
        for (int64_t i = 0; i < n; i++) {
            assert_true(fabs(x[i] - 1.0) < AT_MINIMUM);
        }
    }
}

static void test_ill_conditioned_quadratic(void **state)
{
    enum { N = 30 };
    double x[N] = {0}, g[N];
    optimise_result result = minimise(*state, N, x, quadratic);
    assert_int_equal(result.reason, STOP_CONVERGED);
    assert_true(result.iterations < 900); // other implementations of the method need as many
    assert_true(fabs(result.value + 3.0) < 1e-14 * 3.0 + 1e-15);
    assert_true(quadratic(NULL, N, x, g) == result.value); // the value belongs to the point returned
    for (int64_t i = 0; i < N; i++) {
        assert_true(fabs(x[i] - (double)i) < AT_MINIMUM);
        assert_true(fabs(g[i]) <= USUAL.gradient_tolerance * 3.0);
    }
}

static void test_leaves_bad_regions(void **state)
{
    double x[1] = {0.999};
    optimise_result result = minimise(*state, 1, x, barrier);
    assert_int_equal(result.reason, STOP_CONVERGED);
    assert_true(fabs(x[0] - (1.0 - sqrt(2.0))) < AT_MINIMUM);
}

static void test_wrong_gradients_stop(void **state)
{
    static const optimise_objective_fn liars[] = {upside_down, flat_liar, sideways};
    for (int i = 0; i < 3; i++) {
        double x[3] = {1.0, -2.0, 0.5}, g[3], before = liars[i](NULL, 3, x, g);
        optimise_result result = minimise(*state, 3, x, liars[i]);
        assert_int_equal(result.reason, STOP_NO_DESCENT);
        assert_true(result.evaluations < 2000);
        assert_true(result.value <= before && result.value == liars[i](NULL, 3, x, g));
    }
}

static void test_unbounded_below_ends(void **state)
{
    fixture *f = *state;
    optimise_options few = {.memory = 5, .max_iterations = 4, .gradient_tolerance = 1e-8};
    optimise_result result;
    double x[1] = {0.0};
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, 1, x, falling, NULL, &few, &result), NONSENS_OK);
    assert_true(result.reason != STOP_NO_DESCENT && result.iterations <= 4 && result.value < -1e6);
}

static void test_limits_and_starts(void **state)
{
    fixture *f = *state;
    optimise_options two = {.memory = 1, .max_iterations = 2, .gradient_tolerance = 1e-8};
    optimise_result result;
    double x[2] = {-1.2, 1.0}, best[2] = {1.0, 1.0};
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, 2, x, rosenbrock, NULL, &two, &result), NONSENS_OK);
    assert_int_equal(result.reason, STOP_ITERATIONS);
    assert_int_equal(result.iterations, 2);
    result = minimise(f, 2, best, rosenbrock);
    assert_int_equal(result.reason, STOP_CONVERGED);
    assert_true(result.iterations == 0 && result.evaluations == 1);
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, 2, x, not_a_number, NULL, &USUAL, &result),
                     NONSENS_ERR_NUMERIC);
    two.memory = 0;
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, 2, x, rosenbrock, NULL, &two, &result), NONSENS_ERR_USAGE);
    nonsens_context_cancel(f->ctx);
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, 2, x, rosenbrock, NULL, &USUAL, &result), NONSENS_CANCELLED);
    context_begin(f->ctx);
}

static void test_short_memory_still_converges(void **state)
{
    fixture *f = *state;
    optimise_options lean = {.memory = 1, .max_iterations = 5000, .gradient_tolerance = 1e-8};
    optimise_result result;
    double x[10] = {0};
    assert_int_equal(lbfgs_minimise(f->ctx, &f->scratch, 10, x, rosenbrock, NULL, &lean, &result), NONSENS_OK);
    assert_int_equal(result.reason, STOP_CONVERGED);
    assert_true(fabs(x[9] - 1.0) < AT_MINIMUM);
}

static void test_memory_failure(void **state)
{
    fixture *f = *state;
    arena own = {0};
    optimise_result result;
    double x[2] = {0.0, 0.0};
    memory_fail_at(0);
    nonsens_status status = lbfgs_minimise(f->ctx, &own, 2, x, rosenbrock, NULL, &USUAL, &result);
    memory_fail_at(-1);
    arena_free(&own);
    assert_int_equal(status, NONSENS_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rosenbrock),
        TEST(test_ill_conditioned_quadratic),
        TEST(test_leaves_bad_regions),
        TEST(test_wrong_gradients_stop),
        TEST(test_unbounded_below_ends),
        TEST(test_limits_and_starts),
        TEST(test_short_memory_still_converges),
        TEST(test_memory_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
