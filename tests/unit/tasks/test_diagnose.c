/* test_diagnose.c - what diagnose says about a pair through segment classifiers. */
#include "base/rng.h"
#include "tasks/diagnose/diagnose_classifiers.h"
#include "tasks/diagnose/diagnose_pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 9, ROWS = 300, ODD = 4 };

/* Draws x1 = s1(e) N1, x2 = x1 + s2(e) N2; in the odd segment, if any, roles are exchanged and the curve is bent. */
static nonsens_data *make_data(fixture *f, int64_t rows, bool with_second, bool with_odd)
{
    enum { LIMIT = SEGMENTS * ROWS };
    static double value[2 * LIMIT];
    static int64_t segment[LIMIT];
    static const double first[SEGMENTS] = {1, 2, 3, 1, 2, 3, 1, 2, 3}, second[SEGMENTS] = {1, 1, 1, 2, 2, 2, 3, 3, 3};
    nonsens_data *data;
    rng r = rng_new(11, RNG_TEST, 0);
    for (int64_t i = 0; i < SEGMENTS * rows; i++) {
        int64_t e = segment[i] = i % SEGMENTS;
        double x = first[e] * rng_laplace(&r);
        double y = x + (with_second ? second[e] : 1.0) * rng_laplace(&r);
        bool odd = with_odd && e == ODD;
        value[2 * i] = odd ? y - 0.5 * x * x : x;
        value[2 * i + 1] = odd ? -x : y;
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, SEGMENTS * rows, 2, value, 2, 1, NULL, segment, &data),
                     NONSENS_OK);
    return data;
}

static nonsens_options *make_options(fixture *f)
{
    nonsens_options *options;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIAGNOSE, &options), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, options, "threads", "1"), NONSENS_OK);
    return options;
}

static nonsens_result *diagnose(fixture *f, nonsens_data *data)
{
    nonsens_options *options = make_options(f);
    nonsens_result *result;
    assert_int_equal(nonsens_run_diagnose(f->ctx, data, options, &result), NONSENS_OK);
    nonsens_options_free(options);
    nonsens_data_free(data);
    return result;
}

static const nonsens_evidence *evidence_of(const nonsens_result *result, const char *name)
{
    for (int64_t i = 0; i < nonsens_result_evidence_count(result); i++) {
        if (strcmp(nonsens_result_evidence_at(result, i)->name, name) == 0) {
            return nonsens_result_evidence_at(result, i);
        }
    }
    fail_msg("no evidence %s", name);
    return NULL;
}

static bool is_said(const nonsens_result *result, const char *words)
{
    for (int64_t i = 0; i < nonsens_result_note_count(result); i++) {
        if (strstr(nonsens_result_note_at(result, i)->text, words)) {
            return true;
        }
    }
    return false;
}

static void test_two_disturbances_change(void **state)
{
    nonsens_result *r = diagnose(*state, make_data(*state, ROWS, true, false));
    assert_true(evidence_of(r, "rank(c1, c2)")->value == 2.0);
    assert_true(evidence_of(r, "segment information(c1, c2)")->p_value < 1e-10);
    assert_true(evidence_of(r, "second way(c1, c2)")->value > 0.2);
    assert_non_null(strstr(nonsens_result_note_at(r, 0)->text, "segments were not formed from these variables"));
    assert_true(is_said(r, "as the model expects"));
    assert_true(is_said(r, "enough rows already"));
    nonsens_result_free(r);
}

static void test_one_disturbance_changes(void **state)
{
    nonsens_result *r = diagnose(*state, make_data(*state, ROWS, false, false));
    assert_true(evidence_of(r, "rank(c1, c2)")->value == 1.0);
    assert_true(evidence_of(r, "rank 2(c1, c2)")->p_value > 0.01);
    assert_true(evidence_of(r, "share(c1)")->value > 0.9); // the cause accounts for all of it
    assert_true(evidence_of(r, "share(c2)")->value < 0.9);
    assert_true(is_said(r, "one disturbance changes, or both in proportion"));
    nonsens_result_free(r);
}

static void test_odd_segment_is_named_at_length(void **state)
{
    nonsens_result *r = diagnose(*state, make_data(*state, ROWS, true, true));
    char name[64], sentence[64];
    snprintf(name, sizeof name, "rank 3 without(%d)", ODD);
    snprintf(sentence, sizeof sentence, "without segment %d the others", ODD);
    assert_true(evidence_of(r, "rank(c1, c2)")->value > 2.0);
    assert_true(evidence_of(r, name)->p_value > 0.01);
    assert_true(is_said(r, sentence));
    nonsens_result_free(r);
}

static void test_few_rows_are_not_fitted(void **state)
{
    nonsens_result *r = diagnose(*state, make_data(*state, 20, true, false));
    assert_true(is_said(r, "no segment classifier was fitted: it takes at least 200 rows"));
    nonsens_result_free(r);
}

/* Classifiers see a sample; rows, segments and tests are those of all rows. */
static void test_subsample(void **state)
{
    fixture *f = *state;
    nonsens_options *options = make_options(f);
    nonsens_data *data = make_data(f, ROWS, true, false);
    nonsens_result *all, *fewer;
    assert_int_equal(nonsens_run_diagnose(f->ctx, data, options, &all), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, options, "max-rows", "1800"), NONSENS_OK);
    assert_int_equal(nonsens_run_diagnose(f->ctx, data, options, &fewer), NONSENS_OK);
    assert_false(is_said(all, "--max-rows"));
    assert_true(is_said(fewer, "fitted to 1800 of 2700 rows"));
    assert_true(evidence_of(fewer, "rows")->value == SEGMENTS * ROWS);
    assert_true(evidence_of(fewer, "hsic(c1, c2)")->value == evidence_of(all, "hsic(c1, c2)")->value);
    assert_true(evidence_of(fewer, "rank(c1, c2)")->value == 2.0);
    assert_true(evidence_of(fewer, "rank 2(c1, c2)")->value != evidence_of(all, "rank 2(c1, c2)")->value);
    nonsens_result_free(all);
    nonsens_result_free(fewer);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

/* Compares with the singular values of the (segments, rows) matrix of logits, by powers of its Gram matrix. */
static void test_spectrum_is_that_of_the_logits(void **state)
{
    static const double TOLERANCE = 1e-8;
    fixture *f = *state;
    nonsens_data *data = make_data(f, 60, true, false);
    nonsens_options *options = make_options(f);
    diagnose_classifiers *p = arena_get(f->ctx, &f->scratch, 1, sizeof *p);
    diagnose_spectrum s;
    assert_non_null(p);
    assert_int_equal(diagnose_classify(f->ctx, &f->scratch, data, options, p), NONSENS_OK);
    const classifier_fit *two = &p->free.fit[2];
    assert_true(p->free.fitted >= 2);
    assert_int_equal(diagnose_find_spectrum(f->ctx, &f->scratch, &two->model, two->theta, &s), NONSENS_OK);
    int64_t n = data->n;
    double *feature = fixture_doubles(f, 2 * n), *logit = fixture_doubles(f, SEGMENTS * n), square = 0.0, fourth = 0.0;
    for (int64_t k = 0; k < two->model.data->folds; k++) {
        assert_int_equal(model_features(f->ctx, &f->scratch, &two->model, two->theta, k, feature), NONSENS_OK);
    }
    double share = 1.0 / SEGMENTS;
    for (int64_t i = 0; i < n; i++) {
        double mean = 0.0;
        for (int64_t e = 0; e < SEGMENTS; e++) {
            const double *w = two->theta + model_weight(&two->model, e, 0);
            logit[e * n + i] = w[0] * feature[i] + w[1] * feature[n + i];
            mean += share * logit[e * n + i];
        }
        for (int64_t e = 0; e < SEGMENTS; e++) {
            logit[e * n + i] -= mean;
        }
    }
    double gram[SEGMENTS][SEGMENTS];
    for (int64_t e = 0; e < SEGMENTS; e++) {
        double mean = 0.0;
        for (int64_t i = 0; i < n; i++) {
            mean += logit[e * n + i] / (double)n;
        }
        for (int64_t i = 0; i < n; i++) {
            logit[e * n + i] = sqrt(share / (double)n) * (logit[e * n + i] - mean);
        }
    }
    for (int64_t e = 0; e < SEGMENTS; e++) {
        for (int64_t k = 0; k < SEGMENTS; k++) {
            gram[e][k] = 0.0;
            for (int64_t i = 0; i < n; i++) {
                gram[e][k] += logit[e * n + i] * logit[k * n + i];
            }
            fourth += gram[e][k] * gram[e][k];
        }
        square += gram[e][e];
    }
    double a = s.value[0] * s.value[0], b = s.value[1] * s.value[1], parts = 0.0;
    assert_true(a >= b && b > 0.0);
    assert_true(fabs(a + b - square) <= TOLERANCE * square); // traces of the Gram matrix and of its square
    assert_true(fabs(a * a + b * b - fourth) <= TOLERANCE * fourth);
    for (int64_t e = 0; e < SEGMENTS; e++) {
        parts += s.part[SEGMENTS + e];
        assert_true(fabs(a * s.part[e] + b * s.part[SEGMENTS + e] - gram[e][e]) <= TOLERANCE * square);
    }
    assert_true(fabs(parts - 1.0) <= TOLERANCE);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

static void test_rows_wanted(void **state)
{
    (void)state;
    assert_true(diagnose_rows_wanted(100, 1.5, 3) == 400.0);
    assert_true(diagnose_rows_wanted(100, 6, 3) == 25.0);
    assert_true(isnan(diagnose_rows_wanted(100, 0, 3)) && isnan(diagnose_rows_wanted(100, -2, 3)));
}

/* If some allocation of the fits fails, the run reports it and frees its memory. */
static void test_allocations_fail(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 40, true, true);
    nonsens_options *options = make_options(f);
    nonsens_status status = NONSENS_ERR_MEMORY;
    for (int64_t n = 0; n < 1000000 && status != NONSENS_OK; n = 2 * n + 1) {
        nonsens_result *result;
        memory_fail_at(n);
        status = nonsens_run_diagnose(f->ctx, data, options, &result);
        memory_fail_at(-1);
        assert_true(status == NONSENS_OK || status == NONSENS_ERR_MEMORY);
        nonsens_result_free(result);
    }
    assert_int_equal(status, NONSENS_OK);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_disturbances_change),
        TEST(test_one_disturbance_changes),
        TEST(test_odd_segment_is_named_at_length),
        TEST(test_few_rows_are_not_fitted),
        TEST(test_subsample),
        TEST(test_spectrum_is_that_of_the_logits),
        TEST(test_rows_wanted),
        TEST(test_allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
