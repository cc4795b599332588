/* zstd.c - unpacks zstd by libzstd.  Its windows, of at most 128 MiB, come from malloc. */
#include "unpack/unpack_internal.h"

#ifdef NONSENS_ZSTD

#include <zstd.h>

static void free_stream(ZSTD_DStream **stream)
{
    ZSTD_freeDStream(*stream);
}

static nonsens_status unpack_frames(ZSTD_DStream *stream, const char *path, const char *bytes, size_t size,
                                    growing *out)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left = 1; // 0 at the end of a frame
    for (bool full = true; in.pos < in.size || full;) {
        if (out->size == out->capacity) {
            TRY(unpack_grow(out));
        }
        ZSTD_outBuffer to = {out->bytes, out->capacity, out->size};
        left = ZSTD_decompressStream(stream, &to, &in);
        if (ZSTD_isError(left)) {
            return fail(out->ctx, NONSENS_ERR_DATA,
                        "%s: the zstd file cannot be unpacked (%s); copy or download the file again", path,
                        ZSTD_getErrorName(left));
        }
        out->size = to.pos;
        full = to.pos == to.size; // there may be more output
    }
    return left == 0 ? NONSENS_OK
                     : fail(out->ctx, NONSENS_ERR_DATA,
                            "%s: the zstd file ends too early; copy or download the file again", path);
}

nonsens_status unpack_zstd(const char *path, const char *bytes, size_t size, growing *out)
{
    SCOPED(free_stream) ZSTD_DStream *stream = ZSTD_createDStream();
    if (!stream) {
        return fail_memory(out->ctx);
    }
    return unpack_frames(stream, path, bytes, size, out);
}

#else

nonsens_status unpack_zstd(const char *path, const char *bytes, size_t size, growing *out)
{
    (void)bytes;
    (void)size;
    return fail(out->ctx, NONSENS_ERR_DATA,
                "%s: the file is compressed by zstd, and this build has no libzstd; unpack it: zstd -d FILE", path);
}

#endif
