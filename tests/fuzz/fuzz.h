/* fuzz.h - what the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Checks a promise of the reader; a broken promise is a crash, which the fuzzer reports. */
static inline void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Returns a number below `many` that depends on the bytes: selects one of several slow steps. */
static inline uint64_t turn_of(uint64_t many, const uint8_t *bytes, size_t size)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < size; i++) {
        hash_number(&hash, bytes[i]);
    }
    return hash_fold(hash) % many;
}

/* Returns true for about one in `many` inputs, always the same ones. */
static inline bool is_one_of(uint64_t many, const uint8_t *bytes, size_t size)
{
    return turn_of(many, bytes, size) == 0;
}

#endif
