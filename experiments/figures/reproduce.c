/*
 * reproduce.c - the program nonsens-reproduce, which reproduces figures of the paper.
 *
 * `nonsens reproduce` runs it with all its arguments, and asks it for what only this program knows: help, manual page,
 * shell completion, and the line of `nonsens version` about MPI.  Its messages and exit codes are those of `nonsens`,
 * whose source files it shares.
 */
#include "base/nearest.h"
#include "base/show.h"
#include "figures/figure.h"

#include "cli.h"
#include "team.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- names of figures ---- */

enum { MAX_FIGURES = 64, LIST_BYTES = 1024 };

static void list_names(char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; figure_at(i) && used < LIST_BYTES; i++) {
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", i > 0 ? ", " : "", figure_at(i)->study.name);
    }
}

static int refuse_figure(const char *word)
{
    char list[LIST_BYTES];
    const char *names[MAX_FIGURES + 1] = {NULL};
    for (size_t i = 0; figure_at(i) && i < MAX_FIGURES; i++) {
        names[i] = figure_at(i)->study.name;
    }
    const char *near = nearest_word(word, names);
    list_names(list);
    if (near) {
        return complain(EXIT_USAGE, "%s is not a figure; did you mean %s? There are: %s", show_word(word).text, near,
                        list);
    }
    return complain(EXIT_USAGE, "%s is not a figure; there are: %s", show_word(word).text, list);
}

/* Checks all names before any figure is run. */
static int check_figures(const arguments *args)
{
    char list[LIST_BYTES];
    if (args->word_count == 0) {
        list_names(list);
        return complain(EXIT_USAGE, "name a figure; there are: %s", list);
    }
    for (int i = 0; i < args->word_count; i++) {
        if (!figure_find(args->words[i])) {
            return refuse_figure(args->words[i]);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(args->words[i], args->words[k]) == 0) {
                return complain(EXIT_USAGE, "%s is named twice", args->words[i]);
            }
        }
    }
    return EXIT_DONE;
}

/* ---- the run ---- */

/* Processes on one machine share its cores: each gets one thread unless --threads is set. */
static void share_cores(const arguments *args)
{
    if (team_neighbours() > 1 && args->options->threads == 0) {
        args->options->threads = 1;
    }
}

/* Buffers the text: if standard output broke while the library writes, all processes would report a failed run. */
static int reproduce_one(const arguments *args, const char *name, progress *line)
{
    colour text;
    nonsens_status status =
        figure_reproduce(args->ctx, args->options, figure_find(name), colour_hold(&text), team_members());
    progress_wipe(line);
    print_run_warning(args->ctx, args->quiet);
    colour_end(&text);
    int code =
        interrupt_seen() || status == NONSENS_CANCELLED ? complain_interrupted() : output_done(args->ctx, status, "-");
    int all = team_agree(code);
    return all == EXIT_INTERRUPTED && code == EXIT_DONE ? complain_interrupted() : all;
}

static bool has_table(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s.csv", folder, name) < (int)sizeof path && access(path, F_OK) == 0;
}

/* Prints how to draw the figures that were not skipped. */
static void say_how_to_draw(const arguments *args)
{
    char folder[SHOWN_PATH_BYTES], names[LIST_BYTES] = "";
    size_t used = 0;
    for (int i = 0; i < args->word_count && used < LIST_BYTES; i++) {
        if (has_table(args->options->out, args->words[i])) {
            used += (size_t)snprintf(names + used, LIST_BYTES - used, " %s", args->words[i]);
        }
    }
    if (used > 0) {
        fprintf(stderr, "To draw pictures of these tables, run in the source folder: experiments/draw.py %s%s\n",
                show_path(folder, args->options->out), names);
    }
}

static int reproduce(const arguments *args)
{
    const pool_members *members = team_members();
    bool first = !members || members->member == 0;
    int code = check_figures(args);
    progress line;
    interrupt_keeps("repetitions");
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet || !first);
    share_cores(args);
    code = team_agree(code);
    for (int i = 0; code == EXIT_DONE && i < args->word_count; i++) {
        code = reproduce_one(args, args->words[i], &line);
    }
    if (code == EXIT_DONE && first && !args->quiet) {
        say_how_to_draw(args);
    }
    return code;
}

static int command_reproduce(const command *self, int count, char **words)
{
    int code = team_begin(words);
    return team_end(code == EXIT_DONE ? arguments_run(self, count, words, reproduce) : code);
}

/* ---- commands ---- */

static int command_mpi(const command *self, int count, char **words)
{
    (void)self, (void)count, (void)words;
    fputs(team_build_info(), stdout);
    return EXIT_DONE;
}

static bool describe_figure(size_t index, command_word *out)
{
    const figure *f = figure_at(index);
    if (f) {
        *out = (command_word){.name = f->study.name, .text = f->summary};
        snprintf(out->size, sizeof out->size, "%d cells of %d data sets", (int)f->study.cells, (int)f->study.reps);
    }
    return f != NULL;
}

static const command COMMANDS[] = {
    {.name = "reproduce",
     .bit = NONSENS_COMMAND_REPRODUCE,
     .synopsis = REPRODUCE_SYNOPSIS,
     .summary = REPRODUCE_SUMMARY,
     .text = "Runs the simulations behind figures of the paper (Monti, Zhang, Hyvarinen, UAI 2019) and writes for each "
             "FIGURE a table, FIGURE.csv; a short table goes to standard output. experiments/draw.py of the source "
             "draws pictures from the tables. Each finished repetition is kept in FIGURE.journal: a run that was "
             "stopped at any point goes on with --resume. If `nonsens version` names MPI, processes that mpirun "
             "starts share the repetitions, with the same result.",
     .run = command_reproduce,
     .word_title = "Figures",
     .word_at = describe_figure},
    {.name = "completion", .synopsis = "", .summary = "", .text = "", .run = command_completion},
    {.name = "version", .synopsis = "", .summary = "", .text = "", .run = command_mpi},
    {.name = "help", .synopsis = "", .summary = "", .text = "", .run = command_help},
    {.name = NULL},
};

const command *command_table(void)
{
    return COMMANDS;
}

int main(int count, char **words)
{
    const command *c = count > 1 ? command_find(words[1]) : NULL;
    streams_begin();
    bool asked = c && c != COMMANDS; // otherwise the arguments are those of `nonsens reproduce`
    return standard_output_end(asked ? c->run(c, count - 2, words + 2)
                                     : command_reproduce(COMMANDS, count > 1 ? count - 1 : 0, words + 1));
}
