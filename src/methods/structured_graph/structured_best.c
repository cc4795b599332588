/*
 * structured_best.c - makes the best of many moves, and fits only mechanisms that may be part of it.
 *
 * Most moves cannot be the best one, and earlier fits show which: what a cause gained together with other causes of the
 * same effect is stored.  A move's promise is what it may gain.  Moves are fitted from the largest promise down, until
 * the best gains more than the others promise.  If none gains, all have been fitted, or with a screen all that may gain
 * (structured_bounds.h).
 */
#include "methods/structured_graph/structured_bounds.h"
#include "methods/structured_graph/structured_moves.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 8, LARGE_BATCH = 32 }; /* the latter with a screen, which rules out more moves */

/* Factors for earlier gains and losses, because other causes have been added since. */
static const double GAIN_MAY_BE = 1.5, LOSS_MAY_BE = 0.6;

/* A move of the list, and what it may gain. */
typedef struct prospect {
    const move *of;
    int64_t index;
    double promise;
    bool fitted;
} prospect;

typedef struct contest {
    structured_search *s;
    pdag after;
    int64_t *nodes; /* (d) */
    prospect *list;
    int64_t count;
    const move *best;
    double best_gain;
} contest;

static double *remembered(const structured_search *s, const toggle *t)
{
    return &s->gained[t->to * s->graph.d + t->from];
}

/* The scores of an effect in the graph and after the move; *then may be NULL. */
static void find_scores(const contest *c, int64_t effect, const structured_score **now, const structured_score **then)
{
    structured_scores *sc = c->s->scores;
    *now = scores_get(sc, effect, pdag_parents(&c->s->graph, effect, c->nodes), c->nodes);
    *then = scores_get(sc, effect, pdag_parents(&c->after, effect, c->nodes), c->nodes);
}

static bool is_settled(const structured_score *score)
{
    return score && score->settled;
}

/* Sums what the move may gain at its effects; *fitted: all gains are known.  `after` is the graph after the move. */
static double promise_of(const contest *c, const move *m, bool *fitted)
{
    double sum = 0.0;
    *fitted = true;
    for (int i = 0; i < m->count; i++) {
        const toggle *t = &m->toggle[i];
        const structured_score *now, *then;
        find_scores(c, t->to, &now, &then);
        if (is_settled(now) && is_settled(then)) {
            sum += move_is_first_of_effect(m, i) ? structured_difference(c->s->scores, now, then) : 0.0;
            continue;
        }
        double gained = *remembered(c->s, t);
        *fitted = false;
        if (isnan(gained)) {
            return INFINITY;
        }
        gained = fmax(gained, 0.0);
        sum += t->add ? GAIN_MAY_BE * gained : -LOSS_MAY_BE * gained;
    }
    return sum;
}

/* Does the same by the bounds of the screen. */
static double bound_of(const contest *c, const move *m, bool *fitted)
{
    double sum = 0.0;
    *fitted = true;
    for (int i = 0; i < m->count; i++) {
        const structured_score *now, *then;
        find_scores(c, m->toggle[i].to, &now, &then);
        *fitted = *fitted && is_settled(now) && is_settled(then);
        sum += move_is_first_of_effect(m, i) ? bounds_gain(c->s, m->toggle[i].to, &c->after, c->nodes) : 0.0;
    }
    return sum;
}

static int compare_promises(const void *a, const void *b)
{
    const prospect *left = a, *right = b;
    if (left->promise != right->promise) {
        return left->promise < right->promise ? 1 : -1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

/* Asks the screen for what the bounds of all moves need. */
static nonsens_status screen_moves(nonsens_context *ctx, const move_list *moves, contest *c)
{
    for (int64_t i = 0; i < moves->count; i++) {
        const move *m = &moves->at[i];
        bool legal = move_is_legal(c->s, m, &c->after, c->nodes);
        for (int k = 0; legal && k < m->count; k++) {
            if (move_is_first_of_effect(m, k)) {
                TRY(bounds_want(ctx, c->s, m->toggle[k].to, &c->after, c->nodes));
            }
        }
    }
    return screen_settle(ctx, c->s->screen);
}

static nonsens_status list_prospects(nonsens_context *ctx, arena *scratch, const move_list *moves, contest *c)
{
    ARENA_TRY(ctx, scratch, c->list, moves->count + 1);
    if (c->s->screen) {
        TRY(screen_moves(ctx, moves, c));
    }
    for (int64_t i = 0; i < moves->count; i++) {
        if (move_is_legal(c->s, &moves->at[i], &c->after, c->nodes)) {
            prospect *p = &c->list[c->count++];
            *p = (prospect){.of = &moves->at[i], .index = i};
            p->promise = c->s->screen ? bound_of(c, p->of, &p->fitted) : promise_of(c, p->of, &p->fitted);
        }
    }
    qsort(c->list, (size_t)c->count, sizeof *c->list, compare_promises);
    return NONSENS_OK;
}

/* Stores what an arrow gained, or its removal lost, at each effect where the move changes this arrow alone. */
static void remember(const contest *c, const move *m)
{
    for (int i = 0; i < m->count; i++) {
        const structured_score *now, *then;
        if (move_is_only_of_effect(m, i)) {
            find_scores(c, m->toggle[i].to, &now, &then);
            double gain = structured_difference(c->s->scores, now, then);
            *remembered(c->s, &m->toggle[i]) = m->toggle[i].add ? gain : -gain;
        }
    }
}

/* Takes the move if it gains enough, and more than the best so far; of equal moves, the first of the list. */
static void consider(contest *c, const move *m)
{
    structured_gain gain = move_gain(c->s, m, &c->after, c->nodes); // makes `after` the graph after the move
    bool adds = m->count == 1;
    bool is_worth = gain.total > least_gain(c->s, move_growth(m)) && (!adds || gain.z > c->s->level);
    remember(c, m);
    if (is_worth && search_is_new(c->s, &c->after) &&
        (!c->best || gain.total > c->best_gain || (gain.total == c->best_gain && m < c->best))) {
        c->best = m;
        c->best_gain = gain.total;
    }
}

/*
 * Considers moves from *next on that promise more than the best so far gains, until `max_fits` of them need a fit;
 * moves about which nothing is known do not count.
 */
static nonsens_status consider_some(nonsens_context *ctx, contest *c, int64_t max_fits, int64_t *next)
{
    int64_t first = *next, fits = 0;
    for (; *next < c->count && fits < max_fits; ++*next) {
        prospect *p = &c->list[*next];
        bool hopeless = c->s->screen && p->promise <= 0.0;
        if (hopeless || (c->best && p->promise <= c->best_gain)) {
            break;
        }
        if (!p->fitted) {
            move_is_legal(c->s, p->of, &c->after, c->nodes); // makes `after` the graph after the move
            TRY(move_want(ctx, c->s, p->of, &c->after, c->nodes));
            fits += p->promise < INFINITY;
        }
    }
    TRY(scores_settle(ctx, c->s->scores, "fitting mechanisms"));
    for (int64_t i = first; i < *next; i++) {
        consider(c, c->list[i].of);
    }
    return NONSENS_OK;
}

nonsens_status search_make_best(nonsens_context *ctx, arena *scratch, structured_search *s, const move_list *list,
                                bool *made)
{
    contest c = {.s = s};
    int64_t next = 0, before = -1;
    TRY(pdag_new(ctx, scratch, s->graph.d, &c.after));
    ARENA_TRY(ctx, scratch, c.nodes, s->graph.d);
    TRY(list_prospects(ctx, scratch, list, &c));
    while (next < c.count && next > before) {
        before = next;
        bool promises = c.list[next].promise > 0.0;
        TRY(consider_some(ctx, &c, c.s->screen ? LARGE_BATCH : promises ? BATCH : c.count, &next));
    }
    *made = c.best;
    if (*made) {
        move_apply(c.best, &s->graph);
    }
    return NONSENS_OK;
}
