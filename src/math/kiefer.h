/* kiefer.h - the distribution of the largest distance of a Brownian bridge in several dimensions from its start. */
#ifndef MATH_KIEFER_H
#define MATH_KIEFER_H

#include <stdint.h>

/*
 * Returns P(sup_t |B(t)|^2 > x), B a Brownian bridge on [0, 1] with this many (>= 1) independent components: the limit
 * of Kiefer's k-sample statistic with k - 1 components; for one component Kolmogorov's distribution at sqrt(x).
 * Absolute error below 1e-11, relative error below 1e-2 down to 1e-9 and, if 2 x > d - 1 + sqrt(2 d - 3), 1e-8 down to
 * 1e-300; otherwise values below 1e-9 are an upper bound, too large by a factor of a few.  NaN if there is no component
 * or x is NaN.  Costs some 100 points of O(d) each: 0.1 ms for ten components, 1 ms for 500.
 */
double kiefer_tail(int64_t components, double x);

#endif
