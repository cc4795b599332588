/* test_svg_graph.c - graphs: heads at the rims, edges apart, labels in reach, and nothing broken by odd input. */
#include "reproduce/svg_graph.h"

#include <math.h>
#include <string.h>

#include "svg_text.h"

static char *drawn(const svg_graph_chart *chart)
{
    static char *text; // static: else gcc 12 takes what points into it for dangling
    static size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    svg_graph_write(stream, chart);
    assert_int_equal(fclose(stream), 0);
    assert_well_formed(text);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf\""));
    return text;
}

static char *draw_graph(int64_t nodes, const svg_node *node, int64_t edges, const svg_edge *edge)
{
    svg_graph graph = {"panel", nodes, node, edges, edge};
    svg_graph_chart chart = {.title = "title",
                             .note = "note",
                             .class_name = {"possible", "impossible", "open"},
                             .graphs = 1,
                             .across = 1,
                             .graph = &graph};
    return drawn(&chart);
}

/* So many numbers after the k-th occurrence (from 0) of a word. */
static void numbers_after(const char *text, const char *word, int k, int n, double *out)
{
    for (; k >= 0; k--) {
        text = strstr(text, word);
        assert_non_null(text);
        text += strlen(word);
    }
    for (int i = 0; i < n; i++) {
        text += strcspn(text, "0123456789-.");
        char *end;
        out[i] = strtod(text, &end);
        text = end;
    }
}

/* How far a point lies from the k-th node, where 1 is its rim. */
static double rims_from(const char *text, int k, const double point[2])
{
    double oval[4];
    numbers_after(text, "<ellipse", k, 4, oval);
    return hypot((point[0] - oval[0]) / oval[2], (point[1] - oval[1]) / oval[3]);
}

static void test_heads_at_rims(void **state)
{
    (void)state;
    enum { KINDS = 3 };
    static const int heads[KINDS] = {[SVG_ARROW] = 1, [SVG_LINE] = 0, [SVG_TWO_HEADED] = 2};
    svg_node node[] = {{"cause", 0.1, 0.2}, {"a longer name", 0.9, 0.7}};
    for (int kind = 0; kind < KINDS; kind++) {
        svg_edge edge = {0, 1, (svg_edge_kind)kind, SVG_FEASIBLE, 0.5, "0.50"};
        char *text = draw_graph(2, node, 1, &edge);
        double tip[2], path[6];
        assert_int_equal(count(text, "<polygon"), heads[kind]);
        numbers_after(text, "<path d", 0, 6, path);
        if (kind == SVG_LINE) {
            assert_float_equal(rims_from(text, 0, path), 1.0, 1e-3);
            assert_float_equal(rims_from(text, 1, path + 4), 1.0, 1e-3);
        } else {
            numbers_after(text, "<polygon points", heads[kind] - 1, 2, tip);
            assert_float_equal(rims_from(text, 1, tip), 1.0, 1e-3);
            assert_true(rims_from(text, 1, path + 4) > 1.1); // the line stops where the head begins
        }
        if (kind == SVG_TWO_HEADED) {
            numbers_after(text, "<polygon points", 0, 2, tip);
            assert_float_equal(rims_from(text, 0, tip), 1.0, 1e-3);
        }
        free(text);
    }
}

/* Control points of edges between the same two nodes, whichever way they go. */
static void test_edges_apart(void **state)
{
    (void)state;
    svg_node node[] = {{"a", 0, 0.5}, {"b", 1, 0.5}};
    svg_edge edge[] = {{0, 1, SVG_ARROW, SVG_FEASIBLE, 0.9, "0.90"},
                       {1, 0, SVG_ARROW, SVG_INFEASIBLE, 0.1, "0.10"},
                       {0, 1, SVG_LINE, SVG_OTHER, 0.1, "0.30"}};
    double path[3][6];
    for (int edges = 2; edges <= 3; edges++) {
        char *text = draw_graph(2, node, edges, edge);
        for (int e = 0; e < edges; e++) {
            numbers_after(text, "<path d", e, 6, path[e]);
            for (int f = 0; f < e; f++) {
                assert_true(fabs(path[e][3] - path[f][3]) > 20);
            }
        }
        free(text);
    }
    char *text = draw_graph(2, node, 1, edge); // alone it is straight
    numbers_after(text, "<path d", 0, 6, path[0]);
    assert_float_equal(path[0][3], path[0][1], 0.02);
    free(text);
}

static void test_bows_around_nodes(void **state)
{
    (void)state;
    svg_node node[] = {{"a", 0, 0.5}, {"b", 1, 0.5}, {"between", 0.5, 0.5}};
    svg_edge edge = {0, 1, SVG_LINE, SVG_FEASIBLE, 0.9, NULL};
    char *text = draw_graph(3, node, 1, &edge);
    double path[6], middle[2];
    numbers_after(text, "<path d", 0, 6, path);
    for (int i = 0; i < 2; i++) {
        middle[i] = 0.25 * path[i] + 0.5 * path[2 + i] + 0.25 * path[4 + i];
    }
    assert_true(rims_from(text, 2, middle) > 1.1);
    free(text);
}

static void test_widths_and_classes(void **state)
{
    (void)state;
    svg_node node[] = {{"a", 0, 0}, {"b", 1, 0}, {"c", 0.5, 1}};
    svg_edge edge[] = {{0, 1, SVG_ARROW, SVG_FEASIBLE, 0.2, "0.20"},
                       {1, 2, SVG_ARROW, SVG_INFEASIBLE, 0.8, "0.80"},
                       {2, 0, SVG_ARROW, SVG_FEASIBLE, NAN, NULL}};
    char *text = draw_graph(3, node, 3, edge);
    double thin, thick;
    numbers_after(text, "stroke=\"#0072B2\" stroke-width", 0, 1, &thin);
    numbers_after(text, "stroke=\"#D55E00\" stroke-width", 0, 1, &thick);
    assert_true(thick > thin + 1);
    assert_int_equal(count(text, "stroke-dasharray"), 1 + 1); // the edge and the legend
    assert_int_equal(count(text, ">possible<"), 1);
    assert_int_equal(count(text, ">impossible<"), 1);
    assert_int_equal(count(text, ">open<"), 0); // does not occur
    assert_int_equal(count(text, ">0.80<"), 2); // letters and their seam
    free(text);
}

/* Where labels would cover one another at the middle of their edges, they move. */
static void test_labels_apart(void **state)
{
    (void)state;
    svg_node node[] = {{"a", 0, 0}, {"b", 1, 1}, {"c", 1, 0}, {"d", 0, 1}};
    svg_edge edge[] = {{0, 1, SVG_ARROW, SVG_FEASIBLE, 0.2, "first"}, {2, 3, SVG_ARROW, SVG_FEASIBLE, 0.8, "second"}};
    char *text = draw_graph(4, node, 2, edge);
    double at[2][2];
    for (int e = 0; e < 2; e++) {
        const char *place = strstr(text, e == 0 ? ">first<" : ">second<");
        assert_non_null(place);
        while (strncmp(place, "<text", 5) != 0) {
            place--;
        }
        numbers_after(place, "<text", 0, 2, at[e]);
    }
    assert_true(fabs(at[0][0] - at[1][0]) > 38 || fabs(at[0][1] - at[1][1]) > 14);
    free(text);
}

static void test_escapes(void **state)
{
    (void)state;
    static const char odd[] = "</text><script>&\"'\x01";
    svg_node node[] = {{odd, 0, 0}, {"b", 1, 1}};
    svg_edge edge = {0, 1, SVG_ARROW, SVG_OTHER, 1.0, odd};
    svg_graph graph[] = {{odd, 2, node, 1, &edge}, {odd, 2, node, 1, &edge}};
    svg_graph_chart chart = {
        .title = odd, .note = odd, .class_name = {odd, odd, odd}, .graphs = 2, .across = 2, .graph = graph};
    char *text = drawn(&chart);
    assert_null(strstr(text, "<script"));
    assert_int_equal(count(text, "&lt;/text&gt;&lt;script&gt;&amp;&quot;&#39;<"), 3 + 2 * (1 + 1 + 2) + 1);
    assert_int_equal(count(text, "<ellipse"), 4);
    free(text);
}

/* What has no place is left out, and the rest is there. */
static void test_odd_input(void **state)
{
    (void)state;
    svg_node node[] = {{"a", 0.5, 0.5}, {"a", 0.5, 0.5}, {"far", 7, -3}, {"lost", NAN, 0.5}, {"", 0.1, 0.9}};
    svg_edge edge[] = {{0, 1, SVG_ARROW, SVG_FEASIBLE, 0.5, "x"},          {1, 1, SVG_ARROW, SVG_FEASIBLE, 0.5, "x"},
                       {0, 3, SVG_ARROW, SVG_FEASIBLE, 0.5, "x"},          {0, 99, SVG_ARROW, SVG_FEASIBLE, 0.5, "x"},
                       {-1, 0, SVG_ARROW, SVG_FEASIBLE, 0.5, "x"},         {0, 2, SVG_ARROW, SVG_FEASIBLE, 9, "y"},
                       {4, 0, SVG_TWO_HEADED, SVG_FEASIBLE, -INFINITY, ""}};
    char *text = draw_graph(5, node, 7, edge);
    assert_int_equal(count(text, "<ellipse"), 4);
    assert_int_equal(count(text, "<path"), 2 + 1); // and the legend
    assert_int_equal(count(text, "<polygon"), 1 + 2);
    assert_int_equal(count(text, ">x<"), 0);
    assert_int_equal(count(text, ">y<"), 2);
    free(text);
    text = draw_graph(0, NULL, 0, NULL);
    assert_int_equal(count(text, "<ellipse"), 0);
    free(text);
    svg_graph_chart none = {.across = 1};
    free(drawn(&none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_at_rims),     cmocka_unit_test(test_edges_apart),
        cmocka_unit_test(test_bows_around_nodes), cmocka_unit_test(test_widths_and_classes),
        cmocka_unit_test(test_labels_apart),      cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_odd_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
