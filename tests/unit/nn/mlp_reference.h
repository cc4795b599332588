/*
 * mlp_reference.h - the segment classifier of mlp.h written down plainly, row by row in double: what the kernels are
 * compared with.
 */
#ifndef NN_MLP_REFERENCE_H
#define NN_MLP_REFERENCE_H

#include "nn/mlp.h"

/*
 * Sum of cross-entropies over the rows, in nats, for a network of this many blocks.  Adds to what is not NULL: the
 * gradient of the sum (parameters), and the logits (count, classes) of the rows in their order.  Not a number for
 * networks of more than 1024 units a layer.
 */
double mlp_reference(const mlp_shape *shape, int64_t blocks, const float *parameters, mlp_rows rows, double *gradient,
                     double *logits);

#endif
