/*
 * mechanism.h - how a variable is made of its causes, the same way in all segments, from a disturbance that changes
 * over them: the likelihood by which `structured` compares graphs (docs/many-variables.md).
 *
 * y = f(x_P, N) with f increasing in N.  Its inverse, N = T(y, x_P), is a sum of tensor products of B-splines,
 *
 *     T(y, x) = sum_{i in P} sum_ab theta_iab B_a(y) C_b(x_i) + sum_{i < k in P} sum_bc phi_ikbc C_b(x_i) C_c(x_k),
 *
 * and in segment e the disturbance has place mu_e and scale exp(rho_e):
 *
 *     log p_e(y | x) = l(z) - rho_e + log dT/dy,    z = (T - mu_e) exp(-rho_e). (1)
 *
 * For given mu and rho that is concave in theta and phi (Hothorn, Moest, Buehlmann, "Most likely transformations",
 * Scandinavian Journal of Statistics 45, 2018, on such models without segments), so that Newton's method ends in a few
 * steps.  Sums of (1) over the variables of a graph give log p_e(x), hence also the segment's posterior: its logits are
 * sums of one feature l(z_j) per variable that sees the variable and its causes alone.
 *
 * Variables enter by their warped ranks (segments/sample.h): increasing maps of a variable change nothing, and their
 * derivatives are the same factor in all graphs.
 */
#ifndef MECHANISM_MECHANISM_H
#define MECHANISM_MECHANISM_H

#include "base/memory.h"

enum { MECHANISM_MOST_CAUSES = 6 };

/* What l is: -sqrt(z^2 + d^2), a Laplace density with its corner rounded, or -z^2 / 2. */
enum mechanism_base { MECHANISM_LAPLACE, MECHANISM_GAUSSIAN };

/* The four B-splines that are not zero at each row. */
typedef struct mechanism_splines {
    int32_t *first; /* (n) */
    double *value;  /* (4, n) */
    double *slope;  /* (4, n), NULL where it is not needed */
} mechanism_splines;

/* Rows are kept fold by fold: fold k has rows block[k] .. block[k + 1] - 1. */
typedef struct mechanism_data {
    int64_t n, d, segments, folds;
    int64_t *block;                    /* (folds + 1) */
    int64_t *row;                      /* (n) of the data set */
    int32_t *segment;                  /* (n) */
    int64_t effect_basis, cause_basis; /* B-splines of y, of x */
    mechanism_splines *effect, *cause; /* (d) */
    double smooth;                     /* weight of the squared second differences */
    enum mechanism_base base;
} mechanism_data;

/* warped (d) columns in [0, 1]; rows sorted by segment with bounds start (segments + 1); fold (n). */
nonsens_status mechanism_prepare(nonsens_context *ctx, arena *a, int64_t d, const double *const *warped,
                                 int64_t segments, const int64_t *start, const int32_t *fold, int64_t folds,
                                 mechanism_data *out);

typedef struct mechanism_fit {
    double *held_out;      /* (n) log densities of rows by fits that have not seen them, in the data's order of rows */
    double *disturbance;   /* (n) z exp(rho_e) + mu_e = T of the fit of all rows; NULL: not wanted */
    double *place, *scale; /* (segments) mu and rho; NULL: not wanted */
    double total;          /* sum of held_out */
    int iterations;
} mechanism_fit;

/* Fits variable `effect` on its causes (ascending).  Arrays of *out that are not NULL are filled. */
nonsens_status mechanism_run(nonsens_context *ctx, arena *scratch, const mechanism_data *data, int64_t effect,
                             int64_t causes, const int64_t *cause, mechanism_fit *out);

#endif
