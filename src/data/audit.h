/*
 * audit.h - what the data cannot support, said before anything is computed.
 *
 * Errors: constant columns, fewer than two rows.  Warnings: duplicated and exactly collinear columns (with the
 * combination), discrete columns, few or tiny segments, fewer than 2d+1 segments, strong lag-1 autocorrelation within
 * segments (in input order).
 */
#ifndef DATA_AUDIT_H
#define DATA_AUDIT_H

#include "data/dataset.h"

nonsens_status audit_dataset(nonsens_context *ctx, nonsens_data *data);

/* How to say what the segments are, for messages; the program has the same words (cli/analyse.c). */
#define AUDIT_NAME_SEGMENTS \
    "name their column with --segment COL, cut the rows with --segments equal:K, or give one file per segment"
#define AUDIT_NEEDS_SEGMENTS "this needs segments; " AUDIT_NAME_SEGMENTS

/* Methods that use segments call this: an error if there are none, only one, or one with a single row. */
nonsens_status audit_require_segments(nonsens_context *ctx, const nonsens_data *data);

/* Methods for a pair call this: an error unless there are two variables, neither a linear function of the other. */
nonsens_status audit_require_pair(nonsens_context *ctx, const nonsens_data *data);

/* Methods for all variables: an error unless there are two or more, none a linear function of others. */
nonsens_status audit_require_several(nonsens_context *ctx, const nonsens_data *data);

#endif
