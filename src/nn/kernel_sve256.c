/* SVE with vectors of 256 bits (shorter ones are no faster than NEON): 32 registers of eight floats. */
#define KERNEL kernel_sve256
#define LANES 8
#define UNITS 4
#define VECTORS 4
#define OUTER 4

#include "nn/kernel_body.h"
