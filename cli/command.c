/* command.c - finds commands by their names. */
#include "cli.h"

#include "base/nearest.h"

#include <string.h>

const command *command_find(const char *name)
{
    for (const command *c = command_table(); c->name; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

int refuse_command(const char *word)
{
    enum { MAX_COMMANDS = 63 };
    const char *names[MAX_COMMANDS + 1];
    size_t count = 0;
    for (const command *c = command_table(); c->name && count < MAX_COMMANDS; c++) {
        names[count++] = c->name;
    }
    names[count] = NULL;
    const char *near = nearest_word(word, names);
    if (near) {
        return complain(EXIT_USAGE, "%s is not a command; did you mean %s? `nonsens help` lists them",
                        show_word(word).text, near);
    }
    return complain(EXIT_USAGE, "%s is not a command; `nonsens help` lists them", show_word(word).text);
}
