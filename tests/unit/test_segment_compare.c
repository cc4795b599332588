/*
 * test_segment_compare.c - choice of the penalty, comparison of segment classifiers on held-out rows, and the null
 * distribution of that comparison: against its law without penalty, and against the bootstrap with full refits.
 */
#include "segment_rows.h"
#include "segments/compare.h"
#include "segments/penalty.h"

static const shape FREE = {0, 0, 2}, CAUSE = {1, 0, 1};

/* Uniform rows whose segments mean nothing. */
static rows rows_uniform(fixture *f, int64_t n, int64_t segments, uint64_t seed)
{
    rows out;
    rng r = rng_open(seed, RNG_TEST, 8);
    rows_allocate(f, n, segments, &out);
    for (int64_t i = 0; i < n; i++) {
        out.x[0][i] = rng_uniform(&r);
        out.x[1][i] = rng_uniform(&r);
    }
    for (int64_t e = 0; e < segments; e++) {
        out.start[e + 1] = n * (e + 1) / segments;
    }
    return out;
}

/* Rows of three segments with logits +-2 sin(waves pi x1) over uniform x. */
static rows rows_waves(fixture *f, int64_t n, double waves, uint64_t seed)
{
    rng r = rng_open(seed, RNG_TEST, 9);
    double *x[2] = {fixture_doubles(f, n), fixture_doubles(f, n)};
    int32_t *label = rows_get(f, n, sizeof *label);
    for (int64_t i = 0; i < n; i++) {
        x[0][i] = rng_uniform(&r);
        x[1][i] = rng_uniform(&r);
        double h = 2.0 * sin(waves * 3.14159265358979 * x[0][i]), up = exp(h), down = exp(-h);
        double u = rng_uniform(&r) * (up + down + 1.0);
        label[i] = u < up ? 0 : u < up + down ? 1 : 2;
    }
    return rows_labelled(f, n, 3, (const double *const[2]){x[0], x[1]}, label);
}

/* ---- comparing rows ---- */

static void test_rows_against_plain_sums(void **state)
{
    (void)state;
    enum { N = 12, BLOCKS = 4 };
    static const int32_t block[N] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3};
    double first[N], second[N], scratch[BLOCKS], sum = 0.0, square = 0.0, block_sum[BLOCKS] = {0}, of_blocks = 0.0;
    for (int i = 0; i < N; i++) {
        first[i] = -1.0 - 0.1 * (i % 5);
        second[i] = -1.1 - 0.02 * i * (i % 3);
        sum += first[i] - second[i];
    }
    for (int i = 0; i < N; i++) {
        double d = first[i] - second[i] - sum / N;
        square += d * d;
        block_sum[block[i]] += d;
    }
    for (int b = 0; b < BLOCKS; b++) {
        of_blocks += block_sum[b] * block_sum[b];
    }
    difference d = compare_rows(N, first, second, NULL, 0, scratch);
    assert_close(d.mean, sum / N, 1e-14);
    assert_close(d.error, sqrt(square) / N, 1e-14);
    assert_close(d.z, sum / sqrt(square), 1e-12);
    assert_true(isnan(d.p_value));
    d = compare_rows(N, first, second, block, BLOCKS, scratch);
    assert_close(d.mean, sum / N, 1e-14);
    assert_close(d.z, sum / sqrt(of_blocks), 1e-12);
    d = compare_rows(N, first, first, NULL, 0, scratch);
    assert_true(d.z == 0.0 && d.mean == 0.0);
}

/* ---- null distribution ---- */

static double chi_squared(rng *r, double degrees)
{
    return 2.0 * rng_gamma(r, 0.5 * degrees);
}

/*
 * Without penalty z has the law of docs/structured.md (7) with q = k (p - p_1 - (r - k)) superfluous parameters, at any
 * truth in general position: here a random one, of (1, 0, 1) in (0, 0, 2) with 5 x 5 splines.
 */
static void test_law_without_penalty(void **state)
{
    fixture *f = *state;
    enum { DRAWS = 4000, K = 4, BASIS = 5 };
    double q = (BASIS * BASIS - 1) - (BASIS - 1) - 1, mean = 0.0, square = 0.0;
    rng r = rng_open(7, RNG_TEST, 0);
    rows data = rows_uniform(f, 1000, 5, 6); // all over the square, so that every product counts
    sample s = rows_sample(f, &data, K, BASIS, 1);
    fit small = rows_fit_new(f, &s, CAUSE, 1e-8);
    for (int64_t i = 0; i < small.model.parameters; i++) {
        small.theta[i] = 0.5 * rng_normal(&r);
    }
    assert_int_equal(fit_evaluate(f->ctx, &f->scratch, 1, &small), NONSENS_OK);
    difference d = {0};
    assert_int_equal(compare_calibrate(f->ctx, &f->scratch, 2, &small, FREE, DRAWS, 1, &d), NONSENS_OK);
    for (int i = 0; i < DRAWS; i++) {
        double a = chi_squared(&r, q), b = chi_squared(&r, q * (K - 1));
        double z = (0.5 * a - b * (2.0 * K - 1.0) / (2.0 * (K - 1) * (K - 1))) / sqrt(a + b / ((K - 1) * (K - 1)));
        mean += z / DRAWS;
        square += z * z / DRAWS;
    }
    double sd = sqrt(square - mean * mean);
    assert_close(d.null_mean, mean, 4.0 * sd * sqrt(2.0 / DRAWS)); // four standard errors
    assert_close(d.null_sd, sd, 4.0 * sd / sqrt(DRAWS));
}

/* Probabilities (n, E) of the segments at the rows of the data. */
static double *probabilities(fixture *f, const fit *of)
{
    const model *m = &of->model;
    int64_t n = m->data->n, segments = m->data->segments;
    double *feature = fixture_doubles(f, m->rank * n), *p = fixture_doubles(f, n * segments);
    for (int64_t k = 0; k < m->data->folds; k++) {
        assert_int_equal(model_features(f->ctx, &f->scratch, m, of->theta, k, feature), NONSENS_OK);
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (int64_t e = 0; e < segments; e++) {
            double logit = of->theta[model_weight(m, e, m->rank)];
            for (int64_t k = 0; k < m->rank; k++) {
                logit += of->theta[model_weight(m, e, k)] * feature[k * n + i];
            }
            sum += p[i * segments + e] = exp(logit);
        }
        for (int64_t e = 0; e < segments; e++) {
            p[i * segments + e] /= sum;
        }
    }
    return p;
}

/* z of the larger model against `small` fitted to labels drawn from `truth`: everything anew but x and the penalty. */
static double bootstrap_z(fixture *f, const rows *r, const fit *truth, const double *p, shape large, uint64_t draw)
{
    const model *m = &truth->model;
    int64_t segments = r->segments;
    arena_mark mark = arena_tell(&f->scratch);
    int32_t *label = rows_get(f, r->n, sizeof *label);
    rng g = rng_open(17, RNG_TEST, draw);
    for (int64_t i = 0; i < r->n; i++) {
        double u = rng_uniform(&g);
        while (label[i] < segments - 1 && (u -= p[i * segments + label[i]]) > 0.0) {
            label[i]++;
        }
    }
    rows drawn = rows_labelled(f, r->n, segments, (const double *const[2]){r->x[0], r->x[1]}, label);
    sample s = rows_sample(f, &drawn, m->data->folds, m->data->basis, (int64_t)draw);
    fit small = rows_fit_new(f, &s, m->shape, truth->lambda), free = rows_fit_new(f, &s, large, truth->lambda);
    memcpy(small.theta, truth->theta, (size_t)m->parameters * sizeof(double));
    assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &small), NONSENS_OK);
    assert_int_equal(fit_folds(f->ctx, &f->scratch, 1, &small), NONSENS_OK);
    assert_int_equal(fit_start_extended(f->ctx, &f->scratch, truth, &free), NONSENS_OK);
    assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &free), NONSENS_OK);
    assert_int_equal(fit_folds(f->ctx, &f->scratch, 1, &free), NONSENS_OK);
    assert_true(small.converged && free.converged);
    double z = compare_rows(r->n, free.held_out, small.held_out, NULL, 0, NULL).z;
    arena_rewind(&f->scratch, mark);
    return z;
}

/*
 * The limit against the real thing.  With B refits the mean has the standard error sd / sqrt(B), the sd one of about
 * sd / sqrt(2 B); three of them are allowed, and 0.1 for what the limit leaves out.
 */
static void check_bootstrap(fixture *f, shape small, shape large, double lambda)
{
    enum { B = 120 };
    double z[B], mean = 0.0, square = 0.0;
    rows r = rows_scales(f, 150, 5, 0.6, 3);
    sample s = rows_sample(f, &r, 5, 8, 1);
    fit truth = rows_fit(f, &s, small, lambda, 1);
    double *p = probabilities(f, &truth);
    difference d = {0};
    assert_int_equal(compare_calibrate(f->ctx, &f->scratch, 2, &truth, large, 1000, 1, &d), NONSENS_OK);
    for (int b = 0; b < B; b++) {
        z[b] = bootstrap_z(f, &r, &truth, p, large, (uint64_t)b);
        mean += z[b] / B;
    }
    for (int b = 0; b < B; b++) {
        square += (z[b] - mean) * (z[b] - mean) / (B - 1);
    }
    double sd = sqrt(square);
    assert_close(d.null_mean, mean, 3.0 * sd / sqrt(B) + 0.1);
    assert_close(d.null_sd, sd, 3.0 * sd / sqrt(2.0 * B) + 0.05);
    assert_true(mean < -1.0); // far from standard normal: there is something to calibrate
}

static void test_calibration_against_refits(void **state)
{
    check_bootstrap(*state, CAUSE, FREE, 0.05); // strong enough for its pull to matter
    check_bootstrap(*state, (shape){1, 0, 0}, (shape){0, 0, 1}, 0.003);
}

static void test_p_values_follow_z(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 60, 4, 0.6, 3);
    sample s = rows_sample(f, &r, 4, 6, 1);
    fit small = rows_fit(f, &s, CAUSE, 0.01, 1);
    double before = 1.0;
    for (double z = -6.0; z <= 6.0; z += 2.0) {
        difference d = {.z = z};
        assert_int_equal(compare_calibrate(f->ctx, &f->scratch, 1, &small, FREE, 50, 1, &d), NONSENS_OK);
        assert_true(d.p_value > 0.0 && d.p_value < before && d.null_sd > 0.0);
        before = d.p_value;
    }
}

/* ---- penalty ---- */

static void test_rough_truth_gets_less_penalty(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        rows smooth = rows_waves(f, 400, 0.5, seed), rough = rows_waves(f, 400, 4.0, seed);
        sample a = rows_sample(f, &smooth, 4, 8, 1), b = rows_sample(f, &rough, 4, 8, 1);
        penalty of_smooth, of_rough, less;
        assert_int_equal(penalty_choose(f->ctx, &f->scratch, 2, &a, 1.0, &of_smooth), NONSENS_OK);
        assert_int_equal(penalty_choose(f->ctx, &f->scratch, 2, &b, 1.0, &of_rough), NONSENS_OK);
        assert_int_equal(penalty_choose(f->ctx, &f->scratch, 2, &b, 10.0, &less), NONSENS_OK);
        assert_true(of_smooth.all >= 10.0 * of_rough.all);
        assert_close(less.all, of_rough.all / 10.0, 1e-15);
        for (int k = 0; k < 4; k++) {
            assert_true(of_smooth.fold[k] > of_rough.fold[k]);
            assert_close(less.fold[k], of_rough.fold[k] / 10.0, 1e-15);
        }
    }
}

/* log-likelihood of two folds at theta. */
static double score_of_two(fixture *f, const model *m, const double *theta, int64_t k, int64_t j)
{
    model_sums a = {0, NULL, NULL, NULL}, b = a;
    assert_int_equal(model_sum(f->ctx, &f->scratch, m, theta, k, &a), NONSENS_OK);
    assert_int_equal(model_sum(f->ctx, &f->scratch, m, theta, j, &b), NONSENS_OK);
    return a.log_likelihood + b.log_likelihood;
}

/* The fit of the rows outside two folds, all of it. */
static fit refit_without_two(fixture *f, const rows *r, const fit *all, int64_t k, int64_t j)
{
    rows others;
    rows_allocate(f, r->n, r->segments, &others);
    for (int64_t e = 0, n = 0; e < r->segments; e++, others.start[e] = n, others.n = n) {
        for (int64_t i = r->start[e]; i < r->start[e + 1]; i++) {
            if (r->fold[i] != k && r->fold[i] != j) {
                others.x[0][n] = r->x[0][i];
                others.x[1][n++] = r->x[1][i];
            }
        }
    }
    sample *s = rows_get(f, 1, sizeof *s);
    *s = rows_sample(f, &others, 3, all->model.data->basis, 1);
    fit out = rows_fit_new(f, s, all->model.shape, all->lambda);
    memcpy(out.theta, all->theta, (size_t)all->model.parameters * sizeof(double));
    assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &out), NONSENS_OK);
    assert_true(out.converged);
    return out;
}

/* One Newton step takes away most of what the fit of all rows knows of the rows that are left out. */
static void test_one_step_without_two_folds(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 100, 5, 0.6, 4);
    sample s = rows_sample(f, &r, 5, 8, 1);
    fit all = rows_fit(f, &s, FREE, 0.03, 1);
    const model *m = &all.model;
    double *theta = fixture_doubles(f, m->parameters), known = 0.0, left = 0.0;
    for (int64_t k = 1; k < 5; k++) {
        fit exact = refit_without_two(f, &r, &all, k, k - 1);
        assert_int_equal(fit_without_two(f->ctx, &f->scratch, &all, k, k - 1, theta), NONSENS_OK);
        double aim = score_of_two(f, m, exact.theta, k, k - 1);
        known += score_of_two(f, m, all.theta, k, k - 1) - aim;
        left += fabs(score_of_two(f, m, theta, k, k - 1) - aim);
    }
    assert_true(known > 10.0); // nats
    assert_true(left < 0.15 * known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rows_against_plain_sums),       TEST(test_law_without_penalty),
        TEST(test_calibration_against_refits),    TEST(test_p_values_follow_z),
        TEST(test_rough_truth_gets_less_penalty), TEST(test_one_step_without_two_folds),
    };
    return cmocka_run_group_tests_name("segment_compare", tests, NULL, NULL);
}
