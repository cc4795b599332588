/* blas_memory.c - work buffers for OpenBLAS, kept under a lock; see blas_memory.h. */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier): the system's name
#include "base/blas_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* Expected size of OpenBLAS's buffers (BUFFER_SIZE in its common_arm64.h and common_x86_64.h) until it maps one. */
#ifdef __x86_64__
static const size_t EXPECTED_BYTES = (size_t)32 << 22;
#else
static const size_t EXPECTED_BYTES = (size_t)32 << 20;
#endif

/* A buffer that is not in use; this struct lies in the buffer's first bytes. */
typedef struct free_buffer {
    struct free_buffer *next;
} free_buffer;

static pthread_mutex_t buffers = PTHREAD_MUTEX_INITIALIZER, calls = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t buffer_returned = PTHREAD_COND_INITIALIZER;
static free_buffer *unused;
static int64_t in_use;         /* buffers */
static size_t buffer_bytes;    /* of each; 0 before the first */
static atomic_bool is_wrapped; /* a buffer was asked for through this file */

/* The memory that this thread gives OpenBLAS when it maps its first buffer; NULL at all other times. */
static _Thread_local void *first_room;

/* With --wrap, the linker resolves NAME to __wrap_NAME, and __real_NAME to the function itself. */
void *__real_blas_memory_alloc(int position) __attribute__((weak));
void *__real_mmap(void *address, size_t bytes, int access, int flags, int file, off_t offset) __attribute__((weak));
void *__wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void *buffer);
void *__wrap_mmap(void *address, size_t bytes, int access, int flags, int file, off_t offset);

/* Maps memory for a buffer, or returns NULL.  Pages that are never touched cost nothing. */
static void *map_room(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

/* Replaces all calls of mmap in this library and in OpenBLAS. */
void *__wrap_mmap(void *address, size_t bytes, int access, int flags, int file, off_t offset)
{
    void *room = first_room;
    if (!room) {
        return __real_mmap(address, bytes, access, flags, file, offset);
    }
    first_room = NULL;
    buffer_bytes = bytes;
    if (bytes <= EXPECTED_BYTES) {
        return room;
    }
    munmap(room, EXPECTED_BYTES); // a version of OpenBLAS with larger buffers
    return __real_mmap(address, bytes, access, flags, file, offset);
}

/* With the lock held: lets OpenBLAS make the first buffer in `room`, to learn how large its buffers are. */
static void *make_first(void *room)
{
    first_room = room;
    void *buffer = __real_blas_memory_alloc(0);
    first_room = NULL;
    buffer_bytes = buffer_bytes ? buffer_bytes : EXPECTED_BYTES;
    return buffer;
}

/* With the lock held: keeps a buffer for later. */
static void keep_buffer(void *buffer)
{
    free_buffer *kept = buffer;
    kept->next = unused;
    unused = kept;
}

/* With the lock held: returns an unused or a new buffer; NULL if there is no memory. */
static void *try_buffer(void)
{
    if (unused) {
        free_buffer *taken = unused;
        unused = taken->next;
        return taken;
    }
    void *room = map_room(buffer_bytes ? buffer_bytes : EXPECTED_BYTES);
    return room && buffer_bytes == 0 ? make_first(room) : room;
}

nonsens_status blas_reserve(nonsens_context *ctx)
{
    if (!__real_blas_memory_alloc) {
        return NONSENS_OK;
    }
    pthread_mutex_lock(&buffers);
    void *buffer = in_use == 0 ? try_buffer() : NULL;
    bool enough = buffer || in_use > 0;
    if (buffer) {
        keep_buffer(buffer);
    }
    pthread_mutex_unlock(&buffers);
    return enough ? NONSENS_OK : fail_memory(ctx);
}

void *__wrap_blas_memory_alloc(int position)
{
    (void)position;
    pthread_mutex_lock(&buffers);
    void *buffer;
    while (!(buffer = try_buffer())) {
        pthread_cond_wait(&buffer_returned, &buffers);
    }
    in_use++;
    pthread_mutex_unlock(&buffers);
    atomic_store_explicit(&is_wrapped, true, memory_order_relaxed);
    return buffer;
}

void __wrap_blas_memory_free(void *buffer)
{
    pthread_mutex_lock(&buffers);
    keep_buffer(buffer);
    in_use--;
    pthread_cond_signal(&buffer_returned);
    pthread_mutex_unlock(&buffers);
}

/* Takes the locks before a fork: the child has only the thread that forked, so no other thread could release them. */
static void lock_all(void)
{
    pthread_mutex_lock(&calls);
    pthread_mutex_lock(&buffers);
}

static void unlock_all(void)
{
    pthread_mutex_unlock(&buffers);
    pthread_mutex_unlock(&calls);
}

/* The threads that had buffers in use do not exist in the child and never return them. */
static void begin_child(void)
{
    in_use = 0;
    unlock_all();
}

__attribute__((constructor)) static void handle_forks(void)
{
    pthread_atfork(lock_all, unlock_all, begin_child);
}

bool blas_enter(void)
{
    bool alone = !atomic_load_explicit(&is_wrapped, memory_order_relaxed);
    if (alone) {
        pthread_mutex_lock(&calls);
    }
    return alone;
}

void blas_leave(bool alone)
{
    if (alone) {
        pthread_mutex_unlock(&calls);
    }
}
