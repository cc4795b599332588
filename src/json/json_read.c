/*
 * json_read.c - reads JSON (RFC 8259) into values of jansson.
 *
 * jansson 2.14 ignores a failed buffer growth in its own reader: it then returns values with bytes missing, and may
 * read past the end of the text (docs/dependencies.md).  So the text is read here, and jansson only makes the values,
 * where it reports every failure.  What is accepted is what jansson accepts.
 */
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "json/json_text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MAX_DEPTH = 2048 };

typedef struct reader {
    const char *begin, *at, *end;
    size_t flags;
    int depth;
    bool no_memory;
    const char *wrong; /* what is wrong at `at`; NULL: nothing so far */
} reader;

static json_t *read_value(reader *r);

static bool refuse(reader *r, const char *wrong)
{
    r->wrong = wrong;
    return false;
}

/* NULL is a lack of memory. */
static json_t *made(reader *r, json_t *value)
{
    r->no_memory = r->no_memory || !value;
    return value;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->at++;
    }
}

/* Takes the byte if it comes next, behind blanks. */
static bool take_byte(reader *r, char byte)
{
    skip_blanks(r);
    bool there = r->at < r->end && *r->at == byte;
    r->at += there;
    return there;
}

/* ---- texts ---- */

/* A text: part of what is read, or a block of its own where it had escapes. */
typedef struct piece {
    const char *text;
    size_t length;
    char *owned;
} piece;

/* From behind the first quote to behind the last one, whose place is *quote. */
static bool find_quote(reader *r, const char **quote, bool *escaped)
{
    *escaped = false;
    while (r->at < r->end && *r->at != '"') {
        int step = utf8_length(r->at, r->end - r->at);
        if (step == 0) {
            return refuse(r, "a text is not UTF-8");
        }
        if ((unsigned char)*r->at < 0x20) {
            return refuse(r, "a text has a line break or another control character");
        }
        if (*r->at == '\\') {
            *escaped = true;
            step = r->at + 1 < r->end && (r->at[1] == '"' || r->at[1] == '\\') ? 2 : 1;
        }
        r->at += step;
    }
    *quote = r->at;
    return r->at++ < r->end || refuse(r, "a text has no end");
}

/* Four hexadecimal digits; -1 if there are others. */
static int32_t hex_unit(const char *at, const char *end)
{
    int32_t unit = 0;
    for (int k = 0; k < 4; k++) {
        char c = at + k < end ? at[k] : ' ';
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/* \u and what follows, a pair of surrogates where it is one; returns the bytes read behind the u, 0 if it is none.
 */
static size_t read_unicode(const char *at, const char *end, uint32_t *c)
{
    int32_t first = hex_unit(at, end);
    if (first <= 0 || (first >= 0xDC00 && first <= 0xDFFF)) { // the library takes no zero
        return 0;
    }
    *c = (uint32_t)first;
    if (first < 0xD800 || first > 0xDBFF) {
        return 4;
    }
    int32_t second = end - at >= 10 && at[4] == '\\' && at[5] == 'u' ? hex_unit(at + 6, end) : -1;
    if (second < 0xDC00 || second > 0xDFFF) {
        return 0;
    }
    *c = 0x10000 + ((uint32_t)(first - 0xD800) << 10) + (uint32_t)(second - 0xDC00);
    return 10;
}

/* The text without its escapes, which are longer than what they stand for; false if one is none. */
static bool unescape(const char *from, const char *end, char *out, size_t *length)
{
    static const char sign[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *to = out;
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        const char *which = from + 1 < end && from[1] ? strchr(sign, from[1]) : NULL;
        uint32_t c = 0;
        size_t used = which || from + 1 >= end || from[1] != 'u' ? 0 : read_unicode(from + 2, end, &c);
        if (!which && used == 0) {
            return false;
        }
        if (which) {
            *to++ = meant[which - sign];
        } else {
            to += put_utf8(to, c);
        }
        from += 2 + used;
    }
    *length = (size_t)(to - out);
    return true;
}

/* The caller gives `owned` back. */
static bool read_text(reader *r, piece *out)
{
    const char *first = ++r->at, *quote;
    bool escaped;
    *out = (piece){.text = first};
    if (!find_quote(r, &quote, &escaped)) {
        return false;
    }
    out->length = (size_t)(quote - first);
    if (!escaped) {
        return true;
    }
    out->text = out->owned = memory_get(out->length, 1);
    if (!out->owned) {
        r->no_memory = true;
        return false;
    }
    if (!unescape(first, quote, out->owned, &out->length)) {
        memory_release(out->owned);
        return refuse(r, "a text has an escape that is none");
    }
    return true;
}

static json_t *read_string(reader *r)
{
    piece p;
    if (!read_text(r, &p)) {
        return NULL;
    }
    json_t *value = made(r, json_stringn_nocheck(p.text, p.length));
    memory_release(p.owned);
    return value;
}

/* ---- numbers and words ---- */

static size_t count_digits(const char *at, const char *end)
{
    size_t count = 0;
    while (at + count < end && at[count] >= '0' && at[count] <= '9') {
        count++;
    }
    return count;
}

/* Behind the point and behind the e, if they are there: *real. */
static bool skip_fraction(reader *r, bool *real)
{
    size_t digits = 1;
    *real = false;
    if (r->at < r->end && *r->at == '.') {
        digits = count_digits(++r->at, r->end);
        r->at += digits;
        *real = true;
    }
    if (digits > 0 && r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        r->at += r->at < r->end && (*r->at == '+' || *r->at == '-');
        digits = count_digits(r->at, r->end);
        r->at += digits;
        *real = true;
    }
    return digits > 0;
}

static json_t *read_integer(reader *r, const char *from)
{
    json_int_t value = 0;
    bool minus = *from == '-', fits = true;
    for (from += minus; fits && from < r->at; from++) {
        json_int_t digit = minus ? '0' - *from : *from - '0';
        fits = !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, digit, &value);
    }
    return fits || refuse(r, "an integer is too large") ? made(r, json_integer(value)) : NULL;
}

static json_t *read_number(reader *r)
{
    const char *from = r->at;
    double value;
    bool real;
    r->at += *r->at == '-';
    size_t digits = count_digits(r->at, r->end);
    bool zero_first = digits > 1 && *r->at == '0';
    r->at += digits;
    if (digits == 0 || zero_first || !skip_fraction(r, &real)) {
        refuse(r, "this is no number");
        return NULL;
    }
    if (!real) {
        return read_integer(r, from);
    }
    if (number_parse(from, r->at, &value) != r->at || !isfinite(value)) {
        refuse(r, "a number is too large");
        return NULL;
    }
    return made(r, json_real(value));
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    bool there = (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
    r->at += there ? length : 0;
    return there;
}

/* ---- lists and objects ---- */

static bool read_item(reader *r, json_t *list)
{
    json_t *item = read_value(r);
    bool ok = item && json_array_append_new(list, item) == 0;
    r->no_memory = r->no_memory || (item && !ok);
    return ok;
}

static bool read_member(reader *r, json_t *object)
{
    piece key;
    skip_blanks(r);
    if (r->at == r->end || *r->at != '"') {
        return refuse(r, "a key is missing");
    }
    if (!read_text(r, &key)) {
        return false;
    }
    bool twice = (r->flags & JSON_REJECT_DUPLICATES) && json_object_getn(object, key.text, key.length);
    json_t *value = NULL;
    if (twice) {
        refuse(r, "a key is there twice");
    } else if (!take_byte(r, ':')) {
        refuse(r, "':' is missing");
    } else {
        value = read_value(r);
    }
    bool ok = value && json_object_setn_new_nocheck(object, key.text, key.length, value) == 0;
    r->no_memory = r->no_memory || (value && !ok);
    memory_release(key.owned);
    return ok;
}

/* Items or members up to the end of the whole, which it takes over. */
static json_t *read_parts(reader *r, json_t *whole, bool (*read_part)(reader *r, json_t *whole), char end)
{
    bool ok = whole, any = ok && !take_byte(r, end), more = any;
    while (more) {
        ok = read_part(r, whole);
        more = ok && take_byte(r, ',');
    }
    if (any && ok && !take_byte(r, end)) {
        ok = refuse(r, end == ']' ? "',' or ']' is missing" : "',' or '}' is missing");
    }
    if (!ok) {
        json_decref(whole);
    }
    return ok ? whole : NULL;
}

/* ---- all ---- */

static json_t *read_inside(reader *r)
{
    json_t *value = NULL;
    if (r->depth == MAX_DEPTH) {
        refuse(r, "lists and objects inside one another are too deep");
        return NULL;
    }
    r->depth++;
    if (*r->at++ == '[') {
        value = read_parts(r, made(r, json_array()), read_item, ']');
    } else {
        value = read_parts(r, made(r, json_object()), read_member, '}');
    }
    r->depth--;
    return value;
}

static json_t *read_value(reader *r)
{
    skip_blanks(r);
    char first = r->at < r->end ? *r->at : '\0';
    if (first == '[' || first == '{') {
        return read_inside(r);
    }
    if (first == '"') {
        return read_string(r);
    }
    if (first == '-' || (first >= '0' && first <= '9')) {
        return read_number(r);
    }
    if (take_word(r, "true")) {
        return json_true();
    }
    if (take_word(r, "false")) {
        return json_false();
    }
    if (take_word(r, "null")) {
        return json_null();
    }
    refuse(r, "a value is missing");
    return NULL;
}

static json_t *read_whole(reader *r)
{
    skip_blanks(r);
    if (r->at == r->end || (*r->at != '[' && *r->at != '{')) {
        refuse(r, "'[' or '{' is missing");
        return NULL;
    }
    json_t *root = read_value(r);
    skip_blanks(r);
    if (root && r->at < r->end) {
        refuse(r, "something follows the end");
        json_decref(root);
        root = NULL;
    }
    return root;
}

static void tell(const reader *r, json_error_t *error)
{
    *error = (json_error_t){.line = 1, .column = 1};
    for (const char *c = r->begin; c < r->at && c < r->end; c++) {
        error->line += *c == '\n';
        error->column = *c == '\n' ? 1 : error->column + 1;
    }
    strncpy(error->text, r->wrong ? r->wrong : "no memory", sizeof error->text - 1);
}

json_t *json_parse(const char *bytes, size_t size, size_t flags, json_error_t *error, bool *no_memory)
{
    reader r = {.begin = bytes, .at = bytes, .end = bytes + size, .flags = flags};
    json_t *root = read_whole(&r);
    *no_memory = r.no_memory;
    if (!root && error) {
        tell(&r, error);
    }
    return root;
}
