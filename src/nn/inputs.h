/*
 * inputs.h - computes the inputs of the networks from the data, and derivatives by the data from those by the inputs.
 *
 * Two views of every row: the standardised variables, whitened (total covariance = I, symmetric root), and the
 * normal scores of each variable through a monotone piece-wise linear warp with knots at quantiles.  Whitening
 * separates variables that are strongly correlated; scores spread out regions in which values are crowded.  Both can be
 * differentiated: d view / d z is constant for the first, and the warp's slope for the second.
 */
#ifndef NN_INPUTS_H
#define NN_INPUTS_H

#include "base/matrix.h"
#include "base/memory.h"

typedef struct nn_inputs {
    matrix z;      /* (n, d) standardised: mean 0, sd 1 */
    matrix view;   /* (n, 2 d): whitened, then scores */
    double *white; /* (d, d) symmetric: whitened = white * z */
    matrix slope;  /* (n, d) d score_j / d z_j */
} nn_inputs;

/* Computes the inputs from x (n, d), which must not have constant or exactly collinear columns. */
nonsens_status nn_inputs_new(nonsens_context *ctx, arena *a, matrix x, nn_inputs *out);

/* Computes d f / d z (n, d) row-major from d f / d view (n, 2 d) row-major. */
void nn_inputs_chain(const nn_inputs *in, const double *by_view, double *by_z);

#endif
