/*
 * fit.c - Newton's method on minus the penalised log likelihood of a mechanism, and the score of each row by a fit that
 * has not seen it.
 *
 * The fit without a fold is two Newton steps away from the fit of all rows, with the second derivatives of that less
 * the fold's own: with as few coefficients for as many rows, further steps change scores by less than they vary
 * (docs/many-variables.md).
 */
#include "math/linalg.h"
#include "mechanism/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60, MOST_HALVINGS = 14 };

static const double ENOUGH = 0.03; /* nats over all rows: the descent ends */
static const double LEAST_DAMPING = 1e-3, MOST_DAMPING = 1e6;
static const double SPREAD = 4.0;      /* T runs from minus this to this at the start */
static const double SUFFICIENT = 1e-4; /* of the decrease that the gradient promises */

typedef struct descent {
    mechanism_model model;
    double *theta, *trial, *gradient, *step; /* (size) */
    double *hessian, *factor;                /* (size, size) */
    double objective, damping;
} descent;

static double evaluate(const mechanism_model *m, const double *theta)
{
    double log_likelihood = mechanism_evaluate(m, theta, 0, m->data->n, NULL, NULL);
    return mechanism_penalise(m, theta, NULL, NULL) - log_likelihood;
}

/* T linear in y, the same for all causes; scales of the segments to match. */
static void set_start(descent *d, double *transform)
{
    const mechanism_model *m = &d->model;
    int64_t segments = m->data->segments;
    int64_t sloped = 0;
    double *scale = d->theta + m->p + segments, mean = 0.0;
    for (int64_t t = 0; t < m->terms; t++) {
        sloped += m->term[t].has_slope;
    }
    for (int64_t t = 0; t < sloped; t++) {
        const mechanism_term *term = &m->term[t];
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            double share = (double)(i / term->columns) / (double)(term->rows - 1);
            d->theta[term->offset + i] = SPREAD * (2.0 * share - 1.0) / (double)sloped;
        }
    }
    mechanism_evaluate(m, d->theta, 0, m->data->n, transform, NULL);
    for (int64_t i = 0; i < m->data->n; i++) {
        scale[m->data->segment[i]] += fabs(transform[i]);
        d->step[m->data->segment[i]] += 1.0;
    }
    for (int64_t e = 0; e < segments; e++) {
        scale[e] = log((scale[e] + 1.0) / (d->step[e] + 1.0));
        mean += scale[e] / (double)segments;
    }
    for (int64_t e = 0; e < segments; e++) {
        scale[e] -= mean;
    }
    for (int64_t i = 0; i < m->p; i++) {
        d->theta[i] *= exp(-mean);
    }
}

/* factor = Cholesky factor of hessian + damping * its diagonal, with as much damping as that takes. */
static nonsens_status factor_damped(nonsens_context *ctx, descent *d)
{
    int64_t k = d->model.size;
    for (;;) {
        memcpy(d->factor, d->hessian, (size_t)(k * k) * sizeof *d->factor);
        for (int64_t i = 0; i < k; i++) {
            d->factor[i * k + i] += d->damping * fabs(d->hessian[i * k + i]);
        }
        if (linalg_cholesky(ctx, k, d->factor) == NONSENS_OK) {
            return NONSENS_OK;
        }
        d->damping = fmax(LEAST_DAMPING, 4.0 * d->damping);
        if (d->damping > MOST_DAMPING) {
            return fail(ctx, NONSENS_ERR_NUMERIC,
                        "the likelihood of a mechanism has no curvature; look for variables "
                        "that are constant or copies of one another");
        }
    }
}

static void derive_all(descent *d)
{
    const mechanism_model *m = &d->model;
    memset(d->gradient, 0, (size_t)m->size * sizeof *d->gradient);
    memset(d->hessian, 0, (size_t)(m->size * m->size) * sizeof *d->hessian);
    mechanism_derive(m, d->theta, 0, m->data->n, d->gradient, d->hessian);
    mechanism_penalise(m, d->theta, d->gradient, d->hessian);
}

/* step = -factor^-1 gradient; returns half of what the gradient promises. */
static double solve_step(descent *d)
{
    int64_t k = d->model.size;
    for (int64_t i = 0; i < k; i++) {
        d->step[i] = -d->gradient[i];
    }
    linalg_solve_lower(false, k, 1, d->factor, k, d->step, k);
    double half = 0.5 * linalg_dot(k, d->step, d->step);
    linalg_solve_lower(true, k, 1, d->factor, k, d->step, k);
    return half;
}

/* Takes the longest of the steps 1, 1/2, 1/4, ... that lowers the objective enough; false where none does. */
static bool search_line(descent *d, double half)
{
    const mechanism_model *m = &d->model;
    double length = 1.0;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, length *= 0.5) {
        for (int64_t i = 0; i < m->size; i++) {
            d->trial[i] = d->theta[i] + length * d->step[i];
        }
        double objective = evaluate(m, d->trial);
        if (objective < d->objective - 2.0 * SUFFICIENT * length * half) {
            memcpy(d->theta, d->trial, (size_t)m->size * sizeof *d->theta);
            d->objective = objective;
            d->damping = length == 1.0 ? 0.2 * d->damping : fmax(LEAST_DAMPING, 2.0 * d->damping);
            d->damping = d->damping < 1e-6 ? 0.0 : d->damping;
            return true;
        }
    }
    return false;
}

static nonsens_status descend(nonsens_context *ctx, descent *d, int *steps)
{
    d->objective = evaluate(&d->model, d->theta);
    for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
        TRY(check_cancelled(ctx));
        derive_all(d);
        TRY(factor_damped(ctx, d));
        double half = solve_step(d);
        if (half < ENOUGH && d->damping < 1.0) {
            break;
        }
        if (!search_line(d, half)) {
            d->damping = fmax(LEAST_DAMPING, 8.0 * d->damping);
            if (d->damping > MOST_DAMPING) {
                break;
            }
        }
    }
    return NONSENS_OK;
}

/* ---- scores --------------------------------------------------------------------------------------------------- */

static void move(int64_t k, const double *from, const double *step, double *to)
{
    for (int64_t i = 0; i < k; i++) {
        to[i] = from[i] + step[i];
    }
}

/* d->theta is the fit of all rows, d->hessian its second derivatives. */
static nonsens_status score_fold(nonsens_context *ctx, descent *d, int64_t k, double *own, double *scores)
{
    const mechanism_model *m = &d->model;
    int64_t from = m->data->block[k], to = m->data->block[k + 1], size = m->size;
    memset(own, 0, (size_t)(size * size) * sizeof *own);
    memset(d->gradient, 0, (size_t)size * sizeof *d->gradient);
    mechanism_derive(m, d->theta, from, to, d->gradient, own);
    for (int64_t i = 0; i < size; i++) { // the whole gradient is zero: without the fold it is minus the fold's own
        d->gradient[i] = -d->gradient[i];
    }
    for (int64_t i = 0; i < size * size; i++) {
        own[i] = d->hessian[i] - own[i];
    }
    double *whole = d->hessian;
    d->hessian = own;
    d->damping = 0.0;
    nonsens_status status = factor_damped(ctx, d);
    d->hessian = whole;
    TRY(status);
    solve_step(d);
    move(size, d->theta, d->step, d->trial);
    mechanism_evaluate(m, d->trial, from, to, NULL, scores);
    return NONSENS_OK;
}

static nonsens_status allocate(nonsens_context *ctx, arena *scratch, descent *d)
{
    int64_t k = d->model.size;
    ARENA_TRY(ctx, scratch, d->theta, k);
    ARENA_TRY(ctx, scratch, d->trial, k);
    ARENA_TRY(ctx, scratch, d->gradient, k);
    ARENA_TRY(ctx, scratch, d->step, k > d->model.data->segments ? k : d->model.data->segments);
    ARENA_TRY(ctx, scratch, d->hessian, k * k);
    ARENA_TRY(ctx, scratch, d->factor, k * k);
    return NONSENS_OK;
}

/* Results go back to the data's order of rows. */
static void hand_over(const descent *d, const double *transform, const double *scores, mechanism_fit *out)
{
    const mechanism_data *data = d->model.data;
    out->total = 0.0;
    for (int64_t i = 0; i < data->n; i++) {
        if (out->disturbance) {
            out->disturbance[data->row[i]] = transform[i];
        }
        out->held_out[data->row[i]] = scores[i];
        out->total += scores[i];
    }
    for (int64_t e = 0; out->place && e < data->segments; e++) {
        out->place[e] = d->theta[d->model.p + e];
        out->scale[e] = d->theta[d->model.p + data->segments + e];
    }
}

nonsens_status mechanism_run(nonsens_context *ctx, arena *scratch, const mechanism_data *data, int64_t effect,
                             int64_t causes, const int64_t *cause, mechanism_fit *out)
{
    descent d = {0};
    double *transform, *scores, *own;
    TRY(mechanism_open(ctx, scratch, data, effect, causes, cause, &d.model));
    TRY(allocate(ctx, scratch, &d));
    ARENA_TRY(ctx, scratch, transform, data->n);
    ARENA_TRY(ctx, scratch, scores, data->n);
    set_start(&d, transform);
    TRY(descend(ctx, &d, &out->iterations));
    derive_all(&d);
    mechanism_evaluate(&d.model, d.theta, 0, data->n, transform, NULL);
    ARENA_TRY(ctx, scratch, own, d.model.size * d.model.size);
    for (int64_t k = 0; k < data->folds; k++) {
        TRY(score_fold(ctx, &d, k, own, scores));
    }
    hand_over(&d, transform, scores, out);
    return NONSENS_OK;
}
