/* hsic_reference.c - the plain quadratic forms of the HSIC test with n x n matrices, which the factors are tested by.
 */
#include "indep/hsic.h"

#include "indep/hsic_internal.h"
#include "math/linalg.h"

#include <math.h>

static void centre_matrix(int64_t n, double *k, double *mean)
{
    double all = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean[i] = 0.0;
        for (int64_t j = 0; j < n; j++) {
            mean[i] += k[i * n + j] / (double)n;
        }
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            k[i * n + j] += all - mean[i] - mean[j];
        }
    }
}

static nonsens_status reference_kernel(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double width,
                                       double **out)
{
    double *mean, *k;
    ARENA_TRY(ctx, scratch, mean, n);
    ARENA_TRY(ctx, scratch, k, n * n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double d = (v[i] - v[j]) / width;
            k[i * n + j] = exp(-0.5 * d * d);
        }
    }
    centre_matrix(n, k, mean);
    *out = k;
    return NONSENS_OK;
}

static nonsens_status reference_invariants(nonsens_context *ctx, arena *scratch, int64_t n, const double *w,
                                           hsic_invariants *v)
{
    double *square; // (n, n)
    ARENA_TRY(ctx, scratch, square, n * n);
    linalg_gemm(false, false, n, n, n, 1.0, w, n, w, n, 0.0, square, n);
    *v = (hsic_invariants){0};
    for (int64_t i = 0; i < n; i++) {
        double d = w[i * n + i];
        v->t += d;
        v->t2 += square[i * n + i];
        v->s2 += d * d;
        v->s3 += d * d * d;
        v->r += d * square[i * n + i];
        for (int64_t j = 0; j < n; j++) {
            double each = w[i * n + j];
            v->t3 += square[i * n + j] * each;
            v->u += each * each * each;
            v->b += d * each * w[j * n + j];
        }
    }
    return NONSENS_OK;
}

nonsens_status hsic_reference(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                              double width_x, double width_y, double *statistic, double *mean, double *variance)
{
    double *k, *l;
    hsic_invariants v, w;
    if (n < HSIC_LEAST_ROWS_MOMENTS || !(width_x > 0) || !(width_y > 0)) {
        return fail(ctx, NONSENS_ERR_USAGE, "HSIC reference: needs at least %d rows and positive widths",
                    HSIC_LEAST_ROWS_MOMENTS);
    }
    TRY(reference_kernel(ctx, scratch, n, x, width_x, &k));
    TRY(reference_kernel(ctx, scratch, n, y, width_y, &l));
    TRY(reference_invariants(ctx, scratch, n, k, &v));
    TRY(reference_invariants(ctx, scratch, n, l, &w));
    hsic_cumulants c = hsic_permutation_cumulants(n, &v, &w);
    *statistic = hsic_dot(n * n, k, l) / (double)n;
    *mean = c.mean;
    *variance = c.variance;
    return NONSENS_OK;
}
