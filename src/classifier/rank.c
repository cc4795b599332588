/*
 * rank.c - tests whether the segments differ in one more way than a fit of rank r describes.
 *
 * Near a fit of rank r, an additional feature adds gamma a' to the coefficients of the logits, and the penalised
 * likelihood rises by gamma' G a - 1/2 (gamma, a)'(F + P)(gamma, a), where G is the (m^2, E) score matrix.  F is
 * approximated by B'B x W, where W is the mean of diag p - p p' over rows; weights a along those of the smaller model
 * and along constants are left out; the best (gamma, a) is then the first singular pair of the whitened G.
 *
 * The distribution of that statistic if rank r is true comes from draws that go through the same steps: labels are
 * drawn, the smaller model is fitted to them by one step of Fisher scoring, and the score is taken after it.  So for
 * the score itself (compare_rank_score) the product form of F costs power at most, not validity; likelihood ratios
 * (compare_rank) have this distribution as far as F is near that form.  At r = 0 nothing is fitted, the form is exact,
 * and G is normal; if rows are in blocks, a model without features stands in for the fit.
 */
#include "base/parallel.h"
#include "base/rng.h"
#include "classifier/classifier_compare.h"
#include "classifier/envelope.h"
#include "classifier/regression.h"
#include "classifier/score_motion.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

enum { POWER_STEPS = 20, FEW_DRAWS = 50 };

/* Computes W (E, E): the mean over rows of the covariance of the segment indicator given x. */
static nonsens_status indicator_covariance(nonsens_context *ctx, arena *a, const classifier_sample *data,
                                           const classifier_fit *small, double **out)
{
    int64_t segments = data->segments;
    ARENA_TRY(ctx, a, *out, segments * segments);
    if (small) {
        return model_covariance(ctx, a, &small->model, small->theta, *out);
    }
    for (int64_t e = 0; e < segments; e++) {
        for (int64_t k = 0; k <= e; k++) {
            (*out)[e * segments + k] = (*out)[k * segments + e] =
                (e == k ? data->share[e] : 0.0) - data->share[e] * data->share[k];
        }
    }
    return NONSENS_OK;
}

/* Makes row v orthogonal to the first `count` rows of q (of length n, orthonormal); false if nothing is left. */
static bool orthogonalise(int64_t n, int64_t count, const double *q, double *v)
{
    double before = envelope_dot(n, v, v);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < count; k++) {
            double along = envelope_dot(n, q + k * n, v);
            for (int64_t i = 0; i < n; i++) {
                v[i] -= along * q[k * n + i];
            }
        }
    }
    double left = envelope_dot(n, v, v);
    for (int64_t i = 0; i < n && left > 0.0; i++) {
        v[i] /= sqrt(left);
    }
    return left > 1e-8 * before;
}

/* Directions of segment weights that the smaller model leaves free, each of unit information. */
typedef struct freedom {
    int64_t count;
    double *direction; /* (count, segments) */
    double stiffness;  /* mean size of the penalty along them, relative to the information */
} freedom;

/* Puts the weights of the smaller model's features, whitened and orthonormal, into rows of q; returns how many. */
static int64_t whiten_features(const classifier_sample *data, const classifier_fit *small, const double *vector,
                               const double *value, double *q)
{
    int64_t segments = data->segments, whitened = segments - 1, used = 0;
    for (int64_t f = 0; small && f < small->model.rank; f++) {
        double *v = q + used * whitened;
        for (int64_t k = 0; k < whitened; k++) {
            v[k] = 0.0;
            for (int64_t e = 0; e < segments; e++) {
                v[k] += sqrt(fmax(value[k + 1], 0.0)) * vector[(k + 1) * segments + e] *
                        small->theta[model_weight(&small->model, e, f)];
            }
        }
        used += orthogonalise(whitened, used, q, v);
    }
    return used;
}

static double weight_variance(const classifier_sample *data, const double *weight)
{
    double mean = 0.0, square = 0.0;
    for (int64_t e = 0; e < data->segments; e++) {
        mean += data->share[e] * weight[e];
        square += data->share[e] * weight[e] * weight[e];
    }
    return square - mean * mean;
}

static nonsens_status find_freedom(nonsens_context *ctx, arena *a, const classifier_sample *data,
                                   const classifier_fit *small, freedom *out)
{
    int64_t segments = data->segments, whitened = segments - 1;
    double *w, *value, *q;
    *out = (freedom){0};
    TRY(indicator_covariance(ctx, a, data, small, &w));
    ARENA_TRY(ctx, a, value, segments);
    ARENA_TRY(ctx, a, q, (segments + MODEL_MAX_RANK) * whitened);
    ARENA_TRY(ctx, a, out->direction, whitened * segments);
    TRY(linalg_eigen_symmetric(ctx, a, segments, w, value)); // ascending: the first is that of the constant, zero
    int64_t used = whiten_features(data, small, w, value, q);
    for (int64_t start = 0; start < whitened && used < whitened; start++) {
        double *v = q + used * whitened, *back = out->direction + out->count * segments;
        memset(v, 0, (size_t)whitened * sizeof *v);
        v[start] = 1.0;
        if (!orthogonalise(whitened, used, q, v)) {
            continue;
        }
        used++;
        out->count++;
        for (int64_t e = 0; e < segments; e++) {
            for (int64_t k = 0; k < whitened; k++) {
                back[e] += v[k] * w[(k + 1) * segments + e] / sqrt(fmax(value[k + 1], 1e-12 * value[segments - 1]));
            }
        }
        out->stiffness += weight_variance(data, back); // the penalty is least for centred weights
    }
    out->stiffness = out->count > 0 ? out->stiffness / (double)out->count : 1.0;
    return NONSENS_OK;
}

/* Computes shrink (size), ascending: the eigenvalues of (B'B + P)^-1 B'B. */
static nonsens_status shrinkage(nonsens_context *ctx, arena *a, const classifier_regression *basis, double **shrink)
{
    classifier_regression g = *basis;
    double *product;
    ARENA_TRY(ctx, a, *shrink, g.size);
    ARENA_TRY(ctx, a, product, g.size * g.size);
    for (int64_t i = 0; i < g.size; i++) {
        for (int64_t j = 0; j < g.size; j++) {
            product[i * g.size + j] = i >= j ? g.gram[i * g.size + j] : g.gram[j * g.size + i];
        }
        envelope_forward(g.size, g.first, g.factor, product + i * g.size); // rows of B'B L'^-1
    }
    for (int64_t i = 0; i < g.size; i++) {
        for (int64_t j = 0; j < i; j++) {
            double keep = product[i * g.size + j];
            product[i * g.size + j] = product[j * g.size + i];
            product[j * g.size + i] = keep;
        }
    }
    for (int64_t i = 0; i < g.size; i++) {
        envelope_forward(g.size, g.first, g.factor, product + i * g.size);
    }
    return linalg_eigen_symmetric(ctx, a, g.size, product, *shrink);
}

/* Returns half the largest squared singular value of x (rows, columns), by the power method. */
static double half_largest(int64_t rows, int64_t columns, const double *x, double *v, double *image)
{
    double length = 0.0;
    for (int64_t c = 0; c < columns; c++) {
        v[c] = 1.0 / sqrt((double)columns);
    }
    for (int step = 0; step < POWER_STEPS; step++) {
        memset(image, 0, (size_t)columns * sizeof *image);
        for (int64_t i = 0; i < rows; i++) {
            double along = envelope_dot(columns, x + i * columns, v);
            for (int64_t c = 0; c < columns; c++) {
                image[c] += along * x[i * columns + c];
            }
        }
        length = sqrt(envelope_dot(columns, image, image));
        for (int64_t c = 0; c < columns && length > 0.0; c++) {
            v[c] = image[c] / length;
        }
    }
    return 0.5 * length;
}

static double chance_objective(const classifier_sample *data)
{
    double sum = 0.0;
    for (int64_t e = 0; e < data->segments; e++) {
        sum -= (double)data->n * data->share[e] * log(data->share[e]);
    }
    return sum;
}

/* ---- the statistic ---- */

/* Computes half the largest squared singular value of the whitened score (segments, m^2) along the free directions. */
static nonsens_status best_further(nonsens_context *ctx, arena *a, const classifier_sample *data,
                                   const classifier_regression *g, const freedom *f, const double *score, double *ratio)
{
    int64_t products = data->basis * data->basis;
    double *target, *solved, *inner, *value;
    ARENA_TRY(ctx, a, target, f->count * g->size + 1);
    ARENA_TRY(ctx, a, solved, f->count * g->size + 1);
    ARENA_TRY(ctx, a, inner, f->count * f->count + 1);
    ARENA_TRY(ctx, a, value, f->count + 1);
    for (int64_t c = 0; c < f->count; c++) {
        for (int64_t e = 0; e < data->segments; e++) {
            for (int64_t t = 0; t < products; t++) {
                target[c * g->size + kind_place(data, g->kind, t)] +=
                    f->direction[c * data->segments + e] * score[e * products + t];
            }
        }
    }
    memcpy(solved, target, (size_t)(f->count * g->size) * sizeof *solved);
    for (int64_t c = 0; c < f->count; c++) {
        regression_solve(g, solved + c * g->size);
        for (int64_t k = 0; k < f->count; k++) {
            inner[c * f->count + k] = envelope_dot(g->size, solved + c * g->size, target + k * g->size);
        }
    }
    if (f->count > 0) {
        TRY(linalg_eigen_symmetric(ctx, a, f->count, inner, value));
    }
    *ratio = f->count > 0 ? 0.5 * value[f->count - 1] : 0.0;
    return NONSENS_OK;
}

/* ---- its distribution under the null ---- */

typedef struct rank_null {
    const compare_draws *by;
    const classifier_fit *small; /* NULL: there is no feature, and rows are independent */
    const classifier_regression *basis;
    const freedom *free;
    score_law law;
    score_motion motion;
    double *pull;   /* (segments, m^2) slope of the penalty */
    double *factor; /* of the smaller model's penalised Fisher matrix */
    double *shrink; /* at chance: see shrinkage */
    int64_t first;  /* the draw that job 0 makes */
    double *ratio;  /* (draws) */
} rank_null;

/* Draws ratios if there is no feature. */
static nonsens_status draw_at_chance(nonsens_context *ctx, arena *a, const rank_null *n, int64_t from, int64_t to)
{
    int64_t columns = n->free->count, rows = n->basis->size - 1; // without the constant
    double *x, *v, *image;
    ARENA_TRY(ctx, a, x, rows * columns + 1);
    ARENA_TRY(ctx, a, v, columns + 1);
    ARENA_TRY(ctx, a, image, columns + 1);
    for (int64_t draw = from; draw < to; draw++) {
        rng r = rng_new((uint64_t)n->by->seed, RNG_CALIBRATION, (uint64_t)draw);
        for (int64_t i = 0; i < rows * columns; i++) {
            x[i] = rng_normal(&r) * sqrt(fmax(n->shrink[i / columns], 0.0));
        }
        n->ratio[draw] = half_largest(rows, columns, x, v, image);
    }
    return NONSENS_OK;
}

/* Computes slope (segments, m^2) of the penalty at theta. */
static nonsens_status penalty_slope(nonsens_context *ctx, arena *a, const classifier_fit *small, const double *theta,
                                    double *slope)
{
    int64_t size = small->model.data->segments * small->model.data->basis * small->model.data->basis;
    double cost;
    memset(slope, 0, (size_t)size * sizeof *slope);
    return model_penalty(ctx, a, &small->model, theta, small->lambda, &cost, NULL, NULL, slope);
}

/* Computes a step (parameters) of Fisher scoring and theta = fitted parameters + a share of it; returns that share. */
static double step_towards(const rank_null *n, const double *score, double *step, double *theta)
{
    static const double SMALL = 1e-4;
    const classifier_model *m = &n->small->model;
    double largest = 1.0;
    score_contract(m, n->small->theta, score, step);
    envelope_forward(m->parameters, m->first, n->factor, step);
    envelope_backward(m->parameters, m->first, n->factor, step);
    for (int64_t i = 0; i < m->parameters; i++) {
        largest = fmax(largest, fabs(step[i]));
    }
    for (int64_t i = 0; i < m->parameters; i++) {
        theta[i] = n->small->theta[i] + SMALL / largest * step[i];
    }
    return SMALL / largest;
}

/*
 * Subtracts from the score what the step changes, to first order: the derivative along the step, and for the penalty a
 * difference over a small share of it.  A whole step would overshoot if segments can be recognised with near certainty.
 */
static nonsens_status draw_job(nonsens_context *ctx, arena *a, int64_t job, void *state)
{
    const rank_null *n = state;
    const classifier_model *m = &n->small->model;
    int64_t size = m->data->segments * m->data->basis * m->data->basis, draw = n->first + job;
    double *along, *score, *pull, *step, *theta;
    ARENA_TRY(ctx, a, along, size);
    ARENA_TRY(ctx, a, score, size);
    ARENA_TRY(ctx, a, pull, size);
    ARENA_TRY(ctx, a, step, m->parameters);
    ARENA_TRY(ctx, a, theta, m->parameters);
    TRY(score_law_draw(ctx, a, &n->law, draw, score));
    for (int64_t i = 0; i < size; i++) {
        score[i] -= n->law.expected[i] + n->pull[i];
    }
    double share = step_towards(n, score, step, theta);
    TRY(score_motion_along(ctx, a, &n->motion, step, along));
    TRY(penalty_slope(ctx, a, n->small, theta, pull));
    for (int64_t i = 0; i < size; i++) {
        score[i] -= along[i] + (pull[i] - n->pull[i]) / share;
    }
    return best_further(ctx, a, m->data, n->basis, n->free, score, &n->ratio[draw]);
}

/* Makes the draws from, ..., to - 1 of the ratio. */
static nonsens_status draw_ratios(nonsens_context *ctx, arena *a, rank_null *n, int64_t from, int64_t to)
{
    if (!n->small) {
        return draw_at_chance(ctx, a, n, from, to);
    }
    n->first = from;
    TRY(score_law_prepare(ctx, a, &n->law, from, to));
    return parallel_for(ctx, n->by->threads, to - from, NULL, draw_job, n);
}

/* Sets up the null distribution around a fit; NULL: at chance. */
static nonsens_status null_new(nonsens_context *ctx, arena *a, const compare_draws *by, const classifier_fit *small,
                               const classifier_regression *g, const freedom *f, rank_null *n)
{
    double *fisher;
    *n = (rank_null){.by = by, .small = small, .basis = g, .free = f};
    ARENA_TRY(ctx, a, n->ratio, by->draws);
    if (!small) {
        return shrinkage(ctx, a, g, &n->shrink);
    }
    TRY(score_law_new(ctx, a, &small->model, small->theta, &by->blocks, by->seed, &n->law));
    TRY(score_motion_new(ctx, a, &small->model, small->theta, &n->motion));
    ARENA_TRY(ctx, a, n->pull, small->model.data->segments * small->model.data->basis * small->model.data->basis);
    TRY(penalty_slope(ctx, a, small, small->theta, n->pull));
    TRY(score_fisher(ctx, a, by->threads, small, &fisher));
    ARENA_TRY(ctx, a, n->factor, small->model.parameters * small->model.parameters);
    return score_factor(ctx, a, small, fisher, true, n->factor);
}

/* Judges out->ratio by a few draws, and by all of them unless the p-value is far from the levels that matter. */
static nonsens_status judge_ratio(nonsens_context *ctx, arena *a, rank_null *n, classifier_difference *out)
{
    const compare_draws *by = n->by;
    int64_t few = by->low > 0.0 && by->draws > FEW_DRAWS ? FEW_DRAWS : by->draws;
    TRY(draw_ratios(ctx, a, n, 0, few));
    compare_judge(few, n->ratio, out);
    if (few < by->draws && out->p_value >= by->low && out->p_value <= by->high) {
        TRY(draw_ratios(ctx, a, n, few, by->draws));
        compare_judge(by->draws, n->ratio, out);
    }
    return NONSENS_OK;
}

/* Makes a model without features, whose constants are the log shares of the segments. */
static nonsens_status fit_nothing(nonsens_context *ctx, arena *a, int threads, const classifier_fit *large,
                                  classifier_fit *out)
{
    classifier_penalty weight = {.all = large->lambda};
    TRY(fit_new(ctx, a, large->model.data, (classifier_shape){0, 0, 0}, &weight, out));
    return fit_evaluate(ctx, a, threads, out);
}

/* ---- comparisons ---- */

nonsens_status compare_rank(nonsens_context *ctx, arena *scratch, const compare_draws *by, const classifier_fit *small,
                            const classifier_fit *large, classifier_difference *out)
{
    const classifier_sample *data = large->model.data;
    freedom f;
    classifier_regression g;
    classifier_fit none;
    rank_null law;
    TRY(find_freedom(ctx, scratch, data, small, &f));
    TRY(classifier_regression_new(ctx, scratch, &large->model, shape_kind(large->model.shape, 0),
                                  f.stiffness * large->lambda, f.stiffness, &g));
    if (!small && by->blocks.block_of) {
        TRY(fit_nothing(ctx, scratch, by->threads, large, &none));
    }
    TRY(null_new(ctx, scratch, by, small || !by->blocks.block_of ? small : &none, &g, &f, &law));
    out->ratio = (small ? small->objective : chance_objective(data)) - large->objective;
    return judge_ratio(ctx, scratch, &law, out);
}

nonsens_status compare_rank_score(nonsens_context *ctx, arena *scratch, const compare_draws *by,
                                  const classifier_fit *small, classifier_difference *out)
{
    const classifier_sample *data = small->model.data;
    int64_t size = data->segments * data->basis * data->basis;
    freedom f;
    classifier_regression g;
    rank_null law;
    double *slope, cost;
    TRY(find_freedom(ctx, scratch, data, small, &f));
    TRY(classifier_regression_new(ctx, scratch, &small->model, shape_kind(small->model.shape, 0),
                                  f.stiffness * small->lambda, f.stiffness, &g));
    TRY(null_new(ctx, scratch, by, small, &g, &f, &law));
    ARENA_TRY(ctx, scratch, slope, size);
    for (int64_t i = 0; i < data->folds * size; i++) {
        slope[i % size] += small->fold_slope[i];
    }
    TRY(model_penalty(ctx, scratch, &small->model, small->theta, small->lambda, &cost, NULL, NULL, slope));
    TRY(best_further(ctx, scratch, data, &g, &f, slope, &out->ratio)); // its sign does not matter
    return judge_ratio(ctx, scratch, &law, out);
}
