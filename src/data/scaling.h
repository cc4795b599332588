/* scaling.h - a power of two that brings a column into [-1, 1] without rounding, so that its powers cannot overflow. */
#ifndef DATA_SCALING_H
#define DATA_SCALING_H

#include <math.h>

static inline double scaling_factor(double largest_size)
{
    int exponent;
    frexp(largest_size, &exponent);
    return ldexp(1.0, exponent > -1000 ? -exponent : 1000); // 2^1000 is enough, and finite, for subnormal columns
}

#endif
