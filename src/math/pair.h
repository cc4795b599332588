/* pair.h - two doubles as one vector (NEON, SSE2), for loops that do not use BLAS. */
#ifndef MATH_PAIR_H
#define MATH_PAIR_H

#include <string.h>

typedef double pair __attribute__((vector_size(2 * sizeof(double))));

static inline pair pair_load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void pair_store(double *p, pair v)
{
    memcpy(p, &v, sizeof v);
}

static inline pair pair_fill(double f)
{
    return f - (pair){0};
}

#endif
