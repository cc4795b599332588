/* structured_search.c - makes the best move again and again, removes weak arrows, and judges what is found. */
#include "methods/structured_graph/structured_search.h"

#include "base/hash.h"
#include "methods/structured_graph/structured_moves.h"

#include <math.h>

/* ---- graphs so far ------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const pdag *g)
{
    uint64_t hash = HASH_START;
    hash_bytes(&hash, (const char *)g->parent, (size_t)(g->words * g->d) * sizeof *g->parent);
    return hash;
}

bool search_is_new(const structured_search *s, const pdag *g)
{
    uint64_t hash = s->seen_count > 0 ? hash_of(g) : 0;
    bool found = false;
    for (int64_t i = 0; !found && i < s->seen_count; i++) {
        found = s->seen[i] == hash;
    }
    return !found;
}

static nonsens_status remember_graph(nonsens_context *ctx, structured_search *s)
{
    if (!s->scores->gaps) {
        return NONSENS_OK;
    }
    ARENA_GROW(ctx, &s->scores->memory, s->seen, s->seen_count, s->seen_capacity);
    s->seen[s->seen_count++] = hash_of(&s->graph);
    return NONSENS_OK;
}

/* ---- removing arrows ------------------------------------------------------------------------------------------ */

/* An edge whose removal loses this many times min_gain, to second order, is needed: the fit without it is skipped. */
static const double IRREPLACEABLE = 20.0;

/* May the removal of the edge lose less than min_gain?  True if nothing is known. */
static bool may_be_idle(const structured_search *s, int64_t from, int64_t to, int64_t *nodes)
{
    int64_t causes = pdag_parents(&s->graph, to, nodes);
    const structured_score *now = scores_get(s->scores, to, causes, nodes);
    for (int64_t i = 0; now && now->settled && i < causes; i++) {
        if (now->cause[i] == from) {
            return now->loss[i] < IRREPLACEABLE * s->min_gain;
        }
    }
    return true;
}

/*
 * Removes the least significant edge, of those whose removal loses less than s->level standard errors or less than
 * min_gain; with `replaced`, of those whose removal loses less than min_gain and was not certain to lose more.  *made
 * is false if there is no such edge.
 */
static nonsens_status remove_weakest(nonsens_context *ctx, arena *scratch, structured_search *s, bool replaced,
                                     bool *made)
{
    arena_mark mark = arena_tell(scratch);
    int64_t edges = pdag_edge_count(&s->graph), *nodes, weakest = -1;
    pdag_edge *edge;
    pdag after;
    double smallest = INFINITY, level = replaced ? -INFINITY : s->level;
    ARENA_TRY(ctx, scratch, edge, edges + 1);
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    pdag_to_edges(&s->graph, edge);
    for (int64_t i = 0; replaced && i < edges; i++) {
        bool idle = may_be_idle(s, edge[i].from, edge[i].to, nodes);
        edge[i] = edge[idle ? i : --edges];
        i -= !idle;
    }
    for (int64_t i = 0; i < edges; i++) {
        move m = move_remove(edge[i].from, edge[i].to);
        if (move_is_legal(s, &m, &after, nodes)) {
            TRY(move_want(ctx, s, &m, &after, nodes));
        }
    }
    TRY(scores_settle(ctx, s->scores, "fitting mechanisms"));
    for (int64_t i = 0; i < edges; i++) {
        move m = move_remove(edge[i].from, edge[i].to);
        if (move_is_legal(s, &m, &after, nodes)) {
            structured_gain lost = move_gain(s, &m, &after, nodes);
            if ((-lost.z < level || -lost.total < s->min_gain) && -lost.z < smallest) {
                smallest = -lost.z;
                weakest = i;
            }
        }
    }
    *made = weakest >= 0;
    if (*made) {
        pdag_set(&s->graph, edge[weakest].from, edge[weakest].to, PDAG_NONE);
        TRY(remember_graph(ctx, s));
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Removes causes that others have replaced: if they stayed, every further fit would be larger. */
static nonsens_status remove_replaced(nonsens_context *ctx, arena *scratch, structured_search *s)
{
    bool removed = true;
    while (removed) {
        TRY(remove_weakest(ctx, scratch, s, true, &removed));
    }
    return NONSENS_OK;
}

/* ---- the search ----------------------------------------------------------------------------------------------- */

/* Estimates what further causes of every variable may gain. */
static nonsens_status screen_all(nonsens_context *ctx, arena *scratch, structured_search *s)
{
    int64_t *nodes;
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    for (int64_t j = 0; j < s->graph.d; j++) {
        TRY(scores_want(ctx, s->scores, j, pdag_parents(&s->graph, j, nodes), nodes));
    }
    TRY(scores_settle(ctx, s->scores, "fitting mechanisms"));
    for (int64_t j = 0; j < s->graph.d; j++) {
        int64_t causes = pdag_parents(&s->graph, j, nodes);
        TRY(screen_want_all(ctx, s->screen, scores_get(s->scores, j, causes, nodes)));
    }
    return screen_settle(ctx, s->screen);
}

static nonsens_status search_step(nonsens_context *ctx, arena *scratch, structured_search *s, bool additions,
                                  bool *made)
{
    arena_mark mark = arena_tell(scratch);
    move_list list = {0};
    TRY(check_cancelled(ctx));
    if (s->screen) {
        TRY(screen_all(ctx, scratch, s));
    }
    if (additions) {
        TRY(moves_add_additions(ctx, scratch, s, &list));
    }
    TRY(moves_add_reversals(ctx, scratch, s, false, &list));
    TRY(search_make_best(ctx, scratch, s, &list, made));
    if (!*made) {
        list.count = 0;
        TRY(moves_add_exchanges(ctx, scratch, s, &list));
        TRY(moves_add_node_reversals(ctx, scratch, s, &list));
        TRY(search_make_best(ctx, scratch, s, &list, made));
    }
    if (!*made) {
        list.count = 0;
        TRY(moves_add_double_reversals(ctx, scratch, s, &list));
        TRY(moves_add_reversals(ctx, scratch, s, true, &list));
        TRY(search_make_best(ctx, scratch, s, &list, made));
    }
    if (!*made && additions) {
        TRY(search_reverse_anew(ctx, scratch, s, made));
    }
    arena_rewind(scratch, mark);
    return *made ? remember_graph(ctx, s) : NONSENS_OK;
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
    s->seen_count = 0;
    TRY(remember_graph(ctx, s));
    ARENA_TRY(ctx, a, s->gained, s->graph.d * s->graph.d);
    for (int64_t i = 0; i < s->graph.d * s->graph.d; i++) {
        s->gained[i] = NAN;
    }
    for (int round = 0; round < 2; round++) {
        bool made = true, removed = true;
        while (made) {
            TRY(search_step(ctx, a, s, round == 0, &made));
            TRY(remove_replaced(ctx, a, s));
        }
        while (removed) {
            TRY(remove_weakest(ctx, a, s, false, &removed));
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
    move_apply(&away, &after);
    TRY(move_want(ctx, s, &away, &after, nodes));
    *possible = move_is_legal(s, &reversal, &after, nodes);
    if (*possible) {
        TRY(move_want(ctx, s, &reversal, &after, nodes));
    }
    TRY(scores_settle(ctx, s->scores, NULL));
    structured_gain lost = move_gain(s, &away, &after, nodes);
    *present = (structured_gain){-lost.total, -lost.z};
    *reversed = *possible ? move_gain(s, &reversal, &after, nodes) : (structured_gain){NAN, NAN};
    return NONSENS_OK;
}
