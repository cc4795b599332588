/*
 * nn_kernel.h - the arithmetic of small networks on one tile of rows, compiled once per instruction set.
 *
 * A tile is feature-major: unit k of row t is a[k * KERNEL_TILE + t], so that loops over rows become vector loops.  One
 * body (kernel_body.h) is compiled for every instruction set of the architecture; kernel_choose picks the best that the
 * processor has.  The forward pass, loss and backward pass of a tile run while its activations are in the first-level
 * cache.  Sums have a fixed order.
 */
#ifndef NN_NN_KERNEL_H
#define NN_NN_KERNEL_H

#include "base/instruction_set.h"
#include "base/memory.h"
#include "options/options.h"

enum { KERNEL_TILE = 64, KERNEL_MAX_LAYERS = 20 };

/* inputs, width and features are those of one block (mlp.h). */
typedef struct mlp_shape {
    int64_t inputs, layers, width, features, classes;
    enum option_activation activation;
    enum option_last_layer last;
} mlp_shape;

/* One layer of weights inside the parameter array: per block W (outputs, inputs) row-major, then all biases. */
typedef struct nn_kernel_layer {
    int64_t blocks;
    int64_t inputs, outputs; /* of one block; outputs before maxout pairs are merged */
    int64_t weight, bias;    /* offsets */
} nn_kernel_layer;

typedef struct nn_kernel_plan {
    mlp_shape shape;
    int64_t blocks, layers; /* layers: all, including those of the features and the logits */
    nn_kernel_layer layer[KERNEL_MAX_LAYERS + 2];
} nn_kernel_plan;

/* The activations of one tile, reused for every tile. */
typedef struct nn_kernel_tile {
    float *input;                         /* (blocks * inputs, TILE) */
    float *raw[KERNEL_MAX_LAYERS + 2];    /* before the activation, if `active` does not give its slope; or NULL */
    float *active[KERNEL_MAX_LAYERS + 2]; /* after it; the last one holds the logits */
    float *delta, *delta_next;            /* (widest layer, TILE) slope of the loss */
    int32_t *label;                       /* (TILE); -1 in padding */
    int64_t rows;                         /* rows of the tile that count; the others are padding */
} nn_kernel_tile;

/* What one step of Adam needs, besides the arrays. */
typedef struct nn_kernel_adam {
    float beta1, beta2, correct1, correct2; /* decay of the moments and the correction of their start at zero */
    float rate, decay, epsilon;
    float share; /* factor of the gradient: one over the number of rows */
} nn_kernel_adam;

typedef struct nn_kernel {
    const char *name;
    int lanes;
    /* Computes `active` of every layer from the input. */
    void (*forward)(const nn_kernel_plan *p, const float *parameters, nn_kernel_tile *t);
    /* Returns the tile's sum of cross-entropies in nats; `slope`: also sets delta = softmax - one-hot, 0 in padding. */
    double (*loss)(const nn_kernel_plan *p, nn_kernel_tile *t, bool slope);
    /*
     * Propagates delta = d loss / d logits back to the first layer; adds to gradient unless that is NULL.  Leaves d
     * loss / d input in delta if `to_input`.
     */
    void (*backward)(const nn_kernel_plan *p, const float *parameters, nn_kernel_tile *t, float *gradient,
                     bool to_input);
    void (*adam)(int64_t n, const nn_kernel_adam *step, const float *gradient, float *first, float *second,
                 float *weight);
    /* Compute out (n) from x (n), for tests: the functions that forward and loss use. */
    void (*exp)(int64_t n, const float *x, float *out);
    void (*log)(int64_t n, const float *x, float *out);
    void (*tanh)(int64_t n, const float *x, float *out);
} nn_kernel;

/* Returns the kernel for an instruction set; NULL if this architecture does not have the set. */
const nn_kernel *kernel_for(instruction_set set);

/*
 * Chooses the best kernel that the processor can run and the environment variable NONSENS_KERNEL allows.  Fails if the
 * variable names an instruction set that is not available.
 */
nonsens_status kernel_choose(nonsens_context *ctx, const nn_kernel **out);

#endif
