/* what_if_graph.c - what the graph says about a question, and whether a given graph contradicts the data. */
#include "base/show.h"
#include "graph/skeleton_test.h"
#include "tasks/identify/graph_check.h"
#include "tasks/effect/what_if.h"
#include "tasks/tester.h"

#include <string.h>

nonsens_status what_if_graph(nonsens_context *ctx, arena *a, what_if *w)
{
    const nonsens_result *r = w->result;
    bool contradictory = r->bidirected_meaning != NULL;
    TRY(identify_graph_new(ctx, a, w->data->d, (const char *const *)r->names, contradictory, &w->graph));
    for (int64_t k = 0; k < r->edges; k++) {
        const nonsens_edge *e = &r->edge[k];
        TRY(identify_graph_add(ctx, &w->graph, e->from, e->to, e->type, e->confounded));
    }
    return NONSENS_OK;
}

void what_if_add_edges(const what_if *w, const identify_answer *answer, bool *edge)
{
    for (int64_t k = 0; k < answer->nodes; k++) {
        const identify_node *v = &answer->node[k];
        for (int64_t i = 0; i < v->parents; i++) {
            edge[v->parent[i] * w->data->d + v->node] = true;
        }
    }
}

/* ---- one question ----------------------------------------------------------------------------------------------- */

/* Returns whether changes must be asked about one by one: a shifted variable follows the other changes first. */
static bool has_shift_among_others(const what_if *w)
{
    bool shifts = false;
    for (int64_t k = 0; k < w->changes; k++) {
        shifts = shifts || w->change[k].kind == EFFECT_SHIFT;
    }
    return shifts && w->changes > 1;
}

/* Adds the nodes of one answer to those of another, without duplicates. */
static nonsens_status join_answers(nonsens_context *ctx, arena *a, const identify_answer *more, identify_answer *to)
{
    identify_node *node;
    int64_t count = 0;
    ARENA_TRY(ctx, a, node, to->nodes + more->nodes);
    for (int64_t k = 0; k < to->nodes + more->nodes; k++) {
        const identify_node *v = k < to->nodes ? &to->node[k] : &more->node[k - to->nodes];
        bool known = false;
        for (int64_t i = 0; i < count && !known; i++) {
            known = node[i].node == v->node;
        }
        if (!known) {
            node[count++] = *v;
        }
    }
    to->node = node;
    to->nodes = count;
    return NONSENS_OK;
}

/*
 * Asks about every change by itself: a variable is computed before it is shifted, so the mechanisms on the way to it
 * matter, too.  If any change has no single answer, the question is refused.
 */
static nonsens_status identify_singly(nonsens_context *ctx, arena *a, const what_if *w, int64_t target,
                                      identify_result *out)
{
    identify_answer *joined;
    identify_result all = {.status = IDENTIFY_NO_PATH};
    ARENA_TRY(ctx, a, joined, 1);
    for (int64_t k = 0; k < w->changes; k++) {
        identify_question q = {&w->change[k].variable, 1, target, IDENTIFY_MAX_GRAPHS};
        identify_result one;
        TRY(identify(ctx, a, &w->graph, &q, &one));
        if (one.status == IDENTIFY_RANGE || one.status == IDENTIFY_REFUSED) {
            *out = one;
            out->status = IDENTIFY_REFUSED;
            return NONSENS_OK;
        }
        if (one.status == IDENTIFY_IDENTIFIED || k == 0) {
            all.reason = one.reason;
            all.status = one.status == IDENTIFY_IDENTIFIED ? one.status : all.status;
        }
        if (one.status == IDENTIFY_IDENTIFIED) {
            TRY(join_answers(ctx, a, &one.answer[0], joined));
        }
    }
    all.answers = 1;
    all.answer = joined;
    *out = all;
    return NONSENS_OK;
}

nonsens_status what_if_identify(nonsens_context *ctx, arena *a, const what_if *w, int64_t target, identify_result *out)
{
    int64_t *set;
    if (has_shift_among_others(w)) {
        return identify_singly(ctx, a, w, target, out);
    }
    ARENA_TRY(ctx, a, set, w->changes);
    for (int64_t k = 0; k < w->changes; k++) {
        set[k] = w->change[k].variable;
    }
    identify_question q = {set, w->changes, target, IDENTIFY_MAX_GRAPHS};
    return identify(ctx, a, &w->graph, &q, out);
}

/* ---- a graph that was given ------------------------------------------------------------------------------------- */

static void release_tester(ci_tester **tester)
{
    ci_free(*tester);
}

nonsens_status what_if_check_graph(nonsens_context *ctx, what_if *w)
{
    SCOPED_ARENA(scratch);
    SCOPED(release_tester) ci_tester *tester = NULL;
    nonsens_result *r = w->result;
    nonsens_options own = r->options;
    tester_columns columns;
    identify_graph dag;
    graph_check check;
    int64_t *size;
    ARENA_TRY(ctx, &scratch, size, w->data->d);
    for (int64_t j = 0; j < w->data->d; j++) {
        size[j] = 1;
    }
    own.command = NONSENS_COMMAND_DISCOVER;
    TRY(identify_first_dag(ctx, &scratch, &w->graph, &dag));
    TRY(tester_gather(ctx, &scratch, w->data, &own, w->data->d, size, &columns));
    if (columns.time_order) {
        r->effects.check =
            "The graph was not tested against the data, because neighbouring rows depend on one another.";
        return NONSENS_OK;
    }
    TRY(tester_new(ctx, &columns, &own, &tester));
    skeleton_ci asked = {tester, NULL};
    graph_check_options options = {r->options.alpha, GRAPH_CHECK_MAX_TESTS, w->options.threads};
    TRY(graph_check_independences(ctx, &scratch, &dag, graph_check_ask_ci, &asked, &options, &check));
    r->effects.check = arena_text(ctx, &r->memory, check.sentence);
    TRY(r->effects.check ? NONSENS_OK : NONSENS_ERR_MEMORY);
    return check.failed > 0 ? result_note(ctx, r, NONSENS_NOTE_PROBLEM,
                                          "%s Effects hold only as far as the graph does.", check.sentence)
                            : NONSENS_OK;
}
