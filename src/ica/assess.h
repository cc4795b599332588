/* assess.h - how well an unmixing recovers what was mixed, whatever the order and the signs of the sources. */
#ifndef ICA_ASSESS_H
#define ICA_ASSESS_H

#include "base/matrix.h"
#include "base/memory.h"

/*
 * Amari index of p = unmix * mix (d, d): 0 for a scaled permutation, at most 1.  Amari, Cichocki, Yang (NIPS 1995),
 * divided by 2 d (d - 1).
 */
double ica_amari(int64_t d, const double *p);

/*
 * Mean |correlation| of the columns of truth (n, d) with those of estimate (n, d) under the best one-to-one matching
 * (Hungarian method); match[j] is the estimate's column for the truth's column j.
 */
nonsens_status ica_mean_correlation(nonsens_context *ctx, arena *a, matrix truth, matrix estimate, int64_t *match,
                                    double *out);

#endif
