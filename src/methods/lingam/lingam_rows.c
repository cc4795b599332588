/*
 * lingam_rows.c - passes over the rows in pairs of doubles; the compiler may fuse multiply and add in this file.
 *
 * Entropy of a standardised u by the maximum-entropy approximation (Hyvarinen, "New approximations of differential
 * entropy for independent component analysis and projection pursuit", NIPS 1997; in this form Hyvarinen and Smith,
 * JMLR 14, 2013):
 *
 *     H(u) = H(v) - k1 (E log cosh u - gamma)^2 - k2 (E u exp(-u^2 / 2))^2,   H(v) = (1 + log 2 pi) / 2,
 *
 * k1 = 79.047, k2 = 7.4129, gamma = 0.37457.
 *
 * A table gives both functions of u at once.  A cell of width 1/16 has a polynomial of degree 6 for either, which
 * interpolates it in seven Chebyshev points with an error below 1e-13.  Beyond 16, log cosh u = |u| - log 2 and
 * u exp(-u^2 / 2) = 0 to 2e-14.  This is twice as fast as two exponentials of pairs of rows.
 */
#include "methods/lingam/lingam_rows.h"

#include "math/pair_exp.h"

#include <math.h>
#include <stdbool.h>

enum { HALF_CELLS = LINGAM_CELLS / 2, CELLS_A_UNIT = 16 };
static const double LOG_2 = 0.69314718055994530942, PI = 3.14159265358979323846;
static const double GAUSSIAN_ENTROPY = 1.41893853320467274178;
static const double K1 = 79.047, K2 = 7.4129, GAMMA = 0.37457;
static const double CLOSE = 1e-4; /* up to this 1 - rho^2 the variance of a residual comes from the rows */

#define ROWS_INLINE static inline __attribute__((always_inline))

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Computes the coefficients of the polynomial with these values at these points, by Newton's divided differences. */
static void interpolate(const double *point, double *value, double *coefficient)
{
    for (int level = 1; level < LINGAM_TERMS; level++) {
        for (int i = LINGAM_TERMS - 1; i >= level; i--) {
            value[i] = (value[i] - value[i - 1]) / (point[i] - point[i - level]);
        }
    }
    for (int i = 0; i < LINGAM_TERMS; i++) {
        coefficient[i] = 0.0;
    }
    for (int i = LINGAM_TERMS - 1; i >= 0; i--) { // times (t - point), plus the next difference
        for (int k = LINGAM_TERMS - 1; k > 0; k--) {
            coefficient[k] = coefficient[k - 1] - point[i] * coefficient[k];
        }
        coefficient[0] = value[i] - point[i] * coefficient[0];
    }
}

void lingam_table_fill(lingam_table *table)
{
    double point[LINGAM_TERMS], value[2][LINGAM_TERMS], coefficient[2][LINGAM_TERMS];
    for (int i = 0; i < LINGAM_TERMS; i++) {
        point[i] = 0.5 * cos((i + 0.5) * PI / LINGAM_TERMS);
    }
    for (int cell = 0; cell < LINGAM_CELLS; cell++) {
        for (int i = 0; i < LINGAM_TERMS; i++) {
            double u = (cell - HALF_CELLS + point[i]) / CELLS_A_UNIT;
            value[0][i] = fabs(u) + log1p(exp(-2.0 * fabs(u))) - LOG_2; // log cosh u
            value[1][i] = u * exp(-0.5 * u * u);
        }
        for (int which = 0; which < 2; which++) {
            interpolate(point, value[which], coefficient[which]);
            for (int i = 0; i < LINGAM_TERMS; i++) {
                table->v[cell][2 * i + which] = coefficient[which][i];
            }
        }
    }
}

/* ---- entropies ---- */

/* Sums over rows: pairs of log cosh u and u exp(-u^2 / 2); of |u| - log 2 if u is far out. */
typedef struct shape_sums {
    pair near[2];
    double far;
} shape_sums;

static double both(pair v)
{
    return v[0] + v[1];
}

/* Both functions at the point t of a cell, within 1/2 of its middle. */
ROWS_INLINE pair shapes_at(const double *cell, double t)
{
    pair sum = pair_load(cell + 2 * (LINGAM_TERMS - 1));
    for (int i = LINGAM_TERMS - 2; i >= 0; i--) {
        sum = sum * t + pair_load(cell + 2 * i);
    }
    return sum;
}

/* Adds two rows of u, in units of cells: CELLS_A_UNIT u. */
ROWS_INLINE void shape_add(const lingam_table *table, shape_sums *sums, pair u)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    pair shifted = u + magic, within = u - (shifted - magic);
    pair_bits cell = (pair_bits)shifted - (pair_bits)pair_fill(magic) + HALF_CELLS;
    for (int i = 0; i < 2; i++) {
        if (__builtin_expect((uint64_t)cell[i] < LINGAM_CELLS, 1)) {
            sums->near[i] += shapes_at(table->v[cell[i]], within[i]);
        } else {
            sums->far += fabs(u[i]) / CELLS_A_UNIT - LOG_2;
        }
    }
}

static double shape_entropy(const shape_sums *sums, int64_t n)
{
    pair near = sums->near[0] + sums->near[1];
    double rows = (double)n, even = (near[0] + sums->far) / rows - GAMMA, odd = near[1] / rows;
    return GAUSSIAN_ENTROPY - K1 * even * even - K2 * odd * odd;
}

double lingam_rows_entropy(const lingam_table *table, int64_t n, const double *x)
{
    shape_sums sums = {.far = 0.0};
    for (int64_t i = 0; i < lingam_rows_padded(n); i += 2) {
        shape_add(table, &sums, CELLS_A_UNIT * pair_load(x + i));
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

/* Returns 1 / sd of x - rho y, from the rows: the sd is small, and 1 - rho^2 has few correct digits. */
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

void lingam_rows_residuals(const lingam_table *table, int64_t n, const double *x, const double *y, double rho,
                           double out[2])
{
    shape_sums of_x = {.far = 0.0}, of_y = {.far = 0.0};
    double left = (1.0 - rho) * (1.0 + rho), scale[2];
    bool close = !(left > CLOSE);
    scale[0] = close ? measured_scale(n, x, y, rho) : 1.0 / sqrt(left);
    scale[1] = close ? measured_scale(n, y, x, rho) : scale[0];
    double own_x = CELLS_A_UNIT * scale[0], own_y = CELLS_A_UNIT * scale[1];
    double other_x = rho * own_x, other_y = rho * own_y;
    for (int64_t i = 0; i < lingam_rows_padded(n); i += 2) {
        pair a = pair_load(x + i), b = pair_load(y + i);
        shape_add(table, &of_x, a * own_x - b * other_x);
        shape_add(table, &of_y, b * own_y - a * other_y);
    }
    out[0] = shape_entropy(&of_x, n);
    out[1] = shape_entropy(&of_y, n);
}

double lingam_rows_take_out(int64_t n, const double *x, double *y, double *rho)
{
    double slope = lingam_rows_product(n, x, y), mean = 0.0;
    *rho = slope;
    for (int64_t i = 0; i < n; i++) {
        y[i] -= slope * x[i];
    }
    for (int64_t i = 0; i < n; i++) {
        mean += y[i];
    }
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        y[i] -= mean;
    }
    double sd = sqrt(lingam_rows_product(n, y, y)), scale = sd > 0.0 ? 1.0 / sd : 0.0;
    for (int64_t i = 0; i < n; i++) {
        y[i] *= scale;
    }
    return sd;
}
