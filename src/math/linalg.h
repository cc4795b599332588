/*
 * linalg.h - a thin layer over BLAS and LAPACK with only the routines that the library needs.  All matrices are
 * column-major.  Dimensions are small (d, E, kernel ranks), except those called n.
 */
#ifndef MATH_LINALG_H
#define MATH_LINALG_H

#include "base/matrix.h"
#include "base/memory.h"

/* Computes C (m, n) = alpha op(A) op(B) + beta C; inner dimension k; ld* are column strides. */
void linalg_gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc);

/* Returns the sum of a_i b_i, in index order. */
static inline double linalg_dot(int64_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Computes G (k, k) = A' A for A (n, k), both triangles. */
void linalg_gram(int64_t n, int64_t k, const double *a, int64_t lda, double *g);

/*
 * Computes eigenvalues, ascending, into w (k), and eigenvectors into the columns of a (k, k), which is overwritten.  In
 * each eigenvector, the first number that is at least half as large as the largest is positive.
 */
nonsens_status linalg_eigen_symmetric(nonsens_context *ctx, arena *scratch, int64_t k, double *a, double *w);

/* Computes the lower Cholesky factor of a symmetric positive definite a (k, k), in place; zeros above the diagonal. */
nonsens_status linalg_cholesky(nonsens_context *ctx, int64_t k, double *a);

/* Computes B (k, m) = L^-1 B, or L'^-1 B, for a lower triangular L (k, k), in place; ld* are column strides. */
void linalg_solve_lower(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb);

/* Replaces the lower Cholesky factor of A (k, k), which has no zero on its diagonal, by A^-1, both triangles. */
void linalg_invert_cholesky(int64_t k, double *l);

/* Computes C (k, k) = A A' + beta C for A (k, n), both triangles; unless beta is 0, the old C must be symmetric. */
void linalg_outer(int64_t k, int64_t n, const double *a, int64_t lda, double beta, double *c);

/* Solves A X = B for a general A (k, k), B (k, m); a and b are overwritten, b with X. */
nonsens_status linalg_solve(nonsens_context *ctx, arena *scratch, int64_t k, int64_t m, double *a, double *b);

/* Computes the column-pivoted QR of a (n, k), overwritten; r_diag (k) = |R_jj|, pivot (k) = column order, from 0. */
nonsens_status linalg_pivoted_qr(nonsens_context *ctx, arena *scratch, int64_t n, int64_t k, double *a, double *r_diag,
                                 int32_t *pivot);

#endif
