/*
 * orient.h - directs the edges of a skeleton: by what is known, v-structures, then Meek's rules until nothing changes.
 *
 * Usual order of calls: orient_new, orient_knowledge, orient_colliders, orient_rules, then orient_edge for single
 * edges that a method can direct in another way.  No step makes a cycle of arrows; the rules and orient_edge make no
 * new v-structure either.
 *
 * Nothing here depends on the order of the nodes, with two exceptions: ORIENT_PLAIN uses the separating set that the
 * skeleton found first, and ORIENT_PRIORITY breaks exact ties between p-values by the order of nodes.
 */
#ifndef GRAPH_ORIENT_H
#define GRAPH_ORIENT_H

#include "graph/skeleton.h"

/*
 * Decides when x - y - z, with x and z not adjacent, is a v-structure.  PLAIN: y is not in the set that separates x and
 * z.  CONSERVATIVE (Ramsey, Zhang, Spirtes, UAI 2006): y is in none of the sets that separate them, among all subsets
 * of the neighbours of x and of z.  MAJORITY (Colombo, Maathuis 2014): y is in less than half of them.  Under the
 * latter two rules a triple may be ambiguous (no set separates; y is in some sets; in exactly half): neither a
 * v-structure nor evidence against one.
 */
enum collider_rule { ORIENT_PLAIN, ORIENT_CONSERVATIVE, ORIENT_MAJORITY };

/*
 * Decides what happens if v-structures contradict one another (x -> y and y -> x) or make a cycle of arrows.
 * BIDIRECTED: the edges in question become arrows with two heads.  PRIORITY: v-structures are directed one by one,
 * those with the largest p-value of their separated ends first, and one that contradicts those before it is left out.
 */
enum conflict_rule { ORIENT_BIDIRECTED, ORIENT_PRIORITY };

typedef struct orient_report {
    int64_t triples;   /* x - y - z with x and z not adjacent */
    int64_t colliders; /* triples that are v-structures by the tests */
    int64_t ambiguous; /* triples that are ambiguous */
    int64_t refused;   /* v-structures left out because they contradict what is known */
    int64_t conflicts; /* BIDIRECTED: edges with two heads; PRIORITY: v-structures left out */
    int64_t undecided; /* lines left because rules imply both directions, a cycle or a new v-structure */
    int64_t tests;     /* additional tests for the conservative and majority rules */
} orient_report;

/* x - y - z with x < z not adjacent. */
typedef struct orient_triple {
    int32_t x, z, y;
    bool collider;  /* by the tests */
    bool open;      /* ambiguous, or a v-structure that was left out: rules do not use it */
    double p_value; /* largest p-value of x and z: PLAIN: that of the skeleton; otherwise over all sets tested */
} orient_triple;

typedef struct orienter {
    pdag *graph;
    const knowledge *known;
    orient_triple *triple;  /* (report.triples) ordered by x, z, y; filled by orient_colliders */
    int64_t open_triples;   /* triples that are ambiguous or left out */
    uint64_t *want, *doubt; /* (words, d) arrows that rules imply; lines that are undecided */
    bool beyond_pattern;    /* there are arrows that v-structures do not imply: the fourth rule is needed */
    orient_report report;
} orienter;

/* Sets *out up for a graph, with lines or arrows, that is changed in place.  known may be NULL.  Memory from `keep`. */
nonsens_status orient_new(nonsens_context *ctx, arena *keep, pdag *graph, const knowledge *known, orienter *out);

/* Directs edges by what is known; fails if that makes a cycle. */
nonsens_status orient_knowledge(nonsens_context *ctx, orienter *o);

/*
 * Directs v-structures.  options: those that `found` was made with (their test, for the rules that need more tests).
 * Edges that the caller has since removed from o->graph do not count; o->graph may have arrows already.
 */
nonsens_status orient_colliders(nonsens_context *ctx, arena *keep, orienter *o, const skeleton *found,
                                const skeleton_options *options, enum collider_rule rule, enum conflict_rule conflicts);

/* Applies Meek's rules (Meek, "Causal inference and causal explanation with background knowledge", UAI 1995). */
nonsens_status orient_rules(nonsens_context *ctx, orienter *o);

/* Returns whether one of Meek's rules directs the line a - b as a -> b. */
bool orient_implies(const orienter *o, int64_t a, int64_t b);

/* Returns whether the line a - b may become a -> b: not against what is known, no cycle, no new v-structure. */
bool orient_may(const orienter *o, int64_t a, int64_t b);
/* Directs the line a - b, then all that the rules imply; *done: whether that was possible (orient_may). */
nonsens_status orient_edge(nonsens_context *ctx, orienter *o, int64_t a, int64_t b, bool *done);

/* Returns whether x - y - z, with x and z not adjacent, is open: neither a v-structure nor known not to be one. */
bool orient_is_open(const orienter *o, int64_t x, int64_t y, int64_t z);

#endif
