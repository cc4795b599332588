/*
 * memory.h - all memory of the library comes from here: checked sizes, arenas, failures on demand for the tests.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/status.h"

#include <stdarg.h>

/* count * size zeroed bytes, 64-byte aligned; NULL when they cannot be had or the product overflows. */
void *memory_get(size_t count, size_t size);
/* The same, 16-byte aligned: for many small blocks, of which a larger alignment would waste the most part. */
void *memory_get_small(size_t count, size_t size);
void memory_release(void *block);

/* As memory_get, within what the context may take (status.h, max_memory); on failure the context says so. */
void *memory_take(nonsens_context *ctx, size_t count, size_t size);
/* Fails if the library holds more than the context may take; for those who use memory_get. */
nonsens_status memory_check(nonsens_context *ctx);

/*
 * For tests: the n-th request from now on (0 = the next) fails, once; a negative n never fails.  A request of an arena
 * counts like one of memory_get, also where the arena has room for it.
 */
void memory_fail_at(int64_t n);
/* For tests: is asked whether the request that memory_fail_at chose shall fail, and may choose another; NULL: it shall.
 */
void memory_ask_at_failure(bool (*fails)(void));
/*
 * For tests: how many blocks are held; how many requests there were while one of them was to fail, which INT64_MAX
 * puts off for ever.
 */
int64_t memory_held(void);
int64_t memory_asked(void);

/* Bytes that the library holds in this process. */
int64_t memory_bytes(void);

/*
 * An arena hands out zeroed memory that is freed all at once.  One arena per job; it grows by chunks, and a request
 * never moves what was handed out before.
 */
typedef struct arena {
    struct arena_chunk *chunks;
} arena;

/* count * size zeroed bytes, 64-byte aligned; on failure NULL, and the context says so. */
void *arena_get(nonsens_context *ctx, arena *a, int64_t count, size_t size);
void arena_free(arena *a);

/* In front of a local variable: `release` gets its address when its block is left, on any path. */
#define SCOPED(release) __attribute__((cleanup(release)))

/* Declares an empty arena that is freed when its block is left. */
#define SCOPED_ARENA(name) SCOPED(arena_free) arena name = {0}

/* A position to which an arena can be wound back, to reuse scratch space inside a loop. */
typedef struct arena_mark {
    struct arena_chunk *chunk;
    size_t used;
} arena_mark;
arena_mark arena_tell(const arena *a);
void arena_rewind(arena *a, arena_mark mark);

/* Frees an object of memory_get whose first member is the arena of all that it owns; NULL is fine. */
void memory_release_owner(void *object);
/* memory_release_owner for such a variable: a pointer to data, a result, a graph or the like. */
void memory_release_scoped(void *variable);

char *arena_text(nonsens_context *ctx, arena *a, const char *text);
/* Copies of `count` texts. */
nonsens_status arena_texts(nonsens_context *ctx, arena *a, int64_t count, const char *const *from, char ***to);
/* As sprintf, into the arena. */
char *arena_format(nonsens_context *ctx, arena *a, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* As vsprintf; args is used up. */
char *arena_format_list(nonsens_context *ctx, arena *a, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* `pointer` = count elements of its own type from the arena, or return the failure to the caller. */
#define ARENA_TRY(ctx, a, pointer, count)                                       \
    do {                                                                        \
        (pointer) = arena_get((ctx), (a), (int64_t)(count), sizeof *(pointer)); \
        if (!(pointer)) {                                                       \
            return NONSENS_ERR_MEMORY;                                          \
        }                                                                       \
    } while (0)

/*
 * The array itself where `count` elements leave room for another one; else a copy with twice the room, *capacity.  The
 * old one stays in the arena, which costs at most as much again.  NULL if there is no memory.
 */
void *arena_grow(nonsens_context *ctx, arena *a, void *array, int64_t count, int64_t *capacity, size_t size);

/* Room for another element behind the `count` that `pointer` has, or return the failure to the caller. */
#define ARENA_GROW(ctx, a, pointer, count, capacity)                                              \
    do {                                                                                          \
        void *roomy = arena_grow((ctx), (a), (pointer), (count), &(capacity), sizeof *(pointer)); \
        if (!roomy) {                                                                             \
            return NONSENS_ERR_MEMORY;                                                            \
        }                                                                                         \
        (pointer) = roomy;                                                                        \
    } while (0)

#endif
