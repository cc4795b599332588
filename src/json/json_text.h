/*
 * json_text.h - JSON to and from text.  jansson ignores some allocations that fail (json_dumps then leaves out a key)
 * and gives no reason for others; here each is reported.
 */
#ifndef JSON_JSON_TEXT_H
#define JSON_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The value as text, as json_dumps writes it; NULL without memory.  The caller gives it back by memory_release. */
char *json_text(const json_t *value, size_t flags);

/* About the most that json_parse takes for this text, in bytes. */
size_t json_memory(const char *bytes, size_t size);

/*
 * As json_loadb, of whose flags JSON_REJECT_DUPLICATES is known; *no_memory says whether that is why it is NULL.  error
 * may be NULL, else has the line, the column and what is wrong there.
 */
json_t *json_parse(const char *bytes, size_t size, size_t flags, json_error_t *error, bool *no_memory);

#endif
