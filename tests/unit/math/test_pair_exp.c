/* test_pair_exp.c - exp and tanh of pairs against libm over their whole range. */
#include "base/rng.h"
#include "math/pair_exp.h"

#include <float.h>
#include <math.h>

#include "fixture.h"

static const double UNITS = 4.0;      /* in the last place, of tanh */
static const double ABSOLUTE = 4e-16; /* of exp, and of the values from which log cosh is computed */

static double units_off(double found, double right)
{
    return fabs(found - right) / fmax(fabs(right) * DBL_EPSILON, DBL_TRUE_MIN);
}

static void assert_tanh(double x)
{
    pair shoulder, t = pair_tanh((pair){x, -x}, &shoulder);
    if (!(units_off(t[0], tanh(x)) <= UNITS) || t[1] != -t[0]) {
        fail_msg("tanh %a is %a, not %a", x, t[0], tanh(x));
    }
    assert_true(fabs(shoulder[0] - (1.0 + exp(-2.0 * fabs(x)))) <= ABSOLUTE);
    assert_true(shoulder[1] == shoulder[0]);
}

static void test_tanh(void **state)
{
    (void)state;
    rng r = rng_new(1, RNG_TEST, 0);
    for (int i = 0; i < 400000; i++) {
        assert_tanh(25.0 * (2.0 * rng_uniform(&r) - 1.0));
        assert_tanh(ldexp(2.0 * rng_uniform(&r) - 1.0, -(int)rng_below(&r, 1000)));
        assert_tanh(ldexp(rng_uniform(&r), (int)rng_below(&r, 1000)));
    }
}

static void test_tanh_at_the_edges(void **state)
{
    (void)state;
    const double edges[] = {0.0,     DBL_TRUE_MIN, DBL_MIN, 1e-300, 0.17328679513998632, 0.5198603854199590,
                            0.5,     1.0,          19.0,    20.0,   20.000000000000004,  350.0,
                            DBL_MAX, INFINITY};
    pair shoulder;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_tanh(edges[i]);
        assert_tanh(nextafter(edges[i], 0.0));
        assert_tanh(nextafter(edges[i], INFINITY));
    }
    assert_true(isnan(pair_tanh((pair){NAN, 1.0}, &shoulder)[0]));
    assert_true(signbit(pair_tanh((pair){-0.0, 1.0}, &shoulder)[0]));
}

static void test_exp(void **state)
{
    (void)state;
    rng r = rng_new(2, RNG_TEST, 0);
    const double edges[] = {0.0, -DBL_TRUE_MIN, -1e-20, -36.0, -699.0, -700.0, -701.0, -1e300, -INFINITY};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_true(fabs(pair_exp(pair_fill(edges[i]))[1] - exp(edges[i])) <= ABSOLUTE);
    }
    for (int i = 0; i < 400000; i++) {
        double x = -40.0 * rng_uniform(&r);
        assert_true(fabs(pair_exp((pair){x, 0.0})[0] - exp(x)) <= ABSOLUTE);
        assert_true(units_off(pair_expm1((pair){x, 0.0})[0], expm1(x)) <= UNITS);
    }
    assert_true(isnan(pair_exp((pair){NAN, 0.0})[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_tanh), TEST(test_tanh_at_the_edges), TEST(test_exp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
