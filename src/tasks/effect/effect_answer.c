/* effect_answer.c - statistics of variables under actions, by the full fit and by bootstrap samples. */
#include "base/parallel.h"
#include "math/sort.h"
#include "tasks/effect/effect_internal.h"

#include <math.h>
#include <string.h>

enum { NOW, THEN, TIMES };

/* The values of one target, now or under one action, in the rows of an ask. */
typedef struct series {
    const double *value; /* (rows) in the rows of the ask */
    int32_t *order;      /* (rows) ascending by value; NULL: quantiles are not wanted */
} series;

typedef struct asking {
    const effect_model *model;
    int64_t asks, outcomes;
    const effect_ask *ask;
    const int64_t *outcome;
    bool quantiles;
    bool *wanted;    /* (d) nodes that some ask affects */
    effect_fit full; /* fit of all rows */
    double **then;   /* (asks * outcomes) values under the action; NULL: the action does not affect the target */
    series *series;  /* (asks * outcomes * TIMES) */
    effect_statistics *out;
} asking;

int64_t effect_statistics_at(const effect_statistics *s, int64_t ask, int64_t target, int then)
{
    return ((ask * s->outcomes + target) * TIMES + then) * EFFECT_STATISTICS;
}

static int64_t statistics_size(const effect_statistics *s)
{
    return s->asks * s->outcomes * TIMES * EFFECT_STATISTICS;
}

/* Finds the rows of an ask: from .. to - 1. */
static void rows_of(const effect_model *m, const effect_ask *ask, int64_t *from, int64_t *to)
{
    bool all = ask->segment == EFFECT_ALL_SEGMENTS;
    *from = all ? 0 : m->data->start[ask->segment];
    *to = all ? m->n : m->data->start[ask->segment + 1];
}

/* ---- summaries ----------------------------------------------------------------------------------------------------
 */

/* Computes the mean and, with an order, the quantiles of values that occur count times (NULL: once). */
static void summarise(const series *s, int64_t rows, const double *count, double *out)
{
    double total = 0.0, sum = 0.0, passed = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        double c = count ? count[i] : 1.0;
        total += c;
        sum += c * s->value[i];
    }
    out[EFFECT_MEAN] = sum / total;
    for (int64_t i = 0, k = 0; s->order && i < rows && k < EFFECT_QUANTILES; i++) {
        int32_t row = s->order[i];
        passed += count ? count[row] : 1.0;
        for (; k < EFFECT_QUANTILES && passed >= EFFECT_QUANTILE[k] * total; k++) {
            out[1 + k] = s->value[row];
        }
    }
}

static nonsens_status make_series(nonsens_context *ctx, arena *a, const double *value, int64_t rows, bool quantiles,
                                  series *out)
{
    *out = (series){.value = value};
    if (quantiles) {
        SCOPED_ARENA(scratch);
        sort_entry *entry, *spare;
        ARENA_TRY(ctx, &scratch, entry, rows);
        ARENA_TRY(ctx, &scratch, spare, rows);
        ARENA_TRY(ctx, a, out->order, rows);
        sort_column(value, rows, entry, spare);
        for (int64_t i = 0; i < rows; i++) {
            out->order[i] = (int32_t)entry[i].row;
        }
    }
    return NONSENS_OK;
}

/* ---- the full fit -------------------------------------------------------------------------------------------------
 */

static nonsens_status predict_ask(nonsens_context *ctx, arena *scratch, int64_t k, void *state)
{
    asking *s = state;
    double *value;
    int64_t from, to;
    rows_of(s->model, &s->ask[k], &from, &to);
    ARENA_TRY(ctx, scratch, value, s->model->d);
    for (int64_t i = from; i < to; i++) {
        effect_predict(&s->full, &s->ask[k].action, i, value);
        for (int64_t t = 0; t < s->outcomes; t++) {
            if (s->then[k * s->outcomes + t]) {
                s->then[k * s->outcomes + t][i - from] = value[s->outcome[t]];
            }
        }
    }
    return check_cancelled(ctx);
}

/* Computes the values under all actions by the full fit, and their statistics; out: as effect_statistics.full. */
static nonsens_status predict_all(nonsens_context *ctx, asking *s, double *out)
{
    TRY(parallel_for(ctx, s->model->options.threads, s->asks, NULL, predict_ask, s));
    for (int64_t k = 0; k < s->asks * s->outcomes; k++) {
        SCOPED_ARENA(scratch);
        series then;
        int64_t from, to;
        rows_of(s->model, &s->ask[k / s->outcomes], &from, &to);
        if (s->then[k]) {
            TRY(make_series(ctx, &scratch, s->then[k], to - from, s->quantiles, &then));
            summarise(&then, to - from, NULL, out + (k * TIMES + THEN) * EFFECT_STATISTICS);
        }
    }
    return NONSENS_OK;
}

/* Computes statistics by mechanisms alone minus those by regressions alone; 0 for targets that are not affected. */
static nonsens_status find_apart(nonsens_context *ctx, arena *a, asking *s)
{
    int64_t size = statistics_size(s->out);
    double *by_regression;
    ARENA_TRY(ctx, a, by_regression, size);
    s->full.share = 1.0;
    TRY(predict_all(ctx, s, s->out->apart));
    s->full.share = 0.0;
    TRY(predict_all(ctx, s, by_regression));
    for (int64_t i = 0; i < size; i++) {
        s->out->apart[i] -= by_regression[i];
    }
    s->full.share = EFFECT_SHARE;
    return NONSENS_OK;
}

/* Fills the statistics of the full fit. */
static nonsens_status ask_full(nonsens_context *ctx, arena *a, asking *s)
{
    const effect_model *m = s->model;
    int64_t *row, from, to;
    ARENA_TRY(ctx, a, row, m->n);
    for (int64_t i = 0; i < m->n; i++) {
        row[i] = i;
    }
    TRY(effect_full_fit(ctx, a, m, s->wanted, m->n, row, &s->full));
    ARENA_TRY(ctx, a, s->then, s->asks * s->outcomes);
    ARENA_TRY(ctx, a, s->series, s->asks * s->outcomes * TIMES);
    for (int64_t k = 0; k < s->asks * s->outcomes; k++) {
        const effect_ask *ask = &s->ask[k / s->outcomes];
        rows_of(m, ask, &from, &to);
        if (ask->action.affected[s->outcome[k % s->outcomes]]) {
            ARENA_TRY(ctx, a, s->then[k], to - from);
        }
    }
    TRY(s->out->draws > 0 ? find_apart(ctx, a, s) : NONSENS_OK);
    TRY(parallel_for(ctx, m->options.threads, s->asks, NULL, predict_ask, s));
    for (int64_t k = 0; k < s->asks * s->outcomes; k++) {
        series *own = &s->series[k * TIMES];
        rows_of(m, &s->ask[k / s->outcomes], &from, &to);
        TRY(make_series(ctx, a, m->x[s->outcome[k % s->outcomes]] + from, to - from, s->quantiles, &own[NOW]));
        own[THEN] = own[NOW];
        TRY(s->then[k] ? make_series(ctx, a, s->then[k], to - from, s->quantiles, &own[THEN]) : NONSENS_OK);
        for (int time = 0; time < TIMES; time++) {
            summarise(&own[time], to - from, NULL, s->out->full + (k * TIMES + time) * EFFECT_STATISTICS);
        }
    }
    return NONSENS_OK;
}

/* ---- bootstrap samples --------------------------------------------------------------------------------------------
 */

/* A bootstrap sample, and the rows that it recomputes. */
typedef struct redrawn {
    const double *count; /* (n) how often each row of the data occurs */
    effect_fit fit;      /* fit to the sample, for the draw rows */
    int64_t first, rows; /* first and number of the ask's rows among the draw rows */
    double *weight;      /* (rows) */
    double *value;       /* (outcomes, rows) under the action */
    double *before;      /* (rows) the same by the full fit, for one target */
} redrawn;

/* Adds what the sample's fit changes: statistics of the draw rows by that fit, minus those by the full fit. */
static nonsens_status add_redrawn(nonsens_context *ctx, const asking *s, const redrawn *d, int64_t ask, int64_t target,
                                  double *out)
{
    SCOPED_ARENA(scratch);
    double by_draw[EFFECT_STATISTICS] = {0.0}, by_full[EFFECT_STATISTICS] = {0.0}, weight = 0.0;
    series of_draw, of_full;
    int64_t from, to;
    rows_of(s->model, &s->ask[ask], &from, &to);
    for (int64_t i = 0; i < d->rows; i++) {
        d->before[i] = s->then[ask * s->outcomes + target][d->fit.row[d->first + i] - from];
        weight += d->weight[i];
    }
    if (!(weight > 0.0)) {
        return NONSENS_OK;
    }
    TRY(make_series(ctx, &scratch, d->value + target * d->rows, d->rows, s->quantiles, &of_draw));
    TRY(make_series(ctx, &scratch, d->before, d->rows, s->quantiles, &of_full));
    summarise(&of_draw, d->rows, d->weight, by_draw);
    summarise(&of_full, d->rows, d->weight, by_full);
    for (int k = 0; k < (s->quantiles ? EFFECT_STATISTICS : 1); k++) {
        out[k] += by_draw[k] - by_full[k];
    }
    return NONSENS_OK;
}

static nonsens_status draw_ask(nonsens_context *ctx, arena *scratch, const asking *s, redrawn *d, int64_t k,
                               double *out)
{
    const effect_model *m = s->model;
    int64_t from, to;
    double *value;
    rows_of(m, &s->ask[k], &from, &to);
    for (d->first = 0; d->first < m->draw_rows && m->draw_row[d->first] < from; d->first++) {
    }
    for (d->rows = 0; d->first + d->rows < m->draw_rows && m->draw_row[d->first + d->rows] < to; d->rows++) {
    }
    ARENA_TRY(ctx, scratch, value, m->d);
    ARENA_TRY(ctx, scratch, d->weight, d->rows);
    ARENA_TRY(ctx, scratch, d->before, d->rows);
    ARENA_TRY(ctx, scratch, d->value, s->outcomes * d->rows);
    for (int64_t i = 0; i < d->rows; i++) {
        d->weight[i] = d->count[m->draw_row[d->first + i]];
        effect_predict(&d->fit, &s->ask[k].action, d->first + i, value);
        for (int64_t t = 0; t < s->outcomes; t++) {
            d->value[t * d->rows + i] = value[s->outcome[t]];
        }
    }
    for (int64_t t = 0; t < s->outcomes; t++) {
        for (int time = 0; time < TIMES; time++) {
            double *to_fill = out + ((k * s->outcomes + t) * TIMES + time) * EFFECT_STATISTICS;
            summarise(&s->series[(k * s->outcomes + t) * TIMES + time], to - from, d->count + from, to_fill);
            if (time == THEN && s->then[k * s->outcomes + t]) {
                TRY(add_redrawn(ctx, s, d, k, t, to_fill));
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status draw_sample(nonsens_context *ctx, arena *scratch, int64_t b, void *state)
{
    asking *s = state;
    const effect_model *m = s->model;
    redrawn d = {0};
    double *count;
    ARENA_TRY(ctx, scratch, count, m->n);
    TRY(effect_draw_counts(ctx, scratch, m, b, count));
    TRY(effect_draw_fit(ctx, scratch, m, b, s->wanted, count, m->draw_rows, m->draw_row, &d.fit));
    d.count = count;
    for (int64_t k = 0; k < s->asks; k++) {
        arena_mark mark = arena_tell(scratch);
        TRY(draw_ask(ctx, scratch, s, &d, k, s->out->drawn + b * statistics_size(s->out)));
        arena_rewind(scratch, mark);
    }
    return check_cancelled(ctx);
}

nonsens_status effect_ask_all(nonsens_context *ctx, arena *a, const effect_model *m, int64_t asks,
                              const effect_ask *ask, int64_t outcomes, const int64_t *outcome, bool quantiles,
                              effect_statistics *out)
{
    SCOPED_ARENA(scratch);
    asking s = {.model = m,
                .asks = asks,
                .outcomes = outcomes,
                .ask = ask,
                .outcome = outcome,
                .quantiles = quantiles,
                .out = out};
    *out = (effect_statistics){.asks = asks, .outcomes = outcomes, .draws = m->options.draws};
    ARENA_TRY(ctx, a, out->full, statistics_size(out));
    ARENA_TRY(ctx, a, out->apart, statistics_size(out));
    ARENA_TRY(ctx, a, out->drawn, statistics_size(out) * out->draws);
    ARENA_TRY(ctx, &scratch, s.wanted, m->d);
    for (int64_t k = 0; k < asks; k++) {
        for (int64_t j = 0; j < m->d; j++) {
            s.wanted[j] = s.wanted[j] || ask[k].action.affected[j];
        }
    }
    TRY(ask_full(ctx, &scratch, &s));
    return parallel_for(ctx, m->options.threads, out->draws, "bootstrap samples", draw_sample, &s);
}
