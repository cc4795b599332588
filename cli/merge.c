/* merge.c - `nonsens merge`: joins the journals of parts of one run. */
#include "cli.h"

#include <string.h>

static int check_arguments(const arguments *args)
{
    if (args->word_count < 2) {
        return complain(EXIT_USAGE,
                        "merge takes the journal to write and those to join, but was given %d; `nonsens help merge` "
                        "explains",
                        args->word_count);
    }
    for (int i = 0; i < args->word_count; i++) {
        if (!args->words[i][0] || strcmp(args->words[i], "-") == 0) {
            return complain(EXIT_USAGE, "a journal cannot be standard input or output; give the path of a file");
        }
    }
    const output_file out[] = {{"the merged journal", args->words[0]}};
    int code = EXIT_DONE;
    for (int i = 1; code == EXIT_DONE && i < args->word_count; i++) {
        code = outputs_check(args->ctx, args->words[i], out, 1);
    }
    return code;
}

static int merge(const arguments *args)
{
    int code = check_arguments(args);
    if (code != EXIT_DONE) {
        return code;
    }
    interrupt_watch(args->ctx);
    nonsens_status status =
        nonsens_journal_merge(args->ctx, (const char *const *)args->words + 1, args->word_count - 1, args->words[0]);
    code = status == NONSENS_OK ? EXIT_DONE : complain_status(args->ctx, status);
    return unless_interrupted(args->ctx, code);
}

int command_merge(const command *self, int count, char **words)
{
    return arguments_run(self, count, words, merge);
}
