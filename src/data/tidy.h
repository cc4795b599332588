/*
 * tidy.h - leaves out what no method can use, and says so: constant columns, copies of other columns, tiny segments.
 *
 * A copy repeats another column up to rounding and scale: the two correlate beyond .9999, and so, beyond .999, do their
 * ranks inside segments, because outliers or shifts between segments that two columns share do not make them copies.
 * Of several copies the first in the file is kept.
 *
 * Segments with fewer than 10 rows are left out if at least three others remain (explain: two), because tests skip
 * them.  Otherwise only single rows are, if at least two segments remain.
 */
#ifndef DATA_TIDY_H
#define DATA_TIDY_H

#include "data/dataset.h"

/*
 * Replaces *data, which was not audited yet, by what is left of it, with a warning for each thing that was left out.
 * named: the user named the variables; none of them is left out then, and copies among them are an error.  It is also
 * an error if too few variables are left, or not the one that --target names.  --keep-all keeps everything.
 */
nonsens_status tidy_dataset(nonsens_context *ctx, const nonsens_options *options, bool named, nonsens_data **data);

#endif
