/*
 * dot.c - writes a graph in Graphviz's DOT language.
 *
 * Nodes are called v1, v2, ... in the order of the variables, and have the names as labels: two names may look alike
 * once they are escaped and shortened, but must not become one node.
 */
#include "base/number.h"
#include "base/show.h"
#include "write/graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 3, LABEL_CHARACTERS = 200, LABEL_BYTES = 4 * LABEL_CHARACTERS + 8 };

/* Prints a name in quotes; escapes quotes and backslashes, since backslashes have a meaning in labels. */
static void print_label(FILE *f, const char *name)
{
    char label[LABEL_BYTES];
    show_text(label, sizeof label, name, (int64_t)strlen(name), LABEL_CHARACTERS);
    fputc('"', f);
    for (const char *c = label; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fputc('\\', f);
        }
        fputc(*c, f);
    }
    fputc('"', f);
}

static void print_edge(FILE *f, const nonsens_edge *e)
{
    static const char *const ends[] = {"dir=forward", "dir=none", "dir=both"};
    char number[NUMBER_BYTES];
    fprintf(f, "  v%" PRId64 " -> v%" PRId64 " [%s%s", e->from + 1, e->to + 1, ends[e->type],
            e->confounded ? ", style=dashed" : "");
    if (!isnan(e->support)) {
        fprintf(f, ", penwidth=%s", number_print(number, 0.5 + 2.5 * e->support, DIGITS)); // 3 if support is 1
    }
    double label = isnan(e->support) ? e->weight : e->support;
    if (isfinite(label)) {
        fprintf(f, ", label=\"%s\"", number_print(number, label + 0.0, DIGITS)); // + 0.0: no minus zero
    }
    fputs("];\n", f);
}

/* Explains the looks of edges that the graph has. */
static void print_legend(FILE *f, const nonsens_result *result)
{
    bool open = report_has_edge(result, NONSENS_EDGE_UNDIRECTED),
         both = report_has_edge(result, NONSENS_EDGE_BIDIRECTED);
    fprintf(f, "// a -> b: a causes b%s%s%s%s\n", open ? "; dir=none: direction not known" : "",
            both ? "; dir=both: " : "", both ? report_edge_meaning(result, NONSENS_EDGE_BIDIRECTED) : "",
            report_has_marked_edge(result) ? "; style=dashed: a hidden common cause is likely" : "");
}

void report_dot(FILE *f, const nonsens_result *result, char *const *names)
{
    print_legend(f, result);
    fputs("digraph nonsens {\n", f);
    if (result->unfinished) {
        fputs("  label=\"unfinished: the search was ended early\";\n", f);
    }
    for (int64_t j = 0; j < result->variables; j++) {
        fprintf(f, "  v%" PRId64 " [label=", j + 1);
        print_label(f, names[j]);
        fputs("];\n", f);
    }
    for (int64_t i = 0; i < result->edges; i++) {
        print_edge(f, &result->edge[i]);
    }
    fputs("}\n", f);
}
