/*
 * diagnose_pair.h - reports what segment classifiers say about a pair of variables before any direction is asked for
 * (docs/structured.md, sections 1 to 4): whether the segments can be distinguished, in how many ways they differ, which
 * variable shows it, which segments stand out, and how many rows would be enough.
 */
#ifndef TASKS_DIAGNOSE_DIAGNOSE_PAIR_H
#define TASKS_DIAGNOSE_DIAGNOSE_PAIR_H

#include "data/dataset.h"
#include "methods/shared/result.h"

/*
 * Adds evidence and notes on the pair to the result; `single`: this is the only pair that is reported, so names need
 * not distinguish pairs.  If the classifiers cannot be fitted, a note says why.  Costs about as much as `structured`;
 * if the rank exceeds two, as much again for each segment that is left out.
 */
nonsens_status diagnose_pair(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                             const nonsens_options *options, bool single, nonsens_result *result);

/* Returns the rows per segment at which z, which grows as the root of rows, reaches `wanted`; NaN if z <= 0. */
double diagnose_rows_wanted(double rows, double z, double wanted);

#endif
