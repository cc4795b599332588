/* pairs.c - `nonsens direction --pairs`: decides on many pairs, with a journal, and writes the results. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pairs_wanted(const arguments *args)
{
    return value_of(args, "pairs")[0] != '\0';
}

/* Returns FILE.journal of --json FILE, for the caller to free; NULL if --json is missing or not a regular file. */
static char *journal_path(const arguments *args)
{
    static const char ending[] = ".journal";
    struct stat facts;
    if (!args->json || strcmp(args->json, "-") == 0 || (stat(args->json, &facts) == 0 && !S_ISREG(facts.st_mode))) {
        return NULL;
    }
    size_t length = strlen(args->json);
    char *path = malloc(length + sizeof ending);
    if (path) {
        memcpy(path, args->json, length);
        memcpy(path + length, ending, sizeof ending);
    }
    return path;
}

static int check_files(const arguments *args, const char *list, const char *journal)
{
    const output_file out[] = {{"--json", args->json}, text_output(args), {"the journal", journal}};
    size_t count = sizeof out / sizeof *out;
    int code = strcmp(list, "all") == 0 ? EXIT_DONE : outputs_check(args->ctx, list, out, count);
    for (int i = 0; code == EXIT_DONE && i < args->word_count; i++) {
        code = outputs_check(args->ctx, args->words[i], out, count);
    }
    return code;
}

int pairs_check(const arguments *args)
{
    if (args->sources) {
        return complain(EXIT_USAGE, "--sources is for one pair; leave it out, or name the pair with --x A --y B");
    }
    if (args->html) {
        return complain(EXIT_USAGE, "--html is for one pair; leave it out, or name the pair with --x A --y B");
    }
    char *journal = journal_path(args);
    if (!journal && strcmp(value_of(args, "resume"), "true") == 0) {
        return complain(EXIT_USAGE, "--resume needs the journal of a run that was stopped; give the same --json FILE");
    }
    interrupt_keeps(journal ? "pairs" : NULL);
    int code = check_files(args, value_of(args, "pairs"), journal);
    free(journal);
    return code;
}

/* Removes the journal once the lines are in their file: it would only be in the way of the next run. */
static int write_json(const arguments *args, const nonsens_pairs *pairs, const char *journal)
{
    nonsens_status status = nonsens_pairs_write_json(args->ctx, pairs, args->json);
    if (status == NONSENS_OK && journal) {
        interrupt_keeps(NULL);
        unlink(journal);
    }
    return output_done(args->ctx, status, args->json);
}

static int write_text(const arguments *args, const nonsens_pairs *pairs)
{
    const char *path = text_path(args);
    colour c;
    if (!path) {
        return EXIT_DONE;
    }
    nonsens_status status = nonsens_pairs_write_text(args->ctx, pairs, colour_begin(&c, path));
    colour_end(&c);
    return output_done(args->ctx, status, path);
}

static int write_pairs(const arguments *args, const nonsens_pairs *pairs, const char *journal)
{
    int json = args->json ? write_json(args, pairs, journal) : EXIT_DONE;
    int text = json == EXIT_INTERRUPTED ? json : write_text(args, pairs);
    return json == EXIT_DONE ? text : json;
}

int pairs_run(const arguments *args, const nonsens_data *data, progress *line)
{
    nonsens_pairs *pairs = NULL;
    char *journal = journal_path(args);
    nonsens_status status = nonsens_run_pairs(args->ctx, data, args->options, journal, &pairs);
    progress_wipe(line);
    print_run_warning(args->ctx, args->quiet);
    int code =
        status == NONSENS_OK && !interrupt_seen() ? write_pairs(args, pairs, journal) : complain_run(args, status);
    nonsens_pairs_free(pairs);
    free(journal);
    return code;
}
