/* explain.h - the parts of `explain` (explain.c): the graph it rests on, and what is said of each variable. */
#ifndef TASKS_EXPLAIN_EXPLAIN_H
#define TASKS_EXPLAIN_EXPLAIN_H

#include "data/dataset.h"
#include "graph/pdag.h"
#include "methods/shared/result.h"
#include "tasks/explain/explain_change.h"

/*
 * The graph, the one given (may be NULL), read from --graph or found by --method: its edges and what is to be said of
 * it go into the result, its marks into *out, nodes in canonical order.  <-> and cycles of two count as edges whose
 * direction is not known; a longer cycle of arrows is an error.
 */
nonsens_status explain_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *given,
                             nonsens_result *result, pdag *out);

/* What is known of one node (canonical order) once all is measured. */
typedef struct explain_node {
    explain_change own, marginal;
    int64_t causes, cause[MECHANISM_MAX_CAUSES]; /* nodes, those that own is given */
    double min_p;                                /* of own, over all ways to direct the edges that are open */
    bool is_open;                                /* some of its edges have no direction */
    bool untried;                                /* too many such edges to try all choices of causes */
    bool too_many;                               /* it has more causes than are fitted */
    bool apart;                                  /* its causes, or a choice of them, have no rows that are alike */
} explain_node;

/* q-values, verdicts, ranks and notes from what was measured; node (d). */
nonsens_status explain_judge(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const pdag *graph,
                             const explain_node *node, nonsens_result *result);

#endif
