/*
 * pair_exp.h - exp and tanh of two doubles at once, for sums over many rows.
 *
 * For x <= 0 and n the integer next to x / log 2, r = x - n log 2, |r| <= log(2) / 2:
 *     exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1),
 * exp(r) - 1 by its Taylor series to r^13, whose remainder is 4e-18.  No digits cancel, so that
 *     tanh |x| = -e / (2 + e),   e = exp(-2 |x|) - 1,
 * is within a few units in the last place of the true value everywhere, also next to 0
 * (tests/unit/math/test_pair_exp.c).  NaN stays NaN.
 */
#ifndef MATH_PAIR_EXP_H
#define MATH_PAIR_EXP_H

#include "math/pair.h"

#include <stdint.h>

typedef int64_t pair_bits __attribute__((vector_size(2 * sizeof(int64_t))));

/* Returns a where the mask is set, b elsewhere. */
static inline pair pair_select(pair_bits mask, pair a, pair b)
{
    return (pair)((mask & (pair_bits)a) | (~mask & (pair_bits)b));
}

static inline pair pair_abs(pair x)
{
    return (pair)((pair_bits)x & INT64_MAX);
}

/* Returns 1/2! + r/3! + ... + r^11/13! in a tree: half as many dependent steps as by Horner's rule. */
static inline pair pair_exp_tail(pair r)
{
    pair r2 = r * r, r4 = r2 * r2;
    pair low = (0.5 + r * 1.6666666666666666e-01) + r2 * (4.1666666666666664e-02 + r * 8.3333333333333332e-03);
    pair middle = (1.3888888888888889e-03 + r * 1.9841269841269841e-04) +
                  r2 * (2.4801587301587302e-05 + r * 2.7557319223985893e-06);
    pair high = (2.7557319223985888e-07 + r * 2.5052108385441720e-08) +
                r2 * (2.0876756987868100e-09 + r * 1.6059043836821613e-10);
    return low + r4 * (middle + r4 * high);
}

/* Returns exp(x) - 1 for x from -700 to 0. */
static inline pair pair_expm1(pair x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    pair shifted = x * 1.4426950408889634 + magic, whole = shifted - magic;
    pair_bits n = (pair_bits)shifted - (pair_bits)pair_fill(magic);
    pair r = x - whole * 0.69314718036912382; /* log 2 is the sum of this constant, which has 32 bits, and the next */
    r = r - whole * 1.9082149292705877e-10;
    pair power = (pair)((n + 1023) << 52);
    return (pair_exp_tail(r) * (r * r) + r) * power + (power - 1.0);
}

/* Returns exp(x) for x <= 0, with an absolute error below 4e-16. */
static inline pair pair_exp(pair x)
{
    return 1.0 + pair_expm1(pair_select(x < -700.0, pair_fill(-700.0), x));
}

/* Returns tanh(x); *shoulder = 1 + exp(-2 |x|), log cosh x = |x| + log(shoulder) - log 2; products share a log. */
static inline pair pair_tanh(pair x, pair *shoulder)
{
    pair size = pair_abs(x);
    pair within = pair_select(size > 20.0, pair_fill(20.0), size); /* beyond 20 it is 1 to the last digit */
    pair e = pair_expm1(-2.0 * within);
    *shoulder = 2.0 + e;
    return (pair)((pair_bits)pair_abs(e / *shoulder) | ((pair_bits)x & INT64_MIN));
}

#endif
