/* discover.c - `nonsens discover`: finds a graph of all variables. */
#include "cli.h"

int command_discover(const command *self, int count, char **words)
{
    return analyse(self, count, words, nonsens_run_discover);
}
