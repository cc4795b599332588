/*
 * test_structured_screen.c - what the screen of candidate causes must find, what it must not, and what must not affect
 * it.
 */
#include "base/rng.h"
#include "data/dataset.h"
#include "methods/shared/result.h"
#include "methods/structured_graph/structured_bounds.h"
#include "methods/structured_graph/structured_screen.h"

#include <math.h>

#include "fixture.h"

/*
 * b = a + e, y = b - a + noise: a shows only given b.  w = sign(p) sign(q) + noise: p and q show only together. v = 10
 * s + t + noise: t hardly shows unless s is given.  The rest is noise.  Scales differ between segments.
 */
enum { A, B, Y, P, Q, W, S, T, V, COLUMNS = 12, SEGMENTS = 8, ROWS = 200, N = SEGMENTS * ROWS };
static const double MIN_GAIN = 0.002 * N;

static void fill_row(rng *r, int64_t segment, double *x)
{
    for (int64_t j = 0; j < COLUMNS; j++) {
        x[j] = (1.0 + (double)((segment * (j + 2) + j) % 5)) * rng_laplace(r);
    }
    double noise = x[Y];
    x[B] += x[A];
    x[Y] = x[B] - x[A] + 0.5 * noise;
    x[V] = 10.0 * x[S] + x[T] + 0.2 * x[V];
    x[W] = 0.3 * x[W] + copysign(2.0, x[P]) * copysign(1.0, x[Q]);
}

/* Variable j is column order[j], or column j. */
static nonsens_data *make_data(fixture *f, const int64_t *order)
{
    nonsens_data *data;
    int64_t *segment = arena_get(f->ctx, &f->scratch, N, sizeof *segment);
    double *x = fixture_doubles(f, (int64_t)N * COLUMNS), row[COLUMNS];
    rng r = rng_new(3, RNG_TEST, 96);
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i / ROWS;
        fill_row(&r, segment[i], row);
        for (int64_t j = 0; j < COLUMNS; j++) {
            x[(order ? order[j] : j) * N + i] = row[j];
        }
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, N, COLUMNS, x, 1, N, NULL, segment, &data), NONSENS_OK);
    return data;
}

static nonsens_options *options_of(fixture *f, const char *threads)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "threads", threads), NONSENS_OK);
    return o;
}

typedef struct setting {
    nonsens_data *data;
    nonsens_options *options;
    structured_scores scores;
    structured_screen screen;
    int64_t node[COLUMNS]; /* node of each column */
} setting;

static void begin(fixture *f, const char *threads, setting *s)
{
    *s = (setting){.data = make_data(f, NULL), .options = options_of(f, threads)};
    for (int64_t k = 0; k < COLUMNS; k++) {
        s->node[s->data->column_rank[k]] = k;
    }
    assert_int_equal(structured_scores_new(f->ctx, &f->scratch, s->data, s->options, NULL, &s->scores), NONSENS_OK);
    assert_int_equal(screen_new(f->ctx, &s->scores, MIN_GAIN, &s->screen), NONSENS_OK);
}

static void end(setting *s)
{
    screen_free(&s->screen);
    structured_scores_free(&s->scores);
    nonsens_options_free(s->options);
    nonsens_data_free(s->data);
}

/* Returns the fit of a column on up to two others; -1: none. */
static const structured_score *fit(fixture *f, setting *s, int64_t effect, int64_t first, int64_t second)
{
    int64_t cause[2], causes = 0;
    for (int64_t k = 0; k < COLUMNS; k++) {
        if ((first >= 0 && s->node[first] == k) || (second >= 0 && s->node[second] == k)) {
            cause[causes++] = k;
        }
    }
    assert_int_equal(scores_want(f->ctx, &s->scores, s->node[effect], causes, cause), NONSENS_OK);
    assert_int_equal(scores_settle(f->ctx, &s->scores, NULL), NONSENS_OK);
    return scores_get(&s->scores, s->node[effect], causes, cause);
}

static double estimate(fixture *f, setting *s, const structured_score *of, int64_t candidate)
{
    assert_int_equal(screen_want(f->ctx, &s->screen, of, s->node[candidate]), NONSENS_OK);
    assert_int_equal(screen_settle(f->ctx, &s->screen), NONSENS_OK);
    return screen_gain(&s->screen, of, s->node[candidate]);
}

/* Causes that show only beside others are found once these are present, and the fits confirm it. */
static void test_joint_causes(void **state)
{
    static const struct {
        int64_t effect, first, hidden;
    } cases[] = {{Y, B, A}, {W, P, Q}, {W, Q, P}, {V, S, T}};
    fixture *f = *state;
    setting s;
    begin(f, "1", &s);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const structured_score *none = fit(f, &s, cases[c].effect, -1, -1);
        const structured_score *one = fit(f, &s, cases[c].effect, cases[c].first, -1);
        const structured_score *both = fit(f, &s, cases[c].effect, cases[c].first, cases[c].hidden);
        double gain = both->total - one->total, seen = estimate(f, &s, one, cases[c].hidden);
        assert_true(estimate(f, &s, none, cases[c].hidden) < fmax(s.screen.threshold, 0.03 * gain));
        assert_true(gain > 10.0 * s.screen.threshold && seen > s.screen.threshold);
        assert_true(seen > 0.2 * gain && seen < 2.0 * gain);
    }
    end(&s);
}

/* Candidates without an effect rarely exceed the bound, and never by much, given two causes or none. */
static void test_noise(void **state)
{
    fixture *f = *state;
    setting s;
    begin(f, "1", &s);
    const structured_score *fits[] = {fit(f, &s, Y, A, B), fit(f, &s, W, P, Q), fit(f, &s, A, -1, -1)};
    int64_t above = 0;
    for (size_t k = 0; k < sizeof fits / sizeof *fits; k++) {
        for (int64_t j = S; j < COLUMNS; j++) {
            double seen = estimate(f, &s, fits[k], j);
            assert_true(isfinite(seen) && seen < 3.0 * s.screen.threshold);
            above += seen > s.screen.threshold;
        }
    }
    assert_true(above <= 3);
    end(&s);
}

/* Neither threads nor other requested candidates matter; the effect and its present causes get no estimate. */
static void test_same_estimates(void **state)
{
    fixture *f = *state;
    setting s, t;
    begin(f, "1", &s);
    begin(f, "3", &t);
    const structured_score *one = fit(f, &s, Y, B, -1), *other = fit(f, &t, Y, B, -1);
    const structured_score *more = fit(f, &t, W, P, Q);
    assert_int_equal(screen_want_all(f->ctx, &t.screen, more), NONSENS_OK);
    assert_int_equal(screen_want_all(f->ctx, &t.screen, other), NONSENS_OK);
    assert_int_equal(screen_settle(f->ctx, &t.screen), NONSENS_OK);
    for (int64_t j = 0; j < COLUMNS; j++) {
        double alone = estimate(f, &s, one, j), together = screen_gain(&t.screen, other, t.node[j]);
        assert_int_equal(isnan(alone), j == Y || j == B);
        assert_true(alone == together || (isnan(alone) && isnan(together)));
    }
    end(&s);
    end(&t);
}

/* Bounds are exact with fits; several removals lose at least as much as one; an exchange for noise gains nothing. */
static void test_bounds(void **state)
{
    fixture *f = *state;
    setting s;
    pdag then;
    int64_t nodes[COLUMNS];
    begin(f, "1", &s);
    structured_search search = {.scores = &s.scores, .screen = &s.screen, .level = 4.0, .min_gain = MIN_GAIN};
    assert_int_equal(pdag_new(f->ctx, &f->scratch, COLUMNS, &search.graph), NONSENS_OK);
    assert_int_equal(pdag_new(f->ctx, &f->scratch, COLUMNS, &then), NONSENS_OK);
    pdag_set(&search.graph, s.node[A], s.node[Y], PDAG_ARROW);
    pdag_set(&search.graph, s.node[B], s.node[Y], PDAG_ARROW);
    const structured_score *now = fit(f, &s, Y, A, B), *without = fit(f, &s, Y, A, -1);
    double loss = without->total - now->total;
    assert_true(bounds_gain(&search, s.node[Y], &then, nodes) <= loss + 1e-9);
    pdag_set(&then, s.node[A], s.node[Y], PDAG_ARROW);
    assert_true(bounds_gain(&search, s.node[Y], &then, nodes) == loss);
    pdag_set(&then, s.node[W], s.node[Y], PDAG_ARROW); // exchanges B for W
    assert_true(isinf(bounds_gain(&search, s.node[Y], &then, nodes)));
    assert_int_equal(bounds_want(f->ctx, &search, s.node[Y], &then, nodes), NONSENS_OK);
    assert_int_equal(screen_settle(f->ctx, &s.screen), NONSENS_OK);
    assert_true(bounds_gain(&search, s.node[Y], &then, nodes) <= 0.0);
    end(&s);
}

static bool has_edge(const nonsens_result *r, int64_t from, int64_t to)
{
    bool found = false;
    for (int64_t i = 0; i < r->edges; i++) {
        found = found || (r->edge[i].from == from && r->edge[i].to == to);
    }
    return found;
}

static nonsens_result *discover(fixture *f, const nonsens_data *data, const char *threads)
{
    nonsens_options *o = options_of(f, threads);
    nonsens_result *r;
    if (nonsens_run_discover(f->ctx, data, o, &r) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    nonsens_options_free(o);
    return r;
}

/* A search with the screen finds the cause that shows only beside another, on any threads, in any order of columns. */
static void test_discover(void **state)
{
    fixture *f = *state;
    int64_t order[COLUMNS];
    for (int64_t j = 0; j < COLUMNS; j++) {
        order[j] = (5 * j + 3) % COLUMNS;
    }
    nonsens_data *data = make_data(f, NULL), *moved = make_data(f, order);
    nonsens_result *one = discover(f, data, "1"), *other = discover(f, moved, "3");
    assert_true(has_edge(one, S, V) && has_edge(one, T, V));
    assert_int_equal(one->edges, other->edges);
    for (int64_t i = 0; i < one->edges; i++) {
        assert_true(has_edge(other, order[one->edge[i].from], order[one->edge[i].to]));
    }
    nonsens_result_free(one);
    nonsens_result_free(other);
    nonsens_data_free(data);
    nonsens_data_free(moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_joint_causes), TEST(test_noise), TEST(test_same_estimates),
                                       TEST(test_bounds), TEST(test_discover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
