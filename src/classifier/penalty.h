/*
 * penalty.h - chooses how smooth the features are, by nested cross-validation: the penalty and the size of the basis.
 *
 * For every fold that is scored, both are chosen on the other folds, so that no row affects what it is scored with.
 * The classifier is fitted without the fold, to convergence.  From there one step with Fisher's matrix (which is always
 * definite, while full second derivatives may mislead) leaves out each of the other folds in turn, which it then
 * predicts.  In each basis the penalties go from smooth to rough, and each fold stops where its own score falls.  A
 * penalty at which the fit without the fold does not converge is skipped.
 *
 * Fits to all rows, which tests use, have the first basis and the penalty that is best in it over all folds; the caller
 * lowers that for tests.  What is best for prediction, whether a smaller basis or a higher penalty, leaves a bias as
 * large as the noise.  A test of a restricted model would take that bias for evidence against the model.
 */
#ifndef CLASSIFIER_PENALTY_H
#define CLASSIFIER_PENALTY_H

#include "classifier/fit.h"

/* Chooses the penalties; data (bases): the same rows and folds, from the largest basis to the smallest. */
nonsens_status penalty_choose(nonsens_context *ctx, arena *a, int threads, int64_t bases, const classifier_sample *data,
                              classifier_penalty *out);

/*
 * Computes score (folds): for fold k the sum over other folds j of their log-likelihood by a fit without k and j, in
 * nats.  wanted (folds): others keep their scores; NULL: all are wanted.
 */
nonsens_status penalty_scores(nonsens_context *ctx, arena *scratch, int threads, const classifier_fit *f,
                              const bool *wanted, double *score);

#endif
