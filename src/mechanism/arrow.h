/*
 * arrow.h - factors the second derivatives of a mechanism with many segments, whose matrix has the shape of an arrow.
 *
 * With coefficients c (p) and the locations and scales s (2 E) of the segments,
 *
 *     H = ( A  C' )      A (p, p),  C (2 E, p),  D = blocks of 2 x 2, one for each segment, + U U' pin,
 *         ( C  D  )
 *
 * where U (2 E, 2) sums locations and scales; the penalty keeps these sums near zero.  The segments are eliminated
 * first, at a cost linear in E: with D = L L' + pin U U', W = L^-1 C, u = L^-1 U, K = I / pin + u'u, the rest is
 *
 *     S = A - W' (I - u K^-1 u') W.
 */
#ifndef MECHANISM_ARROW_H
#define MECHANISM_ARROW_H

#include "mechanism/mechanism_internal.h"

typedef struct mechanism_arrow {
    double *shaft;     /* (p, p) Cholesky factor of S */
    double *barb;      /* (2 E, p) W, a segment's location and scale adjacent */
    double *own;       /* (E, 3) L: location, both, scale */
    double *sum;       /* (2, 2 E) u */
    double *along;     /* (2, p) scratch: u'W */
    double inverse[3]; /* K^-1: upper triangle */
} mechanism_arrow;

nonsens_status mechanism_arrow_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_arrow *out);

/*
 * Factors hessian (as from mechanism_derive) + damping * its diagonal; crossing as in mechanism_weights.  Returns false
 * if it is not positive definite.
 */
bool mechanism_arrow_factor(nonsens_context *ctx, const mechanism_model *m, const double *hessian,
                            const double *crossing, double damping, mechanism_arrow *out);

/* Factors only the diagonal, 1 + damping * |hessian|. */
void mechanism_arrow_factor_diagonal(const mechanism_model *m, const double *hessian, double damping,
                                     mechanism_arrow *out);

/* Computes x (size) = H^-1 x; spare (2 E). */
void mechanism_arrow_solve(const mechanism_model *m, const mechanism_arrow *f, double *spare, double *x);

#endif
