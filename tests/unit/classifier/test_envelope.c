/* test_envelope.c - Cholesky factors of matrices with a profile, against the plain algorithm on the full matrix. */
#include "classifier/envelope.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

static const double TOLERANCE = 1e-12; /* relative to the largest entry */

static void assert_close(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("found %.17g, expected %.17g", found, expected);
    }
}

/* A positive definite matrix (n, n), both triangles, zero left of first[i]: Gram matrix of rows with that profile. */
static double *matrix_with_profile(fixture *f, int64_t n, const int64_t *first, uint64_t seed)
{
    double *lower = fixture_doubles(f, n * n), *a = fixture_doubles(f, n * n);
    rng r = rng_new(seed, RNG_TEST, (uint64_t)n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = first[i]; j <= i; j++) {
            lower[i * n + j] = j == i ? 1.0 + rng_uniform(&r) : rng_normal(&r) / sqrt((double)n);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            for (int64_t k = 0; k < n; k++) {
                a[i * n + j] += lower[i * n + k] * lower[j * n + k];
            }
        }
    }
    return a;
}

/* Returns first[]: dense, banded, or banded with dense rows at the end like the Fisher matrices. */
static int64_t *profile(fixture *f, int64_t n, int64_t band, int64_t dense_from)
{
    int64_t *first = arena_get(f->ctx, &f->scratch, n, sizeof *first);
    assert_non_null(first);
    for (int64_t i = 0; i < n; i++) {
        first[i] = i < dense_from && i > band ? i - band : 0;
    }
    return first;
}

static void check_factor(int64_t n, const int64_t *first, const double *a, const double *l)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int64_t k = 0; k <= j; k++) {
                sum += l[i * n + k] * l[j * n + k];
            }
            assert_close(sum, a[i * n + j], TOLERANCE * 10.0);
        }
        assert_true(l[i * n + i] > 0.0);
        for (int64_t j = 0; j < first[i]; j++) {
            assert_true(l[i * n + j] == 0.0);
        }
    }
}

static void check_solves(fixture *f, int64_t n, const int64_t *first, const double *a, const double *l)
{
    double *x = fixture_doubles(f, n), *b = fixture_doubles(f, n), *y = fixture_doubles(f, n);
    for (int64_t i = 0; i < n; i++) {
        x[i] = sin((double)(i + 1));
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            b[i] += a[i * n + j] * x[j];
        }
    }
    envelope_forward(n, first, l, b);
    envelope_multiply(n, first, l, b, y); // L L^-1 a x
    for (int64_t i = 0; i < n; i++) {
        double ax = 0.0;
        for (int64_t j = 0; j < n; j++) {
            ax += a[i * n + j] * x[j];
        }
        assert_close(y[i], ax, TOLERANCE * 100.0);
    }
    envelope_backward(n, first, l, b);
    for (int64_t i = 0; i < n; i++) {
        assert_close(b[i], x[i], TOLERANCE * 100.0);
    }
}

static void test_factor_and_solves(void **state)
{
    fixture *f = *state;
    static const int64_t sizes[] = {1, 2, 7, 8, 9, 40, 61};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s], bands[] = {n, 3, 0};
        for (int b = 0; b < 3; b++) {
            int64_t *first = profile(f, n, bands[b], n - n / 4);
            double *a = matrix_with_profile(f, n, first, 1), *l = fixture_doubles(f, n * n);
            for (int64_t i = 0; i < n; i++) {
                memcpy(l + i * n, a + i * n, (size_t)(i + 1) * sizeof *l); // the upper triangle is not read
            }
            assert_true(envelope_factor(n, first, l));
            check_factor(n, first, a, l);
            check_solves(f, n, first, a, l);
        }
    }
}

static void test_not_positive_definite(void **state)
{
    fixture *f = *state;
    int64_t *first = profile(f, 3, 3, 3);
    double indefinite[] = {1, 0, 0, 2, 1, 0, 0, 0, 1}, singular[] = {1, 0, 0, 1, 1, 0, 0, 0, 1};
    double not_a_number[] = {NAN, 0, 0, 1, 1, 0, 0, 0, 1};
    assert_false(envelope_factor(3, first, indefinite));
    assert_false(envelope_factor(3, first, singular));
    assert_false(envelope_factor(3, first, not_a_number));
}

static void test_dot(void **state)
{
    (void)state;
    double a[40], b[40];
    for (int64_t n = 0; n <= 40; n++) {
        double sum = 0.0;
        for (int64_t i = 0; i < n; i++) {
            a[i] = 1.0 / (double)(i + 1);
            b[i] = cos((double)i);
            sum += a[i] * b[i];
        }
        assert_close(envelope_dot(n, a, b), sum, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_factor_and_solves),
        TEST(test_not_positive_definite),
        TEST(test_dot),
    };
    return cmocka_run_group_tests_name("envelope", tests, NULL, NULL);
}
