/* AVX2 with fused multiply-add: 16 registers of eight floats. */
#define KERNEL kernel_avx2
#define LANES 8
#define UNITS 6
#define VECTORS 2
#define OUTER 3
#define AVAILABLE has_avx2

#include <stdbool.h>

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#include "nn/kernel_body.h"
