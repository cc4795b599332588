/*
 * test_pc_nonsens.c - PC, then pairs: edges of the pattern that get a direction, edges that must not, invariances,
 * failing allocations.
 */
#include "base/rng.h"
#include "data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 6, LIMIT = 4 };

typedef struct table {
    int64_t n, d;
    double *v[LIMIT];
    int32_t *category;
    const char *orient_by, *threads;
    const char *layers; /* with --as-published; NULL: without */
} table;

static table new_table(fixture *f, int64_t rows, int64_t d)
{
    table t = {.n = SEGMENTS * rows, .d = d, .orient_by = "structured", .threads = "1"};
    for (int64_t j = 0; j < d; j++) {
        t.v[j] = fixture_doubles(f, t.n);
    }
    t.category = arena_get(f->ctx, &f->scratch, t.n, sizeof *t.category);
    assert_non_null(t.category);
    for (int64_t i = 0; i < t.n; i++) {
        t.category[i] = (int32_t)(i / rows);
    }
    return t;
}

/* Draws a disturbance, whose scale changes over segments unless `still`. */
static double disturbance(rng *r, int segment, int variable, bool still)
{
    static const double scale[LIMIT][SEGMENTS] = {{0.3, 2.0, 0.8, 3.0, 0.5, 1.4},
                                                  {2.5, 0.6, 1.5, 0.4, 0.9, 3.0},
                                                  {1.0, 0.5, 2.8, 1.2, 0.3, 0.7},
                                                  {1, 1, 1, 1, 1, 1}};
    return (still ? 1.0 : scale[variable][segment]) * rng_laplace(r);
}

/* a -> b -> c: PC leaves both edges undirected. */
static table chain(fixture *f, int64_t rows, bool still, uint64_t seed)
{
    table t = new_table(f, rows, 3);
    rng r = rng_new(seed, RNG_TEST, 71);
    for (int64_t i = 0; i < t.n; i++) {
        int e = t.category[i];
        t.v[0][i] = disturbance(&r, e, 0, still);
        t.v[1][i] = t.v[0][i] + disturbance(&r, e, 1, still);
        t.v[2][i] = 0.8 * t.v[1][i] + disturbance(&r, e, 2, still);
    }
    return t;
}

static nonsens_status run_named(nonsens_context *ctx, const table *t, const char *const *names, nonsens_result **out)
{
    static const char *const labels[] = {"p", "q", "r", "s", "t", "u"};
    nonsens_data *data;
    nonsens_options *options;
    TRY(dataset_new(ctx, t->n, t->d, (const double *const *)t->v, names, t->category, SEGMENTS, labels, NULL, &data));
    nonsens_status status = nonsens_options_new(ctx, NONSENS_COMMAND_DISCOVER, &options);
    if (status == NONSENS_OK) {
        nonsens_options_set(ctx, options, "method", "pc-nonsens");
        nonsens_options_set(ctx, options, "orient-by", t->orient_by);
        nonsens_options_set(ctx, options, "threads", t->threads);
        nonsens_options_set(ctx, options, "alpha", "0.01");
        if (t->layers) {
            nonsens_options_set(ctx, options, "as-published", "true");
            nonsens_options_set(ctx, options, "layers", t->layers);
        }
        status = nonsens_run_discover(ctx, data, options, out);
        nonsens_options_free(options);
    }
    nonsens_data_free(data);
    return status;
}

static const char *const letters[] = {"a", "b", "c", "d"};

static nonsens_result *discover(fixture *f, const table *t)
{
    nonsens_result *result = NULL;
    if (run_named(f->ctx, t, letters, &result) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return result;
}

static const char *graph_of(const nonsens_result *r, const char *const *names, char text[256])
{
    static const char *const mark[] = {"->", "--", "<>"};
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < nonsens_result_edge_count(r); i++) {
        const nonsens_edge *e = nonsens_result_edge_at(r, i);
        int kind = e->type == NONSENS_EDGE_DIRECTED ? 0 : e->type == NONSENS_EDGE_UNDIRECTED ? 1 : 2;
        used += (size_t)snprintf(text + used, 256 - used, "%s%s%s%s", used ? " " : "", names[e->from], mark[kind],
                                 names[e->to]);
    }
    return text;
}

static bool has_note(const nonsens_result *r, const char *words)
{
    for (int64_t i = 0; i < nonsens_result_note_count(r); i++) {
        if (strstr(nonsens_result_note_at(r, i)->text, words)) {
            return true;
        }
    }
    return false;
}

static void test_chain_is_directed(void **state)
{
    fixture *f = *state;
    char text[256];
    table t = chain(f, 160, false, 1);
    nonsens_result *r = discover(f, &t);
    assert_string_equal(graph_of(r, letters, text), "a->b b->c");
    assert_true(has_note(r, "left 2 edges without direction; structured"));
    bool forth = false, back = false;
    for (int64_t i = 0; i < nonsens_result_evidence_count(r); i++) {
        const nonsens_evidence *e = nonsens_result_evidence_at(r, i);
        forth = forth || strcmp(e->name, "loss of a->b") == 0;
        back = back || (strcmp(e->name, "loss of b->a") == 0 && e->p_value < 0.01);
    }
    assert_true(forth && back);
    nonsens_result_free(r);
}

/* a -> b, a -> c, b -> c: every edge is undirected, and every pair of ends has a common neighbour. */
static nonsens_result *discover_triangle(fixture *f, int64_t rows, const char *orient_by)
{
    table t = new_table(f, rows, 3);
    rng r = rng_new(6, RNG_TEST, 73);
    t.orient_by = orient_by;
    for (int64_t i = 0; i < t.n; i++) {
        int e = t.category[i];
        t.v[0][i] = disturbance(&r, e, 0, false);
        t.v[1][i] = 0.8 * t.v[0][i] + disturbance(&r, e, 1, false);
        t.v[2][i] = t.v[1][i] + 0.6 * t.v[0][i] + disturbance(&r, e, 2, false);
    }
    nonsens_result *result = discover(f, &t);
    assert_int_equal(nonsens_result_edge_count(result), 3);
    return result;
}

static void test_triangle(void **state)
{
    nonsens_result *r = discover_triangle(*state, 100, "structured");
    assert_true(has_note(r, "may act on both"));
    for (int64_t i = 0; i < 3; i++) {
        const nonsens_edge *e = nonsens_result_edge_at(r, i);
        assert_true(e->type == NONSENS_EDGE_UNDIRECTED || e->from < e->to);
    }
    nonsens_result_free(r);
}

/* The likelihood ratio always names a direction, so it must not be used if there may be a common cause. */
static void test_triangle_by_ratio(void **state)
{
    nonsens_result *r = discover_triangle(*state, 40, "nonsens-lr");
    assert_true(has_note(r, "may be a common cause, which nonsens-lr"));
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(nonsens_result_edge_at(r, i)->type, NONSENS_EDGE_UNDIRECTED);
    }
    nonsens_result_free(r);
}

static double score_of(const nonsens_result *r, const char *name)
{
    for (int64_t i = 0; i < nonsens_result_evidence_count(r); i++) {
        const nonsens_evidence *e = nonsens_result_evidence_at(r, i);
        if (strcmp(e->name, name) == 0) {
            return e->value;
        }
    }
    return NAN;
}

/* Returns |score| of `nonsens direction --method nonsens-lr --as-published` on the first two columns. */
static double score_of_pair(fixture *f, const table *t, const char *layers)
{
    static const char *const labels[] = {"p", "q", "r", "s", "t", "u"};
    nonsens_data *data;
    nonsens_options *options;
    nonsens_result *result;
    assert_int_equal(
        dataset_new(f->ctx, t->n, 2, (const double *const *)t->v, letters, t->category, SEGMENTS, labels, NULL, &data),
        NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &options), NONSENS_OK);
    nonsens_options_set(f->ctx, options, "method", "nonsens-lr");
    nonsens_options_set(f->ctx, options, "as-published", "true");
    nonsens_options_set(f->ctx, options, "layers", layers);
    assert_int_equal(nonsens_run_direction(f->ctx, data, options, &result), NONSENS_OK);
    double score = fabs(nonsens_result_score(result));
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
    return score;
}

/* Every option of the preset reaches the pairs, even options that discover does not have; so does --layers. */
static void test_pairs_as_published(void **state)
{
    fixture *f = *state;
    table t = chain(f, 60, false, 1);
    t.orient_by = "nonsens-lr";
    for (int layers = 1; layers <= 2; layers++) {
        t.layers = layers == 1 ? "1" : "2";
        nonsens_result *r = discover(f, &t);
        double forth = score_of(r, "nonsens-lr of a->b"), back = score_of(r, "nonsens-lr of b->a");
        double score = isnan(forth) ? back : forth, alone = score_of_pair(f, &t, t.layers);
        assert_true(fabs(score - alone) < 1e-12 * alone); // the columns may be swapped
        assert_true(has_note(r, "optimiser sgd"));
        nonsens_result_free(r);
    }
}

/* If nothing changes, edges stay undirected, and a note says why. */
static void test_undecided_lines_stay(void **state)
{
    fixture *f = *state;
    char text[256];
    table t = chain(f, 100, true, 2);
    nonsens_result *r = discover(f, &t);
    assert_string_equal(graph_of(r, letters, text), "a--b b--c");
    assert_true(has_note(r, "a - b stays without direction") || has_note(r, "b - a stays without direction"));
    nonsens_result_free(r);
}

/* Reversed rows, reordered columns, two threads. */
static void test_order_and_threads(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"c", "a", "b"};
    char first[256];
    table t = chain(f, 150, false, 3), u = new_table(f, 150, 3);
    nonsens_result *one = discover(f, &t), *other;
    for (int64_t i = 0; i < t.n; i++) {
        u.v[0][i] = t.v[2][t.n - 1 - i];
        u.v[1][i] = t.v[0][t.n - 1 - i];
        u.v[2][i] = t.v[1][t.n - 1 - i];
        u.category[i] = t.category[t.n - 1 - i];
    }
    u.threads = "2";
    assert_int_equal(run_named(f->ctx, &u, names, &other), NONSENS_OK);
    assert_string_equal(graph_of(one, letters, first), "a->b b->c");
    assert_string_equal(graph_of(other, names, first), "a->b b->c");
    assert_int_equal(nonsens_result_evidence_count(one), nonsens_result_evidence_count(other));
    for (int64_t i = 0; i < nonsens_result_evidence_count(one); i++) {
        const nonsens_evidence *e = nonsens_result_evidence_at(one, i), *g = nonsens_result_evidence_at(other, i);
        assert_string_equal(e->name, g->name);
        assert_true(e->value == g->value && (e->p_value == g->p_value || (isnan(e->p_value) && isnan(g->p_value))));
    }
    nonsens_result_free(one);
    nonsens_result_free(other);
}

static void test_segments_are_needed(void **state)
{
    fixture *f = *state;
    table t = chain(f, 20, false, 1);
    nonsens_data *data;
    nonsens_options *options;
    nonsens_result *result;
    assert_int_equal(dataset_new(f->ctx, t.n, t.d, (const double *const *)t.v, letters, NULL, 0, NULL, NULL, &data),
                     NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &options), NONSENS_OK);
    nonsens_options_set(f->ctx, options, "method", "pc-nonsens");
    assert_int_not_equal(nonsens_run_discover(f->ctx, data, options, &result), NONSENS_OK);
    nonsens_options_set(f->ctx, options, "method", "pc");
    assert_int_equal(nonsens_run_discover(f->ctx, data, options, &result), NONSENS_OK);
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

static nonsens_status discover_failing(nonsens_context *ctx, arena *a, void *state)
{
    nonsens_result *result;
    (void)a;
    TRY(run_named(ctx, state, letters, &result));
    nonsens_result_free(result);
    return NONSENS_OK;
}

/* With two unrelated variables no pair is examined, which leaves few allocations. */
static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    table t = new_table(f, 12, 2);
    rng r = rng_new(4, RNG_TEST, 72);
    for (int64_t i = 0; i < t.n; i++) {
        t.v[0][i] = rng_normal(&r);
        t.v[1][i] = rng_normal(&r);
    }
    assert_true(fail_every_allocation(f, discover_failing, &t) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_chain_is_directed),         TEST(test_triangle),           TEST(test_triangle_by_ratio),
        TEST(test_undecided_lines_stay),      TEST(test_order_and_threads),  TEST(test_segments_are_needed),
        TEST(test_every_allocation_may_fail), TEST(test_pairs_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
