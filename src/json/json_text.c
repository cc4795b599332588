#include "json/json_text.h"

#include "base/memory.h"

#include <string.h>

enum { FIRST_BYTES = 1 << 12 };

typedef struct text_sink {
    char *bytes;
    size_t used, size;
    bool failed;
} text_sink;

static bool grow(text_sink *s, size_t wanted)
{
    size_t size = s->size ? s->size : FIRST_BYTES;
    while (size < wanted) {
        size *= 2;
    }
    char *larger = memory_get(size, 1);
    if (larger && s->used) {
        memcpy(larger, s->bytes, s->used);
    }
    if (larger) {
        memory_release(s->bytes);
        s->bytes = larger;
        s->size = size;
    }
    return larger != NULL;
}

/* Once it has failed nothing more is taken: the library may go on where it should not. */
static int take(const char *buffer, size_t size, void *data)
{
    text_sink *s = data;
    s->failed = s->failed || (s->used + size + 1 > s->size && !grow(s, s->used + size + 1));
    if (s->failed) {
        return -1;
    }
    memcpy(s->bytes + s->used, buffer, size);
    s->used += size;
    return 0;
}

char *json_text(const json_t *value, size_t flags)
{
    text_sink s = {0};
    if (json_dump_callback(value, take, &s, flags) == 0 && !s.failed) {
        s.bytes[s.used] = '\0';
        return s.bytes;
    }
    memory_release(s.bytes);
    return NULL;
}

/*
 * What the JSON library 2.14 takes on a 64-bit system for an object and its first buckets, an array and its first
 * places, a value of any other kind with a place for it, and a key: counted by the signs that go with them, which are
 * more than there are where texts hold some.
 */
size_t json_memory(const char *bytes, size_t size)
{
    enum { OBJECT = 230, ARRAY = 130, VALUE = 64, KEY = 110 };
    size_t sum = VALUE + size;
    for (size_t i = 0; i < size; i++) {
        switch (bytes[i]) {
        case '{':
            sum += OBJECT + VALUE;
            break;
        case '[':
            sum += ARRAY + VALUE;
            break;
        case ',':
            sum += VALUE;
            break;
        case ':':
            sum += KEY;
            break;
        default:
            break;
        }
    }
    return sum;
}
