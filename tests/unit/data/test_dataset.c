/* test_dataset.c - canonical order, pairs, arrays, warnings, reading by options. */
#include "base/rng.h"
#include "data/dataset.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h> /* after our headers: it defines a macro called fail */

enum { N = 300, D = 3, E = 4 };

static nonsens_context *new_context(void)
{
    nonsens_context *ctx = nonsens_context_new();
    assert_non_null(ctx);
    return ctx;
}

/* Fills three columns of different shape, one of them coarse so that rows tie; segments of unequal size. */
static void make_table(double values[N * D], int64_t segment[N])
{
    rng r = rng_new(7, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        values[i * D] = floor(4 * rng_uniform(&r));
        values[i * D + 1] = rng_laplace(&r);
        values[i * D + 2] = rng_normal(&r);
        segment[i] = i < 120 ? 5 : i < 180 ? -3 : i < 240 ? 9 : 100;
    }
}

static nonsens_data *build(nonsens_context *ctx, const double *values, const int64_t *segment, const char *const *names)
{
    nonsens_data *data = NULL;
    assert_int_equal(nonsens_data_from_arrays(ctx, N, D, values, D, 1, names, segment, &data), NONSENS_OK);
    return data;
}

/* The same table with rows shuffled, columns permuted and segments renamed. */
static void shuffle_table(const double *values, const int64_t *segment, const int column[D], double *to_values,
                          int64_t *to_segment, uint64_t seed)
{
    int64_t order[N];
    for (int64_t i = 0; i < N; i++) {
        order[i] = i;
    }
    rng r = rng_new(seed, RNG_TEST, 1);
    rng_shuffle(&r, N, order);
    for (int64_t i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            to_values[i * D + j] = values[order[i] * D + column[j]];
        }
        to_segment[i] = 1000 - 7 * segment[order[i]];
    }
}

static void test_order_does_not_matter(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D], other_values[N * D];
    static int64_t segment[N], other_segment[N];
    const int column[D] = {2, 0, 1};
    make_table(values, segment);
    nonsens_data *a = build(ctx, values, segment, NULL);
    for (uint64_t seed = 0; seed < 5; seed++) {
        shuffle_table(values, segment, column, other_values, other_segment, seed);
        nonsens_data *b = build(ctx, other_values, other_segment, NULL);
        assert_true(a->hash == b->hash);
        assert_int_equal(b->segments, E);
        for (int64_t k = 0; k < D; k++) {
            assert_int_equal(a->column_rank[k], column[b->column_rank[k]]);
            assert_memory_equal(matrix_col(a->x, a->column_rank[k]), matrix_col(b->x, b->column_rank[k]),
                                N * sizeof(double));
        }
        assert_memory_equal(a->start, b->start, (E + 1) * sizeof *a->start);
        nonsens_data_free(b);
    }
    nonsens_data_free(a);
    nonsens_context_free(ctx);
}

static void test_canonical_layout(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    static int64_t segment[N];
    make_table(values, segment);
    nonsens_data *data = build(ctx, values, segment, NULL);
    bool seen[N] = {false};
    assert_int_equal(data->start[0], 0);
    assert_int_equal(data->start[E], N);
    assert_string_equal(data->labels[0], "5"); // the largest
    for (int64_t e = 0; e + 1 < E; e++) {
        assert_true(data->start[e + 1] - data->start[e] >= data->start[e + 2] - data->start[e + 1]);
    }
    for (int64_t i = 0; i < N; i++) {
        int64_t row = data->input_row[i];
        assert_false(seen[row]);
        seen[row] = true;
        char label[24];
        snprintf(label, sizeof label, "%" PRId64, segment[row]);
        assert_string_equal(data->labels[data->segment[i]], label);
        for (int64_t j = 0; j < D; j++) {
            assert_true(data->sign[j] * matrix_col(data->x, j)[i] == values[row * D + j]);
        }
        if (i > data->start[data->segment[i]]) { // rows ascend inside a segment
            int64_t k = 0;
            const double *first = matrix_col(data->x, data->column_rank[0]);
            while (k + 1 < D &&
                   matrix_col(data->x, data->column_rank[k])[i - 1] == matrix_col(data->x, data->column_rank[k])[i]) {
                k++;
            }
            assert_true(first[i - 1] <= first[i]);
            assert_true(matrix_col(data->x, data->column_rank[k])[i - 1] <=
                        matrix_col(data->x, data->column_rank[k])[i]);
        }
    }
    assert_int_equal(data->column_rank[0], 0); // kurtosis: uniform 1.8, normal 3, Laplace 6
    assert_int_equal(data->column_rank[1], 2);
    assert_int_equal(data->column_rank[2], 1);
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

/* Every choice of mirrored columns gives the same values in the same order, and the signs say which were mirrored. */
static void check_mirrored(nonsens_context *ctx, const double *values, const int64_t *segment, int64_t columns,
                           const nonsens_data *plain)
{
    static double mirrored[N * D];
    for (int which = 1; which < 1 << columns; which++) {
        nonsens_data *data;
        for (int64_t i = 0; i < N * columns; i++) {
            mirrored[i] = which >> i % columns & 1 ? -values[i] : values[i];
        }
        assert_int_equal(nonsens_data_from_arrays(ctx, N, columns, mirrored, columns, 1, NULL, segment, &data),
                         NONSENS_OK);
        assert_true(data->hash != plain->hash);
        assert_memory_equal(data->x.v, plain->x.v, (size_t)(N * columns) * sizeof *mirrored);
        assert_memory_equal(data->input_row, plain->input_row, N * sizeof *data->input_row);
        assert_memory_equal(data->column_rank, plain->column_rank, (size_t)columns * sizeof *data->column_rank);
        for (int64_t j = 0; j < columns; j++) {
            assert_true(data->sign[j] == (which >> j & 1 ? -plain->sign[j] : plain->sign[j]));
        }
        nonsens_data_free(data);
    }
}

static void test_mirrored_columns(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    static int64_t segment[N];
    make_table(values, segment);
    nonsens_data *data = build(ctx, values, segment, NULL);
    check_mirrored(ctx, values, segment, D, data);
    for (int64_t j = 0; j < D; j++) {
        double mean = 0.0, cubes = 0.0;
        for (int64_t i = 0; i < N; i++) {
            mean += matrix_col(data->x, j)[i] / N;
        }
        for (int64_t i = 0; i < N; i++) {
            cubes += pow(matrix_col(data->x, j)[i] - mean, 3.0);
        }
        assert_true(cubes > 0.0);
    }
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

/* Symmetric columns: one that is high where the other is extreme, and one whose ends nothing distinguishes. */
static void test_mirrored_symmetric_columns(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * 2];
    for (int64_t i = 0; i < N; i++) {
        values[2 * i] = i < N / 2 ? -1.0 : 1.0;
        values[2 * i + 1] = (i % 2 ? -1.0 : 1.0) * (double)(i < N / 2 ? 1 + i : 1 + 2 * i);
    }
    nonsens_data *data;
    assert_int_equal(nonsens_data_from_arrays(ctx, N, 2, values, 2, 1, NULL, NULL, &data), NONSENS_OK);
    check_mirrored(ctx, values, NULL, 2, data);
    assert_true(data->sign[0] == 1.0);
    nonsens_data_free(data);
    for (int64_t i = 0; i < N; i++) {
        values[2 * i + 1] = (double)(i % (N / 2)); // both ends occur equally often and are equally extreme
    }
    assert_int_equal(nonsens_data_from_arrays(ctx, N, 2, values, 2, 1, NULL, NULL, &data), NONSENS_OK);
    assert_true(data->sign[0] == 1.0 && data->sign[1] == 1.0);
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

/* Columns with the same shape, or with two values far from zero, in units of any sign and offset. */
static void check_units(nonsens_context *ctx, const double *values)
{
    static const double factor[] = {-1.0, 3.0, -0.7}, offset[] = {N + 1, -20.0, 1000.0};
    static double changed[N * D];
    nonsens_data *plain, *other;
    assert_int_equal(nonsens_data_from_arrays(ctx, N, D, values, D, 1, NULL, NULL, &plain), NONSENS_OK);
    for (int which = 1; which < 1 << D; which++) {
        for (int64_t i = 0; i < N * D; i++) {
            int64_t j = i % D;
            changed[i] = which >> j & 1 ? factor[j] * values[i] + offset[j] : values[i];
        }
        assert_int_equal(nonsens_data_from_arrays(ctx, N, D, changed, D, 1, NULL, NULL, &other), NONSENS_OK);
        assert_memory_equal(other->column_rank, plain->column_rank, D * sizeof *plain->column_rank);
        assert_memory_equal(other->input_row, plain->input_row, N * sizeof *plain->input_row);
        for (int64_t j = 0; j < D; j++) {
            assert_true(other->sign[j] == plain->sign[j] * (which >> j & 1 && factor[j] < 0 ? -1.0 : 1.0));
        }
        nonsens_data_free(other);
    }
    nonsens_data_free(plain);
}

static void test_units_of_alike_columns(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    for (int64_t j = 0; j < D; j++) {
        int64_t order[N];
        rng r = rng_new(4, RNG_TEST, (uint64_t)j);
        for (int64_t i = 0; i < N; i++) {
            order[i] = i;
        }
        rng_shuffle(&r, N, order);
        for (int64_t i = 0; i < N; i++) {
            values[i * D + j] = 0.1 * (double)order[i];
        }
    }
    check_units(ctx, values);
    rng r = rng_new(5, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        values[i * D] = i % 2 ? 10000.1 : 10000.3;
        values[i * D + 1] = -log(rng_uniform(&r)) * (i % 2 ? 1.0 : 2.0);
    }
    check_units(ctx, values);
    nonsens_context_free(ctx);
}

/* Both columns hold the same values: only the other columns can distinguish them. */
static void test_permuted_columns_keep_their_rank(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * 2], swapped[N * 2];
    rng r = rng_new(3, RNG_TEST, 2);
    int64_t order[N];
    for (int64_t i = 0; i < N; i++) {
        order[i] = i;
    }
    rng_shuffle(&r, N, order);
    for (int64_t i = 0; i < N; i++) {
        values[i * 2] = (double)i;
        values[i * 2 + 1] = (double)order[i];
        swapped[i * 2] = values[i * 2 + 1];
        swapped[i * 2 + 1] = values[i * 2];
    }
    nonsens_data *a, *b;
    assert_int_equal(nonsens_data_from_arrays(ctx, N, 2, values, 2, 1, NULL, NULL, &a), NONSENS_OK);
    assert_int_equal(nonsens_data_from_arrays(ctx, N, 2, swapped, 2, 1, NULL, NULL, &b), NONSENS_OK);
    assert_true(a->hash == b->hash);
    assert_int_equal(a->column_rank[0], 1 - b->column_rank[0]);
    nonsens_data_free(a);
    nonsens_data_free(b);
    nonsens_context_free(ctx);
}

static void test_hash_sees_values_and_segments(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    static int64_t segment[N];
    make_table(values, segment);
    nonsens_data *a = build(ctx, values, segment, NULL);
    values[3] = nextafter(values[3], 10);
    nonsens_data *b = build(ctx, values, segment, NULL);
    make_table(values, segment);
    segment[299] = 9;
    nonsens_data *c = build(ctx, values, segment, NULL);
    nonsens_data *none = build(ctx, values, NULL, NULL);
    assert_true(a->hash != b->hash && a->hash != c->hash && c->hash != none->hash);
    assert_int_equal(none->segments, 0);
    assert_int_equal(none->start[1], N);
    make_table(values, segment);
    nonsens_data *zero = build(ctx, values, segment, NULL);
    for (int64_t i = 0; i < N; i++) { // -0.0 and 0.0 are the same number
        values[i * D] = values[i * D] == 0 ? -0.0 : values[i * D];
    }
    nonsens_data *minus = build(ctx, values, segment, NULL);
    assert_true(zero->hash == minus->hash);
    nonsens_data_free(a);
    nonsens_data_free(b);
    nonsens_data_free(c);
    nonsens_data_free(none);
    nonsens_data_free(zero);
    nonsens_data_free(minus);
    nonsens_context_free(ctx);
}

static void test_pair(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    static int64_t segment[N];
    const char *const names[D] = {"coarse", "heavy", "normal"};
    make_table(values, segment);
    nonsens_data *data = build(ctx, values, segment, names), *pair, *none;
    assert_int_equal(dataset_pair(ctx, data, 2, 1, &pair), NONSENS_OK);
    assert_int_equal(pair->d, 2);
    assert_int_equal(pair->segments, E);
    assert_string_equal(nonsens_data_variable_at(pair, 0), "normal");
    assert_string_equal(nonsens_data_variable_at(pair, 1), "heavy");
    for (int64_t i = 0; i < N; i++) {
        assert_true(pair->sign[0] * matrix_col(pair->x, 0)[i] == values[pair->input_row[i] * D + 2]);
        assert_true(pair->sign[1] * matrix_col(pair->x, 1)[i] == values[pair->input_row[i] * D + 1]);
    }
    assert_int_equal(dataset_pair(ctx, data, 1, 1, &none), NONSENS_ERR_USAGE);
    assert_int_equal(dataset_pair(ctx, data, 0, 3, &none), NONSENS_ERR_USAGE);
    assert_null(none);
    nonsens_data_free(pair);
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

static void test_bad_arrays(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    double values[6] = {1, 2, NAN, 4, 5, 7};
    const char *const twice[2] = {"a", "a"}, *const nameless[2] = {"a", ""};
    nonsens_data *data;
    assert_int_equal(nonsens_data_from_arrays(ctx, 3, 2, values, 2, 1, NULL, NULL, &data), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(ctx), "\"c1\", data row 2"));
    assert_null(data);
    values[2] = 3;
    assert_int_equal(nonsens_data_from_arrays(ctx, 3, 2, values, 2, 1, twice, NULL, &data), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(ctx), "two variables are called \"a\""));
    assert_int_equal(nonsens_data_from_arrays(ctx, 3, 2, values, 2, 1, nameless, NULL, &data), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(ctx), "column 2 needs a name"));
    assert_int_equal(nonsens_data_from_arrays(ctx, 3, 2, values, INT64_MAX / 8, INT64_MAX / 8, NULL, NULL, &data),
                     NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(ctx), "pass strides in doubles"));
    assert_int_equal(nonsens_data_from_arrays(ctx, 0, 2, values, 2, 1, NULL, NULL, &data), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_data_from_arrays(ctx, 1, 2, values, 2, 1, NULL, NULL, &data), NONSENS_ERR_DATA);
    assert_int_equal(nonsens_data_from_arrays(ctx, 3, 2, values, 1, 3, NULL, NULL, &data), NONSENS_OK);
    double sum = 0;
    for (int64_t i = 0; i < 3; i++) {
        sum += matrix_col(data->x, 1)[i];
    }
    assert_true(sum == 4 + 5 + 7); // the column strides were used
    assert_null(nonsens_data_variable_at(data, 2));
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

/* Comparing a hundred thousand names takes well under a second; pair by pair it would take minutes. */
static void test_many_names(void **state)
{
    (void)state;
    enum { COLUMNS = 100000, NAME = 8, MAX_SECONDS = 5 };
    nonsens_context *ctx = new_context();
    double *values = calloc(COLUMNS, sizeof *values);
    char *texts = calloc(COLUMNS, NAME);
    const char **names = calloc(COLUMNS, sizeof *names);
    nonsens_data *data;
    for (int j = 0; j < COLUMNS; j++) {
        snprintf(texts + j * NAME, NAME, "v%d", j);
        names[j] = texts + j * NAME;
    }
    names[COLUMNS - 1] = "v17";
    clock_t begun = clock();
    assert_int_equal(nonsens_data_from_arrays(ctx, 1, COLUMNS, values, COLUMNS, 1, names, NULL, &data),
                     NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(ctx), "two variables are called \"v17\""));
    assert_true((double)(clock() - begun) < (double)MAX_SECONDS * CLOCKS_PER_SEC);
    free(names);
    free(texts);
    free(values);
    nonsens_context_free(ctx);
}

/* If several segments are smallest, all sentences name the same one, in the whole table and in each pair. */
static void test_smallest_segment(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    double values[3 * 8] = {5, 1, 9, 2, 8, 3, 7, 4, 6, 9, 1, 4, 3, 7, 1, 1, 5, 8, 2, 6, 4, 7, 9, 2};
    int64_t segment[8] = {2, 1, 3, 2, 1, 3, 3, 4};
    nonsens_data *data, *pair;
    assert_int_equal(nonsens_data_from_arrays(ctx, 7, 3, values, 3, 1, NULL, segment, &data), NONSENS_OK);
    assert_string_equal(nonsens_data_segment_at(data, dataset_smallest_segment(data)),
                        "1"); // 1 and 2 have two rows each
    for (int64_t x = 0; x < 3; x++) {
        assert_int_equal(dataset_pair(ctx, data, x, (x + 1) % 3, &pair), NONSENS_OK);
        assert_string_equal(nonsens_data_segment_at(pair, dataset_smallest_segment(pair)), "1");
        nonsens_data_free(pair);
    }
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

static void test_warnings_grow(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    static int64_t segment[N];
    make_table(values, segment);
    nonsens_data *data = build(ctx, values, segment, NULL);
    int64_t before = nonsens_data_warning_count(data);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(dataset_warn(ctx, data, "number %d", i), NONSENS_OK);
    }
    assert_int_equal(nonsens_data_warning_count(data), before + 20);
    assert_string_equal(nonsens_data_warning_at(data, before), "number 0");
    assert_string_equal(nonsens_data_warning_at(data, before + 19), "number 19");
    assert_null(nonsens_data_warning_at(data, before + 20));
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static double values[N * D];
    static int64_t segment[N];
    make_table(values, segment);
    nonsens_status status = NONSENS_ERR_MEMORY;
    int64_t n = 0;
    for (; status == NONSENS_ERR_MEMORY; n++) {
        nonsens_data *data;
        memory_fail_at(n);
        status = nonsens_data_from_arrays(ctx, N, D, values, D, 1, NULL, segment, &data);
        memory_fail_at(-1);
        assert_true(status == NONSENS_OK || data == NULL);
        nonsens_data_free(data);
    }
    assert_int_equal(status, NONSENS_OK);
    assert_true(n > 3);
    nonsens_context_free(ctx);
}

static int compare_tens(const void *unused, int64_t a, int64_t b)
{
    (void)unused;
    return (int)(a / 10 - b / 10);
}

static void test_sort(void **state)
{
    (void)state;
    const double values[] = {3, -0.0, 0.0, -1e300, 5e-324, INFINITY, -2, 3};
    for (int i = 0; i < 8; i++) {
        assert_true(sort_value(sort_key(values[i])) == values[i]);
        for (int j = 0; j < 8; j++) {
            assert_int_equal(sort_key(values[i]) < sort_key(values[j]), values[i] < values[j]);
        }
    }
    static sort_entry entry[1000], spare[1000];
    rng r = rng_new(1, RNG_TEST, 3);
    for (int64_t n = 0; n < 1000; n += 37) {
        for (int64_t i = 0; i < n; i++) {
            entry[i] = (sort_entry){rng_below(&r, 5), (int64_t)rng_below(&r, 1000)};
        }
        sort_entries(entry, spare, n, compare_tens, NULL);
        for (int64_t i = 1; i < n; i++) {
            assert_true(entry[i - 1].key < entry[i].key ||
                        (entry[i - 1].key == entry[i].key && entry[i - 1].row / 10 <= entry[i].row / 10));
        }
    }
}

/* ---- reading ---- */

static const char TABLE[] = "a,b,kind,t,c\n"
                            "1.5,2,red,s1,1\n"
                            "2.5,4,blue,s2,3\n"
                            "-1,NA,blue,s1,2\n"
                            "7,5,red,s3,8\n"
                            "8,1,red,,9\n"
                            "3,6,red,s2,4\n";

static char *table_path(void)
{
    static char path[] = "/tmp/test_dataset_XXXXXX";
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, TABLE, sizeof TABLE - 1), (ssize_t)sizeof TABLE - 1);
    close(file);
    return path;
}

/* Reads with the defaults of direction, except for the given texts and rule for missing values. */
static nonsens_status read_with(nonsens_context *ctx, const nonsens_options *given, nonsens_data **data)
{
    char *path = table_path();
    nonsens_options *defaults = NULL;
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &defaults), NONSENS_OK);
    nonsens_options options = *defaults;
    options.command = given->command ? given->command : NONSENS_COMMAND_DIRECTION;
    options.na = given->na;
    options.segment = given->segment ? given->segment : "";
    options.segments = given->segments ? given->segments : "";
    options.vars = given->vars ? given->vars : "";
    options.x = given->x ? given->x : "";
    options.y = given->y ? given->y : "";
    nonsens_status status = nonsens_data_read(ctx, path, &options, data);
    nonsens_options_free(defaults);
    unlink(path);
    return status;
}

static void test_read_errors(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    const struct {
        nonsens_options options;
        nonsens_status status;
        const char *message;
    } cases[] = {
        {{.segment = "t"},
         NONSENS_ERR_DATA,
         "column \"b\" has a missing value (line 4, data row 3); leave out such rows"},
        {{.segment = "t", .vars = "a,c"}, NONSENS_ERR_DATA, "column \"t\" has a missing value (line 6, data row 5)"},
        {{.vars = "a,nosuch"}, NONSENS_ERR_DATA, "no column \"nosuch\"; the columns are \"a\", \"b\", \"kind\""},
        {{.segment = "nosuch"}, NONSENS_ERR_DATA, "nosuch"},
        {{.x = "a", .y = "kind"}, NONSENS_ERR_DATA, "column \"kind\" holds text, such as \"red\" in line 2: categorical"},
        {{.x = "a", .y = "a"}, NONSENS_ERR_USAGE, "both name \"a\""},
        {{.x = "a", .y = "#1"}, NONSENS_ERR_USAGE, "named twice"},
        {{.x = "a"}, NONSENS_ERR_USAGE, "without --y"},
        {{.x = "a", .y = "t", .segment = "t"}, NONSENS_ERR_USAGE, "has the segment labels"},
        {{.segment = "t", .segments = "equal:2"}, NONSENS_ERR_USAGE, "cannot be combined"},
        {{.vars = "a,c", .segments = "equal:1"}, NONSENS_ERR_USAGE, "at least 2"},
        {{.vars = "a,c", .segments = "equal:7"}, NONSENS_ERR_USAGE, "only 6 rows"},
        {{.vars = "a,c", .segments = "equal:"}, NONSENS_ERR_USAGE, "equal:K"},
        {{.vars = "a,c", .segments = "3"}, NONSENS_ERR_USAGE, "equal:K"},
        {{.vars = "a,c", .segments = "equal:2x"}, NONSENS_ERR_USAGE, "equal:K"},
        {{.vars = "a,c", .segments = "equal:99999999999999999999"}, NONSENS_ERR_USAGE, "equal:K"},
        {{.vars = "a,,c"}, NONSENS_ERR_USAGE, "a name is missing"},
        {{.vars = "a,c", .command = NONSENS_COMMAND_SIMULATE}, NONSENS_ERR_USAGE, "made for simulate"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        nonsens_data *data;
        assert_int_equal(read_with(ctx, &cases[k].options, &data), cases[k].status);
        assert_null(data);
        if (!strstr(nonsens_context_message(ctx), cases[k].message)) {
            fail_msg("\"%s\" does not contain \"%s\"", nonsens_context_message(ctx), cases[k].message);
        }
    }
    nonsens_context_free(ctx);
}

static bool warned(const nonsens_data *data, const char *words)
{
    for (int64_t i = 0; i < nonsens_data_warning_count(data); i++) {
        if (strstr(nonsens_data_warning_at(data, i), words)) {
            return true;
        }
    }
    return false;
}

static void test_read_drop_rows(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static const nonsens_options options = {.segment = "t", .na = NA_DROP_ROWS};
    nonsens_data *data;
    assert_int_equal(read_with(ctx, &options, &data), NONSENS_OK);
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 3);
    assert_int_equal(data->segments, 3);
    assert_string_equal(data->labels[0], "s2");
    assert_true(warned(data, "2 of 6 rows were left out"));
    assert_true(warned(data, "column \"kind\""));
    double expected[6] = {1.5, 2.5, NAN, 7, NAN, 3};
    for (int64_t i = 0; i < 4; i++) {
        assert_true(matrix_col(data->x, 0)[i] == expected[data->input_row[i]]);
    }
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

static void test_read_choices(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static const nonsens_options by_number = {.x = "#5", .y = "a", .segments = "equal:4"};
    static const nonsens_options blanks = {.vars = " c, #1"};
    nonsens_data *data;
    assert_int_equal(read_with(ctx, &by_number, &data), NONSENS_OK);
    assert_string_equal(nonsens_data_variable_at(data, 0), "c");
    assert_string_equal(nonsens_data_variable_at(data, 1), "a");
    assert_int_equal(data->segments, 4);
    for (int64_t e = 0; e < 4; e++) {
        int64_t size = data->start[e + 1] - data->start[e];
        assert_true(size == 1 || size == 2);
    }
    assert_false(warned(data, "kind")); // this column was not asked for
    nonsens_data_free(data);
    assert_int_equal(read_with(ctx, &blanks, &data), NONSENS_OK);
    assert_string_equal(nonsens_data_variable_at(data, 0), "c");
    assert_string_equal(nonsens_data_variable_at(data, 1), "a");
    assert_int_equal(data->segments, 0);
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

/* A request to cancel that came before a read does not stop it. */
static void test_read_after_cancel(void **state)
{
    (void)state;
    nonsens_context *ctx = new_context();
    static const nonsens_options options = {.vars = "a,c"};
    static const double values[] = {1, 2, 3, 5, 8, 13};
    nonsens_data *data;
    nonsens_context_cancel(ctx);
    assert_int_equal(read_with(ctx, &options, &data), NONSENS_OK);
    assert_int_equal(data->n, 6);
    nonsens_data_free(data);
    nonsens_context_cancel(ctx);
    assert_int_equal(nonsens_data_from_arrays(ctx, 3, 2, values, 2, 1, NULL, NULL, &data), NONSENS_OK);
    assert_false(is_cancelled(ctx));
    nonsens_data_free(data);
    nonsens_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_canonical_layout),
        cmocka_unit_test(test_mirrored_columns),
        cmocka_unit_test(test_mirrored_symmetric_columns),
        cmocka_unit_test(test_units_of_alike_columns),
        cmocka_unit_test(test_permuted_columns_keep_their_rank),
        cmocka_unit_test(test_hash_sees_values_and_segments),
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_bad_arrays),
        cmocka_unit_test(test_warnings_grow),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_read_errors),
        cmocka_unit_test(test_read_drop_rows),
        cmocka_unit_test(test_read_choices),
        cmocka_unit_test(test_read_after_cancel),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_smallest_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
