/*
 * test_segment_compare.c - choice of the penalty, comparison of segment classifiers on held-out rows, and the null
 * distributions of likelihood ratios: against their laws without penalty, and against full refits to redrawn labels.
 */
#include "classifier/classifier_compare.h"
#include "math/special.h"
#include "segment_rows.h"

static const classifier_shape FREE = {0, 0, 2}, CAUSE = {1, 0, 1};

/* Draws uniform rows whose segments carry no information. */
static rows rows_uniform(fixture *f, int64_t n, int64_t segments, uint64_t seed)
{
    rows out;
    rng r = rng_new(seed, RNG_TEST, 8);
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
    classifier_difference d = {.ratio = 7.0};
    compare_rows(N, first, second, &(classifier_blocks){0}, scratch, &d);
    assert_close(d.mean, sum / N, 1e-14);
    assert_close(d.error, sqrt(square) / N, 1e-14);
    assert_close(d.z, sum / sqrt(square), 1e-12);
    assert_true(d.ratio == 7.0); // the other members stay as they were
    compare_rows(N, first, second, &(classifier_blocks){block, BLOCKS, 1.0, false}, scratch, &d);
    assert_close(d.mean, sum / N, 1e-14);
    assert_close(d.z, sum / sqrt(of_blocks), 1e-12);
    compare_rows(N, first, first, &(classifier_blocks){0}, scratch, &d);
    assert_true(d.z == 0.0 && d.mean == 0.0);
}

/* ---- p-values ---- */

static double chi_squared(rng *r, double degrees)
{
    return 2.0 * rng_gamma(r, 0.5 * degrees);
}

/* Half a chi-square is a gamma variable; its quantiles are those of tables. */
static void test_p_values_of_half_chi_squares(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    static const struct {
        double degrees, quantile, tail;
    } table[] = {{4, 9.488, 0.05}, {20, 31.410, 0.05}, {20, 45.315, 0.001}, {100, 140.169, 0.005}};
    static double ratio[DRAWS];
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        rng r = rng_new(5, RNG_TEST, k);
        for (int i = 0; i < DRAWS; i++) {
            ratio[i] = 0.5 * chi_squared(&r, table[k].degrees);
        }
        classifier_difference d = {.ratio = 0.5 * table[k].quantile};
        compare_judge(DRAWS, ratio, &d);
        assert_close(d.null_mean, 0.5 * table[k].degrees, 4.0 * sqrt(0.5 * table[k].degrees / DRAWS));
        assert_close(d.p_value, table[k].tail, 0.15 * table[k].tail); // allows for errors of mean and variance
    }
}

/* The larger the ratio, the smaller p; a ratio that favours the smaller model is no evidence against it. */
static void test_p_values_follow_the_ratio(void **state)
{
    (void)state;
    static const double ratio[] = {2.0, 3.5, 1.0, 4.0, 2.5, 3.0}, none[] = {0.0, 0.0, 0.0};
    double before = 1.0;
    for (double t = -4.0; t <= 20.0; t += 1.0) {
        classifier_difference d = {.ratio = t};
        compare_judge(6, ratio, &d);
        assert_true(t > 0.0 ? d.p_value > 0.0 && d.p_value < before : d.p_value == 1.0);
        before = d.p_value;
    }
    classifier_difference as_it_is = {.ratio = 6.0}, tolerant = {.ratio = 8.0, .tolerated = 2.0},
                          within = {.ratio = 2.0, .tolerated = 2.0};
    compare_judge(6, ratio, &as_it_is);
    compare_judge(6, ratio, &tolerant);
    compare_judge(6, ratio, &within);
    assert_true(tolerant.p_value > as_it_is.p_value && within.p_value == 1.0);
    double mean = as_it_is.null_mean, variance = as_it_is.null_sd * as_it_is.null_sd;
    assert_close(tolerant.p_value, special_gamma_tail(mean + 2.0, variance + 4.0, 8.0), 1e-12);
    classifier_difference generous = {.ratio = 8.0, .tolerated = 100.0};
    compare_judge(6, ratio, &generous);
    assert_close(generous.tolerated, 2.0 * generous.null_sd, 1e-12);
    classifier_difference d = {.ratio = 1.0};
    compare_judge(3, none, &d);
    assert_true(d.p_value == 1.0 && d.null_mean == 0.0 && d.null_sd == 0.0);
}

/* ---- null distribution of restrictions ---- */

/*
 * Without penalty T is half a chi-square with q = k (p - p_1 - (r - k)) superfluous parameters (docs/structured.md,
 * section 7), at any truth in general position: here a random one, with 4 x 4 splines.
 */
static void check_law(fixture *f, const classifier_sample *s, classifier_shape form, double q)
{
    enum { DRAWS = 4000 };
    rng r = rng_new(7, RNG_TEST, 0);
    classifier_fit small = rows_fit_new(f, s, form, 1e-8),
                   large = rows_fit_new(f, s, (classifier_shape){0, 0, shape_rank(form)}, 1e-8);
    for (int64_t i = 0; i < small.model.parameters; i++) {
        small.theta[i] = 0.5 * rng_normal(&r);
    }
    assert_int_equal(fit_evaluate(f->ctx, &f->scratch, 1, &small), NONSENS_OK);
    classifier_difference d = {0};
    large.objective = small.objective - 0.5 * q;
    assert_int_equal(compare_restriction(f->ctx, &f->scratch, BY(2, DRAWS, 1), &small, &large, &d), NONSENS_OK);
    assert_close(d.ratio, 0.5 * q, 1e-9 * small.objective);
    assert_true(d.p_value > 0.3 && d.p_value < 0.6);
    double sd = sqrt(0.5 * q);
    assert_close(d.null_mean, 0.5 * q,
                 4.0 * sd / sqrt(DRAWS) + 0.005 * q); // four standard errors, and the effect of the small penalty
    assert_close(d.null_sd, sd, 4.0 * sd / sqrt(DRAWS) + 0.005 * sd);
}

static void test_law_without_penalty_at_length(void **state)
{
    enum { M = 4, P = M * M - 1, P1 = M - 1 };
    fixture *f = *state;
    rows data = rows_uniform(f, 300000, 5, 6); // many rows, all over the square: the gentle penalty has no effect
    classifier_sample s = rows_sample(f, &data, 2, M, 1);
    check_law(f, &s, CAUSE, P - P1 - 1);
    check_law(f, &s, (classifier_shape){0, 1, 1}, P - P1 - 1);
    check_law(f, &s, (classifier_shape){1, 0, 0}, P - P1);
    check_law(f, &s, (classifier_shape){2, 0, 0}, 2 * (P - P1));
    check_law(f, &s, (classifier_shape){2, 0, 1}, 2 * (P - P1 - 1));
}

/* Computes the probabilities (n, E) of the segments at the rows of the data. */
static double *probabilities(fixture *f, const classifier_fit *of)
{
    const classifier_model *m = &of->model;
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

/* Draws new labels from p (n, E) for the rows. */
static rows rows_drawn(fixture *f, const rows *r, const double *p, uint64_t draw)
{
    int64_t segments = r->segments;
    int32_t *label = rows_get(f, r->n, sizeof *label);
    rng g = rng_new(17, RNG_TEST, draw);
    for (int64_t i = 0; i < r->n; i++) {
        double u = rng_uniform(&g);
        while (label[i] < segments - 1 && (u -= p[i * segments + label[i]]) > 0.0) {
            label[i]++;
        }
    }
    return rows_labelled(f, r->n, segments, (const double *const[2]){r->x[0], r->x[1]}, label);
}

static classifier_fit refit(fixture *f, const classifier_sample *s, classifier_shape form, double lambda,
                            const classifier_fit *from)
{
    classifier_fit out = rows_fit_new(f, s, form, lambda);
    fit_start_extended(from, &out);
    assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &out), NONSENS_OK);
    assert_true(out.converged);
    return out;
}

/* Mean and standard deviation of likelihood ratios from refits, and the share of p-values below .05. */
typedef struct found {
    double mean, sd, rejected;
} found;

static found sum_up(int64_t count, const double *ratio, const classifier_difference *null)
{
    found out = {0};
    double square = 0.0;
    for (int64_t b = 0; b < count; b++) {
        out.mean += ratio[b] / (double)count;
        out.rejected +=
            (special_gamma_tail(null->null_mean, null->null_sd * null->null_sd, ratio[b]) < 0.05) / (double)count;
    }
    for (int64_t b = 0; b < count; b++) {
        square += (ratio[b] - out.mean) * (ratio[b] - out.mean) / (double)(count - 1);
    }
    out.sd = sqrt(square);
    return out;
}

/*
 * Compares the asymptotic law with refits.  With B refits the mean has the standard error sd / sqrt(B), the sd one of
 * about sd / sqrt(2 B).  Three of them are allowed, plus a share of the mean and of the sd, as the law is a limit.
 */
static void check_null(int64_t count, const double *ratio, const classifier_difference *null, double share)
{
    found real = sum_up(count, ratio, null);
    assert_close(null->null_mean, real.mean, 3.0 * real.sd / sqrt((double)count) + share * real.mean);
    assert_close(null->null_sd, real.sd, 3.0 * real.sd / sqrt(2.0 * (double)count) + share * real.sd);
    assert_true(real.rejected < 0.05 + 3.0 * sqrt(0.05 * 0.95 / (double)count) + share);
}

/* T of `small` in `large`, both fitted to labels drawn from the smaller model: only x and the penalty stay the same. */
static void check_restriction(fixture *f, classifier_shape small, classifier_shape large, double lambda)
{
    enum { B = 150 };
    double ratio[B];
    rows r = rows_scales(f, 150, 5, 0.6, 3);
    classifier_sample s = rows_sample(f, &r, 2, 8, 1);
    classifier_fit truth = rows_fit(f, &s, small, lambda, 1), free = refit(f, &s, large, lambda, &truth);
    double *p = probabilities(f, &truth);
    classifier_difference null = {0};
    assert_int_equal(compare_restriction(f->ctx, &f->scratch, BY(2, 1000, 1), &truth, &free, &null), NONSENS_OK);
    assert_close(null.ratio, truth.objective - free.objective, 1e-12);
    for (uint64_t b = 0; b < B; b++) {
        arena_mark mark = arena_tell(&f->scratch);
        rows drawn = rows_drawn(f, &r, p, b);
        classifier_sample d = rows_sample(f, &drawn, 2, 8, 1);
        classifier_fit restricted = refit(f, &d, small, lambda, &truth);
        ratio[b] = restricted.objective - refit(f, &d, large, lambda, &restricted).objective;
        assert_true(ratio[b] > -1e-3);
        arena_rewind(&f->scratch, mark);
    }
    check_null(B, ratio, &null, 0.05);
}

static void test_restrictions_against_refits_at_length(void **state)
{
    for (double lambda = 1e-3; lambda < 2e-2; lambda *= 10.0) {
        check_restriction(*state, CAUSE, FREE, lambda);
        check_restriction(*state, (classifier_shape){1, 0, 0}, (classifier_shape){0, 0, 1}, lambda);
    }
}

/* Labels are drawn from a model of the first variable: it is not rejected, its mirror image is. */
static void test_wrong_direction_is_rejected(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 200, 5, 0.8, 3);
    classifier_sample s = rows_sample(f, &r, 2, 8, 1);
    classifier_fit truth = rows_fit(f, &s, CAUSE, 1e-3, 1);
    rows drawn = rows_drawn(f, &r, probabilities(f, &truth), 1);
    classifier_sample d = rows_sample(f, &drawn, 2, 8, 1);
    classifier_fit cause = rows_fit(f, &d, CAUSE, 1e-3, 1),
                   effect = rows_fit(f, &d, (classifier_shape){0, 1, 1}, 1e-3, 1);
    classifier_fit free = refit(f, &d, FREE, 1e-3, &cause);
    classifier_difference of_cause = {0}, of_effect = {0};
    assert_int_equal(compare_restriction(f->ctx, &f->scratch, BY(2, 199, 1), &cause, &free, &of_cause), NONSENS_OK);
    assert_int_equal(compare_restriction(f->ctx, &f->scratch, BY(2, 199, 1), &effect, &free, &of_effect), NONSENS_OK);
    assert_true(of_cause.p_value > 0.01);
    assert_true(of_effect.p_value < 1e-6);
    free.objective = effect.objective + 1.0; // as if the larger model had ended in a worse optimum
    assert_int_equal(compare_restriction(f->ctx, &f->scratch, BY(2, 199, 1), &effect, &free, &of_effect), NONSENS_OK);
    assert_close(of_effect.ratio, -1.0, 1e-9);
    assert_true(of_effect.p_value == 1.0);
}

/* ---- ranks ---- */

static classifier_shape one_more(classifier_shape s)
{
    return s.first    ? (classifier_shape){s.first + 1, 0, 0}
           : s.second ? (classifier_shape){0, s.second + 1, 0}
                      : (classifier_shape){0, 0, s.both + 1};
}

/*
 * Labels without information, in segments of equal or different sizes: the first feature is found by chance.  The score
 * follows the law exactly, up to the central limit; the fit may exceed it a little.
 */
static void check_rank_zero(fixture *f, classifier_shape form, double lambda, bool equal)
{
    enum { B = 100, E = 5 };
    double ratio[B], score[B];
    rows r = rows_scales(f, 150, E, 0.6, 3);
    double *p = fixture_doubles(f, r.n * E);
    classifier_difference null = {0}, d = {0};
    for (int64_t i = 0; i < r.n * E; i++) {
        p[i] = equal ? 0.2 : (1.0 + (double)(i % E)) / 15.0;
    }
    for (uint64_t b = 0; b < B; b++) {
        arena_mark mark = arena_tell(&f->scratch);
        rows drawn = rows_drawn(f, &r, p, b);
        classifier_sample s = rows_sample(f, &drawn, 2, 8, 1);
        classifier_fit none = rows_fit_new(f, &s, (classifier_shape){0, 0, 0}, lambda),
                       large = rows_fit(f, &s, form, lambda, 1);
        assert_int_equal(fit_evaluate(f->ctx, &f->scratch, 1, &none), NONSENS_OK);
        assert_int_equal(compare_rank_score(f->ctx, &f->scratch, BY(1, 2, 1), &none, &d), NONSENS_OK);
        score[b] = d.ratio;
        assert_int_equal(compare_rank(f->ctx, &f->scratch, BY(1, b == 0 ? 1000 : 2, 1), NULL, &large, &d), NONSENS_OK);
        ratio[b] = d.ratio;
        assert_close(d.ratio, none.objective - large.objective, 1e-9);
        null = b == 0 ? d : null;
        arena_rewind(&f->scratch, mark);
    }
    check_null(B, ratio, &null, 0.05);
    if (form.both) { // the products are the basis of a model without features
        check_null(B, score, &null, 0.0);
    }
}

static void test_rank_zero(void **state)
{
    check_rank_zero(*state, (classifier_shape){0, 0, 1}, 1e-2, true);
    check_rank_zero(*state, (classifier_shape){0, 0, 1}, 1e-3, false);
    check_rank_zero(*state, (classifier_shape){1, 0, 0}, 1e-3, false);
    check_rank_zero(*state, (classifier_shape){0, 1, 0}, 1e-3, true);
}

/*
 * Half a chi-square with 20 degrees of freedom and non-centrality 2 t is the law at the boundary of what is tolerated.
 * On average over its draws, p-values below a level are as frequent as the level.
 */
static void test_tolerated_errors_keep_the_level(void **state)
{
    (void)state;
    enum { DRAWS = 20000, DEGREES = 20 };
    static double null[DRAWS];
    static const double tolerated[] = {0.0, 2.0, 6.0}, level[] = {0.05, 0.00625};
    rng r = rng_new(5, RNG_TEST, 77);
    for (int i = 0; i < DRAWS; i++) {
        null[i] = 0.5 * chi_squared(&r, DEGREES);
    }
    for (int k = 0; k < 3; k++) {
        double rejected[2] = {0.0};
        for (int i = 0; i < DRAWS; i++) {
            double far = rng_normal(&r) + sqrt(2.0 * tolerated[k]);
            classifier_difference d = {.ratio = 0.5 * (chi_squared(&r, DEGREES - 1) + far * far),
                                       .tolerated = tolerated[k]};
            compare_judge(DRAWS / 10, null, &d);
            rejected[0] += d.p_value <= level[0] ? 1.0 / DRAWS : 0.0;
            rejected[1] += d.p_value <= level[1] ? 1.0 / DRAWS : 0.0;
        }
        for (int l = 0; l < 2; l++) {
            assert_close(rejected[l], level[l], 0.35 * level[l]);
        }
    }
}

/* Allowed error of the law at rank one, and allowed distance between score and fit, as shares of the mean. */
typedef struct allowance {
    double law, score;
} allowance;

/*
 * Labels from a fitted model of rank one, whose segments differ by `strength`: a second feature is found by chance. If
 * they differ strongly, the information is not a product and the law overestimates the ratio; the score is below the
 * fit, and never above the law.
 */
static void check_rank_one(fixture *f, classifier_shape form, double lambda, double strength, allowance allow)
{
    enum { B = 100 };
    double ratio[B], score[B], apart = 0.0;
    rows r = rows_scales(f, 150, 5, strength, 3);
    classifier_sample s = rows_sample(f, &r, 2, 8, 1);
    classifier_fit truth = rows_fit(f, &s, form, lambda, 1), more = rows_fit(f, &s, one_more(form), lambda, 1);
    double *p = probabilities(f, &truth);
    classifier_difference null = {0}, by_score = {0}, d = {0};
    assert_int_equal(compare_rank(f->ctx, &f->scratch, BY(1, 1000, 1), &truth, &more, &null), NONSENS_OK);
    assert_int_equal(compare_rank_score(f->ctx, &f->scratch, BY(1, 1000, 1), &truth, &by_score), NONSENS_OK);
    assert_true(by_score.null_mean == null.null_mean && by_score.null_sd == null.null_sd);
    for (uint64_t b = 0; b < B; b++) {
        arena_mark mark = arena_tell(&f->scratch);
        rows drawn = rows_drawn(f, &r, p, b);
        classifier_sample t = rows_sample(f, &drawn, 2, 8, 1);
        classifier_fit small = refit(f, &t, form, lambda, &truth), large = rows_fit(f, &t, one_more(form), lambda, 1);
        assert_int_equal(compare_rank(f->ctx, &f->scratch, BY(1, 2, 1), &small, &large, &d), NONSENS_OK);
        ratio[b] = d.ratio;
        assert_int_equal(compare_rank_score(f->ctx, &f->scratch, BY(1, 2, 1), &small, &d), NONSENS_OK);
        score[b] = d.ratio;
        apart += fabs(score[b] - ratio[b]) / B;
        arena_rewind(&f->scratch, mark);
    }
    found of_fits = sum_up(B, ratio, &null), of_scores = sum_up(B, score, &null);
    check_null(B, ratio, &null, allow.law);
    assert_true(of_scores.mean < null.null_mean + 3.0 * of_scores.sd / sqrt(B));
    assert_true(apart < allow.score * of_fits.mean);
}

static void test_rank_one_at_length(void **state)
{
    check_rank_one(*state, (classifier_shape){0, 0, 1}, 1e-2, 0.2, (allowance){0.05, 0.1});
    check_rank_one(*state, (classifier_shape){0, 0, 1}, 1e-2, 0.6, (allowance){0.1, 0.2});
    check_rank_one(*state, (classifier_shape){0, 0, 1}, 1e-3, 0.6, (allowance){0.1, 0.2});
    check_rank_one(*state, (classifier_shape){1, 0, 0}, 1e-3, 0.6, (allowance){0.2, 0.35});
}

/* Two features are found, given none or one; beyond two there is nothing more. */
static void test_second_feature_is_seen(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 150, 6, 0.6, 3);
    classifier_sample s = rows_sample(f, &r, 2, 8, 1);
    classifier_fit one = rows_fit(f, &s, (classifier_shape){0, 0, 1}, 1e-2, 1), two = rows_fit(f, &s, FREE, 1e-2, 1);
    classifier_fit three = rows_fit(f, &s, (classifier_shape){0, 0, 3}, 1e-2, 1);
    classifier_difference from_none = {0}, from_one = {0}, by_score = {0}, from_two = {0};
    assert_int_equal(compare_rank(f->ctx, &f->scratch, BY(1, 199, 1), NULL, &one, &from_none), NONSENS_OK);
    assert_int_equal(compare_rank(f->ctx, &f->scratch, BY(1, 199, 1), &one, &two, &from_one), NONSENS_OK);
    assert_int_equal(compare_rank_score(f->ctx, &f->scratch, BY(1, 199, 1), &one, &by_score), NONSENS_OK);
    assert_int_equal(compare_rank(f->ctx, &f->scratch, BY(1, 199, 1), &two, &three, &from_two), NONSENS_OK);
    assert_true(from_none.p_value < 1e-6 && from_one.p_value < 1e-6 && by_score.p_value < 1e-6);
    assert_true(from_two.p_value > 0.01);
}

/* A clear test uses the law of the first 50 draws, any other test that of all draws. */
static void test_few_draws(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 100, 5, 0.6, 4);
    classifier_sample s = rows_sample(f, &r, 5, 8, 1);
    classifier_fit one = rows_fit(f, &s, (classifier_shape){0, 0, 1}, 0.03, 1);
    classifier_difference few = {0}, all = {0}, d = {0};
    for (int chance = 0; chance < 2; chance++) {
        classifier_fit two = rows_fit(f, &s, (classifier_shape){0, 0, 2}, 0.03, 1);
        const classifier_fit *small = chance ? NULL : &one, *large = chance ? &one : &two;
        compare_draws by = {.threads = 2, .draws = 50, .seed = 1};
        assert_int_equal(compare_rank(f->ctx, &f->scratch, &by, small, large, &few), NONSENS_OK);
        by.draws = 199;
        assert_int_equal(compare_rank(f->ctx, &f->scratch, &by, small, large, &all), NONSENS_OK);
        assert_true(all.null_mean != few.null_mean && few.p_value < 1.0);
        const double low[] = {0.5 * few.p_value, 2.0 * few.p_value, 0.5 * few.p_value};
        const double high[] = {1.0, 1.0, 0.9 * few.p_value};
        for (int i = 0; i < 3; i++) {
            by.low = low[i];
            by.high = high[i];
            assert_int_equal(compare_rank(f->ctx, &f->scratch, &by, small, large, &d), NONSENS_OK);
            assert_true(d.null_mean == (i == 0 ? all : few).null_mean && d.p_value == (i == 0 ? all : few).p_value);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rows_against_plain_sums),
        TEST(test_p_values_of_half_chi_squares),
        TEST(test_p_values_follow_the_ratio),
        TEST(test_tolerated_errors_keep_the_level),
        TEST(test_law_without_penalty_at_length),
        TEST(test_restrictions_against_refits_at_length),
        TEST(test_wrong_direction_is_rejected),
        TEST(test_rank_zero),
        TEST(test_rank_one_at_length),
        TEST(test_few_draws),
        TEST(test_second_feature_is_seen),
    };
    return cmocka_run_group_tests_name("segment_compare", tests, NULL, NULL);
}
