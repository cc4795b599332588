/*
 * test_cdnod.c - CD-NOD: the segment as a variable of the tests, embeddings and dependence against plain formulas,
 * decisions with known answers, invariances, failing allocations.
 */
#include "base/rng.h"
#include "data/dataset.h"
#include "indep/ci.h"
#include "indep/kernel.h"
#include "math/special.h"
#include "methods/cdnod/cdnod_changes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/* ---- data ---------------------------------------------------------------------------------------------------- */

enum what { CAUSE_CHANGES, EFFECT_CHANGES, BOTH_CHANGE, NOTHING_CHANGES, UNRELATED };

enum { MAX_SEGMENTS = 32 };

typedef struct table {
    int64_t n, d, segments;
    double *v[4];
    int32_t *category;
} table;

static table new_table(fixture *f, int64_t d, int64_t segments, int64_t rows)
{
    table t = {.n = segments * rows, .d = d, .segments = segments};
    for (int64_t j = 0; j < d; j++) {
        t.v[j] = fixture_doubles(f, t.n);
    }
    t.category = arena_get(f->ctx, &f->scratch, t.n, sizeof *t.category);
    for (int64_t i = 0; i < t.n; i++) {
        t.category[i] = (int32_t)(i / rows);
    }
    return t;
}

static table make_pair(fixture *f, enum what what, int64_t segments, int64_t rows, uint64_t seed)
{
    table t = new_table(f, 2, segments, rows);
    rng r = rng_new(seed, RNG_TEST, 31);
    bool cause = what == CAUSE_CHANGES || what == BOTH_CHANGE, effect = what == EFFECT_CHANGES || what == BOTH_CHANGE;
    for (int64_t i = 0; i < t.n;) {
        double scale = exp(1.6 * rng_uniform(&r) - 0.8), slope = 0.5 + 2.0 * rng_uniform(&r), shift = rng_normal(&r);
        for (int64_t k = 0; k < rows; k++, i++) {
            double x = (cause ? scale : 1.0) * rng_normal(&r) + (what == CAUSE_CHANGES) * shift, e = rng_laplace(&r);
            t.v[0][i] = x;
            t.v[1][i] = what == UNRELATED ? e : (effect ? slope : 1.5) * (x + 0.3 * tanh(x)) + effect * shift + 0.4 * e;
        }
    }
    return t;
}

/* The same rows in reverse, with renumbered segments and reversed columns. */
static table mirrored(fixture *f, const table *t)
{
    table u = new_table(f, t->d, t->segments, t->n / t->segments);
    for (int64_t i = 0; i < t->n; i++) {
        int64_t from = t->n - 1 - i;
        for (int64_t j = 0; j < t->d; j++) {
            u.v[j][i] = t->v[t->d - 1 - j][from];
        }
        u.category[i] = (int32_t)((t->category[from] * 7 + 3) % t->segments);
    }
    return u;
}

static nonsens_status run(nonsens_context *ctx, const table *t, bool reversed, unsigned command, const char *threads,
                          nonsens_result **out)
{
    static const char *const names[2][4] = {{"a", "b", "c", "d"}, {"d", "c", "b", "a"}};
    char text[MAX_SEGMENTS][16];
    const char *labels[MAX_SEGMENTS];
    nonsens_data *data;
    nonsens_options *options = NULL;
    const char *const setting[][2] = {{"method", "cdnod"}, {"threads", threads}, {"permutations", "49"}};
    for (int e = 0; e < t->segments; e++) {
        snprintf(text[e], sizeof text[e], reversed ? "zebra %d" : "s%d", e);
        labels[e] = text[e];
    }
    TRY(dataset_new(ctx, t->n, t->d, (const double *const *)t->v, names[reversed] + (reversed ? 4 - t->d : 0),
                    t->category, t->segments, labels, NULL, &data));
    nonsens_status status = nonsens_options_new(ctx, command, &options);
    for (size_t k = 0; k < sizeof setting / sizeof *setting && status == NONSENS_OK; k++) {
        status = nonsens_options_set(ctx, options, setting[k][0], setting[k][1]);
    }
    if (status == NONSENS_OK) {
        bool graph = command == NONSENS_COMMAND_DISCOVER;
        status = graph ? nonsens_run_discover(ctx, data, options, out) : nonsens_run_direction(ctx, data, options, out);
    }
    nonsens_options_free(options);
    nonsens_data_free(data);
    return status;
}

static nonsens_result *direction(fixture *f, const table *t, bool reversed, const char *threads)
{
    nonsens_result *result = NULL;
    if (run(f->ctx, t, reversed, NONSENS_COMMAND_DIRECTION, threads, &result) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return result;
}

static bool warns_of_hidden_causes(const nonsens_result *result)
{
    int64_t count = 0;
    for (int64_t i = 0; i < nonsens_result_note_count(result); i++) {
        const nonsens_note *note = nonsens_result_note_at(result, i);
        count += note->level == NONSENS_NOTE_CAUTION && strstr(note->text, "cannot see a hidden common cause") != NULL;
    }
    assert_true(count <= 1);
    return count == 1;
}

static void assert_decides(fixture *f, const table *t, const char *decision)
{
    nonsens_result *result = direction(f, t, false, "1");
    assert_string_equal(nonsens_result_decision(result), decision);
    assert_int_equal(warns_of_hidden_causes(result), nonsens_result_direction(result) != NULL);
    nonsens_result_free(result);
}

/* ---- the segment as a variable of the tests ------------------------------------------------------------------ */

static ci_tester *open_tester(fixture *f, const table *t, int64_t *start, column_set *variable)
{
    ci_tester *tester;
    ci_options how = {.test = TEST_AUTO, .permutations = 99, .threads = 1, .cache_bytes = 1 << 24, .with_group = true};
    for (int64_t e = 0; e <= t->segments; e++) {
        start[e] = e * (t->n / t->segments);
    }
    for (int64_t j = 0; j < t->d; j++) {
        variable[j] = (column_set){t->n, 1, (const double *const *)&t->v[j]};
    }
    ci_variables variables = {t->d, variable, NULL, {t->segments, start}};
    assert_int_equal(ci_new(f->ctx, &variables, &how, &tester), NONSENS_OK);
    return tester;
}

static ci_result ask(fixture *f, ci_tester *t, int64_t x, int64_t y, int64_t count, const int64_t *given)
{
    ci_result out;
    if (ci_test(f->ctx, t, x, y, count, given, &out) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return out;
}

/* Computes (1/n) tr(K H L H); the kernel L is 1 inside segments, so this is a sum over segments of the centred K. */
static void test_statistic_of_a_category(void **state)
{
    fixture *f = *state;
    table t = make_pair(f, CAUSE_CHANGES, 5, 24, 1);
    int64_t start[MAX_SEGMENTS + 1], n = t.n;
    column_set variable[2];
    double width, *k = fixture_doubles(f, n * n), *mean = fixture_doubles(f, n), all = 0.0, sum = 0.0;
    ci_tester *tester = open_tester(f, &t, start, variable);
    assert_int_equal(kernel_width(f->ctx, n, t.v[0], &width), NONSENS_OK);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            k[i * n + j] = exp(-0.5 * pow((t.v[0][i] - t.v[0][j]) / width, 2));
            mean[i] += k[i * n + j] / n;
            all += k[i * n + j] / (n * n);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            sum += t.category[i] == t.category[j] ? (k[i * n + j] - mean[i] - mean[j] + all) / n : 0.0;
        }
    }
    ci_result r = ask(f, tester, 2, 0, 0, NULL);
    assert_true(fabs(r.statistic - sum) <= 1e-6 * sum);
    assert_true(r.p_value < 1e-3);
    ci_free(tester);
}

/* y changes only through x: size of the test given x, power of the others. */
static void test_category_given(void **state)
{
    fixture *f = *state;
    enum { SETS = 30 };
    int64_t x = 0, y = 1, start[MAX_SEGMENTS + 1], rejected = 0, missed = 0, found = 0;
    for (uint64_t seed = 1; seed <= SETS; seed++) {
        column_set variable[2];
        table t = make_pair(f, CAUSE_CHANGES, 6, 50, seed);
        ci_tester *tester = open_tester(f, &t, start, variable);
        rejected += ask(f, tester, 1, 2, 1, &x).p_value <= 0.05;
        missed += ask(f, tester, 1, 2, 0, NULL).p_value > 0.05;
        found += ask(f, tester, 0, 2, 1, &y).p_value <= 0.05;
        ci_free(tester);
    }
    assert_true(rejected <= 5); // 1.5 expected; P(more than 5) = .003
    assert_true(missed <= 1);
    assert_true(found >= SETS / 2);
}

static void test_group_is_given_anyway(void **state)
{
    fixture *f = *state;
    table t = make_pair(f, BOTH_CHANGE, 4, 40, 3);
    int64_t start[MAX_SEGMENTS + 1], segment = 2, asked, remembered;
    column_set variable[2];
    ci_tester *tester = open_tester(f, &t, start, variable), *plain;
    ci_options how = {.test = TEST_AUTO, .permutations = 99, .threads = 1};
    ci_variables variables = {2, variable, NULL, {4, start}};
    ci_result with = ask(f, tester, 0, 1, 1, &segment), without = ask(f, tester, 1, 0, 0, NULL);
    ci_counts(tester, &asked, &remembered);
    assert_int_equal(remembered, 1);
    assert_int_equal(ci_new(f->ctx, &variables, &how, &plain), NONSENS_OK);
    ci_result same = ask(f, plain, 0, 1, 0, NULL);
    assert_true(with.p_value == without.p_value && with.p_value == same.p_value && with.statistic == same.statistic);
    assert_int_equal(ci_test(f->ctx, plain, 0, 2, 0, NULL, &same), NONSENS_ERR_USAGE);
    ci_free(plain);
    ci_free(tester);
}

/* ---- changes of modules -------------------------------------------------------------------------------------- */

static void test_scores(void **state)
{
    fixture *f = *state;
    double v[] = {3, -1e30, 3, 7}, out[4];
    assert_int_equal(cdnod_scores(f->ctx, &f->scratch, 4, v, out), NONSENS_OK);
    double truth[] = {0.0, special_normal_quantile(0.125), 0.0, special_normal_quantile(0.875)};
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(out[i] - truth[i]) < 1e-15);
    }
}

/* Given nothing: the squared distance of mean embeddings by the kernel itself, less what 12 directions miss. */
static void test_distances_of_means(void **state)
{
    fixture *f = *state;
    enum { E = 4, ROWS = 50, N = E * ROWS };
    table t = make_pair(f, BOTH_CHANGE, E, ROWS, 5);
    double *x = fixture_doubles(f, N), d[E * E], plain[E * E], inner[E][E] = {{0}}, width;
    int64_t start[E + 1] = {0, 50, 100, 150, 200};
    assert_int_equal(cdnod_scores(f->ctx, &f->scratch, N, t.v[1], x), NONSENS_OK);
    column_set target = {N, 1, (const double *const *)&x}, nothing = {N, 0, NULL};
    row_groups groups = {E, start};
    assert_int_equal(
        cdnod_module_distances(f->ctx, &f->scratch, &target, &nothing, &groups, &(cdnod_distances){d, plain}),
        NONSENS_OK);
    assert_int_equal(kernel_width(f->ctx, N, x, &width), NONSENS_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            inner[i / ROWS][j / ROWS] += exp(-0.5 * pow((x[i] - x[j]) / (0.33 * width), 2)) / (ROWS * ROWS);
        }
    }
    for (int a = 0; a < E; a++) {
        for (int b = 0; b < E; b++) {
            double truth = (inner[a][a] + inner[b][b] - 2 * inner[a][b]) * pow(ROWS / (ROWS + 0.3), 2);
            assert_true(plain[a * E + b] <= truth * (1 + 1e-9) && plain[a * E + b] >= 0.95 * truth);
            assert_true(fabs(d[a * E + b] - 1.02 / 2 * plain[a * E + b]) <= 1e-12);
        }
    }
}

/* The mechanism of y changes; given x, changes of x must not show. */
static void test_distances_given(void **state)
{
    fixture *f = *state;
    enum { E = 6, ROWS = 400, N = E * ROWS };
    double *x = fixture_doubles(f, N), *y = fixture_doubles(f, N), given[E * E], alone[E * E], plain[E * E], most = 0.0,
           least = 1e300;
    int64_t start[E + 1];
    rng r = rng_new(8, RNG_TEST, 32);
    for (int i = 0; i < N; i++) { // y = 2 x + noise, in the last segment x / 2 + noise; the scale of x changes
        x[i] = (0.6 + 0.15 * (i / ROWS)) * rng_normal(&r);
        y[i] = (i / ROWS == E - 1 ? 0.5 : 2.0) * x[i] + 0.5 * rng_normal(&r);
        start[i / ROWS] = i / ROWS * ROWS;
    }
    start[E] = N;
    column_set target = {N, 1, (const double *const *)&y}, other = {N, 1, (const double *const *)&x};
    row_groups groups = {E, start};
    assert_int_equal(
        cdnod_module_distances(f->ctx, &f->scratch, &target, &other, &groups, &(cdnod_distances){given, plain}),
        NONSENS_OK);
    assert_int_equal(cdnod_module_distances(f->ctx, &f->scratch, &target, &(column_set){N, 0, NULL}, &groups,
                                            &(cdnod_distances){alone, plain}),
                     NONSENS_OK);
    for (int a = 0; a < E - 1; a++) {
        least = fmin(least, given[a * E + E - 1]);
        for (int b = 0; b < a; b++) {
            most = fmax(most, given[a * E + b]);
        }
    }
    assert_true(least > 4.0 * most);
    assert_true(alone[0 * E + 4] > alone[0 * E + 1]);
}

static void centre(int n, double m[n][n])
{
    double row[8] = {0}, all = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            row[i] += m[i][j] / n;
        }
        all += row[i] / n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            m[i][j] += all - row[i] - row[j];
        }
    }
}

static double product(int n, double a[n][n], double b[n][n], const int *order)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum += a[i][j] * b[order[i]][order[j]];
        }
    }
    return sum;
}

/* Distance correlation by its formula; p-value from all 720 permutations of six segments. */
static void test_dependence(void **state)
{
    fixture *f = *state;
    enum { E = 6 };
    double p[E] = {0, 1, 2.5, 4, 4.5, 7}, q[E] = {1, 0.5, 3, 3.5, 6, 5.5}, a[E][E], b[E][E], first[E * E],
           second[E * E];
    int order[E] = {0, 1, 2, 3, 4, 5}, reached = 0, all = 0;
    cdnod_dependence out;
    cdnod_permutations how = {4999, 1, 0, 1};
    for (int i = 0; i < E; i++) {
        for (int j = 0; j < E; j++) {
            a[i][j] = fabs(p[i] - p[j]);
            b[i][j] = fabs(q[i] - q[j]);
            first[i * E + j] = a[i][j] * a[i][j];
            second[i * E + j] = b[i][j] * b[i][j];
        }
    }
    centre(E, a);
    centre(E, b);
    double observed = product(E, a, b, order), norm = sqrt(product(E, a, a, order) * product(E, b, b, order));
    for (int code = 0; code < 6 * 6 * 6 * 6 * 6 * 6; code++) {
        int used = 0;
        for (int i = 0, rest = code; i < E; i++, rest /= 6) {
            order[i] = rest % 6;
            used |= 1 << order[i];
        }
        if (used == 63) {
            all++;
            reached += product(E, a, b, order) >= observed - 1e-12;
        }
    }
    assert_int_equal(all, 720);
    assert_int_equal(cdnod_compare_changes(f->ctx, &f->scratch, E, first, second, &how, &out), NONSENS_OK);
    assert_true(fabs(out.value - observed / norm) < 1e-12);
    double truth = reached / 720.0;
    assert_true(fabs(out.p_value - truth) <= 5 * sqrt(truth * (1 - truth) / 4999) + 1.0 / 5000);
    memset(second, 0, sizeof second); // a module that does not change
    assert_int_equal(cdnod_compare_changes(f->ctx, &f->scratch, E, first, second, &how, &out), NONSENS_OK);
    assert_true(out.value == 0.0 && out.p_value == 1.0);
}

/* ---- decisions ----------------------------------------------------------------------------------------------- */

static void test_directions(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        table cause = make_pair(f, CAUSE_CHANGES, 8, 60, seed), effect = make_pair(f, EFFECT_CHANGES, 8, 60, seed);
        table both = make_pair(f, BOTH_CHANGE, 14, 50, seed);
        assert_decides(f, &cause, "a->b");
        assert_decides(f, &effect, "a->b");
        assert_decides(f, &both, "a->b");
    }
}

static void test_no_direction(void **state)
{
    fixture *f = *state;
    table nothing = make_pair(f, NOTHING_CHANGES, 6, 50, 4), unrelated = make_pair(f, UNRELATED, 6, 50, 2);
    assert_decides(f, &nothing, "inconclusive");
    assert_decides(f, &unrelated, "independent");
    nonsens_result *result = direction(f, &nothing, false, "1");
    assert_null(nonsens_result_direction(result));
    assert_non_null(strstr(nonsens_result_reason(result), "Neither variable is seen to change"));
    assert_true(isnan(nonsens_result_score(result)));
    nonsens_result_free(result);
}

/* Very few rows, huge and tiny units, ties: any answer, but without NaN in its p-values. */
static void test_odd_data(void **state)
{
    fixture *f = *state;
    table few = make_pair(f, BOTH_CHANGE, 3, 4, 1), odd = make_pair(f, BOTH_CHANGE, 5, 40, 2);
    assert_decides(f, &few, "inconclusive");
    for (int64_t i = 0; i < odd.n; i++) {
        odd.v[0][i] = 1e-30 * round(2.0 * odd.v[0][i]) + (i == 7 ? 1e6 : 0.0);
        odd.v[1][i] *= 1e30;
    }
    nonsens_result *result = direction(f, &odd, false, "1");
    for (int64_t i = 0; i < nonsens_result_evidence_count(result); i++) {
        const nonsens_evidence *e = nonsens_result_evidence_at(result, i);
        assert_true(isfinite(e->value) && e->p_value >= 0.0 && e->p_value <= 1.0);
    }
    nonsens_result_free(result);
}

/* Labels, the order of rows, segments and columns, and threads must not matter. */
static void test_what_must_not_matter(void **state)
{
    fixture *f = *state;
    for (enum what what = CAUSE_CHANGES; what <= NOTHING_CHANGES; what++) {
        table t = make_pair(f, what, 8, 30, 11 + what), u = mirrored(f, &t);
        nonsens_result *one = direction(f, &t, false, "1"), *other = direction(f, &u, true, "3");
        assert_string_equal(nonsens_result_decision(one), nonsens_result_decision(other));
        double a = nonsens_result_score(one), b = nonsens_result_score(other);
        assert_true((isnan(a) && isnan(b)) || a == -b);
        int64_t count = nonsens_result_evidence_count(one), found = 0;
        assert_int_equal(count, nonsens_result_evidence_count(other));
        for (int64_t i = 0; i < count; i++) {
            const nonsens_evidence *e = nonsens_result_evidence_at(one, i);
            for (int64_t j = 0; j < count; j++) {
                const nonsens_evidence *o = nonsens_result_evidence_at(other, j);
                found += strcmp(e->name, o->name) == 0 && e->value == o->value && e->p_value == o->p_value;
            }
        }
        assert_int_equal(found, count - 1); // all but hsic(a, b | segment), whose name changes with the order
        nonsens_result_free(one);
        nonsens_result_free(other);
    }
}

/* ---- graphs -------------------------------------------------------------------------------------------------- */

/* Draws a -> b -> c <- d; a and b change. */
static table make_graph(fixture *f, uint64_t seed)
{
    table t = new_table(f, 4, 12, 60);
    rng r = rng_new(seed, RNG_TEST, 33);
    for (int64_t i = 0; i < t.n;) {
        double scale = exp(1.6 * rng_uniform(&r) - 0.8), slope = 0.5 + 2.0 * rng_uniform(&r);
        for (int64_t k = 0; k < 60; k++, i++) {
            t.v[0][i] = scale * rng_normal(&r);
            t.v[1][i] = slope * t.v[0][i] + 0.7 * rng_normal(&r);
            t.v[3][i] = 1.5 * rng_normal(&r);
            t.v[2][i] = 1.2 * t.v[1][i] + t.v[3][i] + 0.7 * rng_normal(&r);
        }
    }
    return t;
}

static void edges_as_text(const nonsens_result *result, const char *names, char *text, size_t bytes)
{
    char edge[8][8] = {""};
    size_t used = 0;
    int64_t count = nonsens_result_edge_count(result);
    assert_true(count <= 8);
    for (int64_t i = 0; i < count; i++) {
        const nonsens_edge *e = nonsens_result_edge_at(result, i);
        snprintf(edge[i], sizeof edge[i], "%c%s%c", names[e->from], e->type == NONSENS_EDGE_DIRECTED ? "->" : "--",
                 names[e->to]);
        assert_true(e->p_value >= 0.0 && e->p_value <= 0.05);
    }
    qsort(edge, (size_t)count, sizeof *edge, (int (*)(const void *, const void *))strcmp);
    for (int64_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s ", edge[i]);
    }
}

static void test_graph(void **state)
{
    fixture *f = *state;
    table t = make_graph(f, 1), u = mirrored(f, &t);
    nonsens_result *one, *other;
    char text[100], again[100];
    assert_int_equal(run(f->ctx, &t, false, NONSENS_COMMAND_DISCOVER, "1", &one), NONSENS_OK);
    assert_int_equal(run(f->ctx, &u, true, NONSENS_COMMAND_DISCOVER, "3", &other), NONSENS_OK);
    edges_as_text(one, "abcd", text, sizeof text);
    edges_as_text(other, "dcba", again, sizeof again);
    assert_string_equal(text, "a->b b->c d->c ");
    assert_string_equal(again, text);
    const char *changing[] = {"changes(a)", "changes(b)", "changes(c)", "changes(d)"};
    for (int k = 0; k < 4; k++) {
        const nonsens_evidence *e = nonsens_result_evidence_at(one, k);
        assert_string_equal(e->name, changing[k]);
        assert_true(e->value == (k < 2 ? 1.0 : 0.0));
    }
    nonsens_result_free(one);
    nonsens_result_free(other);
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

static nonsens_status decide(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    nonsens_result *result = NULL;
    nonsens_status status = run(ctx, state, false, NONSENS_COMMAND_DIRECTION, "1", &result);
    nonsens_result_free(result);
    return status;
}

static nonsens_status discover(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    nonsens_result *result = NULL;
    nonsens_status status = run(ctx, state, false, NONSENS_COMMAND_DISCOVER, "1", &result);
    nonsens_result_free(result);
    return status;
}

static void test_failing_allocations(void **state)
{
    fixture *f = *state;
    table t = make_pair(f, BOTH_CHANGE, 3, 11, 2);
    assert_true(fail_every_allocation(f, decide, &t) > 50);
    assert_true(fail_every_allocation(f, discover, &t) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_statistic_of_a_category),
        TEST(test_category_given),
        TEST(test_group_is_given_anyway),
        TEST(test_scores),
        TEST(test_distances_of_means),
        TEST(test_distances_given),
        TEST(test_dependence),
        TEST(test_directions),
        TEST(test_no_direction),
        TEST(test_odd_data),
        TEST(test_what_must_not_matter),
        TEST(test_graph),
        TEST(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
