/* test_orient.c - v-structures, their conflicts, and rules: worked out by hand, and with meaningless answers. */
#include "graph/orient.h"
#include "graph/skeleton.h"

#include <string.h>

#include "graph_answers.h"
#include "pdag_helpers.h"

/* 0 -> 1 <- 2 with 0 -> 1 forbidden: the v-structure is left out, and 1 -> 0 is drawn. */
static void test_knowledge_refuses_colliders(void **state)
{
    fixture *f = *state;
    small_dag dag = {.d = 3, .parent = {0, 5, 0}};
    knowledge k;
    skeleton found;
    orienter o;
    skeleton_options how = options_of(ask_dag, &dag);
    how.known = &k;
    for (int conflicts = 0; conflicts < CONFLICTS; conflicts++) {
        assert_int_equal(knowledge_new(f->ctx, &f->scratch, 3, &k), NONSENS_OK);
        knowledge_forbid(&k, 0, 1);
        assert_int_equal(discover(f->ctx, &f->scratch, 3, &how, ORIENT_PLAIN, conflicts, &found, &o), NONSENS_OK);
        assert_int_equal(o.report.colliders, 1);
        assert_int_equal(o.report.refused, 1);
        assert_true(orient_is_open(&o, 2, 1, 0));
        assert_int_equal(pdag_mark_of(o.graph, 1, 0), PDAG_ARROW);
        assert_int_equal(pdag_mark_of(o.graph, 1, 2), PDAG_LINE);
    }
}

/* Forbidden colliders are left out even if the knowledge was not applied before. */
static void test_knowledge_alone_refuses(void **state)
{
    fixture *f = *state;
    small_dag dag = {.d = 3, .parent = {0, 5, 0}};
    skeleton_options how = options_of(ask_dag, &dag);
    for (int conflicts = 0; conflicts < CONFLICTS; conflicts++) {
        knowledge k;
        skeleton found;
        orienter o;
        assert_int_equal(skeleton_find(f->ctx, &f->scratch, 3, &how, &found), NONSENS_OK);
        assert_int_equal(knowledge_new(f->ctx, &f->scratch, 3, &k), NONSENS_OK);
        knowledge_forbid(&k, 0, 1);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &found.graph, &k, &o), NONSENS_OK);
        assert_int_equal(orient_colliders(f->ctx, &f->scratch, &o, &found, &how, ORIENT_PLAIN, conflicts), NONSENS_OK);
        assert_int_equal(o.report.refused, 1);
        assert_int_equal(pdag_mark_of(&found.graph, 0, 1), PDAG_LINE);
        assert_int_equal(pdag_mark_of(&found.graph, 1, 2), PDAG_LINE);
    }
}

/* The path 0 - 1 - 2 - 3 with v-structures at 1 and at 2. */
static void test_conflict(void **state)
{
    fixture *f = *state;
    table t = {3, {{0, 2, 0, 0.4}, {1, 3, 0, 0.3}, {0, 3, 0, 0.9}}};
    skeleton_options how = options_of(ask_table, &t);
    skeleton found;
    orienter o;
    assert_int_equal(discover(f->ctx, &f->scratch, 4, &how, ORIENT_PLAIN, ORIENT_BIDIRECTED, &found, &o), NONSENS_OK);
    assert_int_equal(o.report.colliders, 2);
    assert_int_equal(o.report.conflicts, 1);
    assert_int_equal(pdag_mark_of(o.graph, 0, 1), PDAG_ARROW);
    assert_int_equal(pdag_mark_of(o.graph, 1, 2), PDAG_BOTH);
    assert_int_equal(pdag_mark_of(o.graph, 3, 2), PDAG_ARROW);
    for (int turn = 0; turn < 2; turn++) { // the larger p wins; the v-structure that is left out implies nothing
        t.row[1].p_value = turn ? 0.5 : 0.3;
        assert_int_equal(discover(f->ctx, &f->scratch, 4, &how, ORIENT_PLAIN, ORIENT_PRIORITY, &found, &o), NONSENS_OK);
        assert_int_equal(o.report.conflicts, 1);
        assert_int_equal(pdag_mark_of(o.graph, 0, 1), turn ? PDAG_LINE : PDAG_ARROW);
        assert_int_equal(pdag_mark_of(o.graph, 1, 2), turn ? PDAG_ARROW : PDAG_BACK);
        assert_int_equal(pdag_mark_of(o.graph, 2, 3), turn ? PDAG_BACK : PDAG_LINE);
    }
}

/* The cycle 0 - 1 - 2 - 0 with one neighbour each: 3 -> 0 <- 2, 4 -> 1 <- 0, 5 -> 2 <- 1 make a cycle of arrows. */
static void test_cycle_of_colliders(void **state)
{
    fixture *f = *state;
    pdag g = small_graph(f, 6);
    const int64_t spoke[3][3] = {{3, 0, 2}, {4, 1, 0}, {5, 2, 1}};
    for (int i = 0; i < 3; i++) {
        pdag_set(&g, spoke[i][0], spoke[i][1], PDAG_LINE);
        pdag_set(&g, spoke[i][1], spoke[i][2], PDAG_LINE);
    }
    for (int conflicts = 0; conflicts < CONFLICTS; conflicts++) {
        skeleton found;
        orienter o;
        pdag copy = small_graph(f, 6);
        skeleton_options how = {.alpha = 0.1};
        found.graph = g;
        found.pair = arena_get(f->ctx, &f->scratch, 15, sizeof *found.pair);
        assert_non_null(found.pair);
        int32_t other[3] = {1, 2, 0}; // the third node of the cycle, which separates the remaining pairs
        for (int i = 0; i < 3; i++) {
            int64_t third = 3 - spoke[i][1] - spoke[i][2];
            *skeleton_at(&found, spoke[i][0], spoke[i][2]) = (skeleton_pair){0.2 + 0.1 * i, true, 0, NULL};
            other[i] = (int32_t)spoke[i][1];
            *skeleton_at(&found, spoke[i][0], third) = (skeleton_pair){0.5, true, 1, &other[i]};
        }
        pdag_copy(&g, &copy);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &copy, NULL, &o), NONSENS_OK);
        assert_int_equal(orient_colliders(f->ctx, &f->scratch, &o, &found, &how, ORIENT_PLAIN, conflicts), NONSENS_OK);
        assert_int_equal(o.report.colliders, 3);
        assert_false(pdag_has_cycle(&copy));
        for (int i = 0; i < 3 && conflicts == ORIENT_BIDIRECTED; i++) {
            assert_int_equal(pdag_mark_of(&copy, spoke[i][0], spoke[i][1]), PDAG_ARROW);
            assert_int_equal(pdag_mark_of(&copy, spoke[i][1], spoke[i][2]), PDAG_BOTH);
        }
        assert_int_equal(o.report.conflicts, conflicts == ORIENT_BIDIRECTED ? 3 : 1);
        assert_int_equal(pdag_mark_of(&copy, 2, 0), conflicts == ORIENT_BIDIRECTED ? PDAG_BOTH : PDAG_LINE);
    }
}

/* Paths 0 - 1 - 2 and 0 - 3 - 2, whose ends are separated by {}, {1} and {1, 3}. */
static void test_conservative_and_majority(void **state)
{
    fixture *f = *state;
    table t = {4, {{0, 2, 0, 0.5}, {0, 2, 2, 0.5}, {0, 2, 10, 0.5}, {1, 3, 5, 0.5}}};
    skeleton_options how = options_of(ask_table, &t);
    skeleton found;
    orienter o;
    const enum pdag_mark at_one[] = {PDAG_BACK, PDAG_LINE, PDAG_LINE}, at_three[] = {PDAG_BACK, PDAG_LINE, PDAG_BACK};
    const int64_t ambiguous[] = {0, 2, 0};
    for (int rule = 0; rule < RULES; rule++) {
        assert_int_equal(discover(f->ctx, &f->scratch, 4, &how, rule, ORIENT_BIDIRECTED, &found, &o), NONSENS_OK);
        assert_int_equal(o.report.triples, 4); // two of them are 1 - 0 - 3 and 1 - 2 - 3, which are no v-structures
        assert_int_equal(o.report.ambiguous, ambiguous[rule]);
        assert_int_equal(pdag_mark_of(o.graph, 1, 0), at_one[rule]);
        assert_int_equal(pdag_mark_of(o.graph, 3, 0), at_three[rule]);
        assert_int_equal(orient_is_open(&o, 0, 1, 2), rule == ORIENT_CONSERVATIVE);
    }
    t.row[2] = t.row[3]; // {} and {1}: node 1 is in half of the sets
    t.rows = 3;
    assert_int_equal(discover(f->ctx, &f->scratch, 4, &how, ORIENT_MAJORITY, ORIENT_BIDIRECTED, &found, &o),
                     NONSENS_OK);
    assert_int_equal(o.report.ambiguous, 1);
    assert_true(orient_is_open(&o, 2, 1, 0) && !orient_is_open(&o, 2, 3, 0));
    assert_int_equal(o.report.colliders, 1);
    t.rows = 0; // no set separates any longer
    for (int rule = ORIENT_CONSERVATIVE; rule < RULES; rule++) {
        pdag_forget_directions(o.graph);
        assert_int_equal(orient_new(f->ctx, &f->scratch, o.graph, NULL, &o), NONSENS_OK);
        assert_int_equal(orient_colliders(f->ctx, &f->scratch, &o, &found, &how, rule, ORIENT_PRIORITY), NONSENS_OK);
        assert_int_equal(o.report.ambiguous, 4);
        assert_int_equal(o.report.colliders, 0);
    }
}

/* ---- meaningless answers ---------------------------------------------------------------------------------------- */

static bool is_new_collider(const orienter *o, const pdag *before, int64_t x, int64_t y, int64_t z)
{
    return x != z && pdag_is_arrow(o->graph, x, y) && pdag_is_arrow(o->graph, z, y) &&
           !pdag_is_adjacent(o->graph, x, z) && !(pdag_is_arrow(before, x, y) && pdag_is_arrow(before, z, y)) &&
           !orient_is_open(o, x, y, z);
}

static void test_rules_make_neither_cycles_nor_colliders(void **state)
{
    fixture *f = *state;
    int64_t undecided = 0, conflicts = 0, ambiguous = 0;
    for (int round = 0; round < 1200; round++) {
        int d = 5 + round % 4;
        nonsense q = make_nonsense(round, 6.0 * (1 + round % 7));
        arena_mark mark = arena_tell(&f->scratch);
        skeleton_options how = options_of(ask_nonsense, &q);
        skeleton found;
        orienter o;
        pdag g = small_graph(f, d), before = small_graph(f, d);
        assert_int_equal(skeleton_find(f->ctx, &f->scratch, d, &how, &found), NONSENS_OK);
        pdag_copy(&found.graph, &g);
        assert_int_equal(orient_new(f->ctx, &f->scratch, &g, NULL, &o), NONSENS_OK);
        assert_int_equal(
            orient_colliders(f->ctx, &f->scratch, &o, &found, &how, round % RULES, round / RULES % CONFLICTS),
            NONSENS_OK);
        assert_false(pdag_has_cycle(&g));
        pdag_copy(&g, &before);
        assert_int_equal(orient_rules(f->ctx, &o), NONSENS_OK);
        assert_false(pdag_has_cycle(&g));
        for (int y = 0; y < d; y++) {
            for (int x = 0; x < d; x++) {
                assert_int_equal(pdag_is_adjacent(&g, x, y), pdag_is_adjacent(&found.graph, x, y));
                for (int z = 0; z < x; z++) {
                    assert_false(is_new_collider(&o, &before, x, y, z));
                }
            }
        }
        undecided += o.report.undecided;
        conflicts += o.report.conflicts;
        ambiguous += o.report.ambiguous;
        arena_rewind(&f->scratch, mark);
    }
    assert_true(undecided > 20 && conflicts > 20 && ambiguous > 20); // the answers really are meaningless
}

/* The order of nodes does not matter, however bad the answers are (with rules that look at all separating sets). */
static void test_order_of_nodes(void **state)
{
    fixture *f = *state;
    rng r = rng_new(4, RNG_TEST, 1);
    for (int round = 0; round < 600; round++) {
        int d = 5 + round % 4;
        nonsense q = make_nonsense(round, 6.0 * (1 + round % 7)), reordered = q;
        int64_t order[MAX_NODES]; // node i of the second run is node order[i] of the first
        for (int i = 0; i < d; i++) {
            order[i] = i;
        }
        rng_shuffle(&r, d, order);
        memcpy(reordered.name, order, sizeof order);
        arena_mark mark = arena_tell(&f->scratch);
        skeleton_options how = options_of(ask_nonsense, &q), then = options_of(ask_nonsense, &reordered);
        skeleton found[2];
        orienter o[2];
        enum collider_rule rule = round % 2 ? ORIENT_MAJORITY : ORIENT_CONSERVATIVE;
        assert_int_equal(discover(f->ctx, &f->scratch, d, &how, rule, round / 2 % 2, &found[0], &o[0]), NONSENS_OK);
        assert_int_equal(discover(f->ctx, &f->scratch, d, &then, rule, round / 2 % 2, &found[1], &o[1]), NONSENS_OK);
        for (int b = 1; b < d; b++) {
            for (int a = 0; a < b; a++) {
                assert_int_equal(pdag_mark_of(o[1].graph, a, b), pdag_mark_of(o[0].graph, order[a], order[b]));
            }
        }
        assert_memory_equal(&o[0].report, &o[1].report, sizeof o[0].report);
        arena_rewind(&f->scratch, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_knowledge_refuses_colliders),
        TEST(test_knowledge_alone_refuses),
        TEST(test_conflict),
        TEST(test_cycle_of_colliders),
        TEST(test_conservative_and_majority),
        TEST(test_rules_make_neither_cycles_nor_colliders),
        TEST(test_order_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
