/*
 * subsample.h - draws a sample of the rows, for methods that take too much time or memory for millions of rows and need
 * only some hundred thousand for an answer.
 */
#ifndef DATA_SUBSAMPLE_H
#define DATA_SUBSAMPLE_H

#include "data/dataset.h"

/*
 * Draws about max_rows rows: the same share of every segment, but at least 100 rows if it has them.  *out is NULL if
 * there are at most max_rows rows.  With --block-length it draws whole blocks of neighbouring rows.
 */
nonsens_status subsample(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         int64_t max_rows, nonsens_data **out);

#endif
