/* linalg_plain.c - the routines of plain.h as a back end of linalg.c. */
#include "base/instruction_set.h"
#include "math/linalg_backend.h"
#include "math/plain.h"

#include <stdatomic.h>
#include <stddef.h>

KERNELS_WIDE(plain_kernel, plain);

static _Atomic(const plain_kernel *) chosen;

/* Threads that call this at the same time choose the same kernels. */
const plain_kernel *plain_choose(void)
{
    const plain_kernel *kernels = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!kernels) {
        kernels = instruction_set_choose(plain_kernels);
        atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
    }
    return kernels;
}

void plain_choose_again(void)
{
    atomic_store_explicit(&chosen, NULL, memory_order_relaxed);
}

static void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
                 int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc)
{
    const plain_kernel *kernels = plain_choose();
    plain_view left = plain_seen(a, lda, transpose_a), right = plain_seen(b, ldb, transpose_b);
    if (n == 1) {
        kernels->apply(m, k, alpha, left, b, right.row, beta, c, 1);
    } else if (m == 1) { // the transposed product
        kernels->apply(n, k, alpha, (plain_view){b, right.column, right.row}, a, left.column, beta, c, ldc);
    } else {
        kernels->multiply(&(plain_product){m, n, k, alpha, beta, left, right, c, ldc, PLAIN_ALL});
    }
}

static void symmetric_product(bool transpose, int64_t k, int64_t n, const double *a, int64_t lda, double beta,
                              double *c)
{
    plain_view left = plain_seen(a, lda, transpose), right = plain_seen(a, lda, !transpose);
    plain_choose()->multiply(&(plain_product){k, k, n, 1.0, beta, left, right, c, k, PLAIN_UPPER});
}

static void solve_lower(bool transpose, int64_t k, int64_t m, const double *l, int64_t ldl, double *b, int64_t ldb)
{
    plain_solve_triangle(transpose, false, k, m, plain_seen(l, ldl, transpose), b, ldb);
}

static int64_t cholesky(int64_t k, double *a)
{
    return plain_cholesky(k, a, k);
}

static void invert_cholesky(int64_t k, double *l)
{
    plain_invert_cholesky(k, l, k);
}

const linalg_backend linalg_plain = {
    .gemm = gemm,
    .symmetric_product = symmetric_product,
    .solve_lower = solve_lower,
    .cholesky = cholesky,
    .invert_cholesky = invert_cholesky,
    .solve = plain_solve,
    .eigen_work = plain_eigen_work,
    .eigen = plain_eigen,
    .qr_work = plain_qr_work,
    .pivoted_qr = plain_pivoted_qr,
};
