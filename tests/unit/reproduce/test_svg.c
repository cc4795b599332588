/* test_svg.c - charts are well-formed whatever the text and the numbers, and leave out what cannot be shown. */
#include "reproduce/svg.h"

#include <math.h>
#include <string.h>

#include "svg_text.h"

/* ---- charts ---- */

static char *drawn(const svg_chart *chart)
{
    static char *text; // static: else gcc 12 takes what points into it for dangling
    static size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    svg_write(stream, chart);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* One panel with one line. */
static char *draw_line(bool log_x, bool log_y, const char *name, int64_t n, const double *x, const double *y,
                       const double *error)
{
    svg_series line = {n, x, y, error};
    svg_panel panel = {.title = name, .series = &line};
    svg_chart chart = {.title = name,
                       .note = name,
                       .x = {.label = name, .logarithmic = log_x},
                       .y = {.label = name, .logarithmic = log_y},
                       .names = 1,
                       .name = &name,
                       .panels = 1,
                       .across = 1,
                       .panel = &panel};
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

/* ---- many series, rows, references ---- */

enum { MANY = SVG_SERIES, POINTS = 3, PANELS = 4 };

/* Two rows of two panels; series k has the value (k + 1) / 20 at 10, 30 and 50. */
typedef struct picture {
    char letters[MANY][8];
    const char *name[MANY];
    svg_emphasis emphasis[MANY];
    double x[POINTS], y[MANY][POINTS], error[POINTS];
    svg_series series[PANELS][MANY];
    svg_panel panel[PANELS];
    svg_row row[2];
    svg_chart chart;
} picture;

static void make_picture(picture *p)
{
    *p = (picture){.x = {10, 30, 50}, .error = {0.01, 0.01, 0.01}};
    for (int k = 0; k < MANY; k++) {
        snprintf(p->letters[k], sizeof p->letters[k], "name%c", 'A' + k);
        p->name[k] = p->letters[k];
        for (int i = 0; i < POINTS; i++) {
            p->y[k][i] = (k + 1) / 20.0;
        }
        for (int panel = 0; panel < PANELS; panel++) {
            p->series[panel][k] = (svg_series){POINTS, p->x, p->y[k], p->error};
        }
    }
    for (int panel = 0; panel < PANELS; panel++) {
        p->panel[panel] = (svg_panel){.series = p->series[panel]};
    }
    p->chart = (svg_chart){.title = "title",
                           .note = "note",
                           .x = {.label = "segments", .ticks = POINTS, .tick = p->x},
                           .y = {.label = "share", .from = 0, .to = 1},
                           .names = MANY,
                           .name = p->name,
                           .panels = PANELS,
                           .across = 2,
                           .panel = p->panel};
}

/* The first attribute of that name from a place on, as a number. */
static double attribute_at(const char *tag, const char *name)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = strstr(tag, wanted);
    assert_non_null(at);
    return strtod(at + strlen(wanted), NULL);
}

/* The k-th tag, from 0, that begins so. */
static const char *tag_with(const char *text, const char *beginning, int k)
{
    for (text = strstr(text, beginning); text && k > 0; k--) {
        text = strstr(text + 1, beginning);
    }
    assert_non_null(text);
    return text;
}

/* The looks of entry k of the legend: from its piece of line up to its name. */
static void legend_looks(const char *text, const char *name, char out[512])
{
    char entry[32];
    snprintf(entry, sizeof entry, ">%s<", name);
    const char *end = strstr(text, entry), *begin = end;
    assert_non_null(end);
    while (strncmp(begin, "<line", 5) != 0) {
        begin--;
    }
    begin = strstr(begin, "stroke="); // after the coordinates
    size_t bytes = 0;
    for (; begin < end && bytes + 1 < 512; begin++) {
        if (strncmp(begin, "<text", 5) == 0) {
            break;
        }
        if (strncmp(begin, "translate(", 10) == 0 || strncmp(begin, "cx=", 3) == 0) {
            begin += strcspn(begin, begin[0] == 't' ? ")" : "r"); // the place of the marker
        }
        out[bytes++] = *begin;
    }
    out[bytes] = '\0';
}

/* Twelve series can be told apart, with emphasis and without, also where all colours are one. */
static void test_looks_differ(void **state)
{
    (void)state;
    for (int emphasis = -1; emphasis <= SVG_DOTTED; emphasis++) {
        picture p;
        make_picture(&p);
        for (int k = 0; k < MANY; k++) {
            p.emphasis[k] = emphasis < 0 ? SVG_NORMAL : (svg_emphasis)emphasis;
        }
        p.chart.emphasis = emphasis < 0 ? NULL : p.emphasis;
        char *text = drawn(&p.chart), looks[MANY][512];
        assert_well_formed(text);
        assert_int_equal(count(text, "<polyline"), PANELS * MANY);
        for (int k = 0; k < MANY; k++) {
            legend_looks(text, p.name[k], looks[k]);
            for (char *at = looks[k]; (at = strchr(at, '#')); at++) {
                if (memcmp(at + 1, "ffffff", 6) != 0) { // white stays: a hollow marker is seen without colour
                    memcpy(at + 1, "000000", 6);
                }
            }
            for (int m = 0; m < k; m++) {
                assert_string_not_equal(looks[k], looks[m]);
            }
        }
        free(text);
    }
}

static void test_emphasis(void **state)
{
    (void)state;
    picture p;
    make_picture(&p);
    p.emphasis[0] = SVG_BOLD;
    p.emphasis[1] = SVG_THIN;
    p.emphasis[2] = SVG_DOTTED;
    p.chart.emphasis = p.emphasis;
    p.chart.panels = 1;
    p.chart.across = 1;
    char *text = drawn(&p.chart), looks[4][512];
    for (int k = 0; k < 4; k++) {
        legend_looks(text, p.name[k], looks[k]);
    }
    assert_true(attribute_at(looks[0], "stroke-width") > 2);
    assert_true(attribute_at(looks[1], "stroke-width") < 1.6);
    assert_null(strstr(looks[0], "dash"));
    assert_non_null(strstr(looks[1], "dash"));
    assert_non_null(strstr(looks[2], "stroke-linecap=\"round\""));
    assert_non_null(strstr(looks[2], "#555555"));
    assert_null(strstr(looks[3], "dash"));
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, "<polyline")); at++) {
        last = at;
    }
    assert_true(attribute_at(last, "stroke-width") > 2); // ours lies above the others
    const char *circle = strstr(text, "<circle"), *polygon = strstr(text, "<polygon");
    assert_true(circle > last && polygon > last); // no line hides the points of another series
    free(text);
}

static void test_reference(void **state)
{
    (void)state;
    picture p;
    make_picture(&p);
    char *text = drawn(&p.chart);
    assert_null(strstr(text, "#CC0000"));
    free(text);
    p.panel[2].reference = p.panel[3].reference = (svg_reference){0.95, "95 <%>"};
    text = drawn(&p.chart);
    assert_well_formed(text);
    assert_int_equal(count(text, "stroke=\"#CC0000\""), 2);
    assert_int_equal(count(text, ">95 &lt;%&gt;<"), 1); // neighbours with the same line share its label
    free(text);
    p.panel[3].reference.y = NAN;
    text = drawn(&p.chart);
    assert_int_equal(count(text, "stroke=\"#CC0000\""), 1);
    assert_null(strstr(text, "nan"));
    free(text);
}

/* Without a given range the line is part of it. */
static void test_reference_in_range(void **state)
{
    (void)state;
    picture p;
    make_picture(&p);
    p.chart.y.to = 0.0;
    p.panel[2].reference = (svg_reference){0.95, "95 %"};
    char *text = drawn(&p.chart);
    double top = attribute_at(tag_with(text, "<rect x", 2), "y"), line = NAN; // of the third panel
    for (int i = 0; i < count(text, "<line"); i++) {
        const char *tag = tag_with(text, "<line", i);
        if (strncmp(strstr(tag, "stroke="), "stroke=\"#CC0000\"", 16) == 0) {
            line = attribute_at(tag, "y1");
        }
    }
    assert_true(line > top + 5 && line < top + 60);
    free(text);
}

/* Ticks are those given; a given range stays, and what lies outside is left out. */
static void test_given_axes(void **state)
{
    (void)state;
    picture p;
    make_picture(&p);
    char *text = drawn(&p.chart);
    assert_int_equal(count(text, ">10<"), PANELS);
    assert_int_equal(count(text, ">30<"), PANELS);
    assert_int_equal(count(text, ">20<"), 0);
    assert_int_equal(count(text, ">0<"), 2); // rows
    assert_int_equal(count(text, ">1<"), 2);
    assert_int_equal(count(text, ">-0<"), 0);
    free(text);
    p.y[0][1] = 1.5;
    p.y[0][2] = -0.2;
    char *without = drawn(&p.chart);
    assert_well_formed(without);
    assert_int_equal(count(without, "<circle"), PANELS * (1 + 3) + 2); // markers of the first and of the eighth series
    free(without);
}

/* A row has its own axes or the chart's. */
static void test_rows(void **state)
{
    (void)state;
    static const double rows[] = {128, 512, 2048};
    picture p;
    make_picture(&p);
    p.row[0] = (svg_row){.title = "an effect <exists>"};
    p.row[1] = (svg_row){.title = "distance",
                         .x = {.label = "rows", .logarithmic = true, .ticks = 3, .tick = rows},
                         .y = {.label = "SHD", .from = 0, .to = 40}};
    p.chart.row = p.row;
    for (int k = 0; k < MANY; k++) {
        p.series[2][k].x = p.series[3][k].x = rows;
    }
    char *text = drawn(&p.chart);
    assert_well_formed(text);
    for (int i = 0; i < 6; i++) {
        static const char *const once[] = {
            ">an effect &lt;exists&gt;<", ">distance<", ">segments<", ">rows<", ">SHD<", ">40<"};
        assert_int_equal(count(text, once[i]), 1);
    }
    assert_int_equal(count(text, ">128<"), 2);
    assert_int_equal(count(text, "stroke=\"#dddddd\""), 2 * (3 + 6) + 2 * (3 + 5)); // no ticks besides those given
    assert_int_equal(count(text, ">10<"), 2 + 1); // two panels of the first row; the second counts to 40
    assert_int_equal(count(text, "<circle"), PANELS * 6 + 2);
    assert_true(strstr(text, ">segments<") < strstr(text, ">rows<"));
    free(text);
}

/* Series at the same value stand beside one another, inside the panel, and do not reach the next place. */
static void test_dodge(void **state)
{
    (void)state;
    picture p;
    make_picture(&p);
    p.chart.panel_width = 120;
    p.chart.dodge = 40;
    p.chart.panels = p.chart.across = 1;
    char *text = drawn(&p.chart), *at = text;
    double last = 0.0, first_end = 0.0;
    for (int k = 0; k < MANY; k++) {
        at = strstr(at + 1, "<polyline");
        double x = strtod(strstr(at, "points=\"") + 8, NULL);
        assert_true(x > last && x > 74);
        last = x;
        if (k == 0) {
            first_end = strtod(strchr(strstr(at, "points=\""), ' ') + 1, NULL); // at the next place
        }
        for (const char *q = strstr(at, "points=\"") + 8; *q != '"'; q += strcspn(q, " ") + 1) {
            assert_true(strtod(q, NULL) < 74 + 120);
        }
    }
    assert_true(last < first_end);
    free(text);
}

static void test_long_texts(void **state)
{
    (void)state;
    picture p;
    make_picture(&p);
    p.chart.across = 1;
    p.chart.note = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
    p.chart.title = "a title that is far too long for one panel and goes on and on until it needs another line";
    char *text = drawn(&p.chart);
    assert_well_formed(text);
    assert_int_equal(count(text, "fill=\"#555555\">"), 2);
    assert_int_equal(count(text, "font-weight=\"bold\">"), 2);
    free(text);
    p.chart.title = p.chart.note = NULL;
    p.chart.names = 0;
    text = drawn(&p.chart);
    assert_well_formed(text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),         cmocka_unit_test(test_leaves_out),
        cmocka_unit_test(test_nothing_to_show), cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_looks_differ),    cmocka_unit_test(test_emphasis),
        cmocka_unit_test(test_reference),       cmocka_unit_test(test_reference_in_range),
        cmocka_unit_test(test_given_axes),      cmocka_unit_test(test_rows),
        cmocka_unit_test(test_dodge),           cmocka_unit_test(test_long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
