/*
 * test_structured_gaps.c - graphs of data with missing values: the rows of fits, comparisons on common rows against
 * plain code, invariances, graphs that are found, failing allocations.
 */
#include "base/rng.h"
#include "methods/shared/result.h"
#include "methods/structured_graph/structured_gaps.h"
#include "methods/structured_graph/structured_moves.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { MAX_COLUMNS = 12, MAX_SEGMENTS = 16 };

static const char *const NAMES[MAX_COLUMNS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
static const char *const LABELS[MAX_SEGMENTS] = {"s0", "s1", "s2",  "s3",  "s4",  "s5",  "s6",  "s7",
                                                 "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15"};

/* A table, some of its values missing, and the true arrows of its columns. */
typedef struct table {
    int64_t n, d, segments;
    double *v[MAX_COLUMNS];
    int32_t *segment;
    bool arrow[MAX_COLUMNS * MAX_COLUMNS];
} table;

static nonsens_options *options_of(fixture *f, nonsens_command command, const char *const *words)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, command, &o), NONSENS_OK);
    for (; *words; words += 2) {
        if (nonsens_options_set(f->ctx, o, words[0], words[1]) != NONSENS_OK) {
            fail_msg("%s", nonsens_context_message(f->ctx));
        }
    }
    return o;
}

/* Simulates a graph, and makes each cell missing with probability `share`. */
static table simulate(fixture *f, const char *nodes, const char *rows, const char *seed, double share)
{
    const char *words[] = {"sem", "node",        "nodes", nodes,  "edge-prob", "0.5", "segments",
                           "8",   "per-segment", rows,    "seed", seed,        NULL};
    nonsens_options *o = options_of(f, NONSENS_COMMAND_SIMULATE, words);
    nonsens_simulation *s;
    rng r = rng_new(5, RNG_TEST, 41);
    assert_int_equal(nonsens_simulation_new(f->ctx, o, &s), NONSENS_OK);
    table t = {.n = s->n, .d = s->d, .segments = 8};
    t.segment = arena_get(f->ctx, &f->scratch, t.n, sizeof *t.segment);
    for (int64_t j = 0; j < t.d; j++) {
        t.v[j] = fixture_doubles(f, t.n);
        for (int64_t i = 0; i < t.n; i++) {
            t.v[j][i] = rng_uniform(&r) < share ? NAN : matrix_col(s->x, j)[i];
            t.segment[i] = (int32_t)(i * t.segments / t.n);
        }
    }
    for (int64_t k = 0; k < t.d * t.d; k++) {
        t.arrow[k] = s->edge[k];
    }
    nonsens_simulation_free(s);
    nonsens_options_free(o);
    return t;
}

static nonsens_data *data_of(fixture *f, const table *t)
{
    nonsens_data *data;
    assert_int_equal(dataset_new_unaudited(f->ctx, t->n, t->d, (const double *const *)t->v, NAMES, t->segment,
                                           t->segments, LABELS, NULL, &data),
                     NONSENS_OK);
    return data;
}

static nonsens_result *discover(fixture *f, const nonsens_data *data, const char *threads)
{
    const char *words[] = {"na", "pairwise", "threads", threads, NULL};
    nonsens_options *o = options_of(f, NONSENS_COMMAND_DISCOVER, words);
    nonsens_result *result;
    if (nonsens_run_discover(f->ctx, data, o, &result) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    nonsens_options_free(o);
    return result;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct setting {
    nonsens_data *data;
    nonsens_options *options;
    structured_scores scores;
} setting;

static void begin(fixture *f, const table *t, setting *s)
{
    *s = (setting){.data = data_of(f, t)};
    s->options = options_of(f, NONSENS_COMMAND_DISCOVER, (const char *[]){"threads", "1", NULL});
    assert_int_equal(structured_scores_new(f->ctx, &f->scratch, s->data, s->options, NULL, &s->scores), NONSENS_OK);
}

static void end(setting *s)
{
    structured_scores_free(&s->scores);
    nonsens_options_free(s->options);
    nonsens_data_free(s->data);
}

static bool has(const setting *s, int64_t row, int64_t node)
{
    return !dataset_is_gap(s->data, row, s->data->column_rank[node]);
}

/* Rows of a cell belong to one group and lack the same values; rows of different cells differ in one of these. */
static void test_cells(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "3", "60", "1", 0.2);
    setting s;
    begin(f, &t, &s);
    const structured_gaps *g = s.scores.gaps;
    assert_non_null(g);
    assert_true(s.scores.cells > s.scores.groups && s.scores.cells <= t.n);
    double rows = 0.0;
    for (int64_t c = 0; c < s.scores.cells; c++) {
        rows += g->rows[c];
        for (int64_t other = 0; other < c; other++) {
            assert_false(g->group[c] == g->group[other] && g->missing[c] == g->missing[other]);
        }
    }
    assert_true(rows == (double)t.n);
    for (int64_t i = 0; i < t.n; i++) {
        int32_t c = s.scores.cell_of[i];
        assert_int_equal(g->group[c], s.scores.group_of[i]);
        for (int64_t k = 0; k < t.d; k++) {
            assert_int_equal(g->missing[c] >> k & 1, !has(&s, i, k));
        }
        assert_int_equal(gaps_row_has(&s.scores, i, 0, 2, (const int64_t[]){1, 2}),
                         has(&s, i, 0) && has(&s, i, 1) && has(&s, i, 2));
    }
    end(&s);
}

/* Without missing values, cells are groups, and fits use all rows. */
static void test_complete_data(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "3", "60", "1", 0.0);
    setting s;
    const mechanism_data *rows;
    begin(f, &t, &s);
    assert_null(s.scores.gaps);
    assert_true(s.scores.cells == s.scores.groups && s.scores.cell_of == s.scores.group_of);
    assert_int_equal(gaps_rows(f->ctx, &f->scratch, &s.scores, &s.scores.rows, 0, 1, (const int64_t[]){1}, &rows),
                     NONSENS_OK);
    assert_ptr_equal(rows, &s.scores.rows);
    end(&s);
}

/* ---- comparisons ------------------------------------------------------------------------------------------------ */

static const structured_score *fit(fixture *f, setting *s, int64_t effect, int64_t causes, const int64_t *cause)
{
    assert_int_equal(scores_want(f->ctx, &s->scores, effect, causes, cause), NONSENS_OK);
    assert_int_equal(scores_settle(f->ctx, &s->scores, NULL), NONSENS_OK);
    return scores_get(&s->scores, effect, causes, cause);
}

/* Computes held-out log densities (n) of a fit from its parameters. */
static double *densities(fixture *f, const setting *s, const structured_score *of)
{
    double *density = fixture_doubles(f, s->data->n), *z = fixture_doubles(f, s->data->n);
    assert_int_equal(
        mechanism_held_out(f->ctx, &s->scores.rows, of->effect, of->causes, of->cause, of->part[0].theta, density, z),
        NONSENS_OK);
    return density;
}

/* Computes the gain of one cause over another from the rows that have all three variables, and its z. */
static structured_gain gain_by_rows(fixture *f, const setting *s, const structured_score *now,
                                    const structured_score *then)
{
    double *before = densities(f, s, now), *after = densities(f, s, then), sum[SCORE_MAX_GROUPS] = {0},
           rows[SCORE_MAX_GROUPS] = {0}, total = 0.0, count = 0.0, squares = 0.0, groups = (double)s->scores.groups;
    for (int64_t i = 0; i < s->data->n; i++) {
        if (has(s, i, 0) && has(s, i, 1) && has(s, i, 2)) {
            sum[s->scores.group_of[i]] += after[i] - before[i];
            rows[s->scores.group_of[i]] += 1.0;
            total += after[i] - before[i];
            count += 1.0;
        }
    }
    for (int64_t g = 0; g < s->scores.groups; g++) {
        squares += pow(sum[g] - total / count * rows[g], 2.0);
    }
    assert_true(count < 0.6 * (double)s->data->n && count > 0.4 * (double)s->data->n);
    return (structured_gain){total / count * (double)s->data->n,
                             squares > 0.0 ? total / sqrt(squares * groups / (groups - 1.0)) : 0.0};
}

/* Causes are compared on the rows that have the effect and all causes; the mean is extrapolated to all rows. */
static void test_gain_by_rows(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "3", "100", "2", 0.2);
    setting s;
    int64_t large = 0;
    begin(f, &t, &s);
    for (int64_t j = 0; j < 3; j++) {
        int64_t first = (j + 1) % 3, second = (j + 2) % 3;
        const structured_score *one = fit(f, &s, j, 1, &first), *other = fit(f, &s, j, 1, &second);
        structured_gain gain = structured_gain_between(&s.scores, 1, &one, &other);
        structured_gain plain = gain_by_rows(f, &s, one, other);
        assert_true(fabs(gain.total - plain.total) < 1e-6 * fabs(gain.total) + 1e-6);
        assert_true(fabs(gain.z - plain.z) < 1e-6 * fabs(gain.z) + 1e-6);
        assert_true(structured_difference(&s.scores, one, other) == gain.total);
        large += fabs(gain.total) > 1.0;
    }
    assert_true(large > 0);
    end(&s);
}

/* The score of a fit is that of its own rows, scaled to all rows; a set without rows gains nothing. */
static void test_totals(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "4", "100", "2", 0.2);
    for (int64_t i = 0; i < t.n; i++) { // columns 0 and 1 are never both present
        t.v[i % 2][i] = NAN;
    }
    setting s;
    begin(f, &t, &s);
    int64_t node[4];
    for (int64_t k = 0; k < 4; k++) {
        node[s.data->column_rank[k]] = k;
    }
    const structured_score *alone = fit(f, &s, node[0], 0, NULL), *apart = fit(f, &s, node[0], 1, &node[1]);
    double *density = densities(f, &s, alone), total = 0.0, rows = 0.0;
    for (int64_t i = 0; i < t.n; i++) {
        total += has(&s, i, node[0]) ? density[i] : 0.0;
        rows += has(&s, i, node[0]);
    }
    assert_true(fabs(alone->total - total * (double)t.n / rows) < 1e-6 * fabs(total));
    structured_gain gain = structured_gain_between(&s.scores, 1, &alone, &apart);
    assert_true(gain.total == 0.0 && gain.z == 0.0);
    end(&s);
}

/* If values are missing, the search does not return to an earlier graph. */
static void test_graphs_seen(void **state)
{
    fixture *f = *state;
    structured_search s = {.seen = NULL};
    pdag g;
    assert_int_equal(pdag_new(f->ctx, &f->scratch, 3, &g), NONSENS_OK);
    assert_true(search_is_new(&s, &g));
    table t = simulate(f, "3", "60", "1", 0.2);
    setting with;
    begin(f, &t, &with);
    s = (structured_search){.scores = &with.scores, .level = INFINITY, .min_gain = INFINITY};
    assert_int_equal(search_run(f->ctx, &f->scratch, &s), NONSENS_OK);
    assert_int_equal(pdag_edge_count(&s.graph), 0);
    assert_false(search_is_new(&s, &g)); // this is where it began
    pdag_set(&g, 0, 1, PDAG_ARROW);
    assert_true(search_is_new(&s, &g));
    end(&with);
}

/* ---- graphs ----------------------------------------------------------------------------------------------------- */

static int64_t count_right(const nonsens_result *r, const table *t)
{
    int64_t right = 0;
    for (int64_t k = 0; k < r->edges; k++) {
        const nonsens_edge *e = &r->edge[k];
        right += e->type == NONSENS_EDGE_DIRECTED && t->arrow[e->from * t->d + e->to];
    }
    return right;
}

static bool has_note(const nonsens_result *r, const char *part)
{
    bool found = false;
    for (int64_t k = 0; k < r->notes; k++) {
        found = found || strstr(r->note[k].text, part) != NULL;
    }
    return found;
}

/* With a tenth of the cells missing, the graphs are those of complete data. */
static void test_true_graphs(void **state)
{
    static const char *const cases[][2] = {{"3", "1"}, {"3", "2"}, {"4", "11"}};
    fixture *f = *state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        table t = simulate(f, cases[c][0], "200", cases[c][1], 0.1);
        nonsens_data *data = data_of(f, &t);
        nonsens_result *r = discover(f, data, "1");
        int64_t truth = 0;
        for (int64_t k = 0; k < t.d * t.d; k++) {
            truth += t.arrow[k];
        }
        assert_int_equal(count_right(r, &t), truth);
        assert_int_equal(r->edges, truth);
        assert_true(has_note(r, "Since values are missing"));
        assert_null(nonsens_result_source_at(r, 0));
        for (int64_t k = 0; k < r->evidence_count; k++) {
            assert_true(isfinite(r->evidence[k].value) || strncmp(r->evidence[k].name, "reversed", 8) == 0);
        }
        nonsens_result_free(r);
        nonsens_data_free(data);
    }
}

/* More variables than can all be fitted: the screen uses the rows that have a candidate. */
static void test_screened(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "3", "150", "2", 0.15);
    rng r = rng_new(1, RNG_TEST, 42);
    for (t.d = 3; t.d < MAX_COLUMNS; t.d++) {
        t.v[t.d] = fixture_doubles(f, t.n);
        for (int64_t i = 0; i < t.n; i++) {
            t.v[t.d][i] = rng_uniform(&r) < 0.15 ? NAN : (1.0 + (double)(t.segment[i] % 3)) * rng_laplace(&r);
        }
    }
    int64_t truth = 0;
    bool arrow[MAX_COLUMNS * MAX_COLUMNS] = {false};
    for (int64_t k = 0; k < 9; k++) {
        arrow[k / 3 * t.d + k % 3] = t.arrow[k];
        truth += t.arrow[k];
    }
    memcpy(t.arrow, arrow, sizeof arrow);
    nonsens_data *data = data_of(f, &t);
    nonsens_result *found = discover(f, data, "2");
    assert_int_equal(count_right(found, &t), truth);
    assert_int_equal(found->edges, truth);
    nonsens_result_free(found);
    nonsens_data_free(data);
}

/* Threads, reordered rows and columns, and values with few levels change nothing, bit for bit. */
static void test_what_must_not_matter(void **state)
{
    fixture *f = *state;
    static const int64_t column[3] = {2, 0, 1};
    table t = simulate(f, "3", "100", "6", 0.15), moved = t;
    int64_t *row = arena_get(f->ctx, &f->scratch, t.n, sizeof *row);
    rng r = rng_new(2, RNG_TEST, 43);
    for (int64_t i = 0; i < t.n; i++) {
        row[i] = i;
        for (int64_t j = 0; j < 3; j++) {
            t.v[j][i] = round(4.0 * t.v[j][i]);
        }
    }
    rng_shuffle(&r, t.n, row);
    moved.segment = arena_get(f->ctx, &f->scratch, t.n, sizeof *moved.segment);
    for (int64_t j = 0; j < 3; j++) {
        moved.v[j] = fixture_doubles(f, t.n);
        for (int64_t i = 0; i < t.n; i++) {
            moved.v[j][i] = t.v[column[j]][row[i]];
            moved.segment[i] = (t.segment[row[i]] + 3) % 8;
        }
    }
    nonsens_data *data = data_of(f, &t), *other = data_of(f, &moved);
    assert_true(data->hash == other->hash);
    nonsens_result *a = discover(f, data, "1"), *b = discover(f, other, "3");
    assert_true(a->edges > 0);
    assert_int_equal(a->edges, b->edges);
    for (int64_t k = 0; k < b->edges; k++) {
        const nonsens_edge *e = &b->edge[k];
        bool found = false;
        for (int64_t m = 0; m < a->edges; m++) {
            const nonsens_edge *own = &a->edge[m];
            bool same = own->from == column[e->from] && own->to == column[e->to];
            bool back = own->to == column[e->from] && own->from == column[e->to];
            found = found || ((same || (back && e->type != NONSENS_EDGE_DIRECTED)) && own->type == e->type &&
                              own->p_value == e->p_value);
        }
        assert_true(found);
    }
    nonsens_result_free(a);
    nonsens_result_free(b);
    nonsens_data_free(data);
    nonsens_data_free(other);
}

/* Blocks of rows in time; in some of them a variable has no value. */
static void test_blocks(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "3", "200", "1", 0.1);
    for (int64_t i = 400; i < 440; i++) {
        t.v[0][i] = NAN;
    }
    nonsens_data *data = data_of(f, &t);
    nonsens_options *o = options_of(f, NONSENS_COMMAND_DISCOVER,
                                    (const char *[]){"na", "pairwise", "threads", "1", "block-length", "10", NULL});
    nonsens_result *r;
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &r), NONSENS_OK);
    assert_true(count_right(r, &t) > 0 && r->edges == count_right(r, &t));
    for (int64_t k = 0; k < r->evidence_count; k++) {
        assert_true(isfinite(r->evidence[k].value) || strncmp(r->evidence[k].name, "reversed", 8) == 0);
    }
    nonsens_result_free(r);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refuse(fixture *f, const nonsens_data *data, const char *const *words, nonsens_status wanted,
                   const char *part)
{
    nonsens_options *o = options_of(f, NONSENS_COMMAND_DISCOVER, words);
    nonsens_result *r;
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &r), wanted);
    assert_null(r);
    if (!strstr(nonsens_context_message(f->ctx), part)) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    nonsens_options_free(o);
}

static void test_refusals(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "3", "60", "1", 0.1);
    nonsens_data *data = data_of(f, &t);
    refuse(f, data, (const char *[]){"method", "lingam", NULL}, NONSENS_ERR_DATA, "discover by structured, pc");
    refuse(f, data, (const char *[]){"method", "lingam", "na", "pairwise", NULL}, NONSENS_ERR_USAGE,
           "--method that needs only some: structured, pc");
    refuse(f, data, (const char *[]){"method", "pc", "test", "kci", NULL}, NONSENS_ERR_DATA, "take --test fisher-z");
    nonsens_data_free(data);
}

static nonsens_status run_small(nonsens_context *ctx, arena *a, void *state)
{
    const void **inputs = state;
    nonsens_result *result = NULL;
    (void)a;
    nonsens_status status = nonsens_run_discover(ctx, inputs[0], inputs[1], &result);
    nonsens_result_free(result);
    return status;
}

static void test_each_allocation_failing(void **state)
{
    fixture *f = *state;
    table t = simulate(f, "2", "16", "3", 0.1);
    nonsens_data *data = data_of(f, &t);
    nonsens_options *o = options_of(f, NONSENS_COMMAND_DISCOVER, (const char *[]){"threads", "1", NULL});
    assert_true(fail_every_allocation(f, run_small, (const void *[]){data, o}) > 20);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_cells),
                                       TEST(test_complete_data),
                                       TEST(test_gain_by_rows),
                                       TEST(test_totals),
                                       TEST(test_graphs_seen),
                                       TEST(test_true_graphs),
                                       TEST(test_screened),
                                       TEST(test_what_must_not_matter),
                                       TEST(test_blocks),
                                       TEST(test_refusals),
                                       TEST(test_each_allocation_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
