/* mechanism.c - prepares the B-splines of all variables, once, and sets up the terms of one model. */
#include "math/spline.h"
#include "mechanism/mechanism_internal.h"

#include <math.h>
#include <string.h>

enum { EFFECT_BASIS = 15, CAUSE_BASIS = 11, PAIR_BASIS = 7 };

static nonsens_status fill_effect(nonsens_context *ctx, arena *a, const mechanism_data *d, const double *warped,
                                  int64_t basis, mechanism_splines *out)
{
    ARENA_TRY(ctx, a, out->first, d->n);
    ARENA_TRY(ctx, a, out->value, MECHANISM_EFFECT_ORDER * d->n);
    ARENA_TRY(ctx, a, out->slope, MECHANISM_EFFECT_ORDER * d->n);
    for (int64_t i = 0; i < d->n; i++) {
        double *value = out->value + MECHANISM_EFFECT_ORDER * i, *slope = out->slope + MECHANISM_EFFECT_ORDER * i;
        out->first[i] = (int32_t)spline_quadratic(basis, warped[d->row[i]], value, slope);
    }
    return NONSENS_OK;
}

static nonsens_status fill_cause(nonsens_context *ctx, arena *a, const mechanism_data *d, const double *warped,
                                 int64_t basis, mechanism_splines *out)
{
    ARENA_TRY(ctx, a, out->first, d->n);
    ARENA_TRY(ctx, a, out->value, MECHANISM_CAUSE_ORDER * d->n);
    for (int64_t i = 0; i < d->n; i++) {
        out->first[i] = (int32_t)spline_linear(basis, warped[d->row[i]], out->value + MECHANISM_CAUSE_ORDER * i);
    }
    return NONSENS_OK;
}

/* Orders the rows fold by fold, otherwise in the data's order. */
static nonsens_status order_rows(nonsens_context *ctx, arena *a, const int64_t *start, const int32_t *fold,
                                 mechanism_data *d)
{
    int64_t at = 0;
    ARENA_TRY(ctx, a, d->block, d->folds + 1);
    ARENA_TRY(ctx, a, d->row, d->n);
    ARENA_TRY(ctx, a, d->segment, d->n);
    for (int64_t k = 0; k < d->folds; k++) {
        d->block[k] = at;
        for (int64_t e = 0; e < d->segments; e++) {
            for (int64_t i = start[e]; i < start[e + 1]; i++) {
                if (fold[i] == k) {
                    d->row[at] = i;
                    d->segment[at++] = (int32_t)e;
                }
            }
        }
    }
    d->block[d->folds] = at;
    return NONSENS_OK;
}

nonsens_status mechanism_data_new(nonsens_context *ctx, arena *a, int64_t d, const double *const *warped,
                                  int64_t segments, const int64_t *start, const int32_t *fold, int64_t folds,
                                  mechanism_data *out)
{
    *out = (mechanism_data){.n = start[segments],
                            .d = d,
                            .segments = segments,
                            .folds = folds,
                            .effect_basis = EFFECT_BASIS,
                            .cause_basis = CAUSE_BASIS,
                            .pair_basis = PAIR_BASIS};
    TRY(order_rows(ctx, a, start, fold, out));
    ARENA_TRY(ctx, a, out->effect, d);
    ARENA_TRY(ctx, a, out->cause, d);
    ARENA_TRY(ctx, a, out->pair, d);
    for (int64_t j = 0; j < d; j++) {
        TRY(fill_effect(ctx, a, out, warped[j], out->effect_basis, &out->effect[j]));
        TRY(fill_cause(ctx, a, out, warped[j], out->cause_basis, &out->cause[j]));
        TRY(fill_cause(ctx, a, out, warped[j], out->pair_basis, &out->pair[j]));
    }
    return NONSENS_OK;
}

static void add_term(mechanism_model *m, const mechanism_splines *left, int64_t rows, const mechanism_splines *right,
                     int64_t columns, bool has_slope, int64_t first, int64_t second)
{
    m->term[m->terms++] = (mechanism_term){left, right, has_slope, m->p, columns, rows, columns, {first, second}, 0.0};
    m->p += rows * columns;
}

void mechanism_smooth(mechanism_model *m, const double *smooth)
{
    memset(m->penalty, 0, (size_t)(m->p * m->p) * sizeof *m->penalty);
    for (int64_t t = 0; t < m->terms; t++) {
        mechanism_term *term = &m->term[t];
        double weight = term->weight = fmax(smooth[term->cause[0]], smooth[term->cause[1]]);
        for (int64_t a = 0; a < term->rows; a++) {
            spline_add_differences(2, weight, term->offset + a * term->stride, term->columns, 1, m->p, m->penalty);
        }
        for (int64_t b = 0; b < term->columns; b++) {
            spline_add_differences(2, weight, term->offset + b, term->rows, term->stride, m->p, m->penalty);
        }
        for (int64_t i = term->offset; i < term->offset + term->rows * term->columns; i++) {
            m->penalty[i * m->p + i] += MECHANISM_RIDGE * weight;
        }
    }
}

nonsens_status mechanism_new(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect, int64_t causes,
                             const int64_t *cause, mechanism_model *out)
{
    *out = (mechanism_model){.data = data};
    const mechanism_splines *y = &data->effect[effect];
    if (causes == 0) {
        add_term(out, y, data->effect_basis, NULL, 1, true, 0, 0);
    }
    for (int64_t i = 0; i < causes; i++) {
        add_term(out, y, data->effect_basis, &data->cause[cause[i]], data->cause_basis, true, i, i);
    }
    for (int64_t i = 0; i < causes; i++) {
        for (int64_t k = i + 1; k < causes; k++) {
            add_term(out, &data->pair[cause[i]], data->pair_basis, &data->pair[cause[k]], data->pair_basis, false, i,
                     k);
        }
    }
    out->size = out->p + 2 * data->segments;
    ARENA_TRY(ctx, a, out->penalty, out->p * out->p);
    return NONSENS_OK;
}

int64_t mechanism_size(const mechanism_data *data, int64_t causes)
{
    int64_t own = causes == 0 ? data->effect_basis : causes * data->effect_basis * data->cause_basis;
    return own + causes * (causes - 1) / 2 * data->pair_basis * data->pair_basis + 2 * data->segments;
}
