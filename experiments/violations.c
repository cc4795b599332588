/*
 * violations.c - draws pairs on which a method may be wrong: data that satisfy the model of `structured` but are hard
 * for its splines, and data that violate one of its assumptions.  Ten segments of 400 rows.
 *
 *     cause   x = N1 (+ a function of a hidden cause),     effect   y = f(x) + N2 (+ a function of the hidden cause)
 *
 * f is a sum of three tanh.  N1 and N2 are draws of mean 0 and variance 1.  If a disturbance changes, its draws are
 * multiplied by a scale that each segment draws log-uniformly from .4 .. 2.5.
 *
 * - location-and-scale: normal disturbances whose means change, too (uniform, -1.5 .. 1.5)
 * - uniform: bounded disturbances, whose supports move with their scale
 * - outliers: .3 % of the rows are replaced by values 8 to 15 standard deviations away
 * - error-R: the cause is measured with a normal error; R is its reliability: its variance over that of the measurement
 * - error-cause-changes: the same with R = .7, and only the cause changes
 * - gain-drift: the cause's instrument has a different gain in every segment (.5 .. 2)
 * - hidden-stationary: no effect; a hidden cause of both, the same in all segments; N1 and N2 change
 * - hidden-changing: the same, and the hidden cause changes, too
 * - hidden-alone-changes: only the hidden cause changes
 * - hidden-one-child: the hidden cause does not change, and only one of N1 and N2 does
 * - hidden-and-effect: x causes y, and a hidden cause acts on both
 * - slopes: y = c f(x) + N2, and c changes (.5 .. 2)
 * - autoregression: x(t) = .8 x(t-1) + N1, y(t) = .8 y(t-1) + .5 x(t-1) + N2, rows in time order; the hidden
 *   cause of a row is the row before it
 * - selected: rows are kept with a probability that grows with y, by the same rule in all segments
 * - series-C: two independent autoregressions of coefficient C with scales that change
 * - still-90: as autoregression, with coefficient .9, but nothing changes: the direction cannot be identified
 */
#include "mechanisms.h"

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SEGMENTS = 10, ROWS = 400, ALL = SEGMENTS * ROWS };

enum law { LAW_LAPLACE, LAW_NORMAL, LAW_UNIFORM };
enum hidden { HIDDEN_NONE, HIDDEN_STATIONARY, HIDDEN_CHANGES };
enum { CHANGE_NONE = 0, CHANGE_CAUSE = 1, CHANGE_EFFECT = 2, CHANGE_BOTH = 3 };

/* What defines a pair; 0 leaves a part out. */
typedef struct recipe {
    enum law law;
    int changes; /* CHANGE_...: which disturbances change */
    bool means;
    double outliers;    /* share of rows */
    double reliability; /* of the measured cause */
    bool gain, slopes, selected;
    enum hidden hidden;
    bool no_effect;
    double memory;           /* coefficient of an autoregression */
    const char *explanation; /* what violation_explanation returns */
} recipe;

static double between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

static double between_log(rng *r, double low, double high)
{
    return low * pow(high / low, rng_uniform(r));
}

static double draw_unit(rng *r, enum law law)
{
    switch (law) {
    case LAW_LAPLACE:
        return rng_laplace(r) / sqrt(2.0);
    case LAW_UNIFORM:
        return sqrt(12.0) * (rng_uniform(r) - 0.5);
    default:
        return rng_normal(r);
    }
}

/* ---- mechanisms ---- */

static curve draw_curve(rng *r)
{
    curve f;
    for (int k = 0; k < CURVE_TERMS; k++) {
        f.weight[k] = between(r, 0.5, 1.5) * (rng_uniform(r) < 0.5 ? -1.0 : 1.0);
        f.slope[k] = between(r, 0.5, 1.5);
        f.centre[k] = rng_normal(r);
    }
    return f;
}

/* ---- one segment ---- */

/* Parameters of one segment. */
typedef struct regime {
    double mean[2], scale[2], hidden, slope, gain;
} regime;

static regime draw_regime(const recipe *pair, rng *r)
{
    regime e = {.mean = {0.0, 0.0}, .scale = {1.0, 1.0}, .hidden = 1.0, .slope = 1.0, .gain = 1.0};
    for (int j = 0; j < 2; j++) {
        double mean = between(r, -1.5, 1.5), scale = between_log(r, 0.4, 2.5);
        if (pair->changes & (j == 0 ? CHANGE_CAUSE : CHANGE_EFFECT)) {
            e.mean[j] = pair->means ? mean : 0.0;
            e.scale[j] = scale;
        }
    }
    double hidden = between_log(r, 0.4, 2.5), slope = between_log(r, 0.5, 2.0), gain = between_log(r, 0.5, 2.0);
    e.hidden = pair->hidden == HIDDEN_CHANGES ? hidden : 1.0;
    e.slope = pair->slopes ? slope : 1.0;
    e.gain = pair->gain ? gain : 1.0;
    return e;
}

/* Parameters that all segments share. */
typedef struct constants {
    curve effect, to_cause, to_effect; /* from the cause to the effect, from the hidden cause to both */
} constants;

static void draw_row(const recipe *pair, const constants *c, const regime *e, rng *r, double *x, double *y)
{
    double hidden = pair->hidden == HIDDEN_NONE ? 0.0 : e->hidden * rng_normal(r);
    *x = e->mean[0] + e->scale[0] * draw_unit(r, pair->law);
    *y = e->mean[1] + e->scale[1] * draw_unit(r, pair->law);
    if (pair->hidden != HIDDEN_NONE) {
        *x += curve_at(&c->to_cause, hidden);
        *y += curve_at(&c->to_effect, hidden);
    }
    if (!pair->no_effect) {
        *y += e->slope * curve_at(&c->effect, *x);
    }
}

/* Draws until a row is selected, with probability 1 / (1 + exp(-y)). */
static void draw_selected(const recipe *pair, const constants *c, const regime *e, rng *r, double *x, double *y)
{
    do {
        draw_row(pair, c, e, r, x, y);
    } while (pair->selected && rng_uniform(r) > 1.0 / (1.0 + exp(-*y)));
}

static void draw_series(const recipe *pair, const regime *e, rng *r, double *x, double *y)
{
    enum { WARM_UP = 100 };
    double last[2] = {0.0, 0.0};
    for (int i = -WARM_UP; i < ROWS; i++) {
        double first = pair->memory * last[0] + e->scale[0] * draw_unit(r, pair->law);
        double second =
            pair->memory * last[1] + (pair->no_effect ? 0.0 : 0.5 * last[0]) + e->scale[1] * draw_unit(r, pair->law);
        last[0] = first;
        last[1] = second;
        if (i >= 0) {
            x[i] = first;
            y[i] = second;
        }
    }
}

/* ---- measuring ---- */

static double spread_of(const double *v)
{
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < ALL; i++) {
        mean += v[i] / ALL;
    }
    for (int i = 0; i < ALL; i++) {
        squares += (v[i] - mean) * (v[i] - mean);
    }
    return sqrt(squares / ALL);
}

static void add_error(rng *r, double reliability, double *v)
{
    double size = spread_of(v) * sqrt((1.0 - reliability) / reliability);
    for (int i = 0; i < ALL; i++) {
        v[i] += size * rng_normal(r);
    }
}

static void add_outliers(rng *r, double share, double *x, double *y)
{
    double spread[2] = {spread_of(x), spread_of(y)};
    for (int k = 0; k < (int)(share * ALL + 0.5); k++) {
        int64_t i = (int64_t)rng_below(r, ALL);
        x[i] = spread[0] * between(r, 8.0, 15.0) * (rng_uniform(r) < 0.5 ? -1.0 : 1.0);
        y[i] = spread[1] * between(r, 8.0, 15.0) * (rng_uniform(r) < 0.5 ? -1.0 : 1.0);
    }
}

static int draw(const mechanism *m, int64_t seed, double *const column[2], int64_t *segment)
{
    const recipe *pair = m->kind;
    rng r = rng_new((uint64_t)seed, RNG_EXPERIMENT, m->number << 32);
    int cause = (int)rng_below(&r, 2);
    double *x = column[cause], *y = column[!cause];
    constants c = {draw_curve(&r), draw_curve(&r), draw_curve(&r)};
    for (int e = 0; e < SEGMENTS; e++) {
        regime now = draw_regime(pair, &r);
        if (pair->memory > 0.0 || (pair->no_effect && pair->hidden == HIDDEN_NONE)) {
            draw_series(pair, &now, &r, x + e * ROWS, y + e * ROWS);
        } else {
            for (int i = e * ROWS; i < (e + 1) * ROWS; i++) {
                draw_selected(pair, &c, &now, &r, &x[i], &y[i]);
            }
        }
        for (int i = e * ROWS; i < (e + 1) * ROWS; i++) {
            x[i] *= now.gain;
            segment[i] = e;
        }
    }
    if (pair->reliability > 0.0) {
        add_error(&r, pair->reliability, x);
    }
    add_outliers(&r, pair->outliers, x, y);
    return pair->no_effect ? -1 : cause;
}

/* ---- the table ---- */

#define PAIR(name, number, ...)                             \
    {                                                       \
        name, SEGMENTS, ROWS, number, draw, &(const recipe) \
        {                                                   \
            __VA_ARGS__                                     \
        }                                                   \
    }
#define HIDDEN .explanation = "hidden-cause"
#define ERROR .explanation = "measurement-error"
#define MECHANISM .explanation = "mechanism-change"
#define SELECTION .explanation = "selection"
#define BOTH .changes = CHANGE_BOTH
#define NO_EFFECT .no_effect = true

const mechanism VIOLATING_PAIRS[] = {
    PAIR("location-and-scale", 201, BOTH, .law = LAW_NORMAL, .means = true),
    PAIR("uniform", 202, BOTH, .law = LAW_UNIFORM),
    PAIR("outliers", 203, BOTH, .law = LAW_NORMAL, .outliers = 0.003),
    PAIR("error-90", 204, ERROR, BOTH, .reliability = 0.9),
    PAIR("error-70", 205, ERROR, BOTH, .reliability = 0.7),
    PAIR("error-50", 206, ERROR, BOTH, .reliability = 0.5),
    PAIR("error-cause-changes", 207, ERROR, .changes = CHANGE_CAUSE, .reliability = 0.7),
    PAIR("gain-drift", 208, MECHANISM, BOTH, .gain = true),
    PAIR("hidden-stationary", 209, HIDDEN, BOTH, .hidden = HIDDEN_STATIONARY, NO_EFFECT),
    PAIR("hidden-changing", 210, HIDDEN, BOTH, .hidden = HIDDEN_CHANGES, NO_EFFECT),
    PAIR("hidden-alone-changes", 211, HIDDEN, .hidden = HIDDEN_CHANGES, NO_EFFECT),
    PAIR("hidden-one-child", 212, HIDDEN, .changes = CHANGE_EFFECT, .hidden = HIDDEN_STATIONARY, NO_EFFECT),
    PAIR("hidden-and-effect", 213, HIDDEN, BOTH, .hidden = HIDDEN_STATIONARY),
    PAIR("slopes", 214, MECHANISM, BOTH, .slopes = true),
    PAIR("autoregression", 215, HIDDEN, BOTH, .memory = 0.8),
    PAIR("selected", 216, SELECTION, BOTH, .selected = true),
    PAIR("series-0", 217, BOTH, NO_EFFECT),
    PAIR("series-50", 218, BOTH, NO_EFFECT, .memory = 0.5),
    PAIR("series-80", 219, BOTH, NO_EFFECT, .memory = 0.8),
    PAIR("series-90", 220, BOTH, NO_EFFECT, .memory = 0.9),
    PAIR("series-95", 221, BOTH, NO_EFFECT, .memory = 0.95),
    PAIR("still-90", 222, HIDDEN, .memory = 0.9),
};

const int VIOLATING_PAIR_COUNT = sizeof VIOLATING_PAIRS / sizeof *VIOLATING_PAIRS;

const char *violation_explanation(const mechanism *m)
{
    return m && m->draw == draw ? ((const recipe *)m->kind)->explanation : NULL;
}
