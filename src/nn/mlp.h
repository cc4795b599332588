/*
 * mlp.h - the segment classifier of time-contrastive learning (Hyvarinen and Morioka, NIPS 2016): a small network
 *
 *     x (d) -> `layers` hidden layers -> h (features) -> last: linear, |h| or sqrt(h^2 + eps) -> logits (classes)
 *
 * with the logit of class 0 pinned to zero.  Weights and activations are float; the loss is summed in double.
 *
 * The layers up to h may be split into blocks: networks of one shape, each with its own inputs and features, which the
 * logits combine.  Functions without an argument `blocks` use one block, or the number in the workspace.  Forward and
 * backward passes run on tiles of rows, with the kernel for this processor (nn_kernel.h), and allocate nothing.
 */
#ifndef NN_MLP_H
#define NN_MLP_H

#include "base/rng.h"
#include "nn/nn_kernel.h"

enum { MLP_MAX_LAYERS = KERNEL_MAX_LAYERS };

/*
 * Returns the number of parameters.  They are in one array: per layer W (blocks, out, in) row-major, then b (blocks,
 * out); hidden layers, features, classes (one block).
 */
int64_t mlp_parameters(const mlp_shape *shape);
int64_t mlp_block_parameters(const mlp_shape *shape, int64_t blocks);

/* Computes sizes and offsets of all layers. */
void mlp_plan(const mlp_shape *shape, int64_t blocks, nn_kernel_plan *out);

/* Draws He-style weights; sets the biases and the pinned class's weights to zero. */
void mlp_init(const mlp_shape *shape, rng *r, float *parameters);
void mlp_block_init(const mlp_shape *shape, int64_t blocks, rng *r, float *parameters);

/* Memory for evaluating networks of one shape, reused for every tile of rows. */
typedef struct mlp_workspace {
    const nn_kernel *kernel;
    nn_kernel_plan plan;
    nn_kernel_tile tile;
} mlp_workspace;

/* Chooses the kernel and allocates a workspace. */
nonsens_status mlp_workspace_new(nonsens_context *ctx, arena *a, const mlp_shape *shape, mlp_workspace *out);
nonsens_status mlp_block_workspace(nonsens_context *ctx, arena *a, const mlp_shape *shape, int64_t blocks,
                                   mlp_workspace *out);

/* A set of rows: x is column-major (n, blocks * inputs), `row` lists the rows used (NULL: 0 .. count-1). */
typedef struct mlp_rows {
    const float *x;
    int64_t n;
    const int64_t *row;
    int64_t count;
    const int32_t *label; /* (n) class of each row; may be NULL if no loss is computed */
} mlp_rows;

/* Returns the sum of cross-entropies over the rows, in nats. */
double mlp_loss(const float *parameters, mlp_workspace *work, mlp_rows rows);

/* Does the same and adds the gradient of the sum to gradient (parameters), which the caller has cleared. */
double mlp_loss_gradient(const float *parameters, mlp_workspace *work, mlp_rows rows, float *gradient);

/* Adds the logits of row i to logits[row * classes ..] (row-major, indexed by the row of x). */
void mlp_add_logits(const float *parameters, mlp_workspace *work, mlp_rows rows, double *logits);

/* Writes the features of row i, as they enter the logits, to feature[f * n + i] (blocks * features, n). */
void mlp_features(const float *parameters, mlp_workspace *work, mlp_rows rows, double *feature);

/*
 * Adds d(direction . logits)/dx of each row to jacobian[row * stride ..] (stride >= all inputs) for one direction
 * (classes): exact back-propagation to the input.
 */
void mlp_add_input_gradient(const float *parameters, mlp_workspace *work, mlp_rows rows, const float *direction,
                            int64_t stride, double *jacobian);

#endif
