/* envelope.c - products with vectors; factors and solves are in envelope_kernel.c. */
#include "classifier/envelope.h"

#include "base/instruction_set.h"
#include "math/pair.h"

KERNELS(envelope_kernel, envelope);

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

static const envelope_kernel *kernel(void)
{
    return instruction_set_choose(envelope_kernels);
}

bool envelope_factor(int64_t n, const int64_t *first, double *a)
{
    return kernel()->factor(n, first, a);
}

void envelope_forward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    kernel()->forward(n, first, factor, x);
}

void envelope_backward(int64_t n, const int64_t *first, const double *factor, double *x)
{
    kernel()->backward(n, first, factor, x);
}

void envelope_multiply(int64_t n, const int64_t *first, const double *factor, const double *x, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = envelope_dot(i + 1 - first[i], factor + i * n + first[i], x + first[i]);
    }
}
