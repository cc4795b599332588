/* fit.c - fits a segment classifier to all rows; see fit.h. */
#include "classifier/fit.h"

#include "base/parallel.h"
#include "classifier/newton.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-4; /* nats over all rows */
static const double BEYOND = 1.6;     /* a longer step is tried if the gain is more than this times the promised gain */
static const double LONGEST = 16.0;
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
 * Doubles the step to `next` while that lowers the objective: past a saddle steps are too short, since the matrix has
 * no downward curvature.  far: scratch.  *current: whether the folds' sums are those of `next` afterwards.
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

nonsens_status fit_all(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f)
{
    int64_t p = f->model.parameters;
    double *hessian, *factor, *step;
    classifier_trust t = {NEWTON_LAST_LEVEL, 1e-3};
    classifier_point now, next, far;
    TRY(point_new(ctx, scratch, &f->model, &now));
    TRY(point_new(ctx, scratch, &f->model, &next));
    TRY(point_new(ctx, scratch, &f->model, &far));
    ARENA_TRY(ctx, scratch, hessian, p * p);
    ARENA_TRY(ctx, scratch, factor, p * p);
    ARENA_TRY(ctx, scratch, step, p);
    memcpy(now.theta, f->theta, (size_t)p * sizeof(double));
    TRY(evaluate(ctx, scratch, threads, f, &now));
    TRY(newton_matrix(ctx, scratch, threads, &f->model, now.theta, f->lambda, FIT_NO_FOLD, hessian));
    bool folds_are_current = true;
    for (f->iterations = 0; f->iterations < MAX_ITERATIONS; f->iterations++) {
        TRY(newton_factor(ctx, &f->model, hessian, now.slope, &t, factor));
        f->decrement = newton_step(&f->model, factor, now.gradient, step);
        f->converged = trust_has_converged(&t, f->decrement, f->tolerance);
        if (f->converged || trust_is_lost(&t)) {
            break;
        }
        for (int64_t i = 0; i < p; i++) {
            next.theta[i] = now.theta[i] + step[i];
        }
        TRY(evaluate(ctx, scratch, threads, f, &next));
        double gain = now.objective - next.objective;
        folds_are_current = gain > 0.0;
        if (!(gain > 0.0)) {
            trust_less(&t);
        } else {
            if (gain > BEYOND * f->decrement) {
                TRY(extend(ctx, scratch, threads, f, &now, step, &next, &far, &folds_are_current));
            }
            trust_weigh(&t, gain / f->decrement);
            swap_points(&now, &next);
            TRY(newton_matrix(ctx, scratch, threads, &f->model, now.theta, f->lambda, FIT_NO_FOLD, hessian));
        }
    }
    if (!folds_are_current) {
        TRY(evaluate(ctx, scratch, threads, f, &now));
    }
    f->objective = now.objective;
    memcpy(f->theta, now.theta, (size_t)p * sizeof(double));
    return NONSENS_OK;
}
