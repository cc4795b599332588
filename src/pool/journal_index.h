/*
 * journal_index.h - a journal whose lines are large: memory keeps where they are, and a line is read when it is asked
 * for.
 */
#ifndef POOL_JOURNAL_INDEX_H
#define POOL_JOURNAL_INDEX_H

#include "pool/journal.h"

typedef struct journal_index {
    journal lines;
    json_value *places; /* "SEED OPTIONS" -> [offset, bytes] */
    bool lacks_memory;  /* a place could not be kept */
} journal_index;

/* Opens it for a run, as journal_open; *out must stay where it is.  The caller closes it, also after a failure. */
nonsens_status journal_index_open(nonsens_context *ctx, const char *path, journal_index *out);
void journal_index_close(journal_index *j);
/* Reads a line, which the caller releases; NULL if there is none. */
nonsens_status journal_index_find(nonsens_context *ctx, const journal_index *j, const char *options, int64_t seed,
                                  json_value **line);

#endif
