/*
 * orient_count.c - counts, for the conservative and the majority rule, the sets that separate x and z and contain y.
 *
 * Sets are all subsets of adj(x) and of adj(z) in the final skeleton, up to max_given (Ramsey, Zhang, Spirtes,
 * "Adjacency-faithfulness and conservative causal inference", UAI 2006; Colombo, Maathuis, JMLR 15, 2014, section 4.2).
 * A pair x, z with all its y is one job of a parallel loop.
 */
#include "base/parallel.h"
#include "graph/first_failure.h"
#include "graph/orient.h"
#include "graph/orient_internal.h"
#include "graph/subsets.h"

#include <math.h>

/* Triples of the same x and z follow one another: pair k has triples start[k] .. start[k + 1] - 1. */
typedef struct count_work {
    orienter *o;
    const skeleton_options *options;
    enum collider_rule rule;
    int64_t *start, *tests; /* (pairs + 1), (pairs) */
    first_failure failure;
} count_work;

/* Scratch of a job: neighbours, indices into them, the set, and the number of separating sets that contain each y. */
typedef struct count_space {
    int64_t *near, *index, *given, *with; /* (d) each */
    int64_t sets;                         /* number of sets that separate */
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

static nonsens_status count_set(nonsens_context *ctx, arena *scratch, const count_work *w, int64_t pair, int64_t size,
                                count_space *space)
{
    const orient_triple *triple = &w->o->triple[w->start[pair]];
    int64_t count = w->start[pair + 1] - w->start[pair];
    double p;
    TRY(skeleton_ask(ctx, scratch, w->options, triple->x, triple->z, size, space->given, &p));
    w->tests[pair]++;
    space->p_value = fmax(p, space->p_value);
    if (p > w->options->alpha) {
        space->sets++;
        for (int64_t t = 0; t < count; t++) {
            space->with[t] += is_in(size, space->given, triple[t].y);
        }
    }
    return NONSENS_OK;
}

/*
 * Tests all subsets of the neighbours of `node`, except those whose nodes are all neighbours of `done` (-1: no node).
 */
static nonsens_status count_subsets(nonsens_context *ctx, arena *scratch, const count_work *w, int64_t pair,
                                    int64_t node, int64_t done, count_space *space)
{
    const pdag *g = w->o->graph;
    int64_t near = pdag_neighbours(g, node, space->near);
    int64_t largest = w->options->max_given >= 0 && w->options->max_given < near ? w->options->max_given : near;
    for (int64_t size = done < 0 ? 0 : 1; size <= largest; size++) {
        bool more = true;
        for (subsets_first(size, space->index); more; more = subsets_next(near, size, space->index)) {
            bool tested = done >= 0; // as a subset of the other node's neighbours
            for (int64_t i = 0; i < size; i++) {
                space->given[i] = space->near[space->index[i]];
                tested = tested && pdag_is_adjacent(g, done, space->given[i]);
            }
            if (!tested) {
                TRY(count_set(ctx, scratch, w, pair, size, space));
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status count_pair(nonsens_context *ctx, arena *scratch, int64_t job, const count_work *w)
{
    orient_triple *triple = &w->o->triple[w->start[job]];
    count_space space = {.p_value = NAN}; // not the skeleton's p-value, which depends on the order of its tests
    int64_t d = w->o->graph->d;
    ARENA_TRY(ctx, scratch, space.near, d);
    ARENA_TRY(ctx, scratch, space.index, d);
    ARENA_TRY(ctx, scratch, space.given, d);
    ARENA_TRY(ctx, scratch, space.with, d);
    TRY(count_subsets(ctx, scratch, w, job, triple->x, -1, &space));
    TRY(count_subsets(ctx, scratch, w, job, triple->z, triple->x, &space));
    for (int64_t t = 0; t < w->start[job + 1] - w->start[job]; t++) {
        int64_t sets = space.sets, with = space.with[t];
        bool conservative = w->rule == ORIENT_CONSERVATIVE;
        triple[t].p_value = space.p_value;
        triple[t].collider = conservative ? sets > 0 && with == 0 : 2 * with < sets;
        triple[t].open = conservative ? sets == 0 || (with > 0 && with < sets) : 2 * with == sets;
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

nonsens_status orient_count_separators(nonsens_context *ctx, orienter *o, const skeleton_options *options,
                                       enum collider_rule rule)
{
    SCOPED_ARENA(local);
    count_work w = {.o = o, .options = options, .rule = rule};
    int64_t pairs = 0, triples = o->report.triples;
    ARENA_TRY(ctx, &local, w.start, triples + 1);
    ARENA_TRY(ctx, &local, w.tests, triples);
    for (int64_t t = 0; t < triples; t++) {
        const orient_triple *triple = &o->triple[t];
        if (t == 0 || triple->x != triple[-1].x || triple->z != triple[-1].z) {
            w.start[pairs++] = t;
        }
    }
    w.start[pairs] = triples;
    first_failure_reset(&w.failure);
    TRY(parallel_for(ctx, options->threads, pairs, options->phase, run_job, &w));
    TRY(check_cancelled(ctx));
    for (int64_t k = 0; k < pairs; k++) {
        o->report.tests += w.tests[k];
    }
    return NONSENS_OK;
}
