/* utf16.c - converts UTF-16, which spreadsheets write as "Unicode text", to UTF-8. */
#include "unpack/unpack_internal.h"

#include <inttypes.h>

/* Writes a character at `to` as UTF-8; returns its number of bytes. */
static int put_character(char *to, uint32_t c)
{
    int length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (int k = length - 1; k > 0; k--, c >>= 6) {
        to[k] = (char)(0x80 | (c & 0x3F));
    }
    to[0] = (char)(lead[length] | c);
    return length;
}

typedef struct units {
    const unsigned char *byte;
    size_t count, at;
    bool big_endian;
} units;

static uint32_t next_unit(units *u)
{
    const unsigned char *b = u->byte + 2 * u->at++;
    return u->big_endian ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

/* Reads one character, of one unit or of two surrogates; false if one of a pair is missing. */
static bool next_character(units *u, uint32_t *c)
{
    *c = next_unit(u);
    if (*c < 0xD800 || *c > 0xDFFF) {
        return true;
    }
    if (*c > 0xDBFF || u->at == u->count) {
        return false;
    }
    uint32_t low = next_unit(u);
    *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
    return low >= 0xDC00 && low <= 0xDFFF;
}

nonsens_status unpack_utf16(const char *path, const char *bytes, size_t size, growing *out)
{
    enum { LONGEST = 4 };
    units u = {.byte = (const unsigned char *)bytes, .count = size / 2, .at = 1, .big_endian = bytes[0] == '\xFE'};
    int64_t line = 1;
    if (size % 2 != 0) {
        return fail(out->ctx, NONSENS_ERR_DATA,
                    "%s: the text is in UTF-16, but has an odd number of bytes; save the file again as UTF-8", path);
    }
    TRY(unpack_grow(out));
    while (u.at < u.count) {
        uint32_t c;
        if (out->capacity - out->size < LONGEST) {
            TRY(unpack_grow(out));
        }
        if (!next_character(&u, &c)) {
            return fail(out->ctx, NONSENS_ERR_DATA,
                        "%s:%" PRId64 ": half a character of UTF-16 is missing; save the file again as UTF-8", path,
                        line);
        }
        line += c == '\n';
        out->size += (size_t)put_character(out->bytes + out->size, c);
    }
    return NONSENS_OK;
}
