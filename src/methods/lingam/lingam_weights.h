/*
 * lingam_weights.h - which variables act on which, and how strongly, once the causal order is known.
 */
#ifndef METHODS_LINGAM_LINGAM_WEIGHTS_H
#define METHODS_LINGAM_LINGAM_WEIGHTS_H

#include "methods/lingam/lingam_order.h"
#include "options/options.h"

/* All by positions in the order: (j, k) at j + k d is the effect of the j-th variable on the k-th, j < k. */
typedef struct lingam_weights {
    double *least_squares; /* (d, d) of standardised variables, given all predecessors */
    double *p_value;       /* (d, d) of their t tests */
    double *weight;        /* (d, d) of standardised variables; 0 if it does not stay */
    bool *stays;           /* (d, d) is it an edge? */
} lingam_weights;

/* Estimates all weights given the order, and chooses the edges. */
nonsens_status lingam_find_weights(nonsens_context *ctx, arena *a, const lingam_order *order,
                                   enum option_coefficients which, double alpha, int threads, lingam_weights *out);

/*
 * The adaptive lasso of one variable on k others, all standardised, from correlations: c (k, k), columns ld apart, of
 * the others; with (k), of the others with the variable.  start (k): least squares.  rest: its residual variance.
 */
typedef struct lingam_lasso_problem {
    int64_t n, k, ld;
    const double *c, *with, *start;
    double rest;
} lingam_lasso_problem;

/* Sets chosen (k): the variables of the point on the path with the smallest BIC. */
nonsens_status lingam_lasso(nonsens_context *ctx, arena *scratch, const lingam_lasso_problem *problem, bool *chosen);

#endif
