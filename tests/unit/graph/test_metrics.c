/* test_metrics.c - distances between graphs worked out by hand, closures against searches for paths. */
#include "base/rng.h"
#include "graph/metrics.h"

#include <math.h>

#include "fixture.h"
#include "pdag_helpers.h"

static pdag graph(fixture *f, int64_t d, int64_t count, const pdag_edge *edge)
{
    pdag g;
    assert_int_equal(pdag_from_edges(f->ctx, &f->scratch, d, count, edge, &g), NONSENS_OK);
    return g;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-14)) {
        fail_msg("%.17g in place of %.17g", found, expected);
    }
}

/*
 * Truth: 0 -> 1, 1 -> 2, 2 -> 3, 3 -> 4, 0 -- 4.  Estimate: 0 -> 1 (correct), 2 -> 1 (reversed), 2 -- 3 (a line instead
 * of an arrow), 3 <-> 4 (two heads instead of one), 1 -> 3 (extra), and 0 -- 4 is missing.
 */
static const pdag_edge TRUE_EDGE[] = {
    {0, 1, PDAG_ARROW}, {1, 2, PDAG_ARROW}, {2, 3, PDAG_ARROW}, {3, 4, PDAG_ARROW}, {0, 4, PDAG_LINE}};
static const pdag_edge FOUND_EDGE[] = {
    {0, 1, PDAG_ARROW}, {2, 1, PDAG_ARROW}, {2, 3, PDAG_LINE}, {3, 4, PDAG_BOTH}, {1, 3, PDAG_ARROW}};

static void test_counts(void **state)
{
    fixture *f = *state;
    pdag truth = graph(f, 5, 5, TRUE_EDGE), found = graph(f, 5, 5, FOUND_EDGE);
    metrics m;
    metrics_compare(&found, &truth, &m);
    assert_true(m.missing == 1 && m.extra == 1 && m.reversed == 1 && m.marked == 2 && m.shd == 5);
    assert_true(m.skeleton.true_positives == 4 && m.skeleton.predicted == 5 && m.skeleton.actual == 5 &&
                m.skeleton.possible == 10);
    assert_true(m.arrows.true_positives == 1 && m.arrows.predicted == 3 && m.arrows.actual == 4 &&
                m.arrows.possible == 20);
    assert_near(m.skeleton.precision, 0.8);
    assert_near(m.arrows.precision, 1.0 / 3);
    assert_near(m.arrows.recall, 0.25);
    assert_near(m.arrows.f1, 2.0 / 7);
}

/* Four true arrows join nodes that the estimate joins, too; one of them is correct. */
static void test_direction_accuracy(void **state)
{
    fixture *f = *state;
    pdag truth = graph(f, 5, 5, TRUE_EDGE), found = graph(f, 5, 5, FOUND_EDGE), none = graph(f, 5, 0, NULL);
    metrics m;
    metrics_compare(&found, &truth, &m);
    assert_int_equal(m.directions, 4);
    assert_near(m.direction_accuracy, 0.25);
    assert_int_equal(m.undirected, 1);
    metrics_compare(&truth, &truth, &m);
    assert_true(m.directions == 4 && m.direction_accuracy == 1.0 && m.undirected == 1);
    metrics_compare(&none, &truth, &m);
    assert_true(m.directions == 0 && isnan(m.direction_accuracy) && m.undirected == 0);
    metrics_compare(&truth, &none, &m); // extra edges have no true direction
    assert_true(m.directions == 0 && isnan(m.direction_accuracy));
}

/* Skeleton: TP 4, FP 1, FN 1, TN 4.  Arrows: TP 1, FP 2, FN 3, TN 14. */
static void test_matthews(void **state)
{
    fixture *f = *state;
    pdag truth = graph(f, 5, 5, TRUE_EDGE), found = graph(f, 5, 5, FOUND_EDGE), none = graph(f, 5, 0, NULL);
    metrics m;
    metrics_compare(&found, &truth, &m);
    assert_near(m.skeleton.mcc, (4.0 * 4 - 1.0 * 1) / sqrt(5.0 * 5 * 5 * 5));
    assert_near(m.arrows.mcc, (1.0 * 14 - 2.0 * 3) / sqrt(3.0 * 4 * 16 * 17));
    metrics_compare(&truth, &truth, &m);
    assert_near(m.skeleton.mcc, 1.0);
    assert_near(m.arrows.mcc, 1.0);
    metrics_compare(&none, &truth, &m);
    assert_true(isnan(m.skeleton.mcc) && isnan(m.arrows.mcc));
    pdag full = graph(f, 5, 0, NULL);
    pdag_complete(&full);
    metrics_compare(&full, &truth, &m); // all pairs are adjacent
    assert_true(isnan(m.skeleton.mcc) && m.skeleton.recall == 1.0);
}

static void test_closure(void **state)
{
    fixture *f = *state;
    rng r = rng_new(5, RNG_TEST, 0);
    int64_t cycles = 0, lines = 0;
    for (int round = 0; round < 300; round++) {
        int64_t d = 2 + round % 9;
        arena_mark mark = arena_tell(&f->scratch);
        pdag g = graph(f, d, 0, NULL), closure = graph(f, d, 0, NULL);
        for (int64_t b = 1; b < d; b++) {
            for (int64_t a = 0; a < b; a++) {
                double u = rng_uniform(&r);
                pdag_set(&g, a, b, u < 0.2 ? PDAG_ARROW : u < 0.3 ? PDAG_BACK : u < 0.35 ? PDAG_LINE : PDAG_NONE);
            }
        }
        assert_int_equal(metrics_closure(f->ctx, &g, &closure), NONSENS_OK);
        for (int64_t b = 1; b < d; b++) {
            for (int64_t a = 0; a < b; a++) {
                bool there = pdag_is_ancestor(&g, a, b), back = pdag_is_ancestor(&g, b, a);
                enum pdag_mark expected = there && back ? PDAG_BOTH
                                          : there       ? PDAG_ARROW
                                          : back        ? PDAG_BACK
                                                        : pdag_mark_of(&g, a, b);
                assert_int_equal(pdag_mark_of(&closure, a, b), expected);
                cycles += expected == PDAG_BOTH;
                lines += expected == PDAG_LINE;
            }
        }
        pdag again = graph(f, d, 0, NULL); // the rows of bits hold no loops a -> a
        pdag_copy(&closure, &again);
        for (int64_t a = 0; a < d; a++) {
            assert_false(pdag_is_arrow(&again, a, a));
        }
        arena_rewind(&f->scratch, mark);
    }
    assert_true(cycles > 10 && lines > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_counts), TEST(test_direction_accuracy), TEST(test_matthews),
                                       TEST(test_closure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
