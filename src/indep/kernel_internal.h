/*
 * kernel_internal.h - what the files of the kernel factors share: pivots, and a basis that gives the features of any
 * block of rows, so that those of all rows need not be stored.
 */
#ifndef INDEP_KERNEL_INTERNAL_H
#define INDEP_KERNEL_INTERNAL_H

#include "indep/kernel.h"
#include "indep/kernel_tile.h"

/* Points whose coordinates all vary; after scaling, a distance of 1 is one width. */
typedef struct kernel_points {
    int64_t n, d;
    const double **v;       /* (d): columns (n) */
    double *centre, *width; /* (d) */
} kernel_points;

/* Pivoted incomplete Cholesky factor: its row u is the forward substitution of k(u, at) with lower. */
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
    double trace, lost;       /* as in kernel_factor */
} kernel_basis;

/* Returns (value - centre) / width, clamped so that squares are finite. */
double kernel_scaled(const kernel_points *points, int64_t coordinate, double value);

/* Finds the pivots; also sets points->centre. */
nonsens_status kernel_find_pivots(nonsens_context *ctx, arena *a, kernel_points *points, const kernel_limits *limits,
                                  kernel_pivots *out);

/* Does what kernel_factorise_points does, without the features; the columns must outlive the basis. */
nonsens_status kernel_find_basis(nonsens_context *ctx, arena *keep, const column_set *points, int64_t first, int64_t n,
                                 const double *width, const kernel_limits *limits, kernel_basis *out);

/* Fills f, a tile of `directions` columns, with the first features of the rows first .. first + used - 1, used <=
 * KERNEL_TILE.  work: kernel_basis_work(basis) numbers. */
void kernel_basis_tile(const kernel_basis *basis, int64_t first, int64_t used, int64_t directions, double *work,
                       double *f);

/* Fills f (directions, n) with the first features of all rows, those of a row contiguous. */
nonsens_status kernel_basis_features(nonsens_context *ctx, const kernel_basis *basis, int64_t directions, double *f);

/* Returns how many leading directions leave out at most `share` of the trace. */
int64_t kernel_basis_leading(const kernel_basis *basis, double share);

/* Returns how many numbers of scratch kernel_basis_tile needs. */
static inline int64_t kernel_basis_work(const kernel_basis *basis)
{
    return KERNEL_TILE * (basis->points.d + basis->rank);
}

/* Returns the rows of one job in a pass over n rows: at most 64 jobs, each of at least 16 tiles. */
static inline int64_t kernel_job_rows(int64_t n)
{
    int64_t tiles = (n + 64 * KERNEL_TILE - 1) / (64 * KERNEL_TILE);
    return KERNEL_TILE * (tiles > 16 ? tiles : 16);
}

static inline int64_t kernel_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
