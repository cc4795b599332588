/*
 * gaps.h - missing values of columns: NaN in the input; in a data set the median of the column, and a mark, so that
 * code that checks marks does not use it.
 */
#ifndef DATA_GAPS_H
#define DATA_GAPS_H

#include "base/memory.h"

/* Sets *out to the columns (d) of n, with filled copies of those that have missing values; or to `column` itself. */
nonsens_status gaps_fill(nonsens_context *ctx, arena *a, int64_t n, int64_t d, const double *const *column,
                         const double *const **out);

/* Makes *mark (n, d): whether the order[i]-th value of each column is missing. */
nonsens_status gaps_mark(nonsens_context *ctx, arena *a, int64_t n, int64_t d, const double *const *column,
                         const int64_t *order, bool **mark);

/* Sets *out to a copy of the column with NaN where it is marked, or to the column itself if mark is NULL. */
nonsens_status gaps_restore(nonsens_context *ctx, arena *a, int64_t n, const double *column, const bool *mark,
                            const double **out);

#endif
