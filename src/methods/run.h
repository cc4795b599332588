/*
 * run.h - what the public runs share: the clock, a note.
 */
#ifndef METHODS_RUN_H
#define METHODS_RUN_H

#include "methods/method.h"

/* Seconds on a clock that never goes back; only differences mean something. */
double run_seconds(void);

/* The method that the options name, if their command can run it. */
nonsens_status run_pick_method(nonsens_context *ctx, const nonsens_options *options, const method **out);

/* nonsens_direction on a data set of just two variables, without looking at --x and --y. */
nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result **out);

/*
 * The graph of all variables by the method that the options of `explain` name, with their --knowledge, as
 * nonsens_discover finds it where all else is at its default.
 */
nonsens_status run_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         nonsens_result **out);

/* A note on the segments that an independence test left out, if there are any. */
nonsens_status run_note_skipped(nonsens_context *ctx, nonsens_result *result, int64_t skipped, int64_t least_rows);

/* An error (NONSENS_ERR_NUMERIC) unless the graph keeps to what is known, in the user's order; k may be NULL. */
struct knowledge;
nonsens_status run_check_knowledge(nonsens_context *ctx, const nonsens_result *result, const struct knowledge *k);

#endif
