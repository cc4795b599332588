/* hsic_reference.h - the plain quadratic forms of the HSIC test with n x n matrices, which the factors are tested by.
 */
#ifndef UNIT_HSIC_REFERENCE_H
#define UNIT_HSIC_REFERENCE_H

#include "indep/hsic.h"

/*
 * One stretch: statistic, moments and p-value (gamma or spectral) with given widths, O(n^2) memory; n >= 6, and for the
 * spectral null O(n^3) time.
 */
nonsens_status hsic_reference(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                              const double *width_x, const double *width_y, enum option_null_kind null_kind,
                              hsic_result *out);

/* k (n, n) = H k H for a symmetric k; mean: (n) of scratch. */
void hsic_centre_matrix(int64_t n, double *k, double *mean);

#endif
