/* effect_table.c - total and direct effects of all variables on one another. */
#include "math/sort.h"
#include "tasks/effect/effect_internal.h"

#include <math.h>
#include <string.h>

enum { UPPER, LOWER, ENDS };

/* One cell of the table: two asks and their target. */
typedef struct cell_asks {
    int64_t first; /* ask of the upper quartile; the lower one follows */
    int64_t target;
} cell_asks;

/* Computes the quartiles and the standard deviation of a node. */
static nonsens_status describe(nonsens_context *ctx, const effect_model *m, int64_t j, double quartile[ENDS],
                               double *sd)
{
    SCOPED_ARENA(scratch);
    double *sorted, mean = 0.0, square = 0.0;
    TRY(sort_copy(ctx, &scratch, m->n, m->x[j], &sorted));
    for (int64_t i = 0; i < m->n; i++) {
        mean += sorted[i] / (double)m->n;
    }
    for (int64_t i = 0; i < m->n; i++) {
        square += (sorted[i] - mean) * (sorted[i] - mean) / (double)m->n;
    }
    double at = 0.75 * (double)(m->n - 1);
    quartile[UPPER] = sorted[(int64_t)at];
    quartile[LOWER] = sorted[m->n - 1 - (int64_t)at];
    *sd = sqrt(square);
    return NONSENS_OK;
}

/* Makes the two asks for a cause; only: the only node that follows the cause, or -1 for all. */
static nonsens_status add_asks(nonsens_context *ctx, arena *a, const effect_model *m, int64_t cause, int64_t only,
                               const double *quartile, effect_ask *ask)
{
    for (int end = 0; end < ENDS; end++) {
        effect_change change = {m->data->column_rank[cause], EFFECT_SET, m->sign[cause] * quartile[end]};
        ask[end].segment = EFFECT_ALL_SEGMENTS;
        TRY(effect_action_new(ctx, a, m, 1, &change, &ask[end].action));
        if (only >= 0) {
            bool *affected;
            ARENA_TRY(ctx, a, affected, m->d);
            affected[cause] = affected[only] = true;
            ask[end].action.affected = affected;
        }
    }
    return NONSENS_OK;
}

/* Returns the difference between both quartiles, with its interval. */
static effect_value contrast(const effect_model *m, const effect_statistics *s, int64_t first, int64_t target,
                             double sign, double *drawn)
{
    int64_t upper = effect_statistics_at(s, first + UPPER, target, 1),
            lower = effect_statistics_at(s, first + LOWER, target, 1);
    int64_t size = s->asks * s->outcomes * 2 * EFFECT_STATISTICS;
    for (int64_t b = 0; b < s->draws; b++) {
        drawn[b] = s->drawn[b * size + upper] - s->drawn[b * size + lower];
    }
    double value = sign * (s->full[upper] - s->full[lower]), apart = s->apart[upper] - s->apart[lower];
    double half = effect_half_width(m, drawn, s->draws, 1, apart);
    return (effect_value){value, value - half, value + half};
}

static int64_t count_edges(const effect_model *m)
{
    int64_t edges = 0;
    for (int64_t j = 0; j < m->d; j++) {
        edges += m->node[j].causes;
    }
    return edges;
}

nonsens_status effect_table_new(nonsens_context *ctx, arena *a, const effect_model *m, effect_table *out)
{
    SCOPED_ARENA(scratch);
    int64_t d = m->d, asks = ENDS * (d + count_edges(m)), at = ENDS * d, *target;
    double *quartile, *drawn;
    effect_ask *ask;
    effect_statistics s;
    *out = (effect_table){.d = d};
    ARENA_TRY(ctx, a, out->lower, d);
    ARENA_TRY(ctx, a, out->upper, d);
    ARENA_TRY(ctx, a, out->sd, d);
    ARENA_TRY(ctx, a, out->total, d * d);
    ARENA_TRY(ctx, a, out->direct, d * d);
    ARENA_TRY(ctx, &scratch, quartile, ENDS * d);
    ARENA_TRY(ctx, &scratch, drawn, m->options.draws);
    ARENA_TRY(ctx, &scratch, ask, asks);
    ARENA_TRY(ctx, &scratch, target, d);
    for (int64_t j = 0; j < d; j++) {
        int64_t column = m->data->column_rank[j];
        double *q = quartile + ENDS * j, ends[ENDS];
        target[j] = j;
        TRY(describe(ctx, m, j, q, &out->sd[column]));
        if (m->sign[j] < 0.0) { // the user's upper quartile is the lower one of the mirrored values
            memcpy(ends, q, sizeof ends);
            q[UPPER] = ends[LOWER];
            q[LOWER] = ends[UPPER];
        }
        out->upper[column] = m->sign[j] * q[UPPER];
        out->lower[column] = m->sign[j] * q[LOWER];
        TRY(add_asks(ctx, &scratch, m, j, -1, q, ask + ENDS * j));
    }
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < m->node[j].causes; k++, at += ENDS) {
            TRY(add_asks(ctx, &scratch, m, m->node[j].cause[k], j, quartile + ENDS * m->node[j].cause[k], ask + at));
        }
    }
    TRY(effect_ask_all(ctx, &scratch, m, asks, ask, d, target, false, &s));
    at = ENDS * d;
    for (int64_t j = 0; j < d; j++) {
        int64_t effect = m->data->column_rank[j];
        for (int64_t i = 0; i < d; i++) {
            if (i != j && m->reaches[i * d + j]) {
                out->total[m->data->column_rank[i] * d + effect] = contrast(m, &s, ENDS * i, j, m->sign[j], drawn);
            }
        }
        for (int64_t k = 0; k < m->node[j].causes; k++, at += ENDS) {
            out->direct[m->data->column_rank[m->node[j].cause[k]] * d + effect] =
                contrast(m, &s, at, j, m->sign[j], drawn);
        }
    }
    return NONSENS_OK;
}
