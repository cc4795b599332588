/*
 * linalg.h - the thin layer over BLAS and LAPACK: everything that the library asks of them, and nothing else.
 * All matrices are column-major.  Dimensions are small (d, E, kernel ranks) except where n is named.
 */
#ifndef MATH_LINALG_H
#define MATH_LINALG_H

#include "base/matrix.h"
#include "base/memory.h"

/* C (m, n) = alpha op(A) op(B) + beta C; inner dimension k; ld* are column strides. */
void linalg_gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc);

/* Sum of a_i b_i, in index order. */
static inline double linalg_dot(int64_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* G (k, k) = A' A for A (n, k), both triangles filled. */
void linalg_gram(int64_t n, int64_t k, const double *a, int64_t lda, double *g);

/* Eigenvalues ascending in w (k), eigenvectors in the columns of a (k, k), which is overwritten. */
nonsens_status linalg_eigen_symmetric(nonsens_context *ctx, arena *scratch, int64_t k, double *a, double *w);

/* Lower Cholesky factor of a symmetric positive definite a (k, k), in place, strict upper part zeroed. */
nonsens_status linalg_cholesky(nonsens_context *ctx, int64_t k, double *a);

/* B (k, m) = L^-1 B, or L'^-1 B, for a lower triangular L (k, k), in place; ld* are column strides. */
void linalg_solve_lower(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb);

/* A^-1 (k, k), both triangles, in place of the lower Cholesky factor of A, whose diagonal has no zero. */
void linalg_invert_cholesky(int64_t k, double *l);

/* C (k, k) = A A' + beta C for A (k, n), both triangles filled; with beta they must agree before. */
void linalg_outer(int64_t k, int64_t n, const double *a, int64_t lda, double beta, double *c);

/* Solves A X = B for a general A (k, k), B (k, m); a and b are overwritten, b with X. */
nonsens_status linalg_solve(nonsens_context *ctx, arena *scratch, int64_t k, int64_t m, double *a, double *b);

/* Column-pivoted QR of a (n, k), overwritten; r_diag (k) = |R_jj|, pivot (k) = column order (0-based). */
nonsens_status linalg_pivoted_qr(nonsens_context *ctx, arena *scratch, int64_t n, int64_t k, double *a, double *r_diag,
                                 int32_t *pivot);

#endif
