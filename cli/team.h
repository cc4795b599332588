/*
 * team.h - connects processes that an MPI launcher started as one run: team_mpi.c in programs that are linked with
 * MPI, team_launch.c in `nonsens`, which becomes such a program, and team_none.c in builds without MPI.
 */
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include <nonsens/nonsens.h>

/* Returns the line of `nonsens version` about MPI. */
const char *team_build_info(void);
/*
 * Connects the processes that were started together; all except the first then print nothing.  `words` are those of
 * main.  Returns EXIT_DONE, or the exit code of a complaint.
 */
int team_begin(char **words);
/* Returns the members of the team; NULL if this process is alone. */
const nonsens_members *team_members(void);
/* Returns how many of them run on this machine. */
int team_neighbours(void);
/* Returns the highest exit code of all processes, which must all call it at the same points. */
int team_agree(int code);
/* Leaves the team; returns the exit code, or that of all processes if they have not agreed on one yet. */
int team_end(int code);

/* ---- the launcher (launcher.c) ---- */

#define LAUNCHER_APART \
    "srun has not connected them; add --mpi=pmix, or another kind that this MPI knows (srun --mpi=list)"

/* Returns how many processes an MPI launcher started, with this one: 1 if there is no launcher, 0 if not known. */
int launcher_processes(void);
/* Returns whether the launcher gave them what MPI needs to connect them. */
int launcher_connects(void);
/* Returns whether this process prints the complaints of all processes. */
int launcher_is_first(void);
/* Complains that the launcher started several processes that cannot work together; returns the exit code. */
int launcher_refuse(const char *why);

#endif
