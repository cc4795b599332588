/*
 * hsic.h - Hilbert-Schmidt independence criterion with Gaussian kernels, without an n x n matrix.
 *
 * Statistic n HSIC = (1/n) tr(K H L H) with k(a,b) = exp(-(a-b)^2 / (2 s^2)), s the median distance over all pairs of
 * rows (Gretton et al. 2005, 2007).  K and L are replaced by pivoted incomplete Cholesky factors (rank 10-50 for
 * scalars), so that statistic and null moments cost O(n r^2) time and O(n r) memory.
 *
 * Stratified: T = sum over segments of (n_e HSIC_e); null cumulants add up; one gamma distribution with these moments,
 * or permutations inside segments.  The moments are those of T over all permutations inside segments, exactly.  Widths
 * are the segment's own.  Segments under HSIC_LEAST_ROWS rows, or with a constant variable, are skipped and counted; if
 * none is left, statistic and moments are 0 and p is 1.
 */
#ifndef INDEP_HSIC_H
#define INDEP_HSIC_H

#include "base/memory.h"
#include "base/options.h"

enum { HSIC_LEAST_ROWS = 10 }; /* of a segment that enters the test */

typedef struct hsic_options {
    enum null_kind null_kind;
    int64_t permutations; /* of the permutation null; p = (1 + #{T* >= T}) / (1 + B) */
    double refine_at;     /* gamma null: if p is within a factor 3 of this, permutations decide; 0 = never */
    uint64_t seed;        /* permutations draw from streams of this seed and `job` (below 2^32) */
    uint64_t job;
    int threads; /* permutations may run in parallel */
} hsic_options;

typedef struct hsic_result {
    double statistic;      /* T */
    double mean, variance; /* of T under independence (gamma null) */
    double skewness;       /* likewise; 0 where the variance is 0 */
    double p_value;
    int64_t rows_used, segments_used, segments_skipped; /* skipped: too few rows, or constant */
    bool by_permutation;                                /* p_value came from permutations */
} hsic_result;

/* As the user chose; gamma p-values near `level` are refined, and `job` names the random streams. */
hsic_options hsic_options_from(const nonsens_options *options, double level, uint64_t job);

/*
 * Tests x against y (n each).  start: E+1 bounds of contiguous segments for the stratified test; for the pooled test
 * pass {0, n} and segments = 1.  scratch holds the factors, O(n q) with q 10 to 40, until the caller frees or rewinds
 * it.
 */
nonsens_status hsic_test(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                         int64_t segments, const int64_t *start, const hsic_options *options, hsic_result *out);

/* The plain quadratic form of one stretch, for tests: n HSIC and its null moments with given widths, O(n^2) memory;
 * n >= 6. */
nonsens_status hsic_reference(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                              double width_x, double width_y, double *statistic, double *mean, double *variance);

#endif
