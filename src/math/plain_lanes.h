/* plain_lanes.h - vectors of doubles as wide as those of the instruction set that a kernel is compiled for. */
#ifndef MATH_PLAIN_LANES_H
#define MATH_PLAIN_LANES_H

#include <stdint.h>
#include <string.h>

#if defined __AVX512F__
enum { LANES = 8 };
#elif defined __AVX2__
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

#define INLINE static inline __attribute__((always_inline))

INLINE lanes load(const double *v)
{
    lanes x;
    memcpy(&x, v, sizeof x);
    return x;
}

INLINE void store(double *v, lanes x)
{
    memcpy(v, &x, sizeof x);
}

/* Adds up the lanes pairwise, as in a tree. */
INLINE double total(lanes x)
{
    double v[LANES];
    memcpy(v, &x, sizeof v);
    for (int width = LANES / 2; width > 0; width /= 2) {
        for (int i = 0; i < width; i++) {
            v[i] += v[i + width];
        }
    }
    return v[0];
}

#endif
