/*
 * instruction_set.h - finds the instruction sets of this processor and chooses kernels for them.
 *
 * Hot loops are compiled once for every instruction set that makes them faster (src/meson.build).  A folder of src
 * lists its kernels in a table by instruction set; at run time the best one is taken.  The environment variable
 * NONSENS_KERNEL names the best set that may be used: sse2, avx2, avx512; neon, sve256; plain.
 */
#ifndef BASE_INSTRUCTION_SET_H
#define BASE_INSTRUCTION_SET_H

#include "base/status.h"

/* For each architecture, from the set that every processor has to the best. */
typedef enum instruction_set {
    SET_PLAIN,  /* all other architectures */
    SET_SSE2,   /* every x86_64 processor */
    SET_AVX2,   /* with fused multiply-add */
    SET_AVX512, /* F, DQ, BW, VL */
    SET_NEON,   /* every aarch64 processor */
    SET_SVE256, /* vectors of 256 bits */
    INSTRUCTION_SETS
} instruction_set;

const char *instruction_set_name(instruction_set set);

/* Returns whether this processor has the set. */
bool instruction_set_is_here(instruction_set set);

/* Fails if NONSENS_KERNEL names a set that this processor does not have. */
nonsens_status instruction_set_check(nonsens_context *ctx);

/*
 * Returns the best kernel that this processor can run and NONSENS_KERNEL allows; kernel (INSTRUCTION_SETS) has NULL for
 * sets without one.  A name in NONSENS_KERNEL that instruction_set_check refuses is ignored.
 */
const void *instruction_set_choose(const void *const kernel[INSTRUCTION_SETS]);

/*
 * KERNELS(type, name) declares the kernels NAME_SET of a folder, and lists them in `static const void *const
 * NAME_kernels[]`.  They come from one source, compiled with -DINSTRUCTION_SET=SET for each of `kernel_sets`
 * (src/meson.build); in it, IN_SET(name) is NAME_SET.
 *
 * KERNELS_WIDE does the same for `wide_kernel_sets`, which include AVX-512.
 */
#if defined __x86_64__
#define KERNELS(type, name)                     \
    extern const type name##_sse2, name##_avx2; \
    static const void *const name##_kernels[INSTRUCTION_SETS] = {[SET_SSE2] = &name##_sse2, [SET_AVX2] = &name##_avx2}
#define KERNELS_WIDE(type, name)                                  \
    extern const type name##_sse2, name##_avx2, name##_avx512;    \
    static const void *const name##_kernels[INSTRUCTION_SETS] = { \
        [SET_SSE2] = &name##_sse2, [SET_AVX2] = &name##_avx2, [SET_AVX512] = &name##_avx512}
#elif defined __aarch64__
#define KERNELS(type, name)        \
    extern const type name##_neon; \
    static const void *const name##_kernels[INSTRUCTION_SETS] = {[SET_NEON] = &name##_neon}
#else
#define KERNELS(type, name)         \
    extern const type name##_plain; \
    static const void *const name##_kernels[INSTRUCTION_SETS] = {[SET_PLAIN] = &name##_plain}
#endif
#ifndef KERNELS_WIDE
#define KERNELS_WIDE KERNELS
#endif
#define IN_SET(name) INSTRUCTION_SET_JOIN(name, INSTRUCTION_SET)
#define INSTRUCTION_SET_JOIN(name, set) INSTRUCTION_SET_PASTE(name, set)
#define INSTRUCTION_SET_PASTE(name, set) name##_##set

#endif
