/*
 * test_explain.c - changes of known size, tests given causes that changed, rows in time, faults planted by simulations,
 * invariances, failures.
 */
#include "base/rng.h"
#include "classifier/sample.h"
#include "data/dataset.h"
#include "math/special.h"
#include "methods/shared/result.h"
#include "simulate/simulate.h"
#include "tasks/explain/explain_change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { FOLDS = 5 };

/* ---- two groups of rows with a cause x and an effect y ---- */

typedef struct pair {
    int64_t n; /* the first half is the segment */
    double *x, *y;
    mechanism_data rows;
    explain_groups groups;
    int64_t length; /* of blocks of neighbouring rows; 0: none */
} pair;

/* Cuts each half into blocks of neighbouring rows; the last block of a half may be shorter. */
static time_blocks cut(fixture *f, const pair *p)
{
    time_blocks time = {.length = p->length, .inflation = 1.0};
    int64_t half = p->n / 2, each = p->length > 0 ? (half + p->length - 1) / p->length : 0;
    if (p->length > 0) {
        time.block_of = arena_get(f->ctx, &f->scratch, p->n, sizeof *time.block_of);
        time.count = 2 * each;
    }
    for (int64_t i = 0; i < p->n && p->length > 0; i++) {
        time.block_of[i] = (int32_t)(i / half * each + i % half / p->length);
    }
    return time;
}

static void prepare(fixture *f, pair *p)
{
    int64_t start[3] = {0, p->n / 2, p->n};
    const int8_t in[2] = {1, 0};
    double *warped[2];
    int32_t *fold;
    arena scratch = {0};
    for (int k = 0; k < 2; k++) {
        warped[k] = fixture_doubles(f, p->n);
        assert_int_equal(sample_warp(f->ctx, &scratch, p->n, k ? p->y : p->x, warped[k]), NONSENS_OK);
    }
    arena_free(&scratch);
    time_blocks time = cut(f, p);
    assert_int_equal(
        p->length > 0 ? sample_block_folds(f->ctx, &f->scratch, 2, start, time.block_of, time.count, FOLDS, 1, 0, &fold)
                      : sample_folds(f->ctx, &f->scratch, 2, start, FOLDS, 1, 0, &fold),
        NONSENS_OK);
    assert_int_equal(
        mechanism_data_new(f->ctx, &f->scratch, 2, (const double *const *)warped, 2, start, fold, FOLDS, 1, &p->rows),
        NONSENS_OK);
    assert_int_equal(explain_groups_new(f->ctx, &f->scratch, &p->rows, in, &time, &p->groups), NONSENS_OK);
}

/* Returns the values in the order of the groups. */
static double *in_order(fixture *f, const pair *p, const double *value)
{
    double *v = fixture_doubles(f, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        v[i] = value[p->rows.row[p->groups.place[i]]];
    }
    return v;
}

static explain_change measure(fixture *f, const pair *p, bool given, const double *value)
{
    explain_change out;
    arena scratch = {0};
    const int64_t cause[1] = {0};
    double *v = in_order(f, p, value);
    assert_int_equal(explain_measure(f->ctx, &scratch, &p->groups, given, cause, v, v, &out), NONSENS_OK);
    arena_free(&scratch);
    return out;
}

static pair pair_new(fixture *f, int64_t n)
{
    return (pair){.n = n, .x = fixture_doubles(f, n), .y = fixture_doubles(f, n)};
}

/* Known divergences: Laplace with scale ratio r, r + 1/r - 2; Gaussian with shifted mean, the shift squared. */
static void test_known_divergences(void **state)
{
    fixture *f = *state;
    static const double RATIO[] = {1.0, 1.5, 3.0, 8.0}, SHIFT[] = {0.0, 0.3, 1.0};
    pair p = pair_new(f, 8000);
    rng r = rng_new(1, RNG_TEST, 77);
    for (size_t k = 0; k < sizeof RATIO / sizeof *RATIO; k++) {
        double true_value = RATIO[k] + 1.0 / RATIO[k] - 2.0;
        for (int64_t i = 0; i < p.n; i++) {
            p.x[i] = rng_laplace(&r) * (i < p.n / 2 ? RATIO[k] : 1.0);
            p.y[i] = rng_normal(&r);
        }
        prepare(f, &p);
        explain_change c = measure(f, &p, false, p.x);
        assert_true(fabs(c.value - true_value) < 4.0 * c.error);
        assert_true(c.error < 0.005 + 0.1 * true_value);
        assert_true(fabs(c.scale - log(RATIO[k])) < 4.0 * c.scale_error && fabs(c.shift) < 4.0 * c.shift_error);
        assert_true(RATIO[k] == 1.0 ? c.p_value > 0.001 : c.p_value < 1e-6);
    }
    for (size_t k = 0; k < sizeof SHIFT / sizeof *SHIFT; k++) {
        for (int64_t i = 0; i < p.n; i++) {
            p.x[i] = rng_normal(&r) + (i < p.n / 2 ? SHIFT[k] : 0.0);
            p.y[i] = rng_normal(&r);
        }
        prepare(f, &p);
        explain_change c = measure(f, &p, false, p.x);
        assert_true(fabs(c.value - SHIFT[k] * SHIFT[k]) < 4.0 * c.error + 0.02 * SHIFT[k]);
        assert_true(SHIFT[k] == 0.0 || c.shift - 3.0 * c.shift_error > 0.0);
    }
}

/* The standard error is about the standard deviation over repetitions. */
static void test_standard_error(void **state)
{
    fixture *f = *state;
    enum { REPS = 60 };
    double sum = 0.0, square = 0.0, error = 0.0;
    pair p = pair_new(f, 800);
    for (int rep = 0; rep < REPS; rep++) {
        rng r = rng_new((uint64_t)rep, RNG_TEST, 78);
        for (int64_t i = 0; i < p.n; i++) {
            p.x[i] = rng_laplace(&r) * (i < p.n / 2 ? 2.0 : 1.0);
            p.y[i] = rng_normal(&r);
        }
        prepare(f, &p);
        explain_change c = measure(f, &p, false, p.x);
        sum += c.value / REPS;
        square += c.value * c.value / REPS;
        error += c.error / REPS;
    }
    double deviation = sqrt((square - sum * sum) * REPS / (REPS - 1.0));
    assert_true(error > 0.75 * deviation &&
                error < 1.35 * deviation); // 2.6 times the standard error of a standard deviation from 60 values
    assert_true(fabs(sum - 0.5) < 0.06);
}

/*
 * The cause changes and the mechanism is unknown: y itself stands for the disturbance.  Given the cause there is no
 * change, and the test must find none; without the cause there is one.
 */
static void test_level_given_a_cause(void **state)
{
    fixture *f = *state;
    enum { REPS = 150 };
    int rejected = 0, marginal = 0, power = 0;
    pair p = pair_new(f, 600);
    for (int rep = 0; rep < REPS; rep++) {
        rng r = rng_new((uint64_t)rep, RNG_TEST, 79);
        double *changed = fixture_doubles(f, p.n);
        for (int64_t i = 0; i < p.n; i++) {
            p.x[i] = rng_laplace(&r) * (i < p.n / 2 ? 2.5 : 1.0);
            double noise = rng_laplace(&r);
            p.y[i] = fabs(p.x[i]) + 0.5 * noise;
            changed[i] = fabs(p.x[i]) + (i < p.n / 2 ? 1.0 : 0.5) * noise;
        }
        prepare(f, &p);
        rejected += measure(f, &p, true, p.y).p_value < 0.05;
        marginal += measure(f, &p, false, p.y).p_value < 0.05;
        if (rep < 20) {
            power += measure(f, &p, true, changed).p_value < 0.05;
        }
    }
    assert_true(rejected <= 16); // 7.5 expected; more have a probability of .1 %
    assert_int_equal(marginal, REPS);
    assert_true(power >= 18);
}

static void test_few_rows(void **state)
{
    fixture *f = *state;
    pair p = pair_new(f, 16);
    for (int64_t i = 0; i < p.n; i++) {
        p.x[i] = (double)(i * i % 17);
        p.y[i] = (double)(i * 5 % 17);
    }
    prepare(f, &p);
    explain_change c = measure(f, &p, false, p.x);
    assert_true(isnan(c.p_value) && isnan(c.value) && isnan(c.scale));
}

/* ---- rows in time ---- */

static void assert_near(double a, double b, double tolerance)
{
    assert_true(fabs(a - b) <= tolerance);
}

/* Draws a series with variance 1 and autocorrelation c, which starts again in each half. */
static void fill_series(rng *r, int64_t n, double c, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        double shock = rng_normal(r);
        x[i] = i % (n / 2) == 0 ? shock : c * x[i - 1] + sqrt(1.0 - c * c) * shock;
    }
}

/* The covariance of sums over two groups of blocks of unequal length, worked out by hand. */
static void test_block_covariance(void **state)
{
    fixture *f = *state;
    pair p = pair_new(f, 14); // each half has blocks of 3, 3 and 1 rows
    double value[14], covariance[2], variance;
    arena scratch = {0};
    p.length = 3;
    for (int64_t i = 0; i < p.n; i++) {
        p.x[i] = (double)(i * i % 17);
        p.y[i] = (double)(i * 5 % 17);
    }
    prepare(f, &p);
    p.groups.inflation = 1.5;
    const double *ordered = in_order(f, &p, p.x);
    memcpy(value, ordered, sizeof value);
    assert_int_equal(explain_covariances(f->ctx, &scratch, &p.groups, 1, value, covariance), NONSENS_OK);
    for (int half = 0; half < 2; half++) { // the first half is the segment
        const double *x = p.x + 7 * half, sum[3] = {x[0] + x[1] + x[2], x[3] + x[4] + x[5], x[6]};
        const double share[3] = {3.0 / 7.0, 3.0 / 7.0, 1.0 / 7.0}, total = sum[0] + sum[1] + sum[2];
        double squares = 0.0, shares = 0.0;
        for (int b = 0; b < 3; b++) {
            squares += (sum[b] - share[b] * total) * (sum[b] - share[b] * total);
            shares += share[b] * share[b];
        }
        assert_near(covariance[1 - half], 1.5 * squares / (1.0 - shares), 1e-9 * squares);
        assert_near(p.groups.degrees[1 - half], 1.0 / shares - 1.0, 1e-12);
        assert_int_equal(p.groups.group_blocks[half], 3);
    }
    assert_int_equal(explain_variance(f->ctx, &scratch, &p.groups, value, &variance), NONSENS_OK);
    assert_near(variance, covariance[0] + covariance[1], 1e-12 * variance);
    double d = p.groups.degrees[0], first = covariance[0], second = covariance[1];
    double welch = variance * variance / (first * first / d + second * second / d);
    assert_near(explain_length_tail(&p.groups, 1, covariance, 4.0 * variance), special_student_tail(welch, 2.0), 1e-9);
    arena_free(&scratch);
}

/* Equal and independent parts of a vector double the degrees of freedom of numerator and denominator. */
static void test_length_of_a_vector(void **state)
{
    explain_groups g = {.degrees = {5.0, 5.0}};
    const double covariance[8] = {2.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0};
    (void)state;
    assert_near(explain_square_trace(2, covariance), 32.0, 1e-12);
    assert_near(explain_length_tail(&g, 2, covariance, 24.0), special_f_tail(2.0, 20.0, 3.0), 1e-12);
    const double one[8] = {2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0}; // (16 - 1.6) 100 / (9 12): 1.2 degrees of freedom
    assert_near(explain_length_tail(&g, 2, one, 12.0), special_f_tail(1.2, 12.0, 3.0), 1e-12);
    assert_true(isnan(explain_length_tail(&g, 2, (const double[8]){0}, 1.0)));
}

/*
 * With autocorrelation .8 and no change, the test rejects far too often by rows, and at its level by blocks, even given
 * a cause.  Intervals by blocks cover the truth, and a doubled scale is found.
 */
static void test_level_in_time(void **state)
{
    fixture *f = *state;
    enum { REPS = 100 };
    int by_rows = 0, by_blocks = 0, given = 0, shift = 0, scale = 0, own = 0, power = 0;
    for (int rep = 0; rep < REPS; rep++) {
        rng r = rng_new((uint64_t)rep, RNG_TEST, 80);
        pair p = pair_new(f, 1000);
        double *wider = fixture_doubles(f, p.n), *noise = fixture_doubles(f, p.n);
        fill_series(&r, p.n, 0.8, p.x);
        fill_series(&r, p.n, 0.8, noise);
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = fabs(p.x[i]) + 0.5 * noise[i];
            wider[i] = p.x[i] * (i < p.n / 2 ? 2.0 : 1.0);
        }
        prepare(f, &p);
        by_rows += measure(f, &p, false, p.x).p_value < 0.05;
        p.length = 27;
        prepare(f, &p);
        explain_change c = measure(f, &p, false, p.x);
        by_blocks += c.p_value < 0.05;
        shift += fabs(c.shift) < 2.0 * c.shift_error;
        scale += fabs(c.scale) < 2.0 * c.scale_error;
        own += fabs(c.value) < 2.0 * c.error;
        given += measure(f, &p, true, p.y).p_value < 0.05;
        power += measure(f, &p, false, wider).p_value < 0.05;
    }
    assert_true(by_rows >= 40);
    assert_true(by_blocks <= 13 && given <= 13); // 5 expected; more have a probability of .1 %
    assert_true(shift >= 85 && scale >= 85 && own >= 85);
    assert_true(power >= 80);
}

/* Two blocks per group reveal too little about their variation. */
static void test_few_blocks(void **state)
{
    fixture *f = *state;
    rng r = rng_new(1, RNG_TEST, 81);
    pair p = pair_new(f, 200);
    fill_series(&r, p.n, 0.5, p.x);
    fill_series(&r, p.n, 0.5, p.y);
    p.length = 34;
    prepare(f, &p);
    assert_true(!p.groups.too_few && measure(f, &p, false, p.x).p_value >= 0.0);
    p.length = 50;
    prepare(f, &p);
    explain_change c = measure(f, &p, false, p.x);
    assert_true(p.groups.too_few && isnan(c.p_value) && isnan(c.error) && isnan(c.scale_error));
    assert_true(isnan(c.shift_error) && isfinite(c.value) && isfinite(c.scale) && isfinite(c.shift));
}

/* ---- the public run ---- */

static nonsens_simulation *simulate(fixture *f, const char *seed)
{
    nonsens_simulation *s;
    nonsens_options *o;
    const char *set[][2] = {{"sem", "node"},        {"nodes", "4"}, {"edge-prob", "0.6"}, {"segments", "6"},
                            {"per-segment", "150"}, {"fault", "4"}, {"seed", seed}};
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_SIMULATE, &o), NONSENS_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        assert_int_equal(nonsens_options_set(f->ctx, o, set[i][0], set[i][1]), NONSENS_OK);
    }
    assert_int_equal(nonsens_simulation_new(f->ctx, o, &s), NONSENS_OK);
    nonsens_options_free(o);
    return s;
}

/* Writes the true graph to a file, whose name is stored in path. */
static void write_graph(const nonsens_simulation *s, char path[32])
{
    strcpy(path, "/tmp/test_explain_XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("from,to\n", file);
    for (int64_t k = 0; k < s->d * s->d; k++) {
        if (s->edge[k]) {
            fprintf(file, "%s,%s\n", s->names[k / s->d], s->names[k % s->d]);
        }
    }
    fclose(file);
}

typedef struct request {
    nonsens_data *data;
    nonsens_options *options;
    char path[32];
} request;

static request request_new(fixture *f, const nonsens_simulation *s, const char *threads)
{
    request q;
    assert_int_equal(nonsens_simulation_data(f->ctx, s, &q.data), NONSENS_OK);
    write_graph(s, q.path);
    const char *set[][2] = {{"of", "s6"}, {"against", "s1"}, {"graph", q.path}, {"threads", threads}};
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_EXPLAIN, &q.options), NONSENS_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        assert_int_equal(nonsens_options_set(f->ctx, q.options, set[i][0], set[i][1]), NONSENS_OK);
    }
    return q;
}

static void request_free(request *q)
{
    unlink(q->path);
    nonsens_options_free(q->options);
    nonsens_data_free(q->data);
}

static bool causes(const nonsens_simulation *s, int64_t from, int64_t to)
{
    bool found = s->edge[from * s->d + to];
    for (int64_t k = 0; !found && k < s->d; k++) {
        found = s->edge[from * s->d + k] && causes(s, k, to);
    }
    return found;
}

/* However large a change is, few rows against many cannot give a small p-value; the function returns the smallest. */
static void test_least_p_value(void **state)
{
    static const struct {
        int64_t count, other;
        double low, high; /* bounds around what a change by a factor of a hundred reaches */
    } at[] = {
        {10, 1500, 0.2, 0.3}, {1500, 10, 0.2, 0.3}, {20, 1500, 0.005, 0.02}, {30, 1500, 1e-4, 1e-3}, {4, 50, 1, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        double least = explain_min_p(at[k].count, at[k].other);
        assert_true(least >= at[k].low && least <= at[k].high);
    }
    assert_true(explain_min_p(200, 200) < 1e-30);
}

/* Ten faults: the broken variable always comes first, few others are blamed, and only its effects follow. */
static void test_faults(void **state)
{
    fixture *f = *state;
    enum { FAULTS = 10 };
    int blamed = 0, followers = 0, follow = 0;
    for (int seed = 1; seed <= FAULTS; seed++) {
        char text[16];
        snprintf(text, sizeof text, "%d", seed);
        nonsens_simulation *s = simulate(f, text);
        request q = request_new(f, s, "1");
        nonsens_result *r;
        assert_int_equal(nonsens_run_explain(f->ctx, q.data, NULL, q.options, &r), NONSENS_OK);
        assert_int_equal(nonsens_result_change_count(r), s->d);
        assert_null(nonsens_result_change_at(r, s->d));
        const nonsens_change *first = nonsens_result_change_at(r, 0);
        assert_int_equal(first->variable, s->broken);
        assert_int_equal(first->verdict, NONSENS_VERDICT_CHANGED);
        assert_true(strstr(first->description, "wider") && first->own_low > 0.0 && first->share > 0.5);
        for (int64_t i = 1; i < s->d; i++) {
            const nonsens_change *c = nonsens_result_change_at(r, i);
            bool follower = causes(s, s->broken, c->variable);
            blamed += c->verdict == NONSENS_VERDICT_CHANGED;
            followers += follower;
            follow += c->verdict == NONSENS_VERDICT_FOLLOWS;
            assert_true(c->verdict != NONSENS_VERDICT_FOLLOWS || (follower && c->followed >= 1));
            assert_true(c->p_value >= 0.0 && c->p_value <= c->q_value && c->q_value <= 1.0);
        }
        nonsens_result_free(r);
        request_free(&q);
        nonsens_simulation_free(s);
    }
    assert_true(blamed <= 4); // of 30, at a false discovery rate of .05
    assert_true(followers >= 5 && 2 * follow >= followers);
}

static bool equal_figures(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void test_threads(void **state)
{
    fixture *f = *state;
    nonsens_simulation *s = simulate(f, "1");
    nonsens_result *r[2];
    for (int k = 0; k < 2; k++) {
        request q = request_new(f, s, k ? "3" : "1");
        assert_int_equal(nonsens_run_explain(f->ctx, q.data, NULL, q.options, &r[k]), NONSENS_OK);
        request_free(&q);
    }
    for (int64_t i = 0; i < s->d; i++) {
        const nonsens_change *a = nonsens_result_change_at(r[0], i), *b = nonsens_result_change_at(r[1], i);
        assert_int_equal(a->variable, b->variable);
        assert_true(equal_figures(a->own, b->own) && equal_figures(a->own_error, b->own_error));
        assert_true(equal_figures(a->p_value, b->p_value) && equal_figures(a->scale, b->scale));
        assert_true(equal_figures(a->marginal, b->marginal) && equal_figures(a->shift, b->shift));
    }
    nonsens_result_free(r[0]);
    nonsens_result_free(r[1]);
    nonsens_simulation_free(s);
}

static nonsens_status run_request(nonsens_context *ctx, arena *a, void *state)
{
    request *q = state;
    nonsens_result *r = NULL;
    (void)a;
    nonsens_status status = nonsens_run_explain(ctx, q->data, NULL, q->options, &r);
    assert_true(status == NONSENS_OK || !r);
    nonsens_result_free(r);
    return status;
}

static void fail_allocations(fixture *f, const char *block_length)
{
    const double x[] = {1, 5, 2, 6, 3, 8, 4, 9, 7, 0};
    double values[80];
    int64_t segment[40];
    const char *names[2] = {"a", "b"};
    for (int i = 0; i < 40; i++) {
        values[2 * i] = x[i % 10] * (i < 20 ? 1.0 : 3.0) + 0.01 * i;
        values[2 * i + 1] = values[2 * i] * 0.5 + x[(i * 7 + 3) % 10];
        segment[i] = i / 20;
    }
    request q = {.path = "/tmp/test_explain_XXXXXX"};
    FILE *file = fdopen(mkstemp(q.path), "w");
    fputs("from,to\na,b\n", file);
    fclose(file);
    assert_int_equal(nonsens_data_from_arrays(f->ctx, 40, 2, values, 2, 1, names, segment, &q.data), NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_EXPLAIN, &q.options), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, q.options, "of", "1"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, q.options, "graph", q.path), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, q.options, "threads", "1"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, q.options, "block-length", block_length), NONSENS_OK);
    assert_true(fail_every_allocation(f, run_request, &q) > 20);
    request_free(&q);
}

static void test_each_allocation_failing(void **state)
{
    fail_allocations(*state, "1");
}

static void test_blocks_failing(void **state)
{
    fail_allocations(*state, "5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_known_divergences),
                                       TEST(test_standard_error),
                                       TEST(test_level_given_a_cause),
                                       TEST(test_few_rows),
                                       TEST(test_block_covariance),
                                       TEST(test_length_of_a_vector),
                                       TEST(test_level_in_time),
                                       TEST(test_few_blocks),
                                       TEST(test_least_p_value),
                                       TEST(test_faults),
                                       TEST(test_threads),
                                       TEST(test_each_allocation_failing),
                                       TEST(test_blocks_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
