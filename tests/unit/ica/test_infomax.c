/* test_infomax.c - extended Infomax against SciPy and MNE, its gradient and likelihood written out, recovery, failures.
 */
#include "ica_white.h"

#include "fixtures/ica.h"

static const double STATIONARY = 1e-8;
static const double LIKELIHOOD_ERROR = 1e-12;
static const double AS_SCIPY = 1e-6; /* of unmixing matrices; BFGS stops at a gradient of about 1e-9 */
static const double AS_MNE = 1e-5;
static const double RECOVERED = 0.98;
static const double LOG_MASS[2] = {0.5, -0.299398072025421}; /* of the sub- and super-Gaussian densities */

static ica_result infomax(fixture *f, const white *x, int64_t starts, int threads, double *unmixing)
{
    ica_result out = {0};
    ica_options how = {.starts = starts, .seed = 5, .threads = threads};
    if (ica_infomax(f->ctx, &f->scratch, &x->data, &how, unmixing, &out) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return out;
}

/* ---- the model written out ----------------------------------------------------------------------------------- */

/* Returns k_j of source u (n). */
static double plain_sign(int64_t n, const double *u)
{
    double sech = 0.0, square = 0.0, mixed = 0.0, rows = (double)n;
    for (int64_t i = 0; i < n; i++) {
        sech += 1.0 / (cosh(u[i]) * cosh(u[i])) / rows;
        square += u[i] * u[i] / rows;
        mixed += u[i] * tanh(u[i]) / rows;
    }
    return sech * square - mixed < 0 ? -1.0 : 1.0;
}

/* Returns |det w| of w (3, 3). */
static double determinant(const double *w)
{
    return fabs(w[0] * (w[4] * w[8] - w[7] * w[5]) - w[3] * (w[1] * w[8] - w[7] * w[2]) +
                w[6] * (w[1] * w[5] - w[4] * w[2]));
}

/* Returns minus the log likelihood per row of w (3, 3) for the signs k. */
static double plain_loss(fixture *f, const white *x, const double *w, const double *k)
{
    int64_t n = x->data.n;
    double *u = apply_unmixing(f, x, w), loss = -log(determinant(w));
    for (int64_t j = 0; j < 3; j++) {
        for (int64_t i = 0; i < n; i++) {
            double s = u[i + n * j];
            loss += (0.5 * s * s + k[j] * log(cosh(s))) / (double)n;
        }
        loss += LOG_MASS[k[j] > 0];
    }
    return loss;
}

/* At the solution E phi(u) u' = I, and every difference quotient of the likelihood is near 0. */
static void test_solution_is_stationary(void **state)
{
    enum { N = 1000, D = 3 };
    fixture *f = *state;
    white x = white_new(f, 31, MIXED, N, D);
    double w[D * D], k[D];
    ica_result out = infomax(f, &x, 1, 1, w);
    double *u = apply_unmixing(f, &x, w);
    assert_true(out.converged);
    for (int64_t i = 0; i < D; i++) {
        k[i] = plain_sign(N, u + N * i);
        for (int64_t j = 0; j < D; j++) {
            double sum = 0.0;
            for (int64_t row = 0; row < N; row++) {
                sum += (u[row + N * i] + k[i] * tanh(u[row + N * i])) * u[row + N * j] / N;
            }
            assert_true(fabs(sum - (i == j ? 1.0 : 0.0)) <= STATIONARY);
        }
    }
    assert_true(fabs(plain_loss(f, &x, w, k) - out.objective) <= LIKELIHOOD_ERROR);
    for (int64_t i = 0; i < D * D; i++) {
        const double step = 1e-4, kept = w[i];
        w[i] = kept + step;
        double above = plain_loss(f, &x, w, k);
        w[i] = kept - step;
        double below = plain_loss(f, &x, w, k);
        w[i] = kept;
        assert_true(fabs(above - below) / (2.0 * step) <= 1e-6);
        assert_true(above > out.objective && below > out.objective);
    }
}

/* ---- other implementations ----------------------------------------------------------------------------------- */

/* Returns the largest difference between rows of two unmixings, matched by similarity, whatever their signs. */
static double unmixing_difference(int64_t d, const double *a, const double *b)
{
    double worst = 0.0;
    for (int64_t j = 0; j < d; j++) {
        double best = HUGE_VAL;
        for (int64_t k = 0; k < d; k++) {
            for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
                double largest = 0.0;
                for (int64_t i = 0; i < d; i++) {
                    largest = fmax(largest, fabs(a[j + d * i] - sign * b[k + d * i]));
                }
                best = fmin(best, largest);
            }
        }
        worst = fmax(worst, best);
    }
    return worst;
}

static void assert_as_others(fixture *f, int64_t d, const short *hundredths, const double *scipy, const double *mne,
                             double loss, int sub_gaussian)
{
    double *z = fixture_doubles(f, ICA_ROWS * d), w[25], whole[25], log_det = 0.0;
    for (int64_t i = 0; i < ICA_ROWS * d; i++) {
        z[i] = hundredths[i] / 100.0;
    }
    white x = white_from(f, ICA_ROWS, d, z);
    ica_result out = infomax(f, &x, 1, 1, w);
    linalg_gemm(false, false, d, d, d, 1.0, w, d, x.white, d, 0.0, whole, d);
    assert_true(out.converged);
    assert_true(unmixing_difference(d, whole, scipy) <= AS_SCIPY);
    assert_true(unmixing_difference(d, whole, mne) <= AS_MNE);
    double gram[25], eigenvalue[5]; /* of the whitening matrix: the fixture's likelihood is that of the original data */
    linalg_gram(d, d, x.white, d, gram);
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, d, gram, eigenvalue), NONSENS_OK);
    for (int64_t j = 0; j < d; j++) {
        log_det += 0.5 * log(eigenvalue[j]);
    }
    double constants = sub_gaussian * LOG_MASS[0] + (double)(d - sub_gaussian) * LOG_MASS[1];
    assert_true(fabs(out.objective - log_det - constants - loss) <= 1e-10);
}

static void test_agrees_with_scipy_and_mne(void **state)
{
    assert_as_others(*state, 3, ica_data_3, ica_infomax_3, ica_infomax_mne_3, ica_infomax_loss_3,
                     ica_infomax_sub_gaussian_3);
    assert_as_others(*state, 5, ica_data_5, ica_infomax_5, ica_infomax_mne_5, ica_infomax_loss_5,
                     ica_infomax_sub_gaussian_5);
}

/* ---- recovery and limits ------------------------------------------------------------------------------------- */

static void assert_recovers(fixture *f, enum recipe recipe, int64_t n, int64_t d, double least)
{
    double w[400];
    white x = white_new(f, 32, recipe, n, d);
    ica_result out = infomax(f, &x, 1, 0, w);
    double found = agreement(f, n, d, x.s, apply_unmixing(f, &x, w));
    if (!(found >= least) || !out.converged || (d > 1 && !(out.contrast_gap > 10.0))) {
        fail_msg("recipe %d, d = %d: %.4f, converged %d after %d, gap %g", (int)recipe, (int)d, found, out.converged,
                 out.iterations, out.contrast_gap);
    }
}

static void test_recovers(void **state)
{
    for (int64_t d = 1; d <= 6; d++) {
        assert_recovers(*state, SUPER_GAUSSIAN, 5000, d, RECOVERED);
        assert_recovers(*state, SUB_GAUSSIAN, 5000, d, RECOVERED);
        assert_recovers(*state, MIXED, 5000, d, RECOVERED);
    }
    assert_recovers(*state, MIXED, 9000, 20, 0.97);
}

static void test_starts(void **state)
{
    double w[25], again[25];
    white x = white_new(*state, 33, MIXED, 300, 5);
    ica_result one = infomax(*state, &x, 1, 1, w), many = infomax(*state, &x, 6, 1, w);
    assert_true(many.objective <= one.objective && many.converged);
    infomax(*state, &x, 6, 1, again);
    assert_memory_equal(w, again, sizeof w);
}

static void test_normal_sources_terminate(void **state)
{
    double w[16];
    white x = white_new(*state, 34, ALL_NORMAL, 2000, 4);
    ica_result out = infomax(*state, &x, 2, 1, w);
    assert_true(isfinite(out.objective) && out.contrast_gap >= 0.0 && out.contrast_gap < 20.0);
    for (int i = 0; i < 16; i++) {
        assert_true(isfinite(w[i]));
    }
}

static void test_threads_give_the_same_bits(void **state)
{
    enum { N = 30011, D = 7 };
    fixture *f = *state;
    double first[D * D], w[D * D];
    white x = white_new(f, 35, MIXED, N, D);
    infomax(f, &x, 1, 1, first);
    for (int threads = 2; threads <= 3; threads++) {
        infomax(f, &x, 1, threads, w);
        assert_memory_equal(first, w, sizeof w);
    }
}

static void test_cancelling(void **state)
{
    fixture *f = *state;
    white x = white_new(f, 36, MIXED, 1000, 3);
    ica_result out;
    ica_options how = {.starts = 1};
    nonsens_context_cancel(f->ctx);
    assert_int_equal(ica_infomax(f->ctx, &f->scratch, &x.data, &how, x.rotation, &out), NONSENS_CANCELLED);
    context_begin(f->ctx);
}

static nonsens_status unmix_white(nonsens_context *ctx, arena *a, void *state)
{
    const white *x = state;
    ica_result out;
    ica_options how = {.starts = 2, .threads = 2};
    return ica_infomax(ctx, a, &x->data, &how, x->rotation, &out);
}

static void test_every_failing_allocation(void **state)
{
    white x = white_new(*state, 37, MIXED, 20000, 4);
    assert_true(fail_every_allocation(*state, unmix_white, &x) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_solution_is_stationary),
        TEST(test_agrees_with_scipy_and_mne),
        TEST(test_recovers),
        TEST(test_starts),
        TEST(test_normal_sources_terminate),
        TEST(test_threads_give_the_same_bits),
        TEST(test_cancelling),
        TEST(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
