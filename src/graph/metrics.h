/* metrics.h - compares an estimated graph with the truth; computes the completed pattern of a DAG and the closure. */
#ifndef GRAPH_METRICS_H
#define GRAPH_METRICS_H

#include "graph/pdag.h"

/*
 * precision = true_positives / predicted, recall = true_positives / actual, f1 their harmonic mean; mcc is Matthews'
 * correlation of predicted and actual edges over all possible ones.  NaN for 0 / 0.
 */
typedef struct metrics_score {
    int64_t true_positives, predicted, actual, possible;
    double precision, recall, f1, mcc;
} metrics_score;

typedef struct metrics {
    int64_t missing, extra; /* edges */
    int64_t reversed;       /* arrows that point the other way */
    int64_t marked;         /* other differences of marks, such as a line instead of an arrow */
    int64_t shd;            /* structural Hamming distance: the sum of the four, each pair of nodes counts once */
    metrics_score skeleton; /* adjacent pairs, whatever their marks; possible: d (d - 1) / 2 */
    metrics_score arrows;   /* arrows with one head, true if the truth has the same; possible: d (d - 1) */
    /*
     * Of the true arrows whose nodes are also adjacent in the estimate (`directions`), the fraction that are the same
     * arrow in the estimate; a line or an arrow with two heads is not correct.  NaN if there are no such arrows.
     */
    int64_t directions;
    double direction_accuracy;
    int64_t undirected; /* lines of the estimate */
} metrics;

/* Compares two graphs of the same d. */
void metrics_compare(const pdag *estimate, const pdag *truth, metrics *out);

/*
 * Computes the completed pattern (CPDAG) of a DAG: an arrow if all DAGs with the same skeleton and v-structures have
 * it, otherwise a line.  out: a graph of the same d.  Fails if `dag` has lines, arrows with two heads or a cycle.
 */
nonsens_status metrics_pattern(nonsens_context *ctx, arena *scratch, const pdag *dag, pdag *out);

/*
 * Computes the transitive closure: a -> b if arrows lead from a to b, two heads if they also lead back (a cycle),
 * otherwise the lines and two heads of `g`.  out: a graph of the same d.
 */
nonsens_status metrics_closure(nonsens_context *ctx, const pdag *g, pdag *out);

#endif
