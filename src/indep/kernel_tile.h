/*
 * kernel_tile.h - dense arithmetic on tiles of rows, without BLAS: a serial BLAS lets one thread in at a time.
 *
 * A tile has room for KERNEL_TILE rows of some columns, column after column.  Its rows are filled up with zeros to a
 * multiple of eight, tile_rows, so that no loop over rows has a remainder; `rows` is such a multiple everywhere below.
 */
#ifndef INDEP_KERNEL_TILE_H
#define INDEP_KERNEL_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_TILE = 128 };

static inline int64_t tile_rows(int64_t used)
{
    return (used + 7) / 8 * 8;
}

/* x (count) = exp(x) for x <= 0, to 4e-16 absolutely; the place behind an odd count is written to as well. */
void tile_exp(int64_t count, double *x);

/* Rows from `used` on become zero. */
void tile_clear(int64_t used, int64_t columns, double *tile);

/*
 * out (rows, q) = k (rows, r) map, map (r, q).  triangular: column c of the map is zero beyond its first c + 1
 * elements, and only those are read, in blocks of four columns.
 */
void tile_combine(int64_t rows, int64_t r, int64_t q, const double *k, const double *map, bool triangular, double *out);

/* sum (p, q) += a (rows, p)' b (rows, q).  lower: of a symmetric product, elements (i, j), i >= j, at least. */
void tile_cross(int64_t rows, int64_t p, int64_t q, const double *a, const double *b, bool lower, double *sum);

#endif
