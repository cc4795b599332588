/*
 * lingam_rows.c - passes over the rows in pairs of doubles; the file may fuse multiply and add.
 *
 * Entropy of a standardised u by the maximum-entropy approximation (Hyvarinen, "New approximations of differential
 * entropy for independent component analysis and projection pursuit", NIPS 1997; in this form Hyvarinen and Smith,
 * JMLR 14, 2013):
 *
 *     H(u) = H(v) - k1 (E log cosh u - gamma)^2 - k2 (E u exp(-u^2 / 2))^2,   H(v) = (1 + log 2 pi) / 2,
 *
 * k1 = 79.047, k2 = 7.4129, gamma = 0.37457.  The logarithms of many rows are taken at once: log cosh u = |u| +
 * log(1 + exp(-2 |u|)) - log 2, and the logarithm of a product is that of its factors together.
 */
#include "methods/lingam_rows.h"

#include "math/pair_exp.h"

#include <math.h>

enum { TILE_ROWS = 512 }; /* a product of so many numbers between 1 and 2 is finite */
static const double LOG_2 = 0.69314718055994530942;
static const double GAUSSIAN_ENTROPY = 1.41893853320467274178;
static const double K1 = 79.047, K2 = 7.4129, GAMMA = 0.37457;
static const double CLOSE = 1e-4; /* 1 - rho^2 from which on the variance of a residual is measured, not computed */

#define ROWS_INLINE static inline __attribute__((always_inline))

/* Sums over rows of u = what a column holds, times a scale. */
typedef struct shape_sums {
    pair size, bump, product;
    double shoulders;
} shape_sums;

static double both(pair v)
{
    return v[0] + v[1];
}

ROWS_INLINE void shape_add(shape_sums *sums, pair u)
{
    pair size = pair_abs(u), within = pair_select(size > 20.0, pair_fill(20.0), size);
    sums->size += size;
    sums->product *= 2.0 + pair_expm1(-2.0 * within);
    sums->bump += u * pair_exp(-0.5 * (u * u));
}

ROWS_INLINE void shape_end_tile(shape_sums *sums)
{
    sums->shoulders += log(sums->product[0]) + log(sums->product[1]);
    sums->product = pair_fill(1.0);
}

static double shape_entropy(const shape_sums *sums, int64_t n)
{
    double rows = (double)n, padded = (double)lingam_rows_padded(n);
    double log_cosh = (both(sums->size) + (sums->shoulders - padded * LOG_2)) / rows - GAMMA;
    double bump = both(sums->bump) / rows;
    return GAUSSIAN_ENTROPY - K1 * log_cosh * log_cosh - K2 * bump * bump;
}

double lingam_rows_entropy(int64_t n, const double *x)
{
    shape_sums sums = {.product = {1.0, 1.0}};
    int64_t padded = lingam_rows_padded(n);
    for (int64_t first = 0; first < padded; first += TILE_ROWS) {
        int64_t end = first + TILE_ROWS < padded ? first + TILE_ROWS : padded;
        for (int64_t i = first; i < end; i += 2) {
            shape_add(&sums, pair_load(x + i));
        }
        shape_end_tile(&sums);
    }
    return shape_entropy(&sums, n);
}

double lingam_rows_product(int64_t n, const double *x, const double *y)
{
    pair sum[4] = {{0}};
    int64_t padded = lingam_rows_padded(n), i = 0;
    for (; i + 8 <= padded; i += 8) {
        for (int k = 0; k < 4; k++) {
            sum[k] += pair_load(x + i + 2 * k) * pair_load(y + i + 2 * k);
        }
    }
    for (; i < padded; i += 2) {
        sum[0] += pair_load(x + i) * pair_load(y + i);
    }
    return both((sum[0] + sum[1]) + (sum[2] + sum[3])) / (double)n;
}

/* One over the standard deviation of x - rho y, which is small: 1 - rho^2 has few digits there. */
static double measured_scale(int64_t n, const double *x, const double *y, double rho)
{
    pair sum = {0};
    for (int64_t i = 0; i < lingam_rows_padded(n); i += 2) {
        pair rest = pair_load(x + i) - rho * pair_load(y + i);
        sum += rest * rest;
    }
    double variance = both(sum) / (double)n;
    return variance > 0.0 ? 1.0 / sqrt(variance) : 0.0;
}

static void residual_scales(int64_t n, const double *x, const double *y, double rho, double scale[2])
{
    double left = (1.0 - rho) * (1.0 + rho);
    if (left > CLOSE) {
        scale[0] = scale[1] = 1.0 / sqrt(left);
    } else {
        scale[0] = measured_scale(n, x, y, rho);
        scale[1] = measured_scale(n, y, x, rho);
    }
}

void lingam_rows_residuals(int64_t n, const double *x, const double *y, double rho, double out[2])
{
    double scale[2];
    shape_sums of_x = {.product = {1.0, 1.0}}, of_y = of_x;
    int64_t padded = lingam_rows_padded(n);
    residual_scales(n, x, y, rho, scale);
    for (int64_t first = 0; first < padded; first += TILE_ROWS) {
        int64_t end = first + TILE_ROWS < padded ? first + TILE_ROWS : padded;
        for (int64_t i = first; i < end; i += 2) {
            pair a = pair_load(x + i), b = pair_load(y + i);
            shape_add(&of_x, (a - rho * b) * scale[0]);
            shape_add(&of_y, (b - rho * a) * scale[1]);
        }
        shape_end_tile(&of_x);
        shape_end_tile(&of_y);
    }
    out[0] = shape_entropy(&of_x, n);
    out[1] = shape_entropy(&of_y, n);
}

/* Brings y to mean 0 and variance 1; returns its standard deviation. */
static double standardise(int64_t n, double *y)
{
    double mean = 0.0, scale = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += y[i];
    }
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        y[i] -= mean;
    }
    double sd = sqrt(lingam_rows_product(n, y, y));
    scale = sd > 0.0 ? 1.0 / sd : 0.0;
    for (int64_t i = 0; i < n; i++) {
        y[i] *= scale;
    }
    return sd;
}

double lingam_rows_take_out(int64_t n, const double *x, double *y, double *rho)
{
    double slope = lingam_rows_product(n, x, y);
    for (int64_t i = 0; i < n; i++) {
        y[i] -= slope * x[i];
    }
    *rho = slope;
    return standardise(n, y);
}
