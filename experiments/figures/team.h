/*
 * team.h - connects processes that mpirun has started as one run (team_mpi.c, or team_none.c in a build without MPI).
 */
#ifndef FIGURES_TEAM_H
#define FIGURES_TEAM_H

#include "pool/pool.h"

/* Returns the line of `nonsens version` about MPI. */
const char *team_build_info(void);
/* Joins the processes that were started together; all but the first then print nothing. */
void team_begin(void);
/* Returns the members of the team; NULL if this process is alone. */
const pool_members *team_members(void);
/* Returns how many of them run on this machine. */
int team_neighbours(void);
/* Returns the highest exit code of all processes, each of which must call it at the same points. */
int team_agree(int code);
/* Leaves the team; returns the exit code, which is that of all if the processes have not agreed on one yet. */
int team_end(int code);

#endif
