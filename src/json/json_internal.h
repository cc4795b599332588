/* json_internal.h - what the reader, the writer and the values share. */
#ifndef JSON_JSON_INTERNAL_H
#define JSON_JSON_INTERNAL_H

#include "json/json.h"

/* Makes a string of bytes that are known to be UTF-8. */
json_value *json_string_of(const char *bytes, size_t length);
/* Finds the value of a key, null if the key is new; replace it before the next one is added.  NULL without memory. */
json_value **json_object_place(json_value *object, const char *key, size_t length);

/* A buffer of bytes that grows, with a zero behind them; all zero: empty.  memory_release frees `bytes`. */
typedef struct json_bytes {
    char *bytes;
    size_t used, room;
} json_bytes;

/* Appends bytes; false, and nothing changes, without memory. */
bool json_add_bytes(json_bytes *to, const char *bytes, size_t length);

#endif
