/*
 * kci_exact.h - the conditional independence test exactly as in Zhang et al. (UAI 2011), with n x n matrices: the
 * reference for the fast form.
 *
 * R = e (K_z + e I)^-1, e = .001, T = tr(R K_xz R R K_y R) / n, gamma distribution with two moments.  Variables are
 * standardised; in the joint kernel with x, z is halved.  Widths follow the authors' rule (.8 up to 200 rows, .5 up to
 * 1,200, .3 beyond) or median distances.  Statistics and moments of segments are added up.
 */
#ifndef KCI_EXACT_H
#define KCI_EXACT_H

#include "base/matrix.h"
#include "base/memory.h"

/* Tests x and y given z inside groups. */
nonsens_status kci_exact(nonsens_context *ctx, arena *a, const double *x, const double *y, const column_set *z,
                         const row_groups *groups, bool by_median, double *p);

#endif
