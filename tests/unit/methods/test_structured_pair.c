/* test_structured_pair.c - what `structured` says about a pair, beyond its decision. */
#include <stdio.h>

#include "fixture.h"

#include "pair_runs.h"

enum { SEGMENTS = 3, MAX_ROWS = 150 };

/* Rows of one cause and its effect whose scales change, in segments of these sizes. */
static nonsens_result *run_sizes(fixture *f, const int64_t size[SEGMENTS])
{
    double x[MAX_ROWS], y[MAX_ROWS], columns[2 * MAX_ROWS];
    int64_t segment[MAX_ROWS], n = 0;
    rng r = rng_new(31, RNG_TEST, 0);
    for (int64_t e = 0; e < SEGMENTS; e++) {
        for (int64_t k = 0; k < size[e]; k++, n++) {
            segment[n] = e;
            x[n] = (1.0 + (double)e) * rng_laplace(&r);
            y[n] = x[n] + (3.0 - (double)e) * rng_laplace(&r);
        }
    }
    memcpy(columns, x, (size_t)n * sizeof *x);
    memcpy(columns + n, y, (size_t)n * sizeof *y);
    return run_pair(f, "method=structured threads=1", n, columns, segment);
}

/* Counts cautions with these words. */
static int64_t count_cautions(const nonsens_result *r, const char *words)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->notes; i++) {
        count += r->note[i].level == NONSENS_NOTE_CAUTION && strstr(r->note[i].text, words) != NULL;
    }
    return count;
}

/* The mean over segments counts, not the smallest of them. */
static void test_few_rows_a_segment(void **state)
{
    nonsens_result *few = run_sizes(*state, (int64_t[]){20, 40, 89}),
                   *enough = run_sizes(*state, (int64_t[]){20, 40, 90});
    assert_int_equal(count_cautions(few, "a misfit of either direction cannot be seen yet"), 1);
    assert_int_equal(count_cautions(few, "The segments have 49.7 rows on average."), 1);
    assert_int_equal(count_cautions(enough, "a misfit of either direction"), 0);
    nonsens_result_free(few);
    nonsens_result_free(enough);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_few_rows_a_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
