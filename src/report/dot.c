/* dot.c - a graph in Graphviz's DOT language; names are quoted, so that any text is safe in them. */
#include "base/number.h"
#include "base/output.h"
#include "methods/result.h"

#include <math.h>
#include <stdio.h>

enum { DIGITS = 3 };

/* In quotes; quotes, backslashes and control characters of the name cannot end or bend them. */
static void print_quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fputc('\\', f);
        }
        fputc(c < 0x20 || c == 0x7f ? ' ' : c, f);
    }
    fputc('"', f);
}

static void print_edge(FILE *f, const nonsens_result *r, const graph_edge *e)
{
    static const char *const ends[] = {"dir=forward", "dir=none", "dir=both"};
    char number[NUMBER_BYTES];
    fputs("  ", f);
    print_quoted(f, r->names[e->from]);
    fputs(" -> ", f);
    print_quoted(f, r->names[e->to]);
    fprintf(f, " [%s", ends[e->type]);
    double label = isnan(e->support) ? e->weight : e->support;
    if (!isnan(label)) {
        fprintf(f, ", label=\"%s\"", number_print(number, label, DIGITS));
    }
    fputs("];\n", f);
}

nonsens_status nonsens_result_write_dot(nonsens_context *ctx, const nonsens_result *result, const char *path)
{
    output *out;
    if (!result->is_graph) {
        return fail(ctx, NONSENS_ERR_USAGE, "only discover has a graph to write");
    }
    TRY(output_open(ctx, path, &out));
    FILE *f = output_stream(out);
    fputs("// a -> b: a causes b; dir=none: direction not known; dir=both: hidden common cause\ndigraph nonsens {\n",
          f);
    for (int64_t j = 0; j < result->variables; j++) {
        fputs("  ", f);
        print_quoted(f, result->names[j]);
        fputs(";\n", f);
    }
    for (int64_t i = 0; i < result->edges; i++) {
        print_edge(f, result, &result->edge[i]);
    }
    fputs("}\n", f);
    return output_close(ctx, out);
}
