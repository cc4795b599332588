/*
 * test_arrow.c - second derivatives of a mechanism with many segments: the same products as differences of gradients,
 * and the same solutions as a dense matrix.
 */
#include "base/rng.h"
#include "classifier/sample.h"
#include "math/linalg.h"
#include "mechanism/arrow.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = MECHANISM_DENSE + 10, ROWS = 12, FOLDS = 5, N = SEGMENTS * ROWS };

/* Makes an effect and its cause, both with scales that change. */
static mechanism_data make_data(fixture *f)
{
    mechanism_data data;
    double *x[2] = {fixture_doubles(f, N), fixture_doubles(f, N)};
    double *warped[2] = {fixture_doubles(f, N), fixture_doubles(f, N)};
    int64_t start[SEGMENTS + 1];
    int32_t *fold;
    rng r = rng_new(5, RNG_TEST, 92);
    for (int64_t e = 0, i = 0; e < SEGMENTS; e++) {
        double s0 = exp(0.5 * rng_normal(&r)), s1 = exp(0.5 * rng_normal(&r));
        start[e] = e * ROWS;
        start[e + 1] = start[e] + ROWS;
        for (; i < start[e + 1]; i++) {
            x[0][i] = s0 * rng_normal(&r);
            x[1][i] = tanh(x[0][i]) + s1 * rng_normal(&r);
        }
    }
    for (int j = 0; j < 2; j++) {
        assert_int_equal(sample_warp(f->ctx, &f->scratch, N, x[j], warped[j]), NONSENS_OK);
    }
    assert_int_equal(sample_folds(f->ctx, &f->scratch, SEGMENTS, start, FOLDS, 1, 0, &fold), NONSENS_OK);
    assert_int_equal(mechanism_data_new(f->ctx, &f->scratch, 2, (const double *const *)warped, SEGMENTS, start, fold,
                                        FOLDS, 1, &data),
                     NONSENS_OK);
    return data;
}

typedef struct derivatives {
    mechanism_model model;
    mechanism_point at;
    mechanism_weights weights;
    double *theta, *gradient, *hessian;
} derivatives;

static void derive(derivatives *d, const double *theta, double *hessian)
{
    memcpy(d->at.theta, theta, (size_t)d->model.size * sizeof *theta);
    memset(d->gradient, 0, (size_t)d->model.size * sizeof *d->gradient);
    mechanism_apply(&d->model, &d->at);
    if (hessian) {
        mechanism_clear(&d->model, hessian);
    }
    nonsens_context *ctx = nonsens_context_new();
    assert_int_equal(mechanism_derive(ctx, &d->model, &d->at, 0, 0, &d->weights, d->gradient, hessian), NONSENS_OK);
    nonsens_context_free(ctx);
    mechanism_penalise(&d->model, theta, d->gradient, hessian);
}

static derivatives make_derivatives(fixture *f, const mechanism_data *data)
{
    static const double smooth[MECHANISM_WEIGHTS] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3};
    derivatives d;
    rng r = rng_new(6, RNG_TEST, 93);
    assert_int_equal(mechanism_new(f->ctx, &f->scratch, data, 1, 1, (int64_t[]){0}, &d.model), NONSENS_OK);
    assert_true(d.model.is_arrow);
    mechanism_smooth(&d.model, smooth);
    assert_int_equal(mechanism_point_new(f->ctx, &f->scratch, &d.model, &d.at), NONSENS_OK);
    assert_int_equal(mechanism_weights_new(f->ctx, &f->scratch, &d.model, NULL, &d.weights), NONSENS_OK);
    d.theta = fixture_doubles(f, d.model.size);
    d.gradient = fixture_doubles(f, d.model.size);
    d.hessian = fixture_doubles(f, mechanism_hessian_size(&d.model));
    for (int64_t i = 0; i < d.model.size; i++) {
        double line = i < d.model.p ? 0.5 * (double)(i / d.model.term[0].columns) : 0.0;
        d.theta[i] = line + 0.1 * rng_normal(&r);
    }
    derive(&d, d.theta, d.hessian);
    return d;
}

/* Computes the same matrix with all its entries, plus damping. */
static double *make_dense(fixture *f, const derivatives *d, double damping)
{
    int64_t p = d->model.p, size = d->model.size;
    double *dense = fixture_doubles(f, size * size), pin = mechanism_pin(&d->model);
    for (int64_t j = 0; j < p; j++) {
        for (int64_t i = j; i < p; i++) {
            dense[j * size + i] = d->hessian[j * p + i];
        }
        for (int64_t e = 0; e < SEGMENTS; e++) {
            dense[j * size + p + e] = d->weights.crossing[2 * (e * p + j)];
            dense[j * size + p + SEGMENTS + e] = d->weights.crossing[2 * (e * p + j) + 1];
        }
    }
    for (int64_t e = 0; e < SEGMENTS; e++) {
        const double *own = d->hessian + p * p + 3 * e;
        dense[(p + e) * size + p + e] = own[0];
        dense[(p + e) * size + p + SEGMENTS + e] = own[1];
        dense[(p + SEGMENTS + e) * size + p + SEGMENTS + e] = own[2];
    }
    for (int64_t j = 0; j < size; j++) {
        dense[j * size + j] += damping * fabs(dense[j * size + j]);
    }
    for (int64_t kind = 0; kind < 2; kind++) {
        for (int64_t e = p + kind * SEGMENTS; e < p + (kind + 1) * SEGMENTS; e++) {
            for (int64_t k = e; k < p + (kind + 1) * SEGMENTS; k++) {
                dense[e * size + k] += pin;
            }
        }
    }
    for (int64_t j = 0; j < size; j++) {
        for (int64_t i = 0; i < j; i++) {
            dense[j * size + i] = dense[i * size + j];
        }
    }
    return dense;
}

static void test_products_are_differences_of_gradients(void **state)
{
    fixture *f = *state;
    mechanism_data data = make_data(f);
    derivatives d = make_derivatives(f, &data);
    double *dense = make_dense(f, &d, 0.0), *moved = fixture_doubles(f, d.model.size);
    double *along = fixture_doubles(f, d.model.size), *product = fixture_doubles(f, d.model.size);
    const double step = 1e-5;
    double largest = 0.0;
    rng r = rng_new(7, RNG_TEST, 94);
    for (int64_t i = 0; i < d.model.size; i++) {
        along[i] = 0.1 * rng_normal(&r);
    }
    for (int side = -1; side <= 1; side += 2) {
        for (int64_t i = 0; i < d.model.size; i++) {
            moved[i] = d.theta[i] + side * step * along[i];
        }
        derive(&d, moved, NULL);
        for (int64_t i = 0; i < d.model.size; i++) {
            product[i] += side * d.gradient[i] / (2.0 * step);
        }
    }
    for (int64_t i = 0; i < d.model.size; i++) {
        largest = fmax(largest, fabs(product[i]));
        product[i] -= linalg_dot(d.model.size, dense + i * d.model.size, along);
    }
    assert_true(largest > 1.0);
    for (int64_t i = 0; i < d.model.size; i++) {
        assert_true(fabs(product[i]) < 1e-5 * largest);
    }
}

static void test_solves_as_a_dense_matrix(void **state)
{
    fixture *f = *state;
    mechanism_data data = make_data(f);
    derivatives d = make_derivatives(f, &data);
    int64_t size = d.model.size;
    double *spare = fixture_doubles(f, 2 * SEGMENTS), *x = fixture_doubles(f, size), *y = fixture_doubles(f, size);
    mechanism_arrow arrow;
    bool solved = false;
    assert_int_equal(mechanism_arrow_new(f->ctx, &f->scratch, &d.model, &arrow), NONSENS_OK);
    for (double damping = 0.0; damping < 20.0; damping += 10.0) {
        double *dense = make_dense(f, &d, damping), most = 0.0;
        memcpy(x, d.gradient, (size_t)size * sizeof *x);
        memcpy(y, d.gradient, (size_t)size * sizeof *y);
        bool definite = mechanism_arrow_factor(f->ctx, &d.model, d.hessian, d.weights.crossing, damping, &arrow);
        assert_int_equal(definite, linalg_cholesky(f->ctx, size, dense) == NONSENS_OK);
        if (!definite) {
            continue;
        }
        solved = true;
        mechanism_arrow_solve(&d.model, &arrow, spare, x);
        linalg_solve_lower(false, size, 1, dense, size, y, size);
        linalg_solve_lower(true, size, 1, dense, size, y, size);
        for (int64_t i = 0; i < size; i++) {
            most = fmax(most, fabs(y[i]));
        }
        for (int64_t i = 0; i < size; i++) {
            assert_true(fabs(x[i] - y[i]) < 1e-9 * most);
        }
    }
    assert_true(solved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_products_are_differences_of_gradients),
        TEST(test_solves_as_a_dense_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
