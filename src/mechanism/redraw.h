/*
 * redraw.h - fits a mechanism again to bootstrap samples, starting from the fit to all rows.
 *
 * A few Newton steps with the second derivatives of the full fit lead close to the minimum of
 *
 *     - sum_i count_i log p(y_i | x_i) + (theta - xi)' P (theta - xi) / 2,        xi ~ N(0, P^-1),
 *
 * with P the penalty of the full fit.  Without xi the bootstrap would show how much a penalised fit varies, but not how
 * far the penalty pulls it; with xi, a draw from the prior that the penalty implies, the covariance of theta is that of
 * the posterior distribution, H^-1 (F + P) H^-1 with H = F + P, as in "randomise, then optimise" (Bardsley, Solonen,
 * Haario, Laine, SIAM Journal on Scientific Computing 36, 2014).
 */
#ifndef MECHANISM_REDRAW_H
#define MECHANISM_REDRAW_H

#include "base/rng.h"
#include "mechanism/arrow.h"

typedef struct mechanism_redraw {
    mechanism_model model;
    double *theta;         /* (size) of the full fit */
    double *factor;        /* (size, size) Cholesky factor of its second derivatives */
    mechanism_arrow arrow; /* instead of factor */
} mechanism_redraw;

/* Prepares redraws of a fit (mechanism_fit): theta and smooth are copied.  Memory of *out from `a`. */
nonsens_status mechanism_redraw_new(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect,
                                    int64_t causes, const int64_t *cause, const double *theta, const double *smooth,
                                    mechanism_redraw *out);

/*
 * Fits again: count (all rows of the data set) says how often each row is in the sample, r draws xi; without r (NULL)
 * xi is 0.  theta (size).  Threads may share a redraw.
 */
nonsens_status mechanism_redraw_fit(nonsens_context *ctx, arena *scratch, const mechanism_redraw *redraw,
                                    const double *count, rng *r, double *theta);

#endif
