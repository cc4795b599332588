/* AVX-512: 32 registers of sixteen floats. */
#define KERNEL kernel_avx512
#define LANES 16
#define UNITS 4
#define VECTORS 4
#define OUTER 4

#include "nn/kernel_body.h"
