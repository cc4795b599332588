/*
 * test_graph_check.c - the independences that graphs imply, against d-separation with hidden variables as nodes; right
 * and wrong graphs against simulated data; disturbances that depend on one another.
 */
#include "graph/skeleton_test.h"
#include "tasks/identify/graph_check.h"

#include <math.h>

#include "effect_graphs.h"

static const graph_check_options usual = {.alpha = 0.05, .max_tests = GRAPH_CHECK_MAX_TESTS, .threads = 2};

/* ---- implied independences -------------------------------------------------------------------------------------- */

/* Makes a DAG in which hidden variables are nodes after the others. */
static small_dag with_hidden(const identify_graph *g)
{
    small_dag out = {.d = (int)g->marks.d};
    for (int b = 0; b < g->marks.d; b++) {
        for (int a = 0; a < g->marks.d; a++) {
            out.parent[b] |= a != b && pdag_is_arrow(&g->marks, a, b) ? 1u << a : 0;
            if (a < b && g->hidden[a * g->marks.d + b]) {
                assert_true(out.d < MAX_NODES);
                out.parent[a] |= 1u << out.d;
                out.parent[b] |= 1u << out.d++;
            }
        }
    }
    return out;
}

/* Returns p-value .5 if d-separation makes x and y independent, else 1e-6. */
static nonsens_status ask_graph(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                                const int64_t *given, double *p_value)
{
    (void)ctx, (void)scratch;
    unsigned set = 0;
    assert_true(x < y);
    for (int64_t i = 0; i < count; i++) {
        assert_true(i == 0 || given[i] > given[i - 1]);
        set |= 1u << given[i];
    }
    *p_value = small_separated(state, (int)x, (int)y, set) ? 0.5 : 1e-6;
    return NONSENS_OK;
}

static void test_implied(void **state)
{
    fixture *f = *state;
    rng r = rng_new(1, RNG_TEST, 0);
    int64_t tests = 0, not_implied = 0;
    words names;
    split("a b c d e", &names);
    for (int rep = 0; rep < 500; rep++) {
        arena_mark mark = arena_tell(&f->scratch);
        small_dag dag = small_random(&r, 5, 0.4, 7);
        identify_graph g = make_graph(f, &names, "", false);
        graph_check check;
        int64_t hidden = 0, apart = 0;
        small_to_pdag(&dag, &g.marks);
        for (int b = 0; b < 5; b++) {
            for (int a = 0; a < b; a++) {
                if (hidden < 3 && rng_uniform(&r) < 0.15) {
                    assert_int_equal(identify_graph_add(f->ctx, &g, a, b, NONSENS_EDGE_BIDIRECTED, false), 0);
                    hidden++;
                }
                apart += !pdag_is_adjacent(&g.marks, a, b);
            }
        }
        small_dag full = with_hidden(&g);
        assert_int_equal(graph_check_independences(f->ctx, &f->scratch, &g, ask_graph, &full, &usual, &check),
                         NONSENS_OK);
        assert_int_equal(check.failed, 0);
        assert_int_equal(check.tests + check.not_implied, apart);
        assert_true(hidden > 0 || check.not_implied == 0);
        for (int64_t k = 0; k < check.tests; k++) {
            const graph_check_pair *pair = &check.pair[k];
            assert_float_equal(pair->p_value, 0.5, 0.0);
            assert_int_equal(pair->count, __builtin_popcount(dag.parent[pair->b]));
            assert_false(pdag_is_ancestor(&g.marks, pair->b, pair->a));
        }
        tests += check.tests;
        not_implied += check.not_implied;
        arena_rewind(&f->scratch, mark);
    }
    assert_true(tests > 1000 && not_implied > 20);
}

/* Graphs against data from another graph: the worst contradictions come first, then the order is by name. */
static void test_sentences(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *graph, *truth, *sentence;
        int64_t max_tests;
    } cases[] = {
        {"a->b b->c", "a->b b->c", "The graph passes 1 test of 1.", 200},
        {"a->b b->c", "a->b b->c a->c",
         "The data contradict the graph: a and c are dependent given b (p < 0.001). It fails 1 test of 1.", 200},
        {"a->b c->b", "a->b b->c",
         "The data contradict the graph: a and c are dependent (p < 0.001). It fails 1 test "
         "of 1.",
         200},
        {"a->b b->c a->c", "a->b", "The graph implies no independence that can be tested.", 200},
        {"", "a->b b->c",
         "The data contradict the graph: a and b are dependent (p < 0.001); a and c are dependent (p < 0.001); b and c "
         "are dependent (p < 0.001). It fails 3 tests of 3.",
         200},
        {"a->b", "a->b", "The graph passes 1 test of 1. 1 further test was not made.", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        words names;
        graph_check check;
        graph_check_options options = usual;
        split("c a b", &names);
        identify_graph g = make_graph(f, &names, cases[i].graph, false);
        identify_graph truth = make_graph(f, &names, cases[i].truth, false);
        small_dag full = with_hidden(&truth);
        options.max_tests = cases[i].max_tests;
        assert_int_equal(graph_check_independences(f->ctx, &f->scratch, &g, ask_graph, &full, &options, &check),
                         NONSENS_OK);
        assert_string_equal(check.sentence, cases[i].sentence);
    }
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

enum { SEGMENTS = 5, ROWS = 200, N = SEGMENTS * ROWS };

typedef struct sample {
    double x[4][N], noise[4][N];
    int64_t start[SEGMENTS + 1];
} sample;

/* Draws a non-linear a -> b -> c, and d alone; scales change over segments; the noise of c and d shares `hidden`. */
static void draw(sample *s, uint64_t seed, double hidden)
{
    rng r = rng_new(seed, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        double scale = 1.0 + 0.3 * (double)(i / ROWS), h = hidden * rng_normal(&r);
        for (int j = 0; j < 4; j++) {
            s->noise[j][i] = scale * rng_laplace(&r) + (j > 1 ? h : 0.0);
        }
        s->x[0][i] = s->noise[0][i];
        s->x[1][i] = 2.0 * tanh(s->x[0][i]) + s->noise[1][i];
        s->x[2][i] = 0.5 * s->x[1][i] + 2.0 * sin(s->x[1][i]) + s->noise[2][i];
        s->x[3][i] = s->noise[3][i];
    }
    for (int64_t e = 0; e <= SEGMENTS; e++) {
        s->start[e] = e * ROWS;
    }
}

/* Checks a graph of a, b, c, d with conditional tests inside segments. */
static void check_graph(fixture *f, const sample *s, const char *edges, graph_check *out)
{
    const double *column[4];
    column_set variable[4];
    words names;
    for (int j = 0; j < 4; j++) {
        column[j] = s->x[j];
        variable[j] = (column_set){N, 1, &column[j]};
    }
    ci_variables variables = {4, variable, NULL, {SEGMENTS, s->start}};
    ci_options options = {.test = TEST_AUTO, .null_kind = NULL_GAMMA, .threads = 1, .cache_bytes = 1 << 24};
    skeleton_ci asked = {0};
    split("a b c d", &names);
    identify_graph g = make_graph(f, &names, edges, false);
    assert_int_equal(ci_new(f->ctx, &variables, &options, &asked.tester), NONSENS_OK);
    assert_int_equal(graph_check_independences(f->ctx, &f->scratch, &g, graph_check_ask_ci, &asked, &usual, out),
                     NONSENS_OK);
    ci_free(asked.tester);
}

static void test_graphs_and_data(void **state)
{
    fixture *f = *state;
    int64_t passed = 0, caught[2] = {0, 0};
    enum { REPS = 6 };
    for (uint64_t rep = 0; rep < REPS; rep++) {
        static sample s;
        graph_check check;
        draw(&s, 100 + rep, 0.0);
        check_graph(f, &s, "a->b b->c", &check);
        assert_int_equal(check.tests, 4);
        passed += check.failed == 0;
        check_graph(f, &s, "a->b c->b", &check); // implies that a and c are independent
        caught[0] += check.failed > 0 && check.pair[0].a + check.pair[0].b == 2;
        check_graph(f, &s, "a->b a->c", &check); // implies that b and c are independent given a
        caught[1] += check.failed > 0 && strstr(check.sentence, "b and c are dependent given a (p < 0.001)");
    }
    assert_true(passed >= REPS - 1);
    assert_int_equal(caught[0], REPS);
    assert_int_equal(caught[1], REPS);
}

static void compare(fixture *f, const sample *s, const words *names, const int *order, const char *edges,
                    graph_check *out)
{
    double *v = fixture_doubles(f, 4 * N);
    row_groups groups = {SEGMENTS, s->start};
    hsic_options hsic = {.null_kind = NULL_GAMMA, .threads = 1};
    identify_graph g = make_graph(f, names, edges, false);
    for (int j = 0; j < 4; j++) {
        memcpy(v + j * N, s->noise[order[j]], sizeof s->noise[0]);
    }
    assert_int_equal(
        graph_check_disturbances(f->ctx, &f->scratch, &g, matrix_view(v, N, 4), &groups, &hsic, &usual, out),
        NONSENS_OK);
}

static void test_disturbances(void **state)
{
    fixture *f = *state;
    static const int as_is[] = {0, 1, 2, 3}, reordered[] = {3, 1, 0, 2};
    int64_t passed = 0;
    words names, other;
    split("a b c d", &names);
    split("d b a c", &other);
    for (uint64_t rep = 0; rep < 10; rep++) {
        static sample s;
        graph_check check, again;
        draw(&s, 200 + rep, 0.0);
        compare(f, &s, &names, as_is, "a->b b->c", &check);
        assert_int_equal(check.tests, 6);
        passed += check.failed == 0;
        draw(&s, 300 + rep, 2.0);
        compare(f, &s, &names, as_is, "a->b b->c", &check);
        assert_true(check.failed >= 1);
        assert_int_equal(check.pair[0].a + check.pair[0].b, 2 + 3);
        assert_non_null(strstr(check.sentence, "the disturbances of c and d are dependent (p < 0.001)"));
        compare(f, &s, &other, reordered, "a->b b->c", &again); // the order of columns does not matter
        assert_string_equal(check.sentence, again.sentence);
        for (int64_t k = 0; k < 6; k++) {
            assert_true(check.pair[k].p_value == again.pair[k].p_value);
        }
        compare(f, &s, &names, as_is, "a->b b->c c<->d", &check); // the graph says that they may depend
        assert_int_equal(check.tests, 5);
    }
    assert_true(passed >= 8);
}

/* Returns the p-value of a pair of three nodes. */
static nonsens_status ask_table(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                                const int64_t *given, double *p_value)
{
    (void)ctx, (void)scratch, (void)count, (void)given;
    *p_value = ((double *)state)[x + y - 1];
    return NONSENS_OK;
}

/* If a <-> b stands for contradictory tests, it is open whether its ends are independent. */
static void test_contradictory_edges_are_not_tested(void **state)
{
    fixture *f = *state;
    double p[] = {0.5, 0.5, 0.5}, v[3 * N] = {0};
    const int64_t start[] = {0, N};
    row_groups groups = {1, start};
    hsic_options hsic = {.null_kind = NULL_GAMMA, .threads = 1};
    words names;
    graph_check check;
    split("a b c", &names);
    identify_graph g = make_graph(f, &names, "a<->b", true);
    assert_int_equal(graph_check_independences(f->ctx, &f->scratch, &g, ask_table, p, &usual, &check), NONSENS_OK);
    assert_int_equal(check.tests, 2);
    assert_int_equal(
        graph_check_disturbances(f->ctx, &f->scratch, &g, matrix_view(v, N, 3), &groups, &hsic, &usual, &check),
        NONSENS_OK);
    assert_int_equal(check.tests + check.unmade, 2);
    assert_int_equal(check.unmade, 2); // disturbances are constant
    assert_string_equal(check.sentence, "The graph has no disturbances that can be compared. 2 further tests were not "
                                        "made.");
}

/* A disturbance that is unknown in some segments is compared in the others; one that is unknown everywhere is not. */
static void test_unknown_disturbances(void **state)
{
    fixture *f = *state;
    static const int as_is[] = {0, 1, 2, 3};
    static sample s;
    graph_check check;
    words names;
    split("a b c d", &names);
    draw(&s, 1, 2.0);
    for (int64_t i = 0; i < N; i++) {
        s.noise[0][i] = NAN;
        s.noise[2][i] = i < ROWS ? NAN : s.noise[2][i];
    }
    compare(f, &s, &names, as_is, "a->b", &check);
    assert_int_equal(check.tests, 3);
    assert_int_equal(check.unmade, 3);
    assert_int_equal(check.failed, 1);
    assert_non_null(strstr(check.sentence, "It fails 1 test of 3. 3 further tests were not made."));
    assert_true(isnan(check.pair[3].p_value) && isnan(check.pair[5].adjusted));
}

/* Holm: p (1 + number of tests that are not smaller), never decreasing. */
static void test_holm(void **state)
{
    fixture *f = *state;
    double p[] = {0.02, 0.01, 0.9}; // p-values of (0, 1), (0, 2), (1, 2)
    words names;
    graph_check check;
    split("a b c", &names);
    identify_graph g = make_graph(f, &names, "", false);
    assert_int_equal(graph_check_independences(f->ctx, &f->scratch, &g, ask_table, p, &usual, &check), NONSENS_OK);
    assert_float_equal(check.pair[0].adjusted, 0.03, 1e-12);
    assert_float_equal(check.pair[1].adjusted, 0.04, 1e-12);
    assert_float_equal(check.pair[2].adjusted, 0.9, 1e-12);
    assert_int_equal(check.failed, 2);
    p[0] = 0.026;
    assert_int_equal(graph_check_independences(f->ctx, &f->scratch, &g, ask_table, p, &usual, &check), NONSENS_OK);
    assert_int_equal(check.failed, 1);
}

static nonsens_status check_one(nonsens_context *ctx, arena *a, void *state)
{
    small_dag dag = {.d = 4};
    graph_check check;
    graph_check_options one = usual;
    one.threads = 1;
    return graph_check_independences(ctx, a, state, ask_graph, &dag, &one, &check);
}

static void test_every_failing_allocation(void **state)
{
    fixture *f = *state;
    words names;
    split("a b c d", &names);
    identify_graph g = make_graph(f, &names, "a->b b->c", false);
    assert_true(fail_every_allocation(f, check_one, &g) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_implied),
        TEST(test_sentences),
        TEST(test_graphs_and_data),
        TEST(test_disturbances),
        TEST(test_unknown_disturbances),
        TEST(test_holm),
        TEST(test_contradictory_edges_are_not_tested),
        TEST(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
