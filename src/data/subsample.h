/*
 * subsample.h - a sample of the rows, for methods whose time or memory per row is such that millions are too many, and
 * whose answer some hundred thousand settle.
 */
#ifndef DATA_SUBSAMPLE_H
#define DATA_SUBSAMPLE_H

#include "data/dataset.h"

/*
 * About max_rows of the rows, the same share of every segment but at least 100 where it has them; *out is NULL if
 * there are no more than that.  With --block-length whole blocks of neighbouring rows.
 */
nonsens_status subsample(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         int64_t max_rows, nonsens_data **out);

#endif
