/* mlp.c - lays out and initialises the segment classifier's parameters, and runs the kernel over tiles of rows. */
#include "nn/mlp.h"

#include <math.h>

enum { TILE = KERNEL_TILE };

static int64_t layer_units(const nn_kernel_layer *l)
{
    return l->blocks * l->outputs;
}

void mlp_plan(const mlp_shape *s, int64_t blocks, nn_kernel_plan *p)
{
    int64_t offset = 0, inputs = s->inputs, raw_width = s->activation == ACTIVATION_MAXOUT ? 2 * s->width : s->width;
    *p = (nn_kernel_plan){.shape = *s, .blocks = blocks, .layers = s->layers + 2};
    for (int64_t i = 0; i < p->layers; i++) {
        bool hidden = i < s->layers, is_logits = i == s->layers + 1;
        nn_kernel_layer *l = &p->layer[i];
        l->blocks = is_logits ? 1 : blocks;
        l->inputs = is_logits ? blocks * inputs : inputs;
        l->outputs = hidden ? raw_width : is_logits ? s->classes : s->features;
        l->weight = offset;
        l->bias = offset + layer_units(l) * l->inputs;
        offset = l->bias + layer_units(l);
        inputs = hidden ? s->width : l->outputs;
    }
}

int64_t mlp_block_parameters(const mlp_shape *shape, int64_t blocks)
{
    nn_kernel_plan p;
    mlp_plan(shape, blocks, &p);
    const nn_kernel_layer *last = &p.layer[p.layers - 1];
    return last->bias + layer_units(last);
}

int64_t mlp_parameters(const mlp_shape *shape)
{
    return mlp_block_parameters(shape, 1);
}

void mlp_block_init(const mlp_shape *shape, int64_t blocks, rng *r, float *parameters)
{
    nn_kernel_plan p;
    mlp_plan(shape, blocks, &p);
    for (int64_t i = 0; i < p.layers; i++) {
        const nn_kernel_layer *l = &p.layer[i];
        double gain = i < shape->layers && shape->activation == ACTIVATION_LEAKY_RELU ? 2.0 / 1.04 : 1.0;
        double sd = sqrt(gain / (double)l->inputs);
        for (int64_t k = 0; k < layer_units(l) * l->inputs; k++) {
            parameters[l->weight + k] = (float)(sd * rng_normal(r));
        }
        for (int64_t k = 0; k < layer_units(l); k++) {
            parameters[l->bias + k] = 0.0f;
        }
        if (i == shape->layers + 1) {
            for (int64_t k = 0; k < l->inputs; k++) {
                parameters[l->weight + k] = 0.0f;
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
    *out = (mlp_workspace){0};
    TRY(kernel_choose(ctx, &out->kernel));
    mlp_plan(shape, blocks, &out->plan);
    nn_kernel_tile *t = &out->tile;
    ARENA_TRY(ctx, a, t->label, TILE);
    ARENA_TRY(ctx, a, t->input, widest * TILE);
    for (int64_t i = 0; i < out->plan.layers; i++) {
        int64_t units = layer_units(&out->plan.layer[i]);
        widest = units > widest ? units : widest;
        ARENA_TRY(ctx, a, t->active[i], units * TILE);
        if (i == shape->layers || (i < shape->layers && shape->activation == ACTIVATION_MAXOUT)) {
            ARENA_TRY(ctx, a, t->raw[i], units * TILE);
        }
    }
    ARENA_TRY(ctx, a, t->delta, widest * TILE);
    ARENA_TRY(ctx, a, t->delta_next, widest * TILE);
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

/* Copies rows from `first` on into the tile and pads their last vector with zeros. */
static void gather(mlp_workspace *work, mlp_rows rows, int64_t first)
{
    nn_kernel_tile *tile = &work->tile;
    int64_t count = rows.count - first < TILE ? rows.count - first : TILE, lanes = work->kernel->lanes;
    int64_t filled = (count + lanes - 1) / lanes * lanes;
    tile->rows = count;
    for (int64_t k = 0; k < work->plan.blocks * work->plan.shape.inputs; k++) {
        float *to = tile->input + k * TILE;
        const float *from = rows.x + k * rows.n;
        for (int64_t t = 0; t < count; t++) {
            to[t] = from[row_of(rows, first + t)];
        }
        for (int64_t t = count; t < filled; t++) {
            to[t] = 0.0f;
        }
    }
    for (int64_t t = 0; rows.label && t < count; t++) {
        tile->label[t] = rows.label[row_of(rows, first + t)];
    }
    for (int64_t t = count; t < filled; t++) {
        tile->label[t] = -1;
    }
}

static void forward(const float *parameters, mlp_workspace *work, mlp_rows rows, int64_t first)
{
    gather(work, rows, first);
    work->kernel->forward(&work->plan, parameters, &work->tile);
}

double mlp_loss(const float *parameters, mlp_workspace *work, mlp_rows rows)
{
    double loss = 0.0;
    for (int64_t first = 0; first < rows.count; first += TILE) {
        forward(parameters, work, rows, first);
        loss += work->kernel->loss(&work->plan, &work->tile, false);
    }
    return loss;
}

double mlp_loss_gradient(const float *parameters, mlp_workspace *work, mlp_rows rows, float *gradient)
{
    double loss = 0.0;
    for (int64_t first = 0; first < rows.count; first += TILE) {
        forward(parameters, work, rows, first);
        loss += work->kernel->loss(&work->plan, &work->tile, true);
        work->kernel->backward(&work->plan, parameters, &work->tile, gradient, false);
    }
    return loss;
}

void mlp_add_logits(const float *parameters, mlp_workspace *work, mlp_rows rows, double *logits)
{
    int64_t classes = work->plan.shape.classes;
    for (int64_t first = 0; first < rows.count; first += TILE) {
        forward(parameters, work, rows, first);
        const float *from = work->tile.active[work->plan.layers - 1];
        for (int64_t t = 0; t < work->tile.rows; t++) {
            double *to = logits + row_of(rows, first + t) * classes;
            for (int64_t e = 0; e < classes; e++) {
                to[e] += (double)from[e * TILE + t];
            }
        }
    }
}

void mlp_features(const float *parameters, mlp_workspace *work, mlp_rows rows, double *feature)
{
    for (int64_t first = 0; first < rows.count; first += TILE) {
        forward(parameters, work, rows, first);
        const float *from = work->tile.active[work->plan.shape.layers];
        for (int64_t f = 0; f < work->plan.blocks * work->plan.shape.features; f++) {
            for (int64_t t = 0; t < work->tile.rows; t++) {
                feature[f * rows.n + row_of(rows, first + t)] = (double)from[f * TILE + t];
            }
        }
    }
}

void mlp_add_input_gradient(const float *parameters, mlp_workspace *work, mlp_rows rows, const float *direction,
                            int64_t stride, double *jacobian)
{
    for (int64_t first = 0; first < rows.count; first += TILE) {
        forward(parameters, work, rows, first);
        for (int64_t k = 0; k < work->plan.shape.classes * TILE; k++) { // the logit of class 0 is pinned
            work->tile.delta[k] = k < TILE ? 0.0f : direction[k / TILE];
        }
        work->kernel->backward(&work->plan, parameters, &work->tile, NULL, true);
        for (int64_t t = 0; t < work->tile.rows; t++) {
            double *to = jacobian + row_of(rows, first + t) * stride;
            for (int64_t k = 0; k < work->plan.blocks * work->plan.shape.inputs; k++) {
                to[k] += (double)work->tile.delta[k * TILE + t];
            }
        }
    }
}
