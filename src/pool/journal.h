/*
 * journal.h - keeps finished units of work, one JSON object per line of a file.  Lines are read once, then found by
 * (options, seed), or passed one by one to a visitor, which need not keep them in memory.
 *
 * One run owns a journal while it is open (pool/journal_file.h).  A line is written by a single append.  A line that
 * was cut short is ignored when the file is read, and the next append begins on a new line.  So a program that is
 * killed at any point loses only the units that it had not finished.  "options" stands for everything that a unit
 * depends on except its seed.
 *
 * The last member of a line is a checksum, "sum": 16 hexadecimal digits of FNV-1a (base/hash.h) over the bytes of the
 * line as they would be without it.  A line whose checksum does not match was changed after it was written, and so was
 * a line without a checksum after a line with one.  Such a line is not used, and the context gets a warning that names
 * it.  Version 0.1 wrote no checksums; its lines are trusted.  Lines are returned without their checksums.
 */
#ifndef POOL_JOURNAL_H
#define POOL_JOURNAL_H

#include "pool/journal_file.h"
#include "json/json.h"

enum { JOURNAL_CHANGED_SHOWN = 8 };

/* Called for every line that is read or appended; the journal owns the line. */
typedef void journal_visit_fn(void *user, const json_value *line, journal_place place);

typedef struct journal {
    journal_file file;
    json_value *index; /* "SEED OPTIONS" -> the line; empty if there is a visitor */
    json_value *first; /* the first readable line, which is the head if there is one (journal_head.h); or NULL */
    int64_t lines;     /* number of lines read so far */
    bool torn;         /* the file ends inside a line */
    bool has_sums;     /* a line with a checksum was read */
    bool lost_first;   /* a line before `first` was changed */
    int64_t changed;   /* number of lines that were changed */
    int64_t changed_line[JOURNAL_CHANGED_SHOWN]; /* the first of them, counted from 1 */
    journal_visit_fn *visit;
    void *user;
} journal;

/* Opens a journal for a run; creates a missing file.  The path must outlive the journal.  The caller closes it. */
nonsens_status journal_open(nonsens_context *ctx, const char *path, journal *out);
/* Opens a journal with a visitor, which gets the lines; the journal keeps none in memory except the first. */
nonsens_status journal_open_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out);
/* Opens a journal to check it before a run: a missing file is an empty journal, and nothing can be appended. */
nonsens_status journal_look(nonsens_context *ctx, const char *path, journal *out);
/* Does the same with a visitor. */
nonsens_status journal_look_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out);
/* Returns the line as text with checksum, without line break; NULL if memory runs out.  The caller releases it. */
char *journal_print(const json_value *line, size_t *length);
/* Closes a journal and its file. */
void journal_close(journal *j);
/* Closes a journal but leaves its file open and locked; the caller closes the file. */
journal_file journal_close_lines(journal *j);

/*
 * Returns whether the file begins with these bytes, or with some of them and ends there.  If not, it is no journal that
 * a killed run had just begun but another file, which must not be changed.
 */
bool journal_begins(const journal *j, const char *begin);

/* Reads a line again; the caller releases it. */
nonsens_status journal_load(nonsens_context *ctx, const journal_file *file, journal_place place, json_value **line);

/* Finds a line, which the journal owns; NULL if there is no such line. */
json_value *journal_find(const journal *j, const char *options, int64_t seed);
/*
 * Appends the line and takes ownership of it, even after a failure or if it is incomplete or NULL (out of memory); one
 * caller at a time.
 */
nonsens_status journal_append(nonsens_context *ctx, journal *j, json_value *line);

#endif
