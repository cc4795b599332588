/*
 * fdr.h - q-values: how large a share of false discoveries must be put up with for a p-value to count as a discovery.
 */
#ifndef MATH_FDR_H
#define MATH_FDR_H

#include "base/memory.h"

/*
 * q (m) from p (m).  A p-value that is NaN stands for a test that ended without one: it counts as 1 among the m, and
 * its q is NaN.  Arbitrary dependence: `any_dependence`.
 */
nonsens_status fdr_q_values(nonsens_context *ctx, arena *scratch, int64_t m, const double *p, bool any_dependence,
                            double *q);

#endif
