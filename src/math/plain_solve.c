/*
 * plain_solve.c - general linear systems by LU with row interchanges.
 *
 * Columns are halved recursively until few are left (S. Toledo, Locality of reference in LU decomposition with partial
 * pivoting, SIAM J. Matrix Anal. Appl. 18, 1997), so that nearly all work is in products.
 */
#include "math/plain.h"

#include <math.h>

enum { FEW = 8 };

static void exchange_rows(int64_t columns, double *a, int64_t lda, int64_t i, int64_t j)
{
    for (int64_t c = 0; i != j && c < columns; c++) {
        double kept = a[c * lda + i];
        a[c * lda + i] = a[c * lda + j];
        a[c * lda + j] = kept;
    }
}

static void exchange_all(int64_t columns, double *a, int64_t lda, int64_t first, int64_t end, const int32_t *pivot)
{
    for (int64_t i = first; i < end; i++) {
        exchange_rows(columns, a, lda, i, pivot[i]);
    }
}

static int64_t largest(int64_t from, int64_t m, const double *column)
{
    int64_t found = from;
    for (int64_t i = from + 1; i < m; i++) {
        found = fabs(column[i]) > fabs(column[found]) ? i : found;
    }
    return found;
}

/* Factors few columns one by one. */
static int64_t factor_columns(int64_t m, int64_t n, double *a, int64_t lda, int32_t *pivot)
{
    for (int64_t j = 0; j < n; j++) {
        double *column = a + j * lda;
        pivot[j] = (int32_t)largest(j, m, column);
        if (column[pivot[j]] == 0.0) {
            return j + 1;
        }
        exchange_rows(n, a, lda, j, pivot[j]);
        for (int64_t i = j + 1; i < m; i++) {
            column[i] /= column[j];
        }
        plain_choose()->add_outer(m - j - 1, n - j - 1, -1.0, column + j + 1, column + lda + j, lda,
                                  column + lda + j + 1, lda);
    }
    return 0;
}

/* Factors a (m, n), m >= n; pivot (n): the row that each was exchanged with.  Returns 0 or the number of a zero one. */
static int64_t factor(int64_t m, int64_t n, double *a, int64_t lda, int32_t *pivot)
{
    if (n <= FEW) {
        return factor_columns(m, n, a, lda, pivot);
    }
    int64_t half = n / 2, rest = n - half;
    double *right = a + half * lda;
    int64_t failed = factor(m, half, a, lda, pivot);
    if (failed != 0) {
        return failed;
    }
    exchange_all(rest, right, lda, 0, half, pivot);
    plain_solve_triangle(false, true, half, rest, (plain_view){a, 1, lda}, right, lda);
    plain_choose()->multiply(&(plain_product){
        m - half, rest, half, -1.0, 1.0, {a + half, 1, lda}, {right, 1, lda}, right + half, lda, PLAIN_ALL});
    failed = factor(m - half, rest, right + half, lda, pivot + half);
    for (int64_t j = half; j < n; j++) {
        pivot[j] += (int32_t)half;
    }
    if (failed == 0) {
        exchange_all(half, a, lda, half, n, pivot);
    }
    return failed == 0 ? 0 : half + failed;
}

int64_t plain_solve(int64_t k, int64_t m, double *a, double *b, int32_t *pivot)
{
    int64_t failed = factor(k, k, a, k, pivot);
    if (failed != 0) {
        return failed;
    }
    exchange_all(m, b, k, 0, k, pivot);
    plain_solve_triangle(false, true, k, m, (plain_view){a, 1, k}, b, k);
    plain_solve_triangle(true, false, k, m, (plain_view){a, 1, k}, b, k);
    return 0;
}
