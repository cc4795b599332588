/*
 * team_mpi.c - connects processes that an MPI launcher has started as one run.
 *
 * MPI starts only if the launcher's variables are set: a plain start costs nothing.  Only the calling thread uses it.
 * Its errors end all processes (MPI_ERRORS_ARE_FATAL, the default), and so does the death of one.
 */
#include "figures/team.h"

#include "cli.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool begun, agreed;
    int neighbours; /* processes on this machine, with this one */
    char *text;     /* the last message */
    size_t bytes;
    pool_members members;
} team;

const char *team_build_info(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING + 16];
    int length = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Get_library_version(version, &length); // may be called before MPI starts
    version[strcspn(version, ",\n")] = '\0';
    snprintf(text, sizeof text, "mpi: %s\n", version);
    return text;
}

/* ---- messages ---- */

static int send_text(void *user, int to, int tag, const char *text)
{
    (void)user;
    return MPI_Send(text, (int)strlen(text), MPI_CHAR, to, tag, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int receive_text(void *user, int *from, int *tag, const char **text)
{
    (void)user;
    MPI_Status envelope;
    int pending = 0, length = 0;
    *text = NULL;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pending, &envelope) != MPI_SUCCESS || !pending) {
        return pending != 0;
    }
    MPI_Get_count(&envelope, MPI_CHAR, &length);
    if ((size_t)length + 1 > team.bytes) {
        char *grown = realloc(team.text, (size_t)length + 1);
        if (!grown) {
            MPI_Abort(MPI_COMM_WORLD, complain(EXIT_FAILED, "out of memory")); // does not return
            return 1;
        }
        team.text = grown;
        team.bytes = (size_t)length + 1;
    }
    *from = envelope.MPI_SOURCE;
    *tag = envelope.MPI_TAG;
    MPI_Recv(team.text, length, MPI_CHAR, *from, *tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    team.text[length] = '\0';
    *text = team.text;
    return 0;
}

/* ---- beginning and end ---- */

static bool launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i])) {
            return true;
        }
    }
    return false;
}

static void count_neighbours(void)
{
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &team.neighbours);
    MPI_Comm_free(&machine);
}

void team_begin(void)
{
    int level;
    if (!launched()) {
        return;
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    team.begun = true;
    team.members = (pool_members){.send = send_text, .receive = receive_text};
    MPI_Comm_rank(MPI_COMM_WORLD, &team.members.member);
    MPI_Comm_size(MPI_COMM_WORLD, &team.members.members);
    count_neighbours();
    if (team.members.member > 0) {
        be_silent();
    }
}

const pool_members *team_members(void)
{
    return team.begun && team.members.members > 1 ? &team.members : NULL;
}

int team_neighbours(void)
{
    return team.begun ? team.neighbours : 1;
}

int team_agree(int code)
{
    if (team.begun) {
        team.agreed = true;
        MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    return code;
}

int team_end(int code)
{
    if (team.begun) {
        code = team.agreed ? code : team_agree(code); // a process that ended early still takes part once
        free(team.text);
        MPI_Finalize();
    }
    return code;
}
