/*
 * pc.c - the PC algorithm (Spirtes, Glymour, Scheines, "Causation, Prediction, and Search", 2nd ed., 2000, section
 * 5.4.2) in the order-independent form of Colombo and Maathuis (JMLR 15, 2014).
 *
 *   1. Skeleton by PC-stable (graph/skeleton.h): an edge is removed if some set S of at most --max-given neighbours of
 *      either end gives p > alpha.
 *   2. v-structures a -> b <- c by --colliders, those that contradict one another by --conflicts; Meek's rules
 *      (graph/orient.h).
 *   3. All steps respect prior knowledge (--knowledge); run.c compares the final graph with it.
 *
 * If there are segments, tests are made inside each of them and added up: the segment is given, which is safe since
 * nothing causes it.  --pooling pooled pools all rows.
 *
 * Tests: fisher-z straight from correlation matrices, one per segment (indep/fisher_z.h; mean and heterogeneity over
 * segments; with --knots, given piecewise linear functions, pc_knots.h), or a kernel test (indep/ci.h).  hsic cannot
 * condition, so it means kci, which is hsic if nothing is given.  alpha is the level of each test, as in all of the
 * literature on PC; it is not corrected for their number.
 *
 * If values are missing (--na pairwise), each test uses the rows that have its variables (pc_gaps.h); fisher-z only.
 *
 * Differences from the literature: sets so large that no segment has enough rows for Fisher's z (|S| + 4) are not
 * tested.  The usual answer, independence, would remove edges for lack of rows.
 */
#include "methods/pc/pc.h"

#include "methods/pc/pc_method.h"

_Static_assert((int)COLLIDERS_CONSERVATIVE == (int)ORIENT_CONSERVATIVE, "options name the rules in their order");
_Static_assert((int)COLLIDERS_MAJORITY == (int)ORIENT_MAJORITY, "options name the rules in their order");
_Static_assert((int)CONFLICTS_PRIORITY == (int)ORIENT_PRIORITY, "options name the rules in their order");

enum { FISHER_Z_OVERHEAD = 3 }; /* rows of a segment that a test needs in addition to those for given variables */

/* ---- tests --------------------------------------------------------------------------------------------------- */

/* Collects the columns in canonical order. */
static nonsens_status gather_columns(nonsens_context *ctx, arena *a, const nonsens_data *data, column_set *out)
{
    const double **v; // (d)
    ARENA_TRY(ctx, a, v, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        v[k] = matrix_col(data->x, data->column_rank[k]);
    }
    *out = (column_set){data->n, data->d, v};
    return NONSENS_OK;
}

static nonsens_status open_fisher_z(nonsens_context *ctx, arena *a, const column_set *all, pc_search *s)
{
    int64_t max_rows = 0;
    for (int64_t e = 0; e < s->groups.count; e++) {
        int64_t rows = s->groups.start[e + 1] - s->groups.start[e];
        max_rows = rows > max_rows ? rows : max_rows;
    }
    int64_t room = (max_rows - FISHER_Z_OVERHEAD - 1) / (1 + s->knots);
    if (s->data->gap) {
        s->gaps = (pc_gaps){s->data, *all, s->groups, s->knots};
        s->testing.test = pc_gaps_ask;
        s->testing.state = &s->gaps;
    } else if (s->knots > 0) {
        TRY(pc_knots_new(ctx, a, all, &s->groups, s->knots, &s->piecewise));
        s->testing.test = pc_knots_ask;
        s->testing.state = &s->piecewise;
    } else {
        TRY(fisher_z_new(ctx, a, all, &s->groups, &s->correlations));
        s->linear = (skeleton_fisher_z){&s->correlations, NULL};
        s->testing.test = skeleton_ask_fisher_z;
        s->testing.state = &s->linear;
    }
    if (s->testing.max_given > room) {
        s->testing.max_given = room > 0 ? room : 0;
    }
    return NONSENS_OK;
}

static nonsens_status open_tester(nonsens_context *ctx, arena *a, const column_set *all, pc_search *s)
{
    column_set *variable; // (d)
    if (s->data->gap) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "values are missing, and kernel tests need all of them; take --test fisher-z, or leave out rows "
                    "with missing ones by --na drop-rows");
    }
    ci_options ci = ci_options_from(s->options);
    ci.test = s->test;
    ci.threads = 1; // pairs are tested in parallel
    ARENA_TRY(ctx, a, variable, all->d);
    for (int64_t k = 0; k < all->d; k++) {
        variable[k] = (column_set){all->n, 1, all->v + k};
    }
    ci_variables variables = {all->d, variable, NULL, s->groups};
    TRY(ci_new(ctx, &variables, &ci, &s->asked.tester));
    s->testing.test = skeleton_ask_ci;
    s->testing.state = &s->asked;
    return NONSENS_OK;
}

/* ---- search -------------------------------------------------------------------------------------------------- */

static nonsens_status find_directions(nonsens_context *ctx, arena *a, pc_search *s)
{
    const nonsens_options *o = s->options;
    s->testing.phase = "testing v-structures";
    TRY(orient_new(ctx, a, &s->found.graph, s->testing.known, &s->orient));
    TRY(orient_knowledge(ctx, &s->orient));
    TRY(orient_colliders(ctx, a, &s->orient, &s->found, &s->testing, (enum collider_rule)o->colliders,
                         (enum conflict_rule)o->conflicts));
    return orient_rules(ctx, &s->orient);
}

nonsens_status pc_find_pattern(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               const knowledge *known, int64_t default_knots, pc_search *out)
{
    column_set all;
    *out = (pc_search){.data = data, .options = options, .test = options->test};
    out->test = out->test == TEST_AUTO ? TEST_FISHER_Z : out->test == TEST_HSIC ? TEST_KCI : out->test;
    out->groups = dataset_groups(data, options, out->all_rows);
    out->testing = (skeleton_options){.alpha = options->alpha,
                                      .max_given = options->max_given,
                                      .threads = (int)options->threads,
                                      .phase = "testing independence"};
    out->knots = options->knots < 0 ? default_knots : options->knots;
    if (known) {
        TRY(knowledge_permute(ctx, a, known, data->column_rank, &out->known));
        out->testing.known = &out->known;
    }
    TRY(gather_columns(ctx, a, data, &all));
    TRY(out->test == TEST_FISHER_Z ? open_fisher_z(ctx, a, &all, out) : open_tester(ctx, a, &all, out));
    TRY(skeleton_find(ctx, a, data->d, &out->testing, &out->found));
    return find_directions(ctx, a, out);
}

void pc_free(pc_search *s)
{
    ci_free(s->asked.tester);
    s->asked.tester = NULL;
}

nonsens_status pc_discover(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                           nonsens_result *result)
{
    SCOPED(pc_free) pc_search s = {0};
    TRY(pc_find_pattern(ctx, a, data, options, result->known, 0, &s));
    return pc_report(ctx, a, &s, result);
}
