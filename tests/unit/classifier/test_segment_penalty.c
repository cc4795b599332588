#include "classifier/penalty.h"

#include "segment_rows.h"

static const classifier_shape FREE = {0, 0, 2};

/* ---- another basis ---- */

/* Converts a fit to another basis; returns the largest change of its features (r, n), relative to the largest value. */
static double converted_error(fixture *f, const rows *r, const classifier_sample *from, const classifier_sample *to,
                              classifier_shape form)
{
    classifier_fit a = rows_fit(f, from, form, 0.001, 1), b = rows_fit_new(f, to, form, 0.001);
    double *before = fixture_doubles(f, a.model.rank * r->n), *after = fixture_doubles(f, a.model.rank * r->n);
    double worst = 0.0, largest = 0.0;
    assert_int_equal(model_convert(f->ctx, &f->scratch, &a.model, a.theta, &b.model, b.theta), NONSENS_OK);
    for (int64_t k = 0; k < from->folds; k++) {
        assert_int_equal(model_features(f->ctx, &f->scratch, &a.model, a.theta, k, before), NONSENS_OK);
        assert_int_equal(model_features(f->ctx, &f->scratch, &b.model, b.theta, k, after), NONSENS_OK);
    }
    for (int64_t i = 0; i < a.model.rank * r->n; i++) {
        worst = fmax(worst, fabs(before[i] - after[i]));
        largest = fmax(largest, fabs(before[i]));
    }
    for (int64_t e = 0; e < from->segments; e++) {
        for (int64_t w = 0; w <= a.model.rank; w++) {
            assert_true(a.theta[model_weight(&a.model, e, w)] == b.theta[model_weight(&b.model, e, w)]);
        }
    }
    return worst / largest;
}

/* Knots of 6 splines (3 intervals) are among those of 9 (6 intervals): from 6 to 9 nothing is lost, back a little. */
static void test_conversion_keeps_the_features(void **state)
{
    static const classifier_shape shapes[] = {{0, 0, 2}, {1, 0, 1}, {0, 1, 1}, {2, 0, 0}};
    fixture *f = *state;
    rows r = rows_scales(f, 80, 4, 0.8, 1);
    classifier_sample few = rows_sample(f, &r, 4, 6, 1), many = rows_sample(f, &r, 4, 9, 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        assert_true(converted_error(f, &r, &few, &many, shapes[i]) < 1e-9);
        double lost = converted_error(f, &r, &many, &few, shapes[i]);
        assert_true(lost > 1e-6 && lost < 0.2);
    }
}

/* ---- fits without folds ---- */

/* Fits all rows outside two folds (or one, given twice) from scratch. */
static classifier_fit refit_without(fixture *f, const rows *r, const classifier_fit *all, int64_t k, int64_t j)
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
    classifier_sample *s = rows_get(f, 1, sizeof *s);
    *s = rows_sample(f, &others, 3, all->model.data->basis, 1);
    classifier_fit out = rows_fit_new(f, s, all->model.shape, all->lambda);
    memcpy(out.theta, all->theta, (size_t)all->model.parameters * sizeof(double));
    assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &out), NONSENS_OK);
    assert_true(out.converged);
    return out;
}

static double score_fold(fixture *f, const classifier_model *m, const double *theta, int64_t fold)
{
    classifier_sums a = {0, NULL, NULL, NULL};
    assert_int_equal(model_sum(f->ctx, &f->scratch, m, theta, fold, &a), NONSENS_OK);
    return a.log_likelihood;
}

/* A fold is predicted as by a fit that never saw it, and the gradients at that fit are those of the other folds. */
static void test_fit_without_a_fold(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 100, 5, 0.6, 4);
    classifier_sample s = rows_sample(f, &r, 5, 8, 1);
    classifier_fit all = rows_fit(f, &s, FREE, 0.03, 1);
    const classifier_model *m = &all.model;
    int64_t p = m->parameters;
    bool converged;
    double *theta = fixture_doubles(f, p), *gradient = fixture_doubles(f, 5 * p), *plain = fixture_doubles(f, p),
           *fisher;
    assert_int_equal(fit_fisher(f->ctx, &f->scratch, 1, &all, &fisher), NONSENS_OK);
    for (int64_t k = 0; k < 5; k++) {
        classifier_fit exact = refit_without(f, &r, &all, k, k);
        assert_int_equal(fit_without(f->ctx, &f->scratch, &all, fisher, k, theta, gradient, &converged), NONSENS_OK);
        assert_true(converged);
        double aim = score_fold(f, m, exact.theta, k);
        assert_true(score_fold(f, m, all.theta, k) - aim > 1.0); // nats that the fit of all rows knows about the fold
        assert_close(score_fold(f, m, theta, k), aim, 0.05);
        for (int64_t j = 0; j < 5; j++) {
            classifier_sums sums = {0, plain, NULL, NULL};
            memset(plain, 0, (size_t)p * sizeof *plain);
            assert_int_equal(model_sum(f->ctx, &f->scratch, m, theta, j, &sums), NONSENS_OK);
            for (int64_t i = 0; i < p; i++) {
                assert_close(gradient[j * p + i], j == k ? 0.0 : plain[i], 1e-9);
            }
        }
    }
}

/* The step that leaves out a second fold removes most of what the fit knows about that fold. */
static void test_scores_against_refits(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 100, 5, 0.6, 4);
    classifier_sample s = rows_sample(f, &r, 5, 8, 1);
    classifier_fit all = rows_fit(f, &s, FREE, 0.03, 1);
    const classifier_model *m = &all.model;
    double score[5], known = 0.0, left = 0.0;
    assert_int_equal(penalty_scores(f->ctx, &f->scratch, 1, &all, NULL, score), NONSENS_OK);
    for (int64_t k = 0; k < 5; k++) {
        classifier_fit without = refit_without(f, &r, &all, k, k);
        double aim = 0.0;
        for (int64_t j = 0; j < 5; j++) {
            if (j != k) {
                classifier_fit exact = refit_without(f, &r, &all, k, j);
                aim += score_fold(f, m, exact.theta, j);
                known += score_fold(f, m, without.theta, j) - score_fold(f, m, exact.theta, j);
            }
        }
        left += fabs(score[k] - aim);
    }
    assert_true(known > 20.0); // nats
    assert_true(left < 0.25 * known);
}

/* A requested score does not depend on which others are requested; scores that are not requested stay as they were. */
static void test_some_scores(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 100, 5, 0.6, 4);
    classifier_sample s = rows_sample(f, &r, 5, 8, 1);
    classifier_fit all = rows_fit(f, &s, FREE, 0.03, 1);
    double score[5], some[5] = {1.0, 1.0, 1.0, 1.0, 1.0};
    const bool wanted[5] = {false, true, false, true, true};
    assert_int_equal(penalty_scores(f->ctx, &f->scratch, 1, &all, NULL, score), NONSENS_OK);
    assert_int_equal(penalty_scores(f->ctx, &f->scratch, 1, &all, wanted, some), NONSENS_OK);
    for (int64_t k = 0; k < 5; k++) {
        assert_true(some[k] == (wanted[k] ? score[k] : 1.0));
    }
}

/* ---- the choice ---- */

static classifier_penalty choose(fixture *f, const classifier_sample *data, int64_t bases)
{
    classifier_penalty out;
    assert_int_equal(penalty_choose(f->ctx, &f->scratch, 2, bases, data, &out), NONSENS_OK);
    assert_true(out.test == out.all); // the caller lowers it afterwards
    return out;
}

static void test_rough_truth_gets_less_penalty(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        rows smooth = rows_waves(f, 400, 0.5, seed), rough = rows_waves(f, 400, 4.0, seed);
        classifier_sample a = rows_sample(f, &smooth, 4, 8, 1), b = rows_sample(f, &rough, 4, 8, 1);
        classifier_penalty of_smooth = choose(f, &a, 1), of_rough = choose(f, &b, 1);
        assert_true(of_smooth.all >= 10.0 * of_rough.all);
        for (int k = 0; k < 4; k++) {
            assert_true(of_smooth.fold[k] > of_rough.fold[k]);
            assert_ptr_equal(of_rough.fold_data[k], &b);
        }
    }
}

/* Four waves need more than the four intervals of seven splines. */
static void test_rough_truth_gets_more_splines(void **state)
{
    fixture *f = *state;
    rows smooth = rows_waves(f, 600, 0.5, 1), rough = rows_waves(f, 600, 4.0, 1);
    classifier_sample a[2] = {rows_sample(f, &smooth, 4, 14, 1), rows_sample(f, &smooth, 4, 7, 1)};
    classifier_sample b[2] = {rows_sample(f, &rough, 4, 14, 1), rows_sample(f, &rough, 4, 7, 1)};
    classifier_penalty of_smooth = choose(f, a, 2), of_rough = choose(f, b, 2);
    int fewer = 0;
    for (int k = 0; k < 4; k++) {
        fewer += of_smooth.fold_data[k] == &a[1];
        assert_ptr_equal(of_rough.fold_data[k], &b[0]);
    }
    assert_true(fewer >= 2);
}

/* Passes the labels of one fold's rows on, in a cycle. */
static void mix_labels(rows *r, int64_t fold)
{
    for (int j = 0; j < 2; j++) {
        double first = NAN;
        int64_t before = -1;
        for (int64_t i = 0; i < r->n; i++) {
            if (r->fold[i] != fold) {
                continue;
            }
            if (before < 0) {
                first = r->x[j][i];
            } else {
                r->x[j][before] = r->x[j][i];
            }
            before = i;
        }
        r->x[j][before] = first;
    }
}

/* Computes the scores (folds) by which each fold's penalty is chosen, at one penalty. */
static void scores_of(fixture *f, rows *r, double *score)
{
    classifier_sample *s = rows_get(f, 1, sizeof *s);
    *s = rows_sample(f, r, 4, 8, 1);
    classifier_fit all = rows_fit(f, s, FREE, 0.005, 1);
    assert_int_equal(penalty_scores(f->ctx, &f->scratch, 1, &all, NULL, score), NONSENS_OK);
}

/* The score for a fold does not change when the fold itself becomes nonsense; the scores for the others do. */
static void test_rows_have_no_say_in_what_scores_them(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int64_t fold = 0; fold < 4; fold++) {
            rows r = rows_waves(f, 400, 2.0, seed);
            double before[4], after[4], others = 0.0;
            scores_of(f, &r, before);
            for (int turns = 0; turns < 40; turns++) {
                mix_labels(&r, fold);
            }
            scores_of(f, &r, after);
            for (int64_t k = 0; k < 4; k++) {
                others += k == fold ? 0.0 : fabs(after[k] - before[k]) / 3.0;
            }
            assert_true(others > 10.0); // nats
            assert_true(fabs(after[fold] - before[fold]) < 0.05 * others);
        }
    }
}

/* The same holds for the final choice. */
static void test_rows_have_no_say_in_the_choice(void **state)
{
    fixture *f = *state;
    int others = 0;
    for (int64_t fold = 0; fold < 4; fold++) {
        rows r = rows_waves(f, 400, 2.0, 1);
        classifier_sample a[2] = {rows_sample(f, &r, 4, 9, 1), rows_sample(f, &r, 4, 6, 1)};
        classifier_penalty before = choose(f, a, 2);
        for (int turns = 0; turns < 40; turns++) {
            mix_labels(&r, fold);
        }
        classifier_sample b[2] = {rows_sample(f, &r, 4, 9, 1), rows_sample(f, &r, 4, 6, 1)};
        classifier_penalty after = choose(f, b, 2);
        assert_true(after.fold[fold] == before.fold[fold]);
        assert_int_equal(after.fold_data[fold]->basis, before.fold_data[fold]->basis);
        for (int64_t k = 0; k < 4; k++) {
            others += k != fold && after.fold[k] != before.fold[k];
        }
    }
    assert_true(others > 0); // otherwise the mixed labels would prove nothing
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_conversion_keeps_the_features),
        TEST(test_fit_without_a_fold),
        TEST(test_scores_against_refits),
        TEST(test_some_scores),
        TEST(test_rough_truth_gets_less_penalty),
        TEST(test_rough_truth_gets_more_splines),
        TEST(test_rows_have_no_say_in_what_scores_them),
        TEST(test_rows_have_no_say_in_the_choice),
    };
    return cmocka_run_group_tests_name("segment_penalty", tests, NULL, NULL);
}
