/*
 * graph_tetrad.c - reads graphs in Tetrad's text format:
 *
 *     Graph Nodes:
 *     a;b;c
 *
 *     Graph Edges:
 *     1. a --> b
 *     2. b --- c
 *
 * Nodes are on one or more lines before a blank one, separated by semicolons or commas; latent variables in parentheses
 * and selection variables in brackets count like all others.  What follows the second node of an edge (properties,
 * probabilities) and other parts of the file are ignored.
 *
 * The format cannot express names with blanks, commas and the like.  This library writes %XX for each such byte and
 * says so in a separate line (GRAPH_TETRAD_ESCAPED); without that line names are taken literally.
 */
#include "graph/edge.h"
#include "read/graph_internal.h"

#include <math.h>
#include <string.h>

enum part { PART_NONE, PART_NODES, PART_EDGES };

typedef struct tetrad_reader {
    graph_builder *b;
    int64_t line;
    bool escaped;
} tetrad_reader;

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Replaces each %XX in the name by its byte, if names are escaped. */
static nonsens_status unescape(tetrad_reader *r, const char **name, int64_t *length)
{
    char *out;
    int64_t used = 0;
    if (!r->escaped || !memchr(*name, '%', (size_t)*length)) {
        return NONSENS_OK;
    }
    ARENA_TRY(r->b->ctx, &r->b->scratch, out, *length);
    for (int64_t i = 0; i < *length; i++) {
        out[used++] = (*name)[i];
        if ((*name)[i] != '%') {
            continue;
        }
        int high = i + 2 < *length ? hex_digit((*name)[i + 1]) : -1, low = high >= 0 ? hex_digit((*name)[i + 2]) : -1;
        if (low < 0 || high * 16 + low == 0) {
            return graph_fail(r->b, r->line, "a %% in a name is not followed by two hexadecimal digits");
        }
        out[used - 1] = (char)(high * 16 + low);
        i += 2;
    }
    *name = out;
    *length = used;
    return NONSENS_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static nonsens_status take_node(tetrad_reader *r, const char *text, const char *stop)
{
    while (text < stop && is_blank(*text)) {
        text++;
    }
    while (text < stop && is_blank(stop[-1])) {
        stop--;
    }
    if (stop - text > 2 && ((*text == '(' && stop[-1] == ')') || (*text == '[' && stop[-1] == ']'))) {
        text++;
        stop--;
    }
    int64_t length = stop - text;
    TRY(unescape(r, &text, &length));
    return graph_list_node(r->b, r->line, text, length);
}

static nonsens_status take_nodes(tetrad_reader *r, const char *text, int64_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *stop = text;
        while (stop < end && *stop != ';' && *stop != ',') {
            stop++;
        }
        TRY(take_node(r, text, stop));
        text = stop + (stop < end);
    }
    return NONSENS_OK;
}

/* Returns the length of the next word in [*text, end); 0 at the end. */
static int64_t next_word(const char **text, const char *end, const char **word)
{
    const char *p = *text;
    while (p < end && is_blank(*p)) {
        p++;
    }
    *word = p;
    while (p < end && !is_blank(*p)) {
        p++;
    }
    *text = p;
    return p - *word;
}

static nonsens_status take_end(tetrad_reader *r, const char *name, int64_t length, int64_t *node)
{
    TRY(unescape(r, &name, &length));
    return (r->b->graph->lists_nodes ? graph_find_node : graph_take_node)(r->b, r->line, name, length, node);
}

static nonsens_status take_edge(tetrad_reader *r, const char *text, int64_t length)
{
    const char *end = text + length, *number, *from, *type, *to;
    nonsens_edge e = {.weight = NAN, .p_value = NAN, .support = NAN, EDGE_NO_EFFECT};
    bool reversed;
    int64_t number_length = next_word(&text, end, &number), from_length = next_word(&text, end, &from);
    int64_t type_length = next_word(&text, end, &type), to_length = next_word(&text, end, &to);
    if (to_length == 0 || number[number_length - 1] != '.') {
        return graph_fail(r->b, r->line, "not an edge; write it as `1. a --> b`");
    }
    TRY(graph_read_type(r->b, r->line, type, type_length, &e.type, &reversed));
    TRY(take_end(r, from, from_length, reversed ? &e.to : &e.from));
    TRY(take_end(r, to, to_length, reversed ? &e.from : &e.to));
    return graph_take_edge(r->b, r->line, e);
}

nonsens_status graph_parse_tetrad(graph_builder *b, const char *bytes, size_t size)
{
    tetrad_reader r = {.b = b};
    const char *at = bytes, *text;
    int64_t length;
    enum part part = PART_NONE;
    b->graph->format = "Tetrad";
    if (memchr(bytes, '\0', size)) {
        return graph_fail(b, 0, "a NUL byte, so this is not text; repair the file");
    }
    while (graph_next_line(&at, bytes + size, &text, &length)) {
        r.line++;
        if (graph_is_line(text, length, GRAPH_TETRAD_NODES)) {
            part = PART_NODES;
            b->graph->lists_nodes = true;
        } else if (graph_is_line(text, length, GRAPH_TETRAD_EDGES)) {
            part = PART_EDGES;
        } else if (graph_is_line(text, length, GRAPH_TETRAD_ESCAPED)) {
            r.escaped = true;
        } else if (length == 0) {
            part = part == PART_EDGES && b->graph->edges == 0 ? part : PART_NONE;
        } else if (part != PART_NONE) {
            TRY((part == PART_NODES ? take_nodes : take_edge)(&r, text, length));
        }
    }
    return NONSENS_OK;
}
