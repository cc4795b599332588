/*
 * launcher.c - finds out whether an MPI launcher started this process, from the variables that launchers set: Open
 * MPI's mpirun, launchers that use PMI (MPICH's, Slurm's srun with --mpi=pmi2) or PMIx (srun with --mpi=pmix).
 *
 * NONSENS_MPI=no in the environment makes each process a run of its own, for scripts that mpirun or srun starts several
 * times with different files.
 */
#include "cli.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

static const char *first_of(const char *const *names)
{
    const char *value = NULL;
    for (size_t i = 0; names[i] && !value; i++) {
        value = getenv(names[i]);
    }
    return value;
}

/* Slurm counts the tasks of a step even if they are not connected. */
int launcher_processes(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    static const char *const ranks[] = {"PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    const char *wanted = getenv("NONSENS_MPI"), *size = first_of(sizes), *rank = first_of(ranks);
    if (wanted && strcmp(wanted, "no") == 0) {
        return 1;
    }
    if (!size && !rank) {
        return 1;
    }
    setenv("NO_COLOR", "1", 1); // standard output may be a terminal that the launcher made
    size = size ? size : getenv("SLURM_STEP_NUM_TASKS");
    return size ? atoi(size) : getenv("SLURM_PROCID") ? 1 : 0;
}

int launcher_connects(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE", NULL};
    return first_of(names) != NULL;
}

int launcher_is_first(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    const char *rank = first_of(ranks);
    return !rank || strcmp(rank, "0") == 0;
}

int launcher_refuse(const char *why)
{
    if (!launcher_is_first()) {
        return EXIT_USAGE;
    }
    char count[16] = "several";
    if (launcher_processes() > 0) {
        snprintf(count, sizeof count, "%d", launcher_processes());
    }
    return complain(EXIT_USAGE,
                    "a launcher started %s processes of this run, and %s; start one process. If each has files of its "
                    "own, set NONSENS_MPI=no in the environment",
                    count, why);
}
