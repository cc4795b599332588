/* structured_bounds.c - compares sets of causes with sets that contain them, and with what the screen saw. */
#include "methods/structured_graph/structured_bounds.h"

#include "methods/structured_graph/structured_moves.h"

#include <math.h>

static const double GAIN_MAY_BE = 3.0; /* gain over the screen's estimate at most; median 2 (docs/many-variables.md) */
static const double TOGETHER = 1.5;    /* gain of several causes over the sum of their single gains */
static const double LOSS_MAY_BE = 0.5; /* loss by removing a cause over what a fit estimates, at least */

/* The causes before and after a change. */
typedef struct change {
    const structured_score *now, *base; /* base: the causes that stay; NULL if they have no fit */
    int64_t kept[MECHANISM_MAX_CAUSES], keeps;
    int64_t added[MECHANISM_MAX_CAUSES], adds;
    int64_t removed[MECHANISM_MAX_CAUSES], removes;
} change;

static bool contains(int64_t count, const int64_t *set, int64_t node)
{
    for (int64_t i = 0; i < count; i++) {
        if (set[i] == node) {
            return true;
        }
    }
    return false;
}

static const structured_score *find_settled(const structured_search *s, int64_t effect, int64_t causes,
                                            const int64_t *cause)
{
    const structured_score *at = scores_get(s->scores, effect, causes, cause);
    return at && at->settled ? at : NULL;
}

static bool describe(const structured_search *s, int64_t effect, const pdag *then, int64_t *nodes, change *out)
{
    int64_t causes = pdag_parents(&s->graph, effect, nodes);
    *out = (change){.now = find_settled(s, effect, causes, nodes)};
    if (!out->now) {
        return false;
    }
    const structured_score *now = out->now;
    causes = pdag_parents(then, effect, nodes);
    for (int64_t i = 0; i < causes; i++) {
        if (contains(now->causes, now->cause, nodes[i])) {
            out->kept[out->keeps++] = nodes[i];
        } else {
            out->added[out->adds++] = nodes[i];
        }
    }
    for (int64_t i = 0; i < now->causes; i++) {
        if (!contains(causes, nodes, now->cause[i])) {
            out->removed[out->removes++] = now->cause[i];
        }
    }
    out->base = find_settled(s, effect, out->keeps, out->kept);
    return true;
}

/* Find the settled fit of the same effect with one cause added or removed, or NULL. */
static const structured_score *with_cause(const structured_search *s, const structured_score *fit, int64_t cause)
{
    int64_t set[MECHANISM_MAX_CAUSES + 1], count = 0;
    for (int64_t i = 0; i < fit->causes; i++) {
        if (count == i && fit->cause[i] > cause) {
            set[count++] = cause;
        }
        set[count++] = fit->cause[i];
    }
    if (count == fit->causes) {
        set[count++] = cause;
    }
    return find_settled(s, fit->effect, count, set);
}

static const structured_score *without_cause(const structured_search *s, const structured_score *fit, int64_t cause)
{
    int64_t set[MECHANISM_MAX_CAUSES], count = 0;
    for (int64_t i = 0; i < fit->causes; i++) {
        if (fit->cause[i] != cause) {
            set[count++] = fit->cause[i];
        }
    }
    return find_settled(s, fit->effect, count, set);
}

double bounds_addition(const structured_search *s, const structured_score *fit, int64_t cause)
{
    const structured_score *larger = with_cause(s, fit, cause);
    if (larger) {
        return fmax(0.0, structured_difference(s->scores, fit, larger));
    }
    double estimate = screen_gain(s->screen, fit, cause);
    return isnan(estimate) ? INFINITY : estimate > s->screen->threshold ? GAIN_MAY_BE * estimate : 0.0;
}

/* Bounds what all added causes gain in addition to those of the fit. */
static double may_gain_all(const structured_search *s, const structured_score *fit, const change *c)
{
    double sum = 0.0;
    for (int64_t i = 0; i < c->adds; i++) {
        sum += bounds_addition(s, fit, c->added[i]);
    }
    return c->adds > 1 ? TOGETHER * sum : sum;
}

/* Bounds what removing all removed causes gains: it loses at least what removing the most important one loses. */
static double most_without(const structured_search *s, const change *c)
{
    double least = 0.0;
    for (int64_t i = 0; i < c->now->causes; i++) {
        if (contains(c->removes, c->removed, c->now->cause[i])) {
            const structured_score *smaller = without_cause(s, c->now, c->now->cause[i]);
            least = fmin(least,
                         smaller ? structured_difference(s->scores, c->now, smaller) : -LOSS_MAY_BE * c->now->loss[i]);
        }
    }
    return least;
}

double bounds_gain(const structured_search *s, int64_t effect, const pdag *then, int64_t *nodes)
{
    change c;
    if (!describe(s, effect, then, nodes, &c)) {
        return INFINITY;
    }
    const structured_score *after = scores_get(s->scores, effect, pdag_parents(then, effect, nodes), nodes);
    if (after && after->settled) {
        return structured_difference(s->scores, c.now, after);
    }
    if (c.adds == 0) {
        return most_without(s, &c);
    }
    double beside = may_gain_all(s, c.now, &c);
    return c.base && c.removes > 0
               ? fmin(beside, structured_difference(s->scores, c.now, c.base) + may_gain_all(s, c.base, &c))
               : beside;
}

nonsens_status bounds_want(nonsens_context *ctx, structured_search *s, int64_t effect, const pdag *then, int64_t *nodes)
{
    change c;
    if (!describe(s, effect, then, nodes, &c)) {
        return NONSENS_OK;
    }
    for (int64_t i = 0; i < c.adds; i++) {
        if (!with_cause(s, c.now, c.added[i])) {
            TRY(screen_want(ctx, s->screen, c.now, c.added[i]));
        }
        if (c.base && c.removes > 0 && !with_cause(s, c.base, c.added[i])) {
            TRY(screen_want(ctx, s->screen, c.base, c.added[i]));
        }
    }
    return NONSENS_OK;
}
