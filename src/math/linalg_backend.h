/*
 * linalg_backend.h - the routines behind linalg.c, either OpenBLAS's or the library's own (plain.h).
 *
 * All matrices are column-major; sizes are positive unless a comment says otherwise, and fit 32 bits.  Factorisations
 * get finite numbers only.  Any number of threads may call at once.
 */
#ifndef MATH_LINALG_BACKEND_H
#define MATH_LINALG_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

typedef struct linalg_backend {
    /* C (m, n) = alpha op(A) op(B) + beta C with inner dimension k, which may be 0. */
    void (*gemm)(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc);
    /* The upper triangle of C (k, k) = A A' + beta C, or A' A + beta C; inner dimension n, which may be 0. */
    void (*symmetric_product)(bool transpose, int64_t k, int64_t n, const double *a, int64_t lda, double beta,
                              double *c);
    /* B (k, m) = L^-1 B, or L'^-1 B; the part of L above the diagonal is not read. */
    void (*solve_lower)(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb);
    /* Replaces a (k, k) by its lower Cholesky factor; returns 0, or the number, from 1, of the pivot that fails. */
    int64_t (*cholesky)(int64_t k, double *a);
    /* Replaces the lower triangle of L (k, k) by that of (L L')^-1; the part above is not read, and is overwritten. */
    void (*invert_cholesky)(int64_t k, double *l);
    /* Solves A X = B; returns 0, or the number, from 1, of a pivot that is zero. pivot (k) is scratch. */
    int64_t (*solve)(int64_t k, int64_t m, double *a, double *b, int32_t *pivot);
    /* Computes the eigenvalues w, ascending, and replaces a (k, k), of which the lower triangle is read, by the
     * eigenvectors; work has eigen_work(k).  Returns how many eigenvalues did not converge. */
    int64_t (*eigen_work)(int64_t k);
    int64_t (*eigen)(int64_t k, double *a, double *w, int64_t work_size, double *work);
    /* Computes the pivoted QR of a (n, k): R in its upper triangle, pivot (k) from 0; work: qr_work(n, k).  n >= 0. */
    int64_t (*qr_work)(int64_t n, int64_t k);
    void (*pivoted_qr)(int64_t n, int64_t k, double *a, int32_t *pivot, int64_t work_size, double *work);
} linalg_backend;

extern const linalg_backend linalg_openblas, linalg_plain;

#endif
