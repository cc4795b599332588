#define _DEFAULT_SOURCE // MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier): the system's name
#include "base/blas_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* Bytes of a buffer (BUFFER_SIZE in OpenBLAS's common_arm64.h and common_x86_64.h). */
#ifdef __x86_64__
static const size_t BUFFER_BYTES = (size_t)32 << 22;
#else
static const size_t BUFFER_BYTES = (size_t)32 << 20;
#endif

static pthread_mutex_t buffers = PTHREAD_MUTEX_INITIALIZER, calls = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;
static int64_t made, out;    /* buffers that OpenBLAS has, and those in use */
static atomic_bool led_here; /* once a buffer was asked for through this file */

/* Names that the linker gives to the functions themselves, and looks for in their place. */
void *__real_blas_memory_alloc(int position) __attribute__((weak));
void __real_blas_memory_free(void *buffer) __attribute__((weak));
void *__wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void *buffer);

/* Has the system memory for another buffer?  Pages that nobody touches cost nothing. */
static bool has_room(void)
{
    void *room = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        return false;
    }
    munmap(room, BUFFER_BYTES);
    return true;
}

/* With the lock held: one that was given back, or another. */
static void *take_buffer(int position)
{
    while (out == made && made > 0 && !has_room()) {
        pthread_cond_wait(&given_back, &buffers);
    }
    void *buffer = __real_blas_memory_alloc(position);
    out++;
    made = out > made ? out : made;
    return buffer;
}

nonsens_status blas_reserve(nonsens_context *ctx)
{
    nonsens_status status = NONSENS_OK;
    if (!__real_blas_memory_alloc) {
        return NONSENS_OK;
    }
    pthread_mutex_lock(&buffers);
    if (made == 0 && !has_room()) {
        status = fail_memory(ctx);
    } else if (made == 0) {
        __real_blas_memory_free(__real_blas_memory_alloc(0));
        made = 1;
    }
    pthread_mutex_unlock(&buffers);
    return status;
}

void *__wrap_blas_memory_alloc(int position)
{
    pthread_mutex_lock(&buffers);
    void *buffer = take_buffer(position);
    pthread_mutex_unlock(&buffers);
    atomic_store_explicit(&led_here, true, memory_order_relaxed);
    return buffer;
}

void __wrap_blas_memory_free(void *buffer)
{
    pthread_mutex_lock(&buffers);
    __real_blas_memory_free(buffer);
    out--;
    pthread_cond_signal(&given_back);
    pthread_mutex_unlock(&buffers);
}

/* A process forks while nobody holds the locks: a child has the thread that forked alone, and nobody to open them. */
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

__attribute__((constructor)) static void mind_forks(void)
{
    pthread_atfork(lock_all, unlock_all, unlock_all);
}

bool blas_enter(void)
{
    bool alone = !atomic_load_explicit(&led_here, memory_order_relaxed);
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
