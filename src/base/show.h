/*
 * show.h - text that came from outside (names, labels, cells, words) made fit for a line on a terminal.
 *
 * What is not printable UTF-8 is escaped byte by byte as \xNN: control characters, line and paragraph separators,
 * marks that turn the direction of writing, broken UTF-8.  What is too long is cut and ends in "...".
 */
#ifndef BASE_SHOW_H
#define BASE_SHOW_H

#include <stddef.h>
#include <stdint.h>

enum { SHOWN_BYTES = 224 }; /* room for 40 characters of up to four bytes, quotes and dots */

/* Bytes of the printable character at text, 0 if the byte there must be escaped; `left` are there. */
int show_printable_length(const char *text, int64_t left);

/* At most `max` characters, and no more than fit into the `bytes` >= 8 of out with the dots.  Returns out. */
char *show_text(char *out, size_t bytes, const char *text, int64_t length, int64_t max);

/* At most 40 characters, in quotes. */
const char *show_bytes(char out[SHOWN_BYTES], const char *text, int64_t length);
const char *show_quoted(char out[SHOWN_BYTES], const char *text);

/* At most 40 characters without quotes, but "" if there are none. */
const char *show_bare(char out[SHOWN_BYTES], const char *text);

/* "a, b, c and 4 more": names as show_bare writes them, at most `max` of them, and how many were added. */
enum { SHOW_LIST_MAX = 16, SHOW_LIST_BYTES = SHOW_LIST_MAX * (SHOWN_BYTES + 2) + 40 };
typedef struct show_list {
    char text[SHOW_LIST_BYTES];
    size_t used;
    int64_t max, count; /* max is at most SHOW_LIST_MAX */
} show_list;
void show_list_add(show_list *list, const char *name);
const char *show_list_end(show_list *list);

/* At most 200 characters of a path: it is their ends that distinguish paths. */
enum { SHOWN_PATH_BYTES = 1024 };
const char *show_path(char out[SHOWN_PATH_BYTES], const char *path);

#endif
