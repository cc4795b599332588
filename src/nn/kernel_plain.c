/* Other architectures: vectors of four floats, compiled to the instructions of the target. */
#define KERNEL kernel_plain
#define LANES 4
#define UNITS 4
#define VECTORS 2
#define OUTER 2

#include "nn/kernel_body.h"
