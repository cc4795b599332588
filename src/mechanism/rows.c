/* rows.c - what a descent needs of all rows: likelihood, gradient, second derivatives; and the penalties. */
#include "mechanism/rows_kernel.h"
#include "mechanism/second.h"

#include <math.h>
#include <string.h>

nonsens_status mechanism_point_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_point *out)
{
    ARENA_TRY(ctx, a, out->theta, m->size);
    ARENA_TRY(ctx, a, out->transform, m->data->n);
    ARENA_TRY(ctx, a, out->slope, m->data->n);
    return NONSENS_OK;
}

nonsens_status mechanism_weights_new(nonsens_context *ctx, arena *a, const mechanism_model *m,
                                     const mechanism_weights *like, mechanism_weights *out)
{
    double **const lists[] = {&out->first, &out->second, &out->mixed, &out->slope_first, &out->slope_second};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        ARENA_TRY(ctx, a, *lists[k], m->data->n);
    }
    ARENA_TRY(ctx, a, out->crossing, 2 * m->data->segments * m->p);
    ARENA_TRY(ctx, a, out->sums, 1);
    return like ? mechanism_second_beside(ctx, a, m, like->sums, out->sums)
                : mechanism_second_new(ctx, a, m, out->sums);
}

void mechanism_apply(const mechanism_model *m, mechanism_point *at)
{
    m->kernel->apply(m, at);
}

double mechanism_likelihood(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to)
{
    return m->kernel->likelihood(m, at, from, to);
}

void mechanism_score(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to, double *log_density)
{
    m->kernel->score(m, at, from, to, log_density);
}

static nonsens_status add_second(nonsens_context *ctx, const mechanism_model *m, int64_t hole, int64_t hole_end,
                                 mechanism_weights *w, double *hessian)
{
    int64_t crossings = 2 * m->data->segments;
    memset(w->crossing, 0, (size_t)(crossings * m->p) * sizeof *w->crossing);
    m->kernel->add_crossings(m, 0, hole, w);
    m->kernel->add_crossings(m, hole_end, m->data->n, w);
    for (int64_t j = 0; j < m->p && !m->is_arrow; j++) {
        for (int64_t e = 0; e < m->data->segments; e++) {
            const double *of_segment = w->crossing + 2 * (e * m->p + j);
            hessian[j * m->size + m->p + e] += of_segment[0];
            hessian[j * m->size + m->p + m->data->segments + e] += of_segment[1];
        }
    }
    for (int64_t i = hole; i < hole_end; i++) {
        w->second[i] = w->slope_second[i] = 0.0;
    }
    return mechanism_second_add(ctx, m, w->sums, w->second, w->slope_second, hessian);
}

nonsens_status mechanism_derive(nonsens_context *ctx, const mechanism_model *m, const mechanism_point *at, int64_t hole,
                                int64_t hole_end, mechanism_weights *weights, double *gradient, double *hessian)
{
    m->kernel->weigh_rows(m, at, 0, hole, weights, gradient, hessian);
    m->kernel->weigh_rows(m, at, hole_end, m->data->n, weights, gradient, hessian);
    m->kernel->add_gradients(m, 0, hole, weights, gradient);
    m->kernel->add_gradients(m, hole_end, m->data->n, weights, gradient);
    return hessian ? add_second(ctx, m, hole, hole_end, weights, hessian) : NONSENS_OK;
}

/* ---- penalties ------------------------------------------------------------------------------------------------- */

static const double PRIOR_ROWS = 1.0;     /* weight, in rows, of the prior that a segment has scale 1 */
static const double LOCATION_RIDGE = 0.1; /* weight of the prior that a segment has location 0 */

/* Returns half of weight * squared second differences of `count` coefficients, `step` apart. */
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
 * Keeps the sums of locations and of logarithms of scales close to zero, since T has its own location and scale.  The
 * prior PRIOR_ROWS (rho + exp(-rho)) prevents an infinite density in a segment in which y is constant.
 */
static double penalise_segments(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
{
    int64_t segments = m->data->segments, ld = m->size;
    double pin = mechanism_pin(m), sum = 0.0;
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
                int64_t own = m->is_arrow ? m->p * m->p + 3 * e + 2 * kind : (first + e) * ld + first + e;
                hessian[own] += kind ? away : LOCATION_RIDGE;
            }
        }
        sum += 0.5 * pin * mean * mean;
        for (int64_t e = 0; gradient && e < segments; e++) {
            gradient[first + e] += pin * mean;
            for (int64_t f = e; hessian && !m->is_arrow && f < segments; f++) {
                hessian[(first + e) * ld + first + f] += pin;
            }
        }
    }
    return sum;
}

void mechanism_clear(const mechanism_model *m, double *hessian)
{
    if (m->is_arrow) {
        memcpy(hessian, m->penalty, (size_t)(m->p * m->p) * sizeof *hessian);
        memset(hessian + m->p * m->p, 0, (size_t)(3 * m->data->segments) * sizeof *hessian);
        return;
    }
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
    sum += mechanism_unseen_penalise(m, theta, gradient, hessian);
    return sum + penalise_segments(m, theta, gradient, hessian);
}
