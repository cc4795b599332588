/*
 * test_segment_model.c - likelihood, derivatives, penalty and parametrisation of the segment classifiers, against a
 * plain twin that evaluates every row with all products, and against finite differences.
 */
#include "segment_rows.h"

static const double TWIN_TOLERANCE = 1e-11;       /* relative to the largest value of its kind */
static const double GRADIENT_TOLERANCE = 1e-7;    /* finite differences, relative */
static const double CURVATURE_TOLERANCE = 1e-6;   /* relative */
static const double INVARIANCE_TOLERANCE = 1e-11; /* relative */
static const double LAMBDA = 0.3;
static const double GENTLE = 1e-4; /* as in src/classifier/model.c */

static const classifier_shape SHAPES[] = {{0, 0, 1}, {0, 0, 2}, {1, 0, 1}, {0, 1, 1},
                                          {2, 0, 0}, {1, 1, 0}, {1, 1, 1}, {0, 2, 1}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES, E = 5, BASIS = 6, FOLDS = 3, SQUARE = BASIS * BASIS };

/* A model with random parameters on simulated rows. */
typedef struct setting {
    rows rows;
    classifier_sample sample;
    classifier_fit fit;
    double *theta;
} setting;

static setting *setting_new(fixture *f, classifier_shape form)
{
    setting *s = rows_get(f, 1, sizeof *s);
    rng r = rng_new(11, RNG_TEST, 1);
    s->rows = rows_scales(f, 60, E, 0.6, 11);
    s->sample = rows_sample(f, &s->rows, FOLDS, BASIS, 1);
    s->fit = rows_fit_new(f, &s->sample, form, LAMBDA);
    s->theta = s->fit.theta;
    for (int64_t i = 0; i < s->fit.model.parameters; i++) {
        s->theta[i] = rng_normal(&r);
    }
    return s;
}

static double largest(int64_t n, const double *v)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

static void assert_arrays_close(int64_t n, const double *found, const double *expected, double tolerance)
{
    double scale = largest(n, expected);
    for (int64_t i = 0; i < n; i++) {
        assert_close(found[i], expected[i], tolerance * scale);
    }
}

/* ---- the plain twin ---- */

/* Cubic B-spline i on equal knots, by the Cox-de Boor recursion; the last interval is closed. */
static double spline(int64_t i, int degree, double t)
{
    double width = 1.0 / (BASIS - 3), left = (double)(i - 3) * width;
    if (degree == 0) {
        return (t >= left && t < left + width) || (t == 1.0 && i == BASIS - 1) ? 1.0 : 0.0;
    }
    double span = degree * width;
    return (t - left) / span * spline(i, degree - 1, t) +
           (left + span + width - t) / span * spline(i + 1, degree - 1, t);
}

typedef struct twin {
    double log_likelihood;
    double *gradient, *fisher, *slope;
} twin;

/* Computes products (SQUARE), the Jacobian of the logits (E, parameters) and log probabilities (E) of one row. */
static void twin_row(const setting *s, int64_t row, double *product, double *jacobian, double *log_p)
{
    const classifier_model *m = &s->fit.model;
    int64_t p = m->parameters, r = m->rank;
    double feature[MODEL_MAX_RANK] = {0}, norm = 0.0;
    memset(jacobian, 0, (size_t)(E * p) * sizeof *jacobian);
    for (int64_t t = 0; t < SQUARE; t++) {
        product[t] = spline(t / BASIS, 3, s->rows.x[0][row]) * spline(t % BASIS, 3, s->rows.x[1][row]);
        for (int64_t f = 0; f < r; f++) {
            feature[f] += s->theta[m->place[f * SQUARE + t]] * product[t];
            for (int64_t e = 0; e < E; e++) {
                jacobian[e * p + m->place[f * SQUARE + t]] += s->theta[model_weight(m, e, f)] * product[t];
            }
        }
    }
    for (int64_t e = 0; e < E; e++) {
        log_p[e] = s->theta[model_weight(m, e, r)];
        for (int64_t f = 0; f < r; f++) {
            log_p[e] += s->theta[model_weight(m, e, f)] * feature[f];
            jacobian[e * p + model_weight(m, e, f)] = feature[f];
        }
        jacobian[e * p + model_weight(m, e, r)] = 1.0;
        norm += exp(log_p[e]);
    }
    for (int64_t e = 0; e < E; e++) {
        log_p[e] -= log(norm);
    }
}

/* Computes the score of a row as if its label were e: (parameters). */
static void twin_score(int64_t p, int64_t e, const double *jacobian, const double *log_p, double *score)
{
    for (int64_t i = 0; i < p; i++) {
        score[i] = jacobian[e * p + i];
        for (int64_t k = 0; k < E; k++) {
            score[i] -= exp(log_p[k]) * jacobian[k * p + i];
        }
    }
}

static void twin_add_row(fixture *f, const setting *s, int64_t row, int64_t label, twin *out)
{
    int64_t p = s->fit.model.parameters;
    arena_mark mark = arena_tell(&f->scratch);
    double *jacobian = fixture_doubles(f, E * p), *score = fixture_doubles(f, p), product[SQUARE], log_p[E];
    twin_row(s, row, product, jacobian, log_p);
    out->log_likelihood += log_p[label];
    for (int64_t e = 0; e < E; e++) {
        double probability = exp(log_p[e]);
        twin_score(p, e, jacobian, log_p, score);
        for (int64_t i = 0; i < p; i++) {
            out->gradient[i] += e == label ? score[i] : 0.0;
            for (int64_t j = 0; j <= i; j++) {
                out->fisher[i * p + j] += probability * score[i] * score[j];
            }
        }
        for (int64_t t = 0; t < SQUARE; t++) {
            out->slope[e * SQUARE + t] += (probability - (e == label ? 1.0 : 0.0)) * product[t];
        }
    }
    arena_rewind(&f->scratch, mark);
}

static int64_t label_of(const rows *r, int64_t row)
{
    int64_t e = 0;
    while (row >= r->start[e + 1]) {
        e++;
    }
    return e;
}

static void check_against_twin(fixture *f, const setting *s, int64_t fold)
{
    const classifier_model *m = &s->fit.model;
    int64_t p = m->parameters;
    twin plain = {0, fixture_doubles(f, p), fixture_doubles(f, p * p), fixture_doubles(f, E * SQUARE)};
    classifier_sums sums = {0, fixture_doubles(f, p), fixture_doubles(f, p * p), fixture_doubles(f, E * SQUARE)};
    double *score = fixture_doubles(f, s->rows.n), held = 0.0;
    for (int64_t row = 0; row < s->rows.n; row++) {
        if (s->rows.fold[row] == fold) {
            twin_add_row(f, s, row, label_of(&s->rows, row), &plain);
        }
    }
    assert_int_equal(model_sum(f->ctx, &f->scratch, m, s->theta, fold, &sums), NONSENS_OK);
    assert_close(sums.log_likelihood, plain.log_likelihood, TWIN_TOLERANCE * fabs(plain.log_likelihood));
    assert_arrays_close(p, sums.gradient, plain.gradient, TWIN_TOLERANCE);
    assert_arrays_close(E * SQUARE, sums.slope, plain.slope, TWIN_TOLERANCE);
    double scale = largest(p * p, plain.fisher);
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = 0; j <= i; j++) {
            assert_close(sums.fisher[i * p + j], plain.fisher[i * p + j], TWIN_TOLERANCE * scale);
            assert_true(j >= m->first[i] || plain.fisher[i * p + j] == 0.0);
        }
    }
    assert_int_equal(model_score(f->ctx, &f->scratch, m, s->theta, fold, score), NONSENS_OK);
    for (int64_t row = 0; row < s->rows.n; row++) {
        held += score[row];
    }
    assert_close(held, plain.log_likelihood, TWIN_TOLERANCE * fabs(plain.log_likelihood));
}

static void test_sums_against_twin(void **state)
{
    for (int i = 0; i < SHAPE_COUNT; i++) {
        fixture *f = *state;
        arena_mark mark = arena_tell(&f->scratch);
        setting *s = setting_new(f, SHAPES[i]);
        check_against_twin(f, s, i % FOLDS);
        arena_rewind(&f->scratch, mark);
    }
}

/* ---- by groups ---- */

/* Compares the grouped Fisher matrix of the rows outside a fold with the exact one, relative to its diagonal. */
static double distance_of_groups(fixture *f, const setting *s, int64_t without)
{
    const classifier_model *m = &s->fit.model;
    int64_t p = m->parameters;
    double *exact = fixture_doubles(f, p * p), *found = fixture_doubles(f, p * p), most = 0.0;
    for (int64_t k = 0; k < FOLDS; k++) {
        classifier_sums sums = {0, NULL, exact, NULL};
        if (k != without) {
            assert_int_equal(model_sum(f->ctx, &f->scratch, m, s->theta, k, &sums), NONSENS_OK);
        }
    }
    assert_int_equal(model_fisher_by_groups(f->ctx, &f->scratch, 2, m, s->theta, without, found), NONSENS_OK);
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double scale = sqrt(exact[i * p + i] * exact[j * p + j]);
            most = scale > 0.0 ? fmax(most, fabs(found[i * p + j] - exact[i * p + j]) / scale) : most;
            assert_true(j >= m->first[i] || found[i * p + j] == 0.0);
        }
    }
    return most;
}

/*
 * With all rows, and without a fold.  These logits vary strongly inside cells; the distance shrinks as they vary less.
 */
static void test_groups_are_near_rows(void **state)
{
    for (int i = 0; i < SHAPE_COUNT; i++) {
        fixture *f = *state;
        arena_mark mark = arena_tell(&f->scratch);
        setting *s = setting_new(f, SHAPES[i]);
        int64_t r = s->fit.model.rank;
        assert_true(distance_of_groups(f, s, -1) < 0.35 && distance_of_groups(f, s, i % FOLDS) < 0.35);
        for (int64_t e = 0; e < E; e++) {
            for (int64_t k = 0; k < r; k++) {
                s->theta[model_weight(&s->fit.model, e, k)] *= 1e-3; // one group per cell
            }
        }
        assert_true(distance_of_groups(f, s, -1) < 1e-3 && distance_of_groups(f, s, i % FOLDS) < 1e-3);
        arena_rewind(&f->scratch, mark);
    }
}

/* A feature of one variable has one parameter per B-spline of the variable; no parameter is used twice. */
static void test_places(void **state)
{
    for (int i = 0; i < SHAPE_COUNT; i++) {
        const setting *s = setting_new(*state, SHAPES[i]);
        const classifier_model *m = &s->fit.model;
        int64_t used[3 * SQUARE] = {0}, count = 0;
        for (int64_t f = 0; f < m->rank; f++) {
            enum classifier_kind kind = shape_kind(m->shape, f);
            for (int64_t t = 0; t < SQUARE; t++) {
                int64_t same = kind == KIND_BOTH ? t : kind == KIND_FIRST ? t / BASIS * BASIS : t % BASIS;
                assert_int_equal(m->place[f * SQUARE + t], m->place[f * SQUARE + same]);
                used[m->place[f * SQUARE + t]] += same == t;
            }
            count += kind == KIND_BOTH ? SQUARE : BASIS;
        }
        assert_int_equal(m->coefficients, count);
        for (int64_t p = 0; p < count; p++) {
            assert_int_equal(used[p], 1);
        }
    }
}

/*
 * Probabilities of logits down to -296 nats: the gradient of a model without features in c_e is -n p_e if no row is e.
 */
static void test_small_probabilities(void **state)
{
    fixture *f = *state;
    enum { MANY = 64, N = 5 };
    int64_t start[MANY + 1] = {0};
    double x[N] = {0.0, 0.1, 0.5, 0.9, 1.0}, theta[MANY], gradient[MANY] = {0}, norm = 0.0;
    int32_t fold[N] = {0};
    const double *const both[2] = {x, x};
    classifier_sample s;
    classifier_model m;
    for (int e = 0; e < MANY; e++) {
        start[e + 1] = N;
        theta[e] = -4.7 * e;
        norm += exp(theta[e]);
    }
    assert_int_equal(classifier_sample_new(f->ctx, &f->scratch, both, MANY, start, fold, 1, 4, &s), NONSENS_OK);
    assert_int_equal(classifier_model_new(f->ctx, &f->scratch, &s, (classifier_shape){0, 0, 0}, &m), NONSENS_OK);
    classifier_sums sums = {0, gradient, NULL, NULL};
    assert_int_equal(model_sum(f->ctx, &f->scratch, &m, theta, 0, &sums), NONSENS_OK);
    assert_close(sums.log_likelihood, -N * log(norm), 2e-15); // one unit in the last place of the norm, N times
    for (int e = 1; e < MANY; e++) {
        double expected = exp(theta[e]) / norm;
        assert_close(-gradient[e] / N, expected, 4e-15 * expected);
    }
}

/* ---- finite differences ---- */

/* Fourth-order central difference of the objective in parameter i. */
static double objective_slope(fixture *f, const setting *s, int64_t i)
{
    const double h = 1e-3;
    double keep = s->theta[i], value[4], at[4] = {-2.0, -1.0, 1.0, 2.0};
    for (int k = 0; k < 4; k++) {
        s->theta[i] = keep + at[k] * h;
        value[k] = rows_objective(f, &s->fit, s->theta);
    }
    s->theta[i] = keep;
    return (8.0 * (value[2] - value[1]) - (value[3] - value[0])) / (12.0 * h);
}

static void test_gradient_by_differences(void **state)
{
    for (int k = 0; k < SHAPE_COUNT; k++) {
        fixture *f = *state;
        setting *s = setting_new(f, SHAPES[k]);
        int64_t p = s->fit.model.parameters;
        double *gradient = fixture_doubles(f, p), *found = fixture_doubles(f, p);
        rows_derivatives(f, &s->fit, s->theta, gradient, NULL);
        for (int64_t i = 0; i < p; i++) {
            found[i] = objective_slope(f, s, i);
        }
        assert_arrays_close(p, found, gradient, GRADIENT_TOLERANCE);
    }
}

/* Fisher matrix + penalty + bilinear part is the matrix of second derivatives, away from any optimum. */
static void test_second_derivatives_by_differences(void **state)
{
    const double h = 1e-5;
    for (int k = 0; k < SHAPE_COUNT; k++) {
        fixture *f = *state;
        setting *s = setting_new(f, SHAPES[k]);
        int64_t p = s->fit.model.parameters;
        double *gradient = fixture_doubles(f, p), *hessian = fixture_doubles(f, p * p);
        double *above = fixture_doubles(f, p), *below = fixture_doubles(f, p);
        rows_derivatives(f, &s->fit, s->theta, gradient, hessian);
        double scale = largest(p * p, hessian);
        for (int64_t i = 0; i < p; i++) {
            double keep = s->theta[i];
            s->theta[i] = keep + h;
            rows_derivatives(f, &s->fit, s->theta, above, NULL);
            s->theta[i] = keep - h;
            rows_derivatives(f, &s->fit, s->theta, below, NULL);
            s->theta[i] = keep;
            for (int64_t j = 0; j < p; j++) {
                assert_close((above[j] - below[j]) / (2.0 * h), hessian[i * p + j], CURVATURE_TOLERANCE * scale);
            }
        }
    }
}

/* ---- penalty ---- */

/* Computes the coefficients (BASIS, BASIS) of the function in logit e. */
static void logit_coefficients(const setting *s, int64_t e, double g[BASIS][BASIS])
{
    const classifier_model *m = &s->fit.model;
    memset(g, 0, SQUARE * sizeof(double));
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t t = 0; t < SQUARE; t++) {
            g[t / BASIS][t % BASIS] += s->theta[model_weight(m, e, f)] * s->theta[m->place[f * SQUARE + t]];
        }
    }
}

/*
 * 1/2 sum_e pi_e of: lambda times mean squared second derivatives along either variable, GENTLE times the first ones.
 */
static double plain_penalty(const setting *s)
{
    const double second = pow(BASIS - 3, 4.0) / (BASIS * (BASIS - 2)),
                 first = pow(BASIS - 3, 2.0) / (BASIS * (BASIS - 1));
    double sum = 0.0;
    for (int64_t e = 0; e < E; e++) {
        double g[BASIS][BASIS], rough = 0.0, slope = 0.0;
        logit_coefficients(s, e, g);
        for (int b = 0; b < BASIS; b++) {
            for (int c = 0; c + 1 < BASIS; c++) {
                slope += first * (pow(g[b][c + 1] - g[b][c], 2.0) + pow(g[c + 1][b] - g[c][b], 2.0));
            }
            for (int c = 0; c + 2 < BASIS; c++) {
                rough += second * pow(g[b][c] - 2.0 * g[b][c + 1] + g[b][c + 2], 2.0);
                rough += second * pow(g[c][b] - 2.0 * g[c + 1][b] + g[c + 2][b], 2.0);
            }
        }
        sum += s->sample.share[e] * (LAMBDA * rough + GENTLE * slope);
    }
    return 0.5 * sum;
}

static double penalty_of(fixture *f, const setting *s)
{
    double value;
    assert_int_equal(model_penalty(f->ctx, &f->scratch, &s->fit.model, s->theta, LAMBDA, &value, NULL, NULL, NULL),
                     NONSENS_OK);
    return value;
}

static void test_penalty_against_twin(void **state)
{
    for (int k = 0; k < SHAPE_COUNT; k++) {
        setting *s = setting_new(*state, SHAPES[k]);
        double expected = plain_penalty(s);
        assert_true(expected > 0.0);
        assert_close(penalty_of(*state, s), expected, TWIN_TOLERANCE * expected);
    }
}

/* Without lambda only the gentle penalty is left: for shape (0, 0, 1), h = t1 and weights 1 it is GENTLE / 2. */
static void test_gentle_part_of_a_plane(void **state)
{
    fixture *f = *state;
    setting *s = setting_new(f, (classifier_shape){0, 0, 1});
    const classifier_model *m = &s->fit.model;
    double value;
    for (int64_t t = 0; t < SQUARE; t++) {
        s->theta[m->place[t]] = (double)(t / BASIS - 1) / (BASIS - 3); // B-splines reproduce linear functions
    }
    for (int64_t e = 0; e < E; e++) {
        s->theta[model_weight(m, e, 0)] = 1.0;
    }
    for (double lambda = 0.0; lambda <= 10.0; lambda += 10.0) { // the second derivatives are 0
        assert_int_equal(model_penalty(f->ctx, &f->scratch, m, s->theta, lambda, &value, NULL, NULL, NULL), NONSENS_OK);
        assert_close(value, 0.5 * GENTLE, 1e-8 * GENTLE); // rounding of second differences
    }
}

/* ---- parametrisation ---- */

/* Returns whether feature `wide` can absorb feature `narrow`. */
static bool takes_up(classifier_shape form, int64_t wide, int64_t narrow)
{
    enum classifier_kind w = shape_kind(form, wide), n = shape_kind(form, narrow);
    return w == KIND_BOTH || w == n;
}

/* h_wide += t h_narrow, a_narrow -= t a_wide; for the feature itself h *= 1 + t, a /= 1 + t. */
static void mix(const setting *s, int64_t wide, int64_t narrow, double t)
{
    const classifier_model *m = &s->fit.model;
    double coefficient[SQUARE];
    for (int64_t i = 0; i < SQUARE; i++) {
        coefficient[i] = s->theta[m->place[wide * SQUARE + i]] + t * s->theta[m->place[narrow * SQUARE + i]];
    }
    for (int64_t i = 0; i < SQUARE; i++) {
        s->theta[m->place[wide * SQUARE + i]] = coefficient[i];
    }
    for (int64_t e = 0; e < E; e++) {
        double *weight = &s->theta[model_weight(m, e, narrow)];
        *weight = wide == narrow ? *weight / (1.0 + t) : *weight - t * s->theta[model_weight(m, e, wide)];
    }
}

/* h_feature += t, c_e -= t a_e. */
static void move_constant(const setting *s, int64_t feature, double t)
{
    const classifier_model *m = &s->fit.model;
    bool moved[3 * SQUARE] = {false};
    for (int64_t i = 0; i < SQUARE; i++) {
        int64_t at = m->place[feature * SQUARE + i];
        s->theta[at] += moved[at] ? 0.0 : t;
        moved[at] = true;
    }
    for (int64_t e = 0; e < E; e++) {
        s->theta[model_weight(m, e, m->rank)] -= t * s->theta[model_weight(m, e, feature)];
    }
}

static void test_mixing_features_changes_nothing(void **state)
{
    for (int k = 0; k < SHAPE_COUNT; k++) {
        fixture *f = *state;
        setting *s = setting_new(f, SHAPES[k]);
        double cost = penalty_of(f, s), objective = rows_objective(f, &s->fit, s->theta);
        for (int64_t wide = 0; wide < s->fit.model.rank; wide++) {
            for (int64_t narrow = 0; narrow < s->fit.model.rank; narrow++) {
                if (takes_up(SHAPES[k], wide, narrow)) {
                    mix(s, wide, narrow, 0.7);
                    assert_close(penalty_of(f, s), cost, INVARIANCE_TOLERANCE * cost);
                    assert_close(rows_objective(f, &s->fit, s->theta), objective, INVARIANCE_TOLERANCE * objective);
                }
            }
        }
        for (int64_t feature = 0; feature < s->fit.model.rank; feature++) {
            move_constant(s, feature, -1.3);
        }
        for (int64_t e = 0; e < E; e++) {
            s->theta[model_weight(&s->fit.model, e, s->fit.model.rank)] += 1.5;
        }
        assert_close(penalty_of(f, s), cost, INVARIANCE_TOLERANCE * cost);
        assert_close(rows_objective(f, &s->fit, s->theta), objective, INVARIANCE_TOLERANCE * objective);
    }
}

/* A restricted model, written as a free one of the same rank or of one more. */
static void test_restricted_models_lie_in_the_free_one(void **state)
{
    for (int k = 0; k < SHAPE_COUNT; k++) {
        fixture *f = *state;
        setting *s = setting_new(f, SHAPES[k]);
        double expected = rows_objective(f, &s->fit, s->theta);
        for (int more = 0; more < 2; more++) {
            classifier_fit free =
                rows_fit_new(f, &s->sample, (classifier_shape){0, 0, shape_rank(SHAPES[k]) + more}, LAMBDA);
            fit_start_extended(&s->fit, &free);
            assert_close(rows_objective(f, &free, free.theta), expected, INVARIANCE_TOLERANCE * expected);
        }
    }
}

/* The same in a model that is itself restricted, but less or equally. */
static void test_restricted_models_lie_in_less_restricted_ones(void **state)
{
    static const classifier_shape pairs[][2] = {{{2, 0, 0}, {1, 0, 1}}, {{1, 1, 0}, {1, 0, 1}}, {{0, 1, 1}, {0, 1, 1}}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        fixture *f = *state;
        setting *s = setting_new(f, pairs[k][0]);
        double expected = rows_objective(f, &s->fit, s->theta);
        classifier_fit wide = rows_fit_new(f, &s->sample, pairs[k][1], LAMBDA);
        fit_start_extended(&s->fit, &wide);
        assert_close(rows_objective(f, &wide, wide.theta), expected, INVARIANCE_TOLERANCE * expected);
    }
}

/* Counts the ways to mix features: exactly flat directions, apart from those of constants. */
static int64_t count_mixes(classifier_shape form)
{
    int64_t count = 0;
    for (int64_t wide = 0; wide < shape_rank(form); wide++) {
        for (int64_t narrow = 0; narrow < shape_rank(form); narrow++) {
            count += takes_up(form, wide, narrow);
        }
    }
    return count;
}

static int64_t count_below(int64_t n, const double *ascending, double bound)
{
    int64_t count = 0;
    while (count < n && ascending[count] < bound) {
        count++;
    }
    return count;
}

/* Adds the pins to a (lower triangle; overwritten); computes the eigenvalues (parameters) of the sum. */
static void add_pins(fixture *f, const setting *s, double *a, double *value)
{
    int64_t p = s->fit.model.parameters;
    assert_int_equal(model_pin(f->ctx, &f->scratch, &s->fit.model, s->theta, a), NONSENS_OK);
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = 0; j < i; j++) {
            a[j * p + i] = a[i * p + j];
        }
    }
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, p, a, value), NONSENS_OK);
}

/*
 * At an optimum the objective is flat along the mixes of features, the r constants that move between features and c,
 * and the constant of c, and along nothing else.  The pins fix these directions and r means of weights; with them the
 * matrix is positive definite.
 */
static void test_pins_hold_what_is_flat(void **state)
{
    for (int k = 0; k < SHAPE_COUNT; k++) {
        fixture *f = *state;
        setting *s = setting_new(f, SHAPES[k]);
        int64_t p = s->fit.model.parameters, flat = count_mixes(SHAPES[k]) + shape_rank(SHAPES[k]) + 1;
        double *hessian = fixture_doubles(f, p * p), *value = fixture_doubles(f, p), *pins = fixture_doubles(f, p * p);
        double *gradient = fixture_doubles(f, p);
        s->fit = rows_fit_new(f, &s->sample, SHAPES[k], 1.0);
        s->theta = s->fit.theta;
        assert_int_equal(fit_start_cold(f->ctx, &f->scratch, &s->fit), NONSENS_OK);
        assert_int_equal(fit_all(f->ctx, &f->scratch, 1, &s->fit), NONSENS_OK);
        rows_polish(f, &s->fit, s->theta, hessian, value);
        assert_int_equal(count_below(p, value, 1e-8 * value[p - 1]), flat);
        assert_true(value[0] > -1e-8 * value[p - 1] && value[flat] > 1e-6 * value[p - 1]);

        rows_derivatives(f, &s->fit, s->theta, gradient, hessian);
        add_pins(f, s, hessian, value);
        assert_true(value[0] > 1e-6 * value[p - 1]);
        add_pins(f, s, pins, value);
        assert_int_equal(p - count_below(p, value, 1e-9 * value[p - 1]), flat + s->fit.model.rank);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sums_against_twin),
        TEST(test_groups_are_near_rows),
        TEST(test_places),
        TEST(test_small_probabilities),
        TEST(test_gradient_by_differences),
        TEST(test_second_derivatives_by_differences),
        TEST(test_penalty_against_twin),
        TEST(test_gentle_part_of_a_plane),
        TEST(test_mixing_features_changes_nothing),
        TEST(test_restricted_models_lie_in_the_free_one),
        TEST(test_restricted_models_lie_in_less_restricted_ones),
        TEST(test_pins_hold_what_is_flat),
    };
    return cmocka_run_group_tests_name("segment_model", tests, NULL, NULL);
}
