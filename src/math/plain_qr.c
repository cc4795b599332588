/*
 * plain_qr.c - QR with column pivoting, by Householder reflections.
 *
 * The norms of the remaining parts of the columns are updated in each step. A norm that has lost half its digits since
 * it was computed is computed again (Z. Drmac and Z. Bujanovic, On the failure of rank-revealing QR factorization
 * software, ACM Trans. Math. Softw. 35(2), 2008).
 */
#include "math/plain.h"

#include <float.h>
#include <math.h>

/* Norms of the remaining part of each column (k): updated, and when last computed from its numbers. */
typedef struct column_norms {
    double *now, *computed;
} column_norms;

int64_t plain_qr_work(int64_t n, int64_t k)
{
    (void)n;
    return 3 * k;
}

static void exchange_columns(int64_t n, double *a, int32_t *pivot, const column_norms *norms, int64_t i, int64_t j)
{
    for (int64_t r = 0; r < n; r++) {
        double kept = a[i * n + r];
        a[i * n + r] = a[j * n + r];
        a[j * n + r] = kept;
    }
    int32_t moved = pivot[i];
    pivot[i] = pivot[j];
    pivot[j] = moved;
    norms->now[j] = norms->now[i]; // column i is finished
    norms->computed[j] = norms->computed[i];
}

/* Removes row i, whose number in column j is final, from the column's norm. */
static void lower_norm(int64_t n, int64_t i, const double *column, const column_norms *norms, int64_t j)
{
    double now = norms->now[j];
    if (now == 0.0) {
        return;
    }
    double share = column[i] / now, left = fmax(0.0, 1.0 - share * share), drop = now / norms->computed[j];
    if (left * drop * drop > sqrt(DBL_EPSILON)) {
        norms->now[j] = now * sqrt(left);
    } else {
        norms->now[j] = norms->computed[j] = i + 1 < n ? plain_norm(n - i - 1, column + i + 1) : 0.0;
    }
}

/* Applies the reflection stored in column i to the columns on its right; product (k) is work space. */
static void reflect(int64_t n, int64_t k, int64_t i, double tau, double *a, double *product)
{
    double *v = a + i * n + i, *right = v + n, first = v[0];
    int64_t columns = k - i - 1;
    v[0] = 1.0;
    if (tau != 0.0 && columns > 0) {
        plain_choose()->apply(columns, n - i, 1.0, (plain_view){right, n, 1}, v, 1, 0.0, product, 1);
        plain_choose()->add_outer(n - i, columns, -tau, v, product, 1, right, n);
    }
    v[0] = first;
}

static int64_t longest(int64_t from, int64_t k, const double *norm)
{
    int64_t found = from;
    for (int64_t j = from + 1; j < k; j++) {
        found = norm[j] > norm[found] ? j : found;
    }
    return found;
}

void plain_pivoted_qr(int64_t n, int64_t k, double *a, int32_t *pivot, int64_t work_size, double *work)
{
    (void)work_size;
    column_norms norms = {work, work + k};
    for (int64_t j = 0; j < k; j++) {
        pivot[j] = (int32_t)j;
        norms.now[j] = norms.computed[j] = n > 0 ? plain_norm(n, a + j * n) : 0.0;
    }
    for (int64_t i = 0; i < n && i < k; i++) {
        exchange_columns(n, a, pivot, &norms, i, longest(i, k, norms.now));
        double tau = plain_reflector(n - i, a + i * n + i);
        reflect(n, k, i, tau, a, work + 2 * k);
        for (int64_t j = i + 1; j < k; j++) {
            lower_norm(n, i, a + j * n, &norms, j);
        }
    }
}
