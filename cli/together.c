/* together.c - lets the processes of a team (team.h) analyse one data set together. */
#include "cli.h"
#include "team.h"

#include <string.h>

bool is_helper(void)
{
    return team_members() && team_members()->member > 0;
}

static int check_input(const arguments *args)
{
    static const char *const read[] = {"graph", "knowledge", "targets", "pairs"};
    bool found = false;
    for (int i = 0; i < args->word_count; i++) {
        found = found || strcmp(args->words[i], "-") == 0;
    }
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        found = found || strcmp(value_of(args, read[i]), "-") == 0;
    }
    return found ? complain(EXIT_USAGE, "standard input reaches the first process only; give a file that all can read")
                 : EXIT_DONE;
}

/* Shares the cores of a machine among its processes: each has one thread unless --threads is set. */
static int share_cores(const arguments *args)
{
    if (team_neighbours() == 1 || strcmp(value_of(args, "threads"), "0") != 0) {
        return EXIT_DONE;
    }
    nonsens_status status = nonsens_options_set(args->ctx, args->options, "threads", "1");
    return status == NONSENS_OK ? EXIT_DONE : complain_status(args->ctx, status);
}

int together_begin(arguments *args, bool shares)
{
    const nonsens_members *members = team_members();
    if (!members) {
        return EXIT_DONE;
    }
    if (!shares) {
        if (!is_helper() && !args->quiet) {
            fprintf(stderr, "warning: this run does not share its work; one of its %d processes does all\n",
                    members->members);
        }
        return EXIT_DONE;
    }
    args->quiet = args->quiet || is_helper();
    nonsens_context_set_members(args->ctx, members);
    int code = check_input(args);
    return code == EXIT_DONE ? share_cores(args) : code;
}

int together_agree(int code)
{
    int all = team_agree(code);
    if (code == EXIT_DONE && all == EXIT_INTERRUPTED) {
        return complain_interrupted();
    }
    return code == EXIT_DONE && all != EXIT_DONE
               ? complain(all, "another process of this run failed; can all machines read the same files?")
               : all;
}
