/* methods.c - `nonsens methods`: lists the methods, one line each, name first. */
#include "cli.h"

int command_methods(const command *self, int count, char **words)
{
    if (count > 0) {
        return complain(EXIT_USAGE, "%s takes no arguments, but was given %s", self->name, show_word(words[0]).text);
    }
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *m = nonsens_method_at(i);
        printf("%-12s %-10s%-9s %s (%s)\n", m->name, m->commands & NONSENS_COMMAND_DIRECTION ? "direction" : "",
               m->commands & NONSENS_COMMAND_DISCOVER ? "discover" : "", m->summary, m->citation);
    }
    return EXIT_DONE;
}
