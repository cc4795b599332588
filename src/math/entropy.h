/*
 * entropy.h - estimates differential entropy and mutual information of scalars, from spacings and nearest neighbours.
 */
#ifndef MATH_ENTROPY_H
#define MATH_ENTROPY_H

#include "base/memory.h"

/*
 * Estimates the entropy in nats of a sample (n) by one-spacings of the sorted distinct values (Kraskov, Stoegbauer,
 * Grassberger 2004, section II, m = 1; ties dropped): mean log gap + psi(m) - psi(1), m the number of distinct values.
 * Costs O(n log n); v is not changed.
 * Scale-equivariant: H(c v) = H(v) + log c.  NaN if there are fewer than three distinct values.
 */
nonsens_status entropy_spacing(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *out);

/*
 * Estimates the mutual information in nats of two scalars by k nearest neighbours (Kraskov et al. 2004, estimator 1) in
 * O(n log n).
 * Both variables should have a similar scale.  Needs n > k; the estimate may be slightly negative.
 */
nonsens_status entropy_mutual_information(nonsens_context *ctx, arena *scratch, int64_t n, const double *x,
                                          const double *y, int k, double *out);

#endif
