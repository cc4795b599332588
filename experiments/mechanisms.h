/*
 * mechanisms.h - pairs of cause and effect that `simulate` does not make: smooth, heavy-tailed, multiplicative or
 * post-nonlinear mechanisms, in ten segments over which the scales of both disturbances change.
 */
#ifndef EXPERIMENTS_MECHANISMS_H
#define EXPERIMENTS_MECHANISMS_H

#include <stdint.h>

enum { MECHANISM_SEGMENTS = 10, MECHANISM_MEAN_ROWS = 512, MECHANISM_ROWS = MECHANISM_SEGMENTS * MECHANISM_MEAN_ROWS };

typedef struct mechanism mechanism;

/* NULL where there is none of this name. */
const mechanism *mechanism_find(const char *name);

/* Fills two columns and the segment of each row (MECHANISM_ROWS each); returns the column, 0 or 1, of the cause. */
int mechanism_draw(const mechanism *m, int64_t seed, double *const column[2], int64_t *segment);

#endif
