/*
 * parallel.h - the one parallel loop of the library.
 *
 * Jobs 0 .. jobs-1 run on up to `threads` threads in any order.  A job writes only to its own memory and draws only
 * from its own random stream; results are combined in index order afterwards.  So the outcome is the same, bit for bit,
 * for any number of threads.  If several jobs fail, the failure with the lowest job number is reported.
 *
 * Loops may be nested: idle threads share the work of a job's own loop.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/memory.h"

/* Runs one job; scratch belongs to the job alone and is freed when it returns. */
typedef nonsens_status (*job_fn)(nonsens_context *ctx, arena *scratch, int64_t job, void *state);

/*
 * Runs the jobs; threads <= 0 means all cores.  `phase` names the work in progress reports; the jobs themselves then
 * report nothing.  If it is NULL, the loop reports nothing.
 */
nonsens_status parallel_for(nonsens_context *ctx, int threads, int64_t jobs, const char *phase, job_fn run,
                            void *state);

/*
 * Runs a function on the calling thread, while other threads wait for the jobs of its loops: they are started once, and
 * an inner loop can use more threads than the outer loop has jobs.
 */
typedef nonsens_status (*region_fn)(nonsens_context *ctx, void *state);
nonsens_status parallel_region(nonsens_context *ctx, int threads, region_fn run, void *state);

/* Returns the number of threads: `threads` itself, or all cores if it is zero or less. */
int parallel_threads(int threads);

/* Returns how many threads an OpenMP region of this thread may have: `wanted`, or one if a fork removed them. */
int parallel_team(int wanted);

#endif
