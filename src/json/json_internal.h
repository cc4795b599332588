/* json_internal.h - what the reader, the writer and the values share. */
#ifndef JSON_JSON_INTERNAL_H
#define JSON_JSON_INTERNAL_H

#include "json/json.h"

/* Makes a string of bytes that are known to be UTF-8. */
json_value *json_string_of(const char *bytes, size_t length);
/* Finds the value of a key, null if it is new; replace it before another key is added.  NULL: out of memory. */
json_value **json_object_place(json_value *object, const char *key, size_t length);

/* A growing buffer of bytes, followed by a zero; an all-zero struct is empty. memory_release frees `bytes`. */
typedef struct json_bytes {
    char *bytes;
    size_t used, room;
} json_bytes;

/* Appends bytes; if there is no memory, returns false and changes nothing. */
bool json_add_bytes(json_bytes *to, const char *bytes, size_t length);

#endif
