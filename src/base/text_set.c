/* text_set.c - distinct texts, numbered in order of first appearance. */
#include "base/text_set.h"

#include <string.h>

/* Eight bytes at a time; the last step mixes high bits into the low ones that choose the slot. */
static uint64_t hash_of(const char *text, int64_t length)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t hash = (uint64_t)length * odd;
    for (int64_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text + i, (size_t)(length - i < 8 ? length - i : 8));
        hash = (hash ^ word) * odd;
        hash ^= hash >> 29;
    }
    hash *= odd;
    return hash ^ (hash >> 32);
}

static nonsens_status grow(nonsens_context *ctx, text_set *set)
{
    enum { FIRST_CAPACITY = 64, SLOTS_PER_TEXT = 2 };
    text_set bigger = *set;
    bigger.capacity = set->capacity ? 2 * set->capacity : FIRST_CAPACITY;
    bigger.slots = SLOTS_PER_TEXT * bigger.capacity;
    ARENA_TRY(ctx, set->scratch, bigger.text, bigger.capacity);
    ARENA_TRY(ctx, set->scratch, bigger.hash, bigger.capacity);
    ARENA_TRY(ctx, set->scratch, bigger.slot, bigger.slots);
    for (int64_t i = 0; i < set->count; i++) {
        bigger.text[i] = set->text[i];
        bigger.hash[i] = set->hash[i];
        int64_t at = (int64_t)(set->hash[i] & (uint64_t)(bigger.slots - 1));
        while (bigger.slot[at]) {
            at = (at + 1) & (bigger.slots - 1);
        }
        bigger.slot[at] = (int32_t)(i + 1);
    }
    *set = bigger;
    return NONSENS_OK;
}

/* Puts many texts into one block, because an arena rounds every request up to 64 bytes. */
static nonsens_status copy_text(nonsens_context *ctx, text_set *set, const char *text, int64_t length, char **copy)
{
    enum { POOL_BYTES = 4096 };
    if (set->pool_left < length + 1) {
        set->pool_left = length + 1 > POOL_BYTES ? length + 1 : POOL_BYTES;
        ARENA_TRY(ctx, set->keep, set->pool, set->pool_left);
    }
    *copy = set->pool;
    memcpy(set->pool, text, (size_t)length);
    set->pool[length] = '\0';
    set->pool += length + 1;
    set->pool_left -= length + 1;
    return NONSENS_OK;
}

nonsens_status text_set_put(nonsens_context *ctx, text_set *set, const char *text, int64_t length, int32_t *index)
{
    if (set->count == set->capacity) {
        TRY(grow(ctx, set));
    }
    uint64_t hash = hash_of(text, length);
    int64_t at = (int64_t)(hash & (uint64_t)(set->slots - 1));
    for (; set->slot[at]; at = (at + 1) & (set->slots - 1)) {
        int32_t i = set->slot[at] - 1;
        if (set->hash[i] == hash && strncmp(set->text[i], text, (size_t)length) == 0 && !set->text[i][length]) {
            *index = i;
            return NONSENS_OK;
        }
    }
    if (set->count >= INT32_MAX) {
        return fail(ctx, NONSENS_ERR_DATA, "more than %d different labels; name a column with fewer", INT32_MAX);
    }
    TRY(copy_text(ctx, set, text, length, &set->text[set->count]));
    set->hash[set->count] = hash;
    *index = (int32_t)set->count;
    set->count++;
    set->slot[at] = (int32_t)set->count;
    return NONSENS_OK;
}
