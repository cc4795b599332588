/* descent.h - Newton's method on minus the penalised log likelihood of a mechanism, all rows or without some. */
#ifndef MECHANISM_DESCENT_H
#define MECHANISM_DESCENT_H

#include "mechanism/mechanism_internal.h"

/* Half squared decrements, in nats over all rows: where the descent ends, and which keep their matrix. */
typedef struct descent_pace {
    double enough, enough_kept; /* it ends, by a new matrix, by one that was kept */
    double fast;                /* those that shrink so fast keep it */
    int max_steps;
} descent_pace;

typedef struct descent {
    mechanism_model model;
    mechanism_point at, tried, step; /* T and dT/dy of a step: how they change along it */
    mechanism_weights weights;
    double *gradient, *before; /* (size) now and a step ago */
    double *natural;           /* (size) by the factor in use: its inverse times the gradient */
    double *hessian;           /* (size, size) */
    double *factor, *shared;   /* (size, size) to be overwritten; kept by descent_share */
    const double *in_use;      /* one of the two */
    double objective, damping;
    int64_t hole, hole_end; /* rows that are left out */
} descent;

/* The model is there; the rest from `scratch`. */
nonsens_status descent_new(nonsens_context *ctx, arena *scratch, descent *d);

/* From `at` on, by the factor in use, or with `refresh` by one of its own; adds to *steps. */
nonsens_status descent_run(nonsens_context *ctx, descent *d, bool refresh, const descent_pace *pace, int *steps);

/* Keeps the last factor, to come back to by descent_use_shared. */
void descent_share(descent *d);
void descent_use_shared(descent *d);

/* Goes to at + step (size) if the objective is less there. */
void descent_jump(descent *d, const double *step);

/* sum (count) = a + length * b. */
void descent_add(int64_t count, const double *a, double length, const double *b, double *sum);

#endif
