/* test_linear_ica.c - the figure of supplement B: its data, and what its table says about its units. */
#include "figures/figure.h"
#include "figures/linear_ica_data.h"
#include "harness/summary.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

static const double STANDARD_ERRORS = 5.0; /* by which a mean of draws may be off */

/* ---- the skewed density ---- */

enum { DRAWS = 100000, CELLS = 20000, POWERS = 7, QUANTILES = 9 };

static double density(double lambda, double s)
{
    return exp(-(s >= 0 ? 3.0 : 1.0) * lambda * fabs(s) - 0.5 * s * s);
}

/* Integrates s^power density(s) from lo to hi by Simpson's rule; the kink at 0 must be an end of the interval. */
static double integral(double lambda, int power, double lo, double hi)
{
    double step = (hi - lo) / CELLS, sum = 0.0;
    for (int i = 0; i <= CELLS; i++) {
        double s = lo + i * step, weight = i == 0 || i == CELLS ? 1.0 : i % 2 ? 4.0 : 2.0;
        sum += weight * pow(s, power) * density(lambda, s);
    }
    return sum * step / 3.0;
}

static double below(double lambda, double s)
{
    double left = integral(lambda, 0, -12, fmin(s, 0.0));
    return s <= 0 ? left : left + integral(lambda, 0, 0, s);
}

static void test_skewed_moments(void **state)
{
    fixture *f = *state;
    double *s = fixture_doubles(f, DRAWS), lambdas[] = {0.2, 1.0, 3.0};
    for (int l = 0; l < 3; l++) {
        double lambda = lambdas[l], moment[POWERS];
        rng r = rng_new(1, RNG_TEST, (uint64_t)l);
        for (int i = 0; i < DRAWS; i++) {
            s[i] = linear_ica_skewed(&r, lambda);
        }
        for (int p = 0; p < POWERS; p++) {
            moment[p] = integral(lambda, p, -12, 0) + integral(lambda, p, 0, 12);
        }
        for (int p = 1; p <= 3; p++) {
            double mean = 0.0, truth = moment[p] / moment[0];
            for (int i = 0; i < DRAWS; i++) {
                mean += pow(s[i], p) / DRAWS;
            }
            double error = sqrt((moment[2 * p] / moment[0] - truth * truth) / DRAWS);
            assert_true(fabs(mean - truth) <= STANDARD_ERRORS * error);
        }
    }
}

static void test_skewed_distribution(void **state)
{
    fixture *f = *state;
    double *s = fixture_doubles(f, DRAWS), lambda = 0.7, all = below(lambda, 12);
    rng r = rng_new(1, RNG_TEST, 9);
    for (int i = 0; i < DRAWS; i++) {
        s[i] = linear_ica_skewed(&r, lambda);
    }
    for (int k = 0; k < QUANTILES; k++) {
        double at = -2.0 + 0.4 * k, share = 0.0, truth = below(lambda, at) / all;
        for (int i = 0; i < DRAWS; i++) {
            share += (s[i] <= at) / (double)DRAWS;
        }
        assert_true(fabs(share - truth) <= STANDARD_ERRORS * sqrt(truth * (1 - truth) / DRAWS));
    }
}

/* ---- the data ---- */

static void test_data(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rng r = rng_new(seed, RNG_TEST, 2);
        linear_ica_data data;
        bool sorted = true, correlated = seed % 2;
        assert_int_equal(linear_ica_draw(f->ctx, &f->scratch, &r, seed % 4 / 2, correlated, 7, &data), NONSENS_OK);
        assert_int_equal(data.z.rows, 35);
        assert_int_equal(data.start[LINEAR_ICA_SEGMENTS], 35);
        assert_true(linear_ica_condition(data.mix) <= 10.0);
        for (int j = 0; j < LINEAR_ICA_SOURCES; j++) {
            for (int e = 0; e < LINEAR_ICA_SEGMENTS; e++) {
                assert_true(data.lambda[j][e] >= 0.2 && data.lambda[j][e] <= 3.0);
                sorted = sorted && (e == 0 || data.lambda[j][e - 1] <= data.lambda[j][e]);
            }
        }
        assert_int_equal(sorted, correlated);
        for (int64_t i = 0; i < 35; i++) {
            double mixed = data.mix[0] * data.source.v[i] + data.mix[2] * data.source.v[i + 35];
            assert_true(fabs(data.z.v[i] - mixed) <= 1e-12);
        }
    }
}

static void test_condition(void **state)
{
    (void)state;
    double angle = 0.3, a[4] = {5 * cos(angle), 5 * sin(angle), -2 * sin(angle), 2 * cos(angle)};
    assert_true(fabs(linear_ica_condition(a) - 2.5) < 1e-12);
    assert_true(!(linear_ica_condition((double[4]){1, 2, 2, 4}) <= 10.0));
}

static void test_summary(void **state)
{
    (void)state;
    double a[] = {1, NAN, 3, 5}, b[] = {0, 1, 1, NAN};
    summary s = summary_of(4, a);
    assert_int_equal(s.count, 3);
    assert_true(fabs(s.mean - 3) < 1e-15 && fabs(s.error - sqrt(4.0 / 3.0)) < 1e-15);
    s = summary_of_differences(4, a, b);
    assert_int_equal(s.count, 2);
    assert_true(fabs(s.mean - 1.5) < 1e-15 && fabs(s.error - 0.5) < 1e-15);
    assert_true(isnan(summary_of(1, a + 1).mean) && isnan(summary_of(1, a).error));
}

/* Summarises one field of three records. */
static void test_strided_summary(void **state)
{
    (void)state;
    static const double record[3][2] = {{1, 9}, {2, NAN}, {6, 9}};
    summary s = summary_of_every(3, record[0], 2);
    assert_int_equal(s.count, 3);
    assert_float_equal(s.mean, 3.0, 1e-15);
    assert_float_equal(s.error, sqrt((4.0 + 1.0 + 9.0) / 2.0 / 3.0), 1e-15);
    assert_int_equal(summary_of_every(3, record[0] + 1, 2).count, 2);
}

/* A share is the mean of zeros and ones with its standard error, lies in [0, 1] and is exact at both ends. */
static void test_shares(void **state)
{
    (void)state;
    enum { LIMIT = 200 };
    double outcome[LIMIT];
    for (int64_t n = 1; n <= LIMIT; n++) {
        for (int64_t successes = 0; successes <= n; successes++) {
            outcome[successes > 0 ? successes - 1 : 0] = successes > 0;
            for (int64_t i = successes; i < n; i++) {
                outcome[i] = 0.0;
            }
            summary share = summary_of_share(n, successes), mean = summary_of(n, outcome);
            assert_true(share.mean == mean.mean && share.count == n && share.mean <= 1.0);
            assert_true(n > 1 ? fabs(share.error - mean.error) < 1e-15 : isnan(share.error));
            assert_true(n == 1 || share.error > 0.0 || successes == 0 || successes == n);
        }
        assert_true(n == 1 || (summary_of_share(n, n).error == 0.0 && summary_of_share(n, 0).error == 0.0));
    }
    assert_true(isnan(summary_of_share(0, 0).mean) && isnan(summary_of_share(0, 0).error));
}

/* Successes of only one of the two: differences 1, 1, 1, -1, 0, 0. */
static void test_share_difference(void **state)
{
    (void)state;
    static const double first[] = {1, 1, 1, 0, 1, 0}, second[] = {0, 0, 0, 1, 1, 0};
    summary counted = summary_of_share_difference(6, 3, 1), paired = summary_of_differences(6, first, second);
    assert_true(counted.count == 6 && counted.mean == paired.mean);
    assert_float_equal(counted.error, paired.error, 1e-15);
    assert_true(summary_of_share_difference(20, 20, 0).error == 0.0);
}

/* ---- the table ---- */

static json_value *score_of(double amari, double correlation)
{
    return json_object_of("amari", json_real(amari), "correlation", json_real(correlation), NULL);
}

/* Makes a journal line in which score matching has the given Amari index, or failed if that is negative. */
static json_value *line_of(double amari, double other)
{
    static const char *const others[] = {"fastica", "infomax", "joint-diagonalisation"};
    json_value *results = json_object_of(
        "score-matching", amari < 0 ? json_object_of("failed", json_string("no"), NULL) : score_of(amari, 1.0),
        "score-matching-log-cosh", score_of(other, 0.5), NULL);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        json_object_set(results, others[k], score_of(0.9, 0.5));
    }
    return json_object_of("results", results, NULL);
}

/* Returns what is written for one cell with two units, one of which may have failed. */
static char *written(fixture *f, figure_write_fn write, int64_t cell, const double amari[2], const double other[2])
{
    const figure *shown = &FIGURE_LINEAR_ICA;
    char *units = arena_get(f->ctx, &f->scratch, 2, shown->study.unit_bytes), *text = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < 2; i++) {
        json_value *line = line_of(amari[i], other[i]);
        assert_true(shown->study.read(line, units + i * shown->study.unit_bytes));
        json_decref(line);
    }
    int64_t reps = 2;
    study_units all = {1, 2, &cell, units, &reps};
    FILE *stream = open_memstream(&text, &bytes);
    assert_int_equal(write(f->ctx, &f->scratch, &all, stream), NONSENS_OK);
    fclose(stream);
    return text;
}

static void assert_says(char *text, const char *words)
{
    if (!strstr(text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", text, words);
    }
    free(text);
}

static void test_failures_are_counted(void **state)
{
    double amari[] = {0.25, -1}, other[] = {0.5, 0.25};
    const figure *shown = &FIGURE_LINEAR_ICA;
    assert_says(written(*state, shown->write_csv, 0, amari, other),
                "\nlaplace,correlated,50,score-matching,2,0.25,,1,,1\n"
                "laplace,correlated,50,score-matching-log-cosh,2,0.375,0.125,0.5,0,0\n");
    assert_says(written(*state, shown->write_text, 0, amari, other), "correlation=1 correlation_se=- failed=1\n");
    assert_says(written(*state, shown->write_text, 3, amari, other),
                "laplace-correlated-500: fastica cannot be compared with score-matching, difference of Amari indices "
                "0.65, standard error -\n");
}

static void test_judgement(void **state)
{
    const figure *shown = &FIGURE_LINEAR_ICA;
    double good[] = {0.1, 0.2}, near[] = {0.3, 0.1}, bad[] = {0.3, 0.41};
    assert_says(written(*state, shown->write_text, 23, good, bad),
                "skewed-random-2000: score-matching-log-cosh behind score-matching, difference of Amari indices 0.205, "
                "standard error 0.005\n");
    assert_says(written(*state, shown->write_text, 23, near, good),
                "score-matching-log-cosh level with score-matching");
    assert_says(written(*state, shown->write_text, 23, bad, good),
                "score-matching-log-cosh ahead of score-matching, difference of Amari indices -0.205, standard error "
                "0.005\n");
    char *text = written(*state, shown->write_text, 2, bad, good); // too few rows for a comparison
    assert_null(strstr(text, "score-matching,"));
    free(text);
}

static void test_lines_that_lack_something(void **state)
{
    (void)state;
    char unit[256];
    json_value *line = line_of(0.1, 0.1);
    json_object_set(json_object_get(json_object_get(line, "results"), "fastica"), "amari", json_null());
    assert_true(sizeof unit >= FIGURE_LINEAR_ICA.study.unit_bytes);
    assert_false(FIGURE_LINEAR_ICA.study.read(line, unit));
    json_decref(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_skewed_moments),
        TEST(test_skewed_distribution),
        TEST(test_data),
        TEST(test_condition),
        TEST(test_summary),
        TEST(test_strided_summary),
        TEST(test_shares),
        TEST(test_share_difference),
        TEST(test_failures_are_counted),
        TEST(test_judgement),
        TEST(test_lines_that_lack_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
