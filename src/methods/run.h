/*
 * run.h - what the three public runs share: the pair of variables, the clock, the result's last steps.
 */
#ifndef METHODS_RUN_H
#define METHODS_RUN_H

#include "data/dataset.h"
#include "methods/result.h"

/* Seconds on a clock that never goes back; only differences mean something. */
double run_seconds(void);

/*
 * The two variables that --x and --y name, or the only two there are.  *pair is `data` itself where it has just these
 * two in this order, else a data set that the caller frees through *owned (NULL where there is nothing to free).
 */
nonsens_status run_pair(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                        const nonsens_data **pair, nonsens_data **owned);

/* A note on the segments that an independence test left out, if there are any. */
nonsens_status run_note_skipped(nonsens_context *ctx, nonsens_result *result, int64_t skipped);

#endif
