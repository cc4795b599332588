/*
 * metrics.h - how far an estimated graph is from the truth, the pattern that a DAG can be known up to, the closure.
 */
#ifndef GRAPH_METRICS_H
#define GRAPH_METRICS_H

#include "graph/pdag.h"

/*
 * precision = right / found, recall = right / there, f1 their harmonic mean; mcc is Matthews' correlation of "found"
 * and "there" over all `places` where an edge could be.  NaN where nothing is divided by.
 */
typedef struct metrics_share {
    int64_t right, found, there, places;
    double precision, recall, f1, mcc;
} metrics_share;

typedef struct metrics {
    int64_t missing, extra; /* edges */
    int64_t reversed;       /* arrows that point the other way */
    int64_t marked;         /* other differences of marks: a line for an arrow and the like */
    int64_t shd;            /* structural Hamming distance: the sum of the four, each pair of nodes counts once */
    metrics_share skeleton; /* adjacent pairs, whatever their marks; places: d (d - 1) / 2 */
    metrics_share arrows;   /* arrows with one head, right where the truth has the same; places: d (d - 1) */
    /*
     * Of the true arrows whose nodes are adjacent in the estimate too (`directions`), the share that the estimate has
     * as the same arrow; a line or two heads in their place is not right.  NaN where there are none.
     */
    int64_t directions;
    double direction_accuracy;
    int64_t undirected; /* lines of the estimate */
} metrics;

void metrics_compare(const pdag *estimate, const pdag *truth, metrics *out);

/*
 * The completed pattern (CPDAG) of a DAG: an arrow where all DAGs of the same skeleton and v-structures have it, else a
 * line.  out: a graph of the same d.  Fails where `dag` has lines, arrows with two heads or a circle.
 */
nonsens_status metrics_pattern(nonsens_context *ctx, arena *scratch, const pdag *dag, pdag *out);

/*
 * The transitive closure: a -> b wherever arrows lead from a to b, two heads where they lead back too (a circle); else
 * the lines and two heads that `g` has itself.  out: a graph of the same d.
 */
nonsens_status metrics_closure(nonsens_context *ctx, const pdag *g, pdag *out);

#endif
