/*
 * score_motion.h - how the expected score of a segment classifier changes along a step of its parameters.
 *
 * Expected score (segments, m^2): the sum over rows of p b' (score_law.h).  Probabilities are kept, so that a
 * derivative takes no logits and no exponentials.
 */
#ifndef CLASSIFIER_SCORE_MOTION_H
#define CLASSIFIER_SCORE_MOTION_H

#include "classifier/model.h"

typedef struct score_motion {
    const classifier_model *model;
    const double *theta;
    double *probability; /* (n, segments padded) rows of the sample */
    double *feature;     /* (n, r) */
} score_motion;

/* Prepares derivatives at theta; memory from `a`. */
nonsens_status score_motion_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                                score_motion *out);

/* Computes out (segments, m^2), the derivative of the expected score along a step (parameters). */
nonsens_status score_motion_along(nonsens_context *ctx, arena *scratch, const score_motion *motion, const double *step,
                                  double *out);

#endif
