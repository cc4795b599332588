/*
 * kernel_tile.h - dense arithmetic on tiles of rows, without BLAS: a serial BLAS lets one thread in at a time.
 *
 * A tile has room for KERNEL_TILE rows of some columns, column after column.  Its rows are padded with zeros to a
 * multiple of eight, tile_rows, so that no loop over rows has a remainder; `rows` is such a multiple everywhere below.
 */
#ifndef INDEP_KERNEL_TILE_H
#define INDEP_KERNEL_TILE_H

#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_TILE = 128 };

/* Returns the rows of a tile in which `used` are filled: the next multiple of eight. */
static inline int64_t tile_rows(int64_t used)
{
    return (used + 7) / 8 * 8;
}

/* Replaces x (count) by exp(x) for x <= 0, to within 4e-16; the number after an odd count is overwritten too. */
void tile_exp(int64_t count, double *x);

/* Sets the rows from `used` on to zero. */
void tile_clear(int64_t used, int64_t columns, double *tile);

/*
 * Computes out (rows, q) = k (rows, r) map, map (r, q).  triangular: column c of the map is zero beyond its first c + 1
 * elements, and only those are read, in blocks of four columns.
 */
void tile_combine(int64_t rows, int64_t r, int64_t q, const double *k, const double *map, bool triangular, double *out);

/* Adds a (rows, p)' b (rows, q) to sum (p, q).  lower, for symmetric products: at least those (i, j) with i >= j. */
void tile_cross(int64_t rows, int64_t p, int64_t q, const double *a, const double *b, bool lower, double *sum);

#endif
