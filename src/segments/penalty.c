#include "segments/penalty.h"

#include "base/parallel.h"

#include <math.h>
#include <stdbool.h>

static const double PATH[] = {0.03, 0.005, 8e-4, 1.5e-4, 2.5e-5, 4e-6};
enum { STEPS = sizeof PATH / sizeof *PATH };

typedef struct pairs {
    const fit *f;
    double *score; /* (folds, folds) log-likelihood of fold j by the fit without folds k and j: score[k * folds + j] */
} pairs;

static nonsens_status score_fold(nonsens_context *ctx, arena *scratch, const model *m, const double *theta,
                                 int64_t fold, double *score)
{
    model_sums sums = {0, NULL, NULL, NULL};
    TRY(model_sum(ctx, scratch, m, theta, fold, &sums));
    *score = sums.log_likelihood;
    return NONSENS_OK;
}

/* Job: an unordered pair of folds, numbered row by row. */
static nonsens_status pair_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const pairs *s = state;
    const model *m = &s->f->model;
    int64_t folds = m->data->folds, k = 1;
    while (job >= k) {
        job -= k++;
    }
    double *theta;
    ARENA_TRY(ctx, scratch, theta, m->parameters);
    TRY(fit_without_two(ctx, scratch, s->f, k, job, theta));
    TRY(score_fold(ctx, scratch, m, theta, job, &s->score[k * folds + job]));
    return score_fold(ctx, scratch, m, theta, k, &s->score[job * folds + k]);
}

/* score (folds): for each fold, how well the others are predicted without it. */
static nonsens_status score_path(nonsens_context *ctx, arena *scratch, int threads, const fit *f, double *score)
{
    int64_t folds = f->model.data->folds;
    pairs s = {f, NULL};
    ARENA_TRY(ctx, scratch, s.score, folds * folds);
    TRY(parallel_for(ctx, threads, folds * (folds - 1) / 2, NULL, pair_job, &s));
    for (int64_t k = 0; k < folds; k++) {
        score[k] = 0.0;
        for (int64_t j = 0; j < folds; j++) {
            score[k] += s.score[k * folds + j];
        }
    }
    return NONSENS_OK;
}

/* What one step of the path has found for each fold. */
typedef struct search {
    double *lambda, *score, *best; /* (folds) */
    bool *over;                    /* (folds) its score has fallen */
    double best_total;
} search;

/* Takes in the scores of one penalty; false where no fold gains from rougher ones. */
static bool take_step(int64_t folds, double lambda, search *s, penalty *out)
{
    double total = 0.0;
    bool more = false;
    for (int64_t k = 0; k < folds; k++) {
        total += s->score[k];
        s->over[k] = s->over[k] || s->score[k] <= s->best[k];
        if (!s->over[k]) {
            s->best[k] = s->score[k];
            s->lambda[k] = lambda;
            more = true;
        }
    }
    if (total > s->best_total) {
        s->best_total = total;
        out->all = lambda;
    }
    return more;
}

static nonsens_status try_penalty(nonsens_context *ctx, int threads, bool cold, fit *f, double *score)
{
    arena scratch = {0};
    nonsens_status status = cold ? fit_start_cold(ctx, &scratch, f) : NONSENS_OK;
    status = status == NONSENS_OK ? fit_all(ctx, &scratch, threads, f) : status;
    status = status == NONSENS_OK ? score_path(ctx, &scratch, threads, f, score) : status;
    arena_free(&scratch);
    return status;
}

nonsens_status penalty_choose(nonsens_context *ctx, arena *a, int threads, const sample *data, penalty *out)
{
    int64_t folds = data->folds;
    search s = {.best_total = -INFINITY};
    fit f;
    ARENA_TRY(ctx, a, s.lambda, folds);
    ARENA_TRY(ctx, a, s.score, folds);
    ARENA_TRY(ctx, a, s.best, folds);
    ARENA_TRY(ctx, a, s.over, folds);
    for (int64_t k = 0; k < folds; k++) {
        s.best[k] = -INFINITY;
    }
    *out = (penalty){PATH[0], s.lambda, PATH[0]};
    TRY(fit_new(ctx, a, data, (shape){0, 0, data->segments > 2 ? 2 : 1}, out, &f));
    for (int64_t step = 0; step < STEPS; step++) {
        f.lambda = PATH[step];
        TRY(try_penalty(ctx, threads, step == 0, &f, s.score));
        if (!take_step(folds, PATH[step], &s, out)) {
            break;
        }
    }
    out->test = out->all;
    return NONSENS_OK;
}
