/* explain.h - the parts of `explain` (explain.c): finds the graph it rests on, and judges each variable. */
#ifndef TASKS_EXPLAIN_EXPLAIN_H
#define TASKS_EXPLAIN_EXPLAIN_H

#include "data/dataset.h"
#include "graph/pdag.h"
#include "methods/shared/result.h"
#include "tasks/explain/explain_change.h"

/*
 * Takes the graph given (may be NULL), reads it from --graph, or finds it by --method.  Its edges and notes on it go
 * into the result, its marks into *out, nodes in canonical order.  <-> and cycles of two count as edges whose direction
 * is not known; a longer cycle of arrows is an error.
 */
nonsens_status explain_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *given,
                             nonsens_result *result, pdag *out);

/* What was measured of one node (canonical order). */
typedef struct explain_node {
    explain_change own, marginal;
    int64_t causes, cause[MECHANISM_MAX_CAUSES]; /* nodes; `own` is the change given them */
    double min_p;                                /* smallest p-value of own, over all directions of undirected edges */
    bool is_open;                                /* some of its edges have no direction */
    bool untried;                                /* too many such edges to try all choices of causes */
    bool too_many;                               /* it has more causes than are fitted */
    bool apart;                                  /* its causes, or a choice of them, do not overlap between groups */
} explain_node;

/* Fills in q-values, verdicts, ranks and notes from what was measured; node (d).  time: the blocks of the groups. */
nonsens_status explain_judge(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const pdag *graph,
                             const explain_node *node, const explain_groups *groups, const time_blocks *time,
                             nonsens_result *result);

#endif
