/*
 * change.h - tests whether one variable changes over segments: one k-sample test of location and one of scale.
 *
 * Location: Welch's analysis of variance (Biometrika 38, 1951), valid when the scales differ as well.
 * Scale: Fligner and Killeen (JASA 71, 1976) in the median-centred form of Conover, Johnson and Johnson (Technometrics
 * 23, 1981): normal scores of the ranks of |x - segment median|, chi-square with (segments - 1) degrees.
 * Both leave out segments that say nothing about spread: those with a single row and constant ones.  Values are first
 * scaled to [-1, 1] by a power of two, which is exact and lets data around 1e-300 or 1e300 be squared.
 */
#ifndef METHODS_SHARED_CHANGE_H
#define METHODS_SHARED_CHANGE_H

#include "base/memory.h"

typedef struct change_test {
    double statistic; /* NaN if there is no test */
    double p_value;   /* NaN if fewer than two segments could be used; 0 if the change is certain */
    double effect;    /* location: largest difference of means over the pooled sd; scale: largest over smallest sd */
    int64_t segments; /* used: at least two rows and not constant */
    int64_t constant; /* at least two rows, all equal */
    bool certain;     /* location only: too few segments to test, but constant ones that differ from one another */
} change_test;

/*
 * Tests whether the location (Welch) or the scale (Fligner and Killeen) of a variable changes.  v (n) is sorted by
 * segment with bounds start (segments + 1).  O(n log n) time, O(n) scratch.
 */
nonsens_status change_of_location(nonsens_context *ctx, arena *scratch, const double *v, int64_t segments,
                                  const int64_t *start, change_test *out);
nonsens_status change_of_scale(nonsens_context *ctx, arena *scratch, const double *v, int64_t segments,
                               const int64_t *start, change_test *out);

#endif
