/* column.h - standardises columns of numbers without overflow or underflow. */
#ifndef MATH_COLUMN_H
#define MATH_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

/* Says whether all values are equal; true for an empty column. */
bool column_is_constant(int64_t n, const double *v);

/* Return a power of two that brings numbers of at most this size, or v (n), into [-1, 1] without rounding. */
double column_factor(double largest_size);
double column_factor_of(int64_t n, const double *v);

/*
 * Computes z (n) = (v - mean) / sd with divisor n; returns sd.  Accepts any finite column, also with values around
 * 1e200 or 1e-200 or a large offset.  A constant column gives zeros and sd 0.
 */
double column_standardise(int64_t n, const double *v, double *z);

#endif
