/* nearest.c - the distance between words, in edits, and the nearest word of a list. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { MAX_LETTERS = 40 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Counts the letters to add, drop, replace or swap with their neighbour; MAX_LETTERS if a word is longer than that. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), rows[3][MAX_LETTERS + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    if (m > MAX_LETTERS || n > MAX_LETTERS) {
        return MAX_LETTERS;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            row[j] = smaller(last[j - 1] + (a[i - 1] != b[j - 1]), smaller(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[n];
}

/* Returns how many edits still count as a misspelling: if they exceed a third of the letters, another word is meant. */
static size_t max_edits(const char *word)
{
    return (strlen(word) + 1) / 3;
}

nearest nearest_to(const char *word)
{
    return (nearest){word, NULL, max_edits(word) + 1, false};
}

/* A candidate that contains the typed word counts as one edit more than the maximum: nearer words win, and several such
 * candidates tie. */
void nearest_offer(nearest *n, const char *candidate)
{
    size_t length = strlen(n->word), max_distance = max_edits(n->word);
    if (length < 2 || length > MAX_LETTERS) {
        return; // a single letter is near all others, and nothing is near a very long word
    }
    size_t distance = edit_distance(n->word, candidate);
    bool within = length >= 3 && strstr(candidate, n->word);
    if (distance > max_distance) {
        distance = within ? max_distance + 1 : MAX_LETTERS + 1;
    }
    if (distance > max_distance + 1 || (n->found && distance > n->distance)) {
        return;
    }
    n->tied = n->found && distance == n->distance && (n->tied || strcmp(n->found, candidate) != 0);
    n->found = n->tied ? n->found : candidate;
    n->distance = distance;
}

const char *nearest_hint(const nearest *n, char out[HINT_BYTES])
{
    char shown[SHOWN_BYTES];
    out[0] = '\0';
    if (n->found && !n->tied) {
        snprintf(out, HINT_BYTES, ". Did you mean %s?", show_quoted(shown, n->found));
    }
    return out;
}

const char *nearest_word(const char *word, const char *const *list)
{
    nearest n = nearest_to(word);
    for (; *list; list++) {
        nearest_offer(&n, *list);
    }
    return n.tied ? NULL : n.found;
}
