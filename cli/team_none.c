/* team_none.c - a build without MPI: this process is alone. */
#include "cli.h"

const char *team_build_info(void)
{
    return "mpi: no\n";
}

void team_begin(void)
{
}

const nonsens_crew *team_crew(void)
{
    return NULL;
}

int team_neighbours(void)
{
    return 1;
}

int team_agree(int code)
{
    return code;
}

int team_end(int code)
{
    return code;
}
