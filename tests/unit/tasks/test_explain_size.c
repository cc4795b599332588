/*
 * test_explain_size.c - faults of few rows: known shifts, extrapolation, the lower bound of the spread, p-values
 * without a fault, missing values, the onset.
 */
#include "base/rng.h"
#include "data/dataset.h"
#include "tasks/explain/explain.h"
#include "tasks/explain/explain_size.h"

#include <math.h>

#include "fixture.h"

enum { NORMAL = 300, MAX_FAULT = 20 };

/* A cause x, its effect y = 2 x + noise, and an almost constant metric z; rows of the fault follow the normal ones. */
typedef struct shop {
    int64_t fault;
    double drift; /* standard deviation of shifts that are no fault */
    double value[3][NORMAL + MAX_FAULT];
} shop;

static void fill(shop *s, uint64_t seed, int64_t fault)
{
    rng r = rng_new(seed, RNG_TEST, 0);
    s->fault = fault;
    s->drift = 0.0;
    for (int64_t i = 0; i < NORMAL + fault; i++) {
        s->value[0][i] = rng_normal(&r);
        s->value[1][i] = 2.0 * s->value[0][i] + rng_normal(&r);
        s->value[2][i] = 1000.0 + 1e-6 * rng_normal(&r);
    }
}

static void add(shop *s, int column, double shift)
{
    for (int64_t i = NORMAL; i < NORMAL + s->fault; i++) {
        s->value[column][i] += shift;
    }
}

static void measure_from(fixture *f, const shop *s, int64_t onset, int64_t column, int64_t causes, explain_size *out)
{
    static const char *const names[] = {"x", "y", "z"}, *const labels[] = {"normal", "fault"};
    const double *columns[] = {s->value[0], s->value[1], s->value[2]};
    const int64_t cause = 0;
    int64_t n = NORMAL + s->fault;
    int32_t category[NORMAL + MAX_FAULT];
    int8_t in[2];
    nonsens_data *data;
    explain_recording rec;
    for (int64_t i = 0; i < n; i++) {
        category[i] = i >= NORMAL;
    }
    assert_int_equal(dataset_new_unaudited(f->ctx, n, 3, columns, names, category, 2, labels, NULL, &data), NONSENS_OK);
    for (int e = 0; e < 2; e++) {
        in[e] = data->labels[e][0] == 'f';
    }
    assert_int_equal(explain_recording_new(f->ctx, &f->scratch, data, in, onset > 0, false, 1, &rec), NONSENS_OK);
    rec.onset = onset;
    rec.drift = s->drift;
    assert_int_equal(explain_size_measure(f->ctx, &f->scratch, &rec, column, causes, &cause, 7, out), NONSENS_OK);
    out->shift *= data->sign[column];
    nonsens_data_free(data);
}

static explain_size measure(fixture *f, const shop *s, int64_t column, int64_t causes)
{
    explain_size out;
    measure_from(f, s, 0, column, causes, &out);
    return out;
}

/* One row that is 6 standard deviations away is 6 / 1.349 interquartile ranges away, in either direction. */
static void test_known_shift(void **state)
{
    shop s;
    for (int sign = -1; sign <= 1; sign += 2) {
        fill(&s, 1, 1);
        s.value[0][NORMAL] = 6.0 * sign;
        explain_size size = measure(*state, &s, 0, 0);
        assert_in_range(size.normal, NORMAL, NORMAL);
        assert_float_equal(size.shift, 6.0 * sign / 1.349, 0.6);
        assert_float_equal(size.score, 6.0, 0.8);
        assert_true(size.p_value < 0.005);
    }
}

/* A cause far outside its range moves its effect, too: that is not a change of the effect itself. */
static void test_effects_follow(void **state)
{
    shop s;
    fill(&s, 2, 5);
    add(&s, 0, 8.0);
    add(&s, 1, 16.0);
    assert_true(measure(*state, &s, 0, 0).p_value < 0.005);
    assert_true(measure(*state, &s, 1, 0).p_value < 0.005);
    assert_true(measure(*state, &s, 1, 1).p_value > 0.05);
    add(&s, 1, -40.0);
    assert_true(measure(*state, &s, 1, 1).score > 2.0);
}

/* An almost constant metric is neither ranked first by chance nor left out. */
static void test_floor(void **state)
{
    shop s;
    fill(&s, 3, 5);
    add(&s, 2, 1e-5); // ten of its tiny standard deviations, 1e-8 of its value
    double accident = measure(*state, &s, 2, 0).score;
    add(&s, 2, 20.0); // two per cent of its value
    double fault = measure(*state, &s, 2, 0).score;
    assert_true(accident < 20.0 && fault > 1000.0);
    for (int64_t i = 0; i < NORMAL; i++) {
        s.value[2][i] = 1000.0;
    }
    explain_size constant = measure(*state, &s, 2, 0);
    assert_true(isfinite(constant.score) && constant.score > 1.0);
}

/* Without a fault p-values are uniform, for one row and for several. */
static void test_level(void **state)
{
    enum { SETS = 400 };
    for (int64_t fault = 1; fault <= 5; fault += 4) {
        int small[2] = {0};
        for (int set = 0; set < SETS; set++) {
            shop s;
            fill(&s, 100 + (uint64_t)set, fault);
            double p = measure(*state, &s, 1, 1).p_value;
            small[0] += p <= 0.05;
            small[1] += p <= 0.5;
        }
        assert_in_range(small[0], 8, 36);    // 20 expected, standard deviation 4.4
        assert_in_range(small[1], 165, 240); // 200 expected, standard deviation 10
    }
}

/* Shifts as large as those of other variables are no fault; far larger ones are. */
static void test_drift(void **state)
{
    enum { SETS = 300 };
    int small[2] = {0};
    shop s;
    for (int set = 0; set < SETS; set++) {
        fill(&s, 700 + (uint64_t)set, 10);
        rng r = rng_new(1, RNG_TEST, (uint64_t)set);
        add(&s, 1, rng_normal(&r));
        for (int known = 0; known < 2; known++) {
            s.drift = known ? 1.0 : 0.0;
            small[known] += measure(*state, &s, 1, 1).p_value <= 0.05;
        }
    }
    assert_true(small[0] > 100);
    assert_in_range(small[1], 4, 28); // 15 expected, standard deviation 3.8
    add(&s, 1, 12.0);
    assert_true(measure(*state, &s, 1, 1).p_value < 0.005);
}

/* Drift is judged by variables that the likeliest root cause does not reach; its effects do not count. */
static void test_small_drift(void **state)
{
    fixture *f = *state;
    enum { D = 6 };
    explain_node node[D] = {{.p = 0.0}};
    pdag graph;
    double drift;
    assert_int_equal(pdag_new(f->ctx, &f->scratch, D, &graph), NONSENS_OK);
    pdag_set(&graph, 0, 1, PDAG_ARROW);
    pdag_set(&graph, 1, 2, PDAG_ARROW);
    for (int j = 0; j < D; j++) {
        node[j].size.score = j == 0 ? 9.0 : 1.0;
        node[j].size.usual_mean = 0.1;
        node[j].size.mean = j < 3 ? 3.0 : j % 2 ? 0.1 : -0.1;
    }
    assert_int_equal(explain_find_small_drift(f->ctx, &f->scratch, &graph, node, &drift), NONSENS_OK);
    assert_true(drift == 0.0);
    for (int j = 3; j < D; j++) {
        node[j].size.mean *= 5.0;
    }
    assert_int_equal(explain_find_small_drift(f->ctx, &f->scratch, &graph, node, &drift), NONSENS_OK);
    assert_float_equal(drift, sqrt(0.25 - 0.01) / 0.6745, 1e-9);
}

/* Rows without the variable or its cause are left out; a cause missing in most rows of the fault is not used. */
static void test_missing(void **state)
{
    shop s;
    fill(&s, 5, 4);
    s.value[1][3] = s.value[0][5] = s.value[1][NORMAL] = NAN;
    explain_size size = measure(*state, &s, 1, 1);
    assert_int_equal(size.normal, NORMAL - 2);
    assert_int_equal(size.fault, 3);
    s.value[0][NORMAL + 1] = s.value[0][NORMAL + 2] = NAN;
    size = measure(*state, &s, 1, 1);
    assert_int_equal(size.normal, NORMAL - 1);
    assert_int_equal(size.fault, 3);
    s.value[1][NORMAL + 1] = s.value[1][NORMAL + 2] = s.value[1][NORMAL + 3] = NAN;
    size = measure(*state, &s, 1, 1);
    assert_true(isnan(size.score) && isnan(size.p_value));
}

/* A difference in all rows of the segment is no fault unless the step at the onset shows it. */
static void test_onset(void **state)
{
    shop s;
    explain_size size;
    fill(&s, 6, 8);
    add(&s, 0, 5.0);
    measure_from(*state, &s, 4, 0, 0, &size);
    assert_true(size.p_value > 0.01 && fabs(size.shift) < 2.0);
    for (int64_t i = NORMAL + 4; i < NORMAL + 8; i++) {
        s.value[0][i] += 5.0;
    }
    measure_from(*state, &s, 4, 0, 0, &size);
    assert_true(size.p_value < 0.005 && size.shift > 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_known_shift), TEST(test_effects_follow), TEST(test_floor),
                                       TEST(test_level),       TEST(test_missing),        TEST(test_onset),
                                       TEST(test_drift),       TEST(test_small_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
