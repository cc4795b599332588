#include "indep/hsic_reference.h"

#include "indep/hsic_internal.h"
#include "math/linalg.h"

#include <math.h>

void hsic_centre_matrix(int64_t n, double *k, double *mean)
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

static nonsens_status reference_kernel(nonsens_context *ctx, arena *scratch, const column_set *points,
                                       const double *width, double **out)
{
    int64_t n = points->n;
    double *mean, *k;
    ARENA_TRY(ctx, scratch, mean, n);
    ARENA_TRY(ctx, scratch, k, n * n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int64_t l = 0; l < points->d; l++) {
                double each = width[l] > 0 ? (points->v[l][i] - points->v[l][j]) / width[l] : 0.0;
                sum += each * each;
            }
            k[i * n + j] = k[j * n + i] = exp(-0.5 * sum);
        }
    }
    hsic_centre_matrix(n, k, mean);
    *out = k;
    return NONSENS_OK;
}

static nonsens_status reference_invariants(nonsens_context *ctx, arena *scratch, int64_t n, const double *w,
                                           hsic_invariants *v)
{
    double *square; // (n, n)
    ARENA_TRY(ctx, scratch, square, n * n);
    linalg_gram(n, n, w, n, square); // W is symmetric
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

/* Computes the eigenvalues of k (n, n), which is overwritten, in descending order. */
static nonsens_status reference_eigen(nonsens_context *ctx, arena *scratch, int64_t n, double *k, double **out)
{
    double *eigen;
    ARENA_TRY(ctx, scratch, eigen, n);
    ARENA_TRY(ctx, scratch, *out, n);
    TRY(linalg_eigen_symmetric(ctx, scratch, n, k, eigen));
    for (int64_t i = 0; i < n; i++) {
        (*out)[i] = fmax(0.0, eigen[n - 1 - i]);
    }
    return NONSENS_OK;
}

static nonsens_status reference_spectral(nonsens_context *ctx, arena *scratch, int64_t n, double *k, double *l,
                                         const double trace[2], const hsic_cumulants *c, hsic_result *out)
{
    double *eigen[2];
    hsic_stratum s = {0};
    ARENA_TRY(ctx, scratch, s.weights.weight, HSIC_WEIGHTS);
    TRY(reference_eigen(ctx, scratch, n, k, &eigen[0]));
    TRY(reference_eigen(ctx, scratch, n, l, &eigen[1]));
    TRY(hsic_spectrum(ctx, scratch, n, (const int64_t[2]){n, n}, (const double *const[2]){eigen[0], eigen[1]}, trace,
                      &s.weights));
    return hsic_spectral_tail(ctx, scratch, 1, &s, c, out->statistic, &out->p_value);
}

nonsens_status hsic_reference(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                              const double *width_x, const double *width_y, enum option_null_kind null_kind,
                              hsic_result *out)
{
    double *k, *l;
    hsic_invariants v, w;
    int64_t n = x->n;
    if (n < HSIC_MIN_ROWS_MOMENTS || y->n != n) {
        return fail(ctx, NONSENS_ERR_USAGE, "HSIC reference: needs at least %d rows, the same of x and y",
                    HSIC_MIN_ROWS_MOMENTS);
    }
    TRY(reference_kernel(ctx, scratch, x, width_x, &k));
    TRY(reference_kernel(ctx, scratch, y, width_y, &l));
    TRY(reference_invariants(ctx, scratch, n, k, &v));
    TRY(reference_invariants(ctx, scratch, n, l, &w));
    hsic_cumulants c = hsic_permutation_cumulants(n, &v, &w);
    *out = (hsic_result){.mean = c.mean, .variance = c.variance, .rows_used = n, .segments_used = 1, .rank = {n, n}};
    out->statistic = linalg_dot(n * n, k, l) / (double)n;
    out->skewness = c.variance > 0 ? c.third / (c.variance * sqrt(c.variance)) : 0.0;
    out->p_value = hsic_tail(&c, out->statistic);
    return null_kind == NULL_SPECTRAL ? reference_spectral(ctx, scratch, n, k, l, (const double[2]){v.t, w.t}, &c, out)
                                      : NONSENS_OK;
}
