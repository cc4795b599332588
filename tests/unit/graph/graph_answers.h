/*
 * graph_answers.h - tests of independence that need no data: d-separation in a small DAG, a table, arbitrary answers;
 * and all steps from them to a graph.
 *
 * Include it last, instead of fixture.h.
 */
#ifndef UNIT_GRAPH_ANSWERS_H
#define UNIT_GRAPH_ANSWERS_H

#include "base/hash.h"
#include "graph/orient.h"
#include "graph/skeleton.h"

#include <math.h>

#include "small_dags.h"

enum { RULES = 3, CONFLICTS = 2 };

/* Returns p-value 1 if d-separation makes x and y independent, else 0. */
static inline nonsens_status ask_dag(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                     int64_t count, const int64_t *given, double *p_value)
{
    (void)ctx, (void)scratch;
    unsigned set = 0;
    assert_true(x < y);
    for (int64_t i = 0; i < count; i++) {
        assert_true(given[i] != x && given[i] != y && (i == 0 || given[i] > given[i - 1]));
        set |= 1u << given[i];
    }
    *p_value = small_separated(state, (int)x, (int)y, set) ? 1.0 : 0.0;
    return NONSENS_OK;
}

/* Meaningless answers that depend only on the nodes' names and a seed; name[node]. */
typedef struct nonsense {
    int64_t seed, name[MAX_NODES];
    double scale;      /* the smaller, the more often p > alpha */
    int64_t stop_at;   /* the call that fails or cancels; negative: none */
    int64_t calls;     /* counted with one thread only */
    double stop_value; /* answer of that call if it does not fail */
    nonsens_status stop_status;
    bool cancel;
} nonsense;

static inline nonsens_status ask_nonsense(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                          int64_t count, const int64_t *given, double *p_value)
{
    nonsense *q = state;
    unsigned set = 0;
    uint64_t h = HASH_START;
    double *space; // tests may use scratch memory
    ARENA_TRY(ctx, scratch, space, 100);
    assert_true(space[17] == 0.0);
    space[17] = 1.0;
    for (int64_t i = 0; i < count; i++) {
        set |= 1u << q->name[given[i]];
    }
    hash_number(&h, q->seed);
    hash_number(&h, 1 << q->name[x] | 1 << q->name[y]);
    hash_number(&h, set);
    rng r = rng_new(h, RNG_TEST, 0);
    *p_value = pow(rng_uniform(&r), q->scale);
    if (q->stop_at >= 0 && q->calls++ == q->stop_at) {
        if (q->cancel) {
            nonsens_context_cancel(ctx->root);
            return NONSENS_OK;
        }
        *p_value = q->stop_value;
        return q->stop_status == NONSENS_OK ? NONSENS_OK : (fail)(ctx, q->stop_status, "no answer");
    }
    return NONSENS_OK;
}

static inline nonsense make_nonsense(int64_t seed, double scale)
{
    nonsense q = {.seed = seed, .scale = scale, .stop_at = -1};
    for (int i = 0; i < MAX_NODES; i++) {
        q.name[i] = i;
    }
    return q;
}

static inline skeleton_options options_of(skeleton_test_fn test, void *state)
{
    return (skeleton_options){.test = test, .state = state, .alpha = 0.1, .max_given = -1, .threads = 1};
}

/* Runs all steps. */
static inline nonsens_status discover(nonsens_context *ctx, arena *a, int64_t d, const skeleton_options *how,
                                      enum collider_rule rule, enum conflict_rule conflicts, skeleton *found,
                                      orienter *o)
{
    pdag *g;
    TRY(skeleton_find(ctx, a, d, how, found));
    ARENA_TRY(ctx, a, g, 1);
    TRY(pdag_new(ctx, a, d, g));
    pdag_copy(&found->graph, g);
    TRY(orient_new(ctx, a, g, how->known, o));
    TRY(orient_knowledge(ctx, o));
    TRY(orient_colliders(ctx, a, o, found, how, rule, conflicts));
    return orient_rules(ctx, o);
}

static inline void assert_same(const pdag *got, const pdag *expected)
{
    for (int64_t b = 1; b < expected->d; b++) {
        for (int64_t a = 0; a < b; a++) {
            assert_int_equal(pdag_mark_of(got, a, b), pdag_mark_of(expected, a, b));
        }
    }
}

/* Every p-value is 0, except those of a table with one separating set per row. */
typedef struct table_row {
    int64_t x, y;
    unsigned given;
    double p_value;
} table_row;

typedef struct table {
    int rows;
    table_row row[8];
} table;

static inline nonsens_status ask_table(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                       int64_t count, const int64_t *given, double *p_value)
{
    (void)ctx, (void)scratch;
    const table *t = state;
    unsigned set = 0;
    for (int64_t i = 0; i < count; i++) {
        set |= 1u << given[i];
    }
    *p_value = 0.0;
    for (int i = 0; i < t->rows; i++) {
        if (t->row[i].x == x && t->row[i].y == y && t->row[i].given == set) {
            *p_value = t->row[i].p_value;
        }
    }
    return NONSENS_OK;
}

#endif
