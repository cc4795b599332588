/* classifier_compare.c - compares two segment classifiers on held-out rows, and nested ones by a calibrated ratio. */
#include "classifier/classifier_compare.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "classifier/envelope.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

/*
 * Limit, in standard deviations of the ratio, of what is attributed to the error of the features: a mere share of the
 * segments' differences would grow without bound with shifts of location, which are easy to detect.
 */
static const double MAX_TOLERATED = 2.0;

void compare_rows(int64_t n, const double *larger, const double *smaller, const classifier_blocks *blocks,
                  double *scratch, classifier_difference *out)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += (larger[i] - smaller[i]) / (double)n;
    }
    if (blocks->block_of) {
        memset(scratch, 0, (size_t)blocks->count * sizeof *scratch);
        for (int64_t i = 0; i < n; i++) {
            scratch[blocks->block_of[i]] += larger[i] - smaller[i] - mean;
        }
        square = blocks->inflation * envelope_dot(blocks->count, scratch, scratch);
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
    const score_law *law;                /* of the larger model by blocks of rows; NULL: rows are independent */
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

/* Draws a score (q): normal with the Fisher matrix as covariance, or from labels by blocks. */
static nonsens_status draw_score(nonsens_context *ctx, arena *a, const calibration *c, int64_t draw, double *score)
{
    int64_t q = c->large->parameters, size = c->large->data->segments * c->large->data->basis * c->large->data->basis;
    double *normal, *logits;
    if (!c->law) {
        rng r = rng_new((uint64_t)c->seed, RNG_CALIBRATION, (uint64_t)draw);
        ARENA_TRY(ctx, a, normal, q);
        for (int64_t i = 0; i < q; i++) {
            normal[i] = rng_normal(&r);
        }
        envelope_multiply(q, c->large->first, c->score_factor, normal, score);
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, logits, size);
    TRY(score_law_draw(ctx, a, c->law, draw, logits));
    for (int64_t i = 0; i < size; i++) {
        logits[i] -= c->law->expected[i];
    }
    score_contract(c->large, c->law->theta, logits, score);
    return NONSENS_OK;
}

/* One Fisher-scoring step of either model from the same point lowers its objective by half a squared length. */
static nonsens_status draw_job(nonsens_context *ctx, arena *a, int64_t draw, void *state)
{
    const calibration *c = state;
    int64_t q = c->large->parameters, p = c->small->parameters;
    double *score, *reduced;
    ARENA_TRY(ctx, a, score, q);
    ARENA_TRY(ctx, a, reduced, p);
    TRY(draw_score(ctx, a, c, draw, score));
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

/*
 * The ratio is nearly a sum of weighted chi-squares.  If the smaller model errs by the tolerated amount, they are
 * non-central: half a chi-square with q degrees of freedom and non-centrality 2 t has mean q / 2 + t and variance
 * q / 2 + 2 t.
 */
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
    out->tolerated = fmin(out->tolerated, MAX_TOLERATED * out->null_sd);
    double more = out->tolerated;
    out->p_value =
        out->ratio > more && mean > 0.0 ? special_gamma_tail(mean + more, square + 2.0 * more, out->ratio) : 1.0;
}

nonsens_status compare_restriction(nonsens_context *ctx, arena *scratch, const compare_draws *by,
                                   const classifier_fit *small, const classifier_fit *large, classifier_difference *out)
{
    classifier_fit wide; // the smaller model, written in the parameters of the larger
    double *large_fisher, *small_fisher;
    classifier_penalty weight = {.all = small->lambda};
    calibration c = {.seed = by->seed};
    score_law law;
    TRY(fit_new(ctx, scratch, small->model.data, large->model.shape, &weight, &wide));
    fit_start_extended(small, &wide);
    c.small = &small->model;
    c.large = &wide.model;
    int64_t p = c.small->parameters, q = c.large->parameters;
    TRY(score_fisher(ctx, scratch, by->threads, &wide, &large_fisher));
    TRY(score_fisher(ctx, scratch, by->threads, small, &small_fisher));
    ARENA_TRY(ctx, scratch, c.score_factor, q * q);
    ARENA_TRY(ctx, scratch, c.large_factor, q * q);
    ARENA_TRY(ctx, scratch, c.small_factor, p * p);
    ARENA_TRY(ctx, scratch, c.ratio, by->draws);
    if (by->blocks.block_of) {
        TRY(score_law_new(ctx, scratch, &wide.model, wide.theta, &by->blocks, by->seed, &law));
        TRY(score_law_prepare(ctx, scratch, &law, 0, by->draws));
        c.law = &law;
    } else {
        TRY(score_factor(ctx, scratch, &wide, large_fisher, false, c.score_factor));
    }
    TRY(score_factor(ctx, scratch, &wide, large_fisher, true, c.large_factor));
    TRY(score_factor(ctx, scratch, small, small_fisher, true, c.small_factor));
    TRY(pull_of(ctx, scratch, &wide, &c.large_pull));
    TRY(pull_of(ctx, scratch, small, &c.small_pull));
    TRY(parallel_for(ctx, by->threads, by->draws, NULL, draw_job, &c));
    out->ratio = small->objective - large->objective;
    compare_judge(by->draws, c.ratio, out);
    return NONSENS_OK;
}
