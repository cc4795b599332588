/* direction.c - `nonsens direction`: decides which of two variables causes the other. */
#include "cli.h"

int command_direction(const command *self, int count, char **words)
{
    return analyse(self, count, words, nonsens_run_direction);
}
