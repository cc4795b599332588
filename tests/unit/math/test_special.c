/* test_special.c - special functions against multiple-precision references and against one another. */
#include "fixtures/special.h"
#include "math/special.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double ABSOLUTE = 1e-12;
static const double RELATIVE = 1e-9;           /* in tails ... */
static const double TAIL_END = 1e-300;         /* ... down to here */
static const double LOG_RELATIVE = 1e-12;      /* of log Q */
static const double SMOOTH_RELATIVE = 1e-13;   /* of functions without cancellation */
static const double QUANTILE_RELATIVE = 1e-12; /* of normal quantiles, absolute near zero */

/* A probability must be right within both tolerances; below TAIL_END it must only be small. */
static void assert_probability(double got, double expected, double a, double b, double x)
{
    double error = fabs(got - expected);
    if (!(error <= ABSOLUTE) || (expected >= TAIL_END && !(error <= RELATIVE * expected)) || !(got >= 0.0) ||
        !(got <= 1.0 + ABSOLUTE) || (expected < TAIL_END && !(got <= TAIL_END * (1.0 + RELATIVE)))) {
        fail_msg("at (%.17g, %.17g, %.17g): got %.17g, expected %.17g", a, b, x, got, expected);
    }
}

static void assert_near(double got, double expected, double tolerance, double x)
{
    if (!(fabs(got - expected) <= tolerance)) {
        fail_msg("at %.17g: got %.17g, expected %.17g", x, got, expected);
    }
}

static void test_gamma(void **state)
{
    (void)state;
    assert_true(COUNT(fixture_gamma) > 250);
    for (size_t i = 0; i < COUNT(fixture_gamma); i++) {
        const double *r = fixture_gamma[i];
        assert_probability(special_gamma_p(r[0], r[1]), r[2], r[0], 0.0, r[1]);
        assert_probability(special_gamma_q(r[0], r[1]), r[3], r[0], 1.0, r[1]);
    }
}

static void test_gamma_edges(void **state)
{
    (void)state;
    assert_true(special_gamma_p(2.0, 0.0) == 0.0 && special_gamma_q(2.0, 0.0) == 1.0);
    assert_true(special_gamma_p(2.0, INFINITY) == 1.0 && special_gamma_q(2.0, INFINITY) == 0.0);
    assert_true(special_log_gamma_q(2.0, INFINITY) == -INFINITY);
    assert_true(special_log_gamma_q(2.0, 0.0) == 0.0);
    assert_true(isnan(special_gamma_q(-1.0, 1.0)) && isnan(special_gamma_q(NAN, 1.0)));
    assert_true(isnan(special_gamma_q(1.0, NAN)) && isnan(special_log_gamma_q(1.0, NAN)));
    assert_near(special_gamma_q(1e12, 1e12), 0.5, 1e-6, 1e12); // 1/2 - 1 / (3 sqrt(2 pi a))
}

/* Where one method takes over from another, neighbouring values must agree: Q falls without a jump. */
static void test_gamma_is_smooth(void **state)
{
    (void)state;
    static const double shapes[] = {0.3, 0.4999999, 3.0, 99.999, 100.0, 5e3, 1e6, 1e9};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        double a = shapes[i];
        for (double x = 0.2 * a + 1e-3; x < 3.0 * a + 3.0; x *= 1.0021) {
            double here = special_gamma_q(a, x), there = special_gamma_q(a, x * (1.0 + 1e-15));
            assert_true(there <= here * (1.0 + 1e-9) && there >= here * (1.0 - 1e-9) - 1e-300);
            assert_near(special_gamma_p(a, x) + here, 1.0, 1e-14, x);
        }
    }
}

static void test_gamma_recurrence(void **state)
{
    (void)state;
    for (double a = 90.25; a < 110.0; a += 1.0) { // P(a + 1, x) = P(a, x) - x^a e^-x / Gamma(a + 1), across a = 100
        for (double x = 40.0; x < 220.0; x += 7.3) {
            double term = exp(a * log(x) - x - lgamma(a + 1.0));
            assert_near(special_gamma_p(a + 1.0, x), special_gamma_p(a, x) - term, ABSOLUTE, x);
        }
    }
}

static void test_log_gamma_q(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_log_gamma_q); i++) {
        const double *r = fixture_log_gamma_q[i];
        assert_near(special_log_gamma_q(r[0], r[1]), r[2], LOG_RELATIVE * fabs(r[2]), r[1]);
    }
}

static void test_gamma_tail(void **state)
{
    (void)state;
    assert_near(special_gamma_tail(6.0, 12.0, 7.0), special_chi2_tail(6.0, 7.0), ABSOLUTE, 7.0);
    assert_near(special_chi2_tail(2.0, 100.0), exp(-50.0), RELATIVE * exp(-50.0), 100.0);
    assert_near(special_chi2_tail(1.0, 3.841458820694124), 0.05, ABSOLUTE, 3.84);
    assert_true(special_gamma_tail(1.0, 0.5, -1.0) == 1.0);
    assert_true(special_gamma_tail(1.0, 0.0, 0.5) == 1.0 && special_gamma_tail(1.0, 0.0, 1.5) == 0.0);
    assert_true(isnan(special_gamma_tail(NAN, 1.0, 1.0)) && isnan(special_gamma_tail(1.0, -1.0, 1.0)));
}

static void test_normal(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_normal); i++) {
        const double *r = fixture_normal[i];
        assert_probability(special_normal_tail(-r[0]), r[1], 0.0, 0.0, r[0]);
        assert_probability(special_normal_tail(r[0]), r[2], 0.0, 1.0, r[0]);
    }
}

static void test_normal_quantile(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_normal_quantile); i++) {
        const double *r = fixture_normal_quantile[i];
        assert_near(special_normal_quantile(r[0]), r[1], QUANTILE_RELATIVE * fmax(1.0, fabs(r[1])), r[0]);
    }
    assert_true(special_normal_quantile(0.0) == -INFINITY && special_normal_quantile(1.0) == INFINITY);
    assert_true(isnan(special_normal_quantile(-0.1)) && isnan(special_normal_quantile(NAN)));
}

static void test_beta(void **state)
{
    (void)state;
    assert_true(COUNT(fixture_beta) > 150);
    for (size_t i = 0; i < COUNT(fixture_beta); i++) {
        const double *r = fixture_beta[i];
        assert_probability(special_beta_inc(r[0], r[1], r[2]), r[3], r[0], r[1], r[2]);
    }
    assert_true(special_beta_inc(2.0, 3.0, 0.0) == 0.0 && special_beta_inc(2.0, 3.0, 1.0) == 1.0);
    assert_true(isnan(special_beta_inc(0.0, 3.0, 0.5)) && isnan(special_beta_inc(2.0, 3.0, 1.5)));
}

static void test_student(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_student); i++) {
        const double *r = fixture_student[i];
        assert_probability(special_student_tail(r[0], r[1]), r[2], r[0], 0.0, r[1]);
        assert_true(special_student_tail(r[0], -r[1]) == special_student_tail(r[0], r[1]));
    }
    assert_true(special_student_tail(5.0, 0.0) == 1.0 && special_student_tail(5.0, INFINITY) == 0.0);
    assert_near(special_student_tail(INFINITY, 1.5), 2.0 * special_normal_tail(1.5), ABSOLUTE, 1.5);
    assert_true(isnan(special_student_tail(0.0, 1.0)) && isnan(special_student_tail(3.0, NAN)));
}

static void test_digamma(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_polygamma); i++) {
        const double *r = fixture_polygamma[i];
        assert_near(special_digamma(r[0]), r[1], SMOOTH_RELATIVE * fabs(r[1]) + 1e-15, r[0]);
    }
    assert_true(isnan(special_digamma(0.0)) && isnan(special_digamma(-2.5)) && isnan(special_digamma(NAN)));
}

static void test_kolmogorov(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_kolmogorov); i++) {
        const double *r = fixture_kolmogorov[i];
        assert_probability(special_kolmogorov_tail(r[0]), r[1], 0.0, 0.0, r[0]);
    }
    assert_true(special_kolmogorov_tail(0.0) == 1.0 && special_kolmogorov_tail(-1.0) == 1.0);
    assert_true(special_kolmogorov_tail(1e-310) == 1.0 && special_kolmogorov_tail(INFINITY) == 0.0);
    assert_true(isnan(special_kolmogorov_tail(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gamma),
        cmocka_unit_test(test_gamma_edges),
        cmocka_unit_test(test_gamma_is_smooth),
        cmocka_unit_test(test_gamma_recurrence),
        cmocka_unit_test(test_log_gamma_q),
        cmocka_unit_test(test_gamma_tail),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_normal_quantile),
        cmocka_unit_test(test_beta),
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_digamma),
        cmocka_unit_test(test_kolmogorov),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
