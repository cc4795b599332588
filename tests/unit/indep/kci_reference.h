/*
 * kci_reference.h - the plain form of the conditional test with n x n matrices, as a reference for the factors:
 * R = eps (K_z + eps I)^-1, T = (1/n) tr(R K_x R  R K_y R), and the moments of T with random signs on the rows, with
 * the leverage correction of indep/kci_features.c; all kernels are centred.
 */
#ifndef UNIT_KCI_REFERENCE_H
#define UNIT_KCI_REFERENCE_H

#include "indep/kci.h"

/*
 * Computes the plain form for one group of rows, with given widths per column and ridges: statistic and null moments.
 */
typedef struct kci_plain {
    const double *width_x, *width_y;
    const double *width_beside;          /* of z in the kernels on (x, z) and (y, z); NULL: kernels on x and on y */
    const double *width_z_x, *width_z_y; /* of z in the regressions of x and of y */
    double ridge_x, ridge_y;
} kci_plain;

typedef struct kci_plain_result {
    double statistic, mean, variance, skewness;
} kci_plain_result;

nonsens_status kci_reference(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                             const column_set *z, const kci_plain *plain, kci_plain_result *out);

#endif
