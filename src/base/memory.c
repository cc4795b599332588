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

/* Stands in front of every block. */
struct block_head {
    _Alignas(ALIGNMENT) size_t bytes; /* of the block and this head */
};

static atomic_llong allocations_until_failure = -1, held, asked;
static atomic_llong bytes_held, bytes_peak;

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

int64_t memory_bytes(void)
{
    return atomic_load(&bytes_held);
}

int64_t memory_peak(void)
{
    return atomic_load(&bytes_peak);
}

void memory_watch(void)
{
    atomic_store(&bytes_peak, atomic_load(&bytes_held));
}

static void count_bytes(size_t bytes)
{
    long long now = atomic_fetch_add(&bytes_held, (long long)bytes) + (long long)bytes;
    long long peak = atomic_load(&bytes_peak);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now)) {
    }
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
    if (must_fail() || __builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct block_head), &bytes) || !round_up(bytes, &bytes)) {
        return NULL;
    }
    struct block_head *head = aligned_alloc(ALIGNMENT, bytes);
    if (!head) {
        return NULL;
    }
    memset(head, 0, bytes);
    head->bytes = bytes;
    atomic_fetch_add_explicit(&held, 1, memory_order_relaxed);
    count_bytes(bytes);
    return head + 1;
}

/* What others take meanwhile may let the sum pass the limit by little; the next request then fails. */
static bool is_within_limit(const nonsens_context *ctx, size_t count, size_t size)
{
    int64_t most = ctx->root->max_memory;
    size_t bytes;
    return most <= 0 || (!__builtin_mul_overflow(count, size, &bytes) && memory_bytes() <= most &&
                         bytes <= (size_t)(most - memory_bytes()));
}

void *memory_take(nonsens_context *ctx, size_t count, size_t size)
{
    if (!is_within_limit(ctx, count, size)) {
        fail_limit(ctx);
        return NULL;
    }
    void *block = memory_get(count, size);
    if (!block) {
        fail_memory(ctx);
    }
    return block;
}

void memory_release(void *block)
{
    if (block) {
        struct block_head *head = (struct block_head *)block - 1;
        atomic_fetch_sub_explicit(&held, 1, memory_order_relaxed);
        atomic_fetch_sub(&bytes_held, (long long)head->bytes);
        free(head);
    }
}

static char *chunk_bytes(struct arena_chunk *chunk)
{
    return (char *)chunk + ALIGNMENT;
}

static struct arena_chunk *chunk_new(nonsens_context *ctx, arena *a, size_t bytes)
{
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    if (size > SIZE_MAX - ALIGNMENT) {
        fail_memory(ctx);
        return NULL;
    }
    struct arena_chunk *chunk = memory_take(ctx, size + ALIGNMENT, 1);
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
        chunk = chunk_new(ctx, a, bytes);
        if (!chunk) {
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
