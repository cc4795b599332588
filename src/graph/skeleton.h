/*
 * skeleton.h - finds which variables are adjacent, by tests of conditional independence: PC-stable (Colombo, Maathuis,
 * "Order-independent constraint-based causal structure learning", JMLR 15, 2014; Spirtes, Glymour, Scheines,
 * "Causation, Prediction, and Search", 2000).
 *
 * The caller passes the test as a function, so that it may answer some questions in another way (skeleton_test.h has
 * ready ones).  Nodes must be in canonical order: if several sets separate a pair, the first one is kept.
 */
#ifndef GRAPH_SKELETON_H
#define GRAPH_SKELETON_H

#include "graph/knowledge.h"
#include "graph/pdag.h"

/*
 * Computes the p-value of x and y given other nodes; x < y, given ascending.  Called from several threads at once, each
 * with its own context and arena; memory from scratch is freed after the call.
 */
typedef nonsens_status (*skeleton_test_fn)(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                           int64_t count, const int64_t *given, double *p_value);

typedef struct skeleton_options {
    skeleton_test_fn test;
    void *state;
    double alpha;           /* x and y are separated if p > alpha */
    int64_t max_given;      /* maximal size of a set; negative: no limit */
    const knowledge *known; /* NULL: nothing is known */
    int threads;
    const char *phase; /* for progress reports, which start again for each size of sets; NULL: none */
} skeleton_options;

/* What was found about two nodes. */
typedef struct skeleton_pair {
    double p_value;       /* the largest of all tests of the pair; NaN if none was made (knowledge) */
    bool separated;       /* a set separates the nodes */
    int32_t count;        /* size of that set */
    const int32_t *given; /* (count) that set, ascending; NULL if count is 0 */
} skeleton_pair;

typedef struct skeleton {
    pdag graph;          /* has only lines */
    skeleton_pair *pair; /* (d (d - 1) / 2), see skeleton_at */
    int64_t tests;       /* number of tests made */
    int64_t level;       /* size of the largest sets that were tested; -1 if there was nothing to test */
    bool capped;         /* max_given prevented tests with larger sets */
} skeleton;

/* Finds the skeleton of d nodes; memory of the result from `keep`. */
nonsens_status skeleton_find(nonsens_context *ctx, arena *keep, int64_t d, const skeleton_options *options,
                             skeleton *out);

/* Returns what was found about two different nodes, in any order. */
static inline skeleton_pair *skeleton_at(const skeleton *s, int64_t a, int64_t b)
{
    int64_t low = a < b ? a : b, high = a < b ? b : a;
    return &s->pair[high * (high - 1) / 2 + low];
}

/* Returns whether the set that separates a and b contains c. */
bool skeleton_separator_has(const skeleton *s, int64_t a, int64_t b, int64_t c);

/*
 * Runs one test and checks its answer: a p-value outside [0, 1] is a failure.  Frees what the test took from scratch.
 */
nonsens_status skeleton_ask(nonsens_context *ctx, arena *scratch, const skeleton_options *options, int64_t x, int64_t y,
                            int64_t count, const int64_t *given, double *p_value);

#endif
