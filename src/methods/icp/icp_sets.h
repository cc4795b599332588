/*
 * icp_sets.h - tests whether residuals of a regression are invariant, and searches for all sets of causes for which
 * they are.
 *
 * Variables are in the canonical order of the columns; a set is a mask over the candidates of its target.
 */
#ifndef METHODS_ICP_ICP_SETS_H
#define METHODS_ICP_ICP_SETS_H

#include "data/dataset.h"

enum { ICP_CANDIDATES = 10 }; /* sets are made of at most this many variables */

/* What all tests have in common. */
typedef struct icp_data {
    int64_t n, d;
    const double **column; /* (d)(n) in canonical order */
    row_groups segments;   /* residuals are compared over these */
    row_groups inside;     /* dependence is tested inside these: the segments, or all rows as one group */
    int64_t whole[2];
    const nonsens_options *options;
} icp_data;

/* Prepares the columns and groups.  `out` points into itself, so it must not move. */
nonsens_status icp_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                       icp_data *out);

/*
 * Does the same without the segments for which hit (segments) is true, those that intervened on a target: its residuals
 * are not invariant there.  At least one segment must remain.
 */
nonsens_status icp_new_without(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               const bool *hit, icp_data *out);

typedef struct icp_invariance {
    double p_value;  /* of the same distribution in all segments */
    double distance; /* how much it changes, 0 to 1, for any number of rows (icp_sets.c) */
    bool tested;
    bool nothing_found; /* the regression saw no function of the set */
    int64_t skipped;    /* segments with too few rows */
} icp_invariance;

/* Tests whether the residual of the target given `given` (count) has the same distribution in all segments. */
nonsens_status icp_test(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target, int64_t count,
                        const int64_t *given, icp_invariance *out);

/*
 * Tests whether the residual of the target given `given` (count >= 1) is independent of `given` inside segments.  p is
 * NaN if no segment has enough rows.
 */
nonsens_status icp_test_noise(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target, int64_t count,
                              const int64_t *given, double *p_value);

typedef struct icp_target {
    int64_t variable;
    int64_t candidates;
    int64_t candidate[ICP_CANDIDATES]; /* ascending */
    bool screened;                     /* there were more variables than that */
    int64_t largest;                   /* size of the largest sets tested */
    bool stopped;                      /* larger sets cannot change anything: `common` is empty */
    icp_invariance alone;              /* the empty set */
    icp_invariance *set;               /* (2^candidates) NULL if the empty set was enough */
    int64_t tested, accepted;          /* sets */
    uint32_t common, any;              /* candidates in all accepted sets, and in at least one */
    bool unmoved;                      /* an accepted set, not the empty one, has no member that is seen to change */
    double noise_p;                    /* largest p-value of icp_test_noise among accepted sets; NaN: not tested */
} icp_target;

/*
 * Fills in `target` (targets), whose `variable` is set.  Tests sets of at most max_size variables, and accepts those
 * with a p-value above `level`.
 */
nonsens_status icp_search(nonsens_context *ctx, arena *a, const icp_data *data, int64_t max_size, double level,
                          int64_t targets, icp_target *target);

/* Returns the largest p-value among the tested sets without this candidate; with -1 all sets count. */
double icp_largest_p(const icp_target *t, int64_t candidate);

/* Returns whether the set was tested. */
bool icp_was_tested(const icp_target *t, uint32_t set);

/* Lists the variables of the set, ascending; returns how many. */
int64_t icp_members(const icp_target *t, uint32_t set, int64_t member[ICP_CANDIDATES]);

#endif
