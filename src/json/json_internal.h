/* json_internal.h - what reader, writer and values share. */
#ifndef JSON_JSON_INTERNAL_H
#define JSON_JSON_INTERNAL_H

#include "json/json.h"

/* As json_string, of bytes that are known to be UTF-8. */
json_value *json_string_of(const char *bytes, size_t length);
/* The value of a key, null if the key is new, to be replaced before the next one is added.  NULL without memory. */
json_value **json_object_place(json_value *object, const char *key, size_t length);

enum json_type json_type_of(const json_value *value);

/*
 * A block of at least `wanted` bytes that begins with the `used` ones of the old block, which is released: the old
 * block itself if its *room is enough.  NULL without memory; the old block is then as it was.
 */
void *json_grow(void *block, size_t used, size_t *room, size_t wanted);

#endif
