/* test_hsic.c - the HSIC test against n x n twins, values by SciPy, invariances, null distributions and limits. */
#include "base/rng.h"
#include "fixtures/hsic.h"
#include "indep/hsic.h"
#include "indep/hsic_reference.h"
#include "indep/kernel.h"
#include "math/special.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "fixture.h"

#define RELATIVE_FACTOR 1e-6  /* factor form and quadratic form */
#define RELATIVE_FORMULA 1e-9 /* the same formula in C and NumPy */
#define RELATIVE_P 2e-6       /* of p-values: the tail magnifies errors of T */
#define RELATIVE_CUBES 1e-4   /* of the skewness if directions are left out */
#define MEGABYTES 100

enum { LAW_NORMAL, LAW_LAPLACE, LAW_STUDENT, LAW_UNIFORM, LAWS };

static double *draw(fixture *b, int64_t n, int law, uint64_t stream)
{
    double *v = fixture_doubles(b, n);
    rng r = rng_new(11, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        v[i] = law == LAW_NORMAL    ? rng_normal(&r)
               : law == LAW_LAPLACE ? rng_laplace(&r)
               : law == LAW_STUDENT ? rng_student(&r, 1.5)
                                    : rng_uniform(&r);
    }
    return v;
}

static hsic_options gamma_null(void)
{
    return (hsic_options){.null_kind = NULL_GAMMA, .seed = 3, .job = 1, .threads = 1};
}

static hsic_options permutation_null(int64_t permutations)
{
    hsic_options o = gamma_null();
    o.null_kind = NULL_PERMUTATION;
    o.permutations = permutations;
    return o;
}

static hsic_result run(fixture *b, int64_t n, const double *x, const double *y, int64_t segments, const int64_t *start,
                       hsic_options options)
{
    hsic_result result;
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(hsic_test_scalars(b->ctx, &b->scratch, n, x, y, segments, start, &options, &result), NONSENS_OK);
    arena_rewind(&b->scratch, mark);
    return result;
}

static hsic_result run_pooled(fixture *b, int64_t n, const double *x, const double *y, hsic_options options)
{
    return run(b, n, x, y, 1, (int64_t[]){0, n}, options);
}

static void assert_within(double got, double expected, double distance)
{
    if (!(fabs(got - expected) <= distance)) {
        fail_msg("%.17g is not %.17g within %g", got, expected, distance);
    }
}

static void assert_close(double got, double expected, double relative)
{
    assert_within(got, expected, relative * fabs(expected));
}

/* ---- against the quadratic form ------------------------------------------------------------------------------- */

static hsic_result reference(fixture *b, int64_t n, const double *x, const double *y, double width_x, double width_y)
{
    hsic_result result;
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(hsic_reference(b->ctx, &b->scratch, &(column_set){n, 1, &x}, &(column_set){n, 1, &y}, &width_x,
                                    &width_y, NULL_GAMMA, &result),
                     NONSENS_OK);
    arena_rewind(&b->scratch, mark);
    return result;
}

static void compare_with_reference(fixture *b, int64_t n, const double *x, const double *y)
{
    double width_x, width_y;
    assert_int_equal(kernel_width(b->ctx, n, x, &width_x), NONSENS_OK);
    assert_int_equal(kernel_width(b->ctx, n, y, &width_y), NONSENS_OK);
    hsic_result got = run_pooled(b, n, x, y, gamma_null()), exact = reference(b, n, x, y, width_x, width_y);
    assert_close(got.statistic, exact.statistic, RELATIVE_FACTOR);
    assert_close(got.mean, exact.mean, RELATIVE_FACTOR);
    assert_close(got.variance, exact.variance, RELATIVE_FACTOR);
}

static void test_factor_form_is_quadratic_form(void **state)
{
    fixture *b = *state;
    const int64_t sizes[] = {10, 11, 20, 64, 65, 150, 400};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int law = 0; law < LAWS; law++) {
            int64_t n = sizes[s];
            double *x = draw(b, n, law, (uint64_t)law), *y = draw(b, n, LAW_LAPLACE, 7);
            compare_with_reference(b, n, x, y);
            for (int64_t i = 0; i < n; i++) {
                y[i] = x[i] * x[i] + 0.1 * y[i];
            }
            compare_with_reference(b, n, x, y);
        }
    }
}

/* The stratified test is the sum over the segments of what the pooled test gives for each. */
static void test_strata_add_up(void **state)
{
    fixture *b = *state;
    const int64_t start[] = {0, 40, 52, 160};
    double *x = draw(b, 160, LAW_LAPLACE, 1), *y = draw(b, 160, LAW_NORMAL, 2);
    double statistic = 0, mean = 0, variance = 0, third = 0;
    for (int e = 0; e < 3; e++) {
        hsic_result r = run_pooled(b, start[e + 1] - start[e], x + start[e], y + start[e], gamma_null());
        statistic += r.statistic;
        mean += r.mean;
        variance += r.variance;
        third += r.skewness * pow(r.variance, 1.5);
    }
    hsic_result all = run(b, 160, x, y, 3, start, gamma_null());
    assert_close(all.statistic, statistic, RELATIVE_FORMULA);
    assert_close(all.mean, mean, RELATIVE_FORMULA);
    assert_close(all.variance, variance, RELATIVE_FORMULA);
    assert_close(all.skewness * pow(all.variance, 1.5), third, RELATIVE_FORMULA);
    assert_int_equal(all.segments_used, 3);
    assert_int_equal(all.rows_used, 160);
}

static void test_fixtures(void **state)
{
    fixture *b = *state;
    for (size_t i = 0; i < sizeof hsic_cases / sizeof *hsic_cases; i++) {
        const struct hsic_case *c = hsic_cases + i;
        hsic_result r = run(b, c->n, c->x, c->y, c->segments, c->start, gamma_null());
        assert_close(r.statistic, c->statistic, RELATIVE_FACTOR);
        assert_close(r.mean, c->mean, RELATIVE_FACTOR);
        assert_close(r.variance, c->variance, RELATIVE_FACTOR);
        assert_close(r.skewness, c->skewness, RELATIVE_FACTOR);
        assert_close(r.p_value, c->p_value, RELATIVE_P);
        assert_false(r.by_permutation);
    }
}

/* Tails so heavy that the sum of cubes leaves directions out. */
static void test_many_directions(void **state)
{
    fixture *b = *state;
    enum { N = 400 };
    const double pi = 3.14159265358979323846;
    double *x = fixture_doubles(b, N), *y = fixture_doubles(b, N);
    for (int i = 0; i < N; i++) {
        x[i] = tan(pi * (fmod((i + 1) * sqrt(5.0), 1.0) - 0.5));
        y[i] = tan(pi * (fmod((i + 1) * sqrt(2.0), 1.0) - 0.5));
    }
    hsic_result r = run_pooled(b, N, x, y, gamma_null());
    assert_close(r.statistic, hsic_quantiles[0], RELATIVE_FACTOR);
    assert_close(r.mean, hsic_quantiles[1], RELATIVE_FACTOR);
    assert_close(r.variance, hsic_quantiles[2], RELATIVE_FACTOR);
    assert_close(r.skewness, hsic_quantiles[3], RELATIVE_CUBES);
}

/* Moments over all 5,040 permutations of seven rows, listed one by one. */
static void test_moments_of_all_permutations(void **state)
{
    fixture *b = *state;
    hsic_result r = reference(b, 7, hsic_seven_x, hsic_seven_y, hsic_seven[3], hsic_seven[4]);
    assert_close(r.statistic, hsic_seven[0], RELATIVE_FORMULA);
    assert_close(r.mean, hsic_seven[1], RELATIVE_FORMULA);
    assert_close(r.variance, hsic_seven[2], RELATIVE_FORMULA);
    const double *x = hsic_seven_x;
    column_set five = {5, 1, &x};
    assert_int_equal(hsic_reference(b->ctx, &b->scratch, &five, &five, hsic_seven, hsic_seven, NULL_GAMMA, &r),
                     NONSENS_ERR_USAGE);
}

/* ---- width and factor ----------------------------------------------------------------------------------------- */

static void test_width(void **state)
{
    fixture *b = *state;
    double width;
    const double four[] = {0, 1, 3, 7}; /* distances 1 2 3 4 6 7 */
    kernel_width(b->ctx, 4, four, &width);
    assert_close(width, 3, 1e-9);
    const double ties[] = {5, 5, 5, 5, 9}; /* the median is zero, the mean distance 4 * 4 / 10 */
    kernel_width(b->ctx, 5, ties, &width);
    assert_close(width, 1.6, 1e-12);
    const double constant[] = {2, 2, 2};
    kernel_width(b->ctx, 3, constant, &width);
    assert_true(width == 0);
    const double huge[] = {-1.7e308, 1.7e308, 1.0};
    assert_int_equal(kernel_width(b->ctx, 3, huge, &width), NONSENS_ERR_DATA);
}

static nonsens_status factorise(fixture *b, int64_t n, const double *v, double width, kernel_factor *out)
{
    return kernel_factorise_points(b->ctx, &b->scratch, &(column_set){n, 1, &v}, 0, n, &width, NULL, out);
}

/* F'F = HKH element by element; directions are orthogonal and descending. */
static void test_factor_elements(void **state)
{
    fixture *b = *state;
    enum { N = 130 };
    double *v = draw(b, N, LAW_STUDENT, 4), mean[N] = {0}, all = 0;
    kernel_factor w;
    assert_int_equal(factorise(b, N, v, 0.7, &w), NONSENS_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            mean[i] += exp(-0.5 * pow((v[i] - v[j]) / 0.7, 2)) / N;
        }
        all += mean[i] / N;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double product = 0, expected = exp(-0.5 * pow((v[i] - v[j]) / 0.7, 2)) - mean[i] - mean[j] + all;
            for (int64_t k = 0; k < w.rank; k++) {
                product += w.f[i * w.rank + k] * w.f[j * w.rank + k];
            }
            assert_within(product, expected, 3e-6); /* up to 2e-8 of the trace may be missing in one element */
        }
    }
    for (int64_t k = 0; k < w.rank; k++) {
        double sum = 0, square = 0;
        for (int i = 0; i < N; i++) {
            sum += w.f[i * w.rank + k];
            square += w.f[i * w.rank + k] * w.f[i * w.rank + k];
        }
        assert_within(sum, 0, 1e-9);
        assert_within(square, w.eigen[k], 1e-9);
        assert_true(k == 0 || w.eigen[k] <= w.eigen[k - 1]);
    }
}

/* Beyond 2,048 values pivots come from cells: nothing of the trace n - sum(K) / n may be lost. */
static void test_factor_of_many_rows(void **state)
{
    fixture *b = *state;
    enum { N = 5000 };
    const int laws[] = {LAW_NORMAL, LAW_LAPLACE, LAW_UNIFORM};
    for (int law = 0; law < 3; law++) {
        double *v = draw(b, N, laws[law], 4), sum = N, width;
        kernel_factor w;
        assert_int_equal(kernel_width(b->ctx, N, v, &width), NONSENS_OK);
        assert_int_equal(factorise(b, N, v, width, &w), NONSENS_OK);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < i; j++) {
                sum += 2 * exp(-0.5 * (v[i] - v[j]) * (v[i] - v[j]) / (width * width));
            }
        }
        assert_close(w.trace, N - sum / N, 1e-7);
    }
}

/* ---- invariances ---------------------------------------------------------------------------------------------- */

static void test_shift_scale_swap_order(void **state)
{
    fixture *b = *state;
    enum { N = 300 };
    double *x = draw(b, N, LAW_LAPLACE, 1), *y = draw(b, N, LAW_NORMAL, 2), *u = fixture_doubles(b, N),
           *v = fixture_doubles(b, N);
    hsic_result plain = run_pooled(b, N, x, y, gamma_null());
    for (int i = 0; i < N; i++) {
        u[i] = 1e6 - 3e3 * x[i];
        v[i] = 1e-5 * y[i] - 7;
    }
    assert_close(run_pooled(b, N, u, v, gamma_null()).p_value, plain.p_value, RELATIVE_P);
    assert_close(run_pooled(b, N, y, x, gamma_null()).p_value, plain.p_value, 1e-9);
    for (int i = 0; i < N; i++) {
        u[i] = x[N - 1 - i];
        v[i] = y[N - 1 - i];
    }
    assert_close(run_pooled(b, N, u, v, gamma_null()).p_value, plain.p_value, 1e-9);
}

/* ---- awkward data --------------------------------------------------------------------------------------------- */

static void test_constant_and_tiny_segments(void **state)
{
    fixture *b = *state;
    const int64_t start[] = {0, 30, 39, 60, 60, 90}; /* fine, 9 rows, constant, empty, fine */
    double *x = draw(b, 90, LAW_NORMAL, 1), *y = draw(b, 90, LAW_NORMAL, 2);
    for (int i = 39; i < 60; i++) {
        y[i] = 4.5;
    }
    hsic_result r = run(b, 90, x, y, 5, start, gamma_null());
    assert_int_equal(r.segments_used, 2);
    assert_int_equal(r.segments_skipped, 3);
    assert_int_equal(r.rows_used, 60);
    hsic_result none = run(b, 90, x, y, 1, start + 1, permutation_null(99));
    assert_int_equal(none.segments_skipped, 1);
    assert_true(none.p_value == 1 && none.statistic == 0 && none.variance == 0 && !none.by_permutation);
}

static void test_ties(void **state)
{
    fixture *b = *state;
    enum { N = 200 };
    double *x = draw(b, N, LAW_UNIFORM, 1), *y = draw(b, N, LAW_UNIFORM, 2);
    for (int i = 0; i < N; i++) {
        x[i] = x[i] < 0.1; /* median distance zero */
        y[i] = floor(3 * y[i]);
    }
    hsic_result gamma = run_pooled(b, N, x, y, gamma_null());
    hsic_result permuted = run_pooled(b, N, x, y, permutation_null(1999));
    assert_int_equal(gamma.segments_used, 1);
    assert_within(gamma.p_value, permuted.p_value, 0.05);
    for (int i = 0; i < N; i++) {
        y[i] = x[i] > 0 ? 2 : y[i];
    }
    assert_true(run_pooled(b, N, x, y, gamma_null()).p_value < 1e-4);
    assert_true(run_pooled(b, N, x, y, permutation_null(1999)).p_value == 1.0 / 2000);
}

/* One row of ten differs: a permutation keeps T if and only if it leaves that row in place, so p is 1/10. */
static void test_permutations_move_every_row(void **state)
{
    fixture *b = *state;
    for (int odd = 0; odd < 10; odd += 9) {
        double *x = fixture_doubles(b, 10), *y = fixture_doubles(b, 10);
        x[odd] = y[odd] = 1;
        hsic_result r = run_pooled(b, 10, x, y, permutation_null(1999));
        assert_within(r.p_value, 0.1, 0.03);
    }
}

/* One odd row in x: T is the squared distance between its y and the mean of all, in feature space. */
static void test_constant_and_negatively_skewed_null(void **state)
{
    fixture *b = *state;
    double odd[11] = {1}, halves[10] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    hsic_result same = run_pooled(b, 10, odd, halves, gamma_null());
    assert_true(same.p_value == 1);
    assert_true(run_pooled(b, 10, odd, halves, permutation_null(99)).p_value == 1);
    double outer[11] = {-1, 0, -1, -1, -1, -1, 1, 1, 1, 1, 1}, middle[11] = {0, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1};
    hsic_result usual = run_pooled(b, 11, odd, outer, gamma_null()),
                least = run_pooled(b, 11, odd, middle, gamma_null());
    assert_true(usual.skewness < -2);
    assert_true(usual.p_value > 0.3 && usual.p_value < least.p_value);
    assert_true(least.p_value > 0.9 && least.p_value <= 1);
}

static void test_refusals(void **state)
{
    fixture *b = *state;
    double *x = draw(b, 20, LAW_NORMAL, 1), *y = draw(b, 20, LAW_NORMAL, 2);
    hsic_options o = gamma_null(), none = permutation_null(0);
    hsic_result r;
    const int64_t good[] = {0, 20}, bad[] = {0, 21};
    assert_int_equal(hsic_test_scalars(b->ctx, &b->scratch, 20, x, y, 1, bad, &o, &r), NONSENS_ERR_USAGE);
    assert_int_equal(hsic_test_scalars(b->ctx, &b->scratch, 20, x, y, 1, good, &none, &r), NONSENS_ERR_USAGE);
    y[4] = NAN;
    assert_int_equal(hsic_test_scalars(b->ctx, &b->scratch, 20, x, y, 1, good, &o, &r), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "row 5"));
}

static nonsens_status permute_two_segments(nonsens_context *ctx, arena *a, void *state)
{
    const double *xy = state;
    const int64_t start[] = {0, 60, 120};
    hsic_options o = permutation_null(20);
    hsic_result r;
    return hsic_test_scalars(ctx, a, 120, xy, xy + 120, 2, start, &o, &r);
}

static void test_each_allocation_failing(void **state)
{
    assert_true(fail_every_allocation(*state, permute_two_segments, draw(*state, 240, LAW_NORMAL, 1)) > 10);
}

/* ---- power, null distributions, threads ------------------------------------------------------------------------- */

static void test_power(void **state)
{
    fixture *b = *state;
    enum { N = 200 };
    double *x = draw(b, N, LAW_NORMAL, 1), *y = draw(b, N, LAW_NORMAL, 2);
    for (int i = 0; i < N; i++) {
        y[i] = x[i] * x[i] + y[i]; /* uncorrelated with x */
    }
    assert_true(run_pooled(b, N, x, y, gamma_null()).p_value < 1e-6);
    assert_true(run_pooled(b, N, x, y, permutation_null(499)).p_value == 1.0 / 500);
    const int64_t start[] = {0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200};
    assert_true(run(b, N, x, y, 10, start, gamma_null()).p_value < 1e-6);
}

/* If scales change together, a pooled test rejects; inside segments there is nothing to find. */
static void test_strata_hide_common_scales(void **state)
{
    fixture *b = *state;
    enum { N = 1000 };
    int64_t start[11];
    double *x = draw(b, N, LAW_LAPLACE, 1), *y = draw(b, N, LAW_LAPLACE, 2);
    for (int e = 0; e <= 10; e++) {
        start[e] = e * (N / 10);
    }
    for (int i = 0; i < N; i++) {
        double scale = 0.2 + i / (N / 10);
        x[i] *= scale;
        y[i] *= scale;
    }
    assert_true(run_pooled(b, N, x, y, gamma_null()).p_value < 1e-3);
    assert_true(run(b, N, x, y, 10, start, gamma_null()).p_value > 0.05);
}

static void test_refinement(void **state)
{
    fixture *b = *state;
    double *x = draw(b, 100, LAW_NORMAL, 1), *y = draw(b, 100, LAW_NORMAL, 2);
    hsic_options o = gamma_null();
    double p = run_pooled(b, 100, x, y, o).p_value;
    o.permutations = 999;
    o.refine_at = p / 2.9;
    hsic_result near = run_pooled(b, 100, x, y, o);
    assert_true(near.by_permutation);
    assert_within(near.p_value, p, 0.06);
    o.refine_at = p / 3.1;
    hsic_result far = run_pooled(b, 100, x, y, o);
    assert_false(far.by_permutation);
    assert_true(far.p_value == p);
    o.refine_at = p * 3.1;
    assert_false(run_pooled(b, 100, x, y, o).by_permutation);
}

static void test_threads_and_streams(void **state)
{
    fixture *b = *state;
    const int64_t start[] = {0, 300, 700};
    double *x = draw(b, 700, LAW_LAPLACE, 1), *y = draw(b, 700, LAW_LAPLACE, 2);
    hsic_options one = permutation_null(333), two = one, other = one;
    two.threads = 2;
    other.job = 2;
    hsic_result r1 = run(b, 700, x, y, 2, start, one), r2 = run(b, 700, x, y, 2, start, two);
    assert_memory_equal(&r1.statistic, &r2.statistic, sizeof r1.statistic);
    assert_true(r1.p_value == r2.p_value && r1.variance == r2.variance);
    hsic_result r3 = run(b, 700, x, y, 2, start, other);
    assert_true(r1.p_value != r3.p_value);
    assert_within(r1.p_value, r3.p_value, 0.15);
}

static int compare(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

/* Kolmogorov-Smirnov distance of 200 p-values from uniform; beyond 1.63 / sqrt(200) once in a hundred. */
static void assert_uniform(fixture *b, int64_t n, int64_t segments, hsic_options options)
{
    enum { REPETITIONS = 200 };
    double p[REPETITIONS], distance = 0;
    int64_t start[16];
    for (int64_t e = 0; e <= segments; e++) {
        start[e] = e * n / segments;
    }
    for (int rep = 0; rep < REPETITIONS; rep++) {
        arena_mark mark = arena_tell(&b->scratch);
        double *x = draw(b, n, LAW_LAPLACE, 1000 + 2 * (uint64_t)rep),
               *y = draw(b, n, LAW_STUDENT, 1001 + 2 * (uint64_t)rep);
        options.job = (uint64_t)rep;
        p[rep] = run(b, n, x, y, segments, start, options).p_value;
        arena_rewind(&b->scratch, mark);
    }
    qsort(p, REPETITIONS, sizeof *p, compare);
    for (int i = 0; i < REPETITIONS; i++) {
        double middle = (i + 0.5) / REPETITIONS, gap = fabs(p[i] - middle) + 0.5 / REPETITIONS;
        distance = gap > distance ? gap : distance;
    }
    if (distance > 0.115) {
        fail_msg("n = %d in %d segments: distance %.3f", (int)n, (int)segments, distance);
    }
}

static void test_null_is_uniform(void **state)
{
    fixture *b = *state;
    assert_uniform(b, 60, 1, gamma_null());
    assert_uniform(b, 100, 10, gamma_null());
    assert_uniform(b, 300, 3, gamma_null());
    assert_uniform(b, 60, 3, permutation_null(99));
}

/* ---- size ------------------------------------------------------------------------------------------------------ */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* ---- rows in time ---- */

static double *draw_series(fixture *b, rng *r, int64_t n, double c)
{
    double *x = fixture_doubles(b, n);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (i > 0 ? c * x[i - 1] : 0.0) + sqrt(1.0 - c * c) * rng_normal(r);
    }
    return x;
}

static hsic_options shifts(const int64_t *order, int64_t min_shift, double memory)
{
    hsic_options options = gamma_null();
    options.time_order = order;
    options.min_shift = min_shift;
    options.memory = memory;
    return options;
}

/* The distribution by its formula: with a short memory it is gamma, with a long one p-values are larger. */
static void test_law_of_shifts(void **state)
{
    fixture *b = *state;
    enum { N = 300 };
    int64_t order[N];
    rng r = rng_new(1, RNG_TEST, 90);
    double *x = draw_series(b, &r, N, 0.9), *y = draw_series(b, &r, N, 0.9);
    for (int64_t i = 0; i < N; i++) {
        order[i] = i;
    }
    hsic_result brief = run_pooled(b, N, x, y, shifts(order, 20, 1e-9));
    hsic_result lasting = run_pooled(b, N, x, y, shifts(order, 20, 19.0));
    assert_close(lasting.statistic, brief.statistic, 1e-12);
    assert_within(brief.p_value, special_gamma_tail(brief.mean, brief.variance, brief.statistic), 1e-6);
    double degrees = 2.0 * brief.mean * brief.mean / brief.variance, m = (300.0 - 40.0) / (1.25 * 19.0);
    assert_within(lasting.p_value, special_f_tail(degrees, degrees * m, brief.statistic / brief.mean), 1e-9);
}

/* Unrelated series: permutations reject most of them, shifts keep their level; a dependence is found. */
static void test_level_of_shifts(void **state)
{
    fixture *b = *state;
    enum { N = 600, REPS = 100 };
    int64_t order[N];
    int permuted = 0, shifted = 0, power = 0;
    for (int64_t i = 0; i < N; i++) {
        order[i] = i;
    }
    for (int rep = 0; rep < REPS; rep++) {
        rng r = rng_new((uint64_t)rep, RNG_TEST, 91);
        double *x = draw_series(b, &r, N, 0.9), *y = draw_series(b, &r, N, 0.9);
        permuted += run_pooled(b, N, x, y, gamma_null()).p_value < 0.05;
        shifted += run_pooled(b, N, x, y, shifts(order, 19, 19.0)).p_value < 0.05;
        for (int64_t i = 0; i < N; i++) {
            y[i] += x[i];
        }
        power += run_pooled(b, N, x, y, shifts(order, 19, 19.0)).p_value < 0.05;
    }
    assert_true(permuted >= 60);
    assert_true(shifted <= 13); // 5 expected; more have a probability of .1 %
    assert_true(power >= 80);
}

/* Tests that share precomputed sides of their variables give the same bits. */
static void test_known_sides(void **state)
{
    fixture *b = *state;
    enum { N = 700, GROUPS = 4 };
    static const int64_t START[] = {0, 300, 305, 400, N}; // the second is too short; column 2 is constant in the third
    const double *column[] = {draw(b, N, LAW_LAPLACE, 1), draw(b, N, LAW_STUDENT, 2), draw(b, N, LAW_NORMAL, 3)};
    for (int64_t i = 305; i < 400; i++) {
        ((double *)column[2])[i] = 1.0;
    }
    hsic_sides *sides;
    assert_int_equal(
        hsic_sides_new(b->ctx, &b->scratch, &(column_set){N, 3, column}, &(row_groups){GROUPS, START}, 2, &sides),
        NONSENS_OK);
    assert_non_null(sides);
    for (int64_t j = 1; j < 3; j++) {
        hsic_options known = gamma_null();
        hsic_result plain = run(b, N, column[0], column[j], GROUPS, START, known);
        known.side[0] = hsic_sides_of(sides, GROUPS, 0);
        known.side[1] = hsic_sides_of(sides, GROUPS, j);
        hsic_result shared = run(b, N, column[0], column[j], GROUPS, START, known);
        assert_int_equal(plain.segments_used, j == 1 ? 3 : 2);
        assert_int_equal(shared.segments_used, plain.segments_used);
        assert_true(shared.statistic == plain.statistic && shared.p_value == plain.p_value);
        assert_true(shared.skewness == plain.skewness && shared.lost[1] == plain.lost[1]);
    }
    hsic_sides_free(&sides);
    assert_null(hsic_sides_of(sides, GROUPS, 1));
}

static void test_linear_memory(void **state)
{
    fixture *b = *state;
    enum { N = 200000 };
    double *x = draw(b, N, LAW_LAPLACE, 1), *y = draw(b, N, LAW_LAPLACE, 2);
    hsic_result r = run_pooled(b, N, x, y, gamma_null());
    assert_true(r.p_value > 0.001 && r.p_value <= 1);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifndef SANITIZED
    assert_true(usage.ru_maxrss < MEGABYTES * 1024L);
#endif
    for (int i = 0; i < N; i++) {
        y[i] += 0.03 * fabs(x[i]);
    }
    assert_true(run_pooled(b, N, x, y, gamma_null()).p_value < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_factor_form_is_quadratic_form),
                                       TEST(test_strata_add_up),
                                       TEST(test_fixtures),
                                       TEST(test_many_directions),
                                       TEST(test_moments_of_all_permutations),
                                       TEST(test_width),
                                       TEST(test_factor_elements),
                                       TEST(test_factor_of_many_rows),
                                       TEST(test_shift_scale_swap_order),
                                       TEST(test_constant_and_tiny_segments),
                                       TEST(test_ties),
                                       TEST(test_permutations_move_every_row),
                                       TEST(test_constant_and_negatively_skewed_null),
                                       TEST(test_refusals),
                                       TEST(test_each_allocation_failing),
                                       TEST(test_power),
                                       TEST(test_strata_hide_common_scales),
                                       TEST(test_refinement),
                                       TEST(test_threads_and_streams),
                                       TEST(test_null_is_uniform),
                                       TEST(test_law_of_shifts),
                                       TEST(test_level_of_shifts),
                                       TEST(test_known_sides),
                                       TEST(test_linear_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
