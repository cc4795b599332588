/*
 * ci_store.h - what tests of independence keep between questions: pointers, found by keys that are short lists of
 * numbers.
 *
 * It never drops or moves what it holds.  It is not safe for several threads at once: the caller locks.
 */
#ifndef INDEP_CI_STORE_H
#define INDEP_CI_STORE_H

#include "base/memory.h"

typedef struct ci_store {
    arena memory; /* keys */
    struct ci_entry *entry;
    int64_t count, capacity; /* a power of two */
} ci_store;

/* Finds what was put under the key (length numbers); NULL if nothing was. */
void *ci_store_find(const ci_store *store, int64_t length, const int64_t *key);

/* Keeps a pointer under a key that is not there yet; the key is copied. */
nonsens_status ci_store_put(nonsens_context *ctx, ci_store *store, int64_t length, const int64_t *key, void *value);

/* Calls `release` with every pointer, then empties the store. */
void ci_store_free(ci_store *store, void (*release)(void *value));

#endif
