/*
 * plain_tridiagonal.c - tridiagonal form of a symmetric matrix, by Householder reflections in panels.
 *
 * A - X Y' with X = (v w v w ...) and Y = (w v w v ...) is the matrix after a panel's reflections I - tau v v' from
 * both sides; inside a panel each column is updated alone, after it all remaining columns at once (J. Dongarra, D.
 * Sorensen and S. Hammarling, Block reduction of matrices to condensed forms for eigenvalue computations, J. Comput.
 * Appl. Math. 27, 1989).  Q is multiplied out from I - V T V', T upper triangular (R. Schreiber and C. Van Loan, A
 * storage-efficient WY representation for products of Householder transformations, SIAM J. Sci. Stat. Comput. 10,
 * 1989).
 */
#include "math/plain.h"

#include <string.h>

enum { PANEL = 32 };

typedef struct reduction {
    int64_t n;
    double *a; /* (n, n), lower triangle; the reflections are stored below the subdiagonal */
    double *diagonal, *below, *tau;
    double *x, *y;   /* (n, 2 PANEL) */
    double *product; /* (2 PANEL) */
} reduction;

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Updates column j with the panel's `done` reflections. */
static void update_column(const reduction *r, int64_t j, int64_t done)
{
    plain_view x = {r->x + j, 1, r->n};
    plain_choose()->apply(r->n - j, 2 * done, -1.0, x, r->y + j, r->n, 1.0, r->a + j * r->n + j, 1);
}

/* w = tau (A v - X Y' v) - (tau / 2) (w' v) v for the rows below j. */
static void find_partner(const reduction *r, int64_t j, int64_t done, double tau, const double *v, double *w)
{
    const plain_kernel *kernel = plain_choose();
    int64_t rows = r->n - j - 1, from = j + 1;
    double along;
    kernel->apply_symmetric(rows, r->a + from * r->n + from, r->n, v, w);
    kernel->apply(2 * done, rows, 1.0, (plain_view){r->y + from, r->n, 1}, v, 1, 0.0, r->product, 1);
    kernel->apply(rows, 2 * done, -tau, (plain_view){r->x + from, 1, r->n}, r->product, 1, tau, w, 1);
    kernel->apply(1, rows, 1.0, (plain_view){v, r->n, 1}, w, 1, 0.0, &along, 1);
    for (int64_t i = 0; i < rows; i++) {
        w[i] -= 0.5 * tau * along * v[i];
    }
}

static void reduce_column(const reduction *r, int64_t j, int64_t done)
{
    int64_t rows = r->n - j - 1;
    double *column = r->a + j * r->n + j;
    update_column(r, j, done);
    r->diagonal[j] = column[0];
    if (rows == 0) {
        return;
    }
    r->tau[j] = plain_reflector(rows, column + 1);
    r->below[j] = column[1];
    double *v = r->x + 2 * done * r->n + j + 1, *w = v + r->n;
    memcpy(v, column + 1, (size_t)rows * sizeof *v);
    v[0] = 1.0;
    find_partner(r, j, done, r->tau[j], v, w);
    double *y = r->y + 2 * done * r->n + j + 1;
    memcpy(y, w, (size_t)rows * sizeof *y);
    memcpy(y + r->n, v, (size_t)rows * sizeof *y);
}

static void reduce(const reduction *r)
{
    for (int64_t first = 0; first < r->n; first += PANEL) {
        int64_t columns = min_of(PANEL, r->n - first), behind = first + columns;
        for (int64_t done = 0; done < columns; done++) {
            reduce_column(r, first + done, done);
        }
        plain_view x = {r->x + behind, 1, r->n}, y = {r->y + behind, r->n, 1};
        plain_choose()->multiply(&(plain_product){r->n - behind, r->n - behind, 2 * columns, -1.0, 1.0, x, y,
                                                  r->a + behind * r->n + behind, r->n, PLAIN_LOWER});
    }
}

/* Computes T (columns, columns; stride PANEL) of I - V T V' from V' V in `inner`. */
static void find_factor(int64_t columns, const double *tau, const double *inner, double *t)
{
    memset(t, 0, PANEL * PANEL * sizeof *t);
    for (int64_t j = 0; j < columns; j++) {
        t[j * PANEL + j] = tau[j];
        for (int64_t l = 0; l < j; l++) {
            for (int64_t i = 0; i <= l; i++) {
                t[j * PANEL + i] -= tau[j] * t[l * PANEL + i] * inner[j * PANEL + l];
            }
        }
    }
}

/* Multiplies q, from row and column first + 1 on, by the panel's reflections from the left. */
static void apply_panel(const reduction *r, int64_t first, int64_t columns, double *q)
{
    const plain_kernel *kernel = plain_choose();
    int64_t n = r->n, size = n - first - 1;
    double inner[PANEL * PANEL], t[PANEL * PANEL], *v = r->x, *part = r->y, *product = r->y + n * PANEL;
    for (int64_t j = 0; j < columns; j++) {
        memset(v + j * n, 0, (size_t)j * sizeof *v);
        memcpy(v + j * n + j, r->a + (first + j) * n + first + 1 + j, (size_t)(size - j) * sizeof *v);
        v[j * n + j] = 1.0;
    }
    plain_view columns_of = {v, 1, n}, rows_of = {v, n, 1}, of_q = {q + (first + 1) * (n + 1), 1, n};
    kernel->multiply(&(plain_product){columns, columns, size, 1.0, 0.0, rows_of, columns_of, inner, PANEL, PLAIN_ALL});
    find_factor(columns, r->tau + first, inner, t);
    kernel->multiply(&(plain_product){columns, size, size, 1.0, 0.0, rows_of, of_q, part, PANEL, PLAIN_ALL});
    plain_view factor = {t, 1, PANEL}, of_part = {part, 1, PANEL}, of_product = {product, 1, PANEL};
    kernel->multiply(&(plain_product){columns, size, columns, 1.0, 0.0, factor, of_part, product, PANEL, PLAIN_ALL});
    kernel->multiply(&(plain_product){size, size, columns, -1.0, 1.0, columns_of, of_product, q + (first + 1) * (n + 1),
                                      n, PLAIN_ALL});
}

static void multiply_out(const reduction *r, double *q)
{
    memset(q, 0, (size_t)(r->n * r->n) * sizeof *q);
    for (int64_t j = 0; j < r->n; j++) {
        q[j * r->n + j] = 1.0;
    }
    int64_t reflections = r->n - 1;
    for (int64_t first = (reflections - 1) / PANEL * PANEL; reflections > 0 && first >= 0; first -= PANEL) {
        apply_panel(r, first, min_of(PANEL, reflections - first), q);
    }
}

int64_t plain_tridiagonal_work(int64_t n)
{
    return n * (1 + 4 * PANEL) + 2 * PANEL;
}

void plain_tridiagonal(int64_t n, double *a, double *d, double *e, double *q, double *work)
{
    double *x = work + n, *y = x + 2 * PANEL * n, *product = y + 2 * PANEL * n;
    reduction r = {n, a, d, e, work, x, y, product};
    reduce(&r);
    multiply_out(&r, q);
}
