/*
 * time_blocks.h - cuts rows that follow one another in time into blocks of neighbours that are treated as independent.
 *
 * Time is the order of the rows in the input.  The memory of a series is its integrated autocorrelation time
 * 1 + 2 sum r_k, with r_k the autocorrelation at lag k inside segments, summed while r_k clearly exceeds its error.  It
 * is computed for the ranks of the values and for their distances from the segment's mean, and the longest is used.
 * Blocks of L rows miss the dependence across their borders: the variance of a sum of block sums is too small by the
 * factor 1 - b / L with b = 2 sum k r_k / (1 + 2 sum r_k), and `inflation` is its inverse (Kuensch, Annals of
 * Statistics 17, 1989, on the bias of block variances).
 */
#ifndef DATA_TIME_BLOCKS_H
#define DATA_TIME_BLOCKS_H

#include "data/dataset.h"

enum { TIME_BLOCKS_AUTO = 0 }; /* of --block-length */

typedef struct time_blocks {
    int64_t length;    /* rows of a block; 1: every row is a block */
    int64_t count;     /* of blocks; 0 if length is 1 */
    int32_t *block_of; /* (n) canonical rows; NULL if length is 1 */
    double memory;     /* integrated autocorrelation time, in rows; 1 unless the length is chosen here */
    double inflation;
    bool too_few; /* blocks miss more than half of the variance, since segments are too short for longer ones */
} time_blocks;

/* Cuts blocks of `length` rows, or of a length that suits the memory of the rows (TIME_BLOCKS_AUTO). */
nonsens_status time_blocks_new(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t length,
                               time_blocks *out);

/*
 * Says whether blocks are too few, or shorter than the memory, as for random walks: `too_few` does not detect these,
 * since the memory is summed up to a third of a segment at most.
 */
static inline bool time_blocks_do_not_suffice(const time_blocks *time)
{
    return time->too_few || time->memory > (double)time->length;
}

/* Returns the memory in rows: as found, or the one that blocks of the given length suit. */
double time_blocks_memory(const time_blocks *time);

/*
 * Computes the factor by which time dependence increases the variance of the correlation of two series inside segments:
 * 1 + 2 sum r_k s_k, with their autocorrelations r and s (Bartlett, J. Royal Statistical Society 98, 1935).  x, y (n):
 * canonical rows, centred in each segment; order as time_blocks_order gives it.
 */
nonsens_status time_blocks_joint_memory(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                        const int64_t *order, const double *x, const double *y, double *out);

/* Fills order (n) with the canonical rows of each segment in the order of the input. */
nonsens_status time_blocks_order(nonsens_context *ctx, arena *scratch, const nonsens_data *data, int64_t *order);

#endif
