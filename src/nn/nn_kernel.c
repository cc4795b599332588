/* nn_kernel.c - lists the kernels of this architecture, finds those that this processor can run, and chooses one. */
#include "nn/nn_kernel.h"

#include <stdlib.h>
#include <string.h>

typedef struct choice {
    const nn_kernel *kernel;
    bool (*is_available)(void);
} choice;

static bool always(void)
{
    return true;
}

#if defined __aarch64__

#include <sys/auxv.h>
#include <sys/prctl.h>

extern const nn_kernel kernel_neon, kernel_sve256;

static bool has_sve256(void)
{
    enum { SVE = 1 << 22 /* HWCAP_SVE */, BYTES = 32 };
    return (getauxval(AT_HWCAP) & SVE) && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) == BYTES;
}

static const choice CHOICES[] = {{&kernel_sve256, has_sve256}, {&kernel_neon, always}};

#elif defined __x86_64__

extern const nn_kernel kernel_sse2, kernel_avx2, kernel_avx512;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static const choice CHOICES[] = {{&kernel_avx512, has_avx512}, {&kernel_avx2, has_avx2}, {&kernel_sse2, always}};

#else

extern const nn_kernel kernel_plain;

static const choice CHOICES[] = {{&kernel_plain, always}};

#endif

enum { COUNT = sizeof CHOICES / sizeof *CHOICES };

nonsens_status kernel_choose(nonsens_context *ctx, const nn_kernel **out)
{
    const char *wanted = getenv("NONSENS_KERNEL");
    for (int i = 0; i < COUNT; i++) {
        *out = CHOICES[i].kernel;
        if ((!wanted || strcmp(wanted, (*out)->name) == 0) && CHOICES[i].is_available()) {
            return NONSENS_OK;
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "NONSENS_KERNEL=%s: this processor has no such kernel; unset it for the best one", wanted);
}

int64_t kernel_count(void)
{
    return COUNT;
}

const nn_kernel *kernel_at(int64_t index, bool *is_available)
{
    *is_available = CHOICES[index].is_available();
    return CHOICES[index].kernel;
}
