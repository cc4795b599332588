/*
 * unpack.h - turns the bytes of a file into text for the readers of tables: unpacks gzip and zstd, converts UTF-16 to
 * UTF-8, and refuses formats that cannot be read, with a command that makes a CSV file of them.
 *
 * All formats are recognised by their bytes, not by the name of the file.
 */
#ifndef UNPACK_UNPACK_H
#define UNPACK_UNPACK_H

#include "base/memory.h"

typedef struct unpacked {
    const char *bytes; /* those of the caller, or `owned` */
    size_t size;
    char *owned;             /* NULL if nothing had to be done */
    const char *compression; /* "gzip" or "zstd"; NULL: not compressed */
    bool utf16;              /* the text was in UTF-16 */
} unpacked;

/*
 * Unpacks the bytes; `path` is used in messages.  *out must be zero, and the caller frees it even after a failure.  The
 * unpacked bytes count towards the memory limit of the context.
 */
nonsens_status unpack_bytes(nonsens_context *ctx, const char *path, const char *bytes, size_t size, unpacked *out);
void unpack_free(unpacked *u);

#endif
