/* explain.c - `nonsens explain`: which disturbances changed in a segment. */
#include "cli.h"

int command_explain(const command *self, int count, char **words)
{
    return analyse(self, count, words, nonsens_run_explain);
}
