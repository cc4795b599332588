/*
 * whiten.c - whitens inside segments: centres the columns there and makes their pooled covariance the identity.
 *
 * Messages name the columns that are constant, not finite, or linearly dependent.
 */
#include "base/show.h"
#include "ica/ica_internal.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A smaller eigenvalue of the within-segment correlation matrix means linear dependence. */
static const double RANK_TOLERANCE = 1e-12;
/* A column that varies by less than this fraction of its largest value is constant. */
static const double CONSTANT_TOLERANCE = 1e-13;
/* One over the square of a smaller number may overflow. */
static const double SMALLEST = 1e-290;

static nonsens_status check_shape(nonsens_context *ctx, matrix z, int64_t segments, const int64_t *start)
{
    bool ordered = segments >= 1 && start[0] == 0 && start[segments] == z.rows;
    for (int64_t e = 0; ordered && e < segments; e++) {
        ordered = start[e] <= start[e + 1];
    }
    if (!ordered || z.cols < 1) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "unmixing needs at least one column and segment bounds that cover all %" PRId64 " rows in order",
                    z.rows);
    }
    int64_t free_rows = z.rows;
    for (int64_t e = 0; e < segments; e++) {
        free_rows -= start[e + 1] > start[e];
    }
    if (free_rows < z.cols) { /* each segment mean costs one row */
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "unmixing %" PRId64 " columns needs more rows than the %" PRId64 " given%s; give more rows", z.cols,
                    z.rows, segments > 1 ? ", less one for every segment" : "");
    }
    return NONSENS_OK;
}

/* Returns the name of column j in messages. */
static const char *column_name(const char *const *names, int64_t j, char buffer[SHOWN_BYTES])
{
    if (names) {
        return show_quoted(buffer, names[j]);
    }
    snprintf(buffer, SHOWN_BYTES, "feature %" PRId64, j + 1);
    return buffer;
}

static nonsens_status check_finite(nonsens_context *ctx, matrix z, const char *const *names)
{
    char name[SHOWN_BYTES];
    for (int64_t j = 0; j < z.cols; j++) {
        const double *column = matrix_col(z, j);
        for (int64_t i = 0; i < z.rows; i++) {
            if (!isfinite(column[i])) {
                return fail(ctx, NONSENS_ERR_NUMERIC,
                            "unmixing: %s is not a finite number in row %" PRId64
                            "; the features were not fitted properly or the data hold missing values",
                            column_name(names, j, name), i + 1);
            }
        }
    }
    return NONSENS_OK;
}

void ica_centre_column(const double *column, int64_t segments, const int64_t *start, double *out)
{
    for (int64_t e = 0; e < segments; e++) {
        double sum = 0.0, rest = 0.0;
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            sum += column[i];
        }
        double mean = sum / (double)(start[e + 1] - start[e]);
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            out[i] = column[i] - mean;
            rest += out[i];
        }
        rest /= (double)(start[e + 1] - start[e]);
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            out[i] -= rest;
        }
    }
}

static double largest_magnitude(int64_t n, const double *v)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++) {
        largest = fabs(v[i]) <= largest ? largest : fabs(v[i]); // fmax would ignore NaN
        if (!isfinite(largest)) {
            return INFINITY;
        }
    }
    return largest;
}

/* Centres columns and divides them by their within-segment standard deviation: y (n, d), scale (d). */
static nonsens_status standardise(nonsens_context *ctx, matrix z, int64_t segments, const int64_t *start,
                                  const char *const *names, double *y, double *scale)
{
    char name[SHOWN_BYTES];
    for (int64_t j = 0; j < z.cols; j++) {
        double *column = y + j * z.rows;
        ica_centre_column(matrix_col(z, j), segments, start, column);
        double largest = largest_magnitude(z.rows, column);
        if (largest > 0.0 && largest < SMALLEST) {
            return fail(ctx, NONSENS_ERR_NUMERIC, "unmixing: %s changes by less than 1e-290; rescale it",
                        column_name(names, j, name));
        }
        if (!isfinite(largest)) {
            return fail(ctx, NONSENS_ERR_NUMERIC, "unmixing: %s overflows; rescale it", column_name(names, j, name));
        }
        if (largest <= CONSTANT_TOLERANCE * largest_magnitude(z.rows, matrix_col(z, j))) {
            return fail(ctx, NONSENS_ERR_NUMERIC, "unmixing: %s is constant inside every segment; %s",
                        column_name(names, j, name), names ? "leave it out" : "restart the fit");
        }
        double squares = 0.0; /* of values at most 1, so that neither tiny nor huge units cause under- or overflow */
        for (int64_t i = 0; i < z.rows; i++) {
            column[i] /= largest;
            squares += column[i] * column[i];
        }
        double standard_deviation = sqrt(squares / (double)z.rows);
        for (int64_t i = 0; i < z.rows; i++) {
            column[i] /= standard_deviation;
        }
        scale[j] = standard_deviation * largest;
    }
    return NONSENS_OK;
}

/* Names the two features with the largest weights in the direction that has no variance. */
static nonsens_status fail_rank(nonsens_context *ctx, int64_t d, const double *direction, const char *const *names)
{
    char one[SHOWN_BYTES], other[SHOWN_BYTES];
    int64_t first = 0, second = -1;
    for (int64_t j = 1; j < d; j++) {
        if (fabs(direction[j]) > fabs(direction[first])) {
            second = first;
            first = j;
        } else if (second < 0 || fabs(direction[j]) > fabs(direction[second])) {
            second = j;
        }
    }
    return fail(ctx, NONSENS_ERR_NUMERIC,
                "unmixing: the %" PRId64 " columns are linearly dependent inside segments (mostly %s and %s); "
                "%s",
                d, column_name(names, first < second ? first : second, one),
                column_name(names, first < second ? second : first, other),
                names ? "leave one of them out" : "restart the fit");
}

/* white = diag(w)^-1/2 U' diag(scale)^-1 from the eigenvectors U of the correlation matrix. */
nonsens_status ica_whiten(nonsens_context *ctx, arena *a, matrix z, int64_t segments, const int64_t *start,
                          const char *const *names, double *y, double *scale, double *white)
{
    int64_t n = z.rows, d = z.cols;
    double *correlation, *eigenvalue;
    TRY(check_shape(ctx, z, segments, start));
    TRY(check_finite(ctx, z, names));
    TRY(standardise(ctx, z, segments, start, names, y, scale));
    ARENA_TRY(ctx, a, correlation, d * d);
    ARENA_TRY(ctx, a, eigenvalue, d);
    linalg_gram(n, d, y, n, correlation);
    for (int64_t i = 0; i < d * d; i++) {
        correlation[i] /= (double)n;
    }
    TRY(linalg_eigen_symmetric(ctx, a, d, correlation, eigenvalue));
    if (!(eigenvalue[0] > RANK_TOLERANCE)) {
        return fail_rank(ctx, d, correlation, names);
    }
    for (int64_t k = 0; k < d; k++) {
        for (int64_t j = 0; j < d; j++) {
            white[j + d * k] = correlation[k + d * j] / (sqrt(eigenvalue[j]) * scale[k]);
        }
    }
    return NONSENS_OK;
}
