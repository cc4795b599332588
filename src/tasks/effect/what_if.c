/*
 * what_if.c - the public run of `effect`: what would happen if variables were set or changed (docs/effects.md).
 *
 * The graph is given or found.  identify.h decides what it can answer; effect.h computes the answers.
 */
#include "tasks/effect/what_if.h"

#include "base/clock.h"
#include "base/require.h"
#include "data/audit.h"
#include "data/subsample.h"
#include "methods/registry.h"
#include "read/graph_file.h"
#include "tasks/choose_method.h"
#include "tasks/explain/explain.h"
#include "tasks/run.h"

#include <string.h>

enum { MAX_ROWS = 100000 };

static const char *assumptions(const nonsens_result *r)
{
    return r->options.block_length == 1
               ? "The graph is right; each variable's mechanism is the same in all segments, and its disturbance is "
                 "independent of its causes; rows are independent inside segments."
               : "The graph is right; each variable's mechanism is the same in all segments, and its disturbance is "
                 "independent of its causes; rows, or blocks of neighbouring rows if they depend on one another, are "
                 "independent inside segments.";
}

static nonsens_status begin(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                            const nonsens_options *o)
{
    TRY(options_begin(ctx, o, NONSENS_COMMAND_EFFECT));
    if (graph && o->graph[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "a graph is given, and --graph %.300s names another; leave one out",
                    o->graph);
    }
    if (graph && o->graph_uncertainty > 0) {
        return fail(
            ctx, NONSENS_ERR_USAGE,
            "graph-uncertainty finds the graph again in parts of the rows, but a graph is given; leave one out");
    }
    if (o->reversed && !graph && !o->graph[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--reversed reverses the arrows of a call graph, and none is given; add --graph");
    }
    TRY(choose_needs_values(ctx, data, "effect"));
    return audit_require_labels(ctx, data);
}

/* Takes the given graph or finds it; fails if no method can find one. */
static nonsens_status take_graph(nonsens_context *ctx, arena *a, const nonsens_graph *given, what_if *w)
{
    nonsens_result *r = w->result;
    TRY(explain_graph(ctx, a, w->data, given, r));
    if (strcmp(r->method, "none") == 0) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "no graph can be found from these data: there are fewer than four segments, or neighbouring rows "
                    "depend on one another; give a --graph");
    }
    const method *found_by = method_find(r->method);
    r->assumes = !found_by ? assumptions(r)
                           : arena_format(ctx, &r->memory, "%s" RESULT_GRAPH_ASSUMES "%s: %s", assumptions(r),
                                          r->method, found_by->info.assumes);
    return r->assumes ? what_if_graph(ctx, a, w) : NONSENS_ERR_MEMORY;
}

/* Tests a given graph against the data, or notes what a graph found from the same data means for intervals. */
static nonsens_status note_graph(nonsens_context *ctx, what_if *w, bool is_given)
{
    if (!is_given && w->result->options.graph_uncertainty > 0) {
        return NONSENS_OK;
    }
    return is_given ? what_if_check_graph(ctx, w)
                    : result_note(ctx, w->result, NONSENS_NOTE_CAUTION,
                                  "The graph was found from the same data. Intervals are given this graph: they do not "
                                  "say how sure the graph is; --graph-uncertainty 20 makes intervals that do.");
}

static effect_options engine_options(const nonsens_options *o)
{
    effect_options e = effect_options_default();
    e.draws = o->draws;
    e.level = 1.0 - o->alpha;
    e.seed = o->seed;
    e.threads = (int)o->threads;
    e.block_length = o->block_length;
    return e;
}

static nonsens_status answer(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                             nonsens_result *result)
{
    SCOPED_ARENA(scratch);
    what_if w = {.data = data, .result = result, .options = engine_options(&result->options)};
    TRY(what_if_read(ctx, &scratch, &w));
    TRY(take_graph(ctx, &scratch, graph, &w));
    TRY(note_graph(ctx, &w, graph || result->options.graph[0]));
    TRY((w.rows > 0 ? what_if_rows : w.changes > 0 ? what_if_answer : what_if_table)(ctx, &w));
    TRY(result->options.refute > 0 ? what_if_refute(ctx, &w) : NONSENS_OK);
    return result->options.graph_uncertainty > 0 ? what_if_samples(ctx, &w) : NONSENS_OK;
}

static nonsens_status run_effect(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                 const nonsens_options *options, nonsens_result **out)
{
    double begun = clock_seconds();
    nonsens_options own = *options;
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    nonsens_data *sample = NULL;
    TRY(begin(ctx, data, graph, options));
    TRY(subsample(ctx, data, options, own.max_rows > 0 ? own.max_rows : MAX_ROWS, &sample));
    own.graph = graph ? graph->path : own.graph;
    nonsens_status status = result_new(ctx, data, &own, "given", &result);
    if (status == NONSENS_OK) {
        result->is_graph = true;
        result->sampled = sample != NULL;
        status = answer(ctx, sample ? sample : data, graph, result);
    }
    nonsens_data_free(sample);
    TRY(status);
    TRY(result_finish(ctx, result));
    result->seconds = clock_seconds() - begun;
    *out = result;
    result = NULL;
    return NONSENS_OK;
}

nonsens_status nonsens_run_effect(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                  const nonsens_options *options, nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    *out = NULL;
    return run_effect(ctx, data, graph, options, out);
}
