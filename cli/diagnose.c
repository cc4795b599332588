/* diagnose.c - `nonsens diagnose`: reports what the data can and cannot support. */
#include "cli.h"

int command_diagnose(const command *self, int count, char **words)
{
    return analyse(self, count, words, nonsens_run_diagnose);
}
