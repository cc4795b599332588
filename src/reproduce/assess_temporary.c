/* assess_temporary.c - ica_amari and ica_mean_correlation for two sources, until ica/assess.c is there. */
#include "ica/assess.h"

#include <math.h>

double ica_amari(int64_t d, const double *p)
{
    double sum = 0.0;
    for (int64_t i = 0; i < d; i++) {
        double row = 0.0, column = 0.0, row_most = 0.0, column_most = 0.0;
        for (int64_t j = 0; j < d; j++) {
            row += fabs(p[i + d * j]);
            column += fabs(p[j + d * i]);
            row_most = fmax(row_most, fabs(p[i + d * j]));
            column_most = fmax(column_most, fabs(p[j + d * i]));
        }
        sum += row / row_most - 1.0 + column / column_most - 1.0;
    }
    return sum / (double)(2 * d * (d - 1));
}

static double absolute_correlation(int64_t n, const double *a, const double *b)
{
    double sum_a = 0.0, sum_b = 0.0, aa = 0.0, bb = 0.0, ab = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum_a += a[i];
        sum_b += b[i];
    }
    for (int64_t i = 0; i < n; i++) {
        double u = a[i] - sum_a / (double)n, v = b[i] - sum_b / (double)n;
        aa += u * u;
        bb += v * v;
        ab += u * v;
    }
    return fabs(ab) / sqrt(aa * bb);
}

nonsens_status ica_mean_correlation(nonsens_context *ctx, arena *a, matrix truth, matrix estimate, int64_t *match,
                                    double *out)
{
    double straight = 0.0, crossed = 0.0;
    (void)ctx;
    (void)a;
    for (int64_t j = 0; j < 2; j++) {
        straight += absolute_correlation(truth.rows, matrix_col(truth, j), matrix_col(estimate, j));
        crossed += absolute_correlation(truth.rows, matrix_col(truth, j), matrix_col(estimate, 1 - j));
    }
    for (int64_t j = 0; j < 2; j++) {
        match[j] = straight >= crossed ? j : 1 - j;
    }
    *out = 0.5 * fmax(straight, crossed);
    return NONSENS_OK;
}
