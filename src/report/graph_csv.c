/*
 * graph_csv.c - the edges of a graph as CSV (RFC 4180): from,to,type,weight,p_value,support,meaning.
 *
 * What an edge means stands in its row, and not in a comment line above the header, which many readers (R,
 * spreadsheets, pandas unless told) would take for the header.  What a method does not estimate is an empty cell. Nodes
 * without edges are not in the file.
 */
#include "base/number.h"
#include "report/graph.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 15 }; /* as in JSON */

/* In quotes where the name has what ends a cell for some reader, blanks at its ends, or what begins a comment. */
static void print_name(FILE *f, const char *name)
{
    size_t length = strlen(name);
    bool bare =
        length > 0 && !strpbrk(name, ",;\t\"\r\n") && name[0] != '#' && name[0] != ' ' && name[length - 1] != ' ';
    if (bare) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (const char *c = name; *c; c++) {
        if (*c == '"') {
            fputc('"', f);
        }
        fputc(*c, f);
    }
    fputc('"', f);
}

static void print_number(FILE *f, double value)
{
    char number[NUMBER_BYTES];
    if (isfinite(value)) {
        fputs(number_print(number, value + 0.0, DIGITS), f); // no minus zero
    }
    fputc(',', f);
}

void report_graph_csv(FILE *f, const nonsens_result *result, char *const *names)
{
    fputs("from,to,type,weight,p_value,support,meaning\n", f);
    for (int64_t i = 0; i < result->edges; i++) {
        const graph_edge *e = &result->edge[i];
        print_name(f, names[e->from]);
        fputc(',', f);
        print_name(f, names[e->to]);
        fprintf(f, ",%s,", report_edge_mark(e->type));
        print_number(f, e->weight);
        print_number(f, e->p_value);
        print_number(f, e->support);
        fprintf(f, "%s\n", report_edge_meaning(result, e->type));
    }
}
