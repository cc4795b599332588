/* parallel.c - runs jobs with OpenMP, with cancelling, progress and one deterministic failure. */
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
 * them, and a loop that relies on them waits for ever; the one thread of the child therefore runs its loops alone.
 */
static _Thread_local bool keeps_team, lost_team;

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
    child.silent = child.silent || loop->phase; // parallel jobs must not all report to one line of progress
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

nonsens_status parallel_for(nonsens_context *ctx, int threads, int64_t jobs, const char *phase, job_fn run, void *state)
{
    struct loop loop = {ctx, phase, run, state, jobs, 0, 0, NONSENS_OK, PTHREAD_MUTEX_INITIALIZER};
    int wanted = parallel_threads(threads), team = parallel_team(wanted <= jobs ? wanted : jobs > 0 ? (int)jobs : 1);
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
    for (int64_t job = 0; job < jobs; job++) {
        run_job(&loop, job);
    }
    return loop.status;
}
