/*
 * complete.h - selects rows with a value of each of some variables, for questions that need all values (--na pairwise).
 *
 * What such rows say holds for all rows if values are missing at random: not because of the values of the variables in
 * question.
 */
#ifndef DATA_COMPLETE_H
#define DATA_COMPLETE_H

#include "data/dataset.h"

/*
 * Makes a data set of some of the columns (user's indices, all different), with the rows that have all of them, in its
 * own canonical order.  If rows are left out, a warning says how many; segments that are then tiny are left out, too
 * (tidy.h).  Ends with the audit.
 */
nonsens_status complete_select(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               int64_t count, const int64_t *index, nonsens_data **out);

#endif
