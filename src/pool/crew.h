/*
 * crew.h - units of work shared among processes (nonsens_crew): member 0 hands them out one at a time and keeps what
 * comes back, and all members, member 0 too, run them on threads of their own.
 *
 * In every member the calling thread alone talks; the others are hands, each with one unit at a time.  Messages are
 * JSON; those to or about a hand carry its number beside them:
 *
 *     to member 0      {}                                            this hand has nothing to do
 *                      {"unit", "status", "line" or "message"}       this hand has finished a unit
 *                      {"unit": -1, "status", "message"}             the member was asked to stop (a signal)
 *                      {"bye"}                                       nothing more will come
 *     from member 0    {"unit", "cell", "seed"}                      for this hand
 *                      {"halt"}                                      break off what is running
 *                      {"stop": status}                              all is over: say bye
 *
 * A member says bye before it leaves, so that no message of one run is read by the next.
 */
#ifndef POOL_CREW_H
#define POOL_CREW_H

#include "base/memory.h"

#include <jansson.h>

/* The units: what a member can do, and below what member 0 alone is asked. */
typedef struct crew_work {
    const char *phase; /* in reports of progress */
    int threads;       /* hands of this member; 0: all cores */
    /* The line of a unit, which the caller releases.  Several threads at a time. */
    nonsens_status (*make)(nonsens_context *ctx, arena *scratch, const void *state, int64_t cell, int64_t seed,
                           json_t **line);
    const void *state;

    int64_t jobs;
    void (*name)(const void *keeper, int64_t job, int64_t *cell, int64_t *seed);
    /* Takes the line over. */
    nonsens_status (*keep)(nonsens_context *ctx, void *keeper, int64_t job, json_t *line);
    void *keeper;
} crew_work;

/* Member 0: runs all jobs.  The first failure to arrive breaks off the run and is its failure. */
nonsens_status crew_lead(nonsens_context *ctx, arena *a, const nonsens_crew *crew, const crew_work *work);
/* Member 0, once, whatever came before: sends the others home with the status of the whole, and returns it. */
nonsens_status crew_dismiss(nonsens_context *ctx, const nonsens_crew *crew, nonsens_status status);
/* Another member: runs what it is given until it is sent home; the status it was sent home with. */
nonsens_status crew_follow(nonsens_context *ctx, arena *a, const nonsens_crew *crew, const crew_work *work);

#endif
