/*
 * show.h - makes text from outside (names, labels, cells, words) safe to print on a terminal line.
 *
 * Everything that is not printable UTF-8 is escaped byte by byte as \xNN: control characters, line and paragraph
 * separators, marks that change the direction of writing, invalid UTF-8.  A name that is too long is cut in the middle,
 * and any other text that is too long ends in "...".
 */
#ifndef BASE_SHOW_H
#define BASE_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHOWN_BYTES = 224 }; /* room for 40 characters of up to four bytes, quotes and dots */

/* Returns the bytes of the printable character at text, of which `left` bytes remain; 0 if it must be escaped. */
int show_printable_length(const char *text, int64_t left);

/* Shows at most `max` characters, and no more than fit with the dots into the `bytes` >= 8 of out.  Returns out. */
char *show_text(char *out, size_t bytes, const char *text, int64_t length, int64_t max);

/* Shows at most 40 characters, in quotes. */
const char *show_bytes(char out[SHOWN_BYTES], const char *text, int64_t length);
/* Shows a name in at most 40 characters, in quotes: of a longer one the beginning and the end. */
const char *show_quoted(char out[SHOWN_BYTES], const char *text);

/* Shows a name in the same way, but without quotes unless it is empty. */
const char *show_bare(char out[SHOWN_BYTES], const char *text);

/* A list "a, b, c and 4 more": at most `max` names, as show_bare or show_quoted writes them, and how many are left. */
enum { SHOW_LIST_MAX = 16, SHOW_LIST_BYTES = SHOW_LIST_MAX * (SHOWN_BYTES + 2) + 40 };
typedef struct show_list {
    char text[SHOW_LIST_BYTES];
    size_t used;
    int64_t max, count; /* max is at most SHOW_LIST_MAX */
    bool quoted;
} show_list;
void show_list_add(show_list *list, const char *name);
const char *show_list_end(show_list *list);

/* Shows at most 200 characters of a path: paths often differ only at their ends. */
enum { SHOWN_PATH_BYTES = 1024 };
const char *show_path(char out[SHOWN_PATH_BYTES], const char *path);

#endif
