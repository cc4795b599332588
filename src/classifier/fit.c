/* fit.c - fits a segment classifier to all rows; see fit.h. */
#include "classifier/fit.h"

#include "base/parallel.h"
#include "classifier/newton.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-4; /* nats over all rows */
static const double BEYOND = 1.6;     /* a longer step is tried if the gain exceeds this times the predicted gain */
static const double LONGEST = 16.0;
static const double FAST = 0.2;   /* the matrix is kept if the decrement is at most this share of the last one */
static const double SURELY = 4.0; /* factor by which a kept matrix may understate the decrement */
enum { MAX_ITERATIONS = 200 };

nonsens_status fit_new(nonsens_context *ctx, arena *a, const classifier_sample *data, classifier_shape s,
                       const classifier_penalty *weight, classifier_fit *out)
{
    *out = (classifier_fit){
        .lambda = weight->all, .tolerance = TOLERANCE, .fold_lambda = weight->fold, .fold_data = weight->fold_data};
    TRY(classifier_model_new(ctx, a, data, s, &out->model));
    int64_t p = out->model.parameters;
    ARENA_TRY(ctx, a, out->theta, p);
    ARENA_TRY(ctx, a, out->fold_log_likelihood, data->folds);
    ARENA_TRY(ctx, a, out->fold_gradient, data->folds * p);
    ARENA_TRY(ctx, a, out->fold_slope, data->folds * slope_size(&out->model));
    for (int64_t e = 0; e < data->segments; e++) {
        out->theta[model_weight(&out->model, e, out->model.rank)] = log(data->share[e]);
    }
    return NONSENS_OK;
}

typedef struct pass {
    const classifier_fit *f;
    const double *theta;
    double *fisher; /* (folds, p, p) computed instead of the slopes; NULL: slopes */
} pass;

static nonsens_status pass_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const pass *s = state;
    int64_t p = s->f->model.parameters, slopes = slope_size(&s->f->model);
    classifier_sums sums = {0, s->f->fold_gradient + fold * p, NULL, s->f->fold_slope + fold * slopes};
    memset(sums.slope, 0, (size_t)slopes * sizeof(double));
    memset(sums.gradient, 0, (size_t)p * sizeof(double));
    TRY(model_sum(ctx, scratch, &s->f->model, s->theta, fold, &sums));
    s->f->fold_log_likelihood[fold] = sums.log_likelihood;
    return NONSENS_OK;
}

static nonsens_status fisher_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const pass *s = state;
    int64_t p = s->f->model.parameters;
    classifier_sums sums = {0, NULL, s->fisher + fold * p * p, NULL};
    return model_sum(ctx, scratch, &s->f->model, s->theta, fold, &sums);
}

nonsens_status fit_fisher(nonsens_context *ctx, arena *a, int threads, const classifier_fit *f, double **out)
{
    int64_t p = f->model.parameters;
    ARENA_TRY(ctx, a, *out, f->model.data->folds * p * p);
    pass s = {f, f->theta, *out};
    return parallel_for(ctx, threads, f->model.data->folds, NULL, fisher_job, &s);
}

nonsens_status fit_gather(nonsens_context *ctx, arena *scratch, const classifier_fit *f, double lambda, int64_t without,
                          classifier_point *at)
{
    const classifier_model *m = &f->model;
    int64_t p = m->parameters, slopes = slope_size(m);
    double sum = 0.0, cost;
    memset(at->gradient, 0, (size_t)p * sizeof(double));
    memset(at->slope, 0, (size_t)slopes * sizeof(double));
    for (int64_t k = 0; k < m->data->folds; k++) {
        if (k == without) {
            continue;
        }
        sum += f->fold_log_likelihood[k];
        for (int64_t i = 0; i < slopes; i++) {
            at->slope[i] += f->fold_slope[k * slopes + i];
        }
        for (int64_t i = 0; i < p; i++) {
            at->gradient[i] -= f->fold_gradient[k * p + i];
        }
    }
    TRY(model_penalty(ctx, scratch, m, at->theta, lambda, &cost, at->gradient, NULL, at->slope));
    at->objective = cost - sum;
    return NONSENS_OK;
}

static nonsens_status evaluate(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f,
                               classifier_point *at)
{
    arena_mark mark = arena_tell(scratch);
    pass s = {f, at->theta, NULL};
    TRY(parallel_for(ctx, threads, f->model.data->folds, NULL, pass_job, &s));
    TRY(fit_gather(ctx, scratch, f, f->lambda, FIT_NO_FOLD, at));
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

nonsens_status fit_evaluate(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f)
{
    classifier_point at;
    TRY(point_new(ctx, scratch, &f->model, &at));
    memcpy(at.theta, f->theta, (size_t)f->model.parameters * sizeof(double));
    TRY(evaluate(ctx, scratch, threads, f, &at));
    f->objective = at.objective;
    return NONSENS_OK;
}

static void swap_points(classifier_point *a, classifier_point *b)
{
    classifier_point c = *a;
    *a = *b;
    *b = c;
}

/*
 * Doubles the step to `next` while that lowers the objective: past a saddle, steps are too short, since the matrix has
 * no negative curvature.  far: scratch.  *current: whether the folds' sums are those of `next` afterwards.
 */
static nonsens_status extend(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f,
                             const classifier_point *now, const double *step, classifier_point *next,
                             classifier_point *far, bool *current)
{
    *current = true;
    for (double length = 2.0; *current && length <= LONGEST; length *= 2.0) {
        for (int64_t i = 0; i < f->model.parameters; i++) {
            far->theta[i] = now->theta[i] + length * step[i];
        }
        TRY(evaluate(ctx, scratch, threads, f, far));
        *current = far->objective < next->objective;
        if (*current) {
            swap_points(next, far);
        }
    }
    return NONSENS_OK;
}

typedef struct descent {
    classifier_point now, next, far;
    double *hessian, *factor, *step;
    classifier_trust trust;
    double before; /* the decrement of the last step */
    bool stale;    /* the matrix belongs to an earlier point */
} descent;

static nonsens_status descent_new(nonsens_context *ctx, arena *a, const classifier_fit *f, descent *d)
{
    int64_t p = f->model.parameters;
    *d = (descent){.trust = {NEWTON_LAST_LEVEL, 1e-3}, .before = INFINITY};
    TRY(point_new(ctx, a, &f->model, &d->now));
    TRY(point_new(ctx, a, &f->model, &d->next));
    TRY(point_new(ctx, a, &f->model, &d->far));
    ARENA_TRY(ctx, a, d->hessian, p * p);
    ARENA_TRY(ctx, a, d->factor, p * p);
    ARENA_TRY(ctx, a, d->step, p);
    memcpy(d->now.theta, f->theta, (size_t)p * sizeof(double));
    return NONSENS_OK;
}

/* Computes the next step and its decrement, with the matrix of an earlier point as long as steps shrink fast. */
static nonsens_status choose_step(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f, descent *d)
{
    const classifier_model *m = &f->model;
    if (d->stale) {
        f->decrement = newton_step(m, d->factor, d->now.gradient, d->step);
        if (f->decrement <= FAST * d->before) {
            f->converged = trust_has_converged(&d->trust, SURELY * f->decrement, f->tolerance);
            return NONSENS_OK;
        }
        TRY(newton_matrix(ctx, scratch, threads, m, d->now.theta, f->lambda, FIT_NO_FOLD, d->hessian));
        d->stale = false;
    }
    TRY(newton_factor(ctx, m, d->hessian, d->now.slope, &d->trust, d->factor));
    f->decrement = newton_step(m, d->factor, d->now.gradient, d->step);
    f->converged = trust_has_converged(&d->trust, f->decrement, f->tolerance);
    return NONSENS_OK;
}

/* Takes the step if it lowers the objective.  *current: whether the folds' sums are those of `now` afterwards. */
static nonsens_status take_step(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f, descent *d,
                                bool *current)
{
    for (int64_t i = 0; i < f->model.parameters; i++) {
        d->next.theta[i] = d->now.theta[i] + d->step[i];
    }
    TRY(evaluate(ctx, scratch, threads, f, &d->next));
    double gain = d->now.objective - d->next.objective;
    *current = gain > 0.0;
    if (!*current && d->stale) {
        d->before = 0.0; // compute the matrix of this point next
    } else if (!*current) {
        trust_less(&d->trust);
    } else {
        if (gain > BEYOND * f->decrement) {
            TRY(extend(ctx, scratch, threads, f, &d->now, d->step, &d->next, &d->far, current));
        }
        if (!d->stale) {
            trust_weigh(&d->trust, gain / f->decrement);
        }
        swap_points(&d->now, &d->next);
        d->before = f->decrement;
        d->stale = true;
    }
    return NONSENS_OK;
}

nonsens_status fit_all(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f)
{
    descent d;
    bool folds_are_current = true;
    TRY(descent_new(ctx, scratch, f, &d));
    TRY(evaluate(ctx, scratch, threads, f, &d.now));
    TRY(newton_matrix(ctx, scratch, threads, &f->model, d.now.theta, f->lambda, FIT_NO_FOLD, d.hessian));
    for (f->iterations = 0; f->iterations < MAX_ITERATIONS; f->iterations++) {
        TRY(choose_step(ctx, scratch, threads, f, &d));
        if (f->converged || trust_is_lost(&d.trust)) {
            break;
        }
        TRY(take_step(ctx, scratch, threads, f, &d, &folds_are_current));
    }
    if (!folds_are_current) {
        TRY(evaluate(ctx, scratch, threads, f, &d.now));
    }
    f->objective = d.now.objective;
    memcpy(f->theta, d.now.theta, (size_t)f->model.parameters * sizeof(double));
    return NONSENS_OK;
}
