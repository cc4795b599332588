/* report.c - `nonsens report`: makes a page from a result that was written as JSON. */
#include "cli.h"

#include <string.h>

static int check_arguments(const arguments *args)
{
    const output_file out[] = {{"-o", args->output}};
    if (args->word_count != 1) {
        return complain(EXIT_USAGE,
                        "report takes one result, a file that --json wrote, but was given %d; `nonsens help "
                        "report` explains",
                        args->word_count);
    }
    if (!args->words[0][0]) {
        return complain(EXIT_USAGE, "the name of the result's file is empty; give a path, or - for standard input");
    }
    if (!args->output) {
        return complain(EXIT_USAGE, "report needs -o FILE, the page to write, or -o - for standard output");
    }
    int code = outputs_check(args->ctx, args->words[0], out, 1);
    for (int i = 0; code == EXIT_DONE && i < args->data_count; i++) {
        if (strcmp(args->words[0], "-") == 0 && strcmp(args->data[i], "-") == 0) {
            return complain(EXIT_USAGE, "result and data cannot both be read from standard input");
        }
        code = outputs_check(args->ctx, args->data[i], out, 1);
    }
    return code == EXIT_DONE && args->sources ? outputs_check(args->ctx, args->sources, out, 1) : code;
}

static int report(const arguments *args)
{
    int other = 0, code = check_arguments(args);
    if (code != EXIT_DONE) {
        return code;
    }
    progress line;
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet);
    nonsens_status status = nonsens_report_write_html(args->ctx, args->words[0], (const char *const *)args->data,
                                                      args->data_count, args->sources, args->output, &other);
    progress_wipe(&line);
    code = interrupt_seen() ? complain_status(args->ctx, status) : output_done(args->ctx, status, args->output);
    if (code == EXIT_DONE && other && !args->quiet) {
        fprintf(stderr, "warning: --data are not the data of this result (data_hash differs); the page says so\n");
    }
    return code;
}

int command_report(const command *self, int count, char **words)
{
    return arguments_run(self, count, words, report);
}
