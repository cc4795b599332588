/*
 * test_curve.c - T at any values against T at rows, its inverse, its slope far from all rows, and bootstrap refits
 * against the fit.
 */
#include "base/rng.h"
#include "classifier/sample.h"
#include "mechanism/curve.h"
#include "mechanism/redraw.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { FOLDS = 5, ROWS = 300, SEGMENTS = 6, N = ROWS * SEGMENTS, MAX = 3 };

/* x0 and x1 are independent; x2 = x0 + tanh(x1) N; each disturbance has its own scale in each segment. */
typedef struct world {
    int64_t d, start[SEGMENTS + 1];
    double *x[MAX], *warped[MAX];
    mechanism_data data;
    mechanism_fit fit; /* of the last variable on the others */
} world;

static void make_world(fixture *f, int64_t d, world *w)
{
    rng r = rng_new(3, RNG_TEST, 91);
    int32_t *fold;
    *w = (world){.d = d};
    for (int64_t j = 0; j < d; j++) {
        w->x[j] = fixture_doubles(f, N);
        w->warped[j] = fixture_doubles(f, N);
    }
    for (int64_t e = 0; e < SEGMENTS; e++) {
        double scale[MAX];
        w->start[e + 1] = (e + 1) * ROWS;
        for (int64_t j = 0; j < d; j++) {
            scale[j] = exp(0.8 * rng_normal(&r));
        }
        for (int64_t i = e * ROWS; i < (e + 1) * ROWS; i++) {
            for (int64_t j = 0; j + 1 < d; j++) {
                w->x[j][i] = scale[j] * rng_laplace(&r);
            }
            double noise = scale[d - 1] * rng_laplace(&r), other = d > 2 ? w->x[1][i] : 0.5;
            w->x[d - 1][i] = w->x[0][i] + exp(0.5 * tanh(other)) * noise;
        }
    }
    for (int64_t j = 0; j < d; j++) {
        assert_int_equal(sample_warp(f->ctx, &f->scratch, N, w->x[j], w->warped[j]), NONSENS_OK);
    }
    assert_int_equal(sample_folds(f->ctx, &f->scratch, SEGMENTS, w->start, FOLDS, 1, 0, &fold), NONSENS_OK);
    assert_int_equal(mechanism_data_new(f->ctx, &f->scratch, d, (const double *const *)w->warped, SEGMENTS, w->start,
                                        fold, FOLDS, 1, &w->data),
                     NONSENS_OK);
    assert_int_equal(mechanism_run(f->ctx, &f->scratch, &w->data, d - 1, d - 1, (int64_t[]){0, 1}, NULL, &w->fit),
                     NONSENS_OK);
}

static void test_a_scale_goes_both_ways(void **state)
{
    fixture *f = *state;
    world w;
    mechanism_scale s;
    make_world(f, 2, &w);
    assert_int_equal(mechanism_scale_new(f->ctx, &f->scratch, N, w.x[0], w.warped[0], &s), NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        assert_true(mechanism_scale_warp(&s, w.x[0][i]) == w.warped[0][i]);
        assert_true(mechanism_scale_value(&s, w.warped[0][i]) == w.x[0][i]);
    }
    double between = 0.5 * (s.value[4] + s.value[5]);
    assert_true(fabs(mechanism_scale_value(&s, mechanism_scale_warp(&s, between)) - between) < 1e-9);
    assert_true(mechanism_scale_warp(&s, -1e300) == s.warped[0]);
    assert_true(mechanism_scale_warp(&s, 1e300) == s.warped[s.count - 1]);
    assert_true(mechanism_scale_value(&s, -1.0) == s.value[0] &&
                mechanism_scale_value(&s, 2.0) == s.value[s.count - 1]);
}

/* T of a line equals T of the rows, and its inverse recovers the row's value. */
static void test_lines_agree_with_rows(void **state)
{
    fixture *f = *state;
    for (int64_t d = 2; d <= MAX; d++) {
        world w;
        mechanism_curve c;
        double *row_value = fixture_doubles(f, N);
        make_world(f, d, &w);
        mechanism_curve_new(&w.data, d - 1, w.fit.theta, &c);
        assert_int_equal(
            mechanism_disturbance(f->ctx, &w.data, d - 1, d - 1, (int64_t[]){0, 1}, w.fit.theta, row_value),
            NONSENS_OK);
        int64_t equal = 0;
        for (int64_t i = 0; i < N; i++) {
            mechanism_line l;
            mechanism_curve_fix(&c, (double[]){w.warped[0][i], w.warped[1][i]}, &l);
            double t = mechanism_line_value(&l, w.warped[d - 1][i]);
            equal += fabs(t - row_value[i]) < 1e-9;
            assert_true(fabs(mechanism_line_inverse(&l, t) - w.warped[d - 1][i]) < 1e-9);
        }
        assert_true(equal > 0.97 * N); // the others lie beyond a point where the fit falls
    }
}

/* T increases even between and beyond rows; beyond its range the inverse is an end. */
static void test_lines_increase_everywhere(void **state)
{
    fixture *f = *state;
    world w;
    mechanism_curve c;
    rng r = rng_new(4, RNG_TEST, 92);
    make_world(f, 3, &w);
    mechanism_curve_new(&w.data, 2, w.fit.theta, &c);
    for (int k = 0; k < 500; k++) {
        mechanism_line l;
        mechanism_curve_fix(&c, (double[]){rng_uniform(&r), rng_uniform(&r)}, &l);
        double before = -INFINITY;
        for (int i = 0; i <= 200; i++) {
            double y = i / 200.0, t = mechanism_line_value(&l, y);
            assert_true(t > before);
            assert_true(fabs(mechanism_line_inverse(&l, t) - y) < 1e-9);
            before = t;
        }
        assert_true(mechanism_line_inverse(&l, -1e9) == 0.0 && mechanism_line_inverse(&l, 1e9) == 1.0);
    }
}

/* With all rows once and no draw of the prior, the fit stays the same; another sample moves it by about its error. */
static void test_refits(void **state)
{
    fixture *f = *state;
    world w;
    mechanism_redraw redraw;
    make_world(f, 3, &w);
    int64_t size = mechanism_size(&w.data, 2);
    double *count = fixture_doubles(f, N), *same = fixture_doubles(f, size), *other = fixture_doubles(f, size);
    double *here = fixture_doubles(f, N), *there = fixture_doubles(f, N), moved = 0.0, stayed = 0.0;
    const int64_t cause[] = {0, 1};
    assert_int_equal(
        mechanism_redraw_new(f->ctx, &f->scratch, &w.data, 2, 2, cause, w.fit.theta, w.fit.smooth, &redraw),
        NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        count[i] = 1.0;
    }
    assert_int_equal(mechanism_redraw_fit(f->ctx, &f->scratch, &redraw, count, NULL, same), NONSENS_OK);
    rng r = rng_new(5, RNG_TEST, 93);
    memset(count, 0, N * sizeof *count);
    for (int64_t i = 0; i < N; i++) {
        count[i / ROWS * ROWS + (int64_t)rng_below(&r, ROWS)] += 1.0;
    }
    assert_int_equal(mechanism_redraw_fit(f->ctx, &f->scratch, &redraw, count, &r, other), NONSENS_OK);
    assert_int_equal(mechanism_disturbance(f->ctx, &w.data, 2, 2, cause, w.fit.theta, here), NONSENS_OK);
    assert_int_equal(mechanism_disturbance(f->ctx, &w.data, 2, 2, cause, same, there), NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        stayed += fabs(there[i] - here[i]) / N;
    }
    assert_int_equal(mechanism_disturbance(f->ctx, &w.data, 2, 2, cause, other, there), NONSENS_OK);
    for (int64_t i = 0; i < N; i++) {
        moved += fabs(there[i] - here[i]) / N;
    }
    assert_true(stayed < 0.02);
    assert_true(moved > 0.02 && moved < 0.5);
}

/* Unseen points: the penalty's derivatives match differences, and a fit with the penalty rises where it fell. */
static void test_unseen_points(void **state)
{
    fixture *f = *state;
    world w;
    mechanism_unseen unseen;
    mechanism_model m;
    mechanism_fit with;
    enum { POINTS = 300 };
    make_world(f, 3, &w);
    assert_int_equal(
        mechanism_unseen_new(f->ctx, &f->scratch, &w.data, (const double *const *)w.warped, POINTS, 1, &unseen),
        NONSENS_OK);
    w.data.unseen = &unseen;
    assert_int_equal(mechanism_new(f->ctx, &f->scratch, &w.data, 2, 2, (int64_t[]){0, 1}, &m), NONSENS_OK);
    double *theta = fixture_doubles(f, m.size), *gradient = fixture_doubles(f, m.size),
           *at = fixture_doubles(f, m.size);
    double *hessian = fixture_doubles(f, mechanism_hessian_size(&m));
    rng r = rng_new(6, RNG_TEST, 95);
    for (int64_t i = 0; i < m.size; i++) {
        theta[i] = 0.3 * rng_normal(&r);
    }
    assert_true(mechanism_unseen_penalise(&m, theta, gradient, hessian) > 0.0);
    for (int64_t i = 0; i < m.p; i += 7) {
        double side[2], step = 1e-6, *other[2] = {fixture_doubles(f, m.size), fixture_doubles(f, m.size)};
        for (int k = 0; k < 2; k++) {
            memcpy(at, theta, m.size * sizeof *at);
            at[i] += k ? step : -step;
            side[k] = mechanism_unseen_penalise(&m, at, other[k], NULL);
        }
        assert_true(fabs((side[1] - side[0]) / (2.0 * step) - gradient[i]) < 1e-3 * (1.0 + fabs(gradient[i])));
        double second = (other[1][i] - other[0][i]) / (2.0 * step), own = hessian[i * m.ld + i];
        assert_true(fabs(second - own) < 1e-3 * (1.0 + fabs(own)));
    }
    assert_int_equal(mechanism_run(f->ctx, &f->scratch, &w.data, 2, 2, (int64_t[]){0, 1}, NULL, &with), NONSENS_OK);
    double before = mechanism_unseen_penalise(&m, w.fit.theta, NULL, NULL);
    assert_true(mechanism_unseen_penalise(&m, with.theta, NULL, NULL) <= before);
    assert_true(with.total > w.fit.total - 0.01 * N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_a_scale_goes_both_ways), TEST(test_lines_agree_with_rows),
                                       TEST(test_lines_increase_everywhere), TEST(test_refits),
                                       TEST(test_unseen_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
