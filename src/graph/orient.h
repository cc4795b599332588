/*
 * orient.h - directions in a skeleton: what is known, v-structures, then Meek's rules to a fixpoint.
 *
 * Usual order of calls: orient_new, orient_knowledge, orient_colliders, orient_rules, then orient_edge for single
 * edges that a method can direct otherwise.  No step makes a cycle of arrows; the rules and orient_edge make no new
 * v-structure either.
 *
 * Nothing here depends on the order of the nodes, with two exceptions: ORIENT_PLAIN looks at the separating set that
 * the skeleton met first, and ORIENT_PRIORITY breaks exact ties between p-values by the order of nodes.
 */
#ifndef GRAPH_ORIENT_H
#define GRAPH_ORIENT_H

#include "graph/skeleton.h"

/*
 * When x - y - z, with x and z not adjacent, is a v-structure.  PLAIN: y is not in the set that separates x and z.
 * CONSERVATIVE (Ramsey, Zhang, Spirtes, UAI 2006): y is in none of the sets that do, among all subsets of the
 * neighbours of x and of z.  MAJORITY (Colombo, Maathuis 2014): in less than half of them.  With the latter two a
 * triple may be ambiguous (no set separates; y in some; in exactly half): neither v-structure nor evidence against one.
 */
enum collider_rule { ORIENT_PLAIN, ORIENT_CONSERVATIVE, ORIENT_MAJORITY };

/*
 * Where v-structures contradict one another (x -> y and y -> x), or make a cycle of arrows.  BIDIRECTED: the edges in
 * question become arrows with two heads.  PRIORITY: v-structures enter one by one, those with the largest p-value of
 * their separated ends first, and one that contradicts those before it is left out.
 */
enum conflict_rule { ORIENT_BIDIRECTED, ORIENT_PRIORITY };

typedef struct orient_report {
    int64_t triples;   /* x - y - z with x and z not adjacent */
    int64_t colliders; /* of these v-structures by the tests */
    int64_t ambiguous; /* of these */
    int64_t refused;   /* v-structures left out: what is known speaks against them */
    int64_t conflicts; /* BIDIRECTED: edges with two heads; PRIORITY: v-structures left out */
    int64_t undecided; /* lines left, since rules imply both directions, or a cycle, or a new v-structure */
    int64_t tests;     /* more tests made for the conservative and majority rules */
} orient_report;

/* x - y - z with x < z not adjacent. */
typedef struct orient_triple {
    int32_t x, z, y;
    bool collider;  /* by the tests */
    bool open;      /* ambiguous, or a v-structure that was left out: rules do not take it for anything */
    double p_value; /* largest of x and z: PLAIN: that of the skeleton; else of all sets that were looked at */
} orient_triple;

typedef struct orienter {
    pdag *graph;
    const knowledge *known;
    orient_triple *triple;  /* (report.triples) ordered by x, z, y; filled by orient_colliders */
    int64_t open_triples;   /* of these ambiguous or left out */
    uint64_t *want, *doubt; /* (words, d) arrows that rules imply; lines that are undecided */
    bool beyond_pattern;    /* arrows are there that v-structures do not imply: the fourth rule is needed */
    orient_report report;
} orienter;

/* graph: lines, or what is oriented already; it is changed in place.  known may be NULL.  Memory from `keep`. */
nonsens_status orient_new(nonsens_context *ctx, arena *keep, pdag *graph, const knowledge *known, orienter *out);

/* Directs what is known; fails if that makes a cycle. */
nonsens_status orient_knowledge(nonsens_context *ctx, orienter *o);

/*
 * Directs v-structures.  options: those that `found` was made with (tests, for the rules that need more of them).
 * Edges that the caller has removed from o->graph since then are gone here too; o->graph may have arrows already.
 */
nonsens_status orient_colliders(nonsens_context *ctx, arena *keep, orienter *o, const skeleton *found,
                                const skeleton_options *options, enum collider_rule rule, enum conflict_rule conflicts);

/* Meek's rules (Meek, "Causal inference and causal explanation with background knowledge", UAI 1995). */
nonsens_status orient_rules(nonsens_context *ctx, orienter *o);

/* Whether the line a - b may become a -> b: not against what is known, no cycle, no new v-structure. */
bool orient_may(const orienter *o, int64_t a, int64_t b);
/* Directs the line a - b, then all that the rules imply; *done: whether it could (orient_may). */
nonsens_status orient_edge(nonsens_context *ctx, orienter *o, int64_t a, int64_t b, bool *done);

/* Whether x - y - z, with x and z not adjacent, is neither a v-structure nor known to be none. */
bool orient_is_open(const orienter *o, int64_t x, int64_t y, int64_t z);

#endif
