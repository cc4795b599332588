/*
 * newton.h - steps of a descent on the penalised likelihood of a segment classifier.
 *
 * The matrix of a step: Fisher's + share * (bilinear part) + damping diag.  Fisher's alone (share 0) is always positive
 * definite but can be far too stiff where the model does not hold; the whole second derivative (share 1) makes the last
 * steps quadratic but may be indefinite on the way.  Levels run from the whole to none, then by damping.
 */
#ifndef CLASSIFIER_NEWTON_H
#define CLASSIFIER_NEWTON_H

#include "classifier/model.h"

enum { NEWTON_LAST_LEVEL = 4 };

typedef struct classifier_trust {
    int level;
    double damping;
} classifier_trust;

/* The state of a descent at one point: objective, its gradient and slopes (classifier_sums). */
typedef struct classifier_point {
    double *theta, *gradient, *slope;
    double objective;
} classifier_point;

nonsens_status point_new(nonsens_context *ctx, arena *a, const classifier_model *m, classifier_point *out);

static inline int64_t slope_size(const classifier_model *m)
{
    return m->data->segments * m->data->basis * m->data->basis;
}

/* Where the damping is beyond all use. */
bool trust_is_lost(const classifier_trust *t);

/* Whether a descent may end: half the squared decrement, in nats over all rows, is below the tolerance. */
bool trust_has_converged(const classifier_trust *t, double half, double tolerance);

/* After a step that did not lower the objective; after one that did, by this share of what the matrix promised. */
void trust_less(classifier_trust *t);
void trust_weigh(classifier_trust *t, double share);

/* Gauss-Newton matrix (p, p) of all rows but one fold's (none: -1) by groups, with penalty and pins. */
nonsens_status newton_matrix(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                             double lambda, int64_t without, double *hessian);

/*
 * Factors the matrix at a point, by the first level from the present one on that gives a positive definite one.  An
 * error where none does.
 */
nonsens_status newton_factor(nonsens_context *ctx, const classifier_model *m, const double *hessian,
                             const double *slope, classifier_trust *t, double *factor);

/* step = -matrix^-1 gradient; returns half the squared length of the gradient in that metric. */
double newton_step(const classifier_model *m, const double *factor, const double *gradient, double *step);

#endif
