/* test_shapley.c - games whose values are known, sums, and random orders against all orders. */
#include "math/shapley.h"

#include <math.h>

#include "fixture.h"

enum { PLAYERS = 7, ORDERS = 400 };

static const double ROUNDING = 1e-12;

/* Returns the value of a set of players. */
typedef double (*game)(uint64_t set);

static double additive(uint64_t set)
{
    double sum = 10.0;
    for (int p = 0; p < PLAYERS; p++) {
        sum += set >> p & 1 ? (double)(p * p) - 3.0 : 0.0;
    }
    return sum;
}

/* Has a value only if the first three players are in the set. */
static double together(uint64_t set)
{
    return (set & 7) == 7 ? 6.0 : 0.0;
}

/* Squares a sum, so that players help one another. */
static double squared(uint64_t set)
{
    double sum = 0.0;
    for (int p = 0; p < PLAYERS; p++) {
        sum += set >> p & 1 ? (double)(p + 1) : 0.0;
    }
    return sum * sum;
}

static double value_of(const shapley_plan *plan, int64_t player, game v)
{
    double value = 0.0;
    for (int64_t k = 0; k < plan->sets; k++) {
        value += plan->weight[player * plan->sets + k] * v(plan->set[k]);
    }
    return value;
}

static shapley_plan make_plan(fixture *f, int64_t max_exact)
{
    shapley_plan plan;
    rng r = rng_new(1, RNG_TEST, 0);
    assert_int_equal(shapley_plan_new(f->ctx, &f->scratch, PLAYERS, max_exact, ORDERS, &r, &plan), NONSENS_OK);
    assert_int_equal(plan.set[0], 0);
    assert_int_equal(plan.set[plan.sets - 1], (1 << PLAYERS) - 1);
    for (int64_t k = 0; k < plan.sets; k++) {
        assert_int_equal(shapley_find(plan.sets, plan.set, plan.set[k]), k);
    }
    return plan;
}

static void test_known_games(void **state)
{
    shapley_plan plan = make_plan(*state, PLAYERS);
    assert_int_equal(plan.sets, 1 << PLAYERS);
    for (int64_t p = 0; p < PLAYERS; p++) {
        double own = (double)(p + 1), all = PLAYERS * (PLAYERS + 1) / 2;
        assert_true(fabs(value_of(&plan, p, additive) - (double)(p * p) + 3.0) < ROUNDING);
        assert_true(fabs(value_of(&plan, p, together) - (p < 3 ? 2.0 : 0.0)) < ROUNDING);
        assert_true(fabs(value_of(&plan, p, squared) - own * all) < 1e3 * ROUNDING);
    }
}

/* Additive games are exact in any order; others are right within the error of random orders, and their sum is exact. */
static void test_random_orders(void **state)
{
    shapley_plan plan = make_plan(*state, PLAYERS - 1);
    double sum = 0.0;
    for (int64_t p = 0; p < PLAYERS; p++) {
        double all = PLAYERS * (PLAYERS + 1) / 2;
        assert_true(fabs(value_of(&plan, p, additive) - (double)(p * p) + 3.0) < 1e3 * ROUNDING);
        assert_true(fabs(value_of(&plan, p, squared) - (double)(p + 1) * all) < 1e3 * ROUNDING); // with reversed orders
        assert_true(fabs(value_of(&plan, p, together) - (p < 3 ? 2.0 : 0.0)) < 0.6);             // four standard errors
        sum += value_of(&plan, p, together);
    }
    assert_true(fabs(sum - 6.0) < 1e3 * ROUNDING);
}

static void test_one_player(void **state)
{
    fixture *f = *state;
    shapley_plan plan;
    rng r = rng_new(1, RNG_TEST, 0);
    assert_int_equal(shapley_plan_new(f->ctx, &f->scratch, 1, 1, 2, &r, &plan), NONSENS_OK);
    assert_int_equal(plan.sets, 2);
    assert_true(plan.weight[0] == -1.0 && plan.weight[1] == 1.0);
}

static nonsens_status plan_again(nonsens_context *ctx, arena *a, void *state)
{
    shapley_plan plan;
    rng r = rng_new(1, RNG_TEST, 0);
    return shapley_plan_new(ctx, a, PLAYERS, *(int *)state, ORDERS, &r, &plan);
}

static void test_each_allocation_failing(void **state)
{
    for (int max_exact = 0; max_exact <= PLAYERS; max_exact += PLAYERS) {
        assert_true(fail_every_allocation(*state, plan_again, &max_exact) >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_known_games), TEST(test_random_orders), TEST(test_one_player),
                                       TEST(test_each_allocation_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
