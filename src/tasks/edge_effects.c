/* edge_effects.c - see edge_effects.h. */
#include "tasks/edge_effects.h"

#include "base/parallel.h"
#include "classifier/sample.h"
#include "data/time_blocks.h"
#include "math/sort.h"
#include "math/special.h"
#include "mechanism/curve.h"
#include "tasks/edge_regress.h"

#include <math.h>
#include <string.h>

enum {
    MAX_ROWS = 20000,   /* of a regression */
    MIN_ROWS = 30,      /* of a regression, which also needs */
    ROWS_PER_CAUSE = 10 /* rows for each cause */
};
static const double LEVEL = 0.95;

/* A variable that is an end of an edge with an effect. */
typedef struct edge_variable {
    bool wanted;
    double *x, *warped;           /* (n) values in the rows that count, in canonical sign */
    int64_t seen;                 /* how many of these rows have a value */
    double *seen_x, *seen_warped; /* (seen) the values that are not missing; x and warped if none is missing */
    mechanism_scale scale;
    double lower, upper, median, ends[2]; /* user's sign: ends of the step; middle and ends of curves */
} edge_variable;

typedef struct edge_effects {
    const nonsens_data *data;
    nonsens_result *result;
    arena *memory;
    int64_t n, *row;  /* rows of the data that count */
    int32_t *segment; /* (n) */
    int32_t *block;   /* (n) or NULL */
    time_blocks time;
    int64_t *place;          /* (d) canonical rank of the user's column */
    bool *settled;           /* (d) the variable has causes, and the graph leaves none of them open */
    edge_variable *variable; /* (d) */
} edge_effects;

/* ---- what is asked ---------------------------------------------------------------------------------------------- */

static bool has_effect(const edge_effects *s, const nonsens_edge *e)
{
    return e->type == NONSENS_EDGE_DIRECTED && s->settled[e->to];
}

/* Finds the variables whose causes are settled; returns whether there are any. */
static bool find_settled(edge_effects *s)
{
    const nonsens_result *r = s->result;
    bool any = false;
    for (int64_t k = 0; k < r->edges; k++) {
        s->settled[r->edge[k].to] = true;
    }
    for (int64_t k = 0; k < r->edges; k++) {
        const nonsens_edge *e = &r->edge[k];
        bool is_arrow = e->type == NONSENS_EDGE_DIRECTED;
        if (!is_arrow || e->confounded || !isnan(e->weight)) {
            s->settled[e->to] = false;
        }
        if (!is_arrow) {
            s->settled[e->from] = false;
        }
    }
    for (int64_t k = 0; k < r->edges; k++) {
        if (has_effect(s, &r->edge[k])) {
            any = s->variable[r->edge[k].from].wanted = s->variable[r->edge[k].to].wanted = true;
        }
    }
    return any;
}

/* Chooses rows evenly; those of each segment are sorted by value. */
static nonsens_status choose_rows(nonsens_context *ctx, edge_effects *s)
{
    int64_t all = s->data->n, wanted = all < MAX_ROWS ? all : MAX_ROWS;
    ARENA_TRY(ctx, s->memory, s->row, wanted);
    ARENA_TRY(ctx, s->memory, s->segment, wanted);
    ARENA_TRY(ctx, s->memory, s->block, wanted);
    for (int64_t i = 0, sum = all / 2; i < all; i++) {
        sum += wanted;
        if (sum >= all) {
            sum -= all;
            s->segment[s->n] = s->data->segment[i];
            s->block[s->n] = s->time.block_of ? s->time.block_of[i] : 0;
            s->row[s->n++] = i;
        }
    }
    return NONSENS_OK;
}

/* ---- variables -------------------------------------------------------------------------------------------------- */

/* Finds the quantile at `percent` (at least 50) of sorted values (n), and the one as far from the other end. */
static void quantiles(int64_t n, const double *sorted, int percent, double sign, double *lower, double *upper)
{
    int64_t at = (n - 1) * percent / 100;
    double low = sorted[n - 1 - at], high = sorted[at];
    *lower = sign > 0.0 ? low : -high;
    *upper = sign > 0.0 ? high : -low;
}

/* Finds the step of a variable: quartiles or, if they are equal, quantiles further out. */
static nonsens_status describe(nonsens_context *ctx, const edge_effects *s, int64_t j, edge_variable *v)
{
    SCOPED_ARENA(scratch);
    int64_t n = 0;
    double *sorted, *value, sign = s->data->sign[j];
    ARENA_TRY(ctx, &scratch, value, s->data->n);
    for (int64_t i = 0; i < s->data->n; i++) {
        if (!dataset_is_gap(s->data, i, j)) {
            value[n++] = matrix_col(s->data->x, j)[i];
        }
    }
    TRY(sort_copy(ctx, &scratch, n, value, &sorted));
    quantiles(n, sorted, 75, sign, &v->lower, &v->upper);
    quantiles(n, sorted, 95, sign, &v->ends[0], &v->ends[1]);
    v->median = sign * (0.5 * sorted[(n - 1) / 2] + 0.5 * sorted[n / 2]);
    if (v->ends[0] == v->ends[1]) {
        quantiles(n, sorted, 100, sign, &v->ends[0], &v->ends[1]);
    }
    if (v->lower == v->upper) {
        v->lower = v->ends[0];
        v->upper = v->ends[1];
    }
    return NONSENS_OK;
}

static nonsens_status prepare_variable(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    const edge_effects *s = state;
    edge_variable *v = &s->variable[j];
    if (!v->wanted) {
        return NONSENS_OK;
    }
    v->seen = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!dataset_is_gap(s->data, s->row[i], j)) {
            v->seen_x[v->seen++] = matrix_col(s->data->x, j)[s->row[i]];
        }
    }
    TRY(sample_warp(ctx, scratch, v->seen, v->seen_x, v->seen_warped));
    for (int64_t i = 0, at = 0; v->x != v->seen_x && i < s->n; i++) {
        if (!dataset_is_gap(s->data, s->row[i], j)) {
            v->x[i] = v->seen_x[at];
            v->warped[i] = v->seen_warped[at++];
        }
    }
    return describe(ctx, s, j, v);
}

static nonsens_status prepare_variables(nonsens_context *ctx, edge_effects *s)
{
    int64_t d = s->data->d;
    for (int64_t j = 0; j < d; j++) {
        if (s->variable[j].wanted) {
            edge_variable *v = &s->variable[j];
            ARENA_TRY(ctx, s->memory, v->x, s->n);
            ARENA_TRY(ctx, s->memory, v->warped, s->n);
            v->seen_x = v->x;
            v->seen_warped = v->warped;
            if (s->data->gap) {
                ARENA_TRY(ctx, s->memory, v->seen_x, s->n);
                ARENA_TRY(ctx, s->memory, v->seen_warped, s->n);
            }
        }
    }
    TRY(parallel_for(ctx, (int)s->result->options.threads, d, NULL, prepare_variable, s));
    for (int64_t j = 0; j < d; j++) {
        edge_variable *v = &s->variable[j];
        TRY(v->wanted ? mechanism_scale_new(ctx, s->memory, v->seen, v->seen_x, v->seen_warped, &v->scale)
                      : NONSENS_OK);
    }
    return NONSENS_OK;
}

/* ---- one variable and its causes -------------------------------------------------------------------------------- */

/* Returns whether the effect has another mechanism in this segment than elsewhere. */
static bool differs(const edge_effects *s, int64_t effect, int64_t causes, const int64_t *cause, int32_t segment)
{
    const nonsens_result *r = s->result;
    for (int64_t k = 0; k < r->target_count; k++) {
        const nonsens_target *t = &r->target[k];
        if (t->variable < 0 || strcmp(t->segment, s->data->labels[segment]) != 0) {
            continue;
        }
        bool acts = false;
        for (int64_t i = 0; i < causes && t->kind == NONSENS_TARGET_ACTIVITY; i++) {
            acts = acts || cause[i] == t->variable;
        }
        if (acts || (t->variable == effect && t->kind != NONSENS_TARGET_ACTIVITY)) {
            return true;
        }
    }
    return false;
}

/* Gathers the rows in which an effect and its causes have values and the mechanism of the effect does not differ. */
static nonsens_status gather(nonsens_context *ctx, arena *a, const edge_effects *s, int64_t effect, int64_t causes,
                             const int64_t *cause, edge_rows *out)
{
    double **x, **warped, *y;
    int32_t *segment, *block;
    int64_t n = 0, *row;
    bool leaves_out = false;
    ARENA_TRY(ctx, a, x, causes);
    ARENA_TRY(ctx, a, warped, causes);
    ARENA_TRY(ctx, a, y, s->n);
    ARENA_TRY(ctx, a, segment, s->n);
    ARENA_TRY(ctx, a, block, s->n);
    ARENA_TRY(ctx, a, row, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        bool is_first = i == 0 || s->segment[i] != s->segment[i - 1];
        leaves_out = is_first ? s->data->segments > 0 && differs(s, effect, causes, cause, s->segment[i]) : leaves_out;
        bool has =
            dataset_row_has(s->data, s->row[i], 1, &effect) && dataset_row_has(s->data, s->row[i], causes, cause);
        if (!leaves_out && has) {
            y[n] = s->variable[effect].x[i];
            segment[n] = s->segment[i];
            block[n] = s->block[i];
            row[n++] = i;
        }
    }
    for (int64_t k = 0; k < causes; k++) {
        ARENA_TRY(ctx, a, x[k], n);
        ARENA_TRY(ctx, a, warped[k], n);
        for (int64_t i = 0; i < n; i++) {
            x[k][i] = s->variable[cause[k]].x[row[i]];
            warped[k][i] = s->variable[cause[k]].warped[row[i]];
        }
    }
    *out = (edge_rows){.n = n,
                       .causes = causes,
                       .segments = s->data->segments > 0 ? s->data->segments : 1,
                       .x = (const double *const *)x,
                       .warped = (const double *const *)warped,
                       .y = y,
                       .segment = segment,
                       .block = s->time.block_of ? block : NULL,
                       .blocks = s->time.count};
    return NONSENS_OK;
}

/* Converts a value from the user's sign to that of the regression. */
static edge_value value_of(const edge_effects *s, int64_t j, double value)
{
    double x = s->data->sign[j] * value;
    return (edge_value){x, mechanism_scale_warp(&s->variable[j].scale, x)};
}

static nonsens_status fill_edge(nonsens_context *ctx, arena *scratch, const edge_effects *s, const edge_regression *fit,
                                int64_t number, int64_t k)
{
    nonsens_edge *e = &s->result->edge[number];
    result_curve *curve = &s->result->curve[number];
    const edge_variable *v = &s->variable[e->from];
    double sign = s->data->sign[e->to], change, error;
    edge_value middle = value_of(s, e->from, v->median);
    TRY(edge_regress_change(ctx, scratch, fit, k, value_of(s, e->from, v->lower), value_of(s, e->from, v->upper),
                            &change, &error));
    if (!isfinite(change) || !isfinite(error)) {
        return NONSENS_OK;
    }
    double half = special_normal_quantile(0.5 + 0.5 * LEVEL) * error;
    e->effect = sign * change;
    e->effect_low = e->effect - half;
    e->effect_high = e->effect + half;
    e->lower = v->lower;
    e->upper = v->upper;
    for (int i = 0; i < RESULT_CURVE_POINTS; i++) {
        double along = (double)i / (RESULT_CURVE_POINTS - 1);
        curve->x[i] = (1.0 - along) * v->ends[0] + along * v->ends[1];
        TRY(edge_regress_change(ctx, scratch, fit, k, middle, value_of(s, e->from, curve->x[i]), &change, NULL));
        curve->y[i] = sign * change;
    }
    curve->is_known = true;
    return NONSENS_OK;
}

/* Fits one variable, the j-th in canonical order, and fills the edges that lead to it. */
static nonsens_status fit_variable(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    const edge_effects *s = state;
    const nonsens_result *r = s->result;
    int64_t effect = s->data->column_rank[j], causes = 0, cause[EDGE_MAX_CAUSES], number[EDGE_MAX_CAUSES];
    edge_rows rows;
    edge_regression fit;
    for (int64_t i = 0; i < r->edges; i++) {
        if (r->edge[i].to != effect || !has_effect(s, &r->edge[i])) {
            continue;
        }
        if (causes == EDGE_MAX_CAUSES) {
            return NONSENS_OK;
        }
        int64_t at = causes++; // in canonical order, because rounding of sums depends on the order
        for (; at > 0 && s->place[cause[at - 1]] > s->place[r->edge[i].from]; at--) {
            cause[at] = cause[at - 1];
            number[at] = number[at - 1];
        }
        cause[at] = r->edge[i].from;
        number[at] = i;
    }
    if (causes == 0) {
        return NONSENS_OK;
    }
    TRY(gather(ctx, scratch, s, effect, causes, cause, &rows));
    if (rows.n < MIN_ROWS || rows.n < ROWS_PER_CAUSE * causes) {
        return NONSENS_OK;
    }
    nonsens_status status = edge_regress_new(ctx, scratch, &rows, &fit);
    for (int64_t k = 0; status == NONSENS_OK && k < causes; k++) {
        status = fill_edge(ctx, scratch, s, &fit, number[k], k);
    }
    return status == NONSENS_ERR_NUMERIC ? NONSENS_OK : status; // the graph is valid without effects
}

nonsens_status edge_effects_fill(nonsens_context *ctx, const nonsens_data *data, nonsens_result *result)
{
    SCOPED_ARENA(memory);
    edge_effects s = {.data = data, .result = result, .memory = &memory};
    ARENA_TRY(ctx, &memory, s.settled, data->d);
    ARENA_TRY(ctx, &memory, s.variable, data->d);
    if (!find_settled(&s)) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &result->memory, result->curve, result->edges);
    TRY(dataset_column_places(ctx, &memory, data, &s.place));
    TRY(time_blocks_new(ctx, &memory, data, result->options.block_length, &s.time));
    TRY(choose_rows(ctx, &s));
    TRY(prepare_variables(ctx, &s));
    return parallel_for(ctx, (int)result->options.threads, data->d, NULL, fit_variable, &s);
}
