/*
 * lingam_samples.h - random acyclic linear models, and the causal order that the library finds for them.
 *
 * Include it after fixture.h.
 */
#ifndef UNIT_LINGAM_SAMPLES_H
#define UNIT_LINGAM_SAMPLES_H

#include "base/rng.h"
#include "methods/lingam/lingam_order.h"

enum { LIMIT = 40 };
enum law { LAPLACE, UNIFORM, SKEWED, NORMAL, STUDENT };

typedef struct classifier_model {
    int64_t n, d;
    double *x;              /* (n, d) */
    double b[LIMIT][LIMIT]; /* [effect][cause] */
    int64_t seat[LIMIT];    /* position of each column in the true order */
} classifier_model;

static inline double draw(rng *r, enum law law)
{
    switch (law) {
    case UNIFORM:
        return 2 * rng_uniform(r) - 1;
    case SKEWED:
        return rng_gamma(r, 1.0) - 1;
    case NORMAL:
        return rng_normal(r);
    case STUDENT:
        return rng_student(r, 3);
    default:
        return rng_laplace(r);
    }
}

/* Draws a random graph with about `degree` causes per variable; columns are in random order. */
static inline classifier_model *make_model(fixture *f, int64_t d, int64_t n, enum law law, double degree, uint64_t seed)
{
    classifier_model *m = arena_get(f->ctx, &f->scratch, 1, sizeof *m);
    rng r = rng_new(seed, RNG_TEST, 3);
    *m = (classifier_model){.n = n, .d = d, .x = fixture_doubles(f, n * d)};
    int64_t column[LIMIT];
    for (int64_t k = 0; k < d; k++) {
        column[k] = k;
    }
    rng_shuffle(&r, d, column);
    for (int64_t k = 0; k < d; k++) {
        double *x = m->x + column[k] * n, size = 0.5 + rng_uniform(&r);
        m->seat[column[k]] = k;
        for (int64_t i = 0; i < n; i++) {
            x[i] = size * draw(&r, law);
        }
        for (int64_t j = 0; j < k; j++) {
            double b = (rng_uniform(&r) < 0.5 ? -1 : 1) * (0.5 + rng_uniform(&r));
            if (rng_uniform(&r) * (double)(d - 1) < degree * 2) {
                m->b[column[k]][column[j]] = b;
                for (int64_t i = 0; i < n; i++) {
                    x[i] += b * m->x[column[j] * n + i];
                }
            }
        }
    }
    return m;
}

static inline lingam_order order_of(fixture *f, int64_t n, int64_t d, double *x, bool plain, int threads)
{
    lingam_order out;
    lingam_order_options how = {.threads = threads, .plain = plain};
    assert_int_equal(lingam_find_order(f->ctx, &f->scratch, matrix_view(x, n, d), &how, &out), NONSENS_OK);
    return out;
}

#endif
