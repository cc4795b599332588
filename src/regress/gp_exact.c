/*
 * gp_exact.c - computes likelihood and gradient from n x n matrices (Rasmussen and Williams, "Gaussian Processes for
 * Machine Learning", 2006, equations 2.30 and 5.9): with K = kernel + noise I and alpha = K^-1 y,
 *     log p = -(y'alpha + log|K| + n log 2 pi) / 2,   d log p = tr((alpha alpha' - K^-1) dK) / 2.
 */
#include "math/linalg.h"
#include "regress/gp_internal.h"

#include <math.h>
#include <string.h>

static const double LOG_2_PI = 1.8378770664093454836;

nonsens_status gp_exact_new(nonsens_context *ctx, arena *a, const column_set *x, const double *y, gp_exact *e)
{
    *e = (gp_exact){.x = x, .y = y, .ctx = ctx};
    ARENA_TRY(ctx, a, e->k, x->n * x->n);
    ARENA_TRY(ctx, a, e->inverse, x->n * x->n);
    ARENA_TRY(ctx, a, e->alpha, x->n);
    return NONSENS_OK;
}

/* Computes the gradient; e->k becomes the element-wise product of the kernel and (alpha alpha' - K^-1). */
static void gradient_of(gp_exact *e, const double *theta, double *gradient)
{
    int64_t n = e->x->n, d = e->x->d;
    double noise = exp(theta[d + 1]), sum = 0.0, trace = 0.0;
    linalg_invert_cholesky(n, e->inverse);
    for (int64_t j = 0; j < n; j++) {
        double *k = e->k + j * n, *inverse = e->inverse + j * n;
        for (int64_t i = 0; i < n; i++) {
            k[i] *= e->alpha[i] * e->alpha[j] - inverse[i];
            sum += k[i];
        }
        trace += e->alpha[j] * e->alpha[j] - inverse[j];
    }
    memset(gradient, 0, (size_t)gp_count(d) * sizeof *gradient);
    gp_gauss_distances(e->x, e->x, 0, n, e->k, gradient + 1);
    gradient[0] = 0.5 * sum;
    for (int64_t c = 0; c < d; c++) {
        gradient[1 + c] *= 0.5 * exp(-2.0 * theta[1 + c]);
    }
    gradient[d + 1] = 0.5 * noise * trace;
}

double gp_exact_likelihood(gp_exact *e, const double *theta, double *gradient)
{
    int64_t n = e->x->n;
    double logs = 0.0, noise = exp(theta[e->x->d + 1]);
    gp_gauss_block(e->x, e->x, 0, n, theta, e->k);
    memcpy(e->inverse, e->k, (size_t)(n * n) * sizeof *e->k);
    for (int64_t i = 0; i < n; i++) {
        e->inverse[i * (n + 1)] += noise;
    }
    if (linalg_cholesky(e->ctx, n, e->inverse) != NONSENS_OK) {
        return -INFINITY;
    }
    for (int64_t i = 0; i < n; i++) {
        logs += 2.0 * log(e->inverse[i * (n + 1)]);
    }
    memcpy(e->alpha, e->y, (size_t)n * sizeof *e->alpha);
    linalg_solve_lower(false, n, 1, e->inverse, n, e->alpha, n);
    linalg_solve_lower(true, n, 1, e->inverse, n, e->alpha, n);
    double value = -0.5 * (linalg_dot(n, e->y, e->alpha) + logs + (double)n * LOG_2_PI);
    if (gradient) {
        gradient_of(e, theta, gradient);
    }
    return value;
}
