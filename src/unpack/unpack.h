/*
 * unpack.h - turns the bytes of a file into what the readers of tables take: unpacks gzip and zstd, makes UTF-8 of
 * UTF-16, and names formats that cannot be read, with a command that makes a CSV file of them.
 *
 * All are recognised by their first bytes; names of files do not count.
 */
#ifndef UNPACK_UNPACK_H
#define UNPACK_UNPACK_H

#include "base/memory.h"

typedef struct unpacked {
    const char *bytes; /* those of the caller, or `owned` */
    size_t size;
    char *owned;             /* NULL if nothing had to be done */
    const char *compression; /* "gzip" or "zstd"; NULL: none */
    bool utf16;              /* the text was in UTF-16 */
} unpacked;

/*
 * Unpacks the bytes; `path` is used in messages.  *out must be zero, and goes to unpack_free even if it fails.  What
 * a file unpacks to counts towards the memory limit of the context.
 */
nonsens_status unpack_bytes(nonsens_context *ctx, const char *path, const char *bytes, size_t size, unpacked *out);
void unpack_free(unpacked *u);

#endif
