/* ci_store.c - a hash table with open addressing and linear probing, at most half full. */
#include "indep/ci_store.h"

#include "base/hash.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

struct ci_entry {
    uint64_t hash;
    int64_t length;
    const int64_t *key; /* (length) */
    void *value;        /* NULL: the slot is free */
};

/* Hashes a key, mixed at the end so that the low bits depend on all numbers. */
static uint64_t hash_key(int64_t length, const int64_t *key)
{
    uint64_t h = HASH_START;
    for (int64_t i = 0; i < length; i++) {
        hash_number(&h, key[i]);
    }
    h ^= h >> 32;
    return (h * UINT64_C(0x9e3779b97f4a7c15)) ^ (h >> 29);
}

/* Finds the slot of the key, or the free slot where it belongs. */
static struct ci_entry *find_slot(struct ci_entry *entry, int64_t capacity, uint64_t hash, int64_t length,
                                  const int64_t *key)
{
    uint64_t mask = (uint64_t)capacity - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        struct ci_entry *e = entry + at;
        if (!e->value ||
            (e->hash == hash && e->length == length && memcmp(e->key, key, (size_t)length * sizeof *key) == 0)) {
            return e;
        }
    }
}

void *ci_store_find(const ci_store *store, int64_t length, const int64_t *key)
{
    return store->capacity ? find_slot(store->entry, store->capacity, hash_key(length, key), length, key)->value : NULL;
}

static nonsens_status grow(nonsens_context *ctx, ci_store *store)
{
    int64_t capacity = store->capacity ? 2 * store->capacity : FIRST_CAPACITY;
    struct ci_entry *larger = memory_get((size_t)capacity, sizeof *larger);
    if (!larger) {
        return fail_memory(ctx);
    }
    for (int64_t i = 0; i < store->capacity; i++) {
        const struct ci_entry *e = store->entry + i;
        if (e->value) {
            *find_slot(larger, capacity, e->hash, e->length, e->key) = *e;
        }
    }
    memory_release(store->entry);
    store->entry = larger;
    store->capacity = capacity;
    return NONSENS_OK;
}

nonsens_status ci_store_put(nonsens_context *ctx, ci_store *store, int64_t length, const int64_t *key, void *value)
{
    int64_t *copy;
    if (2 * (store->count + 1) > store->capacity) {
        TRY(grow(ctx, store));
    }
    ARENA_TRY(ctx, &store->memory, copy, length);
    memcpy(copy, key, (size_t)length * sizeof *copy);
    uint64_t hash = hash_key(length, key);
    *find_slot(store->entry, store->capacity, hash, length, key) = (struct ci_entry){hash, length, copy, value};
    store->count++;
    return NONSENS_OK;
}

void ci_store_free(ci_store *store, void (*release)(void *value))
{
    for (int64_t i = 0; i < store->capacity; i++) {
        if (store->entry[i].value) {
            release(store->entry[i].value);
        }
    }
    memory_release(store->entry);
    arena_free(&store->memory);
    *store = (ci_store){.count = 0};
}
