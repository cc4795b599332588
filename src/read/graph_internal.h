/*
 * graph_internal.h - what the readers of graphs share (graph_file.c).
 */
#ifndef READ_GRAPH_INTERNAL_H
#define READ_GRAPH_INTERNAL_H

#include "base/show.h"
#include "read/graph_file.h"
#include "read/table_internal.h"

typedef struct graph_builder {
    nonsens_context *ctx;
    nonsens_graph *graph;
    const char *column; /* of an edge list: a row is an edge if this column is not 0; NULL: every row is an edge */
    arena scratch;
    text_set names;
    int64_t *line; /* (capacity) line of each edge in the file, 0 if unknown */
    int64_t capacity;
} graph_builder;

/* Fails with "PATH:LINE: " and the sentence; without LINE if line is 0. */
nonsens_status graph_fail(graph_builder *b, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Finds the node with this name, or adds it. */
nonsens_status graph_take_node(graph_builder *b, int64_t line, const char *name, int64_t length, int64_t *node);
/* Adds a node from a list of nodes; it is an error if the name is taken. */
nonsens_status graph_list_node(graph_builder *b, int64_t line, const char *name, int64_t length);
/* Finds a node that must be in the list. */
nonsens_status graph_find_node(graph_builder *b, int64_t line, const char *name, int64_t length, int64_t *node);

/* Reads the type of an edge, such as "-->"; *reversed: the arrow points at the first node. */
nonsens_status graph_read_type(graph_builder *b, int64_t line, const char *word, int64_t length, int *type,
                               bool *reversed);
/* Adds an edge. */
nonsens_status graph_take_edge(graph_builder *b, int64_t line, nonsens_edge edge);

/* Read one format each; the bytes have no byte order mark and are not all blank. */
nonsens_status graph_parse_json(graph_builder *b, const char *bytes, size_t size);
nonsens_status graph_parse_table(graph_builder *b, const char *bytes, size_t size);
nonsens_status graph_parse_tetrad(graph_builder *b, const char *bytes, size_t size);

/* Reads a line of the text from *at on, without its line end and blanks around it; false after the last line. */
bool graph_next_line(const char **at, const char *end, const char **text, int64_t *length);
/* Returns whether the text equals this line. */
bool graph_is_line(const char *text, int64_t length, const char *line);

#endif
