/*
 * information.h - test of independence by mutual information, estimated from nearest neighbours, inside groups of rows.
 *
 * T = sum over groups of rows_e I_e, where I_e is the estimate of Kraskov, Stoegbauer and Grassberger (math/entropy.h)
 * from the normal scores of x and y in the group; p comes from permutations of y inside groups.  Groups with fewer than
 * INFORMATION_MIN_ROWS rows, or with a constant variable, are skipped and counted; if none is left, p is 1 and T is 0.
 *
 * A permutation costs a k-d tree and n searches: on one thread, with the default number of neighbours, 5 ms for 1,000
 * rows, 55 ms for 10,000 and 0.6 s for 100,000 (with 3 neighbours a fifth of that).  Threads share permutations.
 */
#ifndef INDEP_INFORMATION_H
#define INDEP_INFORMATION_H

#include "base/matrix.h"
#include "base/memory.h"

enum { INFORMATION_MIN_ROWS = 10, INFORMATION_MAX_NEIGHBOURS = 50 }; /* the latter limits the default */

typedef struct information_options {
    int neighbours;       /* 0: a tenth of the group's rows, 3 to 50; at most a third of them */
    int64_t permutations; /* at least 1; p = (1 + #{T* >= T}) / (1 + B) */
    uint64_t seed, job;   /* permutations draw from streams of this seed and job (below 2^32) */
    int threads;
} information_options;

typedef struct information_result {
    double statistic;   /* T */
    double information; /* T over the rows used, in nats; may be slightly negative */
    double null_mean;   /* mean of the permuted T: the bias of T */
    double p_value;
    int64_t rows_used, groups_used, groups_skipped;
} information_result;

/* Tests x against y inside groups of rows. */
nonsens_status information_test(nonsens_context *ctx, arena *scratch, const double *x, const double *y,
                                const row_groups *groups, const information_options *options, information_result *out);

#endif
