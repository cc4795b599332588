/* ica_white.h - whitened mixtures of Laplace, uniform, skewed and normal sources for the tests of FastICA and Infomax.
 */
#ifndef UNIT_ICA_WHITE_H
#define UNIT_ICA_WHITE_H

#include "base/rng.h"
#include "ica/assess.h"
#include "ica/ica_internal.h"
#include "ica/row_blocks.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum recipe { MIXED, SUPER_GAUSSIAN, SUB_GAUSSIAN, SKEWED, ALL_NORMAL };

/* Rows whitened as one segment, and what they were made from. */
typedef struct white {
    ica_data data;
    int64_t start[2];
    double *s;        /* (n, d) true sources */
    double *y;        /* (n, d) whitened, kept when data.y is rotated */
    double *white;    /* (d, d) */
    double *rotation; /* (d, d) identity */
} white;

static inline double draw_one(rng *r, enum recipe recipe, int64_t j)
{
    enum recipe kind = recipe == MIXED ? (enum recipe)(SUPER_GAUSSIAN + j % 3) : recipe;
    switch (kind) {
    case SUPER_GAUSSIAN:
        return rng_laplace(r);
    case SUB_GAUSSIAN:
        return rng_uniform(r) - 0.5;
    case SKEWED:
        return -log(rng_uniform(r));
    default:
        return rng_normal(r);
    }
}

/* Whitens z (n, d); the start is the identity. */
static inline white white_from(fixture *f, int64_t n, int64_t d, double *z)
{
    white x = {.data = {.n = n, .d = d, .segments = 1}, .start = {0, n}};
    x.white = fixture_doubles(f, d * d);
    x.rotation = fixture_doubles(f, d * d);
    x.y = fixture_doubles(f, n * d);
    x.data.y = fixture_doubles(f, n * d);
    double *scale = fixture_doubles(f, d);
    if (ica_whiten(f->ctx, &f->scratch, matrix_view(z, n, d), 1, x.start, NULL, x.y, scale, x.white) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    ica_apply(matrix_view(z, n, d), x.white, matrix_view(x.y, n, d));
    memcpy(x.data.y, x.y, (size_t)(n * d) * sizeof *x.y);
    for (int64_t j = 0; j < d; j++) {
        x.rotation[j + d * j] = 1.0;
    }
    return x;
}

static inline white white_new(fixture *f, uint64_t seed, enum recipe recipe, int64_t n, int64_t d)
{
    rng r = rng_new(seed, RNG_TEST, 300 + (uint64_t)recipe);
    double *s = fixture_doubles(f, n * d), *z = fixture_doubles(f, n * d), *mix = fixture_doubles(f, d * d);
    for (int64_t i = 0; i < n * d; i++) {
        s[i] = draw_one(&r, recipe, i / n);
    }
    for (int64_t i = 0; i < d * d; i++) {
        mix[i] = rng_normal(&r) + (i % (d + 1) ? 0.0 : 1.0);
    }
    linalg_gemm(false, true, n, d, d, 1.0, s, n, mix, d, 0.0, z, n);
    white x = white_from(f, n, d, z);
    x.s = s;
    return x;
}

/* Restores the rows and the start. */
static inline void white_again(white *x)
{
    int64_t d = x->data.d;
    memcpy(x->data.y, x->y, (size_t)(x->data.n * d) * sizeof *x->y);
    for (int64_t i = 0; i < d * d; i++) {
        x->rotation[i] = i % (d + 1) ? 0.0 : 1.0;
    }
}

/* Returns the mean |correlation| of true and estimated sources (n, d). */
static inline double agreement(fixture *f, int64_t n, int64_t d, double *truth, double *estimate)
{
    int64_t match[32];
    double found;
    matrix t = matrix_view(truth, n, d), e = matrix_view(estimate, n, d);
    assert_int_equal(ica_mean_correlation(f->ctx, &f->scratch, t, e, match, &found), NONSENS_OK);
    return found;
}

/* Returns y unmixing' (n, d). */
static inline double *apply_unmixing(fixture *f, const white *x, const double *unmixing)
{
    int64_t n = x->data.n, d = x->data.d;
    double *s = fixture_doubles(f, n * d);
    linalg_gemm(false, true, n, d, d, 1.0, x->y, n, unmixing, d, 0.0, s, n);
    return s;
}

static inline double largest_difference(int64_t count, const double *a, const double *b)
{
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

#endif
