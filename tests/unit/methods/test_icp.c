/* test_icp.c - invariant causal prediction: the test of a set, the search over sets, decisions on known causes. */
#include "base/rng.h"
#include "data/variables.h"
#include "indep/hsic.h"
#include "indep/samples.h"
#include "methods/icp/icp_sets.h"
#include "methods/shared/result.h"
#include "regress/gp.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 6, MAX_VARIABLES = 16, MAX_ROWS = 1200 };

static const char *const NAMES[MAX_VARIABLES] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                 "i", "j", "k", "l", "m", "n", "o", "p"};

/* A table under construction; rows are assigned to the segments in turn. */
typedef struct table {
    int64_t n, d, segments;
    double v[MAX_ROWS * MAX_VARIABLES];
    int64_t segment[MAX_ROWS];
    double mean[SEGMENTS], scale[SEGMENTS];
} table;

static table *make_table(fixture *f, uint64_t seed, int64_t n, int64_t d)
{
    table *t = arena_get(f->ctx, &f->scratch, 1, sizeof *t);
    assert_non_null(t);
    rng r = rng_new(seed, RNG_TEST, 1);
    t->n = n, t->d = d, t->segments = SEGMENTS;
    for (int e = 0; e < SEGMENTS; e++) {
        t->mean[e] = 4.0 * (rng_uniform(&r) - 0.5);
        t->scale[e] = 0.3 + 2.0 * rng_uniform(&r);
    }
    for (int64_t i = 0; i < n; i++) {
        t->segment[i] = i % SEGMENTS;
        for (int64_t j = 0; j < d; j++) {
            t->v[i * d + j] = rng_normal(&r);
        }
    }
    return t;
}

static double *cell(table *t, int64_t i, int64_t j)
{
    return &t->v[i * t->d + j];
}

/* Makes column j change in mean and scale. */
static void modulate(table *t, int64_t j)
{
    for (int64_t i = 0; i < t->n; i++) {
        *cell(t, i, j) = t->mean[t->segment[i]] + t->scale[t->segment[i]] * *cell(t, i, j);
    }
}

/* Makes column j a function of column `cause` plus its own noise. */
static void add_effect(table *t, int64_t cause, int64_t j, double noise)
{
    for (int64_t i = 0; i < t->n; i++) {
        double x = *cell(t, i, cause);
        *cell(t, i, j) = x + sin(2.0 * x) + noise * *cell(t, i, j);
    }
}

static nonsens_data *as_data(fixture *f, const table *t, const char *const *names)
{
    nonsens_data *data;
    assert_int_equal(nonsens_data_from_arrays(f->ctx, t->n, t->d, t->v, t->d, 1, names, t->segment, &data), NONSENS_OK);
    return data;
}

static nonsens_options *options_for(fixture *f, unsigned command, const char *invariance)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, command, &o), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "method", "icp"), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "invariance", invariance), NONSENS_OK);
    assert_int_equal(nonsens_options_set(f->ctx, o, "permutations", "199"), NONSENS_OK);
    return o;
}

static nonsens_result *run_pair_by(fixture *f, const table *t, const char *invariance, const char *null)
{
    nonsens_data *data = as_data(f, t, NAMES);
    nonsens_options *o = options_for(f, NONSENS_COMMAND_DIRECTION, invariance);
    nonsens_result *r;
    assert_int_equal(nonsens_options_set(f->ctx, o, "null", null), NONSENS_OK);
    if (nonsens_run_direction(f->ctx, data, o, &r) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
    return r;
}

static nonsens_result *run_pair(fixture *f, const table *t, const char *invariance)
{
    return run_pair_by(f, t, invariance, "gamma");
}

/* Runs discover with one more option. */
static nonsens_result *run_graph(fixture *f, const table *t, const char *const *names, const char *invariance,
                                 const char *key, const char *value)
{
    nonsens_data *data = as_data(f, t, names);
    nonsens_options *o = options_for(f, NONSENS_COMMAND_DISCOVER, invariance);
    nonsens_result *r;
    assert_int_equal(nonsens_options_set(f->ctx, o, key, value), NONSENS_OK);
    if (nonsens_run_discover(f->ctx, data, o, &r) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
    return r;
}

static const nonsens_evidence *find_evidence(const nonsens_result *r, const char *name)
{
    for (int64_t k = 0; k < r->evidence_count; k++) {
        if (strcmp(r->evidence[k].name, name) == 0) {
            return &r->evidence[k];
        }
    }
    fail_msg("there is no evidence %s", name);
    return NULL;
}

static bool has_note(const nonsens_result *r, const char *words)
{
    for (int64_t k = 0; k < r->notes; k++) {
        if (strstr(r->note[k].text, words)) {
            return true;
        }
    }
    return false;
}

/* ---- one set ---- */

static samples_result compare(fixture *f, const icp_data *d, const double *v, enum samples_kind kind)
{
    samples_options how = {.kind = kind,
                           .permutations = d->options->permutations,
                           .permute_up_to = SAMPLES_PERMUTE_ROWS,
                           .seed = 1,
                           .job = 1 << 20,
                           .threads = 1};
    samples_result out;
    assert_int_equal(samples_test(f->ctx, &f->scratch, v, &d->segments, &how, &out), NONSENS_OK);
    return out;
}

/* The same p-values and distances as by regression and then comparison, following their definitions. */
static void check_set(fixture *f, icp_data *d, nonsens_options *o, int64_t target, int64_t count, const int64_t *given)
{
    const double *column[2], *left = d->column[target];
    column_set x = {d->n, count, column};
    gp_fit fit = {0};
    icp_invariance found;
    for (int64_t k = 0; k < count; k++) {
        column[k] = d->column[given[k]];
    }
    if (count > 0) {
        assert_int_equal(gp_regress(f->ctx, &f->scratch, &f->scratch, &x, left, &(gp_options){.threads = 1}, &fit),
                         NONSENS_OK);
        left = fit.residual;
    }
    assert_int_equal(nonsens_options_set(f->ctx, o, "invariance", "ks"), NONSENS_OK);
    assert_int_equal(icp_test(f->ctx, &f->scratch, d, target, count, given, &found), NONSENS_OK);
    samples_result ks = compare(f, d, left, SAMPLES_KS);
    assert_true(found.tested && found.p_value == ks.p_value && found.distance == ks.statistic / (double)d->n);
    assert_int_equal(nonsens_options_set(f->ctx, o, "invariance", "levene-rank"), NONSENS_OK);
    assert_int_equal(icp_test(f->ctx, &f->scratch, d, target, count, given, &found), NONSENS_OK);
    samples_result scale = compare(f, d, left, SAMPLES_LEVENE), place = compare(f, d, left, SAMPLES_KRUSKAL);
    double between = scale.statistic * (SEGMENTS - 1), share = between / (between + (double)(d->n - SEGMENTS));
    assert_true(found.p_value == fmin(1.0, 2.0 * fmin(scale.p_value, place.p_value)));
    assert_true(fabs(found.distance - fmax(share, place.statistic / (double)(d->n - 1))) < 1e-14);
}

static void test_one_set(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 11, 120, 3);
    icp_data d;
    modulate(t, 0);
    add_effect(t, 0, 1, 0.5);
    nonsens_data *data = as_data(f, t, NAMES);
    nonsens_options *o = options_for(f, NONSENS_COMMAND_DISCOVER, "ks");
    assert_int_equal(icp_new(f->ctx, &f->scratch, data, o, &d), NONSENS_OK);
    for (int64_t target = 0; target < 3; target++) {
        int64_t others[] = {target == 0 ? 1 : 0, target == 2 ? 1 : 2};
        for (int64_t count = 0; count <= 2; count++) {
            check_set(f, &d, o, target, count, others);
        }
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* ---- the search ---- */

/* Tests all sets of up to `most` members without stopping early: the intersection must be the same. */
static void check_target(fixture *f, const icp_data *d, const icp_target *t, int64_t most, double level)
{
    uint32_t common = (1U << t->candidates) - 1U;
    int64_t accepted = 0, larger = 0;
    double largest[MAX_VARIABLES] = {0};
    for (uint32_t set = 0; set < 1U << t->candidates; set++) {
        int64_t member[ICP_CANDIDATES], count = icp_members(t, set, member);
        icp_invariance test;
        if (count > most) {
            continue;
        }
        assert_int_equal(icp_test(f->ctx, &f->scratch, d, t->variable, count, member, &test), NONSENS_OK);
        accepted += test.p_value > level;
        larger += count > t->largest;
        common = test.p_value > level ? common & set : common;
        for (int64_t k = 0; k < t->candidates; k++) {
            largest[k] = set >> k & 1 ? largest[k] : fmax(largest[k], test.p_value);
        }
    }
    assert_true((t->accepted > 0) == (accepted > 0));
    assert_true(t->stopped || larger == 0);
    if (accepted > 0) {
        assert_int_equal(t->common, common);
    }
    for (int64_t k = 0; k < t->candidates && t->common >> k & 1; k++) {
        assert_true(icp_largest_p(t, k) == largest[k]);
    }
}

static void test_search(void **state)
{
    fixture *f = *state;
    enum { D = 4, LIMIT = 2 };
    table *t = make_table(f, 12, 120, D);
    icp_target target[D];
    icp_data d;
    const double level = 0.05;
    modulate(t, 0);
    modulate(t, 3);
    add_effect(t, 0, 1, 0.4);
    add_effect(t, 1, 2, 0.4);
    nonsens_data *data = as_data(f, t, NAMES);
    nonsens_options *o = options_for(f, NONSENS_COMMAND_DISCOVER, "levene-rank");
    memset(target, 0, sizeof target);
    for (int64_t k = 0; k < D; k++) {
        target[k].variable = k;
    }
    assert_int_equal(icp_new(f->ctx, &f->scratch, data, o, &d), NONSENS_OK);
    assert_int_equal(icp_search(f->ctx, &f->scratch, &d, LIMIT, level, D, target), NONSENS_OK);
    for (int64_t k = 0; k < D; k++) {
        assert_true(target[k].stopped || target[k].candidates == D - 1);
        if (!target[k].stopped) {
            check_target(f, &d, &target[k], LIMIT, level);
        }
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* Fourteen variables, one a cause of another: the cause is among the candidates, which are at most ten. */
static void test_screening(void **state)
{
    fixture *f = *state;
    enum { D = 14 };
    table *t = make_table(f, 13, 240, D);
    modulate(t, 0);
    add_effect(t, 0, 1, 0.5);
    nonsens_result *r = run_graph(f, t, NAMES, "levene-rank", "target", "b");
    assert_int_equal(r->edges, 1);
    assert_true(r->edge[0].from == 0 && r->edge[0].to == 1 && r->edge[0].type == NONSENS_EDGE_DIRECTED);
    assert_true(r->edge[0].p_value < 1e-3);
    assert_true(has_note(r, "Causes of a target are looked for among the 10 variables"));
    nonsens_result_free(r);
}

/* ---- a pair ---- */

static void test_direction_and_its_mirror(void **state)
{
    fixture *f = *state;
    static const char *const words[] = {"ks", "levene-rank"};
    table *t = make_table(f, 22, 600, 2), *back = make_table(f, 22, 600, 2);
    modulate(t, 0);
    add_effect(t, 0, 1, 0.5);
    for (int64_t i = 0; i < t->n; i++) {
        *cell(back, i, 0) = *cell(t, i, 1);
        *cell(back, i, 1) = *cell(t, i, 0);
    }
    for (int k = 0; k < 2; k++) {
        nonsens_result *r = run_pair(f, t, words[k]), *m = run_pair(f, back, words[k]);
        assert_int_equal(r->decision, DECISION_FIRST_CAUSES);
        assert_int_equal(r->better, BETTER_FIRST);
        assert_true(r->score > 0 && r->p_value <= 0.05);
        assert_true(find_evidence(r, "invariance(b | a)")->p_value > 0.05);
        assert_true(find_evidence(r, "invariance(a | b)")->p_value <= 0.05);
        assert_true(has_note(r, "the data do not contradict this"));
        assert_int_equal(m->decision, DECISION_SECOND_CAUSES);
        assert_true(m->score == -r->score && m->p_value == r->p_value);
        assert_true(find_evidence(m, "invariance(a | b)")->p_value == find_evidence(r, "invariance(b | a)")->p_value);
        nonsens_result_free(r);
        nonsens_result_free(m);
    }
}

static void check_decision(fixture *f, const table *t, enum result_decision decision, const char *reason)
{
    nonsens_result *r = run_pair(f, t, "levene-rank");
    if (r->decision != decision || !strstr(r->reason, reason)) {
        fail_msg("%s: %s", r->decision_text, r->reason);
    }
    nonsens_result_free(r);
}

static void test_other_answers(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 15, 600, 2);
    add_effect(t, 0, 1, 0.5);
    check_decision(f, t, DECISION_INCONCLUSIVE, "The test sees no change");
    t = make_table(f, 15, 600, 2);
    modulate(t, 0);
    check_decision(f, t, DECISION_INDEPENDENT, "No dependence");
    t = make_table(f, 15, 600, 2);
    for (int64_t i = 0; i < t->n; i++) { // only the effect's noise changes
        *cell(t, i, 1) = *cell(t, i, 0) + t->scale[t->segment[i]] * *cell(t, i, 1);
    }
    check_decision(f, t, DECISION_INCONCLUSIVE, "Only one");
    t = make_table(f, 15, 600, 2);
    modulate(t, 0);
    for (int64_t i = 0; i < t->n; i++) { // both change
        *cell(t, i, 1) = *cell(t, i, 0) + t->scale[(t->segment[i] + 2) % SEGMENTS] * *cell(t, i, 1);
    }
    check_decision(f, t, DECISION_NEITHER, "What either variable leaves");
    nonsens_result *r = run_pair(f, t, "ks");
    assert_true(has_note(r, "the data contradict this in both directions"));
    nonsens_result_free(r);
}

/* Means that move with very little noise: both directions fit. */
static table *linear_means(fixture *f, int64_t n)
{
    table *t = make_table(f, 16, n, 2);
    for (int64_t i = 0; i < t->n; i++) {
        *cell(t, i, 0) += t->mean[t->segment[i]];
        *cell(t, i, 1) = *cell(t, i, 0) + 0.1 * *cell(t, i, 1);
    }
    return t;
}

static void test_both_directions_fit(void **state)
{
    fixture *f = *state;
    table *t = linear_means(f, 240);
    check_decision(f, t, DECISION_INCONCLUSIVE, "both directions fit");
    nonsens_result *r = run_graph(f, t, NAMES, "levene-rank", "threads", "2");
    assert_int_equal(r->edges, 0);
    assert_true(has_note(r, "each identified as a cause of the other"));
    assert_non_null(r->reason);
    nonsens_result_free(r);
}

static void test_directions_are_found(void **state)
{
    fixture *f = *state;
    enum { SEEDS = 12 };
    int right = 0, conclusive = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        table *t = make_table(f, 100 + seed, 600, 2);
        modulate(t, 1);
        add_effect(t, 1, 0, 0.6);
        nonsens_result *r = run_pair(f, t, "levene-rank");
        right += r->better == BETTER_SECOND;
        conclusive += r->decision == DECISION_SECOND_CAUSES;
        assert_int_not_equal(r->decision, DECISION_FIRST_CAUSES);
        nonsens_result_free(r);
    }
    assert_true(right == SEEDS && conclusive >= SEEDS - 2);
}

/* Without a decision, the direction with the larger p-value of its noise test is named, even if more changes in it. */
static void test_named_by_the_noise(void **state)
{
    fixture *f = *state;
    enum { SEEDS = 12 };
    int right = 0, changes_more = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        table *t = make_table(f, 300 + seed, 600, 2);
        modulate(t, 0);
        for (int64_t i = 0; i < t->n; i++) {
            *cell(t, i, 1) *= t->scale[(t->segment[i] + 2) % SEGMENTS];
        }
        add_effect(t, 0, 1, 0.5);
        nonsens_result *r = run_pair(f, t, "levene-rank");
        double forward = find_evidence(r, "noise(b | a)")->p_value,
               backward = find_evidence(r, "noise(a | b)")->p_value;
        assert_int_equal(r->decision, DECISION_NEITHER);
        assert_int_equal(r->better, forward > backward ? BETTER_FIRST : BETTER_SECOND);
        assert_true((r->score > 0.0) == (r->better == BETTER_FIRST));
        right += r->better == BETTER_FIRST;
        changes_more += find_evidence(r, "invariance(b | a)")->value > find_evidence(r, "invariance(a | b)")->value;
        nonsens_result_free(r);
    }
    assert_true(right >= SEEDS - 1 && changes_more > SEEDS / 2);
}

static void check_names_none(nonsens_result *r)
{
    assert_false(result_names_direction(r));
    assert_int_equal(r->better, BETTER_NONE);
    assert_null(r->direction_text);
    assert_true(r->score == 0.0);
    nonsens_result_free(r);
}

static void test_no_direction_is_named(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 23, 600, 2);
    for (int64_t i = 0; i < t->n; i++) { // none of 199 permutations reaches the dependence of either residual
        *cell(t, i, 0) *= t->scale[t->segment[i]];
        *cell(t, i, 1) *= fabs(*cell(t, i, 0)) + 0.1;
        *cell(t, i, 0) += 0.5 * *cell(t, i, 1);
    }
    nonsens_result *equal = run_pair_by(f, t, "ks", "permutation");
    assert_true(find_evidence(equal, "noise(b | a)")->p_value == find_evidence(equal, "noise(a | b)")->p_value);
    check_names_none(equal);
    nonsens_result *untested = run_pair(f, make_table(f, 23, 54, 2), "ks"); // nine rows per segment
    assert_true(isnan(find_evidence(untested, "noise(b | a)")->p_value));
    check_names_none(untested);
}

/* ---- several variables ---- */

/* c -> b, and a is unrelated; the columns are in any order. */
static nonsens_result *run_three(fixture *f, const int order[3], const char *key, const char *value)
{
    const char *ordered[3];
    table *t = make_table(f, 17, 240, 3), *reordered = make_table(f, 17, 240, 3);
    modulate(t, 2);
    add_effect(t, 2, 1, 0.5);
    for (int64_t k = 0; k < 3; k++) {
        ordered[k] = NAMES[order[k]];
        for (int64_t i = 0; i < t->n; i++) {
            *cell(reordered, i, k) = *cell(t, i, order[k]);
        }
    }
    return run_graph(f, reordered, ordered, "levene-rank", key, value);
}

static void test_edges_do_not_depend_on_order_or_threads(void **state)
{
    fixture *f = *state;
    nonsens_result *one = run_three(f, (int[]){0, 1, 2}, "threads", "1"),
                   *two = run_three(f, (int[]){2, 0, 1}, "threads", "3");
    assert_int_equal(one->edges, 1);
    assert_true(one->edge[0].from == 2 && one->edge[0].to == 1);
    assert_int_equal(two->edges, 1);
    assert_true(two->edge[0].from == 0 && two->edge[0].to == 2);
    assert_true(one->edge[0].p_value == two->edge[0].p_value && isnan(one->edge[0].weight));
    assert_int_equal(one->evidence_count, two->evidence_count);
    for (int64_t k = 0; k < one->evidence_count; k++) {
        const nonsens_evidence *a = &one->evidence[k], *b = &two->evidence[k];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->text, b->text);
        assert_true((a->value == b->value || isnan(a->value)) && (a->p_value == b->p_value || isnan(a->p_value)));
    }
    assert_true(has_note(one, "c: no set of causes is accepted") && has_note(one, "a: not seen to change"));
    assert_true(has_note(one, "0.0167"));
    nonsens_result_free(one);
    nonsens_result_free(two);
}

static void test_target(void **state)
{
    fixture *f = *state;
    nonsens_result *by_name = run_three(f, (int[]){0, 1, 2}, "target", "b"),
                   *by_number = run_three(f, (int[]){0, 1, 2}, "target", "#2");
    assert_true(by_name->edges == 1 && by_number->edges == 1);
    assert_true(by_name->edge[0].p_value == by_number->edge[0].p_value);
    assert_true(has_note(by_name, "above a p-value of 0.05 "));
    assert_true(find_evidence(by_name, "noise(b)")->p_value > 0.05);
    assert_false(has_note(by_name, "doubtful"));
    assert_true(find_evidence(by_name, "causes(b)")->value == 1.0);
    nonsens_result_free(by_name);
    nonsens_result_free(by_number);
    nonsens_data *data = as_data(f, make_table(f, 17, 60, 3), NAMES);
    int64_t index = -1;
    assert_int_equal(variables_find(f->ctx, data, "target", " c ", &index), NONSENS_OK);
    assert_int_equal(index, 2);
    static const char *const wrong[] = {"z", "#0", "#4", "#", "#1x", ""};
    for (int k = 0; k < 6; k++) {
        assert_int_equal(variables_find(f->ctx, data, "target", wrong[k], &index), NONSENS_ERR_DATA);
        assert_non_null(strstr(nonsens_context_message(f->ctx), "there are a, b, c"));
    }
    nonsens_data_free(data);
}

/*
 * A target whose own noise changes and whose effect determines it almost completely: sets are accepted that are not
 * causes, and dependent residuals reveal that.
 */
static void test_noise_that_gives_itself_away(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 18, 1200, 3);
    for (int64_t i = 0; i < t->n; i++) {
        int64_t e = t->segment[i];
        *cell(t, i, 0) = t->mean[e] + *cell(t, i, 0);
        *cell(t, i, 1) *= t->scale[(e + 1) % SEGMENTS];
        *cell(t, i, 2) = 2.0 * sin(*cell(t, i, 0)) + *cell(t, i, 1) + 0.6 * *cell(t, i, 2);
    }
    nonsens_result *r = run_graph(f, t, NAMES, "ks", "target", "b");
    assert_true(find_evidence(r, "causes(b)")->value == (double)r->edges && r->edges > 0);
    assert_true(find_evidence(r, "noise(b)")->p_value < 0.05);
    assert_true(has_note(r, "b: what the accepted sets leave depends on them inside the segments"));
    nonsens_result_free(r);
}

/* An effect whose change is too weak to see must not be taken for a cause of its cause. */
static void test_faint_effects_are_no_causes(void **state)
{
    fixture *f = *state;
    int unmoved = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        table *t = make_table(f, 200 + seed, 180, 2);
        for (int64_t i = 0; i < t->n; i++) {
            *cell(t, i, 0) *= t->scale[t->segment[i]];
            *cell(t, i, 1) = *cell(t, i, 0) + 0.8 * *cell(t, i, 1);
        }
        nonsens_result *r = run_graph(f, t, NAMES, "ks", "threads", "2");
        bool both =
            find_evidence(r, "invariance(a)")->p_value <= 0.025 && find_evidence(r, "invariance(b)")->p_value <= 0.025;
        assert_true(r->edges == 0 || both);
        unmoved += has_note(r, "it cannot be what moves it");
        nonsens_result_free(r);
    }
    assert_true(unmoved > 0);
}

/* ---- robustness ---- */

static void check_survives(fixture *f, const table *t)
{
    nonsens_data *data;
    for (int k = 0; k < 4; k++) {
        unsigned command = k / 2 ? NONSENS_COMMAND_DISCOVER : NONSENS_COMMAND_DIRECTION;
        nonsens_options *o = options_for(f, command, k % 2 ? "ks" : "levene-rank");
        nonsens_result *r = NULL;
        nonsens_status status = nonsens_data_from_arrays(f->ctx, t->n, t->d, t->v, t->d, 1, NAMES, t->segment, &data);
        if (status == NONSENS_OK) {
            status = (k / 2 ? nonsens_run_discover : nonsens_run_direction)(f->ctx, data, o, &r);
        }
        if (status != NONSENS_OK) {
            assert_int_equal(status, NONSENS_ERR_DATA);
            assert_int_not_equal(nonsens_context_message(f->ctx)[0], '\0');
        } else {
            assert_true(k / 2 || isfinite(r->score));
            for (int64_t e = 0; e < r->evidence_count; e++) {
                double p = r->evidence[e].p_value;
                assert_true(isnan(p)
                                ? !strncmp(r->evidence[e].name, "hsic", 4) || !strncmp(r->evidence[e].name, "noise", 5)
                                : p >= 0.0 && p <= 1.0);
            }
        }
        nonsens_result_free(r);
        nonsens_options_free(o);
        nonsens_data_free(data);
    }
}

static void test_extremes(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 19, 120, 2);
    modulate(t, 0);
    add_effect(t, 0, 1, 0.5);
    for (int64_t i = 0; i < t->n; i++) {
        *cell(t, i, 0) *= 1e-30;
        *cell(t, i, 1) *= 1e30;
    }
    check_survives(f, t);
    t = make_table(f, 19, 120, 2);
    *cell(t, 7, 0) = 1e6;
    *cell(t, 8, 1) = -1e6;
    check_survives(f, t);
    for (int64_t i = 0; i < t->n; i++) { // ties, and a second column that only repeats the segment
        *cell(t, i, 0) = (double)(i % 3);
        *cell(t, i, 1) = (double)(i % SEGMENTS);
    }
    check_survives(f, t);
    for (int64_t i = 0; i < t->n; i++) { // each column has one row that differs from all others
        *cell(t, i, 0) = i == 5;
        *cell(t, i, 1) = i == 6;
    }
    check_survives(f, t);
    t = make_table(f, 19, 5, 2);
    for (int64_t i = 0; i < t->n; i++) {
        t->segment[i] = i / 3;
    }
    check_survives(f, t);
}

static int stop_at_once(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)phase, (void)done, (void)total, (void)user;
    return 1;
}

static void test_cancelling(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 20, 120, 4);
    modulate(t, 0);
    add_effect(t, 0, 1, 0.5);
    nonsens_data *data = as_data(f, t, NAMES);
    nonsens_options *o = options_for(f, NONSENS_COMMAND_DISCOVER, "ks");
    nonsens_result *r;
    nonsens_context_set_progress(f->ctx, stop_at_once, NULL);
    assert_int_equal(nonsens_run_discover(f->ctx, data, o, &r), NONSENS_CANCELLED);
    assert_null(r);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

typedef struct failing {
    const nonsens_data *data;
    nonsens_options *options;
} failing;

static nonsens_status run_failing(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    failing *x = state;
    nonsens_result *r;
    nonsens_status status =
        (x->options->command == NONSENS_COMMAND_DISCOVER ? nonsens_run_discover
                                                         : nonsens_run_direction)(ctx, x->data, x->options, &r);
    assert_true((status == NONSENS_OK) == (r != NULL));
    nonsens_result_free(r);
    return status;
}

static void test_failing_allocations(void **state)
{
    fixture *f = *state;
    table *t = make_table(f, 21, 60, 2);
    modulate(t, 0);
    add_effect(t, 0, 1, 0.3);
    nonsens_data *data = as_data(f, t, NAMES);
    for (int k = 0; k < 2; k++) {
        failing x = {data, options_for(f, k ? NONSENS_COMMAND_DISCOVER : NONSENS_COMMAND_DIRECTION, "levene-rank")};
        assert_int_equal(nonsens_options_set(f->ctx, x.options, "threads", "1"), NONSENS_OK);
        assert_true(fail_every_allocation(f, run_failing, &x) > 10);
        nonsens_options_free(x.options);
    }
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_set),
        TEST(test_search),
        TEST(test_screening),
        TEST(test_direction_and_its_mirror),
        TEST(test_other_answers),
        TEST(test_both_directions_fit),
        TEST(test_directions_are_found),
        TEST(test_named_by_the_noise),
        TEST(test_no_direction_is_named),
        TEST(test_edges_do_not_depend_on_order_or_threads),
        TEST(test_target),
        TEST(test_noise_that_gives_itself_away),
        TEST(test_faint_effects_are_no_causes),
        TEST(test_extremes),
        TEST(test_cancelling),
        TEST(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
