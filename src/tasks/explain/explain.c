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
#include "methods/structured_graph/structured_scores.h"
#include "read/graph_file.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_OPEN = 3,
    MIN_ROWS = 10,       /* to compare with */
    DIVERGENCE_ROWS = 30 /* of each group, below which sizes alone are measured */
};

/* One variable with one choice of causes; with undirected edges there are several choices. */
typedef struct question {
    int64_t node, causes, *cause; /* nodes, ascending */
    bool fitted;                  /* by a mechanism: there are enough rows, no missing values and not too many causes */
    explain_change own;
    explain_size size;
} question;

typedef struct explanation {
    const nonsens_data *data;
    structured_scores scores;
    explain_groups groups;
    explain_recording recording;
    pdag graph;
    bool divergences;   /* there are enough rows for them */
    question *question; /* (questions) those of one node follow one another */
    int64_t questions, capacity;
    explain_node *node; /* (d) canonical order */
} explanation;

enum { ONSET_AUTO = 0 }; /* of --onset */

static const double MIN_MEMORY = 1.2; /* in rows, from which neighbours count as dependent */

static const explain_change NOT_MEASURED = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};

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

/* Refuses a reference with too few rows; label is NULL for all other segments together. */
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
                " row%s; at least %d are needed to compare with: merge it with others of its kind",
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
    return check_size(ctx, to->other_rows, to->against);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

/* Says whether values of the node or of a cause are missing. */
static bool has_gaps(const nonsens_data *data, int64_t node, int64_t causes, const int64_t *cause)
{
    for (int64_t k = -1; data->gap && k < causes; k++) {
        int64_t column = data->column_rank[k < 0 ? node : cause[k]];
        for (int64_t i = 0; i < data->n; i++) {
            if (dataset_is_gap(data, i, column)) {
                return true;
            }
        }
    }
    return false;
}

/* Asks about a node given its causes and some neighbours by undirected edges, chosen by the bits of `which`. */
static nonsens_status ask(nonsens_context *ctx, arena *a, explanation *x, int64_t node, int64_t causes,
                          const int64_t *cause, int64_t open, const int64_t *neighbour, unsigned which)
{
    question q = {.node = node};
    int64_t at = 0;
    ARENA_TRY(ctx, a, q.cause, causes + open);
    for (int64_t j = 0, i = 0; j < x->graph.d; j++) { // ascending
        bool is_cause = at < causes && cause[at] == j, is_open = i < open && neighbour[i] == j;
        bool wanted = is_cause || (is_open && (which >> i & 1));
        at += is_cause;
        i += is_open;
        if (wanted) {
            q.cause[q.causes++] = j;
        }
    }
    x->node[node].too_many = x->node[node].too_many || q.causes > MECHANISM_MAX_CAUSES;
    q.fitted = x->divergences && q.causes <= MECHANISM_MAX_CAUSES && !has_gaps(x->data, node, q.causes, q.cause);
    ARENA_GROW(ctx, a, x->question, x->questions, x->capacity);
    x->question[x->questions++] = q;
    return q.fitted ? scores_want(ctx, &x->scores, node, q.causes, q.cause) : NONSENS_OK;
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
        TRY(x->divergences && !has_gaps(x->data, j, 0, NULL) ? scores_want(ctx, &x->scores, j, 0, NULL) : NONSENS_OK);
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
        TRY(mechanism_disturbance(ctx, rows, q->node, q->causes, q->cause, entry->part[0].theta + (k + 1) * size,
                                  by_row));
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            all[i] = by_row[rows->row[i]];
        }
        TRY(standardise(ctx, rows->block[k + 1] - rows->block[k], all + rows->block[k]));
    }
    return NONSENS_OK;
}

static nonsens_status measure_divergence(nonsens_context *ctx, arena *scratch, const explanation *x, const question *q,
                                         explain_change *out)
{
    const double *column = matrix_col(x->data->x, x->data->column_rank[q->node]);
    double *all, *v, *t;
    ARENA_TRY(ctx, scratch, v, x->groups.n);
    ARENA_TRY(ctx, scratch, t, x->groups.n);
    ARENA_TRY(ctx, scratch, all, x->scores.rows.n);
    TRY(fill_held_out(ctx, scratch, x, q, all));
    for (int64_t i = 0; i < x->groups.n; i++) {
        int64_t place = x->groups.place[i];
        t[i] = all[place];
        v[i] = q->causes > 0 ? t[i] : column[x->scores.rows.row[place]]; // it increases with the disturbance, exactly
    }
    return explain_measure(ctx, scratch, &x->groups, q->causes, q->cause, v, t, out);
}

static nonsens_status measure_size(nonsens_context *ctx, arena *scratch, const explanation *x, const question *q,
                                   explain_size *out)
{
    int64_t *cause;
    ARENA_TRY(ctx, scratch, cause, q->causes);
    for (int64_t k = 0; k < q->causes; k++) {
        cause[k] = x->data->column_rank[q->cause[k]];
    }
    return explain_size_measure(ctx, scratch, &x->recording, x->data->column_rank[q->node], q->causes, cause,
                                (uint64_t)q->node, out);
}

/* Measures one change: first those of the questions, then those of the nodes without causes. */
static nonsens_status measure(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    explanation *x = state;
    bool marginal = job >= x->questions;
    int64_t node = marginal ? job - x->questions : x->question[job].node;
    question alone = {.node = node, .fitted = x->divergences && !has_gaps(x->data, node, 0, NULL)};
    question *q = marginal ? &alone : &x->question[job];
    explain_change *change = marginal ? &x->node[node].marginal : &q->own;
    *change = NOT_MEASURED;
    TRY(q->fitted ? measure_divergence(ctx, scratch, x, q, change) : NONSENS_OK);
    return measure_size(ctx, scratch, x, q, marginal ? &x->node[node].marginal_size : &q->size);
}

/* Keeps, of several choices of causes, the one that speaks least for a change. */
static void gather(explanation *x)
{
    for (int64_t j = 0; j < x->graph.d; j++) {
        explain_node *to = &x->node[j];
        bool fitted = x->divergences && !has_gaps(x->data, j, 0, NULL);
        to->own = NOT_MEASURED;
        to->p = to->min_p = NAN;
        to->marginal_p = fitted ? to->marginal.p_value : to->marginal_size.p_value;
    }
    for (int64_t i = 0; i < x->questions; i++) {
        const question *q = &x->question[i];
        explain_node *to = &x->node[q->node];
        double p = q->fitted ? q->own.p_value : q->size.p_value;
        bool shifted = q->fitted && x->recording.drift > 0.0; // the own change counts the drift, the size does not
        p = shifted && q->size.p_value > p ? q->size.p_value : p;
        bool first = i == 0 || q[-1].node != q->node;
        to->apart = to->apart || q->own.apart;
        to->min_p = fmin(to->min_p, p); // NaN does not count
        if (first || isnan(to->p) || p > to->p) {
            to->own = q->own;
            to->size = q->size;
            to->p = p;
            to->by_size = !q->fitted;
        }
    }
}

static nonsens_status measure_size_again(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    explanation *x = state;
    return measure_size(ctx, scratch, x, &x->question[job], &x->question[job].size);
}

/* Compares sizes with those of normal rows that drift as most variables do.  Without a graph a shift may be a fault's.
 */
static nonsens_status allow_for_drift(nonsens_context *ctx, arena *scratch, explanation *x)
{
    TRY(explain_find_small_drift(ctx, scratch, &x->graph, x->node, &x->recording.drift));
    if (x->recording.drift > 0.0) {
        TRY(parallel_for(ctx, x->scores.threads, x->questions, "sizes", measure_size_again, x));
        gather(x);
    }
    return NONSENS_OK;
}

/* ---- the target ------------------------------------------------------------------------------------------------- */

static nonsens_status find_target(nonsens_context *ctx, const nonsens_data *data, const char *name, int64_t *column)
{
    char shown[SHOWN_BYTES], hint[HINT_BYTES];
    nearest near = nearest_to(name);
    *column = name[0] ? dataset_find_name(data, name) : -1;
    for (int64_t j = 0; j < data->d; j++) {
        nearest_offer(&near, data->names[j]);
    }
    if (name[0] && *column < 0) {
        return fail(
            ctx, NONSENS_ERR_DATA,
            "--target %s: no variable that is looked at has this name; name a column that is neither the segment "
            "nor left out%s",
            show_quoted(shown, name), nearest_hint(&near, hint));
    }
    return NONSENS_OK;
}

/* Marks the nodes that can reach the target: by arrows and by edges whose direction is not known. */
static nonsens_status mark_reaching(nonsens_context *ctx, arena *scratch, explanation *x, int64_t column)
{
    int64_t *place, d = x->graph.d;
    bool grown = column >= 0;
    TRY(dataset_column_places(ctx, scratch, x->data, &place));
    for (int64_t j = 0; j < d; j++) {
        x->node[j].reaches = column < 0 || j == place[column];
    }
    while (grown) {
        grown = false;
        for (int64_t j = 0; j < d; j++) {
            for (int64_t k = 0; k < d && !x->node[j].reaches; k++) {
                bool leads = pdag_is_arrow(&x->graph, j, k) || pdag_is_line(&x->graph, j, k);
                x->node[j].reaches = leads && x->node[k].reaches;
                grown = grown || x->node[j].reaches;
            }
        }
    }
    return NONSENS_OK;
}

/* Sets the row at which the fault begins. */
static nonsens_status set_onset(nonsens_context *ctx, int64_t target, explain_recording *rec, nonsens_result *result)
{
    int64_t onset = result->options.onset;
    if (onset == ONSET_AUTO && target < 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--onset auto finds the row from the target: name it with --target");
    }
    if (onset > rec->fault) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_DATA,
                    "--onset %" PRId64 ": segment %s has only %" PRId64
                    " row%s; count from its first row, or let --onset auto find the row",
                    onset, show_quoted(shown, result->explained.of), rec->fault, rec->fault == 1 ? "" : "s");
    }
    rec->onset = onset == ONSET_AUTO ? explain_find_onset(rec, target) : onset - 1;
    result->explained.onset = rec->onset + 1;
    return NONSENS_OK;
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
    int64_t target;
    TRY(pick_segments(ctx, &scratch, data, result, &group));
    TRY(find_target(ctx, data, result->options.target, &target));
    TRY(explain_graph(ctx, &scratch, data, graph, result, &x.graph));
    TRY(structured_scores_new(ctx, &scratch, data, &result->options, NULL, &x.scores));
    TRY(explain_groups_new(ctx, &scratch, &x.scores.rows, group, &x.scores.time, &x.groups));
    bool in_time = time_blocks_memory(&x.scores.time) > MIN_MEMORY;
    TRY(explain_recording_new(ctx, &scratch, data, group, in_time || result->options.onset != 1, in_time,
                              (uint64_t)result->options.seed, &x.recording));
    TRY(set_onset(ctx, target, &x.recording, result));
    x.divergences = x.recording.onset == 0 && result->explained.of_rows >= DIVERGENCE_ROWS &&
                    result->explained.other_rows >= DIVERGENCE_ROWS;
    ARENA_TRY(ctx, &scratch, x.node, data->d);
    TRY(mark_reaching(ctx, &scratch, &x, target));
    TRY(ask_all(ctx, &scratch, &x));
    TRY(scores_settle(ctx, &x.scores, "mechanisms"));
    TRY(parallel_for(ctx, x.scores.threads, x.questions + data->d, "changes", measure, &x));
    gather(&x);
    bool drifts = result->edges > 0 && x.recording.onset == 0;
    TRY(drifts ? allow_for_drift(ctx, &scratch, &x) : NONSENS_OK);
    explain_facts facts = {data, &x.graph, x.node, &x.groups, &x.scores.time, &x.recording};
    return explain_judge(ctx, &scratch, &facts, result);
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
    if (options->reversed && !graph && !options->graph[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--reversed turns the arrows of a call graph, and none is given; add --graph");
    }
    TRY(audit_require_labels(ctx, data));
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
