/* explain_graph.c - takes the graph that `explain` rests on: given, read from a file, or found by a method. */
#include "base/nearest.h"
#include "base/show.h"
#include "read/graph_file.h"
#include "tasks/explain/explain.h"
#include "tasks/run.h"

#include <stdio.h>

static const char *assumptions(const nonsens_options *options)
{
    return options->block_length == 1
               ? "The graph is right, and no hidden cause of several variables changes with the segment; rows are "
                 "independent inside segments. A variable whose mechanism changed, rather than its disturbance, counts "
                 "as changed itself."
               : "The graph is right, and no hidden cause of several variables changes with the segment; blocks of "
                 "neighbouring rows are independent inside segments. A variable whose mechanism changed, rather than "
                 "its disturbance, counts as changed itself.";
}

/* ---- from a file ------------------------------------------------------------------------------------------------ */

/* Fills in variable (nodes): the user's index of each node. */
static nonsens_status match_nodes(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                  const nonsens_graph *g, int64_t *variable)
{
    char shown[SHOWN_BYTES], hint[HINT_BYTES];
    bool *seen;
    ARENA_TRY(ctx, scratch, seen, data->d);
    for (int64_t i = 0; i < g->nodes; i++) {
        variable[i] = dataset_find_name(data, g->name[i]);
        if (variable[i] < 0) {
            nearest near = nearest_to(g->name[i]);
            for (int64_t j = 0; j < data->d; j++) {
                nearest_offer(&near, data->names[j]);
            }
            return fail(ctx, NONSENS_ERR_DATA,
                        "graph file %.400s: its node %s is not a variable of the data that is looked at%s", g->path,
                        show_quoted(shown, g->name[i]),
                        near.found ? nearest_hint(&near, hint) : "; give a graph of these variables alone");
        }
        seen[variable[i]] = true;
    }
    for (int64_t j = 0; g->lists_nodes && j < data->d; j++) {
        if (!seen[j]) {
            return fail(ctx, NONSENS_ERR_DATA,
                        "graph file %.400s: the variable %s is not among its nodes; add it, or leave it out by --vars",
                        g->path, show_quoted(shown, data->names[j]));
        }
    }
    return NONSENS_OK;
}

static nonsens_status take_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *g,
                                 nonsens_result *result)
{
    int64_t *variable;
    ARENA_TRY(ctx, scratch, variable, g->nodes + 1);
    TRY(match_nodes(ctx, scratch, data, g, variable));
    for (int64_t i = 0; i < g->edges; i++) {
        const nonsens_edge *e = &g->edge[i];
        TRY(result_edge(ctx, result, variable[e->from], variable[e->to], e->type, e->weight, e->p_value));
    }
    for (int64_t i = 0; i < g->cautions; i++) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION, "The graph: %s", g->caution[i]));
    }
    result->method = "given";
    result->assumes = assumptions(&result->options);
    return NONSENS_OK;
}

static nonsens_status read_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                 const nonsens_options *options, nonsens_result *result)
{
    SCOPED(memory_release_scoped) nonsens_graph *g = NULL;
    nonsens_status status = graph_read(ctx, options->graph, NULL, &g);
    if (status == NONSENS_ERR_DATA) { // the message says which file is meant, since the data file is not to blame
        char reason[MESSAGE_BYTES - 20];
        snprintf(reason, sizeof reason, "%s", nonsens_context_message(ctx));
        return fail(ctx, status, "graph file %s", reason);
    }
    TRY(status);
    return take_graph(ctx, scratch, data, g, result);
}

/* ---- by a method ------------------------------------------------------------------------------------------------ */

static nonsens_status find_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 nonsens_result *result)
{
    SCOPED(memory_release_scoped) nonsens_result *found = NULL;
    TRY(run_graph(ctx, data, options, &found));
    for (int64_t i = 0; i < found->edges; i++) {
        const nonsens_edge *e = &found->edge[i];
        TRY(result_edge(ctx, result, e->from, e->to, e->type, e->weight, e->p_value));
    }
    for (int64_t i = 0; i < found->notes; i++) {
        TRY(result_note(ctx, result, found->note[i].level, "The graph: %s", found->note[i].text));
    }
    result->method = found->method;
    result->bidirected_meaning = found->bidirected_meaning;
    result->assumes = arena_format(ctx, &result->memory, "%s For the graph by %s: %s", assumptions(options),
                                   found->method, found->assumes);
    return result->assumes ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- its marks -------------------------------------------------------------------------------------------------- */

static nonsens_status set_marks(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                const nonsens_result *result, pdag *out)
{
    int64_t *node_of;
    TRY(dataset_column_places(ctx, scratch, data, &node_of));
    TRY(pdag_new(ctx, scratch, data->d, out));
    for (int64_t i = 0; i < result->edges; i++) {
        const nonsens_edge *e = &result->edge[i];
        int64_t from = node_of[e->from], to = node_of[e->to];
        bool open = e->type != NONSENS_EDGE_DIRECTED || pdag_is_adjacent(out, from, to);
        pdag_set(out, from, to, open ? PDAG_LINE : PDAG_ARROW);
    }
    if (pdag_has_cycle(out)) {
        return result->options.graph[0] ? fail(ctx, NONSENS_ERR_DATA,
                                               "graph file %.400s: arrows form a circle, in which no variable comes "
                                               "first; give a graph without one",
                                               result->options.graph)
                                        : fail(ctx, NONSENS_ERR_DATA,
                                               "the graph by %s has a circle of arrows, in which no variable comes "
                                               "first; take another --method, or give a --graph",
                                               result->method);
    }
    return NONSENS_OK;
}

nonsens_status explain_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *given,
                             nonsens_result *result, pdag *out)
{
    const nonsens_options *options = &result->options;
    TRY(given               ? take_graph(ctx, scratch, data, given, result)
        : options->graph[0] ? read_graph(ctx, scratch, data, options, result)
                            : find_graph(ctx, data, options, result));
    return set_marks(ctx, scratch, data, result, out);
}
