/* test_time_blocks.c - the memory of rows in time, and blocks of a suitable length. */
#include "base/rng.h"
#include "data/time_blocks.h"
#include "math/sort.h"

#include <math.h>

#include "fixture.h"

enum { SEGMENTS = 2, ROWS = 6000 };

/* Draws two independent autoregressions with this coefficient; rows of the segments alternate. */
static nonsens_data *make_series(fixture *f, double coefficient, int64_t rows)
{
    int64_t n = SEGMENTS * rows, *segment = arena_get(f->ctx, &f->scratch, n, sizeof *segment);
    double *x = fixture_doubles(f, 2 * n), last[SEGMENTS][2] = {{0}};
    nonsens_data *data;
    double scale = coefficient < 1.0 ? sqrt(1.0 - coefficient * coefficient) : 1.0; // 1: random walks
    rng r = rng_new(3, RNG_TEST, 0);
    assert_non_null(segment);
    for (int64_t i = 0; i < n; i++) {
        int64_t e = segment[i] = i % SEGMENTS;
        for (int k = 0; k < 2; k++) {
            last[e][k] = coefficient * last[e][k] + scale * rng_normal(&r);
            x[k * n + i] = last[e][k];
        }
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, n, 2, x, 1, n, NULL, segment, &data), NONSENS_OK);
    return data;
}

/* The memory is (1 + a) / (1 - a) for an autoregression with coefficient a; the longest of four estimates is used. */
static void test_memory_of_autoregressions(void **state)
{
    fixture *f = *state;
    static const double COEFFICIENT[] = {0.5, 0.8, 0.95};
    for (int k = 0; k < 3; k++) {
        double a = COEFFICIENT[k], memory = (1.0 + a) / (1.0 - a);
        nonsens_data *data = make_series(f, a, ROWS);
        time_blocks blocks;
        assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, TIME_BLOCKS_AUTO, &blocks), NONSENS_OK);
        assert_true(blocks.memory > 0.75 * memory && blocks.memory < 1.5 * memory);
        assert_true(blocks.length > 2.0 * blocks.memory && blocks.inflation > 1.0 && !blocks.too_few);
        assert_true(time_blocks_memory(&blocks) == blocks.memory);
        assert_true(data->in_time);
        nonsens_data_free(data);
    }
}

static void test_independent_rows_have_no_blocks(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_series(f, 0.0, ROWS);
    time_blocks blocks;
    assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, TIME_BLOCKS_AUTO, &blocks), NONSENS_OK);
    assert_int_equal(blocks.length, 1);
    assert_null(blocks.block_of);
    assert_true(time_blocks_memory(&blocks) == 1.0);
    assert_false(data->in_time);
    nonsens_data_free(data);
}

/* The memory of a random walk is longer than any block. */
static void test_random_walks_have_no_blocks(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_series(f, 1.0, 300);
    time_blocks blocks;
    assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, TIME_BLOCKS_AUTO, &blocks), NONSENS_OK);
    assert_true(time_blocks_do_not_suffice(&blocks));
    nonsens_data_free(data);
}

/* Blocks of a given length hold neighbouring rows of the input, and none spans two segments. */
static void test_blocks_hold_neighbours(void **state)
{
    fixture *f = *state;
    enum { LENGTH = 7, FEW = 100, BLOCKS = 15 };
    nonsens_data *data = make_series(f, 0.0, FEW);
    time_blocks blocks;
    assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, LENGTH, &blocks), NONSENS_OK);
    assert_int_equal(blocks.count, SEGMENTS * BLOCKS);
    for (int64_t i = 0; i < data->n; i++) {
        int64_t place = data->input_row[i] / SEGMENTS;
        assert_int_equal(blocks.block_of[i], data->segment[i] * BLOCKS + place / LENGTH);
    }
    assert_true(fabs(time_blocks_memory(&blocks) - LENGTH / 3.0) < 1e-12);
    nonsens_data_free(data);
}

static void test_equal_values_share_a_rank(void **state)
{
    fixture *f = *state;
    static const double VALUE[] = {3.0, -1.0, 3.0, 0.0, -0.0, 8.0, 3.0}, RANK[] = {4.0, 0.0, 4.0, 1.5, 1.5, 6.0, 4.0};
    double rank[7];
    assert_int_equal(sort_ranks(f->ctx, &f->scratch, 7, VALUE, rank), NONSENS_OK);
    assert_memory_equal(rank, RANK, sizeof rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_memory_of_autoregressions),    TEST(test_independent_rows_have_no_blocks),
        TEST(test_random_walks_have_no_blocks), TEST(test_blocks_hold_neighbours),
        TEST(test_equal_values_share_a_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
