/*
 * hsic.h - Hilbert-Schmidt independence criterion with Gaussian kernels, without an n x n matrix.
 *
 * Statistic n HSIC = (1/n) tr(K H L H) with k(a,b) = exp(-sum_j (a_j-b_j)^2 / (2 s_j^2)); for scalars s is the median
 * distance over all pairs of rows, for vectors see kernel.h (Gretton et al. 2005, 2007).  K and L are replaced by
 * pivoted incomplete Cholesky factors (rank 10-50 for scalars), so that statistic and null moments cost O(n r^2) time.
 * Rows are streamed, and memory is O(n) with a small factor.
 *
 * Stratified: T = sum over groups of (n_e HSIC_e), and cumulants under the null are summed too.  The null distribution
 * is one gamma distribution with these moments, or permutations inside groups, or one sum of chi-square variables with
 * the weights of all groups.  The moments are exactly those of T over all permutations inside groups.  Each group has
 * its own widths.  Groups with fewer than HSIC_MIN_ROWS rows, or with a constant variable, are skipped and counted; if
 * none is left, statistic and moments are 0 and p is 1.
 *
 * If rows follow one another in time, the moments are those of draws in which y is shifted circularly in time inside
 * each group, by a random number of rows.  Shifts keep the autocorrelation of both variables, which permutations
 * destroy.  T changes slowly with the shift, so if the memory is long, few of its values are independent and their mean
 * is uncertain.  If the memory is known, an F distribution accounts for that.
 */
#ifndef INDEP_HSIC_H
#define INDEP_HSIC_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

enum {
    HSIC_MIN_ROWS = 10,       /* that a segment needs to enter the test */
    HSIC_REFINE_ROWS = 20000, /* up to which gamma p-values near a level are refined by permutations */
};

typedef struct hsic_options {
    enum option_null_kind null_kind;
    int64_t permutations; /* of the permutation null; p = (1 + #{T* >= T}) / (1 + B) */
    double refine_at;     /* gamma null: if p is within a factor 3 of this level, permutations decide; 0: never */
    uint64_t seed;        /* permutations draw from streams of this seed and `job` (below 2^32) */
    uint64_t job;
    int threads; /* groups, blocks of rows and permutations may run in parallel */
    /* (n) rows of each group in the order of time: y is shifted in time, see above; NULL: no order */
    const int64_t *time_order;
    int64_t min_shift;               /* rows */
    double memory;                   /* integrated autocorrelation time in rows; 0: not known */
    const struct hsic_side *side[2]; /* (groups) what is known of x and y: hsic_sides_of; NULL: nothing */
    double *widths[2]; /* of x and y, unless NULL: room (d, groups) for the widths used; 0 in groups skipped */
} hsic_options;

typedef struct hsic_result {
    double statistic;      /* T */
    double mean, variance; /* of T under independence (gamma null) */
    double skewness;       /* of T under independence; 0 if the variance is 0 */
    double p_value;
    int64_t rows_used, segments_used, segments_skipped; /* skipped: too few rows, or constant */
    bool by_permutation;                                /* p_value came from permutations */
    int64_t rank[2];                                    /* directions of x and y, in the group that has the most */
    double lost[2]; /* of x and y: largest share of a kernel's trace that its factor lacks */
} hsic_result;

/* Copies the user's choices; gamma p-values near `level` are refined, and `job` names the random streams. */
hsic_options hsic_options_from(const nonsens_options *options, double level, uint64_t job);

/*
 * Tests x against y, scalars or vectors of the same n rows.  groups: one group of all rows makes the test pooled,
 * several make it stratified.  scratch holds little unless permutations are drawn: their features stay in it until the
 * caller frees or rewinds it (at most 384 MB, or 128 bytes a row if that is more).
 */
nonsens_status hsic_test(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                         const row_groups *groups, const hsic_options *options, hsic_result *out);

/*
 * What tests need to know of each of variables->d scalars, computed once; *out is NULL if that is too much to keep.
 * The caller frees it with hsic_sides_free, whatever the status; the columns must outlive it.
 */
typedef struct hsic_sides hsic_sides;
nonsens_status hsic_sides_new(nonsens_context *ctx, arena *a, const column_set *variables, const row_groups *groups,
                              int threads, hsic_sides **out);
const struct hsic_side *hsic_sides_of(const hsic_sides *sides, int64_t groups, int64_t variable);
void hsic_sides_free(hsic_sides **sides);

/* Tests two scalars x and y (n); start: bounds (segments + 1). */
static inline nonsens_status hsic_test_scalars(nonsens_context *ctx, arena *scratch, int64_t n, const double *x,
                                               const double *y, int64_t segments, const int64_t *start,
                                               const hsic_options *options, hsic_result *out)
{
    column_set of_x = {n, 1, &x}, of_y = {n, 1, &y};
    row_groups groups = {segments, start};
    return hsic_test(ctx, scratch, &of_x, &of_y, &groups, options, out);
}

#endif
