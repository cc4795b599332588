/*
 * test_ci.c - the common interface of the tests of independence: cached results, canonical order, a caller's own test,
 * every test on data with a known answer, threads, failing allocations.
 */
#include "base/parallel.h"
#include "base/rng.h"
#include "indep/ci.h"
#include "indep/ci_store.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { N = 300, VARIABLES = 5 };

static const enum option_independence_test TESTS[] = {TEST_AUTO,     TEST_HSIC,      TEST_KCI,        TEST_RCIT,
                                                      TEST_FISHER_Z, TEST_RESIDUALS, TEST_INFORMATION};
enum { TEST_COUNT = sizeof TESTS / sizeof *TESTS };

/* ---- data: z -> x, z -> y, x -> w, and u alone ---- */

enum { X, Y, Z, W, U };

typedef struct chain {
    double *v[VARIABLES];
    column_set variable[VARIABLES];
    int64_t whole[2], start[4];
} chain;

static chain *make_chain(fixture *f, uint64_t seed)
{
    chain *c = arena_get(f->ctx, &f->scratch, 1, sizeof *c);
    rng r = rng_new(seed, RNG_TEST, 77);
    *c = (chain){.whole = {0, N}, .start = {0, N / 3, 2 * N / 3, N}};
    for (int k = 0; k < VARIABLES; k++) {
        c->v[k] = fixture_doubles(f, N);
        c->variable[k] = (column_set){N, 1, (const double *const *)&c->v[k]};
    }
    for (int i = 0; i < N; i++) {
        double z = rng_normal(&r);
        c->v[Z][i] = z;
        c->v[X][i] = 1.5 * z + 0.7 * rng_normal(&r);
        c->v[Y][i] = z + 0.7 * rng_normal(&r);
        c->v[W][i] = c->v[X][i] + 0.5 * rng_normal(&r);
        c->v[U][i] = rng_normal(&r);
    }
    return c;
}

static ci_options options_for(enum option_independence_test test)
{
    return (ci_options){.test = test,
                        .null_kind = test == TEST_INFORMATION ? NULL_PERMUTATION : NULL_GAMMA,
                        .permutations = 199,
                        .seed = 5,
                        .threads = 1,
                        .cache_bytes = 1 << 26};
}

static ci_tester *open_chain(fixture *f, const chain *c, const ci_options *options, const int32_t *rank, bool segments)
{
    ci_tester *tester;
    ci_variables v = {VARIABLES, c->variable, rank, {segments ? 3 : 1, segments ? c->start : c->whole}};
    assert_int_equal(ci_new(f->ctx, &v, options, &tester), NONSENS_OK);
    return tester;
}

static ci_result ask(fixture *f, ci_tester *t, int64_t x, int64_t y, int64_t count, const int64_t *given)
{
    ci_result out;
    nonsens_status status = ci_test(f->ctx, t, x, y, count, given, &out);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return out;
}

static bool conditions(enum option_independence_test test)
{
    return test != TEST_HSIC && test != TEST_INFORMATION;
}

/* ---- store ---- */

static void leave_alone(void *value)
{
    (void)value;
}

static void test_store(void **state)
{
    fixture *f = *state;
    ci_store store = {.count = 0};
    static int value[2000];
    assert_null(ci_store_find(&store, 1, (int64_t[]){1}));
    for (int64_t k = 0; k < 1000; k++) {
        assert_int_equal(ci_store_put(f->ctx, &store, 2, (int64_t[]){k, 3}, &value[k]), NONSENS_OK);
        assert_int_equal(ci_store_put(f->ctx, &store, 1, (int64_t[]){k}, &value[1000 + k]), NONSENS_OK);
    }
    for (int64_t k = 0; k < 1000; k++) {
        assert_ptr_equal(ci_store_find(&store, 2, (int64_t[]){k, 3}), &value[k]);
        assert_ptr_equal(ci_store_find(&store, 1, (int64_t[]){k}), &value[1000 + k]);
        assert_null(ci_store_find(&store, 2, (int64_t[]){3, k + 1000}));
    }
    assert_int_equal(store.count, 2000);
    ci_store_free(&store, leave_alone);
    assert_int_equal(store.count, 0);
}

/* ---- answers ---- */

static void test_answers_are_right(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 1);
    const int64_t given_z[] = {Z}, given_zu[] = {U, Z};
    for (int k = 0; k < TEST_COUNT; k++) {
        for (int segments = 0; segments <= 1; segments++) {
            ci_options o = options_for(TESTS[k]);
            ci_tester *t = open_chain(f, c, &o, NULL, segments);
            assert_true(ask(f, t, X, Y, 0, NULL).p_value < 0.01);
            assert_true(ask(f, t, X, U, 0, NULL).p_value > 0.01);
            if (conditions(TESTS[k])) {
                assert_true(ask(f, t, X, Y, 1, given_z).p_value > 0.01);
                assert_true(ask(f, t, X, W, 1, given_z).p_value < 1e-4);
                assert_true(ask(f, t, X, W, 2, given_zu).p_value < 0.01);
            }
            ci_free(t);
        }
    }
}

/* Any order of x, y and given, and of the variables if their ranks are permuted with them, gives the same bits. */
static void test_order_does_not_matter(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 2), reordered = *c;
    const int64_t order[VARIABLES] = {4, 2, 0, 1, 3}; // position of variable k in the reordered chain
    int32_t rank[VARIABLES] = {2, 0, 4, 1, 3}, reordered_rank[VARIABLES];
    for (int k = 0; k < VARIABLES; k++) {
        reordered.variable[order[k]] = c->variable[k];
        reordered_rank[order[k]] = rank[k];
    }
    for (int k = 0; k < TEST_COUNT; k++) {
        ci_options o = options_for(TESTS[k]);
        o.null_kind = NULL_PERMUTATION; // so that random streams count, too
        o.permutations = 30;
        ci_tester *a = open_chain(f, c, &o, rank, true), *b = open_chain(f, &reordered, &o, reordered_rank, true);
        int64_t count = conditions(TESTS[k]) ? 2 : 0, given[] = {Z, U}, other[] = {order[U], order[Z]};
        ci_result first = ask(f, a, X, Y, count, given), second = ask(f, b, order[Y], order[X], count, other);
        assert_true(first.p_value == second.p_value && (first.statistic == second.statistic));
        assert_true(!first.side_name || (first.side[0] == second.side[1] && first.side[1] == second.side[0]));
        ci_free(a);
        ci_free(b);
    }
}

/* The position of a column in the table does not change a bit of its correlations, although BLAS may sum an entry of a
 * matrix product in an order that depends on its position. */
static void test_places_do_not_matter(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        chain *c = make_chain(f, seed), reordered = *c;
        int64_t order[VARIABLES];
        int32_t rank[VARIABLES], reordered_rank[VARIABLES];
        rng r = rng_new(seed, RNG_TEST, 9);
        for (int k = 0; k < VARIABLES; k++) {
            order[k] = k;
            rank[k] = (int32_t)k;
        }
        rng_shuffle(&r, VARIABLES, order);
        for (int k = 0; k < VARIABLES; k++) {
            reordered.variable[order[k]] = c->variable[k];
            reordered_rank[order[k]] = rank[k];
        }
        ci_options o = options_for(TEST_FISHER_Z);
        ci_tester *a = open_chain(f, c, &o, rank, true), *b = open_chain(f, &reordered, &o, reordered_rank, true);
        ci_result first = ask(f, a, X, Y, 2, (int64_t[]){Z, U});
        ci_result second = ask(f, b, order[Y], order[X], 2, (int64_t[]){order[U], order[Z]});
        assert_true(first.p_value == second.p_value && first.statistic == second.statistic);
        ci_free(a);
        ci_free(b);
    }
}

static void test_answers_are_remembered(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 3);
    ci_options o = options_for(TEST_KCI);
    ci_tester *t = open_chain(f, c, &o, NULL, false);
    int64_t asked, remembered;
    ci_result first = ask(f, t, X, Y, 2, (int64_t[]){Z, U});
    ask(f, t, X, W, 2, (int64_t[]){Z, U}); // shares the part that belongs to x
    ci_result again = ask(f, t, Y, X, 2, (int64_t[]){U, Z});
    assert_true(first.p_value == again.p_value && first.side[0] == again.side[1]);
    ci_counts(t, &asked, &remembered);
    assert_int_equal(asked, 3);
    assert_int_equal(remembered, 1);
    ci_free(t);
}

/* Without a cache between questions the answers have the same bits. */
static void test_budget_changes_no_answer(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 4);
    for (int k = 0; k < TEST_COUNT; k++) {
        if (!conditions(TESTS[k])) {
            continue;
        }
        ci_options rich = options_for(TESTS[k]), poor = rich;
        poor.cache_bytes = 0;
        ci_tester *a = open_chain(f, c, &rich, NULL, false), *b = open_chain(f, c, &poor, NULL, false);
        for (int64_t y = Y; y <= W; y += W - Y) {
            assert_true(ask(f, a, X, y, 1, (int64_t[]){Z}).p_value == ask(f, b, X, y, 1, (int64_t[]){Z}).p_value);
        }
        ci_free(a);
        ci_free(b);
    }
}

static void test_vectors(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 5);
    const double *pair[2] = {c->v[U], c->v[X]};
    column_set variable[3] = {{N, 2, pair}, c->variable[Y], c->variable[Z]};
    ci_variables v = {3, variable, NULL, {1, c->whole}};
    const enum option_independence_test wide[] = {TEST_HSIC, TEST_KCI, TEST_RCIT, TEST_RESIDUALS};
    for (int k = 0; k < 4; k++) {
        ci_tester *t;
        ci_options o = options_for(wide[k]);
        assert_int_equal(ci_new(f->ctx, &v, &o, &t), NONSENS_OK);
        assert_true(ask(f, t, 0, 1, 0, NULL).p_value < 0.01);
        if (conditions(wide[k])) {
            assert_true(ask(f, t, 0, 1, 1, (int64_t[]){2}).p_value > 0.01);
        }
        ci_free(t);
    }
    ci_tester *t;
    ci_options o = options_for(TEST_FISHER_Z);
    assert_int_equal(ci_new(f->ctx, &v, &o, &t), NONSENS_ERR_USAGE);
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 6);
    ci_options o = options_for(TEST_HSIC);
    ci_tester *t = open_chain(f, c, &o, NULL, false);
    ci_result out;
    assert_int_equal(ci_test(f->ctx, t, X, X, 0, NULL, &out), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, VARIABLES, 0, NULL, &out), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, -1, 0, NULL, &out), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, Y, -1, NULL, &out), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, Y, 1, NULL, &out), NONSENS_ERR_USAGE);
    ci_tester *none;
    assert_int_equal(ci_open_callback(f->ctx, 3, NULL, NULL, &none), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, Y, 1, (int64_t[]){Y}, &out), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, Y, 2, (int64_t[]){Z, Z}, &out), NONSENS_ERR_USAGE);
    assert_int_equal(ci_test(f->ctx, t, X, Y, 1, (int64_t[]){Z}, &out), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "kci"));
    ci_free(t);
    ci_free(NULL);
}

/* Only hsic with nothing given can use an order in time; other questions are refused, not answered without it. */
static void test_time_order(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 1);
    const int64_t given_z[] = {Z};
    int64_t order[N];
    ci_result out;
    for (int64_t i = 0; i < N; i++) {
        order[i] = i;
    }
    for (int k = 0; k < TEST_COUNT; k++) {
        ci_options o = options_for(TESTS[k]);
        o.time_order = order;
        o.min_shift = 5;
        o.memory = 2.0;
        ci_tester *t = open_chain(f, c, &o, NULL, false);
        if (TESTS[k] == TEST_HSIC || TESTS[k] == TEST_AUTO) {
            assert_true(ask(f, t, X, W, 0, NULL).by_shifts && ask(f, t, X, W, 0, NULL).p_value < 0.01);
            assert_true(ask(f, t, X, U, 0, NULL).p_value > 0.01);
        } else {
            assert_int_equal(ci_test(f->ctx, t, X, W, 0, NULL, &out), NONSENS_ERR_USAGE);
        }
        assert_int_equal(ci_test(f->ctx, t, X, Y, 1, given_z, &out), NONSENS_ERR_USAGE);
        ci_free(t);
    }
}

/* If x, or both x and y, are functions of z, nothing is left to test, in any units. */
static void test_nothing_left(void **state)
{
    fixture *f = *state;
    const enum option_independence_test some[] = {TEST_KCI, TEST_RCIT, TEST_FISHER_Z, TEST_RESIDUALS};
    const double units[] = {1.0, 1e-200, 1e200};
    for (int u = 0; u < 3; u++) {
        chain *c = make_chain(f, 7);
        for (int both = 0; both <= 1; both++) {
            for (int i = 0; i < N; i++) {
                c->v[X][i] = units[u] * (2.0 * c->v[Z][i] + 1.0);
                c->v[Y][i] = both ? units[u] * (7.0 - 3.0 * c->v[Z][i]) : c->v[Y][i];
            }
            for (int k = 0; k < 4; k++) {
                ci_options o = options_for(some[k]);
                ci_tester *t = open_chain(f, c, &o, NULL, false);
                ci_result out = ask(f, t, X, Y, 1, (int64_t[]){Z});
                assert_true(out.p_value == 1.0 && out.degenerate);
                ci_free(t);
            }
        }
    }
}

/* A segment in which x is a function of z is left out; the others are tested. */
static void test_nothing_left_in_a_segment(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 10);
    for (int64_t i = 0; i < c->start[1]; i++) {
        c->v[X][i] = sin(c->v[Z][i]);
        c->v[Y][i] = c->v[Z][i] * c->v[Z][i];
    }
    const enum option_independence_test some[] = {TEST_KCI, TEST_RESIDUALS};
    for (int k = 0; k < 2; k++) {
        ci_options o = options_for(some[k]);
        ci_tester *t = open_chain(f, c, &o, NULL, true);
        ci_result out = ask(f, t, X, Y, 1, (int64_t[]){Z});
        assert_true(out.p_value > 0.01 && !out.degenerate);
        assert_int_equal(out.segments_skipped, 1);
        assert_int_equal(out.segments_used, 2);
        ci_free(t);
    }
}

/* A level that permutations cannot resolve is judged by the gamma distribution. */
static void test_level_beyond_permutations(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 11);
    ci_options o = options_for(TEST_HSIC);
    ci_tester *plain = open_chain(f, c, &o, NULL, false);
    double p = ask(f, plain, X, U, 0, NULL).p_value;
    o.refine_at = p;
    o.permutations = (int64_t)(5.0 / p);
    ci_tester *few = open_chain(f, c, &o, NULL, false);
    o.permutations = (int64_t)(50.0 / p);
    ci_tester *enough = open_chain(f, c, &o, NULL, false);
    assert_false(ask(f, few, X, U, 0, NULL).by_permutation);
    assert_true(ask(f, enough, X, U, 0, NULL).by_permutation);
    ci_free(plain);
    ci_free(few);
    ci_free(enough);
}

/* ---- a caller's own test ---- */

typedef struct oracle {
    int calls;
    nonsens_status status;
    double answer;
} oracle;

static nonsens_status ask_oracle(void *user, int64_t x, int64_t y, const int64_t *given, int64_t count, double *p_value)
{
    oracle *o = user;
    o->calls++;
    assert_true(x < y);
    for (int64_t k = 1; k < count; k++) {
        assert_true(given[k - 1] < given[k]);
    }
    *p_value = o->answer;
    return o->status;
}

static void test_callback(void **state)
{
    fixture *f = *state;
    oracle o = {0, NONSENS_OK, 0.25};
    ci_tester *t;
    ci_result out;
    int64_t asked, remembered;
    assert_int_equal(ci_open_callback(f->ctx, 30, ask_oracle, &o, &t), NONSENS_OK);
    int64_t many[20];
    for (int64_t k = 0; k < 20; k++) {
        many[k] = 29 - k;
    }
    assert_true(ask(f, t, 3, 1, 20, many).p_value == 0.25);
    assert_true(ask(f, t, 1, 3, 20, many).p_value == 0.25);
    assert_int_equal(o.calls, 1);
    ci_counts(t, &asked, &remembered);
    assert_int_equal(remembered, 1);
    o.answer = NAN;
    assert_int_equal(ci_test(f->ctx, t, 1, 2, 0, NULL, &out), NONSENS_ERR_NUMERIC);
    o.answer = 0.5;
    o.status = NONSENS_ERR_DATA;
    assert_int_equal(ci_test(f->ctx, t, 1, 2, 0, NULL, &out), NONSENS_ERR_DATA);
    o.status = NONSENS_OK; // failures are not cached
    assert_true(ask(f, t, 1, 2, 0, NULL).p_value == 0.5);
    ci_free(t);
}

/* ---- threads ---- */

typedef struct shared_tester {
    ci_tester *tester;
    double p[64];
} shared_tester;

static nonsens_status ask_shared(nonsens_context *ctx, arena *a, int64_t job, void *state)
{
    shared_tester *s = state;
    ci_result out;
    (void)a;
    TRY(ci_test(ctx, s->tester, job % 2 ? X : Y, job % 3 ? W : U, 1, (int64_t[]){Z}, &out));
    s->p[job] = out.p_value;
    return NONSENS_OK;
}

static void test_threads_share_a_tester(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 8);
    for (int k = 0; k < TEST_COUNT; k++) {
        if (!conditions(TESTS[k])) {
            continue;
        }
        ci_options o = options_for(TESTS[k]);
        shared_tester one = {open_chain(f, c, &o, NULL, true), {0}};
        o.cache_bytes = k % 2 ? o.cache_bytes : 0;
        shared_tester four = {open_chain(f, c, &o, NULL, true), {0}};
        assert_int_equal(parallel_for(f->ctx, 1, 64, NULL, ask_shared, &one), NONSENS_OK);
        assert_int_equal(parallel_for(f->ctx, 4, 64, NULL, ask_shared, &four), NONSENS_OK);
        assert_memory_equal(one.p, four.p, sizeof one.p);
        ci_free(one.tester);
        ci_free(four.tester);
    }
}

/* ---- failing allocations ---- */

typedef struct failing {
    const chain *c;
    enum option_independence_test test;
} failing;

static nonsens_status open_and_ask(nonsens_context *ctx, arena *a, void *state)
{
    const failing *x = state;
    ci_variables v = {VARIABLES, x->c->variable, NULL, {1, x->c->whole}};
    ci_options o = options_for(x->test);
    ci_tester *t;
    ci_result out;
    (void)a;
    TRY(ci_new(ctx, &v, &o, &t));
    nonsens_status status = ci_test(ctx, t, X, Y, conditions(x->test), (int64_t[]){Z}, &out);
    ci_free(t);
    return status;
}

static void test_each_allocation_failing(void **state)
{
    fixture *f = *state;
    chain *c = make_chain(f, 9);
    c->whole[1] = 60;
    for (int k = 0; k < VARIABLES; k++) {
        c->variable[k].n = 60;
    }
    for (int k = 0; k < TEST_COUNT; k++) {
        failing x = {c, TESTS[k]};
        assert_true(fail_every_allocation(f, open_and_ask, &x) > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_store),
        TEST(test_answers_are_right),
        TEST(test_order_does_not_matter),
        TEST(test_places_do_not_matter),
        TEST(test_answers_are_remembered),
        TEST(test_budget_changes_no_answer),
        TEST(test_vectors),
        TEST(test_refusals),
        TEST(test_time_order),
        TEST(test_nothing_left),
        TEST(test_nothing_left_in_a_segment),
        TEST(test_level_beyond_permutations),
        TEST(test_callback),
        TEST(test_threads_share_a_tester),
        TEST(test_each_allocation_failing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
