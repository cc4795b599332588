/*
 * blas_memory.h - lets several threads call a serial OpenBLAS at once.
 *
 * All that calls of a serial OpenBLAS share is its table of work buffers, which it changes without a lock: two threads
 * inside it at once gave wrong products in about 1 of 40 runs of a test made for it (tests/unit/test_linalg.c).  The
 * linker leads its calls of blas_memory_alloc and blas_memory_free through functions here that have one (--wrap in
 * src/meson.build).  A BLAS that was linked without that is entered by one thread at a time.
 */
#ifndef MATH_BLAS_MEMORY_H
#define MATH_BLAS_MEMORY_H

#include <stdbool.h>

/* Before and after a call of BLAS or LAPACK; what the first returns goes to the second. */
bool blas_enter(void);
void blas_leave(bool alone);

#endif
