/* text_graph.c - prints what `discover` found: one line per edge, and the order of the variables if there is one. */
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/graph.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>

enum { MAX_EDGES = 200, MAX_ORDERED = 50, DIGITS = 4, ARROW_BYTES = 2 * SHOWN_BYTES + 8, ARROW_COLUMNS_MAX = 50 };

static void print_arrow(char out[ARROW_BYTES], const nonsens_result *r, const nonsens_edge *e)
{
    static const char *const mark[] = {"->", "--", "<->"};
    char from[SHOWN_BYTES], to[SHOWN_BYTES];
    snprintf(out, ARROW_BYTES, "%s %s %s", show_bare(from, r->names[e->from]), mark[e->type],
             show_bare(to, r->names[e->to]));
}

static int arrow_columns(const nonsens_result *r, int64_t lines)
{
    char arrow[ARROW_BYTES];
    int widest = 4;
    for (int64_t i = 0; i < lines; i++) {
        print_arrow(arrow, r, &r->edge[i]);
        widest = text_wider(widest, arrow);
    }
    return widest < ARROW_COLUMNS_MAX ? widest : ARROW_COLUMNS_MAX;
}

static void print_value(FILE *f, const char *name, double value)
{
    char number[NUMBER_BYTES];
    if (isfinite(value)) {
        fprintf(f, "  %s %s", name, value != 0.0 ? number_print(number, value, DIGITS) : "0");
    }
}

static void print_edges(FILE *f, const nonsens_result *r)
{
    char arrow[ARROW_BYTES], p_value[REASONING_P_BYTES];
    int64_t lines = r->edges < MAX_EDGES ? r->edges : MAX_EDGES;
    int width = arrow_columns(r, lines);
    for (int64_t i = 0; i < lines; i++) {
        print_arrow(arrow, r, &r->edge[i]);
        fputs("  ", f);
        text_print_padded(f, arrow, width);
        print_value(f, "weight", r->edge[i].weight);
        if (!isnan(r->edge[i].p_value)) {
            fprintf(f, "  %s", reasoning_p(p_value, r->edge[i].p_value));
        }
        print_value(f, "support", r->edge[i].support);
        fputc('\n', f);
    }
    if (lines < r->edges) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", r->edges - lines);
    }
}

static void print_order(FILE *f, const nonsens_result *r)
{
    char name[SHOWN_BYTES];
    text_print_heading(f, "Order, causes first");
    fputs("  ", f);
    for (int64_t i = 0; i < r->variables && i < MAX_ORDERED; i++) {
        fprintf(f, "%s%s", i ? ", " : "", show_bare(name, r->names[r->order[i]]));
    }
    fputs(r->variables > MAX_ORDERED ? ", ...\n" : "\n", f);
}

void text_print_graph(FILE *f, const nonsens_result *r)
{
    text_print_count(f, r->edges, "edge", " between ");
    bool given = r->options.graph[0] != '\0'; // to explain
    text_print_count(f, r->variables, "variable", given ? ", as --graph has them" : " by ");
    fprintf(f, "%s (a -> b: a causes b; a -- b: direction not known; a <-> b: %s)\n", given ? "" : r->method,
            report_edge_meaning(r, NONSENS_EDGE_BIDIRECTED));
    print_edges(f, r);
    if (r->reason) {
        text_print_words(f, r->reason, 0, 0);
    }
    if (r->bootstrap.replicates > 0) {
        text_print_bootstrap(f, r);
    }
    if (r->order) {
        print_order(f, r);
    }
}
