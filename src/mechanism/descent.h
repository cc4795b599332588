/*
 * descent.h - minimises minus the penalised log likelihood of a mechanism by Newton's method, with or without a fold.
 */
#ifndef MECHANISM_DESCENT_H
#define MECHANISM_DESCENT_H

#include "mechanism/arrow.h"

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
    double *hessian;           /* as mechanism_model says */
    double *factor;            /* (size, size) */
    const double *in_use;      /* its own factor, or that of the descent that it starts from */
    mechanism_arrow arrow;     /* in place of the factor */
    const mechanism_arrow *arrow_in_use;
    double *spare; /* (2 E), of an arrow */
    double objective, damping;
    double factor_damping;  /* of `factor` */
    int64_t hole, hole_end; /* rows that are left out */
} descent;

/* Allocates everything but the model, which the caller has set, from `scratch`. */
nonsens_status descent_new(nonsens_context *ctx, arena *scratch, descent *d);

/* Descends from `at`, with the factor in use or, if `refresh`, with a new one; adds to *steps. */
nonsens_status descent_run(nonsens_context *ctx, descent *d, bool refresh, const descent_pace *pace, int *steps);

/*
 * Allocates a second descent on the same model, for leaving rows out; if `borrows`, it shares the matrix of second
 * derivatives.
 */
nonsens_status descent_beside(nonsens_context *ctx, arena *scratch, const descent *whole, bool borrows, descent *d);

/* Goes to where `whole` is, with its penalties and its factor in use, and leaves rows hole .. hole_end - 1 out. */
void descent_leave_out(const descent *whole, int64_t hole, int64_t hole_end, descent *d);

/* Goes to at + step (size) if the objective is lower there. */
void descent_jump(descent *d, const double *step);

/* Computes sum (count) = a + length * b. */
void descent_add(int64_t count, const double *a, double length, const double *b, double *sum);

#endif
