/* test_kci.c - the conditional kernel test against n x n twins, NumPy's values, enumerated signs, invariances, null
 * distributions and limits. */
#include "base/rng.h"
#include "fixtures/kci.h"
#include "indep/kci.h"
#include "indep/kci_internal.h"
#include "indep/kci_reference.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

/* Runs both steps: (x, z) against (y, z), so that x and y can be swapped. */
static nonsens_status kci_test(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                               const column_set *z, const row_groups *groups, const kci_options *options,
                               kci_result *out)
{
    kci_features a, b;
    TRY(kci_residuals(ctx, scratch, x, true, z, groups, options, &a));
    TRY(kci_residuals(ctx, scratch, y, true, z, groups, options, &b));
    return kci_compare(ctx, scratch, &a, &b, groups, options, out);
}

#define RELATIVE_FACTOR 1e-6 /* factor form against the quadratic form */
#define RELATIVE_P 5e-6      /* factor form and quadratic form */
#define RELATIVE_SIGNS 1e-9

enum { LIMIT = 6 };

typedef struct variables {
    column_set x, y, z;
    const double *vx[LIMIT], *vy[LIMIT], *vz[LIMIT];
} variables;

/* Takes x (dx), y (one) and z (dz) from consecutive columns. */
static void point_at(variables *v, int64_t n, int64_t dx, int64_t dz, const double *columns)
{
    for (int64_t j = 0; j < dx; j++) {
        v->vx[j] = columns + j * n;
    }
    v->vy[0] = columns + dx * n;
    for (int64_t j = 0; j < dz; j++) {
        v->vz[j] = columns + (dx + 1 + j) * n;
    }
    v->x = (column_set){n, dx, v->vx};
    v->y = (column_set){n, 1, v->vy};
    v->z = (column_set){n, dz, v->vz};
}

/* Draws x = sin(2 z_1) + noise, y = z_last^2 / 2 + noise + effect * noise of x; columns x, y, z. */
static double *draw(fixture *b, int64_t n, int64_t dz, double effect, uint64_t stream)
{
    double *v = fixture_doubles(b, n * (2 + (dz > 0 ? dz : 1)));
    rng r = rng_new(12, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < dz; j++) {
            v[(2 + j) * n + i] = rng_normal(&r);
        }
        double first = dz > 0 ? v[2 * n + i] : 0, last = dz > 0 ? v[(1 + dz) * n + i] : 0, noise = rng_laplace(&r);
        v[i] = sin(2 * first) + 0.5 * noise;
        v[n + i] = 0.5 * last * last + 0.5 * rng_normal(&r) + effect * noise;
    }
    return v;
}

static kci_options gamma_null(void)
{
    return (kci_options){.null_kind = NULL_GAMMA, .permutations = 499, .seed = 3, .job = 1, .threads = 1};
}

static kci_options null_of(enum option_null_kind kind, bool random_features)
{
    kci_options o = gamma_null();
    o.null_kind = kind;
    o.random_features = random_features;
    return o;
}

static kci_result run(fixture *b, const variables *v, int64_t segments, const int64_t *start, kci_options options)
{
    kci_result result;
    row_groups groups = {segments, start};
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(kci_test(b->ctx, &b->scratch, &v->x, &v->y, &v->z, &groups, &options, &result), NONSENS_OK);
    arena_rewind(&b->scratch, mark);
    assert_true(result.p_value >= 0 && result.p_value <= 1);
    assert_true(isfinite(result.statistic) && isfinite(result.mean) && isfinite(result.skewness));
    return result;
}

static kci_result run_pooled(fixture *b, const variables *v, kci_options options)
{
    return run(b, v, 1, (int64_t[]){0, v->x.n}, options);
}

static void assert_close(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g within %g of it", got, expected, relative);
    }
}

/* ---- against other computations ------------------------------------------------------------------------------- */

static void test_fixtures(void **state)
{
    fixture *b = *state;
    for (size_t i = 0; i < sizeof kci_cases / sizeof *kci_cases; i++) {
        const struct kci_case *c = kci_cases + i;
        variables v;
        point_at(&v, c->n, c->dx, c->dz, c->v);
        kci_result r = run(b, &v, c->segments, c->start, gamma_null());
        assert_close(r.statistic, c->statistic, RELATIVE_FACTOR);
        assert_close(r.mean, c->mean, RELATIVE_FACTOR);
        assert_close(r.variance, c->variance, RELATIVE_FACTOR);
        assert_close(r.skewness, c->skewness, RELATIVE_FACTOR);
        assert_close(r.p_value, c->p_value, RELATIVE_P);
        assert_close(r.ridge[0], c->ridge_x, 1e-9);
        assert_close(r.ridge[1], c->ridge_y, 1e-9);
        assert_close(r.degrees[0], c->degrees_x, RELATIVE_FACTOR);
        assert_close(r.degrees[1], c->degrees_y, RELATIVE_FACTOR);
        assert_int_equal(r.segments_used, c->segments);
        assert_int_equal(r.rows_used, c->n);
    }
}

/* Finds the widths of z in the regression that kci_residuals chose; returns the ridge. */
static double chosen(fixture *b, const variables *v, const column_set *target, const double *width, double *narrow)
{
    kci_features features;
    kci_options o = gamma_null();
    row_groups groups = {1, (int64_t[]){0, target->n}};
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(kci_residuals(b->ctx, &b->scratch, target, true, &v->z, &groups, &o, &features), NONSENS_OK);
    double ridge = features.strata[0].ridge;
    for (int64_t j = 0; j < v->z.d; j++) {
        narrow[j] = features.strata[0].narrow * width[j];
    }
    arena_rewind(&b->scratch, mark);
    return ridge;
}

static kci_plain_result reference(fixture *b, const variables *v)
{
    double width[3][LIMIT], beside[LIMIT], narrow[2][LIMIT];
    kci_plain_result out;
    int64_t n = v->x.n;
    assert_int_equal(kci_widths(b->ctx, &v->x, 0, n, width[0]), NONSENS_OK);
    assert_int_equal(kci_widths(b->ctx, &v->y, 0, n, width[1]), NONSENS_OK);
    assert_int_equal(kci_widths(b->ctx, &v->z, 0, n, width[2]), NONSENS_OK);
    for (int64_t j = 0; j < v->z.d; j++) {
        beside[j] = 2 * width[2][j];
    }
    double ridge_x = chosen(b, v, &v->x, width[2], narrow[0]), ridge_y = chosen(b, v, &v->y, width[2], narrow[1]);
    kci_plain plain = {width[0], width[1], beside, narrow[0], narrow[1], ridge_x, ridge_y};
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(kci_reference(b->ctx, &b->scratch, &v->x, &v->y, &v->z, &plain, &out), NONSENS_OK);
    arena_rewind(&b->scratch, mark);
    return out;
}

static void test_factor_form_is_quadratic_form(void **state)
{
    fixture *b = *state;
    for (int64_t dz = 0; dz <= 2; dz++) {
        for (int effect = 0; effect < 2; effect++) {
            variables v;
            point_at(&v, 200, 1, dz, draw(b, 200, dz, 0.3 * effect, 5));
            kci_result got = run_pooled(b, &v, gamma_null());
            kci_plain_result expected = reference(b, &v);
            assert_close(got.statistic, expected.statistic, RELATIVE_FACTOR);
            assert_close(got.mean, expected.mean, RELATIVE_FACTOR);
            assert_close(got.variance, expected.variance, RELATIVE_FACTOR);
            assert_close(got.skewness, expected.skewness, RELATIVE_FACTOR);
        }
    }
}

/* Beyond KCI_GRAM_ROWS rows, directions with 1e-3 of the trace are left out, and moments use only leading pairs. */
static void test_leading_pairs(void **state)
{
    fixture *b = *state;
    for (int64_t dz = 1; dz <= 2; dz++) {
        variables v;
        point_at(&v, 400, 1, dz, draw(b, 400, dz, 0, 6));
        kci_result got = run_pooled(b, &v, gamma_null());
        kci_plain_result expected = reference(b, &v);
        assert_close(got.statistic, expected.statistic, 5e-3);
        assert_close(got.mean, expected.mean, 5e-3);
        assert_close(got.variance, expected.variance, 1e-2);
        assert_close(got.skewness, expected.skewness, 2e-2);
    }
}

/* Makes features from arbitrary numbers. */
static kci_stratum random_stratum(fixture *b, int64_t rows, int64_t rank, uint64_t stream)
{
    kci_stratum s = {.rows = rows, .rank = rank};
    rng r = rng_new(12, RNG_TEST, stream);
    s.f = fixture_doubles(b, rank * rows);
    s.eigen = fixture_doubles(b, rank);
    s.scale = fixture_doubles(b, rows);
    for (int64_t i = 0; i < rank * rows; i++) {
        s.f[i] = rng_normal(&r) / (double)(1 + i % rank);
        s.eigen[i % rank] += s.f[i] * s.f[i];
    }
    for (int64_t t = 0; t < rows; t++) {
        s.scale[t] = 1 + rng_uniform(&r);
    }
    return s;
}

/* Checks the moments of T over all 1,024 signs of ten rows. */
static void test_moments_of_all_signs(void **state)
{
    fixture *b = *state;
    enum { N = 10, A = 3, B = 4 };
    kci_stratum x = random_stratum(b, N, A, 1), y = random_stratum(b, N, B, 2);
    kci_null null;
    double value[1 << N], mean = 0, variance = 0, third = 0, size = 1 << N;
    for (int s = 0; s < 1 << N; s++) {
        value[s] = 0;
        for (int i = 0; i < A * B; i++) {
            double sum = 0;
            for (int t = 0; t < N; t++) {
                double each = x.f[t * A + i / B] * y.f[t * B + i % B] * x.scale[t] * y.scale[t];
                sum += s >> t & 1 ? each : -each;
            }
            value[s] += sum * sum / N;
        }
        mean += value[s] / size;
    }
    for (int s = 0; s < 1 << N; s++) {
        variance += pow(value[s] - mean, 2) / size;
        third += pow(value[s] - mean, 3) / size;
    }
    assert_int_equal(kci_stratum_null(b->ctx, &b->scratch, &x, &y, true, &null), NONSENS_OK);
    assert_close(null.cumulants.mean, mean, RELATIVE_SIGNS);
    assert_close(null.cumulants.variance, variance, RELATIVE_SIGNS);
    assert_close(null.cumulants.third, third, RELATIVE_SIGNS);
}

/* The weights match the mean and the variance of the cumulants, with few rows and with many. */
static void test_weights_have_the_moments(void **state)
{
    fixture *b = *state;
    for (int64_t rows = 100; rows <= 400; rows += 300) {
        kci_stratum x = random_stratum(b, rows, 25, 1), y = random_stratum(b, rows, 20, 2);
        kci_null null;
        double mean = 0, variance = 0;
        assert_int_equal(kci_stratum_null(b->ctx, &b->scratch, &x, &y, true, &null), NONSENS_OK);
        for (int64_t k = 0; k < null.count; k++) {
            mean += null.weight[k];
            variance += 2 * null.weight[k] * null.weight[k];
            assert_true(null.weight[k] >= 0);
        }
        assert_close(mean + null.shift, null.cumulants.mean, 1e-9);
        assert_close(variance, null.cumulants.variance, 1e-9);
    }
}

static void test_nulls_agree(void **state)
{
    fixture *b = *state;
    for (int64_t n = 150; n <= 450; n += 300) {
        for (uint64_t stream = 1; stream <= 3; stream++) {
            variables v;
            point_at(&v, n, 1, 1, draw(b, n, 1, 0.06, stream));
            double gamma = run_pooled(b, &v, gamma_null()).p_value;
            double spectral = run_pooled(b, &v, null_of(NULL_SPECTRAL, false)).p_value;
            double signs = run_pooled(b, &v, null_of(NULL_PERMUTATION, false)).p_value;
            if (!(fabs(gamma - spectral) < 0.02 && fabs(gamma - signs) < 0.08)) {
                fail_msg("gamma %g, spectral %g, signs %g", gamma, spectral, signs);
            }
        }
    }
}

static void test_strata_add_up(void **state)
{
    fixture *b = *state;
    const int64_t start[] = {0, 60, 140};
    double *columns = draw(b, 140, 1, 0, 4), sum[3] = {0};
    variables v, part;
    point_at(&v, 140, 1, 1, columns);
    for (int e = 0; e < 2; e++) {
        int64_t rows = start[e + 1] - start[e];
        double *copy = fixture_doubles(b, 3 * rows);
        for (int j = 0; j < 3; j++) {
            memcpy(copy + j * rows, columns + j * 140 + start[e], (size_t)rows * sizeof *copy);
        }
        point_at(&part, rows, 1, 1, copy);
        kci_result r = run_pooled(b, &part, gamma_null());
        sum[0] += r.statistic;
        sum[1] += r.mean;
        sum[2] += r.variance;
    }
    kci_result all = run(b, &v, 2, start, gamma_null());
    assert_close(all.statistic, sum[0], 1e-9);
    assert_close(all.mean, sum[1], 1e-9);
    assert_close(all.variance, sum[2], 1e-9);
}

/* ---- invariances ---------------------------------------------------------------------------------------------- */

static void check_invariances(fixture *b, kci_options options)
{
    enum { N = 300 };
    double *columns = draw(b, N, 2, 0.05, 7), *moved = fixture_doubles(b, 4 * N), *swapped = fixture_doubles(b, 4 * N);
    variables v, m, s;
    point_at(&v, N, 1, 2, columns);
    point_at(&m, N, 1, 2, moved);
    point_at(&s, N, 1, 2, swapped);
    for (int i = 0; i < N; i++) {
        int from = N - 1 - i;
        moved[i] = 1e3 + 1e3 * columns[from];
        moved[N + i] = 1e-30 * columns[N + from];
        moved[2 * N + i] = 1e30 * columns[2 * N + from];
        moved[3 * N + i] = columns[3 * N + from];
        swapped[i] = columns[N + i];
        swapped[N + i] = columns[i];
        swapped[2 * N + i] = columns[2 * N + i];
        swapped[3 * N + i] = columns[3 * N + i];
    }
    double p = run_pooled(b, &v, options).p_value;
    assert_close(run_pooled(b, &m, options).p_value, p, 1e-5);
    assert_close(run_pooled(b, &s, options).p_value, p, 1e-5);
}

static void test_units_order_swap(void **state)
{
    check_invariances(*state, gamma_null());
    check_invariances(*state, null_of(NULL_SPECTRAL, false));
    check_invariances(*state, null_of(NULL_GAMMA, true));
}

static void test_threads(void **state)
{
    fixture *b = *state;
    variables v;
    point_at(&v, 700, 1, 1, draw(b, 700, 1, 0, 8));
    for (int kind = 0; kind < 3; kind++) {
        kci_options one = null_of((enum option_null_kind)kind, false), two = one;
        one.permutations = two.permutations = 40;
        two.threads = 2;
        assert_true(run_pooled(b, &v, one).p_value == run_pooled(b, &v, two).p_value);
    }
}

/* ---- awkward data --------------------------------------------------------------------------------------------- */

static void test_constants_and_tiny_segments(void **state)
{
    fixture *b = *state;
    const int64_t start[] = {0, 30, 39, 60, 60, 90}; /* fine, 9 rows, constant, empty, fine */
    double *columns = draw(b, 90, 1, 0, 9), *more = fixture_doubles(b, 4 * 90);
    variables v, w;
    for (int i = 39; i < 60; i++) {
        columns[90 + i] = 4.5;
    }
    memcpy(more, columns, 3 * 90 * sizeof *more); /* the fourth column stays constant */
    point_at(&v, 90, 1, 1, columns);
    point_at(&w, 90, 1, 2, more);
    kci_result r = run(b, &v, 5, start, gamma_null());
    assert_int_equal(r.segments_used, 2);
    assert_int_equal(r.segments_skipped, 3);
    assert_int_equal(r.rows_used, 60);
    assert_true(run(b, &w, 5, start, gamma_null()).p_value == r.p_value);
    kci_result none = run(b, &v, 1, start + 1, null_of(NULL_PERMUTATION, false));
    assert_int_equal(none.segments_used, 0);
    assert_true(none.p_value == 1 && none.statistic == 0 && !none.determined);
}

static void test_function_of_z(void **state)
{
    fixture *b = *state;
    for (int64_t n = 40; n <= 640; n += 200) {
        double *columns = draw(b, n, 1, 0, 10);
        variables v;
        point_at(&v, n, 1, 1, columns);
        memcpy(columns, columns + 2 * n, (size_t)n * sizeof *columns); /* x = z */
        kci_result r = run_pooled(b, &v, gamma_null());
        assert_true(r.determined && r.p_value == 1);
        for (int64_t i = 0; i < n; i++) {
            columns[i] = sin(3 * columns[i]);
        }
        assert_true(run_pooled(b, &v, gamma_null()).p_value > 0.001);
    }
}

static void test_ties_outliers_duplicates(void **state)
{
    fixture *b = *state;
    enum { N = 120 };
    double *columns = draw(b, N, 1, 0, 11);
    variables v;
    point_at(&v, N, 1, 1, columns);
    for (int i = 0; i < N; i++) {
        columns[i] = columns[i] > 1; /* median distance zero */
        columns[N + i] = i == 7 ? 1e6 : columns[N + i];
        columns[2 * N + i] = i == 9 ? -1e6 : floor(columns[2 * N + i]);
    }
    for (int kind = 0; kind < 3; kind++) {
        for (int features = 0; features < 2; features++) {
            kci_result r = run_pooled(b, &v, null_of((enum option_null_kind)kind, features));
            assert_int_equal(r.segments_used, 1);
            assert_true(r.p_value > 1e-3);
        }
    }
    for (int i = 0; i < 3 * N; i++) {
        columns[i] = columns[i - i % 2]; /* each row twice */
    }
    assert_int_equal(run_pooled(b, &v, gamma_null()).segments_used, 1);
    for (int64_t n = 5; n <= 14; n++) {
        point_at(&v, n, 1, 1, draw(b, n, 1, 0, 11));
        assert_int_equal(run_pooled(b, &v, gamma_null()).segments_used, n >= KCI_MIN_ROWS);
    }
}

static void test_refusals(void **state)
{
    fixture *b = *state;
    double *columns = draw(b, 40, 1, 0, 1);
    variables v;
    kci_options o = gamma_null(), none = null_of(NULL_PERMUTATION, false);
    kci_result r;
    kci_features left, right;
    row_groups good = {1, (int64_t[]){0, 40}}, bad = {1, (int64_t[]){0, 41}}, halves = {2, (int64_t[]){0, 20, 40}};
    point_at(&v, 40, 1, 1, columns);
    none.permutations = 0;
    assert_int_equal(kci_test(b->ctx, &b->scratch, &v.x, &v.y, &v.z, &bad, &o, &r), NONSENS_ERR_USAGE);
    assert_int_equal(kci_test(b->ctx, &b->scratch, &v.x, &v.y, &v.z, &good, &none, &r), NONSENS_ERR_USAGE);
    assert_int_equal(kci_residuals(b->ctx, &b->scratch, &v.x, true, &v.z, &good, &o, &left), NONSENS_OK);
    assert_int_equal(kci_residuals(b->ctx, &b->scratch, &v.y, true, &v.z, &halves, &o, &right), NONSENS_OK);
    assert_int_equal(kci_compare(b->ctx, &b->scratch, &left, &right, &good, &o, &r), NONSENS_ERR_USAGE);
    columns[84] = NAN;
    assert_int_equal(kci_test(b->ctx, &b->scratch, &v.x, &v.y, &v.z, &good, &o, &r), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "row 5"));
}

typedef struct failing {
    double *columns;
    kci_stratum x, y; /* many rows, low rank */
} failing;

static nonsens_status test_once(nonsens_context *ctx, arena *a, void *state)
{
    const failing *f = state;
    const int64_t start[] = {0, 12, 66};
    row_groups groups = {2, start};
    variables v;
    kci_result r;
    kci_null null;
    point_at(&v, 66, 1, 1, f->columns);
    for (int kind = 0; kind < 3; kind++) {
        kci_options o = null_of((enum option_null_kind)kind, kind == 0);
        o.permutations = 9;
        TRY(kci_test(ctx, a, &v.x, &v.y, &v.z, &groups, &o, &r));
    }
    return kci_stratum_null(ctx, a, &f->x, &f->y, true, &null);
}

static void test_each_allocation_failing(void **state)
{
    fixture *b = *state;
    failing f = {draw(b, 66, 1, 0, 2), random_stratum(b, 300, 3, 1), random_stratum(b, 300, 2, 2)};
    assert_true(fail_every_allocation(b, test_once, &f) > 20);
}

/* ---- size and power ------------------------------------------------------------------------------------------- */

/* x and y depend on each other only through z: the conditional test keeps its level, the unconditional one rejects. */
static void test_size_and_power(void **state)
{
    fixture *b = *state;
    for (int features = 0; features < 2; features++) {
        int rejected = 0, found = 0;
        for (uint64_t stream = 100; stream < 160; stream++) {
            arena_mark mark = arena_tell(&b->scratch);
            variables v;
            point_at(&v, 100, 1, 1, draw(b, 100, 1, 0, stream));
            rejected += run_pooled(b, &v, null_of(NULL_GAMMA, features)).p_value <= 0.05;
            point_at(&v, 100, 1, 1, draw(b, 100, 1, 0.4, stream));
            found += run_pooled(b, &v, null_of(NULL_GAMMA, features)).p_value <= 0.05;
            arena_rewind(&b->scratch, mark);
        }
        assert_true(rejected <= 9); /* three are expected; 10 or more have probability .001 */
        assert_true(found >= 48);
    }
    variables v;
    double *columns = draw(b, 300, 1, 0, 3);
    for (int i = 0; i < 300; i++) {
        columns[300 + i] += 2 * columns[600 + i];
    }
    point_at(&v, 300, 1, 1, columns);
    assert_true(run_pooled(b, &v, gamma_null()).p_value > 0.01);
    v.z.d = 0;
    assert_true(run_pooled(b, &v, gamma_null()).p_value < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fixtures),
        TEST(test_factor_form_is_quadratic_form),
        TEST(test_leading_pairs),
        TEST(test_moments_of_all_signs),
        TEST(test_weights_have_the_moments),
        TEST(test_nulls_agree),
        TEST(test_strata_add_up),
        TEST(test_units_order_swap),
        TEST(test_threads),
        TEST(test_constants_and_tiny_segments),
        TEST(test_function_of_z),
        TEST(test_ties_outliers_duplicates),
        TEST(test_refusals),
        TEST(test_each_allocation_failing),
        TEST(test_size_and_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
