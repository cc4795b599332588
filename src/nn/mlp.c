/* mlp.c - forward, loss, backward of the segment classifier, tile by tile. */
#include "nn/mlp.h"

#include "nn/products.h"

#include <math.h>

static const float LEAKY_SLOPE = 0.2f;     /* as in the public code around the method */
static const float SMOOTH_ABS_EPS = 1e-2f; /* sqrt(h^2 + eps): rounded within about 0.1 of zero */

/* One layer of weights inside the parameter array. */
typedef struct layer {
    int64_t blocks;
    int64_t inputs, outputs; /* of one block; outputs before maxout pairs are merged */
    int64_t weight, bias;    /* offsets */
} layer;

static int64_t layer_units(layer l)
{
    return l.blocks * l.outputs;
}

static int64_t layer_count(const mlp_shape *s)
{
    return s->layers + 2;
}

static int64_t raw_width(const mlp_shape *s)
{
    return s->activation == ACTIVATION_MAXOUT ? 2 * s->width : s->width;
}

static layer layer_at(const mlp_shape *s, int64_t blocks, int64_t index)
{
    layer l = {0, 0, 0, 0, 0};
    int64_t offset = 0, inputs = s->inputs;
    for (int64_t i = 0; i <= index; i++) {
        bool hidden = i < s->layers, is_logits = i == s->layers + 1;
        l.blocks = is_logits ? 1 : blocks;
        l.inputs = is_logits ? blocks * inputs : inputs;
        l.outputs = hidden ? raw_width(s) : is_logits ? s->classes : s->features;
        l.weight = offset;
        l.bias = offset + layer_units(l) * l.inputs;
        offset = l.bias + layer_units(l);
        inputs = hidden ? s->width : l.outputs;
    }
    return l;
}

int64_t mlp_block_parameters(const mlp_shape *shape, int64_t blocks)
{
    layer last = layer_at(shape, blocks, layer_count(shape) - 1);
    return last.bias + layer_units(last);
}

int64_t mlp_parameters(const mlp_shape *shape)
{
    return mlp_block_parameters(shape, 1);
}

void mlp_block_init(const mlp_shape *shape, int64_t blocks, rng *r, float *parameters)
{
    for (int64_t i = 0; i < layer_count(shape); i++) {
        layer l = layer_at(shape, blocks, i);
        double gain = i < shape->layers && shape->activation == ACTIVATION_LEAKY_RELU ? 2.0 / 1.04 : 1.0;
        double sd = sqrt(gain / (double)l.inputs);
        for (int64_t k = 0; k < layer_units(l) * l.inputs; k++) {
            parameters[l.weight + k] = (float)(sd * rng_normal(r));
        }
        for (int64_t k = 0; k < layer_units(l); k++) {
            parameters[l.bias + k] = 0.0f;
        }
        if (i == shape->layers + 1) {
            for (int64_t k = 0; k < l.inputs; k++) {
                parameters[l.weight + k] = 0.0f;
            }
        }
    }
}

void mlp_init(const mlp_shape *shape, rng *r, float *parameters)
{
    mlp_block_init(shape, 1, r, parameters);
}

nonsens_status mlp_block_workspace(nonsens_context *ctx, arena *a, const mlp_shape *shape, int64_t blocks,
                                   mlp_workspace *out)
{
    int64_t widest = blocks * shape->inputs;
    out->blocks = blocks;
    ARENA_TRY(ctx, a, out->input, widest * TILE);
    for (int64_t i = 0; i < layer_count(shape); i++) {
        int64_t units = layer_units(layer_at(shape, blocks, i));
        widest = units > widest ? units : widest;
        ARENA_TRY(ctx, a, out->raw[i], units * TILE);
        ARENA_TRY(ctx, a, out->active[i], units * TILE);
    }
    ARENA_TRY(ctx, a, out->delta, widest * TILE);
    ARENA_TRY(ctx, a, out->delta_next, widest * TILE);
    return NONSENS_OK;
}

nonsens_status mlp_workspace_new(nonsens_context *ctx, arena *a, const mlp_shape *shape, mlp_workspace *out)
{
    return mlp_block_workspace(ctx, a, shape, 1, out);
}

static int64_t row_of(mlp_rows rows, int64_t i)
{
    return rows.row ? rows.row[i] : i;
}

/* Copies rows first .. first+count-1 into the tile; the rest of the tile is zero. */
static void gather(const mlp_shape *shape, mlp_workspace *work, mlp_rows rows, int64_t first, int64_t count)
{
    for (int64_t k = 0; k < work->blocks * shape->inputs; k++) {
        float *to = work->input + k * TILE;
        const float *from = rows.x + k * rows.n;
        for (int64_t t = 0; t < count; t++) {
            to[t] = from[row_of(rows, first + t)];
        }
        for (int64_t t = count; t < TILE; t++) {
            to[t] = 0.0f;
        }
    }
}

static void activate(enum activation kind, int64_t width, const float *restrict raw, float *restrict active)
{
    int64_t cells = width * TILE;
    switch (kind) {
    case ACTIVATION_LEAKY_RELU:
        for (int64_t c = 0; c < cells; c++) {
            float leak = LEAKY_SLOPE * raw[c];
            active[c] = raw[c] > leak ? raw[c] : leak;
        }
        break;
    case ACTIVATION_TANH:
        for (int64_t c = 0; c < cells; c++) {
            active[c] = tanhf(raw[c]);
        }
        break;
    case ACTIVATION_MAXOUT: /* unit j is the larger of raw units j and j + width */
        for (int64_t c = 0; c < cells; c++) {
            active[c] = raw[c] > raw[cells + c] ? raw[c] : raw[cells + c];
        }
        break;
    }
}

static void apply_last(enum last_layer kind, int64_t features, const float *restrict raw, float *restrict active)
{
    for (int64_t c = 0; c < features * TILE; c++) {
        active[c] = kind == LAST_LINEAR ? raw[c]
                    : kind == LAST_ABS  ? fabsf(raw[c])
                                        : sqrtf(raw[c] * raw[c] + SMOOTH_ABS_EPS);
    }
}

static void layer_forward(layer l, const float *parameters, const float *in, float *out)
{
    for (int64_t b = 0; b < l.blocks; b++) {
        weights w = {parameters + l.weight + b * l.outputs * l.inputs, l.inputs, 1};
        tile_multiply(w, parameters + l.bias + b * l.outputs, l.outputs, l.inputs, in + b * l.inputs * TILE,
                      out + b * l.outputs * TILE);
    }
}

static void activate_blocks(const mlp_shape *s, int64_t blocks, const float *raw, float *active)
{
    for (int64_t b = 0; b < blocks; b++) {
        activate(s->activation, s->width, raw + b * raw_width(s) * TILE, active + b * s->width * TILE);
    }
}

static void forward(const mlp_shape *s, const float *parameters, mlp_workspace *work)
{
    const float *in = work->input;
    for (int64_t i = 0; i < layer_count(s); i++) {
        layer l = layer_at(s, work->blocks, i);
        bool is_logits = i == s->layers + 1;
        float *raw = is_logits ? work->active[i] : work->raw[i];
        layer_forward(l, parameters, in, raw);
        if (i < s->layers) {
            activate_blocks(s, work->blocks, raw, work->active[i]);
        } else if (!is_logits) {
            apply_last(s->last, layer_units(l), raw, work->active[i]);
        }
        in = work->active[i];
    }
    memset(work->active[s->layers + 1], 0, TILE * sizeof(float)); /* the pinned class */
}

/* delta (on entry d loss / d active) becomes d loss / d raw; for maxout it widens to both pieces. */
static void activate_backward(enum activation kind, int64_t width, const float *restrict raw,
                              const float *restrict active, float *restrict delta)
{
    int64_t cells = width * TILE;
    switch (kind) {
    case ACTIVATION_LEAKY_RELU:
        for (int64_t c = 0; c < cells; c++) {
            float positive = (float)(raw[c] > 0.0f); /* arithmetic, so that it vectorises: signs are unpredictable */
            delta[c] *= LEAKY_SLOPE + (1.0f - LEAKY_SLOPE) * positive;
        }
        break;
    case ACTIVATION_TANH:
        for (int64_t c = 0; c < cells; c++) {
            delta[c] *= 1.0f - active[c] * active[c];
        }
        break;
    case ACTIVATION_MAXOUT:
        for (int64_t c = 0; c < cells; c++) {
            bool first = raw[c] > raw[cells + c];
            delta[cells + c] = first ? 0.0f : delta[c];
            delta[c] = first ? delta[c] : 0.0f;
        }
        break;
    }
}

/* From the last block to the first, which makes room in delta where maxout widens it. */
static void activate_blocks_backward(const mlp_shape *s, int64_t blocks, const float *raw, const float *active,
                                     float *delta)
{
    int64_t wide = raw_width(s) * TILE, narrow = s->width * TILE;
    for (int64_t b = blocks - 1; b >= 0; b--) {
        if (b > 0 && wide > narrow) {
            memmove(delta + b * wide, delta + b * narrow, (size_t)narrow * sizeof *delta);
        }
        activate_backward(s->activation, s->width, raw + b * wide, active + b * narrow, delta + b * wide);
    }
}

static void last_backward(enum last_layer kind, int64_t features, const float *raw, const float *active, float *delta)
{
    if (kind == LAST_LINEAR) {
        return;
    }
    for (int64_t c = 0; c < features * TILE; c++) {
        delta[c] *= kind == LAST_ABS ? (raw[c] >= 0.0f ? 1.0f : -1.0f) : raw[c] / active[c];
    }
}

static void add_row_sums(int64_t units, const float *delta, float *gradient)
{
    for (int64_t j = 0; j < units; j++) {
        lanes sum = lanes_fill(0.0f);
        for (int64_t t = 0; t < TILE; t += LANES) {
            sum += lanes_load(delta + j * TILE + t);
        }
        gradient[j] += lanes_sum(sum);
    }
}

/* d loss / d inputs of the layer from d loss / d outputs. */
static void layer_backward(layer l, const float *parameters, const float *delta, float *delta_in)
{
    for (int64_t b = 0; b < l.blocks; b++) {
        weights w = {parameters + l.weight + b * l.outputs * l.inputs, 1, l.inputs};
        tile_multiply(w, NULL, l.inputs, l.outputs, delta + b * l.outputs * TILE, delta_in + b * l.inputs * TILE);
    }
}

static void layer_gradient(layer l, const float *delta, const float *in, float *gradient)
{
    for (int64_t b = 0; b < l.blocks; b++) {
        tile_outer(l.outputs, l.inputs, delta + b * l.outputs * TILE, in + b * l.inputs * TILE,
                   gradient + l.weight + b * l.outputs * l.inputs);
    }
    add_row_sums(layer_units(l), delta, gradient + l.bias);
}

/*
 * From work->delta = d loss / d logits down to the first layer; adds to gradient unless it is NULL.  Leaves
 * d loss / d input in work->delta where `to_input`.
 */
static void backward(const mlp_shape *s, const float *parameters, mlp_workspace *work, float *gradient, bool to_input)
{
    for (int64_t i = layer_count(s) - 1; i >= 0; i--) {
        layer l = layer_at(s, work->blocks, i);
        if (i < s->layers) {
            activate_blocks_backward(s, work->blocks, work->raw[i], work->active[i], work->delta);
        } else if (i == s->layers) {
            last_backward(s->last, layer_units(l), work->raw[i], work->active[i], work->delta);
        }
        const float *in = i ? work->active[i - 1] : work->input;
        if (gradient) {
            layer_gradient(l, work->delta, in, gradient);
        }
        if (i > 0 || to_input) {
            layer_backward(l, parameters, work->delta, work->delta_next);
            float *swap = work->delta;
            work->delta = work->delta_next;
            work->delta_next = swap;
        }
    }
}

/* Cross-entropy of `count` rows of the tile; if delta is not NULL it receives softmax - one-hot (zero for padding). */
static double softmax_loss(const mlp_shape *s, const float *logits, mlp_rows rows, int64_t first, int64_t count,
                           float *delta)
{
    double loss = 0.0;
    if (delta) {
        memset(delta, 0, (size_t)(s->classes * TILE) * sizeof(float));
    }
    for (int64_t t = 0; t < count; t++) {
        float top = logits[t];
        for (int64_t e = 1; e < s->classes; e++) {
            top = fmaxf(top, logits[e * TILE + t]);
        }
        float sum = 0.0f;
        for (int64_t e = 0; e < s->classes; e++) {
            float p = expf(logits[e * TILE + t] - top);
            sum += p;
            if (delta) {
                delta[e * TILE + t] = p;
            }
        }
        int32_t label = rows.label[row_of(rows, first + t)];
        loss += (double)(top - logits[label * TILE + t]) + log((double)sum);
        if (delta) {
            for (int64_t e = 0; e < s->classes; e++) {
                delta[e * TILE + t] /= sum;
            }
            delta[label * TILE + t] -= 1.0f;
            delta[t] = 0.0f; /* the pinned class */
        }
    }
    return loss;
}

static int64_t tile_rows(mlp_rows rows, int64_t first)
{
    return rows.count - first < TILE ? rows.count - first : TILE;
}

double mlp_loss(const mlp_shape *shape, const float *parameters, mlp_workspace *work, mlp_rows rows)
{
    double loss = 0.0;
    for (int64_t first = 0; first < rows.count; first += TILE) {
        int64_t count = tile_rows(rows, first);
        gather(shape, work, rows, first, count);
        forward(shape, parameters, work);
        loss += softmax_loss(shape, work->active[shape->layers + 1], rows, first, count, NULL);
    }
    return loss;
}

double mlp_loss_gradient(const mlp_shape *shape, const float *parameters, mlp_workspace *work, mlp_rows rows,
                         float *gradient)
{
    double loss = 0.0;
    for (int64_t first = 0; first < rows.count; first += TILE) {
        int64_t count = tile_rows(rows, first);
        gather(shape, work, rows, first, count);
        forward(shape, parameters, work);
        loss += softmax_loss(shape, work->active[shape->layers + 1], rows, first, count, work->delta);
        backward(shape, parameters, work, gradient, false);
    }
    return loss;
}

void mlp_add_logits(const mlp_shape *shape, const float *parameters, mlp_workspace *work, mlp_rows rows, double *logits)
{
    for (int64_t first = 0; first < rows.count; first += TILE) {
        int64_t count = tile_rows(rows, first);
        gather(shape, work, rows, first, count);
        forward(shape, parameters, work);
        const float *from = work->active[shape->layers + 1];
        for (int64_t t = 0; t < count; t++) {
            double *to = logits + row_of(rows, first + t) * shape->classes;
            for (int64_t e = 0; e < shape->classes; e++) {
                to[e] += (double)from[e * TILE + t];
            }
        }
    }
}

void mlp_features(const mlp_shape *shape, const float *parameters, mlp_workspace *work, mlp_rows rows, double *feature)
{
    for (int64_t first = 0; first < rows.count; first += TILE) {
        int64_t count = tile_rows(rows, first);
        gather(shape, work, rows, first, count);
        forward(shape, parameters, work);
        const float *from = work->active[shape->layers];
        for (int64_t f = 0; f < work->blocks * shape->features; f++) {
            for (int64_t t = 0; t < count; t++) {
                feature[f * rows.n + row_of(rows, first + t)] = (double)from[f * TILE + t];
            }
        }
    }
}

static void seed_direction(const mlp_shape *s, const float *direction, float *delta)
{
    for (int64_t e = 0; e < s->classes; e++) {
        for (int64_t t = 0; t < TILE; t++) {
            delta[e * TILE + t] = e ? direction[e] : 0.0f;
        }
    }
}

void mlp_add_input_gradient(const mlp_shape *shape, const float *parameters, mlp_workspace *work, mlp_rows rows,
                            const float *direction, int64_t stride, double *jacobian)
{
    for (int64_t first = 0; first < rows.count; first += TILE) {
        int64_t count = tile_rows(rows, first);
        gather(shape, work, rows, first, count);
        forward(shape, parameters, work);
        seed_direction(shape, direction, work->delta);
        backward(shape, parameters, work, NULL, true);
        for (int64_t t = 0; t < count; t++) {
            double *to = jacobian + row_of(rows, first + t) * stride;
            for (int64_t k = 0; k < work->blocks * shape->inputs; k++) {
                to[k] += (double)work->delta[k * TILE + t];
            }
        }
    }
}
