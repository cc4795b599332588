/*
 * gp.h - Gaussian-process regression y = f(x) + noise; hyper-parameters maximise the marginal likelihood.
 *
 * One regressor: the Matern 5/2 kernel in its state-space form, exact in O(n) time and memory.  Several: the Gaussian
 * kernel with one length scale per regressor; exact for few rows, with inducing points for more.
 *
 * Units: regressors are centred at their median and divided by their interquartile range, y is standardised.  Results
 * are in the caller's units; apart from these units and rounding, y -> a y + b or x -> c x + e does not change them.
 * They do not depend on the order of rows, which are sorted by value first.
 *
 * Bounds: the noise variance is at least 1e-8 times and at most twice that of y, so that functions without noise are
 * fitted to within 1e-4 of the spread of y. A signal is dropped (mean = mean of y, all noise) unless it raises the log
 * likelihood by more than its number of hyper-parameters (Akaike's criterion) plus log(interquartile range / length)
 * for every length shorter than that: the more a function can vary, the better it fits noise.
 */
#ifndef REGRESS_GP_H
#define REGRESS_GP_H

#include "base/matrix.h"
#include "base/memory.h"

/* Variance and lengths of f, variance of the noise, in the caller's units. */
typedef struct gp_hyper {
    double signal, noise;
    const double *length; /* (regressors) */
} gp_hyper;

/* All-zero options are the defaults. */
typedef struct gp_options {
    int threads;          /* maximum; the result is the same for any number */
    int64_t exact_max;    /* largest number of rows for which several regressors are fitted exactly; 0: 500 */
    int64_t inducing;     /* largest number of inducing points for more rows; 0: 300 */
    bool leave_one_out;   /* fill gp_fit.left_out */
    bool keep_signal;     /* never drop the signal: for callers to whom a missed signal is worse than a spurious one */
    const gp_hyper *held; /* use these and learn nothing; NULL: learn */
} gp_options;

typedef struct gp_fit {
    double *mean, *variance; // (n) of f at the rows, in the caller's order
    double *residual;        // (n) y - mean
    double *left_out;      // (n) y - its prediction from the other rows; same hyper-parameters and centre of y; or NULL
    double signal;         /* variance of f */
    double noise;          /* variance */
    double *length;        // (d) per regressor; 0: the regressor is constant, or the signal was dropped
    double log_likelihood; /* of y; low rank: its lower bound */
    int iterations;
    bool converged;
    bool constant;    /* y does not vary: residuals and noise are 0 */
    bool all_noise;   /* the signal was dropped */
    const char *form; /* "constant", "noise", "state space", "exact", "low rank" */
} gp_fit;

/*
 * Fits y (x->n) to the columns of x; constant columns are left out.  The arrays of `out` come from `keep`; scratch may
 * be rewound afterwards.
 */
nonsens_status gp_regress(nonsens_context *ctx, arena *keep, arena *scratch, const column_set *x, const double *y,
                          const gp_options *options, gp_fit *out);

#endif
