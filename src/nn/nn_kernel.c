/* nn_kernel.c - lists the kernels of networks, and chooses one. */
#include "nn/nn_kernel.h"

#if defined __aarch64__

extern const nn_kernel kernel_neon, kernel_sve256;

static const void *const KERNELS_OF_NETS[INSTRUCTION_SETS] = {[SET_NEON] = &kernel_neon, [SET_SVE256] = &kernel_sve256};

#elif defined __x86_64__

extern const nn_kernel kernel_sse2, kernel_avx2, kernel_avx512;

static const void *const KERNELS_OF_NETS[INSTRUCTION_SETS] = {
    [SET_SSE2] = &kernel_sse2, [SET_AVX2] = &kernel_avx2, [SET_AVX512] = &kernel_avx512};

#else

extern const nn_kernel kernel_plain;

static const void *const KERNELS_OF_NETS[INSTRUCTION_SETS] = {[SET_PLAIN] = &kernel_plain};

#endif

const nn_kernel *kernel_for(instruction_set set)
{
    return KERNELS_OF_NETS[set];
}

nonsens_status kernel_choose(nonsens_context *ctx, const nn_kernel **out)
{
    *out = instruction_set_choose(KERNELS_OF_NETS);
    return instruction_set_check(ctx);
}
