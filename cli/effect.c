/* effect.c - `nonsens effect`: what would happen if variables were set or changed. */
#include "cli.h"

/* Runs `effect` without a graph in memory: the options say where it comes from. */
static nonsens_status effect(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                             nonsens_result **out)
{
    return nonsens_run_effect(ctx, data, NULL, options, out);
}

int command_effect(const command *self, int count, char **words)
{
    return analyse(self, count, words, effect);
}
