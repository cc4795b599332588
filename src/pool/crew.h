/*
 * crew.h - the processes that share a run of the library (nonsens_context_set_members).
 *
 * A public run that shares its work calls crew_begin, then crew_run any number of times, and crew_end whatever happened
 * in between.  Only the calling thread does so, with the caller's context: the contexts of jobs have no crew.
 */
#ifndef POOL_CREW_H
#define POOL_CREW_H

#include "pool/pool.h"

/* Begins a run; the crew must live until crew_end. */
void crew_begin(nonsens_context *ctx, pool_crew *crew);
/* Says whether the run is shared, and this process is not the one that gets the result. */
bool crew_follows(const nonsens_context *ctx);
/* Says whether this process has others to share the run with. */
bool crew_leads(const nonsens_context *ctx);
/*
 * Sets what the units depend on: members whose heads differ end the run.  To be called before crew_run; the first head
 * counts.
 */
nonsens_status crew_set_key(nonsens_context *ctx, const json_value *head);
/*
 * Runs all jobs: alone, or as member 0 of a crew.  Another member runs the units of all calls until the run ends, and
 * returns its status.
 */
nonsens_status crew_run(nonsens_context *ctx, arena *a, pool_work *work);
/* Ends the run with its status, and returns that of the whole run. */
nonsens_status crew_end(nonsens_context *ctx, pool_crew *crew, nonsens_status status);

#endif
