/* nearest.h - finds the valid word that a misspelled word probably stands for. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/show.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct nearest {
    const char *word, *found; /* found: NULL while no word is near */
    size_t distance;          /* edits between the two, or the smallest number of edits that is too many */
    bool tied;                /* several are equally near, so none is suggested */
} nearest;

/* Starts the search for the word nearest to `word`. */
nearest nearest_to(const char *word);
/* Offers a candidate, which must outlive `n`. */
void nearest_offer(nearest *n, const char *candidate);

enum { HINT_BYTES = SHOWN_BYTES + 20 };
/* Writes ". Did you mean "NAME"?" for the end of a message; empty if no word is near. */
const char *nearest_hint(const nearest *n, char out[HINT_BYTES]);

/* Returns the nearest word of the list, which ends with NULL; NULL if no word is near or several are equally near. */
const char *nearest_word(const char *word, const char *const *list);

#endif
