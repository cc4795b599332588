#include "segments/fit.h"

#include "base/parallel.h"
#include "math/envelope.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

static const double MOST_DAMPING = 1e8;
static const double TOLERANCE = 1e-4; /* of half the squared decrement, in nats over all rows */
enum { MOST_ITERATIONS = 200, MOST_FOLD_STEPS = 60 };

nonsens_status fit_new(nonsens_context *ctx, arena *a, const sample *data, shape s, const penalty *weight, fit *out)
{
    *out = (fit){.lambda = weight->all, .fold_lambda = weight->fold};
    TRY(model_build(ctx, a, data, s, &out->model));
    int64_t p = out->model.parameters;
    ARENA_TRY(ctx, a, out->theta, p);
    ARENA_TRY(ctx, a, out->fold_gradient, data->folds * p);
    ARENA_TRY(ctx, a, out->fold_fisher, data->folds * p * p);
    ARENA_TRY(ctx, a, out->fold_slope, data->folds * data->segments * data->basis * data->basis);
    for (int64_t e = 0; e < data->segments; e++) {
        out->theta[model_weight(&out->model, e, out->model.rank)] = log(data->share[e]);
    }
    return NONSENS_OK;
}

static int64_t slope_size(const fit *f)
{
    return f->model.data->segments * f->model.data->basis * f->model.data->basis;
}

/* ---- all rows ---- */

typedef struct pass {
    const fit *f;
    const double *theta;
    double *log_likelihood; /* (folds) */
} pass;

static nonsens_status pass_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const pass *s = state;
    int64_t p = s->f->model.parameters, slopes = slope_size(s->f);
    model_sums sums = {0, s->f->fold_gradient + fold * p, s->f->fold_fisher + fold * p * p,
                       s->f->fold_slope + fold * slopes};
    memset(sums.slope, 0, (size_t)slopes * sizeof(double));
    memset(sums.gradient, 0, (size_t)p * sizeof(double));
    memset(sums.fisher, 0, (size_t)(p * p) * sizeof(double));
    TRY(model_sum(ctx, scratch, &s->f->model, s->theta, fold, &sums));
    s->log_likelihood[fold] = sums.log_likelihood;
    return NONSENS_OK;
}

/* The state of the descent at one point: objective, its gradient and its Gauss-Newton matrix. */
typedef struct point {
    double *theta, *gradient, *hessian, *slope;
    double objective;
} point;

static nonsens_status point_new(nonsens_context *ctx, arena *a, const fit *f, point *out)
{
    int64_t p = f->model.parameters;
    ARENA_TRY(ctx, a, out->slope, slope_size(f));
    ARENA_TRY(ctx, a, out->theta, p);
    ARENA_TRY(ctx, a, out->gradient, p);
    ARENA_TRY(ctx, a, out->hessian, p * p);
    return NONSENS_OK;
}

static nonsens_status evaluate(nonsens_context *ctx, arena *scratch, int threads, fit *f, point *at)
{
    int64_t p = f->model.parameters, folds = f->model.data->folds;
    arena_mark mark = arena_tell(scratch);
    pass s = {f, at->theta, NULL};
    ARENA_TRY(ctx, scratch, s.log_likelihood, folds);
    TRY(parallel_for(ctx, threads, folds, NULL, pass_job, &s));
    memset(at->gradient, 0, (size_t)p * sizeof(double));
    memset(at->hessian, 0, (size_t)(p * p) * sizeof(double));
    memset(at->slope, 0, (size_t)slope_size(f) * sizeof(double));
    double sum = 0.0;
    for (int64_t k = 0; k < folds; k++) {
        sum += s.log_likelihood[k];
        for (int64_t i = 0; i < slope_size(f); i++) {
            at->slope[i] += f->fold_slope[k * slope_size(f) + i];
        }
        for (int64_t i = 0; i < p; i++) {
            const double *row = f->fold_fisher + (k * p + i) * p;
            at->gradient[i] -= f->fold_gradient[k * p + i];
            for (int64_t j = f->model.first[i]; j <= i; j++) {
                at->hessian[i * p + j] += row[j];
            }
        }
    }
    double cost;
    TRY(model_penalty(ctx, scratch, &f->model, at->theta, f->lambda, &cost, at->gradient, at->hessian, at->slope));
    TRY(model_pin(ctx, scratch, &f->model, at->theta, at->hessian));
    at->objective = cost - sum;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/*
 * The matrix of a step: Fisher's + share * (bilinear part) + damping diag.  Fisher's alone (share 0) is always positive
 * definite but can be far too stiff where the model does not hold; the whole second derivative (share 1) makes the last
 * steps quadratic but may be indefinite on the way.  Levels run from the whole to none, then by damping.
 */
static const double SHARE[] = {1.0, 0.9, 0.7, 0.4, 0.0};
enum { LAST_LEVEL = sizeof SHARE / sizeof *SHARE - 1 };

typedef struct trust {
    int level;
    double damping;
} trust;

static bool factor_once(const model *m, const double *hessian, const double *slope, double share, double damping,
                        double *factor)
{
    int64_t p = m->parameters;
    double mean = 0.0;
    for (int64_t i = 0; i < p; i++) {
        mean += hessian[i * p + i] / (double)p;
    }
    memcpy(factor, hessian, (size_t)(p * p) * sizeof *factor);
    for (int64_t i = 0; i < p; i++) {
        factor[i * p + i] += damping * (hessian[i * p + i] + 1e-3 * mean) + 1e-300;
    }
    if (share > 0.0) {
        model_add_bilinear(m, share, slope, factor);
    }
    return envelope_factor(p, m->first, factor);
}

/* The first level from the present one on that gives a positive definite matrix; false where none does. */
static bool factor_newton(const model *m, const double *hessian, const double *slope, trust *t, double *factor)
{
    for (; t->level < LAST_LEVEL; t->level++) {
        if (factor_once(m, hessian, slope, SHARE[t->level], t->damping, factor)) {
            return true;
        }
    }
    while (!factor_once(m, hessian, NULL, 0.0, t->damping, factor)) {
        t->damping *= 10.0;
        if (!(t->damping < MOST_DAMPING)) {
            return false;
        }
    }
    return true;
}

static nonsens_status no_step(nonsens_context *ctx)
{
    return fail(ctx, NONSENS_ERR_NUMERIC, "the segment classifier broke down: its second derivatives are not finite");
}

static void trust_less(trust *t)
{
    if (t->level < LAST_LEVEL) {
        t->level++;
    } else {
        t->damping *= 8.0;
    }
}

static void trust_more(trust *t)
{
    t->damping = fmax(0.03 * t->damping, 1e-9);
    if (t->level > 0 && t->damping < 1e-3) {
        t->level--;
    }
}

/* step = -(damped hessian)^-1 gradient; returns half the squared length of the gradient in that metric. */
static double newton_step(const model *m, const double *factor, const double *gradient, double *step)
{
    int64_t p = m->parameters;
    memcpy(step, gradient, (size_t)p * sizeof *step);
    envelope_forward(p, m->first, factor, step);
    double half = 0.5 * envelope_dot(p, step, step);
    envelope_backward(p, m->first, factor, step);
    for (int64_t i = 0; i < p; i++) {
        step[i] = -step[i];
    }
    return half;
}

nonsens_status fit_evaluate(nonsens_context *ctx, arena *scratch, int threads, fit *f)
{
    point at;
    TRY(point_new(ctx, scratch, f, &at));
    memcpy(at.theta, f->theta, (size_t)f->model.parameters * sizeof(double));
    TRY(evaluate(ctx, scratch, threads, f, &at));
    f->objective = at.objective;
    return NONSENS_OK;
}

static void swap_points(point *a, point *b)
{
    point c = *a;
    *a = *b;
    *b = c;
}

nonsens_status fit_all(nonsens_context *ctx, arena *scratch, int threads, fit *f)
{
    int64_t p = f->model.parameters;
    double *factor, *step;
    trust t = {LAST_LEVEL, 1e-3};
    point now, next;
    TRY(point_new(ctx, scratch, f, &now));
    TRY(point_new(ctx, scratch, f, &next));
    ARENA_TRY(ctx, scratch, factor, p * p);
    ARENA_TRY(ctx, scratch, step, p);
    memcpy(now.theta, f->theta, (size_t)p * sizeof(double));
    TRY(evaluate(ctx, scratch, threads, f, &now));
    bool folds_are_of_now = true;
    for (f->iterations = 0; f->iterations < MOST_ITERATIONS; f->iterations++) {
        if (!factor_newton(&f->model, now.hessian, now.slope, &t, factor)) {
            return no_step(ctx);
        }
        f->decrement = newton_step(&f->model, factor, now.gradient, step);
        f->converged = f->decrement < TOLERANCE && t.damping < 0.01;
        if (f->converged || t.damping > MOST_DAMPING) {
            break;
        }
        for (int64_t i = 0; i < p; i++) {
            next.theta[i] = now.theta[i] + step[i];
        }
        TRY(evaluate(ctx, scratch, threads, f, &next));
        double gain = now.objective - next.objective;
        if (!(gain > 0.0)) {
            trust_less(&t);
        } else {
            if (gain > 0.7 * f->decrement) {
                trust_more(&t);
            }
            swap_points(&now, &next);
        }
        folds_are_of_now = gain > 0.0;
    }
    if (!folds_are_of_now) {
        TRY(evaluate(ctx, scratch, threads, f, &now));
    }
    f->objective = now.objective;
    memcpy(f->theta, now.theta, (size_t)p * sizeof(double));
    return NONSENS_OK;
}

/* ---- one fold left out ---- */

/* A descent on the rows outside one fold. */
typedef struct fold_descent {
    fit *f;
    int64_t fold;
    point now, next;
    double *factor, *step;
    trust trust;
    bool stale; /* the matrix is of an earlier point */
} fold_descent;

static nonsens_status descent_new(nonsens_context *ctx, arena *a, fit *f, int64_t fold, fold_descent *d)
{
    int64_t p = f->model.parameters;
    *d = (fold_descent){.f = f, .fold = fold, .trust = {0, 1e-9}};
    TRY(point_new(ctx, a, f, &d->now));
    ARENA_TRY(ctx, a, d->next.theta, p);
    ARENA_TRY(ctx, a, d->next.gradient, p);
    ARENA_TRY(ctx, a, d->factor, p * p);
    ARENA_TRY(ctx, a, d->step, p);
    memcpy(d->now.theta, f->theta, (size_t)p * sizeof(double));
    return NONSENS_OK;
}

/* Objective and gradient at a point; with `second` also its second derivatives. */
static nonsens_status evaluate_fold(nonsens_context *ctx, arena *scratch, const fold_descent *d, point *at, bool second)
{
    const model *m = &d->f->model;
    int64_t p = m->parameters;
    arena_mark mark = arena_tell(scratch);
    double sum = 0.0, cost;
    memset(at->gradient, 0, (size_t)p * sizeof(double));
    if (second) {
        memset(at->hessian, 0, (size_t)(p * p) * sizeof(double));
        memset(at->slope, 0, (size_t)slope_size(d->f) * sizeof(double));
    }
    for (int64_t k = 0; k < m->data->folds; k++) {
        if (k != d->fold) {
            model_sums sums = {0, at->gradient, second ? at->hessian : NULL, second ? at->slope : NULL};
            TRY(model_sum(ctx, scratch, m, at->theta, k, &sums));
            sum += sums.log_likelihood;
        }
    }
    for (int64_t i = 0; i < p; i++) {
        at->gradient[i] = -at->gradient[i];
    }
    TRY(model_penalty(ctx, scratch, m, at->theta, d->f->fold_lambda[d->fold], &cost, at->gradient,
                      second ? at->hessian : NULL, second ? at->slope : NULL));
    if (second) {
        TRY(model_pin(ctx, scratch, m, at->theta, at->hessian));
    }
    at->objective = cost - sum;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static nonsens_status refresh(nonsens_context *ctx, arena *scratch, fold_descent *d)
{
    TRY(evaluate_fold(ctx, scratch, d, &d->now, true));
    d->stale = false;
    return factor_newton(&d->f->model, d->now.hessian, d->now.slope, &d->trust, d->factor) ? NONSENS_OK : no_step(ctx);
}

/* After a step that did not lower the objective: a matrix of this very point first, then more caution. */
static nonsens_status step_back(nonsens_context *ctx, arena *scratch, fold_descent *d)
{
    if (!d->stale) {
        trust_less(&d->trust);
    }
    return refresh(ctx, scratch, d);
}

/* Second derivatives at the fit of all rows, without the rows of one or two folds. */
static nonsens_status matrix_without(nonsens_context *ctx, arena *scratch, const fit *f, double lambda, int64_t fold,
                                     int64_t other, point *at)
{
    const model *m = &f->model;
    int64_t p = m->parameters, slopes = slope_size(f);
    double cost;
    for (int64_t k = 0; k < m->data->folds; k++) {
        const double *fisher = f->fold_fisher + k * p * p;
        if (k == fold || k == other) {
            continue;
        }
        for (int64_t i = 0; i < slopes; i++) {
            at->slope[i] += f->fold_slope[k * slopes + i];
        }
        for (int64_t i = 0; i < p; i++) {
            for (int64_t j = m->first[i]; j <= i; j++) {
                at->hessian[i * p + j] += fisher[i * p + j];
            }
        }
    }
    TRY(model_penalty(ctx, scratch, m, f->theta, lambda, &cost, NULL, at->hessian, at->slope));
    return model_pin(ctx, scratch, m, f->theta, at->hessian);
}

static nonsens_status begin_fold(nonsens_context *ctx, arena *scratch, fold_descent *d)
{
    const fit *f = d->f;
    TRY(evaluate_fold(ctx, scratch, d, &d->now, false));
    TRY(matrix_without(ctx, scratch, f, f->fold_lambda[d->fold], d->fold, d->fold, &d->now));
    return factor_newton(&f->model, d->now.hessian, d->now.slope, &d->trust, d->factor) ? NONSENS_OK : no_step(ctx);
}

nonsens_status fit_without_two(nonsens_context *ctx, arena *scratch, const fit *f, int64_t fold, int64_t other,
                               double *theta)
{
    const model *m = &f->model;
    int64_t p = m->parameters;
    double *factor, cost;
    trust t = {0, 1e-9};
    point at;
    TRY(point_new(ctx, scratch, f, &at));
    ARENA_TRY(ctx, scratch, factor, p * p);
    TRY(matrix_without(ctx, scratch, f, f->lambda, fold, other, &at));
    if (!factor_newton(m, at.hessian, at.slope, &t, factor)) {
        return no_step(ctx);
    }
    for (int64_t k = 0; k < m->data->folds; k++) {
        for (int64_t i = 0; k != fold && k != other && i < p; i++) {
            at.gradient[i] -= f->fold_gradient[k * p + i];
        }
    }
    TRY(model_penalty(ctx, scratch, m, f->theta, f->lambda, &cost, at.gradient, NULL, NULL));
    newton_step(m, factor, at.gradient, theta);
    for (int64_t i = 0; i < p; i++) {
        theta[i] += f->theta[i];
    }
    return NONSENS_OK;
}

static void accept_fold_step(fold_descent *d)
{
    double *theta = d->now.theta, *gradient = d->now.gradient;
    d->now.theta = d->next.theta;
    d->now.gradient = d->next.gradient;
    d->now.objective = d->next.objective;
    d->next.theta = theta;
    d->next.gradient = gradient;
    d->stale = true;
}

static nonsens_status descend_fold(nonsens_context *ctx, arena *scratch, fold_descent *d, bool *converged)
{
    const model *m = &d->f->model;
    double before = INFINITY;
    *converged = false;
    for (int steps = 0; steps < MOST_FOLD_STEPS && d->trust.damping < MOST_DAMPING; steps++) {
        double half = newton_step(m, d->factor, d->now.gradient, d->step);
        if (half < TOLERANCE && d->trust.damping < 0.01) {
            *converged = true;
            break;
        }
        if (d->stale && half > 0.2 * before) { // the old matrix no longer leads on fast
            TRY(refresh(ctx, scratch, d));
            half = newton_step(m, d->factor, d->now.gradient, d->step);
        }
        for (int64_t i = 0; i < m->parameters; i++) {
            d->next.theta[i] = d->now.theta[i] + d->step[i];
        }
        TRY(evaluate_fold(ctx, scratch, d, &d->next, false));
        if (d->next.objective < d->now.objective) {
            before = half;
            if (!d->stale && d->now.objective - d->next.objective > 0.7 * half) {
                trust_more(&d->trust);
            }
            accept_fold_step(d);
        } else {
            TRY(step_back(ctx, scratch, d));
        }
    }
    return NONSENS_OK;
}

typedef struct folds_state {
    fit *f;
    bool *converged; /* (folds) */
} folds_state;

static nonsens_status fold_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    folds_state *s = state;
    fold_descent d;
    int64_t p = s->f->model.parameters;
    TRY(descent_new(ctx, scratch, s->f, fold, &d));
    TRY(begin_fold(ctx, scratch, &d));
    TRY(descend_fold(ctx, scratch, &d, &s->converged[fold]));
    memcpy(s->f->fold_theta + fold * p, d.now.theta, (size_t)p * sizeof(double));
    return model_score(ctx, scratch, &s->f->model, d.now.theta, fold, s->f->held_out);
}

nonsens_status fit_folds(nonsens_context *ctx, arena *a, int threads, fit *f)
{
    const sample *data = f->model.data;
    folds_state s = {f, NULL};
    ARENA_TRY(ctx, a, s.converged, data->folds);
    ARENA_TRY(ctx, a, f->fold_theta, data->folds * f->model.parameters);
    ARENA_TRY(ctx, a, f->held_out, data->n);
    TRY(parallel_for(ctx, threads, data->folds, NULL, fold_job, &s));
    for (int64_t k = 0; k < data->folds; k++) {
        f->converged = f->converged && s.converged[k];
    }
    return NONSENS_OK;
}
