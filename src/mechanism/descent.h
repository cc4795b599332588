/*
 * descent.h - minimises minus the penalised log likelihood of a mechanism by Newton's method, with or without a fold.
 */
#ifndef MECHANISM_DESCENT_H
#define MECHANISM_DESCENT_H

#include "mechanism/mechanism_internal.h"

/* When a descent ends and when it keeps its matrix, by half the squared decrement, in nats over all rows. */
typedef struct descent_pace {
    double enough, enough_kept; /* the descent ends below this, with a new matrix or with a kept one */
    double fast;                /* the matrix is kept if the decrement is at most this fraction of the last one */
    int max_steps;
} descent_pace;

typedef struct descent {
    mechanism_model model;
    mechanism_point at, tried, step; /* T and dT/dy of a step: how they change along it */
    mechanism_weights weights;
    double *gradient, *before; /* (size) now and one step before */
    double *natural;           /* (size) inverse of the matrix whose factor is in use, times the gradient */
    double *hessian;           /* (size, size) */
    double *factor, *shared;   /* (size, size) overwritten by the next; kept by descent_share */
    const double *in_use;      /* factor or shared */
    double objective, damping;
    double factor_damping, shared_damping; /* of these factors */
    int64_t hole, hole_end;                /* rows that are left out */
} descent;

/* Allocates everything but the model, which the caller has set, from `scratch`. */
nonsens_status descent_new(nonsens_context *ctx, arena *scratch, descent *d);

/* Descends from `at`, by the factor in use or with `refresh` by a new one; adds to *steps. */
nonsens_status descent_run(nonsens_context *ctx, descent *d, bool refresh, const descent_pace *pace, int *steps);

/* Keeps the last factor, which descent_use_shared makes the one in use again. */
void descent_share(descent *d);
void descent_use_shared(descent *d);

/* Goes to at + step (size) if the objective is less there. */
void descent_jump(descent *d, const double *step);

/* Computes sum (count) = a + length * b. */
void descent_add(int64_t count, const double *a, double length, const double *b, double *sum);

#endif
