/* summary.c - computes means and standard errors, of doubles and of counts. */
#include "harness/summary.h"

#include <math.h>
#include <stddef.h>

static double difference(const double *a, const double *b, int64_t i)
{
    return b ? a[i] - b[i] : a[i];
}

static summary summarise(int64_t n, const double *a, const double *b, int64_t stride)
{
    double sum = 0.0, squares = 0.0;
    summary s = {0, NAN, NAN};
    for (int64_t i = 0; i < n; i++) {
        double value = difference(a, b, i * stride);
        if (!isnan(value)) {
            sum += value;
            s.count++;
        }
    }
    s.mean = s.count > 0 ? sum / (double)s.count : NAN;
    for (int64_t i = 0; i < n; i++) {
        double residual = difference(a, b, i * stride) - s.mean;
        squares += isnan(residual) ? 0.0 : residual * residual;
    }
    if (s.count > 1) {
        s.error = sqrt(squares / (double)(s.count - 1) / (double)s.count);
    }
    return s;
}

summary summary_of(int64_t n, const double *value)
{
    return summarise(n, value, NULL, 1);
}

summary summary_of_every(int64_t n, const double *first, int64_t stride)
{
    return summarise(n, first, NULL, stride);
}

/*
 * Summarises n whole numbers with this sum and this sum of squares.  n times the sum of squared residuals is also a
 * whole number: it is exact and, by the Cauchy-Schwarz inequality, not negative.
 */
static summary summarise_whole(int64_t n, int64_t sum, int64_t squares)
{
    summary s = {n, n > 0 ? (double)sum / (double)n : NAN, NAN};
    if (n > 1) {
        s.error = sqrt((double)(n * squares - sum * sum) / (double)(n - 1)) / (double)n;
    }
    return s;
}

summary summary_of_share(int64_t n, int64_t successes)
{
    return summarise_whole(n, successes, successes);
}

summary summary_of_share_difference(int64_t n, int64_t gained, int64_t lost)
{
    return summarise_whole(n, gained - lost, gained + lost);
}

summary summary_of_differences(int64_t n, const double *a, const double *b)
{
    return summarise(n, a, b, 1);
}

bool summary_is_positive(summary s)
{
    static const double STANDARD_ERRORS = 2.0;
    return s.count >= SUMMARY_MIN_COMPARED && s.mean > STANDARD_ERRORS * s.error;
}

const char *summary_show(const char *none, char buffer[NUMBER_BYTES], double value, int digits)
{
    return isnan(value) ? none : number_print(buffer, value, digits);
}
