/*
 * pool.h - runs units of work on the threads of one process, or shares them among several processes.
 *
 * A unit is named by a cell and a seed; its result is a line of JSON.  A sink says which units to run and keeps their
 * lines, one at a time.  With several processes, member 0 has the sink and hands units out; all members, including
 * member 0, run them on their own threads.
 *
 * In every member only the calling thread sends and receives; the other threads are workers, each with one unit at a
 * time.  Messages are JSON; messages to or about a worker have its number as their tag:
 *
 *     to member 0      {"key"}                                       hash of what this member's units depend on
 *                      {}                                            this worker has nothing to do
 *                      {"unit", "status", "line" or "message"}       this worker has finished a unit
 *                      {"unit": -1, "status", "message"}             the member was asked to stop (a signal)
 *                      {"bye"}                                       nothing more will come
 *     from member 0    {"unit", "cell", "seed" or "task"}            for this worker
 *                      {"halt"}                                      stop what is running
 *                      {"stop": status}                              the run has ended: say bye
 *
 * A member says bye before it leaves, so that the next run reads no message of this one.
 */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "base/memory.h"
#include "json/json.h"

/* Processes that run units together, and the functions that pass messages between them. */
typedef nonsens_members pool_members;

/* A worker of another member that waits for a unit. */
typedef struct pool_waiting {
    int member, worker;
} pool_waiting;

/*
 * What member 0 knows about the others from one pool_run to the next.  It is needed if a run calls pool_run several
 * times, or if its members check that they have the same work.
 */
typedef struct process_pool {
    const pool_members *members;
    uint64_t key; /* hash of all that units depend on; a member with another key ends the run */
    arena memory;
    pool_waiting *waiting; /* (count) */
    int64_t count, capacity;
    bool ended; /* other members: this member has followed to the end of the run */
} process_pool;

/* The units: how a member runs one; then, for member 0 or a single process, which units to run and who keeps them. */
typedef struct pool_work {
    const char *phase; /* in reports of progress; NULL: nothing is reported */
    int threads;       /* workers of this process; 0: all cores */
    /* Makes the line of a unit, which the caller releases.  Several threads may call it at once. */
    nonsens_status (*make)(nonsens_context *ctx, arena *scratch, const void *state, int64_t cell, int64_t seed,
                           json_value **line);
    /* If not NULL: makes the line of a unit that is given by a task instead of a cell and a seed. */
    nonsens_status (*make_task)(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                                json_value **line);
    const void *state;
    process_pool *processes; /* NULL: members do not check that they have the same work */

    int64_t jobs;
    void (*name)(const void *sink, int64_t job, int64_t *cell, int64_t *seed);
    /* If not NULL, called instead of `name`: returns the task of a unit, a new reference; NULL if memory runs out. */
    json_value *(*describe)(const void *sink, int64_t job);
    /* Keeps the line and takes ownership of it.  One thread calls it at a time; after a failure no unit begins. */
    nonsens_status (*keep)(nonsens_context *ctx, void *sink, int64_t job, json_value *line);
    void *sink;
} pool_work;

/*
 * Runs all jobs: on the threads of this process if `others` is NULL, else as member 0.  A failure ends the run and
 * determines its status: of several failures the first to arrive or, without other members, that of the lowest job.
 */
nonsens_status pool_run(nonsens_context *ctx, arena *a, const pool_members *others, const pool_work *work);
/* Runs all jobs on the threads of this process; for pool_run. */
nonsens_status pool_run_alone(nonsens_context *ctx, const pool_work *work);
/* Ends the other members with the status of the run, and returns it; member 0 always calls it once. */
nonsens_status pool_dismiss(nonsens_context *ctx, const pool_members *members, nonsens_status status);
/* Runs units as another member until member 0 ends the run; returns the status of the run. */
nonsens_status pool_follow(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work);
/*
 * Waits as another member until member 0 ends the run, without running units; returns the status of the run.  If
 * `status` is a failure, whose message is in the context, member 0 is told.
 */
nonsens_status pool_wait(nonsens_context *ctx, const pool_members *members, nonsens_status status);

#endif
