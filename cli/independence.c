/* independence.c - `nonsens independence`: tests whether two variables are independent. */
#include "cli.h"

int command_independence(const command *self, int count, char **words)
{
    return analyse(self, count, words, nonsens_run_independence);
}
