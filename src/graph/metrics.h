/*
 * metrics.h - how far an estimated graph is from the truth, and the pattern that a DAG can be known up to.
 */
#ifndef GRAPH_METRICS_H
#define GRAPH_METRICS_H

#include "graph/pdag.h"

/* precision = right / found, recall = right / there, f1 their harmonic mean; NaN where nothing is divided by. */
typedef struct metrics_share {
    int64_t right, found, there;
    double precision, recall, f1;
} metrics_share;

typedef struct metrics {
    int64_t missing, extra; /* edges */
    int64_t reversed;       /* arrows that point the other way */
    int64_t marked;         /* other differences of marks: a line for an arrow and the like */
    int64_t shd;            /* structural Hamming distance: the sum of the four, each pair of nodes counts once */
    metrics_share skeleton; /* adjacent pairs, whatever their marks */
    metrics_share arrows;   /* arrows with one head, right where the truth has the same */
} metrics;

void metrics_compare(const pdag *estimate, const pdag *truth, metrics *out);

/*
 * The completed pattern (CPDAG) of a DAG: an arrow where all DAGs of the same skeleton and v-structures have it, else a
 * line.  out: a graph of the same d.  Fails where `dag` has lines, arrows with two heads or a circle.
 */
nonsens_status metrics_pattern(nonsens_context *ctx, arena *scratch, const pdag *dag, pdag *out);

#endif
