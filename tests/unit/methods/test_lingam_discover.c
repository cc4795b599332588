/*
 * test_lingam_discover.c - the whole command: columns and rows in any order, notes, the size of the check of residuals,
 * accuracy, failing allocations.
 */
#include "methods/lingam/lingam_check.h"
#include "methods/shared/result.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "lingam_samples.h"

static nonsens_result *discover(fixture *f, const nonsens_data *data, const char *coefficients, const char *threads)
{
    nonsens_options *o;
    nonsens_result *result;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "method", "lingam"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "coefficients", coefficients), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "threads", threads), NONSENS_OK);
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &result), NONSENS_OK);
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

/* Columns and rows in another order and renamed segments give the same answer, bit for bit. */
static void test_columns_and_rows_in_any_order(void **state)
{
    fixture *f = *state;
    enum { D = 6, N = 240 };
    classifier_model *m = make_model(f, D, N, LAPLACE, 2, 61);
    double *moved = fixture_doubles(f, N * D);
    int64_t column[D] = {3, 0, 5, 1, 4, 2}, row[N], segment[N], renamed[N];
    rng r = rng_new(1, RNG_TEST, 62);
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

/* ---- notes ----------------------------------------------------------------------------------------------------- */

static bool has_note(const nonsens_result *result, const char *part)
{
    for (int64_t i = 0; i < result->notes; i++) {
        if (strstr(result->note[i].text, part)) {
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
    assert_int_equal(has_note(r, "cannot be distinguished from Gaussian"), gaussian);
    assert_int_equal(has_note(r, "There are only"), few);
    assert_true(has_note(r, "Benjamini"));
    nonsens_result_free(r);
    nonsens_data_free(data);
}

static void test_notes(void **state)
{
    fixture *f = *state;
    const int64_t sizes[] = {4, 25}; /* residuals are tested by hsic, by correlations */
    for (int s = 0; s < 2; s++) {
        int64_t d = sizes[s], n = 1500;
        assert_notes(f, n, d, make_model(f, d, n, LAPLACE, 1, 71)->x, false, false, false);
        assert_notes(f, n, d, make_model(f, d, n, NORMAL, 1, 72)->x, false, true, false);
        classifier_model *bent = make_model(f, d, n, UNIFORM, 0, 73), *hidden = make_model(f, d, n, UNIFORM, 0, 74);
        rng r = rng_new(1, RNG_TEST, 75);
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

/* Independent residuals are called dependent in a share alpha of the data sets, even if scales change. */
static void test_size_of_the_check(void **state)
{
    fixture *f = *state;
    enum { D = 22, N = 400, REPEATS = 60 };
    const int64_t start[] = {0, 100, 200, 300, 400};
    nonsens_options *options;
    int rejected = 0;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &options), NONSENS_OK);
    for (int64_t repeat = 0; repeat < REPEATS; repeat++) {
        arena_mark mark = arena_tell(&f->scratch);
        bool strata = repeat % 2;
        classifier_model *m = make_model(f, D, N, repeat % 3, 0, 200 + (uint64_t)repeat);
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

/* The same with heavy tails (Student's t, 3 degrees of freedom), whose products are far from normal. */
static void test_size_with_heavy_tails(void **state)
{
    fixture *f = *state;
    enum { D = 22, N = 1000, REPEATS = 80 };
    nonsens_options *options;
    int rejected = 0;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &options), NONSENS_OK);
    for (int64_t repeat = 0; repeat < REPEATS; repeat++) {
        arena_mark mark = arena_tell(&f->scratch);
        double *x = fixture_doubles(f, N * D);
        rng r = rng_new(1400 + (uint64_t)repeat, RNG_TEST, 76);
        for (int64_t i = 0; i < N * D; i++) {
            double a = draw(&r, NORMAL), b = draw(&r, NORMAL), c = draw(&r, NORMAL);
            x[i] = draw(&r, NORMAL) / sqrt((a * a + b * b + c * c) / 3);
        }
        lingam_order o = order_of(f, N, D, x, false, 1);
        row_groups groups = {1, (const int64_t[]){0, N}};
        lingam_check check;
        assert_int_equal(lingam_check_residuals(f->ctx, &f->scratch, &o, &groups, options, &check), NONSENS_OK);
        rejected += check.dependent > 0;
        arena_rewind(&f->scratch, mark);
    }
    nonsens_options_free(options);
    assert_true(rejected <= 9); /* 4 are expected */
}

static lingam_check check_columns(fixture *f, int64_t n, int64_t d, double *x, double alpha)
{
    lingam_order o = {.n = n, .d = d, .residual = matrix_view(x, n, d)};
    row_groups groups = {1, (const int64_t[]){0, n}};
    lingam_check check;
    nonsens_options *options;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &options), NONSENS_OK);
    options->null_kind = NULL_GAMMA;
    options->permutations = 0;
    options->alpha = alpha;
    assert_int_equal(lingam_check_residuals(f->ctx, &f->scratch, &o, &groups, options, &check), NONSENS_OK);
    nonsens_options_free(options);
    return check;
}

/* Holm: of m pairs, the k-th smallest p-value is compared with alpha / (m - k + 1), up to the first that is larger. */
static void test_pairs_are_judged_by_holms_rule(void **state)
{
    fixture *f = *state;
    enum { N = 100, REPEATS = 20 };
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    int beyond_bonferroni = 0;
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        arena_mark mark = arena_tell(&f->scratch);
        double *x = fixture_doubles(f, 3 * N), *two = fixture_doubles(f, 2 * N), p[3];
        rng r = rng_new(1600 + repeat, RNG_TEST, 77);
        for (int64_t i = 0; i < N; i++) {
            x[i] = draw(&r, NORMAL);
            x[N + i] = draw(&r, NORMAL) + x[i] * x[i];
            x[2 * N + i] = draw(&r, NORMAL) + 0.4 * x[i] * x[i];
        }
        for (int k = 0; k < 3; k++) { // p-value of each pair alone
            memcpy(two, x + pair[k][0] * N, N * sizeof *two);
            memcpy(two + N, x + pair[k][1] * N, N * sizeof *two);
            p[k] = check_columns(f, N, 2, two, 0.05).p_value;
        }
        double least = fmin(p[0], fmin(p[1], p[2])), largest = fmax(p[0], fmax(p[1], p[2]));
        double middle = p[0] + p[1] + p[2] - least - largest, alpha = fmin(2.5 * middle, 0.9);
        int expected = 3 * least > alpha ? 0 : 2 * middle > alpha ? 1 : largest > alpha ? 2 : 3;
        lingam_check check = check_columns(f, N, 3, x, alpha);
        assert_int_equal(check.dependent, expected);
        assert_true(fabs(check.p_value - fmin(1.0, 3 * least)) <= 1e-12 * check.p_value);
        beyond_bonferroni += expected >= 2 && 3 * middle > alpha;
        arena_rewind(&f->scratch, mark);
    }
    assert_true(beyond_bonferroni > REPEATS / 2);
}

/* Sparse graphs of ten variables: the order contradicts few true edges, and most edges are found. */
static void test_accuracy_at_length(void **state)
{
    fixture *f = *state;
    enum { D = 10, N = 1000, REPEATS = 20 };
    int64_t right = 0, hit = 0, shown = 0, true_edges = 0;
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        classifier_model *m = make_model(f, D, N, LAPLACE, 1, 1000 + repeat);
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
    nonsens_status status = nonsens_run_discover(ctx, inputs[0], inputs[1], &result);
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
        assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, o, "method", "lingam"), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, o, "threads", "1"), NONSENS_OK);
        assert_true(fail_every_allocation(f, discover_small, (const void *[]){data, o}) > 10);
        nonsens_options_free(o);
        nonsens_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_columns_and_rows_in_any_order),
                                       TEST(test_notes),
                                       TEST(test_size_of_the_check),
                                       TEST(test_accuracy_at_length),
                                       TEST(test_size_with_heavy_tails),
                                       TEST(test_pairs_are_judged_by_holms_rule),
                                       TEST(test_each_allocation_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
