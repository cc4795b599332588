/*
 * mlp_reference.h - the segment classifier of mlp.h written plainly, row by row in double precision, as a reference for
 * the kernels.
 */
#ifndef NN_MLP_REFERENCE_H
#define NN_MLP_REFERENCE_H

#include "nn/mlp.h"

/*
 * Returns the sum of cross-entropies over the rows, in nats, for a network with this many blocks.  Adds, unless NULL,
 * the gradient of the sum (parameters), and the logits (count, classes) of the rows in their order.  Returns NaN for
 * networks with more than 1024 units in a layer.
 */
double mlp_reference(const mlp_shape *shape, int64_t blocks, const float *parameters, mlp_rows rows, double *gradient,
                     double *logits);

#endif
