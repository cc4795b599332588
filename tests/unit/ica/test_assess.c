/* test_assess.c - best matchings against all permutations, the Amari index worked out by hand, matched correlations. */
#include "base/rng.h"
#include "ica/assess.h"
#include "math/assignment.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { LIMIT = 6 };
static const double EXACT = 1e-12;

static double matched_gain(int64_t d, const double *gain, const int64_t *match)
{
    double sum = 0.0;
    for (int64_t j = 0; j < d; j++) {
        sum += gain[j + d * match[j]];
    }
    return sum;
}

/* Returns the best sum over all permutations of the positions from `fixed` on. */
static double best_of_all(int64_t d, const double *gain, int64_t fixed, int64_t *order)
{
    if (fixed == d) {
        return matched_gain(d, gain, order);
    }
    double best = -HUGE_VAL;
    for (int64_t i = fixed; i < d; i++) {
        int64_t kept = order[fixed];
        order[fixed] = order[i];
        order[i] = kept;
        best = fmax(best, best_of_all(d, gain, fixed + 1, order));
        order[i] = order[fixed];
        order[fixed] = kept;
    }
    return best;
}

static void assert_best(fixture *f, int64_t d, const double *gain)
{
    int64_t match[LIMIT], order[LIMIT];
    bool used[LIMIT] = {false};
    assert_int_equal(assignment_best(f->ctx, &f->scratch, d, gain, match), NONSENS_OK);
    for (int64_t j = 0; j < d; j++) {
        order[j] = j;
        assert_true(match[j] >= 0 && match[j] < d && !used[match[j]]);
        used[match[j]] = true;
    }
    assert_true(fabs(matched_gain(d, gain, match) - best_of_all(d, gain, 0, order)) <= EXACT);
}

static void test_assignment_against_all_permutations(void **state)
{
    rng r = rng_new(1, RNG_TEST, 0);
    for (int64_t d = 1; d <= LIMIT; d++) {
        for (int trial = 0; trial < 40; trial++) {
            double gain[LIMIT * LIMIT];
            for (int64_t i = 0; i < d * d; i++) { /* every other trial has whole numbers, with ties */
                gain[i] = trial % 2 ? rng_normal(&r) : (double)rng_below(&r, 4);
            }
            assert_best(*state, d, gain);
        }
    }
}

/* The best column of every row is the same; greedy matching gets 10 + 1 + 1 = 12, the best 9 + 9 + 1 = 19. */
static void test_assignment_by_hand(void **state)
{
    fixture *f = *state;
    const double gain[9] = {10, 9, 1, 9, 1, 1, 1, 1, 1}; /* column-major */
    int64_t match[3];
    assert_int_equal(assignment_best(f->ctx, &f->scratch, 3, gain, match), NONSENS_OK);
    assert_int_equal(match[0], 1);
    assert_int_equal(match[1], 0);
    assert_int_equal(match[2], 2);
}

static void test_assignment_of_many(void **state)
{
    enum { MANY = 60 };
    fixture *f = *state;
    rng r = rng_new(2, RNG_TEST, 0);
    double *gain = fixture_doubles(f, MANY * MANY);
    int64_t order[MANY], match[MANY];
    for (int64_t j = 0; j < MANY; j++) {
        order[j] = j;
    }
    rng_shuffle(&r, MANY, order);
    for (int64_t i = 0; i < MANY * MANY; i++) {
        gain[i] = rng_uniform(&r);
    }
    for (int64_t j = 0; j < MANY; j++) {
        gain[j + MANY * order[j]] = 1.0 + rng_uniform(&r); /* above all others: the best by construction */
    }
    assert_int_equal(assignment_best(f->ctx, &f->scratch, MANY, gain, match), NONSENS_OK);
    assert_memory_equal(match, order, sizeof order);
}

static void test_amari_by_hand(void **state)
{
    (void)state;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, scaled[9] = {0, -3, 0, 0, 0, 1e-5, 2e7, 0, 0};
    const double flat[4] = {1, 1, -1, 1}, nothing[4] = {0, 0, 0, 0}, one = -2.0;
    assert_true(ica_amari(3, identity) == 0.0);
    assert_true(ica_amari(3, scaled) == 0.0);
    assert_true(fabs(ica_amari(2, flat) - 1.0) <= EXACT);
    assert_true(fabs(ica_amari(2, nothing) - 1.0) <= EXACT);
    assert_true(ica_amari(1, &one) == 0.0);
    /* (2, 1; -1, 4): rows 1/2 + 1/4, columns 1/2 + 1/4, over 4. */
    const double two[4] = {2, -1, 1, 4};
    assert_true(fabs(ica_amari(2, two) - 1.5 / 4.0) <= EXACT);
    /* (4, 1, 1; 0, 2, 1; 1, 0, 5): rows 2/4 + 1/2 + 1/5 = 1.2, columns 1/4 + 1/2 + 2/5 = 1.15, over 12. */
    const double three[9] = {4, 0, 1, 1, 2, 0, 1, 1, 5};
    assert_true(fabs(ica_amari(3, three) - 2.35 / 12.0) <= EXACT);
}

/* Columns in another order, sign and unit correlate with 1; with added noise of equal variance, with sqrt 1/2. */
static void test_mean_correlation(void **state)
{
    enum { N = 20000, D = 4 };
    fixture *f = *state;
    rng r = rng_new(3, RNG_TEST, 0);
    const int64_t place[D] = {2, 0, 3, 1};
    const double unit[D] = {1.0, -1e200, 1e-200, -3.0};
    double *truth = fixture_doubles(f, N * D), *estimate = fixture_doubles(f, N * D), found;
    int64_t match[D];
    for (int64_t j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++) {
            truth[i + N * j] = rng_normal(&r);
            estimate[i + N * place[j]] = unit[j] * (5.0 + truth[i + N * j]);
        }
    }
    matrix t = matrix_view(truth, N, D), e = matrix_view(estimate, N, D);
    assert_int_equal(ica_mean_correlation(f->ctx, &f->scratch, t, e, match, &found), NONSENS_OK);
    assert_true(fabs(found - 1.0) <= EXACT);
    assert_memory_equal(match, place, sizeof place);
    for (int64_t i = 0; i < N * D; i++) {
        truth[i] = rng_normal(&r);
        estimate[i] = truth[i] + rng_normal(&r);
    }
    assert_int_equal(ica_mean_correlation(f->ctx, &f->scratch, t, e, match, &found), NONSENS_OK);
    assert_true(fabs(found - sqrt(0.5)) <= 0.02);
}

static void test_constant_column_correlates_with_nothing(void **state)
{
    fixture *f = *state;
    double truth[6] = {1, 2, 3, 7, 7, 7}, estimate[6] = {2, 4, 6, 1, 0, 1}, found;
    int64_t match[2];
    matrix t = matrix_view(truth, 3, 2), e = matrix_view(estimate, 3, 2);
    assert_int_equal(ica_mean_correlation(f->ctx, &f->scratch, t, e, match, &found), NONSENS_OK);
    assert_true(fabs(found - 0.5) <= EXACT);
}

static nonsens_status correlate(nonsens_context *ctx, arena *a, void *state)
{
    int64_t match[3];
    double found;
    matrix x = matrix_view(state, 2000, 3);
    return ica_mean_correlation(ctx, a, x, x, match, &found);
}

static void test_every_failing_allocation(void **state)
{
    assert_true(fail_every_allocation(*state, correlate, fixture_doubles(*state, 6000)) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_assignment_against_all_permutations),
        TEST(test_assignment_by_hand),
        TEST(test_assignment_of_many),
        TEST(test_amari_by_hand),
        TEST(test_mean_correlation),
        TEST(test_constant_column_correlates_with_nothing),
        TEST(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
