/*
 * gp_gauss.c - computes blocks of the Gaussian kernel with one length per regressor.  Distances are sums of squared
 * differences (differences of products would cancel); exponentials are computed two at a time (math/pair_exp.h).
 */
#include "math/pair_exp.h"
#include "regress/gp_internal.h"

#include <math.h>

static void exponentials(int64_t n, double variance, double *v)
{
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        pair_store(v + i, variance * pair_exp(pair_load(v + i)));
    }
    for (; i < n; i++) {
        pair both = pair_fill(v[i]);
        v[i] = variance * pair_exp(both)[0];
    }
}

void gp_gauss_block(const column_set *a, const column_set *b, int64_t first, int64_t count, const double *theta,
                    double *k)
{
    double variance = exp(theta[0]);
    for (int64_t j = 0; j < count; j++) {
        double *column = k + j * a->n;
        for (int64_t i = 0; i < a->n; i++) {
            column[i] = 0.0;
        }
        for (int64_t c = 0; c < a->d; c++) {
            const double *v = a->v[c];
            double at = b->v[c][first + j], scale = 0.5 * exp(-2.0 * theta[1 + c]);
            for (int64_t i = 0, n = a->n; i < n; i++) {
                column[i] -= (v[i] - at) * (v[i] - at) * scale;
            }
        }
        exponentials(a->n, variance, column);
    }
}

static double weighted_squares(int64_t n, const double *a, double at, const double *w)
{
    pair sum = {0};
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        pair from = pair_load(a + i) - at;
        sum += pair_load(w + i) * from * from;
    }
    double rest = i < n ? w[i] * (a[i] - at) * (a[i] - at) : 0.0;
    return sum[0] + sum[1] + rest;
}

void gp_gauss_distances(const column_set *a, const column_set *b, int64_t first, int64_t count, const double *w,
                        double *sum)
{
    for (int64_t j = 0; j < count; j++) {
        for (int64_t c = 0; c < a->d; c++) {
            sum[c] += weighted_squares(a->n, a->v[c], b->v[c][first + j], w + j * a->n);
        }
    }
}

nonsens_status gp_spread_rows(nonsens_context *ctx, arena *a, const column_set *x, const double *y, int64_t max_rows,
                              column_set *out, double **out_y)
{
    double **column;
    int64_t n = x->n < max_rows ? x->n : max_rows;
    ARENA_TRY(ctx, a, column, x->d);
    for (int64_t c = 0; c <= x->d; c++) {
        const double *from = c < x->d ? x->v[c] : y;
        double *to;
        if (!from) {
            break;
        }
        ARENA_TRY(ctx, a, to, n);
        for (int64_t i = 0; i < n; i++) {
            to[i] = from[n == x->n ? i : (int64_t)(((double)i + 0.5) / (double)n * (double)x->n)];
        }
        if (c < x->d) {
            column[c] = to;
        } else {
            *out_y = to;
        }
    }
    *out = (column_set){n, x->d, (const double *const *)column};
    return NONSENS_OK;
}
