/* test_samples.c - k-sample tests against SciPy, Kiefer's distribution against his series, permutations, edge cases. */
#include "base/rng.h"
#include "fixtures/samples.h"
#include "indep/samples.h"
#include "math/kiefer.h"
#include "math/special.h"

#include <math.h>

#include "fixture.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void assert_close(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g within %g relatively", got, expected, relative);
    }
}

static samples_result run(fixture *f, const double *v, int64_t groups, const int64_t *start, samples_options o)
{
    samples_result r;
    row_groups g = {groups, start};
    assert_int_equal(samples_test(f->ctx, &f->scratch, v, &g, &o, &r), NONSENS_OK);
    assert_true(r.p_value >= 0.0 && r.p_value <= 1.0);
    return r;
}

/* ---- distributions --------------------------------------------------------------------------------------------- */

static void test_kiefer(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples_kiefer); i++) {
        const double *r = samples_kiefer[i];
        double p = kiefer_tail((int64_t)r[0], r[1]);
        if (!(fabs(p - r[2]) <= 1e-11 || (r[2] < 1e-9 && p >= r[2] && p < 10.0 * r[2]))) {
            fail_msg("%g components at %.17g: got %.17g, expected %.17g", r[0], r[1], p, r[2]);
        }
        if (r[2] > 1e-9) {
            assert_close(p, r[2], 1e-2);
        }
    }
    assert_true(kiefer_tail(1, 1.7) == special_kolmogorov_tail(sqrt(1.7)));
    assert_true(kiefer_tail(3, 0.0) == 1.0 && kiefer_tail(3, -1.0) == 1.0 && kiefer_tail(3, INFINITY) == 0.0);
    assert_true(isnan(kiefer_tail(0, 1.0)) && isnan(kiefer_tail(2, NAN)));
}

/* Falls monotonically from 1 to 0, for any number of components. */
static void test_kiefer_is_monotone(void **state)
{
    (void)state;
    const int64_t components[] = {2, 5, 15, 16, 40, 150, 400, 1000};
    for (size_t c = 0; c < COUNT(components); c++) {
        double d = (double)components[c], before = 1.0;
        for (double scale = 0.02; scale < 40.0; scale *= 1.07) {
            double p = kiefer_tail(components[c], scale * (0.5 + 0.25 * d));
            assert_true(p >= 0.0 && p <= before * (1.0 + 1e-9) + 1e-10);
            before = p;
        }
        assert_true(before < 1e-30);
    }
}

static void test_f_tail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples_f); i++) {
        const double *r = samples_f[i];
        assert_close(special_f_tail(r[0], r[1], r[2]), r[3], 1e-9);
    }
    assert_true(special_f_tail(2.0, 3.0, 0.0) == 1.0 && special_f_tail(2.0, 3.0, INFINITY) == 0.0);
    assert_true(special_f_tail(2.0, 3.0, 1e308) >= 0.0 && isnan(special_f_tail(0.0, 3.0, 1.0)));
}

/* ---- against SciPy --------------------------------------------------------------------------------------------- */

static void test_fixtures(void **state)
{
    fixture *f = *state;
    for (size_t c = 0; c < COUNT(samples_cases); c++) {
        int64_t k = samples_cases[c].groups;
        const double *v = samples_cases[c].v;
        const int64_t *start = samples_cases[c].start;
        samples_result r = run(f, v, k, start, (samples_options){.kind = SAMPLES_KS});
        assert_close(r.statistic, samples_cases[c].ks, 1e-9);
        assert_close(r.effect, samples_cases[c].distance, 1e-9);
        assert_true(r.exact == (k == 2));
        if (k == 2) {
            assert_close(r.effect, samples_cases[c].distance, 1e-12);
            assert_close(r.p_value, samples_cases[c].p_ks, 1e-9);
        }
        r = run(f, v, k, start, (samples_options){.kind = SAMPLES_LEVENE});
        assert_close(r.statistic, samples_cases[c].levene[0], 1e-8);
        assert_close(r.p_value, samples_cases[c].levene[1], 1e-8);
        r = run(f, v, k, start, (samples_options){.kind = SAMPLES_KRUSKAL});
        assert_close(r.statistic, samples_cases[c].kruskal[0], 1e-10);
        assert_close(r.p_value, samples_cases[c].kruskal[1], 1e-9);
    }
}

/* The exact p for two groups agrees with 4,000 permutations; elsewhere asymptotic and permuted p agree roughly. */
static void test_permutations(void **state)
{
    fixture *f = *state; // Levene's distances are not quite exchangeable, least of all in rounded data
    for (size_t c = 0; c < COUNT(samples_cases); c++) {
        for (int kind = SAMPLES_KS; kind <= SAMPLES_KRUSKAL; kind++) {
            samples_options o = {.kind = (enum samples_kind)kind, .permutations = 4000, .seed = 9, .threads = 1};
            samples_result plain = run(f, samples_cases[c].v, samples_cases[c].groups, samples_cases[c].start, o);
            o.null_kind = NULL_PERMUTATION;
            samples_result permuted = run(f, samples_cases[c].v, samples_cases[c].groups, samples_cases[c].start, o);
            o.threads = 3;
            samples_result again = run(f, samples_cases[c].v, samples_cases[c].groups, samples_cases[c].start, o);
            assert_true(again.p_value == permuted.p_value && permuted.by_permutation);
            double error = 4.0 * sqrt(plain.p_value * (1.0 - plain.p_value) / 4000.0) + 1e-3;
            if (!(fabs(permuted.p_value - plain.p_value) < error + (plain.exact              ? 0.0
                                                                    : kind == SAMPLES_LEVENE ? 0.2
                                                                                             : 0.06))) {
                fail_msg("case %d kind %d: permuted %g, else %g", (int)c, kind, permuted.p_value, plain.p_value);
            }
        }
    }
}

/* ---- invariances and edge cases --------------------------------------------------------------------------------- */

static void test_order_and_scale(void **state)
{
    fixture *f = *state;
    const int64_t start[] = {0, 20, 55, 70, 80, 83};
    const double *v = samples_cases[4].v;
    double reversed[83], scaled[83];
    for (int e = 0; e < 5; e++) {
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            reversed[start[e] + start[e + 1] - 1 - i] = v[i];
            scaled[i] = v[i] * 1e300;
        }
    }
    for (int kind = SAMPLES_KS; kind <= SAMPLES_KRUSKAL; kind++) {
        samples_options o = {.kind = (enum samples_kind)kind, .permutations = 99, .null_kind = NULL_PERMUTATION};
        samples_result a = run(f, v, 5, start, o), b = run(f, reversed, 5, start, o), c = run(f, scaled, 5, start, o);
        assert_close(b.statistic, a.statistic, 1e-12);
        assert_close(c.statistic, a.statistic, 1e-12);
        assert_true(a.p_value == b.p_value && a.p_value == c.p_value);
        assert_close(b.effect, a.effect, 1e-12);
    }
}

static void test_corners(void **state)
{
    fixture *f = *state;
    const int64_t start[] = {0, 4, 8, 9, 9};
    const double constant[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2}, steps[9] = {1, 1, 1, 1, 2, 2, 2, 2, 5};
    const double spread[9] = {0, 1, 0, 1, 0, 10, 0, 10, 5}, wide[9] = {-1.7e308, 1.7e308, 0, 1, 5, 6, 7, 1e-320, 3};
    const double broken[9] = {0, 1, INFINITY};
    for (int kind = SAMPLES_KS; kind <= SAMPLES_KRUSKAL; kind++) {
        samples_options o = {.kind = (enum samples_kind)kind};
        samples_result r = run(f, constant, 4, start, o), out;
        assert_true(r.constant && r.p_value == 1.0 && r.statistic == 0.0);
        assert_int_equal(r.groups_used, 2);
        assert_int_equal(r.groups_skipped, 2);
        assert_int_equal(r.rows_used, 8);
        r = run(f, wide, 4, start, o);
        assert_true(isfinite(r.statistic));
        r = run(f, steps, 4, start, o);
        assert_true(kind == SAMPLES_LEVENE ? r.constant : r.p_value < 0.05);
        r = run(f, steps, 1, start, o);
        assert_true(r.p_value == 1.0 && r.groups_used == 1);
        assert_int_equal(samples_test(f->ctx, &f->scratch, broken, &(row_groups){4, start}, &o, &out),
                         NONSENS_ERR_DATA);
        o.null_kind = NULL_PERMUTATION;
        assert_int_equal(samples_test(f->ctx, &f->scratch, steps, &(row_groups){4, start}, &o, &out),
                         NONSENS_ERR_USAGE);
    }
    samples_result r = run(f, spread, 4, start, (samples_options){.kind = SAMPLES_LEVENE});
    assert_true(r.p_value == 0.0 && isinf(r.statistic)); // all rows of a group are equally far from its median
    assert_close(r.effect, 10.0, 1e-12);
}

static nonsens_status permuted(nonsens_context *ctx, arena *a, void *state)
{
    samples_options o = {.kind = *(enum samples_kind *)state, .permutations = 20, .null_kind = NULL_PERMUTATION};
    samples_result r;
    o.threads = 1;
    return samples_test(ctx, a, samples_cases[0].v, &(row_groups){2, samples_cases[0].start}, &o, &r);
}

static void test_memory_failures(void **state)
{
    for (int kind = SAMPLES_KS; kind <= SAMPLES_KRUSKAL; kind++) {
        enum samples_kind k = (enum samples_kind)kind;
        assert_true(fail_every_allocation(*state, permuted, &k) >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_kiefer),       TEST(test_kiefer_is_monotone), TEST(test_f_tail),  TEST(test_fixtures),
        TEST(test_permutations), TEST(test_order_and_scale),    TEST(test_corners), TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
