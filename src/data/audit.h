/*
 * audit.h - reports what the data cannot support, before anything is computed.
 *
 * Errors: constant columns, fewer than two rows.  Warnings: duplicated and exactly collinear columns (with the
 * combination), discrete columns, names that are numbers, few or tiny segments, fewer than 2d+1 segments, strong lag-1
 * autocorrelation within segments (in input order).
 */
#ifndef DATA_AUDIT_H
#define DATA_AUDIT_H

#include "data/dataset.h"

/* A warning counts segments with fewer rows than this. */
enum { AUDIT_TINY_SEGMENT = 20 };

/* Audits a data set: fails, or adds warnings to it. */
nonsens_status audit_dataset(nonsens_context *ctx, nonsens_data *data);

/* How to name the segments, for messages. */
#define AUDIT_NAME_SEGMENTS \
    "name their column with --segment COL, cut the rows with --segments equal:K, or give one file per segment"
#define AUDIT_NEEDS_SEGMENTS "this needs segments; " AUDIT_NAME_SEGMENTS

/* Fails if there are no segments or only one. */
nonsens_status audit_require_labels(nonsens_context *ctx, const nonsens_data *data);

/* Fails if there are no segments, only one, or one with a single row; for methods that use segments. */
nonsens_status audit_require_segments(nonsens_context *ctx, const nonsens_data *data);

/* Fails unless there are two variables, neither a linear function of the other; for methods for a pair. */
nonsens_status audit_require_pair(nonsens_context *ctx, const nonsens_data *data);

/* Fails unless there are at least two variables, none a linear function of others; for methods for all variables. */
nonsens_status audit_require_several(nonsens_context *ctx, const nonsens_data *data);

#endif
