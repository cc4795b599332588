/* model.c - lays out the parameters of a segment classifier, computes its penalty and pins the parametrisation. */
#include "classifier/model.h"

#include "math/spline.h"

#include <math.h>
#include <string.h>

static const double GENTLE = 0.0001;

/* ---- layout ---- */

static void place_coefficients(classifier_model *m)
{
    int64_t basis = m->data->basis, products = basis * basis;
    classifier_shape s = m->shape;
    int64_t after_both = s.both * products, after_first = after_both + s.first * basis;
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t t = 0; t < products; t++) {
            int64_t at;
            if (f < s.first) {
                at = after_both + t / basis * s.first + f;
            } else if (f < s.first + s.second) {
                at = after_first + t % basis * s.second + (f - s.first);
            } else {
                at = t * s.both + (f - s.first - s.second);
            }
            m->place[f * products + t] = (int32_t)at;
        }
    }
}

/*
 * Adds weight times the integral of squared derivatives of this order along one variable, averaged over the other:
 * squared differences of coefficients, scaled to the unit interval.
 */
static void add_roughness(int64_t basis, int64_t order, double weight, int64_t step, int64_t other, double *out)
{
    double factor = weight * pow((double)(basis - 3), 2.0 * (double)order) / (double)(basis * (basis - order));
    for (int64_t c = 0; c < basis; c++) {
        spline_add_differences(order, factor, c * other, basis, step, basis * basis, out);
    }
}

nonsens_status classifier_model_new(nonsens_context *ctx, arena *a, const classifier_sample *data, classifier_shape s,
                                    classifier_model *out)
{
    int64_t basis = data->basis, products = basis * basis;
    *out = (classifier_model){.data = data, .shape = s, .rank = shape_rank(s)};
    out->coefficients = s.both * products + (s.first + s.second) * basis;
    out->parameters = out->coefficients + data->segments * (out->rank + 1);
    ARENA_TRY(ctx, a, out->place, out->rank * products);
    ARENA_TRY(ctx, a, out->first, out->parameters);
    ARENA_TRY(ctx, a, out->square, out->parameters);
    ARENA_TRY(ctx, a, out->packed, out->parameters);
    ARENA_TRY(ctx, a, out->roughness, products * products);
    ARENA_TRY(ctx, a, out->gentle, products * products);
    place_coefficients(out);
    int64_t reach = (3 * basis + 4) * s.both; // products that overlap are at most this far apart
    for (int64_t i = 0; i < out->parameters; i++) {
        out->first[i] = i < s.both * products && i > reach ? i - reach : 0;
        out->square[i] = i * out->parameters;
        out->packed[i] = out->profile - out->first[i];
        out->profile += i + 1 - out->first[i];
    }
    add_roughness(basis, 2, 1.0, basis, 1, out->roughness);
    add_roughness(basis, 2, 1.0, 1, basis, out->roughness);
    add_roughness(basis, 1, GENTLE, basis, 1, out->gentle);
    add_roughness(basis, 1, GENTLE, 1, basis, out->gentle);
    return NONSENS_OK;
}

/* ---- penalty ---- */

enum { NEIGHBOURS = 9 }; /* products with entries in a row of the penalty: up to two steps along either variable */

/* Returns the k-th neighbour of product s; -1 if that is beyond the edge. */
static inline int64_t neighbour(const classifier_model *m, int64_t s, int k)
{
    static const int along[NEIGHBOURS][2] = {{-2, 0}, {-1, 0}, {0, -2}, {0, -1}, {0, 0},
                                             {0, 1},  {0, 2},  {1, 0},  {2, 0}};
    int64_t basis = m->data->basis, a = s / basis + along[k][0], b = s % basis + along[k][1];
    return a >= 0 && a < basis && b >= 0 && b < basis ? a * basis + b : -1;
}

static inline double penalty_entry(const classifier_model *m, double lambda, int64_t s, int64_t t)
{
    int64_t at = s * m->data->basis * m->data->basis + t;
    return lambda * m->roughness[at] + m->gentle[at];
}

/* The penalty matrix P times the tensor coefficients of every feature, and their inner products. */
typedef struct expansion {
    double lambda;
    double *rough;                                 /* (r, m^2) P gamma_f */
    double inner[MODEL_MAX_RANK][MODEL_MAX_RANK];  /* gamma_f' P gamma_g */
    double weight[MODEL_MAX_RANK][MODEL_MAX_RANK]; /* sum_e pi_e a_ef a_eg */
} expansion;

static void expand(const classifier_model *m, const double *theta, expansion *x)
{
    int64_t products = m->data->basis * m->data->basis, r = m->rank;
    memset(x->inner, 0, sizeof x->inner);
    memset(x->weight, 0, sizeof x->weight);
    for (int64_t f = 0; f < r; f++) {
        double *rough = x->rough + f * products;
        memset(rough, 0, (size_t)products * sizeof *rough);
        for (int64_t s = 0; s < products; s++) {
            double coefficient = theta[m->place[f * products + s]];
            for (int k = 0; k < NEIGHBOURS; k++) {
                int64_t t = neighbour(m, s, k);
                if (t >= 0) {
                    rough[t] += coefficient * penalty_entry(m, x->lambda, s, t);
                }
            }
        }
    }
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = 0; g < r; g++) {
            for (int64_t t = 0; t < products; t++) {
                x->inner[f][g] += theta[m->place[f * products + t]] * x->rough[g * products + t];
            }
            for (int64_t e = 0; e < m->data->segments; e++) {
                x->weight[f][g] += m->data->share[e] * theta[model_weight(m, e, f)] * theta[model_weight(m, e, g)];
            }
        }
    }
}

static void add_penalty_gradient(const classifier_model *m, const double *theta, const expansion *x, double *gradient)
{
    int64_t products = m->data->basis * m->data->basis, r = m->rank;
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = 0; g < r; g++) {
            for (int64_t t = 0; t < products; t++) {
                gradient[m->place[f * products + t]] += x->weight[f][g] * x->rough[g * products + t];
            }
            for (int64_t e = 0; e < m->data->segments; e++) {
                gradient[model_weight(m, e, f)] += m->data->share[e] * theta[model_weight(m, e, g)] * x->inner[f][g];
            }
        }
    }
}

static void add_penalty_squares(const classifier_model *m, int64_t f, int64_t g, double lambda, double factor,
                                double *hessian)
{
    int64_t products = m->data->basis * m->data->basis;
    for (int64_t s = 0; s < products; s++) {
        int64_t a = m->place[f * products + s];
        for (int k = 0; k < NEIGHBOURS; k++) {
            int64_t t = neighbour(m, s, k), b = t >= 0 ? m->place[g * products + t] : 0;
            if (t < 0 || (f == g && b > a)) {
                continue;
            }
            hessian[(a > b ? a : b) * m->parameters + (a > b ? b : a)] += factor * penalty_entry(m, lambda, s, t);
        }
    }
}

static void add_penalty_hessian(const classifier_model *m, const double *theta, const expansion *x, double *hessian)
{
    int64_t products = m->data->basis * m->data->basis, r = m->rank;
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = 0; g <= f; g++) {
            add_penalty_squares(m, f, g, x->lambda, x->weight[f][g], hessian);
        }
    }
    for (int64_t e = 0; e < m->data->segments; e++) {
        double share = m->data->share[e];
        for (int64_t g = 0; g < r; g++) {
            double *row = hessian + model_weight(m, e, g) * m->parameters;
            for (int64_t f = 0; f < r; f++) {
                double factor = share * theta[model_weight(m, e, f)];
                for (int64_t t = 0; t < products; t++) {
                    row[m->place[f * products + t]] += factor * x->rough[g * products + t];
                }
            }
            for (int64_t f = 0; f <= g; f++) {
                row[model_weight(m, e, f)] += share * x->inner[f][g];
            }
        }
    }
}

static void add_penalty_slope(const classifier_model *m, const double *theta, const expansion *x, double *slope)
{
    int64_t products = m->data->basis * m->data->basis;
    for (int64_t e = 0; e < m->data->segments; e++) {
        for (int64_t f = 0; f < m->rank; f++) {
            double factor = m->data->share[e] * theta[model_weight(m, e, f)];
            for (int64_t t = 0; t < products; t++) {
                slope[e * products + t] += factor * x->rough[f * products + t];
            }
        }
    }
}

nonsens_status model_penalty(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                             double lambda, double *value, double *gradient, double *hessian, double *slope)
{
    expansion x = {.lambda = lambda};
    ARENA_TRY(ctx, scratch, x.rough, m->rank * m->data->basis * m->data->basis + 1);
    expand(m, theta, &x);
    *value = 0.0;
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t g = 0; g < m->rank; g++) {
            *value += 0.5 * x.weight[f][g] * x.inner[f][g];
        }
    }
    if (gradient) {
        add_penalty_gradient(m, theta, &x, gradient);
    }
    if (hessian) {
        add_penalty_hessian(m, theta, &x, hessian);
    }
    if (slope) {
        add_penalty_slope(m, theta, &x, slope);
    }
    return NONSENS_OK;
}

void model_add_bilinear(const classifier_model *m, double factor, const double *slope, double *hessian)
{
    int64_t products = m->data->basis * m->data->basis;
    for (int64_t e = 0; e < m->data->segments; e++) {
        for (int64_t f = 0; f < m->rank; f++) {
            double *row = hessian + model_weight(m, e, f) * m->parameters;
            for (int64_t t = 0; t < products; t++) {
                row[m->place[f * products + t]] += factor * slope[e * products + t];
            }
        }
    }
}

/* ---- parametrisation ---- */

/* Adds n v v' to the block of the matrix that belongs to weight f of all segments. */
static void pin_weights(const classifier_model *m, int64_t f, const double *v, double *hessian)
{
    for (int64_t e = 0; e < m->data->segments; e++) {
        double *row = hessian + model_weight(m, e, f) * m->parameters;
        for (int64_t k = 0; k <= e; k++) {
            row[model_weight(m, k, f)] += (double)m->data->n * v[e] * v[k];
        }
    }
}

nonsens_status model_pin(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                         double *hessian)
{
    double *v;
    ARENA_TRY(ctx, scratch, v, m->data->segments);
    for (int64_t g = 0; g <= m->rank; g++) {
        for (int64_t e = 0; e < m->data->segments; e++) {
            v[e] = m->data->share[e] * (g < m->rank ? theta[model_weight(m, e, g)] : 1.0);
        }
        enum classifier_kind kind = shape_kind(m->shape, g);
        for (int64_t f = 0; f <= m->rank; f++) { // if g contains the functions of f
            if (f == m->rank || g == m->rank || kind == KIND_BOTH || kind == shape_kind(m->shape, f)) {
                pin_weights(m, f, v, hessian);
            }
        }
    }
    return NONSENS_OK;
}
