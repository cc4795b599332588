/* test_compare_graphs.c - two graphs compared: nodes by name, distances, differences, and what cannot be compared. */
#include "read/graph_file.h"
#include "tasks/compare_graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

static nonsens_graph *parsed(fixture *f, const char *path, const char *text)
{
    nonsens_graph *g;
    if (graph_parse(f->ctx, path, text, strlen(text), NULL, &g) != NONSENS_OK) {
        fail_msg("%s: %s", text, nonsens_context_message(f->ctx));
    }
    return g;
}

static nonsens_status compare_texts(fixture *f, const char *estimate, const char *truth, const char *flag,
                                    nonsens_comparison **out)
{
    nonsens_graph *e = parsed(f, "est", estimate), *t = parsed(f, "tru", truth);
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_COMPARE, &o), NONSENS_OK);
    for (const char *key = flag; key; key = NULL) {
        assert_int_equal(nonsens_options_set(f->ctx, o, key, "true"), NONSENS_OK);
    }
    nonsens_status status = nonsens_comparison_new(f->ctx, e, t, o, out);
    nonsens_options_free(o);
    nonsens_graph_free(e);
    nonsens_graph_free(t);
    return status;
}

static nonsens_comparison *compared(fixture *f, const char *estimate, const char *truth, const char *flag)
{
    nonsens_comparison *c;
    if (compare_texts(f, estimate, truth, flag, &c) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return c;
}

static const char TRUTH[] = "from,to\na,b\nb,c\na,d\nc,e\n";

/* Names match in any order; there is one edge of each kind of difference. */
static void test_differences(void **state)
{
    static const char *const what[] = {"marked", "missing", "reversed", "extra"};
    fixture *f = *state;
    nonsens_comparison *c = compared(f,
                                     "Graph Nodes:\ne;d;c;b;a\n\nGraph Edges:\n1. c --> b\n2. a --- b\n3. c --> e\n"
                                     "4. d --> e\n",
                                     TRUTH, NULL);
    const nonsens_distance *d = nonsens_comparison_distance_at(c, 0);
    assert_string_equal(d->against, "truth");
    assert_true(d->missing == 1 && d->extra == 1 && d->reversed == 1 && d->marked == 1 && d->shd == 4);
    assert_true(d->undirected == 1 && d->directions == 3 && fabs(d->direction_accuracy - 1.0 / 3) < 1e-15);
    assert_true(d->skeleton.possible == 10 && d->arrows.true_positives == 1 && d->differences == 4);
    for (int64_t i = 0; i < 4; i++) { // a-b, a-d, b-c, d-e
        assert_string_equal(nonsens_comparison_difference_at(c, 0, i)->what, what[i]);
    }
    const nonsens_difference *reversed = nonsens_comparison_difference_at(c, 0, 2);
    assert_string_equal(nonsens_comparison_node_at(c, reversed->estimated.from), "c");
    assert_string_equal(nonsens_comparison_node_at(c, reversed->actual.from), "b");
    assert_int_equal(nonsens_comparison_difference_at(c, 0, 1)->estimated.type, NONSENS_EDGE_NONE);
    assert_null(nonsens_comparison_difference_at(c, 0, 4));
    assert_null(nonsens_comparison_difference_at(c, 1, 0));
    assert_null(nonsens_comparison_distance_at(c, 1));
    assert_int_equal(nonsens_comparison_node_count(c), 5);
    assert_null(nonsens_comparison_node_at(c, 5));
    nonsens_comparison_free(c);
}

/* The pattern of a -> b -> c, a -> d, c -> e has only lines; that of a -> c <- b keeps its arrows. */
static void test_pattern(void **state)
{
    fixture *f = *state;
    nonsens_comparison *c = compared(f, "from,to,type\na,b,---\nb,c,---\na,d,---\nc,e,---\n", TRUTH, "pattern");
    assert_string_equal(nonsens_comparison_distance_at(c, 0)->against, "pattern");
    assert_int_equal(nonsens_comparison_distance_at(c, 0)->shd, 0);
    assert_true(isnan(nonsens_comparison_distance_at(c, 0)->direction_accuracy));
    nonsens_comparison_free(c);
    c = compared(f, "from,to,type\na,c,---\nb,c,-->\n", "from,to\na,c\nb,c\n", "pattern");
    assert_true(nonsens_comparison_distance_at(c, 0)->marked == 1 && nonsens_comparison_distance_at(c, 0)->shd == 1);
    nonsens_comparison_free(c);
}

/* a -> c is an effect through b: extra compared with the truth, correct compared with its closure. */
static void test_closure(void **state)
{
    fixture *f = *state;
    nonsens_comparison *c = compared(f, "from,to\na,b\nb,c\na,c\n", "from,to\na,b\nb,c\n", "closure");
    assert_int_equal(nonsens_comparison_distance_count(c), 2);
    assert_true(nonsens_comparison_distance_at(c, 0)->extra == 1);
    assert_string_equal(nonsens_comparison_distance_at(c, 1)->against, "closure");
    assert_true(nonsens_comparison_distance_at(c, 1)->shd == 0 &&
                nonsens_comparison_distance_at(c, 1)->arrows.f1 == 1.0);
    nonsens_comparison_free(c);
}

static void test_nodes(void **state)
{
    fixture *f = *state;
    // a list of edges may lack nodes: those of the other graph are added
    nonsens_comparison *c = compared(f, "{\"nodes\": [\"a\", \"b\", \"z\"], \"edges\": []}", "from,to\na,b\n", NULL);
    assert_true(c->nodes == 3 && c->truth.added == 1 && c->estimate.added == 0);
    assert_true(c->distance[0].missing == 1 && c->distance[0].skeleton.possible == 3);
    nonsens_comparison_free(c);
    c = compared(f, "from,to\n", "from,to\na,b\n", NULL);
    assert_true(c->nodes == 2 && c->estimate.added == 2 && c->distance[0].missing == 1);
    nonsens_comparison_free(c);
    c = compared(f, "from,to\n", "from,to\n", NULL);
    assert_true(c->nodes == 0 && c->distance[0].shd == 0);
    nonsens_comparison_free(c);
    // two arrows in opposite directions
    c = compared(f, "from,to\na,b\n", "from,to\na,b\nb,a\n", NULL);
    assert_true(c->truth.cycles == 1 && c->distance[0].marked == 1 && c->distance[0].arrows.actual == 0);
    nonsens_comparison_free(c);
}

static void assert_refused(fixture *f, const char *estimate, const char *truth, const char *flag, const char *message)
{
    nonsens_comparison *c;
    assert_int_equal(compare_texts(f, estimate, truth, flag, &c), NONSENS_ERR_DATA);
    assert_null(c);
    if (!strstr(nonsens_context_message(f->ctx), message)) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    assert_refused(f, "{\"nodes\": [\"a\", \"b\"], \"edges\": []}", "from,to\na,c\n", NULL,
                   "\"c\" of tru is not in est");
    assert_refused(f, "from,to\na,x\ny,a\n", "a,b\n0,1\n0,0\n", NULL, "\"x\", \"y\" of est are not in tru");
    assert_refused(f, "from,to\na,b\n", "from,to\nc,d\n", NULL, "have no node in common");
    assert_refused(f, "from,to\na,b\n", "from,to\na,b\nb,c\nc,a\n", "pattern", "tru: only a DAG has a pattern");
    assert_refused(f, "from,to\na,b\n", "from,to,type\na,b,---\n", "pattern", "tru: only a DAG has a pattern");
}

static nonsens_status compare_and_write(nonsens_context *ctx, arena *a, void *state)
{
    static const char list[] = "from,to\na,b\nb,c\n", other[] = "from,to\nb,a\nc,d\n";
    char *path = state;
    nonsens_graph *e = NULL, *t = NULL;
    nonsens_options *o = NULL;
    nonsens_comparison *c = NULL;
    (void)a;
    nonsens_status status = graph_parse(ctx, "e", list, sizeof list - 1, NULL, &e);
    status = status ? status : graph_parse(ctx, "t", other, sizeof other - 1, NULL, &t);
    status = status ? status : nonsens_options_new(ctx, NONSENS_COMMAND_COMPARE, &o);
    status = status ? status : nonsens_options_set(ctx, o, "pattern", "true");
    status = status ? status : nonsens_options_set(ctx, o, "closure", "true");
    status = status ? status : nonsens_comparison_new(ctx, e, t, o, &c);
    status = status ? status : nonsens_comparison_write_text(ctx, c, path);
    status = status ? status : nonsens_comparison_write_json(ctx, c, path);
    nonsens_comparison_free(c);
    nonsens_options_free(o);
    nonsens_graph_free(t);
    nonsens_graph_free(e);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    char path[] = "/tmp/nonsens_compare_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(fail_every_allocation(*state, compare_and_write, path) >=
                10); // two graphs, options, comparison, arenas
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_differences), TEST(test_pattern),  TEST(test_closure),
        TEST(test_nodes),       TEST(test_refusals), TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
