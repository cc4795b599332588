/* test_fisher_z.c - partial correlations against closed forms and NumPy, combinations, redundant variables, speed. */
#include "base/rng.h"
#include "fixtures/fisher_z.h"
#include "indep/fisher_z.h"
#include "math/special.h"

#include <math.h>
#include <time.h>

#include "fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { LIMIT = 8 };

static void assert_close(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g within %g relatively", got, expected, relative);
    }
}

static fisher_z_data prepare(fixture *f, int64_t n, int64_t d, const double *const *v, int64_t groups,
                             const int64_t *start)
{
    fisher_z_data data;
    column_set all = {n, d, v};
    row_groups g = {groups, start};
    assert_int_equal(fisher_z_new(f->ctx, &f->scratch, &all, &g, &data), NONSENS_OK);
    return data;
}

static fisher_z_result test(const fisher_z_data *data, int64_t x, int64_t y, int64_t count, const int64_t *given)
{
    double buffer[(LIMIT + 2) * (LIMIT + 2)];
    fisher_z_result r;
    fisher_z_test(data, x, y, count, given, buffer, &r);
    assert_true(r.p_value >= 0.0 && r.p_value <= 1.0 && isfinite(r.statistic) && isfinite(r.correlation));
    return r;
}

static void test_fixtures(void **state)
{
    fixture *f = *state;
    const double *v[FISHER_COLUMNS];
    for (int j = 0; j < FISHER_COLUMNS; j++) {
        v[j] = fisher_columns[j];
    }
    fisher_z_data data = prepare(f, FISHER_ROWS, FISHER_COLUMNS, v, 2, fisher_start);
    for (size_t c = 0; c < COUNT(fisher_cases); c++) {
        fisher_z_result r =
            test(&data, fisher_cases[c].x, fisher_cases[c].y, fisher_cases[c].count, fisher_cases[c].given);
        assert_close(r.p_value, fisher_cases[c].p[0], 1e-8);
        assert_close(special_chi2_tail(1.0, r.statistic), fisher_cases[c].p[1], 1e-8);
        assert_close(r.correlation, fisher_cases[c].correlation, 1e-9);
        assert_int_equal(r.groups_used, 2);
        assert_false(r.degenerate);
    }
}

static double **draw(fixture *f, int64_t n, int64_t d, uint64_t stream)
{
    rng r = rng_new(21, RNG_TEST, stream);
    double **v = arena_get(f->ctx, &f->scratch, d, sizeof *v);
    for (int64_t j = 0; j < d; j++) {
        v[j] = fixture_doubles(f, n);
        for (int64_t i = 0; i < n; i++) {
            v[j][i] = rng_normal(&r) + (j > 0 ? 0.5 * v[j - 1][i] : 0.0);
        }
    }
    return v;
}

/* More columns than a block: checks every entry against the plain sum, and the closed form with one given variable. */
static void test_matrix_and_closed_form(void **state)
{
    fixture *f = *state;
    enum { N = 60, D = 150 };
    double **v = draw(f, N, D, 1);
    fisher_z_data data = prepare(f, N, D, (const double *const *)v, 1, (int64_t[]){0, N});
    for (int a = 0; a < D; a++) {
        for (int b = 0; b < D; b++) {
            double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
            for (int i = 0; i < N; i++) {
                sa += v[a][i] / N;
                sb += v[b][i] / N;
            }
            for (int i = 0; i < N; i++) {
                aa += (v[a][i] - sa) * (v[a][i] - sa);
                bb += (v[b][i] - sb) * (v[b][i] - sb);
                ab += (v[a][i] - sa) * (v[b][i] - sb);
            }
            assert_true(fabs(data.correlation[a * D + b] - ab / sqrt(aa * bb)) < 1e-13);
        }
    }
    double xy = data.correlation[1], xz = data.correlation[2], yz = data.correlation[D + 2];
    double expected = (xy - xz * yz) / sqrt((1 - xz * xz) * (1 - yz * yz));
    assert_close(test(&data, 0, 1, 1, (int64_t[]){2}).correlation, expected, 1e-12);
    fisher_z_result one = test(&data, 0, 1, 1, (int64_t[]){2});
    assert_close(one.statistic, (N - 4.0) * atanh(expected) * atanh(expected), 1e-11);
    assert_close(one.p_value, special_chi2_tail(1.0, one.statistic), 1e-10);
    assert_close(test(&data, 1, 0, 1, (int64_t[]){2}).p_value, one.p_value, 1e-12);
}

/* A copy, a sum and a constant among the given variables change nothing, but are counted. */
static void test_redundant(void **state)
{
    fixture *f = *state;
    enum { N = 50, D = 8 };
    double **v = draw(f, N, D, 2);
    for (int i = 0; i < N; i++) {
        v[4][i] = 3e6 * v[2][i] - 7e8;      // a copy in other units
        v[5][i] = v[2][i] + 1e-3 * v[3][i]; // a sum
        v[6][i] = 4.2;
        v[7][i] = v[0][i] * 1e-30;
    }
    fisher_z_data data = prepare(f, N, D, (const double *const *)v, 1, (int64_t[]){0, N});
    fisher_z_result plain = test(&data, 0, 1, 2, (int64_t[]){2, 3});
    fisher_z_result many = test(&data, 0, 1, 5, (int64_t[]){4, 6, 5, 3, 2});
    assert_close(many.correlation, plain.correlation, 1e-6);
    assert_int_equal(many.dropped, 3);
    assert_close(many.p_value, plain.p_value, 1e-6);
    assert_int_equal(test(&data, 0, 1, 1, (int64_t[]){6}).dropped, 1);
    const int64_t determined[] = {2, 3};
    fisher_z_result r = test(&data, 5, 1, 2, determined); // x is a sum of given variables
    assert_true(r.degenerate && r.p_value == 1.0 && r.groups_undefined == 1);
    assert_true(test(&data, 4, 1, 1, determined).degenerate);
    assert_true(test(&data, 6, 1, 0, NULL).degenerate);
    assert_true(test(&data, 0, 6, 2, determined).degenerate);
    r = test(&data, 0, 7, 0, NULL); // |r| = 1
    assert_true(r.p_value < 1e-200 && r.correlation > 1.0 - 1e-14);
}

static void test_small_groups(void **state)
{
    fixture *f = *state;
    double **v = draw(f, 29, 4, 3);
    const int64_t start[] = {0, 3, 8, 8, 29};
    fisher_z_data data = prepare(f, 29, 4, (const double *const *)v, 4, start);
    fisher_z_result r = test(&data, 0, 1, 0, NULL);
    assert_int_equal(r.groups_used, 2);
    assert_int_equal(r.groups_skipped, 2);
    r = test(&data, 0, 1, 2, (int64_t[]){2, 3});
    assert_int_equal(r.groups_used, 1);
    v[1][4] = NAN;
    fisher_z_data out;
    column_set all = {29, 4, (const double *const *)v};
    assert_int_equal(fisher_z_new(f->ctx, &f->scratch, &all, &(row_groups){4, start}, &out), NONSENS_ERR_DATA);
    v[1][4] = 0.0;
    assert_int_equal(fisher_z_new(f->ctx, &f->scratch, &all, &(row_groups){1, (int64_t[]){0, 30}}, &out),
                     NONSENS_ERR_USAGE);
}

/* p-values of independent columns are uniform: mean, and shares below .05 and .5, within four standard errors. */
static void test_uniform_under_independence(void **state)
{
    fixture *f = *state;
    enum { REPEATS = 2000, N = 120 };
    const int64_t start[] = {0, 30, 50, 120};
    double mean = 0.0, low = 0.0, half = 0.0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        arena_mark mark = arena_tell(&f->scratch);
        double **v = draw(f, N, 4, 1000 + (uint64_t)repeat); // a chain: 0 and 3 are independent given 1 or 2
        fisher_z_data data = prepare(f, N, 4, (const double *const *)v, 3, start);
        double p = test(&data, 0, 3, 1, (int64_t[]){1 + repeat % 2}).p_value;
        mean += p / REPEATS;
        low += (p <= 0.05) / (double)REPEATS;
        half += (p <= 0.5) / (double)REPEATS;
        arena_rewind(&f->scratch, mark);
    }
    assert_true(fabs(mean - 0.5) < 4.0 * sqrt(1.0 / 12.0 / REPEATS));
    assert_true(fabs(low - 0.05) < 4.0 * sqrt(0.05 * 0.95 / REPEATS));
    assert_true(fabs(half - 0.5) < 4.0 * sqrt(0.25 / REPEATS));
}

/* A million tests take about a second, since nothing is allocated. */
static void test_speed(void **state)
{
    fixture *f = *state;
    double **v = draw(f, 100, 20, 4);
    fisher_z_data data = prepare(f, 100, 20, (const double *const *)v, 1, (int64_t[]){0, 100});
    clock_t begin = clock();
    memory_fail_at(0);
    for (int64_t i = 0; i < 100000; i++) {
        int64_t given[] = {2 + i % 18};
        assert_true(test(&data, 0, 1, i % 2, given).groups_used == 1);
    }
    memory_fail_at(-1);
    assert_true((double)(clock() - begin) < fixture_patience() * CLOCKS_PER_SEC);
}

static nonsens_status prepared(nonsens_context *ctx, arena *a, void *state)
{
    fisher_z_data data;
    column_set all = {60, 150, *(const double *const **)state};
    return fisher_z_new(ctx, a, &all, &(row_groups){2, (int64_t[]){0, 20, 60}}, &data);
}

static void test_memory_failures(void **state)
{
    double **v = draw(*state, 60, 150, 5);
    assert_true(fail_every_allocation(*state, prepared, &v) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fixtures),        TEST(test_matrix_and_closed_form),     TEST(test_redundant),
        TEST(test_small_groups),    TEST(test_uniform_under_independence), TEST(test_speed),
        TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
