/* structured_coupled.c - adds up scores with couplings, and improves the arrows step by step. */
#include "methods/structured_graph/structured_coupled.h"

#include "methods/structured_graph/structured_moves.h"

#include <math.h>
#include <string.h>

nonsens_status coupled_new(nonsens_context *ctx, arena *a, structured_search *s, coupled *out)
{
    int64_t n = s->scores->data->n, d = s->graph.d;
    *out = (coupled){.s = s, .memory = a, .groups = s->scores->groups};
    ARENA_TRY(ctx, a, out->pair, d * (d - 1) / 2 + 1);
    ARENA_TRY(ctx, a, out->spare, n);
    ARENA_TRY(ctx, a, out->v, n);
    ARENA_TRY(ctx, a, out->u[0], n);
    ARENA_TRY(ctx, a, out->u[1], n);
    ARENA_TRY(ctx, a, out->group, out->groups);
    ARENA_TRY(ctx, a, out->nodes, d);
    return NONSENS_OK;
}

const coupling *coupled_find(const coupled *c, int64_t a, int64_t b)
{
    for (int64_t k = 0; k < c->pairs; k++) {
        const coupling *p = &c->pair[k];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) {
            return p;
        }
    }
    return NULL;
}

static const structured_score *fit_in(const coupled *c, const pdag *g, int64_t j)
{
    int64_t causes = pdag_parents(g, j, c->nodes);
    return scores_get(c->s->scores, j, causes, c->nodes);
}

static nonsens_status settle(nonsens_context *ctx, coupled *c, const pdag *g)
{
    for (int64_t j = 0; j < g->d; j++) {
        int64_t causes = pdag_parents(g, j, c->nodes);
        TRY(scores_want(ctx, c->s->scores, j, causes, c->nodes));
    }
    return scores_settle(ctx, c->s->scores, NULL);
}

nonsens_status coupled_scores(nonsens_context *ctx, coupled *c, const pdag *g, int64_t j, const double **score)
{
    const nonsens_data *data = c->s->scores->data;
    TRY(settle(ctx, c, g));
    const structured_score *fit = fit_in(c, g, j);
    for (int64_t k = 0; k < c->noises; k++) {
        if (c->noise[k].fit == fit) {
            *score = c->noise[k].score;
            return NONSENS_OK;
        }
    }
    coupled_noise made = {.fit = fit};
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, c->memory, made.score, data->n);
    TRY(dependence_held_out(ctx, c->s->scores, fit, c->spare, c->v));
    TRY(dependence_normal_scores(ctx, &scratch, data, c->v, made.score));
    ARENA_GROW(ctx, c->memory, c->noise, c->noises, c->noise_capacity);
    c->noise[c->noises++] = made;
    *score = made.score;
    return NONSENS_OK;
}

nonsens_status coupled_gain(nonsens_context *ctx, coupled *c, bool is_series, const double *x, const double *y,
                            double *group)
{
    const structured_scores *sc = c->s->scores;
    SCOPED_ARENA(scratch);
    if (!is_series) {
        return dependence_copula(ctx, &scratch, sc, x, y, group);
    }
    dependence_ranks(sc->data, x, c->u[0]);
    dependence_ranks(sc->data, y, c->u[1]);
    return dependence_series(ctx, &scratch, sc, c->u[0], c->u[1], group);
}

nonsens_status coupled_total(nonsens_context *ctx, coupled *c, const pdag *g, double *total)
{
    TRY(settle(ctx, c, g));
    memset(total, 0, (size_t)c->groups * sizeof *total);
    for (int64_t j = 0; j < g->d; j++) {
        const structured_score *fit = fit_in(c, g, j);
        for (int64_t k = 0; k < c->groups; k++) {
            total[k] += fit->group[k];
        }
    }
    for (int64_t p = 0; p < c->pairs; p++) {
        const double *x, *y;
        TRY(coupled_scores(ctx, c, g, c->pair[p].a, &x));
        TRY(coupled_scores(ctx, c, g, c->pair[p].b, &y));
        TRY(coupled_gain(ctx, c, c->pair[p].is_series, x, y, c->group));
        for (int64_t k = 0; k < c->groups; k++) {
            total[k] += c->group[k];
        }
    }
    return NONSENS_OK;
}

/* ---- arrows ----------------------------------------------------------------------------------------------------- */

/* Makes one step: the best reversal or, if none gains, the removal of the least significant arrow. */
static nonsens_status refine_once(nonsens_context *ctx, coupled *c, const double *now, double *then, bool *made)
{
    structured_search *s = c->s;
    double best = MIN_REVERSAL, weakest = INFINITY;
    move reversal = {0}, removal = {0};
    pdag after;
    SCOPED_ARENA(scratch);
    TRY(pdag_new(ctx, &scratch, s->graph.d, &after));
    for (int64_t k = 0; k < s->graph.d * s->graph.d; k++) {
        int64_t i = k / s->graph.d, j = k % s->graph.d;
        if (i == j || !pdag_is_arrow(&s->graph, i, j)) {
            continue;
        }
        move back = move_reverse(i, j), away = move_remove(i, j);
        if (move_is_legal(s, &back, &after, c->nodes)) {
            TRY(coupled_total(ctx, c, &after, then));
            structured_gain gain = dependence_gain(s->scores, then, now);
            reversal = gain.total > best ? back : reversal;
            best = fmax(best, gain.total);
        }
        if (move_is_legal(s, &away, &after, c->nodes)) {
            TRY(coupled_total(ctx, c, &after, then));
            structured_gain loss = dependence_gain(s->scores, now, then);
            bool idle = (loss.z < s->level || loss.total < s->min_gain) && loss.z < weakest;
            removal = idle ? away : removal;
            weakest = idle ? loss.z : weakest;
        }
    }
    const move *chosen = reversal.count > 0 ? &reversal : &removal;
    *made = chosen->count > 0;
    if (*made) {
        move_apply(chosen, &s->graph);
    }
    return NONSENS_OK;
}

nonsens_status coupled_refine(nonsens_context *ctx, coupled *c)
{
    bool made = true;
    double *now, *then;
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, &scratch, now, c->groups);
    ARENA_TRY(ctx, &scratch, then, c->groups);
    while (made) {
        TRY(check_cancelled(ctx));
        TRY(coupled_total(ctx, c, &c->s->graph, now));
        TRY(refine_once(ctx, c, now, then, &made));
    }
    return NONSENS_OK;
}
