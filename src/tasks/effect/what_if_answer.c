/* what_if_answer.c - answers questions with --do and --change: distributions of targets, and single rows. */
#include "base/number.h"
#include "data/labels.h"
#include "math/special.h"
#include "tasks/effect/what_if.h"
#include "tasks/identify/sensitivity.h"

#include <math.h>

enum { SHARE_DIGITS = 2 };

/* The scenarios of a question: (points, stretches), row by row; a stretch is all rows, or those of one segment. */
typedef struct scenarios {
    int64_t count, stretches; /* stretches: all rows, then each segment; or one: all rows, or the segment of --in */
    effect_scenario *scenario;
} scenarios;

/* One target, and what the graph says about it. */
typedef struct asked {
    int64_t target;
    identify_result found;
} asked;

typedef struct answering {
    const what_if *w;
    scenarios all;
    asked *asked; /* (targets) */
    what_if_support *support;
} answering;

static const nonsens_estimate UNKNOWN = {NAN, NAN, NAN};

/* ---- scenarios -------------------------------------------------------------------------------------------------- */

static nonsens_status list_scenarios(nonsens_context *ctx, arena *a, const what_if *w, scenarios *out)
{
    int64_t *order;
    bool each = w->segment == EFFECT_ALL_SEGMENTS && w->points == 1 && w->data->segments > 1;
    out->stretches = each ? 1 + w->data->segments : 1;
    out->count = w->points * out->stretches;
    ARENA_TRY(ctx, a, out->scenario, out->count);
    TRY(labels_order(ctx, a, w->data, &order));
    for (int64_t p = 0; p < w->points; p++) {
        effect_change *change;
        ARENA_TRY(ctx, a, change, w->changes);
        for (int64_t k = 0; k < w->changes; k++) {
            change[k] = w->change[k];
            change[k].value = k == w->grid ? w->point[p] : change[k].value;
        }
        for (int64_t e = 0; e < out->stretches; e++) {
            int64_t segment = e == 0 ? w->segment : order[e - 1];
            out->scenario[p * out->stretches + e] = (effect_scenario){w->changes, change, segment};
        }
    }
    return NONSENS_OK;
}

/* ---- from the engine's answers to the result's ------------------------------------------------------------------ */

static nonsens_estimate estimate_of(effect_value v)
{
    return (nonsens_estimate){v.value, v.low, v.high};
}

static nonsens_distribution distribution_of(const effect_distribution *d)
{
    nonsens_distribution out = {.mean = estimate_of(d->mean)};
    for (int q = 0; q < EFFECT_QUANTILES; q++) {
        out.quantile[q] = estimate_of(d->quantile[q]);
    }
    return out;
}

static nonsens_distribution unknown_distribution(void)
{
    nonsens_distribution out = {.mean = UNKNOWN};
    for (int q = 0; q < EFFECT_QUANTILES; q++) {
        out.quantile[q] = UNKNOWN;
    }
    return out;
}

/* Adds how strong a hidden common cause would have to be to explain the effect. */
static void add_robustness(const answering *x, const asked *q, nonsens_effect *e)
{
    const effect_options *o = &x->w->options;
    const nonsens_estimate *mean = &e->difference.mean;
    double width = 2.0 * special_normal_quantile(0.5 + 0.5 * o->level);
    double error = (mean->high - mean->low) / width, rows = (double)x->w->data->n;
    const identify_answer *answer = &q->found.answer[0];
    int64_t causes = answer->nodes > 0 ? answer->node[answer->nodes - 1].parents : 0;
    if (error > 0.0) {
        sensitivity s = sensitivity_of(mean->value / error, rows - (double)causes - 1.0, 1.0 - o->level);
        e->robustness = s.robustness;
        e->robustness_interval = s.robustness_interval;
    }
}

static nonsens_effect begin_effect(const answering *x, const asked *q, int64_t scenario)
{
    const what_if *w = x->w;
    int64_t segment = x->all.scenario[scenario].segment;
    return (nonsens_effect){.on = q->target,
                            .segment = segment == EFFECT_ALL_SEGMENTS ? NULL : w->data->labels[segment],
                            .at = w->grid >= 0 ? w->point[scenario / x->all.stretches] : NAN,
                            .now = unknown_distribution(),
                            .then = unknown_distribution(),
                            .difference = unknown_distribution(),
                            .least = NAN,
                            .most = NAN,
                            .support = NAN,
                            .robustness = NAN,
                            .robustness_interval = NAN,
                            .reason = q->found.reason,
                            .settle = q->found.settle};
}

/* If too few rows are supported, replaces the answer by a statement of that. */
static nonsens_status judge_support(nonsens_context *ctx, const answering *x, nonsens_effect *e)
{
    nonsens_result *r = x->w->result;
    char share[NUMBER_BYTES];
    if (!(e->support < WHAT_IF_MIN_SUPPORT) || r->options.extrapolate) {
        return NONSENS_OK;
    }
    e->answered = NONSENS_ANSWERED_NOT;
    e->then = e->difference = unknown_distribution();
    e->robustness = e->robustness_interval = e->least = e->most = NAN;
    e->reason = arena_format(ctx, &r->memory,
                             "Only %s %% of the rows would be like rows of the data, so the data do not answer this. "
                             "Ask for a smaller change, or add --extrapolate.",
                             number_print(share, 100.0 * e->support, SHARE_DIGITS));
    e->settle = arena_text(ctx, &r->memory, "Rows with such values together would answer it.");
    return e->reason && e->settle ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* Copies the texts of an answer into the result. */
static nonsens_status keep_texts(nonsens_context *ctx, const answering *x, nonsens_effect *e)
{
    arena *to = &x->w->result->memory;
    const char *settle = e->settle, *segment = e->segment;
    e->reason = arena_text(ctx, to, e->reason ? e->reason : "");
    e->settle = settle ? arena_text(ctx, to, settle) : NULL;
    e->segment = segment ? arena_text(ctx, to, segment) : NULL;
    return e->reason && !e->settle == !settle && !e->segment == !segment ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static nonsens_status new_model(nonsens_context *ctx, arena *a, const answering *x, const identify_answer *const *from,
                                int64_t count, effect_model **out)
{
    const what_if *w = x->w;
    bool *edge;
    ARENA_TRY(ctx, a, edge, w->data->d * w->data->d);
    for (int64_t k = 0; k < count; k++) {
        what_if_add_edges(w, from[k], edge);
    }
    return effect_model_new(ctx, w->data, edge, &w->options, out);
}

static void free_model(effect_model **model)
{
    effect_model_free(*model);
}

/* ---- targets with one answer ------------------------------------------------------------------------------------ */

static bool has_one_answer(const asked *q)
{
    return q->found.status == IDENTIFY_IDENTIFIED || q->found.status == IDENTIFY_NO_PATH;
}

static nonsens_status fill_one(nonsens_context *ctx, const answering *x, const effect_model *model, const asked *q,
                               int64_t scenario, const effect_answer *a, nonsens_effect *e)
{
    bool moves = q->found.status == IDENTIFY_IDENTIFIED;
    e->now = distribution_of(&a->now);
    if (q->found.status == IDENTIFY_REFUSED) {
        return NONSENS_OK;
    }
    e->answered = moves ? NONSENS_ANSWERED_ONE : NONSENS_ANSWERED_NO_PATH;
    e->then = distribution_of(&a->then);
    e->difference = distribution_of(&a->difference);
    if (moves) {
        TRY(what_if_support_share(ctx, x->support, model, &x->all.scenario[scenario], &q->found.answer[0],
                                  &e->support));
        add_robustness(x, q, e);
    }
    return judge_support(ctx, x, e);
}

/* Answers these targets, which share one model and its bootstrap samples; of refused ones, fills in only `now`. */
static nonsens_status answer_ones(nonsens_context *ctx, const answering *x)
{
    SCOPED_ARENA(scratch);
    SCOPED(free_model) effect_model *model = NULL;
    const what_if *w = x->w;
    const identify_answer **from;
    effect_answer *answer;
    int64_t *on, count = 0, with = 0;
    ARENA_TRY(ctx, &scratch, from, w->targets);
    ARENA_TRY(ctx, &scratch, on, w->targets);
    for (int64_t t = 0; t < w->targets; t++) {
        const asked *q = &x->asked[t];
        if (q->found.status != IDENTIFY_RANGE) { // refused targets, too: `now` needs no graph
            on[count++] = t;
            if (q->found.status == IDENTIFY_IDENTIFIED) {
                from[with++] = &q->found.answer[0];
            }
        }
    }
    if (count == 0) {
        return NONSENS_OK;
    }
    int64_t *target;
    ARENA_TRY(ctx, &scratch, target, count);
    ARENA_TRY(ctx, &scratch, answer, x->all.count * count);
    for (int64_t k = 0; k < count; k++) {
        target[k] = x->asked[on[k]].target;
    }
    TRY(new_model(ctx, &scratch, x, from, with, &model));
    TRY(effect_answer_scenarios(ctx, model, x->all.count, x->all.scenario, count, target, answer));
    for (int64_t k = 0; k < count; k++) {
        for (int64_t s = 0; s < x->all.count; s++) {
            nonsens_effect *e = &w->result->effects.effect[on[k] * x->all.count + s];
            TRY(fill_one(ctx, x, model, &x->asked[on[k]], s, &answer[s * count + k], e));
        }
    }
    return NONSENS_OK;
}

/* ---- targets with several answers ------------------------------------------------------------------------------- */

/* Widens a range by one more answer. */
static void widen(nonsens_effect *e, const effect_answer *a, bool first)
{
    const effect_value *then = &a->then.mean, *change = &a->difference.mean;
    double low = isnan(then->low) ? then->value : then->low, high = isnan(then->high) ? then->value : then->high;
    e->now = distribution_of(&a->now);
    e->then.mean.low = first ? low : fmin(e->then.mean.low, low);
    e->then.mean.high = first ? high : fmax(e->then.mean.high, high);
    low = isnan(change->low) ? change->value : change->low;
    high = isnan(change->high) ? change->value : change->high;
    e->difference.mean.low = first ? low : fmin(e->difference.mean.low, low);
    e->difference.mean.high = first ? high : fmax(e->difference.mean.high, high);
    e->least = first ? change->value : fmin(e->least, change->value);
    e->most = first ? change->value : fmax(e->most, change->value);
}

static nonsens_status answer_range(nonsens_context *ctx, const answering *x, const asked *q, nonsens_effect *effect)
{
    for (int64_t g = 0; g < q->found.answers; g++) {
        SCOPED_ARENA(scratch);
        SCOPED(free_model) effect_model *model = NULL;
        const identify_answer *from = &q->found.answer[g];
        effect_answer *answer;
        ARENA_TRY(ctx, &scratch, answer, x->all.count);
        TRY(new_model(ctx, &scratch, x, &from, 1, &model));
        TRY(effect_answer_scenarios(ctx, model, x->all.count, x->all.scenario, 1, &q->target, answer));
        for (int64_t s = 0; s < x->all.count; s++) {
            double share = 1.0;
            widen(&effect[s], &answer[s], g == 0);
            TRY(from->nodes == 0 ? NONSENS_OK
                                 : what_if_support_share(ctx, x->support, model, &x->all.scenario[s], from, &share));
            effect[s].support = g == 0 ? share : fmin(effect[s].support, share);
        }
    }
    for (int64_t s = 0; s < x->all.count; s++) {
        effect[s].answered = NONSENS_ANSWERED_RANGE;
        TRY(judge_support(ctx, x, &effect[s]));
    }
    return NONSENS_OK;
}

/* ---- all targets ------------------------------------------------------------------------------------------------ */

static nonsens_status begin_answers(nonsens_context *ctx, arena *a, const what_if *w, answering *x)
{
    nonsens_result *r = w->result;
    *x = (answering){.w = w};
    TRY(list_scenarios(ctx, a, w, &x->all));
    TRY(what_if_support_new(ctx, a, w->data, &x->support));
    ARENA_TRY(ctx, a, x->asked, w->targets);
    r->effects.effects = w->targets * x->all.count;
    ARENA_TRY(ctx, &r->memory, r->effects.effect, r->effects.effects);
    for (int64_t t = 0; t < w->targets; t++) {
        asked *q = &x->asked[t];
        q->target = w->target[t];
        TRY(what_if_identify(ctx, a, w, q->target, &q->found));
        for (int64_t s = 0; s < x->all.count; s++) {
            nonsens_effect *e = &r->effects.effect[t * x->all.count + s];
            *e = begin_effect(x, q, s);
            e->answered = NONSENS_ANSWERED_NOT;
            TRY(keep_texts(ctx, x, e));
        }
    }
    return NONSENS_OK;
}

/* Adds a caution if some rows are not supported by the data. */
static nonsens_status note_support(nonsens_context *ctx, const what_if *w)
{
    const nonsens_effect *weakest = NULL;
    char share[NUMBER_BYTES];
    for (int64_t k = 0; k < w->result->effects.effects; k++) {
        const nonsens_effect *e = &w->result->effects.effect[k];
        bool is_weak = e->support < WHAT_IF_FULL_SUPPORT && e->answered != NONSENS_ANSWERED_NOT;
        weakest = is_weak && (!weakest || e->support < weakest->support) ? e : weakest;
    }
    return weakest ? result_note(ctx, w->result, NONSENS_NOTE_CAUTION,
                                 "Down to %s %% of the rows would be like rows of the data. For the others the answer "
                                 "extrapolates the mechanisms to values without data.",
                                 number_print(share, 100.0 * weakest->support, SHARE_DIGITS))
                   : NONSENS_OK;
}

nonsens_status what_if_answer(nonsens_context *ctx, const what_if *w)
{
    SCOPED_ARENA(scratch);
    answering x;
    TRY(begin_answers(ctx, &scratch, w, &x));
    TRY(answer_ones(ctx, &x));
    for (int64_t t = 0; t < w->targets; t++) {
        if (x.asked[t].found.status == IDENTIFY_RANGE) {
            TRY(answer_range(ctx, &x, &x.asked[t], &w->result->effects.effect[t * x.all.count]));
        }
    }
    return note_support(ctx, w);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Fills in the rows of targets that have one answer; others stay unknown. */
static nonsens_status fill_rows(nonsens_context *ctx, arena *a, const answering *x, const effect_model *model)
{
    const what_if *w = x->w;
    int64_t d = w->data->d;
    double *value, *low, *high;
    ARENA_TRY(ctx, a, value, w->rows * d);
    ARENA_TRY(ctx, a, low, w->rows * d);
    ARENA_TRY(ctx, a, high, w->rows * d);
    TRY(effect_rows(ctx, model, &x->all.scenario[0], w->rows, w->row, value, low, high));
    for (int64_t k = 0; k < w->rows; k++) {
        for (int64_t t = 0; t < w->targets; t++) {
            nonsens_counterfactual *c = &w->result->effects.counterfactual[k * w->targets + t];
            int64_t at = k * d + c->variable;
            if (has_one_answer(&x->asked[t])) {
                c->then = (nonsens_estimate){value[at], low[at], high[at]};
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status what_if_rows(nonsens_context *ctx, const what_if *w)
{
    SCOPED_ARENA(scratch);
    SCOPED(free_model) effect_model *model = NULL;
    answering x;
    const identify_answer **from;
    int64_t with = 0;
    nonsens_result *r = w->result;
    TRY(begin_answers(ctx, &scratch, w, &x));
    r->effects.counterfactuals = w->rows * w->targets;
    ARENA_TRY(ctx, &r->memory, r->effects.counterfactual, r->effects.counterfactuals);
    for (int64_t k = 0; k < r->effects.counterfactuals; k++) {
        int64_t row = w->row[k / w->targets], j = w->target[k % w->targets];
        r->effects.counterfactual[k] = (nonsens_counterfactual){
            w->data->input_row[row], j, w->data->sign[j] * matrix_col(w->data->x, j)[row], UNKNOWN};
    }
    ARENA_TRY(ctx, &scratch, from, w->targets);
    for (int64_t t = 0; t < w->targets; t++) {
        if (x.asked[t].found.status == IDENTIFY_IDENTIFIED) {
            from[with++] = &x.asked[t].found.answer[0];
        } else if (!has_one_answer(&x.asked[t])) {
            TRY(result_note(ctx, r, NONSENS_NOTE_PROBLEM, "%s: %s", r->names[w->target[t]], x.asked[t].found.reason));
        }
    }
    TRY(new_model(ctx, &scratch, &x, from, with, &model));
    TRY(fill_rows(ctx, &scratch, &x, model));
    r->effects.effects = 0; // rows are the answer
    return NONSENS_OK;
}
