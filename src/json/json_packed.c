/*
 * json_packed.c - writes doubles bit for bit as one text: the bytes of each, lowest first, in base64 (RFC 4648).
 */
#include "base/memory.h"
#include "json/json.h"
#include "json/json_internal.h"

#include <string.h>

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encodes three bytes as four digits; missing bytes at the end count as zero, and their digits are '='. */
static void encode(const unsigned char *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < size; i += 3, out += 4) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)(left > 1 ? bytes[i + 1] : 0) << 8 |
                         (uint32_t)(left > 2 ? bytes[i + 2] : 0);
        for (int k = 0; k < 4; k++) {
            out[k] = (size_t)k <= left ? DIGITS[group >> (18 - 6 * k) & 63] : '=';
        }
    }
}

static bool decode(const char *text, size_t size, unsigned char *out)
{
    for (size_t i = 0; i < size; i += 3, text += 4) {
        uint32_t group = 0;
        for (int k = 0; k < 4; k++) {
            bool padding = (size_t)k > size - i;
            const char *digit = text[k] && !padding ? strchr(DIGITS, text[k]) : NULL;
            if (padding ? text[k] != '=' : !digit) {
                return false;
            }
            group = group << 6 | (padding ? 0 : (uint32_t)(digit - DIGITS));
        }
        for (size_t k = 0; k < 3 && i + k < size; k++) {
            out[i + k] = (unsigned char)(group >> (16 - 8 * k));
        }
    }
    return true;
}

static size_t text_length(int64_t count)
{
    return ((size_t)count * sizeof(double) + 2) / 3 * 4;
}

json_value *json_packed(const double *values, int64_t count)
{
    size_t length = text_length(count);
    char *text = memory_get(length + 1, 1);
    if (!text) {
        return NULL;
    }
    encode((const unsigned char *)values, (size_t)count * sizeof *values, text);
    json_value *made = json_string_of(text, length);
    memory_release(text);
    return made;
}

bool json_unpack(const json_value *value, int64_t count, double *out)
{
    const char *text = json_string_value(value);
    return text && strlen(text) == text_length(count) &&
           decode(text, (size_t)count * sizeof *out, (unsigned char *)out);
}
