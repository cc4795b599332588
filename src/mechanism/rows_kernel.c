/*
 * rows_kernel.c - passes over the rows: T and dT/dy, the log densities (1) of mechanism.h, and their derivatives.
 * Compiled once per instruction set.
 */
#include "mechanism/rows_kernel.h"

#include "math/pair.h"
#include "math/wide.h"

enum {
    CAUSE = MECHANISM_CAUSE_ORDER,
    EFFECT = MECHANISM_EFFECT_ORDER,
    MAX_OF_FORM = MECHANISM_MAX_CAUSES * (MECHANISM_MAX_CAUSES - 1) / 2
};

static const double CORNER = 0.3;                      /* d of the Laplace density */
static const double LAPLACE_TOTAL = 0.606278640681916; /* log of the integral of exp(-sqrt(z^2 + d^2)) */
static const double FALLING = -2.0 * MECHANISM_FLAT;   /* scores use no smaller dT/dy */

/* ---- products of B-splines ------------------------------------------------------------------------------------- */

/* A term at one row: its products are left[a] * right[b]; `start` is the coefficient of the first. */
typedef struct row_term {
    int64_t start;
    const double *left, *slope, *right;
} row_term;

/* Looks up a term at row i; order: of the left B-splines.  A term of one variable is multiplied by 1 and 0. */
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

/* The terms of one form: they are adjacent in a model (mechanism_new), with the same sizes. */
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

/* Adds the products of y and a cause to T and dT/dy: the B-splines of y are the same in all of them. */
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

static void apply(const mechanism_model *m, mechanism_point *at)
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

/* Returns the first row after `from` that is in another segment, at most `to`. */
static int64_t end_of_segment(const mechanism_model *m, int64_t from, int64_t to)
{
    int64_t i = from;
    while (i < to && m->data->segment[i] == m->data->segment[from]) {
        i++;
    }
    return i;
}

/* The location and the scale of a segment. */
typedef struct location_scale {
    double location, inverse_scale, log_scale;
} location_scale;

static location_scale location_scale_of(const mechanism_model *m, const double *theta, int64_t row)
{
    const double *at = theta + m->p + m->data->segment[row];
    double log_scale = at[m->data->segments];
    return (location_scale){at[0], exp(-log_scale), log_scale};
}

/* T and dT/dy of WIDE rows or fewer; the others get harmless numbers. */
typedef struct some_rows {
    wide transform, slope;
} some_rows;

static inline some_rows rows_at(const mechanism_point *at, int64_t i, int64_t count)
{
    if (count >= WIDE) {
        return (some_rows){wide_load(at->transform + i), wide_load(at->slope + i)};
    }
    return (some_rows){wide_load_some(at->transform + i, count, 0.0), wide_load_some(at->slope + i, count, 1.0)};
}

/* Returns log dT/dy: see MECHANISM_FLAT. */
static inline wide log_slope(wide slope)
{
    wide_bits steep = slope > MECHANISM_FLAT;
    wide t = (slope - MECHANISM_FLAT) * (1.0 / MECHANISM_FLAT);
    wide flat = log(MECHANISM_FLAT) + t - 0.5 * t * t;
    return wide_select(steep, wide_log(wide_select(steep, slope, wide_fill(1.0))), flat);
}

static inline wide log_density(const location_scale *s, some_rows at)
{
    wide z = (at.transform - s->location) * s->inverse_scale;
    return log_slope(at.slope) - wide_sqrt(z * z + CORNER * CORNER) - (LAPLACE_TOTAL + s->log_scale);
}

static double likelihood(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to)
{
    wide sum = {0};
    double rest = 0.0;
    for (int64_t end, i = from; i < to; i = end) {
        location_scale s = location_scale_of(m, at->theta, i);
        end = end_of_segment(m, i, to);
        for (; i + WIDE <= end; i += WIDE) {
            sum += log_density(&s, rows_at(at, i, WIDE));
        }
        wide last = log_density(&s, rows_at(at, i, end - i));
        for (int64_t k = 0; k < end - i; k++) {
            rest += last[k];
        }
    }
    return wide_total(sum) + rest;
}

static void score(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to, double *density)
{
    for (int64_t end, i = from; i < to;) {
        location_scale s = location_scale_of(m, at->theta, i);
        for (end = end_of_segment(m, i, to); i < end; i += WIDE) {
            some_rows rows = rows_at(at, i, end - i);
            rows.slope = wide_select(rows.slope < FALLING, wide_fill(FALLING), rows.slope);
            wide_store_some(density + i, end - i, log_density(&s, rows));
        }
        i = end;
    }
}

/* ---- derivatives ----------------------------------------------------------------------------------------------- */

/* Derivatives of minus the log densities of WIDE rows: by T, twice, by T and rho, by dT/dy, twice. */
typedef struct row_weights {
    wide first, second, mixed, slope_first, slope_second;
} row_weights;

/* Sums over the rows of a segment: gradient by location and scale, second derivatives. */
enum { BY_LOCATION, BY_SCALE, BY_LOCATION_TWICE, BY_BOTH, BY_SCALE_TWICE, SEGMENT_SUMS };

static inline row_weights weigh(const location_scale *s, some_rows at, wide *sum)
{
    row_weights w;
    wide z = (at.transform - s->location) * s->inverse_scale, inverse = 1.0 / wide_sqrt(z * z + CORNER * CORNER);
    wide first = -z * inverse, second = (-CORNER * CORNER) * (inverse * inverse * inverse);
    wide mixed = second * z + first;
    w.first = -s->inverse_scale * first;
    w.second = -(s->inverse_scale * s->inverse_scale) * second;
    w.mixed = s->inverse_scale * mixed;
    wide_bits steep = at.slope > MECHANISM_FLAT;
    wide rise = 1.0 / wide_select(steep, at.slope, wide_fill(MECHANISM_FLAT));
    w.slope_first = wide_select(steep, -rise, (at.slope * rise - 2.0) * rise);
    w.slope_second = rise * rise;
    sum[BY_LOCATION] -= w.first;
    sum[BY_SCALE] += first * z + 1.0;
    sum[BY_LOCATION_TWICE] += w.second;
    sum[BY_BOTH] -= w.mixed;
    sum[BY_SCALE_TWICE] -= mixed * z;
    return w;
}

static void keep_weights(const row_weights *w, int64_t i, int64_t count, mechanism_weights *to)
{
    wide_store_some(to->first + i, count, w->first);
    wide_store_some(to->second + i, count, w->second);
    wide_store_some(to->mixed + i, count, w->mixed);
    wide_store_some(to->slope_first + i, count, w->slope_first);
    wide_store_some(to->slope_second + i, count, w->slope_second);
}

/* Weighs the last rows of a segment; *total: the sums over all of its rows. */
static void weigh_last(const location_scale *s, const mechanism_point *at, int64_t i, int64_t count, const wide *sum,
                       mechanism_weights *w, double *total)
{
    wide lane[SEGMENT_SUMS] = {{0}};
    row_weights last = weigh(s, rows_at(at, i, count), lane);
    keep_weights(&last, i, count, w);
    for (int k = 0; k < SEGMENT_SUMS; k++) {
        total[k] = wide_total(sum[k]);
        for (int64_t row = 0; row < count; row++) {
            total[k] += lane[k][row];
        }
    }
}

/* Computes derivatives of minus the log density of each row, and gradient and hessian of the segments' parameters. */
static void weigh_rows(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to,
                       mechanism_weights *w, double *gradient, double *hessian)
{
    int64_t segments = m->data->segments, ld = m->size;
    for (int64_t end, i = from; i < to; i = end) {
        int64_t location = m->p + m->data->segment[i], scale = location + segments;
        location_scale s = location_scale_of(m, at->theta, i);
        wide sum[SEGMENT_SUMS] = {{0}};
        double total[SEGMENT_SUMS];
        end = end_of_segment(m, i, to);
        for (; i + WIDE <= end; i += WIDE) {
            row_weights each = weigh(&s, rows_at(at, i, WIDE), sum);
            keep_weights(&each, i, WIDE, w);
        }
        weigh_last(&s, at, i, end - i, sum, w, total);
        gradient[location] += total[BY_LOCATION];
        gradient[scale] += total[BY_SCALE];
        if (hessian && m->is_arrow) {
            double *own = hessian + m->p * m->p + 3 * (location - m->p);
            own[0] += total[BY_LOCATION_TWICE];
            own[1] += total[BY_BOTH];
            own[2] += total[BY_SCALE_TWICE];
        } else if (hessian) {
            hessian[location * ld + location] += total[BY_LOCATION_TWICE];
            hessian[location * ld + scale] += total[BY_BOTH];
            hessian[scale * ld + scale] += total[BY_SCALE_TWICE];
        }
    }
}

static inline void add_pair(double *at, pair value)
{
    pair_store(at, pair_load(at) + value);
}

/* Computes weight (EFFECT), what the B-splines of y add to the gradient at a row. */
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

static void add_crossings(const mechanism_model *m, int64_t from, int64_t to, const mechanism_weights *w)
{
    for (int64_t t = 0; t < m->terms; t++) {
        add_crossing(m, &m->term[t], m->term[t].has_slope ? EFFECT : CAUSE, from, to, w);
    }
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

extern const rows_kernel IN_SET(rows);
const rows_kernel IN_SET(rows) = {apply, likelihood, score, weigh_rows, add_gradients, add_crossings};
