/*
 * json_value.c - values of JSON.
 *
 * An object has its members in one array, in their order, with an index behind it: slots for twice as many numbers of
 * members, found by the hash of the key.  Keys lie one behind another in a block of their own.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "json/json_internal.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* What every value begins with. */
struct json_value {
    enum json_type type;
    bool incomplete;    /* lacks a part; those of its parts know it themselves */
    int64_t references; /* 0: is never freed */
};

typedef struct number {
    json_value head;
    int64_t integer;
    double real;
} number;

typedef struct string {
    json_value head;
    char text[]; /* with a zero behind it */
} string;

typedef struct array {
    json_value head;
    size_t count, room; /* room in bytes */
    json_value **item;
} array;

typedef struct member {
    size_t key; /* where it begins among the keys */
    uint64_t hash;
    json_value *value;
} member;

typedef struct object {
    json_value head;
    size_t count, room; /* room in members */
    member *member;     /* (room), and behind it the index: (2 * room) 1 + number of the member, 0: free */
    size_t key_bytes, key_room;
    char *keys; /* each with a zero behind it */
} object;

enum { FIRST_BYTES = 64, FIRST_MEMBERS = 4 };

void *json_grow(void *block, size_t used, size_t *room, size_t wanted)
{
    size_t larger = *room ? *room : FIRST_BYTES;
    if (block && wanted <= *room) {
        return block;
    }
    while (larger < wanted) {
        larger *= 2;
    }
    void *copy = memory_get(larger, 1);
    if (copy && used > 0) {
        memcpy(copy, block, used);
    }
    if (copy) {
        memory_release(block);
        *room = larger;
    }
    return copy;
}

/* ---- making ---- */

static void *value_new(enum json_type type, size_t bytes)
{
    json_value *value = memory_get(1, bytes);
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
    number *made = value_new(JSON_INTEGER, sizeof *made);
    if (made) {
        made->integer = value;
    }
    return (json_value *)made;
}

json_value *json_real(double value)
{
    number *made = isfinite(value) ? value_new(JSON_REAL, sizeof *made) : NULL;
    if (made) {
        made->real = value;
    }
    return (json_value *)made;
}

json_value *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
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
    return value_new(JSON_ARRAY, sizeof(array));
}

json_value *json_object(void)
{
    return value_new(JSON_OBJECT, sizeof(object));
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

json_value *json_incref(json_value *value)
{
    if (value && value->references > 0) {
        value->references++;
    }
    return value;
}

static void free_parts(json_value *value)
{
    json_value *part;
    const char *key;
    for (size_t i = 0; (part = json_at(value, i, &key)); i++) {
        json_decref(part);
    }
    if (value->type == JSON_ARRAY) {
        memory_release(((array *)value)->item);
    }
    if (value->type == JSON_OBJECT) {
        memory_release(((object *)value)->member);
        memory_release(((object *)value)->keys);
    }
}

void json_decref(json_value *value)
{
    if (value && value->references > 0 && --value->references == 0) {
        free_parts(value);
        memory_release(value);
    }
}

/* ---- arrays ---- */

/* Because a part could not be put into it. */
static bool lose(json_value *whole, json_value *part)
{
    if (json_is(whole, JSON_ARRAY | JSON_OBJECT)) {
        whole->incomplete = true;
    }
    json_decref(part);
    return false;
}

bool json_array_append(json_value *whole, json_value *value)
{
    array *a = json_is(whole, JSON_ARRAY) ? (array *)whole : NULL;
    size_t used = json_array_size(whole) * sizeof value;
    json_value **item = a && value ? json_grow(a->item, used, &a->room, used + sizeof value) : NULL;
    if (!item) {
        return lose(whole, value);
    }
    a->item = item;
    a->item[a->count++] = value;
    return true;
}

size_t json_array_size(const json_value *value)
{
    return json_is(value, JSON_ARRAY) ? ((const array *)value)->count : 0;
}

json_value *json_array_get(const json_value *value, size_t index)
{
    return index < json_array_size(value) ? ((const array *)value)->item[index] : NULL;
}

/* ---- objects ---- */

static bool is_key(const object *o, const member *m, const char *key, size_t length, uint64_t hash)
{
    const char *there = o->keys + m->key;
    return m->hash == hash && strncmp(there, key, length) == 0 && there[length] == '\0';
}

/* The slot of the key, or the free one that it would get. */
static uint32_t *find_slot(const object *o, const char *key, size_t length, uint64_t hash)
{
    uint32_t *slot = (uint32_t *)(void *)(o->member + o->room);
    size_t last = 2 * o->room - 1, at = hash_fold(hash) & last;
    while (slot[at] && !is_key(o, &o->member[slot[at] - 1], key, length, hash)) {
        at = (at + 1) & last;
    }
    return &slot[at];
}

static bool grow_members(object *o)
{
    size_t room = o->room ? 2 * o->room : FIRST_MEMBERS;
    member *larger = memory_get(room, sizeof *larger + 2 * sizeof(uint32_t));
    if (!larger) {
        return false;
    }
    if (o->count > 0) {
        memcpy(larger, o->member, o->count * sizeof *larger);
    }
    memory_release(o->member);
    o->member = larger;
    o->room = room;
    for (size_t i = 0; i < o->count; i++) {
        const char *key = o->keys + larger[i].key;
        *find_slot(o, key, strlen(key), larger[i].hash) = (uint32_t)i + 1;
    }
    return true;
}

json_value **json_object_place(json_value *whole, const char *key, size_t length)
{
    object *o = json_is(whole, JSON_OBJECT) ? (object *)whole : NULL;
    uint64_t hash = HASH_START;
    hash_bytes(&hash, key, length);
    if (!o || (o->count == o->room && !grow_members(o))) {
        return NULL;
    }
    uint32_t *slot = find_slot(o, key, length, hash);
    if (*slot == 0) {
        char *keys = json_grow(o->keys, o->key_bytes, &o->key_room, o->key_bytes + length + 1);
        if (!keys) {
            return NULL;
        }
        o->keys = keys;
        memcpy(keys + o->key_bytes, key, length); // the zero behind it is there
        o->member[o->count++] = (member){o->key_bytes, hash, json_null()};
        o->key_bytes += length + 1;
        *slot = (uint32_t)o->count;
    }
    return &o->member[*slot - 1].value;
}

bool json_object_set(json_value *whole, const char *key, json_value *value)
{
    size_t length = strlen(key);
    bool valid = value && utf8_is_valid(key, (int64_t)length);
    json_value **place = valid ? json_object_place(whole, key, length) : NULL;
    if (!place) {
        return lose(whole, value);
    }
    json_decref(*place);
    *place = value;
    return true;
}

size_t json_object_size(const json_value *value)
{
    return json_is(value, JSON_OBJECT) ? ((const object *)value)->count : 0;
}

json_value *json_object_get(const json_value *value, const char *key)
{
    const object *o = (const object *)value;
    size_t length = strlen(key);
    uint64_t hash = HASH_START;
    hash_bytes(&hash, key, length);
    uint32_t found = json_object_size(value) > 0 ? *find_slot(o, key, length, hash) : 0;
    return found ? o->member[found - 1].value : NULL;
}

/* ---- asking ---- */

enum json_type json_type_of(const json_value *value)
{
    return value ? value->type : JSON_MISSING;
}

bool json_is(const json_value *value, unsigned types)
{
    return json_type_of(value) & types;
}

bool json_has(const json_value *whole, const char *key, unsigned types)
{
    return json_is(json_object_get(whole, key), types);
}

const char *json_string_value(const json_value *value)
{
    return json_is(value, JSON_STRING) ? ((const string *)value)->text : NULL;
}

int64_t json_integer_value(const json_value *value)
{
    return json_is(value, JSON_INTEGER) ? ((const number *)value)->integer : 0;
}

double json_number_value(const json_value *value)
{
    return json_is(value, JSON_REAL) ? ((const number *)value)->real : (double)json_integer_value(value);
}

bool json_is_true(const json_value *value)
{
    return value == &truth[true];
}

const char *json_get_string(const json_value *whole, const char *key)
{
    return json_string_value(json_object_get(whole, key));
}

int64_t json_get_integer(const json_value *whole, const char *key, int64_t otherwise)
{
    const json_value *value = json_object_get(whole, key);
    return json_is(value, JSON_INTEGER) ? json_integer_value(value) : otherwise;
}

double json_get_number(const json_value *whole, const char *key)
{
    const json_value *value = json_object_get(whole, key);
    return json_is(value, JSON_NUMBER) ? json_number_value(value) : NAN;
}

json_value *json_at(const json_value *value, size_t index, const char **key)
{
    const object *o = (const object *)value;
    bool is_member = index < json_object_size(value);
    *key = is_member ? o->keys + o->member[index].key : NULL;
    return is_member ? o->member[index].value : json_array_get(value, index);
}

bool json_is_complete(const json_value *value)
{
    const json_value *part;
    const char *key;
    bool complete = value && !value->incomplete;
    for (size_t i = 0; complete && (part = json_at(value, i, &key)); i++) {
        complete = json_is_complete(part);
    }
    return complete;
}

static bool equal_parts(const json_value *a, const json_value *b)
{
    const json_value *part;
    const char *key;
    bool equal = json_array_size(a) == json_array_size(b) && json_object_size(a) == json_object_size(b);
    for (size_t i = 0; equal && (part = json_at(a, i, &key)); i++) {
        equal = json_equal(part, key ? json_object_get(b, key) : json_array_get(b, i));
    }
    return equal;
}

bool json_equal(const json_value *a, const json_value *b)
{
    if (!a || !b || a->type != b->type) {
        return false;
    }
    if (json_is(a, JSON_NULL | JSON_BOOLEAN)) {
        return a == b; // there is one of each
    }
    if (json_is(a, JSON_STRING)) {
        return strcmp(json_string_value(a), json_string_value(b)) == 0;
    }
    return json_integer_value(a) == json_integer_value(b) && json_number_value(a) == json_number_value(b) &&
           equal_parts(a, b);
}
