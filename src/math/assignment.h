/* assignment.h - the best one-to-one matching of two sets of size d, by the Hungarian method in O(d^3). */
#ifndef MATH_ASSIGNMENT_H
#define MATH_ASSIGNMENT_H

#include "base/memory.h"

/* Finds the permutation match (d) with the largest sum of gain[j + d * match[j]]; gain (d, d) is finite. */
nonsens_status assignment_best(nonsens_context *ctx, arena *a, int64_t d, const double *gain, int64_t *match);

#endif
