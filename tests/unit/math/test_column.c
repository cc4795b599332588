/* test_column.c - columns in extreme units are standardised equally well; numbers are sorted. */
#include "math/column.h"

#include "base/rng.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { N = 1000 };

static const double ROUNDING = 1e-13; /* of z, absolute: n roundings of numbers of order one */

/* Multiples of 2^-10, so that an offset of 1e12 loses nothing. */
static double *draw(fixture *f, uint64_t stream)
{
    double *v = fixture_doubles(f, N);
    rng r = rng_new(3, RNG_TEST, stream);
    for (int i = 0; i < N; i++) {
        v[i] = round(1024.0 * rng_laplace(&r)) / 1024.0;
    }
    return v;
}

static void test_standardised_columns_have_mean_zero_and_sd_one(void **state)
{
    fixture *f = *state;
    double *v = draw(f, 1), *z = fixture_doubles(f, N), mean = 0.0, square = 0.0;
    double sd = column_standardise(N, v, z);
    for (int i = 0; i < N; i++) {
        mean += z[i] / N;
        square += z[i] * z[i] / N;
    }
    assert_true(fabs(mean) < ROUNDING);
    assert_true(fabs(square - 1.0) < ROUNDING);
    assert_true(fabs(z[1] - z[0] - (v[1] - v[0]) / sd) < ROUNDING);
}

static void test_units_do_not_matter(void **state)
{
    fixture *f = *state;
    static const struct {
        double scale, offset;
    } units[] = {{1e200, 0.0},  {1e-200, 0.0},  {1.0, 1e12},      {-1.0, -1e12},  {1e300, 0.0},
                 {1e-300, 0.0}, {1e200, 1e201}, {0x1p-1000, 0.0}, {0x1p1000, 0.0}};
    double *v = draw(f, 2), *z = fixture_doubles(f, N), *w = fixture_doubles(f, N), *y = fixture_doubles(f, N);
    double sd = column_standardise(N, v, z);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        for (int i = 0; i < N; i++) {
            w[i] = units[k].scale * v[i] + units[k].offset;
        }
        double scaled = column_standardise(N, w, y);
        assert_true(fabs(scaled / fabs(units[k].scale) - sd) < 1e-12 * sd);
        for (int i = 0; i < N; i++) {
            assert_true(fabs(y[i] - (units[k].scale < 0.0 ? -z[i] : z[i])) < 10.0 * ROUNDING);
        }
    }
}

static void test_constant_columns_become_zeros(void **state)
{
    (void)state;
    static const double level[] = {0.0, 0.1, -1e308, 5e-324, 1e12 / 3.0};
    for (size_t k = 0; k < sizeof level / sizeof *level; k++) {
        double v[7], z[7];
        for (int i = 0; i < 7; i++) {
            v[i] = level[k];
        }
        assert_true(column_standardise(7, v, z) == 0.0);
        for (int i = 0; i < 7; i++) {
            assert_true(z[i] == 0.0);
        }
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_numbers_are_sorted(void **state)
{
    fixture *f = *state;
    for (int64_t n = 0; n <= N; n = 3 * n + 1) {
        double *v = draw(f, (uint64_t)n + 10), *expected = fixture_doubles(f, N), *sorted; // many ties
        memcpy(expected, v, N * sizeof *v);
        qsort(expected, (size_t)n, sizeof *expected, compare);
        assert_int_equal(sort_copy(f->ctx, &f->scratch, n, v, &sorted), NONSENS_OK);
        double *spare = fixture_doubles(f, N);
        sort_doubles(n, v, spare);
        for (int64_t i = 0; i < n; i++) {
            assert_true(sorted[i] == expected[i] && v[i] == expected[i]);
        }
    }
}

static nonsens_status copy_sorted(nonsens_context *ctx, arena *a, void *state)
{
    static const double many[100000]; // two such arrays do not fit into one chunk
    double *sorted;
    (void)state;
    return sort_copy(ctx, a, 100000, many, &sorted);
}

static void test_memory_failures(void **state)
{
    assert_int_equal(fail_every_allocation(*state, copy_sorted, NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_standardised_columns_have_mean_zero_and_sd_one),
        TEST(test_units_do_not_matter),
        TEST(test_constant_columns_become_zeros),
        TEST(test_numbers_are_sorted),
        TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
