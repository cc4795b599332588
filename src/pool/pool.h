/*
 * pool.h - units of work, run by the threads of one process or shared among several processes.
 *
 * A unit is named by a cell and a seed, and comes back as a line of JSON.  A sink says which units are to be run and
 * keeps their lines, one at a time.  With several processes, member 0 has the sink and hands units out; all members,
 * member 0 too, run them on threads of their own.
 *
 * In every member the calling thread alone sends and receives; the other threads are workers, each with one unit at a
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
 * Processes that run units together, and how messages, texts of any length, get from one to another in the order in
 * which they were sent.  The functions return 0, or anything else if they fail.
 */
typedef struct pool_members {
    int member, members; /* which of how many this process is, from 0 */
    int (*send)(void *user, int to, int tag, const char *text);
    /* The next message that has come, its sender and tag, or *text = NULL; valid until the next call. */
    int (*receive)(void *user, int *from, int *tag, const char **text);
    void *user;
} pool_members;

/* The units: how a member runs one, and below, for member 0 or a process alone, which ones and where they go. */
typedef struct pool_work {
    const char *phase; /* in reports of progress */
    int threads;       /* workers of this process; 0: all cores */
    /* Makes the line of a unit, which the caller releases.  Several threads at a time. */
    nonsens_status (*make)(nonsens_context *ctx, arena *scratch, const void *state, int64_t cell, int64_t seed,
                           json_value **line);
    const void *state;

    int64_t jobs;
    void (*name)(const void *sink, int64_t job, int64_t *cell, int64_t *seed);
    /* Takes the line over.  One thread at a time; after a failure no further unit is begun. */
    nonsens_status (*keep)(nonsens_context *ctx, void *sink, int64_t job, json_value *line);
    void *sink;
} pool_work;

/*
 * Runs all jobs: on the threads of this process if `others` is NULL, else as member 0.  A failure ends the run and is
 * the status of the whole; of several, the first to arrive, or without other members that of the lowest job.
 */
nonsens_status pool_run(nonsens_context *ctx, arena *a, const pool_members *others, const pool_work *work);
/* Member 0, once, whatever came before: ends the other members with the status of the whole, and returns it. */
nonsens_status pool_dismiss(nonsens_context *ctx, const pool_members *members, nonsens_status status);
/* Another member: runs the units that it is given until member 0 ends the run; returns the status of the whole. */
nonsens_status pool_follow(nonsens_context *ctx, arena *a, const pool_members *members, const pool_work *work);

#endif
