/* fuzz.h - what the targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/hash.h"

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

/* A number below `many` that depends on the bytes: whose turn it is among steps that take long. */
static inline uint64_t turn_of(uint64_t many, const uint8_t *bytes, size_t size)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < size; i++) {
        hash_number(&hash, bytes[i]);
    }
    return hash_fold(hash) % many;
}

/* True for one of `many` inputs or so, always the same ones. */
static inline bool is_one_of(uint64_t many, const uint8_t *bytes, size_t size)
{
    return turn_of(many, bytes, size) == 0;
}

#endif
