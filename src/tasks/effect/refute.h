/*
 * refute.h - data sets on which an answer of `effect` is known, or must stay about the same, and the rules by which an
 * answer passes.
 *
 * Placebo cause: the values of the changed variables are shuffled.  Segments exchange their values at random, and rows
 * are shuffled inside them, in blocks if they follow one another in time; several changed variables move together.  So
 * a placebo keeps its distribution and still differs between segments, but nothing else depends on it.  Segments must
 * exchange their values, because a shuffle inside segments would keep their means: if the cause shifts the means of the
 * target's segments, these would still depend on the placebo.
 *
 * Random subsets: .8 of the rows of each segment, whole blocks if rows follow one another in time.  The full data
 * contain the subset, so subset - full has the variance (n / m - 1) se^2 if m of n rows are drawn and se is the
 * standard error of the full answer.  se comes from the interval, which also allows for a wrong model: bootstrap
 * samples keep the smoothness of the full fit, but each subset chooses its own (docs/effects.md).
 */
#ifndef TASKS_EFFECT_REFUTE_H
#define TASKS_EFFECT_REFUTE_H

#include "base/rng.h"
#include "data/time_blocks.h"

#define REFUTE_SHARE 0.8     /* of the rows in a subset */
#define REFUTE_BIAS 0.5      /* in standard errors of the answer: the mean placebo effect may be this far from 0 */
#define REFUTE_TOLERANCE 1.5 /* standard deviations of subsets may be larger than expected by this factor */

/*
 * Makes *out the data set with the values of the columns `changed` (d, user's order) shuffled.  It borrows from `data`
 * and `a`, keeps row order, segments and labels, and must not be freed.
 */
nonsens_status refute_placebo(nonsens_context *ctx, arena *a, const nonsens_data *data, const time_blocks *time,
                              const bool *changed, rng *r, nonsens_data *out);

/* Draws a random subset of the rows; the caller frees it. */
nonsens_status refute_subset(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const time_blocks *time,
                             rng *r, nonsens_data **out);

/* The answers of the repetitions: their mean, their middle 95 %, and the p-value of the rule. */
typedef struct refute_verdict {
    int64_t repetitions;
    double mean, low, high, p_value; /* NaN if there are too few repetitions */
} refute_verdict;

/*
 * Tests by Student's t whether the mean of the placebo effects, value (count), is further from 0 than REFUTE_BIAS times
 * `error`, the standard error of the answer.  A smaller bias does not matter: 95 % intervals still cover 92 %.
 */
nonsens_status refute_judge_placebo(nonsens_context *ctx, int64_t count, const double *value, double error,
                                    refute_verdict *out);

/*
 * Tests whether answers of subsets, value (count), are further from the full one than its standard error implies.  If
 * their standard deviation sd is REFUTE_TOLERANCE times the implied one, the mean of ((subset - full) / sd)^2 has an F
 * distribution with `count` and draws - 1 degrees of freedom.  ratio (count): n / m - 1 of each subset.
 */
nonsens_status refute_judge_subsets(nonsens_context *ctx, int64_t count, const double *value, const double *ratio,
                                    double full, double error, int64_t draws, refute_verdict *out);

#endif
