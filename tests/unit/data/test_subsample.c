/* test_subsample.c - a sample of the rows is even over segments, keeps blocks whole and does not depend on row order.
 */
#include "base/rng.h"
#include "data/subsample.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { ROWS = 3000, LARGE = 2400, SMALL = 50, LIMIT = 600 };

/* Segments of 2400, 550 and 50 rows; `turn` shifts every row cyclically, which changes only the order in the table. */
static nonsens_data *make(fixture *f, int64_t turn)
{
    double *value = fixture_doubles(f, 2 * ROWS);
    int64_t *segment = arena_get(f->ctx, &f->scratch, ROWS, sizeof *segment);
    nonsens_data *data;
    rng r = rng_new(7, RNG_TEST, 0);
    assert_non_null(segment);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t to = (i + turn) % ROWS;
        value[to] = rng_normal(&r);
        value[ROWS + to] = rng_normal(&r);
        segment[to] = i < LARGE ? 0 : i < ROWS - SMALL ? 1 : 2;
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, ROWS, 2, value, 1, ROWS, NULL, segment, &data), NONSENS_OK);
    return data;
}

static nonsens_data *sample_of(fixture *f, const nonsens_data *data, int64_t block_length, int64_t most)
{
    nonsens_options *options;
    nonsens_data *out;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &options), NONSENS_OK);
    options->block_length = block_length;
    assert_int_equal(subsample(f->ctx, data, options, most, &out), NONSENS_OK);
    nonsens_options_free(options);
    return out;
}

/* Returns a value as it is in the table. */
static double value_of(const nonsens_data *data, int64_t row, int64_t variable)
{
    return data->sign[variable] * matrix_col(data->x, variable)[row];
}

static void test_shares(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make(f, 0), *fewer = sample_of(f, data, 1, LIMIT);
    assert_int_equal(fewer->n, 480 + 110 + SMALL); // a fifth of each segment, and all rows of one with under a hundred
    assert_int_equal(fewer->segments, 3);
    for (int64_t e = 0; e < 3; e++) {
        int64_t rows = fewer->start[e + 1] - fewer->start[e];
        assert_true(rows == 480 || rows == 110 || rows == SMALL);
    }
    for (int64_t t = 0; t < fewer->n; t++) { // each is a row of the table, with its values, and none is there twice
        int64_t input = fewer->input_row[t], found = 0;
        for (int64_t s = 0; s < data->n; s++) {
            found += data->input_row[s] == input && value_of(data, s, 0) == value_of(fewer, t, 0) &&
                     value_of(data, s, 1) == value_of(fewer, t, 1);
        }
        assert_int_equal(found, 1);
        for (int64_t s = 0; s < t; s++) {
            assert_int_not_equal(fewer->input_row[s], input);
        }
    }
    nonsens_data_free(fewer);
    nonsens_data_free(data);
}

static void test_all(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make(f, 0);
    assert_null(sample_of(f, data, 1, ROWS));
    assert_null(sample_of(f, data, 1, 0));
    nonsens_data_free(data);
}

static void test_order_of_rows(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make(f, 0), *reordered = make(f, 1234);
    nonsens_data *one = sample_of(f, data, 1, LIMIT), *other = sample_of(f, reordered, 1, LIMIT);
    assert_int_equal(one->n, other->n);
    assert_int_equal(one->hash, other->hash);
    assert_int_not_equal(one->hash, data->hash);
    nonsens_data_free(one);
    nonsens_data_free(other);
    nonsens_data_free(data);
    nonsens_data_free(reordered);
}

static void test_blocks(void **state)
{
    enum { LENGTH = 20 };
    fixture *f = *state;
    nonsens_data *data = make(f, 0), *fewer = sample_of(f, data, LENGTH, LIMIT);
    bool taken[ROWS] = {false};
    for (int64_t t = 0; t < fewer->n; t++) {
        taken[fewer->input_row[t]] = true;
    }
    for (int64_t i = 0; i < LARGE; i++) { // the large segment comes first, so its blocks begin at multiples of LENGTH
        assert_int_equal(taken[i], taken[i - i % LENGTH]);
    }
    nonsens_data_free(fewer);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_shares),
        TEST(test_all),
        TEST(test_order_of_rows),
        TEST(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
