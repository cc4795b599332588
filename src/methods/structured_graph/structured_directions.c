/* structured_directions.c - directs the arrows of the graph that was found, one kind of evidence after the other. */
#include "methods/structured_graph/structured_directions.h"

#include "graph/orient.h"
#include "math/special.h"

#include <math.h>

/* For likelihood alone: chosen by simulation (docs/many-variables.md). */
static const double STRICT_LEVEL = 1e-4;
static const double MIN_STRICT_LOSS = 0.002; /* nats per row */

typedef struct directing {
    const structured_search *search;
    const structured_disturbances *noise;
    double level; /* of a loss by reversing an arrow */
    pdag graph;   /* as far as it is directed: all arrows agree with search->graph */
    orienter rules;
    int64_t arrows;
    structured_arrow *arrow;
} directing;

nonsens_status structured_judge_arrows(nonsens_context *ctx, arena *scratch, structured_search *s,
                                       structured_arrow *out)
{
    int64_t edges = pdag_edge_count(&s->graph);
    pdag_edge *edge;
    ARENA_TRY(ctx, scratch, edge, edges + 1);
    pdag_to_edges(&s->graph, edge);
    for (int64_t i = 0; i < edges; i++) {
        structured_arrow *a = &out[i];
        *a = (structured_arrow){.from = edge[i].from, .to = edge[i].to};
        TRY(search_judge(ctx, scratch, s, a->from, a->to, &a->present, &a->reversed, &a->possible));
        a->gain_p = special_normal_tail(a->present.z);
        a->loss_p = a->possible ? special_normal_tail(-a->reversed.z) : NAN;
    }
    return NONSENS_OK;
}

/* ---- kinds of evidence ------------------------------------------------------------------------------------------ */

typedef bool evidence_fn(const directing *w, const structured_arrow *a);

static bool is_known(const directing *w, const structured_arrow *a)
{
    return knowledge_requires(w->search->known, a->from, a->to) || !knowledge_allows(w->search->known, a->to, a->from);
}

static bool is_lost_by_reversing(const directing *w, const structured_arrow *a)
{
    return !a->possible || a->loss_p < w->level;
}

static bool has_changing_end(const directing *w, const structured_arrow *a)
{
    return w->noise->changes[a->from] || w->noise->changes[a->to];
}

static bool is_lost_by_changes(const directing *w, const structured_arrow *a)
{
    return a->possible && has_changing_end(w, a) && is_lost_by_reversing(w, a);
}

/* The arrow cannot be reversed alone, and Meek's rules did not say why: other arrows of its cycle are still lines. */
static bool is_held_by_cycle(const directing *w, const structured_arrow *a)
{
    return !a->possible && has_changing_end(w, a);
}

static bool is_in_v_structure(const directing *w, const structured_arrow *a)
{
    return is_lost_by_reversing(w, a) && pdag_would_make_collider(&w->search->graph, a->from, a->to);
}

static bool follows_by_rules(const directing *w, const structured_arrow *a)
{
    return is_lost_by_reversing(w, a) && orient_implies(&w->rules, a->from, a->to);
}

/* Reversing a covered arrow changes no v-structure: both graphs imply the same independences (Chickering, UAI 1995). */
static bool is_covered(const directing *w, const structured_arrow *a)
{
    const pdag *g = &w->search->graph;
    for (int64_t i = 0; i < g->d; i++) {
        if (i != a->from && pdag_is_arrow(g, i, a->from) != pdag_is_arrow(g, i, a->to)) {
            return false;
        }
    }
    return true;
}

/*
 * Arrows that are not covered lose because of independences alone, and reversing others with them might make up for it.
 * Where disturbances stay dependent, splines do not follow the mechanism and may follow the wrong one better.
 */
static bool is_lost_clearly(const directing *w, const structured_arrow *a)
{
    const structured_search *s = w->search;
    return a->possible && is_covered(w, a) && !w->noise->dependent[a->from * s->graph.d + a->to] &&
           a->loss_p < STRICT_LEVEL && -a->reversed.total > MIN_STRICT_LOSS * (double)s->scores->data->n;
}

/* ---- directing -------------------------------------------------------------------------------------------------- */

/* Directs all lines that the evidence directs, at once, so that the order of nodes has no effect; returns how many. */
static int64_t direct_by(directing *w, nonsens_directed_by by, evidence_fn *holds)
{
    int64_t directed = 0;
    for (int64_t i = 0; i < w->arrows; i++) {
        structured_arrow *a = &w->arrow[i];
        a->by = a->by == NONSENS_DIRECTED_BY_NONE && holds(w, a) ? by : a->by;
    }
    for (int64_t i = 0; i < w->arrows; i++) {
        const structured_arrow *a = &w->arrow[i];
        if (a->by != NONSENS_DIRECTED_BY_NONE && pdag_is_line(&w->graph, a->from, a->to)) {
            pdag_set(&w->graph, a->from, a->to, PDAG_ARROW);
            directed++;
        }
    }
    return directed;
}

static void direct_by_rules(directing *w)
{
    while (direct_by(w, NONSENS_DIRECTED_BY_RULES, follows_by_rules) > 0) {
    }
}

nonsens_status structured_direct(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                 const structured_disturbances *noise, double alpha, int64_t arrows,
                                 structured_arrow *arrow)
{
    directing w = {.search = s, .noise = noise, .level = 0.5 * alpha, .arrows = arrows, .arrow = arrow};
    TRY(pdag_new(ctx, scratch, s->graph.d, &w.graph));
    TRY(orient_new(ctx, scratch, &w.graph, NULL, &w.rules));
    w.rules.beyond_pattern = true;
    for (int64_t i = 0; i < arrows; i++) {
        arrow[i].by = NONSENS_DIRECTED_BY_NONE;
        pdag_set(&w.graph, arrow[i].from, arrow[i].to, PDAG_LINE);
    }
    direct_by(&w, NONSENS_DIRECTED_BY_KNOWLEDGE, is_known);
    direct_by(&w, NONSENS_DIRECTED_BY_CHANGES, is_lost_by_changes);
    direct_by(&w, NONSENS_DIRECTED_BY_V_STRUCTURE, is_in_v_structure);
    direct_by_rules(&w);
    direct_by(&w, NONSENS_DIRECTED_BY_CHANGES, is_held_by_cycle);
    direct_by_rules(&w);
    direct_by(&w, NONSENS_DIRECTED_BY_LIKELIHOOD, is_lost_clearly);
    direct_by_rules(&w);
    return NONSENS_OK;
}
