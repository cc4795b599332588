/*
 * penalty.h - how smooth the features should be, by nested cross-validation.
 *
 * For every fold that will score, the penalty is chosen on the other folds alone: each of them is predicted by a fit
 * without both.  These fits are single Newton steps from that of all rows (fit_without_two), on a path of penalties
 * from smooth to rough, each fold stopping where its own score falls.  The penalty for tests is left at the best one:
 * the caller lowers it, since what is best for prediction leaves a bias as large as the noise, which a test of a
 * restricted model would take for evidence against it.
 */
#ifndef SEGMENTS_PENALTY_H
#define SEGMENTS_PENALTY_H

#include "segments/fit.h"

nonsens_status penalty_choose(nonsens_context *ctx, arena *a, int threads, const sample *data, penalty *out);

#endif
