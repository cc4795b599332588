/*
 * fdr.h - q-values: the smallest false discovery rate at which a p-value counts as a discovery.
 */
#ifndef MATH_FDR_H
#define MATH_FDR_H

#include "base/memory.h"

/*
 * Computes q (m) from p (m).  A p-value that is NaN stands for a test that ended without one: it counts as 1 among the
 * m, and its q is NaN.  any_dependence: valid however the tests depend on one another.
 */
nonsens_status fdr_q_values(nonsens_context *ctx, arena *scratch, int64_t m, const double *p, bool any_dependence,
                            double *q);

#endif
