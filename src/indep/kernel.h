/*
 * kernel.h - low-rank, centred factors of Gaussian kernel matrices of scalars, without an n x n matrix.
 */
#ifndef INDEP_KERNEL_H
#define INDEP_KERNEL_H

#include "base/memory.h"

/*
 * H K H = F' F up to the tolerance, with H = I - 11'/n: each direction of F has sum zero over the rows, directions are
 * orthogonal, and eigen (descending) holds their squared norms, which are the leading eigenvalues of H K H.
 * The first k directions are F with the same stride, so that a caller can use fewer of them without copying.
 */
typedef struct kernel_factor {
    int64_t n, rank;
    double *f;     /* (rank, n): the features of row i are f + i * rank */
    double *eigen; /* (rank) */
    double trace;  /* of H K H, before directions were dropped */
} kernel_factor;

/*
 * Width of the kernel: the (lower) median of |a - b| over all pairs of rows; their mean where the median is zero; 0 for
 * a constant.  No pair is listed: O(n log n) time, O(n) memory, and the order of the rows does not matter.
 */
nonsens_status kernel_width(nonsens_context *ctx, int64_t n, const double *v, double *width);

/*
 * Factor of k(a, b) = exp(-(a - b)^2 / (2 width^2)) over v (n); width > 0, v finite.  out lives in `keep`.
 * O(n r^2) time, O(n q) memory: r pivots (10-50 for light tails, at most 200), q = out->rank directions kept.
 */
nonsens_status kernel_factorise(nonsens_context *ctx, arena *keep, int64_t n, const double *v, double width,
                                kernel_factor *out);

/* How many leading directions leave out at most `share` of the trace of the factor. */
int64_t kernel_leading(const kernel_factor *factor, double share);

#endif
