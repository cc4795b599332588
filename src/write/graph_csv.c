/*
 * graph_csv.c - writes the edges of a graph as CSV (RFC 4180): from,to,type,weight,p_value,support,meaning,
 * confounded,direct_effect,effect_low,effect_high,step_low,step_high.
 *
 * Each row says what its edge means.  A comment line above the header would not work: many readers (R, spreadsheets,
 * pandas by default) would take it for the header.  A value that the method does not estimate is an empty cell.  Nodes
 * without edges are not in the file.  Spreadsheets do not take marks such as --> for formulas, so they are not escaped.
 */
#include "base/csv_cell.h"
#include "base/number.h"
#include "write/graph.h"

#include <math.h>

enum { DIGITS = 15 }; /* as in JSON */

static void print_number(FILE *f, double value, char end)
{
    char number[NUMBER_BYTES];
    if (isfinite(value)) {
        fputs(number_print(number, value + 0.0, DIGITS), f); // + 0.0: no minus zero
    }
    fputc(end, f);
}

void report_graph_csv(FILE *f, const nonsens_result *result, char *const *names)
{
    fputs("from,to,type,weight,p_value,support,meaning,confounded,direct_effect,effect_low,effect_high,step_low,step_"
          "high\n",
          f);
    for (int64_t i = 0; i < result->edges; i++) {
        const nonsens_edge *e = &result->edge[i];
        csv_cell_print(f, "", names[e->from]);
        fputc(',', f);
        csv_cell_print(f, "", names[e->to]);
        fprintf(f, ",%s,", report_edge_mark(e->type));
        print_number(f, e->weight, ',');
        print_number(f, e->p_value, ',');
        print_number(f, e->support, ',');
        fprintf(f, "%s,%s,", report_edge_meaning(result, e->type), e->confounded ? "true" : "false");
        print_number(f, e->effect, ',');
        print_number(f, e->effect_low, ',');
        print_number(f, e->effect_high, ',');
        print_number(f, e->lower, ',');
        print_number(f, e->upper, '\n');
    }
}
