/* kernel.c - which kernels there are, and which one is used. */
#include "nn/kernel.h"

#include <stdlib.h>
#include <string.h>

#if defined __aarch64__
extern const kernel kernel_neon, kernel_sve256;
static const kernel *const KERNELS[] = {&kernel_sve256, &kernel_neon, NULL};
#elif defined __x86_64__
extern const kernel kernel_sse2, kernel_avx2, kernel_avx512;
static const kernel *const KERNELS[] = {&kernel_avx512, &kernel_avx2, &kernel_sse2, NULL};
#else
extern const kernel kernel_plain;
static const kernel *const KERNELS[] = {&kernel_plain, NULL};
#endif

const kernel *const *kernel_list(void)
{
    return KERNELS;
}

nonsens_status kernel_choose(nonsens_context *ctx, const kernel **out)
{
    const char *wanted = getenv("NONSENS_KERNEL");
    for (const kernel *const *k = KERNELS; *k; k++) {
        if ((!wanted || strcmp(wanted, (*k)->name) == 0) && (*k)->is_available()) {
            *out = *k;
            return NONSENS_OK;
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "NONSENS_KERNEL=%s: this processor has no such kernel; unset it for the best one", wanted);
}
