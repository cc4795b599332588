/*
 * test_segment_fit.c - penalised fits of the segment classifiers: against a convex oracle, from several starts, with
 * folds left out, for any number of threads, and with every allocation failing once.
 */
#include "classifier/classifier_compare.h"
#include "classifier/penalty.h"
#include "fixtures/segments.h"
#include "segment_rows.h"

static const double LAMBDA = 0.01;
static const double DECREMENT = 1e-4;        /* nats: where fits stop */
static const double ABOVE_OPTIMUM = 2e-4;    /* nats by which a fit may exceed the optimum: twice DECREMENT */
static const double ROW_TOLERANCE = 0.015;   /* nats per row, of a fit against the optimum: sqrt(2 DECREMENT) */
static const double ORACLE_TOLERANCE = 1e-9; /* nats, of the optimum against the oracle */
static const classifier_shape FREE = {0, 0, 2}, CAUSE = {1, 0, 1}, EFFECT = {0, 1, 1};

static double largest_difference(int64_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

/* Computes the log likelihood of every row at theta. */
static double *row_scores(fixture *f, const classifier_model *m, const double *theta)
{
    double *out = fixture_doubles(f, m->data->n);
    for (int64_t k = 0; k < m->data->folds; k++) {
        assert_int_equal(model_score(f->ctx, &f->scratch, m, theta, k, out), NONSENS_OK);
    }
    return out;
}

/* Returns the optimum near theta, in the fixture's arena. */
static double *optimum_near(fixture *f, const classifier_fit *of, const double *theta)
{
    int64_t p = of->model.parameters;
    double *out = fixture_doubles(f, p), *vectors = fixture_doubles(f, p * p), *values = fixture_doubles(f, p);
    memcpy(out, theta, (size_t)p * sizeof *out);
    rows_polish(f, of, out, vectors, values);
    return out;
}

/* With one feature fewer than segments, the fit is a convex multinomial regression, which SciPy solves. */
static void test_full_rank_against_scipy(void **state)
{
    fixture *f = *state;
    rows r;
    rows_allocate(f, FIXTURE_ROWS, FIXTURE_SEGMENTS, &r);
    memcpy(r.start, fixture_start, sizeof fixture_start);
    memcpy(r.x[0], fixture_first, sizeof fixture_first);
    memcpy(r.x[1], fixture_second, sizeof fixture_second);
    classifier_sample s = rows_sample(f, &r, 5, FIXTURE_BASIS, 1);
    classifier_fit found = rows_fit(f, &s, (classifier_shape){0, 0, FIXTURE_SEGMENTS - 1}, fixture_lambda, 1);
    assert_true(found.objective > fixture_objective - ORACLE_TOLERANCE);
    assert_true(found.objective < fixture_objective + ABOVE_OPTIMUM);
    double *score = row_scores(f, &found.model, found.theta);
    assert_true(largest_difference(r.n, score, fixture_log_likelihood) < ROW_TOLERANCE);

    double *best = optimum_near(f, &found, found.theta);
    assert_close(rows_objective(f, &found, best), fixture_objective, ORACLE_TOLERANCE);
    score = row_scores(f, &found.model, best);
    assert_true(largest_difference(r.n, score, fixture_log_likelihood) < ORACLE_TOLERANCE);
}

/* Returns half the squared length of the gradient in the metric of the second derivatives with pins. */
static double plain_decrement(fixture *f, const classifier_fit *of)
{
    int64_t p = of->model.parameters;
    double *gradient = fixture_doubles(f, p), *a = fixture_doubles(f, p * p), *values = fixture_doubles(f, p);
    double *step = fixture_doubles(f, p), sum = 0.0;
    rows_derivatives(f, of, of->theta, gradient, a);
    assert_int_equal(model_pin(f->ctx, &f->scratch, &of->model, of->theta, a), NONSENS_OK);
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = 0; j < i; j++) {
            a[j * p + i] = a[i * p + j];
        }
    }
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, p, a, values), NONSENS_OK);
    assert_true(values[0] > 0.0);
    rows_newton_step(p, a, values, gradient, step);
    for (int64_t i = 0; i < p; i++) {
        sum -= 0.5 * step[i] * gradient[i];
    }
    return sum;
}

static void test_fits_end_at_an_optimum(void **state)
{
    fixture *f = *state;
    static const classifier_shape shapes[] = {{0, 0, 1}, {0, 0, 2}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {1, 1, 0}};
    rows r = rows_scales(f, 80, 5, 0.8, 1);
    classifier_sample s = rows_sample(f, &r, 5, 6, 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        classifier_fit found = rows_fit(f, &s, shapes[i], LAMBDA, 1);
        assert_true(found.decrement < DECREMENT && found.iterations < 50);
        assert_true(plain_decrement(f, &found) < 2.0 * DECREMENT);
        assert_close(found.objective, rows_objective(f, &found, found.theta), 1e-9);
        double *best = optimum_near(f, &found, found.theta);
        double above = found.objective - rows_objective(f, &found, best);
        assert_true(above > -1e-9 && above < ABOVE_OPTIMUM);
        double *score = row_scores(f, &found.model, found.theta), *at_best = row_scores(f, &found.model, best);
        assert_true(largest_difference(r.n, score, at_best) < ROW_TOLERANCE);
    }
}

/* The sums that a fit stores are those at its theta. */
static void test_sums_are_of_theta(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 60, 4, 0.8, 2);
    classifier_sample s = rows_sample(f, &r, 3, 6, 1);
    classifier_fit found = rows_fit(f, &s, CAUSE, LAMBDA, 1);
    int64_t p = found.model.parameters, slopes = s.segments * s.basis * s.basis;
    double *fisher;
    assert_int_equal(fit_fisher(f->ctx, &f->scratch, 2, &found, &fisher), NONSENS_OK);
    for (int64_t k = 0; k < s.folds; k++) {
        classifier_sums sums = {0, fixture_doubles(f, p), fixture_doubles(f, p * p), fixture_doubles(f, slopes)};
        assert_int_equal(model_sum(f->ctx, &f->scratch, &found.model, found.theta, k, &sums), NONSENS_OK);
        assert_memory_equal(sums.gradient, found.fold_gradient + k * p, (size_t)p * sizeof(double));
        assert_memory_equal(sums.fisher, fisher + k * p * p, (size_t)(p * p) * sizeof(double));
        assert_memory_equal(sums.slope, found.fold_slope + k * slopes, (size_t)slopes * sizeof(double));
    }
}

/* ---- starts ---- */

/* Started at the free fit, a restricted one ends no higher than a cold one; back from it, the free one is no higher. */
static void test_starts_lead_to_one_optimum(void **state)
{
    static const classifier_shape shapes[] = {{1, 0, 1}, {0, 1, 1}, {2, 0, 0}, {1, 1, 0}};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fixture *f = *state;
        rows r = rows_scales(f, 80, 5, 0.8, seed);
        classifier_sample s = rows_sample(f, &r, 5, 8, 1);
        classifier_fit free = rows_fit(f, &s, FREE, LAMBDA, 1);
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            classifier_fit cold = rows_fit(f, &s, shapes[i], LAMBDA, 1), warm = rows_fit_new(f, &s, shapes[i], LAMBDA);
            classifier_fit back = rows_fit_new(f, &s, FREE, LAMBDA);
            assert_int_equal(fit_start_restricted(f->ctx, &f->scratch, &free, &warm), NONSENS_OK);
            assert_true(isfinite(rows_objective(f, &warm, warm.theta)));
            assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &warm), NONSENS_OK);
            assert_true(warm.converged && warm.objective < cold.objective + ABOVE_OPTIMUM);
            assert_true(warm.objective > free.objective - ABOVE_OPTIMUM);
            fit_start_extended(&warm, &back);
            assert_close(rows_objective(f, &back, back.theta), warm.objective, 1e-9 * warm.objective);
            assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &back), NONSENS_OK);
            assert_true(back.converged && back.objective < free.objective + ABOVE_OPTIMUM);
        }
    }
}

/* ---- folds ---- */

/* Returns the rows outside a fold. */
static rows rows_without(fixture *f, const rows *r, int64_t fold)
{
    double *x[2] = {fixture_doubles(f, r->n), fixture_doubles(f, r->n)};
    int32_t *label = rows_get(f, r->n, sizeof *label);
    int64_t n = 0;
    for (int64_t e = 0; e < r->segments; e++) {
        for (int64_t i = r->start[e]; i < r->start[e + 1]; i++) {
            if (r->fold[i] != fold) {
                label[n] = (int32_t)e;
                x[0][n] = r->x[0][i];
                x[1][n++] = r->x[1][i];
            }
        }
    }
    return rows_labelled(f, n, r->segments, (const double *const[2]){x[0], x[1]}, label);
}

/*
 * A fold is scored by a fit that never saw it: the fold's fit and a cold fit to the other rows are near the same
 * optimum.
 */
static void check_fold(fixture *f, const rows *r, const classifier_fit *found, int64_t fold)
{
    const classifier_model *m = &found->fold_model[fold];
    rows others = rows_without(f, r, fold);
    classifier_sample s = rows_sample(f, &others, m->data->folds - 1, m->data->basis, 1);
    assert_close(s.share[0], m->data->share[0], 1e-15); // otherwise the penalties would differ
    classifier_fit alone = rows_fit(f, &s, m->shape, found->fold_lambda[fold], 1);
    const double *theta = found->fold_theta[fold];
    double *best = optimum_near(f, &alone, theta), *best_alone = optimum_near(f, &alone, alone.theta);
    double lowest = rows_objective(f, &alone, best);
    assert_close(rows_objective(f, &alone, best_alone), lowest, 1e-8);
    assert_true(rows_objective(f, &alone, theta) < lowest + ABOVE_OPTIMUM);
    double *score = row_scores(f, m, best), *score_alone = row_scores(f, m, best_alone);
    for (int64_t i = 0; i < r->n; i++) {
        if (r->fold[i] == fold) {
            assert_close(score_alone[i], score[i], 1e-6);
            assert_close(found->held_out[i], score[i], ROW_TOLERANCE);
        }
    }
}

static void test_folds_know_nothing_of_their_rows(void **state)
{
    static const classifier_shape shapes[] = {{0, 0, 2}, {1, 0, 1}, {0, 1, 1}};
    fixture *f = *state;
    rows r = rows_scales(f, 80, 5, 0.8, 1);
    classifier_sample s = rows_sample(f, &r, 4, 7, 1), fewer = rows_sample(f, &r, 4, 6, 1);
    const classifier_sample *fold_data[4] = {&s, &fewer, &s, &fewer};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        classifier_fit found = rows_fit(f, &s, shapes[i], LAMBDA, 1);
        double *fold_lambda = fixture_doubles(f, 4);
        for (int64_t k = 0; k < 4; k++) {
            fold_lambda[k] = k == 1 ? 2.0 * LAMBDA : LAMBDA;
        }
        found.fold_lambda = fold_lambda;
        found.fold_data = fold_data;
        assert_int_equal(fit_folds(f->ctx, &f->scratch, 1, &found), NONSENS_OK);
        assert_true(found.converged);
        check_fold(f, &r, &found, (int64_t)i);
        check_fold(f, &r, &found, 3);
    }
}

/* Results that must not depend on the number of threads. */
typedef struct outcome {
    classifier_penalty chosen;
    classifier_fit small, large;
    classifier_difference of_restriction;
} outcome;

static outcome with_threads(fixture *f, const classifier_sample *s, int threads)
{
    outcome out = {0};
    assert_int_equal(penalty_choose(f->ctx, &f->scratch, threads, 2, s, &out.chosen), NONSENS_OK);
    out.small = rows_fit(f, s, EFFECT, out.chosen.all, threads);
    out.small.fold_lambda = out.chosen.fold;
    out.small.fold_data = out.chosen.fold_data;
    assert_int_equal(fit_folds(f->ctx, &f->scratch, threads, &out.small), NONSENS_OK);
    out.large = rows_fit(f, s, FREE, out.chosen.all, threads);
    assert_int_equal(
        compare_restriction(f->ctx, &f->scratch, BY(threads, 20, 1), &out.small, &out.large, &out.of_restriction),
        NONSENS_OK);
    return out;
}

static void test_threads_change_nothing(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 60, 4, 0.8, 3);
    classifier_sample s[2] = {rows_sample(f, &r, 5, 8, 1), rows_sample(f, &r, 5, 5, 1)};
    outcome one = with_threads(f, s, 1);
    for (int threads = 2; threads <= 3; threads++) {
        outcome more = with_threads(f, s, threads);
        size_t bytes = (size_t)one.small.model.parameters * sizeof(double);
        assert_true(more.chosen.all == one.chosen.all && more.chosen.test == one.chosen.test);
        assert_memory_equal(more.chosen.fold, one.chosen.fold, 5 * sizeof(double));
        assert_memory_equal(more.small.theta, one.small.theta, bytes);
        for (int k = 0; k < 5; k++) {
            assert_ptr_equal(more.chosen.fold_data[k], one.chosen.fold_data[k]);
            bytes = (size_t)one.small.fold_model[k].parameters * sizeof(double);
            assert_memory_equal(more.small.fold_theta[k], one.small.fold_theta[k], bytes);
        }
        assert_memory_equal(more.small.held_out, one.small.held_out, (size_t)r.n * sizeof(double));
        assert_memory_equal(more.large.theta, one.large.theta, (size_t)one.large.model.parameters * sizeof(double));
        assert_true(more.small.objective == one.small.objective && more.small.decrement == one.small.decrement);
        assert_memory_equal(&more.of_restriction, &one.of_restriction, sizeof one.of_restriction);
    }
}

/* ---- failures ---- */

/* Parameters that are NaN end the fit, of all rows as well as of folds. */
static void test_not_a_number(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 30, 3, 0.8, 4);
    classifier_sample s = rows_sample(f, &r, 3, 5, 1);
    classifier_fit found = rows_fit(f, &s, FREE, LAMBDA, 1);
    found.theta[0] = NAN;
    assert_int_equal(fit_folds(f->ctx, &f->scratch, 1, &found), NONSENS_ERR_NUMERIC);
    assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &found), NONSENS_ERR_NUMERIC);
    assert_int_not_equal(nonsens_context_message(f->ctx)[0], '\0');
}

static nonsens_status compare_fits(nonsens_context *ctx, arena *a, const classifier_fit *free,
                                   const classifier_fit *small, const classifier_fit *more)
{
    classifier_difference d = {0};
    TRY(compare_restriction(ctx, a, BY(1, 3, 1), small, free, &d));
    TRY(compare_rank(ctx, a, BY(1, 3, 1), NULL, free, &d));
    TRY(compare_rank(ctx, a, BY(1, 3, 1), free, more, &d));
    return compare_rank_score(ctx, a, BY(1, 3, 1), free, &d);
}

static nonsens_status fit_and_compare(nonsens_context *ctx, arena *a, void *state)
{
    const rows *r = state;
    const double *const x[2] = {r->x[0], r->x[1]};
    int32_t *fold;
    classifier_sample s[2];
    classifier_penalty weight;
    classifier_fit free, small, more;
    double *warped;
    ARENA_TRY(ctx, a, warped, r->n);
    TRY(sample_warp(ctx, a, r->n, x[0], warped));
    TRY(sample_folds(ctx, a, r->segments, r->start, 2, 1, 0, &fold));
    TRY(classifier_sample_new(ctx, a, x, r->segments, r->start, fold, 2, 5, &s[0]));
    TRY(classifier_sample_new(ctx, a, x, r->segments, r->start, fold, 2, 4, &s[1]));
    TRY(penalty_choose(ctx, a, 1, 2, s, &weight));
    TRY(fit_new(ctx, a, s, (classifier_shape){0, 0, 1}, &weight, &free));
    TRY(fit_start_cold(ctx, a, &free));
    TRY(fit_all(ctx, a, 1, &free));
    TRY(fit_new(ctx, a, s, (classifier_shape){1, 0, 0}, &weight, &small));
    TRY(fit_start_restricted(ctx, a, &free, &small));
    TRY(fit_all(ctx, a, 1, &small));
    small.fold_data = (const classifier_sample *const[2]){&s[0], &s[1]};
    TRY(fit_folds(ctx, a, 1, &small));
    TRY(fit_new(ctx, a, s, (classifier_shape){0, 0, 2}, &weight, &more));
    fit_start_extended(&free, &more);
    return compare_fits(ctx, a, &free, &small, &more);
}

static void test_failing_allocations(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 25, 3, 0.8, 4);
    assert_true(fail_every_allocation(f, fit_and_compare, &r) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_full_rank_against_scipy),
        TEST(test_fits_end_at_an_optimum),
        TEST(test_sums_are_of_theta),
        TEST(test_starts_lead_to_one_optimum),
        TEST(test_folds_know_nothing_of_their_rows),
        TEST(test_threads_change_nothing),
        TEST(test_not_a_number),
        TEST(test_failing_allocations),
    };
    return cmocka_run_group_tests_name("segment_fit", tests, NULL, NULL);
}
