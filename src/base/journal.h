/*
 * journal.h - finished units of work, one JSON object per line of a file: read once, then found by (options, seed).
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

typedef struct journal {
    const char *path; /* the caller's */
    json_t *index;    /* "SEED OPTIONS" -> the line */
    bool torn;        /* the file ends inside a line */
} journal;

/* A file that is not there yet is an empty journal.  To be closed where it was opened. */
nonsens_status journal_open(nonsens_context *ctx, const char *path, journal *out);
void journal_close(journal *j);

/* The line, which stays the journal's, or NULL. */
json_t *journal_find(const journal *j, const char *options, int64_t seed);
/* Takes the line over, whatever happens (NULL: there was no memory for it); one caller at a time. */
nonsens_status journal_append(nonsens_context *ctx, journal *j, json_t *line);

#endif
