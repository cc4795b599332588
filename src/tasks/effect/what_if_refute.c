/*
 * what_if_refute.c - `--refute N`: asks the question again for N data sets with a placebo in place of the cause, and
 * for N random subsets of the rows (refute.h).
 *
 * The graph, the changes and the targets stay the same; a placebo replaces only the columns of changed variables.
 * Answers over all rows, or over the segment of --in, are judged if the graph gives one answer.
 */
#include "base/parallel.h"
#include "data/labels.h"
#include "math/special.h"
#include "tasks/effect/refute.h"
#include "tasks/effect/what_if.h"

#include <inttypes.h>
#include <math.h>

enum { PLACEBO, SUBSETS, KINDS };

typedef struct refuting {
    const what_if *w;
    effect_options options; /* of effect.h: without bootstrap samples */
    time_blocks time;
    bool *edge, *changed;      /* (d, d), (d) */
    int64_t repetitions;       /* of each kind */
    int64_t answers;           /* points times targets */
    effect_scenario *scenario; /* (points) */
    double *difference[KINDS]; /* (repetitions, answers) of means; NaN if a repetition failed because of its data */
    double *ratio;             /* (repetitions) n / m - 1 of a subset */
} refuting;

static void free_model(effect_model **model)
{
    effect_model_free(*model);
}

/* Asks the question for a derived data set; difference (answers). */
static nonsens_status ask(nonsens_context *ctx, arena *scratch, const refuting *s, const nonsens_data *data,
                          double *difference)
{
    SCOPED(free_model) effect_model *model = NULL;
    const what_if *w = s->w;
    effect_scenario *scenario;
    effect_answer *answer;
    int64_t segment = w->segment;
    if (segment != EFFECT_ALL_SEGMENTS) {
        TRY(labels_find(ctx, scratch, data, "in", w->data->labels[segment], &segment));
    }
    ARENA_TRY(ctx, scratch, scenario, w->points);
    ARENA_TRY(ctx, scratch, answer, s->answers);
    for (int64_t p = 0; p < w->points; p++) {
        scenario[p] = s->scenario[p];
        scenario[p].segment = segment;
    }
    TRY(effect_model_new(ctx, data, s->edge, &s->options, &model));
    TRY(effect_answer_scenarios(ctx, model, w->points, scenario, w->targets, w->target, answer));
    for (int64_t k = 0; k < s->answers; k++) {
        difference[k] = answer[k].difference.mean.value;
    }
    return NONSENS_OK;
}

static nonsens_status repeat(nonsens_context *ctx, arena *scratch, int64_t kind, int64_t b, refuting *s)
{
    SCOPED(memory_release_scoped) nonsens_data *subset = NULL;
    const nonsens_data *data = s->w->data;
    nonsens_data placebo;
    double *to = s->difference[kind] + b * s->answers;
    rng r = rng_new((uint64_t)s->options.seed, RNG_REFUTE, (uint64_t)(KINDS * b + kind));
    if (kind == PLACEBO) {
        TRY(refute_placebo(ctx, scratch, data, &s->time, s->changed, &r, &placebo));
        return ask(ctx, scratch, s, &placebo, to);
    }
    TRY(refute_subset(ctx, scratch, data, &s->time, &r, &subset));
    s->ratio[b] = (double)data->n / (double)subset->n - 1.0;
    return ask(ctx, scratch, s, subset, to);
}

/* Runs one repetition; one that fails because of its data is left out. */
static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    refuting *s = state;
    int64_t kind = job % KINDS, b = job / KINDS;
    nonsens_status status = repeat(ctx, scratch, kind, b, s);
    if (status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC) {
        for (int64_t k = 0; k < s->answers; k++) {
            s->difference[kind][b * s->answers + k] = NAN;
        }
        return NONSENS_OK;
    }
    return status;
}

/* ---- what is asked ---------------------------------------------------------------------------------------------- */

static nonsens_status add_edges(nonsens_context *ctx, arena *a, refuting *s)
{
    const what_if *w = s->w;
    for (int64_t t = 0; t < w->targets; t++) {
        identify_result found;
        TRY(what_if_identify(ctx, a, w, w->target[t], &found));
        if (found.status == IDENTIFY_IDENTIFIED) {
            what_if_add_edges(w, &found.answer[0], s->edge);
        }
    }
    return NONSENS_OK;
}

static nonsens_status list_scenarios(nonsens_context *ctx, arena *a, refuting *s)
{
    const what_if *w = s->w;
    ARENA_TRY(ctx, a, s->scenario, w->points);
    for (int64_t p = 0; p < w->points; p++) {
        effect_change *change;
        ARENA_TRY(ctx, a, change, w->changes);
        for (int64_t k = 0; k < w->changes; k++) {
            change[k] = w->change[k];
            change[k].value = k == w->grid ? w->point[p] : change[k].value;
        }
        s->scenario[p] = (effect_scenario){w->changes, change, w->segment};
    }
    return NONSENS_OK;
}

static nonsens_status begin(nonsens_context *ctx, arena *a, const what_if *w, refuting *s)
{
    int64_t d = w->data->d;
    *s = (refuting){.w = w, .options = w->options, .repetitions = w->result->options.refute};
    s->answers = w->points * w->targets;
    s->options.draws = 0;
    TRY(time_blocks_new(ctx, a, w->data, w->options.block_length, &s->time));
    s->options.block_length = s->time.length;
    ARENA_TRY(ctx, a, s->edge, d * d);
    ARENA_TRY(ctx, a, s->changed, d);
    ARENA_TRY(ctx, a, s->ratio, s->repetitions);
    for (int kind = 0; kind < KINDS; kind++) {
        ARENA_TRY(ctx, a, s->difference[kind], s->repetitions * s->answers);
    }
    for (int64_t k = 0; k < w->changes; k++) {
        s->changed[w->change[k].variable] = true;
    }
    TRY(list_scenarios(ctx, a, s));
    return add_edges(ctx, a, s);
}

/* ---- verdicts --------------------------------------------------------------------------------------------------- */

static nonsens_refutation refutation_of(const refuting *s, const refute_verdict *v)
{
    double alpha = 1.0 - s->options.level;
    return (nonsens_refutation){v->repetitions, v->mean, v->low, v->high, v->p_value, v->p_value >= alpha};
}

/* Judges answer number k by both refuters. */
static nonsens_status judge(nonsens_context *ctx, arena *scratch, const refuting *s, int64_t k, nonsens_effect *e)
{
    const nonsens_estimate *full = &e->difference.mean;
    double *value, *ratio;
    double error = (full->high - full->low) / (2.0 * special_normal_quantile(0.5 + 0.5 * s->options.level));
    ARENA_TRY(ctx, scratch, value, s->repetitions);
    ARENA_TRY(ctx, scratch, ratio, s->repetitions);
    for (int kind = 0; kind < KINDS; kind++) {
        refute_verdict v;
        int64_t count = 0;
        for (int64_t b = 0; b < s->repetitions; b++) {
            double one = s->difference[kind][b * s->answers + k];
            if (!isnan(one)) {
                ratio[count] = s->ratio[b];
                value[count++] = one;
            }
        }
        TRY(kind == PLACEBO
                ? refute_judge_placebo(ctx, count, value, error, &v)
                : refute_judge_subsets(ctx, count, value, ratio, full->value, error, s->w->options.draws, &v));
        *(kind == PLACEBO ? &e->placebo : &e->subsets) = refutation_of(s, &v);
    }
    return NONSENS_OK;
}

/* How many answers a refuter judged: those that it finds wrong, and those for which it had too few rows. */
typedef struct tally {
    int64_t failed, untested;
} tally;

static void count_answer(const nonsens_refutation *r, tally *to)
{
    to->failed += !r->passes && !isnan(r->p_value);
    to->untested += isnan(r->p_value);
}

static nonsens_status note_tallies(nonsens_context *ctx, const what_if *w, const tally *of, int64_t judged)
{
    static const char *const MEANING[KINDS] = {
        "the engine finds an effect of a cause that has none. Do not rely on these answers.",
        "they depend on particular rows much more than their intervals say. Look for outliers, or for rows that depend "
        "on one "
        "another (--block-length)."};
    static const char *const NAME[KINDS] = {"the placebo cause", "random subsets"};
    for (int kind = 0; kind < KINDS; kind++) {
        int64_t failed = of[kind].failed, untested = of[kind].untested;
        TRY(failed == 0
                ? NONSENS_OK
                : result_note(ctx, w->result, NONSENS_NOTE_PROBLEM, "%" PRId64 " of %" PRId64 " answers %s %s: %s",
                              failed, judged, failed == 1 ? "fails" : "fail", NAME[kind], MEANING[kind]));
        TRY(untested == 0 ? NONSENS_OK
                          : result_note(ctx, w->result, NONSENS_NOTE_CAUTION,
                                        "%" PRId64 " of %" PRId64 " answers could not be tested by %s: too few "
                                        "rows, or fewer than two repetitions gave an answer.",
                                        untested, judged, NAME[kind]));
    }
    return NONSENS_OK;
}

static nonsens_status judge_all(nonsens_context *ctx, arena *scratch, const refuting *s)
{
    const what_if *w = s->w;
    result_effects *all = &w->result->effects;
    int64_t count = all->effects / w->targets, stretches = count / w->points, judged = 0;
    tally of[KINDS] = {{0}};
    for (int64_t t = 0; t < w->targets; t++) {
        for (int64_t p = 0; p < w->points; p++) {
            nonsens_effect *e = &all->effect[t * count + p * stretches]; // the stretch of all rows, or of --in
            if (e->answered == NONSENS_ANSWERED_ONE) {
                TRY(judge(ctx, scratch, s, p * w->targets + t, e));
                count_answer(&e->placebo, &of[PLACEBO]);
                count_answer(&e->subsets, &of[SUBSETS]);
                judged++;
            }
        }
    }
    return note_tallies(ctx, w, of, judged);
}

/* Returns whether any answer can be tested. */
static bool has_answer(const result_effects *all)
{
    bool found = false;
    for (int64_t k = 0; k < all->effects; k++) {
        found = found || all->effect[k].answered == NONSENS_ANSWERED_ONE;
    }
    return found;
}

nonsens_status what_if_refute(nonsens_context *ctx, const what_if *w)
{
    SCOPED_ARENA(scratch);
    refuting s;
    if (!has_answer(&w->result->effects)) {
        return NONSENS_OK;
    }
    TRY(begin(ctx, &scratch, w, &s));
    TRY(parallel_for(ctx, s.options.threads, KINDS * s.repetitions, "refuters", run_job, &s));
    return judge_all(ctx, &scratch, &s);
}
