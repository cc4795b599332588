/* instruction_set.c - finds the instruction sets of this processor, and chooses among kernels. */
#include "base/instruction_set.h"

#include <stdlib.h>
#include <string.h>

static bool always(void)
{
    return true;
}

static bool never(void)
{
    return false;
}

#if defined __aarch64__

#include <sys/auxv.h>
#include <sys/prctl.h>

static bool has_sve256(void)
{
    enum { SVE = 1 << 22 /* HWCAP_SVE */, BYTES = 32 };
    return (getauxval(AT_HWCAP) & SVE) && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) == BYTES;
}

enum { HAS_X86 = 0, HAS_ARM = 1 };
#define HAS_AVX2 never
#define HAS_AVX512 never
#define HAS_SVE256 has_sve256

#elif defined __x86_64__

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

enum { HAS_X86 = 1, HAS_ARM = 0 };
#define HAS_AVX2 has_avx2
#define HAS_AVX512 has_avx512
#define HAS_SVE256 never

#else

enum { HAS_X86 = 0, HAS_ARM = 0 };
#define HAS_AVX2 never
#define HAS_AVX512 never
#define HAS_SVE256 never

#endif

typedef struct set_facts {
    const char *name;
    bool (*is_here)(void);
} set_facts;

static const set_facts SETS[INSTRUCTION_SETS] = {
    [SET_PLAIN] = {"plain", HAS_X86 || HAS_ARM ? never : always},
    [SET_SSE2] = {"sse2", HAS_X86 ? always : never},
    [SET_AVX2] = {"avx2", HAS_AVX2},
    [SET_AVX512] = {"avx512", HAS_AVX512},
    [SET_NEON] = {"neon", HAS_ARM ? always : never},
    [SET_SVE256] = {"sve256", HAS_SVE256},
};

const char *instruction_set_name(instruction_set set)
{
    return SETS[set].name;
}

bool instruction_set_is_here(instruction_set set)
{
    return SETS[set].is_here();
}

/* Returns the set of this name; INSTRUCTION_SETS if this processor has no such set. */
static instruction_set named_set(const char *wanted)
{
    instruction_set set = SET_PLAIN;
    while (set < INSTRUCTION_SETS && !(strcmp(wanted, SETS[set].name) == 0 && SETS[set].is_here())) {
        set++;
    }
    return set;
}

nonsens_status instruction_set_check(nonsens_context *ctx)
{
    const char *wanted = getenv("NONSENS_KERNEL");
    return !wanted || named_set(wanted) < INSTRUCTION_SETS
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_USAGE,
                      "NONSENS_KERNEL=%s: this processor has no such instruction set; unset it for the best one",
                      wanted);
}

const void *instruction_set_choose(const void *const kernel[INSTRUCTION_SETS])
{
    const char *wanted = getenv("NONSENS_KERNEL");
    instruction_set most = wanted ? named_set(wanted) : INSTRUCTION_SETS;
    const void *best = NULL;
    for (instruction_set set = SET_PLAIN; set < INSTRUCTION_SETS && set <= most; set++) {
        best = kernel[set] && SETS[set].is_here() ? kernel[set] : best;
    }
    return best;
}
