/*
 * tidy.h - leaves out what no method can use, and says so: constant columns, copies of other columns, tiny segments.
 *
 * A copy repeats another column up to rounding and scale: their correlation is beyond .9999, and that of their ranks
 * inside segments beyond .999, because outliers or shifts between segments that two columns share do not make them
 * copies.  The first of several copies in the file is kept.
 *
 * Segments with fewer than 10 rows are left out if at least three others remain (for explain and effect: two), because
 * tests skip them.  Otherwise only segments with a single row are left out, if at least two segments remain.
 */
#ifndef DATA_TIDY_H
#define DATA_TIDY_H

#include "data/dataset.h"

/*
 * Replaces *data, which is not audited yet, by what is left of it, with a warning for each thing that was left out.
 * named: the user named the variables; none of them is left out then, and copies among them are an error.  It is also
 * an error if too few variables are left, or if the one that --target names is left out.  --keep-all keeps everything.
 */
nonsens_status tidy_dataset(nonsens_context *ctx, const nonsens_options *options, bool named, nonsens_data **data);

#endif
