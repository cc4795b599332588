/* redraw.c - fits a mechanism again to bootstrap samples; see redraw.h. */
#include "mechanism/redraw.h"

#include "math/linalg.h"
#include "mechanism/rows_kernel.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 8 };
static const double ENOUGH = 0.05; /* half the squared decrement, in nats, below which a fit ends */
static const double MAX_DAMPING = 1e6;

/* ---- the full fit ------------------------------------------------------------------------------------------------ */

/* Factors the second derivatives, with as much damping as is needed. */
static nonsens_status factor(nonsens_context *ctx, const mechanism_weights *w, const double *hessian,
                             mechanism_redraw *out)
{
    const mechanism_model *m = &out->model;
    for (double damping = 0.0; damping <= MAX_DAMPING; damping = fmax(1e-6, 10.0 * damping)) {
        if (m->is_arrow) {
            if (mechanism_arrow_factor(ctx, m, hessian, w->crossing, damping, &out->arrow)) {
                return NONSENS_OK;
            }
            continue;
        }
        for (int64_t i = 0; i < m->size; i++) {
            memcpy(out->factor + i * m->size + i, hessian + i * m->size + i, (size_t)(m->size - i) * sizeof *hessian);
            out->factor[i * m->size + i] += damping * fabs(hessian[i * m->size + i]);
        }
        if (linalg_cholesky(ctx, m->size, out->factor) == NONSENS_OK) {
            return NONSENS_OK;
        }
    }
    return fail(ctx, NONSENS_ERR_NUMERIC, "the second derivatives of a mechanism are not positive definite");
}

nonsens_status mechanism_redraw_new(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect,
                                    int64_t causes, const int64_t *cause, const double *theta, const double *smooth,
                                    mechanism_redraw *out)
{
    SCOPED_ARENA(scratch);
    mechanism_point at;
    mechanism_weights weights;
    double *hessian, *gradient;
    TRY(mechanism_new(ctx, a, data, effect, causes, cause, &out->model));
    const mechanism_model *m = &out->model;
    mechanism_smooth(&out->model, smooth);
    TRY(mechanism_point_new(ctx, &scratch, m, &at));
    TRY(mechanism_weights_new(ctx, &scratch, m, NULL, &weights));
    ARENA_TRY(ctx, &scratch, hessian, mechanism_hessian_size(m));
    ARENA_TRY(ctx, &scratch, gradient, m->size);
    ARENA_TRY(ctx, a, out->theta, m->size);
    memcpy(out->theta, theta, (size_t)m->size * sizeof *theta);
    memcpy(at.theta, theta, (size_t)m->size * sizeof *theta);
    if (m->is_arrow) {
        TRY(mechanism_arrow_new(ctx, a, m, &out->arrow));
    } else {
        ARENA_TRY(ctx, a, out->factor, m->size * m->size);
    }
    mechanism_apply(m, &at);
    mechanism_clear(m, hessian);
    TRY(mechanism_derive(ctx, m, &at, 0, 0, &weights, gradient, hessian));
    mechanism_penalise(m, at.theta, gradient, hessian);
    return factor(ctx, &weights, hessian, out);
}

/* ---- one sample -------------------------------------------------------------------------------------------------- */

typedef struct redrawing {
    const mechanism_redraw *of;
    const double *count; /* (all) */
    mechanism_point at;
    mechanism_weights weights;      /* without what second derivatives need */
    double *pull;                   /* (size) P xi */
    double *gradient, *step, *away; /* (size) scratch */
    double *spare;                  /* (2 E) of an arrow */
} redrawing;

/* Adds a draw of N(0, P) to pull: every squared difference of the penalty contributes its own normal number. */
static void draw_pull(const mechanism_model *m, rng *r, double *pull)
{
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t];
        double *at = pull + term->offset, root = sqrt(term->weight), ridge = sqrt(mechanism_ridge(term->weight));
        for (int64_t a = 0; a < term->rows; a++) {
            for (int64_t b = 0; b < term->columns; b++) {
                int64_t i = a * term->stride + b;
                at[i] += ridge * rng_normal(r);
                double along[2] = {b + 2 < term->columns ? root * rng_normal(r) : 0.0,
                                   a + 2 < term->rows ? root * rng_normal(r) : 0.0};
                const int64_t step[2] = {1, term->stride};
                for (int k = 0; k < 2; k++) {
                    if (along[k] != 0.0) {
                        at[i] += along[k];
                        at[i + step[k]] -= 2.0 * along[k];
                        at[i + 2 * step[k]] += along[k];
                    }
                }
            }
        }
    }
}

/* Computes the gradient of the sample's objective at `at`. */
static void differentiate(redrawing *d)
{
    const mechanism_model *m = &d->of->model;
    const double *location = d->at.theta + m->p;
    int64_t segments = m->data->segments;
    memset(d->gradient, 0, (size_t)m->size * sizeof *d->gradient);
    mechanism_apply(m, &d->at);
    m->kernel->weigh_rows(m, &d->at, 0, m->data->n, &d->weights, d->gradient, NULL);
    memset(d->gradient, 0, (size_t)m->size * sizeof *d->gradient); // that of segments ignores counts
    for (int64_t i = 0; i < m->data->n; i++) {
        double count = d->count[m->data->row[i]];
        int32_t e = m->data->segment[i];
        d->weights.first[i] *= count;
        d->weights.slope_first[i] *= count;
        d->gradient[m->p + e] -= d->weights.first[i];
        d->gradient[m->p + segments + e] += count - d->weights.first[i] * (d->at.transform[i] - location[e]);
    }
    m->kernel->add_gradients(m, 0, m->data->n, &d->weights, d->gradient);
    mechanism_penalise(m, d->at.theta, d->gradient, NULL);
    for (int64_t i = 0; i < m->size; i++) {
        d->gradient[i] -= d->pull[i];
    }
}

/* Computes the step; returns half the squared Newton decrement. */
static double solve(redrawing *d)
{
    const mechanism_model *m = &d->of->model;
    memcpy(d->step, d->gradient, (size_t)m->size * sizeof *d->step);
    if (m->is_arrow) {
        mechanism_arrow_solve(m, &d->of->arrow, d->spare, d->step);
    } else {
        linalg_solve_lower(false, m->size, 1, d->of->factor, m->size, d->step, m->size);
        linalg_solve_lower(true, m->size, 1, d->of->factor, m->size, d->step, m->size);
    }
    return 0.5 * linalg_dot(m->size, d->gradient, d->step);
}

/* Takes steps until the gradient is small; a step after which it is larger is halved. */
static nonsens_status descend(nonsens_context *ctx, redrawing *d)
{
    int64_t size = d->of->model.size;
    double before = INFINITY, length = 1.0;
    for (int step = 0; step < MAX_STEPS; step++) {
        TRY(check_cancelled(ctx));
        differentiate(d);
        double half = solve(d);
        if (half < before) {
            before = half;
            memcpy(d->away, d->step, (size_t)size * sizeof *d->away);
        } else {
            length *= 0.5;
            for (int64_t i = 0; i < size; i++) { // go back half of the last step
                d->at.theta[i] += length * d->away[i];
            }
            continue;
        }
        if (half < ENOUGH) {
            break;
        }
        for (int64_t i = 0; i < size; i++) {
            d->at.theta[i] -= length * d->away[i];
        }
    }
    return NONSENS_OK;
}

nonsens_status mechanism_redraw_fit(nonsens_context *ctx, arena *scratch, const mechanism_redraw *redraw,
                                    const double *count, rng *r, double *theta)
{
    const mechanism_model *m = &redraw->model;
    arena_mark mark = arena_tell(scratch);
    redrawing d = {.of = redraw, .count = count};
    double **const of_rows[] = {&d.weights.first, &d.weights.second, &d.weights.mixed, &d.weights.slope_first,
                                &d.weights.slope_second};
    double **const of_size[] = {&d.pull, &d.gradient, &d.step, &d.away};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
        ARENA_TRY(ctx, scratch, *of_rows[k], m->data->n);
    }
    for (size_t k = 0; k < sizeof of_size / sizeof *of_size; k++) {
        ARENA_TRY(ctx, scratch, *of_size[k], m->size);
    }
    ARENA_TRY(ctx, scratch, d.spare, 2 * m->data->segments);
    TRY(mechanism_point_new(ctx, scratch, m, &d.at));
    memcpy(d.at.theta, redraw->theta, (size_t)m->size * sizeof *theta);
    if (r) {
        draw_pull(m, r, d.pull);
    }
    TRY(descend(ctx, &d));
    memcpy(theta, d.at.theta, (size_t)m->size * sizeof *theta);
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
