/* nearest.h - finds the word that was probably meant among the valid ones. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/show.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct nearest {
    const char *word, *found; /* found: NULL as long as no word is near */
    size_t distance;          /* edits that lead to it, or the first number of edits that is too many */
    bool tied;                /* several are equally near, so none is suggested */
} nearest;

/* Starts the search for the word nearest to `word`. */
nearest nearest_to(const char *word);
/* Offers a candidate, which must outlive `n`. */
void nearest_offer(nearest *n, const char *candidate);

enum { HINT_BYTES = SHOWN_BYTES + 20 };
/* Writes ". Did you mean "NAME"?" for the end of a message; empty if no word is near. */
const char *nearest_hint(const nearest *n, char out[HINT_BYTES]);

/* Returns the word of the list (ended by NULL) that is nearest; NULL if none or several are. */
const char *nearest_word(const char *word, const char *const *list);

#endif
