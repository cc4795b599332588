/*
 * pc_gaps.c - tests by partial correlation on the rows that have all variables of the test.
 *
 * A correlation matrix whose entries come from different rows need not be positive definite, and its partial
 * correlations have no definite number of rows.  So each test gathers its rows: O(n (count + 2)^2).
 */
#include "methods/pc/pc_gaps.h"

#include "graph/skeleton_test.h"
#include "methods/pc/pc_knots.h"

/* The rows that have all variables of a test, whose columns are x, y and those given. */
typedef struct gathered {
    column_set columns;
    row_groups groups;
} gathered;

static nonsens_status gather(nonsens_context *ctx, arena *a, const pc_gaps *s, int64_t count, const int64_t *node,
                             gathered *out)
{
    int64_t *user, *row, *start, rows = 0;
    double *value;
    const double **v;
    ARENA_TRY(ctx, a, user, count);
    ARENA_TRY(ctx, a, row, s->data->n);
    ARENA_TRY(ctx, a, start, s->groups.count + 1);
    ARENA_TRY(ctx, a, v, count);
    for (int64_t k = 0; k < count; k++) {
        user[k] = s->data->column_rank[node[k]];
    }
    for (int64_t e = 0; e < s->groups.count; e++) {
        for (int64_t i = s->groups.start[e]; i < s->groups.start[e + 1]; i++) {
            if (dataset_row_has(s->data, i, count, user)) {
                row[rows++] = i;
            }
        }
        start[e + 1] = rows;
    }
    for (int64_t k = 0; k < count; k++) {
        ARENA_TRY(ctx, a, value, rows + 1);
        for (int64_t i = 0; i < rows; i++) {
            value[i] = s->all.v[node[k]][row[i]];
        }
        v[k] = value;
    }
    *out = (gathered){{rows, count, v}, {s->groups.count, start}};
    return NONSENS_OK;
}

nonsens_status pc_gaps_ask(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                           const int64_t *given, double *p_value)
{
    const pc_gaps *s = state;
    SCOPED_ARENA(a);
    gathered g;
    int64_t *node, *number; // numbers in the data, and in the test
    ARENA_TRY(ctx, &a, node, count + 2);
    ARENA_TRY(ctx, &a, number, count + 2);
    for (int64_t k = 0; k < count + 2; k++) {
        node[k] = k == 0 ? x : k == 1 ? y : given[k - 2];
        number[k] = k;
    }
    TRY(gather(ctx, &a, s, count + 2, node, &g));
    if (s->knots > 0) {
        pc_knots piecewise;
        TRY(pc_knots_new(ctx, &a, &g.columns, &g.groups, s->knots, &piecewise));
        return pc_knots_ask(ctx, scratch, &piecewise, 0, 1, count, number + 2, p_value);
    }
    fisher_z_data correlations;
    TRY(fisher_z_new(ctx, &a, &g.columns, &g.groups, &correlations));
    skeleton_fisher_z linear = {&correlations, NULL};
    return skeleton_ask_fisher_z(ctx, scratch, &linear, 0, 1, count, number + 2, p_value);
}
