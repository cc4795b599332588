/* hash.h - hashes of texts and numbers: FNV-1a (Fowler, Noll, Vo), 64 bits, the same on every machine. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* Initial value of a hash; FNV-1a's own has another digit, 7, at its end. */
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

/* Adds a number in one step, not byte by byte; for few and small keys. */
static inline void hash_number(uint64_t *hash, int64_t number)
{
    *hash = (*hash ^ (uint64_t)number) * UINT64_C(1099511628211);
}

/* Writes the hash as text, always of the same length. */
enum { HASH_BYTES = 17 };
static inline const char *hash_print(char text[HASH_BYTES], uint64_t hash)
{
    snprintf(text, HASH_BYTES, "%016" PRIx64, hash);
    return text;
}

/* Returns 32 bits that depend on all 64. */
static inline uint64_t hash_fold(uint64_t hash)
{
    return (hash ^ (hash >> 32)) & UINT32_MAX;
}

#endif
