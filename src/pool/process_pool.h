/*
 * process_pool.h - the processes that share a run of the library (nonsens_context_set_members).
 *
 * A public run that shares its work calls process_pool_begin, then process_pool_run any number of times, and always
 * process_pool_end, even after a failure.  Only the calling thread does so, with the caller's context: the contexts of
 * jobs have no process pool.
 */
#ifndef POOL_PROCESS_POOL_H
#define POOL_PROCESS_POOL_H

#include "pool/pool.h"

/* Begins a run; the pool must live until process_pool_end. */
void process_pool_begin(nonsens_context *ctx, process_pool *processes);
/* Returns whether the run is shared and another process gets the result. */
bool process_pool_follows(const nonsens_context *ctx);
/* Returns whether the run is shared and this process gets the result. */
bool process_pool_leads(const nonsens_context *ctx);
/*
 * Sets what the units depend on; a member with another head ends the run.  Call it before process_pool_run; only the
 * first call has an effect.
 */
nonsens_status process_pool_set_key(nonsens_context *ctx, const json_value *head);
/*
 * Runs all jobs: alone, or as member 0 of a pool.  In another member, runs the units of all calls until the run ends,
 * and returns the status of the run.
 */
nonsens_status process_pool_run(nonsens_context *ctx, arena *a, pool_work *work);
/* Ends the run; takes the status of this process and returns that of the whole run. */
nonsens_status process_pool_end(nonsens_context *ctx, process_pool *processes, nonsens_status status);

#endif
