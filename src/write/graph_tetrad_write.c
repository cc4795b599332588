/*
 * graph_tetrad_write.c - writes a graph in Tetrad's text format (read/graph_tetrad.c reads it back).
 *
 * Tetrad ignores lines outside the sections of the file, so a line above the edges says what they mean.  That line has
 * no arrow, since simple readers take every line with an arrow for an edge.
 *
 * The format has no quotes: a name ends at a blank, comma or semicolon, and parentheses and brackets mean latent and
 * selection variables.  Such bytes, control characters and % itself are written as %XX, and a line says so if there are
 * any.  So different names stay different and can be read back.
 */
#include "read/graph_file.h"
#include "write/graph.h"

#include <inttypes.h>
#include <string.h>

static bool needs_escape(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f || strchr(",;%()[]\"#", c) != NULL;
}

static bool is_escaped(const nonsens_result *result, char *const *names)
{
    for (int64_t j = 0; j < result->variables; j++) {
        for (const char *c = names[j]; *c; c++) {
            if (needs_escape(*c)) {
                return true;
            }
        }
    }
    return false;
}

static void print_name(FILE *f, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (needs_escape(*c)) {
            fprintf(f, "%%%02X", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, f);
        }
    }
}

void report_tetrad(FILE *f, const nonsens_result *result, char *const *names)
{
    fputs("# The node at the tail of an arrow is the cause: A[i][j] != 0 means that i causes j\n", f);
    if (is_escaped(result, names)) {
        fputs(GRAPH_TETRAD_ESCAPED "\n", f);
    }
    fputs(GRAPH_TETRAD_NODES "\n", f);
    for (int64_t j = 0; j < result->variables; j++) {
        fputs(j > 0 ? ";" : "", f);
        print_name(f, names[j]);
    }
    fputs("\n\n" GRAPH_TETRAD_EDGES "\n", f);
    for (int64_t i = 0; i < result->edges; i++) {
        const nonsens_edge *e = &result->edge[i];
        fprintf(f, "%" PRId64 ". ", i + 1);
        print_name(f, names[e->from]);
        fprintf(f, " %s ", report_edge_mark(e->type));
        print_name(f, names[e->to]);
        fputc('\n', f);
    }
}
