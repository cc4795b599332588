/*
 * test_effect.c - effects and counterfactuals against closed forms: a linear chain, a nonlinear effect with changing
 * scale, no path, mirrored columns, and what is refused.
 */
#include "base/rng.h"
#include "tasks/effect/effect.h"
#include "tasks/effect/effect_regress.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { D = 4, SEGMENTS = 8, ROWS = 300, N = SEGMENTS * ROWS };

/* a -> b -> c linearly, with coefficients 2 and -1.5; d = tanh(2 a) + exp(a / 4) noise; scales change over segments. */
typedef struct world {
    double *column[D];
    nonsens_data *data;
    bool edge[D * D];
} world;

static void make_world(fixture *f, double sign, world *w)
{
    static const char *const names[D] = {"a", "b", "c", "d"};
    static const char *const labels[SEGMENTS] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    int32_t *segment = arena_get(f->ctx, &f->scratch, N, sizeof *segment);
    rng r = rng_new(7, RNG_TEST, 94);
    *w = (world){0};
    for (int j = 0; j < D; j++) {
        w->column[j] = fixture_doubles(f, N);
    }
    for (int64_t e = 0, i = 0; e < SEGMENTS; e++) {
        double scale[D];
        for (int j = 0; j < D; j++) {
            scale[j] = 0.4 + 1.2 * rng_uniform(&r);
        }
        for (int64_t k = 0; k < ROWS; k++, i++) {
            segment[i] = (int32_t)e;
            double a = scale[0] * rng_normal(&r), b = 2.0 * a + scale[1] * rng_laplace(&r);
            w->column[0][i] = a;
            w->column[1][i] = sign * b;
            w->column[2][i] = sign * (-1.5 * b + scale[2] * rng_laplace(&r));
            w->column[3][i] = sign * (tanh(2.0 * a) + 0.3 * exp(a / 4.0) * scale[3] * rng_laplace(&r));
        }
    }
    w->edge[0 * D + 1] = w->edge[1 * D + 2] = w->edge[0 * D + 3] = true;
    assert_int_equal(
        dataset_new(f->ctx, N, D, (const double *const *)w->column, names, segment, SEGMENTS, labels, NULL, &w->data),
        NONSENS_OK);
}

static effect_model *fit(fixture *f, const world *w, int64_t draws)
{
    effect_options options = effect_options_default();
    effect_model *m;
    options.draws = draws;
    options.threads = 2;
    if (effect_model_new(f->ctx, w->data, w->edge, &options, &m) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return m;
}

static double mean_of(const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < N; i++) {
        sum += v[i] / N;
    }
    return sum;
}

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within)) {
        fail_msg("%g is not %g within %g", value, expected, within);
    }
}

/* Sets a = 1, with both signs of the columns. */
static void check_known_effects(fixture *f, double sign)
{
    world w;
    make_world(f, sign, &w);
    effect_model *m = fit(f, &w, 20);
    const int64_t outcome[D] = {0, 1, 2, 3};
    effect_change change[] = {{0, EFFECT_SET, 1.0}, {1, EFFECT_SHIFT, sign * 0.5}, {3, EFFECT_SET, 2.0}};
    effect_scenario scenario[] = {{1, &change[0], EFFECT_ALL_SEGMENTS},
                                  {1, &change[1], EFFECT_ALL_SEGMENTS},
                                  {1, &change[2], EFFECT_ALL_SEGMENTS},
                                  {1, &change[0], 2},
                                  {2, &change[0], EFFECT_ALL_SEGMENTS}};
    effect_answer answer[5 * D];
    assert_int_equal(effect_answer_scenarios(f->ctx, m, 5, scenario, D, outcome, answer), NONSENS_OK);
    double by = 1.0 - mean_of(w.column[0]);
    assert_true(answer[0].then.mean.value == 1.0 && answer[0].then.quantile[4].value == 1.0);
    assert_near(answer[1].difference.mean.value, sign * 2.0 * by, 0.12);
    assert_near(answer[2].difference.mean.value, sign * -3.0 * by, 0.2);
    assert_near(answer[3].then.mean.value, sign * tanh(2.0), 0.06);
    assert_near(answer[D + 2].difference.mean.value, sign * -0.75, 0.06); // half a unit added to b
    assert_near(answer[4 * D + 2].difference.mean.value, sign * (-3.0 * by - 0.75), 0.25);
    for (int j = 0; j < D; j++) {
        const effect_answer *none = &answer[2 * D + j]; // d has no effects
        assert_true(none->has_path == (j == 3));
        assert_true(j == 3 || (none->difference.mean.value == 0.0 && none->difference.mean.low == 0.0 &&
                               none->difference.quantile[0].high == 0.0));
        for (int k = 1; k < EFFECT_QUANTILES; k++) {
            assert_true(answer[j].then.quantile[k].value >= answer[j].then.quantile[k - 1].value);
        }
        assert_true(answer[j].now.mean.value == answer[D + j].now.mean.value);
        assert_near(answer[j].now.mean.value, mean_of(w.column[j]), 1e-12);
        assert_true(answer[j].now.mean.low < answer[j].now.mean.high);
    }
    assert_true(effect_has_path(m, 0, 2) && !effect_has_path(m, 2, 0) && !effect_has_path(m, 1, 3));
    effect_model_free(m);
    nonsens_data_free(w.data);
}

static void test_known_effects(void **state)
{
    check_known_effects(*state, 1.0);
    check_known_effects(*state, -1.0);
}

/* The counterfactual of a row keeps its disturbance; without a change the row stays exactly the same. */
static void test_rows(void **state)
{
    fixture *f = *state;
    world w;
    make_world(f, 1.0, &w);
    effect_model *m = fit(f, &w, 20);
    enum { COUNT = 50 };
    int64_t row[COUNT];
    double value[COUNT * D], low[COUNT * D], high[COUNT * D], error = 0.0;
    for (int i = 0; i < COUNT; i++) {
        row[i] = i * (N / COUNT);
    }
    effect_change change = {0, EFFECT_SET, 0.5};
    effect_scenario scenario = {1, &change, EFFECT_ALL_SEGMENTS};
    assert_int_equal(effect_rows(f->ctx, m, &scenario, COUNT, row, value, low, high), NONSENS_OK);
    for (int i = 0; i < COUNT; i++) {
        int64_t at = w.data->input_row[row[i]];
        double by = 0.5 - w.column[0][at];
        assert_true(value[i * D] == 0.5 && low[i * D] <= 0.5 && high[i * D] >= 0.5);
        error += fabs(value[i * D + 1] - w.column[1][at] - 2.0 * by) / COUNT;
        error += fabs(value[i * D + 2] - w.column[2][at] + 3.0 * by) / COUNT;
    }
    assert_near(error, 0.0, 0.5);
    change = (effect_change){0, EFFECT_SHIFT, 0.0};
    assert_int_equal(effect_rows(f->ctx, m, &scenario, COUNT, row, value, NULL, NULL), NONSENS_OK);
    for (int i = 0; i < COUNT * D; i++) {
        assert_true(value[i] == w.column[i % D][w.data->input_row[row[i / D]]]);
    }
    effect_model_free(m);
    nonsens_data_free(w.data);
}

static void test_table(void **state)
{
    fixture *f = *state;
    world w;
    effect_table t;
    make_world(f, 1.0, &w);
    effect_model *m = fit(f, &w, 20);
    assert_int_equal(effect_table_new(f->ctx, &f->scratch, m, &t), NONSENS_OK);
    double step = t.upper[0] - t.lower[0];
    assert_near(t.total[0 * D + 1].value, 2.0 * step, 0.15);
    assert_near(t.total[0 * D + 2].value, -3.0 * step, 0.25);
    assert_near(t.direct[0 * D + 1].value, t.total[0 * D + 1].value, 1e-12); // no variable is between them
    assert_true(t.direct[0 * D + 2].value == 0.0);                           // the effect is entirely indirect
    assert_true(t.total[2 * D + 0].value == 0.0 && t.total[3 * D + 1].value == 0.0);
    for (int i = 0; i < D * D; i++) {
        assert_true(t.total[i].low <= t.total[i].value && t.total[i].value <= t.total[i].high);
    }
    effect_model_free(m);
    nonsens_data_free(w.data);
}

static void test_threads_change_nothing(void **state)
{
    fixture *f = *state;
    world w;
    effect_table t[2];
    make_world(f, 1.0, &w);
    for (int k = 0; k < 2; k++) {
        effect_options options = effect_options_default();
        effect_model *m;
        options.draws = 20;
        options.threads = 1 + 2 * k;
        assert_int_equal(effect_model_new(f->ctx, w.data, w.edge, &options, &m), NONSENS_OK);
        assert_int_equal(effect_table_new(f->ctx, &f->scratch, m, &t[k]), NONSENS_OK);
        effect_model_free(m);
    }
    assert_memory_equal(t[0].total, t[1].total, D * D * sizeof *t[0].total);
    nonsens_data_free(w.data);
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    world w;
    effect_model *m;
    effect_answer answer;
    effect_options options = effect_options_default();
    make_world(f, 1.0, &w);
    w.edge[2 * D + 0] = true;
    assert_int_equal(effect_model_new(f->ctx, w.data, w.edge, &options, &m), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "cycle"));
    w.edge[2 * D + 0] = false;
    options.draws = 5;
    assert_int_equal(effect_model_new(f->ctx, w.data, w.edge, &options, &m), NONSENS_ERR_USAGE);
    m = fit(f, &w, 0);
    const effect_change bad[] = {
        {9, EFFECT_SET, 1.0}, {0, EFFECT_SET, NAN}, {0, EFFECT_SET, 1.0}, {0, EFFECT_SHIFT, 1.0}};
    const int64_t outcome = 1;
    for (int k = 0; k < 3; k++) {
        effect_scenario scenario = {k == 2 ? 2 : 1, &bad[k], EFFECT_ALL_SEGMENTS};
        assert_int_equal(effect_answer_scenarios(f->ctx, m, 1, &scenario, 1, &outcome, &answer), NONSENS_ERR_USAGE);
    }
    effect_scenario nowhere = {1, &bad[2], SEGMENTS}, here = {1, &bad[2], EFFECT_ALL_SEGMENTS};
    assert_int_equal(effect_answer_scenarios(f->ctx, m, 1, &nowhere, 1, &outcome, &answer), NONSENS_ERR_USAGE);
    assert_int_equal(effect_answer_scenarios(f->ctx, m, 1, &here, 1, &outcome, &answer), NONSENS_OK);
    assert_true(isnan(answer.then.mean.low) && isfinite(answer.then.mean.value)); // no samples, so no interval
    effect_model_free(m);
    nonsens_data_free(w.data);
}

/* ---- rows that follow one another in time ---- */

enum { SERIES = 4, LENGTH = 400, IN_TIME = SERIES * LENGTH };

/* x and the noise of y = x + noise are autoregressive with coefficient .9. */
static nonsens_data *make_series(fixture *f, uint64_t number)
{
    static const char *const names[] = {"x", "y"}, *const labels[SERIES] = {"1", "2", "3", "4"};
    int32_t *segment = arena_get(f->ctx, &f->scratch, IN_TIME, sizeof *segment);
    double *column[] = {fixture_doubles(f, IN_TIME), fixture_doubles(f, IN_TIME)}, fresh = sqrt(1.0 - 0.81);
    nonsens_data *data;
    rng r = rng_new(number, RNG_TEST, 97);
    for (int64_t e = 0, i = 0; e < SERIES; e++) {
        double x = rng_normal(&r), noise = rng_normal(&r);
        for (int64_t k = 0; k < LENGTH; k++, i++) {
            x = 0.9 * x + fresh * rng_normal(&r);
            noise = 0.9 * noise + fresh * rng_normal(&r);
            segment[i] = (int32_t)e;
            column[0][i] = x;
            column[1][i] = x + noise;
        }
    }
    assert_int_equal(
        dataset_new(f->ctx, IN_TIME, 2, (const double *const *)column, names, segment, SERIES, labels, NULL, &data),
        NONSENS_OK);
    return data;
}

/* Returns the effect of one added unit of x on y; *error is the standard error that the interval implies. */
static double effect_of_unit(fixture *f, const nonsens_data *data, int64_t block_length, double *error)
{
    const bool edge[4] = {false, true, false, false};
    const effect_change change = {0, EFFECT_SHIFT, 1.0};
    const effect_scenario scenario = {1, &change, EFFECT_ALL_SEGMENTS};
    const int64_t outcome = 1;
    effect_options options = effect_options_default();
    effect_model *m;
    effect_answer answer;
    options.draws = 20;
    options.block_length = block_length;
    assert_int_equal(effect_model_new(f->ctx, data, edge, &options, &m), NONSENS_OK);
    assert_int_equal(effect_answer_scenarios(f->ctx, m, 1, &scenario, 1, &outcome, &answer), NONSENS_OK);
    effect_model_free(m);
    *error = 0.5 * (answer.difference.mean.high - answer.difference.mean.low) / 1.959964;
    return answer.difference.mean.value;
}

/* Blocks give the standard error that repeated data sets show; with single rows it is far too small. */
static void test_blocks_in_time(void **state)
{
    enum { SETS = 20 };
    fixture *f = *state;
    double square[2] = {0.0}, said[2] = {0.0};
    int covered[2] = {0};
    for (uint64_t set = 0; set < SETS; set++) {
        nonsens_data *data = make_series(f, 1 + set);
        for (int blocks = 0; blocks < 2; blocks++) {
            double error, by = effect_of_unit(f, data, blocks ? 0 : 1, &error) - 1.0;
            square[blocks] += by * by / SETS;
            said[blocks] += error / SETS;
            covered[blocks] += fabs(by) < 1.959964 * error;
        }
        nonsens_data_free(data);
    }
    double ratio[2] = {said[0] / sqrt(square[0]), said[1] / sqrt(square[1])};
    print_message("standard errors over the truth: %.2f by rows, %.2f by blocks; cover %d and %d of %d\n", ratio[0],
                  ratio[1], covered[0], covered[1], SETS);
    assert_true(ratio[1] > 0.7 && ratio[1] < 1.4 && covered[1] >= 16);
    assert_true(ratio[0] < 0.5 && covered[0] <= 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_known_effects), TEST(test_rows),
                                       TEST(test_table),         TEST(test_threads_change_nothing),
                                       TEST(test_refusals),      TEST(test_blocks_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
