/*
 * kernel_body.h - the body of a kernel (nn_kernel.h).  Included once per instruction set, with
 *
 *   KERNEL             name of the table that is defined
 *   LANES              floats in a vector
 *   UNITS, VECTORS     a product keeps UNITS x (VECTORS * LANES rows) sums in registers
 *   OUTER              a gradient keeps OUTER x 4 vector sums in registers
 *
 * Only code that runs on a tile belongs here, since other processors cannot execute the code of this file.
 */
#include "nn/lanes.h"
#include "nn/nn_kernel.h"

#include <stddef.h>

enum { TILE = KERNEL_TILE, ROW_BLOCK = VECTORS * LANES };
_Static_assert(TILE % ROW_BLOCK == 0, "a tile is whole blocks of rows");

static const float LEAKY_SLOPE = 0.2f;     /* as in the public implementations of the method */
static const float SMOOTH_ABS_EPS = 1e-2f; /* sqrt(h^2 + eps): rounded within about 0.1 of zero */

/* ---- products ---- */

/* What is applied to a product before it is stored. */
enum nn_after { AFTER_NOTHING, AFTER_LEAKY, AFTER_LEAKY_SLOPE };

/*
 * Weights of a product: element (j, k) is w[j * sj + k * sk], so that a matrix and its transpose share the code.
 * AFTER_LEAKY_SLOPE takes the sign from `active`.
 */
typedef struct nn_product {
    const float *w;
    int64_t sj, sk;
    const float *bias; /* or NULL */
    int64_t outputs, inputs;
    const float *in, *active;
    float *out;
    int64_t rows; /* of the tile, in whole vectors */
} nn_product;

LANES_INLINE lanes finish(const nn_product *p, enum nn_after after, int64_t at, lanes sum)
{
    if (after == AFTER_LEAKY) {
        return lanes_max(sum, sum * LEAKY_SLOPE);
    }
    if (after == AFTER_LEAKY_SLOPE) {
        return lanes_select(lanes_load(p->active + at) > 0.0f, sum, sum * LEAKY_SLOPE);
    }
    return sum;
}

/* Computes outputs j .. j+units-1 for `vectors` vectors of the tile's rows from t on. */
LANES_INLINE void multiply_block(const nn_product *p, enum nn_after after, int64_t j, int64_t t, int units, int vectors)
{
    lanes sum[UNITS][VECTORS];
    for (int u = 0; u < units; u++) {
        for (int v = 0; v < vectors; v++) {
            sum[u][v] = lanes_fill(p->bias ? p->bias[j + u] : 0.0f);
        }
    }
    const float *in = p->in + t, *w = p->w + j * p->sj;
    for (int64_t k = 0; k < p->inputs; k++, in += TILE, w += p->sk) {
        lanes a[VECTORS];
        for (int v = 0; v < vectors; v++) {
            a[v] = lanes_load(in + v * LANES);
        }
        for (int u = 0; u < units; u++) {
            for (int v = 0; v < vectors; v++) {
                sum[u][v] = lanes_fma(lanes_fill(w[u * p->sj]), a[v], sum[u][v]);
            }
        }
    }
    for (int u = 0; u < units; u++) {
        for (int v = 0; v < vectors; v++) {
            int64_t at = (j + u) * TILE + t + v * LANES;
            lanes_store(p->out + at, finish(p, after, at, sum[u][v]));
        }
    }
}

LANES_INLINE void multiply_units(const nn_product *p, enum nn_after after, int64_t j, int units)
{
    int64_t t = 0;
    for (; t + ROW_BLOCK <= p->rows; t += ROW_BLOCK) {
        multiply_block(p, after, j, t, units, VECTORS);
    }
    for (; t < p->rows; t += LANES) {
        multiply_block(p, after, j, t, units, 1);
    }
}

/* out (outputs, rows) = bias + W (outputs, inputs) in (inputs, rows). */
LANES_INLINE void multiply(const nn_product *p, enum nn_after after)
{
    int64_t j = 0;
    for (; j + UNITS <= p->outputs; j += UNITS) {
        multiply_units(p, after, j, UNITS);
    }
    for (; j + 2 <= p->outputs; j += 2) {
        multiply_units(p, after, j, 2);
    }
    if (j < p->outputs) {
        multiply_units(p, after, j, 1);
    }
}

static void multiply_plain(const nn_product *p)
{
    multiply(p, AFTER_NOTHING);
}

static void multiply_leaky(const nn_product *p)
{
    multiply(p, AFTER_LEAKY);
}

static void multiply_leaky_slope(const nn_product *p)
{
    multiply(p, AFTER_LEAKY_SLOPE);
}

enum { ACROSS = 4 }; /* inputs of a block of gradients: as many as lanes_sums takes vectors */

/* Adds the gradient of a block of nj outputs by nk inputs; delta and in begin at the first of these. */
LANES_INLINE void outer_block(int64_t rows, const float *delta, const float *in, float *gradient, int64_t inputs,
                              int nj, int nk)
{
    lanes sum[OUTER][ACROSS] = {{{0}}};
    for (int64_t t = 0; t < rows; t += LANES) {
        lanes d[OUTER];
        for (int p = 0; p < nj; p++) {
            d[p] = lanes_load(delta + p * TILE + t);
        }
        for (int q = 0; q < nk; q++) {
            lanes a = lanes_load(in + q * TILE + t);
            for (int p = 0; p < nj; p++) {
                sum[p][q] = lanes_fma(d[p], a, sum[p][q]);
            }
        }
    }
    for (int p = 0; p < nj; p++) {
        four total = lanes_sums(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
        for (int q = 0; q < nk; q++) {
            gradient[p * inputs + q] += total[q];
        }
    }
}

LANES_INLINE void outer_units(int64_t rows, int64_t inputs, const float *delta, const float *in, float *gradient,
                              int nj)
{
    int64_t k = 0;
    for (; k + ACROSS <= inputs; k += ACROSS) {
        outer_block(rows, delta, in + k * TILE, gradient + k, inputs, nj, ACROSS);
    }
    for (; k < inputs; k++) {
        outer_block(rows, delta, in + k * TILE, gradient + k, inputs, nj, 1);
    }
}

/* gradient (outputs, inputs) += delta (outputs, rows) in (inputs, rows)'. */
static void add_outer(int64_t rows, int64_t outputs, int64_t inputs, const float *delta, const float *in,
                      float *gradient)
{
    int64_t j = 0;
    for (; j + OUTER <= outputs; j += OUTER) {
        outer_units(rows, inputs, delta + j * TILE, in, gradient + j * inputs, OUTER);
    }
    for (; j + 2 <= outputs; j += 2) {
        outer_units(rows, inputs, delta + j * TILE, in, gradient + j * inputs, 2);
    }
    if (j < outputs) {
        outer_units(rows, inputs, delta + j * TILE, in, gradient + j * inputs, 1);
    }
}

static void add_row_sums(int64_t rows, int64_t units, const float *delta, float *gradient)
{
    for (int64_t j = 0; j < units; j++) {
        lanes sum = {0};
        for (int64_t t = 0; t < rows; t += LANES) {
            sum += lanes_load(delta + j * TILE + t);
        }
        gradient[j] += lanes_sums(sum, sum, sum, sum)[0];
    }
}

/* ---- activations that are not part of a product ---- */

/*
 * These run over the first `vectors` vectors of each unit's rows and never read what comes after.  Unit u of the tile
 * begins at u * TILE.
 */
static void tanh_units(int64_t units, int64_t vectors, float *active)
{
    for (int64_t u = 0; u < units; u++) {
        for (int64_t c = u * TILE; c < u * TILE + vectors * LANES; c += LANES) {
            lanes_store(active + c, lanes_tanh(lanes_load(active + c)));
        }
    }
}

static void tanh_slope(int64_t units, int64_t vectors, const float *active, float *delta)
{
    for (int64_t u = 0; u < units; u++) {
        for (int64_t c = u * TILE; c < u * TILE + vectors * LANES; c += LANES) {
            lanes a = lanes_load(active + c);
            lanes_store(delta + c, lanes_load(delta + c) * (1.0f - a * a));
        }
    }
}

/* Unit u is the larger of raw units u and u + units. */
static void maxout_units(int64_t units, int64_t vectors, const float *raw, float *active)
{
    for (int64_t u = 0; u < units; u++) {
        for (int64_t c = u * TILE; c < u * TILE + vectors * LANES; c += LANES) {
            lanes_store(active + c, lanes_max(lanes_load(raw + c), lanes_load(raw + units * TILE + c)));
        }
    }
}

/* Spreads delta over both raw units of each pair. */
static void maxout_slope(int64_t units, int64_t vectors, const float *raw, float *delta)
{
    for (int64_t u = 0; u < units; u++) {
        for (int64_t c = u * TILE; c < u * TILE + vectors * LANES; c += LANES) {
            bits first = lanes_load(raw + c) > lanes_load(raw + units * TILE + c);
            lanes d = lanes_load(delta + c), none = {0};
            lanes_store(delta + units * TILE + c, lanes_select(first, none, d));
            lanes_store(delta + c, lanes_select(first, d, none));
        }
    }
}

static void last_units(enum option_last_layer kind, int64_t units, int64_t vectors, const float *raw, float *active)
{
    for (int64_t u = 0; u < units; u++) {
        for (int64_t c = u * TILE; c < u * TILE + vectors * LANES; c++) {
            active[c] = kind == LAST_LINEAR ? raw[c]
                        : kind == LAST_ABS  ? __builtin_fabsf(raw[c])
                                            : __builtin_sqrtf(raw[c] * raw[c] + SMOOTH_ABS_EPS);
        }
    }
}

static void last_slope(enum option_last_layer kind, int64_t units, int64_t vectors, const float *raw,
                       const float *active, float *delta)
{
    for (int64_t u = 0; u < units && kind != LAST_LINEAR; u++) {
        for (int64_t c = u * TILE; c < u * TILE + vectors * LANES; c++) {
            delta[c] *= kind == LAST_ABS ? (raw[c] >= 0.0f ? 1.0f : -1.0f) : raw[c] / active[c];
        }
    }
}

/* ---- layers ---- */

/* Returns the number of rows that are computed: those in use, rounded up to whole vectors. */
static int64_t used_rows(const nn_kernel_tile *t)
{
    return (t->rows + LANES - 1) / LANES * LANES;
}

static int64_t used_vectors(const nn_kernel_tile *t)
{
    return used_rows(t) / LANES;
}

static void layer_forward(const nn_kernel_layer *l, int64_t rows, bool leaky, const float *parameters, const float *in,
                          float *out)
{
    for (int64_t b = 0; b < l->blocks; b++) {
        nn_product p = {.w = parameters + l->weight + b * l->outputs * l->inputs,
                        .sj = l->inputs,
                        .sk = 1,
                        .bias = parameters + l->bias + b * l->outputs,
                        .outputs = l->outputs,
                        .inputs = l->inputs,
                        .in = in + b * l->inputs * TILE,
                        .out = out + b * l->outputs * TILE,
                        .rows = rows};
        (leaky ? multiply_leaky : multiply_plain)(&p);
    }
}

/* Computes d loss / d inputs of a layer from d loss / d outputs; below: its inputs, the active units, if leaky. */
static void layer_backward(const nn_kernel_layer *l, int64_t rows, const float *parameters, const float *below,
                           const float *delta, float *delta_in)
{
    for (int64_t b = 0; b < l->blocks; b++) {
        nn_product p = {.w = parameters + l->weight + b * l->outputs * l->inputs,
                        .sj = 1,
                        .sk = l->inputs,
                        .outputs = l->inputs,
                        .inputs = l->outputs,
                        .in = delta + b * l->outputs * TILE,
                        .active = below ? below + b * l->inputs * TILE : NULL,
                        .out = delta_in + b * l->inputs * TILE,
                        .rows = rows};
        (below ? multiply_leaky_slope : multiply_plain)(&p);
    }
}

static void layer_gradient(const nn_kernel_layer *l, int64_t rows, const float *delta, const float *in, float *gradient)
{
    for (int64_t b = 0; b < l->blocks; b++) {
        add_outer(rows, l->outputs, l->inputs, delta + b * l->outputs * TILE, in + b * l->inputs * TILE,
                  gradient + l->weight + b * l->outputs * l->inputs);
    }
    add_row_sums(rows, l->blocks * l->outputs, delta, gradient + l->bias);
}

/* Applies the activation of hidden layer i if the product has not done so. */
static void activate(const nn_kernel_plan *p, int64_t i, nn_kernel_tile *t)
{
    int64_t width = p->shape.width, vectors = used_vectors(t);
    if (p->shape.activation == ACTIVATION_TANH) {
        tanh_units(p->blocks * width, vectors, t->active[i]);
    }
    for (int64_t b = 0; b < p->blocks && p->shape.activation == ACTIVATION_MAXOUT; b++) {
        maxout_units(width, vectors, t->raw[i] + 2 * b * width * TILE, t->active[i] + b * width * TILE);
    }
}

/* Turns delta into d loss / d raw of hidden layer i; goes from the last block to the first to make room for maxout. */
static void activate_backward(const nn_kernel_plan *p, int64_t i, nn_kernel_tile *t)
{
    int64_t width = p->shape.width, cells = width * TILE, vectors = used_vectors(t);
    if (p->shape.activation == ACTIVATION_TANH) {
        tanh_slope(p->blocks * width, vectors, t->active[i], t->delta);
    }
    for (int64_t b = p->blocks - 1; b >= 0 && p->shape.activation == ACTIVATION_MAXOUT; b--) {
        if (b > 0) {
            memmove(t->delta + 2 * b * cells, t->delta + b * cells, (size_t)cells * sizeof *t->delta);
        }
        maxout_slope(width, vectors, t->raw[i] + 2 * b * cells, t->delta + 2 * b * cells);
    }
}

static void forward(const nn_kernel_plan *p, const float *parameters, nn_kernel_tile *t)
{
    const float *in = t->input;
    int64_t hidden = p->shape.layers;
    bool leaky = p->shape.activation == ACTIVATION_LEAKY_RELU;
    for (int64_t i = 0; i < p->layers; i++) {
        const nn_kernel_layer *l = &p->layer[i];
        layer_forward(l, used_rows(t), leaky && i < hidden, parameters, in, t->raw[i] ? t->raw[i] : t->active[i]);
        if (i < hidden) {
            activate(p, i, t);
        } else if (i == hidden) {
            last_units(p->shape.last, l->blocks * l->outputs, used_vectors(t), t->raw[i], t->active[i]);
        }
        in = t->active[i];
    }
    memset(t->active[hidden + 1], 0, TILE * sizeof(float)); /* the pinned class */
}

static void backward(const nn_kernel_plan *p, const float *parameters, nn_kernel_tile *t, float *gradient,
                     bool to_input)
{
    int64_t hidden = p->shape.layers;
    bool leaky = p->shape.activation == ACTIVATION_LEAKY_RELU;
    for (int64_t i = p->layers - 1; i >= 0; i--) {
        const nn_kernel_layer *l = &p->layer[i];
        if (i < hidden) {
            activate_backward(p, i, t);
        } else if (i == hidden) {
            last_slope(p->shape.last, l->blocks * l->outputs, used_vectors(t), t->raw[i], t->active[i], t->delta);
        }
        if (gradient) {
            layer_gradient(l, used_rows(t), t->delta, i ? t->active[i - 1] : t->input, gradient);
        }
        if (i > 0 || to_input) {
            bool below = leaky && i > 0 && i <= hidden;
            layer_backward(l, used_rows(t), parameters, below ? t->active[i - 1] : NULL, t->delta, t->delta_next);
            float *swap = t->delta;
            t->delta = t->delta_next;
            t->delta_next = swap;
        }
    }
}

/* ---- loss ---- */

/*
 * Returns the cross-entropies of LANES rows, 0 if label is -1 (padding).  With `slope`, also sets delta = softmax -
 * one-hot, which is 0 in padding and in the pinned class.
 */
LANES_INLINE lanes cross_entropy(int64_t classes, const float *logits, bits label, bool slope, float *delta)
{
    lanes none = {0}, top = lanes_load(logits), own = top, sum = none;
    for (int64_t e = 1; e < classes; e++) {
        lanes h = lanes_load(logits + e * TILE);
        top = lanes_max(top, h);
        own = lanes_select(label == (int32_t)e, h, own);
    }
    for (int64_t e = 0; e < classes; e++) {
        lanes p = lanes_exp(lanes_load(logits + e * TILE) - top);
        lanes_store(delta + e * TILE, p);
        sum += p;
    }
    if (slope) {
        lanes share = lanes_select(label < 0, none, 1.0f / sum), one = lanes_fill(1.0f);
        for (int64_t e = 1; e < classes; e++) {
            lanes hit = lanes_select(label == (int32_t)e, one, none);
            lanes_store(delta + e * TILE, lanes_load(delta + e * TILE) * share - hit);
        }
        lanes_store(delta, none);
    }
    return lanes_select(label < 0, none, lanes_log(sum) + (top - own));
}

static double loss(const nn_kernel_plan *p, nn_kernel_tile *t, bool slope)
{
    const float *logits = t->active[p->layers - 1];
    float total[TILE];
    double sum = 0.0;
    for (int64_t r = 0; r < used_rows(t); r += LANES) {
        bits label;
        memcpy(&label, t->label + r, sizeof label);
        lanes_store(total + r, cross_entropy(p->shape.classes, logits + r, label, slope, t->delta + r));
    }
    for (int64_t r = 0; r < t->rows; r++) {
        sum += (double)total[r];
    }
    return sum;
}

/* ---- steps ---- */

static void adam(int64_t n, const nn_kernel_adam *step, const float *restrict gradient, float *restrict first,
                 float *restrict second, float *restrict weight)
{
    nn_kernel_adam s = *step;
    for (int64_t i = 0; i < n; i++) {
        float g = gradient[i] * s.share;
        first[i] = s.beta1 * first[i] + (1.0f - s.beta1) * g;
        second[i] = s.beta2 * second[i] + (1.0f - s.beta2) * g * g;
        float root = __builtin_sqrtf(second[i] * s.correct2) + s.epsilon;
        weight[i] -= s.rate * (first[i] * s.correct1) / root + s.decay * weight[i];
    }
}

/* ---- for tests ---- */

#define OVER_ARRAY(name, of)                                                        \
    static void name(int64_t n, const float *x, float *out)                         \
    {                                                                               \
        for (int64_t i = 0; i < n; i += LANES) {                                    \
            float part[LANES] = {0};                                                \
            size_t bytes = (size_t)(n - i < LANES ? n - i : LANES) * sizeof(float); \
            memcpy(part, x + i, bytes);                                             \
            lanes_store(part, of(lanes_load(part)));                                \
            memcpy(out + i, part, bytes);                                           \
        }                                                                           \
    }

OVER_ARRAY(exp_array, lanes_exp)
OVER_ARRAY(log_array, lanes_log)
OVER_ARRAY(tanh_array, lanes_tanh)

#define NAME_OF(name) #name
#define NAMED(name) NAME_OF(name)

const nn_kernel KERNEL = {
    &NAMED(KERNEL)[sizeof "kernel"], LANES, forward, loss, backward, adam, exp_array, log_array, tanh_array};
