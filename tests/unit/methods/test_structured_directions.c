/*
 * test_structured_directions.c - what directs the edges of a graph: each kind of evidence alone, and its limits; then
 * linear Gaussian data, which only changes and v-structures can direct.
 */
#include "methods/structured_graph/structured_directions.h"

#include "base/rng.h"
#include "data/dataset.h"
#include "methods/shared/result.h"

#include <math.h>

#include "fixture.h"

enum { D = 5, ROWS = 1000 };
enum { OPEN, KNOWN, CHANGES, COLLIDER, RULES, LIKELIHOOD }; /* nonsens_directed_by */

static const double NOTHING = 0.4, LOST = 1e-3, CLEARLY = 1e-9; /* p-values of "reversing loses nothing" */
static const double HELD = NAN;                                 /* reversing is impossible */

typedef struct expected_arrow {
    int from, to;
    double loss_p;
    int by;
} expected_arrow;

typedef struct graph_case {
    int changes; /* bit j: the disturbance of j changes */
    int arrows;
    bool dependent; /* disturbances of adjacent variables are dependent */
    expected_arrow arrow[6];
} graph_case;

static structured_search search_of(fixture *f, structured_scores *scores, const graph_case *c)
{
    structured_search s = {.scores = scores};
    assert_int_equal(pdag_new(f->ctx, &f->scratch, D, &s.graph), NONSENS_OK);
    for (int i = 0; i < c->arrows; i++) {
        pdag_set(&s.graph, c->arrow[i].from, c->arrow[i].to, PDAG_ARROW);
    }
    return s;
}

static void check_case(fixture *f, const graph_case *c, const knowledge *known, double loss)
{
    nonsens_data data = {.n = ROWS, .d = D};
    structured_scores scores = {.data = &data};
    structured_search s = search_of(f, &scores, c);
    structured_arrow arrow[6];
    bool changes[D], dependent[D * D] = {false};
    structured_disturbances noise = {changes, dependent};
    s.known = known;
    for (int j = 0; j < D; j++) {
        changes[j] = c->changes >> j & 1;
    }
    for (int i = 0; i < c->arrows; i++) {
        const expected_arrow *e = &c->arrow[i];
        arrow[i] = (structured_arrow){.from = e->from, .to = e->to, .loss_p = e->loss_p, .possible = !isnan(e->loss_p)};
        arrow[i].reversed.total = -loss * ROWS;
        dependent[e->from * D + e->to] = c->dependent;
    }
    assert_int_equal(structured_direct(f->ctx, &f->scratch, &s, &noise, 0.05, c->arrows, arrow), NONSENS_OK);
    for (int i = 0; i < c->arrows; i++) {
        if (arrow[i].by != (nonsens_directed_by)c->arrow[i].by) {
            fail_msg("%d -> %d: by %d, not %d", c->arrow[i].from, c->arrow[i].to, (int)arrow[i].by, c->arrow[i].by);
        }
    }
}

static void test_kinds_of_evidence(void **state)
{
    const graph_case cases[] = {
        /* a v-structure, and what follows from it */
        {0, 3, false, {{0, 2, LOST, COLLIDER}, {1, 2, LOST, COLLIDER}, {2, 3, LOST, RULES}}},
        /* a v-structure that costs nothing to undo directs nothing; if its ends are adjacent, there is none */
        {0, 3, false, {{0, 2, NOTHING, OPEN}, {1, 2, NOTHING, OPEN}, {2, 3, LOST, OPEN}}},
        {0, 3, false, {{0, 2, LOST, OPEN}, {1, 2, LOST, OPEN}, {0, 1, LOST, OPEN}}},
        /* a change at the start of a chain directs all of it, one at its end only the last arrow */
        {1, 3, false, {{0, 1, LOST, CHANGES}, {1, 2, LOST, RULES}, {2, 3, LOST, RULES}}},
        {8, 3, false, {{0, 1, LOST, OPEN}, {1, 2, LOST, OPEN}, {2, 3, LOST, CHANGES}}},
        /* a change that does not distinguish directions */
        {3, 1, false, {{0, 1, NOTHING, OPEN}}},
        /* no cycle: two changes direct a triangle's third arrow */
        {3, 3, false, {{0, 1, LOST, CHANGES}, {1, 2, LOST, CHANGES}, {0, 2, HELD, RULES}}},
        /* an arrow that cannot be reversed, in a cycle that is not directed */
        {4, 3, false, {{0, 1, NOTHING, OPEN}, {1, 2, NOTHING, OPEN}, {0, 2, HELD, CHANGES}}},
        {0, 3, false, {{0, 1, NOTHING, OPEN}, {1, 2, NOTHING, OPEN}, {0, 2, HELD, OPEN}}},
        /* likelihood alone must be clear; rules then follow from it */
        {0, 2, false, {{0, 1, CLEARLY, LIKELIHOOD}, {1, 2, LOST, RULES}}},
        {0, 1, false, {{0, 1, LOST, OPEN}}},
        {0, 2, true, {{0, 1, CLEARLY, OPEN}, {1, 2, LOST, OPEN}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(*state, &cases[i], NULL, 0.1);
    }
}

/* A loss per row as small as a misfit directs nothing, however significant many rows make it. */
static void test_small_losses(void **state)
{
    check_case(*state, &(graph_case){0, 1, false, {{0, 1, CLEARLY, OPEN}}}, NULL, 1e-4);
}

static void test_knowledge(void **state)
{
    fixture *f = *state;
    knowledge known;
    assert_int_equal(knowledge_new(f->ctx, &f->scratch, D, &known), NONSENS_OK);
    knowledge_require(&known, 0, 1);
    knowledge_forbid(&known, 3, 2);
    check_case(f, &(graph_case){0, 3, false, {{0, 1, HELD, KNOWN}, {1, 2, LOST, RULES}, {2, 3, HELD, KNOWN}}}, &known,
               0.1);
}

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* Draws linear Gaussian x, y, z in six segments: the chain x -> y -> z or the collider x -> y <- z; x may change. */
static nonsens_result *discover(fixture *f, bool collider, bool change)
{
    enum { SEGMENTS = 6, N = SEGMENTS * 200 };
    double *x = fixture_doubles(f, 3 * N), *y = x + N, *z = y + N;
    int64_t segment[N];
    nonsens_data *data;
    nonsens_options *o;
    nonsens_result *result;
    rng r = rng_new(7, RNG_TEST, 98);
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i % SEGMENTS;
        x[i] = (change ? 1.0 + (double)segment[i] : 1.0) * rng_normal(&r);
        z[i] = rng_normal(&r);
        y[i] = x[i] + (collider ? z[i] : 0.0) + rng_normal(&r);
        z[i] += collider ? 0.0 : y[i];
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, N, 3, x, 1, N, NULL, segment, &data), NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "method", "structured"), NONSENS_OK);
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &result), NONSENS_OK);
    nonsens_options_free(o);
    nonsens_data_free(data);
    return result;
}

static void test_gaussian_data(void **state)
{
    static const struct {
        bool collider, change;
        int by[2]; /* of the edges of x and y, and of y and z */
    } cases[] = {{false, false, {OPEN, OPEN}}, {false, true, {CHANGES, RULES}}, {true, false, {COLLIDER, COLLIDER}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        nonsens_result *r = discover(*state, cases[c].collider, cases[c].change);
        assert_int_equal(r->edges, 2);
        for (int i = 0; i < 2; i++) {
            const nonsens_edge *e = &r->edge[i];
            bool directed = cases[c].by[i] != OPEN;
            assert_int_equal(e->directed_by, cases[c].by[i]);
            assert_int_equal(e->type, directed ? NONSENS_EDGE_DIRECTED : NONSENS_EDGE_UNDIRECTED);
            assert_true(!directed || e->to == (i == 1 && !cases[c].collider ? 2 : 1));
        }
        nonsens_result_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_kinds_of_evidence), TEST(test_small_losses), TEST(test_knowledge),
                                       TEST(test_gaussian_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
