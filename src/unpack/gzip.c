/* gzip.c - unpacks gzip by zlib, which takes its memory from base/memory.h. */
#include "unpack/unpack_internal.h"

#ifdef NONSENS_ZLIB

#include <limits.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

static voidpf take_memory(voidpf unused, uInt count, uInt size)
{
    (void)unused;
    return memory_get_small(count, size);
}

static void give_memory(voidpf unused, voidpf block)
{
    (void)unused;
    memory_release(block);
}

/* Fails with a message for an error code of inflate. */
static nonsens_status refuse_stream(nonsens_context *ctx, const char *path, int code)
{
    if (code == Z_MEM_ERROR) {
        return fail_memory(ctx);
    }
    return fail(ctx, NONSENS_ERR_DATA, "%s: %s; copy or download the file again", path,
                code == Z_BUF_ERROR ? "the gzip file ends too early" : "the gzip file is damaged");
}

/* Inflates one member; z is then at its end. */
static nonsens_status inflate_member(z_stream *z, const char *path, const char *end, growing *out)
{
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        if (out->size == out->capacity) {
            TRY(unpack_grow(out));
        }
        size_t room = out->capacity - out->size, left = (size_t)(end - (const char *)z->next_in);
        z->next_out = (Bytef *)out->bytes + out->size;
        z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
        z->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
        code = inflate(z, Z_NO_FLUSH);
        out->size = (size_t)((char *)z->next_out - out->bytes);
        if (code == Z_BUF_ERROR && out->size == out->capacity) {
            code = Z_OK; // it only needs more space
        }
        if (code != Z_OK && code != Z_STREAM_END) {
            return refuse_stream(out->ctx, path, code);
        }
    }
    return NONSENS_OK;
}

/* Inflates all members: there may be several, as from `cat a.gz b.gz`, and zeros after the last. */
static nonsens_status inflate_members(z_stream *z, const char *path, const char *end, growing *out)
{
    do {
        TRY(inflate_member(z, path, end, out));
        (void)inflateReset(z); // fails only without a stream
    } while ((const char *)z->next_in < end && *(const char *)z->next_in != '\0');
    return NONSENS_OK;
}

nonsens_status unpack_gzip(const char *path, const char *bytes, size_t size, growing *out)
{
    enum { GZIP = 16, WINDOW_BITS = 15 };
    z_stream z = {.next_in = (const Bytef *)bytes, .zalloc = take_memory, .zfree = give_memory};
    int code = inflateInit2(&z, GZIP + WINDOW_BITS);
    if (code != Z_OK) {
        return refuse_stream(out->ctx, path, code);
    }
    nonsens_status status = inflate_members(&z, path, bytes + size, out);
    inflateEnd(&z);
    return status;
}

#else

nonsens_status unpack_gzip(const char *path, const char *bytes, size_t size, growing *out)
{
    (void)bytes;
    (void)size;
    return fail(out->ctx, NONSENS_ERR_DATA,
                "%s: the file is compressed by gzip, and this build has no zlib; unpack it: gzip -dk FILE", path);
}

#endif
