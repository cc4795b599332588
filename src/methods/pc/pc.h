/*
 * pc.h - the search of the method `pc`, step by step; `pc-nonsens` uses it too (pc_nonsens.c).
 *
 * Node k is the k-th variable in canonical order.
 */
#ifndef METHODS_PC_PC_H
#define METHODS_PC_PC_H

#include "data/dataset.h"
#include "graph/orient.h"
#include "graph/skeleton_test.h"
#include "methods/pc/pc_gaps.h"
#include "methods/pc/pc_knots.h"
#include "methods/shared/result.h"

typedef struct pc_search {
    const nonsens_data *data;
    const nonsens_options *options;
    row_groups groups;                  /* segments, or all rows as one group */
    int64_t all_rows[2];                /* bounds of that one group */
    enum option_independence_test test; /* TEST_FISHER_Z, TEST_KCI or TEST_RCIT */
    fisher_z_data correlations;         /* TEST_FISHER_Z without knots */
    skeleton_fisher_z linear;           /* TEST_FISHER_Z without knots */
    pc_knots piecewise;                 /* TEST_FISHER_Z with knots > 0 */
    pc_gaps gaps;                       /* TEST_FISHER_Z if values are missing */
    int64_t knots;                      /* of TEST_FISHER_Z */
    skeleton_ci asked;                  /* of the other tests */
    knowledge known;                    /* of the nodes */
    skeleton_options testing;
    skeleton found; /* its graph is directed later */
    orienter orient;
} pc_search;

/*
 * Finds the skeleton, v-structures and what follows by Meek's rules.  known (user's order) may be NULL.  default_knots
 * holds for --knots -1.  Memory comes from `a`; free the search also if this fails.  The search must not move: the
 * state of its tests points into it.
 */
nonsens_status pc_find_pattern(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               const knowledge *known, int64_t default_knots, pc_search *out);
void pc_free(pc_search *s);

/* Reports the edges, each with the largest p-value of the tests of its ends, and notes on the tests. */
nonsens_status pc_report(nonsens_context *ctx, arena *a, const pc_search *s, nonsens_result *result);

/* Reports the search as steps of reasoning (pc_reasoning.c). */
nonsens_status pc_say_reasoning(nonsens_context *ctx, const pc_search *s, nonsens_result *result);

/* Returns the name of the variable at this node. */
static inline const char *pc_name(const pc_search *s, int64_t node)
{
    return s->data->names[s->data->column_rank[node]];
}

#endif
