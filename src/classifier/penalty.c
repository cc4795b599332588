#include "classifier/penalty.h"

#include "base/parallel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double PATH[] = {0.03, 0.005, 8e-4, 1.5e-4, 2.5e-5, 4e-6};
static const double TOLERANCE = 1e-3; /* nats over all rows: enough to choose by */
enum { STEPS = sizeof PATH / sizeof *PATH };

/* Fits at one penalty in one basis: without each fold, and from there without each two. */
typedef struct outside {
    const classifier_fit *f;
    double **theta, **gradient; /* (folds) of fit_without */
    bool *converged;            /* (folds) likewise */
    double *fisher;             /* (folds, p, p) exact, at the fit of all rows */
    double *score;              /* (folds, folds) log-likelihood of fold j without k and j: score[k * folds + j] */
} outside;

static nonsens_status fold_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const outside *s = state;
    return fit_without(ctx, scratch, s->f, fold, s->theta[fold], s->gradient[fold], &s->converged[fold]);
}

/* The fit without fold k is taken one step of Fisher's matrix further, to be without j too, and scores that. */
static nonsens_status score_other(nonsens_context *ctx, arena *scratch, const outside *s, const double *factor,
                                  int64_t k, int64_t j, double *theta)
{
    const classifier_fit *f = s->f;
    const classifier_model *m = &f->model;
    int64_t p = m->parameters;
    double *gradient, cost;
    classifier_sums sums = {0, NULL, NULL, NULL};
    ARENA_TRY(ctx, scratch, gradient, p);
    for (int64_t i = 0; i < m->data->folds; i++) {
        for (int64_t c = 0; i != j && c < p; c++) {
            gradient[c] -= s->gradient[k][i * p + c]; // that of fold k is zero
        }
    }
    TRY(model_penalty(ctx, scratch, m, s->theta[k], f->lambda, &cost, gradient, NULL, NULL));
    newton_step(m, factor, gradient, theta);
    for (int64_t c = 0; c < p; c++) {
        theta[c] += s->theta[k][c];
    }
    TRY(model_sum(ctx, scratch, m, theta, j, &sums));
    s->score[k * m->data->folds + j] = sums.log_likelihood;
    return NONSENS_OK;
}

/* Fisher's matrix of the rows in neither fold, with penalty and pins. */
static nonsens_status matrix_without(nonsens_context *ctx, arena *scratch, const outside *s, int64_t k, int64_t j,
                                     double *hessian)
{
    const classifier_model *m = &s->f->model;
    int64_t p = m->parameters;
    double cost;
    for (int64_t i = 0; i < m->data->folds; i++) {
        for (int64_t row = 0; i != k && i != j && row < p; row++) {
            for (int64_t c = m->first[row]; c <= row; c++) {
                hessian[row * p + c] += s->fisher[(i * p + row) * p + c];
            }
        }
    }
    TRY(model_penalty(ctx, scratch, m, s->f->theta, s->f->lambda, &cost, NULL, hessian, NULL));
    return model_pin(ctx, scratch, m, s->f->theta, hessian);
}

/* Job: an unordered pair of folds, numbered row by row. */
static nonsens_status pair_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const outside *s = state;
    const classifier_model *m = &s->f->model;
    int64_t k = 1;
    while (job >= k) {
        job -= k++;
    }
    double *hessian, *factor, *theta;
    classifier_trust t = {NEWTON_LAST_LEVEL, 1e-9};
    ARENA_TRY(ctx, scratch, hessian, m->parameters * m->parameters);
    ARENA_TRY(ctx, scratch, factor, m->parameters * m->parameters);
    ARENA_TRY(ctx, scratch, theta, m->parameters);
    TRY(matrix_without(ctx, scratch, s, k, job, hessian));
    TRY(newton_factor(ctx, m, hessian, NULL, &t, factor));
    TRY(score_other(ctx, scratch, s, factor, k, job, theta));
    return score_other(ctx, scratch, s, factor, job, k, theta);
}

nonsens_status penalty_scores(nonsens_context *ctx, arena *scratch, int threads, const classifier_fit *f, double *score)
{
    int64_t folds = f->model.data->folds, p = f->model.parameters;
    outside s = {.f = f};
    ARENA_TRY(ctx, scratch, s.converged, folds);
    ARENA_TRY(ctx, scratch, s.theta, folds);
    ARENA_TRY(ctx, scratch, s.gradient, folds);
    ARENA_TRY(ctx, scratch, s.score, folds * folds);
    for (int64_t k = 0; k < folds; k++) {
        ARENA_TRY(ctx, scratch, s.theta[k], p);
        ARENA_TRY(ctx, scratch, s.gradient[k], folds * p);
    }
    TRY(parallel_for(ctx, threads, folds, NULL, fold_job, &s));
    TRY(fit_fisher(ctx, scratch, threads, f, &s.fisher));
    TRY(parallel_for(ctx, threads, folds * (folds - 1) / 2, NULL, pair_job, &s));
    for (int64_t k = 0; k < folds; k++) {
        score[k] = s.converged[k] ? 0.0 : -INFINITY; // a fit that stopped early still knows of the fold
        for (int64_t j = 0; j < folds; j++) {
            score[k] += s.score[k * folds + j];
        }
    }
    return NONSENS_OK;
}

/*
 * What is chosen so far.  Everything about a fold follows from its own scores, among them where it starts in the next
 * basis (a smaller one needs no smoother penalty) and where it stops.
 */
typedef struct search {
    double *score;         /* (folds) at the present step */
    double *last;          /* (folds) at the step before, in the same basis */
    int64_t *start, *step; /* (folds) the first step in this basis; the best so far */
    bool *over;            /* (folds) its score has fallen in this basis */
    double *best;          /* (folds) its best score, and the basis of that */
    const classifier_sample **data;
    double total; /* the best score of all folds together, and its step */
    int64_t total_step;
} search;

static nonsens_status search_new(nonsens_context *ctx, arena *a, const classifier_sample *data, search *s)
{
    int64_t folds = data->folds;
    *s = (search){.total = -INFINITY};
    ARENA_TRY(ctx, a, s->score, folds);
    ARENA_TRY(ctx, a, s->last, folds);
    ARENA_TRY(ctx, a, s->start, folds);
    ARENA_TRY(ctx, a, s->step, folds);
    ARENA_TRY(ctx, a, s->over, folds);
    ARENA_TRY(ctx, a, s->best, folds);
    ARENA_TRY(ctx, a, s->data, folds);
    for (int64_t k = 0; k < folds; k++) {
        s->best[k] = -INFINITY;
        s->data[k] = data;
    }
    return NONSENS_OK;
}

/* Prepares for another basis; returns the step at which the first fold starts. */
static int64_t begin_basis(int64_t folds, search *s)
{
    int64_t first = STEPS;
    for (int64_t k = 0; k < folds; k++) {
        s->start[k] = s->step[k];
        s->last[k] = -INFINITY;
        s->over[k] = false;
        first = s->start[k] < first ? s->start[k] : first;
    }
    return first;
}

static void take_fold(const classifier_sample *data, int64_t step, int64_t k, search *s)
{
    if (s->over[k] || step < s->start[k]) {
        return;
    }
    s->over[k] = s->score[k] <= s->last[k];
    s->last[k] = s->score[k];
    if (s->score[k] > s->best[k]) {
        s->best[k] = s->score[k];
        s->step[k] = step;
        s->data[k] = data;
    }
}

/* Takes in the scores of one penalty in one basis; false if all folds have stopped. */
static bool take_step(const classifier_sample *data, int64_t step, search *s)
{
    double total = 0.0;
    bool more = false;
    for (int64_t k = 0; k < data->folds; k++) {
        take_fold(data, step, k, s);
        total += s->score[k];
        more = more || !s->over[k];
    }
    if (total > s->total) {
        s->total = total;
        s->total_step = step;
    }
    return more;
}

static nonsens_status try_penalty(nonsens_context *ctx, int threads, bool cold, classifier_fit *f, double *score)
{
    arena scratch = {0};
    nonsens_status status = cold ? fit_start_cold(ctx, &scratch, f) : NONSENS_OK;
    status = status == NONSENS_OK ? fit_all(ctx, &scratch, threads, f) : status;
    status = status == NONSENS_OK ? penalty_scores(ctx, &scratch, threads, f, score) : status;
    arena_free(&scratch);
    return status;
}

static nonsens_status try_basis(nonsens_context *ctx, arena *scratch, int threads, const classifier_sample *data,
                                search *s)
{
    int64_t from = begin_basis(data->folds, s);
    classifier_penalty start = {.all = PATH[from]};
    classifier_fit f;
    TRY(fit_new(ctx, scratch, data, (classifier_shape){0, 0, data->segments > 2 ? 2 : 1}, &start, &f));
    f.tolerance = TOLERANCE;
    for (int64_t step = from; step < STEPS; step++) {
        f.lambda = PATH[step];
        TRY(try_penalty(ctx, threads, step == from, &f, s->score));
        if (!take_step(data, step, s)) {
            break;
        }
    }
    return NONSENS_OK;
}

nonsens_status penalty_choose(nonsens_context *ctx, arena *a, int threads, int64_t bases, const classifier_sample *data,
                              classifier_penalty *out)
{
    search s;
    double *lambda;
    TRY(search_new(ctx, a, data, &s));
    ARENA_TRY(ctx, a, lambda, data->folds);
    for (int64_t b = 0; b < bases; b++) {
        arena scratch = {0};
        nonsens_status status = try_basis(ctx, &scratch, threads, &data[b], &s);
        arena_free(&scratch);
        TRY(status);
        if (b == 0) {
            out->all = out->test = PATH[s.total_step];
        }
    }
    for (int64_t k = 0; k < data->folds; k++) {
        lambda[k] = PATH[s.step[k]];
    }
    out->fold = lambda;
    out->fold_data = s.data;
    return NONSENS_OK;
}
