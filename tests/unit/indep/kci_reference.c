#include "indep/kci_reference.h"

#include "indep/hsic_reference.h"
#include "indep/kci_internal.h"
#include "math/linalg.h"

#include <math.h>

/* Adds the squared distances of these columns, in units of widths, to k (n, n). */
static void add_distances(const column_set *points, const double *width, double *k)
{
    for (int64_t c = 0; c < points->d; c++) {
        for (int64_t i = 0; i < points->n; i++) {
            for (int64_t j = 0; j < points->n; j++) {
                double d = (points->v[c][i] - points->v[c][j]) / width[c];
                k[i * points->n + j] += d * d;
            }
        }
    }
}

/* Computes the centred kernel of the target, joined with z if `with` is given. */
static nonsens_status plain_kernel(nonsens_context *ctx, arena *scratch, const column_set *target, const double *width,
                                   const column_set *with, const double *width_with, double **out)
{
    int64_t n = target->n;
    double *k, *mean;
    ARENA_TRY(ctx, scratch, k, n * n);
    ARENA_TRY(ctx, scratch, mean, n);
    add_distances(target, width, k);
    if (with) {
        add_distances(with, width_with, k);
    }
    for (int64_t i = 0; i < n * n; i++) {
        k[i] = exp(-0.5 * k[i]);
    }
    hsic_centre_matrix(n, k, mean);
    *out = k;
    return NONSENS_OK;
}

/* Computes R = ridge (K_z + ridge I)^-1; the identity if k_z is NULL. */
static nonsens_status residual_maker(nonsens_context *ctx, arena *scratch, int64_t n, const double *k_z, double ridge,
                                     double **out)
{
    double *a, *r;
    ARENA_TRY(ctx, scratch, a, n * n);
    ARENA_TRY(ctx, scratch, r, n * n);
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = k_z ? k_z[i] : 0.0;
    }
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] += k_z ? ridge : 1.0;
        r[i * n + i] = k_z ? ridge : 1.0;
    }
    *out = r;
    return linalg_solve(ctx, scratch, n, n, a, r);
}

/* Replaces k by R K R; scale (n): the factors of its rows in the null moments. */
static nonsens_status plain_side(nonsens_context *ctx, arena *scratch, int64_t n, const double *k_z, double ridge,
                                 double *k, double *scale)
{
    double *r, *square, *half;
    TRY(residual_maker(ctx, scratch, n, k_z, ridge, &r));
    ARENA_TRY(ctx, scratch, square, n * n);
    ARENA_TRY(ctx, scratch, half, n * n);
    linalg_gemm(false, false, n, n, n, 1.0, r, n, k, n, 0.0, half, n);
    linalg_gemm(false, true, n, n, n, 1.0, half, n, r, n, 0.0, k, n);
    linalg_gemm(false, true, n, n, n, 1.0, r, n, r, n, 0.0, square, n);
    for (int64_t t = 0; t < n; t++) {
        double m = square[t * n + t] - 1.0 / (double)n;
        double q = linalg_dot(n, square + t * n, square + t * n) - 1.0 / (double)n;
        m = fmax(KCI_MIN_MARGIN, m);
        scale[t] = sqrt(sqrt(fmin(m, fmax(m * m, q))) / m);
    }
    return NONSENS_OK;
}

/* Computes the moments from sums over pairs and triples of distinct rows of g (n, n), whose diagonal is overwritten. */
static nonsens_status plain_moments(nonsens_context *ctx, arena *scratch, int64_t n, double *g, kci_plain_result *out)
{
    double *square, third = 0.0, rows = (double)n;
    ARENA_TRY(ctx, scratch, square, n * n);
    for (int64_t t = 0; t < n; t++) {
        out->mean += g[t * n + t] / rows;
        g[t * n + t] = 0.0;
    }
    linalg_gemm(false, false, n, n, n, 1.0, g, n, g, n, 0.0, square, n);
    for (int64_t i = 0; i < n * n; i++) {
        out->variance += 2.0 * g[i] * g[i] / (rows * rows);
        third += 8.0 * square[i] * g[i] / (rows * rows * rows);
    }
    out->skewness = out->variance > 0 ? third / (out->variance * sqrt(out->variance)) : 0.0;
    return NONSENS_OK;
}

nonsens_status kci_reference(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                             const column_set *z, const kci_plain *plain, kci_plain_result *out)
{
    int64_t n = x->n;
    const column_set *with = plain->width_beside ? z : NULL;
    double *k_x, *k_y, *k_zx = NULL, *k_zy = NULL, *scale_x, *scale_y;
    *out = (kci_plain_result){0};
    if (n < 2 || y->n != n || (z->d > 0 && (z->n != n || !(plain->ridge_x > 0) || !(plain->ridge_y > 0)))) {
        return fail(ctx, NONSENS_ERR_USAGE, "KCI reference: needs the same two rows or more, and positive ridges");
    }
    TRY(plain_kernel(ctx, scratch, x, plain->width_x, with, plain->width_beside, &k_x));
    TRY(plain_kernel(ctx, scratch, y, plain->width_y, with, plain->width_beside, &k_y));
    if (z->d > 0) {
        TRY(plain_kernel(ctx, scratch, z, plain->width_z_x, NULL, NULL, &k_zx));
        TRY(plain_kernel(ctx, scratch, z, plain->width_z_y, NULL, NULL, &k_zy));
    }
    ARENA_TRY(ctx, scratch, scale_x, n);
    ARENA_TRY(ctx, scratch, scale_y, n);
    TRY(plain_side(ctx, scratch, n, k_zx, plain->ridge_x, k_x, scale_x));
    TRY(plain_side(ctx, scratch, n, k_zy, plain->ridge_y, k_y, scale_y));
    out->statistic = linalg_dot(n * n, k_x, k_y) / (double)n;
    for (int64_t t = 0; t < n; t++) {
        for (int64_t s = 0; s < n; s++) {
            k_x[t * n + s] *= k_y[t * n + s] * scale_x[t] * scale_y[t] * scale_x[s] * scale_y[s];
        }
    }
    return plain_moments(ctx, scratch, n, k_x, out);
}
