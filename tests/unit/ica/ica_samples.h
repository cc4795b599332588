/* ica_samples.h - mixtures with known sources, and measures of how well they were unmixed. */
#ifndef UNIT_ICA_SAMPLES_H
#define UNIT_ICA_SAMPLES_H

#include "base/rng.h"
#include "ica/ica_internal.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum source_kind { LAPLACE, ONE_SIDED, CORRELATED, GAUSSIAN };

typedef struct sample {
    int64_t n, d, segments;
    int64_t *start;
    double *s, *z; /* (n, d) true sources and mixtures */
} sample;

static void *get(int64_t count, size_t size)
{
    void *block = calloc((size_t)count, size);
    assert_non_null(block);
    return block;
}

static double segment_scale(rng *r, enum source_kind kind, int64_t e)
{
    if (kind == CORRELATED) { /* both follow the segment's level, each with its own ratio */
        return (0.3 + 0.25 * (double)e) * exp(0.5 * rng_normal(r));
    }
    return 0.2 + 2.8 * rng_uniform(r);
}

static double draw_source(rng *r, enum source_kind kind)
{
    double value = kind == GAUSSIAN ? rng_normal(r) : rng_laplace(r);
    return kind == ONE_SIDED ? fabs(value) : value;
}

/* Draws z = A s with a random A; `rows` in each of `segments` segments. */
static sample sample_new(uint64_t seed, enum source_kind kind, int64_t segments, int64_t rows, int64_t d)
{
    rng r = rng_new(seed, RNG_TEST, (uint64_t)kind);
    sample x = {.n = segments * rows, .d = d, .segments = segments};
    x.start = get(segments + 1, sizeof *x.start);
    x.s = get(x.n * d, sizeof *x.s);
    x.z = get(x.n * d, sizeof *x.z);
    for (int64_t e = 0; e < segments; e++) {
        x.start[e + 1] = x.start[e] + rows;
        for (int64_t j = 0; j < d; j++) {
            double scale = segment_scale(&r, kind, e);
            for (int64_t i = x.start[e]; i < x.start[e + 1]; i++) {
                x.s[i + x.n * j] = scale * draw_source(&r, kind);
            }
        }
    }
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < d; k++) {
            double weight = rng_normal(&r) + (j == k ? 1.0 : 0.0);
            for (int64_t i = 0; i < x.n; i++) {
                x.z[i + x.n * j] += weight * x.s[i + x.n * k];
            }
        }
    }
    return x;
}

static void sample_free(sample *x)
{
    free(x->start);
    free(x->s);
    free(x->z);
}

static double correlation(int64_t n, const double *a, const double *b)
{
    double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
    for (int64_t i = 0; i < n; i++) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* Returns the mean |correlation| of pairs matched greedily: a lower bound of that of the best permutation. */
static double recovery(int64_t n, int64_t d, const double *truth, const double *estimate)
{
    bool used_truth[64] = {false}, used_estimate[64] = {false};
    double sum = 0.0;
    for (int64_t pair = 0; pair < d; pair++) {
        double best = -1.0;
        int64_t best_j = 0, best_k = 0;
        for (int64_t j = 0; j < d; j++) {
            for (int64_t k = 0; k < d; k++) {
                bool used = used_truth[j] || used_estimate[k];
                double c = used ? -1.0 : fabs(correlation(n, truth + j * n, estimate + k * n));
                if (c > best) {
                    best = c;
                    best_j = j;
                    best_k = k;
                }
            }
        }
        used_truth[best_j] = used_estimate[best_k] = true;
        sum += best;
    }
    return sum / (double)d;
}

/* Returns the sources of z (n, d), which has the sample's shape; the caller frees them. */
static double *unmixed(fixture *f, const sample *x, double *z, enum option_unmixing algorithm, ica_result *out)
{
    double *s = get(x->n * x->d, sizeof *s);
    ica_options how = ica_options_for(algorithm);
    nonsens_status status =
        ica_unmix(f->ctx, &f->scratch, matrix_view(z, x->n, x->d), x->segments, x->start, &how, out);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    ica_apply(matrix_view(z, x->n, x->d), out->unmix, matrix_view(s, x->n, x->d));
    return s;
}

#endif
