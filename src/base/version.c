/* version.c - the version of the library and how it was built. */
#include "nonsens/nonsens.h"

/* The build defines the name of the BLAS it links, since a Fortran interface cannot be asked for it. */
#ifndef NONSENS_BLAS
#define NONSENS_BLAS "OpenBLAS (serial)"
#endif

#define TEXT_OF(token) #token
#define TEXT_OF_VALUE(macro) TEXT_OF(macro)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#if defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__x86_64__)
#define MACHINE "x86_64"
#else
#define MACHINE "other"
#endif

#if defined(__OPTIMIZE__)
#define OPTIMISED "yes"
#else
#define OPTIMISED "no"
#endif

#if defined(_OPENMP)
#define THREADS "OpenMP " TEXT_OF_VALUE(_OPENMP)
#else
#define THREADS "none"
#endif

const char *nonsens_version(void)
{
    return NONSENS_VERSION;
}

const char *nonsens_build_info(void)
{
    return "compiler: " COMPILER "\n"
           "machine: " MACHINE "\n"
           "optimised: " OPTIMISED "\n"
           "threads: " THREADS "\n"
           "linear algebra: " NONSENS_BLAS "\n";
}
