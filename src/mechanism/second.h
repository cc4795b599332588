/* second.h - sums second derivatives by the coefficients over rows, term by term (sums.h). */
#ifndef MECHANISM_SECOND_H
#define MECHANISM_SECOND_H

#include "mechanism/sums.h"

typedef struct mechanism_second {
    int32_t *row; /* (n) rows in the order of the effect's cells, so that sums in use stay in the cache */
    sums_term term[MECHANISM_MAX_TERMS]; /* in this order of rows */
    double *weight, *slope_weight, *own;
    double *sum;
    uint8_t *used;
    int64_t sums, cells; /* lengths of sum and used */
    const sums_kernel *kernel;
} mechanism_second;

/* Allocates what the sums of a model need. */
nonsens_status mechanism_second_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_second *out);
/* Does the same, sharing the sorted rows of `other`. */
nonsens_status mechanism_second_beside(nonsens_context *ctx, arena *a, const mechanism_model *m,
                                       const mechanism_second *other, mechanism_second *out);

/*
 * Adds to the lower triangle of hessian (size, size) the second derivatives by coefficients; second and slope_second
 * (n) are those of each row by T and dT/dy.
 */
nonsens_status mechanism_second_add(nonsens_context *ctx, const mechanism_model *m, mechanism_second *s,
                                    const double *second, const double *slope_second, double *hessian);

#endif
