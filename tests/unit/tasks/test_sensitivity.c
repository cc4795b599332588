/* test_sensitivity.c - robustness values: those printed by Cinelli and Hazlett (2020), and their meaning. */
#include "math/special.h"
#include "tasks/identify/sensitivity.h"

#include <math.h>

#include "fixture.h"

/* Table 1 of the paper: being directly harmed in Darfur, estimate .097, standard error .023, 783 degrees of freedom. */
static void test_published(void **state)
{
    (void)state;
    sensitivity s = sensitivity_of(0.097 / 0.023, 783.0, 0.05);
    assert_float_equal(s.robustness, 0.139, 0.0015); // the paper has .139 from 4.184, an unrounded t value
    assert_float_equal(s.robustness_interval, 0.076, 0.0015);
    assert_float_equal(s.partial_r2, 0.022, 0.0005);
    s = sensitivity_of(4.184, 783.0, 0.05);
    assert_float_equal(s.robustness, 0.139, 0.0005);
    assert_float_equal(s.robustness_interval, 0.076, 0.0005);
    assert_float_equal(s.partial_r2, 0.022, 0.0005);
}

/* A hidden cause as strong as the value brings the estimate exactly to 0, and a stronger one beyond 0. */
static void test_meaning(void **state)
{
    (void)state;
    for (double t = 0.1; t < 200.0; t *= 1.7) {
        for (double degrees = 3.0; degrees < 5000.0; degrees *= 3.0) {
            sensitivity s = sensitivity_of(t, degrees, 0.05), negative = sensitivity_of(-t, degrees, 0.05);
            double error = 0.3;
            assert_float_equal(sensitivity_bias(error, degrees, s.robustness, s.robustness) / (error * t), 1.0, 1e-9);
            assert_float_equal(sensitivity_bias(error, degrees, 1.0, s.partial_r2) / (error * t), 1.0, 1e-9);
            assert_true(s.robustness == negative.robustness);
            assert_true(s.robustness_interval == negative.robustness_interval);
            assert_true(s.robustness > 0.0 && s.robustness < 1.0);
            assert_true(s.robustness_interval >= 0.0 && s.robustness_interval < s.robustness);
        }
    }
}

/*
 * The value of the interval, by search: the smallest share such that a hidden cause with at most this share of both
 * variables brings |t| down to the quantile.  It changes the standard error by sqrt((1 - r2_target) / (1 - r2_cause))
 * and takes one degree of freedom.
 */
static double search_interval(double t, double degrees, double critical)
{
    for (double share = 0.0; share < 1.0; share += 0.0005) {
        for (double r2 = 0.0; r2 <= share; r2 += 0.0005) {
            double bias = sensitivity_bias(1.0, degrees, r2, share);
            double error = sqrt((1.0 - r2) / (1.0 - share) * degrees / (degrees - 1.0));
            if (t - bias <= critical * error) {
                return share;
            }
        }
    }
    return 1.0;
}

static void test_interval(void **state)
{
    (void)state;
    static const double t[] = {1.0, 2.5, 4.0, 10.0, 30.0};
    static const double degrees[] = {3.0, 10.0, 50.0};
    for (int i = 0; i < 15; i++) {
        double d = degrees[i / 5], low = 0.0, high = 100.0;
        for (int k = 0; k < 60; k++) {
            *(special_student_tail(d - 1.0, 0.5 * (low + high)) > 0.05 ? &low : &high) = 0.5 * (low + high);
        }
        assert_float_equal(sensitivity_of(t[i % 5], d, 0.05).robustness_interval, search_interval(t[i % 5], d, high),
                           0.002);
    }
}

static void test_edges(void **state)
{
    (void)state;
    sensitivity s = sensitivity_of(0.0, 100.0, 0.05);
    assert_true(s.robustness == 0.0 && s.robustness_interval == 0.0 && s.partial_r2 == 0.0);
    assert_true(sensitivity_of(1.9, 100.0, 0.05).robustness_interval == 0.0);
    assert_true(sensitivity_of(2.1, 100.0, 0.05).robustness_interval > 0.0);
    assert_true(isnan(sensitivity_of(NAN, 100.0, 0.05).robustness));
    assert_true(isnan(sensitivity_of(INFINITY, 100.0, 0.05).robustness));
    assert_true(isnan(sensitivity_of(2.0, 1.0, 0.05).robustness_interval));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_interval),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
