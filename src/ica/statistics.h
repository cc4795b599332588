/*
 * statistics.h - models of how a source's density changes over segments: log p_e(s) = sum_a lambda_a(e) q_a(s) + const.
 */
#ifndef ICA_STATISTICS_H
#define ICA_STATISTICS_H

#include "options/options.h"

#include <stdint.h>

enum { STATISTICS_MAX = 3 };

/* Added to E q'^2: otherwise a source that is constant in a segment could make the objective unbounded. */
static const double ICA_RIDGE = 1e-6;

/* Computes q', q'' and q''' of one statistic at n values; c is its sharpness. */
typedef void (*statistic_fn)(int64_t n, double c, const double *s, double *q1, double *q2, double *q3);

typedef struct ica_family {
    int count;        /* number of statistics of a source */
    int fixed;        /* number of the last ones whose coefficient is -1 in every segment: a base density */
    bool located;     /* sources are measured from a fitted location, not from segment means */
    double sharpness; /* the default */
    statistic_fn statistic[STATISTICS_MAX];
} ica_family;

/* Returns the family of a statistic, which must not be STATISTIC_AUTO. */
const ica_family *ica_family_of(enum option_statistic statistic);

/* First to third derivatives of all statistics at s (n): three arrays (n, count). */
typedef struct ica_derivatives {
    double *q1, *q2, *q3;
} ica_derivatives;

/* Computes the derivatives at s (n) with sharpness c. */
void ica_family_derivatives(const ica_family *f, double c, int64_t n, const double *s, const ica_derivatives *out);

/* Moments of one source inside one segment: b_a = E q_a'', moment_ab = E q_a' q_b'. */
typedef struct ica_moments {
    double b[STATISTICS_MAX], moment[STATISTICS_MAX][STATISTICS_MAX];
} ica_moments;

/* Computes the moments from derivatives at n values; adds the ridge. */
ica_moments ica_family_moments(const ica_family *f, int64_t n, const ica_derivatives *q);

/* Sets lambda (count) to the minimum of b.lambda + 1/2 lambda' M lambda over the coefficients that are not fixed. */
void ica_family_fit(const ica_family *f, const ica_moments *m, double *lambda);

/* Returns b.lambda + 1/2 lambda' M lambda, M with the ridge. */
double ica_family_value(const ica_family *f, const ica_moments *m, const double *lambda);

#endif
