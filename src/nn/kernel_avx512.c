/* AVX-512: 32 registers of sixteen floats. */
#define KERNEL kernel_avx512
#define LANES 16
#define UNITS 4
#define VECTORS 4
#define OUTER 4
#define AVAILABLE has_avx512

#include <stdbool.h>

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

#include "nn/kernel_body.h"
