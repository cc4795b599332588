/* test_bivariate.c - the figures of two variables: cells, answers on a data set, and the shares computed from them. */
#include "figures/bivariate.h"
#include "tasks/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "json_of.h"

static int64_t find_cell(const char *wanted)
{
    char name[CELL_NAME_BYTES];
    for (int64_t k = 0; k < BIVARIATE_CELLS; k++) {
        bivariate_cell_name(k, name);
        if (strcmp(name, wanted) == 0) {
            return k;
        }
    }
    fail_msg("there is no cell %s", wanted);
    return -1;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Cell names are unique, and no cyclic data go to a rule that assumes an effect. */
static void test_cells(void **state)
{
    (void)state;
    static char name[BIVARIATE_CELLS][CELL_NAME_BYTES];
    for (int64_t k = 0; k < BIVARIATE_CELLS; k++) {
        bivariate_setting s = bivariate_setting_of(k);
        bivariate_cell_name(k, name[k]);
        assert_true(s.depth >= 1 && s.depth <= BIVARIATE_DEPTHS && s.family < FAMILIES);
        assert_false(s.cyclic && s.family == FAMILY_RECI);
    }
    qsort(name, BIVARIATE_CELLS, sizeof *name, compare_names);
    for (int64_t k = 1; k < BIVARIATE_CELLS; k++) {
        assert_string_not_equal(name[k - 1], name[k]);
    }
    find_cell("causal-depth1-e10-n512-structured");
    find_cell("cyclic-depth5-e50-n512-as-published");
}

/* Every rule belongs to one family, and the rules of a family are consecutive: units store answers in this order. */
static void test_rules(void **state)
{
    (void)state;
    int found = 0;
    for (int f = 0; f < FAMILIES; f++) {
        int k = 0;
        for (; bivariate_rule_of((enum bivariate_family)f, k) >= 0; k++) {
            assert_int_equal(bivariate_rule_of((enum bivariate_family)f, k), found++);
        }
        assert_in_range(k, 1, RULES_OF_FAMILY);
    }
    assert_int_equal(found, BIVARIATE_RULES);
}

static json_value *line_of(fixture *f, const char *cell, uint64_t seed)
{
    json_value *line = json_object();
    unit_seed unit = {rng_new(seed, RNG_TEST, 0), seed};
    nonsens_status status = bivariate_run(f->ctx, &f->scratch, NULL, find_cell(cell), unit, line);
    if (status != NONSENS_OK) {
        fail_msg("%s: %s", cell, nonsens_context_message(f->ctx));
    }
    return line;
}

static bivariate_unit unit_of(fixture *f, const char *cell, uint64_t seed)
{
    bivariate_unit u;
    json_value *line = line_of(f, cell, seed);
    assert_true(bivariate_read(line, &u));
    json_decref(line);
    return u;
}

/* All families of a setting see the same data, and methods for linear mechanisms find a linear pair's direction. */
static void test_linear_pair(void **state)
{
    static const char *const family[] = {"lingam", "linear-ica", "true-sources", "resit", "icp", "cdnod", "reci"};
    enum cause truth = unit_of(*state, "causal-depth1-e10-n128-lingam", 7).truth;
    assert_int_not_equal(truth, CAUSE_NONE);
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        char name[CELL_NAME_BYTES];
        snprintf(name, sizeof name, "causal-depth1-e10-n128-%s", family[i]);
        bivariate_unit u = unit_of(*state, name, 7);
        assert_int_equal(u.truth, truth);
        assert_false(u.failed);
        if (i <= 2) {
            assert_true(bivariate_better_is_true(&u, 0));
        }
    }
    bivariate_unit sources = unit_of(*state, "causal-depth1-e10-n128-true-sources", 7);
    assert_true(bivariate_is_correct(&sources, 0) && bivariate_better_is_true(&sources, 1));
    assert_int_equal(unit_of(*state, "cyclic-depth1-e10-n128-lingam", 7).truth, CAUSE_NONE);
}

/* Returns the score of nonsens-lr on the data of such a cell. */
static double ratio_of(fixture *f, int64_t seed)
{
    nonsens_options *simulate, *direction;
    nonsens_simulation *simulation;
    nonsens_data *data;
    nonsens_result *result;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_SIMULATE, &simulate), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, simulate, "per-segment", "128"), NONSENS_OK);
    simulate->seed = seed;
    assert_int_equal(nonsens_simulation_new(f->ctx, simulate, &simulation), NONSENS_OK);
    assert_int_equal(nonsens_simulation_data(f->ctx, simulation, &data), NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &direction), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, direction, "method", "nonsens-lr"), NONSENS_OK);
    direction->folds = 5;
    direction->seed = seed;
    assert_int_equal(nonsens_run_direction(f->ctx, data, direction, &result), NONSENS_OK);
    double ratio = nonsens_result_score(result);
    nonsens_result_free(result);
    nonsens_data_free(data);
    nonsens_simulation_free(simulation);
    nonsens_options_free(direction);
    nonsens_options_free(simulate);
    return ratio;
}

/* The ratio computed from the tests' fit has the sign of that of nonsens-lr. */
static void test_shared_fit_at_length(void **state)
{
    for (int64_t seed = 3; seed < 7; seed++) {
        bivariate_unit u = unit_of(*state, "causal-depth3-e10-n128-nonsens", (uint64_t)seed);
        assert_int_equal(u.answer[1].better == CAUSE_FIRST, ratio_of(*state, seed) > 0);
    }
}

/* ---- reading and judging ---- */

static bool read_text(const char *text, bivariate_unit *u)
{
    json_value *line = json_of(text);
    bool good = bivariate_read(line, u);
    json_decref(line);
    return good;
}

static void test_reading(void **state)
{
    (void)state;
    bivariate_unit u;
    assert_true(
        read_text("{\"truth\": 1, \"answers\": {\"nonsens\": [\"neither\", 1], \"nonsens-lr\": [\"first\", 0]}}", &u));
    assert_true(!bivariate_is_correct(&u, 0) && !bivariate_is_wrong(&u, 0) && bivariate_better_is_true(&u, 0));
    assert_true(!bivariate_is_correct(&u, 1) && bivariate_is_wrong(&u, 1) && !bivariate_better_is_true(&u, 1));
    assert_true(read_text("{\"truth\": -1, \"answers\": {\"resit\": [\"inconclusive\", 1]}}",
                          &u)); // there is no direction to name
    assert_true(bivariate_is_correct(&u, 0) && !bivariate_is_wrong(&u, 0) && !bivariate_better_is_true(&u, 0));
    assert_true(read_text("{\"truth\": -1, \"failed\": \"no\"}", &u)); // a failure is not an answer
    assert_true(!bivariate_is_correct(&u, 0) && !bivariate_is_wrong(&u, 0));
    assert_false(read_text("{\"truth\": 2, \"answers\": {\"resit\": [\"first\", 1]}}", &u));
    assert_false(read_text("{\"answers\": {\"resit\": [\"first\", 1]}}", &u));
    assert_false(read_text("{\"truth\": 0, \"answers\": {\"resit\": [\"first\", 2]}}", &u));
    assert_false(read_text("{\"truth\": 0, \"answers\": {\"resit\": 1}}", &u));
    assert_false(read_text("{\"truth\": 0, \"answers\": {\"unheard-of\": [\"first\", 0]}}", &u));
    assert_false(read_text("{\"truth\": 0, \"answers\": {\"resit\": [\"perhaps\", 0]}}", &u));
    assert_false(read_text("{\"truth\": 0, \"answers\": {\"nonsens\": [\"first\", 0]}}", &u)); // a rule is missing
    assert_false(read_text("{\"truth\": 0}", &u));
    for (int truth = -1; truth < 2; truth++) { // the variables depend on one another, whatever the truth is
        u = (bivariate_unit){.truth = (enum cause)truth, .answer = {{DECISION_INDEPENDENT, CAUSE_NONE}}};
        assert_true(!bivariate_is_correct(&u, 0) && bivariate_is_wrong(&u, 0));
    }
}

/* Two cells of five data sets: structured is correct once, resit four times; neither is ever wrong. */
enum { REPS = 5 };
typedef struct made_up {
    int64_t cell[2], reps[2];
    bivariate_unit unit[2][REPS];
    study_units units;
} made_up;

static void make_up(made_up *m)
{
    m->cell[0] = find_cell("causal-depth2-e10-n512-structured");
    m->cell[1] = find_cell("causal-depth2-e10-n512-resit");
    for (int c = 0; c < 2; c++) {
        m->reps[c] = REPS;
        for (int i = 0; i < REPS; i++) {
            bool right = c == 0 ? i == 0 : i > 0;
            m->unit[c][i] = (bivariate_unit){.truth = CAUSE_SECOND};
            m->unit[c][i].answer[0] =
                (bivariate_answer){right ? DECISION_SECOND_CAUSES : DECISION_INCONCLUSIVE, CAUSE_SECOND};
        }
    }
    m->units = (study_units){2, REPS, m->cell, m->unit, m->reps};
}

static char *written(fixture *f, figure_write_fn write, const study_units *units)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_int_equal(write(f->ctx, &f->scratch, units, stream), NONSENS_OK);
    fclose(stream);
    return text;
}

static void test_table(void **state)
{
    made_up m;
    make_up(&m);
    char *text = written(*state, FIGURE_BIVARIATE.write_csv, &m.units);
    assert_non_null(strstr(text, "\ncausal,2,10,512,structured,5,0.2,0.2,0,0,1,0,0\n"));
    assert_non_null(strstr(text, "\ncausal,2,10,512,resit,5,0.8,0.2,0,0,1,0,0\n"));
    free(text);
}

/* Twenty data sets, all correct: the sum of twenty twentieths exceeds 1 by rounding. */
static void test_all_right(void **state)
{
    enum { MANY = 20 };
    static bivariate_unit unit[MANY];
    int64_t cell = find_cell("causal-depth2-e10-n512-structured"), reps = MANY;
    for (int i = 0; i < MANY; i++) {
        unit[i] = (bivariate_unit){.truth = CAUSE_FIRST, .answer = {{DECISION_FIRST_CAUSES, CAUSE_FIRST}}};
    }
    study_units units = {1, MANY, &cell, unit, &reps};
    char *text = written(*state, FIGURE_BIVARIATE.write_csv, &units);
    assert_non_null(strstr(text, "\ncausal,2,10,512,structured,20,1,0,0,0,1,0,0\n"));
    free(text);
}

/* Differences -1, 1, 1, 1, 1: mean .6, standard error .4; 1.5 standard errors are not enough. */
static void test_comparison(void **state)
{
    made_up m;
    make_up(&m);
    char *text = written(*state, FIGURE_BIVARIATE.write_text, &m.units);
    assert_non_null(strstr(text, "in 0 of 2 comparisons"));
    free(text);
    m.unit[0][0].answer[0].decided = DECISION_NEITHER; // differences 0, 1, 1, 1, 1: mean .8, standard error .2
    text = written(*state, FIGURE_BIVARIATE.write_text, &m.units);
    assert_non_null(strstr(text, "resit is ahead of structured in right by 0.8, standard error 0.2"));
    assert_non_null(strstr(text, "in 1 of 2 comparisons"));
    free(text);
    m.reps[0] = REPS - 1; // too few for a comparison
    text = written(*state, FIGURE_BIVARIATE.write_text, &m.units);
    assert_null(strstr(text, "comparisons"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cells),   TEST(test_rules), TEST(test_linear_pair), TEST(test_shared_fit_at_length),
        TEST(test_reading), TEST(test_table), TEST(test_all_right),   TEST(test_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
