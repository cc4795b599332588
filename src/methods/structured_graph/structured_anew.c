/* structured_anew.c - reverses edges and lets both ends choose their causes again. */
#include "methods/structured_graph/structured_bounds.h"
#include "methods/structured_graph/structured_moves.h"

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
    return structured_gain_between(s->scores, 1, &from, &to);
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

static const structured_score *fit_of(const structured_search *s, const pdag *g, int64_t effect, int64_t *nodes)
{
    return scores_get(s->scores, effect, pdag_parents(g, effect, nodes), nodes);
}

/* Is i offered to this end of the trial? */
static bool is_offered(const structured_search *s, const trial *t, int side, int64_t i, int64_t *nodes)
{
    return pdag_is_arrow(&s->graph, i, t->end[1 - side]) && may_add(s, &t->graph, i, t->end[side], nodes);
}

/* For one end of a trial: asks for all sets with one more cause, from the other end, or takes the best of them. */
static nonsens_status offer_causes(nonsens_context *ctx, structured_search *s, trial *t, int side, bool asking,
                                   pdag *after, int64_t *nodes)
{
    int64_t effect = t->end[side], best = -1;
    double largest = 0.0;
    for (int64_t i = 0; i < s->graph.d; i++) {
        if (!is_offered(s, t, side, i, nodes) ||
            (s->screen && bounds_addition(s, fit_of(s, &t->graph, effect, nodes), i) <= 0.0)) {
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

/* Fits the ends of all trials, and asks the screen about the causes offered to them. */
static nonsens_status screen_offers(nonsens_context *ctx, structured_search *s, int64_t count, const trial *list,
                                    int64_t *nodes)
{
    for (int64_t k = 0; k < 2 * count; k++) {
        TRY(want_set(ctx, s, &list[k / 2].graph, list[k / 2].end[k % 2], nodes));
    }
    TRY(scores_settle(ctx, s->scores, "fitting mechanisms"));
    for (int64_t k = 0; k < 2 * count; k++) {
        const trial *t = &list[k / 2];
        const structured_score *fit = fit_of(s, &t->graph, t->end[k % 2], nodes);
        for (int64_t i = 0; i < s->graph.d; i++) {
            if (is_offered(s, t, (int)(k % 2), i, nodes)) {
                TRY(screen_want(ctx, s->screen, fit, i));
            }
        }
    }
    return screen_settle(ctx, s->screen);
}

/* Bounds what an end of a trial gains over the graph: what its set gains, plus what all offers gain. */
static double bound_end(const structured_search *s, const trial *t, int side, int64_t *nodes)
{
    const structured_score *now = fit_of(s, &s->graph, t->end[side], nodes);
    const structured_score *then = fit_of(s, &t->graph, t->end[side], nodes);
    double sum = structured_difference(s->scores, now, then);
    for (int64_t i = 0; i < s->graph.d; i++) {
        sum += is_offered(s, t, side, i, nodes) ? bounds_addition(s, then, i) : 0.0;
    }
    return sum;
}

/* Leaves out trials that cannot gain, whatever is offered. */
static int64_t leave_hopeless(const structured_search *s, int64_t count, trial *list, int64_t *nodes)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++) {
        if (bound_end(s, &list[k], 0, nodes) + bound_end(s, &list[k], 1, nodes) > MIN_REVERSAL) {
            list[kept++] = list[k];
        }
    }
    return kept;
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
            if (a != b && pdag_is_arrow(&s->graph, a, b) && move_is_legal(s, &reversal, &after, nodes)) {
                trial *t = &list[(*count)++];
                *t = (trial){.end = {a, b}};
                TRY(pdag_new(ctx, scratch, s->graph.d, &t->graph));
                pdag_copy(&after, &t->graph);
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status search_reverse_anew(nonsens_context *ctx, arena *scratch, structured_search *s, bool *made)
{
    int64_t count, *nodes, chosen = -1;
    trial *list;
    pdag after;
    int64_t edges = pdag_edge_count(&s->graph);
    double best = 0.0;
    ARENA_TRY(ctx, scratch, list, edges + 1);
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    TRY(pdag_new(ctx, scratch, s->graph.d, &after));
    TRY(list_trials(ctx, scratch, s, list, &count));
    for (int offer = 0; offer < OFFERS; offer++) {
        if (s->screen) {
            TRY(screen_offers(ctx, s, count, list, nodes));
            count = leave_hopeless(s, count, list, nodes);
        }
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
        int64_t growth = pdag_edge_count(&t->graph) - edges;
        if (gain > least_gain(s, growth) && gain > best && search_is_new(s, &t->graph)) {
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
