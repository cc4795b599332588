/* shell_word.c - quotes words for the shell; see shell_word.h. */
#include "base/shell_word.h"

#include "base/show.h"

#include <string.h>

/* Where the word goes: a stream or memory; if both are NULL, it is only measured. */
typedef struct sink {
    FILE *stream;
    char *out;
    size_t used;
} sink;

static void put(sink *s, const char *bytes, size_t length)
{
    if (s->stream) {
        fwrite(bytes, 1, length, s->stream);
    } else if (s->out) {
        memcpy(s->out + s->used, bytes, length);
    }
    s->used += length;
}

static void put_text(sink *s, const char *text)
{
    put(s, text, strlen(text));
}

/* Returns the bytes of the character if it may stand in quotes unchanged, else 0. */
static size_t quotable_length(const char *text)
{
    enum { LIMIT = 4 }; // bytes of a character
    return *text == '\t' || *text == '\n' ? 1 : (size_t)show_printable_length(text, (int64_t)strnlen(text, LIMIT));
}

/* Puts as much as may stand in quotes; returns the rest. */
static const char *put_quoted(sink *s, const char *text)
{
    put_text(s, "'");
    for (size_t length; *text && (length = quotable_length(text)) > 0; text += length) {
        if (*text == '\'') {
            put_text(s, "'\\''");
        } else {
            put(s, text, length);
        }
    }
    put_text(s, "'");
    return text;
}

/* Puts as much as may not.  The shell removes line breaks at the end of printf's output, but there are none. */
static const char *put_printed(sink *s, const char *text)
{
    char octal[8];
    put_text(s, "\"$(printf '");
    for (; *text && quotable_length(text) == 0; text++) {
        snprintf(octal, sizeof octal, "\\%03o", (unsigned)(unsigned char)*text);
        put_text(s, octal);
    }
    put_text(s, "')\"");
    return text;
}

static void put_word(sink *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/%@";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        put_text(s, word);
        return;
    }
    if (!word[0]) {
        put_text(s, "''");
    }
    while (*word) {
        word = quotable_length(word) > 0 ? put_quoted(s, word) : put_printed(s, word);
    }
}

void shell_word_print(FILE *f, const char *word)
{
    sink s = {.stream = f};
    put_word(&s, word);
}

char *shell_word(nonsens_context *ctx, arena *a, const char *word)
{
    sink measure = {0};
    put_word(&measure, word);
    char *text = arena_get(ctx, a, (int64_t)measure.used + 1, 1);
    sink s = {.out = text};
    if (text) {
        put_word(&s, word);
    }
    return text;
}
