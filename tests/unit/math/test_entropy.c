/* test_entropy.c - estimators against closed forms, invariances, and a comparison of all pairs. */
#include "base/rng.h"
#include "math/entropy.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

static const double ENTROPY_TOLERANCE = 0.03; /* four standard errors of one-spacings, n = 20000 */
static const double MUTUAL_TOLERANCE = 0.03;  /* the same for k = 3, n = 20000 */
static const double ROUNDING = 1e-12;
enum { SAMPLE = 20000 };

static double *draw(fixture *f, double (*next)(rng *), uint64_t stream, int64_t n)
{
    rng r = rng_new(3, RNG_TEST, stream);
    double *v = fixture_doubles(f, n);
    for (int64_t i = 0; i < n; i++) {
        v[i] = next(&r);
    }
    return v;
}

static double entropy(fixture *f, int64_t n, const double *v)
{
    double h;
    assert_int_equal(entropy_spacing(f->ctx, &f->scratch, n, v, &h), NONSENS_OK);
    return h;
}

static double mutual(fixture *f, int64_t n, const double *x, const double *y, int k)
{
    double i;
    assert_int_equal(entropy_mutual_information(f->ctx, &f->scratch, n, x, y, k, &i), NONSENS_OK);
    return i;
}

/* ---- spacings ------------------------------------------------------------------------------------------------ */

static void test_entropy_closed_forms(void **state)
{
    fixture *f = *state;
    double uniform = 0.0, gaussian = 0.5 * log(2.0 * acos(-1.0) * exp(1.0)), laplace = 1.0 + log(2.0);
    assert_true(fabs(entropy(f, SAMPLE, draw(f, rng_uniform, 1, SAMPLE)) - uniform) < ENTROPY_TOLERANCE);
    assert_true(fabs(entropy(f, SAMPLE, draw(f, rng_normal, 2, SAMPLE)) - gaussian) < ENTROPY_TOLERANCE);
    assert_true(fabs(entropy(f, SAMPLE, draw(f, rng_laplace, 3, SAMPLE)) - laplace) < ENTROPY_TOLERANCE);
}

static void test_entropy_by_hand(void **state)
{
    fixture *f = *state;
    double v[] = {4.0, 1.0, 2.0, 1.0, 2.0}; // distinct 1 2 4: gaps 1 and 2, psi(3) - psi(1) = 1.5
    double kept[5];
    memcpy(kept, v, sizeof v);
    assert_true(fabs(entropy(f, 5, v) - (0.5 * log(2.0) + 1.5)) < ROUNDING);
    assert_memory_equal(v, kept, sizeof v);
}

static void test_entropy_scale_and_order(void **state)
{
    fixture *f = *state;
    double *v = draw(f, rng_normal, 4, 500), *w = fixture_doubles(f, 500);
    for (int64_t i = 0; i < 500; i++) {
        w[499 - i] = 0x1p40 * v[i];
    }
    assert_true(fabs(entropy(f, 500, w) - entropy(f, 500, v) - 40.0 * log(2.0)) < ROUNDING * 40.0);
    double *doubled = fixture_doubles(f, 1000); // repeating every value changes nothing
    for (int64_t i = 0; i < 1000; i++) {
        doubled[i] = v[i / 2];
    }
    assert_true(entropy(f, 1000, doubled) == entropy(f, 500, v));
}

static void test_entropy_corners(void **state)
{
    fixture *f = *state;
    double constant[4] = {2.0, 2.0, 2.0, 2.0}, two[3] = {1.0, 2.0, 1.0}, zeros[3] = {0.0, -0.0, 1.0}, h;
    double wide[3] = {-1.7e308, 1.7e308, 0.0}, broken[3] = {1.0, NAN, 2.0};
    assert_true(isnan(entropy(f, 0, constant)) && isnan(entropy(f, 1, constant)));
    assert_true(isnan(entropy(f, 4, constant)) && isnan(entropy(f, 3, two)) && isnan(entropy(f, 3, zeros)));
    assert_true(isfinite(entropy(f, 3, wide)));
    wide[2] = 1.6e308; // a gap that overflows
    assert_true(isfinite(entropy(f, 3, wide)));
    assert_int_equal(entropy_spacing(f->ctx, &f->scratch, 3, broken, &h), NONSENS_ERR_NUMERIC);
    assert_true(isnan(h));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- mutual information -------------------------------------------------------------------------------------- */

/* Estimator 1 of Kraskov et al. by comparing all pairs. */
static double mutual_by_pairs(fixture *f, int64_t n, const double *x, const double *y, int k)
{
    double *distance = fixture_doubles(f, n), sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        int64_t others = 0, nx = 0, ny = 0, equal_x = 0, equal_y = 0, equal = 0;
        for (int64_t j = 0; j < n; j++) {
            if (j != i) {
                distance[others++] = fmax(fabs(x[i] - x[j]), fabs(y[i] - y[j]));
            }
        }
        qsort(distance, (size_t)others, sizeof *distance, ascending);
        for (int64_t j = 0; j < n; j++) {
            nx += j != i && fabs(x[i] - x[j]) < distance[k - 1];
            ny += j != i && fabs(y[i] - y[j]) < distance[k - 1];
            equal_x += x[i] == x[j];
            equal_y += y[i] == y[j];
            equal += x[i] == x[j] && y[i] == y[j];
        }
        if (distance[k - 1] == 0.0) {
            sum += log((double)equal_x) + log((double)equal_y) - log((double)equal) + special_digamma(k);
            continue;
        }
        sum += special_digamma((double)nx + 1.0) + special_digamma((double)ny + 1.0);
    }
    return special_digamma(k) + special_digamma((double)n) - sum / (double)n;
}

static void correlate(int64_t n, const double *x, double *y, double rho)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = rho * x[i] + sqrt(1.0 - rho * rho) * y[i];
    }
}

static void test_mutual_closed_form(void **state)
{
    fixture *f = *state;
    static const double rho[] = {0.0, 0.3, -0.6, 0.9};
    for (int i = 0; i < 4; i++) {
        double *x = draw(f, rng_normal, 10, SAMPLE), *y = draw(f, rng_normal, 11, SAMPLE);
        correlate(SAMPLE, x, y, rho[i]);
        double expected = -0.5 * log(1.0 - rho[i] * rho[i]);
        assert_true(fabs(mutual(f, SAMPLE, x, y, 3) - expected) < MUTUAL_TOLERANCE);
    }
}

/* The tree and the sorted marginals must give exactly the bits of the comparison of all pairs, including ties. */
static void test_mutual_equals_all_pairs(void **state)
{
    fixture *f = *state;
    static const double grid[] = {0.0, 0.01, 0.3, 2.0}; // rounding of x; y is rounded to half of it
    static const int64_t rows[] = {5, 9, 40, 301, 700};
    static const int neighbours[] = {1, 3, 4};
    for (int g = 0; g < 4; g++) {
        for (int r = 0; r < 5; r++) {
            int64_t n = rows[r];
            double *x = draw(f, rng_laplace, 12, n), *y = draw(f, rng_normal, 13, n);
            correlate(n, x, y, 0.5);
            for (int64_t i = 0; i < n && grid[g] > 0.0; i++) {
                x[i] = grid[g] * round(x[i] / grid[g]);
                y[i] = g == 2 ? y[i] : 0.5 * grid[g] * round(2.0 * y[i] / grid[g]);
            }
            for (int k = 0; k < 3; k++) {
                double fast = mutual(f, n, x, y, neighbours[k]), slow = mutual_by_pairs(f, n, x, y, neighbours[k]);
                assert_true(fast == slow);
            }
        }
    }
}

/* Two coins that agree three times in four: the information of discrete values has a closed form. */
static void test_mutual_of_discrete_values(void **state)
{
    fixture *f = *state;
    enum { N = 4000 };
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N);
    for (int64_t i = 0; i < N; i++) {
        x[i] = (double)(i % 2);
        y[i] = i % 8 < 6 ? x[i] : 1.0 - x[i];
    }
    double expected = 0.75 * log(1.5) + 0.25 * log(0.5);
    assert_true(fabs(mutual(f, N, x, y, 5) - expected) < 1e-3);
}

static void test_mutual_is_symmetric(void **state)
{
    fixture *f = *state;
    double *x = draw(f, rng_normal, 14, 2000), *y = draw(f, rng_laplace, 15, 2000);
    assert_true(fabs(mutual(f, 2000, x, y, 4) - mutual(f, 2000, y, x, 4)) < ROUNDING);
}

/* Patterns that defeat careless splitting: sorted, constant, on a line, few values, one far outlier. */
static void test_mutual_patterns(void **state)
{
    fixture *f = *state;
    enum { N = 30000 };
    double *ramp = fixture_doubles(f, N), *constant = fixture_doubles(f, N), *bit = fixture_doubles(f, N),
           *v = draw(f, rng_normal, 16, N);
    for (int64_t i = 0; i < N; i++) {
        ramp[i] = (double)i;
        bit[i] = (double)(i % 2);
    }
    assert_true(isfinite(mutual(f, N, constant, constant, 3)));
    assert_true(isfinite(mutual(f, N, bit, bit, 3)));
    assert_true(isfinite(mutual(f, N, bit, v, 3)));
    assert_true(isfinite(mutual(f, N, constant, v, 3)));
    assert_true(mutual(f, N, ramp, ramp, 3) > 5.0); // each is a function of the other: grows like log n
    v[0] = 1e300;
    assert_true(isfinite(mutual(f, N, ramp, v, 3)));
    v[1] = -1.7e308;
    v[2] = 1.7e308; // differences overflow
    assert_true(isfinite(mutual(f, N, v, v, 3)));
}

static void test_mutual_refusals(void **state)
{
    fixture *f = *state;
    double x[5] = {1, 2, 3, 4, 5}, y[5] = {1, 2, NAN, 4, 5}, out;
    assert_int_equal(entropy_mutual_information(f->ctx, &f->scratch, 5, x, x, 0, &out), NONSENS_ERR_USAGE);
    assert_int_equal(entropy_mutual_information(f->ctx, &f->scratch, 5, x, x, 5, &out), NONSENS_ERR_DATA);
    assert_int_equal(entropy_mutual_information(f->ctx, &f->scratch, 5, x, y, 2, &out), NONSENS_ERR_NUMERIC);
    assert_true(isnan(out));
    nonsens_context_cancel(f->ctx);
    assert_int_equal(entropy_mutual_information(f->ctx, &f->scratch, 5, x, x, 2, &out), NONSENS_CANCELLED);
    context_begin(f->ctx);
}

static nonsens_status information(nonsens_context *ctx, arena *a, void *state)
{
    enum { N = 3000 };
    const double *xy = state;
    double out;
    return entropy_mutual_information(ctx, a, N, xy, xy + N, 3, &out);
}

static void test_memory_failures(void **state)
{
    assert_true(fail_every_allocation(*state, information, draw(*state, rng_normal, 17, 2 * 3000)) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_entropy_closed_forms),      TEST(test_entropy_by_hand),     TEST(test_entropy_scale_and_order),
        TEST(test_entropy_corners),           TEST(test_mutual_closed_form),  TEST(test_mutual_equals_all_pairs),
        TEST(test_mutual_of_discrete_values), TEST(test_mutual_is_symmetric), TEST(test_mutual_patterns),
        TEST(test_mutual_refusals),           TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
