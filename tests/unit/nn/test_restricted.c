/* Restricted segment classifiers: gradients of joined networks, what features see, what restrictions cost. */
#include "nn/restricted.h"
#include "nn/train.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

static const double DIFFERENCE_TOLERANCE = 2e-3; /* of gradients, relative to the largest; the loss is of floats */
static const double CLOSE = 0.01;                /* nats per row: between the true model and the free one */
static const double APART = 0.03;                /* nats per row: between the wrong model and the others */

typedef struct pair {
    restricted_data data;
    double *x[2];
    int32_t *label, *fold;
} pair;

/* Draws x1 = s1(e) N1, x2 = 2 tanh(x1) + s2(e) N2 with scales that change separately. */
static pair make_pair(fixture *f, int64_t segments, int64_t per_segment, int64_t folds)
{
    int64_t n = segments * per_segment;
    pair p = {.x = {fixture_doubles(f, n), fixture_doubles(f, n)}};
    p.label = arena_get(f->ctx, &f->scratch, n, sizeof *p.label);
    p.fold = arena_get(f->ctx, &f->scratch, n, sizeof *p.fold);
    assert_true(p.label && p.fold);
    rng r = rng_new(5, RNG_TEST, 0);
    for (int64_t i = 0; i < n; i++) {
        int64_t e = i / per_segment;
        double s1 = 0.3 + 1.2 * (double)((3 * e) % segments) / (double)segments;
        double s2 = 0.2 + 1.0 * (double)((5 * e + 2) % segments) / (double)segments;
        p.x[0][i] = s1 * rng_normal(&r);
        p.x[1][i] = 2.0 * tanh(p.x[0][i]) + s2 * rng_normal(&r);
        p.label[i] = (int32_t)e;
        p.fold[i] = (int32_t)(i % folds);
    }
    p.data = (restricted_data){n, segments, folds, {p.x[0], p.x[1]}, p.label, p.fold};
    return p;
}

static nonsens_options *make_options(fixture *f, const char *width, const char *epochs, const char *threads)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "width", width), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "epochs", epochs), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "threads", threads), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "restarts", "2"), NONSENS_OK);
    return o;
}

/* Runs a fit and returns the mean of held_out (n). */
static double fit(fixture *f, const pair *p, restricted_spec spec, const nonsens_options *o, double *held_out,
                  double *feature)
{
    arena a = {0};
    double mean = 0.0;
    assert_int_equal(restricted_fit(f->ctx, &a, &p->data, spec, o, held_out, feature), NONSENS_OK);
    arena_free(&a);
    for (int64_t i = 0; i < p->data.n; i++) {
        assert_true(held_out[i] <= 0.0);
        mean += held_out[i] / (double)p->data.n;
    }
    return mean;
}

enum { BLOCKS = 3, ROWS = 70, CLASSES = 4, INPUTS = 2 };

/* Draws x, labels and weights; biases are random, too, so that they matter. */
static void draw_case(rng *r, int64_t parameters, float *x, int32_t *label, float *weight)
{
    for (int i = 0; i < ROWS * BLOCKS * INPUTS; i++) {
        x[i] = (float)rng_normal(r);
    }
    for (int i = 0; i < ROWS; i++) {
        label[i] = (int32_t)rng_below(r, CLASSES);
    }
    for (int64_t k = 0; k < parameters; k++) {
        weight[k] = (float)(0.5 * rng_normal(r));
    }
}

/* Central differences, for smooth activations only; the others differ from them only inside a block (test_nn). */
static void test_gradient_of_joined_networks_equals_differences(void **state)
{
    fixture *f = *state;
    const float STEP = 4e-3f;
    mlp_shape shape = {INPUTS, 2, 5, 1, CLASSES, ACTIVATION_TANH, LAST_LINEAR};
    int64_t parameters = mlp_block_parameters(&shape, BLOCKS);
    assert_int_equal(parameters, BLOCKS * (5 * 2 + 5 + 5 * 5 + 5 + 5 + 1) + CLASSES * BLOCKS + CLASSES);
    float x[ROWS * BLOCKS * INPUTS], *weight = calloc((size_t)parameters, sizeof *weight);
    float *gradient = calloc((size_t)parameters, sizeof *gradient);
    int32_t label[ROWS];
    rng r = rng_new(1, RNG_TEST, 1);
    draw_case(&r, parameters, x, label, weight);
    mlp_rows rows = {x, ROWS, NULL, ROWS, label};
    mlp_workspace work;
    assert_int_equal(mlp_block_workspace(f->ctx, &f->scratch, &shape, BLOCKS, &work), NONSENS_OK);
    mlp_loss_gradient(weight, &work, rows, gradient);
    double largest = 0.0;
    for (int64_t k = 0; k < parameters; k++) {
        double size = fabs((double)gradient[k]);
        largest = size > largest ? size : largest;
    }
    for (int64_t k = 0; k < parameters; k++) {
        float kept = weight[k];
        weight[k] = kept + STEP;
        double up = mlp_loss(weight, &work, rows);
        weight[k] = kept - STEP;
        double down = mlp_loss(weight, &work, rows);
        weight[k] = kept;
        double difference = (up - down) / (2.0 * (double)STEP);
        if (fabs(difference - (double)gradient[k]) > DIFFERENCE_TOLERANCE * largest) {
            fail_msg("parameter %d: %g, difference %g", (int)k, (double)gradient[k], difference);
        }
    }
    free(weight);
    free(gradient);
}

/* Copies the parameters of block b of a joined network, or their gradient, up to its feature, to its own network. */
static void copy_block(const mlp_shape *s, int64_t b, const float *joined, float *own)
{
    int64_t raw = s->activation == ACTIVATION_MAXOUT ? 2 * s->width : s->width, inputs = s->inputs;
    for (int64_t i = 0; i <= s->layers; i++) {
        int64_t outputs = i < s->layers ? raw : 1, size[2] = {outputs * inputs, outputs};
        for (int part = 0; part < 2; part++) {
            memcpy(own, joined + b * size[part], (size_t)size[part] * sizeof *own);
            joined += BLOCKS * size[part];
            own += size[part];
        }
        inputs = s->width;
    }
}

/*
 * A joined network is the sum of its blocks: with one feature at a time in the logits, loss and gradient are those of a
 * network of one block, for every activation.
 */
static void test_a_block_is_a_network_of_its_own(void **state)
{
    fixture *f = *state;
    for (int kind = ACTIVATION_LEAKY_RELU; kind <= ACTIVATION_TANH; kind++) {
        mlp_shape shape = {INPUTS, 2, 6, 1, CLASSES, (enum option_activation)kind, LAST_SMOOTH_ABS};
        int64_t parameters = mlp_block_parameters(&shape, BLOCKS), own = mlp_parameters(&shape);
        int64_t last = CLASSES * BLOCKS + CLASSES, own_last = 2 * CLASSES;
        float x[ROWS * BLOCKS * INPUTS], *weight = calloc((size_t)parameters, sizeof *weight);
        float *gradient = calloc((size_t)parameters, sizeof *gradient), *one = calloc((size_t)own, sizeof *one);
        float *found = calloc((size_t)own, sizeof *found), *expected = calloc((size_t)own, sizeof *expected);
        int32_t label[ROWS];
        rng r = rng_new(2, RNG_TEST, (uint64_t)kind);
        draw_case(&r, parameters, x, label, weight);
        mlp_workspace work, work_one;
        assert_int_equal(mlp_block_workspace(f->ctx, &f->scratch, &shape, BLOCKS, &work), NONSENS_OK);
        assert_int_equal(mlp_workspace_new(f->ctx, &f->scratch, &shape, &work_one), NONSENS_OK);
        for (int b = 0; b < BLOCKS; b++) {
            copy_block(&shape, b, weight, one);
            for (int e = 0; e < CLASSES; e++) {
                for (int k = 0; k < BLOCKS; k++) {
                    weight[parameters - last + e * BLOCKS + k] = k == b ? 0.3f * (float)e : 0.0f;
                }
                one[own - own_last + e] = 0.3f * (float)e;
                one[own - CLASSES + e] = weight[parameters - CLASSES + e];
            }
            memset(gradient, 0, (size_t)parameters * sizeof *gradient);
            memset(expected, 0, (size_t)own * sizeof *expected);
            double joined = mlp_loss_gradient(weight, &work, (mlp_rows){x, ROWS, NULL, ROWS, label}, gradient);
            mlp_rows mine = {x + b * INPUTS * ROWS, ROWS, NULL, ROWS, label};
            double alone = mlp_loss_gradient(one, &work_one, mine, expected);
            assert_true(fabs(joined - alone) < 1e-5 * alone);
            copy_block(&shape, b, gradient, found);
            for (int64_t k = 0; k < own - own_last; k++) {
                assert_true(fabs((double)(found[k] - expected[k])) < 1e-4);
            }
        }
        free(weight);
        free(gradient);
        free(one);
        free(found);
        free(expected);
    }
}

/* Other values in a column leave models without that column unchanged, bit for bit, and change those with it. */
static void test_models_see_what_they_may(void **state)
{
    fixture *f = *state;
    static const restricted_spec SPEC[] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 1}, {1, 1, 0}};
    static const bool SEES[][2] = {{true, false}, {false, true}, {true, true}, {true, true}};
    enum { SPECS = 4 };
    pair p = make_pair(f, 3, 60, 2);
    int64_t n = p.data.n;
    double *held = fixture_doubles(f, 2 * n), *feature = fixture_doubles(f, 4 * n);
    nonsens_options *o = make_options(f, "8", "12", "1");
    for (int k = 0; k < 2 * SPECS; k++) {
        double *kept = fixture_doubles(f, n);
        memcpy(kept, p.x[k % 2], (size_t)n * sizeof *kept);
        fit(f, &p, SPEC[k / 2], o, held, feature);
        for (int64_t i = 0; i < n; i++) {
            p.x[k % 2][i] = cos(17.0 * kept[i]);
        }
        fit(f, &p, SPEC[k / 2], o, held + n, feature + 2 * n);
        memcpy(p.x[k % 2], kept, (size_t)n * sizeof *kept);
        bool same = memcmp(held, held + n, (size_t)n * sizeof *held) == 0 &&
                    memcmp(feature, feature + 2 * n, (size_t)(restricted_rank(SPEC[k / 2]) * n) * sizeof *feature) == 0;
        assert_int_equal(same, !SEES[k / 2][k % 2]);
    }
    nonsens_options_free(o);
}

/* A feature of one variable has equal values where the variable has, even beside other features. */
static void test_a_feature_is_a_function_of_its_variable(void **state)
{
    fixture *f = *state;
    pair p = make_pair(f, 3, 60, 2);
    int64_t n = p.data.n;
    double *held = fixture_doubles(f, n), *feature = fixture_doubles(f, 3 * n);
    nonsens_options *o = make_options(f, "8", "12", "1");
    for (int64_t i = 0; i < n; i++) {
        p.x[0][i] = round(2.0 * p.x[0][i]);
        p.x[1][i] = round(2.0 * p.x[1][i]);
    }
    fit(f, &p, (restricted_spec){1, 1, 1}, o, held, feature);
    int64_t equal[2] = {0}, differ[2] = {0};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            for (int k = 0; k < 2; k++) {
                if (p.x[k][i] == p.x[k][j] && p.x[1 - k][i] != p.x[1 - k][j] && p.fold[i] == p.fold[j]) {
                    assert_true(feature[k * n + i] == feature[k * n + j]);
                    differ[k] += feature[2 * n + i] != feature[2 * n + j];
                    equal[k]++;
                }
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        assert_true(equal[k] > n && differ[k] == equal[k]);
    }
    nonsens_options_free(o);
}

static void test_only_the_wrong_restriction_costs(void **state)
{
    fixture *f = *state;
    pair p = make_pair(f, 8, 300, 3);
    double *held = fixture_doubles(f, p.data.n);
    nonsens_options *o = make_options(f, "16", "60", "0");
    double whole = fit(f, &p, (restricted_spec){0, 0, 2}, o, held, NULL);
    double right = fit(f, &p, (restricted_spec){1, 0, 1}, o, held, NULL);
    double wrong = fit(f, &p, (restricted_spec){0, 1, 1}, o, held, NULL);
    double chance = fit(f, &p, (restricted_spec){0, 0, 0}, o, held, NULL);
    if (!(fabs(right - whole) < CLOSE && wrong < right - APART && wrong < whole - APART)) {
        fail_msg("free %g, right %g, wrong %g", whole, right, wrong);
    }
    assert_true(fabs(chance + log(8.0)) < CLOSE && chance < wrong - APART);
    nonsens_options_free(o);
}

/* Threads change no bit, and the networks that score a row do not see its label. */
static void test_threads_do_not_matter_and_rows_are_scored_out_of_fold(void **state)
{
    fixture *f = *state;
    pair p = make_pair(f, 3, 80, 4);
    size_t bytes = (size_t)p.data.n * sizeof(double);
    double *one = fixture_doubles(f, p.data.n), *two = fixture_doubles(f, p.data.n);
    double *feature = fixture_doubles(f, 2 * p.data.n), *again = fixture_doubles(f, 2 * p.data.n);
    nonsens_options *o1 = make_options(f, "8", "12", "1"), *o2 = make_options(f, "8", "12", "2");
    restricted_spec spec = {0, 1, 1};
    fit(f, &p, spec, o1, one, feature);
    fit(f, &p, spec, o2, two, again);
    assert_memory_equal(one, two, bytes);
    assert_memory_equal(feature, again, 2 * bytes);
    for (int64_t i = 0; i < p.data.n; i++) {
        if (p.fold[i] == 0) {
            p.label[i] = (p.label[i] + 1) % 3;
        }
    }
    fit(f, &p, spec, o2, two, again);
    for (int64_t i = 0; i < p.data.n; i++) {
        bool same = feature[i] == again[i] && feature[p.data.n + i] == again[p.data.n + i];
        assert_true(p.fold[i] == 0 ? same && one[i] != two[i] : !same);
    }
    nonsens_options_free(o1);
    nonsens_options_free(o2);
}

/* Equal columns, or opposite ones up to rounding, have no second direction; that is no failure. */
static void test_columns_that_are_equal_are_fitted(void **state)
{
    fixture *f = *state;
    pair p = make_pair(f, 3, 60, 2);
    double *held = fixture_doubles(f, p.data.n);
    nonsens_options *o = make_options(f, "8", "5", "1");
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int64_t i = 0; i < p.data.n; i++) {
            p.x[1][i] = sign * p.x[0][i] / 3.0;
        }
        assert_true(isfinite(fit(f, &p, (restricted_spec){0, 0, 2}, o, held, NULL)));
    }
    nonsens_options_free(o);
}

/* Training that diverges is reported, with a remedy. */
static void test_diverging_training_is_told(void **state)
{
    fixture *f = *state;
    pair p = make_pair(f, 3, 30, 2);
    double *held = fixture_doubles(f, p.data.n);
    nonsens_options *o = make_options(f, "8", "5", "1");
    assert_int_equal(nonsens_options_set(f->ctx, o, "optimiser", "sgd"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "learning-rate", "10"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "weight-decay", "10"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "batch", "1"), NONSENS_OK);
    assert_int_equal(restricted_fit(f->ctx, &f->scratch, &p.data, (restricted_spec){0, 0, 2}, o, held, NULL),
                     NONSENS_ERR_NUMERIC);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "--learning-rate"));
    nonsens_options_free(o);
}

typedef struct failing {
    const pair *pair;
    const nonsens_options *options;
    double *held_out, *feature;
} failing;

static nonsens_status fit_failing(nonsens_context *ctx, arena *a, void *state)
{
    const failing *s = state;
    return restricted_fit(ctx, a, &s->pair->data, (restricted_spec){1, 0, 1}, s->options, s->held_out, s->feature);
}

static void test_every_failing_allocation_is_reported(void **state)
{
    fixture *f = *state;
    pair p = make_pair(f, 3, 30, 2);
    nonsens_options *o = make_options(f, "4", "1", "2");
    failing s = {&p, o, fixture_doubles(f, p.data.n), fixture_doubles(f, 2 * p.data.n)};
    assert_true(fail_every_allocation(f, fit_failing, &s) > 3);
    nonsens_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gradient_of_joined_networks_equals_differences),
        TEST(test_a_block_is_a_network_of_its_own),
        TEST(test_models_see_what_they_may),
        TEST(test_a_feature_is_a_function_of_its_variable),
        TEST(test_only_the_wrong_restriction_costs),
        TEST(test_threads_do_not_matter_and_rows_are_scored_out_of_fold),
        TEST(test_columns_that_are_equal_are_fitted),
        TEST(test_diverging_training_is_told),
        TEST(test_every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
