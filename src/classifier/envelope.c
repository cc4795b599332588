/* envelope.c - factors and solves matrices with a profile, in blocks of four rows and columns. */
#include "classifier/envelope.h"

#include "math/pair.h"

#include <math.h>

double envelope_dot(int64_t n, const double *a, const double *b)
{
    pair sum[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 4; k++) {
            sum[k] += pair_load(a + i + 2 * k) * pair_load(b + i + 2 * k);
        }
    }
    pair all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double rest = 0.0;
    for (; i < n; i++) {
        rest += a[i] * b[i];
    }
    return all[0] + all[1] + rest;
}

/* Rows and columns are processed by fours: each number that is loaded serves four sums. */
enum { BLOCK = 4 };

/* sum[i][j] = sum over k in [from, to) of a_ik b_jk, four rows each. */
static void dot_block(int64_t n, const double *a, const double *b, int64_t from, int64_t to, double sum[BLOCK][BLOCK])
{
    pair both[BLOCK][BLOCK] = {{{0}}};
    int64_t k = from;
    for (; k + 2 <= to; k += 2) {
        pair right[BLOCK];
        for (int j = 0; j < BLOCK; j++) {
            right[j] = pair_load(b + j * n + k);
        }
        for (int i = 0; i < BLOCK; i++) {
            pair left = pair_load(a + i * n + k);
            for (int j = 0; j < BLOCK; j++) {
                both[i][j] += left * right[j];
            }
        }
    }
    for (int i = 0; i < BLOCK; i++) {
        for (int j = 0; j < BLOCK; j++) {
            sum[i][j] = both[i][j][0] + both[i][j][1] + (k < to ? a[i * n + k] * b[j * n + k] : 0.0);
        }
    }
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The latest first column of four rows. */
static int64_t latest(const int64_t *first)
{
    return larger(larger(first[0], first[1]), larger(first[2], first[3]));
}

/* sum of a_ik a_jk over k in [from, to), as far as both rows reach. */
static inline double dot_rows(int64_t n, const int64_t *first, const double *a, int64_t i, int64_t j, int64_t from,
                              int64_t to)
{
    double sum = 0.0;
    from = larger(from, larger(first[i], first[j]));
    if (to - from > 2 * BLOCK) {
        return envelope_dot(to - from, a + i * n + from, a + j * n + from);
    }
    for (int64_t k = from; k < to; k++) {
        sum += a[i * n + k] * a[j * n + k];
    }
    return sum;
}

/* Factors columns j .. j + 3 of rows i .. i + 3, j + 3 < i. */
static void factor_block(int64_t n, const int64_t *first, int64_t i, int64_t j, double *a)
{
    double sum[BLOCK][BLOCK] = {{0}};
    int64_t from = larger(latest(first + i), latest(first + j));
    from = from < j ? from : j;
    dot_block(n, a + i * n, a + j * n, from, j, sum);
    for (int64_t r = 0; r < BLOCK; r++) {
        double *row = a + (i + r) * n;
        for (int64_t c = 0; c < BLOCK; c++) {
            if (j + c >= first[i + r]) {
                double rest =
                    dot_rows(n, first, a, i + r, j + c, 0, from) + dot_rows(n, first, a, i + r, j + c, j, j + c);
                row[j + c] = (row[j + c] - sum[r][c] - rest) / a[(j + c) * n + j + c];
            }
        }
    }
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

bool envelope_factor(int64_t n, const int64_t *first, double *a)
{
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t rows = n - i < BLOCK ? n - i : BLOCK, from = i;
        for (int64_t r = 0; r < rows; r++) {
            from = first[i + r] < from ? first[i + r] / BLOCK * BLOCK : from;
        }
        for (int64_t j = from; rows == BLOCK && j < i; j += BLOCK) {
            factor_block(n, first, i, j, a);
        }
        for (int64_t r = 0; r < rows; r++) {
            if (!factor_row(n, first, i + r, rows == BLOCK ? i : 0, a)) {
                return false;
            }
        }
    }
    return true;
}

void envelope_forward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = factor + i * n;
        x[i] = (x[i] - envelope_dot(i - first[i], row + first[i], x + first[i])) / row[i];
    }
}

void envelope_backward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *row = factor + i * n;
        x[i] /= row[i];
        for (int64_t j = first[i]; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

void envelope_multiply(int64_t n, const int64_t *first, const double *factor, const double *x, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = envelope_dot(i + 1 - first[i], factor + i * n + first[i], x + first[i]);
    }
}
