/*
 * hsic_internal.h - what the files of the HSIC test share: a group of rows, the moments of its statistic over all
 * permutations, its weights in the spectral null.
 */
#ifndef INDEP_HSIC_INTERNAL_H
#define INDEP_HSIC_INTERNAL_H

#include "indep/hsic.h"
#include "indep/kernel_internal.h"

enum {
    HSIC_MIN_ROWS_MOMENTS = 6, /* the third moment divides by n - 5 */
    HSIC_WEIGHTS = 500         /* of a group in the spectral null, at most */
};

/* What the moments need to know of a centred symmetric matrix W (n, n), d its diagonal. */
typedef struct hsic_invariants {
    double t, t2, t3; /* traces of W, W^2, W^3 */
    double s2, s3;    /* sums of d_i^2, d_i^3 */
    double u;         /* sum of w_ij^3 */
    double r;         /* sum of d_i (W^2)_ii */
    double b;         /* d' W d */
} hsic_invariants;

/* Cumulants of T under permutations; third: the third central moment. */
typedef struct hsic_cumulants {
    double mean, variance, third;
} hsic_cumulants;

/* What a pass over the rows of a group finds. */
typedef struct hsic_sums {
    double statistic; /* (1/n) tr(K H L H) */
    hsic_invariants of[2];
} hsic_sums;

/* What a test needs to know of one scalar in a group; width 0: constant, or too few rows. */
typedef struct hsic_side {
    double width;
    kernel_basis basis;
    hsic_invariants invariants;
} hsic_side;

struct hsic_sides {
    int64_t count;   /* variables x groups */
    hsic_side *side; /* (variables, groups) */
    arena *own;      /* (variables, groups) */
};

/*
 * Computes the statistic and the invariants of the centred kernel matrices of x and y, in O(n r^2); invariants that are
 * known are copied.
 */
nonsens_status hsic_pass(nonsens_context *ctx, arena *scratch, const kernel_basis basis[2],
                         const hsic_invariants *const known[2], int threads, hsic_sums *out);

/* Returns the cumulants of (1/n) tr(W_v P W_w P') over all permutations P of n rows. */
hsic_cumulants hsic_permutation_cumulants(int64_t rows, const hsic_invariants *v, const hsic_invariants *w);

/*
 * Returns the upper tail at x of the shifted gamma distribution with these moments.  If the skewness is negative, the
 * distribution is mirrored, and if it is nearly 0, it is normal.  Returns 1 if all permutations have the same T, up to
 * rounding.
 */
double hsic_tail(const hsic_cumulants *c, double x);

/* The largest weights of the chi-square variables; with many rows T tends to their weighted sum. */
typedef struct hsic_weights {
    int64_t count;
    double *weight; /* (HSIC_WEIGHTS) */
} hsic_weights;

/* Fills w for a group of n rows from the eigenvalues and the traces of its two centred kernel matrices. */
nonsens_status hsic_spectrum(nonsens_context *ctx, arena *scratch, int64_t n, const int64_t count[2],
                             const double *const eigen[2], const double trace[2], hsic_weights *w);

/* A group of rows; it enters the test if it is usable. */
typedef struct hsic_stratum {
    bool usable;
    int64_t first, rows;
    double *width[2];
    hsic_sums sums;
    int64_t rank[2], leading[2]; /* directions, and those that permutations would use */
    double lost[2];
    hsic_weights weights;
} hsic_stratum;

/* Computes P(T > x) with the weights of all strata. */
nonsens_status hsic_spectral_tail(nonsens_context *ctx, arena *scratch, int64_t count, const hsic_stratum *strata,
                                  const hsic_cumulants *moments, double x, double *p_value);

/* Tests all usable strata by permutations. */
nonsens_status hsic_permutation_p(nonsens_context *ctx, arena *scratch, const column_set points[2], int64_t count,
                                  const hsic_stratum *strata, const hsic_options *options, double *p_value);

/* Computes T and its moments over shifts in time of all usable strata. */
nonsens_status hsic_shift_moments(nonsens_context *ctx, arena *scratch, const column_set points[2], int64_t count,
                                  const hsic_stratum *strata, const hsic_options *options, double *statistic,
                                  hsic_cumulants *moments);

/* The share of the trace that permutations may leave out. */
extern const double HSIC_PERMUTED_SHARE;

#endif
