/*
 * pc_gaps.h - Fisher's z of data with missing values: each test uses the rows that have all of its variables.
 */
#ifndef METHODS_PC_PC_GAPS_H
#define METHODS_PC_PC_GAPS_H

#include "data/dataset.h"

typedef struct pc_gaps {
    const nonsens_data *data;
    column_set all; /* by node */
    row_groups groups;
    int64_t knots; /* 0: linear; else as in pc_knots.h */
} pc_gaps;

/* Tests x and y given `count` variables: a skeleton_test_fn whose state is a pc_gaps. */
nonsens_status pc_gaps_ask(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                           const int64_t *given, double *p_value);

#endif
