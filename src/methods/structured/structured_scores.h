/*
 * structured_scores.h - how well sets of causes explain each variable: fits of mechanisms, each made once and
 * remembered, as sums of held-out log densities over groups of rows.
 */
#ifndef METHODS_STRUCTURED_STRUCTURED_SCORES_H
#define METHODS_STRUCTURED_STRUCTURED_SCORES_H

#include "data/time_blocks.h"
#include "mechanism/mechanism.h"
#include "methods/shared/change.h"

typedef struct structured_score {
    int64_t effect, causes, cause[MECHANISM_MAX_CAUSES]; /* ascending */
    double total, fold_total[MECHANISM_MAX_FOLDS], smooth[MECHANISM_MAX_CAUSES];
    double *theta; /* parameters of the fit of all rows, then of those without a fold (mechanism_fit) */
    double *group; /* (groups) sums of held-out log densities */
    bool settled;  /* the fit is made */
    struct structured_score *next;
} structured_score;

/* Nodes are the variables in canonical order. */
typedef struct structured_scores {
    const nonsens_data *data;
    mechanism_data rows;
    int threads;
    time_blocks time;    /* of rows that follow one another in time */
    int64_t *time_order; /* (n) rows of each segment in the order of time; NULL without blocks */
    int32_t *group_of;   /* (n) drawn at random, equally many rows, or blocks, in each up to one */
    int64_t groups;
    arena memory;             /* of the entries */
    structured_score **table; /* hash table, chained */
    structured_score **wanted;
    int64_t wanted_count, wanted_capacity, fits;
} structured_scores;

/* Prepares an empty table of scores.  Memory comes from `a`, except for what structured_scores_free frees. */
nonsens_status structured_scores_new(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, structured_scores *out);
void structured_scores_free(structured_scores *s);

/* Asks for a score; cause is ascending. */
nonsens_status scores_want(nonsens_context *ctx, structured_scores *s, int64_t effect, int64_t causes,
                           const int64_t *cause);
/* Makes all fits that were asked for and not made yet, in parallel. */
nonsens_status scores_settle(nonsens_context *ctx, structured_scores *s, const char *phase);
/* Returns a score, or NULL if it was never asked for. */
const structured_score *scores_get(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause);

/*
 * Tests whether the location and the scale of a disturbance v (n) change over the segments.  Of rows in blocks, their
 * means are tested, and the means of their distances from the segment's mean; effects are those of the rows.
 */
nonsens_status scores_test_changes(nonsens_context *ctx, arena *scratch, const structured_scores *s, const double *v,
                                   change_test *location, change_test *scale);

#endif
