/*
 * leave_out.c - fits a segment classifier to the rows outside one fold.
 *
 * Fits begin at the fit to all rows, with the second derivatives of the rows that are not left out, which are sums of
 * those of the folds, and keep this matrix while the steps shrink.  A fold with another basis begins at the nearest
 * function of that basis.
 */
#include "base/parallel.h"
#include "classifier/fit.h"
#include "classifier/newton.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 60 };

typedef struct descent {
    const classifier_model *model;
    double lambda, tolerance;
    int64_t without; /* fold */
    classifier_point now, next;
    double *now_folds, *next_folds; /* (folds, parameters) gradient of the likelihood of all folds but `without` */
    double *hessian, *factor, *step;
    classifier_trust trust;
    bool stale; /* the matrix belongs to an earlier point */
} descent;

static nonsens_status descent_new(nonsens_context *ctx, arena *a, const classifier_fit *f, const classifier_model *m,
                                  double lambda, int64_t without, descent *d)
{
    int64_t p = m->parameters;
    *d = (descent){m, lambda, f->tolerance, without, .trust = {0, 1e-9}};
    TRY(point_new(ctx, a, m, &d->now));
    TRY(point_new(ctx, a, m, &d->next));
    ARENA_TRY(ctx, a, d->now_folds, m->data->folds * p);
    ARENA_TRY(ctx, a, d->next_folds, m->data->folds * p);
    ARENA_TRY(ctx, a, d->hessian, p * p);
    ARENA_TRY(ctx, a, d->factor, p * p);
    ARENA_TRY(ctx, a, d->step, p);
    return NONSENS_OK;
}

/* Computes objective, gradient and slope at a point. */
static nonsens_status evaluate(nonsens_context *ctx, arena *scratch, const descent *d, classifier_point *at,
                               double *fold_gradient)
{
    const classifier_model *m = d->model;
    int64_t p = m->parameters;
    arena_mark mark = arena_tell(scratch);
    double sum = 0.0, cost;
    memset(fold_gradient, 0, (size_t)(m->data->folds * p) * sizeof(double));
    memset(at->gradient, 0, (size_t)p * sizeof(double));
    memset(at->slope, 0, (size_t)slope_size(m) * sizeof(double));
    for (int64_t k = 0; k < m->data->folds; k++) {
        if (k != d->without) {
            classifier_sums sums = {0, fold_gradient + k * p, NULL, at->slope};
            TRY(model_sum(ctx, scratch, m, at->theta, k, &sums));
            sum += sums.log_likelihood;
        }
        for (int64_t i = 0; i < p; i++) {
            at->gradient[i] -= fold_gradient[k * p + i];
        }
    }
    TRY(model_penalty(ctx, scratch, m, at->theta, d->lambda, &cost, at->gradient, NULL, at->slope));
    at->objective = cost - sum;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Computes the matrix of the current point. */
static nonsens_status refresh(nonsens_context *ctx, arena *scratch, descent *d)
{
    TRY(newton_matrix(ctx, scratch, 1, d->model, d->now.theta, d->lambda, d->without, d->hessian));
    d->stale = false;
    return newton_factor(ctx, d->model, d->hessian, d->now.slope, &d->trust, d->factor);
}

nonsens_status fit_matrix_without(nonsens_context *ctx, arena *scratch, const classifier_fit *f, const double *fisher,
                                  double lambda, int64_t fold, int64_t other, double *hessian)
{
    const classifier_model *m = &f->model;
    int64_t p = m->parameters;
    double cost;
    memset(hessian, 0, (size_t)(p * p) * sizeof *hessian);
    for (int64_t k = 0; k < m->data->folds; k++) {
        for (int64_t row = 0; k != fold && k != other && row < p; row++) {
            const double *from = fisher + (k * p + row) * p;
            for (int64_t c = m->first[row]; c <= row; c++) {
                hessian[row * p + c] += from[c];
            }
        }
    }
    TRY(model_penalty(ctx, scratch, m, f->theta, lambda, &cost, NULL, hessian, NULL));
    return model_pin(ctx, scratch, m, f->theta, hessian);
}

/* Begins at the fit to all rows, in the same basis or in another; fisher: of the folds there, or NULL. */
static nonsens_status begin(nonsens_context *ctx, arena *scratch, const classifier_fit *f, const double *fisher,
                            descent *d)
{
    int64_t p = d->model->parameters;
    if (d->model->data->basis == f->model.data->basis) {
        memcpy(d->now.theta, f->theta, (size_t)p * sizeof(double));
        memcpy(d->now_folds, f->fold_gradient, (size_t)(d->model->data->folds * p) * sizeof(double));
        memset(d->now_folds + d->without * p, 0, (size_t)p * sizeof(double));
        TRY(fit_gather(ctx, scratch, f, d->lambda, d->without, &d->now));
        TRY(fit_matrix_without(ctx, scratch, f, fisher, d->lambda, d->without, d->without, d->hessian));
        return newton_factor(ctx, d->model, d->hessian, d->now.slope, &d->trust, d->factor);
    } else {
        TRY(model_convert(ctx, scratch, &f->model, f->theta, d->model, d->now.theta));
        TRY(evaluate(ctx, scratch, d, &d->now, d->now_folds));
    }
    return refresh(ctx, scratch, d);
}

static nonsens_status descend(nonsens_context *ctx, arena *scratch, descent *d, bool *converged)
{
    const classifier_model *m = d->model;
    double before = INFINITY;
    *converged = false;
    for (int steps = 0; steps < MAX_STEPS && !trust_is_lost(&d->trust); steps++) {
        double half = newton_step(m, d->factor, d->now.gradient, d->step);
        if (trust_has_converged(&d->trust, half, d->tolerance)) {
            *converged = true;
            break;
        }
        if (d->stale && half > 0.2 * before) { // the old matrix no longer converges fast
            TRY(refresh(ctx, scratch, d));
            half = newton_step(m, d->factor, d->now.gradient, d->step);
        }
        for (int64_t i = 0; i < m->parameters; i++) {
            d->next.theta[i] = d->now.theta[i] + d->step[i];
        }
        TRY(evaluate(ctx, scratch, d, &d->next, d->next_folds));
        if (d->next.objective < d->now.objective) {
            before = half;
            if (!d->stale) {
                trust_weigh(&d->trust, (d->now.objective - d->next.objective) / half);
            }
            classifier_point spare = d->now;
            double *spare_folds = d->now_folds;
            d->now = d->next;
            d->next = spare;
            d->now_folds = d->next_folds;
            d->next_folds = spare_folds;
            d->stale = true;
        } else {
            if (!d->stale) { // a stale matrix is refreshed first; if that fails too, trust is reduced
                trust_less(&d->trust);
            }
            TRY(refresh(ctx, scratch, d));
        }
    }
    return NONSENS_OK;
}

nonsens_status fit_without(nonsens_context *ctx, arena *scratch, const classifier_fit *f, const double *fisher,
                           int64_t fold, double *theta, double *gradient, bool *converged)
{
    const classifier_model *m = &f->model;
    descent d;
    TRY(descent_new(ctx, scratch, f, m, f->lambda, fold, &d));
    TRY(begin(ctx, scratch, f, fisher, &d));
    TRY(descend(ctx, scratch, &d, converged));
    memcpy(theta, d.now.theta, (size_t)m->parameters * sizeof(double));
    memcpy(gradient, d.now_folds, (size_t)(m->data->folds * m->parameters) * sizeof *gradient);
    return NONSENS_OK;
}

/* ---- every fold ---- */

typedef struct folds_state {
    classifier_fit *f;
    double *fisher;  /* of the folds at the fit to all rows; NULL if no fold has its basis */
    bool *converged; /* (folds) */
} folds_state;

static nonsens_status fold_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    folds_state *s = state;
    classifier_fit *f = s->f;
    const classifier_model *m = &f->fold_model[fold];
    descent d;
    TRY(descent_new(ctx, scratch, f, m, f->fold_lambda[fold], fold, &d));
    TRY(begin(ctx, scratch, f, s->fisher, &d));
    TRY(descend(ctx, scratch, &d, &s->converged[fold]));
    memcpy(f->fold_theta[fold], d.now.theta, (size_t)m->parameters * sizeof(double));
    return model_score(ctx, scratch, m, d.now.theta, fold, f->held_out);
}

/* Finds or builds the model of a fold: that of all rows, an earlier fold's, or a new one in the fold's basis. */
static nonsens_status build_fold_model(nonsens_context *ctx, arena *a, classifier_fit *f, int64_t fold)
{
    if (!f->fold_data || f->fold_data[fold]->basis == f->model.data->basis) {
        f->fold_model[fold] = f->model;
        return NONSENS_OK;
    }
    for (int64_t k = 0; k < fold; k++) {
        if (f->fold_model[k].data == f->fold_data[fold]) {
            f->fold_model[fold] = f->fold_model[k];
            return NONSENS_OK;
        }
    }
    return classifier_model_new(ctx, a, f->fold_data[fold], f->model.shape, &f->fold_model[fold]);
}

nonsens_status fit_folds(nonsens_context *ctx, arena *a, int threads, classifier_fit *f)
{
    const classifier_sample *data = f->model.data;
    folds_state s = {.f = f};
    SCOPED_ARENA(scratch);
    bool is_shared = false;
    ARENA_TRY(ctx, a, s.converged, data->folds);
    ARENA_TRY(ctx, a, f->fold_model, data->folds);
    ARENA_TRY(ctx, a, f->fold_theta, data->folds);
    ARENA_TRY(ctx, a, f->held_out, data->n);
    for (int64_t k = 0; k < data->folds; k++) {
        TRY(build_fold_model(ctx, a, f, k));
        is_shared = is_shared || f->fold_model[k].data->basis == data->basis;
        ARENA_TRY(ctx, a, f->fold_theta[k], f->fold_model[k].parameters);
    }
    TRY(is_shared ? fit_fisher(ctx, &scratch, threads, f, &s.fisher) : NONSENS_OK);
    TRY(parallel_for(ctx, threads, data->folds, NULL, fold_job, &s));
    for (int64_t k = 0; k < data->folds; k++) {
        f->converged = f->converged && s.converged[k];
    }
    return NONSENS_OK;
}
