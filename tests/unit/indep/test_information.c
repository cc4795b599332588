/* test_information.c - the test by mutual information: estimates, uniform p-values, power, invariances, limits. */
#include "base/rng.h"
#include "indep/information.h"

#include <math.h>

#include "fixture.h"

static information_options usual(int64_t permutations)
{
    return (information_options){.permutations = permutations, .seed = 7, .threads = 1};
}

static information_result run(fixture *f, const double *x, const double *y, int64_t groups, const int64_t *start,
                              information_options o)
{
    information_result r;
    row_groups g = {groups, start};
    assert_int_equal(information_test(f->ctx, &f->scratch, x, y, &g, &o, &r), NONSENS_OK);
    assert_true(r.p_value > 0.0 && r.p_value <= 1.0 && isfinite(r.statistic) && isfinite(r.null_mean));
    return r;
}

/* Draws correlated normal pairs. */
static void draw(rng *r, int64_t n, double rho, double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = rng_normal(r);
        y[i] = rho * x[i] + sqrt(1.0 - rho * rho) * rng_normal(r);
    }
}

/* The estimate is -log(1 - rho^2) / 2 per group, also after monotone transforms and with groups far from each other. */
static void test_estimate(void **state)
{
    fixture *f = *state;
    enum { N = 6000 };
    const int64_t start[] = {0, 3000, 6000};
    rng r = rng_new(13, RNG_TEST, 1);
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N);
    draw(&r, N, 0.6, x, y);
    for (int64_t i = 0; i < N; i++) {
        x[i] = exp(5.0 * x[i]);
        y[i] = 1e30 * (y[i] + (i < 3000 ? 0.0 : 100.0));
    }
    information_result got = run(f, x, y, 2, start, usual(3));
    assert_true(fabs(got.information + 0.5 * log(1.0 - 0.36)) < 0.03);
    assert_int_equal(got.rows_used, N);
    assert_int_equal(got.groups_used, 2);
    information_options three = usual(3);
    three.neighbours = 3;
    assert_true(fabs(run(f, x, y, 2, start, three).information + 0.5 * log(1.0 - 0.36)) < 0.03);
}

/* 400 tests of independent groups: the share of p <= .1 is right within four standard errors; a parabola is found. */
static void test_size_and_power(void **state)
{
    fixture *f = *state;
    enum { REPEATS = 400, N = 60 };
    const int64_t start[] = {0, 25, 60};
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N), *square = fixture_doubles(f, N);
    int below = 0, found = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        rng r = rng_new(14, RNG_TEST, (uint64_t)repeat);
        information_options o = usual(39);
        o.job = (uint64_t)repeat;
        draw(&r, N, 0.0, x, y);
        for (int i = 0; i < N; i++) {
            square[i] = x[i] * x[i] + 0.3 * y[i];
        }
        below += run(f, x, y, 2, start, o).p_value <= 0.1 + 1e-9;
        found += repeat < 40 && run(f, x, square, 2, start, o).p_value <= 0.05;
    }
    assert_true(fabs(below / (double)REPEATS - 0.1) < 4.0 * sqrt(0.09 / REPEATS));
    assert_true(found >= 36);
}

/* Rows in another order, other units and other numbers of threads give the same p. */
static void test_invariances(void **state)
{
    fixture *f = *state;
    enum { N = 90 };
    const int64_t start[] = {0, 40, 90};
    rng r = rng_new(15, RNG_TEST, 1);
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N), *a = fixture_doubles(f, N),
           *b = fixture_doubles(f, N);
    draw(&r, N, 0.3, x, y);
    for (int i = 0; i < N; i++) {
        x[i] = round(4.0 * x[i]); // with ties
        int64_t to = i < 40 ? 39 - i : 40 + (7 * (i - 40)) % 50;
        a[to] = x[i] * 1e-300;
        b[to] = -1e6 + y[i];
    }
    information_options o = usual(99), threads = usual(99);
    threads.threads = 3;
    information_result one = run(f, x, y, 2, start, o), two = run(f, a, b, 2, start, threads);
    assert_true(fabs(one.statistic - two.statistic) < 1e-9 && one.p_value == two.p_value);
}

static void test_corners(void **state)
{
    fixture *f = *state;
    enum { N = 30 };
    const int64_t start[] = {0, 12, 12, 17, 30};
    rng r = rng_new(16, RNG_TEST, 1);
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N);
    draw(&r, N, 0.0, x, y);
    information_result got = run(f, x, y, 4, start, usual(19)), out;
    assert_int_equal(got.groups_used, 2);
    assert_int_equal(got.groups_skipped, 2);
    x[3] = 1e6;
    y[3] = -1.7e308;
    run(f, x, y, 4, start, usual(19));
    for (int i = 0; i < N; i++) {
        x[i] = i % 2;
    }
    run(f, x, x, 4, start, usual(19));
    for (int i = 0; i < N; i++) {
        y[i] = 3.0;
    }
    got = run(f, x, y, 4, start, usual(19));
    assert_true(got.p_value == 1.0 && got.statistic == 0.0 && got.groups_used == 0);
    information_options none = usual(0), one = usual(9);
    row_groups g = {4, start};
    assert_int_equal(information_test(f->ctx, &f->scratch, x, y, &g, &none, &out), NONSENS_ERR_USAGE);
    y[2] = NAN;
    assert_int_equal(information_test(f->ctx, &f->scratch, x, y, &g, &one, &out), NONSENS_ERR_DATA);
}

static nonsens_status tested(nonsens_context *ctx, arena *a, void *state)
{
    double *xy = state;
    information_options o = usual(5);
    information_result r;
    return information_test(ctx, a, xy, xy + 400, &(row_groups){2, (int64_t[]){0, 200, 400}}, &o, &r);
}

static void test_memory_failures(void **state)
{
    rng r = rng_new(17, RNG_TEST, 1);
    double *xy = fixture_doubles(*state, 800);
    draw(&r, 400, 0.0, xy, xy + 400);
    assert_true(fail_every_allocation(*state, tested, xy) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_estimate), TEST(test_size_and_power), TEST(test_invariances),
                                       TEST(test_corners), TEST(test_memory_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
