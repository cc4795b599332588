/*
 * memory.h - allocates all memory of the library: checked sizes, arenas, failures on demand for the tests.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/status.h"

#include <stdarg.h>

/* Allocates count * size zeroed bytes, 64-byte aligned; NULL if there is no memory or the product overflows. */
void *memory_get(size_t count, size_t size);
/* Does the same, 16-byte aligned: for many small blocks, where a larger alignment would waste memory on padding. */
void *memory_get_small(size_t count, size_t size);
/* Frees a block; NULL is fine. */
void memory_release(void *block);

/* Allocates as memory_get does, within the limit of the context (status.h, max_memory); on failure sets its message. */
void *memory_take(nonsens_context *ctx, size_t count, size_t size);
/* Fails if the library holds more than the limit of the context; for callers of memory_get. */
nonsens_status memory_check(nonsens_context *ctx);

/*
 * For tests: makes the n-th request from now on (0 = the next) fail, once; if n is negative, none fails.  A request to
 * an arena counts like one to memory_get, even if the arena has room for it.
 */
void memory_fail_at(int64_t n);
/* For tests: `fails` decides whether the request chosen by memory_fail_at fails, and may choose another; NULL: it does.
 */
void memory_ask_at_failure(bool (*fails)(void));
/*
 * For tests: return how many blocks are held, and how many requests were counted.  Requests are counted only while
 * memory_fail_at has chosen one; INT64_MAX chooses one that never comes.
 */
int64_t memory_held(void);
int64_t memory_asked(void);

/* Returns the bytes that the library holds in this process. */
int64_t memory_bytes(void);

/*
 * An arena hands out zeroed memory that is freed all at once.  Each job has its own.  It grows by chunks, and a request
 * never moves memory that was handed out before.
 */
typedef struct arena {
    struct arena_chunk *chunks;
} arena;

/* Allocates count * size zeroed bytes, 64-byte aligned; on failure returns NULL and sets the message of the context. */
void *arena_get(nonsens_context *ctx, arena *a, int64_t count, size_t size);
/* Frees everything that the arena handed out. */
void arena_free(arena *a);

/* In front of a local variable: calls `release` with its address when its block ends, on any path. */
#define SCOPED(release) __attribute__((cleanup(release)))

/* Declares an empty arena that is freed when its block ends. */
#define SCOPED_ARENA(name) SCOPED(arena_free) arena name = {0}

/* A position to which an arena can be rewound, to reuse scratch space inside a loop. */
typedef struct arena_mark {
    struct arena_chunk *chunk;
    size_t used;
} arena_mark;
arena_mark arena_tell(const arena *a);
void arena_rewind(arena *a, arena_mark mark);

/* Frees an object from memory_get whose first member is the arena of everything it owns; NULL is fine. */
void memory_release_owner(void *object);
/* Does the same with the object that a local variable points to; for SCOPED. */
void memory_release_scoped(void *variable);

/* Copies a text into the arena. */
char *arena_text(nonsens_context *ctx, arena *a, const char *text);
/* Copies `count` texts into the arena. */
nonsens_status arena_texts(nonsens_context *ctx, arena *a, int64_t count, const char *const *from, char ***to);
/* Formats as sprintf does, into the arena. */
char *arena_format(nonsens_context *ctx, arena *a, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Formats as vsprintf does, into the arena; args is used up. */
char *arena_format_list(nonsens_context *ctx, arena *a, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Sets `pointer` to count elements of its type from the arena, or returns the failure to the caller. */
#define ARENA_TRY(ctx, a, pointer, count)                                       \
    do {                                                                        \
        (pointer) = arena_get((ctx), (a), (int64_t)(count), sizeof *(pointer)); \
        if (!(pointer)) {                                                       \
            return NONSENS_ERR_MEMORY;                                          \
        }                                                                       \
    } while (0)

/*
 * Makes room for another element after the first `count`: returns the array itself if it has room, else a copy with
 * twice the *capacity.  The old array stays in the arena, which at most doubles the memory.  NULL: out of memory.
 */
void *arena_grow(nonsens_context *ctx, arena *a, void *array, int64_t count, int64_t *capacity, size_t size);

/* Makes room for another element after the first `count` of `pointer`, or returns the failure to the caller. */
#define ARENA_GROW(ctx, a, pointer, count, capacity)                                              \
    do {                                                                                          \
        void *roomy = arena_grow((ctx), (a), (pointer), (count), &(capacity), sizeof *(pointer)); \
        if (!roomy) {                                                                             \
            return NONSENS_ERR_MEMORY;                                                            \
        }                                                                                         \
        (pointer) = roomy;                                                                        \
    } while (0)

#endif
