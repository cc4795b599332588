/* test_complete.c - rows without missing values; the canonical order of data that have some. */
#include "base/rng.h"
#include "data/canonical.h"
#include "data/complete.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { N = 300, D = 3, SEGMENTS = 3 };

static const char *const NAMES[D] = {"a", "b", "c"};
static const char *const LABELS[SEGMENTS] = {"s0", "s1", "s2"};

typedef struct world {
    int64_t n;
    double column[D][N];
    int32_t segment[N];
} world;

/* Draws a few different values (0 .. levels - 1) or normal ones; each is missing with probability .2. */
static void make_world(world *w, int64_t levels)
{
    rng r = rng_new(7, RNG_TEST, 40);
    w->n = N;
    for (int64_t i = 0; i < N; i++) {
        w->segment[i] = (int32_t)(i % SEGMENTS);
        for (int j = 0; j < D; j++) {
            double value = levels > 0 ? (double)rng_below(&r, (uint64_t)levels) : rng_normal(&r);
            w->column[j][i] = rng_uniform(&r) < 0.2 ? NAN : value;
        }
    }
}

static nonsens_data *data_of(fixture *f, const world *w, int64_t columns, const int64_t *row, double sign)
{
    nonsens_data *data;
    double *value = fixture_doubles(f, w->n * columns);
    const double *column[D];
    int32_t segment[N];
    for (int64_t j = 0; j < columns; j++) {
        column[j] = value + j * w->n;
        for (int64_t i = 0; i < w->n; i++) {
            value[j * w->n + i] = sign * w->column[j][row ? row[i] : i];
            segment[i] = w->segment[row ? row[i] : i];
        }
    }
    assert_int_equal(
        dataset_new_unaudited(f->ctx, w->n, columns, column, NAMES, segment, SEGMENTS, LABELS, NULL, &data),
        NONSENS_OK);
    return data;
}

static nonsens_options *options_of(fixture *f)
{
    nonsens_options *options;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &options), NONSENS_OK);
    return options;
}

/* ---- complete rows ---- */

/* A pair is the data set of its complete rows, and a warning says so. */
static void test_rows_of_a_pair(void **state)
{
    fixture *f = *state;
    world w, kept = {0};
    nonsens_data *two;
    nonsens_options *options = options_of(f);
    make_world(&w, 0);
    for (int64_t i = 0; i < N; i++) {
        if (!isnan(w.column[0][i]) && !isnan(w.column[1][i])) {
            kept.column[0][kept.n] = w.column[0][i];
            kept.column[1][kept.n] = w.column[1][i];
            kept.segment[kept.n++] = w.segment[i];
        }
    }
    nonsens_data *data = data_of(f, &w, D, NULL, 1.0), *wanted = data_of(f, &kept, 2, NULL, 1.0);
    assert_int_equal(complete_select(f->ctx, data, options, 2, (int64_t[]){0, 1}, &two), NONSENS_OK);
    assert_true(two->n == kept.n && kept.n < N && kept.n > N / 2);
    assert_null(two->gap);
    assert_true(two->hash == wanted->hash);
    assert_memory_equal(two->x.v, wanted->x.v, (size_t)(2 * two->n) * sizeof *two->x.v);
    assert_non_null(strstr(two->warning[0], "as if values were missing at random"));
    for (int64_t i = 0; i < two->n; i++) { // rows of the input
        assert_true(two->x.v[i] * two->sign[0] == w.column[0][two->input_row[i]]);
    }
    nonsens_data_free(two);
    nonsens_data_free(wanted);
    nonsens_data_free(data);
    nonsens_options_free(options);
}

/* Without missing values nothing is left out and there is no warning. */
static void test_columns_without_gaps(void **state)
{
    fixture *f = *state;
    world w;
    nonsens_data *one;
    nonsens_options *options = options_of(f);
    make_world(&w, 0);
    for (int64_t i = 0; i < N; i++) {
        w.column[2][i] = sin((double)i);
    }
    nonsens_data *data = data_of(f, &w, D, NULL, 1.0);
    assert_int_equal(complete_select(f->ctx, data, options, 1, (int64_t[]){2}, &one), NONSENS_OK);
    assert_int_equal(one->n, N);
    assert_null(one->gap);
    for (int64_t k = 0; k < one->warnings; k++) {
        assert_null(strstr(one->warning[k], "missing"));
    }
    nonsens_data_free(one);
    nonsens_data_free(data);
    nonsens_options_free(options);
}

/* Segments that have few rows left after missing values are removed are left out, as by --na drop-rows. */
static void test_tiny_segments(void **state)
{
    fixture *f = *state;
    world w;
    nonsens_data *two;
    nonsens_options *options = options_of(f);
    make_world(&w, 0);
    for (int64_t i = 0, rows = 0; i < N; i++) {
        w.column[0][i] = sin((double)i);
        w.column[1][i] = cos((double)(i * i));
        if (w.segment[i] == 1 && ++rows > 1) {
            w.column[0][i] = NAN;
        }
    }
    nonsens_data *data = data_of(f, &w, D, NULL, 1.0);
    assert_int_equal(complete_select(f->ctx, data, options, 2, (int64_t[]){0, 1}, &two), NONSENS_OK);
    assert_int_equal(two->segments, 2);
    assert_int_equal(two->left_out_count[1], 1);
    assert_string_equal(two->left_out[1][0], "s1");
    nonsens_data_free(two);
    nonsens_data_free(data);
    nonsens_options_free(options);
}

static void test_no_complete_row(void **state)
{
    fixture *f = *state;
    world w;
    nonsens_data *two;
    nonsens_options *options = options_of(f);
    make_world(&w, 0);
    for (int64_t i = 0; i < N; i++) {
        w.column[i % 2][i] = NAN;
    }
    nonsens_data *data = data_of(f, &w, D, NULL, 1.0);
    assert_int_equal(complete_select(f->ctx, data, options, 2, (int64_t[]){0, 1}, &two), NONSENS_ERR_DATA);
    assert_null(two);
    assert_string_equal(nonsens_context_message(f->ctx),
                        "no row has a value of each of \"a\", \"b\"; choose other variables");
    nonsens_data_free(data);
    nonsens_options_free(options);
}

/* ---- canonical order ---- */

static void assert_same(const nonsens_data *a, const nonsens_data *b)
{
    size_t cells = (size_t)(a->n * a->d);
    assert_true(a->hash == b->hash);
    assert_memory_equal(a->x.v, b->x.v, cells * sizeof *a->x.v);
    assert_memory_equal(a->gap, b->gap, cells * sizeof *a->gap);
}

/* Rows that differ only in which values are missing have a canonical order, too: a median is a value like any other. */
static void test_order_of_rows(void **state)
{
    fixture *f = *state;
    for (int64_t levels = 0; levels <= 3; levels += 3) {
        world w;
        make_world(&w, levels);
        nonsens_data *first = data_of(f, &w, D, NULL, 1.0);
        for (int k = 0; k < 5; k++) {
            int64_t row[N];
            rng r = rng_new(1, RNG_TEST, (uint64_t)k);
            for (int64_t i = 0; i < N; i++) {
                row[i] = i;
            }
            rng_shuffle(&r, N, row);
            nonsens_data *other = data_of(f, &w, D, row, 1.0);
            assert_same(first, other);
            nonsens_data_free(other);
        }
        nonsens_data_free(first);
    }
}

/* Mirrored data are the same data: a missing value stands in the middle, seen from either side. */
static void test_mirrored(void **state)
{
    fixture *f = *state;
    world w;
    make_world(&w, 0);
    nonsens_data *data = data_of(f, &w, D, NULL, 1.0), *mirrored = data_of(f, &w, D, NULL, -1.0);
    assert_memory_equal(data->x.v, mirrored->x.v, (size_t)(N * D) * sizeof *data->x.v);
    assert_memory_equal(data->gap, mirrored->gap, (size_t)(N * D) * sizeof *data->gap);
    nonsens_data_free(mirrored);
    nonsens_data_free(data);
}

/* A true median and one that stands for a missing value are different data. */
static void test_hash_has_gaps(void **state)
{
    fixture *f = *state;
    world w, filled;
    make_world(&w, 3);
    nonsens_data *data = data_of(f, &w, D, NULL, 1.0);
    filled = w;
    for (int64_t i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            filled.column[j][i] = isnan(w.column[j][i]) ? 1.0 : w.column[j][i];
        }
    }
    nonsens_data *other = data_of(f, &filled, D, NULL, 1.0);
    assert_null(other->gap);
    assert_true(data->hash != other->hash);
    nonsens_data_free(other);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_rows_of_a_pair), TEST(test_columns_without_gaps),
                                       TEST(test_tiny_segments),  TEST(test_no_complete_row),
                                       TEST(test_order_of_rows),  TEST(test_mirrored),
                                       TEST(test_hash_has_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
