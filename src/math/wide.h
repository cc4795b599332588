/*
 * wide.h - vectors of as many doubles as the instruction set allows, for kernels that are compiled once per set
 * (base/instruction_set.h): two with SSE2 and NEON, four with AVX2.  Results of different sets differ in the last
 * digits, since sums are computed lane by lane.
 */
#ifndef MATH_WIDE_H
#define MATH_WIDE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX__
enum { WIDE = 4 };
#else
enum { WIDE = 2 };
#endif

typedef double wide __attribute__((vector_size(WIDE * sizeof(double))));
typedef int64_t wide_bits __attribute__((vector_size(WIDE * sizeof(int64_t))));

static inline wide wide_load(const double *p)
{
    wide v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void wide_store(double *p, wide v)
{
    memcpy(p, &v, sizeof v);
}

static inline wide wide_fill(double f)
{
    return f - (wide){0};
}

/* Loads the first `count` of WIDE numbers, and `otherwise` for the rest. */
static inline wide wide_load_some(const double *p, int64_t count, double otherwise)
{
    double v[WIDE];
    for (int64_t i = 0; i < WIDE; i++) {
        v[i] = i < count ? p[i] : otherwise;
    }
    return wide_load(v);
}

static inline void wide_store_some(double *p, int64_t count, wide v)
{
    for (int64_t i = 0; i < count && i < WIDE; i++) {
        p[i] = v[i];
    }
}

/* Returns a where the mask is set, b elsewhere. */
static inline wide wide_select(wide_bits mask, wide a, wide b)
{
    return (wide)((mask & (wide_bits)a) | (~mask & (wide_bits)b));
}

/* Returns the sum of the lanes. */
static inline double wide_total(wide v)
{
    double sum = v[0] + v[1];
    for (int i = 2; i < WIDE; i += 2) {
        sum += v[i] + v[i + 1];
    }
    return sum;
}

static inline wide wide_sqrt(wide v)
{
    wide root;
    for (int i = 0; i < WIDE; i++) {
        root[i] = sqrt(v[i]);
    }
    return root;
}

/*
 * Returns log(x) for x > 0 that is neither subnormal nor infinite.  With x = 2^n m and m from sqrt(1/2) to sqrt(2),
 *     log(x) = n log 2 + 2 atanh(s),   s = (m - 1) / (m + 1),   atanh(s) = s + s^3 / 3 + s^5 / 5 + ...,
 * of which eleven terms leave a remainder of 1e-18 s. For other x the result is meaningless, but there is no error.
 */
static inline wide wide_log(wide x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it to a small integer keeps its bits */
    const int64_t root_half = 0x3fe6a09e667f3bcd;
    wide_bits n = ((wide_bits)x - root_half) >> 52;
    wide m = (wide)((wide_bits)x - (n << 52)), s = (m - 1.0) / (m + 1.0), t = s * s, t2 = t * t, t4 = t2 * t2;
    wide whole = (wide)(n + (wide_bits)wide_fill(magic)) - magic;
    wide low = (1.0 / 3 + t * (1.0 / 5)) + t2 * (1.0 / 7 + t * (1.0 / 9));
    wide high = (1.0 / 11 + t * (1.0 / 13)) + t2 * (1.0 / 15 + t * (1.0 / 17));
    wide tail = low + t4 * (high + t4 * (1.0 / 19 + t * (1.0 / 21)));
    wide twice = s + s;
    /* log 2 is the sum of these two constants, the first of which has 32 bits */
    return whole * 0.69314718036912382 + (twice + (twice * t * tail + whole * 1.9082149292705877e-10));
}

/*
 * Returns 1/2! + r/3! + ... + r^11/13! in a tree: half as many dependent steps as by Horner's rule.
 */
static inline wide wide_exp_tail(wide r)
{
    wide r2 = r * r, r4 = r2 * r2;
    wide low = (0.5 + r * 1.6666666666666666e-01) + r2 * (4.1666666666666664e-02 + r * 8.3333333333333332e-03);
    wide middle = (1.3888888888888889e-03 + r * 1.9841269841269841e-04) +
                  r2 * (2.4801587301587302e-05 + r * 2.7557319223985893e-06);
    wide high = (2.7557319223985888e-07 + r * 2.5052108385441720e-08) +
                r2 * (2.0876756987868100e-09 + r * 1.6059043836821613e-10);
    return low + r4 * (middle + r4 * high);
}

/*
 * Returns exp(x) for x <= 0, to a few units in the last place even if the result is small.  The smallest result is
 * 1e-130, so that products of two such numbers with others are not subnormal yet; some processors need a hundred times
 * as long for subnormal products.
 */
static inline wide wide_exp_negative(wide x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    const double lowest = -300.0;
    x = wide_select(x < lowest, wide_fill(lowest), x);
    wide shifted = x * 1.4426950408889634 + magic, whole = shifted - magic;
    wide_bits n = (wide_bits)shifted - (wide_bits)wide_fill(magic);
    wide r = x - whole * 0.69314718036912382; /* log 2 = this constant, which has 32 bits, plus the next */
    r = r - whole * 1.9082149292705877e-10;
    wide power = (wide)((n + 1023) << 52);
    return (1.0 + (wide_exp_tail(r) * (r * r) + r)) * power;
}

#endif
