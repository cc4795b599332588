/* test_chi2_mixture.c - weighted sums of chi-square variables against closed forms, Imhof's integral and one another.
 */
#include "base/rng.h"
#include "fixtures/chi2_mixture.h"
#include "math/chi2_mixture.h"
#include "math/special.h"

#include <math.h>
#include <time.h>

#include "fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double RELATIVE = 1e-11; /* the claimed accuracy is 1e-9 */
static const double COARSE = 1e-9;    /* absolute error of Imhof's integral by quadrature */

static void assert_relative(double got, double expected, double relative, double x)
{
    if (!(fabs(got - expected) <= relative * fabs(expected))) {
        fail_msg("at %.17g: got %.17g, expected %.17g", x, got, expected);
    }
}

static void test_fixtures(void **state)
{
    (void)state;
    assert_true(COUNT(mixture_cases) > 100);
    for (size_t i = 0; i < COUNT(mixture_cases); i++) {
        const int64_t *set = mixture_sets[mixture_cases[i].set];
        double x = mixture_cases[i].x, p = mixture_cases[i].p;
        double got = chi2_mixture_tail(set[1], mixture_weights + set[0], x);
        assert_relative(got, p, mixture_cases[i].coarse ? COARSE / p : RELATIVE, x);
    }
}

/* A mixture whose weights are almost equal is nearly a chi-square variable, far into both tails. */
static void test_nearly_equal_weights(void **state)
{
    (void)state;
    enum { N = 40 };
    double equal[N], near[N];
    for (int i = 0; i < N; i++) {
        equal[i] = 3.0;
        near[i] = 3.0 * (1.0 + (i % 2 ? 1e-10 : -1e-10));
    }
    for (double x = 3.0; x < 3000.0; x *= 1.3) {
        double expected = special_chi2_tail(N, x / 3.0);
        assert_relative(chi2_mixture_tail(N, equal, x), expected, 1e-12, x);
        assert_relative(chi2_mixture_tail(N, near, x), expected, RELATIVE, x);
    }
}

/* Scale, order and zeros do not matter; p falls as x grows. */
static void test_invariances(void **state)
{
    (void)state;
    rng r = rng_new(5, RNG_TEST, 1);
    for (int repeat = 0; repeat < 200; repeat++) {
        enum { N = 30 };
        double w[N], reversed[N + 10] = {0}, sum = 0.0, scale = pow(10.0, 600.0 * rng_uniform(&r) - 300.0),
                                  before = 1.0;
        double range = 20.0 * rng_uniform(&r);
        for (int i = 0; i < N; i++) {
            w[i] = exp(-range * rng_uniform(&r));
            reversed[N - 1 - i + (i < 15 ? 10 : 0)] = w[i] * scale;
            sum += w[i];
        }
        for (double x = 1e-4; x < 100.0; x *= 2.0) {
            double p = chi2_mixture_tail(N, w, x * sum);
            assert_true(p >= 0.0 && p <= before);
            assert_relative(chi2_mixture_tail(N + 10, reversed, x * sum * scale), p, RELATIVE, x);
            before = p;
        }
    }
}

static void test_corners(void **state)
{
    (void)state;
    const double w[] = {1.0, 0.5, 0.0}, zero[] = {0.0, 0.0}, negative[] = {1.0, -1e-9}, broken[] = {1.0, NAN};
    assert_true(chi2_mixture_tail(3, w, 0.0) == 1.0 && chi2_mixture_tail(3, w, -5.0) == 1.0);
    assert_true(chi2_mixture_tail(2, zero, 0.0) == 1.0 && chi2_mixture_tail(2, zero, -1.0) == 1.0);
    assert_true(chi2_mixture_tail(2, zero, 1e-300) == 0.0 && chi2_mixture_tail(0, w, 1.0) == 0.0);
    assert_true(chi2_mixture_tail(0, w, 0.0) == 1.0);
    assert_true(chi2_mixture_tail(3, w, 1e300) == 0.0 && chi2_mixture_tail(3, w, INFINITY) == 0.0);
    assert_true(chi2_mixture_tail(3, w, 5e-324) == 1.0);
    assert_true(isnan(chi2_mixture_tail(2, negative, 1.0)) && isnan(chi2_mixture_tail(2, broken, 1.0)));
    assert_true(isnan(chi2_mixture_tail(3, w, NAN)));
    assert_relative(chi2_mixture_tail(1, w, 3.0), special_chi2_tail(1.0, 3.0), 1e-15, 3.0);
    const double tiny[] = {1e-320, 5e-321}, huge[] = {1.6e308, 0.8e308};
    assert_relative(chi2_mixture_tail(2, tiny, 1e-320), chi2_mixture_tail(2, huge, 1.6e308), 1e-2, 1.0);
}

/* Thousands of weights: close to the normal limit, and fast. */
static void test_many_weights(void **state)
{
    fixture *f = *state;
    enum { N = 20000 };
    double *w = fixture_doubles(f, N), sum = 0.0, squares = 0.0, cubes = 0.0;
    for (int64_t i = 0; i < N; i++) {
        w[i] = 1.0 + 0.5 * sin((double)i);
        sum += w[i];
        squares += w[i] * w[i];
        cubes += w[i] * w[i] * w[i];
    }
    double skew = 8.0 * cubes / pow(2.0 * squares, 1.5);
    clock_t begin = clock();
    for (double z = -3.0; z <= 3.0; z += 0.5) {
        double density = exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0));
        double edgeworth = special_normal_tail(z) + skew / 6.0 * (z * z - 1.0) * density;
        assert_true(fabs(chi2_mixture_tail(N, w, sum + z * sqrt(2.0 * squares)) - edgeworth) < 1e-4);
    }
    assert_true((double)(clock() - begin) < 2.0 * fixture_patience() * CLOCKS_PER_SEC); // 13 calls: 0.06 s
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_fixtures), TEST(test_nearly_equal_weights), TEST(test_invariances),
                                       TEST(test_corners), TEST(test_many_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
