/*
 * disturbances.h - the common first half of the paper's two methods: from a pair of variables to estimates of the two
 * latent disturbances, with derivatives.
 *
 *     inputs (two views) -> ensemble of segment classifiers -> rank-2 factor of the logits -> linear ICA -> T (n, 2)
 *
 * With --features spline one classifier on splines (disturbances_spline.h) replaces the networks, and variables warped
 * by their ranks replace the standardised ones.
 *
 * T_k estimates q_k(N_k) up to scale and an additive constant: for Laplace disturbances |N_k|.  Everything is out of
 * fold, unless networks have one fold only (--as-published).  Columns are in canonical order while fitting, and are put
 * into the user's order at the end.
 */
#ifndef METHODS_NONSENS_DISTURBANCES_H
#define METHODS_NONSENS_DISTURBANCES_H

#include "data/dataset.h"
#include "ica/ica.h"
#include "methods/shared/result.h"
#include "nn/inputs.h"
#include "nn/tcl.h"

typedef struct disturbances {
    int64_t n, segments;
    const int64_t *start;
    matrix z;               /* (n, 2) the variables, standardised or warped, in the user's column order */
    matrix source;          /* (n, 2) T; column j is assigned to variable j by the Jacobian (disturbances_fit) */
    double *slope[2][2];    /* slope[k][j] (n): d T_k / d z_j, row by row */
    double min_slope[2][2]; /* 1e-6 of the median |slope|, or 1e-300: smaller slopes count as this */
    double assignment_gap;  /* nats per row by which the other assignment of sources to variables is worse */
    bool one_change;        /* only one direction of change is visible */
    tcl_fit fit;            /* with splines: without networks */
    bool warped;            /* z are ranks, not values */
    enum option_unmixing algorithm; /* of the unmixing, never auto */
    ica_result ica;
} disturbances;

/*
 * Fits everything on a data set of two variables with segments.  Memory comes from `a`.  The assignment p of sources to
 * variables maximises E log|dT_p2/dz_2| + E log|dT_p1/dz_1|, as in the paper's section on likelihood ratios.
 */
nonsens_status disturbances_fit(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                const nonsens_options *options, disturbances *out);

/*
 * Fits the disturbances of a linear mechanism: unmixes the variables themselves.  T_k is N_k up to a factor (of either
 * sign), not folded; slopes are constant, and nothing is trained.
 */
nonsens_status disturbances_fit_linear(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                       const nonsens_options *options, disturbances *out);

/* Returns E log |slope| over n rows; |slope| below min_slope counts as min_slope. */
double disturbances_mean_log(int64_t n, const double *slope, double min_slope);

/*
 * Reports the fit and the assumptions: sources and their modulation; held-out gain (with one fold: in-sample gain),
 * singular values, assignment and contrast gaps; networks that diverged or scored their own training rows, an unmixing
 * that did not converge.
 */
nonsens_status disturbances_report(nonsens_context *ctx, const disturbances *d, nonsens_result *result);

/* Report the two parts that do not concern training: sources and modulation; contrast and assignment gaps. */
nonsens_status disturbances_report_sources(nonsens_context *ctx, const disturbances *d, nonsens_result *result);
nonsens_status disturbances_report_unmixing(nonsens_context *ctx, const disturbances *d, nonsens_result *result);

/*
 * Returns a sentence on why nothing can be concluded from this fit: the segments cannot be distinguished on the scored
 * rows, or only one direction of change is visible, so the two disturbances are not identified.  NULL if all is well.
 */
const char *disturbances_doubt(const disturbances *d);

#endif
