/*
 * svg_graph.h - graphs of a dozen nodes as self-contained SVG, several side by side.
 *
 * Edges bow around nodes that lie in their way, and edges between the same two nodes bow apart; heads end at the rim of
 * the node.  Classes of edges are named in a legend; infeasible ones are dashed, so that they do not hang on colour,
 * and grey is lighter in print than blue.
 *
 * Every field that is 0 or NULL is off.  Nothing is allocated.  Of a graph at most SVG_GRAPH_EDGES edges are drawn.
 * What has no place is left out: nodes without finite coordinates, edges of such nodes, of a node with itself and
 * between nodes that cover one another.
 */
#ifndef REPRODUCE_SVG_GRAPH_H
#define REPRODUCE_SVG_GRAPH_H

#include <stdint.h>
#include <stdio.h>

enum { SVG_GRAPH_EDGES = 256 };

typedef enum svg_edge_kind {
    SVG_ARROW, /* from -> to */
    SVG_LINE,
    SVG_TWO_HEADED
} svg_edge_kind;

typedef enum svg_edge_class {
    SVG_FEASIBLE,   /* blue */
    SVG_INFEASIBLE, /* vermillion and dashed */
    SVG_OTHER,      /* grey */
    SVG_EDGE_CLASSES
} svg_edge_class;

typedef struct svg_node {
    const char *name;
    double x, y; /* 0 to 1, from the left and from the top; what lies outside is moved to the edge */
} svg_node;

typedef struct svg_edge {
    int64_t from, to; /* indices of nodes */
    svg_edge_kind kind;
    svg_edge_class class;
    double support;    /* 0 to 1, the width of the line; NaN: a middling one */
    const char *label; /* at the middle, such as "0.87"; NULL: none */
} svg_edge;

typedef struct svg_graph {
    const char *title; /* of the panel; NULL: none */
    int64_t nodes;
    const svg_node *node;
    int64_t edges;
    const svg_edge *edge;
} svg_graph;

typedef struct svg_graph_chart {
    const char *title, *note;                 /* above and below everything */
    const char *class_name[SVG_EDGE_CLASSES]; /* for the legend, which shows the classes that occur; NULL: not shown */
    int64_t graphs, across;                   /* how many, and how many side by side */
    const svg_graph *graph;
    double panel_width, panel_height; /* in pixels; 0: 430 and 340 */
} svg_graph_chart;

/* Errors in writing are left to whoever closes the stream. */
void svg_graph_write(FILE *out, const svg_graph_chart *chart);

#endif
