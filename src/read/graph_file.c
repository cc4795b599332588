/*
 * graph_file.c - reads graphs: detects the format, collects the nodes and edges that the reader of the format finds,
 * and checks what must hold for every graph.
 */
#include "read/graph_file.h"

#include "base/input.h"
#include "base/require.h"
#include "base/utf8.h"
#include "graph/bits.h"
#include "read/csv_internal.h"
#include "read/graph_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NAME_BYTES = 1 << 20 };

nonsens_status graph_fail(graph_builder *b, int64_t line, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (line > 0) {
        return fail(b->ctx, NONSENS_ERR_DATA, "%s:%" PRId64 ": %s", b->graph->path, line, text);
    }
    return fail(b->ctx, NONSENS_ERR_DATA, "%s: %s", b->graph->path, text);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static nonsens_status check_name(graph_builder *b, int64_t line, const char *name, int64_t length)
{
    char shown[SHOWN_BYTES];
    if (length == 0) {
        return graph_fail(b, line, "the name of a node is empty; name it");
    }
    if (length > MAX_NAME_BYTES) {
        return graph_fail(b, line, "the name %s has more than %d bytes; shorten it", show_bytes(shown, name, length),
                          MAX_NAME_BYTES);
    }
    if (!utf8_is_valid(name, length)) {
        return graph_fail(b, line, "the name %s is not UTF-8; save the file as UTF-8", show_bytes(shown, name, length));
    }
    return NONSENS_OK;
}

nonsens_status graph_take_node(graph_builder *b, int64_t line, const char *name, int64_t length, int64_t *node)
{
    int32_t index = 0;
    TRY(check_name(b, line, name, length));
    TRY(text_set_put(b->ctx, &b->names, name, length, &index));
    if (b->names.count > GRAPH_MAX_NODES) {
        return graph_fail(b, line, "more than %d nodes; give a smaller graph", GRAPH_MAX_NODES);
    }
    *node = index;
    return NONSENS_OK;
}

nonsens_status graph_list_node(graph_builder *b, int64_t line, const char *name, int64_t length)
{
    char shown[SHOWN_BYTES];
    int64_t known = b->names.count, node = 0;
    TRY(graph_take_node(b, line, name, length, &node));
    if (node < known) {
        return graph_fail(b, line, "the node %s is listed twice; list it once", show_bytes(shown, name, length));
    }
    return NONSENS_OK;
}

nonsens_status graph_find_node(graph_builder *b, int64_t line, const char *name, int64_t length, int64_t *node)
{
    char shown[SHOWN_BYTES];
    int64_t known = b->names.count;
    TRY(graph_take_node(b, line, name, length, node));
    if (*node >= known) {
        return graph_fail(b, line, "an edge names %s, which is not among the nodes; add it to them",
                          show_bytes(shown, name, length));
    }
    return NONSENS_OK;
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

nonsens_status graph_read_type(graph_builder *b, int64_t line, const char *word, int64_t length, int *type,
                               bool *reversed)
{
    static const struct {
        const char *word;
        int type;
        bool reversed;
    } words[] = {
        {"-->", NONSENS_EDGE_DIRECTED, false},          {"->", NONSENS_EDGE_DIRECTED, false},
        {"<--", NONSENS_EDGE_DIRECTED, true},           {"<-", NONSENS_EDGE_DIRECTED, true},
        {"---", NONSENS_EDGE_UNDIRECTED, false},        {"--", NONSENS_EDGE_UNDIRECTED, false},
        {"<->", NONSENS_EDGE_BIDIRECTED, false},        {"directed", NONSENS_EDGE_DIRECTED, false},
        {"undirected", NONSENS_EDGE_UNDIRECTED, false},
    };
    char shown[SHOWN_BYTES];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if ((int64_t)strlen(words[i].word) == length && memcmp(words[i].word, word, (size_t)length) == 0) {
            *type = words[i].type;
            *reversed = words[i].reversed;
            return NONSENS_OK;
        }
    }
    bool circle = length == 3 && word[1] == '-' && (word[0] == 'o' || word[2] == 'o');
    return graph_fail(b, line, "the edge type %s %s; there are -->, <--, --- and <->", show_bytes(shown, word, length),
                      circle ? "has a circle, as in a PAG, which is not read" : "is not known");
}

nonsens_status graph_take_edge(graph_builder *b, int64_t line, nonsens_edge edge)
{
    char shown[SHOWN_BYTES];
    if (edge.from == edge.to) {
        return graph_fail(b, line, "an edge leads from %s to itself; remove it",
                          show_quoted(shown, b->names.text[edge.from]));
    }
    int64_t lines = b->capacity; // `line` grows along with `edge`
    ARENA_GROW(b->ctx, &b->scratch, b->line, b->graph->edges, lines);
    ARENA_GROW(b->ctx, &b->scratch, b->graph->edge, b->graph->edges, b->capacity);
    b->line[b->graph->edges] = line;
    b->graph->edge[b->graph->edges++] = edge;
    return NONSENS_OK;
}

/* ---- whole graphs ----------------------------------------------------------------------------------------------- */

/* Checks that two nodes have at most one edge, or two opposite arrows. */
static nonsens_status check_repeated(graph_builder *b)
{
    nonsens_graph *g = b->graph;
    uint64_t *seen; // bits of ordered pairs of nodes
    ARENA_TRY(b->ctx, &b->scratch, seen, bits_words(g->nodes * g->nodes));
    for (int64_t k = 0; k < g->edges; k++) {
        const nonsens_edge *e = &g->edge[k];
        int64_t forward = e->from * g->nodes + e->to, backward = e->to * g->nodes + e->from;
        bool arrow = e->type == NONSENS_EDGE_DIRECTED;
        if (bits_has(seen, forward) || (!arrow && bits_has(seen, backward))) {
            char from[SHOWN_BYTES], to[SHOWN_BYTES];
            return graph_fail(b, b->line[k], "a second edge between %s and %s; give one",
                              show_quoted(from, g->name[e->from]), show_quoted(to, g->name[e->to]));
        }
        bits_put(seen, forward, true);
        if (!arrow) {
            bits_put(seen, backward, true);
        }
    }
    return NONSENS_OK;
}

static nonsens_status keep_all(graph_builder *b)
{
    nonsens_graph *g = b->graph;
    nonsens_edge *edge;
    g->nodes = b->names.count;
    ARENA_TRY(b->ctx, &g->memory, g->name, g->nodes + 1);
    ARENA_TRY(b->ctx, &g->memory, edge, g->edges + 1);
    if (g->nodes) {
        memcpy(g->name, b->names.text, (size_t)g->nodes * sizeof *g->name);
    }
    if (g->edges) {
        memcpy(edge, g->edge, (size_t)g->edges * sizeof *edge);
    }
    g->edge = edge;
    return check_repeated(b);
}

bool graph_next_line(const char **at, const char *end, const char **text, int64_t *length)
{
    const char *p = *at;
    if (p == end) {
        return false;
    }
    while (p < end && !csv_is_line_end(*p)) {
        p++;
    }
    *text = *at;
    *length = p - *at;
    if (p < end) {
        p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
    }
    *at = p;
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) {
        --*length;
    }
    return true;
}

bool graph_is_line(const char *text, int64_t length, const char *line)
{
    return length == (int64_t)strlen(line) && memcmp(text, line, (size_t)length) == 0;
}

static bool has_tetrad_heading(const char *bytes, size_t size)
{
    const char *at = bytes, *text;
    int64_t length;
    while (graph_next_line(&at, bytes + size, &text, &length)) {
        if (graph_is_line(text, length, GRAPH_TETRAD_NODES) || graph_is_line(text, length, GRAPH_TETRAD_EDGES)) {
            return true;
        }
    }
    return false;
}

static bool is_dot(const char *bytes, size_t size)
{
    static const char *const beginning[] = {"digraph ", "strict ", "graph ", "graph{", "//", "/*"};
    bool found = false;
    for (size_t k = 0; k < sizeof beginning / sizeof *beginning; k++) {
        size_t length = strlen(beginning[k]);
        found = found || (size > length && memcmp(bytes, beginning[k], length) == 0);
    }
    return found;
}

static nonsens_status parse_bytes(graph_builder *b, const char *bytes, size_t size)
{
    static const char readable[] = "graphs are read from JSON, edge lists or matrices as CSV, and Tetrad's text";
    size_t mark = (size_t)utf8_mark_length(bytes, (int64_t)size), blank = 0;
    bytes += mark;
    size -= mark;
    while (blank < size && strchr(" \t\r\n", bytes[blank]) && bytes[blank]) {
        blank++;
    }
    if (blank == size) {
        return graph_fail(b, 0, "the file is empty; %s", readable);
    }
    const char *first = bytes + blank;
    bool tetrad = has_tetrad_heading(bytes, size);
    if (b->column && (tetrad || *first == '{' || *first == '[')) {
        return graph_fail(b, 0, "no list of edges as CSV, so that it has no columns to choose by (--truth-column)");
    }
    if (*first == '{' || *first == '[') {
        return graph_parse_json(b, bytes, size);
    }
    if (*first == '<' || is_dot(first, size - blank)) {
        return graph_fail(b, 0, "this is %s, which is written but not read; %s", *first == '<' ? "XML" : "DOT",
                          readable);
    }
    return (tetrad ? graph_parse_tetrad : graph_parse_table)(b, bytes, size);
}

static void free_builder(graph_builder *b)
{
    arena_free(&b->scratch);
    nonsens_graph_free(b->graph);
}

nonsens_status graph_parse(nonsens_context *ctx, const char *path, const char *bytes, size_t size, const char *column,
                           nonsens_graph **out)
{
    SCOPED(free_builder) graph_builder b = {.ctx = ctx, .column = column && column[0] ? column : NULL};
    *out = NULL;
    b.graph = memory_get(1, sizeof *b.graph);
    if (!b.graph) {
        return fail_memory(ctx);
    }
    ARENA_TRY(ctx, &b.graph->memory, b.graph->path, SHOWN_PATH_BYTES);
    show_path(b.graph->path, path);
    b.names = (text_set){.keep = &b.graph->memory, .scratch = &b.scratch};
    TRY(parse_bytes(&b, bytes, size));
    TRY(keep_all(&b));
    *out = b.graph;
    b.graph = NULL;
    return NONSENS_OK;
}

/* ---- public ----------------------------------------------------------------------------------------------------- */

nonsens_status graph_read(nonsens_context *ctx, const char *path, const char *column, nonsens_graph **out)
{
    SCOPED(input_free) input file = {0};
    *out = NULL;
    TRY(input_read(ctx, path, NONSENS_MAX_GRAPH_BYTES, &file));
    return graph_parse(ctx, input_name(path), file.bytes, file.size, column, out);
}

nonsens_status nonsens_graph_read(nonsens_context *ctx, const char *path, const char *column, nonsens_graph **out)
{
    NEEDED(ctx, path, out);
    context_begin(ctx);
    return graph_read(ctx, path, column, out);
}

nonsens_status nonsens_graph_parse(nonsens_context *ctx, const char *name, const char *bytes, size_t size,
                                   const char *column, nonsens_graph **out)
{
    NEEDED(ctx, name, bytes, out);
    context_begin(ctx);
    *out = NULL;
    REQUIRE_COUNT(ctx, size, 1, NONSENS_MAX_GRAPH_BYTES);
    return graph_parse(ctx, name, bytes, size, column, out);
}

void nonsens_graph_free(nonsens_graph *graph)
{
    memory_release_owner(graph);
}

int64_t nonsens_graph_node_count(const nonsens_graph *graph)
{
    return graph ? graph->nodes : 0;
}

const char *nonsens_graph_node_at(const nonsens_graph *graph, int64_t node)
{
    return graph && node >= 0 && node < graph->nodes ? graph->name[node] : NULL;
}

int64_t nonsens_graph_edge_count(const nonsens_graph *graph)
{
    return graph ? graph->edges : 0;
}

const nonsens_edge *nonsens_graph_edge_at(const nonsens_graph *graph, int64_t index)
{
    return graph && index >= 0 && index < graph->edges ? &graph->edge[index] : NULL;
}

int nonsens_graph_lists_nodes(const nonsens_graph *graph)
{
    return graph ? graph->lists_nodes : 0;
}
