/*
 * team.h - several processes that mpirun has started as one run (team_mpi.c, or team_none.c in a build without MPI).
 */
#ifndef FIGURES_TEAM_H
#define FIGURES_TEAM_H

#include "pool/pool.h"

/* A line of `nonsens version`. */
const char *team_build_info(void);
/* Joins the processes that were started together; all but the first then say nothing. */
void team_begin(void);
/* NULL if this process is alone. */
const pool_members *team_members(void);
/* How many of them run on this machine. */
int team_neighbours(void);
/* The highest exit code of all: every process asks at the same places. */
int team_agree(int code);
/* Leaves; the exit code, which is that of all if the processes have not agreed on one yet. */
int team_end(int code);

#endif
