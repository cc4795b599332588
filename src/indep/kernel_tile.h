/*
 * kernel_tile.h - dense arithmetic on tiles of rows, without BLAS: a serial BLAS lets one thread in at a time.
 *
 * A tile holds KERNEL_TILE rows of some columns, column after column.  Rows that the data do not fill are zero, so that
 * no loop over rows has a remainder.
 */
#ifndef INDEP_KERNEL_TILE_H
#define INDEP_KERNEL_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_TILE = 128 };

/* x (count) = exp(x) for x <= 0, to 4e-16 absolutely; the place behind an odd count is written to as well. */
void tile_exp(int64_t count, double *x);

/* Rows from `rows` on become zero. */
void tile_clear(int64_t rows, int64_t columns, double *tile);

/*
 * out (KERNEL_TILE, q) = k (KERNEL_TILE, r) map, map (r, q).  triangular: column c of the map is zero beyond its first
 * c + 1 elements, which are the only ones read in blocks of four columns.
 */
void tile_combine(int64_t r, int64_t q, const double *k, const double *map, bool triangular, double *out);

/* sum (p, q) += a (KERNEL_TILE, p)' b (KERNEL_TILE, q). */
void tile_cross(int64_t p, int64_t q, const double *a, const double *b, double *sum);

/* The same of a symmetric product: elements (i, j), i >= j, at least. */
void tile_cross_lower(int64_t p, const double *a, const double *b, double *sum);

#endif
