/*
 * graph_file.h - reads graphs from files, and detects the format from the contents:
 *
 *   JSON        results of discover and truths of simulate: "nodes" and "edges", each edge {"from", "to", "type"} or
 *               [cause, effect]
 *   edge list   CSV, TSV or blank-separated text whose header has a column from (or cause, source, parent) and a column
 *               to (or effect, target, child); also type, weight, p_value and support if there are such columns
 *   matrix      the same kinds of text with a header of names and a row for each; a number other than 0 in row i,
 *               column j means i -> j; each row may begin with its name
 *   Tetrad      "Graph Nodes:" and "Graph Edges:"
 *
 * Types of edges are -->, <--, ---, <-> (also ->, <-, --).  Circle marks (o->) are refused: they belong to another kind
 * of graph (PAGs).  A file may have two opposite arrows between the same nodes (a cycle of two); any other second edge
 * between two nodes is an error.
 */
#ifndef READ_GRAPH_FILE_H
#define READ_GRAPH_FILE_H

#include "base/memory.h"

enum { GRAPH_MAX_NODES = 5000 };

struct nonsens_graph {
    arena memory; /* owns everything below */
    char *path;   /* as shown in messages */
    const char *format;
    char *method;     /* the method that found the graph, from a result of discover; or NULL */
    bool lists_nodes; /* nodes without edges are included, unlike in an edge list */
    int64_t nodes, edges;
    char **name;        /* (nodes) valid UTF-8, not empty, all different */
    nonsens_edge *edge; /* (edges) in the order of the file; weight, p_value and support NaN if missing */
    char **caution;     /* (cautions) notes of a result of discover above the level "info" */
    int64_t cautions;
};

/* Lines of Tetrad's text format; the last one is specific to this library (graph_tetrad.c). */
#define GRAPH_TETRAD_NODES "Graph Nodes:"
#define GRAPH_TETRAD_EDGES "Graph Edges:"
#define GRAPH_TETRAD_ESCAPED "# In names %XX stands for the byte with this hexadecimal number."

/*
 * Reads a graph from bytes; `path` is for messages.  column: see nonsens_graph_read, may be NULL.  Any fault in the
 * bytes gives NONSENS_ERR_DATA.
 */
nonsens_status graph_parse(nonsens_context *ctx, const char *path, const char *bytes, size_t size, const char *column,
                           nonsens_graph **out);
/* Reads a graph from a file as part of a run: as nonsens_graph_read, but without context_begin. */
nonsens_status graph_read(nonsens_context *ctx, const char *path, const char *column, nonsens_graph **out);

#endif
