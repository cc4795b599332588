/*
 * assumptions.c - draws pairs of cause and effect that satisfy a baseline's assumptions, with 1,000 rows in all.
 *
 * linear          y = b x + e, no segments; x and e Laplace, uniform or exponential, each drawn independently
 * linear-gaussian the same with Gaussian x and e: the direction cannot be identified
 * unrelated       two such columns that are independent
 * additive        y = f(x) + e, f a sum of three tanh; noise .2 to .6 of the spread of f(x), Gaussian or uniform
 * additive-small  the same with noise .05 to .2 of the spread of f(x)
 * noise-scaled    y = f(x) + s(x) e: noise that is not additive
 * cause-changes   ten segments; mean and scale of x change, y = f(x) + e does not
 * effect-changes  x does not change, y = a f(x) + b + c e with a, b and c drawn for each segment
 * both-change     both change independently; -20: twenty segments of 50 rows
 * nothing-changes no change over the segments
 *
 * x comes from a normal or uniform distribution or a mixture of two normals.
 */
#include "mechanisms.h"

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 1000, LINEAR_LAWS = 3, CAUSE_LAWS = 3 };

/* What defines a pair. */
typedef struct recipe {
    bool linear, gaussian, unrelated, scaled;
    double noise_min, noise_max; /* standard deviation of the noise over that of f(x) */
    bool cause_changes, effect_changes;
} recipe;

static double between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

static double signed_between(rng *r, double low, double high)
{
    double size = between(r, low, high);
    return rng_uniform(r) < 0.5 ? -size : size;
}

/* ---- distributions, all with mean 0 and variance 1 ---- */

static double draw_linear_law(rng *r, int law)
{
    switch (law) {
    case 0:
        return rng_laplace(r) / sqrt(2.0);
    case 1:
        return sqrt(12.0) * (rng_uniform(r) - 0.5);
    case 2:
        return -log(rng_uniform(r)) - 1.0;
    default:
        return rng_normal(r);
    }
}

static double draw_cause_law(rng *r, int law)
{
    switch (law) {
    case 0:
        return rng_normal(r);
    case 1:
        return sqrt(12.0) * (rng_uniform(r) - 0.5);
    default:
        return (rng_uniform(r) < 0.5 ? 0.8 : -0.8) + 0.6 * rng_normal(r);
    }
}

/* ---- mechanisms ---- */

static curve draw_curve(rng *r)
{
    curve f;
    for (int k = 0; k < CURVE_TERMS; k++) {
        f.weight[k] = signed_between(r, 0.5, 1.5);
        f.slope[k] = between(r, 1.0, 3.0);
        f.centre[k] = between(r, -1.5, 1.5);
    }
    return f;
}

/* Standardises a column to mean 0 and variance 1, so that the noise has a known share of the variance. */
static void standardise(int64_t n, double *v)
{
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] -= sum / (double)n;
        squares += v[i] * v[i];
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] /= sqrt(squares / (double)n);
    }
}

/* ---- drawing ---- */

static void fill_linear(const recipe *kind, rng *r, double *x, double *y)
{
    int of_x = kind->gaussian ? LINEAR_LAWS : (int)rng_below(r, LINEAR_LAWS);
    int of_noise = kind->gaussian ? LINEAR_LAWS : (int)rng_below(r, LINEAR_LAWS);
    double slope = kind->unrelated ? 0.0 : signed_between(r, 0.5, 1.5), spread = between(r, 0.5, 1.5);
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = draw_linear_law(r, of_x);
        y[i] = slope * x[i] + spread * draw_linear_law(r, of_noise);
    }
}

static void fill_cause(const mechanism *m, rng *r, double *x)
{
    const recipe *kind = m->kind;
    int law = (int)rng_below(r, CAUSE_LAWS);
    double mean = 0.0, scale = 1.0;
    for (int64_t i = 0; i < ROWS; i++) {
        if (kind->cause_changes && i % m->rows == 0) {
            mean = between(r, -1.5, 1.5);
            scale = between(r, 0.3, 1.2);
        }
        x[i] = mean + scale * draw_cause_law(r, law);
    }
}

static void fill_effect(const mechanism *m, rng *r, const double *x, double *y)
{
    const recipe *kind = m->kind;
    curve f = draw_curve(r);
    bool uniform = rng_uniform(r) < 0.5;
    double spread = between(r, kind->noise_min, kind->noise_max), slope = 1.0, mean = 0.0, scale = 1.0;
    for (int64_t i = 0; i < ROWS; i++) {
        y[i] = curve_at(&f, x[i]);
    }
    standardise(ROWS, y);
    for (int64_t i = 0; i < ROWS; i++) {
        if (kind->effect_changes && i % m->rows == 0) {
            slope = between(r, 0.5, 2.0);
            mean = between(r, -1.0, 1.0);
            scale = between(r, 0.4, 2.0);
        }
        double noise = draw_linear_law(r, uniform ? 1 : LINEAR_LAWS);
        y[i] = slope * y[i] + mean + scale * spread * noise * (kind->scaled ? 0.3 + fabs(x[i]) : 1.0);
    }
}

static int draw(const mechanism *m, int64_t seed, double *const column[2], int64_t *segment)
{
    const recipe *kind = m->kind;
    rng r = rng_new((uint64_t)seed, RNG_EXPERIMENT, m->number << 32);
    int cause = (int)rng_below(&r, 2);
    if (kind->linear) {
        fill_linear(kind, &r, column[cause], column[!cause]);
    } else {
        fill_cause(m, &r, column[cause]);
        fill_effect(m, &r, column[cause], column[!cause]);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        segment[i] = i / m->rows;
    }
    return kind->unrelated ? -1 : cause;
}

/* ---- the table ---- */

static const recipe LINEAR = {.linear = true}, LINEAR_GAUSSIAN = {.linear = true, .gaussian = true},
                    UNRELATED = {.linear = true, .unrelated = true}, ADDITIVE = {.noise_min = 0.2, .noise_max = 0.6},
                    ADDITIVE_SMALL = {.noise_min = 0.05, .noise_max = 0.2},
                    NOISE_SCALED = {.noise_min = 0.2, .noise_max = 0.6, .scaled = true},
                    CAUSE_CHANGES = {.noise_min = 0.2, .noise_max = 0.6, .cause_changes = true},
                    EFFECT_CHANGES = {.noise_min = 0.2, .noise_max = 0.6, .effect_changes = true},
                    BOTH_CHANGE = {.noise_min = 0.2, .noise_max = 0.6, .cause_changes = true, .effect_changes = true};

const mechanism ASSUMED_PAIRS[] = {
    {"linear", 0, ROWS, 101, draw, &LINEAR},
    {"linear-gaussian", 0, ROWS, 102, draw, &LINEAR_GAUSSIAN},
    {"unrelated", 0, ROWS, 103, draw, &UNRELATED},
    {"additive", 0, ROWS, 104, draw, &ADDITIVE},
    {"additive-small", 0, ROWS, 105, draw, &ADDITIVE_SMALL},
    {"noise-scaled", 0, ROWS, 106, draw, &NOISE_SCALED},
    {"cause-changes", 10, ROWS / 10, 107, draw, &CAUSE_CHANGES},
    {"effect-changes", 10, ROWS / 10, 108, draw, &EFFECT_CHANGES},
    {"both-change", 10, ROWS / 10, 109, draw, &BOTH_CHANGE},
    {"both-change-20", 20, ROWS / 20, 110, draw, &BOTH_CHANGE},
    {"nothing-changes", 10, ROWS / 10, 111, draw, &ADDITIVE},
};

const int ASSUMED_PAIR_COUNT = sizeof ASSUMED_PAIRS / sizeof *ASSUMED_PAIRS;
