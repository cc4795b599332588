/* test_methods.c - the paper's decision rules on known disturbances, for which the answers are known. */
#include "base/rng.h"
#include "data/dataset.h"
#include "math/spline.h"
#include "methods/nonsens/disturbances_spline.h"
#include "methods/nonsens/monti.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 6, ROWS = 600, N = SEGMENTS * ROWS };

static monti_tests tests_with(double p00, double p01, double p10, double p11)
{
    monti_tests t;
    memset(&t, 0, sizeof t);
    t.test[0][0].p_value = p00;
    t.test[0][1].p_value = p01;
    t.test[1][0].p_value = p10;
    t.test[1][1].p_value = p11;
    return t;
}

static void test_three_rejections_of_four_name_the_cause(void **state)
{
    (void)state;
    const double no = 0.001, yes = 0.4;
    struct {
        double p[4];
        enum result_decision expected;
    } table[] = {
        {{yes, no, no, no}, DECISION_FIRST_CAUSES},   {{no, yes, no, no}, DECISION_FIRST_CAUSES},
        {{no, no, yes, no}, DECISION_SECOND_CAUSES},  {{no, no, no, yes}, DECISION_SECOND_CAUSES},
        {{no, yes, yes, no}, DECISION_INDEPENDENT},   {{yes, no, no, yes}, DECISION_INDEPENDENT},
        {{yes, yes, no, no}, DECISION_INCONCLUSIVE},  {{yes, no, yes, no}, DECISION_INCONCLUSIVE},
        {{no, no, no, no}, DECISION_INCONCLUSIVE},    {{yes, yes, yes, yes}, DECISION_INCONCLUSIVE},
        {{yes, yes, yes, no}, DECISION_INCONCLUSIVE},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        monti_tests t = tests_with(table[k].p[0], table[k].p[1], table[k].p[2], table[k].p[3]);
        assert_int_equal(monti_decide(&t, 0.05), table[k].expected);
    }
    monti_tests edge = tests_with(0.013, 0.012, 0.012, 0.012); /* each test at alpha / 4 = .0125 */
    assert_int_equal(monti_decide(&edge, 0.05), DECISION_FIRST_CAUSES);
}

/* x2 = b x1 + N2 with Gaussian disturbances of given scales: mutual informations have a closed form. */
typedef struct world {
    double x[2 * N], source[2 * N], slope[4][N];
    int32_t segment[N];
    int64_t start[SEGMENTS + 1];
} world;

static void make_world(world *w, double b, bool fold_first, bool fold_second)
{
    rng r = rng_new(8, RNG_TEST, 0);
    for (int64_t i = 0; i < N; i++) {
        double scale = 1.0 + (double)(i / ROWS), n1 = scale * rng_normal(&r), n2 = scale * rng_normal(&r);
        w->segment[i] = (int32_t)(i / ROWS);
        w->x[i] = n1;
        w->x[N + i] = b * n1 + n2;
        double sign1 = fold_first && n1 < 0 ? -1.0 : 1.0, sign2 = fold_second && n2 < 0 ? -1.0 : 1.0;
        w->source[i] = sign1 * n1;
        w->source[N + i] = sign2 * n2;
        w->slope[0][i] = sign1;      /* d T1 / d x1 */
        w->slope[1][i] = 0.0;        /* d T1 / d x2 */
        w->slope[2][i] = -b * sign2; /* d T2 / d x1 */
        w->slope[3][i] = sign2;      /* d T2 / d x2 */
    }
    for (int e = 0; e <= SEGMENTS; e++) {
        w->start[e] = (int64_t)e * ROWS;
    }
}

static disturbances as_disturbances(world *w)
{
    disturbances d;
    memset(&d, 0, sizeof d);
    d.n = N;
    d.segments = SEGMENTS;
    d.start = w->start;
    d.z = matrix_view(w->x, N, 2);
    d.source = matrix_view(w->source, N, 2);
    for (int k = 0; k < 4; k++) {
        d.slope[k / 2][k % 2] = w->slope[k];
        d.min_slope[k / 2][k % 2] = 1e-6;
    }
    d.fit.options.threads = 2;
    return d;
}

static monti_ratio ratio_of(world *w)
{
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    monti_ratio out;
    disturbances d = as_disturbances(w);
    assert_int_equal(monti_likelihood_ratio(ctx, &a, &d, &out), NONSENS_OK);
    arena_free(&a);
    nonsens_context_free(ctx);
    return out;
}

static void test_ratio_equals_the_mutual_information_and_folds_are_corrected(void **state)
{
    (void)state;
    world *w = malloc(sizeof *w);
    const double b = 0.8, truth = 0.5 * log(1.0 + b * b), tolerance = 0.08;
    make_world(w, b, false, false); /* monotone disturbances need no correction */
    monti_ratio plain = ratio_of(w);
    assert_true(fabs(plain.value[RATIO_PRINTED] - truth) < tolerance);
    assert_true(fabs(plain.value[RATIO_JACOBIAN] - truth) < tolerance);
    assert_true(fabs(plain.value[RATIO_INFORMATION] - truth) < tolerance);
    assert_true(plain.branch[0] == 0.0 && plain.branch[1] == 0.0);
    make_world(w, b, true, false); /* one fold: the printed ratio is off by log 2 and has the wrong sign */
    monti_ratio one = ratio_of(w);
    assert_true(fabs(one.value[RATIO_PRINTED] - (truth - log(2.0))) < tolerance);
    assert_true(one.value[RATIO_PRINTED] < 0);
    assert_true(fabs(one.value[RATIO_JACOBIAN] - truth) < tolerance);
    assert_true(one.value[RATIO_INFORMATION] > 0);
    make_world(w, b, true, true); /* two equal folds cancel */
    monti_ratio two = ratio_of(w);
    assert_true(fabs(two.value[RATIO_PRINTED] - truth) < tolerance);
    assert_true(fabs(two.value[RATIO_JACOBIAN] - truth) < tolerance);
    free(w);
}

static nonsens_options *direction_options(nonsens_context *ctx)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &o), NONSENS_OK);
    return o;
}

static void test_four_tests_on_true_disturbances(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx), *all_rows = direction_options(ctx);
    assert_int_equal(nonsens_options_set(ctx, all_rows, "as-published", "true"), NONSENS_OK);
    world *w = malloc(sizeof *w);
    for (int swap = 0; swap < 2; swap++) {
        arena a = {0};
        monti_tests t;
        nonsens_data *data;
        make_world(w, 1.0, false, false);
        const double *column[2] = {w->x + swap * N, w->x + (1 - swap) * N};
        const char *names[2] = {"a", "b"}, *labels[SEGMENTS] = {"1", "2", "3", "4", "5", "6"};
        assert_int_equal(dataset_new(ctx, N, 2, column, names, w->segment, SEGMENTS, labels, NULL, &data), NONSENS_OK);
        double *source = calloc(2 * N, sizeof *source);
        for (int64_t i = 0; i < N; i++) {
            source[i] = w->source[data->input_row[i]];
            source[N + i] = w->source[N + data->input_row[i]];
        }
        assert_int_equal(monti_four_tests(ctx, &a, data, o, data->x, matrix_view(source, N, 2), &t), NONSENS_OK);
        assert_int_equal(monti_decide(&t, 0.05), swap ? DECISION_SECOND_CAUSES : DECISION_FIRST_CAUSES);
        assert_int_equal(t.parts, 3); /* 3,600 rows in parts of 6 x 166 rows */
        assert_int_equal(monti_four_tests(ctx, &a, data, all_rows, data->x, matrix_view(source, N, 2), &t), NONSENS_OK);
        assert_int_equal(t.parts, 1);
        for (int k = 0; k < 4; k++) { /* as if rows were not divided: all are used, and p is not doubled */
            hsic_result plain;
            const int64_t whole[2] = {0, N};
            hsic_options how = hsic_options_from(all_rows, 0.0125, 0);
            assert_int_equal(
                hsic_test_scalars(ctx, &a, N, matrix_col(data->x, k / 2), source + k % 2 * N, 1, whole, &how, &plain),
                NONSENS_OK);
            assert_int_equal(t.test[k / 2][k % 2].rows_used, N);
            assert_true(t.test[k / 2][k % 2].p_value == plain.p_value);
        }
        free(source);
        arena_free(&a);
        nonsens_data_free(data);
    }
    free(w);
    nonsens_options_free(o);
    nonsens_options_free(all_rows);
}

/* 120 rows in four segments. */
static nonsens_data *small_data(nonsens_context *ctx)
{
    double x[240];
    int64_t segment[120];
    nonsens_data *data;
    rng r = rng_new(9, RNG_TEST, 0);
    for (int64_t i = 0; i < 120; i++) {
        x[i] = (1.0 + (double)(i / 30)) * rng_laplace(&r);
        x[120 + i] = x[i] + rng_laplace(&r);
        segment[i] = i / 30;
    }
    assert_int_equal(nonsens_data_from_arrays(ctx, 120, 2, x, 1, 120, NULL, segment, &data), NONSENS_OK);
    return data;
}

static bool has_note(const nonsens_result *result, const char *part)
{
    for (int64_t i = 0; i < result->notes; i++) {
        if (strstr(result->note[i].text, part)) {
            return true;
        }
    }
    return false;
}

static const nonsens_evidence *find_evidence(const nonsens_result *result, const char *name)
{
    for (int64_t i = 0; i < result->evidence_count; i++) {
        if (strcmp(result->evidence[i].name, name) == 0) {
            return &result->evidence[i];
        }
    }
    return NULL;
}

static void test_a_fit_that_went_wrong_is_reported(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx);
    nonsens_data *data = small_data(ctx);
    train_report report[3] = {{.reason = TRAIN_EPOCHS}, {.reason = TRAIN_DIVERGED}, {.reason = TRAIN_PATIENCE}};
    double singular[] = {1.0, 0.5, 0.1, 0.0};
    disturbances d = {.n = data->n, .segments = data->segments, .start = data->start, .source = data->x};
    d.fit = (tcl_fit){.nets = 3, .report = report, .singular = singular, .chance = 1.0, .loss = 0.5, .gain_se = 0.1};
    d.ica = (ica_result){.contrast_gap = 12.5, .iterations = 7, .converged = true};
    for (int wrong = 0; wrong < 2; wrong++) {
        nonsens_result *result;
        assert_int_equal(result_new(ctx, data, o, "nonsens", &result), NONSENS_OK);
        report[1].reason = wrong ? TRAIN_DIVERGED : TRAIN_EPOCHS;
        d.ica.converged = !wrong;
        assert_int_equal(disturbances_report(ctx, &d, result), NONSENS_OK);
        assert_int_equal(has_note(result, "1 of 3 networks diverged"), wrong);
        assert_int_equal(has_note(result, "after 7 iterations without converging"), wrong);
        assert_int_equal(result->notes, 2 * wrong);
        assert_true(find_evidence(result, "contrast gap")->value == 12.5);
        nonsens_result_free(result);
    }
    nonsens_data_free(data);
    nonsens_options_free(o);
}

/* Lowest, middle and highest loss of the networks that reached an epoch; one of them diverged after its first. */
static void test_training_curves_are_summed_up(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx);
    nonsens_data *data = small_data(ctx);
    nonsens_result *result;
    train_report report[3] = {{.epochs_run = 3}, {.epochs_run = 2, .reason = TRAIN_DIVERGED}, {.epochs_run = 2}};
    float curve[3][2][4] = {{{3, 2, 1}, {5, 4, 6}}, {{9, NAN}, {8, NAN}}, {{4, 4}, {7, 5}}};
    double singular[] = {1.0, 0.5, 0.1, 0.0};
    disturbances d = {.n = data->n, .segments = data->segments, .start = data->start, .source = data->x};
    d.fit = (tcl_fit){.nets = 3, .report = report, .singular = singular, .chance = 2.5, .gain_se = 0.1};
    d.fit.curve = &curve[0][0][0];
    d.fit.curve_epochs = 4;
    assert_int_equal(result_new(ctx, data, o, "nonsens", &result), NONSENS_OK);
    assert_int_equal(disturbances_report(ctx, &d, result), NONSENS_OK);
    static const double expected[2][3][3] = {{{3, 2, 1}, {4, 3, 1}, {9, 4, 1}}, {{5, 4, 6}, {7, 4.5, 6}, {8, 5, 6}}};
    assert_int_equal(result->training.epochs, 3);
    assert_int_equal(result->training.networks, 3);
    assert_true(result->training.chance == 2.5);
    for (int64_t e = 0; e < 3; e++) {
        assert_int_equal(result->training.running[e], 3 - e);
        for (int k = 0; k < 6; k++) {
            assert_true(result->training.loss[k / 3][k % 3][e] == expected[k / 3][k % 3][e]);
        }
    }
    nonsens_result_free(result);
    nonsens_data_free(data);
    nonsens_options_free(o);
}

/* Scores of rows that a network was trained on are called in-sample, and have no p-value. */
static void test_in_sample_scores_are_called_so(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx);
    nonsens_data *data = small_data(ctx);
    assert_int_equal(nonsens_options_set(ctx, o, "method", "nonsens"), NONSENS_OK);
    for (int published = 0; published < 2; published++) {
        nonsens_result *result;
        assert_int_equal(nonsens_options_set(ctx, o, "as-published", published ? "true" : "false"), NONSENS_OK);
        o->epochs = 10;
        assert_int_equal(nonsens_run_direction(ctx, data, o, &result), NONSENS_OK);
        const nonsens_evidence *held_out = find_evidence(result, "held-out gain");
        const nonsens_evidence *in_sample = find_evidence(result, "in-sample gain");
        assert_true(published ? in_sample && !held_out : held_out && !in_sample);
        assert_int_equal(isnan((published ? in_sample : held_out)->p_value), published);
        assert_int_equal(has_note(result, "(--folds 1)"), published);
        nonsens_result_free(result);
    }
    nonsens_data_free(data);
    nonsens_options_free(o);
}

/* Every row gets derivatives, whatever the networks' inputs; a wrong stride would leave zeros. */
static void test_every_kind_of_input_has_derivatives(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *o = direction_options(ctx);
    world *w = malloc(sizeof *w);
    make_world(w, 0.8, false, false);
    const double *column[2] = {w->x, w->x + N};
    const char *names[2] = {"a", "b"}, *labels[SEGMENTS] = {"1", "2", "3", "4", "5", "6"};
    nonsens_data *data;
    assert_int_equal(dataset_new(ctx, N, 2, column, names, w->segment, SEGMENTS, labels, NULL, &data), NONSENS_OK);
    o->epochs = 3;
    o->folds = 2;
    o->restarts = 2;
    enum option_inputs kinds[] = {INPUTS_MIXED, INPUTS_PLAIN, INPUTS_SCORES};
    for (int kind = 0; kind < 3; kind++) {
        arena a = {0};
        disturbances d;
        o->inputs = kinds[kind];
        assert_int_equal(disturbances_fit(ctx, &a, data, o, &d), NONSENS_OK);
        for (int k = 0; k < 4; k++) {
            int64_t zeros = 0;
            for (int64_t i = 0; i < N; i++) {
                zeros += d.slope[k / 2][k % 2][i] == 0.0;
            }
            assert_true(zeros < N / 20);
        }
        arena_free(&a);
    }
    nonsens_data_free(data);
    free(w);
    nonsens_options_free(o);
    nonsens_context_free(ctx);
}

/* ---- features on splines ---- */

/* Makes data from the world's rows; variables are mapped and, with swap, exchanged. */
static nonsens_data *world_data(nonsens_context *ctx, const world *w, bool swap, double (*map)(double))
{
    const char *names[2] = {"a", "b"}, *labels[SEGMENTS] = {"1", "2", "3", "4", "5", "6"};
    double *x = calloc(2 * N, sizeof *x);
    nonsens_data *data;
    for (int64_t i = 0; i < 2 * N; i++) {
        x[i] = map(w->x[i]);
    }
    const double *column[2] = {x + swap * N, x + !swap * N};
    assert_int_equal(dataset_new(ctx, N, 2, column, names, w->segment, SEGMENTS, labels, NULL, &data), NONSENS_OK);
    free(x);
    return data;
}

static double as_it_is(double x)
{
    return x;
}

static double bent(double x)
{
    return sinh(0.3 * x) + 0.1 * x;
}

static void test_spline_slopes_are_those_of_the_splines(void **state)
{
    (void)state;
    const double step = 1e-6, tolerance = 1e-7, at[] = {0.013, 0.26, 0.51, 0.77, 0.9999};
    for (int64_t m = 4; m <= 14; m += 5) {
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            double slope[4], before[4], after[4];
            spline_cubic_slopes(m, at[k], slope);
            assert_int_equal(sample_spline(m, at[k] - step, before), sample_spline(m, at[k] + step, after));
            for (int i = 0; i < 4; i++) {
                assert_true(fabs(slope[i] - (after[i] - before[i]) / (2.0 * step)) < tolerance * (double)m);
            }
        }
        double end[4]; /* the last knot belongs to the last interval */
        spline_cubic_slopes(m, 1.0, end);
        assert_true(end[0] == 0.0 && fabs(end[3] - 0.5 * (double)(m - 3)) < 1e-12);
    }
}

/* Checks that each row's logits are those that scored it in the fit. */
static void assert_scores(const disturbances_spline *s, const double *logits)
{
    const rank_search *l = &s->search;
    double worst = 0.0;
    for (int64_t i = 0; i < N; i++) {
        int64_t row = l->user_row[i];
        double sum = 0.0;
        for (int e = 0; e < SEGMENTS; e++) {
            sum += exp(logits[row * SEGMENTS + e]);
        }
        worst = fmax(worst, fabs(logits[row * SEGMENTS + l->pair->segment[row]] - log(sum) - s->fit->held_out[i]));
    }
    assert_true(worst < 1e-10);
}

/* Shifts variable j by `step`; returns, for each direction, the weighted sum of logits of every row (2, N). */
static void moved(disturbances_spline *s, int j, double step, const double *direction, double *logits, double *out)
{
    for (int64_t i = 0; i < N; i++) {
        s->search.warped[j][i] += step;
    }
    spline_fit_logits(s, logits);
    for (int64_t i = 0; i < N; i++) {
        s->search.warped[j][i] -= step;
    }
    memset(out, 0, 2 * N * sizeof *out);
    for (int64_t i = 0; i < 2 * N; i++) {
        for (int e = 0; e < SEGMENTS; e++) {
            out[i] += direction[i / N * SEGMENTS + e] * logits[i % N * SEGMENTS + e];
        }
    }
}

static void test_spline_logits_score_rows_and_have_derivatives(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx);
    world *w = malloc(sizeof *w);
    make_world(w, 0.8, false, false);
    for (int64_t i = 0; i < N; i++) { /* the effect's own disturbance does not change */
        w->x[N + i] = 0.8 * w->x[i] + w->source[N + i] / (1.0 + (double)(i / ROWS));
    }
    nonsens_data *data = world_data(ctx, w, false, as_it_is);
    arena a = {0};
    disturbances_spline s;
    disturbances d;
    o->features = FEATURES_SPLINE;
    assert_int_equal(disturbances_fit(ctx, &a, data, o, &d), NONSENS_OK);
    const char *doubt = disturbances_doubt(&d);
    assert_non_null(doubt);
    assert_non_null(strstr(doubt, "Only one direction of change"));
    assert_int_equal(spline_fit_new(ctx, &a, data, o, &s), NONSENS_OK);
    double *logits = calloc(N * SEGMENTS, sizeof *logits), *side[2] = {calloc(2 * N, 8), calloc(2 * N, 8)};
    spline_fit_logits(&s, logits);
    assert_scores(&s, logits);
    const double direction[2 * SEGMENTS] = {-3, 1, 2, -1, 0, 1, 0.5, 0.5, -2, 0, 0, 1}, step = 1e-5;
    double *slope[2][2] = {{w->slope[0], w->slope[1]}, {w->slope[2], w->slope[3]}};
    spline_fit_jacobian(&s, direction, slope);
    for (int j = 0; j < 2; j++) {
        moved(&s, j, -step, direction, logits, side[0]);
        moved(&s, j, step, direction, logits, side[1]);
        for (int64_t i = 0; i < 2 * N; i++) {
            double numeric = (side[1][i] - side[0][i]) / (2.0 * step);
            assert_true(fabs(slope[i / N][j][i % N] - numeric) < 1e-3 * (1.0 + fabs(numeric)));
        }
    }
    free(side[0]);
    free(side[1]);
    free(logits);
    arena_free(&a);
    nonsens_data_free(data);
    free(w);
    nonsens_options_free(o);
}

/* The ratio from splines depends only on ranks; exchanging the variables changes its sign. */
static void test_spline_ratio_is_blind_to_monotone_maps_at_length(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx);
    world *w = malloc(sizeof *w);
    monti_ratio ratio[3];
    const double tolerance = 1e-6;
    o->features = FEATURES_SPLINE;
    make_world(w, 0.8, false, false);
    for (int64_t i = 0; i < N; i++) { /* otherwise both disturbances change in proportion */
        w->x[N + i] += (i / ROWS % 2 ? 2.0 : -0.8) * w->source[N + i];
    }
    for (int variant = 0; variant < 3; variant++) {
        nonsens_data *data = world_data(ctx, w, variant == 2, variant == 1 ? bent : as_it_is);
        arena a = {0};
        disturbances d;
        assert_int_equal(disturbances_fit(ctx, &a, data, o, &d), NONSENS_OK);
        assert_null(disturbances_doubt(&d));
        assert_int_equal(monti_likelihood_ratio(ctx, &a, &d, &ratio[variant]), NONSENS_OK);
        arena_free(&a);
        nonsens_data_free(data);
    }
    assert_true(ratio[0].value[RATIO_INFORMATION] > 0.0);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(ratio[1].value[k] - ratio[0].value[k]) < tolerance);
        assert_true(fabs(ratio[2].value[k] + ratio[0].value[k]) < tolerance);
    }
    free(w);
    nonsens_options_free(o);
}

/* ---- failures ---- */

static void test_a_run_survives_every_failing_allocation(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    nonsens_options *o = direction_options(ctx);
    assert_int_equal(nonsens_options_set(ctx, o, "epochs", "1"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(ctx, o, "folds", "2"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(ctx, o, "threads", "1"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(ctx, o, "permutations", "19"), NONSENS_OK);
    const char *methods[] = {"nonsens", "nonsens-lr", "nonsens-lr"}, *features[] = {"auto", "auto", "spline"};
    for (int m = 0; m < 3; m++) {
        assert_int_equal(nonsens_options_set(ctx, o, "method", methods[m]), NONSENS_OK);
        assert_int_equal(nonsens_options_set(ctx, o, "features", features[m]), NONSENS_OK);
        nonsens_data *data = small_data(ctx);
        for (int64_t n = 0;; n += 1 + n / (m < 2 ? 50 : 6)) { /* such runs request memory thousands of times */
            nonsens_result *result = NULL;
            memory_fail_at(n);
            nonsens_status status = nonsens_run_direction(ctx, data, o, &result);
            memory_fail_at(-1);
            if (status == NONSENS_OK) {
                assert_true(n > 15);
                assert_non_null(nonsens_result_decision(result));
                assert_true(m > 0 || find_evidence(result, "parts")->value == 1.0);
                nonsens_result_free(result);
                break;
            }
            assert_int_equal(status, NONSENS_ERR_MEMORY);
            assert_null(result);
        }
        nonsens_data_free(data);
    }
    nonsens_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_three_rejections_of_four_name_the_cause),
        TEST(test_ratio_equals_the_mutual_information_and_folds_are_corrected),
        TEST(test_four_tests_on_true_disturbances),
        TEST(test_every_kind_of_input_has_derivatives),
        TEST(test_a_fit_that_went_wrong_is_reported),
        TEST(test_training_curves_are_summed_up),
        TEST(test_in_sample_scores_are_called_so),
        TEST(test_spline_slopes_are_those_of_the_splines),
        TEST(test_spline_logits_score_rows_and_have_derivatives),
        TEST(test_spline_ratio_is_blind_to_monotone_maps_at_length),
        TEST(test_a_run_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
