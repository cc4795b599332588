/*
 * journal_index.h - a journal with large lines: only their positions are kept in memory, and a line is read when it is
 * asked for.
 */
#ifndef POOL_JOURNAL_INDEX_H
#define POOL_JOURNAL_INDEX_H

#include "pool/journal.h"

typedef struct journal_index {
    journal lines;
    json_value *places; /* "SEED OPTIONS" -> [offset, bytes] */
    bool lacks_memory;  /* a position could not be kept */
} journal_index;

/* Opens a journal like journal_open; *out must not move.  The caller closes it, even after a failure. */
nonsens_status journal_index_open(nonsens_context *ctx, const char *path, journal_index *out);
void journal_index_close(journal_index *j);
/* Reads a line, which the caller releases; NULL if there is none. */
nonsens_status journal_index_find(nonsens_context *ctx, const journal_index *j, const char *options, int64_t seed,
                                  json_value **line);

#endif
