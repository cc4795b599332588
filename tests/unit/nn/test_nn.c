/* Segment classifier: against PyTorch, against a plain double-precision twin and its differences; training; ensembles.
 */
#include "math/linalg.h"
#include "math/special.h"
#include "nn/inputs.h"
#include "nn/tcl.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "fixtures/nn.h"

enum { CASES = sizeof nn_cases / sizeof *nn_cases };

static const double FLOAT_TOLERANCE = 2e-5;      /* relative to the largest entry of the tensor */
static const double DIFFERENCE_TOLERANCE = 5e-4; /* the same, for finite differences of the double twin */

static mlp_shape case_shape(const nn_case *c)
{
    return (mlp_shape){NN_INPUTS, NN_LAYERS, NN_WIDTH, NN_FEATURES, NN_CLASSES, c->activation, c->last};
}

static mlp_rows case_rows(void)
{
    return (mlp_rows){nn_x, NN_ROWS, NULL, NN_ROWS, nn_label};
}

static double largest(int64_t n, const float *v)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double size = fabs((double)v[i]);
        most = size > most ? size : most;
    }
    return most;
}

/* Lists the sizes of weights and biases, layer by layer; returns how many there are. */
static int64_t tensor_sizes(const mlp_shape *s, int64_t *size)
{
    int64_t raw = s->activation == ACTIVATION_MAXOUT ? 2 * s->width : s->width, inputs = s->inputs, count = 0;
    for (int64_t i = 0; i < s->layers + 2; i++) {
        int64_t outputs = i < s->layers ? raw : i == s->layers ? s->features : s->classes;
        size[count++] = outputs * inputs;
        size[count++] = outputs;
        inputs = i < s->layers ? s->width : outputs;
    }
    return count;
}

static void test_gradients_equal_pytorch_tensor_by_tensor(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    for (int c = 0; c < CASES; c++) {
        const nn_case *k = &nn_cases[c];
        mlp_shape shape = case_shape(k);
        arena a = {0};
        mlp_workspace work;
        assert_int_equal(mlp_parameters(&shape), k->parameters);
        assert_int_equal(mlp_workspace_new(ctx, &a, &shape, &work), NONSENS_OK);
        float *gradient = calloc((size_t)k->parameters, sizeof *gradient);
        double loss = mlp_loss_gradient(k->value, &work, case_rows(), gradient);
        assert_true(fabs(loss - k->loss) < FLOAT_TOLERANCE * k->loss);
        assert_true(fabs(mlp_loss(k->value, &work, case_rows()) - loss) < 1e-12 * loss);
        int64_t size[2 * (MLP_MAX_LAYERS + 2)], tensors = tensor_sizes(&shape, size), at = 0;
        for (int64_t t = 0; t < tensors; t++) {
            double scale = largest(size[t], k->gradient + at);
            for (int64_t i = 0; i < size[t]; i++, at++) {
                if (fabs((double)(gradient[at] - k->gradient[at])) > FLOAT_TOLERANCE * scale) {
                    fail_msg("%s: tensor %d entry %d: %g, PyTorch %g", k->name, (int)t, (int)i, (double)gradient[at],
                             (double)k->gradient[at]);
                }
            }
        }
        assert_int_equal(at, k->parameters);
        double logits[NN_ROWS * NN_CLASSES] = {0};
        mlp_add_logits(k->value, &work, case_rows(), logits);
        for (int i = 0; i < NN_ROWS * NN_CLASSES; i++) {
            assert_true(fabs(logits[i] - (double)k->logits[i]) < FLOAT_TOLERANCE * 10);
        }
        free(gradient);
        arena_free(&a);
    }
}

/* The twin: the same network for one row, written plainly in double precision. */
static void twin_logits(const mlp_shape *s, const double *p, const double *x, double *logits)
{
    double in[64], raw[64];
    int64_t inputs = s->inputs, at = 0;
    memcpy(in, x, (size_t)inputs * sizeof *in);
    for (int64_t i = 0; i < s->layers + 2; i++) {
        bool hidden = i < s->layers;
        int64_t pieces = hidden && s->activation == ACTIVATION_MAXOUT ? 2 : 1;
        int64_t outputs = pieces * (hidden ? s->width : i == s->layers ? s->features : s->classes);
        for (int64_t j = 0; j < outputs; j++) {
            raw[j] = p[at + outputs * inputs + j];
            for (int64_t k = 0; k < inputs; k++) {
                raw[j] += p[at + j * inputs + k] * in[k];
            }
        }
        at += outputs * inputs + outputs;
        inputs = outputs / pieces;
        for (int64_t j = 0; j < inputs; j++) {
            double v = raw[j];
            in[j] = i == s->layers + 1                   ? v
                    : i == s->layers                     ? (s->last == LAST_LINEAR ? v
                                                            : s->last == LAST_ABS  ? fabs(v)
                                                                                   : sqrt(v * v + 1e-2))
                    : s->activation == ACTIVATION_TANH   ? tanh(v)
                    : s->activation == ACTIVATION_MAXOUT ? fmax(v, raw[j + inputs])
                                                         : (v > 0 ? v : 0.2 * v);
        }
    }
    memcpy(logits, in, (size_t)s->classes * sizeof *logits);
    logits[0] = 0.0;
}

static double twin_loss(const mlp_shape *s, const double *p, const double *x, int64_t n, const int32_t *label)
{
    double loss = 0.0, logits[64], row[64];
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < s->inputs; k++) {
            row[k] = x[k * n + i];
        }
        twin_logits(s, p, row, logits);
        double sum = 0.0;
        for (int64_t e = 0; e < s->classes; e++) {
            sum += exp(logits[e]);
        }
        loss += log(sum) - logits[label[i]];
    }
    return loss;
}

/* Unusual shapes: widths that are no multiple of a block, one feature, no hidden layer, fewer rows than a tile. */
static void check_differences(nonsens_context *ctx, mlp_shape shape, int64_t n, uint64_t seed)
{
    arena a = {0};
    mlp_workspace work;
    rng r = rng_new(seed, RNG_TEST, 0);
    int64_t count = mlp_parameters(&shape);
    float *p = calloc((size_t)count, sizeof *p), *g = calloc((size_t)count, sizeof *g),
          *x = calloc(64 * 200, sizeof *x);
    double *pd = calloc((size_t)count, sizeof *pd), *xd = calloc(64 * 200, sizeof *xd);
    int32_t label[200];
    mlp_init(&shape, &r, p);
    for (int64_t i = 0; i < count; i++) {
        p[i] += 0.1f * (float)rng_normal(&r);
        pd[i] = (double)p[i];
    }
    for (int64_t i = 0; i < shape.inputs * n; i++) {
        x[i] = (float)rng_normal(&r);
        xd[i] = (double)x[i];
    }
    for (int64_t i = 0; i < n; i++) {
        label[i] = (int32_t)rng_below(&r, (uint64_t)shape.classes);
    }
    assert_int_equal(mlp_workspace_new(ctx, &a, &shape, &work), NONSENS_OK);
    mlp_loss_gradient(p, &work, (mlp_rows){x, n, NULL, n, label}, g);
    double scale = largest(count, g);
    for (int64_t i = 0; i < count; i++) {
        double keep = pd[i], step = 1e-6;
        pd[i] = keep + step;
        double up = twin_loss(&shape, pd, xd, n, label);
        pd[i] = keep - step;
        double down = twin_loss(&shape, pd, xd, n, label);
        pd[i] = keep;
        if (fabs((up - down) / (2 * step) - (double)g[i]) > DIFFERENCE_TOLERANCE * scale) {
            fail_msg("parameter %d of %d: %g, difference %g", (int)i, (int)count, (double)g[i],
                     (up - down) / (2 * step));
        }
    }
    free(p);
    free(g);
    free(x);
    free(pd);
    free(xd);
    arena_free(&a);
}

static void test_gradients_equal_differences_for_odd_shapes(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    enum option_activation kinds[] = {ACTIVATION_LEAKY_RELU, ACTIVATION_MAXOUT, ACTIVATION_TANH};
    for (int k = 0; k < 3; k++) {
        check_differences(ctx, (mlp_shape){2, 3, 7, 2, 5, kinds[k], LAST_LINEAR}, 65, 1);
        check_differences(ctx, (mlp_shape){1, 1, 3, 1, 2, kinds[k], LAST_SMOOTH_ABS}, 9, 2);
        check_differences(ctx, (mlp_shape){5, 0, 1, 3, 3, kinds[k], LAST_ABS}, 130, 3);
    }
}

static void test_input_gradient_equals_differences(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    for (int c = 0; c < CASES; c++) {
        const nn_case *k = &nn_cases[c];
        mlp_shape shape = case_shape(k);
        arena a = {0};
        mlp_workspace work;
        float direction[NN_CLASSES] = {0.3f, -1.0f, 0.5f, 0.2f};
        double jacobian[NN_ROWS * 4] = {0}, p[512], scale = 0.0;
        assert_int_equal(mlp_workspace_new(ctx, &a, &shape, &work), NONSENS_OK);
        mlp_add_input_gradient(k->value, &work, case_rows(), direction, 4, jacobian);
        for (int64_t i = 0; i < k->parameters; i++) {
            p[i] = (double)k->value[i];
        }
        for (int i = 0; i < NN_ROWS * 4; i++) {
            scale = fabs(jacobian[i]) > scale ? fabs(jacobian[i]) : scale;
        }
        for (int i = 0; i < NN_ROWS; i++) {
            for (int j = 0; j < NN_INPUTS; j++) {
                double x[NN_INPUTS], logits[NN_CLASSES], value[2];
                for (int side = 0; side < 2; side++) {
                    for (int m = 0; m < NN_INPUTS; m++) {
                        x[m] = (double)nn_x[m * NN_ROWS + i];
                    }
                    x[j] += side ? 1e-6 : -1e-6;
                    twin_logits(&shape, p, x, logits);
                    value[side] = 0.0;
                    for (int e = 0; e < NN_CLASSES; e++) {
                        value[side] += (double)direction[e] * logits[e];
                    }
                }
                assert_true(fabs((value[1] - value[0]) / 2e-6 - jacobian[i * 4 + j]) < DIFFERENCE_TOLERANCE * scale);
            }
            assert_true(jacobian[i * 4 + 3] == 0.0); /* nothing is written beyond the inputs */
        }
        arena_free(&a);
    }
}

/* Draws Laplace sources with a scale per segment, mixed by a triangular matrix: the smallest realistic problem. */
typedef struct sample {
    int64_t n, classes;
    double *x, *source;
    int32_t *label;
    int64_t *start;
} sample;

static sample make_sample(int64_t classes, int64_t rows)
{
    sample s = {classes * rows, classes, NULL, NULL, NULL, NULL};
    rng r = rng_new(11, RNG_TEST, 1);
    s.x = calloc((size_t)s.n * 2, sizeof *s.x);
    s.source = calloc((size_t)s.n * 2, sizeof *s.source);
    s.label = calloc((size_t)s.n, sizeof *s.label);
    s.start = calloc((size_t)classes + 1, sizeof *s.start);
    for (int64_t e = 0; e < classes; e++) {
        double scale[2] = {0.2 + 2.8 * rng_uniform(&r), 0.2 + 2.8 * rng_uniform(&r)};
        s.start[e + 1] = (e + 1) * rows;
        for (int64_t i = e * rows; i < (e + 1) * rows; i++) {
            s.label[i] = (int32_t)e;
            s.source[i] = scale[0] * rng_laplace(&r);
            s.source[s.n + i] = scale[1] * rng_laplace(&r);
            s.x[i] = s.source[i];
            s.x[s.n + i] = s.source[i] + s.source[s.n + i];
        }
    }
    return s;
}

static void free_sample(sample *s)
{
    free(s->x);
    free(s->source);
    free(s->label);
    free(s->start);
}

static tcl_options small_options(int threads)
{
    return (tcl_options){.shape = {.layers = 2, .width = 16, .activation = ACTIVATION_LEAKY_RELU, .last = LAST_LINEAR},
                         .train = {OPTIMISER_ADAM, 0.02, 0.9, 1e-4, 256, 30, 10},
                         .folds = 4,
                         .restarts = 2,
                         .keep = 0,
                         .validation = 0.1,
                         .features = 2,
                         .basic = 2,
                         .seed = 5,
                         .threads = threads};
}

static double r_squared(const sample *s, const tcl_fit *fit, int64_t j)
{
    /* the share of the variance of |source j| that the two features explain linearly */
    double g[9] = {0}, b[3] = {0}, mean = 0, total = 0, explained = 0;
    for (int64_t i = 0; i < s->n; i++) {
        mean += fabs(s->source[j * s->n + i]) / (double)s->n;
    }
    for (int64_t i = 0; i < s->n; i++) {
        double row[3] = {1.0, fit->h.v[i], fit->h.v[s->n + i]}, y = fabs(s->source[j * s->n + i]) - mean;
        for (int p = 0; p < 3; p++) {
            b[p] += row[p] * y;
            for (int q = 0; q < 3; q++) {
                g[q * 3 + p] += row[p] * row[q];
            }
        }
        total += y * y;
    }
    double c[3] = {b[0], b[1], b[2]};
    arena a = {0};
    nonsens_context *ctx = nonsens_context_new();
    assert_int_equal(linalg_solve(ctx, &a, 3, 1, g, c), NONSENS_OK);
    for (int p = 0; p < 3; p++) {
        explained += c[p] * b[p];
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return explained / total;
}

static void test_ensemble_learns_and_is_the_same_for_any_threads(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    sample s = make_sample(6, 256);
    arena a = {0};
    nn_inputs inputs;
    tcl_fit fit[2];
    assert_int_equal(nn_inputs_new(ctx, &a, matrix_view(s.x, s.n, 2), &inputs), NONSENS_OK);
    for (int t = 0; t < 2; t++) {
        tcl_options o = small_options(t + 1);
        assert_int_equal(tcl_fit_new(ctx, &a, inputs.view, s.classes, s.label, s.start, &o, &fit[t]), NONSENS_OK);
    }
    assert_memory_equal(fit[0].h.v, fit[1].h.v, (size_t)(s.n * 2) * sizeof(double));
    assert_true(fit[0].chance - fit[0].loss > 5 * fit[0].gain_se);
    assert_true(r_squared(&s, &fit[0], 0) > 0.85);
    assert_true(r_squared(&s, &fit[0], 1) > 0.85);
    for (int64_t e = 0; e < s.classes; e++) { /* folds are balanced inside each segment */
        int64_t count[4] = {0};
        for (int64_t i = s.start[e]; i < s.start[e + 1]; i++) {
            count[fit[0].fold[i]]++;
        }
        for (int f = 0; f < 4; f++) {
            assert_int_equal(count[f], 64);
        }
    }
    arena_free(&a);
    free_sample(&s);
}

/* With one fold, every row is scored by networks that were trained on it, so the loss is lower than out of fold. */
static void test_one_fold_is_in_sample(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    sample s = make_sample(6, 40);
    arena a = {0};
    tcl_fit fit[3];
    for (int t = 0; t < 3; t++) {
        tcl_options o = small_options(t);
        o.basic = 0;
        o.restarts = 1;
        o.train.batch = 16;
        o.validation = 0.0; // the last epoch is kept
        o.folds = t == 0 ? 4 : 1;
        assert_int_equal(tcl_fit_new(ctx, &a, matrix_view(s.x, s.n, 2), s.classes, s.label, s.start, &o, &fit[t]),
                         NONSENS_OK);
    }
    assert_memory_equal(fit[1].h.v, fit[2].h.v, (size_t)(s.n * 2) * sizeof(double));
    assert_true(fit[1].loss < fit[0].loss - 0.05 && fit[0].loss < fit[0].chance);
    arena_free(&a);
    free_sample(&s);
}

/* Only the restarts of each fold with the lowest held-out cross-entropy are averaged. */
static void test_restarts_are_chosen_by_held_out_loss(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    sample s = make_sample(4, 128);
    arena a = {0};
    tcl_fit fit;
    tcl_options o = small_options(2);
    o.basic = 0;
    o.restarts = 3;
    o.keep = 1;
    assert_int_equal(tcl_fit_new(ctx, &a, matrix_view(s.x, s.n, 2), s.classes, s.label, s.start, &o, &fit), NONSENS_OK);
    for (int64_t fold = 0; fold < o.folds; fold++) {
        int64_t used = -1, count = 0;
        for (int64_t net = fold * o.restarts; net < (fold + 1) * o.restarts; net++) {
            used = fit.used[net] ? net : used;
            count += fit.used[net];
        }
        assert_int_equal(count, 1);
        for (int64_t net = fold * o.restarts; net < (fold + 1) * o.restarts; net++) {
            assert_true(fit.report[used].validation_loss <= fit.report[net].validation_loss);
        }
    }
    arena_free(&a);
    free_sample(&s);
}

/* Moving one input slightly changes h as the Jacobian says. */
static void check_jacobian(nonsens_context *ctx, int64_t folds)
{
    sample s = make_sample(4, 128);
    arena a = {0};
    tcl_fit fit;
    tcl_options o = small_options(2);
    o.basic = 0;
    o.folds = folds;
    assert_int_equal(tcl_fit_new(ctx, &a, matrix_view(s.x, s.n, 2), s.classes, s.label, s.start, &o, &fit), NONSENS_OK);
    double unmix[4] = {1.0, -0.5, 0.3, 2.0}, *jacobian[2];
    for (int k = 0; k < 2; k++) {
        jacobian[k] = calloc((size_t)s.n * 2, sizeof(double));
    }
    assert_int_equal(tcl_jacobian(ctx, &a, &fit, unmix, 2, jacobian), NONSENS_OK);
    mlp_shape shape = fit.options.shape;
    int64_t count = mlp_parameters(&shape), close = 0, tried = 0;
    double *p = calloc((size_t)count, sizeof *p), logits[4];
    for (int64_t i = 0; i < s.n; i += 7) {
        for (int j = 0; j < 2; j++) {
            double source[2][2] = {{0}};
            for (int side = 0; side < 2; side++) {
                double row[2] = {(double)fit.x[i], (double)fit.x[s.n + i]};
                row[j] += side ? 1e-5 : -1e-5;
                for (int64_t k = 0; k < o.restarts; k++) {
                    const float *w = fit.parameters + (fit.fold[i] * o.restarts + k) * count;
                    for (int64_t q = 0; q < count; q++) {
                        p[q] = (double)w[q];
                    }
                    twin_logits(&shape, p, row, logits);
                    for (int e = 0; e < 4; e++) {
                        for (int m = 0; m < 2; m++) {
                            source[side][m] += logits[e] / (double)o.restarts *
                                               (unmix[m] * fit.loading[e] + unmix[2 + m] * fit.loading[4 + e]);
                        }
                    }
                }
            }
            for (int m = 0; m < 2; m++) {
                double difference = (source[1][m] - source[0][m]) / 2e-5;
                close += fabs(difference - jacobian[m][2 * i + j]) < 1e-3 * (1.0 + fabs(difference));
                tried++;
            }
        }
    }
    assert_true(close >= tried - 2); /* a row may sit on a kink */
    assert_true(tried > 100);
    free(p);
    free(jacobian[0]);
    free(jacobian[1]);
    arena_free(&a);
    free_sample(&s);
}

static void test_jacobian_of_the_ensemble_equals_differences(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    check_jacobian(ctx, 4);
    check_jacobian(ctx, 1);
}

static void test_inputs_are_white_and_their_slopes_are_right(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    sample s = make_sample(3, 500);
    arena a = {0};
    nn_inputs in;
    assert_int_equal(nn_inputs_new(ctx, &a, matrix_view(s.x, s.n, 2), &in), NONSENS_OK);
    double g[4];
    linalg_gram(s.n, 2, in.view.v, in.view.ld, g);
    assert_true(fabs(g[0] / (double)s.n - 1) < 1e-10 && fabs(g[3] / (double)s.n - 1) < 1e-10 &&
                fabs(g[1] / (double)s.n) < 1e-10);
    double *by_view = calloc((size_t)s.n * 4, sizeof *by_view), *by_z = calloc((size_t)s.n * 2, sizeof *by_z);
    for (int64_t i = 0; i < s.n; i++) {
        by_view[4 * i + 2] = 1.0; /* f = score of variable 0 */
    }
    nn_inputs_chain(&in, by_view, by_z);
    int64_t checked = 0;
    for (int64_t i = 0; i + 1 < s.n; i++) { /* pairs of near neighbours on one piece of the warp */
        double dz = in.z.v[i + 1] - in.z.v[i], df = in.view.v[2 * s.n + i + 1] - in.view.v[2 * s.n + i];
        assert_true((dz > 0) == (df > 0) || dz == 0);
        assert_true(by_z[2 * i] > 0 && by_z[2 * i + 1] == 0.0);
        if (by_z[2 * i] == by_z[2 * i + 2]) {
            assert_true(fabs(df / dz - by_z[2 * i]) < 1e-6 * by_z[2 * i]);
            checked++;
        }
    }
    assert_true(checked > 5);
    free(by_view);
    free(by_z);
    arena_free(&a);
    free_sample(&s);
}

static void test_training_stops_early_and_keeps_the_best(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    sample s = make_sample(4, 64);
    arena a = {0};
    float *x = calloc((size_t)s.n * 2, sizeof *x);
    int64_t train_row[512], held_row[512], train = 0, held = 0;
    for (int64_t i = 0; i < s.n; i++) {
        x[i] = (float)s.x[i];
        x[s.n + i] = (float)s.x[s.n + i];
        if (i % 3 == 0) {
            held_row[held++] = i;
        } else {
            train_row[train++] = i;
        }
    }
    mlp_shape shape = {2, 2, 32, 2, 4, ACTIVATION_LEAKY_RELU, LAST_LINEAR};
    mlp_rows rows = {x, s.n, train_row, train, s.label}, validation = {x, s.n, held_row, held, s.label};
    enum option_optimiser kinds[] = {OPTIMISER_ADAM, OPTIMISER_SGD};
    for (int k = 0; k < 2; k++) {
        train_options o = {kinds[k], k ? 0.05 : 0.02, 0.9, 1e-4, 32, 400, 15, TRAIN_FINAL_RATE};
        float *p = calloc((size_t)mlp_parameters(&shape), sizeof *p);
        rng init = rng_new(1, RNG_INIT, 0);
        train_task task = {.shape = shape, .blocks = 1, .shuffles = rng_new(1, RNG_BATCHES, 0), .train = rows};
        task.validation = validation;
        task.parameters = p;
        float trained_on[400] = {0}, held_out[400] = {0};
        task.trained_on = trained_on;
        task.held_out = held_out;
        mlp_workspace work;
        mlp_init(&shape, &init, p);
        assert_int_equal(mlp_workspace_new(ctx, &a, &shape, &work), NONSENS_OK);
        double before = mlp_loss(p, &work, validation) / (double)held;
        assert_int_equal(train_all(ctx, 1, NULL, &o, 1, &task), NONSENS_OK);
        train_report report = task.report;
        double after = mlp_loss(p, &work, validation) / (double)held;
        assert_int_equal(report.reason, TRAIN_PATIENCE);
        assert_int_equal(report.epochs_run, report.best_epoch + o.patience);
        assert_true(fabs(after - report.validation_loss) < 1e-9);
        assert_true(after < before && after < log(4.0));
        assert_true(fabs((double)held_out[report.best_epoch - 1] - report.validation_loss) < 1e-6);
        assert_true(trained_on[report.epochs_run - 1] < trained_on[0] && trained_on[report.epochs_run - 1] > 0.0f);
        assert_true(report.epochs_run < 400 && trained_on[report.epochs_run] == 0.0f); // beyond the last: untouched
        free(p);
    }
    free(x);
    arena_free(&a);
    free_sample(&s);
}

static nonsens_status fit_sample(nonsens_context *ctx, arena *a, void *state)
{
    const sample *s = state;
    nn_inputs in;
    tcl_fit fit;
    tcl_options o = small_options(1);
    o.train.epochs = 1;
    nonsens_status status = nn_inputs_new(ctx, a, matrix_view(s->x, s->n, 2), &in);
    return status == NONSENS_OK ? tcl_fit_new(ctx, a, in.view, s->classes, s->label, s->start, &o, &fit) : status;
}

static void test_every_failing_allocation_is_reported(void **state)
{
    sample s = make_sample(3, 40);
    assert_true(fail_every_allocation(*state, fit_sample, &s) > 5);
    free_sample(&s);
}

/* Inputs do not depend on a column's units; with two values the warp has two knots. */
static void test_inputs_in_extreme_units_and_of_two_values(void **state)
{
    fixture *f = *state;
    enum { ROWS = 200 };
    static const double SCALE[] = {1.0, 1e200, 1e-200}, TOLERANCE = 1e-11;
    nn_inputs in[3];
    for (int k = 0; k < 3; k++) {
        double *x = fixture_doubles(f, 2 * ROWS);
        rng r = rng_new(8, RNG_TEST, 0);
        for (int i = 0; i < ROWS; i++) {
            x[i] = SCALE[k] * rng_laplace(&r);
            x[ROWS + i] = SCALE[k] * (i % 50 == 0 ? 3.0 : 7.0);
        }
        assert_int_equal(nn_inputs_new(f->ctx, &f->scratch, matrix_view(x, ROWS, 2), &in[k]), NONSENS_OK);
        for (int64_t i = 0; i < 4 * ROWS; i++) {
            assert_true(isfinite(in[k].view.v[i]) && fabs(in[k].view.v[i] - in[0].view.v[i]) < TOLERANCE);
        }
    }
    const double *score = matrix_col(in[0].view, 3); // 4 of 200 rows have the smaller value
    assert_true(fabs(score[0] - special_normal_quantile(2.0 / ROWS)) < TOLERANCE);
    assert_true(fabs(score[1] - special_normal_quantile(102.0 / ROWS)) < TOLERANCE);
}

static void test_a_constant_input_is_refused(void **state)
{
    fixture *f = *state;
    double x[] = {1, 2, 4, 8, 5, 5, 5, 5};
    nn_inputs in;
    assert_int_equal(nn_inputs_new(f->ctx, &f->scratch, matrix_view(x, 4, 2), &in), NONSENS_ERR_DATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gradients_equal_pytorch_tensor_by_tensor),
        TEST(test_gradients_equal_differences_for_odd_shapes),
        TEST(test_input_gradient_equals_differences),
        TEST(test_inputs_are_white_and_their_slopes_are_right),
        TEST(test_training_stops_early_and_keeps_the_best),
        TEST(test_ensemble_learns_and_is_the_same_for_any_threads),
        TEST(test_one_fold_is_in_sample),
        TEST(test_restarts_are_chosen_by_held_out_loss),
        TEST(test_jacobian_of_the_ensemble_equals_differences),
        TEST(test_every_failing_allocation_is_reported),
        TEST(test_inputs_in_extreme_units_and_of_two_values),
        TEST(test_a_constant_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
