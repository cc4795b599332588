/*
 * json_value.c - values of JSON in memory.
 *
 * Arrays and objects hold their parts in one block, in order.  The members of an object are followed by its index:
 * twice as many slots with numbers of members, found by the hash of the key.  Keys are in a separate block.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "json/json_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* A number, or the head of any other value. */
struct json_value {
    enum json_type type;
    bool incomplete;    /* lacks a part of its own; parts have their own flags */
    int64_t references; /* 0: never freed */
    union {
        int64_t integer;
        double real;
    };
};

typedef struct string {
    json_value head;
    char text[]; /* with a zero behind it */
} string;

typedef struct part {
    json_value *value;
    size_t key; /* of a member: where its key begins in `keys` */
    uint64_t hash;
} part;

/* An array or an object. */
typedef struct container {
    json_value head;
    uint32_t count, room;
    part *part;      /* (room); of an object with the index behind it: (2 * room) 1 + number of the member, 0: free */
    json_bytes keys; /* each ends in a zero */
} container;

bool json_add_bytes(json_bytes *to, const char *bytes, size_t length)
{
    size_t room = to->room ? to->room : 32;
    while (room <= to->used + length) {
        room *= 2;
    }
    char *larger = room > to->room ? memory_get_small(room, 1) : to->bytes;
    if (!larger) {
        return false;
    }
    if (to->bytes && larger != to->bytes) {
        memcpy(larger, to->bytes, to->used);
        memory_release(to->bytes);
    }
    memcpy(larger + to->used, bytes, length);
    *to = (json_bytes){larger, to->used + length, room};
    larger[to->used] = '\0';
    return true;
}

/* ---- making ---- */

static void *value_new(enum json_type type, size_t bytes)
{
    json_value *value = memory_get_small(1, bytes);
    if (value) {
        *value = (json_value){.type = type, .references = 1};
    }
    return value;
}

static json_value null = {.type = JSON_NULL}, truth[] = {{.type = JSON_BOOLEAN}, {.type = JSON_BOOLEAN}};

json_value *json_null(void)
{
    return &null;
}

json_value *json_boolean(bool value)
{
    return &truth[value];
}

json_value *json_integer(int64_t value)
{
    json_value *made = value_new(JSON_INTEGER, sizeof *made);
    if (made) {
        made->integer = value;
    }
    return made;
}

json_value *json_real(double value)
{
    if (!isfinite(value)) {
        return json_null();
    }
    json_value *made = value_new(JSON_REAL, sizeof *made);
    if (made) {
        made->real = value;
    }
    return made;
}

json_value *json_string_of(const char *bytes, size_t length)
{
    string *made = value_new(JSON_STRING, sizeof *made + length + 1);
    if (made) {
        memcpy(made->text, bytes, length);
    }
    return (json_value *)made;
}

json_value *json_string(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    return text && utf8_is_valid(text, (int64_t)length) ? json_string_of(text, length) : NULL;
}

json_value *json_array(void)
{
    return value_new(JSON_ARRAY, sizeof(container));
}

json_value *json_object(void)
{
    return value_new(JSON_OBJECT, sizeof(container));
}

json_value *json_array_of(int count, ...)
{
    va_list values;
    json_value *made = json_array();
    va_start(values, count);
    for (int k = 0; k < count; k++) {
        json_array_append(made, va_arg(values, json_value *));
    }
    va_end(values);
    return made;
}

json_value *json_object_of(const char *key, ...)
{
    va_list rest;
    json_value *made = json_object();
    va_start(rest, key);
    for (; key; key = va_arg(rest, const char *)) {
        json_object_set(made, key, va_arg(rest, json_value *));
    }
    va_end(rest);
    return made;
}

/* ---- references ---- */

static size_t size_of(const json_value *value)
{
    return json_is(value, JSON_ARRAY | JSON_OBJECT) ? ((const container *)value)->count : 0;
}

json_value *json_incref(json_value *value)
{
    if (value && value->references > 0) {
        value->references++;
    }
    return value;
}

void json_decref(json_value *value)
{
    const char *key;
    if (!value || value->references == 0 || --value->references > 0) {
        return;
    }
    for (size_t i = 0; i < size_of(value); i++) {
        json_decref(json_at(value, i, &key));
    }
    if (json_is(value, JSON_ARRAY | JSON_OBJECT)) {
        memory_release(((container *)value)->part);
        memory_release(((container *)value)->keys.bytes);
    }
    memory_release(value);
}

/* ---- parts ---- */

/* Drops a value that could not be put into the container, which is then incomplete. */
static bool lose(json_value *into, json_value *value)
{
    if (json_is(into, JSON_ARRAY | JSON_OBJECT)) {
        into->incomplete = true;
    }
    json_decref(value);
    return false;
}

static bool is_key(const container *w, const part *p, const char *key, size_t length, uint64_t hash)
{
    const char *stored = w->keys.bytes + p->key;
    return p->hash == hash && strncmp(stored, key, length) == 0 && stored[length] == '\0';
}

/* Finds the slot of the key, or the free slot that it would get. */
static uint32_t *find_slot(const container *w, const char *key, size_t length, uint64_t hash)
{
    uint32_t *slot = (uint32_t *)(void *)(w->part + w->room);
    size_t last = 2 * (size_t)w->room - 1, at = hash_fold(hash) & last;
    while (slot[at] && !is_key(w, &w->part[slot[at] - 1], key, length, hash)) {
        at = (at + 1) & last;
    }
    return &slot[at];
}

/* Makes room for another part. */
static bool grow(container *w)
{
    uint32_t room = w->room ? 2 * w->room : 1;
    size_t slots = w->head.type == JSON_OBJECT ? 2 : 0; // per part
    if (w->count < w->room) {
        return true;
    }
    part *larger = room > w->room ? memory_get_small(room, sizeof *larger + slots * sizeof(uint32_t)) : NULL;
    if (larger && w->part) {
        memcpy(larger, w->part, w->count * sizeof *larger);
        memory_release(w->part);
    }
    w->part = larger ? larger : w->part;
    w->room = larger ? room : w->room;
    for (uint32_t i = 0; larger && slots && i < w->count; i++) {
        const char *key = w->keys.bytes + larger[i].key;
        *find_slot(w, key, strlen(key), larger[i].hash) = i + 1;
    }
    return larger;
}

bool json_array_append(json_value *array, json_value *value)
{
    container *w = json_is(array, JSON_ARRAY) ? (container *)array : NULL;
    if (!w || !value || !grow(w)) {
        return lose(array, value);
    }
    w->part[w->count++].value = value;
    return true;
}

static uint64_t hash_of(const char *key, size_t length)
{
    uint64_t hash = HASH_START;
    hash_bytes(&hash, key, length);
    return hash;
}

json_value **json_object_place(json_value *object, const char *key, size_t length)
{
    container *w = json_is(object, JSON_OBJECT) ? (container *)object : NULL;
    uint64_t hash = hash_of(key, length);
    if (!w || !grow(w)) {
        return NULL;
    }
    uint32_t *slot = find_slot(w, key, length, hash);
    if (*slot == 0) {
        size_t begin = w->keys.used;
        if (!json_add_bytes(&w->keys, key, length)) {
            return NULL;
        }
        w->keys.used++; // its zero
        w->part[w->count++] = (part){json_null(), begin, hash};
        *slot = w->count;
    }
    return &w->part[*slot - 1].value;
}

bool json_object_set(json_value *object, const char *key, json_value *value)
{
    size_t length = strlen(key);
    bool valid = value && utf8_is_valid(key, (int64_t)length);
    json_value **place = valid ? json_object_place(object, key, length) : NULL;
    if (!place) {
        return lose(object, value);
    }
    json_decref(*place);
    *place = value;
    return true;
}

json_value *json_at(const json_value *value, size_t index, const char **key)
{
    const container *w = (const container *)value;
    if (index >= size_of(value)) {
        return NULL;
    }
    *key = json_is(value, JSON_OBJECT) ? w->keys.bytes + w->part[index].key : NULL;
    return w->part[index].value;
}

size_t json_array_size(const json_value *value)
{
    return json_is(value, JSON_ARRAY) ? size_of(value) : 0;
}

json_value *json_array_get(const json_value *value, size_t index)
{
    return index < json_array_size(value) ? ((const container *)value)->part[index].value : NULL;
}

size_t json_object_size(const json_value *value)
{
    return json_is(value, JSON_OBJECT) ? size_of(value) : 0;
}

json_value *json_object_get(const json_value *value, const char *key)
{
    const container *w = (const container *)value;
    size_t length = strlen(key);
    uint32_t found = json_object_size(value) > 0 ? *find_slot(w, key, length, hash_of(key, length)) : 0;
    return found ? w->part[found - 1].value : NULL;
}

/* ---- reading ---- */

bool json_is(const json_value *value, unsigned types)
{
    return (value ? value->type : JSON_MISSING) & types;
}

bool json_has(const json_value *object, const char *key, unsigned types)
{
    return json_is(json_object_get(object, key), types);
}

const char *json_string_value(const json_value *value)
{
    return json_is(value, JSON_STRING) ? ((const string *)value)->text : NULL;
}

int64_t json_integer_value(const json_value *value)
{
    return json_is(value, JSON_INTEGER) ? value->integer : 0;
}

double json_number_value(const json_value *value)
{
    return json_is(value, JSON_REAL) ? value->real : (double)json_integer_value(value);
}

const char *json_get_string(const json_value *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

int64_t json_get_integer(const json_value *object, const char *key, int64_t otherwise)
{
    const json_value *value = json_object_get(object, key);
    return json_is(value, JSON_INTEGER) ? json_integer_value(value) : otherwise;
}

double json_get_number(const json_value *object, const char *key)
{
    const json_value *value = json_object_get(object, key);
    return json_is(value, JSON_NUMBER) ? json_number_value(value) : NAN;
}

bool json_is_complete(const json_value *value)
{
    const char *key;
    bool complete = value && !value->incomplete;
    for (size_t i = 0; complete && i < size_of(value); i++) {
        complete = json_is_complete(json_at(value, i, &key));
    }
    return complete;
}

bool json_equal(const json_value *a, const json_value *b)
{
    const json_value *part_of_a;
    const char *key;
    if (!a || !b || a->type != b->type) {
        return false;
    }
    if (json_is(a, JSON_NULL | JSON_BOOLEAN)) {
        return a == b;
    }
    if (json_is(a, JSON_STRING)) {
        return strcmp(json_string_value(a), json_string_value(b)) == 0;
    }
    bool equal = size_of(a) == size_of(b) && json_integer_value(a) == json_integer_value(b) &&
                 json_number_value(a) == json_number_value(b);
    for (size_t i = 0; equal && (part_of_a = json_at(a, i, &key)); i++) {
        equal = json_equal(part_of_a, key ? json_object_get(b, key) : json_array_get(b, i));
    }
    return equal;
}
