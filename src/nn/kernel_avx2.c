/* AVX2 with fused multiply-add: 16 registers of eight floats. */
#define KERNEL kernel_avx2
#define LANES 8
#define UNITS 6
#define VECTORS 2
#define OUTER 3

#include "nn/kernel_body.h"
