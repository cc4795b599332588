/*
 * svg_text.h - for tests of pictures: are they well-formed, and how often does a word occur.
 *
 * To be included last, in place of fixture.h.
 */
#ifndef UNIT_SVG_TEXT_H
#define UNIT_SVG_TEXT_H

#include <stdbool.h>
#include <string.h>

#include "fixture.h"

enum { DEEPEST = 16, NAME_BYTES = 32 };

/* ---- a reader of tags ---- */

static bool is_entity(const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(at, known[i], strlen(known[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* The end of the tag that begins at `at`: the first '>' outside quotes. */
static const char *tag_end(const char *at)
{
    bool quoted = false;
    for (at++; *at && (quoted || *at != '>'); at++) {
        assert_true(*at != '<');
        quoted = quoted != (*at == '"');
    }
    assert_int_equal(*at, '>');
    return at;
}

/* Every tag that is opened is closed, in order; attributes are quoted; every ampersand is an entity. */
static void assert_well_formed(const char *text)
{
    char open[DEEPEST][NAME_BYTES];
    int depth = 0;
    for (const char *at = text; *at; at++) {
        assert_true(*at != '&' || is_entity(at));
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at != '<') {
            continue;
        }
        const char *end = tag_end(at);
        size_t name = strcspn(at + 1, " >/");
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strncmp(open[depth], at + 2, strlen(open[depth])), 0);
            assert_ptr_equal(at + 2 + strlen(open[depth]), end);
        } else if (at[1] != '?' && end[-1] != '/') {
            assert_true(depth < DEEPEST && name < NAME_BYTES);
            memcpy(open[depth], at + 1, name);
            open[depth++][name] = '\0';
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) {
        found++;
    }
    return found;
}

#endif
