/* show.c - escapes and shortens text; see show.h. */
#include "base/show.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_CHARACTERS = 40,
    PATH_CHARACTERS = 200,
    ESCAPED = 4 /* characters of \xNN; a character also has at most this many bytes */
};

static bool is_control(const unsigned char *byte, int length)
{
    switch (length) {
    case 1:
        return byte[0] < 0x20 || byte[0] == 0x7F;
    case 2: /* U+0080 to U+009F */
        return byte[0] == 0xC2 && byte[1] < 0xA0;
    case 3: /* U+2028 to U+202E: separators and marks of direction; U+2066 to U+2069: more such marks */
        return byte[0] == 0xE2 && ((byte[1] == 0x80 && byte[2] >= 0xA8 && byte[2] <= 0xAE) ||
                                   (byte[1] == 0x81 && byte[2] >= 0xA6 && byte[2] <= 0xA9));
    default:
        return false;
    }
}

int show_printable_length(const char *text, int64_t left)
{
    int length = utf8_length(text, left);
    return is_control((const unsigned char *)text, length) ? 0 : length;
}

/* Writes characters to *out, whose `room` excludes the closing NUL; returns how many bytes of the text were shown. */
static int64_t show_part(char **out, size_t room, const char *text, int64_t length, int64_t max)
{
    char *to = *out;
    int64_t i = 0, shown = 0;
    while (i < length && shown < max && (size_t)(to - *out) + ESCAPED <= room) {
        int step = show_printable_length(text + i, length - i);
        if (step > 0) {
            memcpy(to, text + i, (size_t)step);
            to += step;
            i += step;
            shown++;
        } else {
            to += snprintf(to, ESCAPED + 1, "\\x%02x", (unsigned char)text[i]);
            i++;
            shown += ESCAPED;
        }
    }
    *out = to;
    return i;
}

char *show_text(char *out, size_t bytes, const char *text, int64_t length, int64_t max)
{
    static const char dots[] = "...";
    char *to = out;
    int64_t used = show_part(&to, bytes - sizeof dots, text, length, max);
    memcpy(to, used < length ? dots : "", used < length ? sizeof dots : 1);
    return out;
}

/* Returns the bytes of the unit at text; *shown: how many characters show it, as a character or as a byte \xNN. */
static int64_t next_unit(const char *text, int64_t left, int64_t *shown)
{
    int step = show_printable_length(text, left);
    *shown = step > 0 ? 1 : ESCAPED;
    return step > 0 ? step : 1;
}

/* Shows at most 40 characters: of a longer text the beginning and the end, which distinguish names. Returns the end. */
static char *show_name(char *out, const char *text)
{
    static const char dots[] = "...";
    enum { DOTS = sizeof dots - 1, TAIL = 17, HEAD = NAME_CHARACTERS - TAIL - DOTS };
    int64_t length = (int64_t)strlen(text), all = 0, at = 0, shown = 0;
    bool cut = false;
    for (int64_t i = 0; i < length; all += shown) {
        i += next_unit(text + i, length - i, &shown);
    }
    for (int64_t i = 0, step; i < length; i += step, at += shown) {
        char *end = out + ESCAPED + 1;
        step = next_unit(text + i, length - i, &shown);
        if (all <= NAME_CHARACTERS || at + shown <= HEAD || at >= all - TAIL) {
            show_part(&out, (size_t)(end - out), text + i, step, shown);
        } else if (!cut) {
            memcpy(out, dots, DOTS);
            out += DOTS;
            cut = true;
        }
    }
    *out = '\0';
    return out;
}

const char *show_bytes(char out[SHOWN_BYTES], const char *text, int64_t length)
{
    static const char cut[] = "\"...", whole[] = "\"";
    char *to = out;
    *to++ = '"';
    int64_t used = show_part(&to, SHOWN_BYTES - 1 - sizeof cut, text, length, NAME_CHARACTERS);
    memcpy(to, used < length ? cut : whole, used < length ? sizeof cut : sizeof whole);
    return out;
}

const char *show_quoted(char out[SHOWN_BYTES], const char *text)
{
    out[0] = '"';
    memcpy(show_name(out + 1, text), "\"", sizeof "\"");
    return out;
}

const char *show_bare(char out[SHOWN_BYTES], const char *text)
{
    if (!text[0]) {
        return show_bytes(out, "", 0);
    }
    show_name(out, text);
    return out;
}

void show_list_add(show_list *list, const char *name)
{
    char shown[SHOWN_BYTES];
    if (list->count++ < list->max) {
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s",
                                       list->used ? ", " : "", (list->quoted ? show_quoted : show_bare)(shown, name));
    }
}

const char *show_list_end(show_list *list)
{
    if (list->count > list->max) {
        snprintf(list->text + list->used, sizeof list->text - list->used, " and %" PRId64 " more",
                 list->count - list->max);
    }
    return list->text;
}

const char *show_path(char out[SHOWN_PATH_BYTES], const char *path)
{
    return show_text(out, SHOWN_PATH_BYTES, path, (int64_t)strlen(path), PATH_CHARACTERS);
}
