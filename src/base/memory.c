/* memory.c - checked allocation and arenas. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, CHUNK_BYTES = 1 << 16 };

struct arena_chunk {
    struct arena_chunk *next; /* the chunk before this one */
    size_t size, used;        /* bytes behind the header */
};

static atomic_llong allocations_until_failure = -1, held, asked;

void memory_fail_at(int64_t n)
{
    atomic_store(&allocations_until_failure, n);
}

int64_t memory_held(void)
{
    return atomic_load(&held);
}

int64_t memory_asked(void)
{
    return atomic_load(&asked);
}

static bool must_fail(void)
{
    atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed);
    if (atomic_load(&allocations_until_failure) < 0) {
        return false;
    }
    return atomic_fetch_sub(&allocations_until_failure, 1) == 0;
}

static bool round_up(size_t bytes, size_t *rounded)
{
    if (bytes > SIZE_MAX - ALIGNMENT) {
        return false;
    }
    *rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return true;
}

void *memory_get(size_t count, size_t size)
{
    size_t bytes;
    if (must_fail() || __builtin_mul_overflow(count, size, &bytes) || !round_up(bytes ? bytes : 1, &bytes)) {
        return NULL;
    }
    void *block = aligned_alloc(ALIGNMENT, bytes);
    if (block) {
        memset(block, 0, bytes);
        atomic_fetch_add_explicit(&held, 1, memory_order_relaxed);
    }
    return block;
}

void memory_release(void *block)
{
    if (block) {
        atomic_fetch_sub_explicit(&held, 1, memory_order_relaxed);
    }
    free(block);
}

static char *chunk_bytes(struct arena_chunk *chunk)
{
    return (char *)chunk + ALIGNMENT;
}

static struct arena_chunk *chunk_new(arena *a, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    if (size > SIZE_MAX - ALIGNMENT) {
        return NULL;
    }
    struct arena_chunk *chunk = memory_get(size + ALIGNMENT, 1);
    if (chunk) {
        chunk->next = a->chunks;
        chunk->size = size;
        a->chunks = chunk;
    }
    return chunk;
}

void *arena_get(nonsens_context *ctx, arena *a, int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || !round_up(bytes ? bytes : 1, &bytes)) {
        fail_memory(ctx);
        return NULL;
    }
    struct arena_chunk *chunk = a->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        chunk = chunk_new(a, bytes);
        if (!chunk) {
            fail_memory(ctx);
            return NULL;
        }
    }
    void *block = chunk_bytes(chunk) + chunk->used;
    chunk->used += bytes;
    return block;
}

void *arena_grow(nonsens_context *ctx, arena *a, void *array, int64_t count, int64_t *capacity, size_t size)
{
    enum { FIRST_CAPACITY = 16 };
    if (count < *capacity) {
        return array;
    }
    int64_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    void *larger = arena_get(ctx, a, wanted, size);
    if (larger && count > 0) {
        memcpy(larger, array, (size_t)count * size);
    }
    *capacity = larger ? wanted : *capacity;
    return larger;
}

void arena_free(arena *a)
{
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;
        memory_release(a->chunks);
        a->chunks = next;
    }
}

void memory_release_owner(void *object)
{
    if (object) {
        arena_free(object);
        memory_release(object);
    }
}

arena_mark arena_tell(const arena *a)
{
    return (arena_mark){a->chunks, a->chunks ? a->chunks->used : 0};
}

void arena_rewind(arena *a, arena_mark mark)
{
    while (a->chunks != mark.chunk) {
        struct arena_chunk *next = a->chunks->next;
        memory_release(a->chunks);
        a->chunks = next;
    }
    if (mark.chunk) {
        memset(chunk_bytes(mark.chunk) + mark.used, 0, mark.chunk->used - mark.used);
        mark.chunk->used = mark.used;
    }
}

char *arena_text(nonsens_context *ctx, arena *a, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = arena_get(ctx, a, (int64_t)bytes, 1);
    if (copy) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

char *arena_format(nonsens_context *ctx, arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : arena_get(ctx, a, (int64_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}
