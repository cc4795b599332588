/* hsic_reference.h - the plain quadratic forms of the HSIC test with n x n matrices, as a reference for the factors. */
#ifndef UNIT_HSIC_REFERENCE_H
#define UNIT_HSIC_REFERENCE_H

#include "indep/hsic.h"

/*
 * Computes statistic, moments and p-value (gamma or spectral) of one group of rows with given widths.  n >= 6; O(n^2)
 * memory, and O(n^3) time for the spectral null.
 */
nonsens_status hsic_reference(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                              const double *width_x, const double *width_y, enum option_null_kind null_kind,
                              hsic_result *out);

/* Computes k (n, n) = H k H for a symmetric k; mean: (n) of scratch. */
void hsic_centre_matrix(int64_t n, double *k, double *mean);

#endif
