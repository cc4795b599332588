/*
 * refute.h - data sets on which an answer of `effect` is known, or must stay about the same, and the rules by which an
 * answer passes.
 *
 * Placebo cause: the values of the changed variables are dealt anew.  Segments exchange their values, in random order,
 * and rows are shuffled inside them, in blocks if they follow one another in time; several changed variables move
 * together.  So a placebo keeps its distribution and still differs between segments, but nothing else depends on it.
 * Segments exchange their values because a shuffle inside segments alone would leave their means where they are: if the
 * cause shifts the means of the target's segments, these would still follow the placebo.
 *
 * Random subsets: .8 of the rows of each segment, whole blocks if rows follow one another in time.  The full data
 * contain the subset, so subset - full has the variance (n / m - 1) se^2 if m of n rows are drawn and se is the
 * standard error of the full answer.  It is taken from the interval, which also covers how far the model is wrong:
 * bootstrap samples keep the smoothness of the full fit, which each subset chooses anew (docs/effects.md).
 */
#ifndef TASKS_EFFECT_REFUTE_H
#define TASKS_EFFECT_REFUTE_H

#include "base/rng.h"
#include "data/time_blocks.h"

#define REFUTE_SHARE 0.8     /* of the rows in a subset */
#define REFUTE_BIAS 0.5      /* standard errors of the answer: placebo effects may be so far from 0 on average */
#define REFUTE_TOLERANCE 1.5 /* standard deviations of subsets may be larger than expected by this factor */

/*
 * Makes *out the data set with the values of the columns `changed` (d, user's order) dealt anew.  It borrows from
 * `data` and `a`, keeps canonical order, segments and labels, and is not to be freed.
 */
nonsens_status refute_placebo(nonsens_context *ctx, arena *a, const nonsens_data *data, const time_blocks *time,
                              const bool *changed, rng *r, nonsens_data *out);

/* Draws a random subset of the rows; the caller frees it. */
nonsens_status refute_subset(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const time_blocks *time,
                             rng *r, nonsens_data **out);

/* Answers of some repetitions: their mean, the middle 95 % of them, and the p-value of the rule. */
typedef struct refute_verdict {
    int64_t repetitions;
    double mean, low, high, p_value; /* NaN if there are too few repetitions */
} refute_verdict;

/*
 * Tests by Student's t whether the mean of the placebo effects, value (count), is further from 0 than REFUTE_BIAS times
 * `error`, the standard error of the answer.  A smaller bias does not matter: an interval of 95 % still covers 92 %.
 */
nonsens_status refute_judge_placebo(nonsens_context *ctx, int64_t count, const double *value, double error,
                                    refute_verdict *out);

/*
 * Tests whether answers of subsets, value (count), are further from the full one than its standard error says.  If they
 * have REFUTE_TOLERANCE times the standard deviation that it says, the mean of ((subset - full) / sd)^2 has an F
 * distribution with `count` and draws - 1 degrees of freedom.  ratio (count): n / m - 1 of each subset.
 */
nonsens_status refute_judge_subsets(nonsens_context *ctx, int64_t count, const double *value, const double *ratio,
                                    double full, double error, int64_t draws, refute_verdict *out);

#endif
