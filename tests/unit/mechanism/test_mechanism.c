/*
 * test_mechanism.c - the likelihood of a mechanism by its formula, derivatives by differences, the minimum that fits
 * reach, scores of held-out rows against separate fits, unusual data.
 */
#include "base/rng.h"
#include "classifier/sample.h"
#include "math/linalg.h"
#include "mechanism/second.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "instruction_sets.h"

enum { FOLDS = 5, LIMIT = 8 };

typedef struct world {
    int64_t n, d, segments, start[64];
    double *x[LIMIT];
    mechanism_data data;
} world;

static world new_world(fixture *f, int64_t d, int64_t segments, int64_t rows)
{
    world w = {.n = segments * rows, .d = d, .segments = segments};
    for (int64_t e = 0; e <= segments; e++) {
        w.start[e] = e * rows;
    }
    for (int64_t j = 0; j < d; j++) {
        w.x[j] = fixture_doubles(f, w.n);
    }
    return w;
}

static nonsens_status prepare_within(nonsens_context *ctx, arena *a, const world *w, mechanism_data *out)
{
    const double *warped[LIMIT];
    double *column;
    int32_t *fold;
    for (int64_t j = 0; j < w->d; j++) {
        ARENA_TRY(ctx, a, column, w->n);
        TRY(sample_warp(ctx, a, w->n, w->x[j], column));
        warped[j] = column;
    }
    TRY(sample_folds(ctx, a, w->segments, w->start, FOLDS, 1, 0, &fold));
    return mechanism_data_new(ctx, a, w->d, warped, w->segments, w->start, fold, FOLDS, 2, out);
}

static void prepare(fixture *f, world *w)
{
    assert_int_equal(prepare_within(f->ctx, &f->scratch, w, &w->data), NONSENS_OK);
}

/* x0 has segment scales; x1 = exp(x0 / 2) N with segment scales; x2 depends on x0 and x1; x3 is independent. */
static world make_world(fixture *f, int64_t segments, int64_t rows, uint64_t seed)
{
    world w = new_world(f, 4, segments, rows);
    rng r = rng_new(seed, RNG_TEST, 90);
    for (int64_t e = 0, i = 0; e < segments; e++) {
        double scale[4];
        for (int j = 0; j < 4; j++) {
            scale[j] = exp(1.2 * rng_normal(&r));
        }
        for (int64_t k = 0; k < rows; k++, i++) {
            w.x[0][i] = tanh(scale[0] * rng_normal(&r)) * 3;
            w.x[1][i] = exp(0.5 * w.x[0][i]) * scale[1] * rng_laplace(&r);
            w.x[2][i] = sin(w.x[0][i]) + tanh(w.x[1][i]) * (1 + 0.3 * w.x[0][i]) + 0.5 * scale[2] * rng_laplace(&r);
            w.x[3][i] = scale[3] * rng_laplace(&r);
        }
    }
    prepare(f, &w);
    return w;
}

/* ---- the likelihood --------------------------------------------------------------------------------------------- */

/* B-spline i of this degree on equal knots, `degree` of them below 0, by the Cox-de Boor recursion. */
static double spline(int64_t basis, int degree, int64_t i, int64_t of, double t)
{
    double width = 1.0 / (double)(basis - of), from = (double)(i - of) * width;
    if (degree == 0) {
        bool last = i == basis - 1 && t >= 1.0; // the last interval is closed
        return (t >= from && t < from + width) || last;
    }
    return (t - from) / (degree * width) * spline(basis, degree - 1, i, of, t) +
           (from + (degree + 1) * width - t) / (degree * width) * spline(basis, degree - 1, i + 1, of, t);
}

static double spline_slope(int64_t basis, int64_t i, double t)
{
    return (double)(basis - 2) * (spline(basis, 1, i, 2, t) - spline(basis, 1, i + 1, 2, t));
}

static double hat(int64_t basis, int64_t b, double t)
{
    return fmax(0.0, 1.0 - fabs(t * (double)(basis - 1) - (double)b));
}

/* Computes T and dT/dy by the sums of mechanism.h, with the B-splines for few rows; x: warped values, the effect's
 * first. */
static double transform_of(int64_t causes, const double *x, const double *theta, double *slope)
{
    double t = 0.0;
    *slope = 0.0;
    for (int64_t a = 0; a < 21; a++, theta++) {
        t += *theta * spline(21, 2, a, 2, x[0]);
        *slope += *theta * spline_slope(21, a, x[0]);
    }
    for (int64_t i = 0; i < causes; i++) {
        for (int64_t a = 0; a < 11; a++) {
            for (int64_t b = 0; b < 8; b++, theta++) {
                t += *theta * spline(11, 2, a, 2, x[0]) * hat(8, b, x[1 + i]);
                *slope += *theta * spline_slope(11, a, x[0]) * hat(8, b, x[1 + i]);
            }
        }
    }
    for (int64_t i = 0; i < causes; i++) {
        for (int64_t b = 0; b < 21; b++, theta++) {
            t += *theta * hat(21, b, x[1 + i]);
        }
    }
    for (int64_t i = 0; i < causes; i++) {
        for (int64_t k = i + 1; k < causes; k++) {
            for (int64_t b = 0; b < 5; b++) {
                for (int64_t c = 0; c < 5; c++, theta++) {
                    t += *theta * hat(5, b, x[1 + i]) * hat(5, c, x[1 + k]);
                }
            }
        }
    }
    return t;
}

static double log_density_of(double t, double slope, double place, double scale)
{
    double z = (t - place) / exp(scale), away = (slope - 0.1) / 0.1;
    double l = -sqrt(z * z + 0.09) - log(2 * 0.3 * 3.0559920334573252); // K_1(0.3)
    return l - scale + (slope > 0.1 ? log(slope) : log(0.1) + away - 0.5 * away * away);
}

/* Draws parameters for which T increases overall, but falls at some rows. */
static void draw_theta(const mechanism_model *m, uint64_t seed, double *theta)
{
    rng r = rng_new(seed, RNG_TEST, 91);
    for (int64_t t = 0; t < m->terms; t++) {
        for (int64_t i = 0; i < m->term[t].rows * m->term[t].columns; i++) {
            double line = m->term[t].has_slope ? 0.25 * (double)(i / m->term[t].columns) : 0.0;
            theta[m->term[t].offset + i] = line + 0.25 * rng_normal(&r);
        }
    }
    for (int64_t i = m->p; i < m->size; i++) {
        theta[i] = 0.5 * rng_normal(&r);
    }
}

static mechanism_model open_model(fixture *f, const world *w, int64_t effect, int64_t causes, const int64_t *cause,
                                  const double *smooth)
{
    mechanism_model m;
    assert_int_equal(mechanism_new(f->ctx, &f->scratch, &w->data, effect, causes, cause, &m), NONSENS_OK);
    assert_int_equal(m.size, mechanism_size(&w->data, causes));
    mechanism_smooth(&m, smooth);
    return m;
}

/* Computes T and dT/dy of all rows at theta. */
static mechanism_point open_point(const mechanism_model *m, const double *theta)
{
    mechanism_point at = {0};
    at.theta = malloc((size_t)m->size * sizeof *at.theta);
    at.transform = malloc((size_t)m->data->n * sizeof *at.transform);
    at.slope = malloc((size_t)m->data->n * sizeof *at.slope);
    assert_true(at.theta && at.transform && at.slope);
    memcpy(at.theta, theta, (size_t)m->size * sizeof *theta);
    mechanism_apply(m, &at);
    return at;
}

static void close_point(mechanism_point *at)
{
    free(at->theta);
    free(at->transform);
    free(at->slope);
}

static double evaluate(const mechanism_model *m, const double *theta, int64_t from, int64_t to, double *log_density)
{
    mechanism_point at = open_point(m, theta);
    double sum = mechanism_likelihood(m, &at, from, to);
    if (log_density) {
        mechanism_score(m, &at, from, to, log_density);
        sum = 0.0;
    }
    for (int64_t i = from; log_density && i < to; i++) {
        sum += log_density[i];
    }
    close_point(&at);
    return sum;
}

/* Computes the derivatives of all rows except hole .. hole_end - 1. */
static void derive_rows(const mechanism_model *m, const double *theta, int64_t hole, int64_t hole_end, double *gradient,
                        double *hessian)
{
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    mechanism_weights weights;
    mechanism_point at = open_point(m, theta);
    assert_int_equal(mechanism_weights_new(ctx, &a, m, NULL, &weights), NONSENS_OK);
    if (hessian) {
        memset(hessian, 0, (size_t)(m->size * m->size) * sizeof *hessian);
        mechanism_clear(m, hessian);
    }
    assert_int_equal(mechanism_derive(ctx, m, &at, hole, hole_end, &weights, gradient, hessian), NONSENS_OK);
    arena_free(&a);
    close_point(&at);
    nonsens_context_free(ctx);
}

static const double SMOOTH[MECHANISM_WEIGHTS] = {0.3, 0.05, 0.7, 0.1, 0.2, 0.4, 0.15};

static void test_log_density(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 4, 25, 1);
    double *warped[LIMIT], *density = fixture_doubles(f, w.n);
    for (int64_t j = 0; j < w.d; j++) {
        warped[j] = fixture_doubles(f, w.n);
        assert_int_equal(sample_warp(f->ctx, &f->scratch, w.n, w.x[j], warped[j]), NONSENS_OK);
    }
    for (int64_t causes = 0; causes <= 3; causes++) {
        int64_t cause[] = {0, 2, 3}, flat = 0;
        mechanism_model m = open_model(f, &w, 1, causes, cause, SMOOTH);
        double *theta = fixture_doubles(f, m.size), sum = 0.0;
        draw_theta(&m, 7, theta);
        mechanism_point at = open_point(&m, theta);
        double whole = mechanism_likelihood(&m, &at, 0, w.n);
        mechanism_score(&m, &at, 0, w.n, density);
        for (int64_t i = 0; i < w.n; i++) {
            int64_t row = w.data.row[i], e = row / 25;
            double x[4] = {warped[1][row], warped[0][row], warped[2][row], warped[3][row]}, slope;
            double t = transform_of(causes, x, theta, &slope);
            double place = theta[m.p + e], scale = theta[m.p + w.segments + e];
            flat += slope < MECHANISM_FLAT;
            sum += log_density_of(t, slope, place, scale);
            double bounded = log_density_of(t, fmax(slope, -0.2), place, scale);
            assert_true(fabs(t - at.transform[i]) < 1e-12 * (1 + fabs(t)));
            assert_true(fabs(slope - at.slope[i]) < 1e-11 * (1 + fabs(slope)));
            assert_true(fabs(bounded - density[i]) < 1e-9 * (1 + fabs(bounded)));
        }
        close_point(&at);
        assert_true(flat > 0 && flat < w.n);
        assert_true(fabs(sum - whole) < 1e-9 * fabs(sum));
    }
}

/* Computes the penalty by its definition: second differences along both variables of each term, ridges, segments. */
static double penalty_of(const mechanism_model *m, const double *theta, const double *smooth)
{
    double sum = 0.0, n = (double)m->data->n, segments = (double)m->data->segments;
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t];
        double part = 0.0, weight = fmax(smooth[term->cause[0]], smooth[term->cause[1]]), squares = 0.0;
        for (int64_t a = 0; a < term->rows; a++) {
            for (int64_t b = 0; b < term->columns; b++) {
                const double *at = theta + term->offset + a * term->columns + b;
                double down = a > 1 ? at[0] - 2 * at[-term->columns] + at[-2 * term->columns] : 0.0;
                double along = b > 1 ? at[0] - 2 * at[-1] + at[-2] : 0.0;
                part += down * down + along * along;
                squares += at[0] * at[0];
            }
        }
        sum += 0.5 * part * weight + 0.01 * squares * fmin(weight, 0.4);
    }
    double place = 0.0, scale = 0.0;
    for (int64_t e = 0; e < m->data->segments; e++) {
        double mu = theta[m->p + e], rho = theta[m->p + m->data->segments + e];
        sum += 0.05 * mu * mu + rho + exp(-rho);
        place += mu;
        scale += rho;
    }
    return sum + 0.5 * n / segments * (place * place + scale * scale);
}

static double objective(const mechanism_model *m, const double *theta)
{
    return mechanism_penalise(m, theta, NULL, NULL) - evaluate(m, theta, 0, m->data->n, NULL);
}

static void derive(const mechanism_model *m, const double *theta, double *gradient, double *hessian)
{
    memset(gradient, 0, (size_t)m->size * sizeof *gradient);
    derive_rows(m, theta, 0, 0, gradient, hessian);
    mechanism_penalise(m, theta, gradient, hessian);
}

static void test_derivatives(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 3, 20, 2);
    for (int64_t causes = 0; causes <= 3; causes++) {
        int64_t cause[] = {0, 2, 3};
        mechanism_model m = open_model(f, &w, 1, causes, cause, SMOOTH);
        double *theta = fixture_doubles(f, m.size), *up = fixture_doubles(f, m.size);
        double *down = fixture_doubles(f, m.size), *g = fixture_doubles(f, m.size);
        double *h = fixture_doubles(f, m.size * m.size), step = 1e-5;
        draw_theta(&m, 11, theta);
        assert_true(fabs(mechanism_penalise(&m, theta, NULL, NULL) - penalty_of(&m, theta, SMOOTH)) < 1e-9);
        derive(&m, theta, g, h);
        for (int64_t j = 0; j < m.size; j++) {
            double here = theta[j];
            theta[j] = here + step;
            double above = objective(&m, theta);
            derive(&m, theta, up, NULL);
            theta[j] = here - step;
            double below = objective(&m, theta);
            derive(&m, theta, down, NULL);
            theta[j] = here;
            assert_true(fabs((above - below) / (2 * step) - g[j]) < 1e-4 * (1 + fabs(g[j])));
            for (int64_t i = j; i < m.size; i++) { // the lower triangle
                double value = h[j * m.size + i];
                assert_true(fabs((up[i] - down[i]) / (2 * step) - value) < 1e-2 + 1e-4 * fabs(value));
            }
        }
    }
}

/* What the first instruction set computes, for comparison with the others. */
typedef struct by_sets {
    const mechanism_data *data;
    double *theta, *first[4], *second[4]; /* T, densities, gradient, second derivatives */
    int64_t length[4];
    double largest;
} by_sets;

static void derive_by_set(void *user, bool first)
{
    by_sets *s = user;
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    mechanism_model m;
    int64_t cause[] = {0, 2, 3};
    double **to = first ? s->first : s->second;
    assert_int_equal(mechanism_new(ctx, &a, s->data, 1, 3, cause, &m), NONSENS_OK);
    mechanism_smooth(&m, SMOOTH);
    mechanism_point at = open_point(&m, s->theta);
    memcpy(to[0], at.transform, (size_t)s->length[0] * sizeof **to);
    mechanism_score(&m, &at, 0, s->data->n, to[1]);
    close_point(&at);
    derive_rows(&m, s->theta, s->data->block[1], s->data->block[2], to[2], to[3]);
    for (int k = 0; k < 4 && !first; k++) {
        for (int64_t i = 0; i < s->length[k]; i++) {
            s->largest = fmax(s->largest, fabs(s->first[k][i]));
            assert_true(fabs(s->first[k][i] - s->second[k][i]) < 1e-11 * (1 + s->largest));
        }
        memset(s->second[k], 0, (size_t)s->length[k] * sizeof **s->second);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
}

/* All kernels compute the same values, up to rounding. */
static void test_instruction_sets(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 4, 40, 3);
    int64_t cause[] = {0, 2, 3};
    mechanism_model m = open_model(f, &w, 1, 3, cause, SMOOTH);
    by_sets s = {.data = m.data, .theta = fixture_doubles(f, m.size), .length = {w.n, w.n, m.size, m.size * m.size}};
    for (int k = 0; k < 4; k++) {
        s.first[k] = fixture_doubles(f, s.length[k]);
        s.second[k] = fixture_doubles(f, s.length[k]);
    }
    draw_theta(&m, 5, s.theta);
    with_each_set(derive_by_set, &s);
}

/* Integrates the density over the location, which leaves T and dT/dy unchanged. */
static void test_densities_integrate_to_one(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 2, 10, 3);
    mechanism_model m = open_model(f, &w, 0, 0, NULL, SMOOTH);
    double *theta = fixture_doubles(f, m.size), t, sum = 0.0, step = 0.01;
    for (int64_t i = 0; i < m.p; i++) {
        theta[i] = (double)i / 19.0; // dT/dy = 1
    }
    double *place = theta + m.p + w.data.segment[0];
    mechanism_point at = open_point(&m, theta);
    t = at.transform[0];
    close_point(&at);
    for (int64_t i = -6000; i <= 6000; i++) {
        *place = t + (double)i * step;
        sum += exp(evaluate(&m, theta, 0, 1, NULL)) * step;
    }
    assert_true(fabs(sum - 1.0) < 1e-10);
}

/* ---- fits -------------------------------------------------------------------------------------------------------- */

static mechanism_fit fit(fixture *f, const world *w, int64_t effect, int64_t causes, const int64_t *cause,
                         const mechanism_guess *guess)
{
    mechanism_fit out;
    if (mechanism_run(f->ctx, &f->scratch, &w->data, effect, causes, cause, guess, &out) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    double sum = 0.0, folds = 0.0;
    for (int64_t i = 0; i < (1 + FOLDS) * mechanism_size(&w->data, causes); i++) {
        assert_true(isfinite(out.theta[i]));
    }
    if (out.is_guess) {
        assert_non_null(guess);
        return out;
    }
    for (int64_t i = 0; i < w->n; i++) {
        assert_true(isfinite(out.held_out[i]));
        sum += out.held_out[i];
    }
    for (int64_t k = 0; k < FOLDS; k++) {
        folds += out.fold_total[k];
    }
    assert_true(fabs(sum - out.total) < 1e-9 * (1 + fabs(sum)));
    assert_true(fabs(sum - folds) < 1e-9 * (1 + fabs(sum)));
    return out;
}

/* Computes minus the penalised log likelihood without the rows of a fold (-1: of all rows). */
static double objective_without(const mechanism_model *m, int64_t fold, const double *theta)
{
    double rest = fold < 0 ? 0.0 : evaluate(m, theta, m->data->block[fold], m->data->block[fold + 1], NULL);
    return objective(m, theta) + rest;
}

/* Runs Levenberg's descent to its end without the rows of a fold (-1: with all rows). */
static void descend_without(fixture *f, const mechanism_model *m, int64_t fold, double *theta)
{
    arena_mark mark = arena_tell(&f->scratch);
    int64_t k = m->size, hole = fold < 0 ? 0 : m->data->block[fold], hole_end = fold < 0 ? 0 : m->data->block[fold + 1];
    double *g = fixture_doubles(f, k), *h = fixture_doubles(f, k * k), *l = fixture_doubles(f, k * k);
    double *trial = fixture_doubles(f, k), now = objective_without(m, fold, theta), damping = 1e-3;
    for (int step = 0; step < 60 && damping < 1e9; step++) {
        memset(g, 0, (size_t)k * sizeof *g);
        memset(h, 0, (size_t)(k * k) * sizeof *h);
        derive_rows(m, theta, hole, hole_end, g, h);
        mechanism_penalise(m, theta, g, h);
        for (bool better = false; !better && damping < 1e9; damping *= better ? 0.01 : 10) {
            memcpy(l, h, (size_t)(k * k) * sizeof *l);
            for (int64_t i = 0; i < k; i++) {
                l[i * k + i] += damping * fabs(h[i * k + i]);
            }
            if (linalg_cholesky(f->ctx, k, l) != NONSENS_OK) {
                continue;
            }
            memcpy(trial, g, (size_t)k * sizeof *g);
            linalg_solve_lower(false, k, 1, l, k, trial, k);
            linalg_solve_lower(true, k, 1, l, k, trial, k);
            for (int64_t i = 0; i < k; i++) {
                trial[i] = theta[i] - trial[i];
            }
            double then = objective_without(m, fold, trial);
            better = then < now;
            if (better) {
                damping = now - then < 1e-6 ? 1e12 : damping;
                now = then;
                memcpy(theta, trial, (size_t)k * sizeof *g);
            }
        }
    }
    arena_rewind(&f->scratch, mark);
}

static void test_fits_end_at_the_minimum(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 5, 60, 4);
    for (int64_t causes = 0; causes <= 2; causes++) {
        int64_t cause[] = {0, 1};
        mechanism_fit out = fit(f, &w, 2, causes, cause, NULL);
        mechanism_model m = open_model(f, &w, 2, causes, cause, out.smooth);
        double *theta = fixture_doubles(f, m.size);
        memcpy(theta, out.theta, (size_t)m.size * sizeof *theta);
        descend_without(f, &m, -1, theta);
        double left = objective(&m, out.theta) - objective(&m, theta);
        assert_true(left < 0.1);
    }
}

/* Compares the held-out scores with those of fits that leave a fold out and descend to their minimum. */
static void test_scores_of_held_out_rows(void **state)
{
    fixture *f = *state;
    for (int rows = 60; rows <= 120; rows += 60) {
        world w = make_world(f, 5, rows, 40);
        double *score = fixture_doubles(f, w.n);
        for (int64_t causes = 0; causes <= 2; causes++) {
            int64_t cause[] = {0, 1};
            mechanism_fit out = fit(f, &w, 2, causes, cause, NULL);
            mechanism_model m = open_model(f, &w, 2, causes, cause, out.smooth);
            double *theta = fixture_doubles(f, m.size), total = 0.0;
            for (int64_t k = 0; k < FOLDS; k++) {
                memcpy(theta, out.theta, (size_t)m.size * sizeof *theta);
                descend_without(f, &m, k, theta);
                total += evaluate(&m, theta, w.data.block[k], w.data.block[k + 1], score);
            }
            assert_true(fabs(out.total - total) < 0.03 * (double)w.n); // typically 0.005
        }
    }
}

static void test_starts(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 6; seed < 8; seed++) {
        world w = make_world(f, 5, 100, seed);
        const int64_t one[] = {0}, two[] = {0, 1}, other[] = {1};
        mechanism_fit none = fit(f, &w, 2, 0, NULL, NULL), first = fit(f, &w, 2, 1, one, NULL);
        mechanism_fit second = fit(f, &w, 2, 1, other, NULL), cold = fit(f, &w, 2, 2, two, NULL);
        mechanism_guess nothing = {0, NULL, none.theta, none.smooth, none.loss, none.fold_total},
                        a = {1, one, first.theta, first.smooth, first.loss, first.fold_total},
                        b = {1, other, second.theta, second.smooth, second.loss, second.fold_total};
        mechanism_fit warm = fit(f, &w, 2, 1, one, &nothing), left = fit(f, &w, 2, 2, two, &a),
                      right = fit(f, &w, 2, 2, two, &b);
        assert_true(warm.total > first.total - 3.0); // adding causes one by one is about as good as all at once
        assert_true(left.total > cold.total - 6.0 && right.total > cold.total - 6.0);
        assert_true(fabs(left.total - right.total) < 6.0);
    }
}

static void test_causes_gain(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 10; seed < 12; seed++) {
        world w = make_world(f, 8, 250, seed);
        const int64_t cause[] = {0}, stranger[] = {3};
        double none = fit(f, &w, 1, 0, NULL, NULL).total;
        double right = fit(f, &w, 1, 1, cause, NULL).total - none,
               wrong = fit(f, &w, 1, 1, stranger, NULL).total - none;
        assert_true(right > 100.0 && wrong < 0.0);
    }
}

/* A useless cause leaves the mechanism as it was, in every fit. */
static void test_useless_causes(void **state)
{
    fixture *f = *state;
    int kept = 0;
    for (uint64_t seed = 14; seed < 18; seed++) {
        world w = make_world(f, 8, 100, seed);
        const int64_t one[] = {0}, two[] = {0, 3}, stranger = 1;
        mechanism_fit small = fit(f, &w, 1, 1, one, NULL);
        mechanism_guess guess = {1, one, small.theta, small.smooth, small.loss, small.fold_total};
        mechanism_fit large = fit(f, &w, 1, 2, two, &guess);
        mechanism_model s = open_model(f, &w, 1, 1, one, small.smooth), l = open_model(f, &w, 1, 2, two, large.smooth);
        kept += large.is_guess;
        for (int64_t k = 0; large.is_guess && k <= FOLDS; k++) {
            mechanism_point a = open_point(&s, small.theta + k * s.size), b = open_point(&l, large.theta + k * l.size);
            for (int64_t i = 0; i < w.n; i++) {
                assert_true(fabs(a.transform[i] - b.transform[i]) < 1e-9 * (1 + fabs(a.transform[i])));
            }
            close_point(&a);
            close_point(&b);
        }
        assert_true(!large.is_guess || large.smooth[stranger] == 25.6);
    }
    assert_true(kept >= 3);
}

/* Losses of a fit without a cause, from second derivatives: large for a true cause, zero for one without an effect. */
static void test_losses(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 8, 250, 3);
    const int64_t one[] = {0}, two[] = {0, 3};
    mechanism_fit none = fit(f, &w, 1, 0, NULL, NULL), small = fit(f, &w, 1, 1, one, NULL);
    mechanism_guess guess = {1, one, small.theta, small.smooth, small.loss, small.fold_total};
    mechanism_fit large = fit(f, &w, 1, 2, two, &guess);
    assert_true(small.loss[0] > 0.5 * (small.total - none.total));
    assert_true(large.is_guess);
    assert_true(large.loss[0] == small.loss[0] && large.loss[1] == 0.0);
}

/* ---- unusual data ------------------------------------------------------------------------------------------------ */

static void fit_all_sorts(fixture *f, const world *w)
{
    const int64_t cause[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    for (int64_t effect = 0; effect < 3; effect++) {
        mechanism_fit none = fit(f, w, effect, 0, NULL, NULL), one = fit(f, w, effect, 1, cause[effect], NULL);
        mechanism_guess guess = {1, cause[effect], one.theta, one.smooth, one.loss, one.fold_total};
        mechanism_fit two = fit(f, w, effect, 2, cause[effect], effect == 1 ? NULL : &guess);
        // a copy's density grows without bound: rounding decides how long a fit runs, about 250 steps or twice as many
        assert_true(none.steps < 1000 && one.steps < 1000 && two.steps < 1000);
    }
}

static void test_odd_data(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 4, 30, 20);
    for (int64_t i = 0; i < 30; i++) {
        w.x[0][i] = 1.0;
        w.x[2][30 + i] = -3.0;
    }
    prepare(f, &w);
    fit_all_sorts(f, &w); // constant in a segment
    w = make_world(f, 4, 30, 21);
    for (int64_t i = 0; i < w.n; i++) {
        w.x[0][i] = fmax(-1, fmin(1, round(w.x[0][i])));
        w.x[2][i] = round(w.x[2][i]);
    }
    prepare(f, &w);
    fit_all_sorts(f, &w); // three values, ties
    w = make_world(f, 4, 30, 22);
    w.x[2] = w.x[1];
    prepare(f, &w);
    fit_all_sorts(f, &w); // copies
    w = make_world(f, 8, 5, 23);
    fit_all_sorts(f, &w); // tiny segments
    w = make_world(f, 2, 15, 24);
    fit_all_sorts(f, &w); // 30 rows
    w = make_world(f, 5, 6, 25);
    w.x[2][3] = 1e6;
    w.x[1][4] = -1e300;
    prepare(f, &w);
    fit_all_sorts(f, &w); // 30 rows, outliers
    w = make_world(f, 10, 1, 26);
    fit_all_sorts(f, &w); // segments of one row
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static nonsens_status run_once(nonsens_context *ctx, arena *a, void *state)
{
    const world *w = state;
    const int64_t cause[] = {0, 1};
    mechanism_data data;
    mechanism_fit one, two;
    double *disturbance;
    ARENA_TRY(ctx, a, disturbance, w->n);
    TRY(prepare_within(ctx, a, w, &data));
    TRY(mechanism_run(ctx, a, &data, 2, 1, cause, NULL, &one));
    mechanism_guess guess = {1, cause, one.theta, one.smooth, one.loss, one.fold_total};
    TRY(mechanism_run(ctx, a, &data, 2, 2, cause, &guess, &two));
    return mechanism_disturbance(ctx, &data, 2, 2, cause, two.theta, disturbance);
}

static void test_each_allocation_failing(void **state)
{
    fixture *f = *state;
    world w = make_world(f, 2, 12, 30);
    assert_true(fail_every_allocation(f, run_once, &w) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_log_density),
                                       TEST(test_derivatives),
                                       TEST(test_instruction_sets),
                                       TEST(test_densities_integrate_to_one),
                                       TEST(test_fits_end_at_the_minimum),
                                       TEST(test_scores_of_held_out_rows),
                                       TEST(test_starts),
                                       TEST(test_causes_gain),
                                       TEST(test_useless_causes),
                                       TEST(test_losses),
                                       TEST(test_odd_data),
                                       TEST(test_each_allocation_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
