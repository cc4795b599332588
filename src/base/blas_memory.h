/*
 * blas_memory.h - lets several threads call a serial OpenBLAS at once.
 *
 * All that calls of a serial OpenBLAS share is its table of work buffers, which it changes without a lock: two threads
 * inside it at once gave wrong products in about 1 of 40 runs of a test made for it (tests/unit/math/test_linalg.c).
 * The linker redirects its calls of blas_memory_alloc and blas_memory_free to functions here that keep the buffers
 * under a lock (--wrap in src/meson.build).  A BLAS that was linked without that is entered by one thread at a time.
 *
 * If the system has no memory for another buffer, OpenBLAS's own allocator asks for it in an endless loop.  It is
 * therefore called only once, with memory that is already mapped, to learn how large its buffers are.  The first buffer
 * is taken at the beginning of a run, or the run fails.  A call that gets no buffer waits until another call returns
 * one; a call of OpenBLAS holds one buffer at a time, so the wait ends.
 */
#ifndef BASE_BLAS_MEMORY_H
#define BASE_BLAS_MEMORY_H

#include "base/memory.h"

#include <stdbool.h>

#ifdef NONSENS_PLAIN_BLAS /* no OpenBLAS */

static inline nonsens_status blas_reserve(nonsens_context *ctx)
{
    (void)ctx;
    return NONSENS_OK;
}

#else

/* Takes the first buffer at the beginning of a run; NONSENS_ERR_MEMORY if there is no memory for it. */
nonsens_status blas_reserve(nonsens_context *ctx);

/* Enter and leave BLAS or LAPACK around every call; pass the value that blas_enter returns to blas_leave. */
bool blas_enter(void);
void blas_leave(bool alone);

#endif

#endif
