/*
 * json.h - JSON values (RFC 8259), and functions that read and write them as text.
 *
 * Values count their references.  A function that makes a value returns a new reference, or NULL if memory is
 * exhausted.  An array or an object takes over the values that are put into it, even if that fails; json_incref shares
 * a value.  A value belongs to one thread at a time.
 *
 * An array or an object that lacks a part, because there was no memory for it, is incomplete. json_text and
 * json_is_complete detect that at any depth, so callers need not check every part.
 *
 * Texts and keys are UTF-8 without zero bytes.  Members keep the order in which their keys were first set.
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include "base/status.h"

typedef struct json_value json_value;

/* Types, which can be combined: JSON_STRING | JSON_NULL. */
enum json_type {
    JSON_MISSING = 1, /* NULL in place of a value */
    JSON_NULL = 2,
    JSON_BOOLEAN = 4,
    JSON_INTEGER = 8,
    JSON_REAL = 16,
    JSON_NUMBER = JSON_INTEGER | JSON_REAL,
    JSON_STRING = 32,
    JSON_ARRAY = 64,
    JSON_OBJECT = 128
};

/* ---- making ---- */

/* Return the only null, true or false, so that value == json_boolean(true) is a valid comparison. */
json_value *json_null(void);
json_value *json_boolean(bool value);
json_value *json_integer(int64_t value);
/* Makes a number, or null if it is not finite. */
json_value *json_real(double value);
/* Copies a text; NULL also if the text is NULL or not UTF-8. */
json_value *json_string(const char *text);
/* Makes a text of doubles that json_unpack reads back bit for bit. */
json_value *json_packed(const double *values, int64_t count);
json_value *json_array(void);
json_value *json_object(void);
/* Makes an array of `count` values. */
json_value *json_array_of(int count, ...);
/* Makes an object from keys and values in turn; a NULL key ends the list. */
json_value *json_object_of(const char *key, ...) __attribute__((sentinel));

/* Adds a value at the end; false, and the array is incomplete, if there is no memory or the value is NULL. */
bool json_array_append(json_value *array, json_value *value);
/* Does the same with a member; a key that exists keeps its position and gets the new value. */
bool json_object_set(json_value *object, const char *key, json_value *value);

/* Adds a reference; NULL is fine. */
json_value *json_incref(json_value *value);
/* Drops a reference, and with the last one the value; NULL is fine. */
void json_decref(json_value *value);

/* ---- asking; NULL is fine and has no parts ---- */

/* Says whether the value is of one of these types. */
bool json_is(const json_value *value, unsigned types);
/* Says whether there is a member of one of these types. */
bool json_has(const json_value *object, const char *key, unsigned types);
/* Says whether two values are the same, members in any order. */
bool json_equal(const json_value *a, const json_value *b);
/* Says whether there is a value, and no part of it was lost for lack of memory. */
bool json_is_complete(const json_value *value);

/* Returns the text of a string, else NULL. */
const char *json_string_value(const json_value *value);
/* Returns the value of an integer, else 0. */
int64_t json_integer_value(const json_value *value);
/* Returns the value of a number, else 0. */
double json_number_value(const json_value *value);

/* Reads the `count` doubles of json_packed; false if the value is not a text of this many doubles. */
bool json_unpack(const json_value *value, int64_t count, double *out);

/* Return sizes and parts, which the container still owns; 0 or NULL if there are none. */
size_t json_array_size(const json_value *array);
json_value *json_array_get(const json_value *array, size_t index);
size_t json_object_size(const json_value *object);
json_value *json_object_get(const json_value *object, const char *key);
/* Returns the item or member at an index; *key is NULL for an item, else valid until the next member is added. */
json_value *json_at(const json_value *value, size_t index, const char **key);

/* Return the text, integer or number of a member; NULL, `otherwise` or NaN if it is missing or of another type. */
const char *json_get_string(const json_value *object, const char *key);
int64_t json_get_integer(const json_value *object, const char *key, int64_t otherwise);
double json_get_number(const json_value *object, const char *key);

/* ---- text ---- */

/* Where (counted from 1) and why a text is not JSON. */
typedef struct json_error {
    int line, column;
    const char *what;
} json_error;

/*
 * Reads an array or an object.  NONSENS_ERR_DATA, without a message, if the text is not JSON: *error, which may be
 * NULL, says where.  If a key occurs twice, the last value counts; if keys must be `unique`, that is an error.
 */
nonsens_status json_parse(nonsens_context *ctx, const char *bytes, size_t size, bool unique, json_error *error,
                          json_value **out);

enum json_layout {
    JSON_COMPACT,  /* without blanks */
    JSON_ASCII,    /* without blanks, and with escapes for characters outside ASCII */
    JSON_SPACED,   /* on one line, with blanks after commas and colons */
    JSON_INDENTED, /* each part on its own line */
};

enum { JSON_EXACT_DIGITS = 17 }; /* with which every number reads back as the same value */

/* Writes a value, reals with this many significant digits.  NULL: out of memory; memory_release frees the text. */
char *json_text(const json_value *value, enum json_layout layout, int digits);

#endif
