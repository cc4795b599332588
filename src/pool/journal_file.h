/*
 * journal_file.h - the file of a journal: locks it for a run, appends to it, and reads it again.
 *
 * Only one run at a time has a journal: while the file is open, it has an advisory lock (flock).  The lock belongs to
 * the open file and not to the process, so two threads of one process also exclude each other.  It ends with the
 * process, however that ends, and leaves no file behind.  A child that the host forks meanwhile shares the lock until
 * it exits or executes another program.
 */
#ifndef POOL_JOURNAL_FILE_H
#define POOL_JOURNAL_FILE_H

#include "base/status.h"

#include <stdio.h>

/* The position of a line in the file, without its line break. */
typedef struct journal_place {
    int64_t offset, bytes;
} journal_place;

/* All zero: no file. */
typedef struct journal_file {
    const char *path; /* not owned */
    int descriptor;   /* of the open file */
    bool open;        /* the descriptor is valid */
    int unwritable;   /* why the file cannot be written, as an error number; 0: it can */
} journal_file;

/*
 * Opens and locks the file; fails if another run has it.  A missing file is created if `create` is true, else *out is
 * not open.  A file that can only be read is opened without a lock: a run needs no more if the journal has all units.
 */
nonsens_status journal_file_open(nonsens_context *ctx, const char *path, bool create, journal_file *out);
/* Closes the file, which ends the lock. */
void journal_file_close(journal_file *f);

/* Returns a stream that reads the file from its beginning, or NULL and sets errno.  The caller closes it. */
FILE *journal_file_reader(const journal_file *f);
/* Reads the bytes at `place`; false if the file is too short or cannot be read. */
bool journal_file_load(const journal_file *f, journal_place place, char *bytes);

/* Appends the bytes.  *written: how many were written, even after a failure; *end: the end of the file afterwards. */
nonsens_status journal_file_append(nonsens_context *ctx, journal_file *f, const char *bytes, size_t length,
                                   size_t *written, int64_t *end);

/* Fails if another run has the journal; other problems with the file are left to the function that opens it. */
nonsens_status journal_file_check_free(nonsens_context *ctx, const char *path);

/* Fails with "cannot read the journal PATH: why", `what` being "read". */
nonsens_status journal_file_fail(nonsens_context *ctx, const char *path, const char *what, const char *why);

#endif
