/*
 * explain.c - the public run of `explain`: which disturbances changed in a segment (docs/explain.md).
 *
 * Given its causes, a variable has the same distribution in two segments unless its own disturbance or mechanism
 * differs between them; the log ratio of the joint densities is the sum of these own changes.  So each variable's
 * disturbance is estimated, out of fold, from all segments by a mechanism that they share (mechanism.h).  It is then
 * compared between the segment and the reference: one other segment, or all others.
 */
#include "tasks/explain/explain.h"

#include "base/clock.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/show.h"
#include "data/audit.h"
#include "math/sort.h"
#include "methods/structured/structured_scores.h"
#include "read/graph_file.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_OPEN = 3, MIN_ROWS = 10 };

/* One variable with one choice of causes; with undirected edges there are several choices. */
typedef struct question {
    int64_t node, causes, cause[MECHANISM_MAX_CAUSES];
    explain_change own;
} question;

typedef struct explanation {
    const nonsens_data *data;
    structured_scores scores;
    explain_groups groups;
    pdag graph;
    question *question; /* (questions) those of one node follow one another */
    int64_t questions, capacity;
    explain_node *node; /* (d) canonical order */
} explanation;

/* ---- segments --------------------------------------------------------------------------------------------------- */

/* Shorter labels first, so that s2 comes before s10. */
static bool label_comes_before(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    return m < n || (m == n && strcmp(a, b) < 0);
}

/* Lists labels: "s1, s2, s3 and 17 others". */
static nonsens_status list_labels(nonsens_context *ctx, arena *scratch, const nonsens_data *data, char *list,
                                  size_t bytes)
{
    enum { SHOWN = 12 };
    char shown[SHOWN_BYTES];
    size_t used = 0;
    const char **label;
    ARENA_TRY(ctx, scratch, label, data->segments);
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t at = e;
        for (; at > 0 && label_comes_before(data->labels[e], label[at - 1]); at--) {
            label[at] = label[at - 1];
        }
        label[at] = data->labels[e];
    }
    int64_t listed = 0;
    for (; listed < data->segments && listed < SHOWN && used + SHOWN_BYTES < bytes; listed++) {
        used +=
            (size_t)snprintf(list + used, bytes - used, "%s%s", listed ? ", " : "", show_bare(shown, label[listed]));
    }
    if (listed < data->segments) {
        snprintf(list + used, bytes - used, " and %" PRId64 " others", data->segments - listed);
    }
    return NONSENS_OK;
}

static nonsens_status find_segment(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const char *key,
                                   const char *label, int64_t *out)
{
    char shown[SHOWN_BYTES], list[MESSAGE_BYTES - 600], hint[HINT_BYTES];
    nearest near = nearest_to(label);
    for (int64_t e = 0; e < data->segments; e++) {
        nearest_offer(&near, data->labels[e]);
        if (strcmp(data->labels[e], label) == 0) {
            *out = e;
            return NONSENS_OK;
        }
    }
    TRY(list_labels(ctx, scratch, data, list, sizeof list));
    return fail(ctx, NONSENS_ERR_DATA, "--%s %s: no segment has this label; there are %s%s", key,
                show_quoted(shown, label), list, nearest_hint(&near, hint));
}

/* Refuses a group with too few rows; label is NULL for all other segments together. */
static nonsens_status check_size(nonsens_context *ctx, int64_t rows, const char *label)
{
    char shown[SHOWN_BYTES];
    if (rows >= MIN_ROWS) {
        return NONSENS_OK;
    }
    if (!label) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "all other segments together have %" PRId64
                    " row%s; at least %d are needed to compare with: give more rows",
                    rows, rows == 1 ? "" : "s", MIN_ROWS);
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "segment %s has %" PRId64
                " row%s; at least %d are needed to compare it: merge it with others of its kind",
                show_quoted(shown, label), rows, rows == 1 ? "" : "s", MIN_ROWS);
}

/* Sets group (segments): 1 for the segment, 0 for the reference, -1 for others. */
static nonsens_status pick_segments(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                    nonsens_result *result, int8_t **group)
{
    const nonsens_options *o = &result->options;
    result_explanation *to = &result->explained;
    int64_t of = -1, against = -1;
    ARENA_TRY(ctx, scratch, *group, data->segments);
    TRY(find_segment(ctx, scratch, data, "of", o->of, &of));
    if (o->against[0]) {
        TRY(find_segment(ctx, scratch, data, "against", o->against, &against));
    }
    for (int64_t e = 0; e < data->segments; e++) {
        (*group)[e] = e == of ? 1 : against < 0 || e == against ? 0 : -1;
        to->other_rows += (*group)[e] == 0 ? data->start[e + 1] - data->start[e] : 0;
    }
    to->of = result->labels[of];
    to->against = against < 0 ? NULL : result->labels[against];
    to->of_rows = data->start[of + 1] - data->start[of];
    TRY(check_size(ctx, to->of_rows, to->of));
    return check_size(ctx, to->other_rows, to->against);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Asks about a node given its causes and some neighbours by undirected edges, chosen by the bits of `which`. */
static nonsens_status ask(nonsens_context *ctx, arena *a, explanation *x, int64_t node, int64_t causes,
                          const int64_t *cause, int64_t open, const int64_t *neighbour, unsigned which)
{
    question q = {.node = node};
    int64_t at = 0;
    for (int64_t j = 0, i = 0; j < x->graph.d; j++) { // ascending
        bool is_cause = at < causes && cause[at] == j, is_open = i < open && neighbour[i] == j;
        bool wanted = is_cause || (is_open && (which >> i & 1));
        at += is_cause;
        i += is_open;
        if (wanted && q.causes == MECHANISM_MAX_CAUSES) {
            x->node[node].too_many = true;
            return NONSENS_OK;
        }
        if (wanted) {
            q.cause[q.causes++] = j;
        }
    }
    ARENA_GROW(ctx, a, x->question, x->questions, x->capacity);
    x->question[x->questions++] = q;
    return scores_want(ctx, &x->scores, node, q.causes, q.cause);
}

static nonsens_status ask_all(nonsens_context *ctx, arena *a, explanation *x)
{
    int64_t d = x->graph.d, *parent, *neighbour;
    ARENA_TRY(ctx, a, parent, d);
    ARENA_TRY(ctx, a, neighbour, d);
    for (int64_t j = 0; j < d; j++) {
        int64_t parents = pdag_parents(&x->graph, j, parent), open = 0;
        for (int64_t k = 0; k < d; k++) {
            if (pdag_is_line(&x->graph, j, k)) {
                neighbour[open++] = k;
            }
        }
        x->node[j].is_open = open > 0;
        x->node[j].untried = open > MAX_OPEN;
        TRY(scores_want(ctx, &x->scores, j, 0, NULL));
        unsigned all = (1u << (open < MAX_OPEN ? open : MAX_OPEN)) - 1; // edges beyond MAX_OPEN are not tried
        for (unsigned which = 0; which <= all; which++) {
            TRY(ask(ctx, a, x, j, parents, parent, open, neighbour, which));
        }
    }
    return NONSENS_OK;
}

/* ---- disturbances ----------------------------------------------------------------------------------------------- */

/* Scales the rows of a fold to median 0 and mean absolute deviation 1: fits of folds differ in location and scale. */
static nonsens_status standardise(nonsens_context *ctx, int64_t n, double *v)
{
    SCOPED_ARENA(scratch);
    double *sorted, spread = 0.0;
    if (n == 0) {
        return NONSENS_OK;
    }
    TRY(sort_copy(ctx, &scratch, n, v, &sorted));
    double median = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    for (int64_t i = 0; i < n; i++) {
        v[i] -= median;
        spread += fabs(v[i]) / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] /= spread > 0.0 ? spread : 1.0;
    }
    return NONSENS_OK;
}

/* Fills in all (n of mechanism_data, in its order): each row's disturbance by the fit without its fold. */
static nonsens_status fill_held_out(nonsens_context *ctx, arena *scratch, const explanation *x, const question *q,
                                    double *all)
{
    const mechanism_data *rows = &x->scores.rows;
    const structured_score *entry = scores_get(&x->scores, q->node, q->causes, q->cause);
    int64_t size = mechanism_size(rows, q->causes);
    double *by_row;
    ARENA_TRY(ctx, scratch, by_row, rows->n);
    for (int64_t k = 0; k < rows->folds; k++) {
        TRY(mechanism_disturbance(ctx, rows, q->node, q->causes, q->cause, entry->theta + (k + 1) * size, by_row));
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            all[i] = by_row[rows->row[i]];
        }
        TRY(standardise(ctx, rows->block[k + 1] - rows->block[k], all + rows->block[k]));
    }
    return NONSENS_OK;
}

/* Measures one change: first those of the questions, then those of the nodes without causes. */
static nonsens_status measure(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    explanation *x = state;
    bool marginal = job >= x->questions;
    int64_t node = marginal ? job - x->questions : x->question[job].node;
    const double *column = matrix_col(x->data->x, x->data->column_rank[node]);
    double *all, *v, *t;
    ARENA_TRY(ctx, scratch, v, x->groups.n);
    ARENA_TRY(ctx, scratch, t, x->groups.n);
    question alone = {.node = node}, *q = marginal ? &alone : &x->question[job];
    ARENA_TRY(ctx, scratch, all, x->scores.rows.n);
    TRY(fill_held_out(ctx, scratch, x, q, all));
    for (int64_t i = 0; i < x->groups.n; i++) {
        int64_t place = x->groups.place[i];
        t[i] = all[place];
        v[i] = q->causes > 0 ? t[i] : column[x->scores.rows.row[place]]; // it increases with the disturbance, exactly
    }
    return explain_measure(ctx, scratch, &x->groups, q->causes, q->cause, v, t,
                           marginal ? &x->node[node].marginal : &q->own);
}

/* Keeps, of several choices of causes, the one that speaks least for a change. */
static void gather(explanation *x)
{
    for (int64_t j = 0; j < x->graph.d; j++) {
        x->node[j].own = (explain_change){NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
        x->node[j].min_p = NAN;
    }
    for (int64_t i = 0; i < x->questions; i++) {
        const question *q = &x->question[i];
        explain_node *to = &x->node[q->node];
        to->apart = to->apart || q->own.apart;
        to->min_p = fmin(to->min_p, q->own.p_value); // NaN does not count
        if (isnan(to->own.p_value) || q->own.p_value > to->own.p_value) {
            to->own = q->own;
            to->causes = q->causes;
            memcpy(to->cause, q->cause, sizeof q->cause);
        }
    }
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

static void free_explanation(explanation *x)
{
    structured_scores_free(&x->scores);
}

static nonsens_status explain(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                              nonsens_result *result)
{
    SCOPED_ARENA(scratch);
    SCOPED(free_explanation) explanation x = {.data = data};
    int8_t *group;
    TRY(pick_segments(ctx, &scratch, data, result, &group));
    TRY(explain_graph(ctx, &scratch, data, graph, result, &x.graph));
    TRY(structured_scores_new(ctx, &scratch, data, &result->options, &x.scores));
    TRY(explain_groups_new(ctx, &scratch, &x.scores.rows, group, &x.scores.time, &x.groups));
    ARENA_TRY(ctx, &scratch, x.node, data->d);
    TRY(ask_all(ctx, &scratch, &x));
    TRY(scores_settle(ctx, &x.scores, "mechanisms"));
    TRY(parallel_for(ctx, x.scores.threads, x.questions + data->d, "changes", measure, &x));
    gather(&x);
    return explain_judge(ctx, &scratch, data, &x.graph, x.node, &x.groups, &x.scores.time, result);
}

nonsens_status nonsens_run_explain(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                   const nonsens_options *options, nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_EXPLAIN));
    if (graph && options->graph[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "a graph is given and --graph %.300s as well; take one", options->graph);
    }
    TRY(audit_require_segments(ctx, data));
    TRY(audit_require_several(ctx, data));
    TRY(result_new(ctx, data, options, "given", &result));
    result->is_graph = true;
    if (graph) {
        result->options.graph = arena_text(ctx, &result->memory, graph->path);
        TRY(result->options.graph ? NONSENS_OK : NONSENS_ERR_MEMORY);
    }
    TRY(explain(ctx, data, graph, result));
    TRY(result_finish(ctx, result));
    result->seconds = clock_seconds() - begun;
    *out = result;
    result = NULL;
    return NONSENS_OK;
}
