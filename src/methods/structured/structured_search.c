/* structured_search.c - moves of the search, what they gain, and the search itself. */
#include "methods/structured/structured_search.h"

#include <math.h>

enum { MAX_TOGGLES = 4 * MECHANISM_MAX_CAUSES };

/* Nats over all rows that reversed edges must gain: less than the error of fits, far more than rounding of sums. */
static const double MIN_REVERSAL = 1e-3;

/* An arrow that is added or removed. */
typedef struct toggle {
    int64_t from, to;
    bool add;
} toggle;

typedef struct move {
    int count;
    toggle toggle[MAX_TOGGLES];
} move;

typedef struct move_list {
    move *at;
    int64_t count, capacity;
} move_list;

static move move_add(int64_t a, int64_t b)
{
    return (move){1, {{a, b, true}}};
}

static move move_remove(int64_t a, int64_t b)
{
    return (move){1, {{a, b, false}}};
}

static move move_reverse(int64_t a, int64_t b)
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

static void apply(const move *m, pdag *g)
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

/* Is the graph after the move allowed?  `after` becomes that graph. */
static bool is_legal(const structured_search *s, const move *m, pdag *after, int64_t *nodes)
{
    if (is_crowded(s, m)) {
        return false;
    }
    pdag_copy(&s->graph, after);
    apply(m, after);
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

/* Is this the first arrow of the move into its effect?  Each effect is scored once. */
static bool is_first_of_effect(const move *m, int i)
{
    for (int k = 0; k < i; k++) {
        if (m->toggle[k].to == m->toggle[i].to) {
            return false;
        }
    }
    return true;
}

static nonsens_status want(nonsens_context *ctx, structured_search *s, const move *m, const pdag *after, int64_t *nodes)
{
    for (int i = 0; i < m->count; i++) {
        if (is_first_of_effect(m, i)) {
            int64_t effect = m->toggle[i].to, causes = pdag_parents(after, effect, nodes);
            TRY(scores_want(ctx, s->scores, effect, causes, nodes));
            causes = pdag_parents(&s->graph, effect, nodes);
            TRY(scores_want(ctx, s->scores, effect, causes, nodes));
        }
    }
    return NONSENS_OK;
}

/* What some variables gain when their fits change from `now` to `then`. */
static structured_gain gain_between(const structured_scores *sc, int effects, const structured_score *const *now,
                                    const structured_score *const *then)
{
    double sum = 0.0, squares = 0.0, groups = (double)sc->groups;
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

static structured_gain gain_of(const structured_search *s, const move *m, pdag *after, int64_t *nodes)
{
    const structured_score *now[MAX_TOGGLES], *then[MAX_TOGGLES];
    int effects = 0;
    pdag_copy(&s->graph, after);
    apply(m, after);
    for (int i = 0; i < m->count; i++) {
        if (is_first_of_effect(m, i)) {
            int64_t effect = m->toggle[i].to;
            now[effects] = scores_get(s->scores, effect, pdag_parents(&s->graph, effect, nodes), nodes);
            then[effects++] = scores_get(s->scores, effect, pdag_parents(after, effect, nodes), nodes);
        }
    }
    return gain_between(s->scores, effects, now, then);
}

/* ---- lists of moves ------------------------------------------------------------------------------------------- */

static nonsens_status list_move(nonsens_context *ctx, arena *a, move_list *list, move m)
{
    ARENA_GROW(ctx, a, list->at, list->count, list->capacity);
    list->at[list->count++] = m;
    return NONSENS_OK;
}

static nonsens_status list_additions(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list)
{
    for (int64_t i = 0; i < s->graph.d; i++) {
        for (int64_t j = 0; j < s->graph.d; j++) {
            if (i != j && !pdag_is_adjacent(&s->graph, i, j)) {
                TRY(list_move(ctx, a, list, move_add(i, j)));
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status list_double_reversals(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list)
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

/* Lists the reversal of every arrow; with `exchange`, its ends exchange their other causes. */
static nonsens_status list_reversals(nonsens_context *ctx, arena *a, const structured_search *s, bool exchange,
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

/* Makes the best of the moves; *made is false if none gains enough. */
static nonsens_status make_best(nonsens_context *ctx, arena *scratch, structured_search *s, move_list *list, bool *made)
{
    pdag after;
    int64_t *nodes, kept = 0;
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    for (int64_t i = 0; i < list->count; i++) {
        if (is_legal(s, &list->at[i], &after, nodes)) {
            TRY(want(ctx, s, &list->at[i], &after, nodes));
            list->at[kept++] = list->at[i];
        }
    }
    TRY(scores_settle(ctx, s->scores, "fitting mechanisms"));
    double best = 0.0;
    int64_t chosen = -1;
    for (int64_t i = 0; i < kept; i++) {
        structured_gain gain = gain_of(s, &list->at[i], &after, nodes);
        bool adds = list->at[i].count == 1; // the others increase one sum of scores, so no graph comes twice
        bool is_worth = adds ? gain.total > s->min_gain && gain.z > s->level : gain.total > MIN_REVERSAL;
        if (is_worth && gain.total > best) {
            best = gain.total;
            chosen = i;
        }
    }
    *made = chosen >= 0;
    if (*made) {
        apply(&list->at[chosen], &s->graph);
    }
    return NONSENS_OK;
}

/* ---- edges reversed, with causes chosen again ------------------------------------------------------------------- */

/*
 * If a -> b is reversed, causes that reached b through a must reach it directly, and the same for a.  So causes of one
 * end are offered to the other (as in Chickering, "A transformational characterization of equivalent Bayesian network
 * structures", UAI 1995, where both ends get all of them).
 */
enum { OFFERS = 3 };

typedef struct trial {
    int64_t end[2];
    pdag graph;
} trial;

static structured_gain compare_sets(const structured_search *s, int64_t effect, const pdag *now, const pdag *then,
                                    int64_t *nodes)
{
    const structured_score *from = scores_get(s->scores, effect, pdag_parents(now, effect, nodes), nodes);
    const structured_score *to = scores_get(s->scores, effect, pdag_parents(then, effect, nodes), nodes);
    return gain_between(s->scores, 1, &from, &to);
}

static bool may_add(const structured_search *s, const pdag *g, int64_t cause, int64_t effect, int64_t *nodes)
{
    return cause != effect && !pdag_is_adjacent(g, cause, effect) && knowledge_allows(s->known, cause, effect) &&
           !pdag_would_close_cycle(g, cause, effect) && pdag_parents(g, effect, nodes) < MECHANISM_MAX_CAUSES;
}

static nonsens_status want_set(nonsens_context *ctx, structured_search *s, const pdag *g, int64_t effect,
                               int64_t *nodes)
{
    return scores_want(ctx, s->scores, effect, pdag_parents(g, effect, nodes), nodes);
}

/* For one end of a trial: asks for all sets with one more cause, from the other end, or takes the best of them. */
static nonsens_status offer_causes(nonsens_context *ctx, structured_search *s, trial *t, int side, bool asking,
                                   pdag *after, int64_t *nodes)
{
    int64_t effect = t->end[side], other = t->end[1 - side], best = -1;
    double largest = 0.0;
    for (int64_t i = 0; i < s->graph.d; i++) {
        if (!pdag_is_arrow(&s->graph, i, other) || !may_add(s, &t->graph, i, effect, nodes)) {
            continue;
        }
        pdag_copy(&t->graph, after);
        pdag_set(after, i, effect, PDAG_ARROW);
        if (asking) {
            TRY(want_set(ctx, s, after, effect, nodes));
            continue;
        }
        structured_gain gain = compare_sets(s, effect, &t->graph, after, nodes);
        if (gain.total > s->min_gain && gain.z > s->level && gain.total > largest) {
            largest = gain.total;
            best = i;
        }
    }
    if (best >= 0) {
        pdag_set(&t->graph, best, effect, PDAG_ARROW);
    }
    return asking ? want_set(ctx, s, &t->graph, effect, nodes) : NONSENS_OK;
}

static nonsens_status list_trials(nonsens_context *ctx, arena *scratch, const structured_search *s, trial *list,
                                  int64_t *count)
{
    int64_t *nodes;
    pdag after;
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    *count = 0;
    for (int64_t a = 0; a < s->graph.d; a++) {
        for (int64_t b = 0; b < s->graph.d; b++) {
            move reversal = move_reverse(a, b);
            if (a != b && pdag_is_arrow(&s->graph, a, b) && is_legal(s, &reversal, &after, nodes)) {
                trial *t = &list[(*count)++];
                *t = (trial){.end = {a, b}};
                TRY(pdag_new(ctx, scratch, s->graph.d, &t->graph));
                pdag_copy(&after, &t->graph);
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status reverse_anew(nonsens_context *ctx, arena *scratch, structured_search *s, bool *made)
{
    int64_t count, *nodes, chosen = -1;
    trial *list;
    pdag after;
    double best = MIN_REVERSAL;
    ARENA_TRY(ctx, scratch, list, pdag_edge_count(&s->graph) + 1);
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    TRY(list_trials(ctx, scratch, s, list, &count));
    for (int offer = 0; offer < OFFERS; offer++) {
        for (int asking = 1; asking >= 0; asking--) {
            for (int64_t i = 0; i < 2 * count; i++) {
                TRY(offer_causes(ctx, s, &list[i / 2], (int)(i % 2), asking == 1, &after, nodes));
            }
            TRY(scores_settle(ctx, s->scores, "fitting mechanisms"));
        }
    }
    for (int64_t i = 0; i < count; i++) {
        const trial *t = &list[i];
        double gain = compare_sets(s, t->end[0], &s->graph, &t->graph, nodes).total +
                      compare_sets(s, t->end[1], &s->graph, &t->graph, nodes).total;
        if (gain > best) {
            best = gain;
            chosen = i;
        }
    }
    *made = chosen >= 0;
    if (*made) {
        pdag_copy(&list[chosen].graph, &s->graph);
    }
    return NONSENS_OK;
}

static nonsens_status search_step(nonsens_context *ctx, arena *scratch, structured_search *s, bool additions,
                                  bool *made)
{
    arena_mark mark = arena_tell(scratch);
    move_list list = {0};
    TRY(check_cancelled(ctx));
    if (additions) {
        TRY(list_additions(ctx, scratch, s, &list));
    }
    TRY(list_reversals(ctx, scratch, s, false, &list));
    TRY(make_best(ctx, scratch, s, &list, made));
    if (!*made) {
        list.count = 0;
        TRY(list_double_reversals(ctx, scratch, s, &list));
        TRY(list_reversals(ctx, scratch, s, true, &list));
        TRY(make_best(ctx, scratch, s, &list, made));
    }
    if (!*made && additions) {
        TRY(reverse_anew(ctx, scratch, s, made));
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* ---- removing arrows ------------------------------------------------------------------------------------------ */

static nonsens_status remove_weakest(nonsens_context *ctx, arena *scratch, structured_search *s, bool *made)
{
    arena_mark mark = arena_tell(scratch);
    int64_t edges = pdag_edge_count(&s->graph), *nodes, weakest = -1;
    pdag_edge *edge;
    pdag after;
    double smallest = INFINITY;
    ARENA_TRY(ctx, scratch, edge, edges + 1);
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    pdag_to_edges(&s->graph, edge);
    for (int64_t i = 0; i < edges; i++) {
        move m = move_remove(edge[i].from, edge[i].to);
        if (is_legal(s, &m, &after, nodes)) {
            TRY(want(ctx, s, &m, &after, nodes));
        }
    }
    TRY(scores_settle(ctx, s->scores, "fitting mechanisms"));
    for (int64_t i = 0; i < edges; i++) {
        move m = move_remove(edge[i].from, edge[i].to);
        if (is_legal(s, &m, &after, nodes)) {
            structured_gain lost = gain_of(s, &m, &after, nodes);
            if ((-lost.z < s->level || -lost.total < s->min_gain) && -lost.z < smallest) {
                smallest = -lost.z;
                weakest = i;
            }
        }
    }
    *made = weakest >= 0;
    if (*made) {
        pdag_set(&s->graph, edge[weakest].from, edge[weakest].to, PDAG_NONE);
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static nonsens_status set_required(nonsens_context *ctx, structured_search *s)
{
    const nonsens_data *data = s->scores->data;
    for (int64_t j = 0; j < s->graph.d; j++) {
        int64_t causes = 0;
        for (int64_t i = 0; i < s->graph.d; i++) {
            if (i != j && knowledge_requires(s->known, i, j)) {
                pdag_set(&s->graph, i, j, PDAG_ARROW);
                causes++;
            }
        }
        if (causes > MECHANISM_MAX_CAUSES) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "the knowledge file requires %d causes of %.100s; structured takes up to %d of a variable: "
                        "leave some out, or take another --method",
                        (int)causes, data->names[data->column_rank[j]], MECHANISM_MAX_CAUSES);
        }
    }
    return NONSENS_OK;
}

nonsens_status search_run(nonsens_context *ctx, arena *a, structured_search *s)
{
    TRY(pdag_new(ctx, a, s->scores->data->d, &s->graph));
    TRY(set_required(ctx, s));
    for (int round = 0; round < 2; round++) {
        bool made = true, removed = true;
        while (made) {
            TRY(search_step(ctx, a, s, round == 0, &made));
        }
        while (removed) {
            TRY(remove_weakest(ctx, a, s, &removed));
        }
    }
    return NONSENS_OK;
}

nonsens_status search_judge(nonsens_context *ctx, arena *scratch, structured_search *s, int64_t a, int64_t b,
                            structured_gain *present, structured_gain *reversed, bool *possible)
{
    pdag after;
    int64_t *nodes;
    move away = move_remove(a, b), reversal = move_reverse(a, b);
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    pdag_copy(&s->graph, &after);
    apply(&away, &after);
    TRY(want(ctx, s, &away, &after, nodes));
    *possible = is_legal(s, &reversal, &after, nodes);
    if (*possible) {
        TRY(want(ctx, s, &reversal, &after, nodes));
    }
    TRY(scores_settle(ctx, s->scores, NULL));
    structured_gain lost = gain_of(s, &away, &after, nodes);
    *present = (structured_gain){-lost.total, -lost.z};
    *reversed = *possible ? gain_of(s, &reversal, &after, nodes) : (structured_gain){NAN, NAN};
    return NONSENS_OK;
}
