/* unpack.c - the steps from the bytes of a file to text, in this order: compression, foreign formats, UTF-16. */
#include "unpack/unpack_internal.h"

#include <string.h>

nonsens_status unpack_grow(growing *g)
{
    enum { FIRST_BYTES = 1 << 16 };
    size_t capacity = g->capacity > 0 ? 2 * g->capacity : FIRST_BYTES;
    TRY(check_cancelled(g->ctx));
    if (capacity <= g->capacity) { // overflow
        return fail_memory(g->ctx);
    }
    char *bigger = memory_take(g->ctx, capacity, 1);
    if (!bigger) {
        return NONSENS_ERR_MEMORY;
    }
    if (g->size > 0) {
        memcpy(bigger, g->bytes, g->size);
    }
    memory_release(g->bytes);
    g->bytes = bigger;
    g->capacity = capacity;
    return NONSENS_OK;
}

static bool begins(const char *bytes, size_t size, const char *magic, size_t length)
{
    return size >= length && memcmp(bytes, magic, length) == 0;
}

typedef nonsens_status step_fn(const char *path, const char *bytes, size_t size, growing *out);

/* Runs one step; its output replaces its input. */
static nonsens_status take_step(nonsens_context *ctx, step_fn *step, const char *path, unpacked *u)
{
    growing made = {.ctx = ctx};
    nonsens_status status = step(path, u->bytes, u->size, &made);
    if (status != NONSENS_OK) {
        memory_release(made.bytes);
        return status;
    }
    memory_release(u->owned);
    u->bytes = u->owned = made.bytes;
    u->size = made.size;
    return NONSENS_OK;
}

nonsens_status unpack_bytes(nonsens_context *ctx, const char *path, const char *bytes, size_t size, unpacked *out)
{
    out->bytes = bytes;
    out->size = size;
    if (begins(bytes, size, "\x1F\x8B", 2)) {
        out->compression = "gzip";
        TRY(take_step(ctx, unpack_gzip, path, out));
    } else if (begins(bytes, size, "\x28\xB5\x2F\xFD", 4)) {
        out->compression = "zstd";
        TRY(take_step(ctx, unpack_zstd, path, out));
    }
    TRY(unpack_refuse_foreign(ctx, path, out->bytes, out->size));
    if (begins(out->bytes, out->size, "\xFF\xFE", 2) || begins(out->bytes, out->size, "\xFE\xFF", 2)) {
        out->utf16 = true;
        TRY(take_step(ctx, unpack_utf16, path, out));
    }
    return NONSENS_OK;
}

void unpack_free(unpacked *u)
{
    memory_release(u->owned);
    *u = (unpacked){0};
}
