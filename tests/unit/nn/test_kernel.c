/* Every kernel of this processor against the plain reference, for many shapes; its exp, log and tanh against libm. */
#include "base/rng.h"
#include "nn/mlp_reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "fixture.h"

static const double TOLERANCE = 3e-5; /* relative to the largest entry of a gradient, or absolute in logits */

/* ---- networks ---- */

typedef struct problem {
    mlp_shape shape;
    int64_t blocks, parameters, n;
    mlp_rows rows;
    float *weight, *x;
    int32_t *label;
    int64_t *row;
} problem;

static void *get(fixture *f, int64_t count, size_t size)
{
    void *block = arena_get(f->ctx, &f->scratch, count, size);
    assert_non_null(block);
    return block;
}

/* Makes a network and its rows, which are taken from a longer table in shuffled order. */
static problem problem_new(fixture *f, mlp_shape shape, int64_t blocks, int64_t count, uint64_t seed)
{
    problem p = {.shape = shape, .blocks = blocks, .parameters = mlp_block_parameters(&shape, blocks), .n = count + 5};
    rng r = rng_new(seed, RNG_TEST, 0);
    p.weight = get(f, p.parameters, sizeof *p.weight);
    p.x = get(f, p.n * blocks * shape.inputs, sizeof *p.x);
    p.label = get(f, p.n, sizeof *p.label);
    p.row = get(f, p.n, sizeof *p.row);
    mlp_block_init(&shape, blocks, &r, p.weight);
    for (int64_t i = 0; i < p.parameters; i++) {
        p.weight[i] += (float)(0.1 * rng_normal(&r)); // changes biases, too
    }
    for (int64_t i = 0; i < p.n * blocks * shape.inputs; i++) {
        p.x[i] = (float)rng_normal(&r);
    }
    for (int64_t i = 0; i < p.n; i++) {
        p.label[i] = (int32_t)rng_below(&r, (uint32_t)shape.classes);
        p.row[i] = i;
    }
    rng_shuffle(&r, p.n, p.row);
    p.rows = (mlp_rows){p.x, p.n, p.row, count, p.label};
    return p;
}

static mlp_workspace workspace(fixture *f, const problem *p, const nn_kernel *k)
{
    mlp_workspace work;
    assert_int_equal(mlp_block_workspace(f->ctx, &f->scratch, &p->shape, p->blocks, &work), NONSENS_OK);
    work.kernel = k;
    return work;
}

static void check_close(const problem *p, const nn_kernel *k, const char *what, int64_t n, const double *expected,
                        const double *found, double scale)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(found[i] - expected[i]) <= TOLERANCE * scale)) {
            fail_msg("%s: %s %d of %d inputs, %d layers of %d, %d features, %d classes, %d blocks, %d rows, activation "
                     "%d, last %d: found %.9g, expected %.9g",
                     k->name, what, (int)i, (int)p->shape.inputs, (int)p->shape.layers, (int)p->shape.width,
                     (int)p->shape.features, (int)p->shape.classes, (int)p->blocks, (int)p->rows.count,
                     (int)p->shape.activation, (int)p->shape.last, found[i], expected[i]);
        }
    }
}

static double largest(int64_t n, const double *v)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

static void check_gradient(fixture *f, const problem *p, const nn_kernel *k)
{
    mlp_workspace work = workspace(f, p, k);
    double *expected = fixture_doubles(f, p->parameters), *found = fixture_doubles(f, p->parameters);
    float *gradient = get(f, p->parameters, sizeof *gradient);
    double aim = mlp_reference(&p->shape, p->blocks, p->weight, p->rows, expected, NULL);
    double loss = mlp_loss_gradient(p->weight, &work, p->rows, gradient), alone = mlp_loss(p->weight, &work, p->rows);
    for (int64_t i = 0; i < p->parameters; i++) {
        found[i] = (double)gradient[i];
    }
    check_close(p, k, "loss", 1, &aim, &loss, fmax(aim, 1.0));
    check_close(p, k, "loss alone", 1, &loss, &alone, 0.0);
    check_close(p, k, "gradient", p->parameters, expected, found, fmax(largest(p->parameters, expected), 1.0));
}

static void check_logits(fixture *f, const problem *p, const nn_kernel *k)
{
    int64_t cells = p->n * p->shape.classes;
    mlp_workspace work = workspace(f, p, k);
    double *expected = fixture_doubles(f, cells), *by_row = fixture_doubles(f, cells),
           *found = fixture_doubles(f, cells);
    mlp_reference(&p->shape, p->blocks, p->weight, p->rows, NULL, by_row);
    for (int64_t i = 0; i < p->rows.count; i++) {
        memcpy(expected + p->row[i] * p->shape.classes, by_row + i * p->shape.classes,
               (size_t)p->shape.classes * sizeof(double));
    }
    mlp_add_logits(p->weight, &work, p->rows, found);
    check_close(p, k, "logit", cells, expected, found, fmax(largest(cells, expected), 1.0));
}

/* Compares the input slopes of one direction of the logits with differences of the reference's loss at single rows. */
static void check_input_gradient(fixture *f, const problem *p, const nn_kernel *k)
{
    enum { STEP_BITS = 10 };
    int64_t inputs = p->blocks * p->shape.inputs, classes = p->shape.classes;
    mlp_workspace work = workspace(f, p, k);
    double *found = fixture_doubles(f, p->n * inputs), up[64] = {0}, down[64] = {0}, step = ldexp(1.0, -STEP_BITS);
    float direction[64], x[64];
    for (int64_t e = 0; e < classes; e++) {
        direction[e] = 0.5f + 0.25f * (float)(e % 3);
    }
    mlp_add_input_gradient(p->weight, &work, p->rows, direction, inputs, found);
    int32_t label = 0;
    for (int64_t i = 0; i < inputs; i++) {
        x[i] = p->x[i * p->n + p->row[0]];
    }
    for (int64_t i = 0; i < inputs; i++) {
        float keep = x[i];
        double slope = 0.0;
        memset(up, 0, sizeof up);
        memset(down, 0, sizeof down);
        x[i] = keep + (float)step;
        mlp_reference(&p->shape, p->blocks, p->weight, (mlp_rows){x, 1, NULL, 1, &label}, NULL, up);
        double width = (double)x[i];
        x[i] = keep - (float)step;
        width -= (double)x[i];
        mlp_reference(&p->shape, p->blocks, p->weight, (mlp_rows){x, 1, NULL, 1, &label}, NULL, down);
        x[i] = keep;
        for (int64_t e = 1; e < classes; e++) {
            slope += (double)direction[e] * (up[e] - down[e]) / width;
        }
        if (p->shape.activation == ACTIVATION_TANH && p->shape.last != LAST_ABS) { // smooth: no kink in between
            check_close(p, k, "input slope", 1, &slope, &found[p->row[0] * inputs + i], 100.0 * fmax(fabs(slope), 1.0));
        }
    }
}

/* Returns the next kernel, from index on, that this processor has; NULL at the end. */
static const nn_kernel *next_kernel(int64_t *index)
{
    for (; *index < INSTRUCTION_SETS; (*index)++) {
        const nn_kernel *k = kernel_for((instruction_set)*index);
        if (k && instruction_set_is_here((instruction_set)*index)) {
            (*index)++;
            return k;
        }
    }
    return NULL;
}

#define EACH_KERNEL(k) (int64_t index_ = 0; (k = next_kernel(&index_));)

static void check_problem(fixture *f, const problem *p)
{
    const nn_kernel *k;
    for
        EACH_KERNEL(k)
        {
            check_gradient(f, p, k);
            check_logits(f, p, k);
            check_input_gradient(f, p, k);
        }
}

/* Widths around the blocks of all kernels, every activation and last layer, zero to three hidden layers; the rest is
 * random. */
static void test_shapes(void **state)
{
    static const int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 12, 17, 31, 32, 33, 64}, rows[] = {1, 3, 63, 64, 65, 130};
    fixture *f = *state;
    const char *sample = getenv("NONSENS_SAMPLE"); // on slow machines only every n-th shape is tested
    uint64_t count = 0, step = sample ? strtoull(sample, NULL, 10) : 1;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (int kind = 0; kind < 9; kind++) {
            for (int64_t layers = 0; layers <= 3; layers++, count++) {
                if (count % step != 0) {
                    continue;
                }
                rng r = rng_new(count, RNG_TEST, 1);
                mlp_shape shape = {.inputs = 1 + (int64_t)rng_below(&r, 5),
                                   .layers = layers,
                                   .width = widths[w],
                                   .features = 1 + (int64_t)rng_below(&r, 4),
                                   .classes = 2 + (int64_t)rng_below(&r, 13),
                                   .activation = (enum option_activation)(kind / 3),
                                   .last = (enum option_last_layer)(kind % 3)};
                int64_t blocks = 1 + (int64_t)rng_below(&r, 3);
                problem p = problem_new(f, shape, blocks, rows[rng_below(&r, 6)], count);
                check_problem(f, &p);
                arena_free(&f->scratch);
            }
        }
    }
}

/* Logits so far apart that exponentials overflow or vanish: the loss stays finite and correct. */
static void test_extreme_logits(void **state)
{
    fixture *f = *state;
    for (double size = 1.0; size < 1e5; size *= 30.0) {
        problem p = problem_new(f, (mlp_shape){2, 0, 1, 2, 4, ACTIVATION_LEAKY_RELU, LAST_LINEAR}, 1, 100, 3);
        for (int64_t i = 0; i < p.parameters; i++) {
            p.weight[i] *= (float)size;
        }
        check_problem(f, &p);
        arena_free(&f->scratch);
    }
}

/* ---- steps ---- */

/* Adam against its formulas in double (Kingma and Ba 2015, decoupled weight decay), for lengths around vector sizes. */
static void check_adam(fixture *f, const nn_kernel *k, int64_t n)
{
    float *v[4]; // gradient, first moment, second moment, weight
    rng r = rng_new(7, RNG_TEST, (uint64_t)n);
    nn_kernel_adam s = {0.9f, 0.999f, 1.0f / (1.0f - 0.81f), 1.0f / (1.0f - 0.998f), 0.02f, 1e-4f, 1e-8f, 0.125f};
    for (int a = 0; a < 4; a++) {
        v[a] = get(f, n + 1, sizeof(float));
        for (int64_t i = 0; i <= n; i++) {
            v[a][i] = a == 2 ? (float)rng_uniform(&r) : (float)rng_normal(&r);
        }
    }
    float *before = get(f, 3 * (n + 1), sizeof *before);
    for (int a = 1; a < 4; a++) {
        memcpy(before + (a - 1) * (n + 1), v[a], (size_t)(n + 1) * sizeof *before);
    }
    k->adam(n, &s, v[0], v[1], v[2], v[3]);
    for (int64_t i = 0; i < n; i++) {
        double g = (double)s.share * (double)v[0][i], weight = (double)before[2 * (n + 1) + i];
        double first = 0.9 * (double)before[i] + 0.1 * g, second = 0.999 * (double)before[n + 1 + i] + 0.001 * g * g;
        double step = (double)s.rate * first * (double)s.correct1 / (sqrt(second * (double)s.correct2) + 1e-8);
        assert_true(fabs((double)v[1][i] - first) < 1e-6 && fabs((double)v[2][i] - second) < 1e-6);
        assert_true(fabs((double)v[3][i] - (weight - step - (double)s.decay * weight)) < 1e-6);
    }
    for (int a = 1; a < 4; a++) {
        assert_true(v[a][n] == before[(a - 1) * (n + 1) + n]); // beyond the end nothing is written
    }
}

static void test_adam(void **state)
{
    fixture *f = *state;
    const nn_kernel *k;
    for
        EACH_KERNEL(k)
        {
            for (int64_t n = 0; n < 70; n++) {
                check_adam(f, k, n);
            }
        }
}

/* ---- functions ---- */

/* Returns the distance in units in the last place of the expected value. */
static double ulps(float found, double expected)
{
    float nearest = (float)expected;
    if (isnan(expected) || isinf(nearest) || isnan(found) || isinf(found)) {
        bool same = isnan(expected) ? isnan(found) : found == nearest;
        return same ? 0.0 : isinf(nearest) && fabs((double)found) > 3.4e38 ? 1.0 : INFINITY;
    }
    int exponent;
    frexp(expected, &exponent);
    double unit = ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
    return fabs((double)found - expected) / unit;
}

typedef void array_function(int64_t n, const float *x, float *out);

static void check_function(const char *kernel_name, const char *name, array_function *function, double (*exact)(double),
                           double most)
{
    enum { STEP = 4099, BATCH = 1000 };
    float x[BATCH], out[BATCH];
    for (uint64_t bits = 0; bits <= UINT32_MAX;) {
        int64_t n = 0;
        for (; n < BATCH && bits <= UINT32_MAX; n++, bits += STEP) {
            uint32_t pattern = (uint32_t)bits;
            memcpy(&x[n], &pattern, sizeof pattern);
        }
        function(n, x, out);
        for (int64_t i = 0; i < n; i++) {
            if (!(ulps(out[i], exact((double)x[i])) <= most)) {
                fail_msg("%s: %s(%.9g) = %.9g, should be %.9g", kernel_name, name, (double)x[i], (double)out[i],
                         exact((double)x[i]));
            }
        }
    }
}

static void test_functions_over_all_floats(void **state)
{
    const nn_kernel *k;
    (void)state;
    for
        EACH_KERNEL(k)
        {
            check_function(k->name, "exp", k->exp, exp, 1.5);
            check_function(k->name, "log", k->log, log, 1.5);
            check_function(k->name, "tanh", k->tanh, tanh, 2.5);
        }
}

static void test_functions_at_their_corners(void **state)
{
    (void)state;
    static const float at[] = {0.0f,     -0.0f,  1.0f,   -1.0f,   INFINITY, -INFINITY, NAN,       FLT_MIN, FLT_MAX,
                               -FLT_MAX, 88.72f, -87.3f, -103.9f, -104.1f,  1e-40f,    0.624999f, 0.625f};
    enum { N = sizeof at / sizeof *at };
    const nn_kernel *k;
    for
        EACH_KERNEL(k)
        {
            float out[3][N];
            k->exp(N, at, out[0]);
            k->log(N, at, out[1]);
            k->tanh(N, at, out[2]);
            for (int i = 0; i < N; i++) {
                assert_true(ulps(out[0][i], exp((double)at[i])) <= 1.5);
                assert_true(ulps(out[1][i], log((double)at[i])) <= 1.5);
                assert_true(ulps(out[2][i], tanh((double)at[i])) <= 2.5);
            }
        }
}

/* ---- the choice ---- */

static void test_environment_names_the_kernel(void **state)
{
    fixture *f = *state;
    const nn_kernel *k, *best;
    char *before = getenv("NONSENS_KERNEL") ? strdup(getenv("NONSENS_KERNEL")) : NULL;
    unsetenv("NONSENS_KERNEL");
    assert_int_equal(kernel_choose(f->ctx, &best), NONSENS_OK);
    for (instruction_set set = SET_PLAIN; set < INSTRUCTION_SETS; set++) {
        bool here = instruction_set_is_here(set);
        const nn_kernel *each = kernel_for(set);
        setenv("NONSENS_KERNEL", instruction_set_name(set), 1);
        nonsens_status status = kernel_choose(f->ctx, &k);
        assert_int_equal(status, here ? NONSENS_OK : NONSENS_ERR_USAGE);
        assert_true(!here || (k == each && best->lanes >= each->lanes));
    }
    setenv("NONSENS_KERNEL", "abacus", 1);
    assert_int_equal(kernel_choose(f->ctx, &k), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "NONSENS_KERNEL=abacus"));
    unsetenv("NONSENS_KERNEL");
    if (before) {
        setenv("NONSENS_KERNEL", before, 1);
    }
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_shapes),
        TEST(test_extreme_logits),
        TEST(test_adam),
        TEST(test_functions_over_all_floats),
        TEST(test_functions_at_their_corners),
        TEST(test_environment_names_the_kernel),
    };
    for (int k = INSTRUCTION_SETS - 1; k >= 0; k--) { // the best first
        instruction_set set = (instruction_set)k;
        if (kernel_for(set)) {
            print_message("kernel %s: %s\n", instruction_set_name(set),
                          instruction_set_is_here(set) ? "tested" : "not on this processor");
        }
    }
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
