/*
 * segment_rows.h - simulated rows for the tests of the segment classifiers, and fits to them.
 *
 * Include it last, like fixture.h.
 */
#ifndef UNIT_SEGMENT_ROWS_H
#define UNIT_SEGMENT_ROWS_H

#include "base/rng.h"
#include "classifier/classifier_compare.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

/* How null distributions are drawn if rows are independent. */
#define BY(count, number, name) (&(compare_draws){.threads = (count), .draws = (number), .seed = (name)})

static inline void assert_close(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("found %.17g, expected %.17g", found, expected);
    }
}

/* Rows sorted by segment. */
typedef struct rows {
    int64_t n, segments, *start;
    double *x[2]; /* in [0, 1] */
    int32_t *fold;
} rows;

static inline void *rows_get(fixture *f, int64_t count, size_t size)
{
    void *block = arena_get(f->ctx, &f->scratch, count, size);
    assert_non_null(block);
    return block;
}

static inline void rows_allocate(fixture *f, int64_t n, int64_t segments, rows *out)
{
    *out = (rows){.n = n, .segments = segments, .start = rows_get(f, segments + 1, sizeof(int64_t))};
    out->x[0] = fixture_doubles(f, n);
    out->x[1] = fixture_doubles(f, n);
}

static inline void rows_warp(fixture *f, rows *r)
{
    double *raw = fixture_doubles(f, r->n);
    for (int j = 0; j < 2; j++) {
        memcpy(raw, r->x[j], (size_t)r->n * sizeof *raw);
        assert_int_equal(sample_warp(f->ctx, &f->scratch, r->n, raw, r->x[j]), NONSENS_OK);
    }
}

/*
 * Draws x1 = s1(e) N1, x2 = x1^2 / 2 + s2(e) N2: the restricted model (1, 0, 1) is near the truth, (0, 1, 1) is not.
 * `strength` scales the logarithms of the scales.
 */
static inline rows rows_scales(fixture *f, int64_t per_segment, int64_t segments, double strength, uint64_t seed)
{
    rows out;
    rng r = rng_new(seed, RNG_TEST, 0);
    rows_allocate(f, per_segment * segments, segments, &out);
    for (int64_t e = 0; e < segments; e++) {
        double first = exp(strength * rng_normal(&r)), second = exp(strength * rng_normal(&r));
        out.start[e + 1] = (e + 1) * per_segment;
        for (int64_t i = out.start[e]; i < out.start[e + 1]; i++) {
            out.x[0][i] = first * rng_normal(&r);
            out.x[1][i] = 0.5 * out.x[0][i] * out.x[0][i] + second * rng_normal(&r);
        }
    }
    rows_warp(f, &out);
    return out;
}

/* Sorts the rows (x1, x2) by these labels; the order within a label is kept. */
static inline rows rows_labelled(fixture *f, int64_t n, int64_t segments, const double *const x[2],
                                 const int32_t *label)
{
    rows out;
    rows_allocate(f, n, segments, &out);
    for (int64_t e = 0, at = 0; e < segments; e++) {
        for (int64_t i = 0; i < n; i++) {
            if (label[i] == e) {
                out.x[0][at] = x[0][i];
                out.x[1][at++] = x[1][i];
            }
        }
        out.start[e + 1] = at;
        assert_true(at > out.start[e]);
    }
    return out;
}

/* Draws rows of three segments with logits +-2 sin(waves pi x1) over uniform x. */
static inline rows rows_waves(fixture *f, int64_t n, double waves, uint64_t seed)
{
    rng r = rng_new(seed, RNG_TEST, 9);
    double *x[2] = {fixture_doubles(f, n), fixture_doubles(f, n)};
    int32_t *label = rows_get(f, n, sizeof *label);
    for (int64_t i = 0; i < n; i++) {
        x[0][i] = rng_uniform(&r);
        x[1][i] = rng_uniform(&r);
        double h = 2.0 * sin(waves * 3.14159265358979 * x[0][i]), up = exp(h), down = exp(-h);
        double u = rng_uniform(&r) * (up + down + 1.0);
        label[i] = u < up ? 0 : u < up + down ? 1 : 2;
    }
    return rows_labelled(f, n, 3, (const double *const[2]){x[0], x[1]}, label);
}

static inline classifier_sample rows_sample(fixture *f, rows *r, int64_t folds, int64_t basis, int64_t seed)
{
    classifier_sample out;
    const double *const x[2] = {r->x[0], r->x[1]};
    assert_int_equal(sample_folds(f->ctx, &f->scratch, r->segments, r->start, folds, seed, 0, &r->fold), NONSENS_OK);
    assert_int_equal(classifier_sample_new(f->ctx, &f->scratch, x, r->segments, r->start, r->fold, folds, basis, &out),
                     NONSENS_OK);
    return out;
}

/* The same penalty for all rows and every fold. */
static inline classifier_penalty rows_penalty(fixture *f, int64_t folds, double lambda)
{
    double *fold = fixture_doubles(f, folds);
    for (int64_t k = 0; k < folds; k++) {
        fold[k] = lambda;
    }
    return (classifier_penalty){lambda, fold, lambda, NULL};
}

static inline classifier_fit rows_fit_new(fixture *f, const classifier_sample *s, classifier_shape form, double lambda)
{
    classifier_fit out;
    classifier_penalty weight = rows_penalty(f, s->folds, lambda);
    assert_int_equal(fit_new(f->ctx, &f->scratch, s, form, &weight, &out), NONSENS_OK);
    return out;
}

/* Fits all rows from a cold start. */
static inline classifier_fit rows_fit(fixture *f, const classifier_sample *s, classifier_shape form, double lambda,
                                      int threads)
{
    classifier_fit out = rows_fit_new(f, s, form, lambda);
    assert_int_equal(fit_start_cold(f->ctx, &f->scratch, &out), NONSENS_OK);
    assert_int_equal(fit_all(f->ctx, &f->scratch, threads, &out), NONSENS_OK);
    assert_true(out.converged);
    return out;
}

/* Returns the penalised negative log likelihood of all rows at theta. */
static inline double rows_objective(fixture *f, const classifier_fit *of, const double *theta)
{
    arena_mark mark = arena_tell(&f->scratch);
    double value;
    assert_int_equal(model_penalty(f->ctx, &f->scratch, &of->model, theta, of->lambda, &value, NULL, NULL, NULL),
                     NONSENS_OK);
    for (int64_t k = 0; k < of->model.data->folds; k++) {
        classifier_sums sums = {0, NULL, NULL, NULL};
        assert_int_equal(model_sum(f->ctx, &f->scratch, &of->model, theta, k, &sums), NONSENS_OK);
        value -= sums.log_likelihood;
    }
    arena_rewind(&f->scratch, mark);
    return value;
}

/* Computes its gradient (parameters) and, unless NULL, its exact matrix of second derivatives, both triangles. */
static inline void rows_derivatives(fixture *f, const classifier_fit *of, const double *theta, double *gradient,
                                    double *hessian)
{
    const classifier_model *m = &of->model;
    int64_t p = m->parameters;
    arena_mark mark = arena_tell(&f->scratch);
    double value, *slope = fixture_doubles(f, m->data->segments * m->data->basis * m->data->basis);
    memset(gradient, 0, (size_t)p * sizeof *gradient);
    if (hessian) {
        memset(hessian, 0, (size_t)(p * p) * sizeof *hessian);
    }
    for (int64_t k = 0; k < m->data->folds; k++) {
        classifier_sums sums = {0, gradient, hessian, slope};
        assert_int_equal(model_sum(f->ctx, &f->scratch, m, theta, k, &sums), NONSENS_OK);
    }
    for (int64_t i = 0; i < p; i++) {
        gradient[i] = -gradient[i];
    }
    assert_int_equal(
        model_penalty(f->ctx, &f->scratch, m, theta, of->lambda, &value, gradient, hessian, hessian ? slope : NULL),
        NONSENS_OK);
    if (hessian) {
        model_add_bilinear(m, 1.0, slope, hessian);
        for (int64_t i = 0; i < p; i++) {
            for (int64_t j = 0; j < i; j++) {
                hessian[j * p + i] = hessian[i * p + j];
            }
        }
    }
    arena_rewind(&f->scratch, mark);
}

/* Computes step = -|H|^-1 gradient, except in the null space of H: vectors (p, p), values (p, ascending) of H. */
static inline void rows_newton_step(int64_t p, const double *vectors, const double *values, const double *gradient,
                                    double *step)
{
    memset(step, 0, (size_t)p * sizeof *step);
    for (int64_t k = 0; k < p; k++) {
        double along = 0.0;
        for (int64_t i = 0; i < p; i++) {
            along += vectors[k * p + i] * gradient[i];
        }
        for (int64_t i = 0; i < p && fabs(values[k]) > 1e-9 * values[p - 1]; i++) {
            step[i] -= along / fabs(values[k]) * vectors[k * p + i];
        }
    }
}

/*
 * Takes Newton steps with the exact matrix from a point near the optimum, until the gradient is as small as rounding.
 * vectors (p, p) and values (p, ascending): the eigenvectors and eigenvalues of that matrix there.
 */
static inline void rows_polish(fixture *f, const classifier_fit *of, double *theta, double *vectors, double *values)
{
    int64_t p = of->model.parameters;
    double *gradient = fixture_doubles(f, p), *step = fixture_doubles(f, p), *next = fixture_doubles(f, p), most = 1.0;
    for (int round = 0; round < 60 && most > 1e-9; round++) {
        double now = rows_objective(f, of, theta), share = 1.0;
        rows_derivatives(f, of, theta, gradient, vectors);
        assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, p, vectors, values), NONSENS_OK);
        rows_newton_step(p, vectors, values, gradient, step);
        most = 0.0;
        for (int64_t i = 0; i < p; i++) {
            most = fmax(most, fabs(gradient[i]));
        }
        do {
            for (int64_t i = 0; i < p; i++) {
                next[i] = theta[i] + share * step[i];
            }
            share *= 0.5;
        } while (rows_objective(f, of, next) > now + 1e-11 * fabs(now) && share > 1e-6);
        memcpy(theta, next, (size_t)p * sizeof *next);
    }
    assert_true(most < 1e-7);
}

#endif
