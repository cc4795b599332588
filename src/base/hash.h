/* hash.h - a number for a text or for numbers: FNV-1a (Fowler, Noll, Vo), 64 bits, the same on every machine. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* Where a hash begins. */
#define HASH_START UINT64_C(1469598103934665603)

/* Adds bytes of any kind. */
static inline void hash_bytes(uint64_t *hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        *hash = (*hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    }
}

/* Adds a text and its end, so that "a", "bc" and "ab", "c" differ. */
static inline void hash_text(uint64_t *hash, const char *text)
{
    for (const char *p = text; *p; p++) {
        *hash = (*hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    }
    *hash = (*hash ^ '\n') * UINT64_C(1099511628211);
}

/* Adds a number as one piece; for keys that are few and small. */
static inline void hash_number(uint64_t *hash, int64_t number)
{
    *hash = (*hash ^ (uint64_t)number) * UINT64_C(1099511628211);
}

/* As text, the same length for all. */
enum { HASH_BYTES = 17 };
static inline const char *hash_print(char text[HASH_BYTES], uint64_t hash)
{
    snprintf(text, HASH_BYTES, "%016" PRIx64, hash);
    return text;
}

/* 32 bits that depend on all of them. */
static inline uint64_t hash_fold(uint64_t hash)
{
    return (hash ^ (hash >> 32)) & UINT32_MAX;
}

#endif
