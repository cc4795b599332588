#include "math/envelope.h"

#include "math/pair.h"

#include <math.h>

double envelope_dot(int64_t n, const double *a, const double *b)
{
    pair sum[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 4; k++) {
            sum[k] += pair_load(a + i + 2 * k) * pair_load(b + i + 2 * k);
        }
    }
    pair all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double rest = 0.0;
    for (; i < n; i++) {
        rest += a[i] * b[i];
    }
    return all[0] + all[1] + rest;
}

bool envelope_factor(int64_t n, const int64_t *first, double *a)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = a + i * n;
        for (int64_t j = first[i]; j < i; j++) {
            int64_t from = first[i] > first[j] ? first[i] : first[j];
            double *other = a + j * n;
            row[j] = (row[j] - envelope_dot(j - from, row + from, other + from)) / other[j];
        }
        double square = row[i] - envelope_dot(i - first[i], row + first[i], row + first[i]);
        if (!(square > 0.0)) {
            return false;
        }
        row[i] = sqrt(square);
    }
    return true;
}

void envelope_forward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = factor + i * n;
        x[i] = (x[i] - envelope_dot(i - first[i], row + first[i], x + first[i])) / row[i];
    }
}

void envelope_backward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *row = factor + i * n;
        x[i] /= row[i];
        for (int64_t j = first[i]; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

void envelope_multiply(int64_t n, const int64_t *first, const double *factor, const double *x, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = envelope_dot(i + 1 - first[i], factor + i * n + first[i], x + first[i]);
    }
}
