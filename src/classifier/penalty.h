/*
 * penalty.h - how smooth the features should be, by nested cross-validation: the penalty and the size of the basis.
 *
 * For every fold that will score, both are chosen on the other folds, so that no row has a say in what it is scored
 * with: the classifier is fitted without the fold, to convergence, and from there one step with Fisher's matrix (always
 * definite, where whole second derivatives may lead astray) leaves out each of the others in turn, which it then
 * predicts.  In each basis a path of penalties from smooth to rough is walked, each fold stopping where its own score
 * falls; a penalty at which the fit without the fold does not converge is passed over.
 *
 * Fits of all rows, which tests rest on, have the first basis and the penalty that is best in it over all folds; the
 * caller lowers that for tests.  What is best for prediction, a smaller basis as much as a higher penalty, leaves a
 * bias as large as the noise, which a test of a restricted model would take for evidence against it.
 */
#ifndef CLASSIFIER_PENALTY_H
#define CLASSIFIER_PENALTY_H

#include "classifier/fit.h"

/* data (bases): the same rows and folds, from the largest basis to the smallest. */
nonsens_status penalty_choose(nonsens_context *ctx, arena *a, int threads, int64_t bases, const classifier_sample *data,
                              classifier_penalty *out);

/* score (folds): for each fold, how well a fit of all rows would predict the others had it not seen either, in nats. */
nonsens_status penalty_scores(nonsens_context *ctx, arena *scratch, int threads, const classifier_fit *f,
                              double *score);

#endif
