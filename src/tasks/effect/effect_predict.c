/*
 * effect_predict.c - recomputes rows: abduction, action, prediction (Pearl, "Causality", 2nd edition, 2009, section
 * 7.1).
 */
#include "tasks/effect/effect_internal.h"

#include <math.h>
#include <string.h>

enum { MECHANISM, REGRESSION };

static double clamp(const mechanism_scale *s, double value)
{
    return fmin(fmax(value, s->value[0]), s->value[s->count - 1]);
}

/* Values of the causes of a node, as they are and warped. */
typedef struct causes_at {
    double x[256], warped[256];
} causes_at;

static void gather_row(const effect_node *node, int64_t row, causes_at *at)
{
    for (int64_t k = 0; k < node->causes; k++) {
        at->x[k] = node->x[k][row];
        at->warped[k] = node->warped[k][row];
    }
}

static void gather_values(const effect_model *m, const effect_node *node, const double *value, causes_at *at)
{
    for (int64_t k = 0; k < node->causes; k++) {
        const mechanism_scale *scale = &m->scale[node->cause[k]];
        at->x[k] = clamp(scale, value[node->cause[k]]);
        at->warped[k] = mechanism_scale_warp(scale, value[node->cause[k]]);
    }
}

nonsens_status effect_abduct(nonsens_context *ctx, arena *a, const bool *wanted, effect_fit *fit)
{
    const effect_model *m = fit->model;
    ARENA_TRY(ctx, a, fit->disturbance[MECHANISM], m->d * fit->rows);
    ARENA_TRY(ctx, a, fit->disturbance[REGRESSION], m->d * fit->rows);
    for (int64_t j = 0; j < m->d; j++) {
        const effect_node *node = &m->node[j];
        for (int64_t i = 0; wanted[j] && node->causes > 0 && i < fit->rows; i++) {
            causes_at at;
            double location, scale;
            gather_row(node, fit->row[i], &at);
            if (node->has_curve) {
                mechanism_line line;
                mechanism_curve_fix(&fit->curve[j], at.warped, &line);
                fit->disturbance[MECHANISM][j * fit->rows + i] =
                    mechanism_line_value(&line, m->scores.parts.warped[j][fit->row[i]]);
            }
            effect_regress_at(&node->regression, fit->coefficient[j], at.x, at.warped, &location, &scale);
            fit->disturbance[REGRESSION][j * fit->rows + i] = (m->x[j][fit->row[i]] - location) / scale;
        }
    }
    return NONSENS_OK;
}

nonsens_status effect_full_fit(nonsens_context *ctx, arena *a, const effect_model *m, const bool *wanted, int64_t rows,
                               const int64_t *row, effect_fit *out)
{
    mechanism_curve *curve;
    const double **coefficient;
    ARENA_TRY(ctx, a, curve, m->d);
    ARENA_TRY(ctx, a, coefficient, m->d);
    for (int64_t j = 0; j < m->d; j++) {
        curve[j] = m->node[j].curve;
        coefficient[j] = m->node[j].regression.coefficient;
    }
    *out = (effect_fit){
        .model = m, .share = EFFECT_SHARE, .curve = curve, .coefficient = coefficient, .rows = rows, .row = row};
    return effect_abduct(ctx, a, wanted, out);
}

/* Returns the value of node j in row number i of the fit, with the row's disturbance and other values of its causes. */
static double predict_node(const effect_fit *fit, int64_t j, int64_t i, const double *value)
{
    const effect_model *m = fit->model;
    const effect_node *node = &m->node[j];
    double location, scale, sum = 0.0, share = node->has_curve ? fit->share : 0.0;
    causes_at at;
    gather_values(m, node, value, &at);
    if (share > 0.0) {
        mechanism_line line;
        mechanism_curve_fix(&fit->curve[j], at.warped, &line);
        double y = mechanism_line_inverse(&line, fit->disturbance[MECHANISM][j * fit->rows + i]);
        sum += share * mechanism_scale_value(&m->scale[j], y);
    }
    if (share < 1.0) {
        effect_regress_at(&node->regression, fit->coefficient[j], at.x, at.warped, &location, &scale);
        double y = location + scale * fit->disturbance[REGRESSION][j * fit->rows + i];
        sum += (1.0 - share) * clamp(&m->scale[j], y);
    }
    return sum;
}

static bool causes_differ(const effect_model *m, int64_t j, int64_t row, const double *value)
{
    const effect_node *node = &m->node[j];
    bool differ = false;
    for (int64_t k = 0; k < node->causes; k++) {
        differ = differ || value[node->cause[k]] != node->x[k][row];
    }
    return differ;
}

void effect_predict(const effect_fit *fit, const effect_action *action, int64_t i, double *value)
{
    const effect_model *m = fit->model;
    int64_t row = fit->row[i];
    for (int64_t j = 0; j < m->d; j++) {
        value[j] = m->x[j][row];
    }
    for (int64_t k = 0; k < m->d; k++) {
        int64_t j = m->order[k];
        if (!action->affected[j]) {
            continue;
        }
        if (action->is_set[j]) {
            value[j] = action->set_to[j];
            continue;
        }
        if (causes_differ(m, j, row, value)) {
            value[j] = predict_node(fit, j, i, value);
        }
        value[j] += action->shift[j];
    }
}
