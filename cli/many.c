/*
 * many.c - runs with one line for each of many units: `nonsens direction --pairs` and `nonsens explain --of all`.  They
 * have a journal, and write JSON lines and a table.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pairs_wanted(const arguments *args)
{
    return value_of(args, "pairs")[0] != '\0';
}

bool many_wanted(const arguments *args)
{
    return pairs_wanted(args) || strcmp(value_of(args, "of"), NONSENS_ALL_SEGMENTS) == 0;
}

bool many_meant(const arguments *args, const nonsens_data *data)
{
    return pairs_wanted(args) || nonsens_explains_all(data, args->options);
}

/* What was found: one of the two, the other is NULL. */
typedef struct many_found {
    nonsens_pairs *pairs;
    nonsens_explanations *segments;
} many_found;

static nonsens_status run_many(const arguments *args, const nonsens_data *data, const char *journal, many_found *found)
{
    return pairs_wanted(args)
               ? nonsens_run_pairs(args->ctx, data, args->options, journal, &found->pairs)
               : nonsens_run_explain_all(args->ctx, data, NULL, args->options, journal, &found->segments);
}

static nonsens_status save_json(const arguments *args, const many_found *found, const char *path)
{
    return found->pairs ? nonsens_pairs_write_json(args->ctx, found->pairs, path)
                        : nonsens_explanations_write_json(args->ctx, found->segments, path);
}

static nonsens_status save_text(const arguments *args, const many_found *found, const char *path)
{
    unsigned detail = args->verbose ? NONSENS_TEXT_ALL : 0;
    return found->pairs ? nonsens_pairs_write_text(args->ctx, found->pairs, detail, path)
                        : nonsens_explanations_write_text(args->ctx, found->segments, detail, path);
}

/* ---- the journal ---- */

/* The path of the journal, which the caller frees; NULL: there is no journal. */
typedef struct many_journal {
    char *path;
    bool named; /* --journal names it, so it is not removed */
} many_journal;

/* Returns the journal of --journal or, if --json FILE is a regular or new file, FILE.journal. */
static many_journal find_journal(const arguments *args)
{
    static const char ending[] = ".journal";
    const char *named = value_of(args, "journal"), *base = named[0] ? named : args->json;
    struct stat facts;
    many_journal found = {NULL, named[0] != '\0'};
    if (!base || (!found.named && (strcmp(base, "-") == 0 || (stat(base, &facts) == 0 && !S_ISREG(facts.st_mode))))) {
        return found;
    }
    size_t length = strlen(base);
    found.path = malloc(length + sizeof ending);
    if (found.path) {
        memcpy(found.path, base, length + 1);
        memcpy(found.path + length, found.named ? "" : ending, found.named ? 1 : sizeof ending);
    }
    return found;
}

/* Checks that no output is a file that is read. */
static int check_files(const arguments *args, const char *journal)
{
    static const char *const read[] = {"pairs", "graph", "knowledge"};
    const output_file out[] = {{"--json", args->json}, text_output(args), {"the journal", journal}};
    size_t count = sizeof out / sizeof *out;
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < sizeof read / sizeof *read; i++) {
        const char *path = value_of(args, read[i]);
        bool is_file = path[0] && (i > 0 || strcmp(path, "all") != 0);
        code = is_file ? outputs_check(args->ctx, path, out, count) : EXIT_DONE;
    }
    for (int i = 0; code == EXIT_DONE && i < args->word_count; i++) {
        code = outputs_check(args->ctx, args->words[i], out, count);
    }
    return code;
}

int many_check(const arguments *args)
{
    bool pairs = pairs_wanted(args);
    if (args->sources || (args->html && pairs)) { // --html of explain is checked when labels are known
        return complain(EXIT_USAGE, "--%s is for one pair; leave it out, or name the pair with --x A --y B",
                        args->sources ? "sources" : "html");
    }
    if (strcmp(value_of(args, "journal"), "-") == 0) {
        return complain(EXIT_USAGE, "--journal -: a journal cannot be standard output; give a path");
    }
    many_journal journal = find_journal(args);
    if (!journal.path && strcmp(value_of(args, "resume"), "true") == 0) {
        return complain(EXIT_USAGE,
                        "--resume needs the journal of a run that was stopped; give the same --json FILE or --journal "
                        "FILE");
    }
    interrupt_keeps(!journal.path ? NULL : pairs ? "pairs" : "segments");
    int code = check_files(args, journal.path);
    free(journal.path);
    return code;
}

/* ---- the run ---- */

/* Writes the lines, then removes a journal that was not named: the next run would only complain about it. */
static int write_json(const arguments *args, const many_found *found, const many_journal *journal)
{
    nonsens_status status = save_json(args, found, args->json);
    if (status == NONSENS_OK && journal->path && !journal->named) {
        interrupt_keeps(NULL);
        unlink(journal->path);
    }
    return output_done(args->ctx, status, args->json);
}

static int write_text(const arguments *args, const many_found *found)
{
    const char *path = text_path(args);
    colour c;
    if (!path) {
        return EXIT_DONE;
    }
    nonsens_status status = save_text(args, found, colour_begin(&c, path));
    colour_end(&c);
    return output_done(args->ctx, status, path);
}

static int write_many(const arguments *args, const many_found *found, const many_journal *journal)
{
    int json = args->json ? write_json(args, found, journal) : EXIT_DONE;
    int text = json == EXIT_INTERRUPTED ? json : write_text(args, found);
    return json == EXIT_DONE ? text : json;
}

int many_run(const arguments *args, const nonsens_data *data, progress *line)
{
    many_found found = {NULL, NULL};
    if (args->html) {
        return complain(EXIT_USAGE, "--html is for one segment; leave it out, or name the segment with --of SEGMENT");
    }
    many_journal journal = find_journal(args);
    nonsens_status status = run_many(args, data, journal.path, &found);
    progress_wipe(line);
    print_run_warning(args->ctx, args->quiet);
    int code = EXIT_DONE;
    if (status != NONSENS_OK || interrupt_seen()) {
        code = complain_run(args, status);
    } else {
        code = found.pairs || found.segments ? write_many(args, &found, &journal) : say_shard(args);
    }
    nonsens_pairs_free(found.pairs);
    nonsens_explanations_free(found.segments);
    free(journal.path);
    return code;
}
