/*
 * targets_file.h - reads interventions from a CSV file (docs/targets.md).
 *
 *     segment,variable,kind
 *     akt_inhibitor,akt,activity
 *     knockout,b,fixed
 *     stress,,unknown
 *
 * kind may be left out: it is then "changed", or "unknown" on a line without a variable.
 */
#ifndef READ_TARGETS_FILE_H
#define READ_TARGETS_FILE_H

#include "data/dataset.h"
#include "graph/targets.h"

/*
 * Reads the file at `path` about the segments and variables (user's order) of the data.  Unknown names, unknown kinds,
 * contradictions and invalid lines are NONSENS_ERR_DATA; the message begins with "targets file PATH" and names line and
 * column.  Names that were left out of the data (tidy.c) are no error: out->ignored says so.  Memory of *out: from `a`.
 */
nonsens_status targets_read(nonsens_context *ctx, arena *a, const char *path, const nonsens_data *data, targets *out);

/* Does the same with bytes in memory; `path` is used in messages. */
nonsens_status targets_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, int64_t size,
                             const nonsens_data *data, targets *out);

#endif
