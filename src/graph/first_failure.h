/*
 * first_failure.h - stops a parallel loop whose jobs are many expensive tests: once a job has failed, later jobs do
 * nothing.  Earlier jobs continue, so that the failure of the lowest job is reported for any number of threads.
 */
#ifndef GRAPH_FIRST_FAILURE_H
#define GRAPH_FIRST_FAILURE_H

#include "base/status.h"

typedef struct first_failure {
    atomic_llong job;
} first_failure;

static inline void first_failure_reset(first_failure *f)
{
    atomic_store(&f->job, INT64_MAX);
}

static inline bool first_failure_is_before(first_failure *f, int64_t job)
{
    return atomic_load(&f->job) < job;
}

/* Notes the job if status is a failure; returns status. */
static inline nonsens_status first_failure_note(first_failure *f, int64_t job, nonsens_status status)
{
    long long known = atomic_load(&f->job);
    while (status != NONSENS_OK && job < known && !atomic_compare_exchange_weak(&f->job, &known, job)) {
    }
    return status;
}

#endif
