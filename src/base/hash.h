/* hash.h - a number for a text: 64-bit FNV-1a (Fowler, Noll, Vo), the same on every machine. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* Where a hash begins. */
#define HASH_START UINT64_C(1469598103934665603)

/* Adds a text and its end, so that "a", "bc" and "ab", "c" differ. */
static inline void hash_text(uint64_t *hash, const char *text)
{
    for (const char *p = text; *p; p++) {
        *hash = (*hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    }
    *hash = (*hash ^ '\n') * UINT64_C(1099511628211);
}

#endif
