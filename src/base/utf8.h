/* utf8.h - lengths and validity of UTF-8 characters (Unicode 15, table 3-7), and the length of the byte order mark. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns the bytes of the character at text, of which `left` >= 1 bytes may be read; 0 if it is not well formed. */
static inline int utf8_length(const char *text, int64_t left)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char lead = byte[0], low = 0x80, high = 0xBF;
    if (lead < 0x80) {
        return 1;
    }
    int length = lead >= 0xC2 && lead <= 0xDF ? 2 : (lead & 0xF0) == 0xE0 ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    if (lead == 0xE0) {
        low = 0xA0; /* shorter forms exist */
    } else if (lead == 0xED) {
        high = 0x9F; /* surrogates */
    } else if (lead == 0xF0) {
        low = 0x90; /* shorter forms exist */
    } else if (lead == 0xF4) {
        high = 0x8F; /* above U+10FFFF */
    }
    if (byte[1] < low || byte[1] > high) {
        return 0;
    }
    for (int i = 2; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

static inline bool utf8_is_valid(const char *text, int64_t length)
{
    int step = 1;
    for (int64_t i = 0; i < length && step > 0; i += step) {
        step = utf8_length(text + i, length - i);
    }
    return step > 0;
}

/* Returns the bytes of the byte order mark that some editors put in front of UTF-8, 0 if there is none. */
static inline int64_t utf8_mark_length(const char *text, int64_t size)
{
    return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

#endif
