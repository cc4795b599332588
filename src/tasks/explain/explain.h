/* explain.h - the parts of `explain` (explain.c): finds the graph it rests on, and judges each variable. */
#ifndef TASKS_EXPLAIN_EXPLAIN_H
#define TASKS_EXPLAIN_EXPLAIN_H

#include "data/dataset.h"
#include "graph/pdag.h"
#include "methods/shared/result.h"
#include "tasks/explain/explain_change.h"
#include "tasks/explain/explain_size.h"

/*
 * Takes the graph given (may be NULL), reads it from --graph, or finds it by --method.  Its edges and notes on it go
 * into the result, its marks into *out, nodes in canonical order.  <-> and cycles of two count as edges whose direction
 * is not known; a longer cycle of arrows is an error.
 */
nonsens_status explain_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *given,
                             nonsens_result *result, pdag *out);

/* What was measured of one node (canonical order). */
typedef struct explain_node {
    explain_change own, marginal;     /* NaN where rows are too few or values are missing */
    explain_size size, marginal_size; /* of the same */
    double p, marginal_p;             /* of no change: by own and marginal, or else by the sizes */
    bool by_size;                     /* p is that of size */
    bool reaches;                     /* the target, or there is none */
    double min_p;                     /* smallest p-value of own, over all directions of undirected edges */
    bool is_open;                     /* some of its edges have no direction */
    bool untried;                     /* too many such edges to try all choices of causes */
    bool too_many;                    /* it has more causes than mechanisms are fitted with */
    bool apart;                       /* its causes, or a choice of them, do not overlap between groups */
} explain_node;

/* Everything that the judgement rests on. */
typedef struct explain_facts {
    const nonsens_data *data;
    const pdag *graph;
    const explain_node *node; /* (d) */
    const explain_groups *groups;
    const time_blocks *time; /* the blocks of the groups */
    const explain_recording *recording;
} explain_facts;

/* Fills in q-values, verdicts, ranks and notes from what was measured. */
nonsens_status explain_judge(nonsens_context *ctx, arena *scratch, const explain_facts *facts, nonsens_result *result);

/* What all variables have in common (explain_drift.c). */
typedef struct explain_drift {
    double size;      /* median shift of all variables, in interquartile ranges; at least 1 */
    double *weight;   /* (d) by which the score of each node counts */
    bool everywhere;  /* most variables changed */
    bool *stands_out; /* (d) its score is far above that of the others */
} explain_drift;

/* Estimates the standard deviation of shifts that most variables have, in normal standard deviations; 0 if none shows.
 */
nonsens_status explain_find_small_drift(nonsens_context *ctx, arena *scratch, const pdag *graph,
                                        const explain_node *node, double *drift);

/* fresh: rows just before the fault show what is normal, and nothing has drifted since. */
nonsens_status explain_find_drift(nonsens_context *ctx, arena *scratch, int64_t d, const explain_node *node, bool fresh,
                                  double alpha, explain_drift *out);

#endif
