/* Every x86_64 processor: 16 registers of four floats. */
#define KERNEL kernel_sse2
#define LANES 4
#define UNITS 4
#define VECTORS 2
#define OUTER 2

#include "nn/kernel_body.h"
