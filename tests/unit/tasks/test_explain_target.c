/*
 * test_explain_target.c - shares of the target's change: linear models whose contributions are known, no path, open
 * edges, random orders against all orders, threads.
 */
#include "base/rng.h"
#include "methods/shared/result.h"
#include "tasks/explain/explain_switch.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { A, B, C, Z, VARIABLES, SEGMENTS = 5, EACH = 400, ROWS = SEGMENTS * EACH };

static const char *const NAMES[] = {"a", "b", "c", "z"};
static const char *const GRAPH = "from,to,type\na,b,-->\na,c,-->\nb,c,-->\nz,c,-->\n";

/* Draws b = 0.8 a + N, c = 0.5 a + b + 0.5 z + N; in the last segment disturbances are shifted. */
static nonsens_data *make_data(fixture *f, const double shift[VARIABLES], double sign)
{
    double *v = fixture_doubles(f, ROWS * VARIABLES);
    int64_t segment[ROWS];
    nonsens_data *data;
    rng r = rng_new(1, RNG_TEST, 7);
    for (int64_t i = 0; i < ROWS; i++) {
        double noise[VARIABLES], *x = v + i * VARIABLES;
        segment[i] = i / EACH;
        for (int j = 0; j < VARIABLES; j++) {
            double scale = 1.0 + 0.3 * (double)((segment[i] + j) % 3) * (segment[i] > 0 && segment[i] + 1 < SEGMENTS);
            noise[j] = scale * rng_laplace(&r) + (segment[i] + 1 == SEGMENTS ? shift[j] : 0.0);
        }
        x[A] = noise[A];
        x[Z] = noise[Z];
        x[B] = 0.8 * x[A] + noise[B];
        x[C] = sign * (0.5 * x[A] + x[B] + 0.5 * x[Z] + noise[C]);
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, ROWS, VARIABLES, v, VARIABLES, 1, NAMES, segment, &data),
                     NONSENS_OK);
    return data;
}

static nonsens_result *explain(fixture *f, const nonsens_data *data, const char *graph_text, const char *target,
                               const char *threads)
{
    nonsens_options *o;
    nonsens_graph *graph;
    nonsens_result *r;
    const char *set[][2] = {{"of", "4"}, {"against", "0"}, {"target", target}, {"threads", threads}};
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_EXPLAIN, &o), NONSENS_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        assert_int_equal(nonsens_options_set(f->ctx, o, set[i][0], set[i][1]), NONSENS_OK);
    }
    assert_int_equal(nonsens_graph_parse(f->ctx, "graph", graph_text, strlen(graph_text), NULL, &graph), NONSENS_OK);
    assert_int_equal(nonsens_run_explain(f->ctx, data, graph, o, &r), NONSENS_OK);
    nonsens_graph_free(graph);
    nonsens_options_free(o);
    return r;
}

static const nonsens_change *change_of(const nonsens_result *r, int64_t variable)
{
    int64_t i = 0;
    while (nonsens_result_change_at(r, i)->variable != variable) {
        i++;
    }
    return nonsens_result_change_at(r, i);
}

/* Two faults: a accounts for (0.5 + 0.8) of its shift, b for all of its own; the rest is chance. */
static void check_two_faults(fixture *f, double sign)
{
    nonsens_data *data = make_data(f, (const double[]){[A] = 2.0, [B] = -1.5, [C] = 0.0, [Z] = 0.0}, sign);
    nonsens_result *r = explain(f, data, GRAPH, "c", "1");
    const nonsens_target_change *t = nonsens_result_target_change(r);
    const nonsens_change *a = change_of(r, A), *b = change_of(r, B);
    assert_true(t->variable == C && !t->reason);
    assert_true(fabs(sign * a->effect_share - 2.6) < 0.5 && fabs(sign * b->effect_share + 1.5) < 0.5);
    assert_true(a->effect_error > 0.02 && a->effect_error < 0.3 && b->effect_error > 0.02 && b->effect_error < 0.3);
    assert_true(fabs(t->others_share) < 4.0 * t->others_error);
    assert_true(fabs(a->effect_share + b->effect_share + t->others_share - t->change) < 1e-9);
    assert_true(fabs(t->faulted - t->normal - t->change) < 1e-9); // all rows are used
    assert_true(fabs(a->effect_part - a->effect_share / t->change) < 1e-9);
    assert_true(isnan(change_of(r, C)->effect_share) && isnan(change_of(r, Z)->effect_share));
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static void test_two_faults(void **state)
{
    check_two_faults(*state, 1.0);
    check_two_faults(*state, -1.0);
}

/* If the target itself is at fault, it gets a share like any other variable. */
static void test_target_at_fault(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, (const double[]){[A] = 0.0, [B] = 0.0, [C] = 3.0, [Z] = 0.0}, 1.0);
    nonsens_result *r = explain(f, data, GRAPH, "c", "1");
    assert_true(fabs(change_of(r, C)->effect_share - 3.0) < 0.5);
    assert_true(fabs(change_of(r, C)->effect_part - 1.0) < 0.2);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static void test_no_shares(void **state)
{
    static const struct {
        const char *graph, *target, *reason;
    } at[] = {{GRAPH, "z", "no variable that changed itself has a directed path to it"},
              {"from,to,type\na,b,-->\na,c,-->\nb,c,---\nz,c,-->\n", "c", "the direction of the edge between b and c"},
              {"from,to,type\na,b,-->\na,c,-->\nb,c,<->\nz,c,-->\n", "c", "the direction of the edge between b and c"},
              {"from,to,type,confounded\na,b,-->,1\n", "b", "a and b probably have a hidden common cause"}};
    fixture *f = *state;
    nonsens_data *data = make_data(f, (const double[]){[A] = 2.0, [B] = 0.0, [C] = 0.0, [Z] = 0.0}, 1.0);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        nonsens_result *r = explain(f, data, at[k].graph, at[k].target, "1");
        const nonsens_target_change *t = nonsens_result_target_change(r);
        if (!t->reason) { // readers of lists ignore `confounded`
            assert_int_equal(k, 3);
        } else {
            assert_true(strstr(t->reason, at[k].reason));
            assert_true(isfinite(t->change) && isnan(t->others_share) && isnan(change_of(r, A)->effect_share));
        }
        nonsens_result_free(r);
    }
    nonsens_data_free(data);
}

/* An undirected edge between variables that no fault reaches does not matter. */
static void test_open_edge_elsewhere(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, (const double[]){[A] = 0.0, [B] = 2.0, [C] = 0.0, [Z] = 0.0}, 1.0);
    nonsens_result *r = explain(f, data, "from,to,type\na,z,---\na,b,-->\na,c,-->\nb,c,-->\nz,c,-->\n", "c", "1");
    assert_null(nonsens_result_target_change(r)->reason);
    assert_true(fabs(change_of(r, B)->effect_share - 2.0) < 0.5);
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static void test_threads(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, (const double[]){[A] = 2.0, [B] = -1.5, [C] = 0.0, [Z] = 0.0}, 1.0);
    nonsens_result *one = explain(f, data, GRAPH, "c", "1"), *three = explain(f, data, GRAPH, "c", "3");
    for (int64_t j = A; j <= B; j++) {
        const nonsens_change *a = change_of(one, j), *b = change_of(three, j);
        assert_true(a->effect_share == b->effect_share && a->effect_error == b->effect_error);
        assert_true(a->effect_part == b->effect_part);
    }
    nonsens_result_free(one);
    nonsens_result_free(three);
    nonsens_data_free(data);
}

/* ---- switching disturbances ------------------------------------------------------------------------------------- */

static int64_t start_of(const nonsens_data *data, const char *label)
{
    int64_t e = 0;
    while (strcmp(data->labels[e], label) != 0) {
        e++;
    }
    return data->start[e];
}

/* All four variables are players, with all orders and with random ones. */
static void test_random_orders(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, (const double[]){[A] = 2.0, [B] = -1.5, [C] = 1.0, [Z] = -1.0}, 1.0);
    const double truth[VARIABLES] = {[A] = 2.6, [B] = -1.5, [C] = 1.0, [Z] = -0.5};
    const int64_t from[] = {A, A, B, Z}, to[] = {B, C, C, C};
    bool edge[VARIABLES * VARIABLES] = {false}, computed[VARIABLES];
    int64_t *place, player[VARIABLES], row[2][EACH];
    effect_options options = effect_options_default();
    effect_model *model;
    switch_answer answer[2];
    pdag graph;
    options.draws = 0;
    options.threads = 1;
    assert_int_equal(dataset_column_places(f->ctx, &f->scratch, data, &place), NONSENS_OK);
    assert_int_equal(pdag_new(f->ctx, &f->scratch, VARIABLES, &graph), NONSENS_OK);
    for (int k = 0; k < 4; k++) {
        edge[from[k] * VARIABLES + to[k]] = true;
        pdag_set(&graph, place[from[k]], place[to[k]], PDAG_ARROW);
        computed[k] = true;
        player[place[k]] = k;
    }
    for (int64_t i = 0; i < EACH; i++) {
        row[0][i] = start_of(data, "0") + i;
        row[1][i] = start_of(data, "4") + i;
    }
    assert_int_equal(effect_model_new(f->ctx, data, edge, &options, &model), NONSENS_OK);
    switch_question q = {.data = data,
                         .model = model,
                         .graph = &graph,
                         .target = place[C],
                         .computed = computed,
                         .players = VARIABLES + 1,
                         .player = player,
                         .rows = {{EACH, row[0]}, {EACH, row[1]}},
                         .seed = 1,
                         .threads = 1};
    for (int k = 0; k < 2; k++) {
        q.max_exact = k ? SWITCH_MAX_EXACT : 0;
        assert_int_equal(explain_switch(f->ctx, &f->scratch, &q, &answer[k]), NONSENS_OK);
    }
    for (int64_t p = 0; p < VARIABLES; p++) {
        assert_true(fabs(answer[1].share[p].value - truth[p]) < 0.5);
        assert_true(fabs(answer[0].share[p].value - answer[1].share[p].value) < 0.1);
    }
    assert_true(fabs(answer[0].share[VARIABLES].value) < 1e-9 && fabs(answer[1].share[VARIABLES].value) < 1e-9);
    assert_true(fabs(answer[0].change.value - answer[1].change.value) < 1e-9);
    effect_model_free(model);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_two_faults), TEST(test_target_at_fault),
                                       TEST(test_no_shares),  TEST(test_open_edge_elsewhere),
                                       TEST(test_threads),    TEST(test_random_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
