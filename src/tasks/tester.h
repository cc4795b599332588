/*
 * tester.h - a tester of conditional independence on the columns of a data set.
 */
#ifndef TASKS_TESTER_H
#define TASKS_TESTER_H

#include "data/dataset.h"
#include "indep/ci.h"

/* Columns of the data as variables of a tester, some of them together as one vector. */
typedef struct tester_columns {
    column_set *variable; /* (count) */
    int32_t *rank;        /* (count) */
    int64_t count;
    row_groups groups;
    int64_t whole[2]; /* the bounds of all rows as one group */
} tester_columns;

bool tester_is_stratified(const nonsens_data *data, const nonsens_options *options);

/* size (count): how many columns each variable has; they follow one another in the data. */
nonsens_status tester_gather(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                             int64_t count, const int64_t *size, tester_columns *out);

nonsens_status tester_new(nonsens_context *ctx, const tester_columns *t, const nonsens_options *options,
                          ci_tester **out);

/* An error if no group of rows could be tested. */
nonsens_status tester_require_rows(nonsens_context *ctx, const ci_result *test, bool segments);

#endif
