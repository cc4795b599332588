/*
 * gp_low_rank.c - computes the collapsed variational bound of Titsias ("Variational learning of inducing variables in
 * sparse Gaussian processes", AISTATS 2009) and its gradient for fixed inducing points.
 *
 * With s and S the variances of f and of the noise, L L' = k(z, z), V = L^-1 k(z, x) (m, n), B = I + V V' / S and
 * gamma = B^-1 V y:
 *     bound = -(n log(2 pi S) + log|B| + y'y / S - (V y)'gamma / S^2 + (n s - tr V V') / S) / 2.
 * Derivatives:
 *     by V       G = ((I - B^-1) / S - gamma gamma' / S^3) V + gamma y' / S^2,
 *     by k(z, x) L'^-1 G,
 *     by k(z, z) L'^-1 M L^-1, M = -(B^-1 - I + gamma gamma' / S^2 + V V' / S) / 2,
 *     by S       -(n / S - tr(B^-1 V V') / S^2 - y'y / S^2 + 2 (V y)'gamma / S^3 - gamma'V V'gamma / S^4
 *                  - (n s - tr V V') / S^2) / 2.
 * Products are whitened by L before they are summed: sums of k(z, x) k(x, z) would lose digits because of the condition
 * number of k(z, z).
 *
 * Inducing points are the pivots of an incomplete Cholesky factor of the kernel: each is the row that those before it
 * explain least (Burt, Rasmussen, van der Wilk, "Convergence of sparse variational inference in Gaussian processes
 * regression", JMLR 21, 2020).  If rows tie, the first in the order of values is taken.
 */
#include "math/linalg.h"
#include "regress/gp_internal.h"

#include <math.h>
#include <string.h>

static const double LOG_2_PI = 1.8378770664093454836;
static const double JITTER = 1e-8;    /* of s, on the diagonal of k(z, z) */
static const double EXPLAINED = 1e-6; /* of s: a row with less unexplained variance adds nothing new */

/* ---- inducing points --------------------------------------------------------------------------------------- */

/* Finds the pivots of the kernel matrix of x with unit variance; returns how many. */
static int64_t find_pivots(const column_set *x, const double *theta, int64_t max_points, double *left, double *factor,
                           double *at_pivot, int64_t *pivot)
{
    int64_t n = x->n, found = 0;
    for (int64_t i = 0; i < n; i++) {
        left[i] = 1.0;
    }
    for (; found < max_points; found++) {
        int64_t best = 0;
        for (int64_t i = 1; i < n; i++) {
            best = left[i] > left[best] ? i : best;
        }
        if (!(left[best] > EXPLAINED)) {
            break;
        }
        double *column = factor + found * n, root = sqrt(left[best]);
        gp_gauss_block(x, x, best, 1, theta, column);
        for (int64_t k = 0; k < found; k++) {
            at_pivot[k] = factor[k * n + best];
        }
        linalg_gemm(false, false, n, 1, found, -1.0, factor, n, at_pivot, found, 1.0, column, n);
        for (int64_t i = 0; i < n; i++) {
            column[i] /= root;
            left[i] -= column[i] * column[i];
        }
        left[best] = 0.0;
        pivot[found] = best;
    }
    return found;
}

nonsens_status gp_choose_inducing(nonsens_context *ctx, arena *a, const column_set *x, const double *theta,
                                  int64_t max_points, column_set *z)
{
    double *left, *factor, *at_pivot, *unit, **column;
    int64_t *pivot;
    max_points = max_points < x->n ? max_points : x->n;
    ARENA_TRY(ctx, a, column, x->d);
    for (int64_t c = 0; c < x->d; c++) {
        ARENA_TRY(ctx, a, column[c], max_points);
    }
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, left, x->n);
    ARENA_TRY(ctx, a, factor, x->n * max_points);
    ARENA_TRY(ctx, a, at_pivot, max_points);
    ARENA_TRY(ctx, a, pivot, max_points);
    ARENA_TRY(ctx, a, unit, gp_count(x->d));
    memcpy(unit + 1, theta + 1, (size_t)x->d * sizeof *unit); // log variance 0
    int64_t found = find_pivots(x, unit, max_points, left, factor, at_pivot, pivot);
    for (int64_t c = 0; c < x->d; c++) {
        for (int64_t k = 0; k < found; k++) {
            column[c][k] = x->v[c][pivot[k]];
        }
    }
    arena_rewind(a, mark);
    *z = (column_set){found, x->d, (const double *const *)column};
    return NONSENS_OK;
}

nonsens_status gp_inducing_factor(nonsens_context *ctx, const column_set *z, const double *theta, double *l)
{
    gp_gauss_block(z, z, 0, z->n, theta, l);
    for (int64_t i = 0; i < z->n; i++) {
        l[i * (z->n + 1)] *= 1.0 + JITTER;
    }
    return linalg_cholesky(ctx, z->n, l);
}

/* ---- the bound --------------------------------------------------------------------------------------------- */

static double trace_of(int64_t m, const double *a)
{
    double sum = 0.0;
    for (int64_t i = 0; i < m; i++) {
        sum += a[i * (m + 1)];
    }
    return sum;
}

nonsens_status gp_bound_of(nonsens_context *ctx, int64_t m, int64_t n, const double *theta, int64_t d, double yy,
                           const double *inner, const double *vy, double *b, double *gamma, double *bound)
{
    double signal = exp(theta[0]), noise = exp(theta[d + 1]), logs = 0.0;
    for (int64_t i = 0; i < m * m; i++) {
        b[i] = inner[i] / noise + (i % (m + 1) == 0 ? 1.0 : 0.0);
    }
    TRY(linalg_cholesky(ctx, m, b));
    for (int64_t i = 0; i < m; i++) {
        logs += 2.0 * log(b[i * (m + 1)]);
    }
    memcpy(gamma, vy, (size_t)m * sizeof *gamma);
    linalg_solve_lower(false, m, 1, b, m, gamma, m);
    linalg_solve_lower(true, m, 1, b, m, gamma, m);
    double fit = linalg_dot(m, vy, gamma) / noise / noise, lost = (double)n * signal - trace_of(m, inner);
    *bound = -0.5 * ((double)n * (LOG_2_PI + theta[d + 1]) + logs + yy / noise - fit + lost / noise);
    return NONSENS_OK;
}

nonsens_status gp_low_rank_new(nonsens_context *ctx, arena *a, const column_set *x, const double *y, int64_t max_points,
                               gp_low_rank *r)
{
    int64_t m = max_points < x->n ? max_points : x->n;
    *r = (gp_low_rank){.x = x, .y = y, .ctx = ctx};
    ARENA_TRY(ctx, a, r->l, m * m);
    ARENA_TRY(ctx, a, r->b, m * m);
    ARENA_TRY(ctx, a, r->inner, m * m);
    ARENA_TRY(ctx, a, r->square, m * m);
    ARENA_TRY(ctx, a, r->other, m * m);
    ARENA_TRY(ctx, a, r->vy, m);
    ARENA_TRY(ctx, a, r->gamma, m);
    ARENA_TRY(ctx, a, r->kuf, m * x->n);
    ARENA_TRY(ctx, a, r->v, m * x->n);
    ARENA_TRY(ctx, a, r->g, m * x->n);
    return NONSENS_OK;
}

/* Adds the part of the gradient that comes from k(z, x); r->square: B^-1. */
static void add_rows_part(gp_low_rank *r, double noise, double *gradient)
{
    int64_t m = r->z.n, n = r->x->n;
    double cube = noise * noise * noise;
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < m; i++) {
            double unit = i == j ? 1.0 : 0.0;
            r->other[j * m + i] = (unit - r->square[j * m + i]) / noise - r->gamma[i] * r->gamma[j] / cube;
        }
    }
    linalg_gemm(false, false, m, n, m, 1.0, r->other, m, r->v, m, 0.0, r->g, m);
    linalg_gemm(false, false, m, n, 1, 1.0 / noise / noise, r->gamma, m, r->y, 1, 1.0, r->g, m);
    linalg_solve_lower(true, m, n, r->l, m, r->g, m);
    for (int64_t i = 0; i < m * n; i++) {
        r->g[i] *= r->kuf[i];
        gradient[0] += r->g[i];
    }
    gp_gauss_distances(&r->z, r->x, 0, n, r->g, gradient + 1);
}

/* Adds the part of the gradient that comes from k(z, z); r->square: B^-1, overwritten. */
static void add_inducing_part(gp_low_rank *r, const double *theta, double noise, double *gradient)
{
    int64_t m = r->z.n;
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < m; i++) {
            int64_t at = j * m + i;
            double unit = i == j ? 1.0 : 0.0, outer = r->gamma[i] * r->gamma[j] / noise / noise;
            r->other[at] = -0.5 * (r->square[at] - unit + outer + r->inner[at] / noise);
        }
    }
    linalg_solve_lower(true, m, m, r->l, m, r->other, m);
    for (int64_t j = 0; j < m; j++) { // transposes
        for (int64_t i = 0; i < j; i++) {
            double swap = r->other[j * m + i];
            r->other[j * m + i] = r->other[i * m + j];
            r->other[i * m + j] = swap;
        }
    }
    linalg_solve_lower(true, m, m, r->l, m, r->other, m);
    gp_gauss_block(&r->z, &r->z, 0, m, theta, r->square);
    for (int64_t i = 0; i < m * m; i++) {
        r->other[i] *= r->square[i];
        gradient[0] += r->other[i] * (i % (m + 1) == 0 ? 1.0 + JITTER : 1.0);
    }
    gp_gauss_distances(&r->z, &r->z, 0, m, r->other, gradient + 1);
}

/* Returns the derivative by log noise variance; r->square: B^-1. */
static double noise_part(const gp_low_rank *r, double signal, double noise, double yy)
{
    int64_t m = r->z.n;
    double n = (double)r->x->n, trace = linalg_dot(m * m, r->square, r->inner), form = 0.0;
    for (int64_t j = 0; j < m; j++) {
        form += r->gamma[j] * linalg_dot(m, r->inner + j * m, r->gamma);
    }
    double cross = linalg_dot(m, r->vy, r->gamma), lost = n * signal - trace_of(m, r->inner);
    return -0.5 * (n - (trace + yy + lost) / noise + 2.0 * cross / noise / noise - form / noise / noise / noise);
}

static void gradient_of(gp_low_rank *r, const double *theta, double yy, double *gradient)
{
    int64_t m = r->z.n, d = r->x->d;
    double signal = exp(theta[0]), noise = exp(theta[d + 1]);
    memset(gradient, 0, (size_t)gp_count(d) * sizeof *gradient);
    memcpy(r->square, r->b, (size_t)(m * m) * sizeof *r->b);
    linalg_invert_cholesky(m, r->square);
    gradient[d + 1] = noise_part(r, signal, noise, yy);
    add_rows_part(r, noise, gradient);
    add_inducing_part(r, theta, noise, gradient);
    gradient[0] -= 0.5 * (double)r->x->n * signal / noise;
    for (int64_t c = 0; c < d; c++) {
        gradient[1 + c] *= exp(-2.0 * theta[1 + c]);
    }
}

double gp_low_rank_bound(gp_low_rank *r, const double *theta, double *gradient)
{
    int64_t m = r->z.n, n = r->x->n, d = r->x->d;
    double bound, yy = linalg_dot(n, r->y, r->y);
    if (gp_inducing_factor(r->ctx, &r->z, theta, r->l) != NONSENS_OK) {
        return -INFINITY;
    }
    gp_gauss_block(&r->z, r->x, 0, n, theta, r->kuf);
    memcpy(r->v, r->kuf, (size_t)(m * n) * sizeof *r->v);
    linalg_solve_lower(false, m, n, r->l, m, r->v, m);
    linalg_outer(m, n, r->v, m, 0.0, r->inner);
    linalg_gemm(false, false, m, 1, n, 1.0, r->v, m, r->y, n, 0.0, r->vy, m);
    if (gp_bound_of(r->ctx, m, n, theta, d, yy, r->inner, r->vy, r->b, r->gamma, &bound) != NONSENS_OK) {
        return -INFINITY;
    }
    if (gradient) {
        gradient_of(r, theta, yy, gradient);
    }
    return bound;
}
