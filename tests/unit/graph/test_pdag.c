/* test_pdag.c - partially directed graphs, background knowledge, Meek's rules and distances, against brute force. */
#include "graph/bits.h"
#include "graph/knowledge.h"
#include "graph/metrics.h"
#include "graph/orient.h"
#include "graph/pdag.h"

#include <math.h>
#include <string.h>

#include "pdag_helpers.h"
#include "small_dags.h"

enum { DAGS_OF_FOUR = 543, DAGS_OF_FIVE = 29281 }; /* Robinson 1973 */

static void assert_same(const pdag *got, const pdag *expected)
{
    for (int64_t b = 1; b < expected->d; b++) {
        for (int64_t a = 0; a < b; a++) {
            assert_int_equal(pdag_mark_of(got, a, b), pdag_mark_of(expected, a, b));
        }
    }
}

/* ---- marks and paths -------------------------------------------------------------------------------------------- */

static void test_marks(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 130); // three words
    const enum pdag_mark marks[] = {PDAG_LINE, PDAG_ARROW, PDAG_BACK, PDAG_BOTH, PDAG_NONE, PDAG_BOTH, PDAG_ARROW};
    const enum pdag_mark backwards[] = {PDAG_LINE, PDAG_BACK, PDAG_ARROW, PDAG_BOTH, PDAG_NONE, PDAG_BOTH, PDAG_BACK};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        pdag_set(&g, 63, 129, marks[i]);
        assert_int_equal(pdag_mark_of(&g, 63, 129), marks[i]);
        assert_int_equal(pdag_mark_of(&g, 129, 63), backwards[i]);
        assert_int_equal(pdag_is_adjacent(&g, 129, 63), marks[i] != PDAG_NONE);
        assert_int_equal(pdag_is_arrow(&g, 63, 129), marks[i] == PDAG_ARROW);
        assert_int_equal(pdag_is_line(&g, 129, 63), marks[i] == PDAG_LINE);
        assert_int_equal(pdag_edge_count(&g), marks[i] != PDAG_NONE);
    }
}

static void test_lists(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 100);
    int64_t node[100];
    pdag_set(&g, 70, 99, PDAG_ARROW);
    pdag_set(&g, 70, 64, PDAG_LINE);
    pdag_set(&g, 70, 63, PDAG_BACK);
    pdag_set(&g, 70, 0, PDAG_BOTH);
    assert_int_equal(pdag_neighbours(&g, 70, node), 4);
    assert_memory_equal(node, ((int64_t[]){0, 63, 64, 99}), 4 * sizeof *node);
    assert_int_equal(pdag_parents(&g, 70, node), 1);
    assert_int_equal(node[0], 63);
    assert_true(pdag_is_arrow(&g, 70, 99) && !pdag_is_arrow(&g, 70, 63));
    pdag_forget_directions(&g);
    assert_int_equal(pdag_parents(&g, 70, node), 0);
    assert_int_equal(pdag_mark_of(&g, 70, 0), PDAG_LINE);
    pdag_complete(&g);
    assert_int_equal(pdag_edge_count(&g), 4950);
    assert_int_equal(pdag_neighbours(&g, 99, node), 99);
}

static void test_edges_there_and_back(void **state)
{
    fixture *f = *state;
    const pdag_edge edges[] = {{4, 0, PDAG_ARROW}, {0, 5, PDAG_BOTH}, {1, 2, PDAG_LINE}, {2, 3, PDAG_ARROW}};
    pdag_edge out[4];
    pdag g, h;
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, 6, 4, edges, &g), NONSENS_OK);
    assert_int_equal(pdag_edge_count(&g), 4);
    pdag_to_edges(&g, out);
    for (int e = 0; e < 4; e++) {
        assert_int_equal(out[e].from, edges[e].from);
        assert_int_equal(out[e].to, edges[e].to);
        assert_int_equal(out[e].mark, edges[e].mark);
    }
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, 6, 4, out, &h), NONSENS_OK);
    assert_true(pdag_is_equal(&g, &h));
    pdag_set(&h, 0, 4, PDAG_ARROW);
    assert_false(pdag_is_equal(&g, &h));
}

static void test_walks_against_closure(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 8);
    rng r = rng_new(1, RNG_TEST, 0);
    for (int round = 0; round < 200; round++) {
        small_dag dag = small_random(&r, 8, 0.3, MAX_EDGES);
        small_to_pdag(&dag, &g);
        assert_false(pdag_has_cycle(&g));
        for (int a = 0; a < 8; a++) {
            unsigned before = small_ancestors(&dag, dag.parent[a]);
            for (int b = 0; b < 8; b++) {
                assert_int_equal(pdag_is_ancestor(&g, b, a), before >> b & 1);
                assert_int_equal(pdag_would_close_cycle(&g, a, b), a == b || (before >> b & 1));
                bool collides = false;
                for (int c = 0; c < 8; c++) {
                    collides |= c != b && (dag.parent[a] >> c & 1) && !small_adjacent(&dag, b, c);
                }
                assert_int_equal(pdag_would_make_collider(&g, b, a), collides);
            }
        }
    }
}

static void test_cycles(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 300);
    for (int64_t a = 0; a < 299; a++) {
        pdag_set(&g, a, a + 1, PDAG_ARROW);
    }
    assert_false(pdag_has_cycle(&g));
    assert_true(pdag_is_ancestor(&g, 0, 299));
    assert_false(pdag_is_ancestor(&g, 299, 0));
    pdag_set(&g, 299, 0, PDAG_BOTH);
    assert_false(pdag_has_cycle(&g));
    pdag_set(&g, 299, 0, PDAG_ARROW);
    assert_true(pdag_has_cycle(&g));
    assert_true(pdag_is_ancestor(&g, 5, 5));
}

/* ---- background knowledge --------------------------------------------------------------------------------------- */

static void test_knowledge(void **state)
{
    fixture *f = *state;
    knowledge k;
    assert_true(knowledge_allows(NULL, 0, 1));
    assert_false(knowledge_requires(NULL, 0, 1));
    assert_false(knowledge_separates(NULL, 0, 1));
    assert_int_equal(knowledge_new(f->ctx, &f->scratch, 4, &k), NONSENS_OK);
    knowledge_forbid(&k, 0, 1);
    assert_false(knowledge_allows(&k, 0, 1));
    assert_true(knowledge_allows(&k, 1, 0));
    assert_true(knowledge_allows(&k, 0, 3));
    assert_true(knowledge_allows(&k, 0, 2));
    knowledge_require(&k, 0, 3);
    assert_true(knowledge_requires(&k, 0, 3));
    assert_false(knowledge_allows(&k, 3, 0));
    knowledge_forbid(&k, 1, 0);
    assert_true(knowledge_separates(&k, 0, 1));
    assert_int_equal(knowledge_check(f->ctx, &k), NONSENS_OK);
    knowledge_require(&k, 3, 2);
    knowledge_require(&k, 2, 0);
    assert_int_equal(knowledge_check(f->ctx, &k), NONSENS_ERR_USAGE);
    knowledge_require(&k, 0, 1);
    assert_int_equal(knowledge_check(f->ctx, &k), NONSENS_ERR_USAGE);
}

static void test_known_directions_are_drawn(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 4);
    orienter o;
    knowledge k;
    assert_int_equal(knowledge_new(f->ctx, &f->scratch, 4, &k), NONSENS_OK);
    knowledge_forbid(&k, 1, 0);
    knowledge_require(&k, 2, 1);
    pdag_set(&g, 0, 1, PDAG_LINE);
    pdag_set(&g, 1, 2, PDAG_LINE);
    pdag_set(&g, 2, 3, PDAG_LINE);
    assert_int_equal(orient_new(f->ctx, &f->scratch, &g, &k, &o), NONSENS_OK);
    assert_int_equal(orient_knowledge(f->ctx, &o), NONSENS_OK);
    assert_int_equal(pdag_mark_of(&g, 0, 1), PDAG_ARROW);
    assert_int_equal(pdag_mark_of(&g, 1, 2), PDAG_BACK);
    assert_int_equal(pdag_mark_of(&g, 2, 3), PDAG_LINE);
    assert_false(orient_may(&o, 0, 1)); // it is not a line
    assert_true(orient_may(&o, 2, 3));
    knowledge_forbid(&k, 2, 3);
    assert_false(orient_may(&o, 2, 3));
    // forbidden directions that force a cycle
    pdag_complete(&g);
    knowledge_forbid(&k, 3, 1); // 1 -> 3 -> 2 -> 1
    pdag_forget_directions(&g);
    assert_int_equal(orient_knowledge(f->ctx, &o), NONSENS_ERR_USAGE);
    k.d = 3;
    assert_int_equal(orient_new(f->ctx, &f->scratch, &g, &k, &o), NONSENS_ERR_USAGE);
}

/* ---- rules, worked out by hand ---------------------------------------------------------------------------------- */

static pdag apply_rules(fixture *f, int64_t d, int64_t count, const pdag_edge *edge, bool fourth, orient_report *report)
{
    pdag g;
    orienter o;
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, d, count, edge, &g), NONSENS_OK);
    assert_int_equal(orient_new(f->ctx, &f->scratch, &g, NULL, &o), NONSENS_OK);
    o.beyond_pattern = fourth;
    assert_int_equal(orient_rules(f->ctx, &o), NONSENS_OK);
    if (report) {
        *report = o.report;
    }
    return g;
}

static void test_each_rule(void **state)
{
    fixture *f = *state;
    const pdag_edge first[] = {{2, 0, PDAG_ARROW}, {0, 1, PDAG_LINE}};
    const pdag_edge second[] = {{0, 2, PDAG_ARROW}, {2, 1, PDAG_ARROW}, {0, 1, PDAG_LINE}};
    const pdag_edge third[] = {
        {0, 2, PDAG_LINE}, {0, 3, PDAG_LINE}, {2, 1, PDAG_ARROW}, {3, 1, PDAG_ARROW}, {0, 1, PDAG_LINE}};
    const pdag_edge fourth[] = {
        {0, 2, PDAG_LINE}, {2, 3, PDAG_ARROW}, {3, 1, PDAG_ARROW}, {0, 3, PDAG_LINE}, {0, 1, PDAG_LINE}};
    pdag g = apply_rules(f, 3, 2, first, false, NULL);
    assert_int_equal(pdag_mark_of(&g, 0, 1), PDAG_ARROW);
    g = apply_rules(f, 3, 3, second, false, NULL);
    assert_int_equal(pdag_mark_of(&g, 0, 1), PDAG_ARROW);
    g = apply_rules(f, 4, 5, third, false, NULL);
    assert_int_equal(pdag_mark_of(&g, 0, 1), PDAG_ARROW);
    assert_int_equal(pdag_mark_of(&g, 0, 2), PDAG_LINE);
    g = apply_rules(f, 4, 5, fourth, true, NULL);
    assert_int_equal(pdag_mark_of(&g, 0, 1), PDAG_ARROW);
    g = apply_rules(f, 4, 5, fourth, false, NULL);
    assert_int_equal(pdag_mark_of(&g, 0, 1), PDAG_LINE);
}

/* 0 -> 1 - 2 <- 3: either direction of 1 - 2 would be a new v-structure. */
static void test_contradiction_stays_a_line(void **state)
{
    fixture *f = *state;
    orient_report report;
    const pdag_edge edge[] = {{0, 1, PDAG_ARROW}, {1, 2, PDAG_LINE}, {3, 2, PDAG_ARROW}};
    pdag g = apply_rules(f, 4, 3, edge, false, &report);
    assert_int_equal(pdag_mark_of(&g, 1, 2), PDAG_LINE);
    assert_int_equal(report.undecided, 1);
    // in a longer path the rules reach both ends of its middle in the same round
    const pdag_edge path[] = {{0, 1, PDAG_ARROW}, {1, 2, PDAG_LINE}, {2, 3, PDAG_LINE}, {4, 3, PDAG_ARROW}};
    g = apply_rules(f, 5, 4, path, false, &report);
    assert_int_equal(pdag_mark_of(&g, 1, 2), PDAG_LINE);
    assert_int_equal(pdag_mark_of(&g, 2, 3), PDAG_LINE);
    assert_int_equal(report.undecided, 2);
}

/* An edge with two heads implies nothing. */
static void test_two_heads_imply_nothing(void **state)
{
    fixture *f = *state;
    const pdag_edge edge[] = {{0, 1, PDAG_BOTH}, {1, 2, PDAG_LINE}};
    pdag g = apply_rules(f, 3, 2, edge, true, NULL);
    assert_int_equal(pdag_mark_of(&g, 1, 2), PDAG_LINE);
}

static void test_single_edges(void **state)
{
    fixture *f = *state;
    const pdag_edge edge[] = {
        {0, 1, PDAG_ARROW}, {1, 2, PDAG_LINE}, {3, 4, PDAG_ARROW}, {4, 5, PDAG_ARROW}, {3, 5, PDAG_LINE}};
    pdag g;
    orienter o;
    bool done;
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, 6, 5, edge, &g), NONSENS_OK);
    assert_int_equal(orient_new(f->ctx, &f->scratch, &g, NULL, &o), NONSENS_OK);
    assert_false(orient_may(&o, 2, 1)); // would be a v-structure
    assert_true(orient_may(&o, 1, 2));
    assert_false(orient_may(&o, 5, 3)); // would close a cycle
    assert_false(orient_may(&o, 0, 5)); // not an edge
    assert_int_equal(orient_edge(f->ctx, &o, 2, 1, &done), NONSENS_OK);
    assert_false(done);
    assert_int_equal(pdag_mark_of(&g, 1, 2), PDAG_LINE);
    assert_int_equal(orient_edge(f->ctx, &o, 1, 2, &done), NONSENS_OK);
    assert_true(done);
    assert_int_equal(pdag_mark_of(&g, 1, 2), PDAG_ARROW);
    assert_int_equal(pdag_mark_of(&g, 3, 5), PDAG_ARROW); // directed by the rules
}

/* A triple of unknown kind implies nothing by the rules, which may make it a v-structure or not. */
static void test_open_triples_imply_nothing(void **state)
{
    fixture *f = *state;
    const pdag_edge first[] = {{0, 1, PDAG_ARROW}, {1, 2, PDAG_LINE}};
    const pdag_edge third[] = {
        {0, 2, PDAG_LINE}, {0, 3, PDAG_LINE}, {2, 1, PDAG_ARROW}, {3, 1, PDAG_ARROW}, {0, 1, PDAG_LINE}};
    const pdag_edge fourth[] = {
        {0, 2, PDAG_LINE}, {2, 3, PDAG_ARROW}, {3, 1, PDAG_ARROW}, {0, 3, PDAG_LINE}, {0, 1, PDAG_LINE}};
    const pdag_edge *edges[] = {first, third, fourth};
    const int64_t counts[] = {2, 5, 5}, line[][2] = {{1, 2}, {0, 1}, {0, 1}};
    orient_triple triple[] = {{0, 2, 1, false, true, 0.5}, {2, 3, 0, false, true, 0.5}, {1, 2, 0, false, true, 0.5}};
    for (int i = 0; i < 3; i++) {
        pdag g;
        orienter o;
        assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, 4, counts[i], edges[i], &g), NONSENS_OK);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &g, NULL, &o), NONSENS_OK);
        o.triple = &triple[i];
        o.report.triples = o.open_triples = 1;
        o.beyond_pattern = true;
        assert_int_equal(orient_rules(f->ctx, &o), NONSENS_OK);
        assert_int_equal(pdag_mark_of(&g, line[i][0], line[i][1]), PDAG_LINE);
        assert_true(i > 0 || orient_may(&o, 2, 1));
    }
}

/* ---- patterns against brute force ------------------------------------------------------------------------------- */

static void test_pattern_of_all_dags(void **state)
{
    fixture *f = *state;
    const int64_t codes[] = {1, 1, 3, 27, 729, 59049}, expected[] = {1, 1, 3, 25, DAGS_OF_FOUR, DAGS_OF_FIVE};
    for (int d = 1; d <= 5; d++) {
        pdag dag = small_graph(f, d), got = small_graph(f, d), common = small_graph(f, d);
        int64_t dags = 0;
        for (int64_t code = 0; code < codes[d]; code++) {
            small_dag small;
            if (!small_numbered(d, code, &small) || (dags++, d == 5 && dags % 4)) {
                continue;
            }
            small_to_pdag(&small, &dag);
            small_common(&small, NULL, &common);
            arena_mark mark = arena_tell(&f->scratch);
            assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &dag, &got), NONSENS_OK);
            arena_rewind(&f->scratch, mark);
            assert_same(&got, &common);
        }
        assert_int_equal(dags, expected[d]);
    }
}

static void test_pattern_refuses_what_is_no_dag(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 3), out = small_graph(f, 3);
    pdag_set(&g, 0, 1, PDAG_LINE);
    assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &g, &out), NONSENS_ERR_USAGE);
    pdag_set(&g, 0, 1, PDAG_ARROW);
    pdag_set(&g, 1, 2, PDAG_ARROW);
    pdag_set(&g, 2, 0, PDAG_ARROW);
    assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &g, &out), NONSENS_ERR_USAGE);
}

/* Some of the DAG's arrows are known: the rules find all that follows (Meek 1995, theorem 4), applied in either way. */
static void test_known_arrows_against_brute_force(void **state)
{
    fixture *f = *state;
    rng r = rng_new(2, RNG_TEST, 0);
    int64_t by_fourth = 0;
    for (int round = 0; round < 1500; round++) {
        int d = 4 + round % 4;
        small_dag dag = small_random(&r, d, 0.75, 12);
        arena_mark mark = arena_tell(&f->scratch);
        pdag full = small_graph(f, d), got = small_graph(f, d), single = small_graph(f, d), common = small_graph(f, d);
        unsigned fixed[MAX_NODES] = {0};
        orienter o, one;
        knowledge k;
        assert_int_equal(knowledge_new(f->ctx, &f->scratch, d, &k), NONSENS_OK);
        small_to_pdag(&dag, &full);
        assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &full, &got), NONSENS_OK);
        pdag_copy(&got, &single);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &single, NULL, &one), NONSENS_OK);
        for (int b = 0; b < d; b++) {
            for (int a = 0; a < d; a++) {
                if ((dag.parent[b] >> a & 1) && rng_uniform(&r) < 0.2) {
                    bool done, was_line = pdag_is_line(&single, a, b);
                    fixed[b] |= 1u << a;
                    knowledge_forbid(&k, b, a);
                    assert_int_equal(orient_edge(f->ctx, &one, a, b, &done), NONSENS_OK);
                    assert_int_equal(done, was_line);
                }
            }
        }
        assert_true(small_common(&dag, fixed, &common) > 0);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &got, &k, &o), NONSENS_OK);
        assert_int_equal(orient_knowledge(f->ctx, &o), NONSENS_OK);
        pdag without = small_graph(f, d);
        pdag_copy(&got, &without);
        assert_int_equal(orient_rules(f->ctx, &o), NONSENS_OK);
        assert_same(&got, &common);
        assert_same(&single, &common);
        assert_int_equal(o.report.undecided + one.report.undecided, 0);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &without, NULL, &o), NONSENS_OK);
        assert_int_equal(orient_rules(f->ctx, &o), NONSENS_OK);
        by_fourth += !pdag_is_equal(&without, &got);
        arena_rewind(&f->scratch, mark);
    }
    assert_true(by_fourth > 5); // some cases really need the fourth rule
}

/* Lines directed at random, as far as allowed, end in a DAG of the same class. */
static void test_any_choice_ends_in_the_class(void **state)
{
    fixture *f = *state;
    rng r = rng_new(3, RNG_TEST, 0);
    for (int round = 0; round < 500; round++) {
        int d = 3 + round % 6;
        small_dag dag = small_random(&r, d, 0.6, MAX_EDGES), end = {.d = d};
        arena_mark mark = arena_tell(&f->scratch);
        pdag full = small_graph(f, d), g = small_graph(f, d);
        orienter o;
        small_to_pdag(&dag, &full);
        assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &full, &g), NONSENS_OK);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &g, NULL, &o), NONSENS_OK);
        for (int b = 0; b < d; b++) {
            for (int a = 0; a < b; a++) {
                bool done, reversed = rng_uniform(&r) < 0.5, line = pdag_is_line(&g, a, b);
                assert_int_equal(orient_edge(f->ctx, &o, reversed ? b : a, reversed ? a : b, &done), NONSENS_OK);
                assert_int_equal(done, line);
            }
        }
        for (int b = 0; b < d; b++) {
            for (int a = 0; a < d; a++) {
                end.parent[b] |= pdag_is_arrow(&g, a, b) ? 1u << a : 0;
                assert_int_equal(pdag_is_adjacent(&g, a, b), a != b && small_adjacent(&dag, a, b));
                assert_false(pdag_is_line(&g, a, b));
            }
        }
        assert_true(small_is_acyclic(&end));
        assert_true(small_same_colliders(&end, &dag));
        arena_rewind(&f->scratch, mark);
    }
}

/* ---- distances, worked out by hand ------------------------------------------------------------------------------ */

static void test_distance(void **state)
{
    fixture *f = *state;
    const pdag_edge truth_edge[] = {{0, 1, PDAG_ARROW}, {1, 2, PDAG_ARROW}, {2, 3, PDAG_LINE},
                                    {3, 4, PDAG_ARROW}, {0, 4, PDAG_ARROW}, {1, 4, PDAG_LINE}};
    // correct, reversed, arrow instead of line, two heads instead of one, missing, correct; extra
    const pdag_edge found_edge[] = {{0, 1, PDAG_ARROW}, {2, 1, PDAG_ARROW}, {2, 3, PDAG_ARROW},
                                    {3, 4, PDAG_BOTH},  {1, 4, PDAG_LINE},  {0, 2, PDAG_ARROW}};
    pdag truth, found;
    metrics m;
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, 5, 6, truth_edge, &truth), NONSENS_OK);
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, 5, 6, found_edge, &found), NONSENS_OK);
    metrics_compare(&found, &truth, &m);
    assert_int_equal(m.missing, 1);
    assert_int_equal(m.extra, 1);
    assert_int_equal(m.reversed, 1);
    assert_int_equal(m.marked, 2);
    assert_int_equal(m.shd, 5);
    assert_true(m.skeleton.precision == 5.0 / 6 && m.skeleton.recall == 5.0 / 6);
    assert_true(fabs(m.skeleton.f1 - 5.0 / 6) < 1e-15);
    assert_true(m.arrows.true_positives == 1 && m.arrows.predicted == 4 && m.arrows.actual == 4);
    assert_true(m.arrows.precision == 0.25 && m.arrows.recall == 0.25 && m.arrows.f1 == 0.25);
    metrics_compare(&truth, &truth, &m);
    assert_int_equal(m.shd, 0);
    assert_true(m.skeleton.f1 == 1.0 && m.arrows.f1 == 1.0);
    pdag empty = small_graph(f, 5);
    metrics_compare(&empty, &truth, &m);
    assert_int_equal(m.shd, 6);
    assert_true(isnan(m.skeleton.precision) && m.skeleton.recall == 0.0 && m.skeleton.f1 == 0.0);
    metrics_compare(&empty, &empty, &m);
    assert_true(m.shd == 0 && isnan(m.arrows.f1));
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static nonsens_status make_pattern(nonsens_context *ctx, arena *a, void *state)
{
    (void)state;
    const pdag_edge edge[] = {{0, 1, PDAG_ARROW}, {2, 1, PDAG_ARROW}};
    pdag g, out;
    knowledge k;
    TRY(pdag_from_edges(ctx, a, 1000, 2, edge, &g));
    TRY(pdag_new(ctx, a, 1000, &out));
    TRY(knowledge_new(ctx, a, 1000, &k));
    TRY(knowledge_check(ctx, &k));
    return metrics_pattern(ctx, a, &g, &out);
}

static void test_every_allocation_may_fail(void **state)
{
    assert_true(fail_every_allocation(*state, make_pattern, NULL) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_marks),
        TEST(test_lists),
        TEST(test_edges_there_and_back),
        TEST(test_walks_against_closure),
        TEST(test_cycles),
        TEST(test_knowledge),
        TEST(test_known_directions_are_drawn),
        TEST(test_each_rule),
        TEST(test_contradiction_stays_a_line),
        TEST(test_two_heads_imply_nothing),
        TEST(test_single_edges),
        TEST(test_open_triples_imply_nothing),
        TEST(test_pattern_of_all_dags),
        TEST(test_pattern_refuses_what_is_no_dag),
        TEST(test_known_arrows_against_brute_force),
        TEST(test_any_choice_ends_in_the_class),
        TEST(test_distance),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
