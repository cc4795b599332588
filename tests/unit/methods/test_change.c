/* test_change.c - the two k-sample tests of change over segments, against SciPy. */
#include "methods/shared/change.h"

#include "base/rng.h"
#include "fixtures/change.h"

#include <math.h>
#include <stdio.h>

#include "fixture.h"

static const double STATISTIC_TOLERANCE = 1e-10; /* relative */
static const double P_TOLERANCE = 1e-8;          /* relative */

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected))) {
        fail_msg("found %.17g, expected %.17g", found, expected);
    }
}

static void check(fixture *f, const struct change_case *c)
{
    change_test test;
    assert_int_equal(change_of_location(f->ctx, &f->scratch, c->value, c->segments, c->start, &test), NONSENS_OK);
    assert_int_equal(test.segments, c->segments);
    assert_near(test.statistic, c->welch, STATISTIC_TOLERANCE);
    assert_near(test.p_value, c->welch_p, P_TOLERANCE);
    assert_int_equal(change_of_scale(f->ctx, &f->scratch, c->value, c->segments, c->start, &test), NONSENS_OK);
    assert_near(test.statistic, c->fligner, STATISTIC_TOLERANCE);
    assert_near(test.p_value, c->fligner_p, P_TOLERANCE);
    assert_near(test.effect, c->ratio, STATISTIC_TOLERANCE);
}

static void test_against_scipy(void **state)
{
    check(*state, &two_groups);
    check(*state, &five_groups);
    check(*state, &tied);
}

/* Segments with one row and constant segments are left out; if fewer than two are left, there is no test. */
static void test_unusable_segments(void **state)
{
    fixture *f = *state;
    static const double v[] = {1, 2, 4, 7, 5, 5, 5, 3, 1, 9};
    static const int64_t start[] = {0, 3, 4, 7, 10}, lone[] = {0, 3, 4, 7};
    change_test test;
    assert_int_equal(change_of_scale(f->ctx, &f->scratch, v, 4, start, &test), NONSENS_OK);
    assert_int_equal(test.segments, 2);
    assert_true(test.p_value > 0.0 && test.p_value < 1.0);
    assert_int_equal(change_of_location(f->ctx, &f->scratch, v, 3, lone, &test), NONSENS_OK);
    assert_int_equal(test.segments, 1);
    assert_true(isnan(test.p_value) && isnan(test.statistic));
}

/* Constant segments with different values prove a change of location; equal ones and single rows prove nothing. */
static void test_constant_segments(void **state)
{
    fixture *f = *state;
    static const double differ[] = {1, 1, 1, 4, 4, 4}, same[] = {1, 1, 1, 1, 1, 1}, one_varies[] = {1, 1, 1, 4, 5, 4};
    static const int64_t start[] = {0, 3, 6}, single[] = {0, 1, 2, 3};
    change_test test;
    assert_int_equal(change_of_location(f->ctx, &f->scratch, differ, 2, start, &test), NONSENS_OK);
    assert_true(test.certain && test.p_value == 0.0 && test.segments == 0 && test.constant == 2);
    assert_int_equal(change_of_scale(f->ctx, &f->scratch, differ, 2, start, &test), NONSENS_OK);
    assert_true(!test.certain && isnan(test.p_value));
    assert_int_equal(change_of_location(f->ctx, &f->scratch, same, 2, start, &test), NONSENS_OK);
    assert_true(!test.certain && isnan(test.p_value));
    assert_int_equal(change_of_location(f->ctx, &f->scratch, one_varies, 2, start, &test), NONSENS_OK);
    assert_true(!test.certain && isnan(test.p_value) && test.segments == 1);
    assert_int_equal(change_of_location(f->ctx, &f->scratch, one_varies + 2, 3, single, &test), NONSENS_OK);
    assert_true(!test.certain && isnan(test.p_value) && test.segments == 0 && test.constant == 0);
}

/* Multiplying the values by a power of two near the ends of the range changes no bit of the results. */
static void test_extreme_values(void **state)
{
    fixture *f = *state;
    static const int exponents[] = {-1000, -500, 500, 1000};
    static const double v[] = {1.5, 2.25, -3.5, 0.75, 2, 8.5, -6.25, 10, 3, 7.75};
    static const int64_t start[] = {0, 5, 10};
    change_test location, scale, again;
    assert_int_equal(change_of_location(f->ctx, &f->scratch, v, 2, start, &location), NONSENS_OK);
    assert_int_equal(change_of_scale(f->ctx, &f->scratch, v, 2, start, &scale), NONSENS_OK);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        double far[10];
        for (int i = 0; i < 10; i++) {
            far[i] = ldexp(v[i], exponents[k]);
        }
        assert_int_equal(change_of_location(f->ctx, &f->scratch, far, 2, start, &again), NONSENS_OK);
        assert_true(again.statistic == location.statistic && again.p_value == location.p_value);
        assert_true(again.effect == location.effect);
        assert_int_equal(change_of_scale(f->ctx, &f->scratch, far, 2, start, &again), NONSENS_OK);
        assert_true(again.statistic == scale.statistic && again.p_value == scale.p_value);
        assert_true(again.effect == scale.effect);
    }
}

/* Without a change p-values are uniform: at level .1, a tenth of 400 data sets is rejected, standard error .015. */
static void test_level(void **state)
{
    fixture *f = *state;
    enum { SETS = 400, SEGMENTS = 5, ROWS = 40 };
    static const double LEVEL = 0.1, FOUR_SE = 0.06;
    double v[SEGMENTS * ROWS];
    int64_t start[SEGMENTS + 1];
    int location = 0, scale = 0;
    for (int64_t e = 0; e <= SEGMENTS; e++) {
        start[e] = e * ROWS;
    }
    for (int set = 0; set < SETS; set++) {
        rng r = rng_new(7, RNG_TEST, (uint64_t)set);
        change_test test;
        for (int i = 0; i < SEGMENTS * ROWS; i++) {
            v[i] = rng_laplace(&r);
        }
        assert_int_equal(change_of_location(f->ctx, &f->scratch, v, SEGMENTS, start, &test), NONSENS_OK);
        location += test.p_value <= LEVEL;
        assert_int_equal(change_of_scale(f->ctx, &f->scratch, v, SEGMENTS, start, &test), NONSENS_OK);
        scale += test.p_value <= LEVEL;
    }
    assert_true(fabs((double)location / SETS - LEVEL) < FOUR_SE);
    assert_true(fabs((double)scale / SETS - LEVEL) < FOUR_SE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_against_scipy), TEST(test_unusable_segments), TEST(test_constant_segments), TEST(test_extreme_values),
        TEST(test_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
