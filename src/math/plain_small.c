/*
 * plain_small.c - factors and solves with triangles of at most PLAIN_TRIANGLE columns; compiled once per instruction
 * set.
 *
 * A triangle is copied first, so that it and the inverses of its diagonal are in the order in which they are read.
 * Many right-hand sides are side by side in vectors.
 */
#include "math/plain_in_set.h"
#include "math/plain_lanes.h"

#include <math.h>

enum { MAX_SIZE = PLAIN_TRIANGLE, SIDES = 4 /* vectors of right-hand sides */ };

/* Row i of a triangle, copied for row-by-row solves, starts at v + i * MAX_SIZE; the diagonal is inverted. */
typedef struct triangle {
    double v[MAX_SIZE * MAX_SIZE], inverse[MAX_SIZE];
} triangle;

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Copies the lower triangle of t, or if `backward` the upper one, with rows and columns counted from the end. */
static void copy_triangle(bool backward, bool unit, int64_t k, plain_view t, triangle *to)
{
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j <= i; j++) {
            plain_view at = backward ? plain_from(t, k - 1 - i, k - 1 - j) : plain_from(t, i, j);
            to->v[i * MAX_SIZE + j] = *at.v;
        }
        to->inverse[i] = unit ? 1.0 : 1.0 / to->v[i * MAX_SIZE + i];
    }
}

/* Subtracts column j of the Cholesky factor from the columns on its right; columns have `high` rows, a multiple of
 * LANES. */
static void eliminate(int64_t j, int64_t n, int64_t high, double *v)
{
    const double *column = v + j * high;
    for (int64_t c = j + 1; c < n; c++) {
        double times = column[c], *to = v + c * high;
        for (int64_t i = c / LANES * LANES; i < high; i += LANES) {
            store(to + i, load(to + i) - times * load(column + i));
        }
    }
}

static int64_t factor_copy(int64_t n, int64_t high, double *v)
{
    for (int64_t j = 0; j < n; j++) {
        double *column = v + j * high, pivot = column[j];
        if (!(pivot > 0.0)) {
            return j + 1;
        }
        double root = sqrt(pivot), inverse = 1.0 / root;
        for (int64_t i = j / LANES * LANES; i < high; i += LANES) {
            store(column + i, load(column + i) * inverse);
        }
        column[j] = root;
        eliminate(j, n, high, v);
    }
    return 0;
}

int64_t plain_factor(int64_t n, double *a, int64_t lda)
{
    double v[MAX_SIZE * MAX_SIZE] __attribute__((aligned(64)));
    int64_t high = (n + LANES - 1) / LANES * LANES;
    for (int64_t j = 0; j < n; j++) {
        memset(v + j * high, 0, (size_t)high * sizeof *v);
        memcpy(v + j * high + j, a + j * lda + j, (size_t)(n - j) * sizeof *v);
    }
    int64_t failed = factor_copy(n, high, v);
    for (int64_t j = 0; j < n; j++) {
        memcpy(a + j * lda + j, v + j * high + j, (size_t)(n - j) * sizeof *v);
    }
    return failed;
}

/* x (k) = T^-1 x: every solved unknown is eliminated from the equations of the others. */
static void solve_one(bool backward, bool unit, int64_t k, plain_view t, double *x)
{
    double inverse[MAX_SIZE], left[MAX_SIZE];
    for (int64_t i = 0; i < k; i++) {
        left[i] = x[i];
        inverse[i] = unit ? 1.0 : 1.0 / t.v[i * (t.row + t.column)];
    }
    int64_t step = backward ? -1 : 1, j = backward ? k - 1 : 0;
    for (int64_t done = 0; done < k; done++, j += step) {
        const double *column = t.v + j * t.column;
        int64_t end = backward ? j : k;
        double value = left[j] * inverse[j];
        x[j] = value;
        for (int64_t i = backward ? 0 : j + 1; i < end; i++) {
            left[i] -= value * column[i * t.row];
        }
    }
}

/* Solves for vectors of right-hand sides, x (k, SIDES * LANES) by rows. */
static void solve_sides(int64_t k, const triangle *t, double *x)
{
    for (int64_t i = 0; i < k; i++) {
        const double *row = t->v + i * MAX_SIZE;
        lanes value[SIDES];
        for (int s = 0; s < SIDES; s++) {
            value[s] = load(x + (i * SIDES + s) * LANES);
        }
        for (int64_t j = 0; j < i; j++) {
            for (int s = 0; s < SIDES; s++) {
                value[s] -= row[j] * load(x + (j * SIDES + s) * LANES);
            }
        }
        for (int s = 0; s < SIDES; s++) {
            store(x + (i * SIDES + s) * LANES, value[s] * t->inverse[i]);
        }
    }
}

static void solve_many(bool backward, int64_t k, int64_t m, const triangle *t, double *b, int64_t ldb)
{
    enum { WIDE = SIDES * LANES };
    double x[MAX_SIZE * WIDE] __attribute__((aligned(64)));
    int64_t start = backward ? k - 1 : 0, step = backward ? -1 : 1;
    for (int64_t first = 0; first < m; first += WIDE, b += WIDE * ldb) {
        int64_t columns = min_of(WIDE, m - first);
        if (columns < WIDE) {
            memset(x, 0, sizeof x);
        }
        for (int64_t c = 0; c < columns; c++) {
            for (int64_t i = 0; i < k; i++) {
                x[i * WIDE + c] = b[c * ldb + start + i * step];
            }
        }
        solve_sides(k, t, x);
        for (int64_t c = 0; c < columns; c++) {
            for (int64_t i = 0; i < k; i++) {
                b[c * ldb + start + i * step] = x[i * WIDE + c];
            }
        }
    }
}

void plain_solve_left(bool backward, bool unit, int64_t k, int64_t m, plain_view t, double *b, int64_t ldb)
{
    enum { FEW = 3 };
    if (m <= FEW) {
        for (int64_t c = 0; c < m; c++) {
            solve_one(backward, unit, k, t, b + c * ldb);
        }
        return;
    }
    triangle copied;
    copy_triangle(backward, unit, k, t, &copied);
    solve_many(backward, k, m, &copied, b, ldb);
}

/* Solves in `count` vectors of rows; column c of b is at b + c * step. */
INLINE void solve_rows(int count, int64_t k, const triangle *t, double *b, int64_t step)
{
    for (int64_t c = 0; c < k; c++) {
        const double *factor = t->v + c * MAX_SIZE;
        lanes value[8];
        for (int i = 0; i < count; i++) {
            value[i] = load(b + c * step + i * LANES);
        }
        for (int64_t d = 0; d < c; d++) {
            for (int i = 0; i < count; i++) {
                value[i] -= factor[d] * load(b + d * step + i * LANES);
            }
        }
        for (int i = 0; i < count; i++) {
            store(b + c * step + i * LANES, value[i] * t->inverse[c]);
        }
    }
}

static void solve_row(int64_t k, const triangle *t, double *b, int64_t step)
{
    for (int64_t c = 0; c < k; c++) {
        double value = b[c * step];
        for (int64_t d = 0; d < c; d++) {
            value -= t->v[c * MAX_SIZE + d] * b[d * step];
        }
        b[c * step] = value * t->inverse[c];
    }
}

void plain_solve_right(bool backward, int64_t m, int64_t k, plain_view t, double *b, int64_t ldb)
{
    enum { MANY = 8 };
    triangle copied;
    copy_triangle(backward, false, k, (plain_view){t.v, t.column, t.row}, &copied); // as T' from the left
    int64_t step = backward ? -ldb : ldb;
    b += backward ? (k - 1) * ldb : 0;
    int64_t i = 0;
    for (; i + MANY * LANES <= m; i += MANY * LANES) {
        solve_rows(MANY, k, &copied, b + i, step);
    }
    for (; i + LANES <= m; i += LANES) {
        solve_rows(1, k, &copied, b + i, step);
    }
    for (; i < m; i++) {
        solve_row(k, &copied, b + i, step);
    }
}
