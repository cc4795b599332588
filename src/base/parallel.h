/*
 * parallel.h - the one parallel loop of the library.
 *
 * Jobs 0 .. jobs-1 run on up to `threads` threads in any order.  A job writes only to its own place, draws only from
 * its own random stream, and results are put together in index order afterwards: the outcome is the same, bit for
 * bit, for any number of threads.  If jobs fail, the failure of the lowest job that ran is reported.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/memory.h"

/* scratch is the job's own and is freed when it returns. */
typedef nonsens_status (*job_fn)(nonsens_context *ctx, arena *scratch, int64_t job, void *state);

/*
 * threads <= 0 means all cores.  `phase` names the work in progress reports, and what is inside of jobs then reports
 * none; NULL for no reports of the loop itself.
 */
nonsens_status parallel_for(nonsens_context *ctx, int threads, int64_t jobs, const char *phase, job_fn run,
                            void *state);

/* How many threads `threads` stands for: itself, or all cores where it is zero or less. */
int parallel_threads(int threads);

/* How many threads an OpenMP region of this thread may have: `wanted`, or one where a fork took them away. */
int parallel_team(int wanted);

#endif
