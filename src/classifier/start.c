/*
 * start.c - computes the parameters at which a fit begins.
 *
 * Cold: at equal logits the penalised likelihood is quadratic in the logit functions g_e, with minimum
 * g_e = (B'B + lambda P)^-1 B'(y_e - pi_e) / pi_e.  The best r features in that metric come from the eigenvectors of
 * the (E, E) matrix of their inner products.  Restricted: among combinations of the features of a fitted free model,
 * those that one variable explains best (a generalised eigenproblem of size r) are replaced by that explanation.
 */
#include "classifier/envelope.h"
#include "classifier/fit.h"
#include "classifier/regression.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

/* Computes B' (y_e - pi_e) / sqrt(pi_e) for all segments: target (segments + 1, size), the last row is scratch. */
static void segment_targets(const classifier_sample *s, const classifier_regression *g, double *target)
{
    double *mean = target + s->segments * g->size; // the last row: B' 1
    for (int64_t i = 0; i < s->n; i++) {
        const double *v = s->value + 8 * i;
        double *of_segment = target + s->label[i] * g->size;
        for (int64_t k = 0; k < REGRESSION_PRODUCTS; k++) {
            int64_t at = kind_place(s, g->kind, s->corner[i] + k / 4 * s->basis + k % 4);
            of_segment[at] += v[k / 4] * v[4 + k % 4];
            mean[at] += v[k / 4] * v[4 + k % 4];
        }
    }
    for (int64_t e = 0; e < s->segments; e++) {
        for (int64_t j = 0; j < g->size; j++) {
            target[e * g->size + j] = (target[e * g->size + j] - s->share[e] * mean[j]) / sqrt(s->share[e]);
        }
    }
}

/* ---- cold ---- */

/* Writes a feature: coefficients over the basis of its kind, and the weights of the segments. */
static void put_feature(classifier_fit *f, int64_t feature, const double *coefficient, const double *weight)
{
    const classifier_model *m = &f->model;
    int64_t products = m->data->basis * m->data->basis;
    enum classifier_kind kind = shape_kind(m->shape, feature);
    for (int64_t t = 0; t < products; t++) {
        f->theta[m->place[feature * products + t]] = coefficient[kind_place(m->data, kind, t)];
    }
    for (int64_t e = 0; e < m->data->segments; e++) {
        f->theta[model_weight(m, e, feature)] = weight[e];
    }
}

static nonsens_status cold_kind(nonsens_context *ctx, arena *a, classifier_fit *f, enum classifier_kind kind,
                                int64_t from, int64_t count)
{
    const classifier_sample *s = f->model.data;
    int64_t segments = s->segments;
    classifier_regression g;
    double *target, *solved, *inner, *value, *coefficient, *weight;
    TRY(classifier_regression_new(ctx, a, &f->model, kind, f->lambda, 1.0, &g));
    ARENA_TRY(ctx, a, target, (segments + 1) * g.size);
    ARENA_TRY(ctx, a, solved, segments * g.size);
    ARENA_TRY(ctx, a, inner, segments * segments);
    ARENA_TRY(ctx, a, value, segments);
    ARENA_TRY(ctx, a, coefficient, g.size);
    ARENA_TRY(ctx, a, weight, segments);
    segment_targets(s, &g, target);
    memcpy(solved, target, (size_t)(segments * g.size) * sizeof *solved);
    for (int64_t e = 0; e < segments; e++) {
        regression_solve(&g, solved + e * g.size);
        for (int64_t k = 0; k < segments; k++) {
            inner[e * segments + k] = envelope_dot(g.size, solved + e * g.size, target + k * g.size);
        }
    }
    TRY(linalg_eigen_symmetric(ctx, a, segments, inner, value));
    for (int64_t c = 0; c < count; c++) {
        const double *vector = inner + (segments - 1 - c) * segments;
        memset(coefficient, 0, (size_t)g.size * sizeof *coefficient);
        for (int64_t e = 0; e < segments; e++) {
            for (int64_t j = 0; j < g.size; j++) {
                coefficient[j] += vector[e] * solved[e * g.size + j];
            }
            weight[e] = vector[e] / sqrt(s->share[e]);
        }
        put_feature(f, from + c, coefficient, weight);
    }
    return NONSENS_OK;
}

nonsens_status fit_start_cold(nonsens_context *ctx, arena *scratch, classifier_fit *f)
{
    classifier_shape s = f->model.shape;
    int64_t count[3] = {s.first, s.second, s.both};
    for (int64_t kind = 0, from = 0; kind < 3; from += count[kind], kind++) {
        if (count[kind] > 0) {
            TRY(cold_kind(ctx, scratch, f, (enum classifier_kind)kind, from, count[kind]));
        }
    }
    return NONSENS_OK;
}

/* ---- from another fit ---- */

void fit_start_extended(const classifier_fit *from, classifier_fit *f)
{
    const classifier_model *m = &f->model, *small = &from->model;
    int64_t coefficients = small->rank * m->data->basis * m->data->basis;
    for (int64_t t = 0; t < coefficients; t++) { // feature by feature, over all products
        f->theta[m->place[t]] = from->theta[small->place[t]];
    }
    for (int64_t e = 0; e < m->data->segments; e++) {
        for (int64_t k = 0; k < small->rank; k++) {
            f->theta[model_weight(m, e, k)] = from->theta[model_weight(small, e, k)];
        }
        f->theta[model_weight(m, e, m->rank)] = from->theta[model_weight(small, e, small->rank)];
    }
}

/* Features of a free fit over the rows, their inner products, and their explanation by one variable. */
typedef struct explanation {
    double *feature;                               /* (r, n), centred */
    double mean[MODEL_MAX_RANK];                   /* means that were subtracted */
    double *explained;                             /* (r, m) coefficients over one variable */
    double inner[MODEL_MAX_RANK * MODEL_MAX_RANK]; /* V = h'h / n */
    double share[MODEL_MAX_RANK * MODEL_MAX_RANK]; /* U: the same for the explained parts */
} explanation;

static double centre(int64_t n, double *v)
{
    double mean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] -= mean;
    }
    return mean;
}

static nonsens_status explain(nonsens_context *ctx, arena *a, const classifier_fit *from, enum classifier_kind kind,
                              explanation *x)
{
    const classifier_sample *s = from->model.data;
    int64_t r = from->model.rank;
    classifier_regression g;
    TRY(classifier_regression_new(ctx, a, &from->model, kind, 0.0, 1e-6, &g));
    ARENA_TRY(ctx, a, x->feature, r * s->n);
    ARENA_TRY(ctx, a, x->explained, r * g.size);
    for (int64_t k = 0; k < s->folds; k++) {
        TRY(model_features(ctx, a, &from->model, from->theta, k, x->feature));
    }
    double *target;
    ARENA_TRY(ctx, a, target, r * g.size);
    for (int64_t f = 0; f < r; f++) {
        double *h = x->feature + f * s->n;
        x->mean[f] = centre(s->n, h);
        for (int64_t i = 0; i < s->n; i++) {
            const double *v = s->value + 8 * i;
            for (int64_t k = 0; k < REGRESSION_PRODUCTS; k++) {
                int64_t at = kind_place(s, kind, s->corner[i] + k / 4 * s->basis + k % 4);
                target[f * g.size + at] += v[k / 4] * v[4 + k % 4] * h[s->row[i]];
            }
        }
        memcpy(x->explained + f * g.size, target + f * g.size, (size_t)g.size * sizeof *target);
        regression_solve(&g, x->explained + f * g.size);
    }
    for (int64_t f = 0; f < r; f++) {
        for (int64_t k = 0; k < r; k++) {
            x->inner[f * r + k] = envelope_dot(s->n, x->feature + f * s->n, x->feature + k * s->n) / (double)s->n;
            x->share[f * r + k] = 0.5 *
                                  (envelope_dot(g.size, x->explained + f * g.size, target + k * g.size) +
                                   envelope_dot(g.size, x->explained + k * g.size, target + f * g.size)) /
                                  (double)s->n;
        }
    }
    return NONSENS_OK;
}

/*
 * Computes directions w (r, r; columns, w' V w = 1) in descending order of the explained share: eigenvectors of
 * L^-1 U L'^-1 with V = L L', multiplied by L'^-1.
 */
static nonsens_status explained_directions(nonsens_context *ctx, arena *a, int64_t r, explanation *x, double *w)
{
    int64_t first[MODEL_MAX_RANK] = {0};
    double factor[MODEL_MAX_RANK * MODEL_MAX_RANK], value[MODEL_MAX_RANK];
    double mean = 0.0;
    for (int64_t i = 0; i < r; i++) {
        mean += x->inner[i * r + i] / (double)r;
    }
    memcpy(factor, x->inner, sizeof factor);
    for (int64_t i = 0; i < r; i++) {
        factor[i * r + i] += 1e-9 * mean + 1e-300;
    }
    if (!envelope_factor(r, first, factor)) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "features of the segment classifier are not independent");
    }
    for (int pass = 0; pass < 2; pass++) { // rows, then columns: U is symmetric
        for (int64_t i = 0; i < r; i++) {
            envelope_forward(r, first, factor, x->share + i * r);
        }
        for (int64_t i = 0; i < r; i++) {
            for (int64_t j = 0; j < i; j++) {
                double keep = x->share[i * r + j];
                x->share[i * r + j] = x->share[j * r + i];
                x->share[j * r + i] = keep;
            }
        }
    }
    TRY(linalg_eigen_symmetric(ctx, a, r, x->share, value));
    for (int64_t c = 0; c < r; c++) {
        memcpy(w + c * r, x->share + (r - 1 - c) * r, (size_t)r * sizeof *w);
        envelope_backward(r, first, factor, w + c * r);
    }
    return NONSENS_OK;
}

/* Computes one feature: the combination w (r) of the free fit's features, or its explanation by one variable. */
static void combine(const classifier_fit *from, const explanation *x, const double *w, enum classifier_kind kind,
                    double *coefficient)
{
    const classifier_model *m = &from->model;
    int64_t size = kind_size(m->data, kind);
    memset(coefficient, 0, (size_t)size * sizeof *coefficient);
    for (int64_t k = 0; k < m->rank; k++) {
        for (int64_t j = 0; j < size; j++) {
            // the explanation is of centred features; B-splines add up to one
            double value =
                kind == KIND_BOTH ? from->theta[m->place[k * size + j]] : x->explained[k * size + j] + x->mean[k];
            coefficient[j] += w[k] * value;
        }
    }
}

nonsens_status fit_start_restricted(nonsens_context *ctx, arena *scratch, const classifier_fit *from, classifier_fit *f)
{
    const classifier_model *m = &f->model;
    int64_t r = m->rank, products = m->data->basis * m->data->basis, segments = m->data->segments;
    enum classifier_kind kind = m->shape.first ? KIND_FIRST : KIND_SECOND;
    double w[MODEL_MAX_RANK * MODEL_MAX_RANK], *coefficient, *weight;
    explanation x = {0};
    TRY(explain(ctx, scratch, from, kind, &x));
    TRY(explained_directions(ctx, scratch, r, &x, w));
    ARENA_TRY(ctx, scratch, coefficient, products);
    ARENA_TRY(ctx, scratch, weight, segments);
    for (int64_t c = 0; c < r; c++) {
        memset(weight, 0, (size_t)segments * sizeof *weight);
        for (int64_t k = 0; k < r; k++) {
            double back = 0.0; // h = V W h', so the weights are A V W
            for (int64_t j = 0; j < r; j++) {
                back += x.inner[k * r + j] * w[c * r + j];
            }
            for (int64_t e = 0; e < segments; e++) {
                weight[e] += from->theta[model_weight(&from->model, e, k)] * back;
            }
        }
        combine(from, &x, w + c * r, shape_kind(m->shape, c), coefficient);
        put_feature(f, c, coefficient, weight);
    }
    for (int64_t e = 0; e < segments; e++) {
        f->theta[model_weight(m, e, r)] = from->theta[model_weight(&from->model, e, r)];
    }
    return NONSENS_OK;
}
