/* pool_alone.c - runs units of work on the threads of one process. */
#include "base/parallel.h"
#include "pool/pool.h"

#include <pthread.h>

typedef struct local_run {
    const pool_work *work;
    pthread_mutex_t keeping;
    bool broken; /* a line could not be kept: no further unit begins */
} local_run;

static nonsens_status keep_line(nonsens_context *ctx, local_run *run, int64_t job, json_value *line)
{
    pthread_mutex_lock(&run->keeping);
    nonsens_status status = run->work->keep(ctx, run->work->sink, job, line);
    if (status != NONSENS_OK) {
#pragma omp atomic write
        run->broken = true;
    }
    pthread_mutex_unlock(&run->keeping);
    return status;
}

static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    local_run *run = state;
    const pool_work *work = run->work;
    int64_t cell, seed;
    json_value *line;
    bool broken;
#pragma omp atomic read
    broken = run->broken;
    if (broken) {
        return NONSENS_OK; // the failure determines the status of the run
    }
    work->name(work->sink, job, &cell, &seed); // a single process needs no task
    TRY(work->make(ctx, scratch, work->state, cell, seed, &line));
    return keep_line(ctx, run, job, line);
}

nonsens_status pool_run_alone(nonsens_context *ctx, const pool_work *work)
{
    local_run alone = {.work = work, .keeping = PTHREAD_MUTEX_INITIALIZER};
    return parallel_for(ctx, work->threads, work->jobs, work->phase, run_job, &alone);
}
