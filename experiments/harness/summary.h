/* summary.h - computes means over repetitions with standard errors; repetitions without a value (NaN) are left out. */
#ifndef HARNESS_SUMMARY_H
#define HARNESS_SUMMARY_H

#include "base/number.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct summary {
    int64_t count;
    double mean;  /* NaN if there are no values */
    double error; /* standard error of the mean; NaN if there are fewer than two values */
} summary;

/* Summarises n values. */
summary summary_of(int64_t n, const double *value);
/* Summarises n values that are `stride` numbers apart, such as one field of n records. */
summary summary_of_every(int64_t n, const double *first, int64_t stride);
/*
 * Summarises n outcomes, `successes` of which are 1 and the others 0: the share p and its standard error sqrt(p (1 - p)
 * / (n - 1)), which is 0 if all or none succeed.  Counts, unlike sums of doubles, keep p at most 1 and the root real.
 */
summary summary_of_share(int64_t n, int64_t successes);
/*
 * Summarises the difference between two shares on the same n trials: `gained` counts successes of the first alone,
 * `lost` those of the second alone.
 */
summary summary_of_share_difference(int64_t n, int64_t gained, int64_t lost);
/* Prints a mean or an error into the buffer; returns `none` if it is NaN. */
const char *summary_show(const char *none, char buffer[NUMBER_BYTES], double value, int digits);
/* Returns whether the mean is above zero by more than two standard errors; false below SUMMARY_MIN_COMPARED values. */
enum { SUMMARY_MIN_COMPARED = 5 };
bool summary_is_positive(summary s);
/* Summarises the differences a - b of n pairs. */
summary summary_of_differences(int64_t n, const double *a, const double *b);

#endif
