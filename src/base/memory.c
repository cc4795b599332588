/* memory.c - checked allocation and arenas. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER 1
#endif

/*
 * Tell the address sanitizer about parts of a block that it sees as a whole: bytes that were not requested are hidden,
 * and GAP of them lie behind every block of an arena, so that an access beyond its end is reported.
 */
#if defined(WITH_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#define HIDE(from, bytes) ASAN_POISON_MEMORY_REGION((from), (bytes))
#define SHOW(from, bytes) ASAN_UNPOISON_MEMORY_REGION((from), (bytes))
enum { GAP = 64 };
#else
#define HIDE(from, bytes) ((void)(from), (void)(bytes))
#define SHOW(from, bytes) ((void)(from), (void)(bytes))
enum { GAP = 0 };
#endif

enum { ALIGNMENT = 64, SMALL_ALIGNMENT = 16, CHUNK_BYTES = 1 << 16 };

struct arena_chunk {
    struct arena_chunk *next; /* the chunk before this one */
    size_t size, used;        /* bytes behind the header */
};

/* Precedes every block. */
struct block_head {
    size_t bytes;  /* of the block and what precedes it */
    size_t before; /* bytes before the block, of which this head is the last part */
};
_Static_assert(sizeof(struct block_head) <= SMALL_ALIGNMENT, "the head fits in front of every block");

static atomic_llong requests_until_failure = -1, held, asked;
static atomic_llong bytes_held;
static bool (*asked_at_failure)(void);

void memory_fail_at(int64_t n)
{
    atomic_store(&requests_until_failure, n);
}

void memory_ask_at_failure(bool (*fails)(void))
{
    asked_at_failure = fails;
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

/* Makes threads that ask at the same time wait for one another only if a test has asked for a failure. */
static bool must_fail(void)
{
    if (atomic_load_explicit(&requests_until_failure, memory_order_relaxed) < 0) {
        return false;
    }
    atomic_fetch_add(&asked, 1);
    return atomic_fetch_sub(&requests_until_failure, 1) == 0 && (!asked_at_failure || asked_at_failure());
}

static bool round_up(size_t bytes, size_t alignment, size_t *rounded)
{
    if (bytes > SIZE_MAX - alignment) {
        return false;
    }
    *rounded = (bytes + alignment - 1) / alignment * alignment;
    return true;
}

/*
 * As memory_get, but does not count as a request. calloc need not clear memory that is new from the system, as large
 * blocks mostly are.
 */
static void *block_new(size_t count, size_t size, size_t alignment)
{
    size_t wanted, bytes;
    if (__builtin_mul_overflow(count, size, &wanted) || __builtin_add_overflow(wanted, 2 * alignment, &bytes)) {
        return NULL;
    }
    char *memory = calloc(bytes, 1);
    if (!memory) {
        return NULL;
    }
    size_t before = 2 * alignment - (uintptr_t)memory % alignment;
    before = before - alignment >= sizeof(struct block_head) ? before - alignment : before;
    char *block = memory + before;
    ((struct block_head *)(void *)block)[-1] = (struct block_head){bytes, before};
    atomic_fetch_add_explicit(&held, 1, memory_order_relaxed);
    atomic_fetch_add(&bytes_held, (long long)bytes);
    HIDE(block + wanted, bytes - before - wanted);
    return block;
}

void *memory_get(size_t count, size_t size)
{
    return must_fail() ? NULL : block_new(count, size, ALIGNMENT);
}

void *memory_get_small(size_t count, size_t size)
{
    return must_fail() ? NULL : block_new(count, size, SMALL_ALIGNMENT);
}

/* Other threads may take memory meanwhile, so the sum may exceed the limit slightly; the next request then fails. */
static bool is_within_limit(const nonsens_context *ctx, size_t count, size_t size)
{
    int64_t limit = ctx->root->max_memory;
    size_t bytes;
    return limit <= 0 || (!__builtin_mul_overflow(count, size, &bytes) && memory_bytes() <= limit &&
                          bytes <= (size_t)(limit - memory_bytes()));
}

nonsens_status memory_check(nonsens_context *ctx)
{
    return is_within_limit(ctx, 1, 0) ? NONSENS_OK : fail_limit(ctx);
}

/* As memory_take, but does not count as a request. */
static void *block_take(nonsens_context *ctx, size_t count, size_t size)
{
    if (!is_within_limit(ctx, count, size)) {
        fail_limit(ctx);
        return NULL;
    }
    void *block = block_new(count, size, ALIGNMENT);
    if (!block) {
        fail_memory(ctx);
    }
    return block;
}

void *memory_take(nonsens_context *ctx, size_t count, size_t size)
{
    if (must_fail()) {
        fail_memory(ctx);
        return NULL;
    }
    return block_take(ctx, count, size);
}

void memory_release(void *block)
{
    if (block) {
        struct block_head *head = (struct block_head *)block - 1;
        atomic_fetch_sub_explicit(&held, 1, memory_order_relaxed);
        atomic_fetch_sub(&bytes_held, (long long)head->bytes);
        free((char *)block - head->before);
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
    struct arena_chunk *chunk = block_take(ctx, size + ALIGNMENT, 1);
    if (chunk) {
        chunk->next = a->chunks;
        chunk->size = size;
        a->chunks = chunk;
        HIDE(chunk + 1, size + ALIGNMENT - sizeof *chunk);
    }
    return chunk;
}

void *arena_get(nonsens_context *ctx, arena *a, int64_t count, size_t size)
{
    size_t wanted, bytes;
    if (must_fail() || count < 0 || __builtin_mul_overflow((size_t)count, size, &wanted) ||
        __builtin_add_overflow(wanted ? wanted : 1, GAP, &bytes) || !round_up(bytes, ALIGNMENT, &bytes)) {
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
    SHOW(block, wanted);
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

void memory_release_scoped(void *variable)
{
    void *object;
    memcpy(&object, variable, sizeof object);
    memory_release_owner(object);
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
        char *from = chunk_bytes(mark.chunk) + mark.used;
        size_t bytes = mark.chunk->used - mark.used;
        SHOW(from, bytes);
        memset(from, 0, bytes);
        HIDE(from, bytes);
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

nonsens_status arena_texts(nonsens_context *ctx, arena *a, int64_t count, const char *const *from, char ***to)
{
    ARENA_TRY(ctx, a, *to, count);
    for (int64_t i = 0; i < count; i++) {
        (*to)[i] = arena_text(ctx, a, from[i]);
        if (!(*to)[i]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    return NONSENS_OK;
}

char *arena_format_list(nonsens_context *ctx, arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : arena_get(ctx, a, (int64_t)length + 1, 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

char *arena_format(nonsens_context *ctx, arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_format_list(ctx, a, format, args);
    va_end(args);
    return text;
}
