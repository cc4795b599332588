/* nearest.h - the word that was probably meant, among those that there are. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/show.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct nearest {
    const char *word, *found; /* found: NULL as long as no word is near */
    size_t distance;          /* edits that lead to it, or the first number of edits that is too many */
    bool tied;                /* several are as near: none of them is a guess */
} nearest;

nearest nearest_to(const char *word);
/* The candidate must outlive `n`. */
void nearest_offer(nearest *n, const char *candidate);

enum { HINT_BYTES = SHOWN_BYTES + 20 };
/* ". Did you mean "NAME"?", to end a message with; empty where no word is near. */
const char *nearest_hint(const nearest *n, char out[HINT_BYTES]);

/* The word of the list (ended by NULL) that is nearest; NULL if none or several are. */
const char *nearest_word(const char *word, const char *const *list);

#endif
