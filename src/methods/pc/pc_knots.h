/*
 * pc_knots.h - Fisher's z given functions of variables that are linear between knots (--knots).
 */
#ifndef METHODS_PC_PC_KNOTS_H
#define METHODS_PC_PC_KNOTS_H

#include "base/matrix.h"
#include "base/memory.h"
#include "indep/fisher_z.h"

/* Correlations of the variables, columns 0 .. d-1, and of their hinges: those of variable k start at d + k * knots. */
typedef struct pc_knots {
    fisher_z_data correlations;
    int64_t d, knots; /* knots > 0 */
} pc_knots;

/* Computes the correlations.  Memory comes from `keep`: 8 (d (1 + knots))^2 bytes a group. */
nonsens_status pc_knots_new(nonsens_context *ctx, arena *keep, const column_set *all, const row_groups *groups,
                            int64_t knots, pc_knots *out);

/* Tests x and y given `count` variables: a skeleton_test_fn whose state is a pc_knots. */
nonsens_status pc_knots_ask(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                            const int64_t *given, double *p_value);

#endif
