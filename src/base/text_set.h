/*
 * text_set.h - distinct texts, numbered in order of first appearance; linear time in total.
 */
#ifndef BASE_TEXT_SET_H
#define BASE_TEXT_SET_H

#include "base/memory.h"

typedef struct text_set {
    arena *keep;    /* owns the texts */
    arena *scratch; /* owns the rest */
    char **text;    /* (count) */
    uint64_t *hash; /* (count) */
    int64_t count, capacity;
    int32_t *slot; /* (slots) open addressing: 1 + index, or 0; slots is a power of two */
    int64_t slots;
    char *pool; /* room for further texts */
    int64_t pool_left;
} text_set;

/* Finds or adds a text; *index is its number, which equals the previous count if the text is new. */
nonsens_status text_set_put(nonsens_context *ctx, text_set *set, const char *text, int64_t length, int32_t *index);

#endif
