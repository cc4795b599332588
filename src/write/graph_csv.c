/*
 * graph_csv.c - the edges of a graph as CSV (RFC 4180): from,to,type,weight,p_value,support,meaning.
 *
 * What an edge means stands in its row, and not in a comment line above the header, which many readers (R,
 * spreadsheets, pandas unless told) would take for the header.  What a method does not estimate is an empty cell. Nodes
 * without edges are not in the file.  Marks such as --> are no formulas to a spreadsheet, and stay as they are.
 */
#include "base/csv_cell.h"
#include "base/number.h"
#include "write/graph.h"

#include <math.h>

enum { DIGITS = 15 }; /* as in JSON */

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
        const nonsens_edge *e = &result->edge[i];
        csv_cell_print(f, "", names[e->from]);
        fputc(',', f);
        csv_cell_print(f, "", names[e->to]);
        fprintf(f, ",%s,", report_edge_mark(e->type));
        print_number(f, e->weight);
        print_number(f, e->p_value);
        print_number(f, e->support);
        fprintf(f, "%s\n", report_edge_meaning(result, e->type));
    }
}
