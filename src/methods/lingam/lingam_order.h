/*
 * lingam_order.h - the causal order of linear variables by DirectLiNGAM, and the triangular factor that belongs to it.
 */
#ifndef METHODS_LINGAM_LINGAM_ORDER_H
#define METHODS_LINGAM_LINGAM_ORDER_H

#include "base/matrix.h"
#include "base/memory.h"

typedef struct lingam_order {
    int64_t n, d;
    int64_t *at; /* (d) columns, causes first */
    /* At each step: M of the chosen column, M of the second best, and which column that is (-1 at the last step). */
    double *against, *against_next;
    int64_t *next;
    double *sd;      /* (d) of the variables in the data's units, in causal order; divisor n */
    double *r;       /* (d, d) upper triangular: standardised variable at[k] = sum over j <= k of r[j + k d] e_j */
    matrix residual; /* (n, d) e_j: mean 0, variance 1, uncorrelated; column j belongs to variable at[j] */
    int64_t compared, pairs; /* numbers of comparisons: made here, and by the plain algorithm */
} lingam_order;

typedef struct lingam_order_options {
    int threads;
    bool plain; /* no comparison is left out; the order is the same, bit for bit */
} lingam_order_options;

/* Finds the order of the columns of x (n, d); n > d, no column is constant.  Memory of the result comes from `a`. */
nonsens_status lingam_find_order(nonsens_context *ctx, arena *a, matrix x, const lingam_order_options *options,
                                 lingam_order *out);

#endif
