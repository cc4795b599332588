/*
 * structured_search.h - the graph whose mechanisms explain held-out rows best.
 *
 * From the graph without edges (or with those that are required), the move that gains most is made, again and again: an
 * arrow more or an arrow turned; where none gains, two arrows at one node turned at once, an arrow turned whose ends
 * exchange their other causes, or an arrow turned whose ends choose causes anew, which leads out of graphs that were
 * begun at the wrong end.  An arrow more must gain enough to be no accident (level) and no mere mend of another
 * mechanism's misfit (least).  Then arrows that no longer do so are taken away, the weakest first, and arrows are
 * turned again.
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
    double least;           /* nats over all rows that it must gain */
} structured_search;

nonsens_status search_run(nonsens_context *ctx, arena *a, structured_search *s);

/* What the arrow a -> b gains; what turning it would (possible: false if that graph may not be). */
nonsens_status search_judge(nonsens_context *ctx, arena *scratch, structured_search *s, int64_t a, int64_t b,
                            structured_gain *there, structured_gain *turned, bool *possible);

#endif
