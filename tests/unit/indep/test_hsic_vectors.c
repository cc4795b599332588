/* test_hsic_vectors.c - the HSIC test of vectors and its spectral null: against NumPy's values and the exact n x n
 * test over many kinds of data; order of rows, threads, uniform p-values. */
#include "base/rng.h"
#include "fixtures/hsic.h"
#include "indep/hsic.h"
#include "indep/hsic_reference.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { MAX_D = 3 };

typedef struct cloud {
    column_set set;
    double *v[MAX_D];
} cloud;

typedef struct sample {
    cloud x, y;
} sample;

static cloud empty_cloud(fixture *b, int64_t n, int64_t d)
{
    cloud c = {{n, d, NULL}, {0}};
    for (int64_t j = 0; j < d; j++) {
        c.v[j] = fixture_doubles(b, n);
    }
    return c;
}

static const column_set *set_of(cloud *c)
{
    c->set.v = (const double *const *)c->v;
    return &c->set;
}

static hsic_options null_of(enum option_null_kind kind)
{
    return (hsic_options){.null_kind = kind, .permutations = 199, .seed = 3, .job = 1, .threads = 1};
}

static hsic_result run(fixture *b, sample *s, int64_t segments, const int64_t *start, hsic_options options)
{
    hsic_result result;
    row_groups groups = {segments, start};
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(hsic_test(b->ctx, &b->scratch, set_of(&s->x), set_of(&s->y), &groups, &options, &result),
                     NONSENS_OK);
    arena_rewind(&b->scratch, mark);
    return result;
}

static hsic_result run_pooled(fixture *b, sample *s, hsic_options options)
{
    return run(b, s, 1, (int64_t[]){0, s->x.set.n}, options);
}

static void assert_close(const char *what, double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected))) {
        fail_msg("%s: %.17g is not %.17g within %g of it", what, got, expected, relative);
    }
}

/* ---- NumPy ------------------------------------------------------------------------------------------------------ */

static cloud cloud_of(fixture *b, int64_t n, int64_t d, const double *values)
{
    cloud c = empty_cloud(b, n, d);
    for (int64_t j = 0; j < d; j++) {
        memcpy(c.v[j], values + j * n, (size_t)n * sizeof *values);
    }
    return c;
}

static void test_fixtures(void **state)
{
    fixture *b = *state;
    for (size_t i = 0; i < sizeof hsic_vector_cases / sizeof *hsic_vector_cases; i++) {
        const struct hsic_vector_case *c = hsic_vector_cases + i;
        sample s = {cloud_of(b, c->n, c->dx, c->x), cloud_of(b, c->n, c->dy, c->y)};
        hsic_options gamma = null_of(NULL_GAMMA);
        double width_x[9], width_y[9];
        gamma.widths[0] = width_x;
        gamma.widths[1] = width_y;
        hsic_result r = run(b, &s, c->segments, c->start, gamma);
        assert_close(c->name, r.statistic, c->statistic, 1e-6);
        assert_close(c->name, r.mean, c->mean, 1e-6);
        assert_close(c->name, r.variance, c->variance, 1e-6);
        assert_close(c->name, r.skewness, c->skewness, 1e-5);
        assert_close(c->name, r.p_value, c->p_value, 1e-5);
        for (int64_t k = 0; k < c->dx * c->segments; k++) {
            assert_close(c->name, width_x[k], c->width_x[k], 1e-9);
        }
        for (int64_t k = 0; k < c->dy * c->segments; k++) {
            assert_close(c->name, width_y[k], c->width_y[k], 1e-9);
        }
        hsic_result spectral = run(b, &s, c->segments, c->start, null_of(NULL_SPECTRAL));
        assert_close(c->name, spectral.p_value, c->spectral, 1e-4); /* only the mean of small weights is used */
        assert_false(spectral.by_permutation);
    }
}

/* ---- the exact n x n test --------------------------------------------------------------------------------------- */

enum { GAUSSIAN, LAPLACE, CAUCHY, TIES, DOUBLED, OUTLIERS, LAWS };
static const char *const law_names[] = {"Gaussian", "Laplace", "Cauchy", "ties", "doubled rows", "outliers"};

static double draw_value(rng *r, int law)
{
    return law == LAPLACE ? rng_laplace(r) : law == CAUCHY ? rng_student(r, 1) : rng_normal(r);
}

/* y is noise plus `slope` times x. */
static sample draw(fixture *b, int64_t n, int64_t d, int law, double slope, uint64_t stream)
{
    sample s = {empty_cloud(b, n, d), empty_cloud(b, n, d)};
    rng r = rng_new(14, RNG_TEST, stream);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < n; i++) {
            bool far = law == OUTLIERS && i % 50 == 7;
            double x = draw_value(&r, law) * (far ? 1e6 : 1), y = draw_value(&r, law) * (far ? 1e6 : 1) + slope * x;
            s.x.v[j][i] = law == TIES ? round(2 * x) / 2 : law == DOUBLED && i % 2 ? s.x.v[j][i - 1] : x;
            s.y.v[j][i] = law == TIES ? round(2 * y) / 2 : law == DOUBLED && i % 2 ? s.y.v[j][i - 1] : y;
        }
    }
    return s;
}

/* If p is below 1e-6, the gamma tail magnifies errors of the moments. */
static void compare_with_reference(fixture *b, sample *s, enum option_null_kind kind, const char *what)
{
    double width_x[MAX_D], width_y[MAX_D];
    hsic_options options = null_of(kind);
    options.widths[0] = width_x;
    options.widths[1] = width_y;
    hsic_result exact, got = run_pooled(b, s, options);
    arena_mark mark = arena_tell(&b->scratch);
    assert_int_equal(hsic_reference(b->ctx, &b->scratch, set_of(&s->x), set_of(&s->y), width_x, width_y, kind, &exact),
                     NONSENS_OK);
    arena_rewind(&b->scratch, mark);
    assert_close(what, got.statistic, exact.statistic, 1e-3);
    assert_close(what, got.variance, exact.variance, 1e-3);
    if (exact.p_value > 1e-6) {
        assert_close(what, got.p_value, exact.p_value, 0.01);
    } else {
        assert_true(got.p_value < 2e-6);
    }
    assert_true(got.lost[0] < 1e-3 && got.lost[1] < 1e-3 && got.rank[0] <= 200);
}

static void test_against_exact(void **state)
{
    fixture *b = *state;
    const int64_t sizes[] = {50, 300, 1000};
    const double slopes[] = {0.5, 0.2, 0.1};
    for (int size = 0; size < 3; size++) {
        for (int64_t d = 1; d <= MAX_D; d++) {
            for (int law = 0; law < LAWS; law++) {
                bool odd = (law + d) % 2; /* an n x n test of 1,000 rows is slow: only one of the two */
                arena_mark mark = arena_tell(&b->scratch);
                sample apart = draw(b, sizes[size], d, law, 0, (uint64_t)(100 * size + 10 * law + d));
                sample bound = draw(b, sizes[size], d, law, slopes[size], (uint64_t)(100 * size + 10 * law + d));
                if (size < 2 || odd) {
                    compare_with_reference(b, &apart, NULL_GAMMA, law_names[law]);
                }
                if (size < 2 || !odd) {
                    compare_with_reference(b, &bound, NULL_GAMMA, law_names[law]);
                }
                arena_rewind(&b->scratch, mark);
            }
        }
    }
}

static void test_spectral_against_exact(void **state)
{
    fixture *b = *state;
    for (int64_t d = 1; d <= MAX_D; d++) {
        for (int law = 0; law < LAWS; law++) {
            arena_mark mark = arena_tell(&b->scratch);
            sample s = draw(b, 80, d, law, law % 2 ? 0.3 : 0, (uint64_t)(10 * law + d));
            compare_with_reference(b, &s, NULL_SPECTRAL, law_names[law]);
            arena_rewind(&b->scratch, mark);
        }
    }
}

/* The three null distributions approximate one another. */
static void test_nulls_agree(void **state)
{
    fixture *b = *state;
    const int64_t start[] = {0, 150, 400};
    for (int64_t d = 1; d <= 2; d++) {
        sample s = draw(b, 400, d, LAPLACE, 0.04, 50);
        hsic_options many = null_of(NULL_PERMUTATION);
        many.permutations = 999;
        double gamma = run(b, &s, 2, start, null_of(NULL_GAMMA)).p_value;
        double spectral = run(b, &s, 2, start, null_of(NULL_SPECTRAL)).p_value;
        double permuted = run(b, &s, 2, start, many).p_value;
        assert_true(fabs(gamma - permuted) < 0.04 && fabs(spectral - permuted) < 0.06);
        assert_true(gamma > 0.001 && gamma < 0.999 && spectral != gamma);
    }
}

/* ---- invariances ------------------------------------------------------------------------------------------------ */

static sample shuffle(fixture *b, const sample *s, uint64_t stream)
{
    int64_t n = s->x.set.n, *order = arena_get(b->ctx, &b->scratch, n, sizeof *order);
    sample other = {empty_cloud(b, n, s->x.set.d), empty_cloud(b, n, s->y.set.d)};
    rng r = rng_new(15, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
    }
    rng_shuffle(&r, n, order);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < s->x.set.d; j++) {
            other.x.v[j][i] = s->x.v[j][order[i]];
        }
        for (int64_t j = 0; j < s->y.set.d; j++) {
            other.y.v[j][i] = s->y.v[j][order[i]];
        }
    }
    return other;
}

static void test_row_order(void **state)
{
    fixture *b = *state;
    const int64_t sizes[] = {40, 300, 5000};
    for (int size = 0; size < 3; size++) {
        for (int64_t d = 1; d <= 2; d++) {
            for (int law = 0; law < LAWS; law += size < 2 ? 1 : OUTLIERS) {
                arena_mark mark = arena_tell(&b->scratch);
                sample s = draw(b, sizes[size], d, law, 0.02, (uint64_t)law), other = shuffle(b, &s, 1);
                hsic_options one = null_of(NULL_GAMMA), two = one;
                double width[4];
                one.widths[0] = width;
                two.widths[0] = width + 2;
                hsic_result plain = run_pooled(b, &s, one), again = run_pooled(b, &other, two);
                for (int64_t j = 0; j < d; j++) {
                    assert_close("width", width[2 + j], width[j], 1e-9);
                }
                assert_close(law_names[law], again.p_value, plain.p_value, 1e-9);
                assert_close(law_names[law], again.statistic, plain.statistic, 1e-9);
                arena_rewind(&b->scratch, mark);
            }
        }
    }
}

/* Units, signs and order of coordinates do not matter, even if widths and pivots come from a sample of rows. */
static void test_units_and_columns(void **state)
{
    fixture *b = *state;
    enum { N = 6000 };
    sample s = draw(b, N, 2, GAUSSIAN, 0.03, 4), other = draw(b, N, 2, GAUSSIAN, 0, 5);
    for (int64_t i = 0; i < N; i++) {
        other.x.v[0][i] = 5 - 1e-7 * s.x.v[1][i];
        other.x.v[1][i] = 1e9 * s.x.v[0][i];
        other.y.v[0][i] = 30 * s.y.v[0][i];
        other.y.v[1][i] = s.y.v[1][i];
    }
    hsic_result plain = run_pooled(b, &s, null_of(NULL_GAMMA)), again = run_pooled(b, &other, null_of(NULL_GAMMA));
    assert_close("units", again.p_value, plain.p_value, 1e-5);
}

static void test_threads(void **state)
{
    fixture *b = *state;
    enum { N = 2500 };
    const int64_t start[] = {0, 40, 200, 1000, N}, whole[] = {0, N};
    sample s = draw(b, N, 2, GAUSSIAN, 0.001, 6);
    for (int64_t segments = 1; segments <= 4; segments += 3) {
        for (int kind = NULL_GAMMA; kind <= NULL_SPECTRAL; kind++) {
            hsic_options one = null_of((enum option_null_kind)kind), three = one;
            one.permutations = three.permutations = 9;
            three.threads = 3;
            hsic_result r = run(b, &s, segments, segments == 1 ? whole : start, one);
            hsic_result q = run(b, &s, segments, segments == 1 ? whole : start, three);
            assert_true(r.statistic == q.statistic && r.variance == q.variance && r.p_value == q.p_value);
        }
    }
}

/* ---- awkward data ----------------------------------------------------------------------------------------------- */

static void test_constants(void **state)
{
    fixture *b = *state;
    sample s = draw(b, 60, 2, GAUSSIAN, 0, 7), flat = draw(b, 60, 2, GAUSSIAN, 0, 7);
    memset(s.x.v[1], 0, 60 * sizeof(double));
    hsic_result two = run_pooled(b, &s, null_of(NULL_GAMMA));
    s.x.set.d = 1;
    hsic_result one = run_pooled(b, &s, null_of(NULL_GAMMA));
    assert_true(one.p_value == two.p_value && one.segments_used == 1);
    memset(flat.y.v[0], 0, 60 * sizeof(double));
    memset(flat.y.v[1], 0, 60 * sizeof(double));
    hsic_result none = run_pooled(b, &flat, null_of(NULL_SPECTRAL));
    assert_true(none.p_value == 1 && none.segments_skipped == 1 && none.rank[0] == 0);
}

static void test_refusals(void **state)
{
    fixture *b = *state;
    sample s = draw(b, 20, 2, GAUSSIAN, 0, 8);
    hsic_options o = null_of(NULL_GAMMA);
    hsic_result r;
    row_groups groups = {1, (int64_t[]){0, 20}};
    s.y.set.n = 19;
    assert_int_equal(hsic_test(b->ctx, &b->scratch, set_of(&s.x), set_of(&s.y), &groups, &o, &r), NONSENS_ERR_USAGE);
    s.y.set.n = 20;
    s.x.v[1][11] = INFINITY;
    assert_int_equal(hsic_test(b->ctx, &b->scratch, set_of(&s.x), set_of(&s.y), &groups, &o, &r), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(b->ctx), "row 12"));
}

static nonsens_status test_two_groups(nonsens_context *ctx, arena *a, void *state)
{
    sample *s = state;
    row_groups groups = {2, (int64_t[]){0, 60, 200}};
    hsic_options o = null_of(NULL_SPECTRAL);
    hsic_result r;
    return hsic_test(ctx, a, set_of(&s->x), set_of(&s->y), &groups, &o, &r);
}

static void test_each_allocation_failing(void **state)
{
    sample s = draw(*state, 200, 2, LAPLACE, 0, 9);
    assert_true(fail_every_allocation(*state, test_two_groups, &s) > 10);
}

/* ---- null distribution ------------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

/* Kolmogorov-Smirnov distance of 200 p-values from uniform; beyond 1.63 / sqrt(200) once in a hundred. */
static void test_null_is_uniform(void **state)
{
    fixture *b = *state;
    enum { REPETITIONS = 200 };
    const enum option_null_kind kinds[] = {NULL_GAMMA, NULL_SPECTRAL};
    for (int kind = 0; kind < 2; kind++) {
        double p[REPETITIONS], distance = 0;
        for (int rep = 0; rep < REPETITIONS; rep++) {
            arena_mark mark = arena_tell(&b->scratch);
            sample s = draw(b, 100, 2, rep % 2 ? GAUSSIAN : LAPLACE, 0, 5000 + (uint64_t)rep);
            p[rep] = run_pooled(b, &s, null_of(kinds[kind])).p_value;
            arena_rewind(&b->scratch, mark);
        }
        qsort(p, REPETITIONS, sizeof *p, compare);
        for (int i = 0; i < REPETITIONS; i++) {
            double gap = fabs(p[i] - (i + 0.5) / REPETITIONS) + 0.5 / REPETITIONS;
            distance = gap > distance ? gap : distance;
        }
        if (distance > 0.115) {
            fail_msg("null %d: distance %.3f", kind, distance);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fixtures),
        TEST(test_against_exact),
        TEST(test_spectral_against_exact),
        TEST(test_nulls_agree),
        TEST(test_row_order),
        TEST(test_units_and_columns),
        TEST(test_threads),
        TEST(test_constants),
        TEST(test_refusals),
        TEST(test_each_allocation_failing),
        TEST(test_null_is_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
