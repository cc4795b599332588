/*
 * test_structured_hidden.c - copulas of two disturbances against theory; then linear data with and without a hidden
 * common cause.
 */
#include "methods/structured_graph/structured_dependence.h"
#include "methods/structured_graph/structured_hidden.h"

#include "base/rng.h"
#include "data/dataset.h"
#include "methods/shared/result.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 8, ROWS = 500, N = SEGMENTS * ROWS, D = 3 };

/* ---- copulas ---- */

typedef enum shape { INDEPENDENT, SAME, ALTERNATING, SQUARED } shape;

/* Draws two columns whose dependence inside a segment has this shape; r: correlation for SAME and ALTERNATING. */
static nonsens_data *pair_of(fixture *f, shape kind, double r)
{
    static double x[2 * N];
    static int64_t segment[N];
    nonsens_data *data;
    rng stream = rng_new(7, RNG_SIMULATE_NOISE, (uint64_t)kind);
    for (int i = 0; i < N; i++) {
        double a = rng_normal(&stream), b = rng_normal(&stream);
        segment[i] = i / ROWS;
        double rho = kind == SAME ? r : kind == ALTERNATING ? (segment[i] % 2 ? r : -r) : 0.0;
        x[i] = a;
        x[N + i] = kind == SQUARED ? a * a + b : rho * a + sqrt(1.0 - rho * rho) * b;
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, N, 2, x, 1, N, NULL, segment, &data), NONSENS_OK);
    return data;
}

/* Measures the nats per row that the Gaussian copula and the series gain if the first segments have no mechanism. */
static void measure(fixture *f, shape kind, double r, int64_t unknown, structured_gain out[2])
{
    nonsens_data *data = pair_of(f, kind, r);
    nonsens_options *o;
    structured_scores sc = {0};
    double *score[2], *rank[2];
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(structured_scores_new(f->ctx, &f->scratch, data, o, NULL, &sc), NONSENS_OK);
    double *group = fixture_doubles(f, sc.groups);
    for (int k = 0; k < 2; k++) {
        score[k] = fixture_doubles(f, N);
        rank[k] = fixture_doubles(f, N);
        double *v = fixture_doubles(f, N);
        memcpy(v, matrix_col(data->x, k), N * sizeof *v);
        for (int64_t i = 0; k == 0 && i < data->start[unknown]; i++) {
            v[i] = NAN;
        }
        assert_int_equal(dependence_normal_scores(f->ctx, &f->scratch, data, v, score[k]), NONSENS_OK);
        dependence_ranks(data, score[k], rank[k]);
    }
    assert_int_equal(dependence_copula(f->ctx, &f->scratch, &sc, score[0], score[1], group), NONSENS_OK);
    out[0] = dependence_gain(&sc, group, NULL);
    assert_int_equal(dependence_series(f->ctx, &f->scratch, &sc, rank[0], rank[1], group), NONSENS_OK);
    out[1] = dependence_gain(&sc, group, NULL);
    structured_scores_free(&sc);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* The true copula gains the mutual information, -log(1 - r^2) / 2; fits lose a little of it. */
static void test_copulas(void **state)
{
    structured_gain g[2];
    double information = -0.5 * log(1.0 - 0.4 * 0.4);
    measure(*state, INDEPENDENT, 0.0, 0, g);
    assert_true(fabs(g[0].total) < 8.0 && g[0].z < 2.5 && g[1].total < 8.0 && g[1].z < 2.5);
    measure(*state, SAME, 0.4, 0, g);
    assert_true(fabs(g[0].total / N - information) < 0.012 && g[0].z > 10.0);
    assert_true(fabs(g[1].total / N - information) < 0.02 && g[1].z > 10.0);
    measure(*state, ALTERNATING, 0.4, 0, g);
    assert_true(fabs(g[0].total / N - information) < 0.022 && g[0].z > 10.0 && g[1].z > 8.0);
    measure(*state, SQUARED, 0.0, 0, g);
    assert_true(g[0].total / N < 0.01 && g[1].total / N > 0.1 && g[1].z > 10.0);
    measure(*state, SAME, 0.4, SEGMENTS / 2, g);
    assert_true(fabs(g[0].total / N - 0.5 * information) < 0.012 && g[0].z > 7.0);
    assert_true(fabs(g[1].total / N - 0.5 * information) < 0.02 && g[1].z > 7.0);
    measure(*state, SAME, 0.4, SEGMENTS, g);
    assert_true(g[0].total == 0.0 && g[0].z == 0.0 && g[1].total == 0.0 && g[1].z == 0.0);
}

/* Only ranks matter: an increasing map of one column changes nothing. */
static void test_ranks(void **state)
{
    fixture *f = *state;
    nonsens_data *data = pair_of(f, SAME, 0.4);
    double *x = fixture_doubles(f, N), *score = fixture_doubles(f, N), *mapped = fixture_doubles(f, N);
    const double *values = matrix_col(data->x, 0);
    for (int i = 0; i < N; i++) {
        x[i] = exp(values[i]);
    }
    assert_int_equal(dependence_normal_scores(f->ctx, &f->scratch, data, values, score), NONSENS_OK);
    assert_int_equal(dependence_normal_scores(f->ctx, &f->scratch, data, x, mapped), NONSENS_OK);
    assert_memory_equal(score, mapped, N * sizeof *score);
    nonsens_data_free(data);
}

/* ---- graphs ---- */

/* Finds the graph of x -> z; the hidden variable h causes both x and y with weight g. */
static nonsens_result *discover(fixture *f, double g, const char *threads)
{
    static double v[D * N];
    static int64_t segment[N];
    nonsens_data *data;
    nonsens_options *o;
    nonsens_result *result;
    rng r = rng_new(11, RNG_SIMULATE_NOISE, 1);
    double *x = v, *y = v + N, *z = v + 2 * N;
    for (int i = 0; i < N; i++) {
        int e = i / ROWS;
        double h = rng_laplace(&r);
        segment[i] = e;
        x[i] = g * h + (0.4 + 0.3 * (e % 5)) * rng_laplace(&r);
        y[i] = g * h + (0.4 + 0.4 * (e % 3)) * rng_laplace(&r);
        z[i] = x[i] + (0.5 + 0.2 * (e % 4)) * rng_laplace(&r);
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, N, D, v, 1, N, NULL, segment, &data), NONSENS_OK);
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "threads", threads), NONSENS_OK);
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &result), NONSENS_OK);
    nonsens_options_free(o);
    nonsens_data_free(data);
    return result;
}

static const nonsens_edge *between(const nonsens_result *r, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < r->edges; i++) {
        const nonsens_edge *e = &r->edge[i];
        if ((e->from == a && e->to == b) || (e->from == b && e->to == a)) {
            return e;
        }
    }
    return NULL;
}

static bool is_said(const nonsens_result *r, const char *words)
{
    bool said = false;
    for (int64_t i = 0; i < r->notes; i++) {
        said = said || strstr(r->note[i].text, words);
    }
    return said;
}

static void test_hidden_cause(void **state)
{
    nonsens_result *r = discover(*state, 1.0, "1"), *again = discover(*state, 1.0, "2");
    const nonsens_edge *hidden = between(r, 0, 1), *good = between(r, 0, 2);
    assert_non_null(hidden);
    assert_non_null(good);
    assert_int_equal(hidden->type, NONSENS_EDGE_BIDIRECTED);
    assert_true(hidden->confounded && hidden->p_value < 1e-6);
    assert_true(good->type == NONSENS_EDGE_DIRECTED && good->from == 0 && !good->confounded);
    assert_true(is_said(r, "A hidden common cause is likely:"));
    assert_false(is_said(r, "an edge is missing"));
    assert_int_equal(r->edges, again->edges);
    assert_true(between(again, 0, 1)->p_value == hidden->p_value);
    nonsens_result_free(r);
    nonsens_result_free(again);
}

static void test_no_hidden_cause(void **state)
{
    nonsens_result *r = discover(*state, 0.0, "1");
    assert_int_equal(r->edges, 1);
    assert_true(r->edge[0].type == NONSENS_EDGE_DIRECTED && !r->edge[0].confounded);
    assert_false(is_said(r, "hidden common cause"));
    nonsens_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_copulas), TEST(test_ranks), TEST(test_hidden_cause),
                                       TEST(test_no_hidden_cause)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
