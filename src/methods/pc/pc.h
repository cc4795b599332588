/*
 * pc.h - the search of the method `pc`, step by step, for `pc-nonsens` as well (pc_nonsens.c).
 *
 * Node k is the k-th variable in canonical order.
 */
#ifndef METHODS_PC_PC_H
#define METHODS_PC_PC_H

#include "data/dataset.h"
#include "graph/orient.h"
#include "graph/skeleton_test.h"
#include "methods/pc/pc_knots.h"
#include "methods/shared/result.h"

typedef struct pc_search {
    const nonsens_data *data;
    const nonsens_options *options;
    row_groups groups;                  /* segments, or all rows as one */
    int64_t all_rows[2];                /* bounds of the latter */
    enum option_independence_test test; /* TEST_FISHER_Z, TEST_KCI or TEST_RCIT */
    fisher_z_data correlations;         /* TEST_FISHER_Z alone */
    skeleton_fisher_z lean;             /* likewise */
    pc_knots bent;                      /* in place of these two where knots > 0 */
    int64_t knots;                      /* of fisher-z */
    skeleton_ci asked;                  /* of the other tests */
    knowledge known;                    /* of the nodes */
    skeleton_options testing;
    skeleton found; /* its graph is the one that is directed */
    orienter orient;
} pc_search;

/*
 * Skeleton, v-structures and Meek's rules.  known (user's order) may be NULL.  usual_bends: of --bends -1.  Memory from
 * `a`; to be closed in any case, also where it fails.  The search must stay where it is: what it asks points into it.
 */
nonsens_status pc_find_pattern(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               const knowledge *known, int64_t usual_bends, pc_search *out);
void pc_free(pc_search *s);

/* Edges with the largest p-value of the tests of their ends; notes on the tests and on what speaks against them. */
nonsens_status pc_report(nonsens_context *ctx, arena *a, const pc_search *s, nonsens_result *result);

/* The search as steps of reasoning (pc_reasoning.c). */
nonsens_status pc_say_reasoning(nonsens_context *ctx, const pc_search *s, nonsens_result *result);

static inline const char *pc_name(const pc_search *s, int64_t node)
{
    return s->data->names[s->data->column_rank[node]];
}

#endif
