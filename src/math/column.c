/* column.c - standardises columns, in two passes over values of at most 1. */
#include "math/column.h"

#include <math.h>

/* Relative to the largest absolute value: if the mean of centred values exceeds this, an offset has cost digits. */
static const double MAX_MEAN = 1e-13;

bool column_is_constant(int64_t n, const double *v)
{
    for (int64_t i = 1; i < n; i++) {
        if (v[i] != v[0]) {
            return false;
        }
    }
    return true;
}

double column_factor(double largest_size)
{
    int exponent;
    frexp(largest_size, &exponent);
    return ldexp(1.0, exponent > -1000 ? -exponent : 1000); // 2^1000 suffices for subnormal columns, and is finite
}

static double largest_size(int64_t n, const double *v)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(v[i]));
    }
    return largest;
}

double column_factor_of(int64_t n, const double *v)
{
    return column_factor(largest_size(n, v));
}

static double mean_of(int64_t n, const double *v)
{
    double mean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += (v[i] - mean) / (double)(i + 1);
    }
    return mean;
}

static void subtract(int64_t n, double *v, double offset)
{
    for (int64_t i = 0; i < n; i++) {
        v[i] -= offset;
    }
}

double column_standardise(int64_t n, const double *v, double *z)
{
    double factor = column_factor_of(n, v), square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        z[i] = v[i] * factor;
    }
    subtract(n, z, mean_of(n, z));
    double rest = mean_of(n, z);
    if (fabs(rest) > MAX_MEAN * largest_size(n, z)) {
        subtract(n, z, rest);
    }
    for (int64_t i = 0; i < n; i++) {
        square += z[i] / (double)n * z[i];
    }
    double sd = sqrt(square);
    for (int64_t i = 0; i < n && sd > 0.0; i++) {
        z[i] /= sd;
    }
    return sd / factor;
}
