/*
 * newton.h - steps of a descent on the penalised likelihood of a segment classifier.
 *
 * The matrix of a step: Fisher's + share * (bilinear part) + damping diag.  Fisher's alone (share 0) is always positive
 * definite, but far too large (steps too short) if the model does not hold.  The full second derivative (share 1) makes
 * the last steps converge quadratically but may be indefinite before.  Levels go from share 1 to share 0; then damping
 * grows.
 */
#ifndef CLASSIFIER_NEWTON_H
#define CLASSIFIER_NEWTON_H

#include "classifier/model.h"

enum { NEWTON_LAST_LEVEL = 4 };

typedef struct classifier_trust {
    int level; /* 0: full second derivative .. NEWTON_LAST_LEVEL: Fisher's matrix alone */
    double damping;
} classifier_trust;

/* The state of a descent at one point: objective, its gradient and slopes (classifier_sums). */
typedef struct classifier_point {
    double *theta, *gradient, *slope;
    double objective;
} classifier_point;

/* Allocates a point. */
nonsens_status point_new(nonsens_context *ctx, arena *a, const classifier_model *m, classifier_point *out);

static inline int64_t slope_size(const classifier_model *m)
{
    return m->data->segments * m->data->basis * m->data->basis;
}

/* Returns whether the damping is too large to be useful. */
bool trust_is_lost(const classifier_trust *t);

/* Returns whether a descent may end: half the squared decrement, in nats over all rows, is below the tolerance. */
bool trust_has_converged(const classifier_trust *t, double half, double tolerance);

/* Reduces trust after a step that did not lower the objective. */
void trust_less(classifier_trust *t);
/* Adapts trust after a step that lowered the objective by this share of what the matrix predicted. */
void trust_weigh(classifier_trust *t, double share);

/*
 * Computes the Gauss-Newton matrix (p, p) of all rows but one fold's (-1: all rows) by groups, with penalty and pins.
 */
nonsens_status newton_matrix(nonsens_context *ctx, arena *scratch, int threads, const classifier_model *m,
                             const double *theta, double lambda, int64_t without, double *hessian);

/*
 * Factors the matrix at a point, at the first level from the current one on that makes it positive definite.  Fails if
 * no level does.
 */
nonsens_status newton_factor(nonsens_context *ctx, const classifier_model *m, const double *hessian,
                             const double *slope, classifier_trust *t, double *factor);

/* Computes step = -matrix^-1 gradient; returns half the squared length of the gradient in that metric. */
double newton_step(const classifier_model *m, const double *factor, const double *gradient, double *step);

#endif
