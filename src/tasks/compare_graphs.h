/*
 * compare_graphs.h - the comparison of an estimated graph with the true one.
 */
#ifndef TASKS_COMPARE_GRAPHS_H
#define TASKS_COMPARE_GRAPHS_H

#include "base/memory.h"
#include "options/options.h"

typedef struct compare_graph {
    char *path;
    const char *format;
    int64_t nodes, edges;
    int64_t cycles; /* pairs of nodes with two edges in the file, such as a -> b and b -> a; compared as <-> */
    int64_t added;  /* nodes of the other graph that this list of edges does not have */
} compare_graph;

struct nonsens_comparison {
    arena memory; /* owns everything below */
    nonsens_options options;
    compare_graph estimate, truth;
    int64_t nodes;
    char **name; /* (nodes) of the truth, then those that only the estimate has */
    nonsens_distance distance[2];
    nonsens_difference *difference[2]; /* (distance[i].differences) */
    int64_t distances;
};

#endif
