/*
 * lingam_check.h - checks whether residuals are what LiNGAM assumes: independent of one another, and at most one of
 * them Gaussian.
 */
#ifndef METHODS_LINGAM_LINGAM_CHECK_H
#define METHODS_LINGAM_LINGAM_CHECK_H

#include "methods/lingam/lingam_order.h"
#include "options/options.h"

typedef struct lingam_check {
    bool by_hsic;              /* else by correlations of functions of the residuals */
    bool tested;               /* a segment was large enough */
    int64_t pairs, dependent;  /* pairs of residuals, and those that depend on one another by Holm's rule */
    int64_t first, second;     /* the pair with the smallest p-value, by positions in the order */
    double statistic;          /* of that pair: n HSIC, or a normal score */
    double p_value;            /* the smallest p-value, times the number of pairs */
    int64_t skipped, min_rows; /* segments that did not enter, and the rows that one needs */
    double *departure;         /* (d) of the residuals from a Gaussian, in standard errors */
    bool *gaussian;            /* (d) the residual cannot be distinguished from a Gaussian one */
    int64_t gaussians;
} lingam_check;

/* Tests all pairs of residuals and the shape of each residual. */
nonsens_status lingam_check_residuals(nonsens_context *ctx, arena *a, const lingam_order *order,
                                      const row_groups *groups, const nonsens_options *options, lingam_check *out);

#endif
