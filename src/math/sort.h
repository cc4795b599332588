/*
 * sort.h - stable sorting of numbers and of (key, row) pairs: O(n log n) for any input, no recursion; only functions
 * with an arena argument allocate.
 */
#ifndef MATH_SORT_H
#define MATH_SORT_H

#include "base/memory.h"

typedef struct sort_entry {
    uint64_t key;
    int64_t row;
} sort_entry;

/* Compares two rows with equal keys: negative, zero or positive. */
typedef int (*sort_tie_fn)(const void *state, int64_t row_a, int64_t row_b);

/* Returns a number whose unsigned order is the order of finite doubles; -0.0 counts as 0.0. */
uint64_t sort_key(double value);
/* Returns the double that the key was made from. */
double sort_value(uint64_t key);

/* Sorts ascending by key, then by `tie` (may be NULL), then in the order given.  spare: n entries of scratch. */
void sort_entries(sort_entry *entry, sort_entry *spare, int64_t n, sort_tie_fn tie, const void *state);

/* Fills entry (n) with the keys of values (n) and rows 0..n-1, and sorts it. */
void sort_column(const double *value, int64_t n, sort_entry *entry, sort_entry *spare);

/* Sorts v (n) ascending; spare: n numbers of scratch.  No NaN. */
void sort_doubles(int64_t n, double *v, double *spare);

/* Copies v (n) into the arena in ascending order. */
nonsens_status sort_copy(nonsens_context *ctx, arena *a, int64_t n, const double *v, double **out);

/* Computes rank (n), the ranks of the values, from 0; equal values share their mean rank. */
nonsens_status sort_ranks(nonsens_context *ctx, arena *scratch, int64_t n, const double *value, double *rank);

#endif
