/* test_simulate.c - the generators against what they promise, and the files that are written. */
#include "base/number.h"
#include "simulate/simulate.h"
#include "simulate/simulate_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h> /* after our headers: it defines a macro called fail */

#include "json_of.h"

static const double MOMENT_TOLERANCE = 0.08; /* relative, of a variance from 4,000 draws of kurtosis up to 9 */
static const double EXACT = 1e-12;           /* relative; rounding of a product of a few weights */

static nonsens_options defaults(void)
{
    return (nonsens_options){.command = NONSENS_COMMAND_SIMULATE,
                             .seed = 1,
                             .nodes = 2,
                             .depth = 3,
                             .sim_segments = 5,
                             .per_segment = 200,
                             .scale = {0.2, 3},
                             .edge_prob = -1,
                             .do_values = ""};
}

static nonsens_simulation *simulate(nonsens_context *ctx, const nonsens_options *options)
{
    nonsens_simulation *s;
    nonsens_status status = nonsens_simulation_new(ctx, options, &s);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(ctx));
    }
    return s;
}

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g within %g", value, expected, relative);
    }
}

static void mean_variance(const double *v, int64_t n, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int64_t i = 0; i < n; i++) {
        *mean += v[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        *variance += (v[i] - *mean) * (v[i] - *mean) / (double)n;
    }
}

static void test_source_moments(void **state)
{
    (void)state;
    const double unit_variance[] = {2, 1, 5.0 / 3, 1.0 / 3}; // Laplace, normal, Student 5, uniform on [-1, 1]
    nonsens_context *ctx = nonsens_context_new();
    for (int kind = NOISE_LAPLACE; kind <= NOISE_UNIFORM; kind++) {
        nonsens_options o = defaults();
        o.noise = (enum option_noise)kind;
        o.per_segment = 20000;
        o.mean = (range){4, 6};
        nonsens_simulation *s = simulate(ctx, &o);
        for (int64_t j = 0; j < 2; j++) {
            for (int64_t e = 0; e < o.sim_segments; e++) {
                double mean, variance, scale = matrix_col(s->modulation, j)[e];
                mean_variance(matrix_col(s->source, j) + e * o.per_segment, o.per_segment, &mean, &variance);
                assert_true(scale >= 0.2 && scale <= 3);
                assert_near(variance, scale * scale * unit_variance[kind], MOMENT_TOLERANCE);
                double error = 4 * sqrt(variance / (double)o.per_segment);
                assert_true(mean > 4 - error && mean < 6 + error);
            }
        }
        nonsens_simulation_free(s);
    }
    nonsens_context_free(ctx);
}

/* Leaky layers without bias are homogeneous: a root is a multiple of its source, with one factor per side of zero. */
static bool is_function_of_own_source(const nonsens_simulation *s, int64_t j)
{
    double slope[2] = {NAN, NAN};
    for (int64_t i = 0; i < s->n; i++) {
        double source = matrix_col(s->source, j)[i], ratio = matrix_col(s->x, j)[i] / source;
        double *known = &slope[source > 0];
        if (isnan(*known)) {
            *known = ratio;
        }
        if (fabs(ratio - *known) > EXACT * fabs(*known)) {
            return false;
        }
    }
    return true;
}

static void test_layered_is_triangular(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    int first_column_causes = 0;
    for (int64_t seed = 1; seed <= 40; seed++) {
        nonsens_options o = defaults();
        o.seed = seed;
        o.depth = 1 + seed % 5;
        nonsens_simulation *s = simulate(ctx, &o);
        int64_t cause = s->edge[1] ? 0 : 1;
        assert_int_equal(s->kind, TRUTH_DAG);
        assert_true(s->edge[1] != s->edge[2] && !s->edge[0] && !s->edge[3]);
        assert_true(is_function_of_own_source(s, cause));
        assert_false(is_function_of_own_source(s, 1 - cause));
        first_column_causes += cause == 0;
        nonsens_simulation_free(s);
    }
    assert_in_range(first_column_causes, 10, 30); // columns are shuffled
    nonsens_context_free(ctx);
}

/* x(1) = A(1) N is linear; after the second matrix the slopes of a root's two sides differ by the factor .2. */
static void test_matrix_comes_before_activation(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    for (int64_t depth = 1; depth <= 2; depth++) {
        nonsens_options o = defaults();
        o.depth = depth;
        o.independent = true;
        nonsens_simulation *s = simulate(ctx, &o);
        double below = NAN, above = NAN;
        for (int64_t i = 0; i < s->n; i++) {
            double ratio = matrix_col(s->x, 0)[i] / matrix_col(s->source, 0)[i];
            *(matrix_col(s->source, 0)[i] > 0 ? &above : &below) = fabs(ratio);
        }
        assert_near(fmin(below, above) / fmax(below, above), depth == 1 ? 1 : 0.2, EXACT);
        nonsens_simulation_free(s);
    }
    nonsens_context_free(ctx);
}

static void test_independent_and_confounded(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.independent = true;
    nonsens_simulation *s = simulate(ctx, &o);
    assert_int_equal(s->kind, TRUTH_INDEPENDENT);
    assert_true(is_function_of_own_source(s, 0) && is_function_of_own_source(s, 1));
    nonsens_simulation_free(s);
    for (int kind = CONFOUNDED_MODULATED; kind <= CONFOUNDED_STATIONARY; kind++) {
        o = defaults();
        o.confounded = (enum option_confounded)kind;
        s = simulate(ctx, &o);
        assert_int_equal(s->kind, TRUTH_CONFOUNDED);
        assert_int_equal(s->d, 2);
        assert_false(s->edge[1] || s->edge[2]);
        assert_false(is_function_of_own_source(s, 0) || is_function_of_own_source(s, 1));
        nonsens_simulation_free(s);
    }
    nonsens_context_free(ctx);
}

/* In a graph the hidden variable causes two variables that do not cause one another; any pair can be chosen. */
static void test_confounded_graph(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    enum { NODES = 5, SEEDS = 60 };
    int pairs[NODES][NODES] = {{0}}, edges = 0, seen = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        nonsens_options o = defaults();
        o.nodes = NODES;
        o.sem = SEM_NODE;
        o.seed = seed;
        o.sim_segments = 2;
        o.per_segment = 2;
        o.confounded = CONFOUNDED_STATIONARY;
        nonsens_simulation *s = simulate(ctx, &o);
        int child[NODES], children = 0;
        for (int j = 0; j < NODES; j++) {
            child[children] = j;
            children += s->has_hidden_cause[j];
        }
        assert_int_equal(s->kind, TRUTH_CONFOUNDED);
        assert_int_equal(children, 2);
        assert_false(s->edge[child[0] * NODES + child[1]] || s->edge[child[1] * NODES + child[0]]);
        seen += pairs[child[0]][child[1]]++ == 0;
        for (int k = 0; k < NODES * NODES; k++) {
            edges += s->edge[k];
        }
        nonsens_simulation_free(s);
    }
    assert_int_equal(seen, NODES * (NODES - 1) / 2);
    assert_near(edges / (double)SEEDS, 4.5, 0.6); // 9 pairs at 1/2; standard deviation of the mean .19
    nonsens_context_free(ctx);
}

static void test_modulate(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    for (int kind = MODULATE_BOTH; kind <= MODULATE_PROPORTIONAL; kind++) {
        nonsens_options o = defaults();
        o.modulate = (enum option_modulate)kind;
        nonsens_simulation *s = simulate(ctx, &o);
        int64_t cause = s->edge[1] ? 0 : 1;
        const double *of_cause = matrix_col(s->modulation, cause), *of_effect = matrix_col(s->modulation, 1 - cause);
        for (int64_t e = 0; e < o.sim_segments; e++) {
            assert_int_equal(of_cause[e] == 1, kind == MODULATE_EFFECT);
            assert_int_equal(of_effect[e] == 1, kind == MODULATE_CAUSE);
            assert_int_equal(of_cause[e] == of_effect[e], kind == MODULATE_PROPORTIONAL);
        }
        nonsens_simulation_free(s);
    }
    nonsens_options o = defaults();
    o.correlated = true;
    nonsens_simulation *s = simulate(ctx, &o);
    for (int64_t e = 1; e < o.sim_segments; e++) {
        assert_true(matrix_col(s->modulation, 0)[e - 1] < matrix_col(s->modulation, 0)[e]);
        assert_true(matrix_col(s->modulation, 1)[e - 1] < matrix_col(s->modulation, 1)[e]);
    }
    nonsens_simulation_free(s);
    nonsens_context_free(ctx);
}

/* --changing: this many disturbances change, the others keep scale 1, and those that change are as without it. */
static void test_changing(void **state)
{
    (void)state;
    enum { NODES = 6 };
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.nodes = NODES;
    nonsens_simulation *all = simulate(ctx, &o);
    for (o.changing = 1; o.changing <= NODES + 1; o.changing++) {
        nonsens_simulation *s = simulate(ctx, &o);
        int64_t changing = 0;
        for (int64_t j = 0; j < NODES; j++) {
            double scale = matrix_col(s->modulation, j)[1];
            assert_true(scale == 1 || scale == matrix_col(all->modulation, j)[1]);
            changing += scale != 1;
        }
        assert_int_equal(changing, o.changing < NODES ? o.changing : NODES);
        nonsens_simulation_free(s);
    }
    nonsens_simulation_free(all);
    nonsens_context_free(ctx);
}

/* The effect's coefficient of the cause's source, solved from two rows per segment, changes if the mechanism does. */
static void test_changing_mechanism(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.depth = 1; // linear: effect = a N_cause + b N_effect, solvable from two rows of a segment
    for (int changing = 0; changing < 2; changing++) {
        o.changing_mechanism = changing;
        nonsens_simulation *s = simulate(ctx, &o);
        int64_t cause = s->edge[1] ? 0 : 1;
        const double *n1 = matrix_col(s->source, cause), *n2 = matrix_col(s->source, 1 - cause);
        const double *y = matrix_col(s->x, 1 - cause);
        double first_a = NAN, first_b = NAN;
        for (int64_t e = 0; e < o.sim_segments; e++) {
            int64_t i = e * o.per_segment, k = i + 1;
            double det = n1[i] * n2[k] - n1[k] * n2[i];
            double a = (y[i] * n2[k] - y[k] * n2[i]) / det, b = (n1[i] * y[k] - n1[k] * y[i]) / det;
            first_a = e == 0 ? a : first_a;
            first_b = e == 0 ? b : first_b;
            assert_near(b, first_b, 1e-9);
            if (e > 0) {
                assert_int_equal(fabs(a / first_a - 1) > 1e-9, changing);
            }
        }
        nonsens_simulation_free(s);
    }
    nonsens_context_free(ctx);
}

static void test_cyclic(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    for (int64_t seed = 1; seed <= 10; seed++) {
        nonsens_options o = defaults();
        o.cyclic = true;
        o.seed = seed;
        o.nodes = seed > 5 ? 6 : 2;
        o.changing_mechanism = seed % 2 == 0;
        nonsens_simulation *s = simulate(ctx, &o);
        int64_t edges = 0;
        assert_int_equal(s->kind, TRUTH_CYCLIC);
        for (int64_t i = 0; i < s->d; i++) {
            for (int64_t j = 0; j < s->d; j++) {
                assert_int_equal(s->edge[i * s->d + j], s->edge[j * s->d + i]);
                edges += s->edge[i * s->d + j];
            }
        }
        assert_true(edges >= 2);
        if (s->d == 2) {
            assert_false(is_function_of_own_source(s, 0) || is_function_of_own_source(s, 1));
        }
        nonsens_simulation_free(s);
    }
    nonsens_context_free(ctx);
}

static void test_cyclic_layers(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    arena memory = {0};
    bool parent[4] = {false, true, true, false};
    double scratch[4];
    for (int64_t seed = 0; seed < 20; seed++) {
        simulate_model model = {.sem = SEM_LAYERED, .m = 2, .depth = 4, .parent = parent};
        assert_int_equal(simulate_layered_draw(ctx, &memory, seed, true, &model), NONSENS_OK);
        assert_true(simulate_layered_invertible(&model, 1, scratch));
        for (int64_t l = 0; l < model.depth; l++) {
            const double *a = model.weight + 4 * l;
            assert_true(a[1] == a[2] && fabs(a[1]) >= 0.5 && fabs(a[1]) <= 1.5);
            assert_true(fabs(a[0] * a[3] - a[1] * a[2]) >= 0.3);
        }
    }
    arena_free(&memory);
    nonsens_context_free(ctx);
}

/* f_j increases in N_j whatever the parents are, and depends only on the parents. */
static void test_node_monotone(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    arena memory = {0};
    bool parent[9] = {false, false, false, true, false, false, false, true, false}; // 0 -> 1 -> 2
    double factor[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    rng r = rng_new(2, RNG_TEST, 0);
    for (int64_t seed = 0; seed < 20; seed++) {
        simulate_model model = {.sem = SEM_NODE, .m = 3, .depth = 1 + seed % 5, .parent = parent};
        assert_int_equal(simulate_node_draw(ctx, &memory, seed, &model), NONSENS_OK);
        double sizes = 0;
        for (int draw = 0; draw < 10; draw++) {
            double x[3] = {3 * rng_normal(&r), 3 * rng_normal(&r), 0}, y[3] = {x[0] + 1, x[1], 0};
            double last = -INFINITY;
            for (double noise = -4; noise <= 4; noise += 0.25) {
                double value = simulate_node_value(&model, 2, factor, x, noise);
                assert_true(value > last);
                last = value;
                assert_true(value == simulate_node_value(&model, 2, factor, y, noise)); // 0 is not a parent of 2
                assert_true(simulate_node_value(&model, 1, factor, x, noise) !=
                            simulate_node_value(&model, 1, factor, y, noise));
            }
            double low = simulate_node_value(&model, 1, factor, x, 1) - simulate_node_value(&model, 1, factor, x, 0);
            double high = simulate_node_value(&model, 1, factor, y, 1) - simulate_node_value(&model, 1, factor, y, 0);
            sizes += fabs(low - high);
        }
        assert_true(sizes > 1e-6); // the noise is not additive
    }
    arena_free(&memory);
    nonsens_context_free(ctx);
}

static void test_repeatable_and_nested(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.nodes = 6;
    nonsens_simulation *a = simulate(ctx, &o), *b = simulate(ctx, &o);
    assert_memory_equal(a->x.v, b->x.v, (size_t)(a->n * a->d) * sizeof(double));
    nonsens_simulation_free(b);
    o.per_segment = 100; // a shorter run is the beginning of each segment of the longer one
    b = simulate(ctx, &o);
    for (int64_t e = 0; e < o.sim_segments; e++) {
        assert_memory_equal(matrix_col(a->x, 3) + e * 200, matrix_col(b->x, 3) + e * 100, 100 * sizeof(double));
    }
    nonsens_simulation_free(b);
    o.seed = 2;
    b = simulate(ctx, &o);
    assert_true(matrix_col(a->x, 3)[0] != matrix_col(b->x, 3)[0]);
    nonsens_simulation_free(a);
    nonsens_simulation_free(b);
    nonsens_context_free(ctx);
}

static bool is_acyclic(const nonsens_simulation *s)
{
    bool placed[16] = {false};
    for (int64_t round = 0; round < s->d; round++) {
        int64_t next = -1;
        for (int64_t j = 0; j < s->d && next < 0; j++) {
            bool free_of_parents = !placed[j];
            for (int64_t i = 0; i < s->d; i++) {
                free_of_parents = free_of_parents && (placed[i] || !s->edge[i * s->d + j]);
            }
            next = free_of_parents ? j : -1;
        }
        if (next < 0) {
            return false;
        }
        placed[next] = true;
    }
    return true;
}

static void test_edges(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    double edges = 0;
    const int64_t repetitions = 200;
    for (int64_t seed = 1; seed <= repetitions; seed++) {
        nonsens_options o = defaults();
        o.seed = seed;
        o.nodes = 6;
        o.per_segment = 2;
        o.sem = seed % 2 ? SEM_NODE : SEM_LAYERED;
        nonsens_simulation *s = simulate(ctx, &o);
        assert_true(is_acyclic(s));
        for (int64_t k = 0; k < 36; k++) {
            edges += s->edge[k];
        }
        nonsens_simulation_free(s);
    }
    assert_near(edges / (double)repetitions, 6, 0.1); // 15 pairs at 2/5; standard deviation of the mean .13
    nonsens_context_free(ctx);
}

static bool allowed(const nonsens_options *o)
{
    int shapes = o->cyclic + o->independent + (o->confounded != CONFOUNDED_NO);
    bool one_sided = o->modulate == MODULATE_CAUSE || o->modulate == MODULATE_EFFECT;
    bool no_edge = o->independent || (o->confounded != CONFOUNDED_NO && o->nodes == 2);
    bool fixed = no_edge || o->cyclic;
    bool mixed = o->confounded && o->nodes > 2 && o->sem == SEM_LAYERED;
    return shapes <= 1 && !mixed && !(o->cyclic && o->sem == SEM_NODE) && !(fixed && one_sided) &&
           !(no_edge && o->changing_mechanism) && !(fixed && o->edge_prob >= 0);
}

static void check_combination(nonsens_context *ctx, const nonsens_options *o)
{
    nonsens_simulation *s;
    nonsens_status status = nonsens_simulation_new(ctx, o, &s);
    assert_int_equal(status, allowed(o) ? NONSENS_OK : NONSENS_ERR_USAGE);
    if (status != NONSENS_OK) {
        assert_null(s);
        assert_true(strlen(nonsens_context_message(ctx)) > 20);
        return;
    }
    for (int64_t k = 0; k < s->n * s->d; k++) {
        assert_true(isfinite(s->x.v[k]) && isfinite(s->source.v[k]));
    }
    nonsens_simulation_free(s);
}

static void test_every_combination(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    int code = 0, radix[] = {2, 2, 4, 4, 2, 2, 2, 3, 2, 2}; // the fields below
    int total = 1;
    for (int i = 0; i < 10; i++) {
        total *= radix[i];
    }
    for (; code < total; code++) {
        int digit[10], rest = code;
        for (int i = 0; i < 10; i++) {
            digit[i] = rest % radix[i];
            rest /= radix[i];
        }
        nonsens_options o = defaults();
        o.sim_segments = 3;
        o.per_segment = 4;
        o.sem = (enum option_sem)digit[0];
        o.nodes = digit[1] ? 5 : 2;
        o.noise = (enum option_noise)digit[2];
        o.modulate = (enum option_modulate)digit[3];
        o.correlated = digit[4];
        o.cyclic = digit[5];
        o.independent = digit[6];
        o.confounded = (enum option_confounded)digit[7];
        o.changing_mechanism = digit[8];
        o.edge_prob = digit[9] ? 0.5 : -1;
        check_combination(ctx, &o);
    }
    nonsens_context_free(ctx);
}

static void test_bad_values(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_simulation *s;
    nonsens_options o = defaults();
    o.depth = 0;
    assert_int_equal(nonsens_simulation_new(ctx, &o, &s), NONSENS_ERR_USAGE);
    o = defaults();
    o.scale = (range){0, 1};
    assert_int_equal(nonsens_simulation_new(ctx, &o, &s), NONSENS_ERR_USAGE);
    o = defaults();
    o.scale = (range){1e308, 1e308};
    assert_int_equal(nonsens_simulation_new(ctx, &o, &s), NONSENS_ERR_NUMERIC);
    assert_null(s);
    nonsens_simulation_free(NULL);
    nonsens_context_free(ctx);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.per_segment = 5000;
    nonsens_status status = NONSENS_ERR_MEMORY;
    int64_t n = 0;
    for (; status == NONSENS_ERR_MEMORY; n++) {
        nonsens_simulation *s;
        memory_fail_at(n);
        status = nonsens_simulation_new(ctx, &o, &s);
        memory_fail_at(-1);
        nonsens_simulation_free(s);
    }
    assert_int_equal(status, NONSENS_OK);
    assert_true(n > 3);
    nonsens_context_free(ctx);
}

/* ---- files ---- */

static char *read_text(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[bytes] = '\0';
    return text;
}

static void temporary_folder(char folder[32])
{
    strcpy(folder, "/tmp/test_simulate_XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void test_write_csv(void **state)
{
    (void)state;
    char folder[32], path[64], full[64];
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/data.csv", folder);
    snprintf(full, sizeof full, "%s/full", folder);
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.nodes = 3;
    nonsens_simulation *s = simulate(ctx, &o);
    assert_int_equal(nonsens_simulation_write_csv(ctx, s, path), NONSENS_OK);
    char *at = read_text(path);
    assert_int_equal(strncmp(at, "x1,x2,x3,segment\n", 17), 0);
    at += 17;
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < 3; j++) {
            double value;
            at = (char *)number_parse(at, at + strcspn(at, ","), &value) + 1;
            assert_true(value == matrix_col(s->x, j)[i]); // every bit is preserved
        }
        char label[16];
        snprintf(label, sizeof label, "s%d\n", s->segment[i] + 1);
        assert_int_equal(strncmp(at, label, strlen(label)), 0);
        at += strlen(label);
    }
    assert_int_equal(*at, '\0');
    assert_int_equal(symlink("/dev/full", full), 0); // a link, so that a bug cannot replace the device
    assert_int_equal(nonsens_simulation_write_csv(ctx, s, full), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(ctx), full));
    nonsens_simulation_free(s);
    unlink(path);
    unlink(full);
    assert_int_equal(rmdir(folder), 0); // no temporary file was left
    nonsens_context_free(ctx);
}

static void test_write_truth(void **state)
{
    (void)state;
    char folder[32], path[64];
    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/truth.json", folder);
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options o = defaults();
    o.nodes = 4;
    o.seed = 123456789012345;
    o.correlated = true;
    nonsens_simulation *s = simulate(ctx, &o);
    assert_int_equal(nonsens_simulation_write_truth(ctx, s, path), NONSENS_OK);
    json_value *truth = json_of_file(path);
    assert_non_null(truth);
    json_value *edges = json_object_get(truth, "edges"), *adjacency = json_object_get(truth, "adjacency");
    size_t count = 0;
    for (int64_t i = 0; i < 4; i++) {
        assert_string_equal(json_string_value(json_array_get(json_object_get(truth, "nodes"), (size_t)i)), s->names[i]);
        for (int64_t j = 0; j < 4; j++) {
            json_value *cell = json_array_get(json_array_get(adjacency, (size_t)i), (size_t)j);
            assert_int_equal(json_integer_value(cell), s->edge[i * 4 + j]);
            if (s->edge[i * 4 + j]) {
                json_value *edge = json_array_get(edges, count++);
                assert_string_equal(json_string_value(json_array_get(edge, 0)), s->names[i]);
                assert_string_equal(json_string_value(json_array_get(edge, 1)), s->names[j]);
            }
        }
    }
    assert_int_equal(json_array_size(edges), count);
    json_value *options = json_object_get(truth, "options");
    assert_string_equal(json_get_string(truth, "kind"), "dag");
    assert_int_equal(json_integer_value(json_object_get(truth, "seed")), o.seed);
    assert_int_equal(json_integer_value(json_object_get(options, "seed")), o.seed);
    assert_int_equal(json_integer_value(json_object_get(options, "nodes")), 4);
    assert_ptr_equal(json_object_get(options, "correlated"), json_boolean(true));
    assert_string_equal(json_get_string(options, "scale"), "0.2:3");
    assert_string_equal(json_get_string(truth, "version"), nonsens_version());
    assert_non_null(strstr(json_get_string(truth, "adjacency_is"), "the row is the cause"));
    double scale =
        json_number_value(json_object_get(json_object_get(json_object_get(truth, "modulation"), "x2"), "s3"));
    assert_true(scale == matrix_col(s->modulation, 1)[2]);
    json_decref(truth);
    nonsens_simulation_free(s);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    nonsens_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_moments),
        cmocka_unit_test(test_layered_is_triangular),
        cmocka_unit_test(test_matrix_comes_before_activation),
        cmocka_unit_test(test_independent_and_confounded),
        cmocka_unit_test(test_confounded_graph),
        cmocka_unit_test(test_modulate),
        cmocka_unit_test(test_changing),
        cmocka_unit_test(test_changing_mechanism),
        cmocka_unit_test(test_cyclic),
        cmocka_unit_test(test_cyclic_layers),
        cmocka_unit_test(test_node_monotone),
        cmocka_unit_test(test_repeatable_and_nested),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_every_combination),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_write_csv),
        cmocka_unit_test(test_write_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
