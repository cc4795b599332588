/*
 * structured_search.h - searches for the graph whose mechanisms explain held-out rows best.
 *
 * The search starts from the graph without edges (or with the required ones) and repeats the move that gains most: it
 * adds or reverses an edge.  If no such move gains, it exchanges causes for their own causes, or reverses all edges
 * into or out of a node.  If that does not gain either, it reverses two edges at one node at once, or an edge whose
 * ends exchange their other causes, or an edge whose ends choose their causes again.  This escapes from wrong starts.
 * With a screen (structured_screen.h) only moves that may gain by its bounds are fitted (structured_bounds.h).
 *
 * An added edge must improve the held-out score significantly (level), and by more than edges gain that only make up
 * for the misfit of another mechanism (min_gain).  Then the search removes edges that no longer do so, the weakest
 * first, and reverses edges again.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_SEARCH_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_SEARCH_H

#include "graph/knowledge.h"
#include "graph/pdag.h"
#include "methods/structured_graph/structured_scores.h"
#include "methods/structured_graph/structured_screen.h"

/* What a change of the graph gains on held-out rows: nats over all rows, and the same in standard errors. */
typedef struct structured_gain {
    double total, z;
} structured_gain;

typedef struct structured_search {
    structured_scores *scores;
    const knowledge *known;    /* NULL: nothing */
    pdag graph;                /* arrows only */
    pdag found;                /* that of the last search that ended by itself; d is 0 before */
    double *gained;            /* (d, d) what cause i last gained as a cause of j, at i + d j; NAN: not known */
    double level;              /* standard errors that an arrow must gain */
    double min_gain;           /* nats over all rows that it must gain */
    structured_screen *screen; /* of candidate causes; NULL: all are fitted */
    uint64_t *seen;            /* (seen_count) hashes of the graphs so far, if values are missing */
    int64_t seen_count, seen_capacity;
} structured_search;

/* Searches for the graph; fills in s->graph. */
nonsens_status search_run(nonsens_context *ctx, arena *a, structured_search *s);

/* Says whether the search may go to a graph: if values are missing, it has not been there (structured_gaps.h). */
bool search_is_new(const structured_search *s, const pdag *g);

/* Computes what the arrow a -> b gains, and what reversing it would gain; *possible: is the reversed graph allowed? */
nonsens_status search_judge(nonsens_context *ctx, arena *scratch, structured_search *s, int64_t a, int64_t b,
                            structured_gain *present, structured_gain *reversed, bool *possible);

#endif
