/*
 * linalg_openblas.c - BLAS and LAPACK (OpenBLAS, serial build) as a back end of linalg.c.
 *
 * The Fortran symbols are declared here by hand, with the hidden lengths of character arguments that gfortran passes
 * last, so that no vendor header is needed.
 *
 * Several threads may call at once (blas_memory.h): the routines used here keep nothing between calls except work
 * buffers.
 */
#include "math/linalg_backend.h"

#include "base/blas_memory.h"

#include <string.h>

typedef int32_t blas_int;
typedef size_t text_length; /* hidden length of a Fortran character argument */

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

static void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc)
{
    bool alone = blas_enter();
    cblas_dgemm(CBLAS_COLUMN_MAJOR, transpose_a ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE,
                transpose_b ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE, (blas_int)m, (blas_int)n, (blas_int)k, alpha, a,
                stride(lda), b, stride(ldb), beta, c, stride(ldc));
    blas_leave(alone);
}

static void symmetric_product(bool transpose, int64_t k, int64_t n, const double *a, int64_t lda, double beta,
                              double *c)
{
    bool alone = blas_enter();
    cblas_dsyrk(CBLAS_COLUMN_MAJOR, CBLAS_UPPER, transpose ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE, (blas_int)k,
                (blas_int)n, 1.0, a, stride(lda), beta, c, stride(k));
    blas_leave(alone);
}

static void solve_lower(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb)
{
    int how = transpose ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE;
    bool alone = blas_enter();
    if (m == 1) { // dtrsm would copy all of L
        cblas_dtrsv(CBLAS_COLUMN_MAJOR, CBLAS_LOWER, how, CBLAS_NOT_UNIT, (blas_int)k, l, stride(ldl), b, 1);
    } else {
        cblas_dtrsm(CBLAS_COLUMN_MAJOR, CBLAS_LEFT, CBLAS_LOWER, how, CBLAS_NOT_UNIT, (blas_int)k, (blas_int)m, 1.0, l,
                    stride(ldl), b, stride(ldb));
    }
    blas_leave(alone);
}

static int64_t cholesky(int64_t k, double *a)
{
    blas_int n = (blas_int)k, info = 0;
    bool alone = blas_enter();
    dpotrf_("L", &n, a, &n, &info, 1);
    blas_leave(alone);
    return info;
}

static void invert_cholesky(int64_t k, double *l)
{
    blas_int n = (blas_int)k, info = 0;
    bool alone = blas_enter();
    dpotri_("L", &n, l, &n, &info, 1);
    blas_leave(alone);
}

static int64_t solve(int64_t k, int64_t m, double *a, double *b, int32_t *pivot)
{
    blas_int n = (blas_int)k, sides = (blas_int)m, info = 0;
    bool alone = blas_enter();
    dgesv_(&n, &sides, a, &n, pivot, b, &n, &info);
    blas_leave(alone);
    return info;
}

/* Returns how many integers dsyevd needs; each gets the space of a double after the numbers. */
static int64_t eigen_indices(int64_t k)
{
    return 3 + 5 * k;
}

static int64_t eigen_work(int64_t k)
{
    blas_int n = (blas_int)k, indices = 0, info = 0, unknown = -1;
    double none = 0.0, numbers = 0.0;
    bool alone = blas_enter();
    dsyevd_("V", "L", &n, &none, &n, &none, &numbers, &unknown, &indices, &unknown, &info, 1, 1);
    blas_leave(alone);
    return (int64_t)numbers + eigen_indices(k);
}

static int64_t eigen(int64_t k, double *a, double *w, int64_t work_size, double *work)
{
    blas_int n = (blas_int)k, indices = (blas_int)eigen_indices(k), size = (blas_int)work_size - indices, info = 0;
    bool alone = blas_enter();
    dsyevd_("V", "L", &n, a, &n, w, work, &size, (blas_int *)(work + size), &indices, &info, 1, 1);
    blas_leave(alone);
    return info;
}

static int64_t max_rank(int64_t n, int64_t k)
{
    int64_t rank = n < k ? n : k;
    return rank > 0 ? rank : 1;
}

static int64_t qr_work(int64_t n, int64_t k)
{
    blas_int rows = (blas_int)n, cols = (blas_int)k, ld = stride(n), info = 0, unknown = -1, pivot = 0;
    double none = 0.0, wanted = 0.0;
    bool alone = blas_enter();
    dgeqp3_(&rows, &cols, &none, &ld, &pivot, &none, &wanted, &unknown, &info);
    blas_leave(alone);
    int64_t least = 3 * k + 1;
    return max_rank(n, k) + ((int64_t)wanted > least ? (int64_t)wanted : least);
}

static void pivoted_qr(int64_t n, int64_t k, double *a, int32_t *pivot, int64_t work_size, double *work)
{
    int64_t reflectors = max_rank(n, k);
    blas_int rows = (blas_int)n, cols = (blas_int)k, ld = stride(n), info = 0,
             size = (blas_int)(work_size - reflectors);
    memset(pivot, 0, (size_t)k * sizeof *pivot); // zeros allow LAPACK to move every column
    bool alone = blas_enter();
    dgeqp3_(&rows, &cols, a, &ld, pivot, work, work + reflectors, &size, &info);
    blas_leave(alone);
    for (int64_t j = 0; j < k; j++) {
        pivot[j] = n > 0 ? pivot[j] - 1 : (int32_t)j;
    }
}

const linalg_backend linalg_openblas = {
    .gemm = gemm,
    .symmetric_product = symmetric_product,
    .solve_lower = solve_lower,
    .cholesky = cholesky,
    .invert_cholesky = invert_cholesky,
    .solve = solve,
    .eigen_work = eigen_work,
    .eigen = eigen,
    .qr_work = qr_work,
    .pivoted_qr = pivoted_qr,
};
