/* newton.c - computes and factors the matrix of a step, and adapts how far it is trusted. */
#include "classifier/newton.h"

#include "classifier/envelope.h"

#include <math.h>
#include <string.h>

static const double MAX_DAMPING = 1e8;
static const double SHARE[NEWTON_LAST_LEVEL + 1] = {1.0, 0.9, 0.7, 0.4, 0.0};

nonsens_status point_new(nonsens_context *ctx, arena *a, const classifier_model *m, classifier_point *out)
{
    int64_t p = m->parameters;
    ARENA_TRY(ctx, a, out->slope, slope_size(m));
    ARENA_TRY(ctx, a, out->theta, p);
    ARENA_TRY(ctx, a, out->gradient, p);
    return NONSENS_OK;
}

nonsens_status newton_matrix(nonsens_context *ctx, arena *scratch, int threads, const classifier_model *m,
                             const double *theta, double lambda, int64_t without, double *hessian)
{
    arena_mark mark = arena_tell(scratch);
    double cost;
    memset(hessian, 0, (size_t)(m->parameters * m->parameters) * sizeof *hessian);
    TRY(model_fisher_by_groups(ctx, scratch, threads, m, theta, without, hessian));
    TRY(model_penalty(ctx, scratch, m, theta, lambda, &cost, NULL, hessian, NULL));
    TRY(model_pin(ctx, scratch, m, theta, hessian));
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

bool trust_is_lost(const classifier_trust *t)
{
    return !(t->damping < MAX_DAMPING);
}

bool trust_has_converged(const classifier_trust *t, double half, double tolerance)
{
    return half < tolerance && t->damping < 0.01;
}

void trust_less(classifier_trust *t)
{
    if (t->level < NEWTON_LAST_LEVEL) {
        t->level++;
    } else {
        t->damping = fmax(8.0 * t->damping, 1e-3); // smaller damping makes no difference
    }
}

void trust_weigh(classifier_trust *t, double share)
{
    if (share > 0.7) {
        t->damping = fmax(0.03 * t->damping, 1e-9);
        if (t->level > 0 && t->damping < 1e-3) {
            t->level--;
        }
    } else if (share < 0.3 && t->level == NEWTON_LAST_LEVEL) { // Fisher's matrix is a poor approximation here
        t->level = 0;
    }
}

static bool factor_once(const classifier_model *m, const double *hessian, const double *slope, double share,
                        double damping, double *factor)
{
    int64_t p = m->parameters;
    double mean = 0.0;
    for (int64_t i = 0; i < p; i++) {
        mean += hessian[i * p + i] / (double)p;
    }
    for (int64_t i = 0; i < p; i++) {
        memcpy(factor + i * p + m->first[i], hessian + i * p + m->first[i],
               (size_t)(i + 1 - m->first[i]) * sizeof *factor);
        factor[i * p + i] += damping * (hessian[i * p + i] + 1e-3 * mean) + 1e-300;
    }
    if (share > 0.0) {
        model_add_bilinear(m, share, slope, factor);
    }
    return envelope_factor(p, m->first, factor);
}

nonsens_status newton_factor(nonsens_context *ctx, const classifier_model *m, const double *hessian,
                             const double *slope, classifier_trust *t, double *factor)
{
    for (; t->level < NEWTON_LAST_LEVEL; t->level++) {
        if (factor_once(m, hessian, slope, SHARE[t->level], t->damping, factor)) {
            return NONSENS_OK;
        }
    }
    while (!factor_once(m, hessian, slope, 0.0, t->damping, factor)) {
        t->damping *= 10.0;
        if (trust_is_lost(t)) {
            return fail(ctx, NONSENS_ERR_NUMERIC,
                        "the segment classifier broke down: its second derivatives are not finite");
        }
    }
    return NONSENS_OK;
}

double newton_step(const classifier_model *m, const double *factor, const double *gradient, double *step)
{
    int64_t p = m->parameters;
    memcpy(step, gradient, (size_t)p * sizeof *step);
    envelope_forward(p, m->first, factor, step);
    double half = 0.5 * envelope_dot(p, step, step);
    envelope_backward(p, m->first, factor, step);
    for (int64_t i = 0; i < p; i++) {
        step[i] = -step[i];
    }
    return half;
}
