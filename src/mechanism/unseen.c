/*
 * unseen.c - points away from the rows, at which a mechanism must rise as well.
 *
 * The likelihood says nothing about dT/dy away from the rows, and products of B-splines may fall there.  At every point
 * with dT/dy < s = UNSEEN_SLOPE, UNSEEN_WEIGHT ((s - dT/dy) / s)^2 / 2 is added to minus the log likelihood: it is
 * convex, and zero where T rises enough.
 */
#include "base/rng.h"
#include "math/spline.h"
#include "mechanism/mechanism_internal.h"

enum {
    EFFECT = MECHANISM_EFFECT_ORDER,
    CAUSE = MECHANISM_CAUSE_ORDER,
    MAX_USED = EFFECT + MECHANISM_MAX_CAUSES * EFFECT * CAUSE
};

static const double UNSEEN_SLOPE = 0.5;  /* T runs from about -4 to 4 */
static const double UNSEEN_WEIGHT = 1.0; /* in rows */

static nonsens_status fill_effects(nonsens_context *ctx, arena *a, int64_t points, const double *warped, int64_t basis,
                                   mechanism_splines *out)
{
    ARENA_TRY(ctx, a, out->first, points);
    ARENA_TRY(ctx, a, out->value, EFFECT * points);
    ARENA_TRY(ctx, a, out->slope, EFFECT * points);
    for (int64_t i = 0; i < points; i++) {
        out->first[i] = (int32_t)spline_quadratic(basis, warped[i], out->value + EFFECT * i, out->slope + EFFECT * i);
    }
    return NONSENS_OK;
}

nonsens_status mechanism_unseen_new(nonsens_context *ctx, arena *a, const mechanism_data *data,
                                    const double *const *warped, int64_t points, uint64_t seed, mechanism_unseen *out)
{
    SCOPED_ARENA(scratch);
    double *uniform;
    *out = (mechanism_unseen){.points = points};
    ARENA_TRY(ctx, &scratch, uniform, points);
    ARENA_TRY(ctx, a, out->alone, data->d);
    ARENA_TRY(ctx, a, out->effect, data->d);
    ARENA_TRY(ctx, a, out->cause, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        rng r = rng_new(seed, RNG_UNSEEN, (uint64_t)j);
        mechanism_splines *cause = &out->cause[j];
        for (int64_t i = 0; i < points; i++) {
            uniform[i] = rng_uniform(&r);
        }
        TRY(fill_effects(ctx, a, points, uniform, data->alone_basis, &out->alone[j]));
        TRY(fill_effects(ctx, a, points, uniform, data->effect_basis, &out->effect[j]));
        ARENA_TRY(ctx, a, cause->first, points);
        ARENA_TRY(ctx, a, cause->value, CAUSE * points);
        for (int64_t i = 0; i < points; i++) {
            double at = warped[j][rng_below(&r, (uint64_t)data->all)];
            cause->first[i] = (int32_t)spline_linear(data->cause_basis, at, cause->value + CAUSE * i);
        }
    }
    return NONSENS_OK;
}

/* Lists the coefficients on which dT/dy at a point depends, and their derivatives; returns how many. */
static int64_t list_slopes(const mechanism_model *m, int64_t i, int64_t *at, double *rise)
{
    int64_t count = 0;
    for (int64_t t = 0, product = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t];
        term_form form = term_form_of(term);
        if (form == FORM_ALONE) {
            for (int64_t a = 0; a < EFFECT; a++, count++) {
                at[count] = term->offset + m->unseen_alone->first[i] + a;
                rise[count] = m->unseen_alone->slope[EFFECT * i + a];
            }
        } else if (form == FORM_PRODUCT) {
            const mechanism_splines *y = m->unseen_effect, *x = m->unseen_cause[product++];
            for (int64_t a = 0; a < EFFECT; a++) {
                for (int64_t b = 0; b < CAUSE; b++, count++) {
                    at[count] = term->offset + (y->first[i] + a) * term->stride + x->first[i] + b;
                    rise[count] = y->slope[EFFECT * i + a] * x->value[CAUSE * i + b];
                }
            }
        }
    }
    return count;
}

/* Adds the second derivatives of a point; indices ascend. */
static void add_second(const mechanism_model *m, int64_t count, const int64_t *at, const double *rise, double *hessian)
{
    double weight = UNSEEN_WEIGHT / (UNSEEN_SLOPE * UNSEEN_SLOPE);
    for (int64_t j = 0; j < count; j++) {
        double *column = hessian + at[j] * m->ld;
        for (int64_t i = j; i < count; i++) {
            column[at[i]] += weight * rise[i] * rise[j];
        }
    }
}

double mechanism_unseen_penalise(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
{
    int64_t at[MAX_USED];
    double rise[MAX_USED], sum = 0.0;
    for (int64_t i = 0; m->unseen_effect && i < m->data->unseen->points; i++) {
        int64_t count = list_slopes(m, i, at, rise);
        double slope = 0.0;
        for (int64_t k = 0; k < count; k++) {
            slope += rise[k] * theta[at[k]];
        }
        double lack = (UNSEEN_SLOPE - slope) / UNSEEN_SLOPE;
        if (lack > 0.0) {
            sum += 0.5 * UNSEEN_WEIGHT * lack * lack;
            for (int64_t k = 0; gradient && k < count; k++) {
                gradient[at[k]] -= UNSEEN_WEIGHT * lack * rise[k] / UNSEEN_SLOPE;
            }
            if (hessian) {
                add_second(m, count, at, rise, hessian);
            }
        }
    }
    return sum;
}
