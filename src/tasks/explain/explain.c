/*
 * explain.c - the public run of `explain`: which disturbances changed in a segment (docs/explain.md).
 *
 * Given its causes, a variable has the same distribution in two segments unless its own disturbance or mechanism
 * differs between them; the log ratio of the joint densities is the sum of such own changes.  So each variable's
 * disturbance is estimated, out of fold, from all segments by a mechanism that they share (mechanism.h).  It is then
 * compared between the segment and the reference: one other segment, or all others.
 */
#include "tasks/explain/explain.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "base/show.h"
#include "data/audit.h"
#include "math/sort.h"
#include "pool/process_pool.h"
#include "read/graph_file.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What was measured to answer one question. */
typedef struct answer {
    explain_change own;
    explain_size size;
} answer;

typedef struct explanation {
    const explain_basis *basis;
    explain_groups groups;
    explain_recording recording;
    bool divergences;   /* there are enough rows to measure them */
    answer *answer;     /* (questions of the basis) */
    explain_node *node; /* (d) canonical order */
    bool *reaches;      /* (d) the node can reach the target, or there is no target */
} explanation;

static const double MIN_MEMORY = 1.2; /* in rows; beyond it, neighbouring rows count as dependent */

static const explain_change NOT_MEASURED = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};

/* ---- disturbances ----------------------------------------------------------------------------------------------- */

/* Scales the rows of a fold to median 0 and mean absolute deviation 1: the folds' fits differ in location and scale. */
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

/* Fills in all (n of mechanism_data, in its order): the disturbance of each row by the fit without its fold. */
static nonsens_status fill_held_out(nonsens_context *ctx, arena *scratch, const explanation *x,
                                    const explain_question *q, double *all)
{
    const mechanism_data *rows = &x->basis->scores.rows;
    const structured_score *entry = scores_get(&x->basis->scores, q->node, q->causes, q->cause);
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

static nonsens_status measure_divergence(nonsens_context *ctx, arena *scratch, const explanation *x,
                                         const explain_question *q, explain_change *out)
{
    const double *column = matrix_col(x->basis->data->x, x->basis->data->column_rank[q->node]);
    double *all, *v, *t;
    ARENA_TRY(ctx, scratch, v, x->groups.n);
    ARENA_TRY(ctx, scratch, t, x->groups.n);
    ARENA_TRY(ctx, scratch, all, x->basis->scores.rows.n);
    TRY(fill_held_out(ctx, scratch, x, q, all));
    for (int64_t i = 0; i < x->groups.n; i++) {
        int64_t place = x->groups.place[i];
        t[i] = all[place];
        v[i] = q->causes > 0 ? t[i]
                             : column[x->basis->scores.rows.row[place]]; // an increasing function of the disturbance
    }
    return explain_measure(ctx, scratch, &x->groups, q->causes, q->cause, v, t, out);
}

static nonsens_status measure_size(nonsens_context *ctx, arena *scratch, const explanation *x,
                                   const explain_question *q, explain_size *out)
{
    int64_t *cause;
    ARENA_TRY(ctx, scratch, cause, q->causes);
    for (int64_t k = 0; k < q->causes; k++) {
        cause[k] = x->basis->data->column_rank[q->cause[k]];
    }
    return explain_size_measure(ctx, scratch, &x->recording, x->basis->data->column_rank[q->node], q->causes, cause,
                                (uint64_t)q->node, out);
}

/* Returns whether the variable is measured by a mechanism, and not by its size alone. */
static bool is_fitted(const explanation *x, const explain_question *q)
{
    return x->divergences && q->fitted;
}

/* Measures one change: first those of the questions, then those of the nodes without causes. */
static nonsens_status measure(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    explanation *x = state;
    int64_t questions = x->basis->questions, node = job - questions;
    bool marginal = job >= questions;
    explain_question alone = {.node = node, .fitted = marginal && x->basis->node[node].complete};
    const explain_question *q = marginal ? &alone : &x->basis->question[job];
    explain_change *change = marginal ? &x->node[node].marginal : &x->answer[job].own;
    *change = NOT_MEASURED;
    TRY(is_fitted(x, q) ? measure_divergence(ctx, scratch, x, q, change) : NONSENS_OK);
    return measure_size(ctx, scratch, x, q, marginal ? &x->node[node].marginal_size : &x->answer[job].size);
}

/* Of several choices of causes, keeps the one with the least evidence of a change: the largest p-value. */
static void gather(explanation *x)
{
    for (int64_t j = 0; j < x->basis->graph.d; j++) {
        explain_node *to = &x->node[j];
        bool fitted = x->divergences && x->basis->node[j].complete;
        to->own = NOT_MEASURED;
        to->p = to->min_p = NAN;
        to->marginal_p = fitted ? to->marginal.p_value : to->marginal_size.p_value;
    }
    for (int64_t i = 0; i < x->basis->questions; i++) {
        const explain_question *q = &x->basis->question[i];
        const answer *a = &x->answer[i];
        explain_node *to = &x->node[q->node];
        bool fitted = is_fitted(x, q), shifted = fitted && x->recording.drift > 0.0;
        double p = fitted ? a->own.p_value : a->size.p_value;
        p = shifted && a->size.p_value > p ? a->size.p_value : p; // own changes include drift, sizes allow for it
        bool first = i == 0 || q[-1].node != q->node;
        to->apart = to->apart || a->own.apart;
        to->min_p = fmin(to->min_p, p); // fmin ignores NaN
        if (first || isnan(to->p) || p > to->p) {
            to->own = a->own;
            to->size = a->size;
            to->p = p;
            to->by_size = !fitted;
        }
    }
}

static nonsens_status measure_size_again(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    explanation *x = state;
    return measure_size(ctx, scratch, x, &x->basis->question[job], &x->answer[job].size);
}

/* Compares sizes with those of normal rows that drift as most variables do.  For runs with a graph: without one, most
 * variables may have shifted because of the fault. */
static nonsens_status allow_for_drift(nonsens_context *ctx, arena *scratch, int threads, explanation *x)
{
    TRY(explain_find_small_drift(ctx, scratch, &x->basis->graph, x->node, &x->recording.drift));
    if (x->recording.drift > 0.0) {
        TRY(parallel_for(ctx, threads, x->basis->questions, "sizes", measure_size_again, x));
        gather(x);
    }
    return NONSENS_OK;
}

/* ---- the target ------------------------------------------------------------------------------------------------- */

/* Sets the row at which the fault begins. */
static nonsens_status set_onset(nonsens_context *ctx, int64_t target, explain_recording *rec, nonsens_result *result)
{
    int64_t onset = result->options.onset;
    if (onset > rec->fault) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_DATA,
                    "--onset %" PRId64 ": segment %s has only %" PRId64
                    " row%s; count from its first row, or let --onset auto find the row",
                    onset, show_quoted(shown, result->explained.of), rec->fault, rec->fault == 1 ? "" : "s");
    }
    rec->onset = onset == EXPLAIN_ONSET_AUTO ? explain_find_onset(rec, target) : onset - 1;
    result->explained.onset = rec->onset + 1;
    return NONSENS_OK;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/* Sets what is known about each node before anything is measured. */
static nonsens_status set_nodes(nonsens_context *ctx, arena *scratch, int64_t target, explanation *x)
{
    const explain_basis *b = x->basis;
    TRY(explain_mark_reaching(ctx, scratch, b->data, &b->graph, target, &x->reaches));
    ARENA_TRY(ctx, scratch, x->node, b->graph.d);
    ARENA_TRY(ctx, scratch, x->answer, b->questions);
    for (int64_t j = 0; j < b->graph.d; j++) {
        x->node[j].is_open = b->node[j].is_open;
        x->node[j].untried = b->node[j].untried;
        x->node[j].too_many = b->node[j].too_many;
        x->node[j].reaches = x->reaches[j];
    }
    return NONSENS_OK;
}

nonsens_status explain_segment(nonsens_context *ctx, explain_basis *basis, int threads, nonsens_result *result)
{
    SCOPED_ARENA(scratch);
    const nonsens_data *data = basis->data;
    explanation x = {.basis = basis};
    int8_t *group;
    int64_t target;
    TRY(explain_pick(ctx, &scratch, data, result, &group));
    TRY(explain_find_target(ctx, data, &result->options, &target));
    TRY(explain_basis_find(ctx, basis));
    TRY(explain_copy_graph(ctx, basis->found, result));
    TRY(explain_groups_new(ctx, &scratch, &basis->scores.rows, group, &basis->scores.time, &x.groups));
    bool in_time = time_blocks_memory(&basis->scores.time) > MIN_MEMORY;
    TRY(explain_recording_new(ctx, &scratch, data, group, in_time || result->options.onset != 1, in_time,
                              (uint64_t)result->options.seed, &x.recording));
    TRY(set_onset(ctx, target, &x.recording, result));
    x.divergences = x.recording.onset == 0 && explain_has_rows(&result->explained);
    TRY(set_nodes(ctx, &scratch, target, &x));
    TRY(x.divergences ? explain_basis_fit(ctx, basis) : NONSENS_OK);
    TRY(parallel_for(ctx, threads, basis->questions + data->d, "changes", measure, &x));
    gather(&x);
    bool drifts = result->edges > 0 && x.recording.onset == 0;
    TRY(drifts ? allow_for_drift(ctx, &scratch, threads, &x) : NONSENS_OK);
    explain_facts facts = {data, &basis->graph, x.node, &x.groups, &basis->scores.time, &x.recording};
    TRY(explain_judge(ctx, &scratch, &facts, result));
    return target < 0 ? NONSENS_OK
                      : explain_target_shares(ctx, &scratch, basis, &x.recording, x.reaches, target, threads, result);
}

nonsens_status explain_begin(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                             const nonsens_options *options)
{
    TRY(options_begin(ctx, options, NONSENS_COMMAND_EXPLAIN));
    if (graph && options->graph[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "a graph is given, and --graph %.300s names another; leave one out",
                    options->graph);
    }
    if (options->reversed && !graph && !options->graph[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--reversed reverses the arrows of a call graph, and none is given; add --graph");
    }
    return audit_require_labels(ctx, data);
}

/* Refuses options for many segments.  They may come with --of all, which names one segment if it has this label. */
static nonsens_status refuse_journal(nonsens_context *ctx, const nonsens_options *o)
{
    const char *unused = o->resume ? "resume" : o->journal[0] ? "journal" : o->shard[0] ? "shard" : NULL;
    return unused ? fail(ctx, NONSENS_ERR_USAGE,
                         "--%s is for many segments, and a segment is called " NONSENS_ALL_SEGMENTS
                         ", so that --of means this one; leave it out, or give the segment another label",
                         unused)
                  : NONSENS_OK;
}

static nonsens_status run_explain(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                  const nonsens_options *options, nonsens_result **out)
{
    double begun = clock_seconds();
    nonsens_options own = *options;
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    SCOPED(explain_basis_free) explain_basis basis = {.data = data, .given = graph, .options = &own};
    TRY(explain_begin(ctx, data, graph, options));
    TRY(refuse_journal(ctx, options));
    TRY(explain_set_key(ctx, data, options));
    if (process_pool_follows(ctx)) {
        return explain_follow(ctx, data, options);
    }
    own.graph = graph ? graph->path : own.graph;
    TRY(result_new(ctx, data, &own, "given", &result));
    result->is_graph = true;
    TRY(explain_segment(ctx, &basis, (int)own.threads, result));
    TRY(result_finish(ctx, result));
    result->seconds = clock_seconds() - begun;
    *out = result;
    result = NULL;
    return NONSENS_OK;
}

nonsens_status nonsens_run_explain(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                   const nonsens_options *options, nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    process_pool processes;
    *out = NULL;
    process_pool_begin(ctx, &processes);
    nonsens_status status = process_pool_end(ctx, &processes, run_explain(ctx, data, graph, options, out));
    if (status != NONSENS_OK) { // another process may have failed at the end
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}
