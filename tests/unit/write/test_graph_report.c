/* test_graph_report.c - graphs written in all formats, with any names, and read back. */
#include "base/rng.h"
#include "base/show.h"
#include "data/dataset.h"
#include "methods/shared/result.h"
#include "read/graph_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "json_of.h"

enum { ROWS = 40, LIMIT = 60, LONG = 10000, FILE_MAX = 400000 };

/* Hostile names: without escapes, each would end a quoted string, a line, a label or a JSON text. */
static const char *const ODD[] = {
    "a\"; b -> c; \"",
    "back\\slash\\",
    "line\nfeed\r\t\x1b[2J",
    "\xc3\xa9t\xc3\xa9 \xe6\xb8\xa9\xe5\xba\xa6",
    "<b>bold</b>",
    "]; } digraph evil {",
    "a, b -> c",
    "\\N \\G \\l",
    "line\x0b"
    "feed",
};
enum { ODDS = sizeof ODD / sizeof *ODD };

static char path[] = "/tmp/nonsens_graph_XXXXXX";

static int open_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file >= 0 ? close(file) : -1;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

/* Makes a graph on d variables without edges; the caller owns the names. */
static nonsens_result *new_graph(fixture *f, int64_t d, const char *const *names)
{
    double *v = fixture_doubles(f, ROWS * d);
    nonsens_data *data;
    nonsens_options *o;
    nonsens_result *r;
    rng random = rng_new(3, RNG_TEST, 0);
    for (int64_t i = 0; i < ROWS * d; i++) {
        v[i] = rng_normal(&random);
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, ROWS, d, v, d, 1, NULL, NULL, &data), NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(result_new(f->ctx, data, o, "lingam", &r), NONSENS_OK);
    nonsens_options_free(o);
    nonsens_data_free(data);
    r->is_graph = true;
    for (int64_t j = 0; names && j < d; j++) {
        r->names[j] = arena_text(f->ctx, &r->memory, names[j]);
        assert_non_null(r->names[j]);
    }
    return r;
}

static void add_edge(fixture *f, nonsens_result *r, int64_t from, int64_t to, int type, double weight, double p)
{
    assert_int_equal(result_edge(f->ctx, r, from, to, type, weight, p), NONSENS_OK);
}

/* Numbers variables as the user does, as in a data set whose columns are in canonical order. */
static nonsens_status keep_order(nonsens_context *ctx, nonsens_result *r, const int64_t *order)
{
    int32_t column_rank[LIMIT];
    for (int32_t j = 0; j < LIMIT; j++) {
        column_rank[j] = j;
    }
    return result_keep_order(ctx, r, column_rank, order);
}

/* Makes four variables with one edge of each kind, added in random order. */
static nonsens_result *small_graph(fixture *f, const char *const *names)
{
    nonsens_result *r = new_graph(f, 4, names);
    add_edge(f, r, 3, 2, NONSENS_EDGE_UNDIRECTED, NAN, 0.25);
    add_edge(f, r, 2, 0, NONSENS_EDGE_DIRECTED, -0.0, NAN);
    add_edge(f, r, 1, 0, NONSENS_EDGE_BIDIRECTED, NAN, NAN);
    add_edge(f, r, 0, 3, NONSENS_EDGE_DIRECTED, -1.23456789, 1e-12);
    assert_int_equal(keep_order(f->ctx, r, (int64_t[]){2, 0, 3, 1}), NONSENS_OK);
    assert_int_equal(result_finish(f->ctx, r), NONSENS_OK);
    return r;
}

/* Returns everything that was written, as text. */
static char *read_back(fixture *f)
{
    char *text = arena_get(f->ctx, &f->scratch, FILE_MAX, 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    size_t bytes = fread(text, 1, FILE_MAX - 1, file);
    assert_true(bytes < FILE_MAX - 1);
    fclose(file);
    assert_int_equal(strlen(text), bytes);
    return text;
}

static char *written_text(fixture *f, const nonsens_result *r)
{
    assert_int_equal(nonsens_result_write_text(f->ctx, r, 0, path), NONSENS_OK);
    return read_back(f);
}

static char *written_dot(fixture *f, const nonsens_result *r)
{
    assert_int_equal(nonsens_result_write_graph(f->ctx, r, NONSENS_GRAPH_DOT, path), NONSENS_OK);
    return read_back(f);
}

static char *written_graph(fixture *f, const nonsens_result *r, nonsens_graph_format format)
{
    assert_int_equal(nonsens_result_write_graph(f->ctx, r, format, path), NONSENS_OK);
    return read_back(f);
}

static json_value *written_json(fixture *f, const nonsens_result *r)
{
    assert_int_equal(nonsens_result_write_json(f->ctx, r, path), NONSENS_OK);
    return json_of_file(path);
}

/* ---- the exact text of a small graph ---- */

static void test_edges_are_in_order(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, NULL);
    static const int64_t ends[4][3] = {{0, 1, NONSENS_EDGE_BIDIRECTED},
                                       {0, 3, NONSENS_EDGE_DIRECTED},
                                       {2, 0, NONSENS_EDGE_DIRECTED},
                                       {2, 3, NONSENS_EDGE_UNDIRECTED}};
    assert_int_equal(nonsens_result_edge_count(r), 4);
    for (int64_t k = 0; k < 4; k++) {
        const nonsens_edge *e = nonsens_result_edge_at(r, k);
        assert_true(e->from == ends[k][0] && e->to == ends[k][1] && e->type == ends[k][2] && isnan(e->support));
    }
    assert_null(nonsens_result_edge_at(r, 4));
    assert_null(nonsens_result_edge_at(r, -1));
    assert_int_equal(nonsens_result_order(r)[0], 2);
    nonsens_result_free(r);
}

static void test_small_dot(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    r->edge[3].support = 0.875;
    assert_string_equal(
        written_dot(f, r),
        "// a -> b: a causes b; dir=none: direction not known; dir=both: hidden common cause\n"
        "digraph nonsens {\n  v1 [label=\"a\"];\n  v2 [label=\"b\"];\n  v3 [label=\"c\"];\n  v4 [label=\"d\"];\n"
        "  v1 -> v2 [dir=both];\n  v1 -> v4 [dir=forward, label=\"-1.23\"];\n"
        "  v3 -> v1 [dir=forward, label=\"0\"];\n  v3 -> v4 [dir=none, penwidth=2.69, label=\"0.875\"];\n}\n");
    nonsens_result_free(r);
}

static void test_small_csv(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    r->edge[3].support = 0.875;
    r->edge[1].effect = 0.5;
    r->edge[1].effect_low = 0.25;
    r->edge[1].effect_high = 0.75;
    r->edge[1].lower = -1.0;
    r->edge[1].upper = 2.0;
    assert_string_equal(written_graph(f, r, NONSENS_GRAPH_CSV),
                        "from,to,type,weight,p_value,support,meaning,confounded,"
                        "direct_effect,effect_low,effect_high,step_low,step_high\n"
                        "a,b,<->,,,,hidden common cause,false,,,,,\n"
                        "a,d,-->,-1.23456789,1e-12,,from causes to,false,0.5,0.25,0.75,-1,2\n"
                        "c,a,-->,0,,,from causes to,false,,,,,\n"
                        "c,d,---,,0.25,0.875,direction not known,false,,,,,\n");
    nonsens_result_free(r);
}

static void test_small_tetrad(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    assert_string_equal(written_graph(f, r, NONSENS_GRAPH_TETRAD),
                        "# The node at the tail of an arrow is the cause: A[i][j] != 0 means that i causes j\n"
                        "Graph Nodes:\na;b;c;d\n\nGraph Edges:\n"
                        "1. a <-> b\n2. a --> d\n3. c --> a\n4. c --- d\n");
    nonsens_result_free(r);
}

static void test_small_graphml(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a&b", "<c>", "l\nf\x01", "d\xef\xbf\xbf"});
    char *text = written_graph(f, r, NONSENS_GRAPH_GRAPHML);
    assert_non_null(
        strstr(text, "<desc>The source of a directed edge is the cause: A[i][j] != 0 means that i causes j"));
    assert_non_null(strstr(text, "<node id=\"v1\">\n      <data key=\"name\">a&amp;b</data>"));
    assert_non_null(strstr(text, "<data key=\"name\">&lt;c&gt;</data>"));
    assert_non_null(strstr(text, "<data key=\"name\">l&#10;f\\x01</data>"));
    assert_non_null(strstr(text, "<data key=\"name\">d\\xef\\xbf\\xbf</data>"));
    assert_non_null(strstr(text, "<edge source=\"v1\" target=\"v4\">\n      <data key=\"type\">--&gt;</data>"));
    assert_non_null(strstr(text, "<edge source=\"v1\" target=\"v2\" directed=\"false\">"));
    assert_non_null(strstr(text, "<edge source=\"v3\" target=\"v4\" directed=\"false\">"));
    assert_non_null(strstr(text, "<data key=\"weight\">-1.23456789</data>\n      <data key=\"p_value\">1e-12</data>"));
    nonsens_result_free(r);
}

static void test_small_text(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    static const char expected[] = "4 edges between 4 variables by lingam (40 rows)\n"
                                   "\n"
                                   "  a <-> b   weight      -   no test  \n"
                                   "  a -> d    weight -1.235   p < 0.001\n"
                                   "  c -> a    weight      0   no test  \n"
                                   "  c -- d    weight      -   p = 0.25\n"
                                   "  --: direction not known. <->: hidden common cause.\n"
                                   "\n"
                                   "Open: 1 edge without a direction: c -- d\n"
                                   "Open: 1 edge with a head at both ends: a <-> b\n";
    char *text = written_text(f, r);
    if (strncmp(text, expected, sizeof expected - 1) != 0) {
        fail_msg("%s", text);
    }
    nonsens_result_free(r);
}

/* A mark at an edge is written in every format, and legends explain only marks that occur. */
static void test_marked(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    r->edge[0] = r->edge[--r->edges];
    r->edge[1].confounded = 1;
    char *text = written_text(f, r);
    assert_non_null(strstr(text, "  --: direction not known. (!): hidden common cause likely.\n"));
    assert_non_null(strstr(text, "  a -> d   weight -1.235   p < 0.001   (!)\n"));
    assert_non_null(strstr(text, "  c -> a   weight      0   no test  \n"));
    const char *dot = written_dot(f, r);
    assert_non_null(strstr(dot, "// a -> b: a causes b; dir=none: direction not known; style=dashed: a hidden common "
                                "cause is likely\n"));
    assert_non_null(strstr(dot, "  v1 -> v4 [dir=forward, style=dashed, label=\"-1.23\"];\n"));
    assert_non_null(strstr(written_graph(f, r, NONSENS_GRAPH_CSV), "1e-12,,from causes to,true,"));
    r->edges = 0;
    assert_non_null(strstr(written_text(f, r), "0 edges between 4 variables by lingam (40 rows)\n"));
    nonsens_result_free(r);
}

static void test_small_json(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    json_value *root = written_json(f, r), *edges = json_object_get(root, "edges");
    assert_string_equal(json_get_string(root, "method"), "lingam");
    assert_null(json_object_get(root, "decision"));
    assert_null(json_object_get(root, "direction"));
    assert_int_equal(json_array_size(json_object_get(root, "nodes")), 4);
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "order"), 3)), "b");
    assert_int_equal(json_array_size(edges), 4);
    static const char *const types[] = {"<->", "-->", "-->", "---"};
    for (size_t k = 0; k < 4; k++) {
        assert_string_equal(json_get_string(json_array_get(edges, k), "type"), types[k]);
        assert_true(json_has(json_array_get(edges, k), "support", JSON_NULL));
    }
    json_value *second = json_array_get(edges, 1);
    assert_string_equal(json_get_string(second, "from"), "a");
    assert_string_equal(json_get_string(second, "to"), "d");
    assert_true(json_number_value(json_object_get(second, "weight")) == -1.23456789);
    assert_true(json_number_value(json_object_get(second, "p_value")) == 1e-12);
    assert_true(json_number_value(json_object_get(root, "p_value_bound")) == 0.001);
    assert_true(json_has(json_array_get(edges, 0), "weight", JSON_NULL));
    assert_true(json_has(json_array_get(edges, 2), "p_value", JSON_NULL));
    json_decref(root);
    nonsens_result_free(r);
}

static void test_no_edges(void **state)
{
    fixture *f = *state;
    nonsens_result *r = new_graph(f, 2, NULL);
    r->reason = "No cause is identified.";
    assert_int_equal(result_finish(f->ctx, r), NONSENS_OK);
    char *text = written_text(f, r);
    assert_true(strncmp(text, "0 edges between 2 variables by lingam", 37) == 0);
    assert_non_null(strstr(text, "\nNo cause is identified.\n"));
    assert_null(strstr(text, "Order"));
    json_value *root = written_json(f, r);
    assert_int_equal(json_array_size(json_object_get(root, "edges")), 0);
    assert_null(json_object_get(root, "order"));
    assert_string_equal(json_get_string(root, "reason"), "No cause is identified.");
    json_decref(root);
    nonsens_result_free(r);
}

/* ---- hostile names ---- */

/* Makes a graph in which each variable causes the next; the last has a name of 10,000 bytes. */
static nonsens_result *odd_graph(fixture *f)
{
    const char *names[ODDS + 1];
    char *longest = arena_get(f->ctx, &f->scratch, LONG + 1, 1);
    assert_non_null(longest);
    memset(longest, 'n', LONG);
    memcpy(names, ODD, sizeof ODD);
    names[ODDS] = longest;
    nonsens_result *r = new_graph(f, ODDS + 1, names);
    for (int64_t j = 0; j < ODDS; j++) {
        add_edge(f, r, j, j + 1, NONSENS_EDGE_DIRECTED, NAN, 0.01);
    }
    assert_int_equal(result_finish(f->ctx, r), NONSENS_OK);
    return r;
}

/* Reads the quoted string at *at, as Graphviz does, and moves past it. */
static void take_quoted(const char **at, char *out, size_t bytes)
{
    size_t used = 0;
    assert_int_equal(**at, '"');
    for ((*at)++; **at != '"'; (*at)++) {
        *at += **at == '\\';
        assert_true((unsigned char)**at >= 0x20 && **at != 0x7f && used + 1 < bytes);
        out[used++] = **at;
    }
    out[used] = '\0';
    (*at)++;
}

static void pass_over(const char **at, const char *words)
{
    if (strncmp(*at, words, strlen(words)) != 0) {
        fail_msg("\"%.60s\" does not begin with \"%s\"", *at, words);
    }
    *at += strlen(words);
}

static void test_odd_names_in_dot(void **state)
{
    fixture *f = *state;
    nonsens_result *r = odd_graph(f);
    const char *at = strchr(written_dot(f, r), '\n') + 1;
    char words[80], label[1000], shown[1000];
    pass_over(&at, "digraph nonsens {\n");
    for (int64_t j = 0; j <= ODDS; j++) {
        snprintf(words, sizeof words, "  v%" PRId64 " [label=", j + 1);
        pass_over(&at, words);
        take_quoted(&at, label, sizeof label);
        assert_string_equal(label, show_text(shown, sizeof shown, r->names[j], (int64_t)strlen(r->names[j]), 200));
        pass_over(&at, "];\n");
    }
    for (int64_t j = 0; j < ODDS; j++) {
        snprintf(words, sizeof words, "  v%" PRId64 " -> v%" PRId64 " [dir=forward];\n", j + 1, j + 2);
        pass_over(&at, words);
    }
    assert_string_equal(at, "}\n");
    nonsens_result_free(r);
}

static void test_odd_names_in_json(void **state)
{
    fixture *f = *state;
    nonsens_result *r = odd_graph(f);
    json_value *root = written_json(f, r), *edges = json_object_get(root, "edges"),
               *nodes = json_object_get(root, "nodes");
    for (size_t j = 0; j < ODDS; j++) {
        assert_string_equal(json_string_value(json_array_get(nodes, j)), r->names[j]);
        assert_string_equal(json_get_string(json_array_get(edges, j), "from"), r->names[j]);
        assert_string_equal(json_get_string(json_array_get(edges, j), "to"), r->names[j + 1]);
    }
    assert_int_equal(strlen(json_string_value(json_array_get(nodes, ODDS))), LONG);
    json_decref(root);
    nonsens_result_free(r);
}

/* Each edge is one line, without control sequences for terminals, and no line has 10,000 characters. */
static void test_odd_names_in_text(void **state)
{
    fixture *f = *state;
    nonsens_result *r = odd_graph(f);
    assert_int_equal(keep_order(f->ctx, r, (int64_t[]){9, 8, 7, 6, 5, 4, 3, 2, 1, 0}), NONSENS_OK);
    const char *at = written_text(f, r);
    for (const char *c = at; *c; c++) {
        assert_true(*c == '\n' || ((unsigned char)*c >= 0x20 && *c != 0x7f));
    }
    at = strchr(at, '\n') + 2; // an empty line comes first
    for (int64_t j = 0; j < ODDS; j++) {
        char from[SHOWN_BYTES], to[SHOWN_BYTES], words[3 * SHOWN_BYTES];
        snprintf(words, sizeof words, "  %s -> %s", show_bare(from, r->names[j]), show_bare(to, r->names[j + 1]));
        pass_over(&at, words);
        assert_true(strcspn(at, "\n") < 120);
        at = strchr(at, '\n') + 1;
        assert_non_null(strstr(at - 20, "p = 0.01"));
    }
    nonsens_result_free(r);
}

/* Every format that can be read brings back every name and edge. */
static void test_odd_names_come_back(void **state)
{
    static const nonsens_graph_format formats[] = {NONSENS_GRAPH_CSV, NONSENS_GRAPH_TETRAD};
    fixture *f = *state;
    nonsens_result *r = odd_graph(f);
    for (size_t k = 0; k < sizeof formats / sizeof *formats + 1; k++) {
        nonsens_graph *g;
        if (k < sizeof formats / sizeof *formats) {
            assert_int_equal(nonsens_result_write_graph(f->ctx, r, formats[k], path), NONSENS_OK);
        } else {
            assert_int_equal(nonsens_result_write_json(f->ctx, r, path), NONSENS_OK);
        }
        if (nonsens_graph_read(f->ctx, path, NULL, &g) != NONSENS_OK) {
            fail_msg("%s", nonsens_context_message(f->ctx));
        }
        assert_int_equal(nonsens_graph_node_count(g), r->variables);
        assert_int_equal(nonsens_graph_edge_count(g), r->edges);
        for (int64_t i = 0; i < r->edges; i++) {
            const nonsens_edge *e = nonsens_graph_edge_at(g, i);
            assert_string_equal(nonsens_graph_node_at(g, e->from), r->names[r->edge[i].from]);
            assert_string_equal(nonsens_graph_node_at(g, e->to), r->names[r->edge[i].to]);
            assert_int_equal(e->type, r->edge[i].type);
        }
        nonsens_graph_free(g);
    }
    nonsens_result_free(r);
}

static void test_latin_names(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"temp\xe9rature", "b", "c", "d"});
    assert_non_null(strstr(written_dot(f, r), "v1 [label=\"temp\\\\xe9rature\"]"));
    json_value *root = written_json(f, r);
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "nodes"), 0)), "temp\xc3\xa9rature");
    json_decref(root);
    assert_non_null(strstr(written_graph(f, r, NONSENS_GRAPH_CSV), "temp\xc3\xa9rature,"));
    assert_non_null(strstr(written_graph(f, r, NONSENS_GRAPH_TETRAD), "temp\xc3\xa9rature;b"));
    assert_non_null(strstr(written_graph(f, r, NONSENS_GRAPH_GRAPHML), ">temp\xc3\xa9rature<"));
    nonsens_result_free(r);
}

/* ---- many edges ---- */

static void test_many_edges(void **state)
{
    fixture *f = *state;
    nonsens_result *r = new_graph(f, LIMIT, NULL);
    int64_t order[LIMIT];
    for (int64_t j = LIMIT - 1; j >= 0; j--) {
        order[j] = j;
        for (int64_t k = LIMIT - 1; k > j; k--) {
            add_edge(f, r, j, k, NONSENS_EDGE_DIRECTED, 1.0, NAN);
        }
    }
    assert_int_equal(keep_order(f->ctx, r, order), NONSENS_OK);
    assert_int_equal(result_finish(f->ctx, r), NONSENS_OK);
    for (int64_t k = 1; k < r->edges; k++) {
        const nonsens_edge *a = &r->edge[k - 1], *b = &r->edge[k];
        assert_true(a->from < b->from || (a->from == b->from && a->to < b->to));
    }
    assert_non_null(strstr(written_text(f, r), "  ... and 1755 more; --verbose shows them\n"));
    assert_int_equal(nonsens_result_write_text(f->ctx, r, NONSENS_TEXT_ALL, path), NONSENS_OK);
    const char *text = read_back(f);
    assert_null(strstr(text, "--verbose shows them"));
    assert_non_null(strstr(text, "\nOrder, causes first\n"));
    assert_non_null(strstr(text, ", ...\n"));
    json_value *root = written_json(f, r);
    assert_int_equal(json_array_size(json_object_get(root, "edges")), LIMIT * (LIMIT - 1) / 2);
    json_decref(root);
    nonsens_result_free(r);
}

/* ---- bootstrap samples ---- */

/* Eight of ten bootstrap samples succeed: an edge that the graph lacks is reported if at least four of them have it. */
static void test_edges_of_samples(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, (const char *const[]){"a", "b", "c", "d"});
    result_edge_counts pair[] = {{.a = 0, .b = 1, .bidirected = 8, .adjacent = 8},
                                 {.a = 0, .b = 2, .forward = 5, .backward = 3, .adjacent = 8},
                                 {.a = 1, .b = 2, .undirected = 3, .bidirected = 4, .adjacent = 7},
                                 {.a = 2, .b = 3, .undirected = 7, .adjacent = 7}};
    r->bootstrap = (result_bootstrap){10, 2, pair, sizeof pair / sizeof *pair};
    static const char expected[] = "\n10 bootstrap samples of half of the rows, of which 2 failed.\n"
                                   "Not in the graph, but in at least half of the bootstrap samples:\n"
                                   "  a -> c   support 0.625\n"
                                   "  b <-> c   support 0.5\n"
                                   "\n";
    char *text = written_text(f, r);
    if (!strstr(text, expected)) {
        fail_msg("%s", text);
    }
    r->bootstrap.failed = 10;
    assert_null(strstr(written_text(f, r), "Not in the graph"));
    nonsens_result_free(r);
}

static void test_many_edges_of_samples(void **state)
{
    enum { NODES = 8 };
    fixture *f = *state;
    nonsens_result *r = new_graph(f, NODES, NULL);
    result_edge_counts pair[NODES * NODES];
    int64_t count = 0;
    for (int64_t a = 0; a < NODES; a++) {
        for (int64_t b = a + 1; b < NODES; b++) {
            pair[count++] = (result_edge_counts){.a = a, .b = b, .forward = 3, .adjacent = 3};
        }
    }
    assert_int_equal(result_finish(f->ctx, r), NONSENS_OK);
    r->bootstrap = (result_bootstrap){3, 0, pair, count};
    assert_non_null(strstr(written_text(f, r), "  ... and 23 more; --json shows them\n"));
    nonsens_result_free(r);
}

/* ---- failures ---- */

static void test_full_disk(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, NULL);
    assert_int_equal(nonsens_result_write_graph(f->ctx, r, NONSENS_GRAPH_DOT, "/dev/full"), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "No space left"));
    assert_int_equal(nonsens_result_write_json(f->ctx, r, "/dev/full"), NONSENS_ERR_OUTPUT);
    assert_int_equal(nonsens_result_write_text(f->ctx, r, 0, "/dev/full"), NONSENS_ERR_OUTPUT);
    assert_int_equal(nonsens_result_write_graph(f->ctx, r, NONSENS_GRAPH_DOT, "/nowhere/graph.dot"),
                     NONSENS_ERR_OUTPUT);
    nonsens_result_free(r);
}

static void test_only_graphs_become_dot(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, NULL);
    r->is_graph = false;
    assert_int_equal(nonsens_result_write_graph(f->ctx, r, NONSENS_GRAPH_DOT, path), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "only discover has a graph"));
    r->is_graph = true;
    assert_int_equal(nonsens_result_write_graph(f->ctx, r, (nonsens_graph_format)99, path), NONSENS_ERR_USAGE);
    nonsens_result_free(r);
}

static nonsens_status write_all(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    for (int format = NONSENS_GRAPH_DOT; format <= NONSENS_GRAPH_GRAPHML; format++) {
        TRY(nonsens_result_write_graph(ctx, state, (nonsens_graph_format)format, path));
    }
    TRY(nonsens_result_write_text(ctx, state, 1, path));
    return nonsens_result_write_json(ctx, state, path);
}

static nonsens_status add_many(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    nonsens_result *r = state;
    for (int64_t k = 0; k < 40; k++) {
        TRY(result_edge(ctx, r, 0, 1, NONSENS_EDGE_DIRECTED, NAN, NAN));
    }
    TRY(keep_order(ctx, r, (int64_t[]){0, 1}));
    return result_finish(ctx, r);
}

static void test_failing_allocations(void **state)
{
    fixture *f = *state;
    nonsens_result *r = small_graph(f, NULL), *empty = new_graph(f, 2, NULL);
    assert_true(fail_every_allocation(f, write_all, r) > 0);
    fail_every_allocation(f, add_many, empty);
    assert_true(empty->edges >= 40);
    nonsens_result_free(r);
    nonsens_result_free(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_edges_are_in_order),
        TEST(test_small_dot),
        TEST(test_small_text),
        TEST(test_marked),
        TEST(test_small_json),
        TEST(test_no_edges),
        TEST(test_odd_names_in_dot),
        TEST(test_odd_names_in_json),
        TEST(test_odd_names_in_text),
        TEST(test_latin_names),
        TEST(test_many_edges),
        TEST(test_edges_of_samples),
        TEST(test_many_edges_of_samples),
        TEST(test_full_disk),
        TEST(test_only_graphs_become_dot),
        TEST(test_failing_allocations),
        TEST(test_small_csv),
        TEST(test_small_tetrad),
        TEST(test_small_graphml),
        TEST(test_odd_names_come_back),
    };
    return cmocka_run_group_tests(tests, open_path, remove_path);
}
