/* json_parse.c - reads JSON (RFC 8259) from text. */
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "json/json_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 2048 };

typedef struct reader {
    nonsens_context *ctx;
    const char *at, *end;
    bool unique; /* no key may occur twice */
    int depth;
    nonsens_status status;
    const char *wrong; /* what is wrong at `at`; NULL if nothing is */
    json_bytes text;   /* the last string or key, without escapes */
} reader;

static json_value *read_value(reader *r);

static bool refuse(reader *r, const char *wrong)
{
    r->status = NONSENS_ERR_DATA;
    r->wrong = wrong;
    return false;
}

static bool fail_reader(reader *r)
{
    r->status = fail_memory(r->ctx);
    return false;
}

/* Returns a new value, or NULL if there is no memory or the limit of the context is exceeded. */
static json_value *made(reader *r, json_value *value)
{
    r->status = value ? memory_check(r->ctx) : fail_memory(r->ctx);
    if (r->status != NONSENS_OK) {
        json_decref(value);
        return NULL;
    }
    return value;
}

/* Takes the next byte if it is one of these. */
static bool take(reader *r, const char *bytes)
{
    bool found = r->at < r->end && *r->at && strchr(bytes, *r->at);
    r->at += found;
    return found;
}

/* Skips blanks, then does the same. */
static bool take_sign(reader *r, const char *sign)
{
    while (take(r, " \t\n\r")) {
    }
    return take(r, sign);
}

/* ---- strings ---- */

/* Reads four hexadecimal digits; -1 if there are not four. */
static int32_t hex_unit(const char *at, const char *end)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int32_t unit = 0;
    for (int k = 0; k < 4; k++) {
        const char *digit = at + k < end ? memchr(digits, at[k], sizeof digits - 1) : NULL;
        if (!digit) {
            return -1;
        }
        unit = unit * 16 + (int32_t)(digit - digits) % 16;
    }
    return unit;
}

/* Reads the character after \u, or a pair of surrogates; 0 if it is neither, or zero, which texts cannot contain. */
static uint32_t read_unicode(reader *r)
{
    int32_t first = hex_unit(r->at, r->end), second = -1;
    if (first < 0) {
        return 0;
    }
    r->at += 4;
    if (first < 0xD800 || first > 0xDFFF) {
        return (uint32_t)first;
    }
    if (first < 0xDC00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        second = hex_unit(r->at + 2, r->end);
        r->at += 6;
    }
    return second < 0xDC00 || second > 0xDFFF
               ? 0
               : 0x10000 + ((uint32_t)(first - 0xD800) << 10) + (uint32_t)(second - 0xDC00);
}

/* Reads an escape, from its backslash on; 0 if it is invalid. */
static uint32_t read_escape(reader *r)
{
    static const char sign[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = r->end - r->at >= 2 ? r->at[1] : '\0';
    const char *which = c ? strchr(sign, c) : NULL;
    r->at += c ? 2 : 0;
    return which ? (uint32_t)meant[which - sign] : c == 'u' ? read_unicode(r) : 0;
}

static size_t encode(uint32_t c, char out[4])
{
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t k = length - 1; k > 0; k--, c >>= 6) {
        out[k] = (char)(0x80 | (c & 0x3F));
    }
    out[0] = (char)(lead[length] | c);
    return length;
}

/* Reads one character, or an escape. */
static bool read_character(reader *r)
{
    char bytes[4];
    const char *from = r->at;
    int length = utf8_length(from, r->end - from);
    if (length == 0 || (unsigned char)*from < 0x20) {
        return refuse(r, length == 0 ? "a string is not UTF-8" : "a string has a control character, or a line break");
    }
    if (*from != '\\') {
        r->at += length;
        return json_add_bytes(&r->text, from, (size_t)length) || fail_reader(r);
    }
    uint32_t c = read_escape(r);
    if (c == 0) {
        r->at = from;
        return refuse(r, "invalid escape sequence in a string");
    }
    return json_add_bytes(&r->text, bytes, encode(c, bytes)) || fail_reader(r);
}

/* Reads from after the first quote to after the last one, into r->text. */
static bool read_text(reader *r)
{
    r->text.used = 0;
    bool ok = json_add_bytes(&r->text, "", 0) || fail_reader(r);
    while (ok && r->at < r->end && *r->at != '"') {
        ok = read_character(r);
    }
    return ok && (r->at++ < r->end || refuse(r, "a string has no end"));
}

/* ---- numbers ---- */

static bool take_digits(reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        r->at++;
    }
    return r->at > from;
}

static json_value *read_integer(reader *r, const char *from)
{
    int64_t value = 0;
    bool minus = *from == '-', fits = true;
    for (from += minus; fits && from < r->at; from++) {
        int64_t digit = minus ? '0' - *from : *from - '0';
        fits = !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, digit, &value);
    }
    return fits || refuse(r, "an integer is too large") ? made(r, json_integer(value)) : NULL;
}

static json_value *read_number(reader *r)
{
    const char *from = r->at;
    double value = 0.0;
    bool real = false;
    take(r, "-");
    bool ok = take(r, "0") || take_digits(r);
    if (ok && take(r, ".")) {
        real = true;
        ok = take_digits(r);
    }
    if (ok && take(r, "eE")) {
        real = true;
        take(r, "+-");
        ok = take_digits(r);
    }
    if (!ok || !real) {
        return ok || refuse(r, "this is no number") ? read_integer(r, from) : NULL;
    }
    ok = number_parse(from, r->at, &value) == r->at && isfinite(value);
    return ok || refuse(r, "a number is too large") ? made(r, json_real(value)) : NULL;
}

/* ---- lists and objects ---- */

static bool read_item(reader *r, json_value *list)
{
    json_value *item = read_value(r);
    return item && (json_array_append(list, item) || fail_reader(r));
}

static bool read_member(reader *r, json_value *object)
{
    size_t before = json_object_size(object);
    if (!take_sign(r, "\"")) {
        return refuse(r, "a key is missing");
    }
    if (!read_text(r)) {
        return false;
    }
    json_value **place = json_object_place(object, r->text.bytes, r->text.used);
    if (!place) {
        return fail_reader(r);
    }
    if (r->unique && json_object_size(object) == before) {
        return refuse(r, "a key is there twice");
    }
    json_value *value = take_sign(r, ":") || refuse(r, "':' is missing") ? read_value(r) : NULL;
    if (value) {
        json_decref(*place);
        *place = value;
    }
    return value;
}

/* Reads from after the opening bracket to after the closing one. */
static json_value *read_parts(reader *r)
{
    bool is_list = r->at[-1] == '[';
    const char *end = is_list ? "]" : "}";
    json_value *container = made(r, is_list ? json_array() : json_object());
    bool ok = container && (r->depth++ < MAX_DEPTH || refuse(r, "arrays and objects are nested too deep"));
    if (ok && !take_sign(r, end)) {
        do {
            ok = is_list ? read_item(r, container) : read_member(r, container);
        } while (ok && take_sign(r, ","));
        ok = ok && (take_sign(r, end) || refuse(r, is_list ? "',' or ']' is missing" : "',' or '}' is missing"));
    }
    r->depth--;
    if (!ok) {
        json_decref(container);
    }
    return ok ? container : NULL;
}

/* ---- values ---- */

static json_value *read_value(reader *r)
{
    static const char *const word[] = {"true", "false", "null"};
    if (take_sign(r, "[{")) {
        return read_parts(r);
    }
    if (take(r, "\"")) {
        return read_text(r) ? made(r, json_string_of(r->text.bytes, r->text.used)) : NULL;
    }
    if (r->at < r->end && (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'))) {
        return read_number(r);
    }
    for (int k = 0; k < 3; k++) {
        size_t length = strlen(word[k]);
        if ((size_t)(r->end - r->at) >= length && memcmp(r->at, word[k], length) == 0) {
            r->at += length;
            return k == 2 ? json_null() : json_boolean(k == 0);
        }
    }
    refuse(r, "a value is missing");
    return NULL;
}

static bool read_document(reader *r, json_value **out)
{
    if (!take_sign(r, "[{")) {
        return refuse(r, "'[' or '{' is missing");
    }
    *out = read_parts(r);
    take_sign(r, "");
    return *out && (r->at == r->end || refuse(r, "something follows the end"));
}

nonsens_status json_parse(nonsens_context *ctx, const char *bytes, size_t size, bool unique, json_error *error,
                          json_value **out)
{
    reader r = {.ctx = ctx, .at = bytes, .end = bytes + size, .unique = unique};
    *out = NULL;
    if (!read_document(&r, out)) {
        json_decref(*out);
        *out = NULL;
    }
    memory_release(r.text.bytes);
    if (error && r.wrong) {
        *error = (json_error){1, 1, r.wrong};
        for (const char *c = bytes; c < r.at && c < r.end; c++) {
            error->line += *c == '\n';
            error->column = *c == '\n' ? 1 : error->column + 1;
        }
    }
    return r.status;
}
