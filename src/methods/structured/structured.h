/*
 * structured.h - what the method `structured` has fitted and found, for its evidence (structured_evidence.c).
 */
#ifndef METHODS_STRUCTURED_STRUCTURED_H
#define METHODS_STRUCTURED_STRUCTURED_H

#include "indep/hsic.h"
#include "methods/shared/rank_search.h"
#include "methods/shared/result.h"
#include "methods/structured/structured_opinion.h"

enum { STRUCTURED_FEW_ROWS = 50 }; /* in segments with fewer rows, a misfit is hardly visible */

/* How a direction compares with the free classifier. */
enum structured_verdict { FITS, DOUBTFUL, REJECTED };

/* Variable j of the search as the cause: its restriction and what that costs. */
typedef struct structured_hypothesis {
    int64_t own;                /* k_j, the number of features that see variable j alone */
    classifier_fit fit;         /* if own > 0 */
    classifier_difference loss; /* against the free classifier of the same rank; zero, without a ratio, if own = 0 */
    enum structured_verdict verdict;
    const double *held_out;
} structured_hypothesis;

enum { STRUCTURED_ARENAS = 4 };

typedef struct structured {
    const nonsens_data *pair;
    const nonsens_options *options;
    arena memory[STRUCTURED_ARENAS]; /* of jobs that run at the same time: free, alone (2), all others */
    rank_search search, own_search[2];
    rank_search_outcome free, alone[2];
    int64_t rank; /* the directions are compared at this rank */
    structured_hypothesis cause[2];
    classifier_difference between; /* variable 0 as the cause against variable 1 as the cause, on held-out rows */
    bool at_rank_two; /* between is that of rank two, although the directions are compared at a lower rank */
    hsic_result dependence;
    bool dependent; /* or no segment has enough rows to tell */
    bool asked;     /* the opinion was computed */
    structured_opinion opinion;
} structured;

/* Returns whether the user's first column is variable 0 of the search. */
static inline bool structured_in_user_order(const structured *s)
{
    return s->search.user[0] == 0;
}

/* Decides by classifiers and opinion together: decision, its p-value and reason, firm, alternatives. */
void structured_decide(const structured *s, nonsens_result *result);

/* Adds what the mechanisms say to the list of opinions, if they were asked. */
nonsens_status structured_add_opinion(nonsens_context *ctx, const structured *s, nonsens_result *result);

/* Finds the direction to name if one must be named, and its score. */
void structured_name(const structured *s, nonsens_result *result);

/*
 * Adds evidence in both directions, in the user's order of columns; the modulation of each disturbance by the
 * classifier of the better direction; and notes on what speaks against the assumptions.
 */
nonsens_status structured_report(nonsens_context *ctx, arena *scratch, const structured *s, nonsens_result *result);

/* Reports the same as steps of reasoning (structured_reasoning.c). */
nonsens_status structured_say_reasoning(nonsens_context *ctx, const structured *s, nonsens_result *result);

#endif
