/* test_svg.c - charts are well-formed whatever the text and the numbers, and leave out what cannot be shown. */
#include "reproduce/svg.h"

#include <math.h>
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

/* ---- charts ---- */

static char *drawn(const svg_chart *chart)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    svg_write(stream, chart);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) {
        found++;
    }
    return found;
}

/* One panel with one line. */
static char *draw_line(bool log_x, bool log_y, const char *name, int64_t n, const double *x, const double *y,
                       const double *error)
{
    svg_series line = {n, x, y, error};
    svg_panel panel = {name, &line};
    svg_chart chart = {name, name, {name, log_x}, {name, log_y}, 1, &name, 1, 1, &panel};
    return drawn(&chart);
}

static void test_escapes(void **state)
{
    (void)state;
    double x[] = {1, 2}, y[] = {1, 2};
    char *text = draw_line(false, false, "</text><script>&\"'\x01\x7F\n", 2, x, y, NULL);
    assert_well_formed(text);
    assert_null(strstr(text, "<script"));
    assert_non_null(strstr(text, "&lt;/text&gt;&lt;script&gt;&amp;&quot;&#39;<"));
    free(text);
}

/* What is not finite, or not positive on a log axis, is left out; the rest is there. */
static void test_leaves_out(void **state)
{
    (void)state;
    double x[] = {50, 100, 200, 500, 1000, 0}, y[] = {0.1, NAN, INFINITY, -1, 0.05, 0.2};
    double error[] = {0.2, 0.1, 0.1, 0.1, NAN, 0.1};
    char *text = draw_line(true, true, "a", 6, x, y, error);
    assert_well_formed(text);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_int_equal(count(text, "<circle"), 2 + 1); // two points and the legend's
    free(text);
}

static void test_nothing_to_show(void **state)
{
    (void)state;
    double x[] = {1}, y[] = {NAN}, same[] = {3};
    for (int log = 0; log <= 1; log++) {
        char *text = draw_line(log, log, "a", 1, x, y, NULL);
        assert_well_formed(text);
        assert_null(strstr(text, "nan"));
        free(text);
        text = draw_line(log, log, "a", 1, same, same, y); // a single point has no range
        assert_well_formed(text);
        assert_int_equal(count(text, "<circle"), 2);
        assert_non_null(strstr(text, ">3<"));
        free(text);
    }
}

static void test_ticks(void **state)
{
    (void)state;
    double x[] = {50, 2000}, narrow[] = {0.41, 0.44}, shares[] = {0, 1};
    char *text = draw_line(true, true, "a", 2, x, narrow, NULL);
    for (int i = 0; i < 6; i++) {
        static const char *const tick[] = {">50<", ">100<", ">200<", ">500<", ">1000<", ">2000<"};
        assert_int_equal(count(text, tick[i]), 1);
    }
    assert_non_null(strstr(text, ">0.42<")); // no 1, 2 or 5 there: even distances
    free(text);
    text = draw_line(true, false, "a", 2, x, shares, NULL);
    assert_non_null(strstr(text, ">0.2<"));
    assert_non_null(strstr(text, ">1<"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_leaves_out),
        cmocka_unit_test(test_nothing_to_show),
        cmocka_unit_test(test_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
