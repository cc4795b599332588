/*
 * rank_search.h - the segment classifiers of a pair, fitted once and compared with one another: in how many ways the
 * segments differ (rank), and what a restriction to one variable costs.  `structured` decides by them, `diagnose`
 * reports them.
 *
 * Everything here is in canonical order of the warped variables.  Which of the user's columns is first, whether it is
 * reversed, and the order of segments and rows depend on ranks and segment sizes alone.  What features are made of is
 * hidden behind rank_search_features.h; options->features chooses it.
 */
#ifndef METHODS_SHARED_RANK_SEARCH_H
#define METHODS_SHARED_RANK_SEARCH_H

#include "classifier/classifier_compare.h"
#include "classifier/penalty.h"
#include "data/time_blocks.h"
#include "options/options.h"

enum { RANK_SEARCH_MAX_RANK = 5 }; /* 2 d + 1 */

typedef struct rank_search {
    const nonsens_data *pair;
    const nonsens_options *options;
    const struct rank_search_features *features;
    int threads;
    int32_t user[2];         /* the user's column that is variable 0, 1 here */
    int64_t segments;        /* what rows are classified by: segments of the data set, or groups of them */
    bool grouped;            /* by groups: rows of one segment are then a block, even if their groups differ */
    int32_t *user_segment;   /* (segments) segment of the data set; NULL: grouped */
    int64_t *user_row;       /* (n) row of the data set */
    int64_t *start;          /* (segments + 1) */
    double *warped[2];       /* (n) */
    const double *inside[2]; /* (n) the same, sorted by segments of the data set, with bounds inside_start */
    const int64_t *inside_start;
    time_blocks time;           /* blocks of neighbouring rows, in the data's order of rows */
    classifier_blocks blocks;   /* the same in the search's order; if grouped, the segments of the data set */
    int64_t *time_order;        /* (n) rows of each segment of `inside` in order of time; NULL without blocks */
    int32_t *label, *fold;      /* (n) */
    classifier_sample sample;   /* splines only */
    classifier_penalty penalty; /* splines only */
    double *chance;             /* (n) log share of the row's segment */
    double *scratch;            /* (n) */
    int64_t max_rank;           /* highest rank that may be tried */
} rank_search;

/* Ranks 1, 2, ..., each compared with the one before; the search stops at the first that is no better. */
typedef struct rank_search_outcome {
    int64_t rank;   /* found: 0 if nothing beats the segment shares */
    int64_t fitted; /* fit[1 .. fitted] are filled in */
    int64_t tried;  /* the last rank tried: fitted, or one more that the score ruled out */
    classifier_fit fit[RANK_SEARCH_MAX_RANK + 2]; /* fit[r] has rank r */
    classifier_difference
        step[RANK_SEARCH_MAX_RANK + 2]; /* step[r]: rank r against rank r - 1, for r = 1 .. tried, as first fitted */
} rank_search_outcome;

/* With more segments, rows are classified by groups of segments (segment_groups.h), if the caller allows it. */
enum { RANK_SEARCH_UNGROUPED = 50 };

/*
 * Warps the variables, orders the rows, deals folds (of whole blocks if there are blocks) and prepares the features.
 * Memory comes from `a`.  Refuses blocks so long that a segment has only one.
 */
nonsens_status rank_search_new(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                               bool may_group, rank_search *out);

/* Returns the level of each test: alpha over the number of tests that judge the features. */
double rank_search_level(const rank_search *l);

/*
 * Returns the level of the test of a rank against the one below.  A free classifier's second and further features must
 * pass a stricter test: approximation error shows there first, and a rank too many costs more than one too few.
 */
double rank_search_rank_level(const rank_search *l, enum classifier_kind kind, int64_t rank);

/*
 * Finds the rank, at most `max_rank`, of the features of one kind; free features have KIND_BOTH.  A rank counts if the
 * test rejects the one below and held-out rows are predicted better.  A free rank must also gain more than a small
 * share of the gain before it.  Ranks that count are scored.
 * Begins with an outcome of zeros, and continues from what an earlier call with a lower `max_rank` found.
 */
nonsens_status rank_search_ranks(nonsens_context *ctx, arena *a, const rank_search *l, enum classifier_kind kind,
                                 int64_t max_rank, rank_search_outcome *out);

/* Returns how null distributions of likelihood ratios are drawn. */
compare_draws rank_search_draws(const rank_search *l, int threads, int64_t draws);

/* Compares log likelihoods of held-out rows, larger - smaller, with standard errors of blocks if there are blocks. */
void rank_search_compare(const rank_search *l, const double *larger, const double *smaller, classifier_difference *out);

#endif
