/*
 * team_launch.c - the program `nonsens`, which is not linked with MPI: if an MPI launcher started it, it becomes
 * nonsens-mpi, which is the same program linked with MPI.
 */
#include "team.h"

#include "cli.h"

const char *team_build_info(void)
{
    return "mpi: no\n";
}

int team_begin(char **words)
{
    if (launcher_processes() == 1) {
        return EXIT_DONE;
    }
    if (!launcher_connects()) {
        return launcher_refuse(LAUNCHER_APART);
    }
    become_other("nonsens-mpi", words);
    return launcher_refuse("nonsens-mpi, which lets them share the work, is not installed: nonsens was built "
                           "without MPI");
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
