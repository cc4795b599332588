/*
 * linalg.c - BLAS and LAPACK (OpenBLAS, serial build) behind the signatures of linalg.h.
 *
 * The Fortran symbols are declared here by hand, with the hidden lengths of character arguments that gfortran passes
 * last; so no vendor header is needed.  Every factorisation looks for NaN and infinities first: LAPACK's iterations
 * may never end on them or return nonsense.  Sizes must fit the 32-bit integers of the BLAS.
 *
 * Several threads may call at once (blas_memory.h): the routines used here keep nothing between calls except work
 * buffers.
 */
#include "math/linalg.h"

#include "base/blas_memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef int32_t blas_int;
typedef size_t text_length; /* hidden argument of a Fortran character dummy */

enum {
    CBLAS_COLUMN_MAJOR = 102,
    CBLAS_NO_TRANSPOSE = 111,
    CBLAS_TRANSPOSE = 112,
    CBLAS_UPPER = 121,
    CBLAS_LOWER = 122,
    CBLAS_NOT_UNIT = 131,
    CBLAS_LEFT = 141
};

void cblas_dgemm(int order, int trans_a, int trans_b, blas_int m, blas_int n, blas_int k, double alpha, const double *a,
                 blas_int lda, const double *b, blas_int ldb, double beta, double *c, blas_int ldc);
void cblas_dsyrk(int order, int uplo, int trans, blas_int n, blas_int k, double alpha, const double *a, blas_int lda,
                 double beta, double *c, blas_int ldc);
void cblas_dtrsm(int order, int side, int uplo, int trans, int diagonal, blas_int m, blas_int n, double alpha,
                 const double *a, blas_int lda, double *b, blas_int ldb);
void cblas_dtrsv(int order, int uplo, int trans, int diagonal, blas_int n, const double *a, blas_int lda, double *x,
                 blas_int step);
void dpotri_(const char *uplo, const blas_int *n, double *a, const blas_int *lda, blas_int *info, text_length);
void dsyevd_(const char *jobz, const char *uplo, const blas_int *n, double *a, const blas_int *lda, double *w,
             double *work, const blas_int *lwork, blas_int *iwork, const blas_int *liwork, blas_int *info, text_length,
             text_length);
void dpotrf_(const char *uplo, const blas_int *n, double *a, const blas_int *lda, blas_int *info, text_length);
void dgesv_(const blas_int *n, const blas_int *nrhs, double *a, const blas_int *lda, blas_int *ipiv, double *b,
            const blas_int *ldb, blas_int *info);
void dgeqp3_(const blas_int *m, const blas_int *n, double *a, const blas_int *lda, blas_int *jpvt, double *tau,
             double *work, const blas_int *lwork, blas_int *info);

/* Returns a stride as the BLAS wants it: at least 1 even for an empty matrix. */
static blas_int stride(int64_t ld)
{
    return ld > 1 ? (blas_int)ld : 1;
}

/* Checks a (rows, cols) before a factorisation passes it to LAPACK. */
static nonsens_status check_input(nonsens_context *ctx, const char *what, int64_t rows, int64_t cols, const double *a)
{
    if (rows < 0 || cols < 0 || rows > INT32_MAX || cols > INT32_MAX) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "%s: a matrix of %" PRId64 " by %" PRId64 " is beyond the 32-bit sizes of the BLAS; "
                    "use fewer rows",
                    what, rows, cols);
    }
    for (int64_t i = 0; i < rows * cols; i++) {
        if (!isfinite(a[i])) {
            return fail(ctx, NONSENS_ERR_NUMERIC,
                        "%s: a matrix of %" PRId64 " by %" PRId64 " holds NaN or infinite values; "
                        "look for constant or extreme columns in the data",
                        what, rows, cols);
        }
    }
    return NONSENS_OK;
}

void linalg_gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc)
{
    if (m <= 0 || n <= 0) {
        return;
    }
    bool alone = blas_enter();
    cblas_dgemm(CBLAS_COLUMN_MAJOR, transpose_a ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE,
                transpose_b ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE, (blas_int)m, (blas_int)n, (blas_int)k, alpha, a,
                stride(lda), b, stride(ldb), beta, c, stride(ldc));
    blas_leave(alone);
}

/* Computes C (k, k) = A A' + beta C, or A' A + beta C, with inner dimension n. */
static void symmetric_product(int transpose, int64_t k, int64_t n, const double *a, int64_t lda, double beta, double *c)
{
    if (k <= 0) {
        return;
    }
    bool alone = blas_enter();
    cblas_dsyrk(CBLAS_COLUMN_MAJOR, CBLAS_UPPER, transpose, (blas_int)k, (blas_int)n, 1.0, a, stride(lda), beta, c,
                stride(k));
    blas_leave(alone);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < j; i++) {
            c[i * k + j] = c[j * k + i];
        }
    }
}

void linalg_gram(int64_t n, int64_t k, const double *a, int64_t lda, double *g)
{
    symmetric_product(CBLAS_TRANSPOSE, k, n, a, lda, 0.0, g);
}

void linalg_outer(int64_t k, int64_t n, const double *a, int64_t lda, double beta, double *c)
{
    symmetric_product(CBLAS_NO_TRANSPOSE, k, n, a, lda, beta, c);
}

/* Only the lower triangle enters the result; both must be finite. */
nonsens_status linalg_eigen_symmetric(nonsens_context *ctx, arena *scratch, int64_t k, double *a, double *w)
{
    if (k == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "symmetric eigenvalues", k, k, a));
    blas_int n = (blas_int)k, info = 0, work_size = -1, index_size = -1, indices = 0, *index;
    double wanted = 0.0, *work;
    bool alone = blas_enter();
    dsyevd_("V", "L", &n, a, &n, w, &wanted, &work_size, &indices, &index_size, &info, 1, 1);
    blas_leave(alone);
    work_size = (blas_int)wanted;
    index_size = indices;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, work, work_size);
    ARENA_TRY(ctx, scratch, index, index_size);
    alone = blas_enter();
    dsyevd_("V", "L", &n, a, &n, w, work, &work_size, index, &index_size, &info, 1, 1);
    blas_leave(alone);
    arena_rewind(scratch, mark);
    if (info != 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "symmetric eigenvalues: no convergence (dsyevd %d); rescale the variables", (int)info);
    }
    return NONSENS_OK;
}

/* Only the lower triangle enters the result; both must be finite. */
nonsens_status linalg_cholesky(nonsens_context *ctx, int64_t k, double *a)
{
    if (k == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "Cholesky factor", k, k, a));
    blas_int n = (blas_int)k, info = 0;
    bool alone = blas_enter();
    dpotrf_("L", &n, a, &n, &info, 1);
    blas_leave(alone);
    if (info != 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "Cholesky factor: the matrix is not positive definite at pivot %d of "
                    "%d; add to its diagonal or drop dependent columns",
                    (int)info, (int)n);
    }
    for (int64_t j = 1; j < k; j++) {
        memset(a + j * k, 0, (size_t)j * sizeof *a);
    }
    return NONSENS_OK;
}

void linalg_solve_lower(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb)
{
    if (k <= 0 || m <= 0) {
        return;
    }
    int how = transpose ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE;
    bool alone = blas_enter();
    if (m == 1) { // dtrsm would copy the whole of L
        cblas_dtrsv(CBLAS_COLUMN_MAJOR, CBLAS_LOWER, how, CBLAS_NOT_UNIT, (blas_int)k, l, stride(ldl), b, 1);
    } else {
        cblas_dtrsm(CBLAS_COLUMN_MAJOR, CBLAS_LEFT, CBLAS_LOWER, how, CBLAS_NOT_UNIT, (blas_int)k, (blas_int)m, 1.0, l,
                    stride(ldl), b, stride(ldb));
    }
    blas_leave(alone);
}

void linalg_invert_cholesky(int64_t k, double *l)
{
    blas_int n = (blas_int)k, ld = stride(k), info = 0;
    if (k <= 0) {
        return;
    }
    bool alone = blas_enter();
    dpotri_("L", &n, l, &ld, &info, 1);
    blas_leave(alone);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < j; i++) {
            l[j * k + i] = l[i * k + j];
        }
    }
}

nonsens_status linalg_solve(nonsens_context *ctx, arena *scratch, int64_t k, int64_t m, double *a, double *b)
{
    if (k == 0 || m == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "linear system", k, k, a));
    TRY(check_input(ctx, "right-hand side", k, m, b));
    blas_int n = (blas_int)k, sides = (blas_int)m, info = 0, *pivot;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, pivot, k);
    bool alone = blas_enter();
    dgesv_(&n, &sides, a, &n, pivot, b, &n, &info);
    blas_leave(alone);
    arena_rewind(scratch, mark);
    if (info != 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "linear system: the matrix is singular at pivot %d of %d; drop dependent columns or regularise",
                    (int)info, (int)n);
    }
    return NONSENS_OK;
}

/* For n < k the last k - n entries of r_diag are zero. */
nonsens_status linalg_pivoted_qr(nonsens_context *ctx, arena *scratch, int64_t n, int64_t k, double *a, double *r_diag,
                                 int32_t *pivot)
{
    memset(r_diag, 0, (size_t)k * sizeof *r_diag);
    memset(pivot, 0, (size_t)k * sizeof *pivot); // zero lets LAPACK move every column
    if (k == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "pivoted QR", n, k, a));
    blas_int rows = (blas_int)n, cols = (blas_int)k, ld = stride(n), info = 0, work_size = -1;
    int64_t max_rank = n < k ? n : k;
    double wanted = 0.0, *work, *tau;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, tau, max_rank > 0 ? max_rank : 1);
    bool alone = blas_enter();
    dgeqp3_(&rows, &cols, a, &ld, pivot, tau, &wanted, &work_size, &info);
    blas_leave(alone);
    work_size = (blas_int)wanted > 3 * cols + 1 ? (blas_int)wanted : 3 * cols + 1;
    ARENA_TRY(ctx, scratch, work, work_size);
    alone = blas_enter();
    dgeqp3_(&rows, &cols, a, &ld, pivot, tau, work, &work_size, &info);
    blas_leave(alone);
    arena_rewind(scratch, mark);
    for (int64_t j = 0; j < k; j++) {
        pivot[j] = n > 0 ? pivot[j] - 1 : (int32_t)j;
        r_diag[j] = j < max_rank ? fabs(a[j * n + j]) : 0.0;
    }
    return NONSENS_OK;
}
