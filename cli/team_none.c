/* team_none.c - a build without MPI: this process is alone. */
#include "team.h"

#include "cli.h"

const char *team_build_info(void)
{
    return "mpi: no\n";
}

int team_begin(char **words)
{
    (void)words;
    return launcher_processes() == 1 ? EXIT_DONE : launcher_refuse("nonsens was built without MPI");
}

const nonsens_members *team_members(void)
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
