/* inputs.c - computes the whitened variables and normal scores that the networks get as inputs. */
#include "nn/inputs.h"

#include "math/column.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <math.h>

enum { KNOTS = 65 };

static const double SMALLEST_EIGENVALUE = 1e-10; /* of a correlation matrix: if smaller, columns count as collinear */

/* white = C^(-1/2), the symmetric root, for the covariance C of z. */
static nonsens_status whitening(nonsens_context *ctx, arena *a, matrix z, double *white)
{
    int64_t d = z.cols;
    double *vector, *value;
    ARENA_TRY(ctx, a, vector, d * d);
    ARENA_TRY(ctx, a, value, d);
    linalg_gram(z.rows, d, z.v, z.ld, vector);
    for (int64_t k = 0; k < d * d; k++) {
        vector[k] /= (double)z.rows;
    }
    TRY(linalg_eigen_symmetric(ctx, a, d, vector, value));
    if (!(value[0] > SMALLEST_EIGENVALUE)) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "the variables are linear combinations of one another up to rounding; "
                    "leave one of them out");
    }
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            white[j * d + i] = 0.0;
            for (int64_t k = 0; k < d; k++) {
                white[j * d + i] += vector[k * d + i] * vector[k * d + j] / sqrt(value[k]);
            }
        }
    }
    return NONSENS_OK;
}

/*
 * Places knots at distinct quantiles, with the normal score of their mid-rank; returns how many.  The smallest and the
 * largest value are always knots, so only a constant column has fewer than two.
 */
static int place_knots(int64_t n, const double *sorted, double *at, double *score)
{
    int count = 0;
    for (int k = 0; k < KNOTS; k++) {
        int64_t rank = (int64_t)llround((double)k * (double)(n - 1) / (KNOTS - 1));
        double value = sorted[rank];
        if (count > 0 && value <= at[count - 1]) {
            continue;
        }
        int64_t first = rank, last = rank;
        while (first > 0 && sorted[first - 1] == value) {
            first--;
        }
        while (last + 1 < n && sorted[last + 1] == value) {
            last++;
        }
        at[count] = value;
        score[count++] = special_normal_quantile((0.5 * (double)(first + last) + 0.5) / (double)n);
    }
    return count;
}

/* Computes scores and their slopes; out and slope (n) are zero on entry, and remain zero for a constant column. */
static void warp(int64_t n, const double *z, const double *sorted, double *out, double *slope)
{
    double at[KNOTS], score[KNOTS];
    int knots = place_knots(n, sorted, at, score);
    if (knots < 2) {
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int k = 0, high = knots - 2; // finds the last knot at or below z, except the very last
        while (k < high) {
            int middle = (k + high + 1) / 2;
            if (at[middle] <= z[i]) {
                k = middle;
            } else {
                high = middle - 1;
            }
        }
        slope[i] = (score[k + 1] - score[k]) / (at[k + 1] - at[k]);
        out[i] = score[k] + slope[i] * (z[i] - at[k]);
    }
}

nonsens_status nn_inputs_new(nonsens_context *ctx, arena *a, matrix x, nn_inputs *out)
{
    int64_t n = x.rows, d = x.cols;
    double *z, *view, *slope, *sorted;
    ARENA_TRY(ctx, a, z, n * d);
    ARENA_TRY(ctx, a, view, n * 2 * d);
    ARENA_TRY(ctx, a, slope, n * d);
    ARENA_TRY(ctx, a, out->white, d * d);
    out->z = matrix_view(z, n, d);
    out->view = matrix_view(view, n, 2 * d);
    out->slope = matrix_view(slope, n, d);
    for (int64_t j = 0; j < d; j++) {
        column_standardise(n, matrix_col(x, j), matrix_col(out->z, j));
        arena_mark mark = arena_tell(a);
        TRY(sort_copy(ctx, a, n, matrix_col(out->z, j), &sorted));
        warp(n, matrix_col(out->z, j), sorted, matrix_col(out->view, d + j), matrix_col(out->slope, j));
        arena_rewind(a, mark);
    }
    TRY(whitening(ctx, a, out->z, out->white));
    for (int64_t k = 0; k < d; k++) {
        double *to = matrix_col(out->view, k); // zero so far
        for (int64_t j = 0; j < d; j++) {
            const double *from = matrix_col(out->z, j);
            for (int64_t i = 0; i < n; i++) {
                to[i] += out->white[j * d + k] * from[i];
            }
        }
    }
    return NONSENS_OK;
}

void nn_inputs_chain(const nn_inputs *in, const double *by_view, double *by_z)
{
    int64_t n = in->z.rows, d = in->z.cols;
    for (int64_t i = 0; i < n; i++) {
        const double *g = by_view + i * 2 * d;
        for (int64_t j = 0; j < d; j++) {
            double sum = g[d + j] * matrix_col(in->slope, j)[i];
            for (int64_t k = 0; k < d; k++) {
                sum += in->white[j * d + k] * g[k];
            }
            by_z[i * d + j] = sum;
        }
    }
}
