/* test_skeleton.c - skeletons with d-separation, arbitrary answers and data, against brute force. */
#include "graph/metrics.h"
#include "graph/orient.h"
#include "graph/skeleton.h"
#include "graph/skeleton_test.h"

#include <math.h>
#include <string.h>

#include "graph_answers.h"

/* ---- d-separation ----------------------------------------------------------------------------------------------- */

static void check_dag(fixture *f, small_dag *dag)
{
    arena_mark mark = arena_tell(&f->scratch);
    pdag common = small_graph(f, dag->d);
    skeleton_options how = options_of(ask_dag, dag);
    small_common(dag, NULL, &common);
    for (int rule = 0; rule < RULES * CONFLICTS; rule++) {
        skeleton found;
        orienter o;
        assert_int_equal(discover(f->ctx, &f->scratch, dag->d, &how, rule % RULES, rule / RULES, &found, &o),
                         NONSENS_OK);
        assert_same(o.graph, &common);
        assert_int_equal(o.report.ambiguous + o.report.conflicts + o.report.undecided + o.report.refused, 0);
        assert_int_equal(o.report.tests > 0, rule % RULES != ORIENT_PLAIN && o.report.triples > 0);
        assert_false(found.capped);
        for (int b = 1; b < dag->d; b++) {
            for (int a = 0; a < b; a++) {
                const skeleton_pair *pair = skeleton_at(&found, b, a);
                unsigned set = 0;
                for (int i = 0; i < pair->count; i++) {
                    set |= 1u << pair->given[i];
                    assert_true(skeleton_separator_has(&found, a, b, pair->given[i]));
                }
                assert_int_equal(pair->separated, !small_adjacent(dag, a, b));
                assert_true(pair->p_value == (pair->separated ? 1.0 : 0.0));
                assert_true(!pair->separated || small_separated(dag, a, b, set));
            }
        }
    }
    arena_rewind(&f->scratch, mark);
}

static void test_all_dags_of_four(void **state)
{
    for (int64_t code = 0; code < 729; code++) {
        small_dag dag;
        if (small_numbered(4, code, &dag)) {
            check_dag(*state, &dag);
        }
    }
}

static void test_random_dags(void **state)
{
    rng r = rng_new(1, RNG_TEST, 1);
    for (int round = 0; round < 300; round++) {
        small_dag dag = small_random(&r, 5 + round % 4, 0.2 + 0.1 * (round % 5), 12);
        check_dag(*state, &dag);
    }
}

/* True required and forbidden arrows change neither skeleton nor class, except for the edges that they direct. */
static void test_known_arrows(void **state)
{
    fixture *f = *state;
    rng r = rng_new(2, RNG_TEST, 1);
    for (int round = 0; round < 300; round++) {
        int d = 4 + round % 4;
        small_dag dag = small_random(&r, d, 0.4, 12);
        arena_mark mark = arena_tell(&f->scratch);
        unsigned fixed[MAX_NODES] = {0};
        pdag common = small_graph(f, d);
        knowledge k;
        skeleton found;
        orienter o;
        assert_int_equal(knowledge_new(f->ctx, &f->scratch, d, &k), NONSENS_OK);
        for (int b = 0; b < d; b++) {
            for (int a = 0; a < d; a++) {
                if ((dag.parent[b] >> a & 1) && rng_uniform(&r) < 0.3) {
                    fixed[b] |= 1u << a;
                    (round % 2 ? knowledge_require(&k, a, b) : knowledge_forbid(&k, b, a));
                }
            }
        }
        skeleton_options how = options_of(ask_dag, &dag);
        how.known = &k;
        small_common(&dag, fixed, &common);
        assert_int_equal(discover(f->ctx, &f->scratch, d, &how, round % RULES, round % CONFLICTS, &found, &o),
                         NONSENS_OK);
        assert_same(o.graph, &common);
        for (int b = 0; b < d; b++) {
            for (int a = 0; a < d; a++) {
                if (knowledge_requires(&k, a, b)) { // never tested
                    assert_true(isnan(skeleton_at(&found, a, b)->p_value));
                }
            }
        }
        arena_rewind(&f->scratch, mark);
    }
}

static void test_gaps_are_not_tested(void **state)
{
    fixture *f = *state;
    small_dag dag = {.d = 3, .parent = {0, 1, 2}}; // 0 -> 1 -> 2
    knowledge k;
    skeleton found;
    orienter o;
    skeleton_options how = options_of(ask_dag, &dag);
    assert_int_equal(knowledge_new(f->ctx, &f->scratch, 3, &k), NONSENS_OK);
    knowledge_forbid(&k, 0, 2);
    knowledge_forbid(&k, 2, 0);
    how.known = &k;
    assert_int_equal(discover(f->ctx, &f->scratch, 3, &how, ORIENT_PLAIN, ORIENT_BIDIRECTED, &found, &o), NONSENS_OK);
    assert_true(isnan(skeleton_at(&found, 0, 2)->p_value) && !skeleton_at(&found, 0, 2)->separated);
    assert_false(pdag_is_adjacent(&found.graph, 0, 2));
    assert_int_equal(o.report.ambiguous, 1); // no separating set is known for them
    assert_int_equal(pdag_mark_of(o.graph, 0, 1), PDAG_LINE);
    assert_int_equal(discover(f->ctx, &f->scratch, 3, &how, ORIENT_MAJORITY, ORIENT_PRIORITY, &found, &o), NONSENS_OK);
    assert_int_equal(o.report.ambiguous, 0);
    k.d = 2;
    assert_int_equal(skeleton_find(f->ctx, &f->scratch, 3, &how, &found), NONSENS_ERR_USAGE);
}

static void test_limit_on_sets(void **state)
{
    fixture *f = *state;
    small_dag dag = {.d = 4, .parent = {0, 0, 3, 3}}; // 0, 1 -> 2, 3: 2 and 3 are separated only by both
    skeleton found;
    skeleton_options how = options_of(ask_dag, &dag);
    for (int64_t most = -1; most <= 3; most++) {
        how.max_given = most;
        assert_int_equal(skeleton_find(f->ctx, &f->scratch, 4, &how, &found), NONSENS_OK);
        assert_int_equal(pdag_is_adjacent(&found.graph, 2, 3), most == 0 || most == 1);
        assert_int_equal(found.capped, most == 0 || most == 1);
        assert_true(most < 0 || found.level <= most);
    }
    assert_int_equal(skeleton_at(&found, 3, 2)->count, 2);
    assert_int_equal(skeleton_at(&found, 1, 0)->count, 0);
}

/* The largest p-value is kept; p = alpha does not separate. */
static void test_p_values(void **state)
{
    fixture *f = *state;
    table t = {4, {{0, 1, 0, 0.05}, {0, 1, 4, 0.01}, {0, 2, 0, 0.02}, {0, 2, 2, 0.1}}};
    skeleton_options how = options_of(ask_table, &t);
    skeleton found;
    assert_int_equal(skeleton_find(f->ctx, &f->scratch, 3, &how, &found), NONSENS_OK);
    assert_int_equal(pdag_edge_count(&found.graph), 3);
    assert_true(skeleton_at(&found, 0, 1)->p_value == 0.05);
    assert_true(skeleton_at(&found, 0, 2)->p_value == 0.1);
    assert_true(skeleton_at(&found, 1, 2)->p_value == 0.0);
    assert_int_equal(found.tests, 6); // each pair has one set of size one, shared by both nodes
    assert_int_equal(found.level, 1);
}

/* All are dependent: each of the 10 pairs of five is tested exactly once given each of the 8 subsets of the others. */
static void test_no_question_twice(void **state)
{
    fixture *f = *state;
    table t = {0};
    skeleton_options how = options_of(ask_table, &t);
    skeleton found;
    assert_int_equal(skeleton_find(f->ctx, &f->scratch, 5, &how, &found), NONSENS_OK);
    assert_int_equal(found.tests, 10 * 8);
}

static void assert_same_skeleton(const skeleton *s, const skeleton *t)
{
    assert_same(&s->graph, &t->graph);
    assert_int_equal(s->tests, t->tests);
    assert_int_equal(s->level, t->level);
    for (int64_t b = 1; b < s->graph.d; b++) {
        for (int64_t a = 0; a < b; a++) {
            const skeleton_pair *p = skeleton_at(s, a, b), *q = skeleton_at(t, a, b);
            assert_memory_equal(&p->p_value, &q->p_value, sizeof p->p_value);
            assert_int_equal(p->separated, q->separated);
            assert_int_equal(p->count, q->count);
            assert_true(p->count == 0 || memcmp(p->given, q->given, (size_t)p->count * sizeof *p->given) == 0);
        }
    }
}

static void test_threads(void **state)
{
    fixture *f = *state;
    for (int round = 0; round < 40; round++) {
        nonsense q = make_nonsense(round, 4.0);
        arena_mark mark = arena_tell(&f->scratch);
        skeleton_options how = options_of(ask_nonsense, &q);
        skeleton found[2];
        orienter o[2];
        for (int t = 0; t < 2; t++) {
            how.threads = 1 + t;
            assert_int_equal(discover(f->ctx, &f->scratch, 8, &how, round % RULES, round % 2, &found[t], &o[t]),
                             NONSENS_OK);
        }
        assert_same_skeleton(&found[0], &found[1]);
        assert_same(o[0].graph, o[1].graph);
        assert_memory_equal(&o[0].report, &o[1].report, sizeof o[0].report);
        arena_rewind(&f->scratch, mark);
    }
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static nonsens_status discover_nonsense(nonsens_context *ctx, arena *a, void *state)
{
    nonsense *q = state;
    skeleton_options how = options_of(ask_nonsense, q);
    skeleton found;
    orienter o;
    q->calls = 0;
    return discover(ctx, a, 6, &how, ORIENT_MAJORITY, ORIENT_PRIORITY, &found, &o);
}

static int64_t calls_of(fixture *f, nonsense q)
{
    q.stop_at = INT64_MAX;
    assert_int_equal(discover_nonsense(f->ctx, &f->scratch, &q), NONSENS_OK);
    return q.calls;
}

/* Every call in turn fails or cancels, and is the last one. */
static void stop_everywhere(fixture *f, nonsense q, nonsens_status expected)
{
    int64_t calls = calls_of(f, q);
    assert_true(calls > 20);
    for (int64_t at = 0; at < calls; at++) {
        arena a = {0};
        q.stop_at = at;
        context_begin(f->ctx);
        assert_int_equal(discover_nonsense(f->ctx, &a, &q), expected);
        assert_int_not_equal(nonsens_context_message(f->ctx)[0], '\0');
        assert_int_equal(q.calls, at + 1);
        arena_free(&a);
    }
}

static void test_failing_tests(void **state)
{
    nonsense q = make_nonsense(7, 4.0);
    q.stop_status = NONSENS_ERR_DATA;
    stop_everywhere(*state, q, NONSENS_ERR_DATA);
    q.stop_status = NONSENS_OK;
    q.stop_value = NAN;
    stop_everywhere(*state, q, NONSENS_ERR_NUMERIC);
    q.stop_value = 1.5;
    stop_everywhere(*state, q, NONSENS_ERR_NUMERIC);
}

static void test_cancelling_tests(void **state)
{
    nonsense q = make_nonsense(7, 4.0);
    q.cancel = true;
    stop_everywhere(*state, q, NONSENS_CANCELLED);
}

static void test_every_allocation_may_fail(void **state)
{
    nonsense q = make_nonsense(7, 4.0);
    assert_true(fail_every_allocation(*state, discover_nonsense, &q) >= 10);
}

static void test_options_and_limits(void **state)
{
    fixture *f = *state;
    nonsense q = make_nonsense(1, 1.0);
    skeleton_options how = options_of(ask_nonsense, &q);
    skeleton found;
    orienter o;
    assert_int_equal(discover(f->ctx, &f->scratch, 1, &how, ORIENT_MAJORITY, ORIENT_PRIORITY, &found, &o), NONSENS_OK);
    assert_int_equal(found.level, -1);
    assert_int_equal(discover(f->ctx, &f->scratch, 2, &how, ORIENT_PLAIN, ORIENT_BIDIRECTED, &found, &o), NONSENS_OK);
    assert_int_equal(found.tests, 1);
    how.alpha = NAN;
    assert_int_equal(skeleton_find(f->ctx, &f->scratch, 2, &how, &found), NONSENS_ERR_USAGE);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* Column j is noise plus `neighbours` expected causes before it, with weights of size .4 to .9 and random sign. */
static column_set linear_data(fixture *f, int64_t n, int64_t d, double neighbours, uint64_t seed, pdag *dag)
{
    rng r = rng_new(seed, RNG_TEST, 2);
    double **v = arena_get(f->ctx, &f->scratch, d, sizeof *v);
    assert_non_null(v);
    for (int64_t j = 0; j < d; j++) {
        v[j] = fixture_doubles(f, n);
        for (int64_t i = 0; i < n; i++) {
            v[j][i] = rng_normal(&r);
        }
        for (int64_t k = 0; k < j; k++) {
            if (rng_uniform(&r) * (double)(d - 1) < neighbours) {
                double weight = (0.4 + 0.5 * rng_uniform(&r)) * (rng_uniform(&r) < 0.5 ? -1.0 : 1.0);
                pdag_set(dag, k, j, PDAG_ARROW);
                for (int64_t i = 0; i < n; i++) {
                    v[j][i] += weight * v[k][i];
                }
            }
        }
    }
    return (column_set){n, d, (const double *const *)v};
}

/* Both ways to compute Fisher's z give the same p-values, bit for bit, even if the nodes have a different order. */
static void test_testers_agree(void **state)
{
    fixture *f = *state;
    enum { D = 14, N = 200 };
    pdag dag = small_graph(f, D);
    column_set all = linear_data(f, N, D, 4.0, 1, &dag), single[D];
    int64_t start[] = {0, 90, N}, variable[D];
    const double *in_rank[D];
    int32_t rank[D];
    row_groups groups = {2, start};
    rng r = rng_new(5, RNG_TEST, 2);
    fisher_z_data data;
    ci_tester *tester;
    for (int j = 0; j < D; j++) {
        single[j] = (column_set){N, 1, &all.v[j]};
        variable[j] = j;
    }
    rng_shuffle(&r, D, variable);
    for (int j = 0; j < D; j++) {
        rank[variable[j]] = j;
    }
    ci_options how = {.test = TEST_FISHER_Z, .threads = 1};
    ci_variables variables = {D, single, rank, groups};
    assert_int_equal(ci_new(f->ctx, &variables, &how, &tester), NONSENS_OK);
    for (int j = 0; j < D; j++) {
        in_rank[j] = all.v[variable[j]];
    }
    column_set ordered = {N, D, in_rank}; // the bits of a correlation depend on the order of the columns
    assert_int_equal(fisher_z_new(f->ctx, &f->scratch, &ordered, &groups, &data), NONSENS_OK);
    skeleton_ci by_tester = {tester, variable};
    skeleton_fisher_z directly = {&data, NULL};
    for (int64_t count = 0; count <= D - 2; count++) {
        for (int repeat = 0; repeat < 20; repeat++) {
            int64_t node[D];
            double p, q;
            for (int j = 0; j < D; j++) {
                node[j] = j;
            }
            rng_shuffle(&r, D, node);
            for (int64_t i = 1; i < count; i++) { // ascending, as required by a skeleton
                for (int64_t at = i; at > 0 && node[2 + at] < node[1 + at]; at--) {
                    int64_t t = node[2 + at];
                    node[2 + at] = node[1 + at];
                    node[1 + at] = t;
                }
            }
            int64_t x = node[0] < node[1] ? node[0] : node[1], y = node[0] + node[1] - x;
            assert_int_equal(skeleton_ask_ci(f->ctx, &f->scratch, &by_tester, x, y, count, node + 2, &p), NONSENS_OK);
            assert_int_equal(skeleton_ask_fisher_z(f->ctx, &f->scratch, &directly, x, y, count, node + 2, &q),
                             NONSENS_OK);
            assert_memory_equal(&p, &q, sizeof p);
        }
    }
    skeleton found[2];
    skeleton_options lean = options_of(skeleton_ask_fisher_z, &directly),
                     whole = options_of(skeleton_ask_ci, &by_tester);
    assert_int_equal(skeleton_find(f->ctx, &f->scratch, D, &lean, &found[0]), NONSENS_OK);
    whole.threads = 2;
    assert_int_equal(skeleton_find(f->ctx, &f->scratch, D, &whole, &found[1]), NONSENS_OK);
    assert_same_skeleton(&found[0], &found[1]);
    ci_free(tester);
}

/* The pattern of a sparse linear model is found from data. */
static void test_linear_data(void **state)
{
    fixture *f = *state;
    enum { D = 200, N = 1000 };
    pdag dag = small_graph(f, D), pattern = small_graph(f, D);
    column_set all = linear_data(f, N, D, 2.0, 3, &dag);
    int64_t start[] = {0, N};
    row_groups groups = {1, start};
    fisher_z_data data;
    skeleton found;
    orienter o;
    metrics m;
    skeleton_fisher_z directly = {&data, NULL};
    skeleton_options how = options_of(skeleton_ask_fisher_z, &directly);
    how.alpha = 0.01;
    assert_int_equal(fisher_z_new(f->ctx, &f->scratch, &all, &groups, &data), NONSENS_OK);
    assert_int_equal(discover(f->ctx, &f->scratch, D, &how, ORIENT_PLAIN, ORIENT_BIDIRECTED, &found, &o), NONSENS_OK);
    assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &dag, &pattern), NONSENS_OK);
    metrics_compare(o.graph, &pattern, &m);
    assert_true(m.skeleton.precision > 0.9 && m.skeleton.recall > 0.9);
    assert_true(m.arrows.precision > 0.8 && m.arrows.recall > 0.7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_dags_of_four),
        TEST(test_random_dags),
        TEST(test_known_arrows),
        TEST(test_gaps_are_not_tested),
        TEST(test_limit_on_sets),
        TEST(test_p_values),
        TEST(test_no_question_twice),
        TEST(test_threads),
        TEST(test_failing_tests),
        TEST(test_cancelling_tests),
        TEST(test_every_allocation_may_fail),
        TEST(test_options_and_limits),
        TEST(test_testers_agree),
        TEST(test_linear_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
