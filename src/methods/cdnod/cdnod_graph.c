/*
 * cdnod_graph.c - CD-NOD on all variables (Huang et al., JMLR 21, 2020; the pair: cdnod.c).
 *
 * The segment C is one more node, which nothing causes.
 *   1. Skeleton by PC-stable (graph/skeleton.h).  Tests of two variables are made inside segments, that is given C:
 *      since nothing causes C, a set that separates two variables also does so with C in it.  Sets have at most
 *      --max-given variables.  A variable adjacent to C has a mechanism that changes.
 *   2. C -> x for all x adjacent to C; v-structures, among them C -> x <- y, by the majority of the sets that separate
 *      their ends; if they contradict one another, those with the largest p-value first; Meek's rules.
 *   3. An undirected edge between two variables that change is directed by independent changes: P(x | pa_x) and
 *      P(y | x, pa_y) against P(y | pa_y) and P(x | y, pa_x), pa the parents known so far (at most --max-given of them,
 *      in canonical order).  The edge whose two directions differ most comes first, then Meek's rules; edges whose
 *      parents have changed are compared again.
 * An edge's p-value is the largest of the tests that did not separate its ends.
 */
#include "base/show.h"
#include "graph/orient.h"
#include "graph/skeleton_test.h"
#include "methods/cdnod/cdnod_method.h"
#include "methods/cdnod/cdnod_tests.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LISTED_NAMES = 12 };

/* An undirected edge that independent changes may direct. */
typedef struct candidate {
    int64_t node[2];
    int64_t parents[2]; /* numbers of parents that the comparison used */
    bool compared, settled;
    cdnod_dependence way[2];
} candidate;

typedef struct finder {
    cdnod_tests tests;
    int64_t segment; /* node of the segment */
    skeleton found;
    skeleton_options testing;
    knowledge known;
    orienter orient;
    candidate *candidate; /* (candidates) */
    int64_t candidates;
} finder;

/* ---- skeleton and v-structures ------------------------------------------------------------------------------- */

static bool is_changing(const finder *f, int64_t node)
{
    return pdag_is_adjacent(&f->found.graph, node, f->segment);
}

static nonsens_status find_pattern(nonsens_context *ctx, arena *a, skeleton_ci *asked, finder *f)
{
    const nonsens_options *o = f->tests.options;
    TRY(knowledge_new(ctx, a, f->segment + 1, &f->known));
    for (int64_t k = 0; k < f->segment; k++) {
        knowledge_forbid(&f->known, k, f->segment);
    }
    *asked = (skeleton_ci){f->tests.tester, NULL};
    f->testing = (skeleton_options){.test = skeleton_ask_ci,
                                    .state = asked,
                                    .alpha = o->alpha,
                                    .max_given = o->max_given,
                                    .known = &f->known,
                                    .threads = (int)o->threads,
                                    .phase = "testing independence"};
    TRY(skeleton_find(ctx, a, f->segment + 1, &f->testing, &f->found));
    TRY(orient_new(ctx, a, &f->found.graph, &f->known, &f->orient));
    TRY(orient_knowledge(ctx, &f->orient));
    TRY(orient_colliders(ctx, a, &f->orient, &f->found, &f->testing, ORIENT_MAJORITY, ORIENT_PRIORITY));
    return orient_rules(ctx, &f->orient);
}

/* ---- independent changes ------------------------------------------------------------------------------------- */

/* Fills in parent (d + 1) with the first --max-given parents of a node, without the segment; returns how many. */
static int64_t parents_of(const finder *f, int64_t node, int64_t *parent)
{
    int64_t all = pdag_parents(&f->found.graph, node, parent), kept = 0;
    for (int64_t i = 0; i < all; i++) {
        if (parent[i] != f->segment && kept < f->tests.options->max_given) {
            parent[kept++] = parent[i];
        }
    }
    return kept;
}

/* Nodes only gain parents, so an unchanged number of parents means unchanged parents. */
static nonsens_status compare_candidate(nonsens_context *ctx, arena *a, const finder *f, candidate *c)
{
    cdnod_line line = {.node = {c->node[0], c->node[1]}};
    arena_mark mark = arena_tell(a);
    for (int k = 0; k < 2; k++) {
        int64_t *parent;
        ARENA_TRY(ctx, a, parent, f->segment + 1);
        line.parents[k] = parents_of(f, c->node[k], parent);
        line.parent[k] = parent;
    }
    if (!c->compared || line.parents[0] != c->parents[0] || line.parents[1] != c->parents[1]) {
        TRY(cdnod_tests_directions(ctx, a, &f->tests, &line, c->way));
        c->compared = true;
        memcpy(c->parents, line.parents, sizeof c->parents);
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}

static double gap_of(const candidate *c)
{
    return fabs(c->way[0].value - c->way[1].value);
}

static int cause_of(const candidate *c)
{
    return c->way[0].value < c->way[1].value ? 0 : 1;
}

/* Compares the undirected edges that are left; sets *next to the one whose directions differ most, or NULL. */
static nonsens_status next_candidate(nonsens_context *ctx, arena *a, finder *f, candidate **next)
{
    *next = NULL;
    for (int64_t i = 0; i < f->candidates; i++) {
        candidate *c = &f->candidate[i];
        if (c->settled || !pdag_is_line(&f->found.graph, c->node[0], c->node[1])) {
            continue;
        }
        TRY(check_cancelled(ctx));
        TRY(compare_candidate(ctx, a, f, c));
        if (gap_of(c) > (*next ? gap_of(*next) : 0.0)) {
            *next = c;
        }
    }
    return NONSENS_OK;
}

static nonsens_status direct_candidates(nonsens_context *ctx, arena *a, finder *f)
{
    const pdag *g = &f->found.graph;
    ARENA_TRY(ctx, a, f->candidate, pdag_edge_count(g) + 1);
    for (int64_t y = 0; y < f->segment; y++) {
        for (int64_t x = 0; x < y; x++) {
            if (pdag_is_line(g, x, y) && is_changing(f, x) && is_changing(f, y)) {
                f->candidate[f->candidates++] = (candidate){.node = {x, y}};
            }
        }
    }
    if (f->candidates == 0) {
        return NONSENS_OK;
    }
    TRY(cdnod_tests_score(ctx, a, &f->tests));
    for (int64_t done = 0; done < f->candidates; done++) {
        candidate *c;
        bool directed;
        report_progress(ctx, "comparing changes", done, f->candidates);
        TRY(next_candidate(ctx, a, f, &c));
        if (!c) {
            break;
        }
        int cause = cause_of(c);
        TRY(orient_edge(ctx, &f->orient, c->node[cause], c->node[1 - cause], &directed));
        c->settled = true;
    }
    return NONSENS_OK;
}

/* ---- report -------------------------------------------------------------------------------------------------- */

static int64_t user_of(const finder *f, int64_t node)
{
    return f->tests.data->column_rank[node];
}

static nonsens_status report_changes(nonsens_context *ctx, const finder *f, const int64_t *node_of,
                                     nonsens_result *result)
{
    for (int64_t column = 0; column < f->segment; column++) {
        int64_t k = node_of[column];
        bool changing = is_changing(f, k);
        TRY(result_add(ctx, result, changing ? 1.0 : 0.0, skeleton_at(&f->found, k, f->segment)->p_value,
                       changing ? "1: its mechanism changes over the segments; p-value: the largest of the tests of "
                                  "independence of the segment, outright and given others"
                                : "0: independent of the segment, outright or given others, with this p-value",
                       "changes(%s)", result->names[column]));
    }
    return NONSENS_OK;
}

static nonsens_status report_edges(nonsens_context *ctx, arena *a, const finder *f, nonsens_result *result)
{
    pdag_edge *edge;
    int64_t count = pdag_edge_count(&f->found.graph);
    ARENA_TRY(ctx, a, edge, count + 1);
    pdag_to_edges(&f->found.graph, edge);
    for (int64_t i = 0; i < count; i++) {
        if (edge[i].from == f->segment || edge[i].to == f->segment) {
            continue;
        }
        TRY(result_edge(ctx, result, user_of(f, edge[i].from), user_of(f, edge[i].to), pdag_edge_type(edge[i].mark),
                        NAN, skeleton_at(&f->found, edge[i].from, edge[i].to)->p_value));
    }
    return NONSENS_OK;
}

static nonsens_status report_candidates(nonsens_context *ctx, const finder *f, nonsens_result *result)
{
    for (int64_t i = 0; i < f->candidates; i++) {
        const candidate *c = &f->candidate[i];
        cdnod_line line = {.node = {c->node[0], c->node[1]}};
        if (c->settled) {
            int cause = cause_of(c);
            TRY(cdnod_tests_report(ctx, &f->tests, &line, c->way, result));
            if (pdag_is_arrow(&f->found.graph, c->node[cause], c->node[1 - cause])) {
                TRY(cdnod_tests_note(ctx, &f->tests, &line, cause, c->way, result));
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status note_changes(nonsens_context *ctx, const finder *f, const int64_t *node_of,
                                   nonsens_result *result)
{
    show_list list = {.max = LISTED_NAMES};
    for (int64_t column = 0; column < f->segment; column++) {
        if (is_changing(f, node_of[column])) {
            show_list_add(&list, f->tests.data->names[column]);
        }
    }
    if (list.count == 0) {
        return result_note(
            ctx, result, NONSENS_NOTE_CAUTION,
            "No mechanism is seen to change over the segments: directions come from v-structures alone.");
    }
    return result_note(ctx, result, NONSENS_NOTE_INFO, "Mechanisms that change over the segments: %s.",
                       show_list_end(&list));
}

/* Asks again for tests that were made before: the tester has stored their results. */
static nonsens_status note_untested(nonsens_context *ctx, const finder *f, nonsens_result *result)
{
    int64_t untested = 0, min_rows = 0, d = f->segment;
    for (int64_t y = 0; y < d; y++) {
        for (int64_t x = 0; x < y; x++) {
            ci_result test;
            TRY(ci_test(ctx, f->tests.tester, x, y, 0, NULL, &test));
            untested += test.segments_used == 0;
            min_rows = test.min_rows;
        }
    }
    if (untested == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64 " pairs of variables could not be tested: no segment has %" PRId64
                       " rows in which both vary. They have no edge for that reason alone; merge small segments.",
                       untested, d * (d - 1) / 2, min_rows);
}

static nonsens_status add_notes(nonsens_context *ctx, const finder *f, const int64_t *node_of, nonsens_result *result)
{
    const orient_report *r = &f->orient.report;
    TRY(note_untested(ctx, f, result));
    TRY(note_changes(ctx, f, node_of, result));
    TRY(cdnod_tests_note_options(ctx, &f->tests, result));
    if (f->found.capped) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "Sets of more than %" PRId64 " variables were not conditioned on, so a larger set may remove "
                        "further edges; --max-given raises this.",
                        f->tests.options->max_given));
    }
    if (r->conflicts > 0 || r->undecided > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "The tests contradict one another: %" PRId64 " v-structures were left out against others with "
                        "larger p-values, and %" PRId64 " edges stay without direction since rules imply both. Too few "
                        "rows, a hidden common cause or a cycle of causes look like this.",
                        r->conflicts, r->undecided));
    }
    return NONSENS_OK;
}

static void free_finder(finder *f)
{
    cdnod_tests_free(&f->tests);
}

nonsens_status cdnod_discover(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                              nonsens_result *result)
{
    SCOPED(free_finder) finder f = {.segment = data->d};
    skeleton_ci asked;
    int64_t *node_of;
    TRY(cdnod_tests_new(ctx, a, data, options, 1, &f.tests));
    TRY(find_pattern(ctx, a, &asked, &f));
    TRY(direct_candidates(ctx, a, &f));
    TRY(dataset_column_places(ctx, a, data, &node_of));
    TRY(report_edges(ctx, a, &f, result));
    TRY(report_changes(ctx, &f, node_of, result));
    TRY(report_candidates(ctx, &f, result));
    return add_notes(ctx, &f, node_of, result);
}
