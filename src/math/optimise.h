/* optimise.h - smooth unconstrained minimisation: L-BFGS (Nocedal 1980) with a strong-Wolfe line search. */
#ifndef MATH_OPTIMISE_H
#define MATH_OPTIMISE_H

#include "base/memory.h"

/* Value at x (n); writes the gradient (n). */
typedef double (*objective_fn)(void *state, int64_t n, const double *x, double *gradient);

enum stop_reason { STOP_CONVERGED, STOP_ITERATIONS, STOP_NO_DESCENT };

typedef struct lbfgs_options {
    int memory; /* pairs kept; 10 is usual */
    int max_iterations;
    double gradient_tolerance; /* stop when max |g_i| <= this * max(1, |f|) */
} lbfgs_options;

typedef struct lbfgs_result {
    double value;
    int iterations, evaluations;
    enum stop_reason reason;
} lbfgs_result;

/* Minimises from x (n), in place. */
nonsens_status lbfgs_minimise(nonsens_context *ctx, arena *scratch, int64_t n, double *x, objective_fn f, void *state,
                              const lbfgs_options *options, lbfgs_result *result);

#endif
