/* gp_internal.h - what the files of Gaussian-process regression share; all in scaled units (gp.h). */
#ifndef REGRESS_GP_INTERNAL_H
#define REGRESS_GP_INTERNAL_H

#include "regress/gp.h"

enum { GP_LINE_PARAMETERS = 5 }; /* of the sum of two: two variances, two lengths, noise */

#define GP_LEAST_NOISE 1e-8 /* of the variance of y */
#define GP_MOST_NOISE 2.0
#define GP_LEAST_SIGNAL 1e-8
#define GP_MOST_SIGNAL 1e8

/* ---- minimisation in a box (gp_climb.c) ----------------------------------------------------------------------- */

/* Value at theta; the gradient too, unless NULL.  Not finite: a point to keep away from. */
typedef double (*gp_objective_fn)(void *state, const double *theta, double *gradient);

typedef struct gp_box {
    int count;
    const double *lower, *upper; // (count)
} gp_box;

typedef struct gp_climb_options {
    int max_iterations;
    double tolerance;    /* stop when the quadratic model promises less than this decrease of f */
    bool measure_curves; /* begin with the Hessian by differences of gradients: for starts near the minimum */
} gp_climb_options;

typedef struct gp_climb_result {
    double value;
    int iterations;
    bool converged;
} gp_climb_result;

/* From theta (count), in place. */
nonsens_status gp_climb(nonsens_context *ctx, arena *scratch, const gp_box *box, gp_objective_fn f, void *state,
                        const gp_climb_options *options, double *theta, gp_climb_result *result);

/* ---- one regressor (gp_state_space.c, gp_line.c) --------------------------------------------------------------- */

/* Points in ascending order, all different; rows with the same x are one point. */
typedef struct gp_sequence {
    int64_t n;
    double *x;         // (n)
    double *y;         // (n) mean of the rows there
    double *count;     // (n) how many they are; 0: nothing observed
    double *squares;   // (n) sum of their squared distances from their mean
    double rows;       /* sum of counts */
    double points;     /* with a count above 0 */
    double within;     /* sum of squares */
    double log_counts; /* sum of log(count) */
} gp_sequence;

/* theta: log variances of f (parts), log lengths (parts), log noise variance. */
typedef struct gp_track {
    enum gp_kernel kernel;
    const gp_sequence *q;
    double *state;          // (n, numbers per point): mean and covariance before the point's own rows
    double *error, *spread; // (n) of the one-step prediction, and its variance; 0: nothing observed
} gp_track;

typedef struct gp_smooth {
    double *mean, *variance; // (n) of f
    double *left_out;        // (n) y less its prediction from all other points; 0 where nothing was observed
} gp_smooth;

int gp_parts(enum gp_kernel kernel);
nonsens_status gp_track_get(nonsens_context *ctx, arena *a, enum gp_kernel kernel, const gp_sequence *q, gp_track *t);
/* Log likelihood; its derivatives (2 parts + 1) unless NULL; quadratic: the sum of squares in it, unless NULL. */
double gp_line_likelihood(gp_track *t, const double *theta, double *gradient, double *quadratic);
void gp_line_smooth(gp_track *t, const double *theta, const gp_smooth *out);

/* Points from ascending x (n) and y (n), from the arena. */
nonsens_status gp_sequence_make(nonsens_context *ctx, arena *a, int64_t n, const double *x, const double *y,
                                gp_sequence *q);
/* theta of the largest likelihood. */
nonsens_status gp_line_learn(nonsens_context *ctx, arena *scratch, enum gp_kernel kernel, const gp_sequence *q,
                             double *theta, gp_climb_result *result);

#endif
