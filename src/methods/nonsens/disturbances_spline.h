/*
 * disturbances_spline.h - features of the paper's two methods from splines in place of networks: the free segment
 * classifier of rank two (classifier/model.h), out of fold, with its derivatives.
 *
 * The variables are those that the classifier sees, warped by their ranks to [0, 1].  The decisions do not depend on
 * this.  Tests of independence use a variable only up to monotone maps.  In the likelihood ratio the warp adds
 * E log|dw/dx| to H(x_j) and subtracts it from E log|dT_j/dx_j|, which enter as a sum.  The assignment of sources to
 * variables compares sums with one derivative by either variable, so the warp cancels there too.
 */
#ifndef METHODS_NONSENS_DISTURBANCES_SPLINE_H
#define METHODS_NONSENS_DISTURBANCES_SPLINE_H

#include "methods/shared/rank_search.h"

typedef struct disturbances_spline {
    rank_search search;
    const classifier_fit *fit; /* free, of rank two, with every fold left out */
    int64_t rank;              /* found by the search (rank_search.h): 0, 1 or 2 */
} disturbances_spline;

/* Fits a data set of two variables with at least three segments.  Memory comes from `a`. */
nonsens_status spline_fit_new(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                              disturbances_spline *out);

/* Computes logits (n, E), row-major, rows and segments of the data set: each row from the fit without its fold. */
void spline_fit_logits(const disturbances_spline *s, double *logits);

/*
 * Computes slope[k][j] (n), rows of the data set: the derivative of sum_e direction_ke logit_e by the warped variable j
 * of the search.  direction (2, E) is row-major, with the segments of the data set.
 */
void spline_fit_jacobian(const disturbances_spline *s, const double *direction, double *const slope[2][2]);

#endif
