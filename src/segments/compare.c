#include "segments/compare.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "math/envelope.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

difference compare_rows(int64_t n, const double *first, const double *second, const int32_t *block_of, int64_t blocks,
                        double *scratch)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += (first[i] - second[i]) / (double)n;
    }
    if (block_of) {
        memset(scratch, 0, (size_t)blocks * sizeof *scratch);
        for (int64_t i = 0; i < n; i++) {
            scratch[block_of[i]] += first[i] - second[i] - mean;
        }
        for (int64_t b = 0; b < blocks; b++) {
            square += scratch[b] * scratch[b];
        }
    } else {
        for (int64_t i = 0; i < n; i++) {
            double d = first[i] - second[i] - mean;
            square += d * d;
        }
    }
    double error = sqrt(square) / (double)n;
    return (difference){mean, error, error > 0.0 ? mean / error : 0.0, NAN, NAN, NAN};
}

/* ---- calibration ---- */

/* Everything that a draw needs, in the parameters of the larger model. */
typedef struct calibration {
    const model *small, *large;
    double *score_factor;               /* (q, q) Cholesky factor of the larger model's Fisher matrix, all rows */
    double *fisher;                     /* (q, q) that matrix, both triangles */
    double *large_factor, *small_factor; /* of the penalised matrices on the rows outside a fold */
    double *large_pull, *small_pull;    /* minus the gradients of the penalties */
    int64_t folds, seed;
    double *z; /* (draws) */
} calibration;

/* out (p) = the larger model's vector (q) summed over the coefficients that the smaller model ties together. */
static void contract(const calibration *c, const double *v, double *out)
{
    const model *s = c->small, *l = c->large;
    int64_t products = s->data->basis * s->data->basis;
    memset(out, 0, (size_t)s->parameters * sizeof *out);
    for (int64_t f = 0; f < s->rank; f++) {
        int64_t step = shape_kind(l->shape, f) == KIND_BOTH ? 1 : 0;
        for (int64_t t = 0; t < products; t++) {
            if (step || (shape_kind(l->shape, f) == KIND_FIRST ? t % s->data->basis : t / s->data->basis) == 0) {
                out[s->place[f * products + t]] += v[l->place[f * products + t]];
            }
        }
    }
    for (int64_t e = 0; e < s->data->segments; e++) {
        for (int64_t f = 0; f <= s->rank; f++) {
            out[model_weight(s, e, f)] = v[model_weight(l, e, f == s->rank ? l->rank : f)];
        }
    }
}

/* out (q) = the smaller model's vector (p) written in the larger model's parameters. */
static void spread(const calibration *c, const double *v, double *out)
{
    const model *s = c->small, *l = c->large;
    int64_t products = s->data->basis * s->data->basis;
    memset(out, 0, (size_t)l->parameters * sizeof *out);
    for (int64_t f = 0; f < s->rank; f++) {
        for (int64_t t = 0; t < products; t++) {
            out[l->place[f * products + t]] = v[s->place[f * products + t]];
        }
    }
    for (int64_t e = 0; e < s->data->segments; e++) {
        for (int64_t f = 0; f <= s->rank; f++) {
            out[model_weight(l, e, f == s->rank ? l->rank : f)] = v[model_weight(s, e, f)];
        }
    }
}

static void multiply_symmetric(int64_t n, const double *a, const double *x, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = envelope_dot(n, a + i * n, x);
    }
}

static nonsens_status draw_job(nonsens_context *ctx, arena *a, int64_t draw, void *state)
{
    const calibration *c = state;
    int64_t q = c->large->parameters, p = c->small->parameters, folds = c->folds;
    double *score, *total, *train, *small_step, *step, *reduced, *image;
    ARENA_TRY(ctx, a, score, folds * q);
    ARENA_TRY(ctx, a, total, q);
    ARENA_TRY(ctx, a, train, q);
    ARENA_TRY(ctx, a, step, q);
    ARENA_TRY(ctx, a, small_step, q);
    ARENA_TRY(ctx, a, reduced, p);
    ARENA_TRY(ctx, a, image, q);
    rng r = rng_open((uint64_t)c->seed, RNG_CALIBRATION, (uint64_t)draw);
    for (int64_t k = 0; k < folds; k++) {
        for (int64_t i = 0; i < q; i++) {
            train[i] = rng_normal(&r) / sqrt((double)folds);
        }
        envelope_multiply(q, c->large->first, c->score_factor, train, score + k * q);
        for (int64_t i = 0; i < q; i++) {
            total[i] += score[k * q + i];
        }
    }
    double gain = 0.0, variance = 0.0;
    for (int64_t k = 0; k < folds; k++) {
        for (int64_t i = 0; i < q; i++) {
            train[i] = total[i] - score[k * q + i];
            step[i] = train[i] + c->large_pull[i];
        }
        contract(c, train, reduced);
        for (int64_t i = 0; i < p; i++) {
            reduced[i] += c->small_pull[i];
        }
        envelope_forward(q, c->large->first, c->large_factor, step);
        envelope_backward(q, c->large->first, c->large_factor, step);
        envelope_forward(p, c->small->first, c->small_factor, reduced);
        envelope_backward(p, c->small->first, c->small_factor, reduced);
        spread(c, reduced, small_step);
        // gain of the fold: s'(dL - dS) - (dL'F dL - dS'F dS) / 2, and (dL - dS)'F(dL - dS); F is a K-th of the whole
        for (int64_t i = 0; i < q; i++) {
            gain += score[k * q + i] * (step[i] - small_step[i]);
            small_step[i] += step[i]; // now the sum
            step[i] = 2.0 * step[i] - small_step[i]; // now the difference
        }
        multiply_symmetric(q, c->fisher, step, image);
        gain -= 0.5 * envelope_dot(q, small_step, image) / (double)folds;
        variance += envelope_dot(q, step, image) / (double)folds;
    }
    c->z[draw] = variance > 0.0 ? gain / sqrt(variance) : 0.0;
    return NONSENS_OK;
}

/* factor (n, n) = Cholesky factor of share * fisher + penalty + pins, or of the Fisher matrix itself. */
static nonsens_status factor_matrix(nonsens_context *ctx, arena *a, const fit *f, const double *fisher, double share,
                                    bool penalised, double *factor)
{
    const model *m = &f->model;
    int64_t n = m->parameters;
    double cost, mean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += fisher[i * n + i] / (double)n;
        for (int64_t j = 0; j <= i; j++) {
            factor[i * n + j] = share * fisher[i * n + j];
        }
    }
    if (penalised) {
        TRY(model_penalty(ctx, a, m, f->theta, f->lambda, &cost, NULL, factor, NULL));
        TRY(model_pin(ctx, a, m, f->theta, factor));
    }
    for (int64_t i = 0; i < n; i++) {
        factor[i * n + i] += 1e-9 * mean;
    }
    return envelope_factor(n, m->first, factor)
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_NUMERIC, "the Fisher matrix of a segment classifier is not positive definite");
}

static nonsens_status pull_of(nonsens_context *ctx, arena *a, const fit *f, double **out)
{
    double cost;
    ARENA_TRY(ctx, a, *out, f->model.parameters);
    TRY(model_penalty(ctx, a, &f->model, f->theta, f->lambda, &cost, *out, NULL, NULL));
    for (int64_t i = 0; i < f->model.parameters; i++) {
        (*out)[i] = -(*out)[i];
    }
    return NONSENS_OK;
}

/* The Fisher matrix of all rows at f->theta, both triangles. */
static nonsens_status whole_fisher(nonsens_context *ctx, arena *a, const fit *f, double **out)
{
    int64_t n = f->model.parameters;
    ARENA_TRY(ctx, a, *out, n * n);
    for (int64_t k = 0; k < f->model.data->folds; k++) {
        for (int64_t i = 0; i < n * n; i++) {
            (*out)[i] += f->fold_fisher[k * n * n + i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            (*out)[j * n + i] = (*out)[i * n + j];
        }
    }
    return NONSENS_OK;
}

static void summarise(int64_t draws, const double *z, difference *d)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < draws; i++) {
        mean += z[i] / (double)draws;
    }
    for (int64_t i = 0; i < draws; i++) {
        square += (z[i] - mean) * (z[i] - mean) / (double)(draws - 1);
    }
    d->null_mean = mean;
    d->null_sd = sqrt(square);
    d->p_value = special_normal_tail((d->z - mean) / d->null_sd);
}

nonsens_status compare_calibrate(nonsens_context *ctx, arena *scratch, int threads, const fit *small, shape large,
                                 int64_t draws, int64_t seed, difference *d)
{
    fit wide;
    double *small_fisher, share;
    calibration c = {.folds = small->model.data->folds, .seed = seed};
    share = (double)(c.folds - 1) / (double)c.folds;
    penalty weight = {small->lambda, small->fold_lambda};
    TRY(fit_new(ctx, scratch, small->model.data, large, &weight, &wide));
    TRY(fit_start_extended(ctx, scratch, small, &wide));
    TRY(fit_evaluate(ctx, scratch, threads, &wide));
    c.small = &small->model;
    c.large = &wide.model;
    int64_t p = c.small->parameters, q = c.large->parameters;
    TRY(whole_fisher(ctx, scratch, &wide, &c.fisher));
    TRY(whole_fisher(ctx, scratch, small, &small_fisher));
    ARENA_TRY(ctx, scratch, c.score_factor, q * q);
    ARENA_TRY(ctx, scratch, c.large_factor, q * q);
    ARENA_TRY(ctx, scratch, c.small_factor, p * p);
    ARENA_TRY(ctx, scratch, c.z, draws);
    TRY(factor_matrix(ctx, scratch, &wide, c.fisher, 1.0, false, c.score_factor));
    TRY(factor_matrix(ctx, scratch, &wide, c.fisher, share, true, c.large_factor));
    TRY(factor_matrix(ctx, scratch, small, small_fisher, share, true, c.small_factor));
    TRY(pull_of(ctx, scratch, &wide, &c.large_pull));
    TRY(pull_of(ctx, scratch, small, &c.small_pull));
    TRY(parallel_for(ctx, threads, draws, NULL, draw_job, &c));
    summarise(draws, c.z, d);
    return NONSENS_OK;
}
