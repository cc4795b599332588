/*
 * hsic_internal.h - what the files of the HSIC test share: the moments of its statistic over all permutations.
 */
#ifndef INDEP_HSIC_INTERNAL_H
#define INDEP_HSIC_INTERNAL_H

#include "indep/kernel.h"

enum {
    HSIC_BLOCK = 256,            /* rows that products of factors take at a time */
    HSIC_LEAST_ROWS_MOMENTS = 6, /* the third moment divides by n - 5 */
};

/* What the moments need to know of a centred symmetric matrix W (n, n), d its diagonal. */
typedef struct hsic_invariants {
    double t, t2, t3; /* traces of W, W^2, W^3 */
    double s2, s3;    /* sums of d_i^2, d_i^3 */
    double u;         /* sum of w_ij^3 */
    double r;         /* sum of d_i (W^2)_ii */
    double b;         /* d' W d */
} hsic_invariants;

/* Of T under permutations; third: the third central moment. */
typedef struct hsic_cumulants {
    double mean, variance, third;
} hsic_cumulants;

/* Of the centred kernel matrix with this factor: O(n r^2) to O(n r^3). */
nonsens_status hsic_factor_invariants(nonsens_context *ctx, arena *scratch, const kernel_factor *w, hsic_invariants *v);

/* Of (1/n) tr(W_v P W_w P') over all permutations P of n rows. */
hsic_cumulants hsic_permutation_cumulants(int64_t rows, const hsic_invariants *v, const hsic_invariants *w);

/*
 * Upper tail at x of the shifted gamma distribution with these moments; of its mirror image where the skew is negative,
 * of the normal distribution where there is hardly any.  1 if all permutations have the same T, up to rounding.
 */
double hsic_tail(const hsic_cumulants *c, double x);

static inline double hsic_dot(int64_t k, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < k; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

#endif
