/* reproduce.c - `nonsens reproduce`: figures of the paper, made again. */
#include "cli.h"

#include <string.h>

enum { MOST_FIGURES = 64, LIST_BYTES = 1024 };

/* The names of all figures, ended by NULL; how many there are. */
static size_t figure_names(const char *names[MOST_FIGURES])
{
    size_t count = 0;
    while (count < nonsens_figure_count() && count < MOST_FIGURES - 1) {
        names[count] = nonsens_figure_at(count)->name;
        count++;
    }
    names[count] = NULL;
    return count;
}

static void list_names(char list[LIST_BYTES])
{
    const char *names[MOST_FIGURES];
    size_t count = figure_names(names), used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < count && used < LIST_BYTES; i++) {
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
}

static bool is_figure(const char *word)
{
    for (size_t i = 0; i < nonsens_figure_count(); i++) {
        if (strcmp(nonsens_figure_at(i)->name, word) == 0) {
            return true;
        }
    }
    return false;
}

static int refuse_figure(const char *word)
{
    char list[LIST_BYTES];
    const char *names[MOST_FIGURES];
    list_names(list);
    figure_names(names);
    const char *near = nonsens_nearest(word, names);
    if (near) {
        return complain(EXIT_USAGE, "%s is not a figure; did you mean %s? There are: %s", show_word(word).text, near,
                        list);
    }
    return complain(EXIT_USAGE, "%s is not a figure; there are: %s", show_word(word).text, list);
}

/* All names are looked at before anything is run. */
static int check_figures(const arguments *args)
{
    char list[LIST_BYTES];
    if (args->word_count == 0) {
        list_names(list);
        return complain(EXIT_USAGE, "name a figure; there are: %s", list);
    }
    for (int i = 0; i < args->word_count; i++) {
        if (!is_figure(args->words[i])) {
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

/* Processes on one machine share its cores: each has one thread where nothing else is asked for. */
static int share_cores(const arguments *args)
{
    if (team_neighbours() < 2 || strcmp(value_of(args, "threads"), "0") != 0) {
        return EXIT_DONE;
    }
    nonsens_status status = nonsens_options_set(args->ctx, args->options, "threads", "1");
    return status == NONSENS_OK ? EXIT_DONE : complain_status(args->ctx, status);
}

/* The text is held back: if standard output broke under the library, all processes would take the run for failed. */
static int reproduce_one(const arguments *args, const char *figure, progress *line)
{
    colour text;
    nonsens_status status = nonsens_reproduce_crew(args->ctx, args->options, figure, colour_hold(&text), team_crew());
    progress_wipe(line);
    print_run_warning(args->ctx, args->quiet);
    colour_end(&text);
    int code =
        interrupt_seen() || status == NONSENS_CANCELLED ? complain_interrupted() : output_done(args->ctx, status, "-");
    int all = team_agree(code);
    return all == EXIT_INTERRUPTED && code == EXIT_DONE ? complain_interrupted() : all;
}

static int reproduce(const arguments *args)
{
    const nonsens_crew *crew = team_crew();
    int code = check_figures(args);
    progress line;
    interrupt_keeps("repetitions");
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet || (crew && crew->member > 0));
    code = team_agree(code == EXIT_DONE ? share_cores(args) : code);
    for (int i = 0; code == EXIT_DONE && i < args->word_count; i++) {
        code = reproduce_one(args, args->words[i], &line);
    }
    return code;
}

int command_reproduce(const command *self, int count, char **words)
{
    team_begin();
    return team_end(arguments_run(self, count, words, reproduce));
}
