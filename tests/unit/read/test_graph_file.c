/* test_graph_file.c - graphs from text: what each format says, and the errors of texts that are refused. */
#include "read/graph_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

static nonsens_graph *parsed(fixture *f, const char *text, const char *column)
{
    nonsens_graph *g;
    if (graph_parse(f->ctx, "g", text, strlen(text), column, &g) != NONSENS_OK) {
        fail_msg("%s: %s", text, nonsens_context_message(f->ctx));
    }
    return g;
}

/* "nodes: a b c; edges: a-->b" */
static void assert_graph(fixture *f, const char *text, const char *column, const char *expected)
{
    static const char *const mark[] = {"-->", "---", "<->"};
    char found[1024];
    nonsens_graph *g = parsed(f, text, column);
    int used = snprintf(found, sizeof found, "%s:", g->lists_nodes ? "nodes" : "ends");
    for (int64_t j = 0; j < nonsens_graph_node_count(g); j++) {
        used += snprintf(found + used, sizeof found - (size_t)used, " %s", nonsens_graph_node_at(g, j));
    }
    used += snprintf(found + used, sizeof found - (size_t)used, "; edges:");
    for (int64_t i = 0; i < nonsens_graph_edge_count(g); i++) {
        const nonsens_edge *e = nonsens_graph_edge_at(g, i);
        used += snprintf(found + used, sizeof found - (size_t)used, " %s%s%s", g->name[e->from], mark[e->type],
                         g->name[e->to]);
    }
    assert_string_equal(found, expected);
    assert_null(nonsens_graph_node_at(g, g->nodes));
    assert_null(nonsens_graph_edge_at(g, g->edges));
    nonsens_graph_free(g);
}

static void test_json(void **state)
{
    fixture *f = *state;
    assert_graph(f, "{\"nodes\": [\"a\", \"b\", \"c\"], \"edges\": [[\"c\", \"a\"]], \"kind\": \"dag\"}", NULL,
                 "nodes: a b c; edges: c-->a");
    assert_graph(f,
                 "\xEF\xBB\xBF {\"edges\": [{\"from\": \"b\", \"to\": \"a\", \"type\": \"---\"},"
                 "{\"from\": \"a\", \"to\": \"c\", \"type\": \"<--\"}, {\"from\": \"b\", \"to\": \"c\"}], "
                 "\"nodes\": [\"a\", \"b\", \"c\"]}",
                 NULL, "nodes: a b c; edges: b---a c-->a b-->c");
    assert_graph(f, "{\"nodes\": [], \"edges\": []}", NULL, "nodes:; edges:");
    nonsens_graph *g = parsed(f,
                              "{\"nodes\": [\"a\", \"b\"], \"edges\": [{\"from\": \"a\", \"to\": \"b\", \"type\": "
                              "\"-->\", \"weight\": -2, \"p_value\": 0.5, \"support\": null, \"confounded\": true}]}",
                              NULL);
    assert_true(g->edge[0].confounded && g->edge[0].weight == -2.0 && g->edge[0].p_value == 0.5 &&
                isnan(g->edge[0].support));
    nonsens_graph_free(g);
}

static void test_marked_edge_list(void **state)
{
    nonsens_graph *g = parsed(*state, "from,to,confounded\na,b,true\nb,c,false\na,c,1\n", NULL);
    assert_int_equal(g->edges, 3);
    assert_true(g->edge[0].confounded && !g->edge[1].confounded && g->edge[2].confounded);
    nonsens_graph_free(g);
}

static void test_edge_list(void **state)
{
    fixture *f = *state;
    assert_graph(f, "from,to\nb,a\na,c\n", NULL, "ends: b a c; edges: b-->a a-->c");
    assert_graph(f, "to\tfrom\nb\ta", NULL, "ends: b a; edges: a-->b");
    assert_graph(f, "Cause;Effect;coef\r\nx 1;y;0.25\r\n", NULL, "ends: x 1 y; edges: x 1-->y");
    assert_graph(f, "from to\na b\n", NULL, "ends: a b; edges: a-->b");
    assert_graph(f, "from,to\n", NULL, "ends:; edges:");
    assert_graph(f, "# made by hand\n# from is the cause\nfrom,to,type\na,b,<-\nb,c,<->\na,c,--\n", NULL,
                 "ends: a b c; edges: b-->a b<->c a---c");
    assert_graph(f, "from,to\n\"a,\"\"b\nc\",d\n", NULL, "ends: a,\"b\nc d; edges: a,\"b\nc-->d");
    assert_graph(f, "from,to\na,b\nb,a\n", NULL, "ends: a b; edges: a-->b b-->a");
    nonsens_graph *g = parsed(f, "from,to,type,weight,p_value,support,meaning\na,b,-->,1.5,,0.25,words\n", NULL);
    assert_true(g->edge[0].weight == 1.5 && isnan(g->edge[0].p_value) && g->edge[0].support == 0.25);
    nonsens_graph_free(g);
}

/* Several graphs in one list: each has the nodes of all of them. */
static void test_column(void **state)
{
    static const char list[] = "cause,effect,one,two\na,b,1,0\nc,d,0,1\na,c,1,1\n";
    fixture *f = *state;
    nonsens_graph *g;
    assert_graph(f, list, "one", "ends: a b c d; edges: a-->b a-->c");
    assert_graph(f, list, "two", "ends: a b c d; edges: c-->d a-->c");
    assert_int_equal(graph_parse(f->ctx, "g", list, sizeof list - 1, NULL, &g), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "the column \"one\" holds zeros and ones"));
    assert_int_equal(graph_parse(f->ctx, "g", list, sizeof list - 1, "three", &g), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "no column \"three\""));
    assert_graph(f, "from,to,year\na,b,1997\nb,c,0\n", NULL, "ends: a b c; edges: a-->b b-->c");
}

static void test_matrix(void **state)
{
    fixture *f = *state;
    assert_graph(f, "a,b,c\n0,1,0\n0,0,-0.5\n0,0,0\n", NULL, "nodes: a b c; edges: a-->b b-->c");
    assert_graph(f, ",a,b\na,0,0\nb,2,0\n", NULL, "nodes: a b; edges: b-->a");
    assert_graph(f, "name,a,b\nb,1,0\na,0,0\n", NULL, "nodes: a b; edges: b-->a"); // rows in another order
    assert_graph(f, "a b\na 0 1\nb 0 0\n", NULL, "nodes: a b; edges: a-->b");      // no corner cell, as R writes it
    assert_graph(f, ",1,2\n1,0,1\n2,0,0\n", NULL, "nodes: 1 2; edges: 1-->2");
    nonsens_graph *g = parsed(f, "a,b\n0,-0.5\n0,0\n", NULL);
    assert_true(g->edge[0].weight == -0.5);
    nonsens_graph_free(g);
}

static void test_tetrad(void **state)
{
    fixture *f = *state;
    assert_graph(f,
                 "Graph Nodes:\nX1;X2;(L1);X4\n\nGraph Edges:\n1. X1 --> X2\n2. X2 --- X4 dd nl\n3. L1 <-> X1\n"
                 "4. X4 <-- L1\n\nGraph Attributes:\nBIC: -3.5\n",
                 NULL, "nodes: X1 X2 L1 X4; edges: X1-->X2 X2---X4 L1<->X1 L1-->X4");
    assert_graph(f, "Graph Nodes:\r\na,b, c\r\n\r\nGraph Edges:\r\n\r\n1. c --> a\r\n", NULL,
                 "nodes: a b c; edges: c-->a");
    assert_graph(f, "Graph Edges:\n1. a --> b\n", NULL, "ends: a b; edges: a-->b");
    assert_graph(f, "Graph Nodes:\na%41;b\n\nGraph Edges:\n1. a%41 --> b\n", NULL, "nodes: a%41 b; edges: a%41-->b");
    assert_graph(f, GRAPH_TETRAD_ESCAPED "\nGraph Nodes:\na%41;b%20c\n\nGraph Edges:\n1. a%41 --> b%20c\n", NULL,
                 "nodes: aA b c; edges: aA-->b c");
}

/* ---- what is refused ---- */

static const struct {
    const char *text, *message;
} BAD[] = {
    {"", "g: the file is empty"},
    {" \n\t\r\n", "g: the file is empty"},
    {"{", "g:1: not JSON"},
    {"{\n\"nodes\": [}\n", "g:2: not JSON"},
    {"[1, 2]", "\"nodes\" and \"edges\" are missing"},
    {"{\"nodes\": [1], \"edges\": []}", "entry 1 of \"nodes\" is not a string"},
    {"{\"nodes\": [\"a\", \"a\"], \"edges\": []}", "the node \"a\" is listed twice"},
    {"{\"nodes\": [\"\"], \"edges\": []}", "the name of a node is empty"},
    {"{\"nodes\": [\"a\"], \"edges\": [[\"a\", \"b\"]]}", "names \"b\", which is not among the nodes"},
    {"{\"nodes\": [\"a\"], \"edges\": [[\"a\", \"a\"]]}", "leads from \"a\" to itself"},
    {"{\"nodes\": [\"a\"], \"edges\": [[\"a\"]]}", "edge 1 of \"edges\" is neither"},
    {"{\"nodes\": [\"a\"], \"edges\": [[\"a\", 3]]}", "edge 1 of \"edges\" lacks the name"},
    {"{\"nodes\": [\"a\"], \"edges\": [{\"from\": \"a\"}]}", "edge 1 of \"edges\" lacks the name"},
    {"{\"nodes\": [\"a\", \"b\"], \"edges\": [{\"from\": \"a\", \"to\": \"b\", \"type\": 1}]}",
     "\"type\" that is not a string"},
    {"<graphml/>", "this is XML, which is written but not read"},
    {"digraph g { a -> b }", "this is DOT, which is written but not read"},
    {"// x\ndigraph g { a -> b }", "this is DOT"},
    {"from,to\na,b\na\n", "g:3: 1 field in place of 2"},
    {"from,to\na,b,c\n", "g:2: 3 fields in place of 2"},
    {"from,to\na,\n", "g:2: the name of a node is empty"},
    {"from,to\na,a\n", "g:2: an edge leads from \"a\" to itself"},
    {"from,to\na,b\nc,d\na,b\n", "g:4: a second edge between \"a\" and \"b\""},
    {"from,to,type\na,b,-->\nb,a,---\n", "g:3: a second edge between"},
    {"from,to,type\na,b,<->\nb,a,-->\n", "g:3: a second edge between"},
    {"from,to,type\na,b,o->\n", "g:2: the edge type \"o->\" has a circle"},
    {"from,to,type\na,b,causes\n", "g:2: the edge type \"causes\" is not known"},
    {"from,to,cause\na,b,c\n", "two columns for the same end"},
    {"from,to\n\"a,b\n", "g:2: a quote is opened but never closed"},
    {"from,to\na\xff,b\n", "g:2: the name \"a\\xff\" is not UTF-8"},
    {"#1\nfrom,to\na\n", "g:3: 1 field"},
    {"a,b\n", "one line only"},
    {"x,y\nu,v\n", "g:2: the row of \"u\" has no column of that name"},
    {"a,b\n0,1\n", "1 row for 2 names; a matrix is square"},
    {"a,b\n0,1\n0,0\n0,0\n", "g:4: more rows than the 2 names"},
    {"a,b\n0,1\n0,0,0\n", "g:3: 3 fields in place of 2"},
    {"a,b\n0,1\n0\n", "g:3: 1 field in place of 2"},
    {"a,b\n1,1\n0,0\n", "g:2: an edge leads from \"a\" to itself"},
    {"a,a\n0,1\n0,0\n", "g:1: the node \"a\" is listed twice"},
    {",a,b\na,0,1\na,0,0\n", "g:3: a second row for \"a\""},
    {",a,b\na,0,1\nc,0,0\n", "g:3: the row of \"c\" has no column"},
    {",a,b\na,0,1\nb\n", "g:3: 1 field in place of 3"},
    {"a,b\n0,inf\n0,0\n", "g:2: \"inf\" is not a number"},
    {"Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> c\n", "g:5: an edge names \"c\""},
    {"Graph Nodes:\na;b\n\nGraph Edges:\n1. a o-> b\n", "g:5: the edge type \"o->\" has a circle"},
    {"Graph Nodes:\na;b\n\nGraph Edges:\na --> b\n", "g:5: not an edge"},
    {"Graph Nodes:\na;;b\n", "g:2: the name of a node is empty"},
    {GRAPH_TETRAD_ESCAPED "\nGraph Nodes:\na%4\n", "g:3: a % in a name"},
    {GRAPH_TETRAD_ESCAPED "\nGraph Nodes:\na%00\n", "g:3: a % in a name"},
};

static void test_refusals(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        nonsens_graph *g;
        nonsens_status status = graph_parse(f->ctx, "g", BAD[i].text, strlen(BAD[i].text), NULL, &g);
        if (status != NONSENS_ERR_DATA || !strstr(nonsens_context_message(f->ctx), BAD[i].message)) {
            fail_msg("case %zu: status %d, %s", i, (int)status, nonsens_context_message(f->ctx));
        }
        assert_null(g);
    }
    nonsens_graph *g;
    assert_int_equal(graph_parse(f->ctx, "g", "from,to\na\0,b\n", 13, NULL, &g), NONSENS_ERR_DATA);
    assert_int_equal(graph_parse(f->ctx, "g", "Graph Nodes:\na\0;b\n", 18, NULL, &g), NONSENS_ERR_DATA);
    assert_int_equal(graph_parse(f->ctx, "g", "{\"nodes\":[],\"edges\":[]}", 23, "x", &g), NONSENS_ERR_DATA);
    assert_int_equal(graph_parse(f->ctx, "g", "a,b\n0,1\n0,0\n", 12, "x", &g), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "no columns to choose by"));
    assert_int_equal(nonsens_graph_read(f->ctx, "/nowhere/g", NULL, &g), NONSENS_ERR_DATA);
    assert_int_equal(nonsens_graph_read(f->ctx, "/tmp", NULL, &g), NONSENS_ERR_DATA);
    assert_int_equal(nonsens_graph_read(f->ctx, "/dev/zero", NULL, &g), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "more than 268435456 bytes"));
}

/* The size is bounded: a chain of 5,001 nodes is one node too long. */
static void test_most_nodes(void **state)
{
    fixture *f = *state;
    enum { BYTES = 200000 };
    char *text = arena_get(f->ctx, &f->scratch, BYTES, 1);
    assert_non_null(text);
    int used = snprintf(text, BYTES, "from,to\n");
    for (int k = 1; k < GRAPH_MAX_NODES; k++) {
        used += snprintf(text + used, (size_t)(BYTES - used), "n%d,n%d\n", k, k + 1);
    }
    nonsens_graph *g = parsed(f, text, NULL);
    assert_true(g->nodes == GRAPH_MAX_NODES && g->edges == GRAPH_MAX_NODES - 1);
    nonsens_graph_free(g);
    snprintf(text + used, (size_t)(BYTES - used), "n%d,n%d\n", GRAPH_MAX_NODES, GRAPH_MAX_NODES + 1);
    assert_int_equal(graph_parse(f->ctx, "g", text, strlen(text), NULL, &g), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "g:5001: more than 5000 nodes"));
}

static nonsens_status parse_all(nonsens_context *ctx, arena *a, void *state)
{
    static const char *const text[] = {"from,to,type\na,\"b\"\"c\",-->\n", ",a,b\na,0,1\nb,0,0\n",
                                       GRAPH_TETRAD_ESCAPED "\nGraph Nodes:\na%41;b\n\nGraph Edges:\n1. a%41 --> b\n",
                                       "{\"nodes\": [\"a\", \"b\"], \"edges\": [[\"a\", \"b\"]]}"};
    (void)a;
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        nonsens_graph *g;
        TRY(graph_parse(ctx, "g", text[i], strlen(text[i]), NULL, &g));
        nonsens_graph_free(g);
    }
    return NONSENS_OK;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_true(fail_every_allocation(*state, parse_all, NULL) >= 12); // the graph and two arenas per text
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_json),     TEST(test_edge_list),  TEST(test_marked_edge_list),
        TEST(test_column),   TEST(test_matrix),     TEST(test_tetrad),
        TEST(test_refusals), TEST(test_most_nodes), TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
