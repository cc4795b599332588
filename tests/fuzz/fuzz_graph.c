/*
 * fuzz_graph.c - feeds random bytes to the readers of graphs (libFuzzer).
 *
 * The first byte selects options: bit 0 a column that says which rows are edges.  The test visits all that was read, so
 * that the sanitizers see every name and edge.
 */
#include "fuzz/fuzz.h"
#include "read/graph_file.h"

#include <string.h>

static void check_graph(const nonsens_graph *g)
{
    check(g->nodes >= 0 && g->nodes <= GRAPH_MAX_NODES && g->edges <= g->nodes * g->nodes);
    check(g->format && g->path);
    for (int64_t j = 0; j < g->nodes; j++) {
        check(strlen(g->name[j]) > 0);
    }
    for (int64_t k = 0; k < g->edges; k++) {
        const nonsens_edge *e = &g->edge[k];
        check(e->from >= 0 && e->from < g->nodes && e->to >= 0 && e->to < g->nodes && e->from != e->to);
        check(e->type >= NONSENS_EDGE_DIRECTED && e->type <= NONSENS_EDGE_BIDIRECTED);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_graph *g = NULL;
    if (size < 1 || !ctx) {
        nonsens_context_free(ctx);
        return 0;
    }
    nonsens_status status = graph_parse(ctx, "fuzz", (const char *)data + 1, size - 1, data[0] & 1 ? "w" : NULL, &g);
    if (status == NONSENS_OK) {
        check_graph(g);
    } else {
        check(!g && status == NONSENS_ERR_DATA && strlen(nonsens_context_message(ctx)) > 10);
    }
    nonsens_graph_free(g);
    nonsens_context_free(ctx);
    return 0;
}
