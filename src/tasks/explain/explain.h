/* explain.h - the parts of `explain` (explain.c): finds the graph that it uses, and judges each variable. */
#ifndef TASKS_EXPLAIN_EXPLAIN_H
#define TASKS_EXPLAIN_EXPLAIN_H

#include "data/dataset.h"
#include "graph/pdag.h"
#include "methods/shared/result.h"
#include "methods/structured_graph/structured_scores.h"
#include "tasks/explain/explain_change.h"
#include "tasks/explain/explain_size.h"

/* ---- what is asked (explain_pick.c) ---- */

/* Sets group (segments): 1 for the segment, 0 for the reference, -1 for others; fills in the facts of the result. */
nonsens_status explain_pick(nonsens_context *ctx, arena *scratch, const nonsens_data *data, nonsens_result *result,
                            int8_t **group);
/* Fails if --against names no segment, or one with too few rows. */
nonsens_status explain_check_reference(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options);
enum { EXPLAIN_ONSET_AUTO = 0 }; /* of --onset */
/* Finds the column of --target; -1 if it is not set, which is an error if the onset is to be found from it. */
nonsens_status explain_find_target(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                   int64_t *column);

/* ---- the graph (explain_graph.c) ---- */

/*
 * Takes the given graph (may be NULL), reads it from --graph, or finds it by --method.  Puts its edges and notes on it
 * into the result.
 */
nonsens_status explain_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *given,
                             nonsens_result *result);
/* Fails if the graph is to be found by a method that these options do not allow. */
nonsens_status explain_check_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *given,
                                   const nonsens_options *options);
/* Copies the graph and the notes on it into another result, and also `method` and the meaning of <->. */
nonsens_status explain_copy_graph(nonsens_context *ctx, const nonsens_result *from, nonsens_result *to);
/*
 * Makes the marks of the result's edges, with nodes in canonical order.  <-> and two edges between the same nodes count
 * as an undirected edge; a longer cycle of arrows is an error.
 */
nonsens_status explain_marks(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_result *result,
                             pdag *out);

/* ---- what all segments have in common (explain_basis.c) ---- */

/* One variable with one choice of causes; with undirected edges there are several choices. */
typedef struct explain_question {
    int64_t node, causes, *cause; /* nodes, ascending */
    bool fitted;                  /* a mechanism is fitted: no values are missing, and there are not too many causes */
} explain_question;

/* What is known about a node (canonical order) before anything is measured. */
typedef struct explain_start {
    bool is_open;  /* some of its edges are undirected */
    bool untried;  /* there are too many of these to try all choices of causes */
    bool too_many; /* it has more causes than a mechanism may have */
    bool complete; /* none of its values is missing */
} explain_start;

/* Set data, options and the given graph (may be NULL) first; all three must outlive the basis. */
typedef struct explain_basis {
    const nonsens_data *data;
    const nonsens_options *options;
    const nonsens_graph *given;
    arena memory;
    nonsens_result *found; /* the graph, and notes on it; NULL before it is found */
    pdag graph;
    structured_scores scores;
    explain_question *question; /* (questions) ordered by node */
    int64_t questions, capacity;
    explain_start *node; /* (d) */
    bool fitted;         /* the mechanisms are fitted */
} explain_basis;

/* Finds the graph, unless that has been done. */
nonsens_status explain_basis_find(nonsens_context *ctx, explain_basis *b);
/* Prepares what follows from the graph in b->found. */
nonsens_status explain_basis_new(nonsens_context *ctx, explain_basis *b);
/* Fits the mechanisms, unless that has been done. */
nonsens_status explain_basis_fit(nonsens_context *ctx, explain_basis *b);
void explain_basis_free(explain_basis *b);
/* Returns whether the segment and its reference have enough rows for mechanisms. */
bool explain_has_rows(const result_explanation *e);

/* ---- one segment (explain.c) ---- */

/* Checks the options of a run and begins it. */
nonsens_status explain_begin(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                             const nonsens_options *options);
/* Explains the segment that the options of the result name; changes the basis only if the graph or fits are missing. */
nonsens_status explain_segment(nonsens_context *ctx, explain_basis *basis, int threads, nonsens_result *result);

/* Sets the hash of what fits depend on; it must be the same in all processes of a run. */
nonsens_status explain_set_key(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options);
/* Fits mechanisms as another process of a run until the run ends; returns the status of the run. */
nonsens_status explain_follow(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options);

/* What was measured for one node (canonical order). */
typedef struct explain_node {
    explain_change own, marginal;     /* NaN if rows are too few or values are missing */
    explain_size size, marginal_size; /* of the same changes */
    double p, marginal_p;             /* p-values of no change: of own and marginal, or else of the sizes */
    bool by_size;                     /* p is that of size */
    bool reaches;                     /* it can reach the target, or there is no target */
    double min_p;                     /* smallest p-value over all directions of undirected edges */
    bool is_open;                     /* some of its edges are undirected */
    bool untried;                     /* there are too many of these to try all choices of causes */
    bool too_many;                    /* it has more causes than a mechanism may have */
    bool apart;                       /* its causes, or a choice of them, do not overlap between groups */
} explain_node;

/* Everything that the verdicts depend on. */
typedef struct explain_facts {
    const nonsens_data *data;
    const pdag *graph;
    const explain_node *node; /* (d) */
    const explain_groups *groups;
    const time_blocks *time; /* blocks of the rows of the groups */
    const explain_recording *recording;
} explain_facts;

/* Fills in q-values, verdicts, ranks and notes from what was measured. */
nonsens_status explain_judge(nonsens_context *ctx, arena *scratch, const explain_facts *facts, nonsens_result *result);

/* ---- the target (explain_target.c) ---- */

/* Marks the nodes from which a path of arrows and undirected edges leads to the column; all nodes for column -1. */
nonsens_status explain_mark_reaching(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const pdag *graph,
                                     int64_t column, bool **reaches);
/* Computes how much of the change of the target (a column) the variables account for, after explain_judge. */
nonsens_status explain_target_shares(nonsens_context *ctx, arena *scratch, const explain_basis *basis,
                                     const explain_recording *rec, const bool *reaches, int64_t target, int threads,
                                     nonsens_result *result);

/* ---- drift ---- */

/* How far all variables have shifted, and which differ from the others (explain_drift.c). */
typedef struct explain_drift {
    double size;      /* median shift of all variables, in interquartile ranges; at least 1 */
    double *weight;   /* (d) factor of the score of each node */
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
