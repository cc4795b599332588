/*
 * row_blocks.h - computes, block by block, the averages over rows that fixed-point and quasi-Newton steps of ICA need.
 *
 * For m directions w_j, s_j = y w_j, and a contrast G with g = G':
 *     cross_j = E g(s_j) y,   slope_j = E g'(s_j),   value_j = E G(s_j).
 * Each block of rows is summed separately, and the sums are added in order: the same bits for any number of threads.
 * Inside a block small tiles of rows stay in the cache between the product that makes s and the one that makes cross.
 */
#ifndef ICA_ROW_BLOCKS_H
#define ICA_ROW_BLOCKS_H

#include "ica/ica_internal.h"

#include <stdatomic.h>

/* The result of a pass; the memory belongs to the ica_blocks and is valid until the next pass. */
typedef struct ica_row_means {
    double *cross; /* (d, m) */
    double *slope; /* (m) */
    double *value; /* (m) */
} ica_row_means;

typedef struct ica_blocks {
    nonsens_context *ctx;
    int64_t n, d, blocks;
    double *y; /* (n, d) */
    enum option_contrast contrast;
    int workers;
    double *tiles;             /* (workers) for each, a tile of rows and one of sources */
    double *sums;              /* (d d + 2 d, blocks) */
    double *totals;            /* (d d + 2 d) */
    int64_t m;                 /* number of directions of the current pass */
    const double *w;           /* (d, m) its directions */
    atomic_int_least64_t next; /* the first block that no worker has taken */
} ica_blocks;

/* Sets b up for data, whose y (n, d) it uses in place; if there are few rows, uses fewer than `threads` threads. */
nonsens_status ica_blocks_new(nonsens_context *ctx, arena *a, const ica_data *data, enum option_contrast contrast,
                              int threads, ica_blocks *b);

/* Computes the means for the directions in the columns of w (d, m), m <= d. */
nonsens_status ica_blocks_pass(ica_blocks *b, int64_t m, const double *w, ica_row_means *out);

/* Replaces y by y w for w (d, d). */
void ica_blocks_turn(ica_blocks *b, const double *w);

/* Copies at most max_rows rows, evenly spaced, because all rows in all planes of two sources would take too long. */
nonsens_status ica_spaced_rows(nonsens_context *ctx, arena *a, const ica_data *data, int64_t max_rows, ica_data *out);

/* Returns E G(scale s) over n values. */
double ica_contrast_mean(enum option_contrast contrast, int64_t n, double scale, const double *s);

#endif
