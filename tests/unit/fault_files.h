/*
 * fault_files.h - compares what the runs of fault_runs.h write with what an undisturbed run wrote.
 *
 * Seconds and checksums are not compared.  A journal may lack lines if a run failed, and threads may finish units in
 * any order; every line that it has must be one of the undisturbed run's.
 */
#ifndef UNIT_FAULT_FILES_H
#define UNIT_FAULT_FILES_H

#include "unit/fault_runs.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OUTPUTS = 16 };

static struct {
    int count;
    char *name[MAX_OUTPUTS], *text[MAX_OUTPUTS];
} whole; // what the undisturbed run wrote

static const char *const INPUT[] = {"pair.csv",   "three.csv", "truth.json",   "graph.csv",       "known.txt",
                                    "pairs.txt",  "kept.json", "kept.sources", "samples.journal", "pairs.journal",
                                    "values.npy", "table.tsv", "tetrad.txt",   "matrix.csv",      "found.json"};

/* ---- folders ---- */

/* Calls visit for every file below the folder whose path relative to it begins with the prefix. */
static void for_each_file(const char *below, const char *prefix, void (*visit)(const char *name, void *user),
                          void *user)
{
    char path[PATH_BYTES];
    DIR *here = opendir(path_of(path, below));
    assert_non_null(here);
    for (struct dirent *e = readdir(here); e; e = readdir(here)) {
        char name[PATH_BYTES];
        struct stat facts;
        assert_true(snprintf(name, PATH_BYTES, "%s%s%s", below, *below ? "/" : "", e->d_name) < PATH_BYTES);
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || strncmp(name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        assert_int_equal(stat(path_of(path, name), &facts), 0);
        if (S_ISDIR(facts.st_mode)) {
            for_each_file(name, prefix, visit, user);
        } else {
            visit(name, user);
        }
    }
    closedir(here);
}

static void remove_one(const char *name, void *user)
{
    char path[PATH_BYTES];
    (void)user;
    assert_int_equal(unlink(path_of(path, name)), 0);
}

static void remove_files(const char *prefix)
{
    char path[PATH_BYTES];
    for_each_file("", prefix, remove_one, NULL);
    rmdir(path_of(path, "out.figures"));
}

/* ---- texts ---- */

/* Cuts out the characters of this set that follow each `before`: what may differ between equal runs. */
static void scrub(char *text, const char *before, const char *characters)
{
    for (char *at = strstr(text, before); at; at = strstr(at, before)) {
        at += strlen(before);
        char *end = at + strspn(at, characters);
        memmove(at, end, strlen(end) + 1);
    }
}

/* Returns the text of a file; the caller frees it. */
static char *whole_text_of(const char *name)
{
    char path[PATH_BYTES];
    struct stat facts;
    FILE *file = fopen(path_of(path, name), "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &facts), 0);
    char *text = malloc((size_t)facts.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)facts.st_size, file), facts.st_size);
    text[facts.st_size] = '\0';
    fclose(file);
    return text;
}

/* Returns the text of a file without seconds, and without the checksums that depend on them. */
static char *text_of(const char *name)
{
    static const char number[] = " +-.0123456789e";
    char *text = whole_text_of(name);
    scrub(text, "\"seconds\":", number);
    scrub(text, "took ", number);
    scrub(text, "\"sum\":\"", "0123456789abcdef");
    return text;
}

static bool is_journal(const char *name)
{
    size_t length = strlen(name), end = strlen(".journal");
    return length >= end && strcmp(name + length - end, ".journal") == 0;
}

static bool is_line_of(const char *line, size_t length, const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        if (strcspn(text, "\n") == length && memcmp(text, line, length) == 0) {
            return text[length] == '\n';
        }
    }
    return false;
}

/* Returns whether the text consists of whole lines, all of them lines of the other text. */
static bool are_lines_of(const char *some, const char *text)
{
    while (*some) {
        size_t length = strcspn(some, "\n");
        if (some[length] != '\n' || !is_line_of(some, length, text)) {
            return false;
        }
        some += length + 1;
    }
    return true;
}

/* ---- the undisturbed run and others ---- */

static void keep_whole(const char *name, void *user)
{
    (void)user;
    assert_true(whole.count < MAX_OUTPUTS);
    whole.name[whole.count] = strdup(name);
    whole.text[whole.count++] = text_of(name);
}

static void forget_whole(void)
{
    while (whole.count > 0) {
        free(whole.name[--whole.count]);
        free(whole.text[whole.count]);
    }
}

/* What a run left in the folder; a file that differs from the undisturbed run's, or that this lacks, is an error. */
typedef struct seen {
    const char *run;
    bool finished;
    int files; // files that the undisturbed run has, too
} seen;

static void check_file(const char *name, void *user)
{
    seen *s = user;
    for (size_t k = 0; k < sizeof INPUT / sizeof *INPUT; k++) {
        if (strcmp(name, INPUT[k]) == 0) {
            return;
        }
    }
    for (int k = 0; k < whole.count; k++) {
        if (strcmp(name, whole.name[k]) == 0) {
            char *text = text_of(name);
            bool some = is_journal(name) && are_lines_of(text, whole.text[k]);
            bool same = some ? !s->finished || strlen(text) == strlen(whole.text[k]) : !strcmp(text, whole.text[k]);
            free(text);
            s->files++;
            if (!same) {
                fail_msg("%s: %s is not what an undisturbed run writes", s->run, name);
            }
            return;
        }
    }
    fail_msg("%s leaves %s behind", s->run, name);
}

/* `finished`: the run reported success, so nothing may be missing. */
static void check_files(const char *run, bool finished)
{
    seen s = {run, finished, 0};
    for_each_file("", "", check_file, &s);
    int wanted = whole.count;
    for (int k = 0; k < whole.count && undisturbed.used; k++) {
        wanted -= is_journal(whole.name[k]); // only writing was repeated
    }
    if (finished && s.files < wanted) {
        fail_msg("%s: %d of %d files are there", run, s.files, wanted);
    }
}

#endif
