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

/* Makes room for more bytes behind the `size` that are there: at least 64 KiB, at most as many as there are. */
nonsens_status unpack_grow(growing *g);

/* Unpack one format each; out->bytes is NULL at first and belongs to the caller, even after a failure. */
nonsens_status unpack_gzip(const char *path, const char *bytes, size_t size, growing *out);
nonsens_status unpack_zstd(const char *path, const char *bytes, size_t size, growing *out);

/* Makes UTF-8 of UTF-16 with a byte order mark. */
nonsens_status unpack_utf16(const char *path, const char *bytes, size_t size, growing *out);

/* Fails if the bytes begin as a file of a format that has another reader. */
nonsens_status unpack_refuse_foreign(nonsens_context *ctx, const char *path, const char *bytes, size_t size);

#endif
