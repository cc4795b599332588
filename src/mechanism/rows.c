/*
 * rows.c - passes over the rows: computes the log densities (1) of mechanism.h, their first and second derivatives.
 */
#include "math/pair.h"
#include "mechanism/second.h"

#include <math.h>
#include <string.h>

enum {
    CAUSE = MECHANISM_CAUSE_ORDER,
    EFFECT = MECHANISM_EFFECT_ORDER,
    MAX_OF_FORM = MECHANISM_MAX_CAUSES * (MECHANISM_MAX_CAUSES - 1) / 2
};

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
    ARENA_TRY(ctx, a, out->sums, 1);
    return mechanism_second_new(ctx, a, m, out->sums);
}

/* ---- products of B-splines ------------------------------------------------------------------------------------- */

/* A term at one row: its products are left[a] * right[b]; `start` is the coefficient of the first. */
typedef struct row_term {
    int64_t start;
    const double *left, *slope, *right;
} row_term;

/* Looks a term up at row i; order: of the left B-splines.  One variable alone is multiplied by 1 and 0. */
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

/* The terms of one form: they stand next to one another in a model (mechanism_new), with the same sizes. */
typedef struct form_terms {
    int64_t count, stride, offset[MAX_OF_FORM];
    const mechanism_splines *left[MAX_OF_FORM], *right[MAX_OF_FORM];
} form_terms;

static form_terms terms_of_form(const mechanism_model *m, term_form form)
{
    form_terms list = {0};
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t];
        if (term_form_of(term) == form) {
            list.stride = term->stride;
            list.offset[list.count] = term->offset;
            list.left[list.count] = term->left;
            list.right[list.count++] = term->right;
        }
    }
    return list;
}

/* T and dT/dy by the products of y and a cause: the B-splines of y are the same in all of them. */
static void apply_products(const form_terms *f, int64_t n, mechanism_point *to)
{
    const mechanism_splines *y = f->left[0];
    for (int64_t i = 0; i < n; i++) {
        const double *of_row = to->theta + y->first[i] * f->stride;
        const double *left = y->value + EFFECT * i, *rise = y->slope + EFFECT * i;
        pair along[EFFECT] = {{0.0}, {0.0}, {0.0}};
        for (int64_t k = 0; k < f->count; k++) {
            const double *at = of_row + f->offset[k] + f->right[k]->first[i];
            pair right = pair_load(f->right[k]->value + CAUSE * i);
            along[0] += right * pair_load(at);
            along[1] += right * pair_load(at + f->stride);
            along[2] += right * pair_load(at + 2 * f->stride);
        }
        pair sum = left[0] * along[0] + left[1] * along[1] + left[2] * along[2];
        pair slope = rise[0] * along[0] + rise[1] * along[1] + rise[2] * along[2];
        to->transform[i] += sum[0] + sum[1];
        to->slope[i] += slope[0] + slope[1];
    }
}

static void apply_alone(const form_terms *f, int64_t n, mechanism_point *to)
{
    const mechanism_splines *y = f->left[0];
    for (int64_t i = 0; i < n; i++) {
        const double *at = to->theta + f->offset[0] + y->first[i];
        const double *left = y->value + EFFECT * i, *rise = y->slope + EFFECT * i;
        to->transform[i] += left[0] * at[0] + left[1] * at[1] + left[2] * at[2];
        to->slope[i] += rise[0] * at[0] + rise[1] * at[1] + rise[2] * at[2];
    }
}

static void apply_mains(const form_terms *f, int64_t n, mechanism_point *to)
{
    for (int64_t i = 0; i < n; i++) {
        pair sum = {0.0};
        for (int64_t k = 0; k < f->count; k++) {
            const mechanism_splines *x = f->left[k];
            sum += pair_load(x->value + CAUSE * i) * pair_load(to->theta + f->offset[k] + x->first[i]);
        }
        to->transform[i] += sum[0] + sum[1];
    }
}

static void apply_pairs(const form_terms *f, int64_t n, mechanism_point *to)
{
    for (int64_t i = 0; i < n; i++) {
        pair sum = {0.0};
        for (int64_t k = 0; k < f->count; k++) {
            const mechanism_splines *x = f->left[k], *other = f->right[k];
            const double *at = to->theta + f->offset[k] + x->first[i] * f->stride + other->first[i];
            const double *left = x->value + CAUSE * i;
            sum +=
                pair_load(other->value + CAUSE * i) * (left[0] * pair_load(at) + left[1] * pair_load(at + f->stride));
        }
        to->transform[i] += sum[0] + sum[1];
    }
}

void mechanism_apply(const mechanism_model *m, mechanism_point *at)
{
    static void (*const APPLY[FORMS])(const form_terms *, int64_t, mechanism_point *) = {
        [FORM_ALONE] = apply_alone,
        [FORM_PRODUCT] = apply_products,
        [FORM_MAIN] = apply_mains,
        [FORM_PAIR] = apply_pairs,
    };
    int64_t n = m->data->n;
    memset(at->transform, 0, (size_t)n * sizeof *at->transform);
    memset(at->slope, 0, (size_t)n * sizeof *at->slope);
    for (int form = 0; form < FORMS; form++) {
        form_terms f = terms_of_form(m, (term_form)form);
        if (f.count > 0) {
            APPLY[form](&f, n, at);
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

static inline void add_pair(double *at, pair value)
{
    pair_store(at, pair_load(at) + value);
}

/* What the B-splines of y add to the gradient at a row, weight (EFFECT). */
static inline void weigh_effect(const mechanism_splines *y, const mechanism_weights *w, int64_t i, double *weight)
{
    for (int a = 0; a < EFFECT; a++) {
        weight[a] = w->first[i] * y->value[EFFECT * i + a] + w->slope_first[i] * y->slope[EFFECT * i + a];
    }
}

static void derive_products(const form_terms *f, int64_t from, int64_t to, const mechanism_weights *w, double *gradient)
{
    const mechanism_splines *y = f->left[0];
    for (int64_t i = from; i < to; i++) {
        double weight[EFFECT], *of_row = gradient + y->first[i] * f->stride;
        weigh_effect(y, w, i, weight);
        for (int64_t k = 0; k < f->count; k++) {
            double *at = of_row + f->offset[k] + f->right[k]->first[i];
            pair right = pair_load(f->right[k]->value + CAUSE * i);
            add_pair(at, weight[0] * right);
            add_pair(at + f->stride, weight[1] * right);
            add_pair(at + 2 * f->stride, weight[2] * right);
        }
    }
}

static void derive_alone(const form_terms *f, int64_t from, int64_t to, const mechanism_weights *w, double *gradient)
{
    const mechanism_splines *y = f->left[0];
    for (int64_t i = from; i < to; i++) {
        double weight[EFFECT], *at = gradient + f->offset[0] + y->first[i];
        weigh_effect(y, w, i, weight);
        at[0] += weight[0];
        at[1] += weight[1];
        at[2] += weight[2];
    }
}

static void derive_mains(const form_terms *f, int64_t from, int64_t to, const mechanism_weights *w, double *gradient)
{
    for (int64_t i = from; i < to; i++) {
        for (int64_t k = 0; k < f->count; k++) {
            const mechanism_splines *x = f->left[k];
            add_pair(gradient + f->offset[k] + x->first[i], w->first[i] * pair_load(x->value + CAUSE * i));
        }
    }
}

static void derive_pairs(const form_terms *f, int64_t from, int64_t to, const mechanism_weights *w, double *gradient)
{
    for (int64_t i = from; i < to; i++) {
        for (int64_t k = 0; k < f->count; k++) {
            const mechanism_splines *x = f->left[k], *other = f->right[k];
            double *at = gradient + f->offset[k] + x->first[i] * f->stride + other->first[i];
            pair right = w->first[i] * pair_load(other->value + CAUSE * i);
            add_pair(at, x->value[CAUSE * i] * right);
            add_pair(at + f->stride, x->value[CAUSE * i + 1] * right);
        }
    }
}

/* Adds second derivatives by a coefficient and by the location and the scale of a segment, (2, p, E). */
static void add_crossing(const mechanism_model *m, const mechanism_term *t, int64_t order, int64_t from, int64_t to,
                         const mechanism_weights *w)
{
    for (int64_t i = from; i < to; i++) {
        row_term r = look_up(t, order, i);
        double *at = w->crossing + 2 * (m->data->segment[i] * m->p + r.start);
        pair weight = {-w->second[i], w->mixed[i]};
        for (int64_t a = 0; a < order; a++, at += 2 * t->stride) {
            pair_store(at, pair_load(at) + r.left[a] * r.right[0] * weight);
            if (t->right) {
                pair_store(at + 2, pair_load(at + 2) + r.left[a] * r.right[1] * weight);
            }
        }
    }
}

static void add_second(const mechanism_model *m, int64_t hole, int64_t hole_end, mechanism_weights *w, double *hessian)
{
    int64_t crossings = 2 * m->data->segments;
    memset(w->crossing, 0, (size_t)(crossings * m->p) * sizeof *w->crossing);
    for (int64_t t = 0; t < m->terms; t++) {
        int64_t order = m->term[t].has_slope ? EFFECT : CAUSE;
        add_crossing(m, &m->term[t], order, 0, hole, w);
        add_crossing(m, &m->term[t], order, hole_end, m->data->n, w);
    }
    for (int64_t j = 0; j < m->p; j++) {
        for (int64_t e = 0; e < m->data->segments; e++) {
            const double *of_segment = w->crossing + 2 * (e * m->p + j);
            hessian[j * m->size + m->p + e] += of_segment[0];
            hessian[j * m->size + m->p + m->data->segments + e] += of_segment[1];
        }
    }
    for (int64_t i = hole; i < hole_end; i++) {
        w->second[i] = w->slope_second[i] = 0.0;
    }
    mechanism_second_add(m, w->sums, w->second, w->slope_second, hessian);
}

static void add_gradients(const mechanism_model *m, int64_t from, int64_t to, const mechanism_weights *w,
                          double *gradient)
{
    static void (*const DERIVE[FORMS])(const form_terms *, int64_t, int64_t, const mechanism_weights *, double *) = {
        [FORM_ALONE] = derive_alone,
        [FORM_PRODUCT] = derive_products,
        [FORM_MAIN] = derive_mains,
        [FORM_PAIR] = derive_pairs,
    };
    for (int form = 0; form < FORMS; form++) {
        form_terms f = terms_of_form(m, (term_form)form);
        if (f.count > 0) {
            DERIVE[form](&f, from, to, w, gradient);
        }
    }
}

void mechanism_derive(const mechanism_model *m, const mechanism_point *at, int64_t hole, int64_t hole_end,
                      mechanism_weights *weights, double *gradient, double *hessian)
{
    weigh_rows(m, at, 0, hole, weights, gradient, hessian);
    weigh_rows(m, at, hole_end, m->data->n, weights, gradient, hessian);
    add_gradients(m, 0, hole, weights, gradient);
    add_gradients(m, hole_end, m->data->n, weights, gradient);
    if (hessian) {
        add_second(m, hole, hole_end, weights, hessian);
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
    double sum = 0.0, ridge = mechanism_ridge(t->weight);
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

void mechanism_clear(const mechanism_model *m, double *hessian)
{
    for (int64_t j = 0; j < m->size; j++) {
        double *column = hessian + j * m->size;
        int64_t penalised = j < m->p ? m->p : j;
        if (j < m->p) {
            memcpy(column + j, m->penalty + j * m->p + j, (size_t)(m->p - j) * sizeof *column);
        }
        memset(column + penalised, 0, (size_t)(m->size - penalised) * sizeof *column);
    }
}

double mechanism_penalise(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
{
    double sum = 0.0;
    for (int64_t t = 0; t < m->terms; t++) {
        int64_t first = m->term[t].offset;
        sum += penalise_term(&m->term[t], theta + first, gradient ? gradient + first : NULL);
    }
    return sum + penalise_segments(m, theta, gradient, hessian);
}
