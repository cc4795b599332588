/*
 * team_mpi.c - connects processes that an MPI launcher started as one run.
 *
 * MPI starts only if the launcher's variables are set, so other runs do not pay for it.  Only the calling thread uses
 * it.  Its errors end all processes (MPI_ERRORS_ARE_FATAL, the default), and so does the death of any process.
 */
#include "team.h"

#include "cli.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A message that was received. */
typedef struct letter {
    struct letter *next;
    int from, tag;
    char text[]; /* ends with a zero byte */
} letter;

static struct {
    bool begun, agreed;
    int neighbours;         /* processes on this machine, including this one */
    letter *open;           /* the last one that was passed to the caller */
    letter *first, **after; /* queue of those that came while another was being sent, and its end */
    nonsens_members members;
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

/* Receives a message if one has arrived, else returns NULL.  Errors of MPI and lack of memory end all processes. */
static letter *take_letter(void)
{
    MPI_Status envelope;
    int pending = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pending, &envelope);
    if (!pending) {
        return NULL;
    }
    MPI_Get_count(&envelope, MPI_CHAR, &length);
    letter *l = malloc(sizeof *l + (size_t)length + 1);
    if (!l) {
        MPI_Abort(MPI_COMM_WORLD, complain(EXIT_FAILED, "out of memory")); // does not return
        return NULL;
    }
    *l = (letter){.from = envelope.MPI_SOURCE, .tag = envelope.MPI_TAG};
    MPI_Recv(l->text, length, MPI_CHAR, l->from, l->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    l->text[length] = '\0';
    return l;
}

/*
 * Sends a message, and receives others meanwhile: a long message is not sent before its receiver takes it, so two
 * processes that send to one another would otherwise wait forever.
 */
static int send_text(void *user, int to, int tag, const char *text)
{
    MPI_Request request;
    int sent = 0;
    (void)user;
    MPI_Isend(text, (int)strlen(text), MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &sent, MPI_STATUS_IGNORE); !sent; MPI_Test(&request, &sent, MPI_STATUS_IGNORE)) {
        letter *l = take_letter();
        if (l) {
            *team.after = l;
            team.after = &l->next;
        } else {
            sched_yield();
        }
    }
    return 0;
}

static int receive_text(void *user, int *from, int *tag, const char **text)
{
    (void)user;
    free(team.open);
    letter *l = team.open = team.first ? team.first : take_letter();
    if (l && l == team.first) {
        team.first = l->next;
        team.after = team.first ? team.after : &team.first;
    }
    *text = l ? l->text : NULL;
    if (l) {
        *from = l->from;
        *tag = l->tag;
    }
    return 0;
}

/* ---- beginning and end ---- */

static void count_neighbours(void)
{
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &team.neighbours);
    MPI_Comm_free(&machine);
}

/* Checks that MPI sees all processes: without that, as with srun without --mpi, each would be alone in its run. */
static int check_size(void)
{
    int started = launcher_processes();
    return started == 0 || started == team.members.members
               ? EXIT_DONE
               : launcher_refuse("MPI cannot connect them: start them with mpirun, or with srun --mpi=pmix or "
                                 "--mpi=pmi2, whichever this MPI knows");
}

int team_begin(char **words)
{
    int level;
    (void)words;
    if (launcher_processes() == 1) {
        return EXIT_DONE;
    }
    if (!launcher_connects()) {
        return launcher_refuse(LAUNCHER_APART);
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    team.begun = true;
    team.after = &team.first;
    team.members = (nonsens_members){.send = send_text, .receive = receive_text};
    MPI_Comm_rank(MPI_COMM_WORLD, &team.members.member);
    MPI_Comm_size(MPI_COMM_WORLD, &team.members.members);
    count_neighbours();
    if (team.members.member > 0) {
        be_silent();
    }
    return check_size();
}

const nonsens_members *team_members(void)
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
        code = team.agreed ? code : team_agree(code); // a process that ends early must still take part once
        free(team.open);
        MPI_Finalize();
    }
    return code;
}
