/*
 * unpack_internal.h - the steps of unpacking (unpack.c).
 */
#ifndef UNPACK_UNPACK_INTERNAL_H
#define UNPACK_UNPACK_INTERNAL_H

#include "unpack/unpack.h"

/* Bytes that grow; memory_release frees them. */
typedef struct growing {
    nonsens_context *ctx;
    char *bytes;
    size_t size, capacity;
} growing;

/* Makes room for more bytes: 64 KiB at first, then twice the capacity. */
nonsens_status unpack_grow(growing *g);

/* Unpack one format each; out->bytes is NULL at first; the caller releases it, even after a failure. */
nonsens_status unpack_gzip(const char *path, const char *bytes, size_t size, growing *out);
nonsens_status unpack_zstd(const char *path, const char *bytes, size_t size, growing *out);

/* Converts UTF-16 with a byte order mark to UTF-8. */
nonsens_status unpack_utf16(const char *path, const char *bytes, size_t size, growing *out);

/* Fails if the bytes are those of a known format that cannot be read. */
nonsens_status unpack_refuse_foreign(nonsens_context *ctx, const char *path, const char *bytes, size_t size);

#endif
