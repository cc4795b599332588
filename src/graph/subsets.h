/* subsets.h - enumerates all subsets of a given size of the numbers 0 .. n-1, in lexicographic order. */
#ifndef GRAPH_SUBSETS_H
#define GRAPH_SUBSETS_H

#include <stdbool.h>
#include <stdint.h>

/* Sets index (size) to the first subset. */
static inline void subsets_first(int64_t size, int64_t *index)
{
    for (int64_t i = 0; i < size; i++) {
        index[i] = i;
    }
}

/* Goes to the next subset; returns false after the last. */
static inline bool subsets_next(int64_t n, int64_t size, int64_t *index)
{
    int64_t at = size - 1;
    while (at >= 0 && index[at] == n - size + at) {
        at--;
    }
    if (at < 0) {
        return false;
    }
    index[at]++;
    for (int64_t i = at + 1; i < size; i++) {
        index[i] = index[i - 1] + 1;
    }
    return true;
}

#endif
