#include "nn/mlp_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All units of one row, layer by layer; networks that are too wide are refused. */
enum { MAX_UNITS = 1024 };

typedef struct row_state {
    double raw[KERNEL_MAX_LAYERS + 2][MAX_UNITS];
    double active[KERNEL_MAX_LAYERS + 3][MAX_UNITS]; /* active[0]: the inputs */
    double delta[MAX_UNITS], below[MAX_UNITS];
} row_state;

static double activated(const mlp_shape *s, bool hidden, double first, double second)
{
    if (!hidden) {
        return s->last == LAST_LINEAR ? first : s->last == LAST_ABS ? fabs(first) : sqrt(first * first + 1e-2);
    }
    switch (s->activation) {
    case ACTIVATION_TANH:
        return tanh(first);
    case ACTIVATION_MAXOUT:
        return first > second ? first : second;
    default:
        return first > 0.0 ? first : 0.2 * first;
    }
}

/* Returns the slope of the activation in its first argument; for maxout, whether that argument is the larger. */
static double slope(const mlp_shape *s, bool hidden, double first, double second)
{
    if (!hidden) {
        return s->last == LAST_LINEAR ? 1.0
               : s->last == LAST_ABS  ? (first >= 0.0 ? 1.0 : -1.0)
                                      : first / sqrt(first * first + 1e-2);
    }
    switch (s->activation) {
    case ACTIVATION_TANH:
        return 1.0 - tanh(first) * tanh(first);
    case ACTIVATION_MAXOUT:
        return first > second ? 1.0 : 0.0;
    default:
        return first > 0.0 ? 1.0 : 0.2;
    }
}

static void layer_forward(const nn_kernel_layer *l, const float *parameters, const double *in, double *raw)
{
    for (int64_t u = 0; u < l->blocks * l->outputs; u++) {
        const float *w = parameters + l->weight + u * l->inputs;
        const double *block = in + u / l->outputs * l->inputs;
        raw[u] = (double)parameters[l->bias + u];
        for (int64_t k = 0; k < l->inputs; k++) {
            raw[u] += (double)w[k] * block[k];
        }
    }
}

/* Returns the units of layer i per block, after the activation. */
static int64_t merged(const nn_kernel_plan *p, int64_t i)
{
    return i < p->shape.layers ? p->shape.width : p->layer[i].outputs;
}

static void forward(const nn_kernel_plan *p, const float *parameters, row_state *s)
{
    for (int64_t i = 0; i < p->layers; i++) {
        const nn_kernel_layer *l = &p->layer[i];
        int64_t units = merged(p, i);
        layer_forward(l, parameters, s->active[i], s->raw[i]);
        for (int64_t u = 0; u < l->blocks * units; u++) {
            const double *raw = s->raw[i] + u / units * l->outputs + u % units;
            bool logits = i == p->layers - 1;
            double second = l->outputs > units ? raw[units] : 0.0;
            s->active[i + 1][u] = logits ? raw[0] : activated(&p->shape, i < p->shape.layers, raw[0], second);
        }
    }
    s->active[p->layers][0] = 0.0; /* the pinned class */
}

/* Computes below (all active units of the layer below) from delta (raw units of this one); adds to gradient. */
static void layer_backward(const nn_kernel_layer *l, const float *parameters, row_state *s, const double *in,
                           double *gradient)
{
    memset(s->below, 0, (size_t)(l->blocks * l->inputs) * sizeof(double));
    for (int64_t u = 0; u < l->blocks * l->outputs; u++) {
        int64_t block = u / l->outputs * l->inputs;
        gradient[l->bias + u] += s->delta[u];
        for (int64_t k = 0; k < l->inputs; k++) {
            gradient[l->weight + u * l->inputs + k] += s->delta[u] * in[block + k];
            s->below[block + k] += s->delta[u] * (double)parameters[l->weight + u * l->inputs + k];
        }
    }
}

/* Computes delta of the raw units of layer i from s->below, the slopes in its active units. */
static void activate_backward(const nn_kernel_plan *p, int64_t i, row_state *s)
{
    const nn_kernel_layer *l = &p->layer[i];
    int64_t units = merged(p, i);
    for (int64_t u = 0; u < l->blocks * units; u++) {
        int64_t at = u / units * l->outputs + u % units;
        bool pair = l->outputs > units;
        double first = s->raw[i][at], second = pair ? s->raw[i][at + units] : 0.0;
        double share = slope(&p->shape, i < p->shape.layers, first, second);
        s->delta[at] = s->below[u] * share;
        if (pair) {
            s->delta[at + units] = s->below[u] * (1.0 - share);
        }
    }
}

static void backward(const nn_kernel_plan *p, const float *parameters, row_state *s, double *gradient)
{
    for (int64_t i = p->layers - 1; i >= 0; i--) {
        if (i < p->layers - 1) {
            activate_backward(p, i, s);
        }
        layer_backward(&p->layer[i], parameters, s, s->active[i], gradient);
    }
}

/* Returns the cross-entropy; delta becomes its slope in the logits. */
static double row_loss(int64_t classes, const double *logits, int32_t label, double *delta)
{
    double top = logits[0], sum = 0.0;
    for (int64_t e = 1; e < classes; e++) {
        top = fmax(top, logits[e]);
    }
    for (int64_t e = 0; e < classes; e++) {
        sum += exp(logits[e] - top);
    }
    for (int64_t e = 0; e < classes; e++) {
        delta[e] = e == 0 ? 0.0 : exp(logits[e] - top) / sum - (e == label ? 1.0 : 0.0);
    }
    return top + log(sum) - logits[label];
}

static bool is_small(const nn_kernel_plan *p)
{
    bool small = p->blocks * p->shape.inputs <= MAX_UNITS;
    for (int64_t i = 0; i < p->layers; i++) {
        small = small && p->layer[i].blocks * p->layer[i].outputs <= MAX_UNITS;
    }
    return small;
}

double mlp_reference(const mlp_shape *shape, int64_t blocks, const float *parameters, mlp_rows rows, double *gradient,
                     double *logits)
{
    nn_kernel_plan p;
    double loss = 0.0;
    mlp_plan(shape, blocks, &p);
    row_state *s = is_small(&p) ? calloc(1, sizeof *s) : NULL;
    for (int64_t i = 0; s && i < rows.count; i++) {
        int64_t row = rows.row ? rows.row[i] : i;
        for (int64_t k = 0; k < blocks * shape->inputs; k++) {
            s->active[0][k] = (double)rows.x[k * rows.n + row];
        }
        forward(&p, parameters, s);
        const double *out = s->active[p.layers];
        loss += row_loss(shape->classes, out, rows.label[row], s->delta);
        for (int64_t e = 0; logits && e < shape->classes; e++) {
            logits[i * shape->classes + e] += out[e];
        }
        if (gradient) {
            backward(&p, parameters, s, gradient);
        }
    }
    loss = s ? loss : NAN;
    free(s);
    return loss;
}
