/* ica.c - `nonsens ica`: separates all variables into independent sources. */
#include "cli.h"

int command_ica(const command *self, int count, char **words)
{
    return analyse(self, count, words, nonsens_run_ica);
}
