/*
 * run.h - what the public runs share: runs a method on a pair or on all variables.
 */
#ifndef TASKS_RUN_H
#define TASKS_RUN_H

#include "methods/shared/method.h"

/* Runs nonsens_run_direction on a data set of just two variables; ignores --x and --y. */
nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result **out);

/*
 * Finds the graph of all variables for `explain` or `effect`, by the method and --knowledge in their options.  It is
 * the graph that nonsens_run_discover finds with all other options at their defaults.
 */
nonsens_status run_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         nonsens_result **out);

/* Fails if the method of run_graph cannot be run with these options. */
nonsens_status run_check_graph(nonsens_context *ctx, const nonsens_options *options);

/* Returns NONSENS_ERR_NUMERIC if the graph contradicts prior knowledge, in the user's order; k may be NULL. */
struct knowledge;
nonsens_status run_check_knowledge(nonsens_context *ctx, const nonsens_result *result, const struct knowledge *k);

#endif
