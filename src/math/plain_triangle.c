/*
 * plain_triangle.c - triangular systems, Cholesky factors and inverses from them, in blocks of PLAIN_TRIANGLE columns.
 *
 * The factor is computed one block column at a time, each from all on its left, so that most of the work is in products
 * with long sums.  The inverse of L L' is the product of L^-1' and L^-1; L is inverted from left to right (J. Du Croz
 * and N. Higham, Stability of methods for matrix inversion, IMA J. Numer. Anal. 12, 1992).
 */
#include "math/plain.h"

#include <string.h>

enum { BLOCK = PLAIN_TRIANGLE };

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* C (m, n) -= A B. */
static void subtract(int64_t m, int64_t n, int64_t k, plain_view a, plain_view b, double *c, int64_t ldc)
{
    if (n == 1) {
        plain_choose()->apply(m, k, -1.0, a, b.v, b.row, 1.0, c, 1);
    } else {
        plain_choose()->multiply(&(plain_product){m, n, k, -1.0, 1.0, a, b, c, ldc, PLAIN_ALL});
    }
}

/* Subtracts the contribution of the `done` unknowns before (or behind) a block, and solves the block. */
static void solve_block(bool backward, bool unit, int64_t k, int64_t done, int64_t m, plain_view t, double *b,
                        int64_t ldb)
{
    int64_t size = min_of(BLOCK, k - done), from = backward ? k - done - size : done;
    int64_t solved = backward ? k - done : 0;
    if (done > 0) {
        subtract(size, m, done, plain_from(t, from, solved), (plain_view){b + solved, 1, ldb}, b + from, ldb);
    }
    plain_choose()->solve_left(backward, unit, size, m, plain_from(t, from, from), b + from, ldb);
}

void plain_solve_triangle(bool backward, bool unit, int64_t k, int64_t m, plain_view t, double *b, int64_t ldb)
{
    enum { SIDES = 96 /* which stay in the cache while all blocks are solved */ };
    for (int64_t first = 0; first < m; first += SIDES) {
        for (int64_t done = 0; done < k; done += BLOCK) {
            solve_block(backward, unit, k, done, min_of(SIDES, m - first), t, b + first * ldb, ldb);
        }
    }
}

int64_t plain_cholesky(int64_t k, double *a, int64_t lda)
{
    const plain_kernel *kernel = plain_choose();
    for (int64_t j = 0; j < k; j += BLOCK) {
        int64_t size = min_of(BLOCK, k - j), below = j + size;
        double *corner = a + j * lda + j;
        if (j > 0) { // subtracts all block columns on the left
            plain_view left = {a + j, 1, lda}, right = {a + j, lda, 1};
            kernel->multiply(&(plain_product){k - j, size, j, -1.0, 1.0, left, right, corner, lda, PLAIN_LOWER});
        }
        int64_t failed = kernel->factor(size, corner, lda);
        if (failed != 0) {
            return j + failed;
        }
        kernel->solve_right(false, k - below, size, (plain_view){corner, lda, 1}, corner + size, lda);
    }
    return 0;
}

/* x (k, k; stride BLOCK) = L^-1 for k <= BLOCK, with zeros above the diagonal. */
static void invert_small(int64_t k, const double *l, int64_t ldl, double *x)
{
    memset(x, 0, (size_t)(k * BLOCK) * sizeof *x);
    for (int64_t j = 0; j < k; j++) {
        x[j * BLOCK + j] = 1.0;
    }
    plain_choose()->solve_left(false, false, k, k, (plain_view){l, 1, ldl}, x, BLOCK);
}

/* Copies the lower triangle of a (k, k). */
static void copy_lower(int64_t k, const double *a, int64_t lda, double *to, int64_t ldt)
{
    for (int64_t j = 0; j < k; j++) {
        memcpy(to + j * ldt + j, a + j * lda + j, (size_t)(k - j) * sizeof *to);
    }
}

/* Replaces L by its inverse: below a block on the diagonal, -L22^-1 L21 L11^-1. */
static void invert_triangle(int64_t k, double *l, int64_t ldl)
{
    for (int64_t j = 0; j < k; j += BLOCK) {
        int64_t size = min_of(BLOCK, k - j), rows = k - j - size;
        double *corner = l + j * ldl + j, *below = corner + size;
        for (int64_t c = 0; c < size; c++) {
            for (int64_t i = 0; i < rows; i++) {
                below[c * ldl + i] = -below[c * ldl + i];
            }
        }
        plain_choose()->solve_right(true, rows, size, (plain_view){corner, 1, ldl}, below, ldl);
        plain_solve_triangle(false, false, rows, size, (plain_view){corner + size * (ldl + 1), 1, ldl}, below, ldl);
        double inverse[BLOCK * BLOCK];
        invert_small(size, corner, ldl, inverse);
        copy_lower(size, inverse, BLOCK, corner, ldl);
    }
}

/* C (k, m) = L' B for L (k, k; stride BLOCK), k <= BLOCK, with zeros above its diagonal. */
static void multiply_small(int64_t k, int64_t m, const double *l, const double *b, int64_t ldb, double *c, int64_t ldc)
{
    plain_view left = {l, BLOCK, 1}, right = {b, 1, ldb};
    plain_choose()->multiply(&(plain_product){k, m, k, 1.0, 0.0, left, right, c, ldc, PLAIN_ALL});
}

/* B (k, m) = L' B. */
static void multiply_in_place(int64_t k, int64_t m, const double *l, double *b, int64_t ldb)
{
    double part[BLOCK * BLOCK];
    for (int64_t first = 0; first < m; first += BLOCK, b += BLOCK * ldb) {
        int64_t columns = min_of(BLOCK, m - first);
        for (int64_t c = 0; c < columns; c++) {
            memcpy(part + c * BLOCK, b + c * ldb, (size_t)k * sizeof *part);
        }
        multiply_small(k, columns, l, part, BLOCK, b, ldb);
    }
}

/* Replaces the lower triangle of X by that of X' X, one block row at a time from the top. */
static void multiply_triangle(int64_t k, double *x, int64_t ldx)
{
    double own[BLOCK * BLOCK], square[BLOCK * BLOCK];
    for (int64_t i = 0; i < k; i += BLOCK) {
        int64_t size = min_of(BLOCK, k - i), below = i + size;
        double *row = x + i, *corner = x + i * ldx + i;
        memset(own, 0, sizeof own);
        copy_lower(size, corner, ldx, own, BLOCK);
        multiply_in_place(size, i, own, row, ldx);
        multiply_small(size, size, own, own, BLOCK, square, BLOCK);
        copy_lower(size, square, BLOCK, corner, ldx);
        plain_view left = {x + i * ldx + below, ldx, 1}, right = {x + below, 1, ldx};
        plain_choose()->multiply(&(plain_product){size, below, k - below, 1.0, 1.0, left, right, row, ldx, PLAIN_ALL});
    }
}

void plain_invert_cholesky(int64_t k, double *l, int64_t ldl)
{
    if (k <= BLOCK) {
        double inverse[BLOCK * BLOCK];
        invert_small(k, l, ldl, inverse);
        multiply_small(k, k, inverse, inverse, BLOCK, l, ldl);
    } else {
        invert_triangle(k, l, ldl);
        multiply_triangle(k, l, ldl);
    }
}
