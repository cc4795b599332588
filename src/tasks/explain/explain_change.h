/*
 * explain_change.h - tests whether a variable, or its disturbance, differs between two groups of rows, and measures by
 * how much (docs/explain.md).
 *
 * Rows are ordered fold by fold.
 */
#ifndef TASKS_EXPLAIN_EXPLAIN_CHANGE_H
#define TASKS_EXPLAIN_EXPLAIN_CHANGE_H

#include "mechanism/mechanism.h"

/* Rows of the segment in question and of the reference. */
typedef struct explain_groups {
    const mechanism_data *rows;
    int64_t n, folds;
    int64_t block[MECHANISM_MAX_FOLDS + 1]; /* rows of fold k are block[k] .. block[k + 1] - 1 */
    int64_t *place;                         /* (n) index of each row among those of mechanism_data */
    double *in;                             /* (n) 1 in the segment, else 0 */
    int64_t count[2];                       /* rows outside of it, in it */
} explain_groups;

enum { EXPLAIN_SCORES = 4, EXPLAIN_RESPONSES = EXPLAIN_SCORES + 1 };

/* Gathers the rows.  in (segments) of the data: 1 for the segment, 0 for the reference, -1 for others. */
nonsens_status explain_groups_new(nonsens_context *ctx, arena *a, const mechanism_data *rows, const int8_t *in,
                                  explain_groups *out);

/*
 * Computes residual (EXPLAIN_RESPONSES, n): response minus its regression on the causes, fitted to rows of other folds.
 * The regression has penalised splines of each cause and of each two of them; held-out rows choose the smoothness,
 * response by response.  Without causes: minus the mean of the other folds' rows.
 */
nonsens_status explain_regress(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t causes,
                               const int64_t *cause, const double *response, double *residual);

/* The measured change of one variable. */
typedef struct explain_change {
    double value, error;       /* Jeffreys divergence in nats; standard error over rows */
    double p_value;            /* of no change at all */
    double scale, scale_error; /* logarithm of the ratio of mean absolute deviations from the median */
    double shift, shift_error; /* difference of the medians over the pooled mean absolute deviation */
    bool apart;                /* the causes determine the group nearly surely: no overlap, nothing can be compared */
} explain_change;

/*
 * Returns the smallest p-value that the test can have with these numbers of rows in the two groups.  Its statistic is
 * at most the rows of the smaller group times n over those of the larger, however large the change.
 */
double explain_min_p(int64_t count, int64_t other);

/*
 * Measures the change between the groups.  v (n): the variable, or its disturbance given the causes; any increasing
 * function of it gives the same.  t (n): the same on the scale on which `scale` and `shift` are measured.
 * The null hypothesis is that the group is independent of v given the causes.  The divergence is between rows that are
 * weighted so that the causes have the same distribution.  Everything is NaN if a group has fewer rows than the test
 * needs, or the causes are `apart`.
 */
nonsens_status explain_measure(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t causes,
                               const int64_t *cause, const double *v, const double *t, explain_change *out);

#endif
