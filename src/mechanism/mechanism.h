/*
 * mechanism.h - fits how a variable depends on its causes, in the same way in all segments, and on a disturbance that
 * changes over segments.  Its likelihood is what `structured` compares graphs by (docs/many-variables.md).
 *
 * y = f(x_P, N) with f increasing in N.  Its inverse, N = T(y, x_P), is a sum of tensor products of B-splines,
 * quadratic in y and linear in x,
 *
 *     T(y, x) = sum_a psi_a A_a(y) + sum_{i in P} sum_b chi_ib D_b(x_i) + sum_{i in P} sum_ab theta_iab B_a(y) C_b(x_i)
 *               + sum_{i < k in P} sum_bc phi_ikbc C_b(x_i) C_c(x_k).
 *
 * Functions of one variable have more B-splines than products: they cost little, and mechanisms that are nearly sums of
 * functions need them to be precise.  The model of a pair has only the third sum or, without a cause, only the first
 * one with the same B-splines: its decisions are calibrated with these (structured_opinion.c).  In segment e the
 * disturbance has location mu_e and scale exp(rho_e):
 *
 *     log p_e(y | x) = l(z) - rho_e + log dT/dy,    z = (T - mu_e) exp(-rho_e), (1)
 *
 * with l(z) = -sqrt(z^2 + d^2) - constant, a Laplace density with a rounded corner.
 *
 * For given mu and rho that is concave in the coefficients (Hothorn, Moest, Buehlmann, "Most likely transformations",
 * Scandinavian Journal of Statistics 45, 2018, on such models without segments), so that Newton's method converges in a
 * few steps.  Sums of (1) over the variables of a graph give log p_e(x), hence also the segment's posterior.  Its
 * logits are sums of one feature l(z_j) per variable, which depends only on the variable and its causes.
 *
 * The model uses the warped ranks of variables (classifier/sample.h): increasing maps of a variable change nothing, and
 * their derivatives are the same factor in all graphs.
 */
#ifndef MECHANISM_MECHANISM_H
#define MECHANISM_MECHANISM_H

#include "base/memory.h"

enum { MECHANISM_MAX_CAUSES = 6, MECHANISM_MAX_FOLDS = 10 };

/* Weights of squared second differences: one for each cause, and one for the term of y alone. */
enum { MECHANISM_ALONE = MECHANISM_MAX_CAUSES, MECHANISM_WEIGHTS };

/* The B-splines that are not zero at each row: three quadratic ones of an effect, two linear ones of a cause. */
enum { MECHANISM_EFFECT_ORDER = 3, MECHANISM_CAUSE_ORDER = 2 };
typedef struct mechanism_splines {
    int32_t *first; /* (n) index of the first of them */
    double *value;  /* (order, n) */
    double *slope;  /* (order, n), only for an effect */
} mechanism_splines;

/*
 * Points away from the rows, at which T must rise as well: dT/dy below UNSEEN_SLOPE is penalised.  Fits to data with
 * such points extrapolate better to new combinations of causes.
 */
typedef struct mechanism_unseen {
    int64_t points;
    mechanism_splines *alone, *effect, *cause; /* (d) */
} mechanism_unseen;

/* Rows are kept fold by fold: fold k has rows block[k] .. block[k + 1] - 1. */
typedef struct mechanism_data {
    int64_t n, d, segments, folds;
    int threads;      /* that may share a fit; as in parallel_for */
    int64_t all;      /* rows of the data set: n, unless segments or rows were left out */
    int64_t *block;   /* (folds + 1) */
    int64_t *row;     /* (n) of the data set */
    int32_t *segment; /* (n) */
    bool separate;    /* functions of one variable have their own terms, besides that of y without causes */
    double smoothest; /* the weight that a new cause starts with */
    int64_t alone_basis, effect_basis;           /* B-splines of y alone, and of y in products */
    int64_t main_basis, cause_basis, pair_basis; /* of x alone, in products with y, in products of two causes */
    mechanism_splines *alone, *effect, *main, *cause, *pair; /* (d) */
    const mechanism_unseen *unseen;                          /* NULL: none */
} mechanism_data;

/* Prepares warped (d) columns in [0, 1]; rows are sorted by segment with bounds start (segments + 1); fold (n). */
nonsens_status mechanism_data_new(nonsens_context *ctx, arena *a, int64_t d, const double *const *warped,
                                  int64_t segments, const int64_t *start, const int32_t *fold, int64_t folds,
                                  int threads, mechanism_data *out);

/*
 * Draws unseen points for data that mechanism_data_new made of the same warped columns: causes independent of one
 * another, each as in a row drawn at random, and the effect uniform.  Memory from `a`; the caller sets the field
 * `unseen` to out.
 */
nonsens_status mechanism_unseen_new(nonsens_context *ctx, arena *a, const mechanism_data *data,
                                    const double *const *warped, int64_t points, uint64_t seed, mechanism_unseen *out);

/*
 * Copies the rows of some segments, keep (segments), as data of `effect` alone: only this variable can be fitted.
 * Segments are renumbered, in the same order.  warped (all): the effect in [0, 1], if it is to be warped again, since
 * its distribution in these segments may be too steep in the warp of all segments; NULL: as in `data`.
 */
nonsens_status mechanism_data_restrict(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect,
                                       const bool *keep, const double *warped, mechanism_data *out);

/*
 * Copies the rows with keep (all) as data of `effect` and these causes alone.  Segments stay as they are, also those
 * without rows.
 */
nonsens_status mechanism_data_keep(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect,
                                   int64_t causes, const int64_t *cause, const bool *keep, mechanism_data *out);

/* A fit of the same variable on all causes but one, to start from. */
typedef struct mechanism_guess {
    int64_t causes;
    const int64_t *cause;
    const double *theta;      /* as in mechanism_fit */
    const double *smooth;     /* (MECHANISM_WEIGHTS) */
    const double *loss;       /* (causes) */
    const double *fold_total; /* (folds) */
} mechanism_guess;

typedef struct mechanism_fit {
    double *held_out; /* (all) log densities of rows by fits that do not use them, in the data's order of rows */
    double total;     /* their sum */
    double fold_total[MECHANISM_MAX_FOLDS]; /* those of each fold */
    bool is_guess; /* the guess is kept, since it predicts held-out rows as well; the scores above are not valid,
                      use those of the guess */
    double loss[MECHANISM_MAX_CAUSES]; /* what the fit to all rows would lose without each cause, to second order; 0 if
                                          it has no effect, or if nothing is known; not of a pair */
    double *theta; /* (1 + folds, mechanism_size) of all rows, then without each fold: coefficients, locations,
                      logarithms of scales */
    double smooth[MECHANISM_WEIGHTS]; /* chosen by held-out rows */
    int steps;                        /* of Newton's method, in total */
} mechanism_fit;

/* Returns the number of parameters of a variable with this number of causes. */
int64_t mechanism_size(const mechanism_data *data, int64_t causes);

/*
 * Fits variable `effect` on its causes (ascending), from smooth to rough in the cause that the guess lacks (without a
 * guess: in all) as long as the prediction of held-out rows improves; guess may be NULL.  Memory of *out from `keep`.
 */
nonsens_status mechanism_run(nonsens_context *ctx, arena *keep, const mechanism_data *data, int64_t effect,
                             int64_t causes, const int64_t *cause, const mechanism_guess *guess, mechanism_fit *out);

/* Computes disturbance (all) = T at all rows of `data`, in the data set's order, by the parameters of a fit. */
nonsens_status mechanism_disturbance(nonsens_context *ctx, const mechanism_data *data, int64_t effect, int64_t causes,
                                     const int64_t *cause, const double *theta, double *disturbance);

/*
 * Computes, at all rows of `data`, log_density (all) by the fit that does not use the row, and z (all) of (1): theta as
 * in mechanism_fit.
 */
nonsens_status mechanism_held_out(nonsens_context *ctx, const mechanism_data *data, int64_t effect, int64_t causes,
                                  const int64_t *cause, const double *theta, double *log_density, double *z);

#endif
