/*
 * compare.h - is one segment classifier better than another on rows that neither has seen?
 *
 * The statistic is z = (sum of d_i) / sqrt(sum of (d_i - mean d)^2) over rows, d_i the difference of held-out
 * log-likelihoods; with blocks of neighbouring rows the variance is that of sums over blocks.
 *
 * Where the smaller model is nested in the larger one and true, z is not standard normal: the larger pays for its
 * superfluous parameters.  Its distribution is found by the label bootstrap (keep x, draw labels from the fitted smaller
 * model, refit both, recompute z) in the limit of many rows, where a refit is one Fisher-scoring step and the labels
 * enter through normal scores of the folds alone; its cost does not depend on the number of rows (docs/structured.md).
 */
#ifndef SEGMENTS_COMPARE_H
#define SEGMENTS_COMPARE_H

#include "segments/fit.h"

typedef struct difference {
    double mean;  /* nats per row by which the first is better */
    double error; /* its standard error */
    double z;
    double p_value; /* of the hypothesis that the second, smaller model is true; NaN until calibrated */
    double null_mean, null_sd; /* of z if the smaller model is true */
} difference;

/*
 * block_of: (n) block of every row, non-decreasing over `order`; NULL where rows are independent.
 */
difference compare_rows(int64_t n, const double *first, const double *second, const int32_t *block_of, int64_t blocks,
                        double *scratch);

/* p-value for `small` against the larger model of this shape, whose features begin with those of `small`. */
nonsens_status compare_calibrate(nonsens_context *ctx, arena *scratch, int threads, const fit *small, shape large,
                                 int64_t draws, int64_t seed, difference *d);

#endif
