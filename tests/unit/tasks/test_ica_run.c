/* test_ica_run.c - nonsens_run_ica and the method linear-ica on known mixtures; the shape of sources. */
#include "base/rng.h"
#include "data/dataset.h"
#include "methods/shared/unmixing.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { D = 3, SEGMENTS = 4, ROWS = 150, N = SEGMENTS * ROWS };

static const double MIX[D][D] = {{1.0, 0.4, -0.3}, {0.5, -1.0, 0.2}, {0.1, 0.6, 2.0}};
static const double OFFSET[D] = {3.0, -200.0, 0.0};

static void assert_ok(nonsens_context *ctx, nonsens_status status)
{
    if (status != NONSENS_OK) {
        fail_msg("status %d: %s", (int)status, nonsens_context_message(ctx));
    }
}

/* Draws a value of a source; scales change over segments, differently for each source. */
static double source_value(rng *r, bool gaussian, int64_t k, int64_t segment)
{
    double scale = gaussian ? 1.0 : 0.3 + (double)((segment + 2 * k) % SEGMENTS);
    return scale * (gaussian ? rng_normal(r) : rng_laplace(r));
}

/* Draws mixtures, with or without segments; column j of the table is variable order[j]. */
static nonsens_data *make_data(nonsens_context *ctx, const int order[D], bool gaussian, bool with_segments)
{
    static const char *const names[D] = {"a", "b", "c"};
    const char *shown[D];
    double values[N * D];
    int64_t segment[N];
    nonsens_data *data;
    rng r = rng_new(7, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        double s[D];
        segment[i] = i % SEGMENTS;
        for (int64_t k = 0; k < D; k++) {
            s[k] = source_value(&r, gaussian, k, segment[i]);
        }
        for (int64_t j = 0; j < D; j++) {
            const double *weight = MIX[order[j]];
            values[i * D + j] = OFFSET[order[j]] + weight[0] * s[0] + weight[1] * s[1] + weight[2] * s[2];
            shown[j] = names[order[j]];
        }
    }
    assert_ok(ctx, nonsens_data_from_arrays(ctx, N, D, values, D, 1, shown, with_segments ? segment : NULL, &data));
    return data;
}

static nonsens_options *options_of(nonsens_context *ctx, unsigned command, const char *method)
{
    nonsens_options *options;
    assert_ok(ctx, nonsens_options_new(ctx, command, &options));
    assert_ok(ctx, nonsens_options_set(ctx, options, "method", method));
    assert_ok(ctx, nonsens_options_set(ctx, options, "threads", "1"));
    return options;
}

static nonsens_result *unmix(nonsens_context *ctx, const nonsens_data *data, const char *method)
{
    nonsens_options *options = options_of(ctx, NONSENS_COMMAND_ICA, method);
    nonsens_result *result;
    assert_ok(ctx, nonsens_run_ica(ctx, data, options, &result));
    nonsens_options_free(options);
    return result;
}

static bool has_note(const nonsens_result *result, const char *words)
{
    bool found = false;
    for (int64_t i = 0; i < nonsens_result_note_count(result); i++) {
        found = found || strstr(nonsens_result_note_at(result, i)->text, words);
    }
    return found;
}

static const int PLAIN[D] = {0, 1, 2};
static const char *const METHODS[] = {"auto",   "joint-diagonalisation", "two-statistic", "entropy", "fastica",
                                      "infomax"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

static void test_mixing_inverts_unmixing(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_data *data = make_data(ctx, PLAIN, false, true);
    for (int m = 0; m < METHOD_COUNT; m++) {
        nonsens_result *result = unmix(ctx, data, METHODS[m]);
        const double *w = nonsens_result_unmixing(result), *a = nonsens_result_mixing(result);
        assert_int_equal(nonsens_result_source_count(result), D);
        for (int i = 0; i < D; i++) {
            for (int j = 0; j < D; j++) {
                double sum = 0.0;
                for (int k = 0; k < D; k++) {
                    sum += a[i * D + k] * w[k * D + j];
                }
                assert_true(fabs(sum - (i == j)) < 1e-10);
            }
        }
        nonsens_result_free(result);
    }
    nonsens_data_free(data);
}

static void test_sources_follow_from_the_unmixing(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_data *data = make_data(ctx, PLAIN, false, true);
    nonsens_result *result = unmix(ctx, data, "auto");
    const double *w = nonsens_result_unmixing(result);
    for (int k = 0; k < D; k++) {
        double squares = 0.0;
        for (int64_t i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < D; j++) {
                double mean = 0.0;
                for (int64_t r = 0; r < N; r++) {
                    mean += matrix_col(data->x, j)[r] / N;
                }
                sum += w[k * D + j] * data->sign[j] * (matrix_col(data->x, j)[i] - mean);
            }
            assert_true(fabs(sum - nonsens_result_source_at(result, k)[i]) < 1e-9);
            squares += sum * sum / N;
        }
        assert_true(fabs(squares - 1.0) < 0.1); /* segment means are nearly equal here */
    }
    assert_null(nonsens_result_source_at(result, D));
    assert_string_equal(nonsens_result_decision(result), "none");
    nonsens_result_free(result);
    nonsens_data_free(data);
}

/* |MIX * unmixing| is a scaled permutation: the largest entry of each row dominates. */
static void test_true_sources_are_found(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_data *data = make_data(ctx, PLAIN, false, true);
    nonsens_result *result = unmix(ctx, data, "score-matching");
    const double *w = nonsens_result_unmixing(result);
    for (int k = 0; k < D; k++) {
        double largest = 0.0, total = 0.0;
        for (int s = 0; s < D; s++) {
            double weight = 0.0;
            for (int j = 0; j < D; j++) {
                weight += w[k * D + j] * MIX[j][s];
            }
            largest = fmax(largest, fabs(weight));
            total += fabs(weight);
        }
        assert_true(largest > 0.8 * total);
    }
    assert_int_equal(nonsens_result_note_count(result), 0);
    nonsens_result_free(result);
    nonsens_data_free(data);
}

static void test_order_of_columns_does_not_matter(void **state)
{
    static const int other[D] = {2, 0, 1};
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_data *plain = make_data(ctx, PLAIN, false, true), *reordered = make_data(ctx, other, false, true);
    for (int m = 0; m < METHOD_COUNT; m++) {
        nonsens_result *a = unmix(ctx, plain, METHODS[m]), *b = unmix(ctx, reordered, METHODS[m]);
        for (int k = 0; k < D; k++) {
            assert_memory_equal(nonsens_result_source_at(a, k), nonsens_result_source_at(b, k), N * sizeof(double));
            for (int j = 0; j < D; j++) {
                assert_true(nonsens_result_unmixing(b)[k * D + j] == nonsens_result_unmixing(a)[k * D + other[j]]);
                assert_true(nonsens_result_mixing(b)[j * D + k] == nonsens_result_mixing(a)[other[j] * D + k]);
            }
        }
        nonsens_result_free(a);
        nonsens_result_free(b);
    }
    nonsens_data_free(plain);
    nonsens_data_free(reordered);
}

static void test_what_is_not_identified_is_said(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_data *data = make_data(ctx, PLAIN, true, true), *plain = make_data(ctx, PLAIN, true, false);
    nonsens_result *result = unmix(ctx, data, "fastica");
    assert_true(has_note(result, "3 sources cannot be distinguished from Gaussian ones (s1, s2, s3)"));
    nonsens_result_free(result);
    result = unmix(ctx, data, "score-matching");
    assert_true(has_note(result, "look Gaussian inside segments"));
    nonsens_result_free(result);
    result = unmix(ctx, data, "joint-diagonalisation");
    assert_true(has_note(result, "change in proportion"));
    nonsens_result_free(result);
    result = unmix(ctx, plain, "auto");
    assert_true(has_note(result, "There are no segments"));
    nonsens_result_free(result);
    nonsens_data_free(data);
    nonsens_data_free(plain);
}

static void test_data_that_cannot_be_unmixed(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_data *data = make_data(ctx, PLAIN, false, false), *one;
    nonsens_options *options = options_of(ctx, NONSENS_COMMAND_ICA, "joint-diagonalisation");
    nonsens_result *result;
    assert_int_equal(nonsens_run_ica(ctx, data, options, &result), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(ctx), "--segment COL"));
    assert_null(result);
    assert_ok(ctx, nonsens_data_from_arrays(ctx, N, 1, matrix_col(data->x, 0), 1, 1, NULL, NULL, &one));
    assert_int_equal(nonsens_run_ica(ctx, one, options, &result), NONSENS_ERR_DATA);
    assert_non_null(strstr(nonsens_context_message(ctx), "\"c1\" is the only one"));
    nonsens_data_free(one);
    nonsens_options_free(options);
    options = options_of(ctx, NONSENS_COMMAND_DIRECTION, "linear-ica");
    assert_int_equal(nonsens_run_ica(ctx, data, options, &result), NONSENS_ERR_USAGE);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

/* ---- shape ---- */

static void test_shape_against_known_moments(void **state)
{
    (void)state;
    const double v[] = {-1, 2, 5, 10, 13, 40}; /* two segments: around 2, squares 18; around 21, squares 546 */
    const int64_t start[] = {0, 3, 6}, both[] = {0, 6};
    unmixing_source_shape s = unmixing_shape(v, 2, start, false);
    double m2 = 564.0 / 6.0, m3 = (-1331.0 - 512.0 + 6859.0) / 6.0,
           m4 = (2.0 * 81.0 + 14641.0 + 4096.0 + 130321.0) / 6.0;
    assert_true(fabs(s.skewness - m3 / pow(m2, 1.5)) < 1e-12);
    assert_true(fabs(s.kurtosis - (m4 / (m2 * m2) - 3.0)) < 1e-12);
    double m[5] = {0}; /* in one segment, around 11.5 */
    for (int i = 0; i < 6; i++) {
        for (int p = 2; p < 5; p++) {
            m[p] += pow(v[i] - 11.5, p) / 6.0;
        }
    }
    s = unmixing_shape(v, 1, both, true);
    assert_true(fabs(s.kurtosis - (m[4] / (m[2] * m[2]) - 3.0 + 6.0 / 7.0)) < 1e-12);
}

/* A Gaussian source looks Gaussian, however small the segments are, and however its scale changes. */
static void test_small_segments_do_not_hide_a_gaussian(void **state)
{
    (void)state;
    enum { SMALL = 8, COUNT = 4000 };
    double *v = fixture_doubles(*state, SMALL * COUNT);
    static int64_t start[COUNT + 1];
    rng r = rng_new(9, RNG_TEST, 0);
    for (int64_t i = 0; i < (int64_t)SMALL * COUNT; i++) {
        v[i] = (double)(1 + i / SMALL % 5) * rng_normal(&r);
        start[i / SMALL + 1] = (i / SMALL + 1) * SMALL;
    }
    assert_true(unmixing_shape(v, COUNT, start, true).departure < 4.0);
    assert_true(unmixing_shape(v, COUNT, start, false).departure > 20.0);
}

/* ---- linear-ica ---- */

/* Draws y = x + N with Laplace disturbances; the cause is first or second. */
static nonsens_data *make_pair(nonsens_context *ctx, bool second_causes)
{
    double values[N * 2];
    int64_t segment[N];
    nonsens_data *data;
    rng r = rng_new(11, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i % SEGMENTS;
        double cause = source_value(&r, false, 0, segment[i]);
        values[2 * i + second_causes] = cause;
        values[2 * i + !second_causes] = cause + source_value(&r, false, 1, segment[i]);
    }
    assert_ok(ctx, nonsens_data_from_arrays(ctx, N, 2, values, 2, 1, NULL, segment, &data));
    return data;
}

static void test_linear_ica_names_the_cause(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *options = options_of(ctx, NONSENS_COMMAND_DIRECTION, "linear-ica");
    for (int run = 0; run < 4; run++) {
        nonsens_data *pair = make_pair(ctx, run % 2 == 1);
        nonsens_result *result;
        assert_ok(ctx, nonsens_options_set(ctx, options, "rule", run < 2 ? "tests" : "likelihood-ratio"));
        assert_ok(ctx, nonsens_run_direction(ctx, pair, options, &result));
        assert_string_equal(nonsens_result_decision(result), run % 2 ? "c2->c1" : "c1->c2");
        assert_false(has_note(result, "contradict a linear mechanism"));
        for (int64_t i = 0; i < nonsens_result_evidence_count(result); i++) {
            const nonsens_evidence *e = nonsens_result_evidence_at(result, i);
            assert_true(strncmp(e->name, "fold(", 5) != 0 || e->value == 0.0); /* signed sources: nothing folds */
        }
        assert_int_equal(nonsens_result_source_count(result), 2);
        assert_null(nonsens_result_unmixing(result));
        nonsens_result_free(result);
        nonsens_data_free(pair);
    }
    nonsens_options_free(options);
}

/* ---- memory ---- */

typedef struct call {
    const nonsens_data *data;
    const nonsens_options *options;
} call;

static nonsens_status call_ica(nonsens_context *ctx, arena *a, void *state)
{
    const call *c = state;
    nonsens_result *result;
    (void)a;
    nonsens_status status = c->options->command == NONSENS_COMMAND_ICA
                                ? nonsens_run_ica(ctx, c->data, c->options, &result)
                                : nonsens_run_direction(ctx, c->data, c->options, &result);
    assert_true((status == NONSENS_OK) == (result != NULL));
    nonsens_result_free(result);
    return status;
}

/* Keeps every tenth row, because everything is run again for each allocation. */
static nonsens_data *thin(fixture *f, nonsens_data *data)
{
    nonsens_data *few;
    int64_t *row = arena_get(f->ctx, &f->scratch, data->n, sizeof *row), count = 0;
    for (int64_t i = 0; i < data->n; i += 10) {
        row[count++] = i;
    }
    assert_int_equal(dataset_rows(f->ctx, &f->scratch, data, count, row, &few), NONSENS_OK);
    nonsens_data_free(data);
    return few;
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    nonsens_data *data = thin(f, make_data(f->ctx, PLAIN, true, true)), *pair = thin(f, make_pair(f->ctx, false));
    nonsens_options *ica = options_of(f->ctx, NONSENS_COMMAND_ICA, "auto");
    nonsens_options *linear = options_of(f->ctx, NONSENS_COMMAND_DIRECTION, "linear-ica");
    call on_ica = {data, ica}, on_pair = {pair, linear};
    assert_true(fail_every_allocation(f, call_ica, &on_ica) > 2);
    assert_true(fail_every_allocation(f, call_ica, &on_pair) > 2);
    nonsens_options_free(ica);
    nonsens_options_free(linear);
    nonsens_data_free(data);
    nonsens_data_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_mixing_inverts_unmixing),        TEST(test_sources_follow_from_the_unmixing),
        TEST(test_true_sources_are_found),         TEST(test_order_of_columns_does_not_matter),
        TEST(test_what_is_not_identified_is_said), TEST(test_data_that_cannot_be_unmixed),
        TEST(test_shape_against_known_moments),    TEST(test_small_segments_do_not_hide_a_gaussian),
        TEST(test_linear_ica_names_the_cause),     TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
