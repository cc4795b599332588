/* structured_moves.c - moves of the search: which there are, which are allowed, and what they gain. */
#include "methods/structured_graph/structured_moves.h"

#include "methods/structured_graph/structured_bounds.h"
#include "methods/structured_graph/structured_gaps.h"

#include <math.h>

move move_add(int64_t a, int64_t b)
{
    return (move){1, {{a, b, true}}};
}

move move_remove(int64_t a, int64_t b)
{
    return (move){1, {{a, b, false}}};
}

move move_reverse(int64_t a, int64_t b)
{
    return (move){2, {{a, b, false}, {b, a, true}}};
}

static move move_join(move first, move second)
{
    for (int i = 0; i < second.count; i++) {
        first.toggle[first.count++] = second.toggle[i];
    }
    return first;
}

void move_apply(const move *m, pdag *g)
{
    for (int i = 0; i < m->count; i++) {
        if (!m->toggle[i].add) {
            pdag_set(g, m->toggle[i].from, m->toggle[i].to, PDAG_NONE);
        }
    }
    for (int i = 0; i < m->count; i++) {
        if (m->toggle[i].add) {
            pdag_set(g, m->toggle[i].from, m->toggle[i].to, PDAG_ARROW);
        }
    }
}

int move_growth(const move *m)
{
    int growth = 0;
    for (int i = 0; i < m->count; i++) {
        growth += m->toggle[i].add ? 1 : -1;
    }
    return growth;
}

/* Does the move add an arrow between two nodes that stay adjacent? */
static bool is_crowded(const structured_search *s, const move *m)
{
    for (int i = 0; i < m->count; i++) {
        bool is_free = !m->toggle[i].add || !pdag_is_adjacent(&s->graph, m->toggle[i].from, m->toggle[i].to);
        for (int k = 0; k < m->count && !is_free; k++) {
            is_free = !m->toggle[k].add && m->toggle[k].from == m->toggle[i].to && m->toggle[k].to == m->toggle[i].from;
        }
        if (!is_free) {
            return true;
        }
    }
    return false;
}

bool move_is_legal(const structured_search *s, const move *m, pdag *after, int64_t *nodes)
{
    if (is_crowded(s, m)) {
        return false;
    }
    pdag_copy(&s->graph, after);
    move_apply(m, after);
    for (int i = 0; i < m->count; i++) {
        const toggle *t = &m->toggle[i];
        if (!t->add && knowledge_requires(s->known, t->from, t->to)) {
            return false;
        }
        if (t->add &&
            (!knowledge_allows(s->known, t->from, t->to) || pdag_parents(after, t->to, nodes) > MECHANISM_MAX_CAUSES)) {
            return false;
        }
    }
    for (int i = 0; i < m->count; i++) {
        if (m->toggle[i].add && pdag_is_ancestor(after, m->toggle[i].to, m->toggle[i].from)) {
            return false;
        }
    }
    return true;
}

bool move_is_first_of_effect(const move *m, int i)
{
    for (int k = 0; k < i; k++) {
        if (m->toggle[k].to == m->toggle[i].to) {
            return false;
        }
    }
    return true;
}

bool move_is_only_of_effect(const move *m, int i)
{
    bool only = true;
    for (int k = 0; k < m->count; k++) {
        only = only && (k == i || m->toggle[k].to != m->toggle[i].to);
    }
    return only;
}

nonsens_status move_want(nonsens_context *ctx, structured_search *s, const move *m, const pdag *after, int64_t *nodes)
{
    for (int i = 0; i < m->count; i++) {
        if (move_is_first_of_effect(m, i)) {
            int64_t effect = m->toggle[i].to, causes = pdag_parents(after, effect, nodes);
            TRY(scores_want(ctx, s->scores, effect, causes, nodes));
            causes = pdag_parents(&s->graph, effect, nodes);
            TRY(scores_want(ctx, s->scores, effect, causes, nodes));
        }
    }
    return NONSENS_OK;
}

structured_gain structured_gain_between(const structured_scores *sc, int effects, const structured_score *const *now,
                                        const structured_score *const *then)
{
    double sum = 0.0, squares = 0.0, groups = (double)sc->groups;
    if (sc->gaps) {
        return gaps_gain(sc, effects, now, then);
    }
    for (int64_t g = 0; g < sc->groups; g++) {
        double difference = 0.0;
        for (int k = 0; k < effects; k++) {
            difference += then[k]->group[g] - now[k]->group[g];
        }
        sum += difference;
        squares += difference * difference;
    }
    double variance = sc->time.inflation * fmax(0.0, squares - sum * sum / groups) * groups / (groups - 1.0);
    return (structured_gain){sum, variance > 0 ? sum / sqrt(variance) : 0.0};
}

double structured_difference(const structured_scores *sc, const structured_score *now, const structured_score *then)
{
    return sc->gaps ? gaps_gain(sc, 1, &now, &then).total : then->total - now->total;
}

structured_gain move_gain(const structured_search *s, const move *m, pdag *after, int64_t *nodes)
{
    const structured_score *now[MAX_TOGGLES], *then[MAX_TOGGLES];
    int effects = 0;
    pdag_copy(&s->graph, after);
    move_apply(m, after);
    for (int i = 0; i < m->count; i++) {
        if (move_is_first_of_effect(m, i)) {
            int64_t effect = m->toggle[i].to;
            now[effects] = scores_get(s->scores, effect, pdag_parents(&s->graph, effect, nodes), nodes);
            then[effects++] = scores_get(s->scores, effect, pdag_parents(after, effect, nodes), nodes);
        }
    }
    return structured_gain_between(s->scores, effects, now, then);
}

double least_gain(const structured_search *s, int64_t growth)
{
    return fmax(MIN_REVERSAL, (double)growth * s->min_gain);
}

/* ---- lists of moves ------------------------------------------------------------------------------------------- */

static nonsens_status list_move(nonsens_context *ctx, arena *a, move_list *list, move m)
{
    ARENA_GROW(ctx, a, list->at, list->count, list->capacity);
    list->at[list->count++] = m;
    return NONSENS_OK;
}

/* May a gain as a further cause of b, as far as the screen shows?  It was asked about b's present causes. */
static bool may_gain(const structured_search *s, int64_t a, int64_t b, int64_t *nodes)
{
    int64_t causes = pdag_parents(&s->graph, b, nodes);
    return !s->screen || bounds_addition(s, scores_get(s->scores, b, causes, nodes), a) > 0.0;
}

nonsens_status moves_add_additions(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list)
{
    int64_t *nodes;
    ARENA_TRY(ctx, a, nodes, s->graph.d);
    for (int64_t i = 0; i < s->graph.d; i++) {
        for (int64_t j = 0; j < s->graph.d; j++) {
            if (i != j && !pdag_is_adjacent(&s->graph, i, j) && may_gain(s, i, j, nodes)) {
                TRY(list_move(ctx, a, list, move_add(i, j)));
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status moves_add_double_reversals(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list)
{
    int64_t edges = pdag_edge_count(&s->graph);
    pdag_edge *edge;
    ARENA_TRY(ctx, a, edge, edges + 1);
    pdag_to_edges(&s->graph, edge);
    for (int64_t p = 0; p < edges; p++) {
        for (int64_t q = p + 1; q < edges; q++) {
            int64_t from = edge[p].from, to = edge[p].to, other_from = edge[q].from, other_to = edge[q].to;
            if (from == other_from || from == other_to || to == other_from || to == other_to) { // they share a node
                TRY(list_move(ctx, a, list, move_join(move_reverse(from, to), move_reverse(other_from, other_to))));
            }
        }
    }
    return NONSENS_OK;
}

/* Reverses a -> b and exchanges the other causes of a and b. */
static move move_exchange(const structured_search *s, int64_t a, int64_t b, int64_t *nodes)
{
    move m = move_reverse(a, b);
    for (int side = 0; side < 2; side++) {
        int64_t own = side ? b : a, other = side ? a : b, count = pdag_parents(&s->graph, own, nodes);
        for (int64_t i = 0; i < count; i++) {
            if (nodes[i] != other && !pdag_is_arrow(&s->graph, nodes[i], other)) {
                m = move_join(m, move_join(move_remove(nodes[i], own), move_add(nodes[i], other)));
            }
        }
    }
    return m;
}

nonsens_status moves_add_reversals(nonsens_context *ctx, arena *a, const structured_search *s, bool exchange,
                                   move_list *list)
{
    int64_t *nodes;
    ARENA_TRY(ctx, a, nodes, s->graph.d);
    for (int64_t i = 0; i < s->graph.d; i++) {
        for (int64_t j = 0; j < s->graph.d; j++) {
            if (i != j && pdag_is_arrow(&s->graph, i, j)) {
                TRY(list_move(ctx, a, list, exchange ? move_exchange(s, i, j, nodes) : move_reverse(i, j)));
            }
        }
    }
    return NONSENS_OK;
}

/*
 * Wrong arrows at a node bring about arrows between its neighbours, and then none of them can be reversed alone.
 * Reversing all arrows into it, or all out of it, makes it a cause, or an effect, of all; no cycle can arise.
 */
nonsens_status moves_add_node_reversals(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list)
{
    for (int64_t j = 0; j < s->graph.d; j++) {
        for (int out = 0; out < 2; out++) {
            move m = {0};
            int64_t arrows = 0;
            for (int64_t i = 0; i < s->graph.d; i++) {
                int64_t from = out ? j : i, to = out ? i : j;
                if (i != j && pdag_is_arrow(&s->graph, from, to) && ++arrows <= MECHANISM_MAX_CAUSES) {
                    m = move_join(m, move_reverse(from, to));
                }
            }
            if (arrows > 2 && arrows <= MECHANISM_MAX_CAUSES) {
                TRY(list_move(ctx, a, list, m));
            }
        }
    }
    return NONSENS_OK;
}

/* Is this cause of `effect`, which must have causes itself, to be exchanged?  `only` is the one that is; -1: all. */
static bool is_proxy(const structured_search *s, int64_t cause, int64_t effect, int64_t only, int64_t *nodes)
{
    return pdag_is_arrow(&s->graph, cause, effect) && (only < 0 || cause == only) &&
           pdag_parents(&s->graph, cause, nodes) > 0;
}

static bool is_cause_of_proxy(const structured_search *s, int64_t cause, int64_t effect, int64_t only, int64_t *nodes)
{
    for (int64_t p = 0; p < s->graph.d; p++) {
        if (pdag_is_arrow(&s->graph, cause, p) && is_proxy(s, p, effect, only, nodes)) {
            return true;
        }
    }
    return false;
}

/* Lists the exchange of proxies for their causes, unless that makes too many causes, or only removes arrows. */
static nonsens_status add_exchange(nonsens_context *ctx, arena *a, const structured_search *s, int64_t effect,
                                   int64_t only, int64_t *nodes, move_list *list)
{
    move m = {0};
    bool adds = false;
    int64_t causes = pdag_parents(&s->graph, effect, nodes);
    for (int64_t i = 0; i < s->graph.d; i++) {
        if (is_proxy(s, i, effect, only, nodes)) {
            m = move_join(m, move_remove(i, effect));
            causes--;
        }
    }
    for (int64_t i = 0; i < s->graph.d && causes <= MECHANISM_MAX_CAUSES; i++) {
        if (!pdag_is_arrow(&s->graph, i, effect) && is_cause_of_proxy(s, i, effect, only, nodes)) {
            m = causes < MECHANISM_MAX_CAUSES ? move_join(m, move_add(i, effect)) : m;
            causes++;
            adds = true;
        }
    }
    return adds && causes <= MECHANISM_MAX_CAUSES ? list_move(ctx, a, list, m) : NONSENS_OK;
}

nonsens_status moves_add_exchanges(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list)
{
    int64_t *nodes;
    ARENA_TRY(ctx, a, nodes, s->graph.d);
    for (int64_t j = 0; j < s->graph.d; j++) {
        int64_t proxies = 0;
        for (int64_t i = 0; i < s->graph.d; i++) {
            if (is_proxy(s, i, j, i, nodes)) {
                proxies++;
                TRY(add_exchange(ctx, a, s, j, i, nodes, list));
            }
        }
        if (proxies > 1) {
            TRY(add_exchange(ctx, a, s, j, -1, nodes, list));
        }
    }
    return NONSENS_OK;
}
