/*
 * assess.c - measures how well an unmixing agrees with the truth: Amari index, matched correlations.
 *
 * Amari, Cichocki, Yang, "A new learning algorithm for blind signal separation", NIPS 8, 1995:
 *     [ sum_i (sum_j |p_ij| / max_k |p_ik| - 1) + sum_j (sum_i |p_ij| / max_k |p_kj| - 1) ] / (2 d (d - 1)).
 */
#include "ica/assess.h"

#include "math/assignment.h"
#include "math/linalg.h"

#include <math.h>

/* Returns sum |v| / max |v| - 1 of d values with stride; zeros, which give no information, count as the worst case. */
static double line_spread(int64_t d, int64_t stride, const double *v)
{
    double sum = 0.0, largest = 0.0;
    for (int64_t i = 0; i < d; i++) {
        largest = fmax(largest, fabs(v[i * stride]));
    }
    for (int64_t i = 0; largest > 0.0 && i < d; i++) {
        sum += fabs(v[i * stride]) / largest;
    }
    return largest > 0.0 ? sum - 1.0 : (double)(d - 1);
}

double ica_amari(int64_t d, const double *p)
{
    double sum = 0.0;
    for (int64_t i = 0; i < d; i++) {
        sum += line_spread(d, d, p + i) + line_spread(d, 1, p + i * d);
    }
    return d > 1 ? sum / (2.0 * (double)d * (double)(d - 1)) : 0.0;
}

/* Computes columns of x with mean 0 and length 1; zeros for a constant.  Scales first, since squares may overflow. */
static nonsens_status normalised(nonsens_context *ctx, arena *a, matrix x, double **out)
{
    int64_t n = x.rows;
    ARENA_TRY(ctx, a, *out, n * x.cols);
    for (int64_t j = 0; j < x.cols; j++) {
        double *to = *out + j * n, *v = matrix_col(x, j), largest = 0.0, mean = 0.0, square = 0.0;
        for (int64_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(v[i]));
        }
        for (int64_t i = 0; i < n; i++) {
            to[i] = largest > 0.0 ? v[i] / largest : 0.0;
            mean += to[i] / (double)n;
        }
        for (int64_t i = 0; i < n; i++) {
            to[i] -= mean;
            square += to[i] * to[i];
        }
        for (int64_t i = 0; i < n; i++) {
            to[i] = square > 0.0 ? to[i] / sqrt(square) : 0.0;
        }
    }
    return NONSENS_OK;
}

nonsens_status ica_mean_correlation(nonsens_context *ctx, arena *a, matrix truth, matrix estimate, int64_t *match,
                                    double *out)
{
    int64_t n = truth.rows, d = truth.cols;
    double *t, *e, *gain;
    TRY(normalised(ctx, a, truth, &t));
    TRY(normalised(ctx, a, estimate, &e));
    ARENA_TRY(ctx, a, gain, d * d);
    linalg_gemm(true, false, d, d, n, 1.0, t, n, e, n, 0.0, gain, d);
    for (int64_t i = 0; i < d * d; i++) {
        gain[i] = isfinite(gain[i]) ? fabs(gain[i]) : 0.0; /* a constant column matches nothing */
    }
    TRY(assignment_best(ctx, a, d, gain, match));
    *out = 0.0;
    for (int64_t j = 0; j < d; j++) {
        *out += gain[j + d * match[j]] / (double)d;
    }
    return NONSENS_OK;
}
