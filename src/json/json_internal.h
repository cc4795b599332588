/* json_internal.h - what reader, writer and values share. */
#ifndef JSON_JSON_INTERNAL_H
#define JSON_JSON_INTERNAL_H

#include "json/json.h"

/* As json_string, of bytes that are known to be UTF-8. */
json_value *json_string_of(const char *bytes, size_t length);
/* The value of a key, null if the key is new, to be replaced before the next one is added.  NULL without memory. */
json_value **json_object_place(json_value *object, const char *key, size_t length);

/* Bytes that grow, with a zero behind them; all zero: none yet.  memory_release frees `bytes`. */
typedef struct json_bytes {
    char *bytes;
    size_t used, room;
} json_bytes;

/* False without memory; the bytes are then as they were. */
bool json_add_bytes(json_bytes *to, const char *bytes, size_t length);

#endif
