/* mechanism.c - prepares the B-splines of all variables, once, and sets up the terms of one model. */
#include "math/spline.h"
#include "mechanism/rows_kernel.h"

#include <math.h>
#include <string.h>

/* Numbers of B-splines; few rows do not determine many coefficients (many-variables.md). */
typedef struct basis_sizes {
    int64_t alone, effect, main, cause, pair;
} basis_sizes;
enum { MANY_ROWS = 5000 };
static const basis_sizes FEW = {21, 11, 21, 8, 5}, MANY = {21, 13, 21, 9, 5}, OF_PAIR = {15, 15, 0, 11, 7};
static const double SMOOTHEST = 25.6, SMOOTHEST_OF_PAIR = 0.4;

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
                                  int threads, mechanism_data *out)
{
    const basis_sizes *basis = d == 2 ? &OF_PAIR : start[segments] < MANY_ROWS ? &FEW : &MANY;
    *out = (mechanism_data){.n = start[segments],
                            .all = start[segments],
                            .d = d,
                            .segments = segments,
                            .folds = folds,
                            .threads = threads,
                            .separate = d != 2,
                            .smoothest = d == 2 ? SMOOTHEST_OF_PAIR : SMOOTHEST,
                            .alone_basis = basis->alone,
                            .effect_basis = basis->effect,
                            .main_basis = basis->main,
                            .cause_basis = basis->cause,
                            .pair_basis = basis->pair};
    TRY(order_rows(ctx, a, start, fold, out));
    ARENA_TRY(ctx, a, out->alone, d);
    ARENA_TRY(ctx, a, out->effect, d);
    ARENA_TRY(ctx, a, out->main, d);
    ARENA_TRY(ctx, a, out->cause, d);
    ARENA_TRY(ctx, a, out->pair, d);
    for (int64_t j = 0; j < d; j++) {
        TRY(fill_effect(ctx, a, out, warped[j], out->alone_basis, &out->alone[j]));
        TRY(fill_effect(ctx, a, out, warped[j], out->effect_basis, &out->effect[j]));
        if (out->separate) {
            TRY(fill_cause(ctx, a, out, warped[j], out->main_basis, &out->main[j]));
        }
        TRY(fill_cause(ctx, a, out, warped[j], out->cause_basis, &out->cause[j]));
        TRY(fill_cause(ctx, a, out, warped[j], out->pair_basis, &out->pair[j]));
    }
    return NONSENS_OK;
}

/* ---- some of the segments -------------------------------------------------------------------------------------- */

/* Lists the indices of kept rows, kept (n), in place (n), and renumbers rows, folds and segments of *out. */
static nonsens_status restrict_rows(nonsens_context *ctx, arena *a, const mechanism_data *data, const bool *kept,
                                    const int64_t *number, int64_t *place, mechanism_data *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->n; i++) {
        count += kept[i];
    }
    ARENA_TRY(ctx, a, out->block, data->folds + 1);
    ARENA_TRY(ctx, a, out->row, count);
    ARENA_TRY(ctx, a, out->segment, count);
    out->n = 0;
    for (int64_t k = 0; k < data->folds; k++) {
        out->block[k] = out->n;
        for (int64_t i = data->block[k]; i < data->block[k + 1]; i++) {
            if (kept[i]) {
                out->row[out->n] = data->row[i];
                out->segment[out->n] = (int32_t)number[data->segment[i]];
                place[out->n++] = i;
            }
        }
    }
    out->block[data->folds] = out->n;
    return NONSENS_OK;
}

static nonsens_status restrict_splines(nonsens_context *ctx, arena *a, int64_t n, const int64_t *place, int64_t order,
                                       const mechanism_splines *from, mechanism_splines *to)
{
    ARENA_TRY(ctx, a, to->first, n);
    ARENA_TRY(ctx, a, to->value, order * n);
    if (from->slope) {
        ARENA_TRY(ctx, a, to->slope, order * n);
    }
    for (int64_t i = 0; i < n; i++) {
        size_t size = (size_t)order * sizeof(double);
        to->first[i] = from->first[place[i]];
        memcpy(to->value + order * i, from->value + order * place[i], size);
        if (from->slope) {
            memcpy(to->slope + order * i, from->slope + order * place[i], size);
        }
    }
    return NONSENS_OK;
}

nonsens_status mechanism_data_restrict(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect,
                                       const bool *keep, const double *warped, mechanism_data *out)
{
    SCOPED_ARENA(scratch);
    int64_t *place, *number;
    bool *kept; // (n)
    *out = *data;
    ARENA_TRY(ctx, &scratch, place, data->n);
    ARENA_TRY(ctx, &scratch, number, data->segments);
    ARENA_TRY(ctx, &scratch, kept, data->n);
    out->segments = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        number[e] = out->segments;
        out->segments += keep[e];
    }
    for (int64_t i = 0; i < data->n; i++) {
        kept[i] = keep[data->segment[i]];
    }
    TRY(restrict_rows(ctx, a, data, kept, number, place, out));
    mechanism_splines **to[] = {&out->alone, &out->effect, &out->main, &out->cause, &out->pair};
    mechanism_splines *const from[] = {data->alone, data->effect, data->main, data->cause, data->pair};
    for (int kind = 0; kind < 5; kind++) {
        bool of_effect = kind < 2;
        ARENA_TRY(ctx, a, *to[kind], data->d);
        for (int64_t j = 0; j < data->d; j++) {
            if (j == effect && of_effect && warped) {
                TRY(fill_effect(ctx, a, out, warped, kind == 0 ? data->alone_basis : data->effect_basis,
                                &(*to[kind])[j]));
            } else if ((j == effect) == of_effect && from[kind][j].first) {
                TRY(restrict_splines(ctx, a, out->n, place, of_effect ? MECHANISM_EFFECT_ORDER : MECHANISM_CAUSE_ORDER,
                                     &from[kind][j], &(*to[kind])[j]));
            }
        }
    }
    return NONSENS_OK;
}

/* Copies the B-splines of some variables, of an effect or of causes, at the kept rows. */
static nonsens_status keep_splines(nonsens_context *ctx, arena *a, const mechanism_data *out, const int64_t *place,
                                   int64_t order, int64_t count, const int64_t *variable, const mechanism_splines *from,
                                   mechanism_splines **to)
{
    ARENA_TRY(ctx, a, *to, out->d);
    for (int64_t k = 0; k < count; k++) {
        if (from[variable[k]].first) {
            TRY(restrict_splines(ctx, a, out->n, place, order, &from[variable[k]], &(*to)[variable[k]]));
        }
    }
    return NONSENS_OK;
}

nonsens_status mechanism_data_keep(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect,
                                   int64_t causes, const int64_t *cause, const bool *keep, mechanism_data *out)
{
    SCOPED_ARENA(scratch);
    int64_t *place, *number;
    bool *kept; // (n)
    *out = *data;
    ARENA_TRY(ctx, &scratch, place, data->n);
    ARENA_TRY(ctx, &scratch, number, data->segments);
    ARENA_TRY(ctx, &scratch, kept, data->n);
    for (int64_t e = 0; e < data->segments; e++) {
        number[e] = e;
    }
    for (int64_t i = 0; i < data->n; i++) {
        kept[i] = keep[data->row[i]];
    }
    TRY(restrict_rows(ctx, a, data, kept, number, place, out));
    TRY(keep_splines(ctx, a, out, place, MECHANISM_EFFECT_ORDER, 1, &effect, data->alone, &out->alone));
    TRY(keep_splines(ctx, a, out, place, MECHANISM_EFFECT_ORDER, 1, &effect, data->effect, &out->effect));
    TRY(keep_splines(ctx, a, out, place, MECHANISM_CAUSE_ORDER, causes, cause, data->main, &out->main));
    TRY(keep_splines(ctx, a, out, place, MECHANISM_CAUSE_ORDER, causes, cause, data->cause, &out->cause));
    return keep_splines(ctx, a, out, place, MECHANISM_CAUSE_ORDER, causes, cause, data->pair, &out->pair);
}

KERNELS(rows_kernel, rows);

/* ---- models ---------------------------------------------------------------------------------------------------- */

static void add_term(mechanism_model *m, const mechanism_splines *left, int64_t rows, const mechanism_splines *right,
                     int64_t columns, bool has_slope, int64_t first, int64_t second)
{
    m->term[m->terms++] = (mechanism_term){left, right, has_slope, m->p, columns, rows, columns, {first, second}, 0.0};
    m->p += rows * columns;
}

term_form term_form_of(const mechanism_term *t)
{
    if (t->has_slope) {
        return t->right ? FORM_PRODUCT : FORM_ALONE;
    }
    return t->right ? FORM_PAIR : FORM_MAIN;
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
            m->penalty[i * m->p + i] += mechanism_ridge(weight);
        }
    }
}

nonsens_status mechanism_new(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect, int64_t causes,
                             const int64_t *cause, mechanism_model *out)
{
    *out = (mechanism_model){.data = data, .kernel = instruction_set_choose(rows_kernels)};
    const mechanism_splines *y = &data->effect[effect];
    if (data->separate || causes == 0) {
        add_term(out, &data->alone[effect], data->alone_basis, NULL, 1, true, MECHANISM_ALONE, MECHANISM_ALONE);
    }
    for (int64_t i = 0; i < causes; i++) {
        add_term(out, y, data->effect_basis, &data->cause[cause[i]], data->cause_basis, true, i, i);
    }
    for (int64_t i = 0; data->separate && i < causes; i++) {
        add_term(out, &data->main[cause[i]], data->main_basis, NULL, 1, false, i, i);
    }
    for (int64_t i = 0; i < causes; i++) {
        for (int64_t k = i + 1; k < causes; k++) {
            add_term(out, &data->pair[cause[i]], data->pair_basis, &data->pair[cause[k]], data->pair_basis, false, i,
                     k);
        }
    }
    for (int64_t i = 0; data->unseen && i < causes; i++) {
        out->unseen_alone = data->separate ? &data->unseen->alone[effect] : NULL;
        out->unseen_effect = &data->unseen->effect[effect];
        out->unseen_cause[i] = &data->unseen->cause[cause[i]];
    }
    out->size = out->p + 2 * data->segments;
    out->is_arrow = data->segments > MECHANISM_DENSE;
    out->ld = out->is_arrow ? out->p : out->size;
    ARENA_TRY(ctx, a, out->penalty, out->p * out->p);
    return NONSENS_OK;
}

int64_t mechanism_size(const mechanism_data *data, int64_t causes)
{
    int64_t alone = data->separate || causes == 0 ? data->alone_basis : 0;
    int64_t own = alone + causes * (data->main_basis + data->effect_basis * data->cause_basis);
    return own + causes * (causes - 1) / 2 * data->pair_basis * data->pair_basis + 2 * data->segments;
}
