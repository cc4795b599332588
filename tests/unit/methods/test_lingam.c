/*
 * test_lingam.c - DirectLiNGAM: order and weights against NumPy and against the definition written out here; skipped
 * comparisons and threads must change nothing.
 */
#include "methods/lingam/lingam_rows.h"
#include "methods/lingam/lingam_weights.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "fixtures/lingam.h"
#include "lingam_samples.h"

enum { CASES = sizeof lingam_cases / sizeof *lingam_cases };

static void assert_close(double actual, double expected, double relative)
{
    if (!(fabs(actual - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

static void assert_within(double actual, double expected, double absolute)
{
    if (!(fabs(actual - expected) <= absolute)) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

/* ---- the definition -------------------------------------------------------------------------------------------- */

static void standardise(int64_t n, double *v)
{
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / n;
    }
    for (int64_t i = 0; i < n; i++) {
        square += (v[i] - mean) * (v[i] - mean) / n;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = (v[i] - mean) / sqrt(square);
    }
}

static double entropy(int64_t n, const double *u)
{
    double a = 0, b = 0;
    for (int64_t i = 0; i < n; i++) {
        a += (u[i] > 20 || u[i] < -20 ? fabs(u[i]) - log(2) : log(cosh(u[i]))) / n;
        b += u[i] * exp(-u[i] * u[i] / 2) / n;
    }
    return (1 + log(8 * atan(1.0))) / 2 - 79.047 * (a - 0.37457) * (a - 0.37457) - 7.4129 * b * b;
}

/* Computes the standardised residual of x on y. */
static void residual(int64_t n, const double *x, const double *y, double *out)
{
    double xy = 0, yy = 0;
    for (int64_t i = 0; i < n; i++) {
        xy += x[i] * y[i];
        yy += y[i] * y[i];
    }
    for (int64_t i = 0; i < n; i++) {
        out[i] = x[i] - xy / yy * y[i];
    }
    standardise(n, out);
}

/* Finds the order, and M of the best and the second best at each step. */
static void by_definition(fixture *f, int64_t n, int64_t d, const double *x, int64_t *order, double *first,
                          double *second)
{
    double *z = fixture_doubles(f, n * d), *u = fixture_doubles(f, n), *v = fixture_doubles(f, n);
    bool gone[LIMIT] = {false};
    memcpy(z, x, (size_t)(n * d) * sizeof *z);
    for (int64_t k = 0; k < d; k++) {
        standardise(n, z + k * n);
    }
    for (int64_t step = 0; step < d; step++) {
        first[step] = second[step] = INFINITY;
        for (int64_t i = 0; i < d; i++) {
            double m = 0;
            for (int64_t j = 0; j < d && !gone[i]; j++) {
                if (j != i && !gone[j]) {
                    residual(n, z + i * n, z + j * n, u);
                    residual(n, z + j * n, z + i * n, v);
                    double ratio = entropy(n, z + j * n) + entropy(n, u) - entropy(n, z + i * n) - entropy(n, v);
                    m += ratio < 0 ? ratio * ratio : 0;
                }
            }
            if (!gone[i] && m < first[step]) {
                second[step] = first[step];
                first[step] = m;
                order[step] = i;
            } else if (!gone[i] && m < second[step]) {
                second[step] = m;
            }
        }
        gone[order[step]] = true;
        for (int64_t k = 0; k < d; k++) {
            if (!gone[k]) {
                residual(n, z + k * n, z + order[step] * n, z + k * n);
            }
        }
    }
}

static void assert_definition(fixture *f, int64_t n, int64_t d, double *x, double absolute)
{
    int64_t order[LIMIT];
    double first[LIMIT], second[LIMIT];
    lingam_order o = order_of(f, n, d, x, false, 1);
    by_definition(f, n, d, x, order, first, second);
    for (int64_t k = 0; k < d; k++) {
        assert_int_equal(o.at[k], order[k]);
        assert_within(o.against[k], first[k], absolute);
        if (k + 1 < d) {
            assert_within(o.against_next[k], second[k], absolute * (1 + second[k]));
        }
    }
}

/* Checks the polynomials inside all cells and at their ends. */
static void test_table(void **state)
{
    fixture *f = *state;
    lingam_table *table = arena_get(f->ctx, &f->scratch, 1, sizeof *table);
    lingam_table_fill(table);
    for (int i = -256; i <= 256; i++) {
        for (double t = -0.5; t <= 0.5; t += 0.125) {
            int cell = i + 256;
            double u = (i + t) / 16, sum[2] = {0, 0};
            for (int k = LINGAM_TERMS - 1; k >= 0; k--) {
                sum[0] = sum[0] * t + table->v[cell][2 * k];
                sum[1] = sum[1] * t + table->v[cell][2 * k + 1];
            }
            assert_within(sum[0], log(cosh(u)), 1e-13);
            assert_within(sum[1], u * exp(-u * u / 2), 1e-13);
        }
    }
}

static void test_order_is_that_of_the_definition(void **state)
{
    const int64_t d[] = {2, 3, 5, 8, 12}, n[] = {300, 101, 200, 250, 333};
    for (int law = LAPLACE; law <= STUDENT; law++) {
        for (int size = 0; size < 5; size++) {
            arena_mark mark = arena_tell(&((fixture *)*state)->scratch);
            classifier_model *m = make_model(*state, d[size], n[size], law, 2, 10 * (uint64_t)law + (uint64_t)size);
            assert_definition(*state, m->n, m->d, m->x, 1e-11);
            arena_rewind(&((fixture *)*state)->scratch, mark);
        }
    }
}

/* Residuals of two almost equal columns: 1 - rho^2 would have only four correct digits. */
static void test_close_pair(void **state)
{
    fixture *f = *state;
    enum { N = 300 };
    lingam_table *table = arena_get(f->ctx, &f->scratch, 1, sizeof *table);
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N), *u = fixture_doubles(f, N), out[2];
    rng r = rng_new(1, RNG_TEST, 36);
    for (int i = 0; i < N; i++) {
        x[i] = rng_laplace(&r);
        y[i] = x[i] + 2e-6 * rng_laplace(&r);
    }
    standardise(N, x);
    standardise(N, y);
    lingam_table_fill(table);
    lingam_rows_residuals(table, N, x, y, lingam_rows_product(N, x, y), out);
    residual(N, x, y, u);
    assert_within(out[0], entropy(N, u), 1e-8);
    residual(N, y, x, u);
    assert_within(out[1], entropy(N, u), 1e-8);
}

/* Few more rows than variables, one huge row, few distinct values, almost equal columns. */
static void test_order_of_awkward_data(void **state)
{
    fixture *f = *state;
    classifier_model *few = make_model(f, 9, 11, LAPLACE, 2, 31), *odd = make_model(f, 5, 200, UNIFORM, 2, 32),
                     *tied = make_model(f, 5, 200, SKEWED, 2, 33), *close = make_model(f, 6, 400, LAPLACE, 2, 34);
    assert_definition(f, few->n, few->d, few->x, 1e-8);
    odd->x[17] = 1e6;
    odd->x[217] = -1e5;
    assert_definition(f, odd->n, odd->d, odd->x, 1e-10);
    for (int64_t i = 0; i < tied->n * tied->d; i++) {
        tied->x[i] = round(tied->x[i]);
    }
    assert_definition(f, tied->n, tied->d, tied->x, 1e-11);
    rng r = rng_new(1, RNG_TEST, 35);
    for (int64_t i = 0; i < close->n; i++) {
        close->x[i] = close->x[close->n + i] + 2e-6 * rng_laplace(&r);
        close->x[3 * close->n + i] = close->x[2 * close->n + i] - close->x[i] + 2e-6 * rng_laplace(&r);
    }
    assert_definition(f, close->n, close->d, close->x, 1e-11);
}

/* ---- NumPy ----------------------------------------------------------------------------------------------------- */

/* Compares weights with the fixture's, which are in the data's units and by columns. */
static void assert_weights(const lingam_order *o, const double *weight, const double *expected, double relative)
{
    for (int64_t k = 0; k < o->d; k++) {
        for (int64_t j = 0; j < k; j++) {
            double in_units = weight[j + k * o->d] * o->sd[k] / o->sd[j];
            assert_close(in_units, expected[o->at[k] * o->d + o->at[j]], relative);
        }
    }
}

static int64_t count_staying(const lingam_weights *weights, int64_t d)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d * d; i++) {
        count += weights->stays[i];
    }
    return count;
}

static void test_fixtures(void **state)
{
    fixture *f = *state;
    for (int c = 0; c < CASES; c++) {
        const lingam_case *t = &lingam_cases[c];
        lingam_weights all, lasso;
        lingam_order o = order_of(f, t->n, t->d, (double *)t->x, false, 1);
        for (int64_t k = 0; k < t->d; k++) {
            assert_int_equal(o.at[k], (int64_t)t->order[k]);
            assert_within(o.against[k], t->against[k], 1e-10);
        }
        assert_int_equal(lingam_find_weights(f->ctx, &f->scratch, &o, COEFFICIENTS_ALL, 0.05, 1, &all), NONSENS_OK);
        assert_int_equal(lingam_find_weights(f->ctx, &f->scratch, &o, COEFFICIENTS_LASSO, 0.05, 1, &lasso), NONSENS_OK);
        assert_int_equal(count_staying(&all, t->d), t->d * (t->d - 1) / 2);
        assert_weights(&o, all.weight, t->weight, 1e-8);
        assert_weights(&o, lasso.weight, t->lasso, 1e-8);
        for (int64_t k = 0; k < t->d; k++) {
            for (int64_t j = 0; j < k; j++) {
                assert_close(all.p_value[j + k * t->d], t->p[o.at[k] * t->d + o.at[j]], 1e-7);
                assert_int_equal(lasso.stays[j + k * t->d], lasso.weight[j + k * t->d] != 0);
            }
        }
    }
}

/* Benjamini and Hochberg: weights stay up to the largest i with p_i <= alpha i / m. */
static void test_tested_weights(void **state)
{
    fixture *f = *state;
    classifier_model *m = make_model(f, 10, 200, LAPLACE, 2, 41);
    lingam_order o = order_of(f, m->n, m->d, m->x, false, 1);
    lingam_weights tested;
    assert_int_equal(lingam_find_weights(f->ctx, &f->scratch, &o, COEFFICIENTS_TESTED, 0.1, 1, &tested), NONSENS_OK);
    int64_t best = 0, pairs = 45;
    for (int64_t i = 0; i < 100; i++) {
        int64_t up_to = 0;
        for (int64_t j = 0; j < 100; j++) {
            up_to += j % 10 < j / 10 && tested.p_value[j] <= tested.p_value[i];
        }
        bool under = i % 10 < i / 10 && tested.p_value[i] <= 0.1 * up_to / pairs;
        best = under && up_to > best ? up_to : best;
    }
    assert_int_equal(count_staying(&tested, m->d), best);
    assert_true(best > 5 && best < pairs);
}

/* x = e r: residuals and factor reproduce the standardised variables. */
static void test_factor(void **state)
{
    fixture *f = *state;
    classifier_model *m = make_model(f, 7, 151, SKEWED, 3, 42);
    lingam_order o = order_of(f, m->n, m->d, m->x, false, 1);
    for (int64_t k = 0; k < m->d; k++) {
        double *x = m->x + o.at[k] * m->n;
        standardise(m->n, x);
        for (int64_t i = 0; i < m->n; i++) {
            double sum = 0;
            for (int64_t j = 0; j <= k; j++) {
                sum += o.r[j + k * m->d] * o.residual.v[i + j * m->n];
            }
            assert_within(sum, x[i], 1e-12);
        }
    }
}

/* ---- invariances ----------------------------------------------------------------------------------------------- */

static void assert_same_order(const lingam_order *a, const lingam_order *b)
{
    size_t bytes = (size_t)a->d * sizeof(double);
    assert_memory_equal(a->at, b->at, bytes);
    assert_memory_equal(a->next, b->next, bytes);
    assert_memory_equal(a->against, b->against, bytes);
    assert_memory_equal(a->against_next, b->against_next, bytes - sizeof(double));
    assert_memory_equal(a->r, b->r, (size_t)a->d * bytes);
    assert_memory_equal(a->residual.v, b->residual.v, (size_t)a->n * bytes);
}

static void test_comparisons_left_out_and_threads(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        arena_mark mark = arena_tell(&f->scratch);
        int64_t d = 3 + 3 * (int64_t)seed, n = seed % 3 ? 400 : 47 + d;
        classifier_model *m = make_model(f, d, n, seed % 5, seed % 4, 50 + seed);
        lingam_order plain = order_of(f, n, d, m->x, true, 1), quick = order_of(f, n, d, m->x, false, 1),
                     threads = order_of(f, n, d, m->x, false, 3);
        assert_same_order(&plain, &quick);
        assert_same_order(&quick, &threads);
        assert_int_equal(plain.compared, plain.pairs);
        assert_int_equal(quick.compared, threads.compared);
        assert_true(d < 20 || quick.compared < 0.6 * plain.compared);
        arena_rewind(&f->scratch, mark);
    }
}

static int stop_at_once(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

static void test_cancelling(void **state)
{
    fixture *f = *state;
    classifier_model *m = make_model(f, 5, 100, LAPLACE, 1, 91);
    lingam_order out;
    lingam_order_options how = {.threads = 1};
    nonsens_context_set_progress(f->ctx, stop_at_once, NULL);
    assert_int_equal(lingam_find_order(f->ctx, &f->scratch, matrix_view(m->x, 100, 5), &how, &out), NONSENS_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_table),      TEST(test_order_is_that_of_the_definition),
                                       TEST(test_close_pair), TEST(test_order_of_awkward_data),
                                       TEST(test_fixtures),   TEST(test_tested_weights),
                                       TEST(test_factor),     TEST(test_comparisons_left_out_and_threads),
                                       TEST(test_cancelling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
