/*
 * found_graph.h - runs `discover` on a few variables and stores its graph in a line of a journal: the edges themselves,
 * so that the judgement can change without a new run.
 *
 *     "edges": [[0, 2, "-->"], [1, 2, "---"]], "seconds": 1.5       or       "failed": "why", "seconds": 1.5
 *
 * Nodes count from 0 in the order of the variables.
 */
#ifndef FIGURES_FOUND_GRAPH_H
#define FIGURES_FOUND_GRAPH_H

#include "data/dataset.h"
#include "graph/pdag.h"
#include "json/json.h"

enum { FOUND_NODES = 6, FOUND_SETTINGS = 4 };

/* mark[a][b], a < b, is the enum pdag_mark between two nodes; the other half is not used. */
typedef struct found_graph {
    bool failed; /* then it has no edges */
    unsigned char mark[FOUND_NODES][FOUND_NODES];
} found_graph;

/* How a graph is found: its name in a figure, and options of `discover`, up to the first without a key. */
typedef struct found_by {
    const char *name;
    struct {
        const char *key, *value;
    } set[FOUND_SETTINGS];
} found_by;

/*
 * Runs the method on one thread and stores its graph in the line, or its failure if the data are the cause.  Exhausted
 * memory, Ctrl-C and an unknown option are errors.
 */
nonsens_status found_graph_run(nonsens_context *ctx, const found_by *finder, const nonsens_data *data, uint64_t seed,
                               json_value *line);

/* Makes an array of edges for a line; NULL if memory is exhausted. */
json_value *found_graph_edges(int64_t edges, const nonsens_edge *edge);

/* Read the graph from such an array, or from a line, which may hold a failure.  False if the format is different. */
bool found_graph_read_edges(const json_value *edges, found_graph *out);
bool found_graph_read(const json_value *line, found_graph *out);

/* Converts the graph for graph/metrics.h; memory comes from `a`. */
nonsens_status found_graph_to_pdag(nonsens_context *ctx, arena *a, const found_graph *g, pdag *out);

/* Returns the mark of a type of edge: "-->", "---" or "<->". */
const char *found_graph_word(int type);

#endif
