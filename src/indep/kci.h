/*
 * kci.h - kernel test of conditional independence of x and y given z (Zhang, Peters, Janzing, Schoelkopf, "Kernel-based
 * conditional independence test and application in causal discovery", UAI 2011) in O(n) memory, and its variant with
 * random Fourier features (RCIT: Strobl, Zhang, Visweswaran, Journal of Causal Inference 7, 2019).
 *
 * T = (1/n) ||Psi Phi'||^2, where Psi and Phi are the features of x and of y minus their ridge regressions on the
 * features of z.  There are two steps, so that the first can be reused: kci_residuals for one side, kci_compare for a
 * pair.  Stratified: each segment has its own widths, factors and ridge (those with few rows share one ridge), and T
 * and its null cumulants are sums over segments.  Segments with fewer than KCI_MIN_ROWS rows, or in which x or y is
 * constant, are skipped and counted; columns of z that are constant in a segment are left out there.
 *
 * NULL_GAMMA: shifted gamma distribution with three moments; NULL_SPECTRAL: the mixture of chi-squares itself.
 * NULL_PERMUTATION: permuting rows would break their dependence on z, so the products psi_t phi_t' get random signs
 * instead (wild bootstrap), p = (1 + #{T* >= T}) / (1 + B).  The other two do not depend on the order of the rows.
 */
#ifndef INDEP_KCI_H
#define INDEP_KCI_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

enum {
    KCI_MIN_ROWS = 10,        /* that a segment needs to enter the test */
    KCI_FOURIER_Z = 100,      /* random features of z for each of its columns; twice as many from 500 rows on */
    KCI_FOURIER_MAX = 400,    /* random features of z in total; also at most twice the rows */
    KCI_FOURIER_TARGET = 200, /* random features of x and of y */
};

typedef struct kci_options {
    enum option_null_kind null_kind;
    int64_t permutations; /* random signs of the wild bootstrap */
    uint64_t seed, job;   /* name the random streams; job below 2^32 */
    int threads;
    bool random_features; /* Fourier features instead of Cholesky factors */
} kci_options;

/* A category, in place of a target with values: a number 0 .. count - 1 for every row. */
typedef struct kci_category {
    int64_t n, count;
    const int32_t *of; /* (n) */
} kci_category;

/* Residual features of one segment. */
typedef struct kci_stratum {
    int64_t rows, rank;   /* rank 0: skipped, or nothing left after the regression */
    bool determined;      /* nothing left: the target is a function of z */
    double *f;            /* (rank, rows): row t has its features at f + t * rank; directions orthogonal, descending */
    double *eigen;        /* (rank): their squared norms */
    double ridge, narrow; /* of the regression: ridge, and width of z over the usual one; 0 without z */
    double *scale;        /* (rows): factor on the features in the null moments, to correct for leverage */
} kci_stratum;

typedef struct kci_features {
    int64_t count; /* of segments */
    kci_stratum *strata;
    double ridge;   /* geometric mean of the chosen ones over segments; 0 without z */
    double degrees; /* of freedom of the regressions and means, summed over segments */
    double lost;    /* largest share of the trace of a segment's residual features that was left out */
} kci_features;

typedef struct kci_result {
    double statistic;      /* T */
    double mean, variance; /* of T under conditional independence */
    double skewness;       /* of T under conditional independence; 0 if the variance is 0 */
    double p_value;
    int64_t rows_used, segments_used, segments_skipped;
    double degrees[2], ridge[2]; /* of the regressions of x and of y on z */
    double lost;                 /* the larger one of the two sides */
    bool determined;             /* x or y is a function of z in all segments: p is 1, nothing was tested */
} kci_result;

/*
 * Computes residual features of the target given z; with_z: of (target, z), but of the target alone in segments with
 * few rows.  With z->d = 0 they are the centred features.  They live in `keep`: 8 (rank + 1) bytes a row, with rank at
 * most 256 up to 256 rows, 100 beyond, 50 beyond 20,000 rows, 25 beyond 200,000.  While it runs, it takes up to 5.6 kB
 * a row (2.8 kB beyond 20,000 rows, 1.4 kB beyond 200,000).
 */
nonsens_status kci_residuals(nonsens_context *ctx, arena *keep, const column_set *target, bool with_z,
                             const column_set *z, const row_groups *groups, const kci_options *options,
                             kci_features *out);

/*
 * Computes residual features of a category given z.  Its kernel is 1 if two rows have the same category and 0
 * otherwise, so its features are indicators, and exact.
 */
nonsens_status kci_category_residuals(nonsens_context *ctx, arena *keep, const kci_category *category,
                                      const column_set *z, const row_groups *groups, const kci_options *options,
                                      kci_features *out);

/* Tests two sides that were made with the same z, groups and options. */
nonsens_status kci_compare(nonsens_context *ctx, arena *scratch, const kci_features *a, const kci_features *b,
                           const row_groups *groups, const kci_options *options, kci_result *out);

#endif
