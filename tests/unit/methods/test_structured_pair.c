/* test_structured_pair.c - what `structured` says about a pair besides its decision. */
#include <stdio.h>

#include "fixture.h"

#include "pair_runs.h"

enum { SEGMENTS = 3, MAX_ROWS = 150 };

/* Draws a cause and its effect whose scales change, in segments of these sizes. */
static nonsens_result *run_sizes(fixture *f, const int64_t size[SEGMENTS])
{
    double x[MAX_ROWS], y[MAX_ROWS], columns[2 * MAX_ROWS];
    int64_t segment[MAX_ROWS], n = 0;
    rng r = rng_new(31, RNG_TEST, 0);
    for (int64_t e = 0; e < SEGMENTS; e++) {
        for (int64_t k = 0; k < size[e]; k++, n++) {
            segment[n] = e;
            x[n] = (1.0 + (double)e) * rng_laplace(&r);
            y[n] = x[n] + (3.0 - (double)e) * rng_laplace(&r);
        }
    }
    memcpy(columns, x, (size_t)n * sizeof *x);
    memcpy(columns + n, y, (size_t)n * sizeof *y);
    return run_pair(f, "method=structured threads=1", n, columns, segment);
}

/* Counts the cautions with these words. */
static int64_t count_cautions(const nonsens_result *r, const char *words)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->notes; i++) {
        count += r->note[i].level == NONSENS_NOTE_CAUTION && strstr(r->note[i].text, words) != NULL;
    }
    return count;
}

/* The mean over segments matters, not the smallest of them. */
static void test_few_rows_a_segment(void **state)
{
    nonsens_result *few = run_sizes(*state, (int64_t[]){20, 40, 89}),
                   *enough = run_sizes(*state, (int64_t[]){20, 40, 90});
    assert_int_equal(count_cautions(few, "a misfit is hardly visible"), 1);
    assert_int_equal(count_cautions(few, "The segments have 49.7 rows on average."), 1);
    assert_int_equal(count_cautions(enough, "a misfit is hardly visible"), 0);
    nonsens_result_free(few);
    nonsens_result_free(enough);
}

/* ---- rank ---- */

enum { TEN = 10, ROWS = 200, PAIRS = 8 };

typedef struct pair_design {
    bool means;         /* the mean of the cause changes, too: a third way in which segments differ */
    bool still;         /* nothing changes */
    double error;       /* standard deviation of the measurement error that is added to the cause */
    double memory;      /* coefficient of autoregressions of both disturbances */
    int64_t rows;       /* rows per segment */
    const char *extras; /* options */
} pair_design;

/* Draws x = mean + scale N1, y = tanh(x) + x / 2 + scale N2 in ten segments. */
static nonsens_result *run_design(fixture *f, const pair_design *design, uint64_t seed)
{
    int64_t n = TEN * design->rows;
    double *columns = fixture_doubles(f, 2 * n), state[2] = {0};
    int64_t *segment = arena_get(f->ctx, &f->scratch, n, sizeof *segment);
    rng r = rng_new(seed, RNG_TEST, 0);
    char settings[128];
    assert_non_null(segment);
    for (int64_t i = 0; i < n; i++) {
        int64_t e = segment[i] = i / design->rows;
        int64_t of = design->still ? 0 : e;
        double scale[2] = {0.4 + 0.16 * (double)((3 * of + 1) % TEN), 0.2 + 0.08 * (double)((7 * of + 4) % TEN)};
        double rest = sqrt(1.0 - design->memory * design->memory);
        for (int k = 0; k < 2; k++) {
            state[k] = design->memory * state[k] + rest * rng_normal(&r);
        }
        double x = scale[0] * state[0] + (design->means ? 0.3 * (double)((9 * e + 2) % TEN) : 0.0);
        columns[i] = x + design->error * rng_normal(&r);
        columns[n + i] = tanh(2.0 * x) + 0.5 * x + scale[1] * state[1];
    }
    snprintf(settings, sizeof settings, "method=structured threads=1 %s", design->extras);
    return run_pair(f, settings, n, columns, segment);
}

/*
 * Counts the pairs in which a further feature has p <= .05.  If segments differ in `ways` ways, the next feature rarely
 * does: 3 or more of 8 have probability .006.
 */
static void assert_rank_law(fixture *f, const pair_design *design, int64_t ways)
{
    char name[32], next[32];
    int seen = 0, exceeded = 0;
    double sum = 0.0;
    snprintf(name, sizeof name, "gain of rank %d", (int)ways);
    snprintf(next, sizeof next, "gain of rank %d", (int)ways + 1);
    for (uint64_t k = 0; k < PAIRS; k++) {
        nonsens_result *result = run_design(f, design, 100 + k);
        double p = evidence_of(result, next)->p_value;
        seen += evidence_of(result, name)->p_value <= 0.05;
        exceeded += p <= 0.05;
        sum += p;
        nonsens_result_free(result);
    }
    assert_int_equal(seen, PAIRS);
    assert_true(exceeded < 3);
    assert_true(fabs(sum / PAIRS - 0.5) < 3.0 / sqrt(12.0 * PAIRS)); // standard errors of a mean of uniform numbers
}

static void test_third_way_has_its_law_at_length(void **state)
{
    assert_rank_law(*state, &(pair_design){.rows = ROWS, .extras = "opinions=none"}, 2);
}

static void test_fourth_way_has_its_law_at_length(void **state)
{
    assert_rank_law(*state, &(pair_design){.means = true, .rows = ROWS, .extras = "opinions=none"}, 3);
}

/* Series that do not change seem to change if their rows are treated as independent, but not by blocks. */
static void test_still_series_do_not_change(void **state)
{
    pair_design as_rows = {.still = true, .memory = 0.9, .rows = ROWS, .extras = "opinions=none"}, by_blocks = as_rows;
    by_blocks.extras = "opinions=none block-length=auto";
    for (uint64_t seed = 1; seed <= 2; seed++) {
        nonsens_result *rows = run_design(*state, &as_rows, seed), *blocks = run_design(*state, &by_blocks, seed);
        assert_true(evidence_of(rows, "gain of rank 1")->p_value < 0.001);
        assert_true(evidence_of(blocks, "gain of rank 1")->p_value > 0.01);
        nonsens_result_free(rows);
        nonsens_result_free(blocks);
    }
}

/* ---- firm ---- */

enum { MANY = 500 };

static void assert_firm_result(const nonsens_result *result, bool expected)
{
    assert_int_equal(result->decision, DECISION_FIRST_CAUSES);
    assert_int_equal(result->firm, expected ? NONSENS_FIRM_YES : NONSENS_FIRM_NO);
    assert_true(expected == (result->alternatives == 0));
}

static void assert_firm(fixture *f, const pair_design *design, bool expected)
{
    nonsens_result *result = run_design(f, design, 7);
    assert_firm_result(result, expected);
    nonsens_result_free(result);
}

static void test_clear_pair_is_firm(void **state)
{
    nonsens_result *clean = run_design(*state, &(pair_design){.rows = MANY, .extras = ""}, 7);
    assert_firm_result(clean, true);
    assert_true(evidence_of(clean, "correlation left by c1->c2")->value < 0.003);
    nonsens_result_free(clean);
}

/* The mechanisms were not examined: nothing says that disturbances are independent. */
static void test_no_opinion_is_not_firm(void **state)
{
    assert_firm(*state, &(pair_design){.rows = MANY, .extras = "opinions=none"}, false);
}

/* Where the cause varies little, more of its measurement is error, and less of it shows in the effect. */
static void test_error_in_the_cause_is_seen(void **state)
{
    nonsens_result *error = run_design(*state, &(pair_design){.error = 0.4, .rows = MANY, .extras = ""}, 7);
    const nonsens_evidence *left = evidence_of(error, "correlation left by c1->c2");
    assert_true(left->value > 0.005 && left->p_value < 0.001);
    assert_int_not_equal(error->firm, NONSENS_FIRM_YES);
    nonsens_result_free(error);
}

/* Rows in time are treated as independent. */
static void test_rows_in_time_are_not_firm(void **state)
{
    assert_firm(*state, &(pair_design){.memory = 0.6, .rows = MANY, .extras = ""}, false);
}

/* As blocks they are worth fewer independent rows. */
static void test_blocks_in_time_are_firm_at_length(void **state)
{
    assert_firm(*state, &(pair_design){.memory = 0.6, .rows = 2 * MANY, .extras = "block-length=auto"}, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_few_rows_a_segment),
        TEST(test_third_way_has_its_law_at_length),
        TEST(test_fourth_way_has_its_law_at_length),
        TEST(test_clear_pair_is_firm),
        TEST(test_no_opinion_is_not_firm),
        TEST(test_error_in_the_cause_is_seen),
        TEST(test_rows_in_time_are_not_firm),
        TEST(test_blocks_in_time_are_firm_at_length),
        TEST(test_still_series_do_not_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
