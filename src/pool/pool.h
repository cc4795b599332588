/*
 * pool.h - runs units of work on the threads of one process, or shares them among several processes.
 *
 * A unit is named by a cell and a seed; its result is a line of JSON.  A sink says which units to run and keeps their
 * lines, one at a time.  With several processes, member 0 has the sink and hands units out; all members, including
 * member 0, run them on their own threads.
 *
 * In every member only the calling thread sends and receives; the other threads are workers, each with one unit at a
 * time.  Messages are JSON; those to or about a worker carry its number as their tag:
 *
 *     to member 0      {}                                            this worker has nothing to do
 *                      {"unit", "status", "line" or "message"}       this worker has finished a unit
 *                      {"unit": -1, "status", "message"}             the member was asked to stop (a signal)
 *                      {"bye"}                                       nothing more will come
 *     from member 0    {"unit", "cell", "seed"}                      for this worker
 *                      {"halt"}                                      stop what is running
 *                      {"stop": status}                              the run has ended: say bye
 *
 * A member says bye before it leaves, so that the next run reads no message of this one.
 */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "base/memory.h"
#include "json/json.h"

/*
 * Processes that run units together, and the functions that pass messages, texts of any length, from one to another in
 * the order in which they were sent.  The functions return 0, or another number if they fail.
 */
typedef struct pool_members {
    int member, members; /* number of this process, from 0; number of processes */
    int (*send)(void *user, int to, int tag, const char *text);
    /* Receives the next message, its sender and tag, or sets *text = NULL; valid until the next call. */
    int (*receive)(void *user, int *from, int *tag, const char **text);
    void *user;
} pool_members;

/* The units: how a member runs one; then, for member 0 or a single process, which units to run and who keeps them. */
typedef struct pool_work {
    const char *phase; /* in reports of progress */
    int threads;       /* workers of this process; 0: all cores */
    /* Makes the line of a unit, which the caller releases.  Called by several threads at a time. */
    nonsens_status (*make)(nonsens_context *ctx, arena *scratch, const void *state, int64_t cell, int64_t seed,
                           json_value **line);
    const void *state;

    int64_t jobs;
    void (*name)(const void *sink, int64_t job, int64_t *cell, int64_t *seed);
    /* Keeps the line and takes it over.  Called by one thread at a time; after a failure no further unit begins. */
    nonsens_status (*keep)(nonsens_context *ctx, void *sink, int64_t job, json_value *line);
    void *sink;
} pool_work;

/*
 * Runs all jobs: on the threads of this process if `others` is NULL, else as member 0.  A failure ends the run and is
 * the status of the run.  Of several failures the first to arrive counts, or without other members the lowest job's.
 */
nonsens_status pool_run(nonsens_context *ctx, arena *a, const pool_members *others, const pool_work *work);
/* Ends the other members with the status of the run, and returns it; member 0 calls it once, whatever came before. */
nonsens_status pool_dismiss(nonsens_context *ctx, const pool_members *members, nonsens_status status);
/* Runs units as another member until member 0 ends the run; returns the status of the run. */
nonsens_status pool_follow(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work);

#endif
