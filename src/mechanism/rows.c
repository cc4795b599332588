/*
 * rows.c - passes over the rows: computes the log densities (1) of mechanism.h, their first and second derivatives.
 */
#include "math/pair.h"
#include "mechanism/mechanism_internal.h"

#include <math.h>
#include <string.h>

enum { CAUSE = MECHANISM_CAUSE_ORDER, EFFECT = MECHANISM_EFFECT_ORDER };

static const double CORNER = 0.3;                      /* d of the Laplace density */
static const double LAPLACE_TOTAL = 0.606278640681916; /* log of the integral of exp(-sqrt(z^2 + d^2)) */
static const double FALLING = -2.0 * MECHANISM_FLAT;   /* scores use no smaller dT/dy */

nonsens_status mechanism_point_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_point *out)
{
    ARENA_TRY(ctx, a, out->theta, m->size);
    ARENA_TRY(ctx, a, out->transform, m->data->n);
    ARENA_TRY(ctx, a, out->slope, m->data->n);
    return NONSENS_OK;
}

nonsens_status mechanism_weights_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_weights *out)
{
    double **const lists[] = {&out->first, &out->second, &out->mixed, &out->slope_first, &out->slope_second};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        ARENA_TRY(ctx, a, *lists[k], m->data->n);
    }
    ARENA_TRY(ctx, a, out->crossing, 2 * m->data->segments * m->p);
    return NONSENS_OK;
}

/* ---- products of B-splines ------------------------------------------------------------------------------------- */

/* A term at one row: its products are left[a] * right[b]; `start` is the coefficient of the first. */
typedef struct row_term {
    int64_t start;
    const double *left, *slope, *right;
} row_term;

/* Looks a term up at row i; order: of the left B-splines.  y alone is multiplied by 1 and 0. */
static inline row_term look_up(const mechanism_term *t, int64_t order, int64_t i)
{
    static const double ALONE[CAUSE] = {1.0, 0.0};
    row_term r = {t->offset + t->left->first[i] * t->stride, t->left->value + order * i, NULL, ALONE};
    if (order == EFFECT) {
        r.slope = t->left->slope + order * i;
    }
    if (t->right) {
        r.start += t->right->first[i];
        r.right = t->right->value + CAUSE * i;
    }
    return r;
}

static inline void apply_term(const mechanism_term *t, int64_t order, int64_t n, mechanism_point *to)
{
    for (int64_t i = 0; i < n; i++) {
        row_term r = look_up(t, order, i);
        const double *at = to->theta + r.start;
        double sum = 0.0, rise = 0.0;
        for (int64_t a = 0; a < order; a++, at += t->stride) {
            double along = r.right[0] * at[0] + r.right[1] * at[1];
            sum += r.left[a] * along;
            rise += order == EFFECT ? r.slope[a] * along : 0.0;
        }
        to->transform[i] += sum;
        to->slope[i] += rise;
    }
}

void mechanism_apply(const mechanism_model *m, mechanism_point *at)
{
    int64_t n = m->data->n;
    memset(at->transform, 0, (size_t)n * sizeof *at->transform);
    memset(at->slope, 0, (size_t)n * sizeof *at->slope);
    for (int64_t t = 0; t < m->terms; t++) {
        if (m->term[t].has_slope) {
            apply_term(&m->term[t], EFFECT, n, at);
        } else {
            apply_term(&m->term[t], CAUSE, n, at);
        }
    }
}

/* ---- densities ------------------------------------------------------------------------------------------------- */

/* l and its derivatives at z. */
typedef struct base_value {
    double log, first, second;
} base_value;

static inline base_value base_at(double z)
{
    double r = sqrt(z * z + CORNER * CORNER);
    return (base_value){-r - LAPLACE_TOTAL, -z / r, -CORNER * CORNER / (r * r * r)};
}

/* log of the slope, its derivative and minus its second derivative: see MECHANISM_FLAT. */
static inline base_value log_slope(double slope)
{
    if (slope > MECHANISM_FLAT) {
        return (base_value){log(slope), 1.0 / slope, 1.0 / (slope * slope)};
    }
    double t = (slope - MECHANISM_FLAT) / MECHANISM_FLAT;
    return (base_value){log(MECHANISM_FLAT) + t - 0.5 * t * t, (1.0 - t) / MECHANISM_FLAT,
                        1.0 / (MECHANISM_FLAT * MECHANISM_FLAT)};
}

/* The first row after `from` that is in another segment, at most `to`. */
static int64_t end_of_segment(const mechanism_model *m, int64_t from, int64_t to)
{
    int64_t i = from;
    while (i < to && m->data->segment[i] == m->data->segment[from]) {
        i++;
    }
    return i;
}

double mechanism_likelihood(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to,
                            double *log_density)
{
    const double *location = at->theta + m->p, *scale = location + m->data->segments;
    double sum = 0.0;
    for (int64_t end, i = from; i < to;) {
        int32_t e = m->data->segment[i];
        double inverse_scale = exp(-scale[e]);
        for (end = end_of_segment(m, i, to); i < end; i++) {
            double value = base_at((at->transform[i] - location[e]) * inverse_scale).log - scale[e];
            value += log_slope(log_density ? fmax(at->slope[i], FALLING) : at->slope[i]).log;
            sum += value;
            if (log_density) {
                log_density[i] = value;
            }
        }
    }
    return sum;
}

/* Computes derivatives of minus the log density of each row, and gradient and hessian of the segments' parameters. */
static void weigh_rows(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to,
                       mechanism_weights *w, double *gradient, double *hessian)
{
    int64_t segments = m->data->segments, ld = m->size;
    for (int64_t end, i = from; i < to;) {
        int64_t location = m->p + m->data->segment[i], scale = location + segments;
        double inverse_scale = exp(-at->theta[scale]), sums[5] = {0.0};
        for (end = end_of_segment(m, i, to); i < end; i++) {
            double z = (at->transform[i] - at->theta[location]) * inverse_scale;
            base_value l = base_at(z), d = log_slope(at->slope[i]);
            double mixed = l.second * z + l.first;
            w->first[i] = -l.first * inverse_scale;
            w->second[i] = -l.second * inverse_scale * inverse_scale;
            w->mixed[i] = mixed * inverse_scale;
            w->slope_first[i] = -d.first;
            w->slope_second[i] = d.second;
            sums[0] -= w->first[i];
            sums[1] += l.first * z + 1.0;
            sums[2] += w->second[i];
            sums[3] -= w->mixed[i];
            sums[4] -= mixed * z;
        }
        gradient[location] += sums[0];
        gradient[scale] += sums[1];
        if (hessian) {
            hessian[location * ld + location] += sums[2];
            hessian[location * ld + scale] += sums[3];
            hessian[scale * ld + scale] += sums[4];
        }
    }
}

static inline void add_gradient(const mechanism_term *t, int64_t order, int64_t from, int64_t to,
                                const mechanism_weights *w, double *gradient)
{
    for (int64_t i = from; i < to; i++) {
        row_term r = look_up(t, order, i);
        double *at = gradient + r.start;
        for (int64_t a = 0; a < order; a++, at += t->stride) {
            double weight = w->first[i] * r.left[a];
            weight += order == EFFECT ? w->slope_first[i] * r.slope[a] : 0.0;
            at[0] += weight * r.right[0];
            at[1] += weight * r.right[1];
        }
    }
}

/* Adds second derivatives by a coefficient and by the location or the scale of a segment, (2 E, p). */
static inline void add_crossing(const mechanism_model *m, const mechanism_term *t, int64_t order, int64_t from,
                                int64_t to, const mechanism_weights *w)
{
    int64_t segments = m->data->segments;
    for (int64_t i = from; i < to; i++) {
        row_term r = look_up(t, order, i);
        double *location = w->crossing + m->data->segment[i] * m->p + r.start, *scale = location + segments * m->p;
        for (int64_t a = 0; a < order; a++, location += t->stride, scale += t->stride) {
            for (int64_t b = 0; b < (t->right ? CAUSE : 1); b++) {
                double value = r.left[a] * r.right[b];
                location[b] -= w->second[i] * value;
                scale[b] += w->mixed[i] * value;
            }
        }
    }
}

static inline void add_to(double *to, pair v)
{
    pair_store(to, pair_load(to) + v);
}

/* Adds second derivatives by coefficients of two terms, the lower triangle: u comes after t or is t. */
static inline void add_products(const mechanism_term *t, int64_t order_t, const mechanism_term *u, int64_t order_u,
                                int64_t from, int64_t to, const mechanism_weights *w, int64_t ld, double *hessian)
{
    bool same = t == u, sloped = order_t == EFFECT && order_u == EFFECT;
    int64_t stride = u->stride, step = t->stride * ld;
    for (int64_t i = from; i < to; i++) {
        row_term r = look_up(t, order_t, i), q = look_up(u, order_u, i);
        double *column = hessian + r.start * ld + q.start, weight[EFFECT][EFFECT];
        pair right = pair_load(q.right);
        double near = r.right[0], far = r.right[1];
        for (int64_t a = 0; a < order_t; a++) {
            for (int64_t b = 0; b < order_u; b++) {
                weight[a][b] = w->second[i] * r.left[a] * q.left[b];
                weight[a][b] += sloped ? w->slope_second[i] * r.slope[a] * q.slope[b] : 0.0;
            }
        }
        for (int64_t a = 0; a < order_t; a++, column += step) {
            for (int64_t b = same ? a : 0; b < order_u; b++) {
                add_to(column + b * stride, weight[a][b] * near * right);
                add_to(column + b * stride + ld, weight[a][b] * far * right);
            }
        }
    }
}

/* Goes term by term and not row by row: the memory that is written to stays in the cache. */
static void add_second(const mechanism_model *m, int64_t from, int64_t to, const mechanism_weights *w, double *hessian)
{
    int64_t crossings = 2 * m->data->segments;
    memset(w->crossing, 0, (size_t)(crossings * m->p) * sizeof *w->crossing);
    for (int64_t t = 0; t < m->terms; t++) {
        if (m->term[t].has_slope) {
            add_crossing(m, &m->term[t], EFFECT, from, to, w);
        } else {
            add_crossing(m, &m->term[t], CAUSE, from, to, w);
        }
        for (int64_t u = t; u < m->terms; u++) {
            const mechanism_term *first = &m->term[t], *second = &m->term[u];
            if (second->has_slope) {
                add_products(first, EFFECT, second, EFFECT, from, to, w, m->size, hessian);
            } else if (first->has_slope) {
                add_products(first, EFFECT, second, CAUSE, from, to, w, m->size, hessian);
            } else {
                add_products(first, CAUSE, second, CAUSE, from, to, w, m->size, hessian);
            }
        }
    }
    for (int64_t j = 0; j < m->p; j++) {
        for (int64_t k = 0; k < crossings; k++) {
            hessian[j * m->size + m->p + k] += w->crossing[k * m->p + j];
        }
    }
}

void mechanism_derive(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to,
                      mechanism_weights *weights, double *gradient, double *hessian)
{
    weigh_rows(m, at, from, to, weights, gradient, hessian);
    for (int64_t t = 0; t < m->terms; t++) {
        if (m->term[t].has_slope) {
            add_gradient(&m->term[t], EFFECT, from, to, weights, gradient);
        } else {
            add_gradient(&m->term[t], CAUSE, from, to, weights, gradient);
        }
    }
    if (hessian) {
        add_second(m, from, to, weights, hessian);
    }
}

/* ---- penalties ------------------------------------------------------------------------------------------------- */

static const double PRIOR_ROWS = 1.0;     /* weight, in rows, of the prior that a segment has scale 1 */
static const double LOCATION_RIDGE = 0.1; /* weight of the prior that a segment has location 0 */

/* Half of weight * squared second differences of `count` coefficients, `step` apart. */
static double penalise_roughness(const double *theta, int64_t count, int64_t step, double weight, double *gradient)
{
    double sum = 0.0;
    for (int64_t i = 0; i + 2 < count; i++) {
        int64_t at = i * step;
        double difference = theta[at] - 2.0 * theta[at + step] + theta[at + 2 * step];
        sum += 0.5 * weight * difference * difference;
        if (gradient) {
            gradient[at] += weight * difference;
            gradient[at + step] -= 2.0 * weight * difference;
            gradient[at + 2 * step] += weight * difference;
        }
    }
    return sum;
}

static double penalise_term(const mechanism_term *t, const double *theta, double *gradient)
{
    double sum = 0.0, ridge = MECHANISM_RIDGE * t->weight;
    for (int64_t a = 0; a < t->rows; a++) {
        int64_t at = a * t->stride;
        sum += penalise_roughness(theta + at, t->columns, 1, t->weight, gradient ? gradient + at : NULL);
    }
    for (int64_t b = 0; b < t->columns; b++) {
        sum += penalise_roughness(theta + b, t->rows, t->stride, t->weight, gradient ? gradient + b : NULL);
    }
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        sum += 0.5 * ridge * theta[i] * theta[i];
        if (gradient) {
            gradient[i] += ridge * theta[i];
        }
    }
    return sum;
}

/*
 * Locations and logarithms of scales have a mean close to zero, since T has its own location and scale.  The prior
 * PRIOR_ROWS (rho + exp(-rho)) prevents an infinite density in a segment in which y is constant.
 */
static double penalise_segments(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
{
    int64_t segments = m->data->segments, ld = m->size;
    double pin = (double)m->data->n / (double)segments, sum = 0.0;
    for (int64_t kind = 0; kind < 2; kind++) {
        int64_t first = m->p + kind * segments;
        double mean = 0.0;
        for (int64_t e = 0; e < segments; e++) {
            double at = theta[first + e], away = kind ? PRIOR_ROWS * exp(-at) : 0.0;
            mean += at;
            sum += kind ? PRIOR_ROWS * at + away : 0.5 * LOCATION_RIDGE * at * at;
            if (gradient) {
                gradient[first + e] += kind ? PRIOR_ROWS - away : LOCATION_RIDGE * at;
            }
            if (hessian) {
                hessian[(first + e) * ld + first + e] += kind ? away : LOCATION_RIDGE;
            }
        }
        sum += 0.5 * pin * mean * mean;
        for (int64_t e = 0; gradient && e < segments; e++) {
            gradient[first + e] += pin * mean;
            for (int64_t f = e; hessian && f < segments; f++) {
                hessian[(first + e) * ld + first + f] += pin;
            }
        }
    }
    return sum;
}

double mechanism_penalise(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
{
    double sum = 0.0;
    for (int64_t t = 0; t < m->terms; t++) {
        int64_t first = m->term[t].offset;
        sum += penalise_term(&m->term[t], theta + first, gradient ? gradient + first : NULL);
    }
    for (int64_t j = 0; hessian && j < m->p; j++) {
        for (int64_t i = j; i < m->p; i++) {
            hessian[j * m->size + i] += m->penalty[j * m->p + i];
        }
    }
    return sum + penalise_segments(m, theta, gradient, hessian);
}
