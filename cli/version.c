/* version.c - `nonsens version`: prints the version and how it was built. */
#include "cli.h"

int command_version(const command *self, int count, char **words)
{
    if (count > 0) {
        return complain(EXIT_USAGE, "%s takes no arguments, but was given %s", self->name, show_word(words[0]).text);
    }
    printf("nonsens %s\n%s", nonsens_version(), nonsens_build_info());
    become_program(command_find("reproduce"), "version", 0, NULL); // which knows about MPI
    puts("mpi: no, as nonsens-reproduce is not installed");
    return EXIT_DONE;
}
