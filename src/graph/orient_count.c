/*
 * orient_count.c - the conservative and the majority rule: in how many of the sets that separate x and z is y?
 *
 * Sets are all subsets of adj(x) and of adj(z) in the final skeleton, up to max_given (Ramsey, Zhang, Spirtes,
 * "Adjacency-faithfulness and conservative causal inference", UAI 2006; Colombo, Maathuis, JMLR 15, 2014, section 4.2).
 * A pair x, z with all its y is a job of a parallel loop.
 */
#include "base/parallel.h"
#include "graph/first_failure.h"
#include "graph/orient.h"
#include "graph/orient_internal.h"
#include "graph/subsets.h"

#include <math.h>

/* Triples of the same x and z stand together: pair k has start[k] .. start[k + 1] - 1. */
typedef struct count_work {
    orienter *o;
    const skeleton_options *how;
    enum collider_rule rule;
    int64_t *start, *tests; /* (pairs + 1), (pairs) */
    first_failure failure;
} count_work;

/* Space of a job: neighbours, places among them, the set, and in how many sets each y is. */
typedef struct count_space {
    int64_t *near, *index, *given, *with; /* (d) each */
    int64_t sets;                         /* that separate */
    double p_value;                       /* the largest */
} count_space;

static bool is_in(int64_t count, const int64_t *given, int64_t node)
{
    for (int64_t i = 0; i < count; i++) {
        if (given[i] == node) {
            return true;
        }
    }
    return false;
}

static nonsens_status count_one(nonsens_context *ctx, arena *scratch, const count_work *w, int64_t pair, int64_t size,
                                count_space *space)
{
    const orient_triple *triple = &w->o->triple[w->start[pair]];
    int64_t count = w->start[pair + 1] - w->start[pair];
    double p;
    TRY(skeleton_ask(ctx, scratch, w->how, triple->x, triple->z, size, space->given, &p));
    w->tests[pair]++;
    space->p_value = fmax(p, space->p_value);
    if (p > w->how->alpha) {
        space->sets++;
        for (int64_t t = 0; t < count; t++) {
            space->with[t] += is_in(size, space->given, triple[t].y);
        }
    }
    return NONSENS_OK;
}

/* All subsets of the neighbours of `of` but for those that are neighbours of `but` as well (-1: of none). */
static nonsens_status count_subsets(nonsens_context *ctx, arena *scratch, const count_work *w, int64_t pair, int64_t of,
                                    int64_t but, count_space *space)
{
    const pdag *g = w->o->graph;
    int64_t near = pdag_neighbours(g, of, space->near);
    int64_t largest = w->how->max_given >= 0 && w->how->max_given < near ? w->how->max_given : near;
    for (int64_t size = but < 0 ? 0 : 1; size <= largest; size++) {
        bool more = true;
        for (subsets_first(size, space->index); more; more = subsets_next(near, size, space->index)) {
            bool tested = but >= 0; // as a subset of the other one's neighbours
            for (int64_t i = 0; i < size; i++) {
                space->given[i] = space->near[space->index[i]];
                tested = tested && pdag_is_adjacent(g, but, space->given[i]);
            }
            if (!tested) {
                TRY(count_one(ctx, scratch, w, pair, size, space));
            }
        }
    }
    return NONSENS_OK;
}

static void judge_triple(orient_triple *t, enum collider_rule rule, int64_t sets, int64_t with)
{
    if (rule == ORIENT_CONSERVATIVE) {
        t->collider = sets > 0 && with == 0;
        t->open = sets == 0 || (with > 0 && with < sets);
    } else {
        t->collider = 2 * with < sets;
        t->open = 2 * with == sets;
    }
}

static nonsens_status count_pair(nonsens_context *ctx, arena *scratch, int64_t job, const count_work *w)
{
    orient_triple *triple = &w->o->triple[w->start[job]];
    count_space space = {.p_value = NAN}; // not that of the skeleton, which depends on the order of its tests
    int64_t d = w->o->graph->d;
    ARENA_TRY(ctx, scratch, space.near, d);
    ARENA_TRY(ctx, scratch, space.index, d);
    ARENA_TRY(ctx, scratch, space.given, d);
    ARENA_TRY(ctx, scratch, space.with, d);
    TRY(count_subsets(ctx, scratch, w, job, triple->x, -1, &space));
    TRY(count_subsets(ctx, scratch, w, job, triple->z, triple->x, &space));
    for (int64_t t = 0; t < w->start[job + 1] - w->start[job]; t++) {
        triple[t].p_value = space.p_value;
        judge_triple(&triple[t], w->rule, space.sets, space.with[t]);
    }
    return NONSENS_OK;
}

static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    count_work *w = state;
    if (first_failure_is_before(&w->failure, job)) {
        return NONSENS_OK;
    }
    return first_failure_note(&w->failure, job, count_pair(ctx, scratch, job, w));
}

/* Where pairs begin; returns how many there are. */
static int64_t find_pairs(const orienter *o, int64_t *start)
{
    int64_t pairs = 0;
    for (int64_t t = 0; t < o->report.triples; t++) {
        const orient_triple *triple = &o->triple[t];
        if (t == 0 || triple->x != triple[-1].x || triple->z != triple[-1].z) {
            start[pairs++] = t;
        }
    }
    start[pairs] = o->report.triples;
    return pairs;
}

static nonsens_status count_all(nonsens_context *ctx, arena *local, count_work *w)
{
    ARENA_TRY(ctx, local, w->start, w->o->report.triples + 1);
    ARENA_TRY(ctx, local, w->tests, w->o->report.triples);
    first_failure_reset(&w->failure);
    int64_t pairs = find_pairs(w->o, w->start);
    TRY(parallel_for(ctx, w->how->threads, pairs, w->how->phase, run_job, w));
    TRY(check_cancelled(ctx));
    for (int64_t k = 0; k < pairs; k++) {
        w->o->report.tests += w->tests[k];
    }
    return NONSENS_OK;
}

nonsens_status orient_count_separators(nonsens_context *ctx, orienter *o, const skeleton_options *how,
                                       enum collider_rule rule)
{
    arena local = {0};
    count_work w = {.o = o, .how = how, .rule = rule};
    nonsens_status status = count_all(ctx, &local, &w);
    arena_free(&local);
    return status;
}
