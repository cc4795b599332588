/* json_write.c - writes values of JSON as text. */
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "json/json_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 2 };

typedef struct writer {
    json_bytes text;
    bool failed;
    enum json_layout layout;
    int digits;
} writer;

static void write_value(writer *w, const json_value *value, int depth);

static void put(writer *w, const char *bytes, size_t length)
{
    w->failed = w->failed || !json_add_bytes(&w->text, bytes, length);
}

static void put_text(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

/* ---- strings and numbers ---- */

/* Returns the character that these well-formed bytes encode. */
static uint32_t decode(const char *bytes, int length)
{
    uint32_t c = (unsigned char)bytes[0] & (length == 1 ? 0x7F : 0xFF >> (length + 1));
    for (int k = 1; k < length; k++) {
        c = c << 6 | ((unsigned char)bytes[k] & 0x3F);
    }
    return c;
}

static void put_escape(writer *w, uint32_t c)
{
    static const char meant[] = "\"\\\b\f\n\r\t", sign[] = "\"\\bfnrt";
    const char *which = c < 0x80 ? memchr(meant, (int)c, sizeof meant - 1) : NULL;
    char text[16];
    if (which) {
        snprintf(text, sizeof text, "\\%c", sign[which - meant]);
    } else if (c < 0x10000) {
        snprintf(text, sizeof text, "\\u%04" PRIX32, c);
    } else {
        snprintf(text, sizeof text, "\\u%04" PRIX32 "\\u%04" PRIX32, 0xD800 + ((c - 0x10000) >> 10),
                 0xDC00 + (c & 0x3FF));
    }
    put_text(w, text);
}

static void put_string(writer *w, const char *text)
{
    const char *plain = text; // start of what needs no escape
    put_text(w, "\"");
    while (*text) {
        int length = utf8_length(text, 4);
        uint32_t c = decode(text, length);
        if (c < 0x20 || c == '"' || c == '\\' || (c > 0x7F && w->layout == JSON_ASCII)) {
            put(w, plain, (size_t)(text - plain));
            put_escape(w, c);
            plain = text + length;
        }
        text += length;
    }
    put(w, plain, (size_t)(text - plain));
    put_text(w, "\"");
}

/* Writes as %g does, but always with a point or an exponent, and the exponent without plus sign and leading zeros. */
static void put_real(writer *w, double value)
{
    char text[NUMBER_BYTES];
    char *e = strchr(number_print(text, value, w->digits), 'e'), *from = e ? e + 1 : NULL;
    if (!e) {
        put_text(w, text);
        put_text(w, strchr(text, '.') ? "" : ".0");
        return;
    }
    put(w, text, (size_t)(from - text));
    put_text(w, *from == '-' ? "-" : "");
    put_text(w, from + strspn(from, "+-0"));
}

/* ---- arrays and objects ---- */

/* Writes what comes before a part: a line break and indentation, or a blank behind a comma. */
static void put_blanks(writer *w, int depth, bool behind_comma)
{
    if (w->layout == JSON_INDENTED) {
        put_text(w, "\n");
        for (int k = 0; k < INDENT * depth; k++) {
            put_text(w, " ");
        }
    } else if (w->layout == JSON_SPACED && behind_comma) {
        put_text(w, " ");
    }
}

static void write_parts(writer *w, const json_value *value, int depth)
{
    const json_value *part;
    const char *key;
    bool is_object = json_is(value, JSON_OBJECT);
    size_t i = 0;
    put_text(w, is_object ? "{" : "[");
    for (; (part = json_at(value, i, &key)); i++) {
        put_text(w, i > 0 ? "," : "");
        put_blanks(w, depth + 1, i > 0);
        if (key) {
            put_string(w, key);
            put_text(w, w->layout == JSON_SPACED || w->layout == JSON_INDENTED ? ": " : ":");
        }
        write_value(w, part, depth + 1);
    }
    if (i > 0) {
        put_blanks(w, depth, false);
    }
    put_text(w, is_object ? "}" : "]");
}

static void write_value(writer *w, const json_value *value, int depth)
{
    char integer[24];
    if (json_is(value, JSON_ARRAY | JSON_OBJECT)) {
        write_parts(w, value, depth);
    } else if (json_is(value, JSON_STRING)) {
        put_string(w, json_string_value(value));
    } else if (json_is(value, JSON_REAL)) {
        put_real(w, json_number_value(value));
    } else if (json_is(value, JSON_INTEGER)) {
        snprintf(integer, sizeof integer, "%" PRId64, json_integer_value(value));
        put_text(w, integer);
    } else {
        put_text(w, value == json_null() ? "null" : value == json_boolean(true) ? "true" : "false");
    }
}

char *json_text(const json_value *value, enum json_layout layout, int digits)
{
    writer w = {.layout = layout, .digits = digits};
    if (!json_is_complete(value)) {
        return NULL;
    }
    write_value(&w, value, 0);
    if (w.failed) {
        memory_release(w.text.bytes);
    }
    return w.failed ? NULL : w.text.bytes;
}
