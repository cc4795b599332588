/* pdag_helpers.h - graphs for tests: made from lists of edges, compared, filled with lines. */
#ifndef UNIT_PDAG_HELPERS_H
#define UNIT_PDAG_HELPERS_H

#include "graph/pdag.h"

#include <string.h>

/* Makes the graph of these edges. */
static inline nonsens_status pdag_from_edges(nonsens_context *ctx, arena *a, int64_t d, int64_t count,
                                             const pdag_edge *edge, pdag *out)
{
    TRY(pdag_new(ctx, a, d, out));
    for (int64_t e = 0; e < count; e++) {
        pdag_set(out, edge[e].from, edge[e].to, edge[e].mark);
    }
    return NONSENS_OK;
}

/* Joins all nodes by lines. */
static inline void pdag_complete(pdag *g)
{
    for (int64_t b = 1; b < g->d; b++) {
        for (int64_t a = 0; a < b; a++) {
            pdag_set(g, a, b, PDAG_LINE);
        }
    }
}

/* Replaces every edge by a line. */
static inline void pdag_forget_directions(pdag *g)
{
    size_t bytes = (size_t)(g->words * g->d) * sizeof *g->line;
    memcpy(g->line, g->adjacent, bytes);
    memset(g->parent, 0, bytes);
    memset(g->child, 0, bytes);
}

static inline bool pdag_is_equal(const pdag *g, const pdag *h)
{
    size_t bytes = (size_t)(g->words * g->d) * sizeof *g->line;
    return g->d == h->d && memcmp(g->adjacent, h->adjacent, bytes) == 0 && memcmp(g->line, h->line, bytes) == 0 &&
           memcmp(g->child, h->child, bytes) == 0;
}

#endif
