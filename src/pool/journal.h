/*
 * journal.h - finished units of work, one JSON object per line of a file: read once, then found by (options, seed), or
 * handed to the caller line by line, who need not keep them in memory.
 *
 * A journal is one run's while it is open (pool/journal_file.h).  A line is written by a single append.  A line that
 * was cut short is passed over when the file is read, and what is appended then begins on a line of its own: a program
 * that is killed at any point loses the units it had not finished, and nothing else.  "options" stands for everything
 * that the unit depends on but its seed.
 *
 * The last member of a line is a checksum, "sum": 16 hexadecimal digits of FNV-1a (base/hash.h) over the bytes of the
 * line as they would be without it.  A line that does not match, or that has none behind one that has, was changed
 * after it was written: it is not used, and the context is left a warning that names it.  Version 0.1 wrote no
 * checksums, and its lines are believed.  Lines are handed out without their checksums.
 */
#ifndef POOL_JOURNAL_H
#define POOL_JOURNAL_H

#include "pool/journal_file.h"
#include "json/json.h"

enum { JOURNAL_CHANGED_SHOWN = 8 };

/* Sees every line, those that are read and those that are appended; the line is the journal's. */
typedef void journal_visit_fn(void *user, const json_value *line, journal_place place);

typedef struct journal {
    journal_file file;
    json_value *index; /* "SEED OPTIONS" -> the line; empty where there is a visitor */
    json_value *first; /* the first line that could be read, its head where it has one (journal_head.h); NULL: none */
    int64_t lines;     /* read so far */
    bool torn;         /* the file ends inside a line */
    bool has_sums;     /* a line with a checksum was read */
    bool lost_first;   /* a line was changed that stood before `first` */
    int64_t changed;   /* how many lines were changed */
    int64_t changed_line[JOURNAL_CHANGED_SHOWN]; /* the first of them, counted from 1 */
    journal_visit_fn *visit;
    void *user;
} journal;

/* Opens a journal for a run; a missing file is made.  The path must outlive it.  To be closed by the caller. */
nonsens_status journal_open(nonsens_context *ctx, const char *path, journal *out);
/* The same with a visitor, who alone sees the lines: none is kept in memory. */
nonsens_status journal_open_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out);
/* Opens a journal to look at it before a run: a missing file is an empty journal, and nothing can be appended. */
nonsens_status journal_look(nonsens_context *ctx, const char *path, journal *out);
void journal_close(journal *j);
/* The same, but the file stays open, and the journal the run's; the caller closes it. */
journal_file journal_close_lines(journal *j);

/*
 * Does the file begin with these bytes, or end before it has all of them?  Else it is not a journal that a killed run
 * has only begun but something else, which must stay as it is.
 */
bool journal_begins(const journal *j, const char *begin);

/* Reads a line again; the caller releases it. */
nonsens_status journal_load(nonsens_context *ctx, const journal_file *file, journal_place place, json_value **line);

/* The line, which stays the journal's, or NULL. */
json_value *journal_find(const journal *j, const char *options, int64_t seed);
/* Takes the line over, whatever happens (incomplete, or NULL: there was no memory for it); one caller at a time. */
nonsens_status journal_append(nonsens_context *ctx, journal *j, json_value *line);

#endif
