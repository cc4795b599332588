/*
 * explain_change.h - tests whether a variable, or its disturbance, differs between two groups of rows, and measures by
 * how much (docs/explain.md).
 *
 * Rows are ordered by fold.  If they follow one another in time, blocks of neighbours count as independent.
 */
#ifndef TASKS_EXPLAIN_EXPLAIN_CHANGE_H
#define TASKS_EXPLAIN_EXPLAIN_CHANGE_H

#include "data/time_blocks.h"
#include "mechanism/mechanism.h"

/* Rows of the segment in question and of the reference. */
typedef struct explain_groups {
    const mechanism_data *rows;
    int64_t n, folds;
    int64_t block[MECHANISM_MAX_FOLDS + 1]; /* rows of fold k are block[k] .. block[k + 1] - 1 */
    int64_t *place;                         /* (n) index of each row among those of mechanism_data */
    double *in;                             /* (n) 1 in the segment, else 0 */
    int64_t count[2];                       /* number of rows outside the segment, in it */
    /* blocks of neighbouring rows */
    int32_t *block_of;         /* (n) NULL: rows are independent, and the fields below are not used */
    int64_t blocks;            /* total number */
    int64_t group_blocks[2];   /* number outside the segment, in it */
    int32_t *block_group;      /* (blocks) 1 in the segment, else 0 */
    double *block_share;       /* (blocks) share of the rows of its group */
    double degrees[2];         /* degrees of freedom of a group's blocks */
    double difference_degrees; /* degrees of freedom of a difference between groups; infinite without blocks */
    double inflation;          /* factor of variances from blocks (time_blocks.h) */
    bool too_few;              /* there are too few blocks for p-values and standard errors */
} explain_groups;

enum { EXPLAIN_SCORES = 4, EXPLAIN_RESPONSES = EXPLAIN_SCORES + 1 };

/*
 * Gathers the rows.  in (segments of the data): 1 for the segment, 0 for the reference, -1 for others.  time: blocks of
 * the rows of the data; NULL: there are none.
 */
nonsens_status explain_groups_new(nonsens_context *ctx, arena *a, const mechanism_data *rows, const int8_t *in,
                                  const time_blocks *time, explain_groups *out);

/*
 * Computes covariance (2, size, size) of two sums of value (n, size; row by row): over the rows outside the segment,
 * and over those in it.  There must be blocks.
 */
nonsens_status explain_covariances(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t size,
                                   const double *value, double *covariance);
/* Computes the variance of the sum over all rows of value (n). */
nonsens_status explain_variance(nonsens_context *ctx, arena *scratch, const explain_groups *g, const double *value,
                                double *variance);
/* Returns the trace of the square of the sum of both covariances. */
double explain_square_trace(int64_t size, const double *covariance);
/* Returns the probability that a sum over all rows, of mean 0, has a squared length of at least `square`; NaN if the
 * sum is constant. */
double explain_length_tail(const explain_groups *g, int64_t size, const double *covariance, double square);

/*
 * Computes residual (EXPLAIN_RESPONSES, n): response minus its regression on the causes, fitted to rows of other folds.
 * The regression has penalised splines of each cause and of each pair of causes; held-out rows choose the penalty for
 * each response.  Without causes, the mean of the rows of other folds is subtracted.
 */
nonsens_status explain_regress(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t causes,
                               const int64_t *cause, const double *response, double *residual);

/*
 * Tests whether the products of the group's residual, residual[0], with those of the scores, the others, have mean 0;
 * residual (EXPLAIN_RESPONSES, n).  The p-value is NaN if the products are constant.
 */
nonsens_status explain_test(nonsens_context *ctx, arena *scratch, const explain_groups *g, const double *residual,
                            double *p_value);

/* The measured change of one variable. */
typedef struct explain_change {
    double value, error;       /* Jeffreys divergence in nats; standard error over rows */
    double p_value;            /* of the hypothesis of no change at all */
    double scale, scale_error; /* logarithm of the ratio of mean absolute deviations from the median */
    double shift, shift_error; /* difference of the medians over the pooled mean absolute deviation */
    bool apart;                /* the causes almost determine the group: no overlap, so nothing can be compared */
} explain_change;

/*
 * Returns the smallest p-value that the test can have with these numbers of rows in the two groups: however large the
 * change, its statistic is at most the rows of the smaller group times n over those of the larger.
 */
double explain_min_p(int64_t count, int64_t other);

/*
 * Measures the change between the groups.  v (n): the variable, or its disturbance given the causes; only its ranks are
 * used.  t (n): the same, in the units in which `scale` and `shift` are measured.
 * The null hypothesis is that the group is independent of v given the causes.  The divergence is between rows that are
 * weighted so that the causes have the same distribution in both groups.  Everything is NaN if a group has fewer rows
 * than the test needs, or the causes are `apart`; p-value and errors are NaN if there are too few blocks.
 */
nonsens_status explain_measure(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t causes,
                               const int64_t *cause, const double *v, const double *t, explain_change *out);

#endif
