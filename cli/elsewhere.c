/* elsewhere.c - runs commands that are separate programs: `nonsens reproduce` is the program nonsens-reproduce. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 64 };

static void program_name(const command *c, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "nonsens-%s", c->name);
}

/* Writes the path of a file with this name in the folder of the running program; false if that folder is unknown. */
static bool path_beside(const char *name, char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    size_t room = slash ? (size_t)(path + PATH_MAX - slash - 1) : 0;
    return slash && (size_t)snprintf(slash + 1, room, "%s", name) < room;
}

/* Becomes the program with this name in the folder of this one, or on PATH; returns only if it cannot be run. */
static void execute(const char *name, char *const *words)
{
    char path[PATH_MAX];
    fflush(stdout);
    if (path_beside(name, path)) {
        execv(path, words);
    }
    execvp(name, words);
}

void become_program(const command *c, const char *first, int count, char **words)
{
    char name[NAME_BYTES];
    const char **all = calloc((size_t)count + 3, sizeof *all); // the name, the first word, the others, NULL
    size_t used = 0;
    if (!all) {
        return;
    }
    program_name(c, name);
    all[used++] = name;
    if (first) {
        all[used++] = first;
    }
    for (int i = 0; i < count; i++) {
        all[used++] = words[i];
    }
    execute(name, (char *const *)(uintptr_t)all);
    free(all);
}

void become_other(const char *name, char **words)
{
    execute(name, words);
}

int run_elsewhere(const command *c, const char *first, int count, char **words)
{
    char name[NAME_BYTES];
    become_program(c, first, count, words);
    int error = errno;
    program_name(c, name);
    return complain(EXIT_FAILED, "cannot run the program %s: %s; install it in the folder of nonsens, or on PATH", name,
                    strerror(error));
}

int command_elsewhere(const command *self, int count, char **words)
{
    return run_elsewhere(self, NULL, count, words);
}
