/* explain.c - `nonsens explain`: ranks the disturbances that changed in a segment. */
#include "cli.h"

/* Runs `explain` without a graph in memory: the options say where it comes from. */
static nonsens_status explain(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              nonsens_result **out)
{
    return nonsens_run_explain(ctx, data, NULL, options, out);
}

int command_explain(const command *self, int count, char **words)
{
    return analyse(self, count, words, explain);
}
