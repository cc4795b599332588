/* bits.h - sets of small numbers as words of 64 bits. */
#ifndef GRAPH_BITS_H
#define GRAPH_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t bits_words(int64_t d)
{
    return (d + 63) / 64;
}

static inline bool bits_has(const uint64_t *set, int64_t i)
{
    return (set[i / 64] >> (i % 64)) & 1;
}

static inline void bits_put(uint64_t *set, int64_t i, bool value)
{
    uint64_t bit = UINT64_C(1) << (i % 64);
    set[i / 64] = value ? set[i / 64] | bit : set[i / 64] & ~bit;
}

/* Returns the smallest element that is at least `from`, or -1. */
static inline int64_t bits_next(const uint64_t *set, int64_t words, int64_t from)
{
    int64_t w = from / 64;
    if (w >= words) {
        return -1;
    }
    uint64_t word = set[w] & (~UINT64_C(0) << (from % 64));
    while (word == 0 && ++w < words) {
        word = set[w];
    }
    return w < words ? w * 64 + __builtin_ctzll(word) : -1;
}

static inline int64_t bits_count(const uint64_t *set, int64_t words)
{
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) {
        count += __builtin_popcountll(set[w]);
    }
    return count;
}

/* Loops over the elements of a set in ascending order; the loop may remove the current one. */
// NOLINTNEXTLINE(bugprone-macro-parentheses): `i` is a name that is declared here
#define BITS_EACH(i, set, words) for (int64_t i = bits_next(set, words, 0); i >= 0; i = bits_next(set, words, i + 1))

#endif
