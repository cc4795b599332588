/* penalty.c - chooses the penalty and the basis of segment classifiers by nested cross-validation; see penalty.h. */
#include "classifier/penalty.h"

#include "base/parallel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double PATH[] = {0.03, 0.005, 8e-4, 1.5e-4, 2.5e-5, 4e-6};
static const double TOLERANCE = 1e-2; /* nats over all rows: enough for the choice */
enum { PATH_STEPS = sizeof PATH / sizeof *PATH };

/* Fits at one penalty in one basis: without each fold, and from there without each pair of folds. */
typedef struct left_out_fits {
    const classifier_fit *f;
    double **theta, **gradient; /* (folds) results of fit_without */
    bool *converged;            /* (folds) whether fit_without converged */
    double *fisher;             /* (folds, p, p) exact, at the fit to all rows */
    const bool *wanted;         /* (folds) whose scores are wanted; NULL: all */
    double *score;              /* (folds, folds) log-likelihood of fold j without k and j: score[k * folds + j] */
} left_out_fits;

static bool is_wanted(const left_out_fits *s, int64_t fold)
{
    return !s->wanted || s->wanted[fold];
}

static nonsens_status fold_job(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const left_out_fits *s = state;
    if (!is_wanted(s, fold)) {
        return NONSENS_OK;
    }
    return fit_without(ctx, scratch, s->f, s->fisher, fold, s->theta[fold], s->gradient[fold], &s->converged[fold]);
}

/* Takes one step with Fisher's matrix from the fit without fold k to the fit without k and j, and scores fold j. */
static nonsens_status score_other(nonsens_context *ctx, arena *scratch, const left_out_fits *s, const double *factor,
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

/* Scores an unordered pair of folds (jobs number them row by row); Fisher's matrix is that of the rows in neither. */
static nonsens_status pair_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const left_out_fits *s = state;
    const classifier_fit *f = s->f;
    const classifier_model *m = &f->model;
    int64_t k = 1, p = m->parameters;
    while (job >= k) {
        job -= k++;
    }
    if (!is_wanted(s, k) && !is_wanted(s, job)) {
        return NONSENS_OK;
    }
    double *hessian, *factor, *theta;
    classifier_trust t = {NEWTON_LAST_LEVEL, 1e-9};
    ARENA_TRY(ctx, scratch, hessian, p * p);
    ARENA_TRY(ctx, scratch, factor, p * p);
    ARENA_TRY(ctx, scratch, theta, p);
    TRY(fit_matrix_without(ctx, scratch, f, s->fisher, f->lambda, k, job, hessian));
    TRY(newton_factor(ctx, m, hessian, NULL, &t, factor));
    TRY(is_wanted(s, k) ? score_other(ctx, scratch, s, factor, k, job, theta) : NONSENS_OK);
    return is_wanted(s, job) ? score_other(ctx, scratch, s, factor, job, k, theta) : NONSENS_OK;
}

nonsens_status penalty_scores(nonsens_context *ctx, arena *scratch, int threads, const classifier_fit *f,
                              const bool *wanted, double *score)
{
    int64_t folds = f->model.data->folds, p = f->model.parameters;
    left_out_fits s = {.f = f, .wanted = wanted};
    ARENA_TRY(ctx, scratch, s.converged, folds);
    ARENA_TRY(ctx, scratch, s.theta, folds);
    ARENA_TRY(ctx, scratch, s.gradient, folds);
    ARENA_TRY(ctx, scratch, s.score, folds * folds);
    for (int64_t k = 0; k < folds; k++) {
        ARENA_TRY(ctx, scratch, s.theta[k], p);
        ARENA_TRY(ctx, scratch, s.gradient[k], folds * p);
    }
    TRY(fit_fisher(ctx, scratch, threads, f, &s.fisher));
    TRY(parallel_for(ctx, threads, folds, NULL, fold_job, &s));
    TRY(parallel_for(ctx, threads, folds * (folds - 1) / 2, NULL, pair_job, &s));
    for (int64_t k = 0; k < folds; k++) {
        if (!is_wanted(&s, k)) {
            continue;
        }
        score[k] = s.converged[k] ? 0.0 : -INFINITY; // a fit that stopped early still depends on the fold
        for (int64_t j = 0; j < folds; j++) {
            score[k] += s.score[k * folds + j];
        }
    }
    return NONSENS_OK;
}

/*
 * The choice so far.  Everything about a fold depends only on its own scores, including where it starts in the next
 * basis (a smaller one needs no smoother penalty) and where it stops.
 */
typedef struct search {
    double *score;                  /* (folds) at the current step */
    double *last;                   /* (folds) at the step before, in the same basis */
    int64_t *start, *step;          /* (folds) the first step in this basis; the best so far */
    bool *over;                     /* (folds) the score has fallen in this basis */
    bool *open;                     /* (folds) started and not over: the score is wanted */
    double *best;                   /* (folds) the best score */
    const classifier_sample **data; /* (folds) the basis of the best score */
    double total;                   /* the best score of all folds together */
    int64_t total_step;             /* the step of that score */
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
    ARENA_TRY(ctx, a, s->open, folds);
    ARENA_TRY(ctx, a, s->best, folds);
    ARENA_TRY(ctx, a, s->data, folds);
    for (int64_t k = 0; k < folds; k++) {
        s->best[k] = -INFINITY;
        s->data[k] = data;
    }
    return NONSENS_OK;
}

/* Updates the choice with the scores of one penalty in one basis; returns false if all folds have stopped. */
static bool take_step(const classifier_sample *data, int64_t step, search *s)
{
    double total = 0.0;
    bool more = false;
    for (int64_t k = 0; k < data->folds; k++) {
        if (!s->over[k] && step >= s->start[k]) {
            s->over[k] = s->score[k] <= s->last[k];
            s->last[k] = s->score[k];
            if (s->score[k] > s->best[k]) {
                s->best[k] = s->score[k];
                s->step[k] = step;
                s->data[k] = data;
            }
        }
        total += s->score[k];
        more = more || !s->over[k];
    }
    if (total > s->total) {
        s->total = total;
        s->total_step = step;
    }
    return more;
}

/* Tries the penalties in one basis; needs_total: the score of all folds together is needed too. */
static nonsens_status try_basis(nonsens_context *ctx, int threads, const classifier_sample *data, bool needs_total,
                                search *s)
{
    SCOPED_ARENA(own);
    int64_t from = PATH_STEPS;
    for (int64_t k = 0; k < data->folds; k++) {
        s->start[k] = s->step[k];
        s->last[k] = -INFINITY;
        s->over[k] = false;
        from = s->start[k] < from ? s->start[k] : from;
    }
    classifier_penalty start = {.all = PATH[from]};
    classifier_fit f;
    TRY(fit_new(ctx, &own, data, (classifier_shape){0, 0, data->segments > 2 ? 2 : 1}, &start, &f));
    f.tolerance = TOLERANCE;
    for (int64_t step = from; step < PATH_STEPS; step++) {
        SCOPED_ARENA(scratch);
        f.lambda = PATH[step];
        if (step == from) {
            TRY(fit_start_cold(ctx, &scratch, &f));
        }
        TRY(fit_all(ctx, &scratch, threads, &f));
        for (int64_t k = 0; k < data->folds; k++) {
            s->open[k] = needs_total || (!s->over[k] && step >= s->start[k]);
        }
        TRY(penalty_scores(ctx, &scratch, threads, &f, s->open, s->score));
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
        TRY(try_basis(ctx, threads, &data[b], b == 0, &s));
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
