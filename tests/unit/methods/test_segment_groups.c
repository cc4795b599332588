/* test_segment_groups.c - groups of segments: what they depend on, and pairs with many segments in `structured`. */
#include "methods/shared/segment_groups.h"

#include "classifier/sample.h"
#include "methods/shared/rank_search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "pair_runs.h"

enum { SEGMENTS = 240, ROWS = 10, N = SEGMENTS * ROWS, FOLDS = 5 };

/* Draws x = s1 N1, y = tanh(2 x) + s2 N2; log s1 and log s2 have this standard deviation over segments. */
static double *draw_pair(fixture *f, uint64_t seed, int64_t segments, double spread)
{
    double *x = fixture_doubles(f, 2 * segments * ROWS), *y = x + segments * ROWS;
    rng r = rng_new(seed, RNG_TEST, 95);
    for (int64_t e = 0; e < segments; e++) {
        double s1 = exp(spread * rng_normal(&r)), s2 = exp(spread * rng_normal(&r));
        for (int64_t i = e * ROWS; i < (e + 1) * ROWS; i++) {
            x[i] = s1 * rng_normal(&r);
            y[i] = tanh(2.0 * x[i]) + 0.5 * s2 * rng_normal(&r);
        }
    }
    return x;
}

static int64_t find_groups(fixture *f, const double *x, const int32_t *unit_of, int32_t *group)
{
    int64_t start[SEGMENTS + 1], count;
    int32_t fold[SEGMENTS];
    double *warped[2] = {fixture_doubles(f, N), fixture_doubles(f, N)};
    for (int64_t e = 0; e <= SEGMENTS; e++) {
        start[e] = e * ROWS;
    }
    for (int32_t e = 0; e < SEGMENTS; e++) {
        fold[e] = e % FOLDS;
    }
    for (int j = 0; j < 2; j++) {
        assert_int_equal(sample_warp(f->ctx, &f->scratch, N, x + j * N, warped[j]), NONSENS_OK);
    }
    segment_groups_input in = {.n = N,
                               .segments = SEGMENTS,
                               .warped = {warped[0], warped[1]},
                               .start = start,
                               .unit_of = unit_of,
                               .units = N / 2,
                               .fold = fold,
                               .folds = FOLDS,
                               .seed = 1};
    assert_int_equal(segment_groups_find(f->ctx, &in, group, &count), NONSENS_OK);
    return count;
}

/* Returns the variance of |x| between groups over that within them: 1 on average if rows do not depend on groups. */
static double ratio_of_variances(const double *x, const int32_t *group, int64_t count)
{
    double mean[64] = {0.0}, rows[64] = {0.0}, all = 0.0, between = 0.0, within = 0.0;
    for (int64_t i = 0; i < N; i++) {
        rows[group[i]] += 1.0;
        mean[group[i]] += fabs(x[i]);
        all += fabs(x[i]) / N;
    }
    for (int64_t i = 0; i < N; i++) {
        double of_group = mean[group[i]] / rows[group[i]];
        between += (of_group - all) * (of_group - all) / (double)(count - 1);
        within += (fabs(x[i]) - of_group) * (fabs(x[i]) - of_group) / (double)(N - count);
    }
    return between / within;
}

static void test_rows_tell_their_group_only_if_segments_differ(void **state)
{
    fixture *f = *state;
    int32_t group[N];
    double still = 0.0, changing = 0.0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        double *x = draw_pair(f, seed, SEGMENTS, 0.0);
        int64_t count = find_groups(f, x, NULL, group);
        still += ratio_of_variances(x, group, count) / 8.0;
        x = draw_pair(f, seed, SEGMENTS, 0.7);
        count = find_groups(f, x, NULL, group);
        changing += ratio_of_variances(x, group, count) / 8.0;
    }
    assert_true(still > 0.5 && still < 1.6); // more, if rows influenced the choice of their own groups
    assert_true(changing > 10.0);
}

static void test_every_group_has_rows_outside_each_fold(void **state)
{
    fixture *f = *state;
    int32_t group[N];
    for (uint64_t seed = 0; seed < 4; seed++) {
        int64_t rows[64][FOLDS] = {{0}}, count = find_groups(f, draw_pair(f, seed, SEGMENTS, 1.5), NULL, group);
        assert_true(count >= 2 && count <= segment_groups_wanted(N, SEGMENTS));
        for (int64_t i = 0; i < N; i++) {
            assert_true(group[i] >= 0 && group[i] < count);
            for (int64_t k = 0; k < FOLDS; k++) {
                rows[group[i]][k] += k != i / ROWS % FOLDS;
            }
        }
        for (int64_t g = 0; g < count; g++) {
            for (int64_t k = 0; k < FOLDS; k++) {
                assert_true(rows[g][k] >= 20);
            }
        }
    }
}

/* Rows of a unit are left out together, so they must be in one group. */
static void test_units_are_left_out_together(void **state)
{
    fixture *f = *state;
    int32_t group[N], unit[N];
    for (int32_t i = 0; i < N; i++) {
        unit[i] = i / 2;
    }
    double *x = draw_pair(f, 3, SEGMENTS, 0.7);
    find_groups(f, x, unit, group);
    for (int64_t i = 0; i < N; i += 2) {
        assert_int_equal(group[i], group[i + 1]);
    }
    find_groups(f, x, NULL, group);
    int64_t apart = 0;
    for (int64_t i = 0; i < N; i += 2) {
        apart += group[i] != group[i + 1];
    }
    assert_true(apart > N / 20);
}

/* Constant statistics must not break it. */
static void test_data_without_variance(void **state)
{
    fixture *f = *state;
    int32_t group[N];
    double *x = fixture_doubles(f, 2 * N);
    int64_t first = 0;
    assert_int_equal(find_groups(f, x, NULL, group), 2); // by chance
    for (int64_t i = 0; i < N; i++) {
        first += group[i] == 0;
        assert_int_equal(group[i], group[i / ROWS * ROWS]);
    }
    assert_true(first > N / 4 && first < 3 * N / 4);
    for (int64_t i = 0; i < N; i++) {
        x[i] = (double)(i % 2);
        x[N + i] = (double)(i % 2);
    }
    assert_true(find_groups(f, x, NULL, group) >= 2);
}

/* ---- pairs ---- */

static void test_many_segments_name_the_cause(void **state)
{
    fixture *f = *state;
    double *x = draw_pair(f, 11, SEGMENTS, 0.8), *moved = fixture_doubles(f, 2 * N);
    int64_t segment[N], moved_segment[N];
    rng r = rng_new(1, RNG_TEST, 96);
    int64_t *order = arena_get(f->ctx, &f->scratch, N, sizeof *order);
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i / ROWS;
        order[i] = i;
    }
    rng_shuffle(&r, N, order);
    for (int64_t i = 0; i < N; i++) { // other order of rows, and other labels of segments
        moved[i] = x[order[i]];
        moved[N + i] = x[N + order[i]];
        moved_segment[i] = (segment[order[i]] * 7 + 3) % SEGMENTS;
    }
    nonsens_result *one = run_pair(f, "opinions=none threads=1", N, x, segment);
    nonsens_result *other = run_pair(f, "opinions=none threads=2", N, moved, moved_segment);
    assert_int_equal(one->decision, DECISION_FIRST_CAUSES);
    assert_int_equal(other->decision, one->decision);
    assert_true(one->score == other->score && one->p_value == other->p_value);
    double groups = evidence_of(one, "groups of segments")->value; // groups with few rows are given up
    assert_true(groups >= 4.0 && groups <= (double)segment_groups_wanted(N, SEGMENTS));
    assert_true(has_note(one, "groups of segments"));
    nonsens_result_free(one);
    nonsens_result_free(other);
}

static void test_few_segments_are_not_grouped(void **state)
{
    fixture *f = *state;
    enum { FEW = RANK_SEARCH_UNGROUPED };
    double *x = draw_pair(f, 12, FEW, 0.8);
    int64_t segment[FEW * ROWS];
    for (int64_t i = 0; i < FEW * ROWS; i++) {
        segment[i] = i / ROWS;
    }
    nonsens_result *result = run_pair(f, "opinions=none threads=1", FEW * ROWS, x, segment);
    assert_false(has_note(result, "groups of segments"));
    nonsens_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rows_tell_their_group_only_if_segments_differ),
        TEST(test_every_group_has_rows_outside_each_fold),
        TEST(test_units_are_left_out_together),
        TEST(test_data_without_variance),
        TEST(test_many_segments_name_the_cause),
        TEST(test_few_segments_are_not_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
