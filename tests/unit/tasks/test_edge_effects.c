/* test_edge_effects.c - direct effects of edges against known effects in simulated rows. */
#include "base/rng.h"
#include "methods/shared/result.h"
#include "tasks/edge_effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

enum { A, B, C, D, SEGMENTS = 5, ROWS = 400, N = SEGMENTS * ROWS };
static const char *const NAMES[D] = {"a", "b", "c"};

typedef struct made {
    double x[N][D];
    int64_t label[N];
} made;

/* Draws b = 2 a + noise, c = f(a) - b / 2 + noise, whose mean and scale change over segments. */
static made *make(uint64_t seed, double (*f)(double))
{
    made *m = malloc(sizeof *m);
    rng r = rng_new(seed, RNG_TEST, 7);
    assert_non_null(m);
    for (int64_t i = 0; i < N; i++) {
        double e = (double)(i / ROWS);
        m->label[i] = i / ROWS;
        m->x[i][A] = (1.0 + 0.5 * e) * rng_normal(&r);
        m->x[i][B] = 2.0 * m->x[i][A] + (2.0 - 0.3 * e) * rng_normal(&r);
        m->x[i][C] = f(m->x[i][A]) - 0.5 * m->x[i][B] + 0.4 * e + (0.3 + 0.2 * e) * rng_normal(&r);
    }
    return m;
}

static double line(double a)
{
    return 3.0 * a;
}

static double parabola(double a)
{
    return a * a;
}

static nonsens_data *read(fixture *f, const made *m)
{
    nonsens_data *data;
    assert_int_equal(nonsens_data_from_arrays(f->ctx, N, D, &m->x[0][0], D, 1, NAMES, m->label, &data), NONSENS_OK);
    return data;
}

/* Makes a result of discover with these edges: a -> b, a -> c, and b to c. */
static nonsens_result *new_result(fixture *f, const nonsens_data *data, int last, double weight)
{
    nonsens_options *o;
    nonsens_result *r;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(result_new(f->ctx, data, o, "structured", &r), NONSENS_OK);
    nonsens_options_free(o);
    r->options.threads = 2;
    assert_int_equal(result_edge(f->ctx, r, A, B, NONSENS_EDGE_DIRECTED, NAN, NAN), NONSENS_OK);
    assert_int_equal(result_edge(f->ctx, r, A, C, NONSENS_EDGE_DIRECTED, weight, NAN), NONSENS_OK);
    assert_int_equal(result_edge(f->ctx, r, B, C, last, weight, NAN), NONSENS_OK);
    return r;
}

static nonsens_result *find(fixture *f, const made *m)
{
    nonsens_data *data = read(f, m);
    nonsens_result *r = new_result(f, data, NONSENS_EDGE_DIRECTED, NAN);
    assert_int_equal(edge_effects_fill(f->ctx, data, r), NONSENS_OK);
    nonsens_data_free(data);
    return r;
}

static void check_slope(const nonsens_edge *e, double slope, double width)
{
    double truth = slope * (e->upper - e->lower);
    assert_true(e->upper > e->lower);
    assert_true(e->effect_low < truth && truth < e->effect_high);
    assert_true(e->effect_high - e->effect_low < width);
    assert_true(fabs(0.5 * (e->effect_low + e->effect_high) - e->effect) < 1e-9);
}

static void check_none(const nonsens_edge *e)
{
    assert_true(isnan(e->effect) && isnan(e->effect_low) && isnan(e->effect_high) && isnan(e->lower) &&
                isnan(e->upper));
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void test_linear(void **state)
{
    made *m = make(1, line);
    nonsens_result *r = find(*state, m);
    check_slope(&r->edge[0], 2.0, 0.8);
    check_slope(&r->edge[1], 3.0, 0.8);
    check_slope(&r->edge[2], -0.5, 0.8);
    nonsens_result_free(r);
    free(m);
}

/* 100 data sets, two edges to c: the intervals cover the truth as often as they should. */
static void test_coverage(void **state)
{
    int covered = 0, asked = 0;
    for (uint64_t seed = 100; seed < 200; seed++) {
        made *m = make(seed, line);
        nonsens_result *r = find(*state, m);
        for (int k = 1; k < 3; k++, asked++) {
            const nonsens_edge *e = &r->edge[k];
            double truth = (k == 1 ? 3.0 : -0.5) * (e->upper - e->lower);
            covered += e->effect_low < truth && truth < e->effect_high;
        }
        nonsens_result_free(r);
        free(m);
    }
    assert_in_range(covered, 180, 199);
}

static void test_curve(void **state)
{
    made *m = make(2, parabola);
    nonsens_result *r = find(*state, m);
    const result_curve *curve = &r->curve[1];
    assert_true(curve->is_known);
    for (int i = 0; i < RESULT_CURVE_POINTS; i++) {
        assert_true(i == 0 || curve->x[i] > curve->x[i - 1]);
        assert_true(fabs(curve->y[i] - curve->x[i] * curve->x[i]) < 1.2); // the median of a is about 0
    }
    assert_true(curve->y[0] > 5.0 && curve->y[RESULT_CURVE_POINTS - 1] > 5.0);
    nonsens_result_free(r);
    free(m);
}

/* Signs, order and units of columns change an effect as they should. */
static void test_signs(void **state)
{
    fixture *f = *state;
    made *m = make(3, parabola);
    nonsens_result *plain = find(f, m);
    for (int64_t i = 0; i < N; i++) {
        m->x[i][A] *= -4.0;
        m->x[i][C] *= -1.0;
    }
    nonsens_result *reordered = find(f, m);
    const nonsens_edge *p = plain->edge, *t = reordered->edge;
    assert_true(fabs(t[0].effect + p[0].effect) < 1e-9 * fabs(p[0].effect));
    assert_true(fabs(t[2].effect + p[2].effect) < 1e-9 * fabs(p[2].effect));
    assert_true(fabs(t[2].effect_low + p[2].effect_high) < 1e-9 * fabs(p[2].effect_high));
    assert_true(fabs(t[0].lower + 4.0 * p[0].upper) < 1e-9 && fabs(t[0].upper + 4.0 * p[0].lower) < 1e-9);
    nonsens_result_free(plain);
    nonsens_result_free(reordered);
    free(m);
}

/* Edges without an effect, and the edges beside them. */
static void test_open(void **state)
{
    static const int TYPE[] = {NONSENS_EDGE_UNDIRECTED, NONSENS_EDGE_BIDIRECTED, NONSENS_EDGE_DIRECTED};
    fixture *f = *state;
    made *m = make(4, line);
    nonsens_data *data = read(f, m);
    for (int k = 0; k < 4; k++) {
        nonsens_result *r = new_result(f, data, TYPE[k < 3 ? k : 2], k == 2 ? 0.5 : NAN);
        r->edge[1].confounded = k == 3;
        assert_int_equal(edge_effects_fill(f->ctx, data, r), NONSENS_OK);
        check_none(&r->edge[1]);
        check_none(&r->edge[2]);
        assert_true(k < 2 ? isnan(r->edge[0].effect) : !isnan(r->edge[0].effect)); // an open cause of b, too
        nonsens_result_free(r);
    }
    nonsens_data_free(data);
    free(m);
}

/* If values are missing, fits use the rows without gaps, and quartiles the values that are there. */
static void test_missing(void **state)
{
    fixture *f = *state;
    made *m = make(3, line);
    nonsens_data *data;
    const char *labels[N / ROWS];
    double *column[D];
    int32_t *category = arena_get(f->ctx, &f->scratch, N, sizeof *category);
    for (int j = 0; j < D; j++) {
        column[j] = fixture_doubles(f, N);
        for (int64_t i = 0; i < N; i++) {
            column[j][i] = m->x[i][j];
            category[i] = (int32_t)(i / ROWS);
            labels[category[i]] = arena_format(f->ctx, &f->scratch, "%d", (int)category[i]);
        }
    }
    for (int64_t i = 0; i < N; i++) { // more than half of the cause's values
        column[A][i] = i % 5 < 3 ? NAN : column[A][i];
        column[C][i] = i % 7 == 0 ? NAN : column[C][i];
    }
    assert_int_equal(dataset_new_unaudited(f->ctx, N, D, (const double *const *)column, NAMES, category, N / ROWS,
                                           labels, NULL, &data),
                     NONSENS_OK);
    nonsens_result *r = new_result(f, data, NONSENS_EDGE_DIRECTED, NAN), *all = find(f, m);
    assert_int_equal(edge_effects_fill(f->ctx, data, r), NONSENS_OK);
    check_slope(&r->edge[0], 2.0, 1.6);
    check_slope(&r->edge[1], 3.0, 1.6);
    check_slope(&r->edge[2], -0.5, 1.6);
    assert_true(fabs(r->edge[0].lower - all->edge[0].lower) < 0.15); // quartiles use the values that are there
    assert_true(fabs(r->edge[0].upper - all->edge[0].upper) < 0.15);
    nonsens_result_free(all);
    nonsens_result_free(r);
    nonsens_data_free(data);
    free(m);
}

/* A segment in which c has a different mechanism is not used. */
static void test_targets(void **state)
{
    fixture *f = *state;
    made *m = make(5, line);
    for (int64_t i = 0; i < ROWS; i++) {
        m->x[i][C] = -50.0 * m->x[i][A];
    }
    nonsens_data *data = read(f, m);
    nonsens_result *r = new_result(f, data, NONSENS_EDGE_DIRECTED, NAN);
    for (int64_t e = 0; e < SEGMENTS; e++) {
        if (strcmp(data->labels[e], "0") == 0) {
            assert_int_equal(result_target(f->ctx, r, e, C, NONSENS_TARGET_FIXED, true, NAN), NONSENS_OK);
        }
    }
    assert_int_equal(edge_effects_fill(f->ctx, data, r), NONSENS_OK);
    check_slope(&r->edge[1], 3.0, 1.0);
    check_slope(&r->edge[2], -0.5, 1.0);
    nonsens_result_free(r);
    nonsens_data_free(data);
    free(m);
}

/* A cause with two values changes from one to the other. */
static void test_two_values(void **state)
{
    fixture *f = *state;
    made *m = make(6, line);
    for (int64_t i = 0; i < N; i++) {
        double before = m->x[i][A];
        m->x[i][A] = before > 2.0 ? 1.0 : 0.0;
        m->x[i][B] += 2.0 * (m->x[i][A] - before);
    }
    nonsens_result *r = find(f, m);
    assert_true(r->edge[0].lower == 0.0 && r->edge[0].upper == 1.0);
    check_slope(&r->edge[0], 2.0, 1.5);
    nonsens_result_free(r);
    free(m);
}

typedef struct filling {
    const nonsens_data *data;
    nonsens_result *result;
} filling;

static nonsens_status fill(nonsens_context *ctx, arena *a, void *state)
{
    const filling *s = state;
    (void)a;
    return edge_effects_fill(ctx, s->data, s->result);
}

static void test_memory(void **state)
{
    fixture *f = *state;
    made *m = make(8, line);
    nonsens_data *data = read(f, m);
    nonsens_result *r = new_result(f, data, NONSENS_EDGE_DIRECTED, NAN);
    r->options.threads = 1;
    assert_true(fail_every_allocation(f, fill, &(filling){data, r}) > 10);
    check_slope(&r->edge[0], 2.0, 0.8);
    nonsens_result_free(r);
    nonsens_data_free(data);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_linear),     TEST(test_coverage), TEST(test_curve),
                                       TEST(test_signs),      TEST(test_open),     TEST(test_targets),
                                       TEST(test_two_values), TEST(test_missing),  TEST(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
