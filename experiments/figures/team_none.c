/* team_none.c - a build without MPI: this process is alone. */
#include "figures/team.h"

const char *team_build_info(void)
{
    return "mpi: no\n";
}

void team_begin(void)
{
}

const pool_members *team_members(void)
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
