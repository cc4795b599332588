/* knowledge_words.c - splits a knowledge file into lines and words, and finds the variables that words name. */
#include "read/knowledge_internal.h"

#include "base/nearest.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

const char *knowledge_name(const knowledge_reader *r, int64_t node, char shown[SHOWN_BYTES])
{
    for (int64_t i = 0; i < r->d; i++) {
        if (r->sorted[i].node == node) {
            return show_quoted(shown, r->sorted[i].name);
        }
    }
    return "";
}

/* ---- lines and words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void trim(const char **begin, const char **end)
{
    while (*begin < *end && is_blank(**begin)) {
        (*begin)++;
    }
    while (*begin < *end && is_blank((*end)[-1])) {
        (*end)--;
    }
}

bool knowledge_next_line(knowledge_reader *r)
{
    while (r->at < r->end) {
        r->rest = r->at;
        while (r->at < r->end && *r->at != '\n' && *r->at != '\r') {
            r->at++;
        }
        r->stop = r->at;
        if (r->at < r->end) {
            r->at += r->end - r->at > 1 && r->at[0] == '\r' && r->at[1] == '\n' ? 2 : 1;
        }
        r->line++;
        trim(&r->rest, &r->stop);
        bool comment = r->rest < r->stop && (r->rest[0] == '#' || (r->stop - r->rest > 1 && !memcmp(r->rest, "//", 2)));
        if (r->rest < r->stop && !comment) {
            r->has_tabs = memchr(r->rest, '\t', (size_t)(r->stop - r->rest));
            r->cell_end = r->rest;
            return true;
        }
    }
    return false;
}

void knowledge_rewind(knowledge_reader *r)
{
    r->at = r->begin + utf8_mark_length(r->begin, r->end - r->begin);
    r->line = 0;
    r->section = SECTION_NONE;
}

/* Returns the node with this name; -1 if there is no such node. */
static int64_t find_name(const knowledge_reader *r, const char *text, int64_t length)
{
    int64_t low = 0, high = r->d;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const char *name = r->sorted[middle].name;
        int order = strncmp(text, name, (size_t)length);
        order = order == 0 && (int64_t)strlen(name) > length ? -1 : order;
        if (order == 0) {
            // strncmp stops at a NUL byte of the text, which no name has
            return memchr(text, '\0', (size_t)length) ? -1 : r->sorted[middle].node;
        }
        low = order > 0 ? middle + 1 : low;
        high = order < 0 ? middle : high;
    }
    return -1;
}

static nonsens_status quoted_word(knowledge_reader *r, knowledge_word *out)
{
    const char *c = r->rest + 1;
    for (;;) {
        c = memchr(c, '"', (size_t)(r->stop - c));
        if (!c) {
            char shown[SHOWN_BYTES];
            return FAIL_LINE(r, r->line, "the quote that opens before %s is never closed; end the name with a quote",
                             show_bytes(shown, r->rest + 1, r->stop - r->rest - 1));
        }
        if (r->stop - c < 2 || c[1] != '"') {
            break;
        }
        c += 2; // two quotes in a quoted name mean one
    }
    *out = (knowledge_word){r->rest, c + 1 - r->rest, true};
    r->rest = c + 1;
    if (r->rest < r->stop && !is_blank(*r->rest)) {
        char shown[SHOWN_BYTES];
        return FAIL_LINE(r, r->line, "something follows at once on the closing quote of %s; put a blank between names",
                         show_bytes(shown, out->text, out->length));
    }
    return NONSENS_OK;
}

nonsens_status knowledge_next_word(knowledge_reader *r, knowledge_word *out)
{
    trim(&r->rest, &r->stop);
    *out = (knowledge_word){r->rest, 0, false};
    if (r->rest == r->stop) {
        return NONSENS_OK;
    }
    if (*r->rest == '"') {
        return quoted_word(r, out);
    }
    if (r->has_tabs && r->cell_end <= r->rest) { // once per cell, not per word: a line may be as long as the file
        const char *cell = r->rest, *tab = memchr(cell, '\t', (size_t)(r->stop - cell));
        r->cell_end = tab ? tab : r->stop;
        trim(&cell, &r->cell_end);
    }
    if (r->has_tabs && find_name(r, r->rest, r->cell_end - r->rest) >= 0) {
        r->rest = r->cell_end;
    } else {
        while (r->rest < r->stop && !is_blank(*r->rest)) {
            r->rest++;
        }
    }
    out->length = r->rest - out->text;
    return NONSENS_OK;
}

/* ---- names and patterns ---- */

static int64_t unquote(const knowledge_reader *r, const knowledge_word *w)
{
    int64_t length = 0;
    for (int64_t i = 1; i + 1 < w->length; i++) {
        r->plain[length++] = w->text[i];
        i += w->text[i] == '"';
    }
    return length;
}

/* Returns whether the pattern, in which * stands for any bytes, matches the whole name. */
static bool matches(const char *pattern, int64_t length, const char *name)
{
    const char *end = pattern + length, *star = NULL, *tried = NULL;
    while (*name) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            tried = name;
        } else if (pattern < end && *pattern == *name) {
            pattern++;
            name++;
        } else if (star) { // let the last star match one more byte
            pattern = star + 1;
            name = ++tried;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*') {
        pattern++;
    }
    return pattern == end;
}

static nonsens_status unknown_name(const knowledge_reader *r, const knowledge_word *w, bool pattern)
{
    char shown[SHOWN_BYTES], first[SHOWN_BYTES], last[SHOWN_BYTES], word[SHOWN_BYTES], hint[HINT_BYTES];
    show_bytes(shown, w->text, w->length);
    if (pattern) {
        return FAIL_LINE(r, r->line, "no variable matches %s; correct the pattern or drop the line", shown);
    }
    snprintf(word, sizeof word, "%.*s", (int)(w->length < SHOWN_BYTES ? w->length : SHOWN_BYTES - 1), w->text);
    nearest near = nearest_to(word);
    for (int64_t k = 0; k < r->d; k++) {
        nearest_offer(&near, r->sorted[k].name);
    }
    return FAIL_LINE(r, r->line,
                     "there is no variable %s among the %" PRId64 " of this run, %s to %s; correct the name (one with "
                     "blanks stands in double quotes) or drop it%s",
                     shown, r->d, show_quoted(first, r->sorted[0].name), show_quoted(last, r->sorted[r->d - 1].name),
                     nearest_hint(&near, hint));
}

nonsens_status knowledge_resolve(const knowledge_reader *r, const knowledge_word *w, knowledge_selection *out)
{
    const char *text = w->quoted ? r->plain : w->text;
    int64_t length = w->quoted ? unquote(r, w) : w->length;
    int64_t node = find_name(r, text, length);
    out->count = 0;
    out->pattern = node < 0 && !w->quoted && memchr(text, '*', (size_t)length);
    if (node >= 0) {
        out->node[out->count++] = node;
    }
    for (int64_t i = 0; out->pattern && i < r->d; i++) {
        if (matches(text, length, r->sorted[i].name)) {
            out->node[out->count++] = r->sorted[i].node;
        }
    }
    return out->count > 0 ? NONSENS_OK : unknown_name(r, w, out->pattern);
}
