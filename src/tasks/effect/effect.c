/* effect.c - the questions of effect.h: checks and asks them, and turns statistics into answers in the user's units. */
#include "tasks/effect/effect.h"

#include "base/parallel.h"
#include "base/show.h"
#include "math/special.h"
#include "tasks/effect/effect_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- actions ------------------------------------------------------------------------------------------------------
 */

static nonsens_status check_change(nonsens_context *ctx, const effect_model *m, const effect_change *change,
                                   const bool *changed)
{
    char shown[SHOWN_BYTES];
    if (change->variable < 0 || change->variable >= m->d) {
        return fail(ctx, NONSENS_ERR_USAGE, "there is no variable number %" PRId64, change->variable);
    }
    const char *name = show_quoted(shown, m->data->names[change->variable]);
    if (!isfinite(change->value)) {
        return fail(ctx, NONSENS_ERR_USAGE, "the new value of %s is not a number", name);
    }
    if (changed[m->place[change->variable]]) {
        return fail(ctx, NONSENS_ERR_USAGE, "%s is changed twice; change it once", name);
    }
    return NONSENS_OK;
}

nonsens_status effect_action_new(nonsens_context *ctx, arena *a, const effect_model *m, int64_t changes,
                                 const effect_change *change, effect_action *out)
{
    bool *is_set, *affected, *changed;
    double *set_to, *shift;
    ARENA_TRY(ctx, a, is_set, m->d);
    ARENA_TRY(ctx, a, affected, m->d);
    ARENA_TRY(ctx, a, changed, m->d);
    ARENA_TRY(ctx, a, set_to, m->d);
    ARENA_TRY(ctx, a, shift, m->d);
    for (int64_t k = 0; k < changes; k++) {
        TRY(check_change(ctx, m, &change[k], changed));
        int64_t j = m->place[change[k].variable];
        changed[j] = true;
        is_set[j] = change[k].kind == EFFECT_SET;
        *(is_set[j] ? &set_to[j] : &shift[j]) = m->sign[j] * change[k].value;
        for (int64_t i = 0; i < m->d; i++) {
            affected[i] = affected[i] || m->reaches[j * m->d + i];
        }
    }
    *out = (effect_action){is_set, set_to, shift, affected};
    return NONSENS_OK;
}

/* ---- intervals ----------------------------------------------------------------------------------------------------
 */

/*
 * Returns how many times as large the variance is as that of the samples: blocks miss the dependence across their
 * borders (time_blocks.h), and k blocks that are drawn from the k of a segment have only (k - 1) / k of the variance.
 */
static double missed_by_blocks(const effect_model *m)
{
    const time_blocks *time = &m->scores.time;
    double blocks = (double)time->count, segments = (double)m->data->segments;
    return time->inflation * (blocks > segments ? blocks / (blocks - segments) : 1.0);
}

double effect_half_width_of_rows(const effect_model *m, const double *drawn, int64_t draws, int64_t step)
{
    double mean = 0.0, square = 0.0;
    if (draws < 2) {
        return NAN;
    }
    for (int64_t b = 0; b < draws; b++) {
        mean += drawn[b * step] / (double)draws;
    }
    for (int64_t b = 0; b < draws; b++) {
        square += (drawn[b * step] - mean) * (drawn[b * step] - mean) / (double)(draws - 1);
    }
    return special_normal_quantile(0.5 + 0.5 * m->options.level) * sqrt(missed_by_blocks(m) * square);
}

double effect_half_width(const effect_model *m, const double *drawn, int64_t draws, int64_t step, double apart)
{
    double error = special_normal_quantile(0.5 + 0.5 * m->options.level) * apart;
    return hypot(effect_half_width_of_rows(m, drawn, draws, step), error);
}

static effect_value value_with(double value, double half)
{
    return (effect_value){value, value - half, value + half};
}

/* ---- scenarios ----------------------------------------------------------------------------------------------------
 */

/* Returns the number of the statistic that is the user's statistic k, for a variable that may be mirrored. */
static int64_t statistic_of(double sign, int64_t k)
{
    return k == EFFECT_MEAN || sign > 0.0 ? k : 1 + EFFECT_QUANTILES - k;
}

static effect_value *field_of(effect_distribution *d, int64_t k)
{
    return k == EFFECT_MEAN ? &d->mean : &d->quantile[k - 1];
}

static void fill_answer(const effect_model *m, const effect_statistics *s, int64_t ask, int64_t target, double sign,
                        double *difference, effect_answer *out)
{
    int64_t now = effect_statistics_at(s, ask, target, 0), then = effect_statistics_at(s, ask, target, 1);
    int64_t size = s->asks * s->outcomes * 2 * EFFECT_STATISTICS;
    for (int64_t k = 0; k < EFFECT_STATISTICS; k++) {
        int64_t from = statistic_of(sign, k);
        double apart = s->apart[then + from], before = sign * s->full[now + from], after = sign * s->full[then + from];
        for (int64_t b = 0; b < s->draws; b++) {
            difference[b] = s->drawn[b * size + then + from] - s->drawn[b * size + now + from];
        }
        *field_of(&out->now, k) =
            value_with(before, effect_half_width_of_rows(m, s->drawn + now + from, s->draws, size));
        *field_of(&out->then, k) =
            value_with(after, effect_half_width(m, s->drawn + then + from, s->draws, size, apart));
        *field_of(&out->difference, k) =
            value_with(after - before, effect_half_width(m, difference, s->draws, 1, apart));
        if (!out->has_path) {
            *field_of(&out->then, k) = *field_of(&out->now, k);
            *field_of(&out->difference, k) = (effect_value){0.0, 0.0, 0.0};
        }
    }
}

nonsens_status effect_answer_scenarios(nonsens_context *ctx, const effect_model *m, int64_t scenarios,
                                       const effect_scenario *scenario, int64_t outcomes, const int64_t *outcome,
                                       effect_answer *answer)
{
    SCOPED_ARENA(scratch);
    effect_ask *ask;
    effect_statistics s;
    int64_t *target;
    double *difference;
    ARENA_TRY(ctx, &scratch, ask, scenarios);
    ARENA_TRY(ctx, &scratch, target, outcomes);
    ARENA_TRY(ctx, &scratch, difference, m->options.draws);
    for (int64_t k = 0; k < scenarios; k++) {
        ask[k].segment = scenario[k].segment;
        if (ask[k].segment < EFFECT_ALL_SEGMENTS || ask[k].segment >= m->data->segments) {
            return fail(ctx, NONSENS_ERR_USAGE, "there is no segment number %" PRId64, ask[k].segment);
        }
        TRY(effect_action_new(ctx, &scratch, m, scenario[k].changes, scenario[k].change, &ask[k].action));
    }
    for (int64_t t = 0; t < outcomes; t++) {
        if (outcome[t] < 0 || outcome[t] >= m->d) {
            return fail(ctx, NONSENS_ERR_USAGE, "there is no variable number %" PRId64, outcome[t]);
        }
        target[t] = m->place[outcome[t]];
    }
    TRY(effect_ask_all(ctx, &scratch, m, scenarios, ask, outcomes, target, true, &s));
    for (int64_t k = 0; k < scenarios; k++) {
        for (int64_t t = 0; t < outcomes; t++) {
            effect_answer *out = &answer[k * outcomes + t];
            out->has_path = ask[k].action.affected[target[t]];
            fill_answer(m, &s, k, t, m->sign[target[t]], difference, out);
        }
    }
    return NONSENS_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

typedef struct asked_rows {
    const effect_model *model;
    effect_action action;
    int64_t rows;
    const int64_t *row;
    double *drawn; /* (draws, rows, d) columns are nodes */
} asked_rows;

static void predict_rows(const asked_rows *s, const effect_fit *fit, double *value)
{
    for (int64_t i = 0; i < s->rows; i++) {
        effect_predict(fit, &s->action, i, value + i * s->model->d);
    }
}

static nonsens_status draw_rows(nonsens_context *ctx, arena *scratch, int64_t b, void *state)
{
    const asked_rows *s = state;
    effect_fit fit;
    double *count;
    ARENA_TRY(ctx, scratch, count, s->model->n);
    TRY(effect_draw_counts(ctx, scratch, s->model, b, count));
    TRY(effect_draw_fit(ctx, scratch, s->model, b, s->action.affected, count, s->rows, s->row, &fit));
    predict_rows(s, &fit, s->drawn + b * s->rows * s->model->d);
    return NONSENS_OK;
}

nonsens_status effect_rows(nonsens_context *ctx, const effect_model *m, const effect_scenario *scenario, int64_t rows,
                           const int64_t *row, double *value, double *low, double *high)
{
    SCOPED_ARENA(scratch);
    asked_rows s = {.model = m, .rows = rows, .row = row};
    effect_fit full;
    double *by_node, *apart, *by_regression;
    int64_t draws = low && high ? m->options.draws : 0;
    for (int64_t i = 0; i < rows; i++) {
        if (row[i] < 0 || row[i] >= m->n) {
            return fail(ctx, NONSENS_ERR_USAGE, "there is no row number %" PRId64, row[i]);
        }
    }
    TRY(effect_action_new(ctx, &scratch, m, scenario->changes, scenario->change, &s.action));
    TRY(effect_full_fit(ctx, &scratch, m, s.action.affected, rows, row, &full));
    ARENA_TRY(ctx, &scratch, by_node, rows * m->d);
    ARENA_TRY(ctx, &scratch, apart, rows * m->d);
    ARENA_TRY(ctx, &scratch, by_regression, rows * m->d);
    ARENA_TRY(ctx, &scratch, s.drawn, draws * rows * m->d);
    predict_rows(&s, &full, by_node);
    if (draws > 0) {
        full.share = 1.0;
        predict_rows(&s, &full, apart);
        full.share = 0.0;
        predict_rows(&s, &full, by_regression);
    }
    TRY(parallel_for(ctx, m->options.threads, draws, "bootstrap samples", draw_rows, &s));
    for (int64_t i = 0; i < rows * m->d; i++) {
        int64_t j = i % m->d, to = i - j + m->data->column_rank[j];
        value[to] = m->sign[j] * by_node[i];
        if (low && high) {
            double half = s.action.affected[j]
                              ? effect_half_width(m, s.drawn + i, draws, rows * m->d, apart[i] - by_regression[i])
                              : 0.0;
            low[to] = value[to] - half;
            high[to] = value[to] + half;
        }
    }
    return NONSENS_OK;
}
