/*
 * found_graph.h - the graph of a few variables that `discover` finds, as it stands in a journal's line: its edges
 * themselves, so that judging may change without running again.
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

/* What is between two nodes, of each two the smaller first: an enum pdag_mark; the other half is not used. */
typedef struct found_graph {
    bool failed; /* then it has no edges */
    unsigned char mark[FOUND_NODES][FOUND_NODES];
} found_graph;

/* A way to find a graph: its name in a figure, and options of `discover` up to the first without key. */
typedef struct found_by {
    const char *name;
    struct {
        const char *key, *value;
    } set[FOUND_SETTINGS];
} found_by;

/*
 * Runs it on one thread and tells in the line what came of it.  Fails for want of memory, by Ctrl-C and by an option
 * that there is not; what fails because of the data is told.
 */
nonsens_status found_graph_run(nonsens_context *ctx, const found_by *how, const nonsens_data *data, uint64_t seed,
                               json_value *line);

/* Edges as an array for a line; NULL without memory. */
json_value *found_graph_edges(int64_t edges, const nonsens_edge *edge);

/* The graph of such an array, and of a line that may tell of a failure.  False if they are not as above. */
bool found_graph_read_edges(const json_value *edges, found_graph *out);
bool found_graph_read(const json_value *line, found_graph *out);

/* The graph for graph/metrics.h; memory from `a`. */
nonsens_status found_graph_to_pdag(nonsens_context *ctx, arena *a, const found_graph *g, pdag *out);

/* "-->", "---" or "<->". */
const char *found_graph_word(int type);

#endif
