/*
 * nonsens.h - the parts of the paper's two methods that experiments use alone: on true disturbances, or several times on
 * one fit.
 */
#ifndef METHODS_NONSENS_H
#define METHODS_NONSENS_H

#include "indep/hsic.h"
#include "methods/disturbances.h"

typedef struct four_tests {
    hsic_result test[2][2]; /* test[v][k]: variable v against source k */
} four_tests;

/* The four tests on the rows drawn by options (test-rows, pooling, null, seed); variable and source are (n, 2). */
nonsens_status nonsens_four_tests(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                  const nonsens_options *options, matrix variable, matrix source, four_tests *out);

/* Three rejections of four, each at alpha / 4, name the cause. */
enum decision nonsens_decide(const four_tests *tests, double alpha);

/* The terms of the likelihood ratio, in nats per row; positive means first -> second. */
typedef struct likelihood_ratio {
    double entropy_variable[2], entropy_source[2]; /* within segments, averaged with n_e / n */
    double log_slope[2];                           /* E log |dT_j / dz_j| */
    double branch[2];                              /* H(B_j | T_j), the fold correction */
    double as_printed;                             /* the paper's R */
    double corrected;                              /* with the fold correction */
    double information;                            /* I(x2; T1) - I(x1; T2), the cross-check */
    double standard_error;                         /* of `corrected`, from its variation over segments */
} likelihood_ratio;

nonsens_status nonsens_likelihood_ratio(nonsens_context *ctx, arena *a, const disturbances *d, likelihood_ratio *out);

#endif
