/*
 * linalg.c - checks and messages around the linear algebra of a back end (linalg_backend.h; `-Dblas` in meson.build).
 * Every build uses our own Cholesky factorisation and triangular solver.
 *
 * Every factorisation checks for NaN and infinities first: with them, iterations may never end or return nonsense.
 * Sizes must fit the 32-bit integers of the BLAS.
 */
#include "math/linalg.h"

#include "math/linalg_backend.h"
#include "math/pair.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#ifdef NONSENS_PLAIN_BLAS
static const linalg_backend *const BACKEND = &linalg_plain;
#else
static const linalg_backend *const BACKEND = &linalg_openblas;
#endif
static const linalg_backend *const TRIANGLES = &linalg_plain; /* faster than OpenBLAS's: docs/dependencies.md */

/* Returns whether all numbers are finite: only then is zero times each of them zero. */
static bool are_finite(int64_t count, const double *a)
{
    pair sum[4] = {{0.0}};
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 4; k++) {
            sum[k] += 0.0 * pair_load(a + i + 2 * k);
        }
    }
    sum[0] += sum[1] + sum[2] + sum[3];
    double rest = sum[0][0] + sum[0][1];
    for (; i < count; i++) {
        rest += 0.0 * a[i];
    }
    return rest == 0.0;
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
    if (!are_finite(rows * cols, a)) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "%s: a matrix of %" PRId64 " by %" PRId64 " holds NaN or infinite values; "
                    "look for constant or extreme columns in the data",
                    what, rows, cols);
    }
    return NONSENS_OK;
}

void linalg_gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc)
{
    if (m > 0 && n > 0) {
        BACKEND->gemm(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
}

/* Copies the upper triangle of c (k, k) to the lower one, or the other way round. */
static void mirror(bool to_upper, int64_t k, double *c)
{
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < j; i++) {
            double *upper = c + j * k + i, *lower = c + i * k + j;
            *(to_upper ? upper : lower) = *(to_upper ? lower : upper);
        }
    }
}

static void symmetric_product(bool transpose, int64_t k, int64_t n, const double *a, int64_t lda, double beta,
                              double *c)
{
    if (k > 0) {
        BACKEND->symmetric_product(transpose, k, n, a, lda, beta, c);
        mirror(false, k, c);
    }
}

void linalg_gram(int64_t n, int64_t k, const double *a, int64_t lda, double *g)
{
    symmetric_product(true, k, n, a, lda, 0.0, g);
}

void linalg_outer(int64_t k, int64_t n, const double *a, int64_t lda, double beta, double *c)
{
    symmetric_product(false, k, n, a, lda, beta, c);
}

/* Chooses the sign of an eigenvector: the first number at least half as large as the largest becomes positive. */
static void choose_sign(int64_t k, double *v)
{
    double most = 0.0;
    int64_t first = 0;
    for (int64_t i = 0; i < k; i++) {
        most = fmax(most, fabs(v[i]));
    }
    while (first + 1 < k && fabs(v[first]) < 0.5 * most) {
        first++;
    }
    double sign = v[first] < 0.0 ? -1.0 : 1.0;
    for (int64_t i = 0; i < k; i++) {
        v[i] *= sign;
    }
}

/* Only the lower triangle enters the result; both must be finite. */
nonsens_status linalg_eigen_symmetric(nonsens_context *ctx, arena *scratch, int64_t k, double *a, double *w)
{
    if (k == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "symmetric eigenvalues", k, k, a));
    int64_t size = BACKEND->eigen_work(k);
    double *work;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, work, size);
    int64_t missing = BACKEND->eigen(k, a, w, size, work);
    arena_rewind(scratch, mark);
    if (missing != 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "symmetric eigenvalues: no convergence (%" PRId64 " of %" PRId64 "); rescale the variables",
                    missing, k);
    }
    for (int64_t j = 0; j < k; j++) {
        choose_sign(k, a + j * k);
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
    int64_t failed = TRIANGLES->cholesky(k, a);
    if (failed != 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "Cholesky factor: the matrix is not positive definite at pivot %" PRId64 " of "
                    "%" PRId64 "; add to its diagonal or drop dependent columns",
                    failed, k);
    }
    for (int64_t j = 1; j < k; j++) {
        memset(a + j * k, 0, (size_t)j * sizeof *a);
    }
    return NONSENS_OK;
}

void linalg_solve_lower(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb)
{
    if (k > 0 && m > 0) {
        TRIANGLES->solve_lower(transpose, k, m, l, ldl, b, ldb);
    }
}

void linalg_invert_cholesky(int64_t k, double *l)
{
    if (k > 0) {
        BACKEND->invert_cholesky(k, l);
        mirror(true, k, l);
    }
}

nonsens_status linalg_solve(nonsens_context *ctx, arena *scratch, int64_t k, int64_t m, double *a, double *b)
{
    if (k == 0 || m == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "linear system", k, k, a));
    TRY(check_input(ctx, "right-hand side", k, m, b));
    int32_t *pivot;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, pivot, k);
    int64_t failed = BACKEND->solve(k, m, a, b, pivot);
    arena_rewind(scratch, mark);
    if (failed != 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "linear system: the matrix is singular at pivot %" PRId64 " of %" PRId64
                    "; drop dependent columns or regularise",
                    failed, k);
    }
    return NONSENS_OK;
}

/* For n < k the last k - n entries of r_diag are zero. */
nonsens_status linalg_pivoted_qr(nonsens_context *ctx, arena *scratch, int64_t n, int64_t k, double *a, double *r_diag,
                                 int32_t *pivot)
{
    if (k == 0) {
        return NONSENS_OK;
    }
    TRY(check_input(ctx, "pivoted QR", n, k, a));
    int64_t size = BACKEND->qr_work(n, k);
    double *work;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, work, size);
    BACKEND->pivoted_qr(n, k, a, pivot, size, work);
    arena_rewind(scratch, mark);
    for (int64_t j = 0; j < k; j++) {
        r_diag[j] = j < n ? fabs(a[j * n + j]) : 0.0;
    }
    return NONSENS_OK;
}
