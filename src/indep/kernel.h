/* kernel.h - low-rank, centred factors of Gaussian kernel matrices of scalars and vectors, without an n x n matrix. */
#ifndef INDEP_KERNEL_H
#define INDEP_KERNEL_H

#include "base/matrix.h"
#include "base/memory.h"

#include <stdbool.h>

/*
 * H K H = F' F up to `lost`, with H = I - 11'/n: each direction of F has sum zero over the rows, directions are
 * orthogonal, and eigen (descending) holds their squared norms, which are the leading eigenvalues of H K H.
 * The first k directions have the stride of F, so that a caller can use fewer directions without copying.  A constant
 * has one direction, which is zero.
 */
typedef struct kernel_factor {
    int64_t n, rank;
    double *f;     /* (rank, n): the features of row i are f + i * rank */
    double *eigen; /* (rank) */
    double trace;  /* of H K H, before directions were dropped */
    double lost;   /* at most this share of the true trace is not in F; 1e-13 of it is rounding error */
} kernel_factor;

/* When a factor is complete: it lacks at most this share of the traces of K (by its pivots) and of H K H (by the
 * directions dropped), or it has this rank. */
typedef struct kernel_limits {
    int64_t max_rank;
    double trace_lost; /* not below 1e-11: residuals are rounding errors there */
    int threads;       /* for passes over blocks of rows; the factor has the same bits for any number */
} kernel_limits;

/* Returns the usual limits: 1e-8 of the trace; 200 directions, 100 beyond 20,000 rows; one thread. */
kernel_limits kernel_usual_limits(int64_t n);

/*
 * Computes the width of the kernel: the (lower) median of |a - b| over all pairs of rows; their mean if the median is
 * zero; 0 for a constant.  Pairs are not listed: O(n log n) time, O(n) memory, and the order of the rows does not
 * matter.
 */
nonsens_status kernel_width(nonsens_context *ctx, int64_t n, const double *v, double *width);

/*
 * Computes the widths (points->d) of the coordinates of the rows first .. first + n - 1: sd_j times the (lower) median
 * distance of the standardised points, or their mean distance if the median is zero.  Constant coordinates get 0 and do
 * not count; if one coordinate is left, its width is kernel_width.  Up to 1,000 rows all pairs enter, beyond that those
 * of 1,000 rows drawn by their ranks (kernel_sample).
 */
nonsens_status kernel_widths(nonsens_context *ctx, const column_set *points, int64_t first, int64_t n, double *width);

/*
 * Factors k(a, b) = exp(-sum_j (a_j - b_j)^2 / (2 width_j^2)) over the rows first .. first + n - 1; coordinates of
 * width 0 are ignored.  limits NULL: the usual ones.  n >= 1, points finite.  out lives in `keep`.
 * O(n r^2) time, O(n q) memory: r pivots (10-50 for light tails, at most 200), q = out->rank directions kept.
 */
nonsens_status kernel_factorise_points(nonsens_context *ctx, arena *keep, const column_set *points, int64_t first,
                                       int64_t n, const double *width, const kernel_limits *limits, kernel_factor *out);

/* Says whether any of the coordinates varies. */
static inline bool kernel_any_width(int64_t d, const double *width)
{
    for (int64_t j = 0; j < d; j++) {
        if (width[j] > 0.0) {
            return true;
        }
    }
    return false;
}

/*
 * Draws rows of the points by a hash of the ranks of their coordinates.  The choice depends neither on the order of the
 * rows nor on increasing transformations of the coordinates (nor, except for collisions, on their signs or order).
 * rows: the first max_rows of them, or all n if these are fewer.  middle (points->d), unless NULL: the value at the
 * middle of each sorted coordinate.
 */
nonsens_status kernel_sample(nonsens_context *ctx, arena *a, const column_set *points, int64_t max_rows, int64_t *count,
                             int64_t **rows, double *middle);

#endif
