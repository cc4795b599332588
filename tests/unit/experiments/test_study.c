/* test_study.c - the harness of experiments: cells by pattern, units with and without journal, command line, tables. */
#include "harness/request.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

/* ---- a study with one number per unit; in the second cell it is NaN ---- */

enum { CELLS = 3, REPS = 4 };

static atomic_int runs;

static void toy_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    snprintf(name, CELL_NAME_BYTES, "cell-%c", (int)('a' + cell));
}

static nonsens_status toy_run(nonsens_context *ctx, arena *scratch, const void *data, int64_t cell, unit_seed seed,
                              json_value *line)
{
    (void)scratch, (void)data;
    atomic_fetch_add(&runs, 1);
    return study_put(ctx, line, "value", json_real(cell == 1 ? NAN : rng_uniform(&seed.stream)));
}

static bool toy_read(const json_value *line, void *unit)
{
    return study_read_number(json_object_get(line, "value"), unit);
}

static void toy_key(const void *data, int64_t cell, char key[UNIT_KEY_BYTES])
{
    snprintf(key, UNIT_KEY_BYTES, "%s of cell %d", (const char *)data, (int)cell);
}

static const study TOY = {.name = "toy",
                          .cells = CELLS,
                          .reps = REPS,
                          .revision = 1,
                          .cell_name = toy_name,
                          .run = toy_run,
                          .unit_bytes = sizeof(double),
                          .read = toy_read};

/* ---- cells ---- */

static void test_patterns(void **state)
{
    (void)state;
    assert_true(study_is_named("*", "cell-a"));
    assert_true(study_is_named("x,cell-?", "cell-a"));
    assert_true(study_is_named("cell-[ab]", "cell-b"));
    assert_false(study_is_named("cell", "cell-a"));
    assert_false(study_is_named("x,y", "cell-a"));
}

static void test_choice(void **state)
{
    fixture *f = *state;
    study_run r = {.study = &TOY};
    assert_int_equal(study_choose(f->ctx, &f->scratch, &r, "cell-a,cell-c", false, 0), NONSENS_OK);
    assert_int_equal(r.cells, 2);
    assert_int_equal(r.cell[1], 2);
    assert_int_equal(r.reps_done[0], REPS);
    study_run none = {.study = &TOY};
    assert_int_equal(study_choose(f->ctx, &f->scratch, &none, "cell-d", false, 7), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "from cell-a to cell-c"));
}

/* ---- units ---- */

/* All cells at once or one after another, on any number of threads, give the same units. */
static void test_cell_by_cell(void **state)
{
    fixture *f = *state;
    study_run all = {.study = &TOY, .first_seed = 5, .threads = 1};
    assert_int_equal(study_choose(f->ctx, &f->scratch, &all, "*", false, 0), NONSENS_OK);
    assert_int_equal(study_complete(f->ctx, &f->scratch, &all, NULL), NONSENS_OK);
    study_units units = study_result(&all);
    const double *value = units.unit;
    assert_int_equal(units.cells * units.reps, CELLS * REPS);
    for (int64_t cell = 0; cell < CELLS; cell++) {
        study_run one = {.study = &TOY, .first_seed = 5, .threads = 3};
        assert_int_equal(study_run_cell(f->ctx, &f->scratch, &one, cell, 2), NONSENS_OK);
        const double *own = study_result(&one).unit;
        for (int i = 0; i < 2; i++) {
            assert_true(cell == 1 ? isnan(own[i]) && isnan(value[cell * REPS + i]) : own[i] == value[cell * REPS + i]);
        }
    }
    assert_true(value[0] != value[1] && value[0] != value[2 * REPS]);
}

static int lines_with(const char *path, const char *word)
{
    char line[512];
    int count = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        count += strstr(line, word) != NULL;
    }
    fclose(file);
    return count;
}

/* Units with their own key are found by this key, and only by it. */
static void test_own_key(void **state)
{
    fixture *f = *state;
    study own = TOY;
    char path[] = "/tmp/test_study_XXXXXX";
    const char *const data[] = {"first", "first", "second"};
    const int ran[] = {REPS, 0, REPS};
    assert_int_equal(close(mkstemp(path)), 0);
    own.key = toy_key;
    for (int k = 0; k < 3; k++) {
        journal done;
        study_run r = {.study = &own, .data = data[k], .journal = &done};
        assert_int_equal(journal_open(f->ctx, path, &done), NONSENS_OK);
        atomic_store(&runs, 0);
        assert_int_equal(study_run_cell(f->ctx, &f->scratch, &r, 2, 0), NONSENS_OK);
        assert_int_equal(atomic_load(&runs), ran[k]);
        journal_close(&done);
    }
    assert_int_equal(lines_with(path, "\"options\":\"second of cell 2\""), REPS);
    assert_int_equal(lines_with(path, "figure"), 0); // such lines do not name their study
    unlink(path);
}

static nonsens_status lose_result(nonsens_context *ctx, arena *scratch, const void *data, int64_t cell, unit_seed seed,
                                  json_value *line)
{
    (void)ctx, (void)scratch, (void)data, (void)cell, (void)seed, (void)line;
    return NONSENS_OK;
}

static void test_lacking_result(void **state)
{
    fixture *f = *state;
    study careless = TOY;
    study_run r = {.study = &careless};
    careless.run = lose_result;
    assert_int_equal(study_run_cell(f->ctx, &f->scratch, &r, 0, 0), NONSENS_ERR_NUMERIC);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "toy"));
}

static nonsens_status run_all(nonsens_context *ctx, arena *a, void *state)
{
    (void)state;
    study_run r = {.study = &TOY, .threads = 1};
    TRY(study_choose(ctx, a, &r, "*", false, 0));
    return study_complete(ctx, a, &r, NULL);
}

static void test_failing_allocations(void **state)
{
    assert_true(fail_every_allocation(*state, run_all, NULL) > 0);
}

static void test_numbers(void **state)
{
    (void)state;
    double value = 0.0;
    json_value *number = json_real(0.1), *unknown = json_real(INFINITY), *text = json_string("0.1");
    assert_true(study_read_number(number, &value) && value == 0.1);
    assert_true(study_read_number(unknown, &value) && isnan(value));
    assert_false(study_read_number(text, &value));
    assert_false(study_read_number(NULL, &value));
    json_decref(number);
    json_decref(unknown);
    json_decref(text);
}

/* ---- command lines and tables ---- */

static bool take_colour(void *user, const char *key, char *value)
{
    *(const char **)user = value;
    return strcmp(key, "--colour") == 0;
}

static void test_words(void **state)
{
    (void)state;
    request q;
    const char *colour = NULL;
    char text[] = "toy\0--cells\0a,b\0--reps\0007\0--seed\0003\0--colour\0red", *words[9] = {text};
    for (int i = 1; i < 9; i++) {
        words[i] = words[i - 1] + strlen(words[i - 1]) + 1;
    }
    assert_true(request_read(&q, 9, words, take_colour, &colour));
    assert_string_equal(q.cells, "a,b");
    assert_int_equal(q.reps, 7);
    assert_int_equal(q.first_seed, 3);
    assert_string_equal(colour, "red");
    assert_false(request_read(&q, 9, words, NULL, NULL));           // no program takes --colour
    assert_false(request_read(&q, 8, words, take_colour, &colour)); // its value is missing
    assert_true(request_read(&q, 1, words, NULL, NULL));
    assert_string_equal(q.cells, "*");
    assert_int_equal(q.first_seed, 100001);
    char negative[] = "-1";
    words[4] = negative;
    assert_false(request_read(&q, 5, words, NULL, NULL));
}

static void write_rows(table *t)
{
    table_text(t, "name");
    table_whole(t, -3);
    table_number(t, 0.5, 6);
    table_fixed(t, 0.5, 3);
    table_end_row(t);
    table_summary(t, (summary){2, 1.26, NAN}, 2);
    table_fixed(t, NAN, 3);
    table_end_row(t);
}

static void test_table(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    table t = {.out = open_memstream(&text, &bytes)}, none = {.out = NULL};
    write_rows(&t);
    write_rows(&none);
    fclose(t.out);
    assert_string_equal(text, "name,-3,0.5,0.500\n1.3,,\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_patterns), TEST(test_choice),         TEST(test_cell_by_cell),
        TEST(test_own_key),  TEST(test_lacking_result), TEST(test_numbers),
        TEST(test_words),    TEST(test_table),          TEST(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
