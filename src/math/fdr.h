/*
 * fdr.h - q-values: the smallest false discovery rate at which a test counts as a discovery.
 */
#ifndef MATH_FDR_H
#define MATH_FDR_H

#include "base/memory.h"

/*
 * Computes q (m) from p (m).  A p-value of NaN stands for a test that has none: it counts as 1 among the m, and its q
 * is NaN. any_dependence: gives q-values that are valid under any dependence of the tests.
 */
nonsens_status fdr_q_values(nonsens_context *ctx, arena *scratch, int64_t m, const double *p, bool any_dependence,
                            double *q);

#endif
