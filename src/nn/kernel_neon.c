/* Every aarch64 processor: 32 registers of four floats. */
#define KERNEL kernel_neon
#define LANES 4
#define UNITS 4
#define VECTORS 4
#define OUTER 4

#include "nn/kernel_body.h"
