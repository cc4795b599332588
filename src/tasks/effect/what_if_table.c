/*
 * what_if_table.c - the effects of all variables on all others, for a step of the cause from its lower to its upper
 * quartile.
 *
 * If directions are open, all effects come from the first of the open graphs: an effect with a single answer needs only
 * mechanisms that are the same in all of them.  Effects that have several answers, or none, are not given here.
 */
#include "tasks/effect/what_if.h"

#include <math.h>

static const nonsens_estimate UNKNOWN = {NAN, NAN, NAN};
static const nonsens_estimate NOTHING = {0.0, 0.0, 0.0};

static nonsens_estimate estimate_of(effect_value v)
{
    return (nonsens_estimate){v.value, v.low, v.high};
}

static void free_model(effect_model **model)
{
    effect_model_free(*model);
}

static nonsens_status model_of_first(nonsens_context *ctx, arena *a, const what_if *w, effect_model **out)
{
    int64_t d = w->data->d;
    identify_graph dag;
    bool *edge;
    TRY(identify_first_dag(ctx, a, &w->graph, &dag));
    ARENA_TRY(ctx, a, edge, d * d);
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            edge[i * d + j] = pdag_is_arrow(&dag.marks, i, j);
        }
    }
    return effect_model_new(ctx, w->data, edge, &w->options, out);
}

/* Finds the smaller support of both quartiles. */
static nonsens_status find_support(nonsens_context *ctx, const what_if_support *s, const effect_model *model,
                                   const effect_table *t, const identify_answer *answer, nonsens_quartile_effect *e)
{
    double share[2];
    for (int upper = 0; upper < 2; upper++) {
        effect_change change = {e->cause, EFFECT_SET, upper ? t->upper[e->cause] : t->lower[e->cause]};
        effect_scenario scenario = {1, &change, EFFECT_ALL_SEGMENTS};
        TRY(what_if_support_share(ctx, s, model, &scenario, answer, &share[upper]));
    }
    e->support = fmin(share[0], share[1]);
    return NONSENS_OK;
}

static nonsens_status fill_pair(nonsens_context *ctx, const what_if *w, const what_if_support *s,
                                const effect_model *model, const effect_table *t, nonsens_quartile_effect *e)
{
    static const nonsens_answered ANSWERED[] = {[IDENTIFY_IDENTIFIED] = NONSENS_ANSWERED_ONE,
                                                [IDENTIFY_NO_PATH] = NONSENS_ANSWERED_NO_PATH,
                                                [IDENTIFY_RANGE] = NONSENS_ANSWERED_RANGE,
                                                [IDENTIFY_REFUSED] = NONSENS_ANSWERED_NOT};
    SCOPED_ARENA(scratch);
    int64_t at = e->cause * t->d + e->effect;
    identify_question q = {&e->cause, 1, e->effect, IDENTIFY_MAX_GRAPHS};
    identify_result found;
    TRY(identify(ctx, &scratch, &w->graph, &q, &found));
    e->answered = ANSWERED[found.status];
    e->reason = arena_text(ctx, &w->result->memory, found.reason ? found.reason : "");
    if (!e->reason) {
        return NONSENS_ERR_MEMORY;
    }
    bool is_one = e->answered == NONSENS_ANSWERED_ONE, is_none = e->answered == NONSENS_ANSWERED_NO_PATH;
    e->total = is_one ? estimate_of(t->total[at]) : is_none ? NOTHING : UNKNOWN;
    e->direct = is_one ? estimate_of(t->direct[at]) : is_none ? NOTHING : UNKNOWN;
    return is_one ? find_support(ctx, s, model, t, &found.answer[0], e) : NONSENS_OK;
}

/* Adds a caution on effects for whose quartiles too few rows are supported. */
static nonsens_status note_support(nonsens_context *ctx, const what_if *w)
{
    const result_effects *all = &w->result->effects;
    int64_t weak = 0;
    for (int64_t k = 0; k < all->quartile_effects; k++) {
        weak += all->quartile_effect[k].support < WHAT_IF_MIN_SUPPORT;
    }
    return weak == 0
               ? NONSENS_OK
               : result_note(ctx, w->result, NONSENS_NOTE_CAUTION,
                             "For %lld of the effects fewer than half of the rows would be like rows of the data "
                             "if the cause were at a quartile; these extrapolate the mechanisms to values without "
                             "data.",
                             (long long)weak);
}

nonsens_status what_if_table(nonsens_context *ctx, const what_if *w)
{
    SCOPED_ARENA(scratch);
    SCOPED(free_model) effect_model *model = NULL;
    result_effects *all = &w->result->effects;
    what_if_support *support;
    effect_table table;
    int64_t d = w->data->d, count = 0;
    TRY(model_of_first(ctx, &scratch, w, &model));
    TRY(effect_table_new(ctx, &scratch, model, &table));
    TRY(what_if_support_new(ctx, &scratch, w->data, &support));
    ARENA_TRY(ctx, &w->result->memory, all->quartile_effect, d * d);
    for (int64_t i = 0; i < d; i++) {
        for (int64_t t = 0; t < w->targets; t++) {
            int64_t j = w->target[t];
            if (i == j) {
                continue;
            }
            nonsens_quartile_effect *e = &all->quartile_effect[count++];
            *e = (nonsens_quartile_effect){.cause = i,
                                           .effect = j,
                                           .lower = table.lower[i],
                                           .upper = table.upper[i],
                                           .sd = table.sd[j],
                                           .support = NAN};
            TRY(fill_pair(ctx, w, support, model, &table, e));
        }
    }
    all->quartile_effects = count;
    return note_support(ctx, w);
}
