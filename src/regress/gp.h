/*
 * gp.h - Gaussian-process regression y = f(x) + noise; hyper-parameters maximise the marginal likelihood.
 *
 * One regressor: the Matern 5/2 kernel in its state-space form, exact in O(n) time and memory.  Several: the Gaussian
 * kernel with one length scale per regressor; exact for few rows, by inducing points beyond.
 *
 * Units: regressors are centred at their median and divided by their interquartile range, y is standardised.  Results
 * are in the caller's units; apart from these units and rounding they do not change with y -> a y + b or x -> c x + e.
 * They do not depend on the order of rows, which are sorted by value first.
 *
 * Bounds: noise variance at least 1e-8 and at most twice that of y, so that functions without noise are fitted up to
 * 1e-4 of the spread of y.  A signal is dropped (mean = mean of y, all noise) unless it raises the log likelihood by
 * more than its number of hyper-parameters (Akaike's criterion) plus log(interquartile range / length) for every length
 * shorter than that: the more a function can vary, the more it finds in noise.
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

/* All zero: the defaults. */
typedef struct gp_options {
    int threads;          /* at most; the result is the same for any number */
    int64_t exact_max;    /* rows up to which several regressors are fitted exactly; 0: 500 */
    int64_t inducing;     /* inducing points beyond that, at most; 0: 300 */
    bool leave_one_out;   /* fill gp_fit.left_out */
    bool keep_signal;     /* never all noise: for callers to whom a missed signal is worse than a spurious one */
    const gp_hyper *held; /* use these and learn none; NULL: learn */
} gp_options;

typedef struct gp_fit {
    double *mean, *variance; // (n) of f at the rows, in the caller's order
    double *residual;        // (n) y - mean
    double *left_out;      // (n) y - its prediction from the other rows, same hyper-parameters and centre of y; or NULL
    double signal;         /* variance of f */
    double noise;          /* variance */
    double *length;        // (d) per regressor; 0: the regressor is constant, or all is noise
    double log_likelihood; /* of y; low rank: its lower bound */
    int iterations;
    bool converged;
    bool constant;    /* y does not vary: residuals and noise are 0 */
    bool all_noise;   /* no function of x is worth its hyper-parameters */
    const char *form; /* "constant", "noise", "state space", "exact", "low rank" */
} gp_fit;

/*
 * Fits y (x->n) to the columns of x; constant columns are left out.  The arrays of `out` come from `keep`; scratch may
 * be rewound afterwards.
 */
nonsens_status gp_regress(nonsens_context *ctx, arena *keep, arena *scratch, const column_set *x, const double *y,
                          const gp_options *options, gp_fit *out);

#endif
