/* Loops inside jobs and regions: all jobs run once, failures and cancelling reach the caller, only its thread reports.
 */
#include "base/parallel.h"

#include <omp.h>
#include <string.h>

#include "fixture.h"

enum { OUTER = 5, INNER = 40 };

typedef struct counts {
    int runs[OUTER][INNER];
    int64_t fails; /* the inner job that fails in every loop; -1: none */
    int threads;
} counts;

typedef struct inner {
    counts *all;
    int64_t outer;
} inner;

static nonsens_status inner_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    inner *in = state;
    double *room;
    ARENA_TRY(ctx, scratch, room, 100);
    in->all->runs[in->outer][job]++;
    return job == in->all->fails ? (fail)(ctx, NONSENS_ERR_DATA, "job %d of %d", (int)job, (int)in->outer) : NONSENS_OK;
}

static nonsens_status outer_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    counts *all = state;
    inner in = {all, job};
    (void)scratch;
    return parallel_for(ctx, all->threads, INNER, NULL, inner_job, &in);
}

static nonsens_status in_region(nonsens_context *ctx, void *state)
{
    counts *all = state;
    return parallel_for(ctx, all->threads, OUTER, NULL, outer_job, all);
}

static void assert_each_once(const counts *all)
{
    for (int64_t i = 0; i < OUTER; i++) {
        for (int64_t j = 0; j < INNER; j++) {
            assert_int_equal(all->runs[i][j], 1);
        }
    }
}

static void test_every_job_runs_once(void **state)
{
    fixture *f = *state;
    for (int threads = 1; threads <= 9; threads += 2) {
        counts loops = {.fails = -1, .threads = threads}, region = loops;
        assert_int_equal(in_region(f->ctx, &loops), NONSENS_OK);
        assert_each_once(&loops);
        assert_int_equal(parallel_region(f->ctx, threads, in_region, &region), NONSENS_OK);
        assert_each_once(&region);
    }
}

/* The failure of the lowest outer job is reported, whichever comes first. */
static void test_the_first_failure_is_said(void **state)
{
    fixture *f = *state;
    for (int threads = 1; threads <= 4; threads++) {
        counts all = {.fails = 7, .threads = threads};
        assert_int_equal(parallel_region(f->ctx, threads, in_region, &all), NONSENS_ERR_DATA);
        assert_string_equal(nonsens_context_message(f->ctx), "job 7 of 0");
    }
}

static nonsens_status region_again(nonsens_context *ctx, void *state)
{
    return parallel_region(ctx, 4, in_region, state);
}

static void test_a_region_in_a_region(void **state)
{
    fixture *f = *state;
    counts all = {.fails = -1, .threads = 4};
    assert_int_equal(parallel_region(f->ctx, 4, region_again, &all), NONSENS_OK);
    assert_each_once(&all);
}

/* Reports come from the calling thread, also about jobs that other threads may have taken. */
static int report(void *user, const char *phase, int64_t done, int64_t total)
{
    int *reports = user;
    (void)phase;
    (void)done;
    (void)total;
    assert_int_equal(omp_get_thread_num(), 0);
    return ++*reports > 1000000;
}

static nonsens_status reporting_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    (void)scratch;
    (void)state;
    report_progress(ctx, "job", job, OUTER);
    return NONSENS_OK;
}

static nonsens_status reporting_loop(nonsens_context *ctx, void *state)
{
    return parallel_for(ctx, 4, INNER, NULL, reporting_job, state);
}

static void test_only_the_caller_reports(void **state)
{
    fixture *f = *state;
    int reports = 0;
    nonsens_context_set_progress(f->ctx, report, &reports);
    assert_int_equal(parallel_region(f->ctx, 4, reporting_loop, NULL), NONSENS_OK);
    assert_true(reports > 0); // the calling thread runs the first job
}

static int cancel(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)user;
    (void)phase;
    (void)done;
    (void)total;
    return 1;
}

static void test_cancelling_ends_all_loops(void **state)
{
    fixture *f = *state;
    counts all = {.fails = -1, .threads = 3};
    nonsens_context_set_progress(f->ctx, cancel, NULL);
    report_progress(f->ctx, "before", 0, 1);
    assert_int_equal(parallel_region(f->ctx, 3, in_region, &all), NONSENS_CANCELLED);
    assert_int_equal(all.runs[0][0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_job_runs_once),     TEST(test_the_first_failure_is_said), TEST(test_a_region_in_a_region),
        TEST(test_only_the_caller_reports), TEST(test_cancelling_ends_all_loops),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
