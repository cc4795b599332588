/*
 * mechanisms.c - draws pairs of cause and effect outside the simulator: x1 = N1, x2 = effect(x1, N2).
 *
 * N1 and N2 are standard draws times a scale per segment.  The scale is uniform on .2 .. 3, or log-uniform on .4 .. 2.5
 * if the mechanism amplifies large values strongly.  Every effect is increasing in N2.  Its weights (size .5 to 1.5,
 * random sign) and biases are drawn for each data set.
 */
#include "mechanisms.h"

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    HIDDEN = 3, /* maximal number of hidden units of a smooth function */
    SEGMENTS = 10,
    MEAN_ROWS = 512
};

/* Parameters drawn once per data set; a mechanism uses those that it needs. */
typedef struct weights {
    double out[HIDDEN], in[HIDDEN], noise[HIDDEN], bias[HIDDEN]; /* noise: positive */
    double stretch, offset;
} weights;

typedef double (*draw_fn)(rng *r);
typedef double (*effect_fn)(const weights *w, double cause, double noise);

/* How the columns are drawn. */
typedef struct modulated {
    draw_fn cause, noise; /* standard draws of the two disturbances */
    effect_fn effect;
    bool narrow;     /* scales .4 .. 2.5 */
    bool unbalanced; /* segments of 60 to 1,500 rows */
} modulated;

static const double SIZE_MIN = 0.5, SIZE_SPAN = 1.0; /* of weights */
static const double WIDE_MIN = 0.2, WIDE_MAX = 3.0;
static const double NARROW_MIN = 0.4, NARROW_MAX = 2.5;
static const int UNBALANCED_ROWS[SEGMENTS] = {60, 80, 120, 180, 260, 380, 560, 820, 1160, 1500};

/* ---- standard draws ---- */

static double student5(rng *r)
{
    return rng_student(r, 5.0);
}

static double student3(rng *r)
{
    return rng_student(r, 3.0);
}

/* ---- effects ---- */

static double smooth(const weights *w, double x)
{
    double sum = 0;
    for (int k = 0; k < HIDDEN; k++) {
        sum += w->out[k] * tanh(w->in[k] * x + w->bias[k]);
    }
    return sum;
}

static double smooth_additive(const weights *w, double cause, double noise)
{
    return smooth(w, cause) + noise;
}

static double location_scale(const weights *w, double cause, double noise)
{
    return smooth(w, cause) + exp(0.7 * tanh(w->stretch * cause + w->offset)) * noise;
}

static double post_nonlinear(const weights *w, double cause, double noise)
{
    double u = smooth(w, cause) + noise;
    return u + 0.1 * u * u * u;
}

static double student_stretched(const weights *w, double cause, double noise)
{
    return sin(1.5 * cause + w->offset) + noise * (1.0 + 0.5 * cause * cause);
}

static double multiplicative(const weights *w, double cause, double noise)
{
    double u = w->stretch * cause + w->offset;
    double softplus = fmax(u, 0.0) + log1p(exp(-fabs(u)));
    return softplus * exp(0.5 * noise);
}

static double linear(const weights *w, double cause, double noise)
{
    return w->stretch * cause + noise;
}

/* Two hidden units; the noise also bypasses them, so that saturated units do not produce equal values. */
static double network(const weights *w, double cause, double noise)
{
    double sum = 0.3 * noise;
    for (int k = 0; k < 2; k++) {
        sum += fabs(w->out[k]) * tanh(w->in[k] * cause + w->noise[k] * noise + w->bias[k]);
    }
    return sum;
}

double curve_at(const curve *f, double x)
{
    double sum = 0.0;
    for (int k = 0; k < CURVE_TERMS; k++) {
        sum += f->weight[k] * tanh(f->slope[k] * (x - f->centre[k]));
    }
    return sum;
}

static const mechanism *find_in(const mechanism *table, int count, const char *name)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(table[k].name, name) == 0) {
            return &table[k];
        }
    }
    return NULL;
}

const mechanism *mechanism_find(const char *name)
{
    const mechanism *found = find_in(MODULATED_PAIRS, MODULATED_PAIR_COUNT, name);
    found = found ? found : find_in(ASSUMED_PAIRS, ASSUMED_PAIR_COUNT, name);
    return found ? found : find_in(VIOLATING_PAIRS, VIOLATING_PAIR_COUNT, name);
}

/* ---- drawing ---- */

enum stream { STREAM_WEIGHTS, STREAM_SCALES, STREAM_CAUSE, STREAM_NOISE, STREAM_LAYOUT, STREAMS };

/* Streams begin at 2^32: smaller numbers belong to other experiments. */
static rng open_stream(const mechanism *m, int64_t seed, enum stream stream)
{
    return rng_new((uint64_t)seed, RNG_EXPERIMENT, m->number << 32 | (uint64_t)stream);
}

static double draw_size(rng *r)
{
    return SIZE_MIN + SIZE_SPAN * rng_uniform(r);
}

static double draw_weight(rng *r)
{
    double size = draw_size(r);
    return rng_uniform(r) < 0.5 ? -size : size;
}

static weights draw_weights(rng *r)
{
    weights w;
    for (int k = 0; k < HIDDEN; k++) {
        w.out[k] = draw_weight(r);
        w.in[k] = draw_weight(r);
        w.noise[k] = draw_size(r);
        w.bias[k] = rng_normal(r);
    }
    w.stretch = draw_weight(r);
    w.offset = rng_uniform(r) - 0.5;
    return w;
}

static double draw_scale(rng *r, bool narrow)
{
    double u = rng_uniform(r);
    return narrow ? NARROW_MIN * pow(NARROW_MAX / NARROW_MIN, u) : WIDE_MIN + (WIDE_MAX - WIDE_MIN) * u;
}

static int draw(const mechanism *m, int64_t seed, double *const column[2], int64_t *segment)
{
    const modulated *kind = m->kind;
    rng stream[STREAMS];
    for (int k = 0; k < STREAMS; k++) {
        stream[k] = open_stream(m, seed, (enum stream)k);
    }
    weights w = draw_weights(&stream[STREAM_WEIGHTS]);
    int cause = (int)rng_below(&stream[STREAM_LAYOUT], 2);
    double *x1 = column[cause], *x2 = column[!cause];
    int64_t i = 0;
    for (int e = 0; e < SEGMENTS; e++) {
        double scale1 = draw_scale(&stream[STREAM_SCALES], kind->narrow);
        double scale2 = draw_scale(&stream[STREAM_SCALES], kind->narrow);
        int64_t end = i + (kind->unbalanced ? UNBALANCED_ROWS[e] : MEAN_ROWS);
        for (; i < end; i++) {
            x1[i] = scale1 * kind->cause(&stream[STREAM_CAUSE]);
            x2[i] = kind->effect(&w, x1[i], scale2 * kind->noise(&stream[STREAM_NOISE]));
            segment[i] = e;
        }
    }
    return cause;
}

static const modulated KINDS[] = {
    {rng_normal, rng_normal, smooth_additive, false, false}, {rng_laplace, rng_laplace, location_scale, false, false},
    {rng_normal, rng_normal, post_nonlinear, true, false},   {student5, student5, student_stretched, true, false},
    {rng_normal, rng_normal, multiplicative, true, false},   {student3, student3, linear, false, false},
    {rng_laplace, rng_laplace, network, false, false},       {rng_normal, rng_laplace, network, false, true},
};

#define PAIR(name, number)                                          \
    {                                                               \
        name, SEGMENTS, MEAN_ROWS, number, draw, &KINDS[(number)-1] \
    }

const mechanism MODULATED_PAIRS[] = {
    PAIR("smooth-additive", 1), PAIR("location-scale", 2), PAIR("post-nonlinear", 3), PAIR("student-stretched", 4),
    PAIR("multiplicative", 5),  PAIR("heavy-linear", 6),   PAIR("smooth-network", 7), PAIR("mixed-unbalanced", 8),
};

const int MODULATED_PAIR_COUNT = sizeof MODULATED_PAIRS / sizeof *MODULATED_PAIRS;
