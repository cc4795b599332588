/*
 * row_blocks.h - averages over all rows that fixed-point and quasi-Newton steps of ICA ask for, block by block.
 *
 * For m directions w_j, s_j = y w_j, and a contrast G with g = G':
 *     cross_j = E g(s_j) y,   slope_j = E g'(s_j),   value_j = E G(s_j).
 * Blocks of rows are summed on their own and put together in order: the same bits for any number of threads.  Inside a
 * block small tiles of rows stay in the cache from the product that makes the sources to the one that makes the cross.
 */
#ifndef ICA_ROW_BLOCKS_H
#define ICA_ROW_BLOCKS_H

#include "ica/ica_internal.h"

#include <stdatomic.h>

/* What a pass gives; the memory belongs to the ica_blocks and holds until the next pass. */
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
    double *tiles;  /* (workers) tiles of rows, of sources */
    double *sums;   /* (d d + 2 d, blocks) */
    double *totals; /* (d d + 2 d) */
    int64_t m;      /* of the pass in progress: */
    const double *w;
    atomic_int_least64_t next; /* the block that nobody has taken */
} ica_blocks;

/* Uses y (n, d) in place; few rows are worked on by one thread whatever `threads` says. */
nonsens_status ica_blocks_new(nonsens_context *ctx, arena *a, const ica_data *data, enum option_contrast contrast,
                              int threads, ica_blocks *b);

/* w (d, m), m <= d: a column is a direction. */
nonsens_status ica_blocks_pass(ica_blocks *b, int64_t m, const double *w, ica_row_means *out);

/* y = y w for w (d, d), in place. */
void ica_blocks_turn(ica_blocks *b, const double *w);

/* A copy of at most max_rows rows, evenly spaced: a look at every plane of two sources would take long with all. */
nonsens_status ica_spaced_rows(nonsens_context *ctx, arena *a, const ica_data *data, int64_t max_rows, ica_data *out);

/* E G(scale s) over n values. */
double ica_contrast_mean(enum option_contrast contrast, int64_t n, double scale, const double *s);

#endif
