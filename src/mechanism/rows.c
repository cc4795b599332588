/*
 * rows.c - passes over the rows: log densities (1) of mechanism.h, their first and second derivatives.
 *
 * A row has two consecutive non-zero coefficients per B-spline of the left variable ("run"), so that second
 * derivatives are sums of 2 x 2 blocks.
 */
#include "mechanism/internal.h"

#include <math.h>

enum { RUN = MECHANISM_CAUSE_ORDER, MOST_RUNS = MECHANISM_EFFECT_ORDER * MECHANISM_MOST_TERMS };

static const double CORNER = 0.3;                       /* d of the Laplace density */
static const double LAPLACE_TOTAL = 0.606278640681916;  /* log of the integral of exp(-sqrt(z^2 + d^2)) */
static const double GAUSSIAN_TOTAL = 0.918938533204673; /* log sqrt(2 pi) */
static const double FALLING = -2.0 * MECHANISM_FLAT;    /* scores go no further down */

/* One row: its runs and their values. */
typedef struct row_terms {
    int64_t runs, sloped; /* the first `sloped` runs have slopes */
    int64_t start[MOST_RUNS];
    double value[RUN * MOST_RUNS], slope[RUN * MOST_RUNS];
} row_terms;

/* Products of all left B-splines with the right ones; y alone: with 1 and 0. */
static void fill_term(const mechanism_term *t, int64_t i, row_terms *r)
{
    static const double ALONE[RUN] = {1.0, 0.0};
    int64_t order = t->has_slope ? MECHANISM_EFFECT_ORDER : MECHANISM_CAUSE_ORDER;
    const double *left = t->left->value + order * i, *slope = t->has_slope ? t->left->slope + order * i : NULL;
    const double *right = t->right ? t->right->value + RUN * i : ALONE;
    int64_t start = t->offset + t->left->first[i] * t->stride + (t->right ? t->right->first[i] : 0);
    for (int64_t a = 0; a < order; a++) {
        double *value = r->value + RUN * r->runs;
        r->start[r->runs] = start + a * t->stride;
        value[0] = left[a] * right[0];
        value[1] = left[a] * right[1];
        if (slope) {
            r->slope[RUN * r->runs] = slope[a] * right[0];
            r->slope[RUN * r->runs + 1] = slope[a] * right[1];
        }
        r->runs++;
    }
    r->sloped = slope ? r->runs : r->sloped;
}

static void fill_row(const mechanism_model *m, int64_t i, row_terms *r)
{
    r->runs = r->sloped = 0;
    for (int64_t t = 0; t < m->terms; t++) {
        fill_term(&m->term[t], i, r);
    }
}

static double dot_runs(const row_terms *r, int64_t runs, const double *value, const double *theta)
{
    double sum = 0.0;
    for (int64_t k = 0; k < runs; k++) {
        const double *at = theta + r->start[k], *v = value + RUN * k;
        sum += v[0] * at[0] + v[1] * at[1];
    }
    return sum;
}

/* l and its derivatives at z. */
typedef struct base_value {
    double log, first, second;
} base_value;

static base_value base_at(enum mechanism_base base, double z)
{
    if (base == MECHANISM_GAUSSIAN) {
        return (base_value){-0.5 * z * z - GAUSSIAN_TOTAL, -z, -1.0};
    }
    double r = sqrt(z * z + CORNER * CORNER);
    return (base_value){-r - LAPLACE_TOTAL, -z / r, -CORNER * CORNER / (r * r * r)};
}

/* log of the slope, its derivative and minus its second derivative: see MECHANISM_FLAT. */
static base_value log_slope(double slope)
{
    if (slope > MECHANISM_FLAT) {
        return (base_value){log(slope), 1.0 / slope, 1.0 / (slope * slope)};
    }
    double t = (slope - MECHANISM_FLAT) / MECHANISM_FLAT;
    return (base_value){log(MECHANISM_FLAT) + t - 0.5 * t * t, (1.0 - t) / MECHANISM_FLAT,
                        1.0 / (MECHANISM_FLAT * MECHANISM_FLAT)};
}

double mechanism_evaluate(const mechanism_model *m, const double *theta, int64_t from, int64_t to, double *transform,
                          double *log_density)
{
    const double *place = theta + m->p, *scale = place + m->data->segments;
    double sum = 0.0;
    row_terms r;
    for (int64_t i = from; i < to; i++) {
        int32_t e = m->data->segment[i];
        fill_row(m, i, &r);
        double t = dot_runs(&r, r.runs, r.value, theta), slope = dot_runs(&r, r.sloped, r.slope, theta);
        double z = (t - place[e]) * exp(-scale[e]);
        double value = base_at(m->data->base, z).log - scale[e];
        value += log_slope(log_density ? fmax(slope, FALLING) : slope).log;
        sum += value;
        if (transform) {
            transform[i] = t;
        }
        if (log_density) {
            log_density[i] = value;
        }
    }
    return sum;
}

/* hessian += left right' over the runs of a row, lower triangle; rows of column start[p] + a begin at start[q]. */
static void add_blocks(const row_terms *r, int64_t runs, const double *left, const double *right, int64_t ld,
                       double *hessian)
{
    for (int64_t p = 0; p < runs; p++) {
        for (int64_t a = 0; a < RUN; a++) {
            double weight = left[RUN * p + a];
            double *column = hessian + (r->start[p] + a) * ld;
            for (int64_t q = p; q < runs; q++) {
                double *at = column + r->start[q];
                const double *v = right + RUN * q;
                at[0] += weight * v[0];
                at[1] += weight * v[1];
            }
        }
    }
}

static void add_runs(const row_terms *r, int64_t runs, const double *value, double weight, double *target)
{
    for (int64_t k = 0; k < runs; k++) {
        for (int64_t a = 0; a < RUN; a++) {
            target[r->start[k] + a] += weight * value[RUN * k + a];
        }
    }
}

/* target[start + a, column by column]: the row `at` of the lower triangle. */
static void add_crossing(const row_terms *r, double weight, int64_t ld, int64_t at, double *hessian)
{
    for (int64_t k = 0; k < r->runs; k++) {
        for (int64_t a = 0; a < RUN; a++) {
            hessian[(r->start[k] + a) * ld + at] += weight * r->value[RUN * k + a];
        }
    }
}

static void scale_runs(int64_t runs, double weight, const double *value, double *out)
{
    for (int64_t k = 0; k < RUN * runs; k++) {
        out[k] = weight * value[k];
    }
}

static void derive_row(const mechanism_model *m, const double *theta, int64_t i, row_terms *r, double *gradient,
                       double *hessian)
{
    int64_t e = m->data->segment[i], place = m->p + e, scale = place + m->data->segments, ld = m->size;
    double weighted[RUN * MOST_RUNS], s = exp(-theta[scale]);
    fill_row(m, i, r);
    double z = (dot_runs(r, r->runs, r->value, theta) - theta[place]) * s;
    base_value l = base_at(m->data->base, z), d = log_slope(dot_runs(r, r->sloped, r->slope, theta));
    double mixed = l.second * z + l.first;
    add_runs(r, r->runs, r->value, -l.first * s, gradient);
    add_runs(r, r->sloped, r->slope, -d.first, gradient);
    gradient[place] += l.first * s;
    gradient[scale] += l.first * z + 1.0;
    if (!hessian) {
        return;
    }
    scale_runs(r->runs, -l.second * s * s, r->value, weighted);
    add_blocks(r, r->runs, weighted, r->value, ld, hessian);
    scale_runs(r->sloped, d.second, r->slope, weighted);
    add_blocks(r, r->sloped, weighted, r->slope, ld, hessian);
    add_crossing(r, l.second * s * s, ld, place, hessian);
    add_crossing(r, mixed * s, ld, scale, hessian);
    hessian[place * ld + place] -= l.second * s * s;
    hessian[place * ld + scale] -= mixed * s;
    hessian[scale * ld + scale] -= mixed * z;
}

void mechanism_derive(const mechanism_model *m, const double *theta, int64_t from, int64_t to, double *gradient,
                      double *hessian)
{
    row_terms r;
    for (int64_t i = from; i < to; i++) {
        derive_row(m, theta, i, &r, gradient, hessian);
    }
}

/* ---- penalties ------------------------------------------------------------------------------------------------- */

static const double PRIOR_ROWS = 1.0;  /* as much as so many rows speaks for scale 1 in each segment */
static const double PLACE_RIDGE = 0.1; /* likewise for place 0 */

/* Half of weight * squared second differences of `count` coefficients, `step` apart. */
static double penalise_bends(const double *theta, int64_t count, int64_t step, double weight, double *gradient)
{
    double sum = 0.0;
    for (int64_t i = 0; i + 2 < count; i++) {
        int64_t at = i * step;
        double bend = theta[at] - 2.0 * theta[at + step] + theta[at + 2 * step];
        sum += 0.5 * weight * bend * bend;
        if (gradient) {
            gradient[at] += weight * bend;
            gradient[at + step] -= 2.0 * weight * bend;
            gradient[at + 2 * step] += weight * bend;
        }
    }
    return sum;
}

static double penalise_term(const mechanism_term *t, const double *theta, double *gradient)
{
    double sum = 0.0, ridge = MECHANISM_RIDGE * t->weight;
    for (int64_t a = 0; a < t->rows; a++) {
        int64_t at = a * t->stride;
        sum += penalise_bends(theta + at, t->columns, 1, t->weight, gradient ? gradient + at : NULL);
    }
    for (int64_t b = 0; b < t->columns; b++) {
        sum += penalise_bends(theta + b, t->rows, t->stride, t->weight, gradient ? gradient + b : NULL);
    }
    for (int64_t i = 0; i < t->rows * t->columns; i++) {
        sum += 0.5 * ridge * theta[i] * theta[i];
        if (gradient) {
            gradient[i] += ridge * theta[i];
        }
    }
    return sum;
}

static double penalise_coefficients(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
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
    return sum;
}

/*
 * Places and logarithms of scales have mean zero, up to little: T has a place and a scale of its own.  The prior
 * PRIOR_ROWS (rho + exp(-rho)) keeps a segment in which y is constant from an infinite density.
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
            sum += kind ? PRIOR_ROWS * at + away : 0.5 * PLACE_RIDGE * at * at;
            if (gradient) {
                gradient[first + e] += kind ? PRIOR_ROWS - away : PLACE_RIDGE * at;
            }
            if (hessian) {
                hessian[(first + e) * ld + first + e] += kind ? away : PLACE_RIDGE;
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
    return penalise_coefficients(m, theta, gradient, hessian) + penalise_segments(m, theta, gradient, hessian);
}
