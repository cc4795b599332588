/*
 * test_refute.c - data sets of refuters, the rules by which answers pass, and that a correct engine passes as often as
 * it should; results do not depend on threads, order of rows and columns, or labels.
 */
#include "tasks/effect/refute.h"

#include "math/special.h"
#include "tasks/effect/effect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { D = 3, SEGMENTS = 4, ROWS = 60, N = SEGMENTS * ROWS };

static const char *const NAME[D] = {"x", "m", "y"};
static const char *const LABEL[SEGMENTS] = {"a", "b", "c", "d"};

typedef struct table {
    double *column[D];
    int32_t segment[N];
} table;

/* x -> m -> y and x -> y; scales and means of disturbances change over segments. */
static void fill_table(fixture *f, uint64_t number, table *t)
{
    rng r = rng_new(number, RNG_TEST, 95);
    for (int j = 0; j < D; j++) {
        t->column[j] = fixture_doubles(f, N);
    }
    for (int e = 0, i = 0; e < SEGMENTS; e++) {
        double scale[D], mean[D];
        for (int j = 0; j < D; j++) {
            scale[j] = 0.4 + 1.2 * rng_uniform(&r);
            mean[j] = 2.0 * rng_uniform(&r) - 1.0;
        }
        for (int k = 0; k < ROWS; k++, i++) {
            double x = mean[0] + scale[0] * rng_normal(&r);
            double m = tanh(x) + mean[1] + scale[1] * rng_laplace(&r);
            t->segment[i] = e;
            t->column[0][i] = x;
            t->column[1][i] = m;
            t->column[2][i] = 0.7 * m - 0.5 * x + mean[2] + scale[2] * rng_laplace(&r);
        }
    }
}

static nonsens_data *data_of(fixture *f, const table *t)
{
    nonsens_data *data;
    assert_int_equal(
        dataset_new(f->ctx, N, D, (const double *const *)t->column, NAME, t->segment, SEGMENTS, LABEL, NULL, &data),
        NONSENS_OK);
    return data;
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* ---- data sets ---- */

/* A placebo has another segment's values, each once; changed columns move together, the others stay. */
static void test_placebo(void **state)
{
    fixture *f = *state;
    table t;
    fill_table(f, 1, &t);
    nonsens_data *data = data_of(f, &t), placebo;
    const bool changed[D] = {true, true, false};
    time_blocks time;
    rng r = rng_new(1, RNG_TEST, 96);
    assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, 1, &time), NONSENS_OK);
    assert_int_equal(refute_placebo(f->ctx, &f->scratch, data, &time, changed, &r, &placebo), NONSENS_OK);
    int stayed = 0;
    for (int64_t e = 0; e < SEGMENTS; e++) {
        const double *x = matrix_col(data->x, 0), *m = matrix_col(data->x, 1), *first = NULL;
        double *dealt = matrix_col(placebo.x, 0) + data->start[e], sorted[2][ROWS];
        for (int64_t i = 0; i < N; i++) {
            first = x[i] == dealt[0] ? x + data->start[data->segment[i]] : first;
        }
        assert_non_null(first);
        for (int64_t i = 0; i < ROWS; i++) {
            int64_t from = 0;
            while (x[from] != dealt[i]) {
                from++;
            }
            assert_true(matrix_col(placebo.x, 1)[data->start[e] + i] == m[from]);
            stayed += from == data->start[e] + i;
        }
        memcpy(sorted[0], first, sizeof sorted[0]);
        memcpy(sorted[1], dealt, sizeof sorted[1]);
        qsort(sorted[0], ROWS, sizeof(double), compare);
        qsort(sorted[1], ROWS, sizeof(double), compare);
        assert_memory_equal(sorted[0], sorted[1], sizeof sorted[0]);
    }
    assert_true(stayed < N / 10);
    assert_memory_equal(matrix_col(placebo.x, 2), matrix_col(data->x, 2), N * sizeof(double));
    nonsens_data_free(data);
}

/* Blocks of 10 rows stay together except at cuts: in most places the next value in time follows. */
static void test_blocks(void **state)
{
    enum { LENGTH = 10 };
    fixture *f = *state;
    table t;
    fill_table(f, 2, &t);
    for (int i = 0; i < N; i++) {
        t.column[0][i] = i * i; // later rows have larger values, all distinct
    }
    nonsens_data *data = data_of(f, &t), placebo, *subset;
    const bool changed[D] = {true, false, false};
    int64_t *order = arena_get(f->ctx, &f->scratch, N, sizeof *order), together = 0;
    time_blocks time;
    rng r = rng_new(2, RNG_TEST, 96);
    assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, LENGTH, &time), NONSENS_OK);
    assert_int_equal(time_blocks_order(f->ctx, &f->scratch, data, order), NONSENS_OK);
    assert_int_equal(refute_placebo(f->ctx, &f->scratch, data, &time, changed, &r, &placebo), NONSENS_OK);
    for (int64_t i = 1; i < N; i++) {
        double before = matrix_col(placebo.x, 0)[order[i - 1]], after = matrix_col(placebo.x, 0)[order[i]];
        together += sqrt(fabs(after)) - sqrt(fabs(before)) == 1.0;
    }
    assert_true(together >= N - N / LENGTH - SEGMENTS && together < N - SEGMENTS);
    assert_int_equal(refute_subset(f->ctx, &f->scratch, data, &time, &r, &subset), NONSENS_OK);
    assert_int_equal(subset->n, SEGMENTS * 50); // five of six blocks
    int kept[N / LENGTH] = {0};
    for (int64_t i = 0; i < subset->n; i++) {
        kept[subset->input_row[i] / LENGTH]++;
    }
    for (int b = 0; b < N / LENGTH; b++) {
        assert_true(kept[b] == 0 || kept[b] == LENGTH);
    }
    nonsens_data_free(subset);
    nonsens_data_free(data);
}

static void test_subset(void **state)
{
    fixture *f = *state;
    table t;
    fill_table(f, 3, &t);
    nonsens_data *data = data_of(f, &t), *subset;
    time_blocks time;
    rng r = rng_new(3, RNG_TEST, 96);
    bool drawn[N] = {false};
    assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, 1, &time), NONSENS_OK);
    assert_int_equal(refute_subset(f->ctx, &f->scratch, data, &time, &r, &subset), NONSENS_OK);
    assert_int_equal(subset->n, SEGMENTS * 48);
    for (int64_t i = 0; i < subset->n; i++) {
        assert_false(drawn[subset->input_row[i]]);
        drawn[subset->input_row[i]] = true;
        assert_int_equal(subset->start[1 + subset->segment[i]] - subset->start[subset->segment[i]], 48);
    }
    nonsens_data_free(subset);
    nonsens_data_free(data);
}

/* ---- rules ---- */

enum { RUNS = 2000, REPETITIONS = 12 };

/* Checks that correct answers fail in a share alpha of the cases, within three standard errors of the simulation. */
static void assert_size(const char *rule, int failed)
{
    double share = failed / (double)RUNS, error = sqrt(0.05 * 0.95 / RUNS);
    if (!(fabs(share - 0.05) < 3.0 * error)) {
        fail_msg("%s: %g of the right answers fail", rule, share);
    }
}

/* Returns how many of RUNS engines fail whose placebo effects have this mean and standard deviation .3. */
static int count_placebo_failures(fixture *f, double mean, double error, rng *r)
{
    int failed = 0;
    for (int run = 0; run < RUNS; run++) {
        double value[REPETITIONS];
        refute_verdict v;
        for (int b = 0; b < REPETITIONS; b++) {
            value[b] = mean + 0.3 * rng_normal(r);
        }
        assert_int_equal(refute_judge_placebo(f->ctx, REPETITIONS, value, error, &v), NONSENS_OK);
        assert_true(v.low < v.mean && v.mean < v.high && v.repetitions == REPETITIONS);
        failed += v.p_value < 0.05;
    }
    return failed;
}

static void test_placebo_rule(void **state)
{
    fixture *f = *state;
    rng r = rng_new(4, RNG_TEST, 96);
    refute_verdict v;
    assert_size("placebo", count_placebo_failures(f, 0.0, 0.0, &r));
    assert_size("placebo with the bias that is tolerated", count_placebo_failures(f, -0.4 * REFUTE_BIAS, 0.4, &r));
    assert_true(count_placebo_failures(f, 0.0, 0.4, &r) < 0.01 * RUNS);
    assert_true(count_placebo_failures(f, 0.4 * REFUTE_BIAS + 0.5, 0.4, &r) > 0.99 * RUNS);
    const double same[] = {0.0, 0.0, 1.0, 1.0};
    assert_int_equal(refute_judge_placebo(f->ctx, 2, same, 1.0, &v), NONSENS_OK);
    assert_true(v.p_value == 1.0 && v.mean == 0.0);
    assert_int_equal(refute_judge_placebo(f->ctx, 2, same + 2, 1.0, &v), NONSENS_OK);
    assert_true(v.p_value == 0.0);
    assert_int_equal(refute_judge_placebo(f->ctx, 1, same, 1.0, &v), NONSENS_OK);
    assert_true(isnan(v.p_value) && isnan(v.mean) && v.repetitions == 1);
}

/* Uses means of rows, in full and in subsets; the standard error is estimated as if from DRAWS bootstrap samples. */
static int count_subset_failures(fixture *f, double rows_alike, rng *r)
{
    enum { MEASURED = 50, KEPT = 40, DRAWS = 100 };
    int failed = 0;
    for (int run = 0; run < RUNS; run++) {
        double row[MEASURED], value[REPETITIONS], ratio[REPETITIONS], full = 0.0, square = 0.0;
        refute_verdict v;
        for (int i = 0; i < MEASURED; i++) {
            row[i] = rng_normal(r);
            full += row[i] / MEASURED;
        }
        for (int b = 0; b < REPETITIONS; b++) {
            int64_t index[MEASURED];
            for (int i = 0; i < MEASURED; i++) {
                index[i] = i;
            }
            value[b] = 0.0;
            ratio[b] = (double)MEASURED / KEPT - 1.0;
            for (int i = 0; i < KEPT; i++) {
                value[b] += row[rng_draw(r, i, MEASURED, index)] / KEPT;
            }
        }
        for (int b = 0; b < DRAWS - 1; b++) {
            double one = rng_normal(r);
            square += one * one;
        }
        double spread = 0.0; // uses the rows' own spread, so that only the rule decides
        for (int i = 0; i < MEASURED; i++) {
            spread += (row[i] - full) * (row[i] - full) / (MEASURED - 1);
        }
        double error = sqrt(spread / (MEASURED * rows_alike) * square / (DRAWS - 1));
        assert_int_equal(refute_judge_subsets(f->ctx, REPETITIONS, value, ratio, full, error, DRAWS, &v), NONSENS_OK);
        failed += v.p_value < 0.05;
    }
    return failed;
}

static void test_subset_rule(void **state)
{
    fixture *f = *state;
    rng r = rng_new(5, RNG_TEST, 96);
    assert_size("subsets", count_subset_failures(f, REFUTE_TOLERANCE * REFUTE_TOLERANCE, &r));
    assert_true(count_subset_failures(f, 1.0, &r) < 0.005 * RUNS); // the interval is as wide as it must be
    assert_true(count_subset_failures(f, 9.0, &r) > 0.9 * RUNS);   // the interval is a third as wide
}

/* ---- the engine ---- */

/* The placebo effect of x on y in several data sets, with the right graph: at alpha = .05 hardly any fails. */
static void test_right_engine_passes(void **state)
{
    enum { SETS = 10, PLACEBOS = 10 };
    fixture *f = *state;
    const bool edge[D * D] = {false, true, true, false, false, true}, changed[D] = {true};
    const effect_change change = {0, EFFECT_SHIFT, 1.0};
    const effect_scenario scenario = {1, &change, EFFECT_ALL_SEGMENTS};
    const int64_t target = 2;
    effect_options options = effect_options_default();
    options.draws = 0;
    int failed = 0;
    for (uint64_t set = 0; set < SETS; set++) {
        double value[PLACEBOS], mean = 0.0;
        refute_verdict v;
        table t;
        fill_table(f, 100 + set, &t);
        nonsens_data *data = data_of(f, &t), placebo;
        time_blocks time;
        assert_int_equal(time_blocks_new(f->ctx, &f->scratch, data, 1, &time), NONSENS_OK);
        for (uint64_t b = 0; b < PLACEBOS; b++) {
            effect_model *m;
            effect_answer answer;
            rng r = rng_new(1, RNG_REFUTE, 2 * b);
            assert_int_equal(refute_placebo(f->ctx, &f->scratch, data, &time, changed, &r, &placebo), NONSENS_OK);
            if (effect_model_new(f->ctx, &placebo, edge, &options, &m) != NONSENS_OK) {
                fail_msg("%s", nonsens_context_message(f->ctx));
            }
            assert_int_equal(effect_answer_scenarios(f->ctx, m, 1, &scenario, 1, &target, &answer), NONSENS_OK);
            value[b] = answer.difference.mean.value;
            mean += value[b] / PLACEBOS;
            effect_model_free(m);
        }
        assert_int_equal(refute_judge_placebo(f->ctx, PLACEBOS, value, 0.0, &v), NONSENS_OK);
        failed += v.p_value < 0.05;
        assert_true(fabs(mean) < 0.1);
        nonsens_data_free(data);
    }
    if (failed > 2) { // P(more than 2 of 10 at .05) = .012
        fail_msg("%d of %d fail", failed, SETS);
    }
}

/* ---- the whole command ---- */

static void run(fixture *f, const nonsens_data *data, const char *threads, nonsens_refutation out[2])
{
    static const char text[] = "cause,effect\nx,m\nm,y\nx,y\n";
    const char *const words[][2] = {
        {"change", "x=1"}, {"on", "y"}, {"refute", "10"}, {"draws", "20"}, {"threads", threads}};
    nonsens_options *options;
    nonsens_graph *graph;
    nonsens_result *result;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_EFFECT, &options), NONSENS_OK);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        assert_int_equal(nonsens_options_set(f->ctx, options, words[k][0], words[k][1]), NONSENS_OK);
    }
    assert_int_equal(nonsens_graph_parse(f->ctx, "text", text, sizeof text - 1, NULL, &graph), NONSENS_OK);
    if (nonsens_run_effect(f->ctx, data, graph, options, &result) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    const nonsens_effect *all = nonsens_result_effect_at(result, 0);
    out[0] = all->placebo;
    out[1] = all->subsets;
    assert_true(out[0].repetitions == 10 && out[1].repetitions == 10 && fabs(out[0].mean) < 0.2);
    assert_true(out[1].low <= all->difference.mean.value && all->difference.mean.value <= out[1].high);
    assert_int_equal(nonsens_result_effect_at(result, 1)->placebo.repetitions, 0); // the effect in a segment
    nonsens_result_free(result);
    nonsens_graph_free(graph);
    nonsens_options_free(options);
}

static void test_order_and_threads_change_nothing(void **state)
{
    static const char *const other_name[D] = {"y", "x", "m"}, *const other_label[SEGMENTS] = {"9", "10", "z", "_"};
    static const int from[D] = {2, 0, 1};
    fixture *f = *state;
    table t, reordered;
    nonsens_refutation first[2], second[2];
    fill_table(f, 6, &t);
    for (int j = 0; j < D; j++) {
        reordered.column[j] = fixture_doubles(f, N);
        for (int i = 0; i < N; i++) {
            reordered.column[j][i] = t.column[from[j]][N - 1 - i];
            reordered.segment[i] = t.segment[N - 1 - i];
        }
    }
    nonsens_data *data = data_of(f, &t), *other;
    assert_int_equal(dataset_new(f->ctx, N, D, (const double *const *)reordered.column, other_name, reordered.segment,
                                 SEGMENTS, other_label, NULL, &other),
                     NONSENS_OK);
    run(f, data, "1", first);
    run(f, other, "3", second);
    for (int k = 0; k < 2; k++) {
        assert_true(first[k].mean == second[k].mean && first[k].p_value == second[k].p_value);
        assert_true(first[k].low == second[k].low && first[k].high == second[k].high);
    }
    nonsens_data_free(other);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_placebo),
                                       TEST(test_blocks),
                                       TEST(test_subset),
                                       TEST(test_placebo_rule),
                                       TEST(test_subset_rule),
                                       TEST(test_right_engine_passes),
                                       TEST(test_order_and_threads_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
