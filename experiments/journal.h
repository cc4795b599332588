/*
 * journal.h - finished units of work, one JSON object per line of a file: read once, then found by (options, seed).
 *
 * A line is written by a single append, so that several programs may write to one file, and one that was cut short is
 * passed over when the file is read.  "options" stands for everything that the unit depends on but its seed.
 */
#ifndef EXPERIMENTS_JOURNAL_H
#define EXPERIMENTS_JOURNAL_H

#include <jansson.h>
#include <stdint.h>

typedef struct journal {
    const char *path;
    json_t *index; /* "OPTIONS SEED" -> the line */
} journal;

/* A file that is not there yet is an empty journal. */
journal journal_open(const char *path);
void journal_close(journal *j);

/* The line, which stays the journal's, or NULL. */
json_t *journal_find(const journal *j, const char *options, int64_t seed);
/* Takes the line over; one caller at a time.  Ends the program where it cannot be written. */
void journal_append(journal *j, json_t *line);

#endif
