/*
 * structured_search.h - the graph whose mechanisms explain held-out rows best.
 *
 * From the graph without edges (or with those that are required), the move that gains most is made, again and again: an
 * edge is added or reversed; if none gains, two edges at one node are reversed at once, an edge is reversed whose ends
 * exchange their other causes, or one whose ends choose causes anew, which leads out of graphs that were begun at the
 * wrong end.  An added edge must improve the held-out score significantly (level), and by more than mends another
 * mechanism's misfit (min_gain).  Then edges that no longer do so are removed, the weakest first, and edges are
 * reversed again.
 */
#ifndef METHODS_STRUCTURED_STRUCTURED_SEARCH_H
#define METHODS_STRUCTURED_STRUCTURED_SEARCH_H

#include "graph/knowledge.h"
#include "graph/pdag.h"
#include "methods/structured/structured_scores.h"

/* What a change of the graph gains on held-out rows: nats over all rows, and that in standard errors. */
typedef struct structured_gain {
    double total, z;
} structured_gain;

typedef struct structured_search {
    structured_scores *scores;
    const knowledge *known; /* NULL: nothing */
    pdag graph;             /* arrows alone */
    double level;           /* standard errors that an arrow must gain */
    double min_gain;        /* nats over all rows that it must gain */
} structured_search;

nonsens_status search_run(nonsens_context *ctx, arena *a, structured_search *s);

/* What the arrow a -> b gains; what turning it would (possible: false if that graph may not be). */
nonsens_status search_judge(nonsens_context *ctx, arena *scratch, structured_search *s, int64_t a, int64_t b,
                            structured_gain *there, structured_gain *turned, bool *possible);

#endif
