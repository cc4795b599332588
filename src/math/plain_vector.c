/*
 * plain_vector.c - products of a matrix and a vector, outer products and rotations; compiled once per instruction set.
 *
 * Memory limits their speed: every number of the matrix is read once, and several columns or rows at a time.
 */
#include "math/plain_in_set.h"
#include "math/plain_lanes.h"

enum { AT_ONCE = 4 /* columns or rows */, CHUNK = 512 /* numbers that stay in the first-level cache */ };

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* sum (rows) += A x, where the columns of A are contiguous. */
static void add_columns(int64_t rows, int64_t k, plain_view a, const double *x, int64_t x_step, double *sum)
{
    int64_t j = 0;
    for (; j + AT_ONCE <= k; j += AT_ONCE) {
        const double *c0 = a.v + j * a.column, *c1 = c0 + a.column, *c2 = c1 + a.column, *c3 = c2 + a.column;
        double x0 = x[j * x_step], x1 = x[(j + 1) * x_step], x2 = x[(j + 2) * x_step], x3 = x[(j + 3) * x_step];
        for (int64_t i = 0; i < rows; i++) {
            sum[i] += (x0 * c0[i] + x1 * c1[i]) + (x2 * c2[i] + x3 * c3[i]);
        }
    }
    for (; j < k; j++) {
        const double *c = a.v + j * a.column, here = x[j * x_step];
        for (int64_t i = 0; i < rows; i++) {
            sum[i] += here * c[i];
        }
    }
}

static void apply_columns(int64_t m, int64_t k, double alpha, plain_view a, const double *x, int64_t x_step,
                          double beta, double *y, int64_t y_step)
{
    double sum[CHUNK];
    for (int64_t first = 0; first < m; first += CHUNK) {
        int64_t rows = min_of(CHUNK, m - first);
        memset(sum, 0, (size_t)rows * sizeof *sum);
        add_columns(rows, k, plain_from(a, first, 0), x, x_step, sum);
        for (int64_t i = 0; i < rows; i++) {
            double *to = y + (first + i) * y_step;
            *to = beta == 0.0 ? alpha * sum[i] : alpha * sum[i] + beta * *to;
        }
    }
}

/* dot (count) = products of x (k) with `count` rows of A, which are contiguous. */
INLINE void dots(int count, int64_t k, plain_view a, const double *x, double *dot)
{
    lanes sum[AT_ONCE][2] = {0};
    int64_t l = 0;
    for (; l + 2 * LANES <= k; l += 2 * LANES) {
        lanes x0 = load(x + l), x1 = load(x + l + LANES);
        for (int i = 0; i < count; i++) {
            sum[i][0] += load(a.v + i * a.row + l) * x0;
            sum[i][1] += load(a.v + i * a.row + l + LANES) * x1;
        }
    }
    for (int i = 0; i < count; i++) {
        dot[i] = total(sum[i][0] + sum[i][1]);
        for (int64_t rest = l; rest < k; rest++) {
            dot[i] += a.v[i * a.row + rest] * x[rest];
        }
    }
}

/* y (m) = alpha A x + beta y for x (k), k <= CHUNK. */
static void apply_dots(int64_t m, int64_t k, double alpha, plain_view a, const double *x, double beta, double *y,
                       int64_t y_step)
{
    double dot[AT_ONCE] = {0};
    for (int64_t i = 0; i < m; i += AT_ONCE) {
        int64_t rows = min_of(AT_ONCE, m - i);
        if (rows == AT_ONCE) {
            dots(AT_ONCE, k, plain_from(a, i, 0), x, dot);
        }
        for (int64_t r = 0; r < rows; r++) {
            if (rows < AT_ONCE) {
                dots(1, k, plain_from(a, i + r, 0), x, dot + r);
            }
            double *to = y + (i + r) * y_step;
            *to = beta == 0.0 ? alpha * dot[r] : alpha * dot[r] + beta * *to;
        }
    }
}

static void apply_rows(int64_t m, int64_t k, double alpha, plain_view a, const double *x, int64_t x_step, double beta,
                       double *y, int64_t y_step)
{
    double part[CHUNK];
    for (int64_t first = 0; first < k; first += CHUNK) {
        int64_t terms = min_of(CHUNK, k - first);
        const double *here = x + first * x_step;
        if (x_step != 1) {
            for (int64_t l = 0; l < terms; l++) {
                part[l] = here[l * x_step];
            }
            here = part;
        }
        apply_dots(m, terms, alpha, plain_from(a, 0, first), here, first == 0 ? beta : 1.0, y, y_step);
    }
}

void plain_apply(int64_t m, int64_t k, double alpha, plain_view a, const double *x, int64_t x_step, double beta,
                 double *y, int64_t y_step)
{
    if (a.row == 1 || k == 0) {
        apply_columns(m, k, alpha, a, x, x_step, beta, y, y_step);
    } else {
        apply_rows(m, k, alpha, a, x, x_step, beta, y, y_step);
    }
}

/* Adds the products with `count` columns below the diagonal, and with the rows that equal them by symmetry. */
INLINE void add_both_ways(int count, int64_t rows, const double *a, int64_t lda, const double *right, const double *x,
                          double *y, double *dot)
{
    lanes sum[AT_ONCE] = {0};
    int64_t i = 0;
    for (; i + LANES <= rows; i += LANES) {
        lanes below = load(y + i), here = load(x + i);
        for (int c = 0; c < count; c++) {
            lanes value = load(a + c * lda + i);
            below += value * right[c];
            sum[c] += value * here;
        }
        store(y + i, below);
    }
    for (int c = 0; c < count; c++) {
        dot[c] += total(sum[c]);
        for (int64_t r = i; r < rows; r++) {
            y[r] += a[c * lda + r] * right[c];
            dot[c] += a[c * lda + r] * x[r];
        }
    }
}

void plain_apply_symmetric(int64_t n, const double *a, int64_t lda, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int64_t j = 0; j < n; j += AT_ONCE) {
        int64_t columns = min_of(AT_ONCE, n - j);
        for (int64_t c = j; c < j + columns; c++) { // the block on the diagonal
            y[c] += a[c * lda + c] * x[c];
            for (int64_t r = c + 1; r < j + columns; r++) {
                y[r] += a[c * lda + r] * x[c];
                y[c] += a[c * lda + r] * x[r];
            }
        }
        if (columns == AT_ONCE) {
            int64_t below = j + AT_ONCE;
            add_both_ways(AT_ONCE, n - below, a + j * lda + below, lda, x + j, x + below, y + below, y + j);
        }
    }
}

void plain_add_outer(int64_t m, int64_t n, double alpha, const double *x, const double *y, int64_t y_step, double *a,
                     int64_t lda)
{
    for (int64_t j = 0; j < n; j++) {
        double times = alpha * y[j * y_step], *column = a + j * lda;
        for (int64_t i = 0; i < m; i++) {
            column[i] += times * x[i];
        }
    }
}

/* Rotates column `left` and `right`, the next one: returns the new right one, and puts the new left one into *right. */
INLINE lanes rotate_pair(const double *rotation, lanes left, lanes *right)
{
    lanes out = rotation[1] * left + rotation[0] * *right;
    *right = rotation[0] * left - rotation[1] * *right;
    return out;
}

/* Applies one sweep to `count` vectors of rows; the column that the next rotation changes again stays in registers. */
INLINE void rotate_rows(int count, const plain_sweep *s, double *q, int64_t ldq)
{
    lanes carried[AT_ONCE];
    double *column = q + (s->first + 1) * ldq;
    const double *rotation = s->rotation;
    for (int i = 0; i < count; i++) {
        carried[i] = load(column + i * LANES);
    }
    for (int64_t j = s->first; j >= s->last; j--, column -= ldq, rotation += 2) {
        for (int i = 0; i < count; i++) {
            store(column + i * LANES, rotate_pair(rotation, load(column - ldq + i * LANES), &carried[i]));
        }
    }
    for (int i = 0; i < count; i++) {
        store(column + i * LANES, carried[i]);
    }
}

enum { TOGETHER = PLAIN_TOGETHER, SIDE = 2 /* vectors of rows */ };

/* The state of sweeps that are applied together, each one column behind the one before: the column that sweep g
 * carries, and its rotations, of which number t - g belongs to step t. */
typedef struct wave {
    lanes carried[TOGETHER][SIDE];
    const double *rotation[TOGETHER];
} wave;

/* Passes a column through sweeps from .. end-1 at step t. */
INLINE void pass_through(wave *w, int from, int end, int64_t t, lanes out[SIDE])
{
#pragma GCC unroll 4
    for (int g = from; g < end; g++) {
#pragma GCC unroll 2
        for (int i = 0; i < SIDE; i++) {
            out[i] = rotate_pair(w->rotation[g] + 2 * (t - g), out[i], &w->carried[g][i]);
        }
    }
}

INLINE void load_side(const double *column, lanes *to)
{
    for (int i = 0; i < SIDE; i++) {
        to[i] = load(column + i * LANES);
    }
}

INLINE void store_side(double *column, const lanes *from)
{
    for (int i = 0; i < SIDE; i++) {
        store(column + i * LANES, from[i]);
    }
}

/* Applies TOGETHER sweeps of at least TOGETHER - 1 rotations to the same columns, reading and writing each once. */
static void rotate_together(const plain_sweep *s, double *q, int64_t ldq)
{
    wave w;
    int64_t first = s->first, steps = first - s->last + 1;
    lanes out[SIDE];
#pragma GCC unroll 4
    for (int g = 0; g < TOGETHER; g++) {
        w.rotation[g] = s[g].rotation;
    }
    load_side(q + (first + 1) * ldq, w.carried[0]);
#pragma GCC unroll 4
    for (int t = 0; t < TOGETHER - 1; t++) { // sweeps begin one by one
        load_side(q + (first - t) * ldq, out);
        pass_through(&w, 0, t + 1, t, out);
        memcpy(w.carried[t + 1], out, sizeof out);
    }
    for (int64_t t = TOGETHER - 1; t < steps; t++) {
        load_side(q + (first - t) * ldq, out);
        pass_through(&w, 0, TOGETHER, t, out);
        store_side(q + (first - t + TOGETHER) * ldq, out);
    }
#pragma GCC unroll 4
    for (int e = 1; e < TOGETHER; e++) { // and end one by one
        memcpy(out, w.carried[e - 1], sizeof out);
        pass_through(&w, e, TOGETHER, steps - 1 + e, out);
        store_side(q + (s->last + TOGETHER - e) * ldq, out);
    }
    store_side(q + s->last * ldq, w.carried[TOGETHER - 1]);
}

static void rotate_row(const plain_sweep *s, double *q, int64_t ldq)
{
    double carried = q[(s->first + 1) * ldq];
    const double *rotation = s->rotation;
    for (int64_t j = s->first; j >= s->last; j--, rotation += 2) {
        double c = rotation[0], sine = rotation[1], left = q[j * ldq];
        q[(j + 1) * ldq] = sine * left + c * carried;
        carried = c * left - sine * carried;
    }
    q[s->last * ldq] = carried;
}

static bool go_together(const plain_sweep *s, int64_t sweeps)
{
    bool same = sweeps >= TOGETHER && s->first - s->last + 1 >= TOGETHER - 1;
    for (int64_t k = 1; same && k < TOGETHER; k++) {
        same = s[k].first == s->first && s[k].last == s->last;
    }
    return same;
}

static void rotate_side(int64_t sweeps, const plain_sweep *sweep, double *q, int64_t ldq)
{
    for (int64_t k = 0; k < sweeps;) {
        if (go_together(sweep + k, sweeps - k)) {
            rotate_together(sweep + k, q, ldq);
            k += TOGETHER;
        } else {
            rotate_rows(SIDE, sweep + k, q, ldq);
            k++;
        }
    }
}

void plain_rotate(int64_t rows, int64_t sweeps, const plain_sweep *sweep, double *q, int64_t ldq)
{
    int64_t i = 0;
    for (; i + SIDE * LANES <= rows; i += SIDE * LANES) {
        rotate_side(sweeps, sweep, q + i, ldq);
    }
    for (; i + LANES <= rows; i += LANES) {
        for (int64_t k = 0; k < sweeps; k++) {
            rotate_rows(1, sweep + k, q + i, ldq);
        }
    }
    for (; i < rows; i++) {
        for (int64_t k = 0; k < sweeps; k++) {
            rotate_row(sweep + k, q + i, ldq);
        }
    }
}
