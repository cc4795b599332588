/* SVE with vectors of 256 bits (shorter ones gain nothing over NEON): 32 registers of eight floats. */
#define KERNEL kernel_sve256
#define LANES 8
#define UNITS 4
#define VECTORS 4
#define OUTER 4
#define AVAILABLE has_sve256

#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

static bool has_sve256(void)
{
    enum { SVE = 1 << 22 /* HWCAP_SVE */, BYTES = 32 };
    return (getauxval(AT_HWCAP) & SVE) && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) == BYTES;
}

#include "nn/kernel_body.h"
