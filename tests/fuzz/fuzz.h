/* fuzz.h - what the targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the reader promises; a broken promise is a crash, which the fuzzer keeps. */
static inline void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

#endif
