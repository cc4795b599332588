/* identify_graph.c - graphs with hidden common causes, and the order of their nodes by name. */
#include "base/natural.h"
#include "base/show.h"
#include "tasks/identify/identify_internal.h"

nonsens_status identify_graph_new(nonsens_context *ctx, arena *keep, int64_t d, const char *const *name,
                                  bool is_contradictory, identify_graph *out)
{
    *out = (identify_graph){.name = name, .is_contradictory = is_contradictory};
    ARENA_TRY(ctx, keep, out->hidden, d * d);
    return pdag_new(ctx, keep, d, &out->marks);
}

static void hide(identify_graph *g, int64_t a, int64_t b)
{
    g->hidden[a * g->marks.d + b] = g->hidden[b * g->marks.d + a] = true;
}

nonsens_status identify_graph_add(nonsens_context *ctx, identify_graph *g, int64_t from, int64_t to,
                                  nonsens_edge_type type, bool is_confounded)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES];
    enum pdag_mark before = pdag_mark_of(&g->marks, from, to);
    if (type == NONSENS_EDGE_DIRECTED && before == PDAG_BACK) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "the graph has both %s -> %s and the arrow back, a cycle; give a graph without cycles",
                    show_bare(first, g->name[from]), show_bare(second, g->name[to]));
    }
    if (is_confounded || (type == NONSENS_EDGE_BIDIRECTED && !g->is_contradictory)) {
        hide(g, from, to);
    }
    if (type == NONSENS_EDGE_BIDIRECTED && (before == PDAG_NONE || g->is_contradictory)) {
        pdag_set(&g->marks, from, to, PDAG_BOTH);
    } else if (type == NONSENS_EDGE_DIRECTED && !(before == PDAG_BOTH && g->is_contradictory)) {
        pdag_set(&g->marks, from, to, PDAG_ARROW);
    } else if (type == NONSENS_EDGE_UNDIRECTED && (before == PDAG_NONE || before == PDAG_BOTH) &&
               !(before == PDAG_BOTH && g->is_contradictory)) {
        pdag_set(&g->marks, from, to, PDAG_LINE);
    }
    return NONSENS_OK;
}

/* ---- the order of names ----------------------------------------------------------------------------------------- */

/* Sorts by insertion: graphs have a few hundred nodes at most. */
static void sort_by_name(int64_t d, const char *const *name, int32_t *node)
{
    for (int64_t k = 0; k < d; k++) {
        int64_t at = k;
        for (; at > 0 && natural_compare(name[node[at - 1]], name[k]) > 0; at--) {
            node[at] = node[at - 1];
        }
        node[at] = (int32_t)k;
    }
}

nonsens_status identify_sort(nonsens_context *ctx, arena *a, const identify_graph *g, identify_graph *out,
                             int32_t **node)
{
    int64_t d = g->marks.d;
    const char **name;
    ARENA_TRY(ctx, a, *node, d);
    ARENA_TRY(ctx, a, name, d);
    sort_by_name(d, g->name, *node);
    TRY(identify_graph_new(ctx, a, d, name, g->is_contradictory, out));
    for (int64_t i = 0; i < d; i++) {
        name[i] = g->name[(*node)[i]];
        for (int64_t j = 0; j < i; j++) {
            pdag_set(&out->marks, i, j, pdag_mark_of(&g->marks, (*node)[i], (*node)[j]));
            if (g->hidden[(int64_t)(*node)[i] * d + (*node)[j]]) {
                hide(out, i, j);
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status identify_unsort(nonsens_context *ctx, arena *keep, const pdag *sorted, const int32_t *node, pdag *out)
{
    TRY(pdag_new(ctx, keep, sorted->d, out));
    for (int64_t i = 0; i < sorted->d; i++) {
        for (int64_t j = 0; j < i; j++) {
            pdag_set(out, node[i], node[j], pdag_mark_of(sorted, i, j));
        }
    }
    return NONSENS_OK;
}

nonsens_status identify_first_dag(nonsens_context *ctx, arena *keep, const identify_graph *g, identify_graph *dag)
{
    SCOPED_ARENA(scratch);
    identify_graph sorted;
    orientations found;
    pdag_edge *line;
    int32_t *node;
    int64_t lines;
    *dag = *g;
    if (pdag_has_cycle(&g->marks)) {
        return fail(ctx, NONSENS_ERR_DATA, "the graph has a cycle of arrows; give a graph without cycles");
    }
    TRY(identify_sort(ctx, &scratch, g, &sorted, &node));
    TRY(orientations_lines(ctx, &scratch, &sorted.marks, &line, &lines));
    TRY(orientations_list(ctx, &scratch, &sorted.marks, lines, line, 1, &found));
    return identify_unsort(ctx, keep, &found.graph[0], node, &dag->marks);
}
