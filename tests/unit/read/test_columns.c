/*
 * test_columns.c - a table in memory against the same table in a file: the same data, messages and warnings, whatever
 * the strides; and simulated data as callers see them.
 */
#include "base/number.h"
#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { ROWS = 60, COLUMNS = 3, LABELS = 4 };

static const char *const names[COLUMNS] = {"a", "b", "c"};
static const char *const labels[LABELS] = {"mon", "tue", "wed", "thu"};

typedef struct world {
    double values[ROWS * COLUMNS]; /* row by row */
    double columns[ROWS * COLUMNS];
    int32_t category[ROWS];
    int64_t labels;
    const char *const *label;
    nonsens_column by_row[COLUMNS], by_column[COLUMNS];
} world;

static void make_world(world *w)
{
    w->labels = LABELS;
    w->label = labels;
    for (int i = 0; i < ROWS; i++) {
        w->category[i] = i * 7 % LABELS;
        for (int j = 0; j < COLUMNS; j++) {
            w->values[i * COLUMNS + j] = sin(1.0 + i * (j + 1) * 0.7) * (1 + w->category[i]) + 0.1 * i * j;
        }
    }
    for (int j = 0; j < COLUMNS; j++) {
        w->by_row[j] = (nonsens_column){names[j], w->values + j, COLUMNS};
        w->by_column[j] = (nonsens_column){names[j], w->columns + j * ROWS, 1};
    }
}

/* Copies the values column by column; called once they are final. */
static void spread(world *w)
{
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        w->columns[i % COLUMNS * ROWS + i / COLUMNS] = w->values[i];
    }
}

static nonsens_options *options_of(fixture *f, const char *const *words)
{
    nonsens_options *options;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_ICA, &options), NONSENS_OK);
    for (; *words; words += 2) {
        assert_int_equal(nonsens_options_set(f->ctx, options, words[0], words[1]), NONSENS_OK);
    }
    return options;
}

static nonsens_status read_file(fixture *f, const world *w, const nonsens_options *options, nonsens_data **out)
{
    char path[] = "/tmp/test_columns_XXXXXX", number[NUMBER_BYTES];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs("a,b,c,day\n", file);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double v = w->values[i * COLUMNS + j];
            fprintf(file, "%s,", isnan(v) ? "" : number_print(number, v, 17));
        }
        fprintf(file, "%s\n", w->category[i] < 0 ? "" : w->label[w->category[i]]);
    }
    fclose(file);
    nonsens_status status = nonsens_data_read(f->ctx, path, options, out);
    unlink(path);
    return status;
}

static void assert_same_data(const nonsens_data *a, const nonsens_data *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->d, b->d);
    assert_int_equal(a->segments, b->segments);
    assert_true(a->hash == b->hash);
    assert_memory_equal(a->input_row, b->input_row, (size_t)a->n * sizeof *a->input_row);
    for (int64_t j = 0; j < a->d; j++) {
        assert_string_equal(a->names[j], b->names[j]);
        assert_memory_equal(matrix_col(a->x, j), matrix_col(b->x, j), (size_t)a->n * sizeof(double));
    }
    for (int64_t e = 0; e < a->segments; e++) {
        assert_string_equal(a->labels[e], b->labels[e]);
    }
    assert_int_equal(a->warnings, b->warnings);
    for (int64_t i = 0; i < a->warnings; i++) {
        assert_string_equal(a->warning[i], b->warning[i]);
    }
}

/* Checks that both layouts give what the file gives. */
static void assert_as_file(fixture *f, world *w, const char *const *words)
{
    nonsens_options *options = options_of(f, words);
    bool labelled = words[0] && strcmp(words[0], "segment") == 0;
    nonsens_data *file, *rows, *columns;
    spread(w);
    assert_int_equal(read_file(f, w, options, &file), NONSENS_OK);
    const int32_t *category = labelled ? w->category : NULL;
    assert_int_equal(
        nonsens_data_from_columns(f->ctx, ROWS, COLUMNS, w->by_row, category, w->labels, w->label, options, &rows),
        NONSENS_OK);
    assert_int_equal(nonsens_data_from_columns(f->ctx, ROWS, COLUMNS, w->by_column, category, w->labels, w->label,
                                               options, &columns),
                     NONSENS_OK);
    assert_same_data(file, rows);
    assert_same_data(file, columns);
    nonsens_data_free(file);
    nonsens_data_free(rows);
    nonsens_data_free(columns);
    nonsens_options_free(options);
}

static void test_as_file(void **state)
{
    fixture *f = *state;
    world w;
    make_world(&w);
    assert_as_file(f, &w, (const char *const[]){"segment", "day", NULL});
    assert_as_file(f, &w, (const char *const[]){"segment", "day", "vars", "c,a", NULL});
    assert_as_file(f, &w, (const char *const[]){"segments", "equal:5", "vars", "a,b,c", NULL});
    assert_as_file(f, &w, (const char *const[]){"vars", "a,b,c", NULL});
}

static void test_missing(void **state)
{
    fixture *f = *state;
    world w;
    make_world(&w);
    w.values[4 * COLUMNS + 1] = NAN;
    w.values[9 * COLUMNS] = NAN;
    w.category[20] = -1;
    assert_as_file(f, &w, (const char *const[]){"segment", "day", "na", "drop-rows", NULL});
    assert_true(isnan(w.columns[ROWS + 4])); // the caller's memory is unchanged
    assert_as_file(f, &w, (const char *const[]){"segments", "equal:3", "vars", "c", NULL});
}

/* Equal labels are one segment, and a label without rows is no segment. */
static void test_equal_labels(void **state)
{
    static const char *const twins[] = {"mon", "tue", "mon", "thu", "never"};
    fixture *f = *state;
    world w;
    make_world(&w);
    w.labels = 5;
    w.label = twins;
    assert_as_file(f, &w, (const char *const[]){"segment", "day", NULL});
    w.values[4 * COLUMNS + 1] = NAN;
    assert_as_file(f, &w, (const char *const[]){"segment", "day", "na", "drop-rows", NULL});
}

/* A column whose values are all missing counts as text, as in a file. */
static void test_empty_column(void **state)
{
    fixture *f = *state;
    world w;
    make_world(&w);
    for (int i = 0; i < ROWS; i++) {
        w.values[i * COLUMNS + 1] = NAN;
    }
    assert_as_file(f, &w, (const char *const[]){"segment", "day", NULL});
}

static void assert_refused(fixture *f, world *w, const char *const *words, const int32_t *category,
                           nonsens_status expected, const char *sentence)
{
    nonsens_options *options = options_of(f, words);
    nonsens_data *data = (nonsens_data *)w;
    spread(w);
    nonsens_status status =
        nonsens_data_from_columns(f->ctx, ROWS, COLUMNS, w->by_column, category, w->labels, w->label, options, &data);
    assert_int_equal(status, expected);
    assert_null(data);
    if (!strstr(nonsens_context_message(f->ctx), sentence)) {
        fail_msg("\"%s\" does not contain \"%s\"", nonsens_context_message(f->ctx), sentence);
    }
    nonsens_options_free(options);
}

static void test_refused(void **state)
{
    fixture *f = *state;
    world w;
    make_world(&w);
    const char *const none[] = {NULL}, *const blocks[] = {"segments", "equal:3", NULL};
    const char *const day[] = {"segment", "day", NULL}, *const vars[] = {"vars", "a,x", NULL};
    assert_refused(f, &w, blocks, w.category, NONSENS_ERR_USAGE, "cannot be combined");
    assert_refused(f, &w, day, NULL, NONSENS_ERR_USAGE, "no labels");
    assert_refused(f, &w, vars, NULL, NONSENS_ERR_DATA, "there is no column \"x\"");
    w.category[7] = LABELS;
    assert_refused(f, &w, none, w.category, NONSENS_ERR_USAGE, "data row 8 has the segment number 4");
    w.category[7] = -5;
    assert_refused(f, &w, none, w.category, NONSENS_ERR_DATA, "column \"segment\" has a missing value (data row 8)");
    w.values[3 * COLUMNS + 2] = NAN;
    assert_refused(f, &w, none, NULL, NONSENS_ERR_DATA,
                   "the data: column \"c\" has a missing value (data row 4); leave out such rows with --na drop-rows");
    w.by_column[1].name = "";
    assert_refused(f, &w, none, NULL, NONSENS_ERR_DATA, "column 2 needs a name");
    w.by_column[1].name = "a";
    assert_refused(f, &w, none, NULL, NONSENS_ERR_DATA, "the column name \"a\" is used twice, for columns 1 and 2");
    w.by_column[1].name = "day";
    assert_refused(f, &w, day, w.category, NONSENS_ERR_DATA, "\"day\" is used twice, for columns 2 and 4");
    w.by_column[1].name = "\xff";
    assert_refused(f, &w, none, NULL, NONSENS_ERR_DATA, "column 2 needs a name, in UTF-8");
    w.by_column[1].name = "b";
    w.label = (const char *const[]){"mon", "\xff", "wed", "thu"};
    assert_refused(f, &w, none, w.category, NONSENS_ERR_DATA, "the segment label \"\\xff\" is not UTF-8");
}

static nonsens_status make_data(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    const world *w = state;
    nonsens_options *options;
    nonsens_data *data = NULL;
    nonsens_status status = nonsens_options_new(ctx, NONSENS_COMMAND_ICA, &options);
    if (status == NONSENS_OK) {
        status = nonsens_data_from_columns(ctx, ROWS, COLUMNS, w->by_row, w->category, LABELS, labels, options, &data);
        nonsens_options_free(options);
    }
    nonsens_data_free(data);
    return status;
}

static void test_out_of_memory(void **state)
{
    world w;
    make_world(&w);
    assert_true(fail_every_allocation(*state, make_data, &w) > 5);
}

/* The arrays of a simulation equal those of its data set, except for the order of rows. */
static void test_simulation(void **state)
{
    fixture *f = *state;
    nonsens_options *options;
    nonsens_simulation *s;
    nonsens_data *data;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_SIMULATE, &options), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, options, "per-segment", "20"), NONSENS_OK);
    assert_int_equal(nonsens_simulation_new(f->ctx, options, &s), NONSENS_OK);
    assert_int_equal(nonsens_simulation_data(f->ctx, s, &data), NONSENS_OK);
    int64_t n = nonsens_simulation_row_count(s);
    assert_int_equal(n, 200);
    assert_int_equal(nonsens_simulation_variable_count(s), 2);
    assert_string_equal(nonsens_simulation_variable_at(s, 1), "x2");
    assert_null(nonsens_simulation_variable_at(s, 2));
    assert_null(nonsens_simulation_variable_at(s, -1));
    for (int64_t i = 0; i < n; i++) {
        int64_t row = data->input_row[i];
        char label[16];
        snprintf(label, sizeof label, "s%d", nonsens_simulation_segments(s)[row] + 1);
        assert_string_equal(data->labels[data->segment[i]], label);
        for (int64_t j = 0; j < 2; j++) {
            assert_true(data->sign[j] * matrix_col(data->x, j)[i] == nonsens_simulation_values(s)[j * n + row]);
        }
    }
    assert_true(nonsens_simulation_sources(s)[0] != nonsens_simulation_values(s)[0]);
    nonsens_data_free(data);
    nonsens_simulation_free(s);
    nonsens_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_as_file), TEST(test_missing),       TEST(test_equal_labels), TEST(test_empty_column),
        TEST(test_refused), TEST(test_out_of_memory), TEST(test_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
