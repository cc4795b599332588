/* summary.c - means and standard errors; see summary.h. */
#include "reproduce/summary.h"

#include <math.h>
#include <stddef.h>

static double difference(const double *a, const double *b, int64_t i)
{
    return b ? a[i] - b[i] : a[i];
}

static summary summarise(int64_t n, const double *a, const double *b)
{
    double sum = 0.0, squares = 0.0;
    summary s = {0, NAN, NAN};
    for (int64_t i = 0; i < n; i++) {
        double value = difference(a, b, i);
        if (!isnan(value)) {
            sum += value;
            s.count++;
        }
    }
    s.mean = s.count > 0 ? sum / (double)s.count : NAN;
    for (int64_t i = 0; i < n; i++) {
        double deviation = difference(a, b, i) - s.mean;
        squares += isnan(deviation) ? 0.0 : deviation * deviation;
    }
    if (s.count > 1) {
        s.error = sqrt(squares / (double)(s.count - 1) / (double)s.count);
    }
    return s;
}

summary summary_of(int64_t n, const double *value)
{
    return summarise(n, value, NULL);
}

summary summary_of_differences(int64_t n, const double *a, const double *b)
{
    return summarise(n, a, b);
}

bool summary_is_positive(summary s)
{
    static const double STANDARD_ERRORS = 2.0;
    return s.count >= SUMMARY_LEAST_COMPARED && s.mean > STANDARD_ERRORS * s.error;
}

const char *summary_show(const char *none, char buffer[NUMBER_BYTES], double value, int digits)
{
    return isnan(value) ? none : number_print(buffer, value, digits);
}
