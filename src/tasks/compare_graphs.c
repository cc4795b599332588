/*
 * compare_graphs.c - the public comparison of two graphs: matches nodes by name, then measures distances
 * (graph/metrics.h).
 *
 * A list of edges knows only nodes that have an edge.  Further nodes of the other graph count as nodes without edges.
 * If a file lists its nodes, that list is complete, and a node that is not in it is an error.
 *
 * There is one mark between two nodes.  If a file has two edges, such as opposite arrows, they are compared as <->.
 */
#include "tasks/compare_graphs.h"

#include "base/show.h"
#include "base/text_set.h"
#include "graph/edge.h"
#include "graph/metrics.h"
#include "read/graph_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* A graph and the indices of its nodes among the nodes of both graphs. */
typedef struct placed_graph {
    const nonsens_graph *graph;
    int64_t *place; /* (graph->nodes) */
} placed_graph;

static nonsens_status place_nodes(nonsens_context *ctx, arena *a, text_set *names, placed_graph *g)
{
    ARENA_TRY(ctx, a, g->place, g->graph->nodes + 1);
    for (int64_t i = 0; i < g->graph->nodes; i++) {
        const char *name = g->graph->name[i];
        int32_t place;
        TRY(text_set_put(ctx, names, name, (int64_t)strlen(name), &place));
        g->place[i] = place;
    }
    return NONSENS_OK;
}

/* Lists nodes of the graph that are not among the known ones, at most a few; returns how many there are. */
static int64_t list_unknown(const placed_graph *g, const bool *known, char *list, size_t bytes)
{
    enum { SHOWN = 5 };
    char shown[SHOWN_BYTES];
    int64_t unknown = 0;
    size_t used = 0;
    for (int64_t i = 0; i < g->graph->nodes; i++) {
        if (!known[g->place[i]] && unknown++ < SHOWN && used + SHOWN_BYTES < bytes) {
            used += (size_t)snprintf(list + used, bytes - used, "%s%s", used ? ", " : "",
                                     show_quoted(shown, g->graph->name[i]));
        }
    }
    if (unknown > SHOWN && used + sizeof ", ..." <= bytes) {
        memcpy(list + used, ", ...", sizeof ", ...");
    }
    return unknown;
}

/* Counts nodes of `has` that `lacks` does not have; any is an error if `lacks` lists its nodes.  nodes: of both. */
static nonsens_status check_names(nonsens_context *ctx, arena *a, int64_t nodes, const placed_graph *has,
                                  const placed_graph *lacks, int64_t *added)
{
    char list[MESSAGE_BYTES / 2] = "";
    bool *known; // (nodes) `lacks` has the node
    ARENA_TRY(ctx, a, known, nodes + 1);
    for (int64_t i = 0; i < lacks->graph->nodes; i++) {
        known[lacks->place[i]] = true;
    }
    *added = list_unknown(has, known, list, sizeof list);
    if (*added == 0 || !lacks->graph->lists_nodes) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "the graphs have different nodes: %s of %.200s %s not in %.200s; compare graphs "
                "of the same nodes",
                list, has->graph->path, *added == 1 ? "is" : "are", lacks->graph->path);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

static enum pdag_mark mark_of(int type)
{
    return type == NONSENS_EDGE_DIRECTED ? PDAG_ARROW : type == NONSENS_EDGE_UNDIRECTED ? PDAG_LINE : PDAG_BOTH;
}

static nonsens_status to_pdag(nonsens_context *ctx, arena *a, const placed_graph *placed, nonsens_comparison *c,
                              compare_graph *facts, pdag *out)
{
    const nonsens_graph *g = placed->graph;
    TRY(pdag_new(ctx, a, c->nodes, out));
    for (int64_t k = 0; k < g->edges; k++) {
        const nonsens_edge *e = &g->edge[k];
        int64_t from = placed->place[e->from], to = placed->place[e->to];
        bool cycle = pdag_is_adjacent(out, from, to);
        facts->cycles += cycle;
        pdag_set(out, from, to, cycle ? PDAG_BOTH : mark_of(e->type));
    }
    facts->nodes = g->nodes;
    facts->edges = g->edges;
    facts->format = g->format;
    facts->path = arena_text(ctx, &c->memory, g->path);
    return facts->path ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* Returns the edge between a < b in the graph. */
static nonsens_edge edge_of(const pdag *g, int64_t a, int64_t b)
{
    enum pdag_mark mark = pdag_mark_of(g, a, b);
    bool back = mark == PDAG_BACK;
    return (nonsens_edge){back ? b : a, back ? a : b, pdag_edge_type(mark), NAN, NAN, .support = NAN, EDGE_NO_EFFECT};
}

static const char *what_of(const nonsens_edge *estimated, const nonsens_edge *actual)
{
    if (estimated->type == NONSENS_EDGE_NONE || actual->type == NONSENS_EDGE_NONE) {
        return estimated->type == NONSENS_EDGE_NONE ? "missing" : "extra";
    }
    return estimated->type == actual->type ? "reversed" : "marked";
}

static nonsens_score score_of(const metrics_score *s)
{
    return (nonsens_score){s->true_positives, s->predicted, s->actual, s->possible,
                           s->precision,      s->recall,    s->f1,     s->mcc};
}

/* Adds one distance, and lists the pairs of nodes where the graphs differ. */
static nonsens_status measure(nonsens_context *ctx, nonsens_comparison *c, const char *against, const pdag *estimate,
                              const pdag *truth)
{
    metrics m;
    nonsens_difference *d; // (shd)
    int64_t at = c->distances++;
    metrics_compare(estimate, truth, &m);
    c->distance[at] = (nonsens_distance){.against = against,
                                         .missing = m.missing,
                                         .extra = m.extra,
                                         .reversed = m.reversed,
                                         .marked = m.marked,
                                         .shd = m.shd,
                                         .undirected = m.undirected,
                                         .skeleton = score_of(&m.skeleton),
                                         .arrows = score_of(&m.arrows),
                                         .directions = m.directions,
                                         .direction_accuracy = m.direction_accuracy,
                                         .differences = m.shd};
    ARENA_TRY(ctx, &c->memory, d, m.shd + 1);
    c->difference[at] = d;
    for (int64_t a = 0; a < truth->d; a++) {
        for (int64_t b = a + 1; b < truth->d; b++) {
            if (pdag_mark_of(estimate, a, b) != pdag_mark_of(truth, a, b)) {
                nonsens_edge estimated = edge_of(estimate, a, b), actual = edge_of(truth, a, b);
                *d++ = (nonsens_difference){what_of(&estimated, &actual), estimated, actual};
            }
        }
    }
    return NONSENS_OK;
}

/* Compares with the truth itself, or with its pattern. */
static nonsens_status measure_truth(nonsens_context *ctx, arena *a, nonsens_comparison *c, const pdag *estimate,
                                    const pdag *truth)
{
    pdag pattern;
    if (!c->options.pattern) {
        return measure(ctx, c, "truth", estimate, truth);
    }
    TRY(pdag_new(ctx, a, truth->d, &pattern));
    nonsens_status status = metrics_pattern(ctx, a, truth, &pattern);
    if (status == NONSENS_ERR_USAGE) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%s: only a DAG has a pattern, and this graph has a cycle of arrows or edges without direction; "
                    "compare without --pattern",
                    c->truth.path);
    }
    TRY(status);
    return measure(ctx, c, "pattern", estimate, &pattern);
}

/*
 * Fills in c->name, c->nodes and the indices of each graph's nodes.  Fails if the graphs have no node in common: then
 * the user probably meant other files.
 */
static nonsens_status match_nodes(nonsens_context *ctx, arena *a, nonsens_comparison *c, placed_graph *estimate,
                                  placed_graph *truth)
{
    text_set names = {.keep = &c->memory, .scratch = a};
    TRY(place_nodes(ctx, a, &names, truth));
    TRY(place_nodes(ctx, a, &names, estimate));
    c->nodes = names.count;
    ARENA_TRY(ctx, &c->memory, c->name, c->nodes + 1);
    for (int64_t i = 0; i < names.count; i++) {
        c->name[i] = names.text[i];
    }
    TRY(check_names(ctx, a, c->nodes, estimate, truth, &c->truth.added));
    TRY(check_names(ctx, a, c->nodes, truth, estimate, &c->estimate.added));
    if (estimate->graph->nodes == 0 || truth->graph->nodes == 0 || c->truth.added < estimate->graph->nodes) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "the graphs of %.200s and %.200s have no node in common; compare graphs of the "
                "same nodes",
                estimate->graph->path, truth->graph->path);
}

static nonsens_status compare(nonsens_context *ctx, arena *a, nonsens_comparison *c, placed_graph estimate,
                              placed_graph truth)
{
    pdag estimated, actual, closure;
    TRY(match_nodes(ctx, a, c, &estimate, &truth));
    TRY(to_pdag(ctx, a, &truth, c, &c->truth, &actual));
    TRY(to_pdag(ctx, a, &estimate, c, &c->estimate, &estimated));
    TRY(measure_truth(ctx, a, c, &estimated, &actual));
    if (!c->options.closure) {
        return NONSENS_OK;
    }
    TRY(pdag_new(ctx, a, c->nodes, &closure));
    TRY(metrics_closure(ctx, &actual, &closure));
    return measure(ctx, c, "closure", &estimated, &closure);
}

/* ---- public ----------------------------------------------------------------------------------------------------- */

nonsens_status nonsens_comparison_new(nonsens_context *ctx, const nonsens_graph *estimate, const nonsens_graph *truth,
                                      const nonsens_options *options, nonsens_comparison **out)
{
    NEEDED(ctx, estimate, truth, options, out);
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_COMPARE));
    SCOPED(memory_release_scoped) nonsens_comparison *c = memory_get(1, sizeof *c);
    SCOPED_ARENA(scratch);
    if (!c) {
        return fail_memory(ctx);
    }
    TRY(options_copy(ctx, &c->memory, options, &c->options));
    TRY(compare(ctx, &scratch, c, (placed_graph){estimate, NULL}, (placed_graph){truth, NULL}));
    *out = c;
    c = NULL;
    return NONSENS_OK;
}

void nonsens_comparison_free(nonsens_comparison *comparison)
{
    memory_release_owner(comparison);
}

int64_t nonsens_comparison_node_count(const nonsens_comparison *comparison)
{
    return comparison ? comparison->nodes : 0;
}

const char *nonsens_comparison_node_at(const nonsens_comparison *comparison, int64_t node)
{
    return comparison && node >= 0 && node < comparison->nodes ? comparison->name[node] : NULL;
}

int64_t nonsens_comparison_distance_count(const nonsens_comparison *comparison)
{
    return comparison ? comparison->distances : 0;
}

const nonsens_distance *nonsens_comparison_distance_at(const nonsens_comparison *comparison, int64_t index)
{
    return comparison && index >= 0 && index < comparison->distances ? &comparison->distance[index] : NULL;
}

const nonsens_difference *nonsens_comparison_difference_at(const nonsens_comparison *comparison, int64_t distance,
                                                           int64_t index)
{
    const nonsens_distance *d = nonsens_comparison_distance_at(comparison, distance);
    return d && index >= 0 && index < d->differences ? &comparison->difference[distance][index] : NULL;
}
