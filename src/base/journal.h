/*
 * journal.h - finished units of work, one JSON object per line of a file: read once, then found by (options, seed), or
 * handed to the caller line by line, who need not keep them in memory.
 *
 * A line is written by a single append, so that several programs may write to one file.  A line that was cut short is
 * passed over when the file is read, and what is appended then begins on a line of its own: a program that is killed at
 * any point loses the units it had not finished, and nothing else.  "options" stands for everything that the unit
 * depends on but its seed.
 */
#ifndef BASE_JOURNAL_H
#define BASE_JOURNAL_H

#include "base/status.h"

#include <jansson.h>

/* Where a line lies in the file, without its end. */
typedef struct journal_place {
    int64_t offset, bytes;
} journal_place;

/* Sees every line, those that are read and those that are appended; the line is the journal's. */
typedef void journal_visit_fn(void *user, const json_t *line, journal_place place);

typedef struct journal {
    const char *path; /* the caller's */
    json_t *index;    /* "SEED OPTIONS" -> the line; empty where there is a visitor */
    json_t *first;    /* the first line that could be read, its head where it has one (journal_head.h); NULL: none */
    bool torn;        /* the file ends inside a line */
    journal_visit_fn *visit;
    void *user;
} journal;

/* A file that is not there yet is an empty journal.  To be closed where it was opened. */
nonsens_status journal_open(nonsens_context *ctx, const char *path, journal *out);
/* The same with a visitor, who alone sees the lines: none is kept in memory. */
nonsens_status journal_open_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out);
void journal_close(journal *j);

/*
 * Does the file begin with these bytes, or end before it has all of them?  Else it is not a journal that a killed run
 * has only begun but something else, which must stay as it is.
 */
bool journal_begins(const char *path, const char *begin);

/* Reads a line again; the caller releases it. */
nonsens_status journal_load(nonsens_context *ctx, const char *path, journal_place place, json_t **line);

/* The line, which stays the journal's, or NULL. */
json_t *journal_find(const journal *j, const char *options, int64_t seed);
/* Takes the line over, whatever happens (NULL: there was no memory for it); one caller at a time. */
nonsens_status journal_append(nonsens_context *ctx, journal *j, json_t *line);

#endif
