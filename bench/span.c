/*
 * span.c - measures how much of a run must happen one thing after another, however many threads there are.
 *
 * span direction|discover DATA SEGMENT [THREADS]: runs the default method on one thread, with every parallel loop
 * replaced by one that times its jobs (the linker's --wrap).  Work is the processor time of the run.  Span is the time
 * that would remain with THREADS threads (16) if sharing cost nothing: a loop takes the time of its longest job or its
 * share of the work of all jobs, whichever is more; loops inside jobs are counted in the same way.  Prints one line.
 */
#include "base/parallel.h"

#include <nonsens/nonsens.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

nonsens_status __wrap_parallel_for(nonsens_context *ctx, int threads, int64_t jobs, const char *phase, job_fn run,
                                   void *state);
nonsens_status __wrap_parallel_region(nonsens_context *ctx, int threads, region_fn run, void *state);

static int64_t members = 16;
static double saved; /* processor seconds that threads would save, so far in this job */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

nonsens_status __wrap_parallel_for(nonsens_context *ctx, int threads, int64_t jobs, const char *phase, job_fn run,
                                   void *state)
{
    double before = saved, begun = seconds_now(), longest = 0.0, sum = 0.0;
    nonsens_status status = NONSENS_OK;
    (void)threads, (void)phase;
    for (int64_t job = 0; job < jobs && status == NONSENS_OK; job++) {
        double job_begun = seconds_now();
        arena scratch = {0};
        saved = 0.0;
        status = run(ctx, &scratch, job, state);
        arena_free(&scratch);
        double took = seconds_now() - job_begun - saved;
        sum += took;
        longest = took > longest ? took : longest;
    }
    double shared = sum / (double)members;
    saved = before + (seconds_now() - begun) - (longest > shared ? longest : shared);
    return status;
}

nonsens_status __wrap_parallel_region(nonsens_context *ctx, int threads, region_fn run, void *state)
{
    (void)threads;
    return run(ctx, state);
}

static nonsens_status run_once(nonsens_context *ctx, bool is_pair, const char *table, const char *segment)
{
    nonsens_options *options;
    nonsens_data *data;
    nonsens_result *result;
    char threads[24];
    snprintf(threads, sizeof threads, "%d", (int)members); // loops that are only worth it with threads are there, too
    TRY(nonsens_options_new(ctx, is_pair ? NONSENS_COMMAND_DIRECTION : NONSENS_COMMAND_DISCOVER, &options));
    TRY(nonsens_options_set(ctx, options, "segment", segment));
    TRY(nonsens_options_set(ctx, options, "threads", threads));
    TRY(nonsens_data_read(ctx, table, options, &data));
    double begun = seconds_now();
    saved = 0.0;
    TRY(is_pair ? nonsens_run_direction(ctx, data, options, &result)
                : nonsens_run_discover(ctx, data, options, &result));
    double work = seconds_now() - begun, span = work - saved;
    printf("work %.3f s  span on %d threads %.3f s  share %.3f\n", work, (int)members, span, span / work);
    nonsens_result_free(result);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return NONSENS_OK;
}

int main(int argc, char **argv)
{
    bool is_pair = argc > 1 && strcmp(argv[1], "direction") == 0;
    if (argc < 4 || argc > 5 || (!is_pair && strcmp(argv[1], "discover") != 0)) {
        fprintf(stderr, "usage: span direction|discover DATA SEGMENT [THREADS]\n");
        return 2;
    }
    members = argc == 5 ? atoi(argv[4]) : members;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = members > 1 ? run_once(ctx, is_pair, argv[2], argv[3]) : NONSENS_ERR_USAGE;
    if (status != NONSENS_OK) {
        fprintf(stderr, "span: %s\n", members > 1 ? nonsens_context_message(ctx) : "THREADS must be at least 2");
    }
    nonsens_context_free(ctx);
    return status != NONSENS_OK;
}
