/*
 * tester.h - a tester of conditional independence on the columns of a data set.
 */
#ifndef TASKS_TESTER_H
#define TASKS_TESTER_H

#include "data/time_blocks.h"
#include "indep/ci.h"

/* Columns of the data as variables of a tester; several columns may form one vector. */
typedef struct tester_columns {
    column_set *variable; /* (count) */
    int32_t *rank;        /* (count) smallest canonical rank among the columns of a variable */
    int64_t count;
    row_groups groups;
    int64_t whole[2]; /* the bounds of all rows as one group */
    time_blocks time;
    int64_t *time_order; /* (n) rows of each segment in the order of time; NULL without blocks */
    double memory;       /* integrated autocorrelation time in rows; a third of the block length if that is given */
    bool too_few;        /* there are too few blocks: a group has fewer than three */
} tester_columns;

/* Returns whether tests are made inside segments. */
bool tester_is_stratified(const nonsens_data *data, const nonsens_options *options);

/* Gathers columns into variables; variable k takes the next size[k] columns of the data. */
nonsens_status tester_gather(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                             int64_t count, const int64_t *size, tester_columns *out);

/* Makes a tester, which ci_free frees. */
nonsens_status tester_new(nonsens_context *ctx, const tester_columns *t, const nonsens_options *options,
                          ci_tester **out);

/* Returns an error if no group of rows could be tested. */
nonsens_status tester_require_rows(nonsens_context *ctx, const ci_result *test, bool segments);

#endif
