/* test_gp.c - Gaussian-process regression against n x n matrices, scikit-learn, finite differences; limits. */
#include "base/rng.h"
#include "fixtures/gp.h"
#include "regress/gp.h"
#include "regress/gp_internal.h"
#include "regress/gp_matern.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

#define RELATIVE_POSTERIOR 1e-8 /* against explicit inverses */

static const gp_options PLAIN = {.threads = 1};

typedef struct rows {
    int64_t n, d;
    double *x[3], *y;
} rows;

static void assert_close(double a, double b, double tolerance, const char *what)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%s: %.15g is not %.15g", what, a, b);
    }
}

static double *draw(fixture *f, int64_t n, uint64_t stream)
{
    double *v = fixture_doubles(f, n);
    rng r = rng_new(17, RNG_TEST, stream);
    for (int64_t i = 0; i < n; i++) {
        v[i] = rng_normal(&r);
    }
    return v;
}

static gp_fit fit_columns(fixture *f, int64_t n, int64_t d, const double *const *x, const double *y, gp_options options)
{
    gp_fit fit;
    column_set set = {n, d, x};
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &set, y, &options, &fit), NONSENS_OK);
    for (int64_t i = 0; i < n; i++) {
        assert_true(isfinite(fit.mean[i]) && isfinite(fit.residual[i]) && isfinite(fit.variance[i]));
        assert_true(fit.variance[i] >= 0.0);
        assert_true(!fit.left_out || isfinite(fit.left_out[i]));
    }
    assert_true(isfinite(fit.log_likelihood) && isfinite(fit.noise) && isfinite(fit.signal));
    return fit;
}

static gp_fit fit_line(fixture *f, int64_t n, const double *x, const double *y, gp_options options)
{
    return fit_columns(f, n, 1, (const double *const[]){x}, y, options);
}

static double mean_square(int64_t n, const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i] * v[i] / (double)n;
    }
    return sum;
}

static void check_order(fixture *f, int64_t n, int64_t d, double **x, double *y, gp_options o)
{
    int64_t *order = arena_get(f->ctx, &f->scratch, n, sizeof *order);
    const double *shuffled[4];
    double *v = fixture_doubles(f, n);
    rng r = rng_new(1, RNG_TEST, 9);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
    }
    rng_shuffle(&r, n, order);
    for (int64_t j = 0; j <= d; j++) {
        double *to = j < d ? fixture_doubles(f, n) : v;
        for (int64_t i = 0; i < n; i++) {
            to[i] = (j < d ? x[j] : y)[order[i]];
        }
        shuffled[j] = to;
    }
    gp_fit plain = fit_columns(f, n, d, (const double *const *)x, y, o);
    o.threads = 3;
    gp_fit other = fit_columns(f, n, d, shuffled, v, o);
    assert_true(plain.log_likelihood == other.log_likelihood);
    for (int64_t i = 0; i < n; i++) {
        assert_true(other.mean[i] == plain.mean[order[i]] && other.variance[i] == plain.variance[order[i]]);
    }
}

/* ---- oracles ----------------------------------------------------------------------------------------------- */

static const struct gp_case *case_at(size_t i)
{
    return i < sizeof gp_cases / sizeof *gp_cases ? gp_cases + i : NULL;
}

static void check_given(fixture *f, const struct gp_case *c)
{
    gp_hyper held = {.signal = c->signal, .noise = c->noise, .length = c->length};
    gp_options o = {.threads = 1, .leave_one_out = true, .held = &held};
    gp_fit fit = fit_columns(f, c->n, c->d, c->x, c->y, o);
    assert_close(fit.log_likelihood, c->log_likelihood, 1e-9 * c->n, c->name);
    assert_close(fit.noise, c->noise, 1e-14, c->name);
    for (int64_t i = 0; i < c->n; i++) {
        assert_close(fit.mean[i], c->mean[i], RELATIVE_POSTERIOR, c->name);
        assert_close(fit.residual[i], c->y[i] - c->mean[i], RELATIVE_POSTERIOR, c->name);
        assert_close(fit.variance[i], c->variance[i], RELATIVE_POSTERIOR, c->name);
        assert_close(fit.left_out[i], c->left_out[i], RELATIVE_POSTERIOR, c->name);
    }
}

static void test_given_hyper_parameters(void **state)
{
    for (size_t i = 0; case_at(i); i++) {
        check_given(*state, case_at(i));
    }
}

static void test_learnt_hyper_parameters(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; case_at(i); i++) {
        const struct gp_case *c = case_at(i);
        gp_fit fit = fit_columns(f, c->n, c->d, c->x, c->y, PLAIN);
        assert_true(fit.converged);
        assert_close(fit.log_likelihood, c->best, 1e-3, c->name);
        assert_close(log(fit.signal / c->fitted[0]), 0.0, 0.05, c->name);
        assert_close(log(fit.noise / c->fitted[c->d + 1]), 0.0, 0.05, c->name);
        for (int64_t j = 0; j < c->d; j++) {
            assert_close(log(fit.length[j] / c->fitted[1 + j]), 0.0, j == 0 ? 0.02 : 0.05, c->name);
        }
    }
}

/* ---- state space ------------------------------------------------------------------------------------------- */

/* Two steps make one: A(z + w) = A(z) A(w), Q(z + w) = A(w) Q(z) A(w)' + Q(w), to many digits for steps of any size. */
static void test_steps_compose(void **state)
{
    (void)state;
    for (double z = 1e-9; z < 40.0; z *= 1.7) {
        double w = 0.37 * z, a[3][3], b[3][3], both[3][3], q[3][3], p[3][3], all[3][3];
        gp_matern_transition(z, a);
        gp_matern_transition(w, b);
        gp_matern_transition(z + w, both);
        gp_matern_noise(z, exp(-2.0 * z), q);
        gp_matern_noise(w, exp(-2.0 * w), p);
        gp_matern_noise(z + w, exp(-2.0 * (z + w)), all);
        for (int i = 0; i < GP_ORDER; i++) {
            for (int j = i; j < GP_ORDER; j++) {
                double step = 0.0, noise = p[i][j], size = fabs(p[i][j]);
                for (int k = 0; k < GP_ORDER; k++) {
                    step += b[i][k] * a[k][j];
                    for (int l = 0; l < GP_ORDER; l++) {
                        double part = b[i][k] * (k < l ? q[k][l] : q[l][k]) * b[j][l];
                        noise += part;
                        size += fabs(part);
                    }
                }
                assert_close(step, both[i][j], 1e-14, "transition");
                assert_close(noise, all[i][j], 1e-12 * size, "process noise");
            }
        }
    }
}

static void test_stationary(void **state)
{
    (void)state;
    double q[3][3];
    gp_matern_noise(60.0, exp(-120.0), q);
    for (int i = 0; i < GP_ORDER; i++) {
        for (int j = i; j < GP_ORDER; j++) {
            assert_close(q[i][j], gp_matern_stationary(i, j), 1e-15, "stationary covariance");
        }
    }
}

/* Makes a sequence with ties, tiny and wide steps. */
static gp_sequence uneven_sequence(fixture *f, int64_t n)
{
    gp_sequence q;
    double *x = fixture_doubles(f, n), *y = draw(f, n, 3), *step = draw(f, n, 4);
    for (int64_t i = 1; i < n; i++) {
        x[i] = x[i - 1] + (i % 4 == 0 ? 0.0 : i % 4 == 1 ? 1e-7 : 0.2 * fabs(step[i]));
    }
    assert_int_equal(gp_sequence_new(f->ctx, &f->scratch, n, x, y, &q), NONSENS_OK);
    return q;
}

static void test_gradient(void **state)
{
    fixture *f = *state;
    static const double THETA[3][GP_LINE_PARAMETERS] = {{0.3, -0.2, -1.5}, {-0.4, 0.5, -0.3}, {0.3, -1.2, -1.0}};
    gp_sequence q = uneven_sequence(f, 80);
    assert_true(q.n == 61 && q.within > 0.0);
    for (int k = 0; k < 3; k++) {
        gp_track t;
        double g[GP_LINE_PARAMETERS];
        assert_int_equal(gp_track_new(f->ctx, &f->scratch, &q, &t), NONSENS_OK);
        gp_line_likelihood(&t, THETA[k], g, NULL);
        for (int i = 0; i < GP_LINE_PARAMETERS; i++) {
            double theta[GP_LINE_PARAMETERS], h = 1e-4;
            memcpy(theta, THETA[k], sizeof theta);
            theta[i] += h;
            double above = gp_line_likelihood(&t, theta, NULL, NULL);
            theta[i] -= 2.0 * h;
            double below = gp_line_likelihood(&t, theta, NULL, NULL);
            assert_close(g[i], (above - below) / (2.0 * h), 1e-5, "gradient");
        }
    }
}

/* ---- several regressors ------------------------------------------------------------------------------------ */

/* Draws two waves over three regressors, the last of which is irrelevant. */
static rows hilly(fixture *f, int64_t n)
{
    rows c = {.n = n, .d = 3, .x = {draw(f, n, 5), draw(f, n, 6), draw(f, n, 7)}, .y = draw(f, n, 8)};
    for (int64_t i = 0; i < n; i++) {
        c.y[i] = sin(2.0 * c.x[0][i]) + 0.5 * c.x[1][i] * c.x[1][i] + 0.3 * c.y[i];
    }
    return c;
}

static column_set columns_of(const rows *c)
{
    return (column_set){c->n, c->d, (const double *const *)c->x};
}

static const double HILLY[5] = {0.2, 0.3, 0.6, 1.5, -1.6}; /* theta */

static void check_slopes(double (*value)(void *, const double *, double *), void *what, const double *at, int count)
{
    double g[8];
    value(what, at, g);
    for (int i = 0; i < count; i++) {
        double theta[8], h = 1e-4;
        memcpy(theta, at, (size_t)count * sizeof *theta);
        theta[i] += h;
        double above = value(what, theta, NULL);
        theta[i] -= 2.0 * h;
        double below = value(what, theta, NULL);
        assert_close(g[i], (above - below) / (2.0 * h), 1e-4, "gradient");
    }
}

static double exact_value(void *state, const double *theta, double *gradient)
{
    return gp_exact_likelihood(state, theta, gradient);
}

static double bound_value(void *state, const double *theta, double *gradient)
{
    return gp_low_rank_bound(state, theta, gradient);
}

static void test_gradient_of_several(void **state)
{
    fixture *f = *state;
    rows c = hilly(f, 101);
    column_set x = columns_of(&c);
    gp_exact e;
    gp_low_rank r;
    assert_int_equal(gp_exact_new(f->ctx, &f->scratch, &x, c.y, &e), NONSENS_OK);
    check_slopes(exact_value, &e, HILLY, 5);
    assert_int_equal(gp_low_rank_new(f->ctx, &f->scratch, &x, c.y, 15, &r), NONSENS_OK);
    assert_int_equal(gp_choose_inducing(f->ctx, &f->scratch, &x, HILLY, 15, &r.z), NONSENS_OK);
    assert_int_equal(r.z.n, 15);
    check_slopes(bound_value, &r, HILLY, 5);
}

/* The bound is below the likelihood, grows with the number of inducing points, and finally reaches it. */
static void test_bound(void **state)
{
    fixture *f = *state;
    rows c = hilly(f, 101);
    column_set x = columns_of(&c);
    gp_exact e;
    assert_int_equal(gp_exact_new(f->ctx, &f->scratch, &x, c.y, &e), NONSENS_OK);
    double likelihood = gp_exact_likelihood(&e, HILLY, NULL), before = -INFINITY;
    for (int64_t most = 10; most <= 101; most += 13) {
        gp_low_rank r;
        assert_int_equal(gp_low_rank_new(f->ctx, &f->scratch, &x, c.y, most, &r), NONSENS_OK);
        assert_int_equal(gp_choose_inducing(f->ctx, &f->scratch, &x, HILLY, most, &r.z), NONSENS_OK);
        double bound = gp_low_rank_bound(&r, HILLY, NULL);
        assert_true(bound >= before - 1e-9 && bound < likelihood + 1e-6);
        before = bound;
    }
    assert_close(before, likelihood, 1e-2, "bound with all rows");
}

/* With as many inducing points as rows, the low-rank form is exact. */
static void test_low_rank_of_full_rank(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; case_at(i); i++) {
        const struct gp_case *c = case_at(i);
        gp_hyper held = {.signal = c->signal, .noise = c->noise, .length = c->length};
        gp_options o = {.threads = 1, .leave_one_out = true, .held = &held, .exact_max = 1, .inducing = 1000};
        if (c->d == 1) {
            continue;
        }
        gp_fit fit = fit_columns(f, c->n, c->d, c->x, c->y, o);
        assert_string_equal(fit.form, "low rank");
        assert_close(fit.log_likelihood, c->log_likelihood, 1e-3, "bound");
        for (int64_t k = 0; k < c->n; k++) {
            assert_close(fit.mean[k], c->mean[k], 1e-4, "mean");
            assert_close(fit.variance[k], c->variance[k], 1e-4, "variance");
            assert_close(fit.left_out[k], c->left_out[k], 1e-3, "left out");
        }
    }
}

static void test_low_rank_finds_the_function(void **state)
{
    fixture *f = *state;
    rows c = hilly(f, 3000);
    gp_fit fit = fit_columns(f, c.n, c.d, (const double *const *)c.x, c.y, (gp_options){.threads = 1});
    assert_string_equal(fit.form, "low rank");
    assert_close(fit.noise, 0.09, 0.01, "noise");
    assert_true(fit.length[2] > 20.0 * fit.length[0]);
    double *rest = fixture_doubles(f, c.n);
    for (int64_t i = 0; i < c.n; i++) {
        rest[i] = fit.mean[i] - sin(2.0 * c.x[0][i]) - 0.5 * c.x[1][i] * c.x[1][i];
    }
    assert_true(mean_square(c.n, rest) < 0.002);
}

/* Blocks of rows run as jobs. */
static void test_many_rows_of_several(void **state)
{
    fixture *f = *state;
    rows c = hilly(f, 70000);
    gp_hyper held = {.signal = 2.0, .noise = 0.1, .length = (const double[]){2.0, 3.0, 50.0}};
    gp_options o = {.threads = 1, .held = &held, .inducing = 30};
    gp_fit one = fit_columns(f, c.n, c.d, (const double *const *)c.x, c.y, o);
    o.threads = 2;
    gp_fit two = fit_columns(f, c.n, c.d, (const double *const *)c.x, c.y, o);
    assert_close(mean_square(c.n, one.residual), 0.09, 0.02, "residuals");
    assert_true(one.log_likelihood == two.log_likelihood);
    assert_memory_equal(one.mean, two.mean, (size_t)c.n * sizeof *one.mean);
}

static void test_order_of_several(void **state)
{
    rows few = hilly(*state, 120), more = hilly(*state, 700);
    for (int64_t i = 0; i < 700; i += 2) {
        more.x[0][i] = round(more.x[0][i]);
        more.x[1][i] = round(more.x[1][i]);
    }
    check_order(*state, few.n, few.d, few.x, few.y, PLAIN);
    check_order(*state, more.n, more.d, more.x, more.y, PLAIN);
}

static void test_limits_of_several(void **state)
{
    fixture *f = *state;
    for (int64_t n = 1; n <= 6; n++) {
        rows c = hilly(f, n);
        gp_options o = {.threads = 1, .leave_one_out = true, .exact_max = n % 2 == 0 ? 1 : 500};
        fit_columns(f, n, 3, (const double *const *)c.x, c.y, o);
        fit_columns(f, n, 3, (const double *const *)c.x, c.x[0], o);
    }
    for (int low = 0; low <= 1; low++) {
        rows c = hilly(f, 150);
        gp_options o = {.threads = 1, .leave_one_out = true, .exact_max = low ? 1 : 500};
        for (int64_t i = 0; i < 75; i++) { // every row occurs twice; then some rows are far away
            c.x[0][75 + i] = c.x[0][i], c.x[1][75 + i] = c.x[1][i], c.x[2][75 + i] = c.x[2][i];
        }
        fit_columns(f, c.n, 3, (const double *const *)c.x, c.y, o);
        c.x[0][5] = 1e6, c.y[7] = -1e6, c.x[2][7] = 1e6, c.x[0][8] = 1e300;
        fit_columns(f, c.n, 3, (const double *const *)c.x, c.y, o);
        fit_columns(f, c.n, 2, (const double *const[]){c.x[0], c.x[0]}, c.y, o);
        for (int64_t i = 0; i < c.n; i++) { // no noise
            c.y[i] = c.x[1][i] + 1e12;
        }
        gp_fit fit = fit_columns(f, c.n, 3, (const double *const *)c.x, c.y, o);
        assert_true(mean_square(c.n, fit.residual) < 1e-4);
    }
}

static void test_noise_of_several(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        enum { N = 120 };
        double *y = draw(f, N, 200 + seed);
        const double *x[2] = {draw(f, N, 300 + seed), draw(f, N, 400 + seed)};
        gp_fit fit = fit_columns(f, N, 2, x, y, (gp_options){.threads = 1, .exact_max = seed % 2 ? 500 : 60});
        assert_true(mean_square(N, fit.residual) > 0.8 * mean_square(N, y));
    }
}

/* ---- the minimiser ----------------------------------------------------------------------------------------- */

static double valley(void *state, const double *v, double *g)
{
    int *calls = state;
    double a = 1.0 - v[0], b = v[1] - v[0] * v[0];
    ++*calls;
    if (g) {
        g[0] = -2.0 * a - 400.0 * v[0] * b;
        g[1] = 200.0 * b;
    }
    return v[0] > 1.7 ? INFINITY : a * a + 100.0 * b * b;
}

static void test_minimiser(void **state)
{
    fixture *f = *state;
    const double lower[2] = {-3.0, -3.0}, free_upper[2] = {3.0, 3.0}, tight_upper[2] = {0.5, 3.0};
    for (int tight = 0; tight <= 1; tight++) {
        for (int measure = 0; measure <= 1; measure++) {
            int calls = 0;
            double theta[2] = {-1.2, 1.0}, end = tight ? 0.5 : 1.0;
            gp_box box = {2, lower, tight ? tight_upper : free_upper};
            gp_climb_options how = {.max_iterations = 100, .tolerance = 1e-12, .measure_curvature = measure};
            gp_climb_result r;
            assert_int_equal(gp_climb(f->ctx, &f->scratch, &box, valley, &calls, &how, theta, &r), NONSENS_OK);
            assert_true(r.converged && calls < 120);
            assert_close(theta[0], end, 1e-5, "first");
            assert_close(theta[1], end * end, 1e-5, "second");
        }
    }
}

/* ---- what it finds ----------------------------------------------------------------------------------------- */

static void test_all_noise(void **state)
{
    fixture *f = *state;
    enum { N = 200, SEEDS = 20 };
    int called_noise = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        double *x = draw(f, N, 100 + 2 * seed), *y = draw(f, N, 101 + 2 * seed);
        gp_fit fit = fit_line(f, N, x, y, (gp_options){.threads = 1});
        assert_true(mean_square(N, fit.residual) > 0.8 * mean_square(N, y));
        called_noise += fit.all_noise;
    }
    assert_true(called_noise >= 19);
}

static void test_no_noise(void **state)
{
    fixture *f = *state;
    enum { N = 300 };
    double *x = draw(f, N, 1), *y = fixture_doubles(f, N);
    for (int64_t i = 0; i < N; i++) {
        y[i] = sin(3.0 * x[i]);
    }
    gp_fit fit = fit_line(f, N, x, y, PLAIN);
    assert_true(mean_square(N, fit.residual) < 1e-7 && fit.noise < 1e-7);
}

/* A fast wave on a slow one: the slow wave's length alone is a local maximum, and all that few points reveal. */
static void test_many_rows(void **state)
{
    fixture *f = *state;
    enum { N = 40000 };
    double *x = draw(f, N, 1), *y = draw(f, N, 2), *truth = fixture_doubles(f, N);
    for (int64_t i = 0; i < N; i++) {
        x[i] = (double)((i * 7919) % N) / N;
        truth[i] = sin(6.0 * x[i]) + 0.3 * sin(900.0 * x[i]);
        y[i] = truth[i] + 0.3 * y[i];
    }
    gp_fit fit = fit_line(f, N, x, y, PLAIN);
    assert_true(fit.converged && !strcmp(fit.form, "state space"));
    assert_close(fit.noise, 0.09, 0.003, "noise");
    for (int64_t i = 0; i < N; i++) {
        truth[i] -= fit.mean[i];
    }
    assert_true(mean_square(N, truth) < 0.005);
}

/* ---- invariances ------------------------------------------------------------------------------------------- */

static void wavy(fixture *f, int64_t n, double **x, double **y)
{
    *x = draw(f, n, 1);
    *y = draw(f, n, 2);
    for (int64_t i = 0; i < n; i++) {
        (*y)[i] = sin(2.0 * (*x)[i]) + 0.3 * (*y)[i];
    }
}

static void test_units(void **state)
{
    fixture *f = *state;
    enum { N = 150 };
    static const double WAYS[5][4] = {{-3.0, 2.0, 5.0, 1e3},
                                      {1e-30, 0.0, 1e30, 0.0},
                                      {1e30, 1e31, 1e-30, 1e-29},
                                      {1e-100, 0.0, 1e100, 0.0},
                                      {1.0, 1e6, 1.0, -1e6}};
    double *x, *y, *u = fixture_doubles(f, N), *v = fixture_doubles(f, N);
    wavy(f, N, &x, &y);
    gp_options o = {.threads = 1, .leave_one_out = true};
    gp_fit plain = fit_line(f, N, x, y, o);
    for (int k = 0; k < 5; k++) {
        for (int64_t i = 0; i < N; i++) {
            u[i] = WAYS[k][2] * x[i] + WAYS[k][3];
            v[i] = WAYS[k][0] * y[i] + WAYS[k][1];
        }
        gp_fit other = fit_line(f, N, u, v, o);
        assert_close(other.length[0] / fabs(WAYS[k][2]), plain.length[0], 1e-5, "length");
        assert_close(other.noise / WAYS[k][0] / WAYS[k][0], plain.noise, 1e-5, "noise");
        for (int64_t i = 0; i < N; i++) {
            assert_close(other.residual[i] / WAYS[k][0], plain.residual[i], 1e-6, "residual");
            assert_close(other.left_out[i] / WAYS[k][0], plain.left_out[i], 1e-6, "left out");
        }
    }
}

static void test_row_order(void **state)
{
    fixture *f = *state;
    double *x, *y;
    wavy(f, 150, &x, &y);
    for (int i = 0; i < 150; i++) {
        x[i] = i % 3 == 0 ? round(x[i]) : x[i];
    }
    check_order(f, 150, 1, &x, y, PLAIN);
}

/* ---- limits ------------------------------------------------------------------------------------------------ */

static void test_constants(void **state)
{
    fixture *f = *state;
    const double x[5] = {1, 2, 3, 4, 5}, same[5] = {7, 7, 7, 7, 7}, y[5] = {1, 5, 2, 4, 3};
    gp_fit fit = fit_line(f, 5, x, same, PLAIN);
    assert_true(fit.constant && fit.noise == 0.0 && fit.mean[2] == 7.0 && fit.residual[2] == 0.0);
    fit = fit_line(f, 5, same, y, PLAIN);
    assert_true(fit.all_noise && fabs(fit.mean[2] - 3.0) < 1e-15 && fabs(fit.noise - 2.0) < 1e-14);
    fit = fit_columns(f, 5, 0, NULL, y, PLAIN);
    assert_true(fit.all_noise);
    fit = fit_columns(f, 5, 2, (const double *const[]){same, x}, y, PLAIN);
    assert_true(fit.length[0] == 0.0);
}

static void test_few_rows(void **state)
{
    fixture *f = *state;
    double *x = draw(f, 6, 1), *y = draw(f, 6, 2);
    for (int64_t n = 1; n <= 6; n++) {
        fit_line(f, n, x, y, (gp_options){.leave_one_out = true});
        fit_line(f, n, y, y, (gp_options){.leave_one_out = true});
    }
}

static void test_outliers(void **state)
{
    fixture *f = *state;
    enum { N = 200 };
    double *x, *y;
    wavy(f, N, &x, &y);
    double kept = y[3];
    y[3] = 1e6;
    fit_line(f, N, x, y, PLAIN);
    y[3] = kept;
    x[3] = 1e6;
    gp_fit fit = fit_line(f, N, x, y, PLAIN);
    assert_close(fit.noise, 0.09, 0.03, "noise beside a far row");
    x[3] = 1e30;
    fit = fit_line(f, N, x, y, PLAIN);
    assert_close(fit.noise, 0.09, 0.03, "noise beside a very far row");
    x[3] = -1e300, x[4] = 1e300, x[5] = 1e299, y[4] = -1e6;
    fit_line(f, N, x, y, (gp_options){.leave_one_out = true});
}

static void test_ties(void **state)
{
    fixture *f = *state;
    enum { N = 400 };
    double *x, *y;
    wavy(f, N, &x, &y);
    for (int64_t i = 0; i < N; i++) { // x has two values; below, every row twice, and x nearly constant
        x[i] = x[i] > 0.0;
    }
    gp_fit fit = fit_line(f, N, x, y, (gp_options){.leave_one_out = true});
    assert_false(fit.all_noise);
    wavy(f, N, &x, &y);
    for (int64_t i = 0; i < N / 2; i++) {
        x[N / 2 + i] = x[i];
        y[N / 2 + i] = y[i];
    }
    fit = fit_line(f, N, x, y, (gp_options){.leave_one_out = true});
    for (int64_t i = 0; i < N; i++) {
        x[i] = i < N - 2 ? 1.0 : (double)i;
    }
    fit_line(f, N, x, y, PLAIN);
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    gp_fit fit;
    double x[3] = {1, 2, 3}, y[3] = {1, NAN, 3};
    column_set set = {3, 1, (const double *const[]){x}}, none = {0, 1, (const double *const[]){x}};
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &set, y, &PLAIN, &fit), NONSENS_ERR_DATA);
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &none, y, &PLAIN, &fit), NONSENS_ERR_DATA);
    y[1] = 2.0;
    x[2] = INFINITY;
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &set, y, &PLAIN, &fit), NONSENS_ERR_DATA);
    x[2] = 3.0;
    gp_options bad = {.held = &(gp_hyper){.signal = 1.0, .noise = -1.0, .length = x}};
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &set, y, &bad, &fit), NONSENS_ERR_USAGE);
    assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &set, y, &PLAIN, &fit), NONSENS_OK);
}

static nonsens_status fit_rows(nonsens_context *ctx, arena *a, void *state)
{
    const rows *c = state;
    gp_fit fit;
    column_set x = {c->n, c->d, (const double *const *)c->x};
    gp_options o = {.threads = 1, .leave_one_out = true, .inducing = 20};
    return gp_regress(ctx, a, a, &x, c->y, &o, &fit);
}

static void test_each_allocation_failing(void **state)
{
    rows c = {.n = 5000, .d = 1};
    wavy(*state, c.n, c.x, &c.y);
    assert_true(fail_every_allocation(*state, fit_rows, &c) > 10);
    c = hilly(*state, 100);
    assert_true(fail_every_allocation(*state, fit_rows, &c) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_given_hyper_parameters),
                                       TEST(test_learnt_hyper_parameters),
                                       TEST(test_steps_compose),
                                       TEST(test_stationary),
                                       TEST(test_gradient),
                                       TEST(test_gradient_of_several),
                                       TEST(test_bound),
                                       TEST(test_low_rank_of_full_rank),
                                       TEST(test_low_rank_finds_the_function),
                                       TEST(test_many_rows_of_several),
                                       TEST(test_order_of_several),
                                       TEST(test_limits_of_several),
                                       TEST(test_noise_of_several),
                                       TEST(test_minimiser),
                                       TEST(test_all_noise),
                                       TEST(test_no_noise),
                                       TEST(test_many_rows),
                                       TEST(test_units),
                                       TEST(test_row_order),
                                       TEST(test_constants),
                                       TEST(test_few_rows),
                                       TEST(test_outliers),
                                       TEST(test_ties),
                                       TEST(test_refusals),
                                       TEST(test_each_allocation_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
