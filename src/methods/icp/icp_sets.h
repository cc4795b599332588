/*
 * icp_sets.h - invariance of what a regression leaves, and the search for all sets of causes for which it holds.
 *
 * Variables are counted in the canonical order of the columns here; a set is a mask over the candidates of its target.
 */
#ifndef METHODS_ICP_ICP_SETS_H
#define METHODS_ICP_ICP_SETS_H

#include "data/dataset.h"

enum { ICP_CANDIDATES = 10 }; /* that sets are made of, at most */

/* What all tests have in common. */
typedef struct icp_data {
    int64_t n, d;
    const double **column; /* (d)(n) in canonical order */
    row_groups segments;   /* that residuals are compared over */
    row_groups inside;     /* that dependence is tested in: the segments, or all rows as one */
    int64_t whole[2];
    const nonsens_options *options;
} icp_data;

/* Points into `out`, which must stay where it is. */
nonsens_status icp_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                       icp_data *out);

typedef struct icp_invariance {
    double p_value;  /* of the same distribution in all segments */
    double distance; /* how much it changes, 0 to 1, whatever the number of rows (icp_sets.c) */
    bool tested;
    bool nothing_found; /* the regression saw no function of the set */
    int64_t skipped;    /* segments with too few rows */
} icp_invariance;

/* Does what `given` (count) leave of the target have the same distribution in all segments? */
nonsens_status icp_test(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target, int64_t count,
                        const int64_t *given, icp_invariance *out);

/* Is what `given` (count >= 1) leaves of the target independent of `given` inside segments?  p is NaN if no segment
 * has rows enough. */
nonsens_status icp_test_noise(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target, int64_t count,
                              const int64_t *given, double *p_value);

typedef struct icp_target {
    int64_t variable;
    int64_t candidates;
    int64_t candidate[ICP_CANDIDATES]; /* ascending */
    bool screened;                     /* there were more variables than that */
    int64_t largest;                   /* size of the largest sets tested */
    bool stopped;                      /* larger sets could not have changed anything: `common` is empty */
    icp_invariance alone;              /* the empty set */
    icp_invariance *set;               /* (2^candidates) NULL if the empty set was enough */
    int64_t tested, accepted;          /* sets */
    uint32_t common, any;              /* candidates in all accepted sets, and in at least one */
    bool unmoved;                      /* an accepted set, not the empty one, has no member that is seen to change */
    double noise_p;                    /* largest p-value of icp_test_noise among accepted sets; NaN: not tested */
} icp_target;

/* Fills in `target` (targets), whose `variable` is given; sets of at most max_size variables are accepted above
 * `level`. */
nonsens_status icp_search(nonsens_context *ctx, arena *a, const icp_data *data, int64_t max_size, double level,
                          int64_t targets, icp_target *target);

/* The largest p-value among the sets tested without this candidate; -1 stands for none, so that all sets count. */
double icp_largest_p(const icp_target *t, int64_t candidate);

/* Is the set among those that were tested? */
bool icp_was_tested(const icp_target *t, uint32_t set);

/* Variables of the set, ascending; returns how many. */
int64_t icp_members(const icp_target *t, uint32_t set, int64_t member[ICP_CANDIDATES]);

#endif
