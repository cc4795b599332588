/* classifier_compare.c - compares two segment classifiers on held-out rows, and nested ones by a calibrated ratio. */
#include "classifier/classifier_compare.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "classifier/envelope.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

void compare_rows(int64_t n, const double *larger, const double *smaller, const int32_t *block_of, int64_t blocks,
                  double *scratch, classifier_difference *out)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += (larger[i] - smaller[i]) / (double)n;
    }
    if (block_of) {
        memset(scratch, 0, (size_t)blocks * sizeof *scratch);
        for (int64_t i = 0; i < n; i++) {
            scratch[block_of[i]] += larger[i] - smaller[i] - mean;
        }
        square = envelope_dot(blocks, scratch, scratch);
    } else {
        for (int64_t i = 0; i < n; i++) {
            double d = larger[i] - smaller[i] - mean;
            square += d * d;
        }
    }
    out->mean = mean;
    out->error = sqrt(square) / (double)n;
    out->z = out->error > 0.0 ? mean / out->error : 0.0;
}

/* The state that all draws share; p parameters of the smaller model, q of the larger. */
typedef struct calibration {
    const classifier_model *small, *large;
    double *score_factor;                /* (q, q) Cholesky factor of the larger model's Fisher matrix */
    double *large_factor, *small_factor; /* of the penalised matrices */
    double *large_pull, *small_pull;     /* minus the gradients of the penalties */
    int64_t seed;
    double *ratio; /* (draws) */
} calibration;

/* out (p) = the larger model's vector (q) summed over the coefficients that the smaller model ties together. */
static void contract(const calibration *c, const double *v, double *out)
{
    const classifier_model *s = c->small, *l = c->large;
    int64_t products = s->data->basis * s->data->basis;
    memset(out, 0, (size_t)s->parameters * sizeof *out);
    for (int64_t f = 0; f < s->rank; f++) {
        for (int64_t t = 0; t < products; t++) {
            out[s->place[f * products + t]] += v[l->place[f * products + t]];
        }
    }
    for (int64_t e = 0; e < s->data->segments; e++) {
        for (int64_t f = 0; f <= s->rank; f++) {
            out[model_weight(s, e, f)] = v[model_weight(l, e, f == s->rank ? l->rank : f)];
        }
    }
}

/* One Fisher-scoring step of either model from the same point lowers its objective by half a squared length. */
static nonsens_status draw_job(nonsens_context *ctx, arena *a, int64_t draw, void *state)
{
    const calibration *c = state;
    int64_t q = c->large->parameters, p = c->small->parameters;
    double *normal, *score, *reduced;
    ARENA_TRY(ctx, a, normal, q);
    ARENA_TRY(ctx, a, score, q);
    ARENA_TRY(ctx, a, reduced, p);
    rng r = rng_new((uint64_t)c->seed, RNG_CALIBRATION, (uint64_t)draw);
    for (int64_t i = 0; i < q; i++) {
        normal[i] = rng_normal(&r);
    }
    envelope_multiply(q, c->large->first, c->score_factor, normal, score);
    contract(c, score, reduced);
    for (int64_t i = 0; i < q; i++) {
        score[i] += c->large_pull[i];
    }
    for (int64_t i = 0; i < p; i++) {
        reduced[i] += c->small_pull[i];
    }
    envelope_forward(q, c->large->first, c->large_factor, score);
    envelope_forward(p, c->small->first, c->small_factor, reduced);
    c->ratio[draw] = 0.5 * (envelope_dot(q, score, score) - envelope_dot(p, reduced, reduced));
    return NONSENS_OK;
}

/* factor (n, n) = Cholesky factor of fisher + penalty + pins, or of the Fisher matrix itself. */
static nonsens_status factor_matrix(nonsens_context *ctx, arena *a, const classifier_fit *f, const double *fisher,
                                    bool penalised, double *factor)
{
    const classifier_model *m = &f->model;
    int64_t n = m->parameters;
    double cost, mean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += fisher[i * n + i] / (double)n;
        for (int64_t j = 0; j <= i; j++) {
            factor[i * n + j] = fisher[i * n + j];
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

static nonsens_status pull_of(nonsens_context *ctx, arena *a, const classifier_fit *f, double **out)
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
static nonsens_status whole_fisher(nonsens_context *ctx, arena *a, int threads, const classifier_fit *f, double **out)
{
    int64_t n = f->model.parameters;
    double *fold;
    ARENA_TRY(ctx, a, *out, n * n);
    TRY(fit_fisher(ctx, a, threads, f, &fold));
    for (int64_t k = 0; k < f->model.data->folds; k++) {
        for (int64_t i = 0; i < n * n; i++) {
            (*out)[i] += fold[k * n * n + i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            (*out)[j * n + i] = (*out)[i * n + j];
        }
    }
    return NONSENS_OK;
}

/* The ratio is nearly a sum of weighted chi-squares, which a gamma variable approximates. */
void compare_judge(int64_t draws, const double *ratio, classifier_difference *out)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < draws; i++) {
        mean += ratio[i] / (double)draws;
    }
    for (int64_t i = 0; i < draws; i++) {
        square += (ratio[i] - mean) * (ratio[i] - mean) / (double)(draws - 1);
    }
    out->null_mean = mean;
    out->null_sd = sqrt(square);
    double excess = out->ratio - out->tolerated;
    out->p_value = excess > 0.0 && mean > 0.0 ? special_gamma_tail(mean, square, excess) : 1.0;
}

nonsens_status compare_restriction(nonsens_context *ctx, arena *scratch, int threads, const classifier_fit *small,
                                   const classifier_fit *large, int64_t draws, int64_t seed, classifier_difference *out)
{
    classifier_fit wide; // the smaller model, written in the parameters of the larger
    double *large_fisher, *small_fisher;
    classifier_penalty weight = {.all = small->lambda};
    calibration c = {.seed = seed};
    TRY(fit_new(ctx, scratch, small->model.data, large->model.shape, &weight, &wide));
    fit_start_extended(small, &wide);
    c.small = &small->model;
    c.large = &wide.model;
    int64_t p = c.small->parameters, q = c.large->parameters;
    TRY(whole_fisher(ctx, scratch, threads, &wide, &large_fisher));
    TRY(whole_fisher(ctx, scratch, threads, small, &small_fisher));
    ARENA_TRY(ctx, scratch, c.score_factor, q * q);
    ARENA_TRY(ctx, scratch, c.large_factor, q * q);
    ARENA_TRY(ctx, scratch, c.small_factor, p * p);
    ARENA_TRY(ctx, scratch, c.ratio, draws);
    TRY(factor_matrix(ctx, scratch, &wide, large_fisher, false, c.score_factor));
    TRY(factor_matrix(ctx, scratch, &wide, large_fisher, true, c.large_factor));
    TRY(factor_matrix(ctx, scratch, small, small_fisher, true, c.small_factor));
    TRY(pull_of(ctx, scratch, &wide, &c.large_pull));
    TRY(pull_of(ctx, scratch, small, &c.small_pull));
    TRY(parallel_for(ctx, threads, draws, NULL, draw_job, &c));
    out->ratio = small->objective - large->objective;
    compare_judge(draws, c.ratio, out);
    return NONSENS_OK;
}
