/*
 * platform.h - checks at compile time what the code assumes about the machine and the compiler.
 *
 * meson.build checks the same beforehand, with messages that say what to do (docs/dependencies.md, Platforms).  Only
 * headers of the compiler itself are included, so that the check needs no C library.
 */
#ifndef BASE_PLATFORM_H
#define BASE_PLATFORM_H

#include <float.h>
#include <stddef.h>

#ifndef __SIZEOF_INT128__
#error "reading numbers multiplies words of 64 bits into 128 bits, which this compiler cannot do"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "-ffast-math and -ffinite-math-only break the code: NaN stands for values that are missing"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "only little-endian machines are tested"
#endif

_Static_assert(__CHAR_BIT__ == 8, "bytes have 8 bits");
_Static_assert(sizeof(size_t) == 8 && sizeof(void *) == 8, "sizes and addresses have 64 bits: counts are int64_t");
_Static_assert(sizeof(int) == 4, "int has 32 bits");
_Static_assert((-1 & 3) == 3 && (-4 >> 1) == -2,
               "negative numbers are two's complements and keep their sign when shifted");
_Static_assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024 && DBL_MIN_EXP == -1021,
               "double is that of IEEE 754, 64 bits");
_Static_assert(FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128 && sizeof(float) == 4, "float is that of IEEE 754, 32 bits");
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
               "float and double are computed as such, not as longer ones");

#endif
