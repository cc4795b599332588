/*
 * monti.h - the parts of the paper's two methods that are also used alone: on disturbances of a linear mechanism
 * (linear_ica.c), and by experiments on true disturbances or several times on one fit.
 */
#ifndef METHODS_NONSENS_MONTI_H
#define METHODS_NONSENS_MONTI_H

#include "indep/hsic.h"
#include "methods/nonsens/disturbances.h"

typedef struct monti_tests {
    hsic_result test[2][2]; /* test[v][k]: variable v against source k; p_value is twice the median over parts, or that
                               of a single part */
    int64_t parts;          /* number of disjoint parts of the rows */
} monti_tests;

/* Makes the four tests on rows drawn by the options (test-rows, pooling, null, seed); variable, source are (n, 2). */
nonsens_status monti_four_tests(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                const nonsens_options *options, matrix variable, matrix source, monti_tests *out);

/* Decides by which of the four tests reject, each at alpha / 4 (nonsens.c). */
enum result_decision monti_decide(const monti_tests *tests, double alpha);

/* Adds the four tests to the evidence. */
nonsens_status monti_report_tests(nonsens_context *ctx, const monti_tests *tests, nonsens_result *result);

/*
 * Fills in the decision by the four tests.  doubt says why nothing can be concluded from them, or is NULL; advice is a
 * note for the case that they do not decide.
 */
nonsens_status monti_judge_tests(nonsens_context *ctx, const monti_tests *tests, const char *doubt, const char *advice,
                                 nonsens_result *result);

/* The terms of the likelihood ratio, in nats per row; positive means first -> second.  Indexed by enum option_ratio. */
typedef struct monti_ratio {
    double entropy_variable[2], entropy_source[2]; /* within segments, averaged with n_e / n */
    double log_slope[2];                           /* E log |dT_j / dz_j| */
    double branch[2];                              /* H(B_j | T_j), the fold correction */
    double information[2];                         /* I(x_j; the other's T) inside segments */
    double value[3];                               /* the ratio by each estimator */
    double standard_error[3];                      /* from its variation over segments */
} monti_ratio;

/* Computes the likelihood ratio and its terms. */
nonsens_status monti_likelihood_ratio(nonsens_context *ctx, arena *a, const disturbances *d, monti_ratio *out);

/* Computes the ratio, adds it to the evidence and decides by the estimator that the options ask for. */
nonsens_status monti_report_ratio(nonsens_context *ctx, arena *a, const disturbances *d, nonsens_result *result);

#endif
