/*
 * graphml.c - writes a graph as GraphML (Brandes et al., "GraphML progress report", Graph Drawing 2001).
 *
 * Nodes are called v1, v2, ... and have their names as data, since names need not be valid identifiers.  XML cannot
 * contain control characters, which are written as \xNN.  Edges with one head are directed.  Undirected and bidirected
 * edges are directed="false", so that a reader that uses nothing else does not take them for causes; their type says
 * which they are.  (A reader without mixed graphs, such as networkx, refuses them; it can use the CSV file.)
 */
#include "base/number.h"
#include "write/graph.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIGITS = 15 }; /* as in JSON */

/* Returns whether the character is U+FFFE or U+FFFF, which XML cannot contain either. */
static bool is_noncharacter(const char *c)
{
    return memcmp(c, "\xef\xbf", 2) == 0 && ((unsigned char)c[2] == 0xbe || (unsigned char)c[2] == 0xbf);
}

static void print_text(FILE *f, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '&') {
            fputs("&amp;", f);
        } else if (*c == '<') {
            fputs("&lt;", f);
        } else if (*c == '>') {
            fputs("&gt;", f);
        } else if (*c == '\t' || *c == '\n' || *c == '\r') {
            fprintf(f, "&#%d;", *c); // readers may turn the characters themselves into blanks
        } else if ((unsigned char)*c < ' ' || *c == 0x7f) {
            fprintf(f, "\\x%02x", (unsigned)(unsigned char)*c);
        } else if ((unsigned char)*c == 0xef && c[1] && is_noncharacter(c)) {
            fprintf(f, "\\xef\\xbf\\x%02x", (unsigned)(unsigned char)c[2]);
            c += 2;
        } else {
            fputc(*c, f);
        }
    }
}

static void print_key(FILE *f, const char *name, const char *where, const char *type)
{
    fprintf(f, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", name, where, name, type);
}

static void print_data(FILE *f, const char *key, const char *text)
{
    fprintf(f, "      <data key=\"%s\">", key);
    print_text(f, text);
    fputs("</data>\n", f);
}

static void print_number(FILE *f, const char *key, double value)
{
    char number[NUMBER_BYTES];
    if (isfinite(value)) {
        print_data(f, key, number_print(number, value + 0.0, DIGITS)); // + 0.0: no minus zero
    }
}

static void print_edge(FILE *f, const nonsens_result *result, const nonsens_edge *e)
{
    fprintf(f, "    <edge source=\"v%" PRId64 "\" target=\"v%" PRId64 "\"%s>\n", e->from + 1, e->to + 1,
            e->type == NONSENS_EDGE_DIRECTED ? "" : " directed=\"false\"");
    print_data(f, "type", report_edge_mark(e->type));
    print_data(f, "meaning", report_edge_meaning(result, e->type));
    print_number(f, "weight", e->weight);
    print_number(f, "p_value", e->p_value);
    print_number(f, "support", e->support);
    print_data(f, "confounded", e->confounded ? "true" : "false");
    fputs("    </edge>\n", f);
}

void report_graphml(FILE *f, const nonsens_result *result, char *const *names)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "  <desc>The source of a directed edge is the cause: A[i][j] != 0 means that i causes j</desc>\n",
          f);
    print_key(f, "name", "node", "string");
    print_key(f, "type", "edge", "string");
    print_key(f, "meaning", "edge", "string");
    print_key(f, "weight", "edge", "double");
    print_key(f, "p_value", "edge", "double");
    print_key(f, "support", "edge", "double");
    print_key(f, "confounded", "edge", "boolean");
    if (result->unfinished) {
        print_key(f, "unfinished", "graph", "boolean");
    }
    fputs("  <graph id=\"nonsens\" edgedefault=\"directed\">\n", f);
    if (result->unfinished) {
        print_data(f, "unfinished", "true");
    }
    for (int64_t j = 0; j < result->variables; j++) {
        fprintf(f, "    <node id=\"v%" PRId64 "\">\n", j + 1);
        print_data(f, "name", names[j]);
        fputs("    </node>\n", f);
    }
    for (int64_t i = 0; i < result->edges; i++) {
        print_edge(f, result, &result->edge[i]);
    }
    fputs("  </graph>\n</graphml>\n", f);
}
