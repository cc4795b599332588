/*
 * graph.h - writes graphs: one writer for each format, and what they share (graph.c).
 *
 * Every file says what its edges mean: `from` is the cause.
 */
#ifndef WRITE_GRAPH_H
#define WRITE_GRAPH_H

#include "methods/shared/result.h"

#include <stdio.h>

/* Returns the mark of a type of edge: "-->", "---" or "<->". */
const char *report_edge_mark(int type);
/* Returns the word for what directed an edge: "changes", ...; NULL if that is not known. */
const char *report_directed_by(nonsens_directed_by by);
/* Returns whether an edge of the graph has this type. */
bool report_has_edge(const nonsens_result *result, int type);
/* Returns whether an edge is marked: it is no a <-> b, but its ends probably also have a hidden common cause. */
bool report_has_marked_edge(const nonsens_result *result);
/* Returns whether this edge is marked. */
bool report_is_marked(const nonsens_edge *edge);
/* Returns what an edge of this type means in this graph, from the first node's point of view. */
const char *report_edge_meaning(const nonsens_result *result, int type);

/* Writes the graph of a result; names (variables) are those of the result. */
typedef void (*report_graph_fn)(FILE *f, const nonsens_result *result, char *const *names);
void report_dot(FILE *f, const nonsens_result *result, char *const *names);
/* These writers take the names as UTF-8. */
void report_graph_csv(FILE *f, const nonsens_result *result, char *const *names);
void report_tetrad(FILE *f, const nonsens_result *result, char *const *names);
void report_graphml(FILE *f, const nonsens_result *result, char *const *names);

#endif
