/*
 * skeleton.c - finds a skeleton by PC-stable (Colombo, Maathuis, JMLR 15, 2014, algorithm 4.1).
 *
 * Level l = 0, 1, 2, ...: adjacencies are frozen; every adjacent pair x < y is tested given the subsets of size l of
 * adj(x) \ {y}, then of adj(y) \ {x} (those not tested yet), each in lexicographic order.  The first one with p > alpha
 * removes the edge and is kept.  Levels end when no node has enough neighbours.  As adjacencies are frozen, pairs do
 * not affect one another within a level: they are jobs of a parallel loop.  The result is the same for any number of
 * threads and, except for which of several separating sets comes first, for any order of the nodes.
 *
 * Differences from the paper: pairs that cannot be adjacent (knowledge.h) begin without an edge and without a
 * separating set; pairs with a required arrow are not tested.
 */
#include "graph/skeleton.h"

#include "base/parallel.h"
#include "graph/bits.h"
#include "graph/first_failure.h"
#include "graph/subsets.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_JOBS = 1024 }; /* in a level, about; if there are more pairs, a job tests several */

/* A level's work: the pairs to be tested given sets of one size, x[k] < y[k], and what is found about each. */
typedef struct level_work {
    const skeleton_options *options;
    skeleton *found;
    int64_t size;           /* of the sets */
    int64_t pairs, per_job; /* pairs of the level; pairs of a job */
    int32_t *x, *y;         /* (pairs) */
    int32_t *given;         /* (size, pairs) the set that separates, if one does */
    int64_t *tests;         /* (pairs) number of tests made */
    first_failure failure;
} level_work;

nonsens_status skeleton_ask(nonsens_context *ctx, arena *scratch, const skeleton_options *options, int64_t x, int64_t y,
                            int64_t count, const int64_t *given, double *p_value)
{
    arena_mark mark = arena_tell(scratch);
    TRY(check_cancelled(ctx));
    *p_value = NAN;
    TRY(options->test(ctx, scratch, options->state, x, y, count, given, p_value));
    arena_rewind(scratch, mark);
    if (!(*p_value >= 0.0 && *p_value <= 1.0)) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "a test of independence given %" PRId64
                    " variables gave no p-value between 0 and 1; try another test",
                    count);
    }
    return NONSENS_OK;
}

bool skeleton_separator_has(const skeleton *s, int64_t a, int64_t b, int64_t c)
{
    const skeleton_pair *p = skeleton_at(s, a, b);
    for (int32_t i = 0; i < p->count; i++) {
        if (p->given[i] == c) {
            return true;
        }
    }
    return false;
}

/* ---- one pair --------------------------------------------------------------------------------------------------- */

/* Scratch of a job: neighbours, indices into them, the set at these indices. */
typedef struct pair_space {
    int64_t *near, *index, *given; /* (d), (size), (size) */
} pair_space;

static bool all_in(const uint64_t *set, int64_t count, const int64_t *node)
{
    for (int64_t i = 0; i < count; i++) {
        if (!bits_has(set, node[i])) {
            return false;
        }
    }
    return true;
}

/* Lists the neighbours of a except b; returns how many. */
static int64_t list_others(const pdag *g, int64_t a, int64_t b, int64_t *out)
{
    int64_t count = pdag_neighbours(g, a, out), kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (out[i] != b) {
            out[kept++] = out[i];
        }
    }
    return kept;
}

/*
 * Tests pair k given subsets of the neighbours of `node`, one of its two, until a subset separates it.  Subsets of
 * `tested` have been tried before (NULL: none have).
 */
static nonsens_status test_subsets(nonsens_context *ctx, arena *scratch, level_work *w, int64_t k, int64_t node,
                                   const uint64_t *tested, pair_space *space)
{
    int64_t x = w->x[k], y = w->y[k], other = node == x ? y : x;
    int64_t count = w->size > 0 ? list_others(&w->found->graph, node, other, space->near) : 0;
    skeleton_pair *pair = skeleton_at(w->found, x, y);
    bool more = count >= w->size;
    for (subsets_first(w->size, space->index); more; more = subsets_next(count, w->size, space->index)) {
        double p;
        for (int64_t i = 0; i < w->size; i++) {
            space->given[i] = space->near[space->index[i]];
        }
        if (tested && all_in(tested, w->size, space->given)) {
            continue;
        }
        TRY(skeleton_ask(ctx, scratch, w->options, x, y, w->size, space->given, &p));
        w->tests[k]++;
        pair->p_value = p > pair->p_value || isnan(pair->p_value) ? p : pair->p_value;
        if (p > w->options->alpha) {
            pair->separated = true;
            for (int64_t i = 0; i < w->size; i++) {
                w->given[k * w->size + i] = (int32_t)space->given[i];
            }
            return NONSENS_OK;
        }
    }
    return NONSENS_OK;
}

static nonsens_status test_pairs(nonsens_context *ctx, arena *scratch, int64_t job, level_work *w)
{
    const pdag *g = &w->found->graph;
    pair_space space;
    int64_t end = (job + 1) * w->per_job < w->pairs ? (job + 1) * w->per_job : w->pairs;
    ARENA_TRY(ctx, scratch, space.near, g->d);
    ARENA_TRY(ctx, scratch, space.index, w->size);
    ARENA_TRY(ctx, scratch, space.given, w->size);
    for (int64_t k = job * w->per_job; k < end && !first_failure_is_before(&w->failure, job); k++) {
        TRY(test_subsets(ctx, scratch, w, k, w->x[k], NULL, &space));
        if (!skeleton_at(w->found, w->x[k], w->y[k])->separated && w->size > 0) {
            TRY(test_subsets(ctx, scratch, w, k, w->y[k], pdag_row(g, g->adjacent, w->x[k]), &space));
        }
    }
    return NONSENS_OK;
}

static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    level_work *w = state;
    return first_failure_note(&w->failure, job, test_pairs(ctx, scratch, job, w));
}

/* ---- levels ----------------------------------------------------------------------------------------------------- */

/* Says whether sets of this size remain to be tried on the adjacent nodes x and y. */
static bool is_open(const skeleton_options *o, const pdag *g, int64_t x, int64_t y, int64_t size)
{
    int64_t near_x = bits_count(pdag_row(g, g->adjacent, x), g->words) - 1;
    int64_t near_y = bits_count(pdag_row(g, g->adjacent, y), g->words) - 1;
    return (near_x >= size || near_y >= size) && !knowledge_requires(o->known, x, y) &&
           !knowledge_requires(o->known, y, x);
}

/* Lists the pairs to test given sets of w->size and returns how many; x and y may be NULL, to count them. */
static int64_t list_pairs(const level_work *w, int32_t *x, int32_t *y)
{
    const pdag *g = &w->found->graph;
    int64_t count = 0;
    for (int64_t a = 0; a < g->d; a++) {
        const uint64_t *row = pdag_row(g, g->adjacent, a);
        for (int64_t b = bits_next(row, g->words, a + 1); b >= 0; b = bits_next(row, g->words, b + 1)) {
            if (is_open(w->options, g, a, b, w->size)) {
                if (x) {
                    x[count] = (int32_t)a;
                    y[count] = (int32_t)b;
                }
                count++;
            }
        }
    }
    return count;
}

/* Removes the pairs that were separated, and moves their sets to `keep`. */
static nonsens_status close_level(nonsens_context *ctx, arena *keep, level_work *w)
{
    int64_t removed = 0;
    int32_t *pool; // (removed, size)
    for (int64_t k = 0; k < w->pairs; k++) {
        removed += skeleton_at(w->found, w->x[k], w->y[k])->separated;
        w->found->tests += w->tests[k];
    }
    ARENA_TRY(ctx, keep, pool, removed * w->size);
    for (int64_t k = 0; k < w->pairs; k++) {
        skeleton_pair *pair = skeleton_at(w->found, w->x[k], w->y[k]);
        if (!pair->separated) {
            continue;
        }
        pdag_set(&w->found->graph, w->x[k], w->y[k], PDAG_NONE);
        pair->count = (int32_t)w->size;
        if (w->size > 0) {
            memcpy(pool, w->given + k * w->size, (size_t)w->size * sizeof *pool);
            pair->given = pool;
            pool += w->size;
        }
    }
    return NONSENS_OK;
}

static nonsens_status run_level(nonsens_context *ctx, arena *keep, level_work *w)
{
    SCOPED_ARENA(local);
    ARENA_TRY(ctx, &local, w->x, w->pairs);
    ARENA_TRY(ctx, &local, w->y, w->pairs);
    ARENA_TRY(ctx, &local, w->given, w->pairs * w->size);
    ARENA_TRY(ctx, &local, w->tests, w->pairs);
    list_pairs(w, w->x, w->y);
    w->per_job = 1 + w->pairs / MAX_JOBS;
    w->found->level = w->size;
    first_failure_reset(&w->failure);
    int64_t jobs = (w->pairs + w->per_job - 1) / w->per_job;
    TRY(parallel_for(ctx, w->options->threads, jobs, w->options->phase, run_job, w));
    TRY(check_cancelled(ctx));
    return close_level(ctx, keep, w);
}

static nonsens_status check_options(nonsens_context *ctx, int64_t d, const skeleton_options *options)
{
    if (!(options->alpha >= 0.0 && options->alpha <= 1.0)) {
        return fail(ctx, NONSENS_ERR_USAGE, "skeleton: alpha must be between 0 and 1");
    }
    if (options->known && options->known->d != d) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "skeleton: what is known is about %" PRId64 " variables, the graph has %" PRId64 "; name them all",
                    options->known->d, d);
    }
    return options->known ? knowledge_check(ctx, options->known) : NONSENS_OK;
}

nonsens_status skeleton_find(nonsens_context *ctx, arena *keep, int64_t d, const skeleton_options *options,
                             skeleton *out)
{
    level_work w = {.options = options, .found = out};
    *out = (skeleton){.level = -1};
    TRY(check_options(ctx, d, options));
    TRY(pdag_new(ctx, keep, d, &out->graph));
    ARENA_TRY(ctx, keep, out->pair, d * (d - 1) / 2);
    for (int64_t b = 1; b < d; b++) {
        for (int64_t a = 0; a < b; a++) {
            skeleton_at(out, a, b)->p_value = NAN;
            pdag_set(&out->graph, a, b, knowledge_separates(options->known, a, b) ? PDAG_NONE : PDAG_LINE);
        }
    }
    for (; (w.pairs = list_pairs(&w, NULL, NULL)) > 0; w.size++) {
        if (options->max_given >= 0 && w.size > options->max_given) {
            out->capped = true;
            break;
        }
        TRY(run_level(ctx, keep, &w));
    }
    return NONSENS_OK;
}
