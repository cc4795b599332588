/*
 * journal_file.h - the file of a journal: locked while a run has it, appended to, read again.
 *
 * One run at a time has a journal: an advisory lock (flock) lies on the file while it is open.  The lock belongs to the
 * open file and not to the process, so that two threads of one process exclude each other too; it ends with the
 * process, however that ends, and leaves no file behind.  A child that the host forks meanwhile shares it until it
 * exits or executes another program.
 */
#ifndef POOL_JOURNAL_FILE_H
#define POOL_JOURNAL_FILE_H

#include "base/status.h"

#include <stdio.h>

/* Where a line lies in the file, without its end. */
typedef struct journal_place {
    int64_t offset, bytes;
} journal_place;

/* All zero: no file. */
typedef struct journal_file {
    const char *path; /* the caller's */
    int descriptor;   /* of the open file */
    bool open;        /* the descriptor is good */
    int unwritable;   /* why nothing can be appended, an error number; 0: it can */
} journal_file;

/*
 * Opens and locks the file; an error if another run has it.  A missing file is created if `create` is true, else *out
 * is not open.  A file that may only be read is opened without a lock: a journal that has all units needs no writing.
 */
nonsens_status journal_file_open(nonsens_context *ctx, const char *path, bool create, journal_file *out);
/* Closes the file, which ends the lock. */
void journal_file_close(journal_file *f);

/* A stream that reads the file from its beginning, for the caller to close; NULL without memory. */
FILE *journal_file_reader(const journal_file *f);
/* Reads one piece; false if it is not there or cannot be read. */
bool journal_file_load(const journal_file *f, journal_place place, char *bytes);

/* Appends the bytes.  *written says how many came that far in any case, *end where the file then ends. */
nonsens_status journal_file_append(nonsens_context *ctx, journal_file *f, const char *bytes, size_t length,
                                   size_t *written, int64_t *end);

/* Fails if another run has the journal; any other trouble with the file is left to whoever opens it. */
nonsens_status journal_file_check_free(nonsens_context *ctx, const char *path);

/* "cannot read the journal PATH: why". */
nonsens_status journal_file_fail(nonsens_context *ctx, const char *path, const char *what, const char *why);

#endif
