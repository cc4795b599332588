/*
 * compare.c - the public comparison of two graphs: nodes matched by name, then distances (graph/metrics.h).
 *
 * A list of edges knows only nodes that have an edge.  Nodes that the other graph has beside them are taken as nodes
 * without edges; where a file lists its nodes, that list is complete, and a node that is not in it is an error.
 *
 * Between two nodes there is one mark.  Two arrows against each other, which a file may have, are compared as an arrow
 * with two heads.
 */
#include "methods/compare.h"

#include "base/hash.h"
#include "base/show.h"
#include "data/graph_file.h"
#include "graph/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Names by hash, open addressing; `slot` holds 1 + index, or 0. */
typedef struct name_table {
    char *const *name;
    int64_t count;
    int32_t *slot;
    uint64_t mask;
} name_table;

static uint64_t slot_of(const name_table *t, const char *name)
{
    uint64_t hash = HASH_START;
    hash_text(&hash, name);
    return hash_fold(hash) & t->mask;
}

static int64_t find_name(const name_table *t, const char *name)
{
    for (uint64_t at = slot_of(t, name); t->slot[at]; at = (at + 1) & t->mask) {
        if (strcmp(t->name[t->slot[at] - 1], name) == 0) {
            return t->slot[at] - 1;
        }
    }
    return -1;
}

static nonsens_status index_names(nonsens_context *ctx, arena *a, const nonsens_graph *g, name_table *t)
{
    uint64_t slots = 2;
    while (slots < 2 * (uint64_t)g->nodes) {
        slots *= 2;
    }
    *t = (name_table){.name = g->name, .count = g->nodes, .mask = slots - 1};
    ARENA_TRY(ctx, a, t->slot, (int64_t)slots);
    for (int64_t i = 0; i < g->nodes; i++) {
        uint64_t at = slot_of(t, g->name[i]);
        while (t->slot[at]) {
            at = (at + 1) & t->mask;
        }
        t->slot[at] = (int32_t)(i + 1);
    }
    return NONSENS_OK;
}

/* Names the nodes that `has` has and `lacks` has not, up to a few; how many there are. */
static int64_t list_unknown(const nonsens_graph *has, const name_table *lacks, char *list, size_t bytes)
{
    enum { SHOWN = 5 };
    char shown[SHOWN_BYTES];
    int64_t unknown = 0;
    size_t used = 0;
    for (int64_t i = 0; i < has->nodes; i++) {
        if (find_name(lacks, has->name[i]) < 0 && unknown++ < SHOWN && used + SHOWN_BYTES < bytes) {
            used +=
                (size_t)snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", show_quoted(shown, has->name[i]));
        }
    }
    if (unknown > SHOWN && used + sizeof ", ..." <= bytes) {
        memcpy(list + used, ", ...", sizeof ", ...");
    }
    return unknown;
}

/* The nodes of `has` that `lacks` has not: an error where that one lists its nodes. */
static nonsens_status check_names(nonsens_context *ctx, const nonsens_graph *has, const nonsens_graph *lacks,
                                  const name_table *table, int64_t *added)
{
    char list[MESSAGE_BYTES / 2] = "";
    *added = list_unknown(has, table, list, sizeof list);
    if (*added == 0 || !lacks->lists_nodes) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "the graphs have different nodes: %s of %.200s %s not in %.200s; compare graphs "
                "of the same nodes",
                list, has->path, *added == 1 ? "is" : "are", lacks->path);
}

static nonsens_status keep_name(nonsens_context *ctx, nonsens_comparison *c, const char *name)
{
    c->name[c->nodes] = arena_text(ctx, &c->memory, name);
    return c->name[c->nodes++] ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

static enum pdag_mark mark_of(int type)
{
    return type == NONSENS_EDGE_DIRECTED ? PDAG_ARROW : type == NONSENS_EDGE_UNDIRECTED ? PDAG_LINE : PDAG_BOTH;
}

/* node: the place of each node of g among the nodes of both. */
static nonsens_status to_pdag(nonsens_context *ctx, arena *a, const nonsens_graph *g, const int64_t *node,
                              nonsens_comparison *c, compared_graph *facts, pdag *out)
{
    TRY(pdag_new(ctx, a, c->nodes, out));
    for (int64_t k = 0; k < g->edges; k++) {
        const nonsens_edge *e = &g->edge[k];
        int64_t from = node[e->from], to = node[e->to];
        bool circle = pdag_is_adjacent(out, from, to);
        facts->circles += circle;
        pdag_set(out, from, to, circle ? PDAG_BOTH : mark_of(e->type));
    }
    facts->nodes = g->nodes;
    facts->edges = g->edges;
    facts->format = g->format;
    facts->path = arena_text(ctx, &c->memory, g->path);
    return facts->path ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* What is between a < b in the graph, as an edge. */
static nonsens_edge edge_of(const pdag *g, int64_t a, int64_t b)
{
    enum pdag_mark mark = pdag_mark_of(g, a, b);
    int type = mark == PDAG_NONE   ? NONSENS_EDGE_NONE
               : mark == PDAG_LINE ? NONSENS_EDGE_UNDIRECTED
               : mark == PDAG_BOTH ? NONSENS_EDGE_BIDIRECTED
                                   : NONSENS_EDGE_DIRECTED;
    bool back = mark == PDAG_BACK;
    return (nonsens_edge){back ? b : a, back ? a : b, type, NAN, NAN, NAN};
}

static const char *what_of(const nonsens_edge *found, const nonsens_edge *there)
{
    if (found->type == NONSENS_EDGE_NONE || there->type == NONSENS_EDGE_NONE) {
        return found->type == NONSENS_EDGE_NONE ? "missing" : "extra";
    }
    return found->type == there->type ? "reversed" : "marked";
}

static nonsens_share share_of(const metrics_share *s)
{
    return (nonsens_share){s->right, s->found, s->there, s->places, s->precision, s->recall, s->f1, s->mcc};
}

/* One distance more. */
static nonsens_status measure(nonsens_context *ctx, nonsens_comparison *c, const char *against, const pdag *estimate,
                              const pdag *truth)
{
    metrics m;
    nonsens_difference *d;
    int64_t at = c->distances++;
    metrics_compare(estimate, truth, &m);
    c->distance[at] = (nonsens_distance){against,
                                         m.missing,
                                         m.extra,
                                         m.reversed,
                                         m.marked,
                                         m.shd,
                                         m.undirected,
                                         share_of(&m.skeleton),
                                         share_of(&m.arrows),
                                         m.directions,
                                         m.direction_accuracy,
                                         m.shd};
    ARENA_TRY(ctx, &c->memory, d, m.shd + 1);
    c->difference[at] = d;
    for (int64_t a = 0; a < truth->d; a++) {
        for (int64_t b = a + 1; b < truth->d; b++) {
            if (pdag_mark_of(estimate, a, b) != pdag_mark_of(truth, a, b)) {
                nonsens_edge found = edge_of(estimate, a, b), there = edge_of(truth, a, b);
                *d++ = (nonsens_difference){what_of(&found, &there), found, there};
            }
        }
    }
    return NONSENS_OK;
}

/* The truth itself, or its pattern. */
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
                    "%s: only a DAG has a pattern, and this graph has a circle of arrows or edges without direction; "
                    "compare without --pattern",
                    c->truth.path);
    }
    TRY(status);
    return measure(ctx, c, "pattern", estimate, &pattern);
}

/* Two lists of edges may lack nodes of each other, but not all of them: then something else was meant. */
static nonsens_status check_common(nonsens_context *ctx, const nonsens_graph *estimate, const nonsens_graph *truth,
                                   const nonsens_comparison *c)
{
    if (estimate->nodes == 0 || truth->nodes == 0 || c->truth.added < estimate->nodes) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "the graphs of %.200s and %.200s have no node in common; compare graphs of the "
                "same nodes",
                estimate->path, truth->path);
}

/* The nodes of both graphs: their names, and the place of each graph's nodes among them. */
static nonsens_status match_nodes(nonsens_context *ctx, arena *a, nonsens_comparison *c, const nonsens_graph *estimate,
                                  const nonsens_graph *truth, int64_t **node_found, int64_t **node_there)
{
    name_table by_estimate, by_truth;
    TRY(index_names(ctx, a, estimate, &by_estimate));
    TRY(index_names(ctx, a, truth, &by_truth));
    TRY(check_names(ctx, estimate, truth, &by_truth, &c->truth.added));
    TRY(check_names(ctx, truth, estimate, &by_estimate, &c->estimate.added));
    TRY(check_common(ctx, estimate, truth, c));
    ARENA_TRY(ctx, &c->memory, c->name, truth->nodes + c->truth.added + 1);
    ARENA_TRY(ctx, a, *node_there, truth->nodes + 1);
    ARENA_TRY(ctx, a, *node_found, estimate->nodes + 1);
    for (int64_t i = 0; i < truth->nodes; i++) {
        (*node_there)[i] = c->nodes;
        TRY(keep_name(ctx, c, truth->name[i]));
    }
    for (int64_t i = 0; i < estimate->nodes; i++) {
        int64_t known = find_name(&by_truth, estimate->name[i]);
        (*node_found)[i] = known >= 0 ? known : c->nodes;
        TRY(known >= 0 ? NONSENS_OK : keep_name(ctx, c, estimate->name[i]));
    }
    return NONSENS_OK;
}

static nonsens_status compare(nonsens_context *ctx, arena *a, nonsens_comparison *c, const nonsens_graph *estimate,
                              const nonsens_graph *truth)
{
    pdag found, there, closure;
    int64_t *node_found, *node_there;
    TRY(match_nodes(ctx, a, c, estimate, truth, &node_found, &node_there));
    TRY(to_pdag(ctx, a, truth, node_there, c, &c->truth, &there));
    TRY(to_pdag(ctx, a, estimate, node_found, c, &c->estimate, &found));
    TRY(measure_truth(ctx, a, c, &found, &there));
    if (!c->options.closure) {
        return NONSENS_OK;
    }
    TRY(pdag_new(ctx, a, c->nodes, &closure));
    TRY(metrics_closure(ctx, &there, &closure));
    return measure(ctx, c, "closure", &found, &closure);
}

/* ---- public ----------------------------------------------------------------------------------------------------- */

nonsens_status nonsens_compare(nonsens_context *ctx, const nonsens_graph *estimate, const nonsens_graph *truth,
                               const nonsens_options *options, nonsens_comparison **out)
{
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_CMD_COMPARE));
    nonsens_comparison *c = memory_get(1, sizeof *c);
    arena scratch = {0};
    if (!c) {
        return fail_memory(ctx);
    }
    c->options = *options;
    nonsens_status status = compare(ctx, &scratch, c, estimate, truth);
    arena_free(&scratch);
    if (status != NONSENS_OK) {
        nonsens_comparison_free(c);
        return status;
    }
    *out = c;
    return NONSENS_OK;
}

void nonsens_comparison_free(nonsens_comparison *comparison)
{
    memory_release_owner(comparison);
}

int64_t nonsens_comparison_nodes(const nonsens_comparison *comparison)
{
    return comparison->nodes;
}

const char *nonsens_comparison_name(const nonsens_comparison *comparison, int64_t node)
{
    return node >= 0 && node < comparison->nodes ? comparison->name[node] : NULL;
}

int64_t nonsens_comparison_distances(const nonsens_comparison *comparison)
{
    return comparison->distances;
}

const nonsens_distance *nonsens_comparison_distance_at(const nonsens_comparison *comparison, int64_t index)
{
    return index >= 0 && index < comparison->distances ? &comparison->distance[index] : NULL;
}

const nonsens_difference *nonsens_comparison_difference_at(const nonsens_comparison *comparison, int64_t distance,
                                                           int64_t index)
{
    const nonsens_distance *d = nonsens_comparison_distance_at(comparison, distance);
    return d && index >= 0 && index < d->differences ? &comparison->difference[distance][index] : NULL;
}
