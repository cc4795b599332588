/* kci_exact.c - computes the test of kci_exact.h, segment by segment. */
#include "kci_exact.h"

#include "indep/kernel.h"
#include "math/column.h"
#include "math/linalg.h"
#include "math/special.h"

#include <math.h>

static double exact_width(int64_t n)
{
    return n <= 200 ? 0.8 : n <= 1200 ? 0.5 : 0.3;
}

static nonsens_status standard_column(nonsens_context *ctx, arena *a, int64_t n, const double *v, bool median,
                                      double factor, double **out)
{
    double width = exact_width(n);
    ARENA_TRY(ctx, a, *out, n);
    column_standardise(n, v, *out);
    if (median) {
        TRY(kernel_width(ctx, n, *out, &width));
    }
    for (int64_t i = 0; i < n; i++) {
        (*out)[i] *= factor / width;
    }
    return NONSENS_OK;
}

static nonsens_status exact_kernel(nonsens_context *ctx, arena *a, int64_t n, int64_t d, double *const *v, double **out)
{
    double *k, *mean, all = 0;
    ARENA_TRY(ctx, a, k, n * n);
    ARENA_TRY(ctx, a, mean, n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double q = 0;
            for (int64_t c = 0; c < d; c++) {
                q += (v[c][i] - v[c][j]) * (v[c][i] - v[c][j]);
            }
            k[i * n + j] = exp(-0.5 * q);
            mean[i] += k[i * n + j] / (double)n;
        }
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n * n; i++) {
        k[i] += all - mean[i / n] - mean[i % n];
    }
    *out = k;
    return NONSENS_OK;
}

/* Adds statistic, mean and variance of one segment. */
static nonsens_status exact_segment(nonsens_context *ctx, arena *a, const double *x, const double *y,
                                    const column_set *z, int64_t first, int64_t n, bool median, double sum[3])
{
    double **v, *k[3], *m, *r, *half; // x, z halved; y; z
    ARENA_TRY(ctx, a, v, 2 * z->d + 2);
    TRY(standard_column(ctx, a, n, x + first, median, 1.0, v));
    TRY(standard_column(ctx, a, n, y + first, median, 1.0, v + 1 + z->d));
    for (int64_t j = 0; j < z->d; j++) {
        TRY(standard_column(ctx, a, n, z->v[j] + first, median, 0.5, v + 1 + j));
        TRY(standard_column(ctx, a, n, z->v[j] + first, median, 1.0, v + 2 + z->d + j));
    }
    TRY(exact_kernel(ctx, a, n, 1 + z->d, v, k));
    TRY(exact_kernel(ctx, a, n, 1, v + 1 + z->d, k + 1));
    TRY(exact_kernel(ctx, a, n, z->d, v + 2 + z->d, k + 2));
    ARENA_TRY(ctx, a, m, n * n);
    ARENA_TRY(ctx, a, r, n * n);
    ARENA_TRY(ctx, a, half, n * n);
    for (int64_t i = 0; i < n * n; i++) {
        m[i] = k[2][i] + (i % (n + 1) == 0 ? 1e-3 : 0.0);
        r[i] = i % (n + 1) == 0 ? 1e-3 : 0.0;
    }
    TRY(linalg_solve(ctx, a, n, n, m, r));
    for (int side = 0; side < 2; side++) {
        linalg_gemm(false, false, n, n, n, 1.0, r, n, k[side], n, 0.0, half, n);
        linalg_gemm(false, true, n, n, n, 1.0, half, n, r, n, 0.0, k[side], n);
    }
    for (int64_t i = 0; i < n * n; i++) {
        double g = k[0][i] * k[1][i] / (double)n;
        sum[0] += g;
        sum[1] += i % (n + 1) == 0 ? g : 0.0;
        sum[2] += 2 * g * g;
    }
    return NONSENS_OK;
}

nonsens_status kci_exact(nonsens_context *ctx, arena *a, const double *x, const double *y, const column_set *z,
                         const row_groups *groups, bool by_median, double *p)
{
    double sum[3] = {0};
    for (int64_t e = 0; e < groups->count; e++) {
        arena_mark mark = arena_tell(a);
        int64_t first = groups->start[e];
        TRY(exact_segment(ctx, a, x, y, z, first, groups->start[e + 1] - first, by_median, sum));
        arena_rewind(a, mark);
    }
    *p = special_gamma_tail(sum[1], sum[2], sum[0]);
    return NONSENS_OK;
}
