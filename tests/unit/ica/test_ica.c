/*
 * test_ica.c - unmixing inside segments: recovery of known sources, equivariance, gradients, output, failures.
 */
#include "ica/assess.h"
#include "ica/score_general.h"
#include "ica_samples.h"

static const double RECOVERED = 0.98;           /* mean |correlation| with zero-mean sources */
static const double RECOVERED_ONE_SIDED = 0.97; /* with sources whose density has an edge */
static const double SAME_SOURCES = 1e-6;        /* largest difference between unit-variance sources */
static const double GRADIENT_ERROR = 1e-6;      /* relative, against central differences */
static const double STATIONARY = 1e-5;          /* of Pham's equations; the ridge of the covariances is 1e-6 */
static const double ENTROPY_BIAS = 0.1;         /* nats, of two entropies estimated from 8,000 rows */
static const double EXACT = 1e-10;

static void assert_recovers(fixture *f, enum source_kind kind, int64_t segments, int64_t rows, int64_t d,
                            enum option_unmixing algorithm, double least, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        ica_result out;
        sample x = sample_new(seed, kind, segments, rows, d);
        double *s = unmixed(f, &x, x.z, algorithm, &out);
        double found = recovery(x.n, d, x.s, s);
        bool is_identified = out.contrast_gap > (double)segments;
        if (algorithm == UNMIX_SCORE_MATCHING && d > ICA_GAP_MAX) {
            is_identified = isnan(out.contrast_gap);
        }
        if (!(found >= least) || !out.converged || !is_identified) {
            fail_msg("algorithm %d, kind %d, seed %d: recovery %.4f, converged %d, gap %g", (int)algorithm, (int)kind,
                     (int)seed, found, out.converged, out.contrast_gap);
        }
        free(s);
        sample_free(&x);
    }
}

static const enum option_unmixing ALL[4] = {UNMIX_JOINT_DIAGONALISATION, UNMIX_SCORE_MATCHING, UNMIX_TWO_STATISTIC,
                                            UNMIX_ENTROPY};

static void test_recovers_laplace(void **state)
{
    for (int i = 0; i < 4; i++) {
        assert_recovers(*state, LAPLACE, 10, 500, 2, ALL[i], RECOVERED, 4);
    }
}

static void test_recovers_one_sided(void **state)
{
    assert_recovers(*state, ONE_SIDED, 10, 500, 2, UNMIX_JOINT_DIAGONALISATION, RECOVERED_ONE_SIDED, 4);
    assert_recovers(*state, ONE_SIDED, 10, 500, 2, UNMIX_TWO_STATISTIC, RECOVERED_ONE_SIDED, 4);
    assert_recovers(*state, ONE_SIDED, 10, 500, 2, UNMIX_ENTROPY, RECOVERED_ONE_SIDED, 4);
}

static void test_recovers_correlated_modulations(void **state)
{
    for (int i = 0; i < 4; i++) {
        assert_recovers(*state, CORRELATED, 10, 500, 2, ALL[i], RECOVERED, 4);
    }
}

static void test_recovers_gaussian(void **state)
{
    assert_recovers(*state, GAUSSIAN, 10, 500, 2, UNMIX_JOINT_DIAGONALISATION, RECOVERED, 4);
}

static void test_recovers_many(void **state)
{
    assert_recovers(*state, LAPLACE, 10, 500, 5, UNMIX_JOINT_DIAGONALISATION, RECOVERED, 2);
    assert_recovers(*state, LAPLACE, 10, 500, 5, UNMIX_SCORE_MATCHING, RECOVERED, 2);
    assert_recovers(*state, ONE_SIDED, 10, 500, 5, UNMIX_TWO_STATISTIC, RECOVERED_ONE_SIDED, 1);
    assert_recovers(*state, LAPLACE, 12, 500, 10, UNMIX_JOINT_DIAGONALISATION, RECOVERED, 2);
    assert_recovers(*state, LAPLACE, 12, 500, 10, UNMIX_SCORE_MATCHING, RECOVERED, 1);
    assert_recovers(*state, ONE_SIDED, 5, 200, 3, UNMIX_ENTROPY, RECOVERED_ONE_SIDED, 1);
}

/* Without segments only the shapes of the densities are left to separate sources. */
static void test_recovers_without_segments(void **state)
{
    assert_recovers(*state, LAPLACE, 1, 4000, 3, UNMIX_SCORE_MATCHING, RECOVERED, 1);
    assert_recovers(*state, ONE_SIDED, 1, 1000, 3, UNMIX_ENTROPY, RECOVERED_ONE_SIDED, 1);
}

/* ---- equivariance -------------------------------------------------------------------------------------------- */

/* out (n, d) = z B' for b (d, d). */
static void mix(const sample *x, const double *b, double *out)
{
    memset(out, 0, (size_t)(x->n * x->d) * sizeof *out);
    for (int64_t j = 0; j < x->d; j++) {
        for (int64_t k = 0; k < x->d; k++) {
            for (int64_t i = 0; i < x->n; i++) {
                out[i + x->n * j] += b[j + x->d * k] * x->z[i + x->n * k];
            }
        }
    }
}

static void assert_same_sources(fixture *f, const sample *x, const double *b, enum option_unmixing algorithm)
{
    ica_result plain, mixed;
    double *z = get(x->n * x->d, sizeof *z), worst = 0.0;
    mix(x, b, z);
    double *s = unmixed(f, x, x->z, algorithm, &plain), *t = unmixed(f, x, z, algorithm, &mixed);
    for (int64_t i = 0; i < x->n * x->d; i++) {
        worst = fmax(worst, fabs(s[i] - t[i]));
    }
    if (!(worst <= SAME_SOURCES)) {
        fail_msg("algorithm %d, d = %d: sources differ by %g", (int)algorithm, (int)x->d, worst);
    }
    assert_true(fabs(plain.objective - mixed.objective) <= SAME_SOURCES * fmax(1.0, fabs(plain.objective)));
    free(s);
    free(t);
    free(z);
}

static void test_any_mixture_gives_the_same_sources(void **state)
{
    for (int64_t d = 2; d <= 4; d++) {
        rng r = rng_new(5, RNG_TEST, (uint64_t)d);
        sample x = sample_new(20 + (uint64_t)d, ONE_SIDED, 6, 200, d);
        double b[16];
        for (int i = 0; i < 16; i++) {
            b[i] = 3.0 * rng_normal(&r);
        }
        for (int i = 0; i < 4; i++) {
            assert_same_sources(*state, &x, b, ALL[i]);
        }
        sample_free(&x);
    }
}

static void test_column_order_does_not_matter(void **state)
{
    const double swap[4] = {0, 1, 1, 0}, cycle[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    sample two = sample_new(31, LAPLACE, 6, 200, 2), three = sample_new(32, LAPLACE, 6, 200, 3);
    for (int i = 0; i < 4; i++) {
        assert_same_sources(*state, &two, swap, ALL[i]);
        assert_same_sources(*state, &three, cycle, ALL[i]);
    }
    sample_free(&two);
    sample_free(&three);
}

/* Squares of such values overflow or underflow. */
static void test_extreme_units(void **state)
{
    const double units[4] = {1e200, 0, 0, 1e-200};
    sample x = sample_new(33, LAPLACE, 6, 200, 2);
    for (int i = 0; i < 4; i++) {
        assert_same_sources(*state, &x, units, ALL[i]);
    }
    sample_free(&x);
}

/* ---- canonical output ---------------------------------------------------------------------------------------- */

/* Moments 2, 3, 4 of segment-centred s (n). */
static void centred_moments(const sample *x, const double *s, double moments[3])
{
    memset(moments, 0, 3 * sizeof *moments);
    for (int64_t e = 0; e < x->segments; e++) {
        double mean = 0.0, rows = (double)(x->start[e + 1] - x->start[e]);
        for (int64_t i = x->start[e]; i < x->start[e + 1]; i++) {
            mean += s[i] / rows;
        }
        for (int64_t i = x->start[e]; i < x->start[e + 1]; i++) {
            double v = s[i] - mean;
            moments[0] += v * v / (double)x->n;
            moments[1] += v * v * v / (double)x->n;
            moments[2] += v * v * v * v / (double)x->n;
        }
    }
}

static void test_output_is_canonical(void **state)
{
    sample x = sample_new(41, ONE_SIDED, 8, 150, 3);
    for (int i = 0; i < 4; i++) {
        ica_result out;
        double *s = unmixed(*state, &x, x.z, ALL[i], &out), last = INFINITY;
        for (int64_t j = 0; j < x.d; j++) {
            double moments[3];
            centred_moments(&x, s + j * x.n, moments);
            assert_true(fabs(moments[0] - 1.0) <= EXACT);
            assert_true(moments[1] >= 0.0);
            assert_true(moments[2] <= last);
            last = moments[2];
        }
        free(s);
    }
    sample_free(&x);
}

static void test_apply_keeps_segment_means(void **state)
{
    ica_result out;
    sample x = sample_new(42, ONE_SIDED, 5, 300, 2);
    double *s = unmixed(*state, &x, x.z, UNMIX_JOINT_DIAGONALISATION, &out);
    for (int64_t j = 0; j < 2; j++) {
        double pooled = 0.0, between = 0.0;
        for (int64_t e = 0; e < x.segments; e++) {
            double mean = 0.0;
            for (int64_t i = x.start[e]; i < x.start[e + 1]; i++) {
                mean += s[i + j * x.n] / 300.0;
            }
            pooled += mean / 5.0;
            between += mean * mean / 5.0;
        }
        assert_true(fabs(pooled) <= EXACT);
        assert_true(between > 0.01); /* means of one-sided sources move with their scales */
    }
    free(s);
    sample_free(&x);
}

static void test_whitening(void **state)
{
    fixture *f = *state;
    sample x = sample_new(43, LAPLACE, 4, 100, 3);
    double white[9], scale[3], *y = get(x.n * 3, sizeof *y);
    assert_int_equal(
        ica_whiten(f->ctx, &f->scratch, matrix_view(x.z, x.n, 3), x.segments, x.start, NULL, y, scale, white),
        NONSENS_OK);
    ica_apply(matrix_view(x.z, x.n, 3), white, matrix_view(y, x.n, 3));
    for (int64_t j = 0; j < 3; j++) {
        for (int64_t k = 0; k < 3; k++) {
            double *sum = get(x.n, sizeof *sum), both[3], one[3], other[3];
            for (int64_t i = 0; i < x.n; i++) {
                sum[i] = y[i + x.n * j] + y[i + x.n * k];
            }
            centred_moments(&x, sum, both);
            centred_moments(&x, y + x.n * j, one);
            centred_moments(&x, y + x.n * k, other);
            double covariance = 0.5 * (both[0] - one[0] - other[0]);
            assert_true(fabs(covariance - (j == k ? 1.0 : 0.0)) <= EXACT);
            free(sum);
        }
    }
    free(y);
    sample_free(&x);
}

/* ---- objectives ---------------------------------------------------------------------------------------------- */

/* Pham's estimating equations: the average over segments of C_jk / C_jj vanishes for all j != k. */
static void test_joint_diagonalisation_is_stationary(void **state)
{
    enum { D = 4 };
    ica_result out;
    sample x = sample_new(51, CORRELATED, 7, 120, D);
    double *s = unmixed(*state, &x, x.z, UNMIX_JOINT_DIAGONALISATION, &out);
    double equation[D][D] = {{0.0}};
    for (int64_t e = 0; e < x.segments; e++) {
        double mean[D] = {0.0}, c[D][D] = {{0.0}}, rows = (double)(x.start[e + 1] - x.start[e]);
        for (int64_t i = x.start[e]; i < x.start[e + 1]; i++) {
            for (int j = 0; j < D; j++) {
                mean[j] += s[i + x.n * j] / rows;
            }
        }
        for (int64_t i = x.start[e]; i < x.start[e + 1]; i++) {
            for (int j = 0; j < D; j++) {
                for (int k = 0; k < D; k++) {
                    c[j][k] += (s[i + x.n * j] - mean[j]) * (s[i + x.n * k] - mean[k]) / rows;
                }
            }
        }
        for (int j = 0; j < D; j++) {
            for (int k = 0; k < D; k++) {
                equation[j][k] += rows / (double)x.n * c[j][k] / c[j][j];
            }
        }
    }
    for (int j = 0; j < D; j++) {
        for (int k = 0; k < D; k++) {
            assert_true(j == k || fabs(equation[j][k]) <= STATIONARY);
        }
    }
    assert_true(out.objective > 0.0 && out.objective < 0.1);
    free(s);
    sample_free(&x);
}

/* Proportional variances identify nothing for joint diagonalisation: its gap shows this, that of entropy does not. */
static void test_gap_shows_missing_identification(void **state)
{
    ica_result blind, seeing;
    sample x = sample_new(52, LAPLACE, 8, 400, 2);
    rng r = rng_new(52, RNG_TEST, 99);
    for (int64_t e = 0; e < x.segments; e++) {
        for (int64_t i = x.start[e]; i < x.start[e + 1]; i++) {
            double first = (1.0 + (double)e) * rng_laplace(&r), second = (1.0 + (double)e) * rng_laplace(&r);
            x.z[i] = first + 0.3 * second;
            x.z[i + x.n] = second - 0.5 * first;
        }
    }
    free(unmixed(*state, &x, x.z, UNMIX_JOINT_DIAGONALISATION, &blind));
    free(unmixed(*state, &x, x.z, UNMIX_ENTROPY, &seeing));
    assert_true(blind.contrast_gap < 5.0 * (double)x.segments);
    assert_true(seeing.contrast_gap > 100.0);
    sample_free(&x);
}

/* Unit-variance Laplace: H = 1 + log(2 / sqrt 2) nats each. */
static void test_entropy_objective_in_nats(void **state)
{
    ica_result out;
    sample x = sample_new(53, LAPLACE, 1, 8000, 2);
    free(unmixed(*state, &x, x.z, UNMIX_ENTROPY, &out));
    assert_true(fabs(out.objective - 2.0 * (1.0 + 0.5 * log(2.0))) < ENTROPY_BIAS);
    sample_free(&x);
}

/* The formulae at the top of score_matching.c, written out for d = 2, one statistic and a general w. */
static double plain_objective(const sample *x, const double *y, double c, const double *w, double ridge)
{
    double total = 0.0;
    for (int64_t e = 0; e < x->segments; e++) {
        double rows = (double)(x->start[e + 1] - x->start[e]), b[2] = {0, 0}, m[2][2] = {{0, 0}, {0, 0}};
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 2; k++) {
                double inner = w[j] * w[k] + w[j + 2] * w[k + 2];
                m[j][k] = j == k ? ridge : 0.0;
                for (int64_t i = x->start[e]; i < x->start[e + 1]; i++) {
                    double sj = w[j] * y[i] + w[j + 2] * y[i + x->n], sk = w[k] * y[i] + w[k + 2] * y[i + x->n];
                    m[j][k] += inner * tanh(c * sj) * tanh(c * sk) / rows;
                    b[j] += j == k ? inner * c / (cosh(c * sj) * cosh(c * sj)) / rows : 0.0;
                }
            }
        }
        double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
        double first = -(m[1][1] * b[0] - m[0][1] * b[1]) / determinant;
        double second = -(m[0][0] * b[1] - m[1][0] * b[0]) / determinant;
        double quadratic = first * first * m[0][0] + 2.0 * first * second * m[0][1] + second * second * m[1][1];
        total += rows / (double)x->n * (b[0] * first + b[1] * second + 0.5 * quadratic);
    }
    return total;
}

static void test_score_objective_against_plain_formula(void **state)
{
    const double w[4] = {0.9, -0.4, 0.3, 1.2}, ridge = 1e-6;
    fixture *f = *state;
    sample x = sample_new(61, LAPLACE, 4, 50, 2);
    ica_data data = {.n = x.n, .d = 2, .segments = x.segments, .start = x.start, .y = x.s};
    ica_score_model model;
    assert_int_equal(ica_score_new(f->ctx, &f->scratch, &data, ica_family_of(STATISTIC_LOG_COSH), 2.0, &model),
                     NONSENS_OK);
    double value = ica_score_objective(&model, w, NULL), plain = plain_objective(&x, x.s, model.sharpness, w, ridge);
    assert_true(fabs(value - plain) <= EXACT * fabs(plain));
    sample_free(&x);
}

/* Both slopes and the location of the corner are fitted, wherever the rows lie: the same sources after a shift. */
static void test_place_is_fitted(void **state)
{
    fixture *f = *state;
    sample x = sample_new(64, LAPLACE, 5, 400, 2);
    ica_options how = ica_options_for(UNMIX_SCORE_MATCHING);
    ica_result plain, shifted;
    how.statistic = STATISTIC_ASYMMETRIC;
    for (int64_t i = 0; i < x.n; i++) { /* a corner away from the mean: one side is twice as long as the other */
        for (int64_t j = 0; j < 2; j++) {
            x.s[i + x.n * j] *= x.s[i + x.n * j] > 0.0 ? 2.0 : 1.0;
        }
        x.z[i] = x.s[i] + 0.4 * x.s[i + x.n];
        x.z[i + x.n] = x.s[i + x.n] - 0.3 * x.s[i];
    }
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 2), x.segments, x.start, &how, &plain),
                     NONSENS_OK);
    double *s = get(x.n * 2, sizeof *s);
    ica_apply(matrix_view(x.z, x.n, 2), plain.unmix, matrix_view(s, x.n, 2));
    assert_true(recovery(x.n, 2, x.s, s) >= RECOVERED);
    for (int64_t i = 0; i < 2 * x.n; i++) {
        x.z[i] += i < x.n ? 50.0 : -7.0;
    }
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 2), x.segments, x.start, &how, &shifted),
                     NONSENS_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(plain.unmix[i] - shifted.unmix[i]) <= 1e-5 * (1.0 + fabs(plain.unmix[i])));
    }
    free(s);
    sample_free(&x);
}

/* The statistic is chosen on held-out rows, is the same for any number of threads, and recovers the sources. */
static void test_statistic_is_chosen(void **state)
{
    fixture *f = *state;
    sample x = sample_new(65, LAPLACE, 5, 400, 3);
    ica_options how = ica_options_for(UNMIX_SCORE_MATCHING);
    ica_result one, two;
    how.statistic = STATISTIC_AUTO;
    how.starts = 3;
    how.threads = 1;
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 3), x.segments, x.start, &how, &one),
                     NONSENS_OK);
    how.threads = 2;
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 3), x.segments, x.start, &how, &two),
                     NONSENS_OK);
    assert_true(one.statistic != STATISTIC_AUTO && one.statistic == two.statistic && one.sharpness == two.sharpness);
    assert_memory_equal(one.unmix, two.unmix, 9 * sizeof(double));
    double *s = get(x.n * 3, sizeof *s);
    ica_apply(matrix_view(x.z, x.n, 3), one.unmix, matrix_view(s, x.n, 3));
    assert_true(recovery(x.n, 3, x.s, s) >= RECOVERED);
    free(s);
    sample_free(&x);
}

/* Other units, signs or mixtures of the same rows give the same halves, the same statistic and the same sources. */
static void test_choice_does_not_see_the_basis(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const double b[3][3] = {{1e3, 0.0, 2.0}, {0.0, -1e-2, 0.001}, {0.5, 0.0, -0.3}};
        sample x = sample_new(seed, LAPLACE, 3, 40, 3);
        double *z = get(x.n * 3, sizeof *z), *s = get(x.n * 3, sizeof *s), *t = get(x.n * 3, sizeof *t);
        ica_options how = ica_options_for(UNMIX_SCORE_MATCHING);
        ica_result plain, mixed;
        how.statistic = STATISTIC_AUTO;
        for (int64_t i = 0; i < 3 * x.n; i++) {
            for (int64_t k = 0; k < 3; k++) {
                z[i] += b[i / x.n][k] * x.z[i % x.n + k * x.n];
            }
        }
        matrix from = matrix_view(x.z, x.n, 3), to = matrix_view(z, x.n, 3);
        assert_int_equal(ica_unmix(f->ctx, &f->scratch, from, x.segments, x.start, &how, &plain), NONSENS_OK);
        assert_int_equal(ica_unmix(f->ctx, &f->scratch, to, x.segments, x.start, &how, &mixed), NONSENS_OK);
        assert_int_equal(plain.statistic, mixed.statistic);
        ica_apply(from, plain.unmix, matrix_view(s, x.n, 3));
        ica_apply(to, mixed.unmix, matrix_view(t, x.n, 3));
        for (int64_t i = 0; i < 3 * x.n; i++) {
            assert_true(fabs(s[i] - t[i]) <= 1e-4);
        }
        free(z);
        free(s);
        free(t);
        sample_free(&x);
    }
}

/* If means change over segments, order and signs of sources are those of the moments that the result refers to. */
static void test_order_and_sign_of_every_algorithm(void **state)
{
    static const enum option_unmixing every[] = {UNMIX_JOINT_DIAGONALISATION, UNMIX_SCORE_MATCHING, UNMIX_ENTROPY,
                                                 UNMIX_FASTICA, UNMIX_INFOMAX};
    fixture *f = *state;
    sample x = sample_new(67, LAPLACE, 4, 300, 2);
    double *s = get(x.n * 2, sizeof *s);
    for (int64_t i = 0; i < x.n; i++) {
        x.z[i] += i < x.n / 2 ? 30.0 : 0.0;
    }
    for (int k = 0; k < 10; k++) {
        ica_options how = ica_options_for(every[k / 2]);
        ica_result out;
        double moments[2][3];
        how.whitening = k % 2 ? WHITENING_TOTAL : WHITENING_WITHIN;
        assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 2), x.segments, x.start, &how, &out),
                         NONSENS_OK);
        ica_apply(matrix_view(x.z, x.n, 2), out.unmix, matrix_view(s, x.n, 2));
        assert_int_equal(out.is_inside, k % 2 == 0 || k / 2 < 3);
        sample rows = x;
        int64_t whole[2] = {0, x.n};
        rows.segments = out.is_inside ? x.segments : 1;
        rows.start = out.is_inside ? x.start : whole;
        for (int j = 0; j < 2; j++) {
            centred_moments(&rows, s + j * x.n, moments[j]);
            assert_true(fabs(moments[j][0] - 1.0) <= EXACT && moments[j][1] >= -EXACT);
        }
        assert_true(moments[0][2] >= moments[1][2] - EXACT);
    }
    free(s);
    sample_free(&x);
}

/* Rows of full rank as a whole but not inside segments are refused, whichever covariance whitens. */
static void test_rank_inside_segments(void **state)
{
    fixture *f = *state;
    sample x = sample_new(68, LAPLACE, 3, 60, 2);
    ica_options how = ica_options_for(UNMIX_SCORE_MATCHING);
    ica_result out;
    how.whitening = WHITENING_TOTAL;
    for (int64_t i = 0; i < x.n; i++) {
        x.z[i + x.n] = x.z[i] + (double)(i / 60);
    }
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 2), 3, x.start, &how, &out),
                     NONSENS_ERR_NUMERIC);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "linearly dependent"));
    how = ica_options_for(UNMIX_FASTICA); /* ignores segments, and without them these rows have full rank */
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 2), 3, x.start, &how, &out), NONSENS_OK);
    sample_free(&x);
}

/* Ten and fifty sources in twenty segments of 1,000 rows: the descent alone, from the rotation of the covariances. */
static void test_recovers_fifty(void **state)
{
    static const enum option_unmixing both[] = {UNMIX_SCORE_MATCHING, UNMIX_JOINT_DIAGONALISATION};
    fixture *f = *state;
    for (int64_t d = 10; d <= 50; d += 40) {
        sample x = sample_new(66, LAPLACE, 20, 1000, d);
        for (int k = 0; k < 2; k++) {
            ica_result out;
            int64_t match[50];
            double correlation_found, *s = unmixed(f, &x, x.z, both[k], &out);
            assert_int_equal(ica_mean_correlation(f->ctx, &f->scratch, matrix_view(x.s, x.n, d), matrix_view(s, x.n, d),
                                                  match, &correlation_found),
                             NONSENS_OK);
            print_message("%d sources, %s: mean correlation %.4f\n", (int)d,
                          k ? "joint diagonalisation" : "score matching", correlation_found);
            assert_true(correlation_found >= 0.97 && out.converged);
            free(s);
        }
        sample_free(&x);
    }
}

static const enum option_statistic STATISTICS[] = {STATISTIC_LOG_COSH,      STATISTIC_SMOOTH_ABS, STATISTIC_ASYMMETRIC,
                                                   STATISTIC_GAUSSIAN_BASE, STATISTIC_TWO,        STATISTIC_THREE};
enum { STATISTIC_COUNT = sizeof STATISTICS / sizeof *STATISTICS };

/* Compares every derivative of every statistic with differences of the one before it; q itself is not needed. */
static void test_statistics_by_differences(void **state)
{
    const double at[] = {-2.5, -0.7, -0.1, 0.0, 0.05, 0.4, 1.3}, step = 1e-5;
    enum { POINTS = 7, ALL_VALUES = POINTS * STATISTICS_MAX };
    (void)state;
    for (int k = 0; k < STATISTIC_COUNT; k++) {
        const ica_family *family = ica_family_of(STATISTICS[k]);
        double above[POINTS], below[POINTS], v[3][3][ALL_VALUES];
        for (int i = 0; i < POINTS; i++) {
            above[i] = at[i] + step;
            below[i] = at[i] - step;
        }
        const double *place[3] = {below, at, above};
        for (int p = 0; p < 3; p++) {
            ica_derivatives q = {v[p][0], v[p][1], v[p][2]};
            ica_family_derivatives(family, family->sharpness, POINTS, place[p], &q);
        }
        for (int i = 0; i < POINTS * family->count; i++) {
            for (int order = 0; order < 2; order++) {
                double slope = (v[2][order][i] - v[0][order][i]) / (2.0 * step);
                assert_true(fabs(slope - v[1][order + 1][i]) <= GRADIENT_ERROR * (1.0 + fabs(slope)));
            }
        }
    }
}

/* Families with a separate slope on each side get two-sided sources; one-sided ones would not distinguish them. */
static void check_gradient(fixture *f, int64_t d, enum option_statistic statistic)
{
    sample x = sample_new(62, ica_family_of(statistic)->located ? LAPLACE : ONE_SIDED, 5, 60, d);
    rng r = rng_new(62, RNG_TEST, 7);
    ica_data data = {.n = x.n, .d = d, .segments = x.segments, .start = x.start, .y = x.s};
    ica_score_model model;
    double w[16], gradient[16], unused[16], largest = 0.0;
    for (int64_t i = 0; i < d * d; i++) {
        w[i] = rng_normal(&r);
    }
    assert_int_equal(ica_score_new(f->ctx, &f->scratch, &data, ica_family_of(statistic), 1.0, &model), NONSENS_OK);
    ica_score_objective(&model, w, gradient);
    for (int64_t i = 0; i < d * d; i++) {
        largest = fmax(largest, fabs(gradient[i]));
    }
    assert_true(largest > 0.01);
    for (int64_t i = 0; i < d * d; i++) {
        const double step = 1e-5, here = w[i];
        w[i] = here + step;
        double above = ica_score_objective(&model, w, unused);
        w[i] = here - step;
        double below = ica_score_objective(&model, w, NULL);
        w[i] = here;
        assert_true(fabs((above - below) / (2.0 * step) - gradient[i]) <= GRADIENT_ERROR * largest);
    }
    sample_free(&x);
}

static void test_score_gradient_by_differences(void **state)
{
    for (int64_t d = 1; d <= 4; d++) {
        for (int k = 0; k < STATISTIC_COUNT; k++) {
            check_gradient(*state, d, STATISTICS[k]);
        }
    }
}

/* Checks the descent's own objective by differences, and against the general one at the same rotation. */
static void check_rotation_gradient(fixture *f, enum option_statistic statistic)
{
    enum { D = 3, PARAMETERS = 6 };
    const ica_family *family = ica_family_of(statistic);
    sample x = sample_new(63, LAPLACE, 4, 80, D);
    double mean[4 * D] = {0.3, -0.2, 0.1, 0.4, -0.5, 0.2, 0.0, 0.1, 0.2, -0.1, 0.6, -0.3},
                    eye[D * D] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double location[D] = {0.2, -0.1, 0.3}, at[PARAMETERS] = {0.3, -0.2, 0.4, 0.1, -0.3, 0.2};
    double gradient[PARAMETERS], unused[PARAMETERS], value, above, below;
    ica_data data = {.n = x.n, .d = D, .segments = 4, .start = x.start, .y = x.s, .mean = mean};
    ica_score_fit fit = {.rotation = eye, .location = location};
    ica_score_options how = {family, 1.5, 1};
    int64_t parameters = family->located ? PARAMETERS : PARAMETERS - D;
    assert_int_equal(ica_score_slope(f->ctx, &f->scratch, &data, &how, &fit, parameters, at, &value, gradient),
                     NONSENS_OK);
    for (int64_t i = 0; i < parameters; i++) {
        const double step = 1e-5, here = at[i];
        at[i] = here + step;
        ica_score_slope(f->ctx, &f->scratch, &data, &how, &fit, parameters, at, &above, unused);
        at[i] = here - step;
        ica_score_slope(f->ctx, &f->scratch, &data, &how, &fit, parameters, at, &below, unused);
        at[i] = here;
        assert_true(fabs((above - below) / (2.0 * step) - gradient[i]) <= GRADIENT_ERROR * (1.0 + fabs(gradient[i])));
    }
    if (!family->located) {
        ica_score_model model;
        memset(at, 0, sizeof at);
        ica_score_slope(f->ctx, &f->scratch, &data, &how, &fit, parameters, at, &value, gradient);
        assert_int_equal(ica_score_new(f->ctx, &f->scratch, &data, family, 1.5, &model), NONSENS_OK);
        assert_true(fabs(ica_score_objective(&model, eye, NULL) - value) <= EXACT * fabs(value));
    }
    sample_free(&x);
}

static void test_rotation_gradient_by_differences(void **state)
{
    for (int k = 0; k < STATISTIC_COUNT; k++) {
        check_rotation_gradient(*state, STATISTICS[k]);
    }
}

/* ---- unusual shapes and failures --------------------------------------------------------------------------------- */

static void test_unequal_tiny_and_empty_segments(void **state)
{
    sample x = sample_new(71, LAPLACE, 6, 300, 2);
    const int64_t start[9] = {0, 0, 300, 302, 600, 601, 900, 900, 1800};
    int64_t *own = x.start;
    x.start = get(9, sizeof *start);
    memcpy(x.start, start, sizeof start);
    x.segments = 8;
    for (int i = 0; i < 4; i++) {
        ica_result out;
        double *s = unmixed(*state, &x, x.z, ALL[i], &out);
        assert_true(recovery(x.n, 2, x.s, s) >= 0.9); /* segment boundaries miss some changes of scale */
        free(s);
    }
    free(own);
    sample_free(&x);
}

/* A source that is constant in one segment gives no infinities, and the others are found. */
static void test_segment_without_variance(void **state)
{
    sample x = sample_new(72, LAPLACE, 6, 200, 2);
    const double a[4] = {1.0, 0.5, -0.7, 1.0};
    for (int64_t i = 0; i < 200; i++) {
        x.s[i] = 0.0;
    }
    memcpy(x.z, x.s, (size_t)(2 * x.n) * sizeof *x.z);
    double *z = get(2 * x.n, sizeof *z);
    mix(&x, a, z);
    for (int i = 0; i < 4; i++) {
        ica_result out;
        double *s = unmixed(*state, &x, z, ALL[i], &out);
        assert_true(isfinite(out.objective) && isfinite(out.contrast_gap));
        assert_true(recovery(x.n, 2, x.s, s) >= RECOVERED_ONE_SIDED);
        free(s);
    }
    free(z);
    sample_free(&x);
}

static void test_one_feature(void **state)
{
    sample x = sample_new(73, ONE_SIDED, 3, 50, 1);
    for (int i = 0; i < 4; i++) {
        ica_result out;
        double *s = unmixed(*state, &x, x.z, ALL[i], &out), moments[3];
        centred_moments(&x, s, moments);
        assert_true(out.converged && out.contrast_gap == 0.0);
        assert_true(fabs(moments[0] - 1.0) <= EXACT && fabs(fabs(correlation(x.n, s, x.s)) - 1.0) <= EXACT);
        free(s);
    }
    sample_free(&x);
}

static void assert_refused(fixture *f, const sample *x, int64_t rows, int64_t segments, enum option_unmixing algorithm,
                           const char *words)
{
    ica_result out;
    matrix z = {x->z, rows, x->d, x->n};
    ica_options how = ica_options_for(algorithm);
    assert_int_equal(ica_unmix(f->ctx, &f->scratch, z, segments, x->start, &how, &out), NONSENS_ERR_NUMERIC);
    if (!strstr(nonsens_context_message(f->ctx), words)) {
        fail_msg("'%s' does not say '%s'", nonsens_context_message(f->ctx), words);
    }
}

static void test_degenerate_input_is_named(void **state)
{
    sample x = sample_new(81, LAPLACE, 4, 100, 3);
    for (int i = 0; i < 4; i++) {
        double kept = x.z[x.n + 17];
        x.z[x.n + 17] = NAN;
        assert_refused(*state, &x, x.n, 4, ALL[i], "feature 2 is not a finite number in row 18");
        x.z[x.n + 17] = kept;
    }
    double *third = x.z + 2 * x.n;
    for (int64_t i = 0; i < x.n; i++) {
        third[i] = x.z[i] - 0.5 * x.z[i + x.n];
    }
    assert_refused(*state, &x, x.n, 4, UNMIX_JOINT_DIAGONALISATION, "linearly dependent");
    for (int64_t i = 0; i < x.n; i++) {
        third[i] = 0.1 + (double)(i / 100); /* constant inside segments, but not across them */
    }
    assert_refused(*state, &x, x.n, 4, UNMIX_SCORE_MATCHING, "feature 3 is constant");
    sample_free(&x);
}

static void test_too_few_rows_are_named(void **state)
{
    sample few = sample_new(82, LAPLACE, 1, 100, 3), small = sample_new(83, LAPLACE, 8, 4, 2);
    few.start[1] = 3;
    assert_refused(*state, &few, 3, 1, UNMIX_ENTROPY, "needs more rows");
    assert_refused(*state, &small, small.n, 8, UNMIX_ENTROPY, "at least 6 rows");
    few.start[1] = 100;
    assert_refused(*state, &few, 100, 1, UNMIX_JOINT_DIAGONALISATION, "needs two segments");
    few.start[1] = 99;
    assert_refused(*state, &few, 100, 1, UNMIX_ENTROPY, "segment bounds");
    sample_free(&few);
    sample_free(&small);
}

static void test_cancelling(void **state)
{
    fixture *f = *state;
    sample x = sample_new(84, LAPLACE, 4, 100, 2);
    for (int i = 0; i < 4; i++) {
        ica_result out;
        nonsens_context_cancel(f->ctx);
        ica_options how = ica_options_for(ALL[i]);
        assert_int_equal(ica_unmix(f->ctx, &f->scratch, matrix_view(x.z, x.n, 2), 4, x.start, &how, &out),
                         NONSENS_CANCELLED);
        context_begin(f->ctx);
    }
    sample_free(&x);
}

typedef struct unmix_call {
    sample x;
    enum option_unmixing algorithm;
} unmix_call;

static nonsens_status unmix_sample(nonsens_context *ctx, arena *a, void *state)
{
    const unmix_call *c = state;
    ica_result out;
    ica_options how = ica_options_for(c->algorithm);
    return ica_unmix(ctx, a, matrix_view(c->x.z, c->x.n, c->x.d), c->x.segments, c->x.start, &how, &out);
}

static void test_every_failing_allocation(void **state)
{
    unmix_call call = {.x = sample_new(85, LAPLACE, 4, 1000, 3)};
    for (int i = 0; i < 4; i++) {
        call.algorithm = ALL[i];
        assert_true(fail_every_allocation(*state, unmix_sample, &call) > 3);
    }
    sample_free(&call.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_recovers_laplace),
        TEST(test_recovers_one_sided),
        TEST(test_recovers_correlated_modulations),
        TEST(test_recovers_gaussian),
        TEST(test_recovers_many),
        TEST(test_recovers_without_segments),
        TEST(test_any_mixture_gives_the_same_sources),
        TEST(test_column_order_does_not_matter),
        TEST(test_extreme_units),
        TEST(test_output_is_canonical),
        TEST(test_apply_keeps_segment_means),
        TEST(test_whitening),
        TEST(test_joint_diagonalisation_is_stationary),
        TEST(test_gap_shows_missing_identification),
        TEST(test_entropy_objective_in_nats),
        TEST(test_score_objective_against_plain_formula),
        TEST(test_place_is_fitted),
        TEST(test_statistic_is_chosen),
        TEST(test_recovers_fifty),
        TEST(test_choice_does_not_see_the_basis),
        TEST(test_order_and_sign_of_every_algorithm),
        TEST(test_rank_inside_segments),
        TEST(test_statistics_by_differences),
        TEST(test_score_gradient_by_differences),
        TEST(test_rotation_gradient_by_differences),
        TEST(test_unequal_tiny_and_empty_segments),
        TEST(test_segment_without_variance),
        TEST(test_one_feature),
        TEST(test_degenerate_input_is_named),
        TEST(test_too_few_rows_are_named),
        TEST(test_cancelling),
        TEST(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
