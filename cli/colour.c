/*
 * colour.c - makes headings and decisions stand out on a terminal.
 *
 * The library writes plain text.  If standard output is a terminal, the text is first written to a file in memory; its
 * lines are then shown, some of them in colour.  NO_COLOR (no-color.org) and TERM=dumb switch colours off.  A text may
 * also be kept and shown without colours, so that the library never writes to a broken standard output.
 */
#define _GNU_SOURCE // memfd_create; NOLINT(bugprone-reserved-identifier): the system's name
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define GREEN "\033[1;32m"
#define YELLOW "\033[1;33m"
#define PLAIN "\033[0m"

static bool is_wanted(void)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *colour_hold(colour *c)
{
    *c = (colour){.plain = true};
    int file = memfd_create("text", MFD_CLOEXEC);
    c->text = file >= 0 ? fdopen(file, "w+") : NULL;
    if (!c->text) {
        return "-";
    }
    snprintf(c->path, sizeof c->path, "/dev/fd/%d", fileno(c->text));
    return c->path;
}

const char *colour_begin(colour *c, const char *path)
{
    *c = (colour){.text = NULL};
    if (!path || strcmp(path, "-") != 0 || !is_wanted()) {
        return path;
    }
    path = colour_hold(c);
    c->plain = false;
    return path;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Returns the style of a line.  A heading is not indented and is between an empty and an indented line. */
static const char *style_of(const char *line, const char *before, const char *after)
{
    if (begins(line, "decision: ")) {
        return strstr(line, "->") ? GREEN : YELLOW;
    }
    bool heading = line[0] != ' ' && line[0] != '\n' && before[0] == '\n' && after[0] == ' ';
    return heading ? BOLD : NULL;
}

static void show(const char *line, const char *style)
{
    size_t length = strcspn(line, "\n");
    if (style) {
        printf("%s%.*s" PLAIN "%s", style, (int)length, line, line + length);
    } else {
        fputs(line, stdout);
    }
}

void colour_end(colour *c)
{
    enum { LINES = 3 };
    char *line[LINES] = {NULL, NULL, NULL}; // the line before, the line to be shown, the line after
    size_t bytes[LINES] = {0, 0, 0};
    if (!c->text) {
        return;
    }
    rewind(c->text);
    bool has_line = getline(&line[1], &bytes[1], c->text) > 0;
    while (has_line) {
        bool more = getline(&line[2], &bytes[2], c->text) > 0;
        show(line[1], c->plain ? NULL : style_of(line[1], line[0] ? line[0] : "", more ? line[2] : ""));
        char *first = line[0];
        size_t first_bytes = bytes[0];
        memmove(line, line + 1, (LINES - 1) * sizeof *line);
        memmove(bytes, bytes + 1, (LINES - 1) * sizeof *bytes);
        line[LINES - 1] = first;
        bytes[LINES - 1] = first_bytes;
        has_line = more;
    }
    for (int i = 0; i < LINES; i++) {
        free(line[i]);
    }
    standard_output_flush();
    fclose(c->text);
    c->text = NULL;
}
