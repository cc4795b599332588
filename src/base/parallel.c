/*
 * parallel.c - runs jobs with OpenMP, with cancelling, progress and one deterministic failure.
 *
 * A loop inside a job becomes tasks of the team that already exists; idle threads take them.
 */
#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>

struct loop {
    nonsens_context *ctx;
    const char *phase;
    job_fn run;
    void *state;
    int64_t jobs, done, failed_job;
    nonsens_status status;
    pthread_mutex_t failing;
};

/*
 * GNU's OpenMP keeps the threads of a loop for the next loop of the same thread.  After a fork the child has none of
 * them, and a loop that relies on them would wait for ever, so the child's only thread runs its loops alone.
 */
static _Thread_local bool keeps_team, lost_team;

/* Whether this thread is in a region of parallel_for or parallel_region. */
static _Thread_local bool in_team;

static void lose_team(void)
{
    lost_team = lost_team || keeps_team;
}

__attribute__((constructor)) static void handle_forks(void)
{
    pthread_atfork(NULL, NULL, lose_team);
}

int parallel_threads(int threads)
{
    return threads > 0 ? threads : omp_get_num_procs();
}

int parallel_team(int wanted)
{
    keeps_team = keeps_team || wanted > 1;
    return lost_team ? 1 : wanted;
}

static void keep_failure(struct loop *loop, int64_t job, nonsens_status status, const nonsens_context *child)
{
    pthread_mutex_lock(&loop->failing);
    if (loop->status == NONSENS_OK || job < loop->failed_job) {
        loop->status = status;
        loop->failed_job = job;
        memcpy(loop->ctx->message, child->message, sizeof child->message);
    }
    pthread_mutex_unlock(&loop->failing);
}

static void run_job(struct loop *loop, int64_t job)
{
    nonsens_context child;
    arena scratch = {0};
    context_child(&child, loop->ctx);
    // parallel jobs must not all report to one progress line, and only the calling thread may call the callback
    child.silent = child.silent || loop->phase || omp_get_thread_num() != 0;
    nonsens_status status = check_cancelled(&child);
    if (status == NONSENS_OK) {
        status = loop->run(&child, &scratch, job, loop->state);
    }
    arena_free(&scratch);
    if (status != NONSENS_OK) {
        keep_failure(loop, job, status, &child);
    }
    int64_t done;
#pragma omp atomic capture
    done = ++loop->done;
    if (loop->phase && omp_get_thread_num() == 0) {
        report_progress(loop->ctx, loop->phase, done, loop->jobs);
    }
}

/* Hands all jobs but the first to the team as tasks; threads that wait at the end of the region take them, too. */
static void run_tasks(struct loop *loop)
{
#pragma omp taskgroup
    {
        for (int64_t job = 1; job < loop->jobs; job++) {
#pragma omp task firstprivate(job)
            run_job(loop, job);
        }
        run_job(loop, 0);
    }
}

nonsens_status parallel_for(nonsens_context *ctx, int threads, int64_t jobs, const char *phase, job_fn run, void *state)
{
    struct loop loop = {ctx, phase, run, state, jobs, 0, 0, NONSENS_OK, PTHREAD_MUTEX_INITIALIZER};
    int wanted = parallel_threads(threads);
    if (wanted == 1 || jobs <= 1) {
        for (int64_t job = 0; job < jobs; job++) {
            run_job(&loop, job);
        }
    } else if (in_team) {
        run_tasks(&loop);
    } else {
        int team = parallel_team(wanted <= jobs ? wanted : (int)jobs);
#pragma omp parallel num_threads(team)
        {
            in_team = true;
#pragma omp master
            run_tasks(&loop);
#pragma omp barrier
            in_team = false;
        }
    }
    return loop.status;
}

nonsens_status parallel_region(nonsens_context *ctx, int threads, region_fn run, void *state)
{
    nonsens_status status = NONSENS_OK;
    int team = in_team ? 1 : parallel_team(parallel_threads(threads));
    if (team == 1) {
        return run(ctx, state);
    }
#pragma omp parallel num_threads(team)
    {
        in_team = true;
#pragma omp master
        status = run(ctx, state);
#pragma omp barrier
        in_team = false;
    }
    return status;
}
