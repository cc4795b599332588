/* optimise.h - smooth unconstrained minimisation: L-BFGS (Nocedal 1980) with a strong-Wolfe line search. */
#ifndef MATH_OPTIMISE_H
#define MATH_OPTIMISE_H

#include "base/memory.h"

/* Returns the value at x (n) and writes the gradient (n). */
typedef double (*optimise_objective_fn)(void *state, int64_t n, const double *x, double *gradient);

enum optimise_stop { STOP_CONVERGED, STOP_ITERATIONS, STOP_NO_DESCENT };

typedef struct optimise_options {
    int memory; /* pairs kept; 10 is usual */
    int max_iterations;
    double gradient_tolerance; /* stop when max |g_i| <= this * max(1, |f|) */
} optimise_options;

typedef struct optimise_result {
    double value;
    int iterations, evaluations;
    enum optimise_stop reason;
} optimise_result;

/* Minimises from x (n), in place. */
nonsens_status lbfgs_minimise(nonsens_context *ctx, arena *scratch, int64_t n, double *x, optimise_objective_fn f,
                              void *state, const optimise_options *options, optimise_result *result);

/*
 * The newest steps s and changes y of the gradient, which approximate the inverse Hessian; for searches that choose
 * their own steps. lbfgs_minimise multiplies by 1 / s'y; others may divide by s'y, which rounds differently.
 */
typedef struct lbfgs_memory {
    int64_t n;
    int size, kept, next;   /* largest and current number of pairs, index of the next; kept = 0 drops all */
    bool divides;           /* by s'y */
    double *s, *y;          // (n, size)
    double *scale, *weight; // (size) s'y, or 1 / s'y; scratch
} lbfgs_memory;

/* Allocates a memory of `size` pairs of n numbers. */
nonsens_status lbfgs_memory_new(nonsens_context *ctx, arena *a, int64_t n, int size, bool divides, lbfgs_memory *out);

/* Return where to write the next pair, s and y; lbfgs_memory_keep then keeps it, with curvature = s'y > 0. */
static inline double *lbfgs_memory_step(const lbfgs_memory *m)
{
    return m->s + m->next * m->n;
}
static inline double *lbfgs_memory_change(const lbfgs_memory *m)
{
    return m->y + m->next * m->n;
}
void lbfgs_memory_keep(lbfgs_memory *m, double curvature);

/* Computes v (n) = H v by the two loops of Nocedal (1980); `precondition` computes v = H_0 v between them. */
typedef void (*precondition_fn)(void *state, double *v);
void lbfgs_memory_apply(lbfgs_memory *m, precondition_fn precondition, void *state, double *v);

#endif
