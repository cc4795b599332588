/* assess.h - measures how well an unmixing recovers what was mixed; order and signs of the sources do not matter. */
#ifndef ICA_ASSESS_H
#define ICA_ASSESS_H

#include "base/matrix.h"
#include "base/memory.h"

/*
 * Returns the Amari index of p = unmix * mix (d, d): 0 for a scaled permutation, at most 1.  Amari, Cichocki, Yang
 * (NIPS 1995), divided by 2 d (d - 1).
 */
double ica_amari(int64_t d, const double *p);

/*
 * Computes the mean |correlation| of the columns of truth (n, d) with those of estimate (n, d) under the best
 * one-to-one matching (Hungarian method); match[j] is the estimate's column for the truth's column j.
 */
nonsens_status ica_mean_correlation(nonsens_context *ctx, arena *a, matrix truth, matrix estimate, int64_t *match,
                                    double *out);

#endif
