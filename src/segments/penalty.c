#include "segments/penalty.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

static const double PATH[] = {0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4, 3e-5};
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

nonsens_status penalty_choose(nonsens_context *ctx, arena *a, int threads, const sample *data, double undersmooth,
                              penalty *out)
{
    int64_t folds = data->folds;
    arena scratch = {0};
    double *lambda, *score, *best, total, best_total = -INFINITY;
    shape s = {0, 0, data->segments > 2 ? 2 : 1};
    fit f;
    ARENA_TRY(ctx, a, lambda, folds);
    ARENA_TRY(ctx, a, score, folds);
    ARENA_TRY(ctx, a, best, folds);
    for (int64_t k = 0; k < folds; k++) {
        best[k] = -INFINITY;
    }
    for (int64_t step = 0; step < STEPS; step++) {
        penalty weight = {PATH[step], lambda};
        nonsens_status status = NONSENS_OK;
        if (step == 0) {
            TRY(fit_new(ctx, a, data, s, &weight, &f));
            status = fit_start_cold(ctx, &scratch, &f);
        }
        f.lambda = PATH[step];
        status = status == NONSENS_OK ? fit_all(ctx, &scratch, threads, &f) : status;
        status = status == NONSENS_OK ? score_path(ctx, &scratch, threads, &f, score) : status;
        arena_free(&scratch);
        TRY(status);
        total = 0.0;
        for (int64_t k = 0; k < folds; k++) {
            total += score[k];
            if (score[k] > best[k]) {
                best[k] = score[k];
                lambda[k] = PATH[step] / undersmooth;
            }
        }
        if (total > best_total) {
            best_total = total;
            out->all = PATH[step] / undersmooth;
        } else {
            break;
        }
    }
    out->fold = lambda;
    return NONSENS_OK;
}
