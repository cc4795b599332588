/*
 * regression.h - solves penalised least squares on the B-splines of one kind of feature, by the Cholesky factor of the
 * normal matrix B'B + P.  B holds the splines of the first variable, of the second, or their products.
 */
#ifndef CLASSIFIER_REGRESSION_H
#define CLASSIFIER_REGRESSION_H

#include "classifier/model.h"

enum { REGRESSION_PRODUCTS = 16 }; /* products of B-splines that are not zero at a point */

static inline int64_t kind_size(const classifier_sample *s, enum classifier_kind kind)
{
    return kind == KIND_BOTH ? s->basis * s->basis : s->basis;
}

static inline int64_t kind_place(const classifier_sample *s, enum classifier_kind kind, int64_t product)
{
    return kind == KIND_BOTH ? product : kind == KIND_FIRST ? product / s->basis : product % s->basis;
}

typedef struct classifier_regression {
    enum classifier_kind kind;
    int64_t size, *first; /* first: profile of the factor */
    double *gram;         /* (size, size) B'B, lower triangle */
    double *factor;       /* (size, size) Cholesky factor of B'B + lambda * roughness + gentle * (gentle penalty) */
} classifier_regression;

/* Builds and factors the matrix; gentle: factor of the model's gentle penalty. */
nonsens_status classifier_regression_new(nonsens_context *ctx, arena *a, const classifier_model *m,
                                         enum classifier_kind kind, double lambda, double gentle,
                                         classifier_regression *g);

/* Computes target (size) = (B'B + P)^-1 target. */
void regression_solve(const classifier_regression *g, double *target);

#endif
