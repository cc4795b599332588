/*
 * kernel_internal.h - what the files of the kernel factors share: pivots, and a basis that gives the features of any
 * block of rows, so that nobody need store those of all rows.
 */
#ifndef INDEP_KERNEL_INTERNAL_H
#define INDEP_KERNEL_INTERNAL_H

#include "indep/kernel.h"
#include "indep/kernel_tile.h"

/* Points of which every coordinate varies; scaled, a distance of 1 is one width. */
typedef struct kernel_points {
    int64_t n, d;
    const double **v;       /* (d): columns (n) */
    double *centre, *width; /* (d) */
} kernel_points;

/* Pivoted incomplete Cholesky factor: row u of it is the forward substitution of k(u, at) by lower. */
typedef struct kernel_pivots {
    int64_t rank, stride;
    double *at;    /* (d, rank), scaled */
    double *lower; /* row k, of k + 1 elements, starts at lower + k * stride */
} kernel_pivots;

/* The features of a row u: map' k(u, at) - offset. */
typedef struct kernel_basis {
    kernel_points points;
    int64_t rank, directions; /* pivots, and features */
    double *at;               /* (d, rank) */
    double *map;              /* (rank, directions) */
    double *offset;           /* (directions) */
    double *eigen;            /* (directions) */
    double trace, lost;       /* as of a kernel_factor */
} kernel_basis;

/* (value - centre) / width, clamped so that squares are finite. */
double kernel_scaled(const kernel_points *points, int64_t coordinate, double value);

/* Also sets points->centre. */
nonsens_status kernel_find_pivots(nonsens_context *ctx, arena *a, kernel_points *points, const kernel_limits *limits,
                                  kernel_pivots *out);

/* As kernel_factorise_points, without the features; the columns must live as long as the basis. */
nonsens_status kernel_find_basis(nonsens_context *ctx, arena *keep, const column_set *points, int64_t first, int64_t n,
                                 const double *width, const kernel_limits *limits, kernel_basis *out);

/*
 * f (KERNEL_TILE, directions): the first features of the rows first .. first + rows - 1, rows <= KERNEL_TILE; rows
 * beyond are zero.  work: kernel_basis_work(basis) numbers.
 */
void kernel_basis_tile(const kernel_basis *basis, int64_t first, int64_t rows, int64_t directions, double *work,
                       double *f);

static inline int64_t kernel_basis_work(const kernel_basis *basis)
{
    return KERNEL_TILE * (basis->points.d + basis->rank);
}

#endif
