/* test_resit.c - additive noise on smooth curves: pairs and graphs whose truth is known, and limits. */
#include <stdio.h>

#include "fixture.h"

#include "pair_runs.h"

enum { N = 500, ROWS = 250, D = 4 };

/* Draws y = f(x) + noise with a curved f, or f(x) (1 + noise). */
static double *curve(fixture *f, int64_t n, bool multiplied, uint64_t stream)
{
    double *v = fixture_doubles(f, 2 * n);
    rng r = rng_new(31, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        double x = rng_normal(&r), bent = x + 0.4 * x * x * x;
        v[i] = x;
        v[n + i] = multiplied ? bent * (1.0 + 0.7 * rng_normal(&r)) : bent + 0.6 * rng_normal(&r);
    }
    return v;
}

static void test_curve_is_found(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, false, 1);
    nonsens_result *result = run_pair(f, "method=resit", N, v, NULL);
    assert_int_equal(result->decision, DECISION_FIRST_CAUSES);
    const nonsens_evidence *wrong = evidence_of(result, "hsic(residual of c1 given c2, c2)");
    assert_true(wrong->p_value <= 0.025 && result->p_value == fmin(1.0, 2.0 * wrong->p_value));
    assert_true(evidence_of(result, "explained(c2 by c1)")->value > 0.7);
    nonsens_result_free(result);
    assert_swaps(f, "method=resit", N, v);
    assert_steady(f, "method=resit", N, v);
}

/* Multiplicative noise contradicts both directions, and the wrong one is closer to additive noise. */
static void test_multiplied_noise_misleads(void **state)
{
    fixture *f = *state;
    int neither = 0, wrong = 0;
    for (uint64_t s = 0; s < 10; s++) {
        nonsens_result *result = run_pair(f, "method=resit", N, curve(f, N, true, 10 + s), NULL);
        neither += result->decision == DECISION_NEITHER && has_note(result, "contradict additive noise");
        wrong += result->better == BETTER_SECOND;
        nonsens_result_free(result);
    }
    assert_true(neither >= 9 && wrong >= 8);
}

static void test_gaussian_line_is_undecided(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 2 * N);
    rng r = rng_new(32, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        v[i] = rng_normal(&r);
        v[N + i] = v[i] + rng_normal(&r);
    }
    assert_int_equal(decision_of(f, "method=resit", N, v), DECISION_INCONCLUSIVE);
    for (int64_t i = 0; i < N; i++) {
        v[N + i] -= v[i];
    }
    assert_int_equal(decision_of(f, "method=resit", N, v), DECISION_INDEPENDENT);
}

static void test_no_noise_is_undecided(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, false, 2);
    for (int64_t i = 0; i < N; i++) {
        v[N + i] = tanh(v[i]);
    }
    nonsens_result *result = run_pair(f, "method=resit", N, v, NULL);
    assert_int_equal(result->decision, DECISION_INCONCLUSIVE);
    assert_int_equal(result->better, BETTER_NONE);
    assert_non_null(strstr(result->reason, "function of the other"));
    nonsens_result_free(result);
}

static void test_odd_data_have_answers(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, false, 3), few[] = {1, 2, 3, 4, 5, 2, 1, 4, 3, 6};
    v[4] = 1e6;
    v[N + 9] = -1e6;
    nonsens_result_free(run_pair(f, "method=resit", N, v, NULL));
    for (int64_t i = 0; i < 2 * N; i++) {
        v[i] = rint(v[i]) > 0 ? 1.0 : 0.0; // ties throughout
    }
    nonsens_result_free(run_pair(f, "method=resit", N, v, NULL));
    assert_int_equal(decision_of(f, "method=resit", 5, few), DECISION_INCONCLUSIVE);
}

/* ---- graphs ---- */

/* a -> b, a -> c, b -> c, d unrelated; columns are d, c, a, b (reordered: a, b, c, d). */
static void make_graph(double *v, bool reordered)
{
    static const int place[2][D] = {{2, 3, 1, 0}, {0, 1, 2, 3}};
    rng r = rng_new(33, RNG_TEST, 0);
    for (int64_t i = 0; i < ROWS; i++) {
        double a = 2.0 * rng_uniform(&r) - 1.0, b = tanh(3.0 * a) + a * a + 0.4 * (rng_uniform(&r) - 0.5);
        double c = 1.5 * cos(2.5 * a) + b * b + 0.5 * (rng_uniform(&r) - 0.5), x[D] = {a, b, c, rng_normal(&r)};
        for (int j = 0; j < D; j++) {
            v[place[reordered][j] * ROWS + i] = x[j];
        }
    }
}

static nonsens_result *run_graph(fixture *f, bool reordered, const char *settings)
{
    double *v = fixture_doubles(f, D * ROWS);
    nonsens_result *result;
    make_graph(v, reordered);
    nonsens_status status = run_on(f->ctx, NONSENS_COMMAND_DISCOVER, settings, ROWS, D, v, NULL, &result);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return result;
}

static const nonsens_edge *edge_of(const nonsens_result *result, int64_t from, int64_t to)
{
    for (int64_t i = 0; i < result->edges; i++) {
        if (result->edge[i].from == from && result->edge[i].to == to) {
            return &result->edge[i];
        }
    }
    fail_msg("no edge");
    return NULL;
}

static void test_graph_is_found_in_any_order_of_columns(void **state)
{
    fixture *f = *state;
    nonsens_result *a = run_graph(f, false, "method=resit threads=1"),
                   *b = run_graph(f, true, "method=resit threads=2");
    const int64_t edges[3][4] = {{2, 3, 0, 1}, {2, 1, 0, 2}, {3, 1, 1, 2}}, reordered[D] = {3, 2, 0, 1};
    assert_int_equal(a->edges, 3);
    assert_int_equal(b->edges, 3);
    for (int k = 0; k < 3; k++) {
        const nonsens_edge *first = edge_of(a, edges[k][0], edges[k][1]),
                           *second = edge_of(b, edges[k][2], edges[k][3]);
        assert_int_equal(first->type, NONSENS_EDGE_DIRECTED);
        assert_true(first->p_value == second->p_value && first->p_value <= 0.05);
    }
    for (int k = 0; k < D; k++) {
        assert_int_equal(b->order[k], reordered[a->order[k]]);
    }
    assert_false(has_note(a, "contradict"));
    nonsens_result_free(a);
    nonsens_result_free(b);
}

/* Two variables with multiplicative noise: a note says that additive noise is contradicted. */
static void test_contradiction_is_noted(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, true, 4);
    nonsens_result *result;
    assert_int_equal(run_on(f->ctx, NONSENS_COMMAND_DISCOVER, "method=resit", N, 2, v, NULL, &result), NONSENS_OK);
    assert_true(has_note(result, "contradict additive noise"));
    assert_int_equal(result->edges, 1);
    nonsens_result_free(result);
}

static void test_change_over_segments_is_noted(void **state)
{
    fixture *f = *state;
    double *v = curve(f, N, false, 5);
    int64_t segment[N];
    nonsens_result *result;
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i % 4;
        v[N + i] += (double)segment[i];
    }
    assert_int_equal(run_on(f->ctx, NONSENS_COMMAND_DISCOVER, "method=resit", N, 2, v, segment, &result), NONSENS_OK);
    assert_true(has_note(result, "same in all segments"));
    nonsens_result_free(result);
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i / 5; // segments too small for any test
    }
    assert_int_equal(run_on(f->ctx, NONSENS_COMMAND_DISCOVER, "method=resit", N, 2, v, segment, &result), NONSENS_OK);
    assert_int_equal(result->edges, 0);
    assert_true(has_note(result, "Nothing could be tested"));
    nonsens_result_free(result);
}

typedef struct small_run {
    unsigned command;
    int64_t d;
    double *v;
} small_run;

static nonsens_status run_small(nonsens_context *ctx, arena *a, void *state)
{
    const small_run *s = state;
    nonsens_result *result;
    (void)a;
    nonsens_status status = run_on(ctx, s->command, "method=resit threads=1", 20, s->d, s->v, NULL, &result);
    nonsens_result_free(result);
    return status;
}

/* Linear and Gaussian: there is an edge, but its direction is not established. */
static void test_gaussian_line_is_noted(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 2 * N);
    nonsens_result *result;
    rng r = rng_new(37, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        v[i] = rng_normal(&r);
        v[N + i] = v[i] + rng_normal(&r);
    }
    assert_int_equal(run_on(f->ctx, NONSENS_COMMAND_DISCOVER, "method=resit", N, 2, v, NULL, &result), NONSENS_OK);
    assert_int_equal(result->edges, 1);
    assert_true(has_note(result, "Directions that are not established"));
    nonsens_result_free(result);
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    double *v = fixture_doubles(f, 60);
    rng r = rng_new(34, RNG_TEST, 0);
    for (int i = 0; i < 60; i++) {
        v[i] = rng_normal(&r);
    }
    assert_true(fail_every_allocation(f, run_small, &(small_run){NONSENS_COMMAND_DIRECTION, 2, v}) > 5);
    assert_true(fail_every_allocation(f, run_small, &(small_run){NONSENS_COMMAND_DISCOVER, 3, v}) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_curve_is_found),
        TEST(test_multiplied_noise_misleads),
        TEST(test_gaussian_line_is_undecided),
        TEST(test_no_noise_is_undecided),
        TEST(test_odd_data_have_answers),
        TEST(test_graph_is_found_in_any_order_of_columns),
        TEST(test_contradiction_is_noted),
        TEST(test_change_over_segments_is_noted),
        TEST(test_gaussian_line_is_noted),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
