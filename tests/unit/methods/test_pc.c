/*
 * test_pc.c - PC: skeletons and patterns against plain code and known graphs, segments, knots, degenerate tables,
 * invariances, background knowledge, failing allocations.
 */
#include "base/rng.h"
#include "data/dataset.h"
#include "methods/pc/pc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { LIMIT = 12, MAX_SEGMENTS = 16 };

typedef struct table {
    int64_t n, d, segments; /* segments: 0 means none */
    double *v[LIMIT];
    int32_t *category;
    const char *options[16]; /* key, value, ..., NULL */
} table;

static table new_table(fixture *f, int64_t n, int64_t d, int64_t segments)
{
    table t = {.n = n, .d = d, .segments = segments};
    for (int64_t j = 0; j < d; j++) {
        t.v[j] = fixture_doubles(f, n);
    }
    t.category = arena_get(f->ctx, &f->scratch, n, sizeof *t.category);
    assert_non_null(t.category);
    for (int64_t i = 0; i < n && segments > 0; i++) {
        t.category[i] = (int32_t)(i * segments / n);
    }
    return t;
}

static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

static nonsens_status build(nonsens_context *ctx, const table *t, const char *const *names, nonsens_data **data)
{
    char text[MAX_SEGMENTS][16];
    const char *labels[MAX_SEGMENTS];
    for (int e = 0; e < t->segments; e++) {
        snprintf(text[e], sizeof text[e], "s%d", e);
        labels[e] = text[e];
    }
    return dataset_new(ctx, t->n, t->d, (const double *const *)t->v, names, t->segments > 0 ? t->category : NULL,
                       t->segments, labels, NULL, data);
}

static nonsens_status run_named(nonsens_context *ctx, const table *t, const char *const *names, nonsens_result **out)
{
    nonsens_data *data;
    nonsens_options *options;
    TRY(build(ctx, t, names, &data));
    nonsens_status status = nonsens_options_new(ctx, NONSENS_COMMAND_DISCOVER, &options);
    if (status == NONSENS_OK) {
        nonsens_options_set(ctx, options, "method", "pc");
        for (int i = 0; status == NONSENS_OK && t->options[i]; i += 2) {
            status = nonsens_options_set(ctx, options, t->options[i], t->options[i + 1]);
        }
        status = status == NONSENS_OK ? nonsens_run_discover(ctx, data, options, out) : status;
        nonsens_options_free(options);
    }
    nonsens_data_free(data);
    return status;
}

static nonsens_result *discover(fixture *f, const table *t)
{
    nonsens_result *result = NULL;
    if (run_named(f->ctx, t, letters, &result) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return result;
}

/* Prints edges as "a->b c--d", in the order of names. */
static const char *graph_of(const nonsens_result *r, char text[512])
{
    static const char *const mark[] = {"->", "--", "<>"};
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < nonsens_result_edge_count(r); i++) {
        const nonsens_edge *e = nonsens_result_edge_at(r, i);
        int kind = e->type == NONSENS_EDGE_DIRECTED ? 0 : e->type == NONSENS_EDGE_UNDIRECTED ? 1 : 2;
        used += (size_t)snprintf(text + used, 512 - used, "%s%s%s%s", used ? " " : "", letters[e->from], mark[kind],
                                 letters[e->to]);
    }
    return text;
}

static void assert_graph(fixture *f, const table *t, const char *expected)
{
    char text[512];
    nonsens_result *r = discover(f, t);
    assert_string_equal(graph_of(r, text), expected);
    nonsens_result_free(r);
}

static bool has_note(const nonsens_result *r, const char *words)
{
    for (int64_t i = 0; i < nonsens_result_note_count(r); i++) {
        if (strstr(nonsens_result_note_at(r, i)->text, words)) {
            return true;
        }
    }
    return false;
}

/* a -> c <- b, c -> d, d -> e: all arrows follow from the v-structure. */
static table collider(fixture *f, int64_t n, int64_t segments, uint64_t seed)
{
    table t = new_table(f, n, 5, segments);
    rng r = rng_new(seed, RNG_TEST, 61);
    for (int64_t i = 0; i < n; i++) {
        double scale = segments > 0 ? 0.5 + t.category[i] % 3 : 1.0;
        double a = scale * rng_normal(&r), b = rng_normal(&r) / scale, c = a + b + 0.7 * rng_normal(&r);
        double d = 0.9 * c + 0.7 * rng_normal(&r);
        double v[] = {a, b, c, d, 0.8 * d + rng_normal(&r)};
        for (int j = 0; j < 5; j++) {
            t.v[j][i] = v[j];
        }
    }
    return t;
}

/* ---- known graphs --------------------------------------------------------------------------------------------- */

static void test_known_graphs(void **state)
{
    fixture *f = *state;
    static const char *const colliders[] = {"plain", "conservative", "majority"};
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 2; k++) {
            table t = collider(f, 2000, 0, 3);
            const char *options[] = {"colliders", colliders[c], "conflicts", k ? "priority" : "bidirected",
                                     "alpha",     "0.01",       NULL};
            memcpy(t.options, options, sizeof options);
            assert_graph(f, &t, "a->c b->c c->d d->e");
        }
    }
}

/* a -> b -> c, whose arrows conditional independence cannot direct. */
static table chain(fixture *f, int64_t n)
{
    rng r = rng_new(4, RNG_TEST, 62);
    table t = new_table(f, n, 3, 0);
    for (int64_t i = 0; i < n; i++) {
        t.v[0][i] = rng_normal(&r);
        t.v[1][i] = t.v[0][i] + 0.6 * rng_normal(&r);
        t.v[2][i] = t.v[1][i] + 0.6 * rng_normal(&r);
    }
    return t;
}

/* The arrows of a chain stay undirected; every test gives the same skeleton. */
static void test_every_test(void **state)
{
    fixture *f = *state;
    static const char *const tests[] = {"auto", "hsic", "kci", "rcit", "fisher-z"};
    table t = chain(f, 300);
    for (int k = 0; k < 5; k++) {
        const char *options[] = {"test", tests[k], "alpha", "0.01", NULL};
        memcpy(t.options, options, sizeof options);
        assert_graph(f, &t, "a--b b--c");
    }
}

/* ---- against plain code --------------------------------------------------------------------------------------- */

/* Computes a determinant by expansion. */
static double determinant(int n, double m[5][5])
{
    double sum = 0.0;
    if (n == 0) {
        return 1.0;
    }
    for (int k = 0; k < n; k++) {
        double minor[5][5];
        for (int i = 1; i < n; i++) {
            for (int j = 0, at = 0; j < n; j++) {
                if (j != k) {
                    minor[i - 1][at++] = m[i][j];
                }
            }
        }
        sum += (k % 2 ? -1 : 1) * m[0][k] * determinant(n - 1, minor);
    }
    return sum;
}

static double correlation(const table *t, int a, int b)
{
    double mean[2] = {0}, s[3] = {0};
    for (int64_t i = 0; i < t->n; i++) {
        mean[0] += t->v[a][i] / t->n;
        mean[1] += t->v[b][i] / t->n;
    }
    for (int64_t i = 0; i < t->n; i++) {
        double x = t->v[a][i] - mean[0], y = t->v[b][i] - mean[1];
        s[0] += x * x, s[1] += x * y, s[2] += y * y;
    }
    return s[1] / sqrt(s[0] * s[2]);
}

/* Computes a partial correlation by cofactors of the correlation matrix. */
static double plain_p(const table *t, int x, int y, int count, const int *given)
{
    int node[5] = {x, y};
    double m[5][5], minor[3][5][5];
    memcpy(node + 2, given, (size_t)count * sizeof *given);
    int size = count + 2, drop[3][2] = {{0, 1}, {0, 0}, {1, 1}};
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            m[i][j] = correlation(t, node[i], node[j]);
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0, row = 0; i < size; i++) {
            for (int j = 0, column = 0; j < size && i != drop[k][0]; j++) {
                if (j != drop[k][1]) {
                    minor[k][row][column++] = m[i][j];
                }
            }
            row += i != drop[k][0];
        }
    }
    double r =
        determinant(size - 1, minor[0]) / sqrt(determinant(size - 1, minor[1]) * determinant(size - 1, minor[2]));
    return erfc(fabs(atanh(r)) * sqrt((t->n - count - 3) / 2.0));
}

/* There is an edge, with this p-value, if and only if no set of up to three others separates: true of PC on few
 * variables that are adjacent to all that matter. */
static void test_skeleton_and_p_values(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        table t = collider(f, 400, 0, seed);
        nonsens_result *r = discover(f, &t);
        bool edge[5][5] = {{false}};
        for (int64_t i = 0; i < nonsens_result_edge_count(r); i++) {
            const nonsens_edge *e = nonsens_result_edge_at(r, i);
            double p = NAN;
            edge[e->from][e->to] = edge[e->to][e->from] = true;
            for (int set = 0; set < 32; set++) { // the tests that were made are among these
                int given[3], count = 0;
                for (int k = 0; k < 5; k++) {
                    if (set >> k & 1 && k != e->from && k != e->to && count < 3) {
                        given[count++] = k;
                    }
                }
                double q = plain_p(&t, e->from, e->to, count, given);
                p = fabs(q - e->p_value) <= 1e-9 * q + 1e-300 ? q : p;
            }
            assert_true(!isnan(p) && p <= 0.05);
        }
        for (int a = 0; a < 5; a++) {
            for (int b = 0; b < a; b++) {
                if (!edge[a][b]) {
                    bool separated = false;
                    for (int set = 0; set < 32; set++) {
                        int given[3], count = 0;
                        for (int k = 0; k < 5; k++) {
                            if (set >> k & 1 && k != a && k != b && count < 3) {
                                given[count++] = k;
                            }
                        }
                        separated = separated || plain_p(&t, a, b, count, given) > 0.05;
                    }
                    assert_true(separated);
                }
            }
        }
        nonsens_result_free(r);
    }
}

/* ---- segments, knots, caps ------------------------------------------------------------------------------------ */

/* Two variables whose levels change together over segments are otherwise independent. */
static void test_pooling(void **state)
{
    fixture *f = *state;
    table t = new_table(f, 800, 2, 8);
    rng r = rng_new(7, RNG_TEST, 63);
    for (int64_t i = 0; i < t.n; i++) {
        t.v[0][i] = t.category[i] + rng_normal(&r);
        t.v[1][i] = t.category[i] + rng_normal(&r);
    }
    assert_graph(f, &t, "");
    t.options[0] = "pooling";
    t.options[1] = "pooled";
    nonsens_result *result = discover(f, &t);
    assert_int_equal(nonsens_result_edge_count(result), 1);
    assert_true(has_note(result, "were pooled"));
    nonsens_result_free(result);
}

static void test_segments(void **state)
{
    fixture *f = *state;
    table t = collider(f, 3000, 6, 5);
    t.options[0] = "alpha";
    t.options[1] = "0.01";
    assert_graph(f, &t, "a->c b->c c->d d->e");
}

/* a -> b, a -> c by kinked curves: given a the residuals of b and c are independent, but not those of linear fits. */
static void test_knots(void **state)
{
    fixture *f = *state;
    table t = new_table(f, 1500, 3, 3);
    rng r = rng_new(9, RNG_TEST, 64);
    for (int64_t i = 0; i < t.n; i++) {
        double a = rng_normal(&r);
        t.v[0][i] = a;
        t.v[1][i] = fabs(a) + 0.4 * a + 0.3 * rng_normal(&r);
        t.v[2][i] = fabs(a) - 0.4 * a + 0.3 * rng_normal(&r);
    }
    t.options[0] = "knots";
    t.options[1] = "5"; // one of the knots is at the median
    assert_graph(f, &t, "a--b a--c");
    t.options[1] = "0";
    nonsens_result *result = discover(f, &t);
    assert_int_equal(nonsens_result_edge_count(result), 3);
    nonsens_result_free(result);
}

/* Least squares on z and its hinges inside each segment, in plain steps, and Fisher's z of the residuals. */
static void test_knots_against_least_squares(void **state)
{
    fixture *f = *state;
    enum { N = 240, KNOTS = 3, TERMS = KNOTS + 2 };
    table t = new_table(f, N, 3, 2);
    int64_t start[] = {0, N / 2, N}, given = 2;
    rng r = rng_new(10, RNG_TEST, 65);
    double z_sum = 0.0, squares = 0.0, w = N / 2 - (KNOTS + 1) - 3, p;
    pc_knots bent;
    for (int64_t i = 0; i < N; i++) {
        t.v[2][i] = rng_normal(&r);
        t.v[0][i] = fabs(t.v[2][i]) + rng_normal(&r);
        t.v[1][i] = t.v[2][i] + 0.2 * t.v[0][i] + rng_normal(&r);
    }
    for (int e = 0; e < 2; e++) {
        double basis[TERMS + 2][N / 2], sorted[N / 2], knot[KNOTS];
        memcpy(sorted, t.v[2] + start[e], sizeof sorted);
        for (int i = 1; i < N / 2; i++) {
            for (int at = i; at > 0 && sorted[at - 1] > sorted[at]; at--) {
                double swap = sorted[at];
                sorted[at] = sorted[at - 1];
                sorted[at - 1] = swap;
            }
        }
        for (int b = 0; b < KNOTS; b++) {
            knot[b] = sorted[(b + 1) * (N / 2) / (KNOTS + 1)];
        }
        for (int i = 0; i < N / 2; i++) {
            double z = t.v[2][start[e] + i];
            basis[0][i] = 1.0;
            basis[1][i] = z;
            for (int b = 0; b < KNOTS; b++) {
                basis[2 + b][i] = z > knot[b] ? z - knot[b] : 0.0;
            }
            basis[TERMS][i] = t.v[0][start[e] + i];
            basis[TERMS + 1][i] = t.v[1][start[e] + i];
        }
        for (int round = 0; round < 2; round++) { // Gram-Schmidt, twice for accuracy
            for (int k = 1; k < TERMS + 2; k++) {
                for (int j = 0; j < k && j < TERMS; j++) {
                    double own = 0.0, both = 0.0;
                    for (int i = 0; i < N / 2; i++) {
                        own += basis[j][i] * basis[j][i];
                        both += basis[j][i] * basis[k][i];
                    }
                    for (int i = 0; i < N / 2; i++) {
                        basis[k][i] -= both / own * basis[j][i];
                    }
                }
            }
        }
        double xx = 0.0, xy = 0.0, yy = 0.0;
        for (int i = 0; i < N / 2; i++) {
            xx += basis[TERMS][i] * basis[TERMS][i];
            xy += basis[TERMS][i] * basis[TERMS + 1][i];
            yy += basis[TERMS + 1][i] * basis[TERMS + 1][i];
        }
        double z = atanh(xy / sqrt(xx * yy));
        z_sum += w * z;
        squares += w * z * z;
    }
    double mean = z_sum * z_sum / (2 * w), rest = squares - mean;
    double smaller = fmin(erfc(sqrt(mean / 2)), erfc(sqrt(rest / 2))); // chi-square with one degree of freedom each
    column_set all = {N, 3, (const double *const *)t.v};
    assert_int_equal(pc_knots_new(f->ctx, &f->scratch, &all, &(row_groups){2, start}, KNOTS, &bent), NONSENS_OK);
    assert_int_equal(pc_knots_ask(f->ctx, &f->scratch, &bent, 0, 1, 1, &given, &p), NONSENS_OK);
    assert_true(fabs(p - smaller * (2 - smaller)) <= 1e-9 * p);
}

static void test_caps(void **state)
{
    fixture *f = *state;
    table t = collider(f, 600, 0, 3), few = collider(f, 5, 0, 3);
    t.options[0] = "max-given";
    t.options[1] = "0";
    nonsens_result *result = discover(f, &t);
    assert_true(has_note(result, "--max-given raises this"));
    nonsens_result_free(result);
    few.d = 3;
    few.options[0] = "alpha";
    few.options[1] = "0.99";
    result = discover(f, &few); // five rows allow one given variable, but no more
    assert_true(nonsens_result_edge_count(result) > 0);
    nonsens_result_free(result);
}

/* ---- unusual tables ------------------------------------------------------------------------------------------- */

/* A variable that is constant inside segments has no edge, and a note says why. */
static void test_constant_inside_segments(void **state)
{
    fixture *f = *state;
    table t = collider(f, 600, 4, 6);
    for (int64_t i = 0; i < t.n; i++) {
        t.v[4][i] = t.category[i] * t.category[i];
    }
    nonsens_result *result = discover(f, &t);
    assert_true(has_note(result, "4 of 10 pairs of variables could not be tested"));
    for (int64_t i = 0; i < nonsens_result_edge_count(result); i++) {
        assert_true(nonsens_result_edge_at(result, i)->to != 4 && nonsens_result_edge_at(result, i)->from != 4);
    }
    nonsens_result_free(result);
}

static void test_odd_scales(void **state)
{
    fixture *f = *state;
    static const char *const knots[] = {"0", "4"};
    for (int k = 0; k < 2; k++) {
        char first[512], second[512];
        table t = collider(f, 500, 5, 8);
        t.options[0] = "knots";
        t.options[1] = knots[k];
        nonsens_result *plain = discover(f, &t);
        for (int64_t i = 0; i < t.n; i++) {
            t.v[0][i] *= 0x1p-900;
            t.v[2][i] *= 0x1p1000;
            t.v[3][i] *= 0x1p-30;
        }
        nonsens_result *scaled = discover(f, &t);
        assert_string_equal(graph_of(plain, first), graph_of(scaled, second));
        nonsens_result_free(plain);
        nonsens_result_free(scaled);
    }
}

/* ---- invariances ---------------------------------------------------------------------------------------------- */

/* Reversed rows, reordered columns and several threads give the same edges and p-values, by names. */
static void test_order_and_threads(void **state)
{
    fixture *f = *state;
    static const char *const colliders[] = {"plain", "conservative", "majority"};
    static const int place[] = {3, 0, 4, 2, 1};
    for (int k = 0; k < 6; k++) {
        table t = collider(f, 300, 3, 20 + k), u = new_table(f, 300, 5, 3);
        const char *names[5];
        nonsens_result *other;
        for (int j = 0; j < 5; j++) {
            names[j] = letters[place[j]];
            for (int64_t i = 0; i < t.n; i++) {
                u.v[j][i] = t.v[place[j]][t.n - 1 - i];
                u.category[i] = (t.category[t.n - 1 - i] + 1) % 3;
            }
        }
        const char *options[] = {
            "colliders", colliders[k % 3], "conflicts", k % 2 ? "priority" : "bidirected", "threads", "1", NULL};
        memcpy(t.options, options, sizeof options);
        memcpy(u.options, options, sizeof options);
        u.options[5] = "3";
        nonsens_result *one = discover(f, &t);
        assert_int_equal(run_named(f->ctx, &u, names, &other), NONSENS_OK);
        assert_int_equal(nonsens_result_edge_count(one), nonsens_result_edge_count(other));
        for (int64_t i = 0; i < nonsens_result_edge_count(one); i++) {
            const nonsens_edge *e = nonsens_result_edge_at(one, i);
            bool there = false;
            for (int64_t j = 0; j < nonsens_result_edge_count(other); j++) {
                const nonsens_edge *g = nonsens_result_edge_at(other, j);
                bool same = place[g->from] == e->from && place[g->to] == e->to;
                bool reversed = place[g->to] == e->from && place[g->from] == e->to && g->type != NONSENS_EDGE_DIRECTED;
                there = there || ((same || reversed) && e->type == g->type && e->p_value == g->p_value);
            }
            assert_true(there);
        }
        nonsens_result_free(one);
        nonsens_result_free(other);
    }
}

/* ---- missing values ------------------------------------------------------------------------------------------- */

/* Makes every fifth value of a and c, and every seventh of d, missing. */
static void make_gaps(const table *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        t->v[0][i] = i % 5 == 0 ? NAN : t->v[0][i];
        t->v[2][i] = i % 5 == 2 ? NAN : t->v[2][i];
        t->v[3][i] = i % 7 == 3 ? NAN : t->v[3][i];
    }
}

static nonsens_data *data_with_gaps(fixture *f, const table *t)
{
    nonsens_data *data;
    static const char *const labels[] = {"s0", "s1", "s2"};
    assert_int_equal(dataset_new_unaudited(f->ctx, t->n, t->d, (const double *const *)t->v, letters, t->category,
                                           t->segments, labels, NULL, &data),
                     NONSENS_OK);
    return data;
}

/* Copies the rows that have a, c and b, segment by segment: columns (3) of n rows. */
static int64_t drop_rows(const nonsens_data *data, const int64_t *user, double *const *column, int64_t *start)
{
    int64_t n = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        start[e] = n;
        for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
            bool has = true;
            for (int k = 0; k < 3; k++) {
                has = has && !dataset_is_gap(data, i, user[k]);
                column[k][n] = matrix_col(data->x, user[k])[i];
            }
            n += has;
        }
        start[e + 1] = n;
    }
    return n;
}

/* A test uses the rows that have all its variables, linear and with knots. */
static void test_rows_of_a_test(void **state)
{
    fixture *f = *state;
    table t = collider(f, 600, 3, 5);
    make_gaps(&t);
    nonsens_data *data = data_with_gaps(f, &t);
    int64_t user[3] = {0, 2, 1}, node[3] = {0}, start[4], given = 2; // a and c given b
    double *column[3], p, plain;
    const double *v[5];
    for (int64_t k = 0; k < 5; k++) {
        v[k] = matrix_col(data->x, data->column_rank[k]);
        for (int j = 0; j < 3; j++) {
            node[j] = data->column_rank[k] == user[j] ? k : node[j];
        }
    }
    for (int k = 0; k < 3; k++) {
        column[k] = fixture_doubles(f, t.n);
    }
    int64_t n = drop_rows(data, user, column, start);
    assert_true(n > t.n / 2 && n < 4 * t.n / 5);
    column_set rows = {n, 3, (const double *const *)column};
    row_groups groups = {3, start};
    for (int64_t knots = 0; knots <= 2; knots += 2) {
        pc_gaps gaps = {data, {t.n, 5, v}, {3, data->start}, knots};
        assert_int_equal(pc_gaps_ask(f->ctx, &f->scratch, &gaps, node[0], node[1], 1, &node[2], &p), NONSENS_OK);
        if (knots > 0) {
            pc_knots bent;
            assert_int_equal(pc_knots_new(f->ctx, &f->scratch, &rows, &groups, knots, &bent), NONSENS_OK);
            assert_int_equal(pc_knots_ask(f->ctx, &f->scratch, &bent, 0, 1, 1, &given, &plain), NONSENS_OK);
        } else {
            fisher_z_data correlations;
            fisher_z_result result;
            double buffer[9];
            assert_int_equal(fisher_z_new(f->ctx, &f->scratch, &rows, &groups, &correlations), NONSENS_OK);
            fisher_z_test(&correlations, 0, 1, 1, &given, buffer, &result);
            plain = result.p_value;
        }
        assert_true(p == plain);
    }
    nonsens_data_free(data);
}

/* With missing values the graph is that of complete data, whatever the order of the rows. */
static void test_missing_values(void **state)
{
    fixture *f = *state;
    for (int reversed = 0; reversed <= 1; reversed++) {
        char text[512];
        table t = collider(f, 900, 3, 5);
        nonsens_options *options;
        nonsens_result *result;
        make_gaps(&t);
        for (int64_t i = 0; reversed && i < t.n / 2; i++) {
            int64_t other = t.n - 1 - i;
            int32_t category = t.category[i];
            t.category[i] = t.category[other];
            t.category[other] = category;
            for (int64_t j = 0; j < t.d; j++) {
                double value = t.v[j][i];
                t.v[j][i] = t.v[j][other];
                t.v[j][other] = value;
            }
        }
        nonsens_data *data = data_with_gaps(f, &t);
        assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &options), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, options, "method", "pc"), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, options, "na", "pairwise"), NONSENS_OK);
        assert_int_equal(nonsens_options_set(f->ctx, options, "alpha", "0.01"), NONSENS_OK);
        assert_int_equal(nonsens_run_discover(f->ctx, data, options, &result), NONSENS_OK);
        assert_string_equal(graph_of(result, text), "a->c b->c c->d d->e");
        nonsens_result_free(result);
        nonsens_options_free(options);
        nonsens_data_free(data);
    }
}

/* ---- background knowledge ------------------------------------------------------------------------------------- */

/* A chain whose arrows only a knowledge file can direct; its statements hold, even in bootstrap samples, and the rest
 * follows from them. */
static void test_knowledge(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text, *graph;
    } cases[] = {{"", "a--b b--c"},
                 {"requiredirect\na b\n", "a->b b->c"},
                 {"forbiddirect\nb c\n", "b->a c->b"},
                 {"addtemporal\n1 c\n2 a b\n", "b->a c->b"},
                 {"forbiddirect\na b\nb a\n", "b--c"},
                 {"requiredirect\na c\n", "a--b a->c b--c"}};
    char path[] = "/tmp/nonsens-pc-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    table t = chain(f, 600);
    const char *options[] = {"alpha", "0.01", "knowledge", path, "bootstrap", "3", "threads", "1", NULL};
    memcpy(t.options, options, sizeof options);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "/knowledge\n%s", cases[k].text);
        fclose(file);
        assert_graph(f, &t, cases[k].graph);
    }
    remove(path);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static nonsens_status discover_failing(nonsens_context *ctx, arena *a, void *state)
{
    nonsens_result *result;
    (void)a;
    TRY(run_named(ctx, state, letters, &result));
    nonsens_result_free(result);
    return NONSENS_OK;
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    static const char *const tests[] = {"fisher-z", "fisher-z", "kci"}, *const knots[] = {"0", "2", "0"};
    for (int k = 0; k < 3; k++) {
        table t = collider(f, 60, 3, 1);
        const char *options[] = {"test", tests[k], "knots", knots[k], "threads", "1", NULL};
        memcpy(t.options, options, sizeof options);
        t.d = 3;
        assert_true(fail_every_allocation(f, discover_failing, &t) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_known_graphs),
        TEST(test_every_test),
        TEST(test_skeleton_and_p_values),
        TEST(test_pooling),
        TEST(test_segments),
        TEST(test_knots),
        TEST(test_rows_of_a_test),
        TEST(test_missing_values),
        TEST(test_knots_against_least_squares),
        TEST(test_caps),
        TEST(test_constant_inside_segments),
        TEST(test_odd_scales),
        TEST(test_order_and_threads),
        TEST(test_knowledge),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
