/* gp_internal.h - declarations for the files of Gaussian-process regression; values are in scaled units (gp.h). */
#ifndef REGRESS_GP_INTERNAL_H
#define REGRESS_GP_INTERNAL_H

#include "regress/gp.h"

enum { GP_LINE_PARAMETERS = 3 }; /* variance, length, noise */

#define GP_MIN_NOISE 1e-8 /* of the variance of y */
#define GP_MAX_NOISE 2.0
#define GP_MIN_SIGNAL 1e-8
#define GP_MAX_SIGNAL 1e8

/* ---- minimisation in a box (gp_climb.c) -------------------------------------------------------------------- */

/* Returns the value at theta and sets the gradient unless it is NULL. Points without a finite value are avoided. */
typedef double (*gp_objective_fn)(void *state, const double *theta, double *gradient);

typedef struct gp_box {
    int count;
    const double *lower, *upper; // (count)
} gp_box;

typedef struct gp_climb_options {
    int max_iterations;
    double tolerance;       /* stop when the quadratic model predicts less than this decrease of f */
    bool measure_curvature; /* begin with a Hessian from differences of gradients: for starts near the minimum */
} gp_climb_options;

typedef struct gp_climb_result {
    double value;
    int iterations;
    bool converged;
} gp_climb_result;

/* Minimises f from theta (count), in place. */
nonsens_status gp_climb(nonsens_context *ctx, arena *scratch, const gp_box *box, gp_objective_fn f, void *state,
                        const gp_climb_options *options, double *theta, gp_climb_result *result);

/* ---- one regressor (gp_state_space.c, gp_line.c) ----------------------------------------------------------- */

/* Distinct points in ascending order; rows with the same x are one point. */
typedef struct gp_sequence {
    int64_t n;
    double *x;         // (n)
    double *y;         // (n) mean of y over the rows there
    double *count;     // (n) number of rows there
    double *squares;   // (n) sum of squared distances of their y from this mean
    double rows;       /* sum of counts */
    double within;     /* sum of squares */
    double log_counts; /* sum of log(count) */
} gp_sequence;

/* theta: log variance of f, log length, log noise variance. */
typedef struct gp_track {
    const gp_sequence *q;
    double *state;          // (n, numbers per point): mean and covariance, predicted before the point's own rows
    double *error, *spread; // (n) error of the one-step prediction, and its variance
} gp_track;

typedef struct gp_smooth {
    double *mean, *variance; // (n) of f
    double *left_out;        // (n) y minus its prediction from all other points
} gp_smooth;

/* Allocates the arrays for a sequence, which must outlive them. */
nonsens_status gp_track_new(nonsens_context *ctx, arena *a, const gp_sequence *q, gp_track *t);
/* Returns the log likelihood; unless they are NULL, sets its derivatives (3) and the quadratic form in it. */
double gp_line_likelihood(gp_track *t, const double *theta, double *gradient, double *quadratic);
/* Computes the posterior at all points. */
void gp_line_smooth(gp_track *t, const double *theta, const gp_smooth *out);

/* Makes points in the arena from x (n), ascending, and y (n). */
nonsens_status gp_sequence_new(nonsens_context *ctx, arena *a, int64_t n, const double *x, const double *y,
                               gp_sequence *q);
/* Finds the theta with the largest likelihood. */
nonsens_status gp_line_learn(nonsens_context *ctx, arena *scratch, const gp_sequence *q, double *theta,
                             gp_climb_result *result);

/* ---- several regressors: theta is log variance of f, log lengths (d), log noise variance ------------------- */

/* Returns the number of hyper-parameters in theta for d regressors. */
static inline int64_t gp_count(int64_t d)
{
    return d + 2;
}

/*
 * Computes k (a->n, count) = variance exp(-sum_j (a_j - b_j)^2 / (2 length_j^2)) for all rows of a and `count` rows of
 * b from `first` on.
 */
void gp_gauss_block(const column_set *a, const column_set *b, int64_t first, int64_t count, const double *theta,
                    double *k);
/* Adds to sum (d), for each regressor, sum_ij w_ij (a_i - b_j)^2, with w shaped like k above. */
void gp_gauss_distances(const column_set *a, const column_set *b, int64_t first, int64_t count, const double *w,
                        double *sum);

/* Copies at most max_rows rows, evenly spread in the given order, into the arena; y may be NULL. */
nonsens_status gp_spread_rows(nonsens_context *ctx, arena *a, const column_set *x, const double *y, int64_t max_rows,
                              column_set *out, double **out_y);

/* Exact (gp_exact.c): n x n matrices. */
typedef struct gp_exact {
    const column_set *x;
    const double *y;
    double *k, *inverse; // (n, n) kernel; inverse of kernel + noise, or its Cholesky factor
    double *alpha;       // (n) inverse y
    nonsens_context *ctx;
} gp_exact;

/* Allocates the arrays for x and y, which it keeps. */
nonsens_status gp_exact_new(nonsens_context *ctx, arena *a, const column_set *x, const double *y, gp_exact *e);
/*
 * Returns the log likelihood, -infinity if the matrix is not positive definite.  Afterwards, e->inverse is the inverse
 * if a gradient (d + 2) was computed, else the Cholesky factor.
 */
double gp_exact_likelihood(gp_exact *e, const double *theta, double *gradient);

/* Low rank (gp_low_rank.c): inducing points z and whitened products, with L L' = k(z, z), V = L^-1 k(z, x). */
typedef struct gp_low_rank {
    const column_set *x; /* rows to learn from */
    const double *y;
    column_set z;
    double *l, *b, *inner;  // (m, m) L; Cholesky factor of B = I + V V' / noise; V V'
    double *vy, *gamma;     // (m) V y; B^-1 V y
    double *kuf, *v, *g;    // (m, n) k(z, x), V, scratch for derivatives
    double *square, *other; // (m, m) scratch
    nonsens_context *ctx;
} gp_low_rank;

/* Chooses at most max_points rows of x as inducing points z. */
nonsens_status gp_choose_inducing(nonsens_context *ctx, arena *a, const column_set *x, const double *theta,
                                  int64_t max_points, column_set *z);
/* Allocates the arrays for x and y, which must outlive them, and at most max_points inducing points. */
nonsens_status gp_low_rank_new(nonsens_context *ctx, arena *a, const column_set *x, const double *y, int64_t max_points,
                               gp_low_rank *r);
/* Returns Titsias' bound on the log likelihood; sets its derivatives (d + 2) unless NULL. */
double gp_low_rank_bound(gp_low_rank *r, const double *theta, double *gradient);

/* The fit to all rows (gp_reduced.c). */
typedef struct gp_reduced {
    column_set z;
    const double *theta; // (d + 2)
    double *l, *b;       // (m, m) as above
    double *weight;      // (m) B^-1 V y / noise
} gp_reduced;

typedef struct gp_row_results {
    double *mean, *variance, *leverage; // (n); leverage: derivative of a row's mean with respect to its own y
} gp_row_results;

/* Fits all rows with the inducing points z; sets the bound on the log likelihood. */
nonsens_status gp_reduced_fit(nonsens_context *ctx, arena *scratch, int threads, const column_set *x, const double *y,
                              const column_set *z, const double *theta, gp_reduced *r, double *bound);
/* Computes mean, variance and leverage of every row of x. */
nonsens_status gp_reduced_predict(nonsens_context *ctx, int threads, const gp_reduced *r, const column_set *x,
                                  const gp_row_results *out);
/* Computes L (m, m) of k(z, z) with a small jitter on its diagonal. */
nonsens_status gp_inducing_factor(nonsens_context *ctx, const column_set *z, const double *theta, double *l);
/* Computes the bound, B's Cholesky factor in b, and gamma from inner = V V', vy and y'y of n rows. */
nonsens_status gp_bound_of(nonsens_context *ctx, int64_t m, int64_t n, const double *theta, int64_t d, double yy,
                           const double *inner, const double *vy, double *b, double *gamma, double *bound);

/* Finds the theta with the largest likelihood or bound (gp_several.c); rows must be sorted by value. */
nonsens_status gp_several_learn(nonsens_context *ctx, arena *scratch, const column_set *x, const double *y, bool exact,
                                double *theta, gp_climb_result *result);

#endif
