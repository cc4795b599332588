/* test_fastica.c - passes over rows against plain loops, FastICA against scikit-learn, recovery, limits, failures. */
#include "ica/fastica.h"

#include "ica/starts.h"
#include "ica_white.h"

#include "fixtures/ica.h"

static const double EXACT = 1e-12;
static const double AS_SKLEARN = 1e-9; /* 1 - mean |correlation| of the sources */
static const double RECOVERED = 0.98;
static const double DIFFERENCE_ERROR = 1e-8; /* of central differences */
static const enum option_contrast ALL[4] = {CONTRAST_LOG_COSH, CONTRAST_EXP, CONTRAST_CUBE, CONTRAST_SKEW};

/* ---- passes -------------------------------------------------------------------------------------------------- */

static double plain_value(enum option_contrast contrast, double s)
{
    switch (contrast) {
    case CONTRAST_EXP:
        return -exp(-0.5 * s * s);
    case CONTRAST_CUBE:
        return s * s * s * s / 4.0;
    case CONTRAST_SKEW:
        return s * s * s / 3.0;
    default:
        return log(cosh(s));
    }
}

static double plain_g(enum option_contrast contrast, double s)
{
    switch (contrast) {
    case CONTRAST_EXP:
        return s * exp(-0.5 * s * s);
    case CONTRAST_CUBE:
        return s * s * s;
    case CONTRAST_SKEW:
        return s * s;
    default:
        return tanh(s);
    }
}

static double plain_slope(enum option_contrast contrast, double s)
{
    switch (contrast) {
    case CONTRAST_EXP:
        return (1.0 - s * s) * exp(-0.5 * s * s);
    case CONTRAST_CUBE:
        return 3.0 * s * s;
    case CONTRAST_SKEW:
        return 2.0 * s;
    default:
        return 1.0 / (cosh(s) * cosh(s));
    }
}

/* Compares one pass with loops written out. */
static void assert_pass(fixture *f, enum option_contrast contrast, int64_t n, int64_t d, int64_t m)
{
    white x = white_new(f, 7, MIXED, n, d);
    double *w = fixture_doubles(f, d * d);
    ica_blocks b;
    ica_row_means means;
    ica_set_start(1, 1, d, w);
    assert_int_equal(ica_blocks_new(f->ctx, &f->scratch, &x.data, contrast, 1, &b), NONSENS_OK);
    assert_int_equal(ica_blocks_pass(&b, m, w, &means), NONSENS_OK);
    for (int64_t j = 0; j < m; j++) {
        double slope = 0.0, value = 0.0, cross[32] = {0.0};
        for (int64_t i = 0; i < n; i++) {
            double s = 0.0;
            for (int64_t k = 0; k < d; k++) {
                s += x.y[i + n * k] * w[k + d * j];
            }
            slope += plain_slope(contrast, s) / (double)n;
            value += plain_value(contrast, s) / (double)n;
            for (int64_t k = 0; k < d; k++) {
                cross[k] += plain_g(contrast, s) * x.y[i + n * k] / (double)n;
            }
        }
        assert_true(fabs(slope - means.slope[j]) <= EXACT && fabs(value - means.value[j]) <= EXACT);
        assert_true(largest_difference(d, cross, means.cross + j * d) <= EXACT);
    }
}

static void test_passes_against_plain_loops(void **state)
{
    const int64_t sizes[] = {37, 128, 1001, 9001}, widths[] = {1, 2, 3, 4, 5, 6, 7, 11};
    for (int c = 0; c < 4; c++) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            assert_pass(*state, ALL[c], sizes[i % 4], widths[i], widths[i]);
            assert_pass(*state, ALL[c], sizes[(i + 1) % 4], widths[i], (widths[i] + 1) / 2);
        }
    }
}

/* The cross term is the gradient of the value. */
static void test_cross_is_the_gradient(void **state)
{
    enum { D = 4 };
    fixture *f = *state;
    const double step = 1e-5;
    white x = white_new(f, 8, MIXED, 500, D);
    for (int c = 0; c < 4; c++) {
        ica_blocks b;
        ica_row_means means;
        double w[D * D], cross[D];
        ica_set_start(2, 1, D, w);
        assert_int_equal(ica_blocks_new(f->ctx, &f->scratch, &x.data, ALL[c], 1, &b), NONSENS_OK);
        assert_int_equal(ica_blocks_pass(&b, 1, w, &means), NONSENS_OK);
        memcpy(cross, means.cross, sizeof cross);
        for (int k = 0; k < D; k++) {
            w[k] += step;
            assert_int_equal(ica_blocks_pass(&b, 1, w, &means), NONSENS_OK);
            double above = means.value[0];
            w[k] -= 2.0 * step;
            assert_int_equal(ica_blocks_pass(&b, 1, w, &means), NONSENS_OK);
            w[k] += step;
            assert_true(fabs((above - means.value[0]) / (2.0 * step) - cross[k]) <= DIFFERENCE_ERROR);
        }
    }
}

static void test_contrast_mean(void **state)
{
    fixture *f = *state;
    white x = white_new(f, 9, SUPER_GAUSSIAN, 333, 1);
    for (int c = 0; c < 4; c++) {
        double sum = 0.0;
        for (int64_t i = 0; i < 333; i++) {
            sum += plain_value(ALL[c], 1.5 * x.y[i]) / 333.0;
        }
        assert_true(fabs(ica_contrast_mean(ALL[c], 333, 1.5, x.y) - sum) <= EXACT * fmax(1.0, fabs(sum)));
    }
}

/* ---- FastICA ------------------------------------------------------------------------------------------------- */

static ica_result fastica(fixture *f, white *x, enum option_contrast contrast, bool deflation, int64_t starts,
                          int threads)
{
    ica_result out = {0};
    ica_options how = {.contrast = contrast, .deflation = deflation, .starts = starts, .seed = 3, .threads = threads};
    if (ica_fastica(f->ctx, &f->scratch, &x->data, &how, x->rotation, &out) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return out;
}

/* Checks that the rotation is orthogonal and maps the original rows to the current rows. */
static void assert_rotated(fixture *f, const white *x)
{
    int64_t n = x->data.n, d = x->data.d;
    double *product = fixture_doubles(f, d * d), *s = apply_unmixing(f, x, x->rotation);
    linalg_gemm(false, true, d, d, d, 1.0, x->rotation, d, x->rotation, d, 0.0, product, d);
    for (int64_t i = 0; i < d * d; i++) {
        assert_true(fabs(product[i] - (i % (d + 1) ? 0.0 : 1.0)) <= EXACT);
    }
    assert_true(largest_difference(n * d, s, x->data.y) <= EXACT * 100.0);
}

/* Sets rotation = start white^{-1}, which corresponds to the fixture's `start`, and rotates the rows with it. */
static void begin_at(fixture *f, white *x, const double *start)
{
    int64_t n = x->data.n, d = x->data.d;
    double *lhs = fixture_doubles(f, d * d), *rhs = fixture_doubles(f, d * d);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < d; k++) {
            lhs[k + d * j] = x->white[j + d * k];
            rhs[k + d * j] = start[j + d * k];
        }
    }
    assert_int_equal(linalg_solve(f->ctx, &f->scratch, d, d, lhs, rhs), NONSENS_OK); /* white' rotation' = start' */
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < d; k++) {
            x->rotation[j + d * k] = rhs[k + d * j];
        }
    }
    linalg_gemm(false, true, n, d, d, 1.0, x->y, n, x->rotation, d, 0.0, x->data.y, n);
}

static double *fixture_rows(fixture *f, const short *hundredths, int64_t d)
{
    double *z = fixture_doubles(f, ICA_ROWS * d);
    for (int64_t i = 0; i < ICA_ROWS * d; i++) {
        z[i] = hundredths[i] / 100.0;
    }
    return z;
}

static void test_agrees_with_sklearn(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof ica_cases / sizeof *ica_cases; i++) {
        const struct ica_case *c = ica_cases + i;
        double *z = fixture_rows(f, c->data, c->d), *theirs = fixture_doubles(f, ICA_ROWS * c->d);
        white x = white_from(f, ICA_ROWS, c->d, z);
        begin_at(f, &x, c->start);
        enum option_contrast contrast = c->contrast[0] == 'l'   ? CONTRAST_LOG_COSH
                                        : c->contrast[0] == 'e' ? CONTRAST_EXP
                                                                : CONTRAST_CUBE;
        ica_result out = fastica(f, &x, contrast, c->deflation, 1, 1);
        ica_apply(matrix_view(z, ICA_ROWS, c->d), c->unmixing, matrix_view(theirs, ICA_ROWS, c->d));
        double found = agreement(f, ICA_ROWS, c->d, theirs, x.data.y);
        if (!(found >= 1.0 - AS_SKLEARN) || !out.converged) {
            fail_msg("%s, d = %d, deflation %d: 1 - %g, converged %d", c->contrast, (int)c->d, c->deflation,
                     1.0 - found, out.converged);
        }
    }
}

static void test_recovers_every_contrast(void **state)
{
    const enum recipe recipes[4] = {MIXED, MIXED, MIXED, SKEWED};
    for (int c = 0; c < 4; c++) {
        for (int deflation = 0; deflation < 2; deflation++) {
            for (int64_t d = 1; d <= 6; d += d == 1 ? 1 : 2) {
                white x = white_new(*state, 11, recipes[c], 5000, d);
                ica_result out = fastica(*state, &x, ALL[c], deflation, 1, 1);
                double found = agreement(*state, 5000, d, x.s, x.data.y);
                if (!(found >= RECOVERED) || !out.converged || (d > 1 && !(out.contrast_gap > 1.0))) {
                    fail_msg("contrast %d, d = %d, deflation %d: %.4f, converged %d, gap %g", c, (int)d, deflation,
                             found, out.converged, out.contrast_gap);
                }
                assert_rotated(*state, &x);
            }
        }
    }
}

static void test_recovers_twenty(void **state)
{
    for (int deflation = 0; deflation < 2; deflation++) {
        white x = white_new(*state, 12, MIXED, 9000, 20);
        ica_result out = fastica(*state, &x, CONTRAST_LOG_COSH, deflation, 1, 0);
        assert_true(out.converged && agreement(*state, 9000, 20, x.s, x.data.y) >= 0.97);
        assert_rotated(*state, &x);
    }
}

/* More starts never make the objective worse, and the same seed gives the same bits. */
static void test_starts(void **state)
{
    white x = white_new(*state, 13, MIXED, 300, 5);
    ica_result one = fastica(*state, &x, CONTRAST_EXP, false, 1, 1);
    white_again(&x);
    ica_result many = fastica(*state, &x, CONTRAST_EXP, false, 6, 1);
    assert_true(many.objective <= one.objective && one.objective < 0.0);
    assert_rotated(*state, &x);
    double *first = fixture_doubles(*state, 1500);
    memcpy(first, x.data.y, 1500 * sizeof *first);
    white_again(&x);
    fastica(*state, &x, CONTRAST_EXP, false, 6, 1);
    assert_memory_equal(first, x.data.y, 1500 * sizeof *first);
}

/* Computes the objective at the solution by the formula at the top of fastica.c. */
static void test_objective(void **state)
{
    const double reference[4] = {0.374567207491438, -0.707106781186548, 0.75, 0.0};
    white x = white_new(*state, 14, MIXED, 2000, 3);
    for (int c = 0; c < 4; c++) {
        white_again(&x);
        ica_result out = fastica(*state, &x, ALL[c], false, 1, 1);
        double sum = 0.0;
        for (int64_t j = 0; j < 3; j++) {
            double mean = 0.0;
            for (int64_t i = 0; i < 2000; i++) {
                mean += plain_value(ALL[c], x.data.y[i + 2000 * j]) / 2000.0;
            }
            sum -= (mean - reference[c]) * (mean - reference[c]);
        }
        assert_true(fabs(out.objective - sum) <= EXACT * 10.0);
    }
}

/* With nothing to find, it still ends, and with a rotation. */
static void test_normal_sources_terminate(void **state)
{
    for (int c = 0; c < 4; c++) {
        for (int deflation = 0; deflation < 2; deflation++) {
            white x = white_new(*state, 15, ALL_NORMAL, 2000, 4);
            ica_result out = fastica(*state, &x, ALL[c], deflation, 2, 1);
            assert_true(isfinite(out.objective) && isfinite(out.contrast_gap) && out.contrast_gap >= 0.0);
            assert_rotated(*state, &x);
        }
    }
}

/*
 * If every row comes with its mirror image, the skew contrast is zero everywhere; a skewed last column leaves one
 * direction that it sees.
 */
static void check_without_information(fixture *f, bool last_skewed)
{
    enum { N = 400, D = 3 };
    rng r = rng_new(16, RNG_TEST, 0);
    double *z = fixture_doubles(f, N * D);
    for (int64_t i = 0; i < N * D; i += 2) {
        z[i] = rng_laplace(&r);
        z[i + 1] = -z[i];
    }
    for (int64_t i = 0; last_skewed && i < N; i++) {
        z[i + N * (D - 1)] = (double)(i % 8 / 6) + z[i / 2 * 2];
    }
    white x = white_from(f, N, D, z);
    for (int deflation = 0; deflation < 2; deflation++) {
        white_again(&x);
        ica_result out = fastica(f, &x, CONTRAST_SKEW, deflation, 1, 1);
        assert_true(isfinite(out.objective) && (last_skewed || fabs(out.objective) <= EXACT));
        assert_rotated(f, &x);
    }
}

static void test_contrast_without_information(void **state)
{
    check_without_information(*state, false);
    check_without_information(*state, true);
}

static void test_threads_give_the_same_bits(void **state)
{
    enum { N = 30011, D = 7 };
    fixture *f = *state;
    white x = white_new(f, 17, MIXED, N, D);
    double *first = fixture_doubles(f, N * D);
    for (int threads = 1; threads <= 3; threads++) {
        white_again(&x);
        ica_result out = fastica(f, &x, CONTRAST_LOG_COSH, false, 1, threads);
        assert_true(out.converged);
        if (threads == 1) {
            memcpy(first, x.data.y, N * D * sizeof *first);
        }
        assert_memory_equal(first, x.data.y, N * D * sizeof *first);
    }
}

/* Two starts that are equal up to rounding end at equal sources, up to rounding. */
static void test_precision(void **state)
{
    white x = white_new(*state, 18, MIXED, 2000, 4);
    fastica(*state, &x, CONTRAST_LOG_COSH, false, 1, 1);
    double *first = fixture_doubles(*state, 8000);
    memcpy(first, x.data.y, 8000 * sizeof *first);
    ica_result again = fastica(*state, &x, CONTRAST_LOG_COSH, false, 1, 1); /* starts at the end of the first run */
    assert_true(again.converged && again.iterations <= 3);
    assert_true(largest_difference(8000, first, x.data.y) <= 1e-7);
}

static void test_cancelling(void **state)
{
    fixture *f = *state;
    white x = white_new(f, 19, MIXED, 1000, 3);
    ica_result out;
    ica_options how = {.starts = 1};
    nonsens_context_cancel(f->ctx);
    assert_int_equal(ica_fastica(f->ctx, &f->scratch, &x.data, &how, x.rotation, &out), NONSENS_CANCELLED);
    context_begin(f->ctx);
}

static nonsens_status unmix_white(nonsens_context *ctx, arena *a, void *state)
{
    white *x = state;
    ica_result out;
    ica_options how = {.contrast = CONTRAST_EXP, .starts = 2, .threads = 2};
    return ica_fastica(ctx, a, &x->data, &how, x->rotation, &out);
}

static void test_every_failing_allocation(void **state)
{
    white x = white_new(*state, 20, MIXED, 20000, 4);
    assert_true(fail_every_allocation(*state, unmix_white, &x) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_passes_against_plain_loops),
        TEST(test_cross_is_the_gradient),
        TEST(test_contrast_mean),
        TEST(test_agrees_with_sklearn),
        TEST(test_recovers_every_contrast),
        TEST(test_recovers_twenty),
        TEST(test_starts),
        TEST(test_objective),
        TEST(test_normal_sources_terminate),
        TEST(test_contrast_without_information),
        TEST(test_threads_give_the_same_bits),
        TEST(test_precision),
        TEST(test_cancelling),
        TEST(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
