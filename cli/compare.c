/* compare.c - `nonsens compare`: compares an estimated graph with the true one. */
#include "cli.h"

#include <string.h>

static int check_arguments(const arguments *args)
{
    const char *name = args->command->name;
    if (args->word_count != 2) {
        return complain(EXIT_USAGE,
                        "%s takes two graphs, the estimated and the true one, but was given %d; `nonsens help "
                        "%s` explains",
                        name, args->word_count, name);
    }
    if (strcmp(args->words[0], "-") == 0 && strcmp(args->words[1], "-") == 0) {
        return complain(EXIT_USAGE, "only one of the graphs can be read from standard input");
    }
    const output_file out[] = {{"--json", args->json}, text_output(args)};
    for (int k = 0; k < 2; k++) {
        if (!args->words[k][0]) {
            return complain(EXIT_USAGE, "the name of a graph's file is empty; give a path, or - for standard input");
        }
        int code = outputs_check(args->ctx, args->words[k], out, sizeof out / sizeof *out);
        if (code != EXIT_DONE) {
            return code;
        }
    }
    return EXIT_DONE;
}

static int write_text(const arguments *args, const nonsens_comparison *comparison)
{
    const char *path = text_path(args);
    colour c;
    if (!path) {
        return EXIT_DONE;
    }
    nonsens_status status = nonsens_comparison_write_text(args->ctx, comparison, colour_begin(&c, path));
    colour_end(&c);
    return output_done(args->ctx, status, path);
}

static int write_comparison(const arguments *args, const nonsens_comparison *comparison)
{
    int json = EXIT_DONE;
    if (args->json) {
        json = output_done(args->ctx, nonsens_comparison_write_json(args->ctx, comparison, args->json), args->json);
    }
    int text = json == EXIT_INTERRUPTED ? json : write_text(args, comparison);
    return json == EXIT_DONE ? text : json;
}

static int compare(const arguments *args)
{
    nonsens_graph *estimate = NULL, *truth = NULL;
    nonsens_comparison *comparison = NULL;
    int code = check_arguments(args);
    if (code != EXIT_DONE) {
        return code;
    }
    interrupt_watch(args->ctx);
    nonsens_status status = nonsens_graph_read(args->ctx, args->words[0], NULL, &estimate);
    if (status == NONSENS_OK) {
        status = nonsens_graph_read(args->ctx, args->words[1], value_of(args, "truth-column"), &truth);
    }
    if (status == NONSENS_OK) {
        status = nonsens_comparison_new(args->ctx, estimate, truth, args->options, &comparison);
    }
    code = status == NONSENS_OK && !interrupt_seen() ? write_comparison(args, comparison)
                                                     : complain_status(args->ctx, status);
    nonsens_comparison_free(comparison);
    nonsens_graph_free(truth);
    nonsens_graph_free(estimate);
    return unless_interrupted(args->ctx, code);
}

int command_compare(const command *self, int count, char **words)
{
    return arguments_run(self, count, words, compare);
}
