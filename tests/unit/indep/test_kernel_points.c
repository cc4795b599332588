/* test_kernel_points.c - widths and factors of Gaussian kernels of vectors against n x n twins, order, limits. */
#include "base/rng.h"
#include "indep/kernel.h"
#include "indep/kernel_tile.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { MAX_D = 3 };

typedef struct cloud {
    column_set set;
    double *v[MAX_D];
} cloud;

/* Draws points whose later coordinates have other units; laws: 0 normal, 1 Laplace, 2 Student t(1.5). */
static cloud *draw(fixture *b, int64_t n, int64_t d, int law, uint64_t stream)
{
    cloud *c = arena_get(b->ctx, &b->scratch, 1, sizeof *c);
    assert_non_null(c);
    rng r = rng_new(12, RNG_TEST, stream);
    for (int64_t j = 0; j < d; j++) {
        c->v[j] = fixture_doubles(b, n);
        for (int64_t i = 0; i < n; i++) {
            double each = law == 0 ? rng_normal(&r) : law == 1 ? rng_laplace(&r) : rng_student(&r, 1.5);
            c->v[j][i] = each * pow(100, (double)j) + 7 * (double)j;
        }
    }
    c->set = (column_set){n, d, (const double *const *)c->v};
    return c;
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

static int compare(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

static void widths(fixture *b, const column_set *points, double *width)
{
    assert_int_equal(kernel_widths(b->ctx, points, 0, points->n, width), NONSENS_OK);
}

static kernel_factor factorise(fixture *b, const column_set *points, const double *width, const kernel_limits *limits)
{
    kernel_factor w;
    assert_int_equal(kernel_factorise_points(b->ctx, &b->scratch, points, 0, points->n, width, limits, &w), NONSENS_OK);
    return w;
}

static double kernel_of(const column_set *points, const double *width, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t j = 0; j < points->d; j++) {
        double u = width[j] > 0 ? (points->v[j][a] - points->v[j][b]) / width[j] : 0;
        sum += u * u;
    }
    return exp(-0.5 * sum);
}

/* ---- arithmetic of tiles ---------------------------------------------------------------------------------------- */

static void test_exp(void **state)
{
    (void)state;
    double x[1002] = {0};
    for (int i = 0; i < 1001; i++) {
        x[i] = -0.0007 * i * i;
    }
    x[1000] = -INFINITY;
    tile_exp(1001, x);
    for (int i = 0; i < 1000; i++) {
        assert_within(x[i], exp(-0.0007 * i * i), 4e-16);
    }
    assert_within(x[1000], 0, 1e-300);
}

static void test_products(void **state)
{
    fixture *b = *state;
    enum { R = 7, Q = 6 };
    double *k = draw(b, KERNEL_TILE * R, 1, 0, 1)->v[0], *map = draw(b, R * R, 1, 0, 2)->v[0];
    double out[KERNEL_TILE * R], sum[R * R] = {0}, half[R * R] = {0};
    for (int c = 0; c < R; c++) {
        for (int l = c + 1; l < R; l++) {
            map[c * R + l] = 0;
        }
    }
    for (int triangular = 0; triangular < 2; triangular++) {
        tile_combine(KERNEL_TILE, R, Q, k, map, triangular, out);
        for (int c = 0; c < Q; c++) {
            for (int i = 0; i < KERNEL_TILE; i++) {
                double expected = 0;
                for (int l = 0; l < R; l++) {
                    expected += k[l * KERNEL_TILE + i] * map[c * R + l];
                }
                assert_within(out[c * KERNEL_TILE + i], expected, 1e-13);
            }
        }
    }
    tile_cross(KERNEL_TILE, R, Q, k, out, false, sum);
    tile_cross(KERNEL_TILE, R, R, k, k, true, half);
    for (int s = 0; s < R; s++) {
        for (int t = 0; t < R; t++) {
            double product = 0, square = 0;
            for (int i = 0; i < KERNEL_TILE; i++) {
                product += s < Q ? k[t * KERNEL_TILE + i] * out[s * KERNEL_TILE + i] : 0;
                square += k[t * KERNEL_TILE + i] * k[s * KERNEL_TILE + i];
            }
            assert_within(sum[s * R + t], product, 1e-10);
            if (t >= s) {
                assert_within(half[s * R + t], square, 1e-10);
            }
        }
    }
}

/* ---- widths ---------------------------------------------------------------------------------------------------- */

static double median_of_all(fixture *b, const column_set *points, const double *sd)
{
    int64_t n = points->n, count = 0;
    double *distance = fixture_doubles(b, n * (n - 1) / 2);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++, count++) {
            for (int64_t j = 0; j < points->d; j++) {
                distance[count] += pow((points->v[j][i] - points->v[j][k]) / sd[j], 2);
            }
        }
    }
    qsort(distance, (size_t)count, sizeof *distance, compare);
    return sqrt(distance[(count + 1) / 2 - 1]);
}

static void test_widths_of_all_pairs(void **state)
{
    fixture *b = *state;
    const int64_t sizes[] = {5, 30, 301};
    for (int s = 0; s < 3; s++) {
        cloud *c = draw(b, sizes[s], 3, 1, 5);
        double width[3], sd[3], median;
        widths(b, &c->set, width);
        for (int j = 0; j < 3; j++) {
            double mean = 0, square = 0;
            for (int64_t i = 0; i < sizes[s]; i++) {
                mean += c->v[j][i] / (double)sizes[s];
            }
            for (int64_t i = 0; i < sizes[s]; i++) {
                square += pow(c->v[j][i] - mean, 2) / (double)sizes[s];
            }
            sd[j] = sqrt(square);
        }
        median = median_of_all(b, &c->set, sd);
        for (int j = 0; j < 3; j++) {
            assert_close(width[j], sd[j] * median, 1e-12);
        }
    }
}

/* A scalar, alone or beside constants, has the scalar width; constants have width 0. */
static void test_constant_coordinates(void **state)
{
    fixture *b = *state;
    cloud *c = draw(b, 50, 3, 0, 6);
    double width[3], scalar;
    kernel_width(b->ctx, 50, c->v[1], &scalar);
    for (int i = 0; i < 50; i++) {
        c->v[0][i] = 3;
        c->v[2][i] = -1e300;
    }
    widths(b, &c->set, width);
    assert_true(width[0] == 0 && width[1] == scalar && width[2] == 0);
    const double *alone = c->v[1];
    kernel_factor three = factorise(b, &c->set, width, NULL);
    kernel_factor one = factorise(b, &(column_set){50, 1, &alone}, &scalar, NULL);
    assert_int_equal(three.rank, one.rank);
    assert_memory_equal(three.f, one.f, sizeof *one.f * (size_t)(50 * one.rank));
    memset(width, 0, sizeof width);
    kernel_factor none = factorise(b, &c->set, width, NULL);
    assert_true(none.rank == 1 && none.trace == 0 && none.lost == 0 && none.f[49] == 0);
    column_set empty = {50, 0, NULL};
    widths(b, &empty, width);
    assert_int_equal(factorise(b, &empty, width, NULL).rank, 1);
}

/* If half of the pairs are ties, the mean distance is used; if a sample sees only ties, the root mean square of all. */
static void test_tied_points(void **state)
{
    fixture *b = *state;
    double x[5] = {5, 5, 5, 5, 9}, y[5] = {1, 1, 1, 1, 0}, width[2];
    const double *v[] = {x, y};
    widths(b, &(column_set){5, 2, v}, width);
    assert_close(width[0], 1.6 * 0.4 * sqrt(2) / 0.4, 1e-12); /* sd 1.6; 4 of 10 pairs are sqrt(2) / .4 apart */
    assert_close(width[1], width[0] / 4, 1e-12);
    cloud *c = draw(b, 200000, 2, 0, 7);
    memset(c->v[0], 0, 200000 * sizeof(double));
    memset(c->v[1], 0, 200000 * sizeof(double));
    c->v[0][77] = c->v[1][99] = 1;
    widths(b, &c->set, width);
    assert_true(width[0] > 0 && width[0] < 1 && width[0] == width[1]);
}

static void test_scales(void **state)
{
    fixture *b = *state;
    cloud *c = draw(b, 40, 2, 0, 8);
    double width[2], scaled[2];
    widths(b, &c->set, width);
    kernel_factor plain = factorise(b, &c->set, width, NULL);
    for (int i = 0; i < 40; i++) {
        c->v[0][i] *= 0x1p-600;
        c->v[1][i] *= 0x1p600;
    }
    widths(b, &c->set, scaled);
    assert_close(scaled[0], width[0] * 0x1p-600, 1e-12);
    assert_close(scaled[1], width[1] * 0x1p600, 1e-12);
    kernel_factor other = factorise(b, &c->set, scaled, NULL);
    assert_close(other.trace, plain.trace, 1e-12);
    c->v[0][3] = 1.7e308;
    c->v[0][4] = -1.7e308;
    nonsens_status status = kernel_widths(b->ctx, &c->set, 0, 40, scaled);
    assert_true(status == NONSENS_ERR_DATA || (status == NONSENS_OK && isfinite(scaled[0])));
}

/* ---- order ----------------------------------------------------------------------------------------------------- */

static cloud *shuffled(fixture *b, const cloud *c, uint64_t stream)
{
    int64_t n = c->set.n, *order = arena_get(b->ctx, &b->scratch, n, sizeof *order);
    cloud *other = draw(b, n, c->set.d, 0, stream);
    rng r = rng_new(13, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
    }
    rng_shuffle(&r, n, order);
    for (int64_t j = 0; j < c->set.d; j++) {
        for (int64_t i = 0; i < n; i++) {
            other->v[j][i] = c->v[j][order[i]];
        }
    }
    return other;
}

static void test_row_order(void **state)
{
    fixture *b = *state;
    const int64_t sizes[] = {60, 1000, 6000};
    for (int s = 0; s < 3; s++) {
        cloud *c = draw(b, sizes[s], 2, 1, 9), *other = shuffled(b, c, 10);
        kernel_limits limits = {.max_rank = 60, .trace_lost = 1e-8, .threads = 2};
        double width[2], again[2];
        widths(b, &c->set, width);
        widths(b, &other->set, again);
        assert_close(again[0], width[0], 1e-12);
        assert_close(again[1], width[1], 1e-12);
        kernel_factor one = factorise(b, &c->set, width, &limits), two = factorise(b, &other->set, again, &limits);
        assert_int_equal(one.rank, two.rank);
        assert_close(two.trace, one.trace, 1e-10);
        for (int64_t k = 0; k < one.rank; k++) {
            assert_within(two.eigen[k], one.eigen[k], 1e-9 * one.trace);
        }
    }
}

/* The same rows are drawn whatever the units, signs and order of coordinates; they are spread over the data. */
static void test_sample_by_ranks(void **state)
{
    fixture *b = *state;
    enum { N = 20000, M = 500 };
    cloud *c = draw(b, N, 2, 0, 11), *warped = draw(b, N, 2, 0, 12);
    int64_t count, again, *rows, *others;
    double middle[2], low = 0;
    for (int i = 0; i < N; i++) {
        warped->v[1][i] = exp(c->v[0][i]);
        warped->v[0][i] = -c->v[1][i];
    }
    assert_int_equal(kernel_sample(b->ctx, &b->scratch, &c->set, M, &count, &rows, middle), NONSENS_OK);
    assert_int_equal(kernel_sample(b->ctx, &b->scratch, &warped->set, M, &again, &others, NULL), NONSENS_OK);
    assert_true(count == M && again == M);
    assert_memory_equal(rows, others, M * sizeof *rows);
    assert_within(middle[0], 0, 0.1);
    for (int i = 0; i < M; i++) {
        low += (double)(c->v[0][rows[i]] < middle[0]) / M;
    }
    assert_within(low, 0.5, 0.1);
}

/* ---- factor ---------------------------------------------------------------------------------------------------- */

static double centred_trace(const column_set *points, const double *width)
{
    double sum = 0, n = (double)points->n;
    for (int64_t i = 0; i < points->n; i++) {
        for (int64_t j = 0; j < points->n; j++) {
            sum += kernel_of(points, width, i, j);
        }
    }
    return n - sum / n;
}

/* F'F = HKH element by element, up to the lost share, which is reported correctly. */
static void test_elements(void **state)
{
    fixture *b = *state;
    enum { N = 130 };
    for (int64_t d = 2; d <= 3; d++) {
        cloud *c = draw(b, N, d, d == 2 ? 2 : 0, 4);
        double width[3], mean[N] = {0}, all = 0, kept = 0;
        widths(b, &c->set, width);
        kernel_factor w = factorise(b, &c->set, width, NULL);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                mean[i] += kernel_of(&c->set, width, i, j) / N;
            }
            all += mean[i] / N;
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                double product = 0, expected = kernel_of(&c->set, width, i, j) - mean[i] - mean[j] + all;
                for (int64_t k = 0; k < w.rank; k++) {
                    product += w.f[i * w.rank + k] * w.f[j * w.rank + k];
                }
                assert_within(product, expected, 3e-6);
            }
        }
        for (int64_t k = 0; k < w.rank; k++) {
            kept += w.eigen[k];
        }
        double trace = centred_trace(&c->set, width);
        assert_true(w.lost <= 1e-8 * (N / trace + 1)); /* relative to K in one step, to HKH in the other */
        assert_within(kept, trace, 2 * w.lost * trace + 1e-9);
    }
}

static void test_limits(void **state)
{
    fixture *b = *state;
    enum { N = 300 };
    cloud *c = draw(b, N, 3, 0, 14);
    double width[3], trace;
    widths(b, &c->set, width);
    trace = centred_trace(&c->set, width);
    for (int64_t rank = 1; rank <= 81; rank += 20) {
        kernel_limits limits = {.max_rank = rank, .trace_lost = 1e-8};
        kernel_factor w = factorise(b, &c->set, width, &limits);
        double kept = 0;
        assert_true(w.rank <= rank);
        for (int64_t k = 0; k < w.rank; k++) {
            kept += w.eigen[k];
        }
        assert_true(w.lost >= 1 - kept / trace - 1e-9);
        assert_true(rank == 1 || w.lost < 0.3 * pow((double)rank, -0.5));
    }
    kernel_limits coarse = {.max_rank = 200, .trace_lost = 1e-3};
    assert_true(factorise(b, &c->set, width, &coarse).lost < 1e-3 * (N / trace + 1));
}

/* Part of the rows gives the factor of these rows alone; any number of threads gives the same bits. */
static void test_part_and_threads(void **state)
{
    fixture *b = *state;
    enum { N = 5000, FIRST = 30 };
    cloud *c = draw(b, N + FIRST, 2, 1, 15);
    const double *shifted[] = {c->v[0] + FIRST, c->v[1] + FIRST};
    column_set part = {N, 2, shifted};
    kernel_limits one = {.max_rank = 40, .trace_lost = 1e-8, .threads = 1}, two = one;
    double width[2], again[2];
    kernel_factor w, v;
    two.threads = 3;
    widths(b, &part, width);
    assert_int_equal(kernel_widths(b->ctx, &c->set, FIRST, N, again), NONSENS_OK);
    assert_memory_equal(width, again, sizeof width);
    w = factorise(b, &part, width, &one);
    assert_int_equal(kernel_factorise_points(b->ctx, &b->scratch, &c->set, FIRST, N, again, &two, &v), NONSENS_OK);
    assert_int_equal(w.rank, v.rank);
    assert_memory_equal(w.f, v.f, sizeof *w.f * (size_t)(w.rank * N));
}

static nonsens_status factor_points(nonsens_context *ctx, arena *a, void *state)
{
    const cloud *c = state;
    double width[2];
    kernel_factor w;
    TRY(kernel_widths(ctx, &c->set, 0, c->set.n, width));
    return kernel_factorise_points(ctx, a, &c->set, 0, c->set.n, width, NULL, &w);
}

static void test_each_allocation_failing(void **state)
{
    assert_true(fail_every_allocation(*state, factor_points, draw(*state, 300, 2, 0, 16)) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_exp),         TEST(test_products), TEST(test_widths_of_all_pairs), TEST(test_constant_coordinates),
        TEST(test_tied_points), TEST(test_scales),   TEST(test_row_order),           TEST(test_sample_by_ranks),
        TEST(test_elements),    TEST(test_limits),   TEST(test_part_and_threads),    TEST(test_each_allocation_failing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
