/*
 * classifier_compare.h - tests whether one segment classifier is better than another.
 *
 * On held-out rows: d_i is the difference of log-likelihoods, z its mean over its standard error; with blocks of
 * neighbouring rows the error is that of sums over blocks.  This measures the size of the difference.
 *
 * Nested models are tested by their penalised likelihood ratio on all rows, T = objective(small) - objective(large).
 * Its distribution if the smaller model is true is that of the label bootstrap (keep x, draw labels from the fitted
 * smaller model, refit both, recompute T) in the limit of many rows.  In that limit a refit is one Fisher-scoring step,
 * and labels matter only through a normal score.  The cost does not depend on the number of rows, and no folds are
 * needed (docs/structured.md gives the derivation, docs/tuning.md the comparison with held-out statistics).
 */
#ifndef CLASSIFIER_CLASSIFIER_COMPARE_H
#define CLASSIFIER_CLASSIFIER_COMPARE_H

#include "classifier/score_law.h"

typedef struct classifier_difference {
    double mean, error, z;     /* nats per row by which the larger is better on held-out rows */
    double ratio;              /* T, in nats over all rows */
    double null_mean, null_sd; /* of T if the smaller model is true */
    double tolerated;          /* nats of T attributed to the error of the features; compare_judge limits them */
    double p_value;
} classifier_difference;

/* Compares log-likelihoods of held-out rows: sets mean, error and z.  scratch: (blocks). */
void compare_rows(int64_t n, const double *larger, const double *smaller, const classifier_blocks *blocks,
                  double *scratch, classifier_difference *out);

/* How to draw likelihood ratios under the smaller model. */
typedef struct compare_draws {
    int threads;
    int64_t draws, seed;
    classifier_blocks blocks;
    double low, high; /* tests of ranks: the first few draws suffice if their p-value is below or above; low 0: never */
} compare_draws;

/* Computes the p-value of out->ratio from draws under the null: by a gamma variable with their mean and variance, and
 * those of the tolerated error added. */
void compare_judge(int64_t draws, const double *ratio, classifier_difference *out);

/* Tests a restricted model against a free one of the same rank. */
nonsens_status compare_restriction(nonsens_context *ctx, arena *scratch, const compare_draws *by,
                                   const classifier_fit *small, const classifier_fit *large,
                                   classifier_difference *out);

/*
 * Tests rank r against rank r + 1, features of one kind; small is NULL for rank 0.  The additional feature is absent
 * under the null, so the usual asymptotics fail: T is half the largest squared singular value of the score matrix of
 * the logits' coefficients, whitened, outside the tangent space of the smaller model.  At r = 0 its distribution comes
 * from normal scores; at r > 0 labels are drawn from the smaller model, which is fitted to them by one Fisher-scoring
 * step (rank.c).
 */
nonsens_status compare_rank(nonsens_context *ctx, arena *scratch, const compare_draws *by, const classifier_fit *small,
                            const classifier_fit *large, classifier_difference *out);

/* Tests the same by the score at the smaller fit, without fitting the larger: cheap, and close if T is small. */
nonsens_status compare_rank_score(nonsens_context *ctx, arena *scratch, const compare_draws *by,
                                  const classifier_fit *small, classifier_difference *out);

#endif
