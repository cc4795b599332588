/* envelope_kernel.c - factors matrices with a profile in blocks of four rows and columns, and solves; compiled once per
 * instruction set.
 *
 * The finished columns of a block of rows are also stored above the diagonal, transposed, so that one vector holds a
 * number of each row and no sum crosses the lanes of a vector.
 */
#include "base/instruction_set.h"
#include "classifier/envelope.h"
#include "math/wide.h"

enum { BLOCK = 4, LANES = BLOCK / WIDE /* vectors that hold one number of each row of a block */ };

static double dot(int64_t n, const double *a, const double *b)
{
    wide sum[2] = {{0}};
    int64_t i = 0;
    for (; i + 2 * WIDE <= n; i += 2 * WIDE) {
        sum[0] += wide_load(a + i) * wide_load(b + i);
        sum[1] += wide_load(a + i + WIDE) * wide_load(b + i + WIDE);
    }
    double rest = 0.0;
    for (; i < n; i++) {
        rest += a[i] * b[i];
    }
    return wide_total(sum[0] + sum[1]) + rest;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the sum of a_ik a_jk over k in [from, to), as far as both rows have entries. */
static inline double dot_rows(int64_t n, const int64_t *first, const double *a, int64_t i, int64_t j, int64_t from,
                              int64_t to)
{
    double sum = 0.0;
    from = larger(from, larger(first[i], first[j]));
    if (to - from > 2 * BLOCK) {
        return dot(to - from, a + i * n + from, a + j * n + from);
    }
    for (int64_t k = from; k < to; k++) {
        sum += a[i * n + k] * a[j * n + k];
    }
    return sum;
}

/* One number of each row of a block. */
typedef struct column_of_block {
    wide v[LANES];
} column_of_block;

static inline column_of_block load_column(const double *p)
{
    column_of_block c;
    for (int l = 0; l < LANES; l++) {
        c.v[l] = wide_load(p + l * WIDE);
    }
    return c;
}

/* sum -= column * factor. */
static inline void subtract(column_of_block *sum, const column_of_block *column, double factor)
{
    for (int l = 0; l < LANES; l++) {
        sum->v[l] -= column->v[l] * factor;
    }
}

/*
 * Computes rest[c] = columns j + c of rows i .. i + 3, minus the products of the columns in [from, to) with those of
 * row j + c.  Finished columns of the block are stored, transposed, above the diagonal.
 */
static inline void subtract_products(int64_t n, const double *a, int64_t i, int64_t j, int64_t from, int64_t to,
                                     column_of_block rest[BLOCK])
{
    column_of_block even[BLOCK], odd[BLOCK] = {{{{0}}}};
    int64_t k = from;
    for (int c = 0; c < BLOCK; c++) {
        double own[BLOCK];
        for (int r = 0; r < BLOCK; r++) {
            own[r] = a[(i + r) * n + j + c];
        }
        even[c] = load_column(own);
    }
    for (; k + 2 <= to; k += 2) {
        column_of_block first = load_column(a + k * n + i), second = load_column(a + (k + 1) * n + i);
        for (int c = 0; c < BLOCK; c++) {
            subtract(&even[c], &first, a[(j + c) * n + k]);
            subtract(&odd[c], &second, a[(j + c) * n + k + 1]);
        }
    }
    for (int c = 0; c < BLOCK; c++) {
        for (int l = 0; l < LANES; l++) {
            rest[c].v[l] = even[c].v[l] + odd[c].v[l];
        }
    }
}

/* Stores column j of rows i .. i + 3, and its transpose. */
static inline void keep_column(int64_t n, int64_t i, int64_t j, const column_of_block *column, double *a)
{
    double *above = a + j * n + i;
    for (int l = 0; l < LANES; l++) {
        wide_store(above + l * WIDE, column->v[l]);
    }
    for (int r = 0; r < BLOCK; r++) {
        a[(i + r) * n + j] = above[r];
    }
}

/* Factors columns j .. j + 3 of rows i .. i + 3, j + 3 < i, whose numbers before column `from` are zero. */
static void factor_block(int64_t n, int64_t i, int64_t j, int64_t from, double *a)
{
    column_of_block rest[BLOCK];
    subtract_products(n, a, i, j, from, j, rest);
    for (int c = 0; c < BLOCK; c++) {
        const double *other = a + (j + c) * n + j;
        double inverse = 1.0 / other[c];
        for (int k = 0; k < c; k++) {
            subtract(&rest[c], &rest[k], other[k]);
        }
        for (int l = 0; l < LANES; l++) {
            rest[c].v[l] *= inverse;
        }
        keep_column(n, i, j + c, &rest[c], a);
    }
}

/* Factors the square of rows i .. i + 3 on the diagonal. */
static bool factor_square(int64_t n, int64_t i, int64_t from, double *a)
{
    column_of_block rest[BLOCK];
    double square[BLOCK][BLOCK];
    subtract_products(n, a, i, i, from, i, rest);
    for (int c = 0; c < BLOCK; c++) {
        memcpy(square[c], &rest[c], sizeof square[c]);
    }
    for (int c = 0; c < BLOCK; c++) {
        for (int k = 0; k < c; k++) {
            for (int r = c; r < BLOCK; r++) {
                square[c][r] -= square[k][r] * square[k][c];
            }
        }
        if (!(square[c][c] > 0.0)) {
            return false;
        }
        double root = sqrt(square[c][c]), inverse = 1.0 / root;
        for (int r = c; r < BLOCK; r++) {
            square[c][r] = r == c ? root : square[c][r] * inverse;
            a[(i + r) * n + i + c] = square[c][r];
        }
    }
    return true;
}

/* Factors the columns of row i from `from` on, and its diagonal. */
static bool factor_row(int64_t n, const int64_t *first, int64_t i, int64_t from, double *a)
{
    double *row = a + i * n;
    for (int64_t j = larger(from, first[i]); j < i; j++) {
        row[j] = (row[j] - dot_rows(n, first, a, i, j, 0, j)) / a[j * n + j];
    }
    double square = row[i] - dot_rows(n, first, a, i, i, 0, i);
    if (!(square > 0.0)) {
        return false;
    }
    row[i] = sqrt(square);
    return true;
}

static bool factor(int64_t n, const int64_t *first, double *a)
{
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        int64_t from = i;
        for (int64_t r = 0; r < BLOCK; r++) {
            from = first[i + r] < from ? first[i + r] / BLOCK * BLOCK : from;
        }
        for (int64_t j = from; j < i; j += BLOCK) {
            factor_block(n, i, j, from, a);
        }
        if (!factor_square(n, i, from, a)) {
            return false;
        }
    }
    for (; i < n; i++) {
        if (!factor_row(n, first, i, 0, a)) {
            return false;
        }
    }
    return true;
}

static void forward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = factor + i * n;
        x[i] = (x[i] - dot(i - first[i], row + first[i], x + first[i])) / row[i];
    }
}

static void backward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *row = factor + i * n;
        double found = x[i] /= row[i];
        int64_t j = first[i];
        for (; j + WIDE <= i; j += WIDE) {
            wide_store(x + j, wide_load(x + j) - found * wide_load(row + j));
        }
        for (; j < i; j++) {
            x[j] -= row[j] * found;
        }
    }
}

extern const envelope_kernel IN_SET(envelope);
const envelope_kernel IN_SET(envelope) = {factor, forward, backward};
