/* structured_coupled.c - adds up scores with couplings, and improves the arrows step by step. */
#include "methods/structured_graph/structured_coupled.h"

#include "base/parallel.h"
#include "methods/structured_graph/structured_moves.h"

#include <math.h>
#include <string.h>

nonsens_status coupled_new(nonsens_context *ctx, arena *a, structured_search *s, coupled *out)
{
    int64_t d = s->graph.d;
    *out = (coupled){.s = s, .memory = a, .groups = s->scores->groups};
    ARENA_TRY(ctx, a, out->pair, d * (d - 1) / 2 + 1);
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

const structured_score *coupled_fit(const coupled *c, const pdag *g, int64_t j)
{
    int64_t causes = pdag_parents(g, j, c->nodes);
    return scores_get(c->s->scores, j, causes, c->nodes);
}

nonsens_status coupled_settle(nonsens_context *ctx, coupled *c, const pdag *g)
{
    for (int64_t j = 0; j < g->d; j++) {
        int64_t causes = pdag_parents(g, j, c->nodes);
        TRY(scores_want(ctx, c->s->scores, j, causes, c->nodes));
    }
    return scores_settle(ctx, c->s->scores, NULL);
}

/* ---- copulas, each computed once -------------------------------------------------------------------------------- */

static const coupled_noise *find_noise(const coupled *c, const structured_score *fit)
{
    for (int64_t k = 0; k < c->noises; k++) {
        if (c->noise[k].fit == fit) {
            return &c->noise[k];
        }
    }
    return NULL;
}

static const coupled_copula *find_copula(const coupled *c, const coupled_copula *like)
{
    for (int64_t k = 0; k < c->copulas; k++) {
        const coupled_copula *p = &c->copula[k];
        if (p->fit[0] == like->fit[0] && p->fit[1] == like->fit[1] && p->is_series == like->is_series) {
            return p;
        }
    }
    return NULL;
}

/* Noises and copulas to compute: those from these numbers on. */
typedef struct missing {
    const coupled *c;
    int64_t noise, copula;
} missing;

static nonsens_status noise_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const missing *m = state;
    const structured_scores *sc = m->c->s->scores;
    const coupled_noise *to = &m->c->noise[m->noise + job];
    double *spare, *v;
    ARENA_TRY(ctx, scratch, spare, sc->data->n);
    ARENA_TRY(ctx, scratch, v, sc->data->n);
    TRY(dependence_held_out(ctx, sc, to->fit, spare, v));
    return dependence_normal_scores(ctx, scratch, sc->data, v, to->score);
}

static nonsens_status copula_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const missing *m = state;
    const structured_scores *sc = m->c->s->scores;
    const coupled_copula *to = &m->c->copula[m->copula + job];
    const double *x = find_noise(m->c, to->fit[0])->score, *y = find_noise(m->c, to->fit[1])->score;
    double *u, *v;
    if (!to->is_series) {
        return dependence_copula(ctx, scratch, sc, x, y, to->group);
    }
    ARENA_TRY(ctx, scratch, u, sc->data->n);
    ARENA_TRY(ctx, scratch, v, sc->data->n);
    dependence_ranks(sc->data, x, u);
    dependence_ranks(sc->data, y, v);
    return dependence_series(ctx, scratch, sc, u, v, to->group);
}

static nonsens_status list_missing(nonsens_context *ctx, coupled *c, const coupled_copula *wanted)
{
    coupled_copula copula = *wanted;
    if (find_copula(c, wanted)) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, c->memory, copula.group, c->groups);
    ARENA_GROW(ctx, c->memory, c->copula, c->copulas, c->copula_capacity);
    c->copula[c->copulas++] = copula;
    for (int k = 0; k < 2; k++) {
        coupled_noise noise = {.fit = wanted->fit[k]};
        if (!find_noise(c, noise.fit)) {
            ARENA_TRY(ctx, c->memory, noise.score, c->s->scores->data->n);
            ARENA_GROW(ctx, c->memory, c->noise, c->noises, c->noise_capacity);
            c->noise[c->noises++] = noise;
        }
    }
    return NONSENS_OK;
}

nonsens_status coupled_prepare(nonsens_context *ctx, coupled *c, int64_t count, const coupled_copula *wanted)
{
    missing m = {c, c->noises, c->copulas};
    int threads = c->s->scores->threads;
    for (int64_t k = 0; k < count; k++) {
        TRY(list_missing(ctx, c, &wanted[k]));
    }
    TRY(parallel_for(ctx, threads, c->noises - m.noise, NULL, noise_job, &m));
    return parallel_for(ctx, threads, c->copulas - m.copula, NULL, copula_job, &m);
}

nonsens_status coupled_gain(nonsens_context *ctx, coupled *c, const pdag *g, bool is_series, int64_t a, int64_t b,
                            const double **group)
{
    TRY(coupled_settle(ctx, c, g));
    coupled_copula wanted = {.fit = {coupled_fit(c, g, a), coupled_fit(c, g, b)}, .is_series = is_series};
    TRY(coupled_prepare(ctx, c, 1, &wanted));
    *group = find_copula(c, &wanted)->group;
    return NONSENS_OK;
}

nonsens_status coupled_total(nonsens_context *ctx, coupled *c, const pdag *g, double *total)
{
    TRY(coupled_settle(ctx, c, g));
    memset(total, 0, (size_t)c->groups * sizeof *total);
    for (int64_t j = 0; j < g->d; j++) {
        const structured_score *fit = coupled_fit(c, g, j);
        for (int64_t k = 0; k < c->groups; k++) {
            total[k] += fit->group[k];
        }
    }
    for (int64_t p = 0; p < c->pairs; p++) {
        const double *group;
        TRY(coupled_gain(ctx, c, g, c->pair[p].is_series, c->pair[p].a, c->pair[p].b, &group));
        for (int64_t k = 0; k < c->groups; k++) {
            total[k] += group[k];
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
