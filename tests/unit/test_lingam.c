/*
 * test_lingam.c - DirectLiNGAM: order and weights against NumPy and against the definition written out here, what
 * leaving out comparisons may not change, threads, orders of columns and rows, notes, accuracy, failing allocations.
 */
#include "base/rng.h"
#include "methods/lingam_check.h"
#include "methods/lingam_order.h"
#include "methods/lingam_rows.h"
#include "methods/lingam_weights.h"
#include "methods/result.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "fixtures/lingam.h"

enum { MOST = 40, CASES = sizeof lingam_cases / sizeof *lingam_cases };
enum law { LAPLACE, UNIFORM, SKEWED, NORMAL, STUDENT };

static void assert_close(double actual, double expected, double relative)
{
    if (!(fabs(actual - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

static void assert_within(double actual, double expected, double absolute)
{
    if (!(fabs(actual - expected) <= absolute)) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

typedef struct model {
    int64_t n, d;
    double *x;            /* (n, d) */
    double b[MOST][MOST]; /* effect, cause */
    int64_t seat[MOST];   /* of a column in the true order */
} model;

static double draw(rng *r, enum law law)
{
    switch (law) {
    case UNIFORM:
        return 2 * rng_uniform(r) - 1;
    case SKEWED:
        return rng_gamma(r, 1.0) - 1;
    case NORMAL:
        return rng_normal(r);
    case STUDENT:
        return rng_student(r, 3);
    default:
        return rng_laplace(r);
    }
}

/* A random graph with about `degree` causes a variable, its columns in random order. */
static model *make_model(fixture *f, int64_t d, int64_t n, enum law law, double degree, uint64_t seed)
{
    model *m = arena_get(f->ctx, &f->scratch, 1, sizeof *m);
    rng r = rng_open(seed, RNG_TEST, 3);
    *m = (model){.n = n, .d = d, .x = fixture_doubles(f, n * d)};
    int64_t column[MOST];
    for (int64_t k = 0; k < d; k++) {
        column[k] = k;
    }
    rng_shuffle(&r, d, column);
    for (int64_t k = 0; k < d; k++) {
        double *x = m->x + column[k] * n, size = 0.5 + rng_uniform(&r);
        m->seat[column[k]] = k;
        for (int64_t i = 0; i < n; i++) {
            x[i] = size * draw(&r, law);
        }
        for (int64_t j = 0; j < k; j++) {
            double b = (rng_uniform(&r) < 0.5 ? -1 : 1) * (0.5 + rng_uniform(&r));
            if (rng_uniform(&r) * (double)(d - 1) < degree * 2) {
                m->b[column[k]][column[j]] = b;
                for (int64_t i = 0; i < n; i++) {
                    x[i] += b * m->x[column[j] * n + i];
                }
            }
        }
    }
    return m;
}

static lingam_order order_of(fixture *f, int64_t n, int64_t d, double *x, bool plain, int threads)
{
    lingam_order out;
    lingam_order_options how = {.threads = threads, .plain = plain};
    assert_int_equal(lingam_find_order(f->ctx, &f->scratch, matrix_view(x, n, d), &how, &out), NONSENS_OK);
    return out;
}

/* ---- the definition -------------------------------------------------------------------------------------------- */

static void standardise(int64_t n, double *v)
{
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / n;
    }
    for (int64_t i = 0; i < n; i++) {
        square += (v[i] - mean) * (v[i] - mean) / n;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = (v[i] - mean) / sqrt(square);
    }
}

static double entropy(int64_t n, const double *u)
{
    double a = 0, b = 0;
    for (int64_t i = 0; i < n; i++) {
        a += (u[i] > 20 || u[i] < -20 ? fabs(u[i]) - log(2) : log(cosh(u[i]))) / n;
        b += u[i] * exp(-u[i] * u[i] / 2) / n;
    }
    return (1 + log(8 * atan(1.0))) / 2 - 79.047 * (a - 0.37457) * (a - 0.37457) - 7.4129 * b * b;
}

/* out = the standardised residual of x on y. */
static void residual(int64_t n, const double *x, const double *y, double *out)
{
    double xy = 0, yy = 0;
    for (int64_t i = 0; i < n; i++) {
        xy += x[i] * y[i];
        yy += y[i] * y[i];
    }
    for (int64_t i = 0; i < n; i++) {
        out[i] = x[i] - xy / yy * y[i];
    }
    standardise(n, out);
}

/* Order, and M of the best and the second at each step. */
static void by_definition(fixture *f, int64_t n, int64_t d, const double *x, int64_t *order, double *first,
                          double *second)
{
    double *z = fixture_doubles(f, n * d), *u = fixture_doubles(f, n), *v = fixture_doubles(f, n);
    bool gone[MOST] = {false};
    memcpy(z, x, (size_t)(n * d) * sizeof *z);
    for (int64_t k = 0; k < d; k++) {
        standardise(n, z + k * n);
    }
    for (int64_t step = 0; step < d; step++) {
        first[step] = second[step] = INFINITY;
        for (int64_t i = 0; i < d; i++) {
            double m = 0;
            for (int64_t j = 0; j < d && !gone[i]; j++) {
                if (j != i && !gone[j]) {
                    residual(n, z + i * n, z + j * n, u);
                    residual(n, z + j * n, z + i * n, v);
                    double ratio = entropy(n, z + j * n) + entropy(n, u) - entropy(n, z + i * n) - entropy(n, v);
                    m += ratio < 0 ? ratio * ratio : 0;
                }
            }
            if (!gone[i] && m < first[step]) {
                second[step] = first[step];
                first[step] = m;
                order[step] = i;
            } else if (!gone[i] && m < second[step]) {
                second[step] = m;
            }
        }
        gone[order[step]] = true;
        for (int64_t k = 0; k < d; k++) {
            if (!gone[k]) {
                residual(n, z + k * n, z + order[step] * n, z + k * n);
            }
        }
    }
}

static void assert_definition(fixture *f, int64_t n, int64_t d, double *x, double absolute)
{
    int64_t order[MOST];
    double first[MOST], second[MOST];
    lingam_order o = order_of(f, n, d, x, false, 1);
    by_definition(f, n, d, x, order, first, second);
    for (int64_t k = 0; k < d; k++) {
        assert_int_equal(o.at[k], order[k]);
        assert_within(o.against[k], first[k], absolute);
        if (k + 1 < d) {
            assert_within(o.against_next[k], second[k], absolute * (1 + second[k]));
        }
    }
}

/* The polynomials, in and at the ends of all cells. */
static void test_table(void **state)
{
    fixture *f = *state;
    lingam_table *table = arena_get(f->ctx, &f->scratch, 1, sizeof *table);
    lingam_table_fill(table);
    for (int i = -256; i <= 256; i++) {
        for (double t = -0.5; t <= 0.5; t += 0.125) {
            int cell = i + 256;
            double u = (i + t) / 16, sum[2] = {0, 0};
            for (int k = LINGAM_TERMS - 1; k >= 0; k--) {
                sum[0] = sum[0] * t + table->v[cell][2 * k];
                sum[1] = sum[1] * t + table->v[cell][2 * k + 1];
            }
            assert_within(sum[0], log(cosh(u)), 1e-13);
            assert_within(sum[1], u * exp(-u * u / 2), 1e-13);
        }
    }
}

static void test_order_is_that_of_the_definition(void **state)
{
    const int64_t d[] = {2, 3, 5, 8, 12}, n[] = {300, 101, 200, 250, 333};
    for (int law = LAPLACE; law <= STUDENT; law++) {
        for (int size = 0; size < 5; size++) {
            arena_mark mark = arena_tell(&((fixture *)*state)->scratch);
            model *m = make_model(*state, d[size], n[size], law, 2, 10 * (uint64_t)law + (uint64_t)size);
            assert_definition(*state, m->n, m->d, m->x, 1e-11);
            arena_rewind(&((fixture *)*state)->scratch, mark);
        }
    }
}

/* Rows barely more than variables, one huge row, few different values, columns that are nearly the same. */
static void test_order_of_awkward_data(void **state)
{
    fixture *f = *state;
    model *few = make_model(f, 9, 11, LAPLACE, 2, 31), *odd = make_model(f, 5, 200, UNIFORM, 2, 32),
          *tied = make_model(f, 5, 200, SKEWED, 2, 33), *close = make_model(f, 6, 400, LAPLACE, 2, 34);
    assert_definition(f, few->n, few->d, few->x, 1e-8);
    odd->x[17] = 1e6;
    odd->x[217] = -1e5;
    assert_definition(f, odd->n, odd->d, odd->x, 1e-10);
    for (int64_t i = 0; i < tied->n * tied->d; i++) {
        tied->x[i] = round(tied->x[i]);
    }
    assert_definition(f, tied->n, tied->d, tied->x, 1e-11);
    rng r = rng_open(1, RNG_TEST, 35);
    for (int64_t i = 0; i < close->n; i++) {
        close->x[i] = close->x[close->n + i] + 1e-4 * rng_laplace(&r);
        close->x[3 * close->n + i] = close->x[2 * close->n + i] - close->x[i] + 1e-3 * rng_laplace(&r);
    }
    assert_definition(f, close->n, close->d, close->x, 1e-7);
}

/* ---- NumPy ----------------------------------------------------------------------------------------------------- */

/* Weights as the fixture has them: in the data's units, by columns. */
static void assert_weights(const lingam_order *o, const double *weight, const double *expected, double relative)
{
    for (int64_t k = 0; k < o->d; k++) {
        for (int64_t j = 0; j < k; j++) {
            double in_units = weight[j + k * o->d] * o->sd[k] / o->sd[j];
            assert_close(in_units, expected[o->at[k] * o->d + o->at[j]], relative);
        }
    }
}

static void test_fixtures(void **state)
{
    fixture *f = *state;
    for (int c = 0; c < CASES; c++) {
        const lingam_case *t = &lingam_cases[c];
        lingam_weights all, lasso;
        lingam_order o = order_of(f, t->n, t->d, (double *)t->x, false, 1);
        for (int64_t k = 0; k < t->d; k++) {
            assert_int_equal(o.at[k], (int64_t)t->order[k]);
            assert_within(o.against[k], t->against[k], 1e-10);
        }
        assert_int_equal(lingam_find_weights(f->ctx, &f->scratch, &o, COEFFICIENTS_ALL, 0.05, 1, &all), NONSENS_OK);
        assert_int_equal(lingam_find_weights(f->ctx, &f->scratch, &o, COEFFICIENTS_LASSO, 0.05, 1, &lasso), NONSENS_OK);
        assert_int_equal(all.count, t->d * (t->d - 1) / 2);
        assert_weights(&o, all.weight, t->weight, 1e-8);
        assert_weights(&o, lasso.weight, t->lasso, 1e-8);
        for (int64_t k = 0; k < t->d; k++) {
            for (int64_t j = 0; j < k; j++) {
                assert_close(all.p_value[j + k * t->d], t->p[o.at[k] * t->d + o.at[j]], 1e-7);
                assert_int_equal(lasso.stays[j + k * t->d], lasso.weight[j + k * t->d] != 0);
            }
        }
    }
}

/* Benjamini and Hochberg: as many stay as there are p-values up to the largest i with p_i <= alpha i / m. */
static void test_tested_weights(void **state)
{
    fixture *f = *state;
    model *m = make_model(f, 10, 200, LAPLACE, 2, 41);
    lingam_order o = order_of(f, m->n, m->d, m->x, false, 1);
    lingam_weights tested;
    assert_int_equal(lingam_find_weights(f->ctx, &f->scratch, &o, COEFFICIENTS_TESTED, 0.1, 1, &tested), NONSENS_OK);
    int64_t best = 0, pairs = 45;
    for (int64_t i = 0; i < 100; i++) {
        int64_t up_to = 0;
        for (int64_t j = 0; j < 100; j++) {
            up_to += j % 10 < j / 10 && tested.p_value[j] <= tested.p_value[i];
        }
        bool under = i % 10 < i / 10 && tested.p_value[i] <= 0.1 * up_to / pairs;
        best = under && up_to > best ? up_to : best;
    }
    assert_int_equal(tested.count, best);
    assert_true(best > 5 && best < pairs);
}

/* x = e r: residuals and factor give the standardised variables back. */
static void test_factor(void **state)
{
    fixture *f = *state;
    model *m = make_model(f, 7, 151, SKEWED, 3, 42);
    lingam_order o = order_of(f, m->n, m->d, m->x, false, 1);
    for (int64_t k = 0; k < m->d; k++) {
        double *x = m->x + o.at[k] * m->n;
        standardise(m->n, x);
        for (int64_t i = 0; i < m->n; i++) {
            double sum = 0;
            for (int64_t j = 0; j <= k; j++) {
                sum += o.r[j + k * m->d] * o.residual.v[i + j * m->n];
            }
            assert_within(sum, x[i], 1e-12);
        }
    }
}

/* ---- what may not change anything ------------------------------------------------------------------------------ */

static void assert_same_order(const lingam_order *a, const lingam_order *b)
{
    size_t bytes = (size_t)a->d * sizeof(double);
    assert_memory_equal(a->at, b->at, bytes);
    assert_memory_equal(a->next, b->next, bytes);
    assert_memory_equal(a->against, b->against, bytes);
    assert_memory_equal(a->against_next, b->against_next, bytes - sizeof(double));
    assert_memory_equal(a->r, b->r, (size_t)a->d * bytes);
    assert_memory_equal(a->residual.v, b->residual.v, (size_t)a->n * bytes);
}

static void test_comparisons_left_out_and_threads(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        arena_mark mark = arena_tell(&f->scratch);
        int64_t d = 3 + 3 * (int64_t)seed, n = seed % 3 ? 400 : 47 + d;
        model *m = make_model(f, d, n, seed % 5, seed % 4, 50 + seed);
        lingam_order plain = order_of(f, n, d, m->x, true, 1), quick = order_of(f, n, d, m->x, false, 1),
                     threads = order_of(f, n, d, m->x, false, 3);
        assert_same_order(&plain, &quick);
        assert_same_order(&quick, &threads);
        assert_int_equal(plain.compared, plain.pairs);
        assert_int_equal(quick.compared, threads.compared);
        assert_true(d < 20 || quick.compared < 0.6 * plain.compared);
        arena_rewind(&f->scratch, mark);
    }
}

static nonsens_result *discover(fixture *f, const nonsens_data *data, const char *coefficients, const char *threads)
{
    nonsens_options *o;
    nonsens_result *result;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_CMD_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "method", "lingam"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "coefficients", coefficients), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "threads", threads), NONSENS_OK);
    assert_int_equal(nonsens_discover(f->ctx, data, o, &result), NONSENS_OK);
    nonsens_options_free(o);
    return result;
}

static nonsens_data *data_of(fixture *f, int64_t n, int64_t d, const double *x, const int64_t *segment)
{
    nonsens_data *data;
    assert_int_equal(nonsens_data_from_arrays(f->ctx, n, d, x, 1, n, NULL, segment, &data), NONSENS_OK);
    return data;
}

static const nonsens_edge *edge_between(const nonsens_result *r, int64_t from, int64_t to)
{
    for (int64_t i = 0; i < r->edges; i++) {
        if (r->edge[i].from == from && r->edge[i].to == to) {
            return &r->edge[i];
        }
    }
    return NULL;
}

/* Columns and rows in another order, segments by other names: the same answer, bit for bit. */
static void test_columns_and_rows_in_any_order(void **state)
{
    fixture *f = *state;
    enum { D = 6, N = 240 };
    model *m = make_model(f, D, N, LAPLACE, 2, 61);
    double *moved = fixture_doubles(f, N * D);
    int64_t column[D] = {3, 0, 5, 1, 4, 2}, row[N], segment[N], renamed[N];
    rng r = rng_open(1, RNG_TEST, 62);
    for (int64_t i = 0; i < N; i++) {
        row[i] = i;
        segment[i] = i * 3 / N;
    }
    rng_shuffle(&r, N, row);
    for (int64_t i = 0; i < N; i++) {
        renamed[i] = 7 - segment[row[i]];
        for (int64_t k = 0; k < D; k++) {
            moved[k * N + i] = m->x[column[k] * N + row[i]];
        }
    }
    for (int with = 0; with < 2; with++) {
        nonsens_data *data = data_of(f, N, D, m->x, with ? segment : NULL),
                     *other = data_of(f, N, D, moved, with ? renamed : NULL);
        nonsens_result *a = discover(f, data, "adaptive-lasso", "1"), *b = discover(f, other, "adaptive-lasso", "3");
        assert_int_equal(a->edges, b->edges);
        assert_true(a->edges > 3);
        for (int64_t k = 0; k < D; k++) {
            assert_int_equal(a->order[k], column[b->order[k]]);
        }
        for (int64_t i = 0; i < b->edges; i++) {
            const nonsens_edge *e = edge_between(a, column[b->edge[i].from], column[b->edge[i].to]);
            assert_non_null(e);
            assert_true(e->weight == b->edge[i].weight && e->p_value == b->edge[i].p_value);
        }
        assert_true(a->evidence[0].value == b->evidence[0].value);
        assert_true(a->evidence[0].p_value == b->evidence[0].p_value);
        nonsens_result_free(a);
        nonsens_result_free(b);
        nonsens_data_free(data);
        nonsens_data_free(other);
    }
}

/* ---- what is said ---------------------------------------------------------------------------------------------- */

static bool has_note(const nonsens_result *result, const char *part)
{
    for (int64_t i = 0; i < result->notes; i++) {
        if (strstr(result->note[i], part)) {
            return true;
        }
    }
    return false;
}

static void assert_notes(fixture *f, int64_t n, int64_t d, const double *x, bool contradict, bool gaussian, bool few)
{
    nonsens_data *data = data_of(f, n, d, x, NULL);
    nonsens_result *r = discover(f, data, "tested", "1");
    assert_int_equal(has_note(r, "contradict"), contradict);
    assert_int_equal(has_note(r, "cannot be told from Gaussian"), gaussian);
    assert_int_equal(has_note(r, "There are only"), few);
    assert_true(has_note(r, "Benjamini"));
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static void test_notes(void **state)
{
    fixture *f = *state;
    const int64_t sizes[] = {4, 25}; /* tested by hsic, by correlations */
    for (int s = 0; s < 2; s++) {
        int64_t d = sizes[s], n = 1500;
        assert_notes(f, n, d, make_model(f, d, n, LAPLACE, 1, 71)->x, false, false, false);
        assert_notes(f, n, d, make_model(f, d, n, NORMAL, 1, 72)->x, false, true, false);
        model *bent = make_model(f, d, n, UNIFORM, 0, 73), *hidden = make_model(f, d, n, UNIFORM, 0, 74);
        rng r = rng_open(1, RNG_TEST, 75);
        for (int64_t i = 0; i < n; i++) {
            bent->x[i] += 3 * bent->x[n + i] * bent->x[n + i];
            double common = draw(&r, SKEWED);
            hidden->x[i] += common;
            hidden->x[n + i] += common;
        }
        assert_notes(f, n, d, bent->x, true, false, false);
        assert_notes(f, n, d, hidden->x, true, false, false);
    }
    assert_notes(f, 10, 8, make_model(f, 8, 10, LAPLACE, 1, 76)->x, false, true, true);
}

/* Of residuals that are independent a share alpha of the data sets is called dependent, also where scales change. */
static void test_size_of_the_check(void **state)
{
    fixture *f = *state;
    enum { D = 22, N = 400, REPEATS = 60 };
    const int64_t start[] = {0, 100, 200, 300, 400};
    nonsens_options *options;
    int rejected = 0;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_CMD_DISCOVER, &options), NONSENS_OK);
    for (int64_t repeat = 0; repeat < REPEATS; repeat++) {
        arena_mark mark = arena_tell(&f->scratch);
        bool strata = repeat % 2;
        model *m = make_model(f, D, N, repeat % 3, 0, 200 + (uint64_t)repeat);
        for (int64_t i = 0; i < N * D && strata; i++) {
            m->x[i] *= 1 << (i % N / 100);
        }
        lingam_order o = order_of(f, N, D, m->x, false, 1);
        row_groups groups = {strata ? 4 : 1, strata ? start : (const int64_t[]){0, N}};
        lingam_check check;
        assert_int_equal(lingam_check_residuals(f->ctx, &f->scratch, &o, &groups, options, &check), NONSENS_OK);
        assert_false(check.by_hsic);
        rejected += check.dependent > 0;
        arena_rewind(&f->scratch, mark);
    }
    nonsens_options_free(options);
    assert_true(rejected <= 8); /* 3 are expected */
}

/* Sparse graphs of ten variables: the order contradicts few true edges, and edges are found. */
static void test_accuracy(void **state)
{
    fixture *f = *state;
    enum { D = 10, N = 1000, REPEATS = 20 };
    int64_t right = 0, hit = 0, shown = 0, true_edges = 0;
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        model *m = make_model(f, D, N, LAPLACE, 1, 1000 + repeat);
        nonsens_data *data = data_of(f, N, D, m->x, NULL);
        nonsens_result *r = discover(f, data, "adaptive-lasso", "1");
        bool consistent = true;
        for (int64_t k = 0; k < D; k++) {
            for (int64_t j = 0; j < k; j++) {
                consistent = consistent && m->b[r->order[j]][r->order[k]] == 0;
                hit += m->b[r->order[k]][r->order[j]] != 0 && edge_between(r, r->order[j], r->order[k]);
            }
        }
        for (int64_t i = 0; i < D * D; i++) {
            true_edges += m->b[i / D][i % D] != 0;
        }
        shown += r->edges;
        right += consistent;
        nonsens_result_free(r);
        nonsens_data_free(data);
    }
    double f1 = 2.0 * (double)hit / (double)(shown + true_edges);
    print_message("orders right %d of %d, F1 %.3f\n", (int)right, REPEATS, f1);
    assert_true(right >= 17);
    assert_true(f1 > 0.93);
}

/* ---- failures -------------------------------------------------------------------------------------------------- */

static nonsens_status discover_small(nonsens_context *ctx, arena *a, void *state)
{
    const void **inputs = state;
    nonsens_result *result = NULL;
    (void)a;
    nonsens_status status = nonsens_discover(ctx, inputs[0], inputs[1], &result);
    assert_true((result != NULL) == (status == NONSENS_OK));
    nonsens_result_free(result);
    return status;
}

static void test_each_allocation_failing(void **state)
{
    fixture *f = *state;
    const int64_t sizes[] = {3, 21};
    for (int s = 0; s < 2; s++) {
        nonsens_options *o;
        nonsens_data *data = data_of(f, 60, sizes[s], make_model(f, sizes[s], 60, LAPLACE, 1, 81)->x, NULL);
        assert_int_equal(nonsens_options_new(f->ctx, NONSENS_CMD_DISCOVER, &o), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, o, "method", "lingam"), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, o, "threads", "1"), NONSENS_OK);
        assert_true(fail_every_allocation(f, discover_small, (const void *[]){data, o}) > 10);
        nonsens_options_free(o);
        nonsens_data_free(data);
    }
}

static int stop_at_once(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

static void test_cancelling(void **state)
{
    fixture *f = *state;
    model *m = make_model(f, 5, 100, LAPLACE, 1, 91);
    lingam_order out;
    lingam_order_options how = {.threads = 1};
    nonsens_set_progress(f->ctx, stop_at_once, NULL);
    assert_int_equal(lingam_find_order(f->ctx, &f->scratch, matrix_view(m->x, 100, 5), &how, &out), NONSENS_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_table),
                                       TEST(test_order_is_that_of_the_definition),
                                       TEST(test_order_of_awkward_data),
                                       TEST(test_fixtures),
                                       TEST(test_tested_weights),
                                       TEST(test_factor),
                                       TEST(test_comparisons_left_out_and_threads),
                                       TEST(test_columns_and_rows_in_any_order),
                                       TEST(test_notes),
                                       TEST(test_size_of_the_check),
                                       TEST(test_accuracy),
                                       TEST(test_each_allocation_failing),
                                       TEST(test_cancelling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
