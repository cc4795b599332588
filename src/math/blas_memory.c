#include "math/blas_memory.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t buffers = PTHREAD_MUTEX_INITIALIZER, calls = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool led_here; /* once a buffer was asked for through this file */

/* Names that the linker gives to the functions themselves, and looks for in their place. */
void *__real_blas_memory_alloc(int position) __attribute__((weak));
void __real_blas_memory_free(void *buffer) __attribute__((weak));
void *__wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void *buffer);

void *__wrap_blas_memory_alloc(int position)
{
    pthread_mutex_lock(&buffers);
    void *buffer = __real_blas_memory_alloc(position);
    pthread_mutex_unlock(&buffers);
    atomic_store_explicit(&led_here, true, memory_order_relaxed);
    return buffer;
}

void __wrap_blas_memory_free(void *buffer)
{
    pthread_mutex_lock(&buffers);
    __real_blas_memory_free(buffer);
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
