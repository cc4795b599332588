/* explain_graph.c - gets the graph that `explain` uses: given, read from a file, or found by a method. */
#include "base/nearest.h"
#include "base/show.h"
#include "methods/registry.h"
#include "read/graph_file.h"
#include "tasks/explain/explain.h"
#include "tasks/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 8, ENOUGH_SEGMENTS = 3 };

static const char *assumptions(const nonsens_options *options)
{
    return options->block_length == 1
               ? "The graph is right, and no hidden cause of several variables changes with the segment; rows are "
                 "independent inside segments. A variable whose mechanism changed, rather than its disturbance, counts "
                 "as changed itself."
               : "The graph is right, and no hidden cause of several variables changes with the segment; rows, or "
                 "blocks of neighbouring rows if they depend on one another, are independent inside segments. A "
                 "variable whose mechanism changed, rather than its disturbance, counts as changed itself.";
}

/* ---- from a file ------------------------------------------------------------------------------------------------ */

/* Finds the variable with the name of a node, or -1; fails if the name looks like that of a variable, misspelt. */
static nonsens_status match_node(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *g, int64_t node,
                                 int64_t *variable)
{
    char shown[SHOWN_BYTES], hint[HINT_BYTES];
    nearest near = nearest_to(g->name[node]);
    *variable = dataset_find_name(data, g->name[node]);
    for (int64_t j = 0; *variable < 0 && j < data->d; j++) {
        bool taken = false; // the name of another node was not meant
        for (int64_t i = 0; i < g->nodes && !taken; i++) {
            taken = strcmp(g->name[i], data->names[j]) == 0;
        }
        if (!taken) {
            nearest_offer(&near, data->names[j]);
        }
    }
    if (*variable < 0 && near.found) {
        return fail(ctx, NONSENS_ERR_DATA, "graph file %.400s: its node %s is not a variable of the data%s", g->path,
                    show_quoted(shown, g->name[node]), nearest_hint(&near, hint));
    }
    return NONSENS_OK;
}

/* Fills in variable (nodes): the user's column of each node, or -1 and a caution if the data do not have it. */
static nonsens_status match_nodes(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                  const nonsens_graph *g, int64_t *variable, nonsens_result *result)
{
    char shown[SHOWN_BYTES];
    show_list missing = {.max = LISTED};
    bool *seen;
    ARENA_TRY(ctx, scratch, seen, data->d);
    for (int64_t i = 0; i < g->nodes; i++) {
        TRY(match_node(ctx, data, g, i, &variable[i]));
        if (variable[i] < 0) {
            show_list_add(&missing, g->name[i]);
        } else {
            seen[variable[i]] = true;
        }
    }
    for (int64_t j = 0; g->lists_nodes && j < data->d; j++) {
        if (!seen[j]) {
            return fail(ctx, NONSENS_ERR_DATA,
                        "graph file %.400s: the variable %s is not among its nodes; add it, or leave it out by --vars",
                        g->path, show_quoted(shown, data->names[j]));
        }
    }
    if (missing.count == g->nodes && g->nodes > 0) {
        return fail(ctx, NONSENS_ERR_DATA, "graph file %.400s: none of its nodes is a variable of the data", g->path);
    }
    return missing.count == 0
               ? NONSENS_OK
               : result_note(ctx, result, NONSENS_NOTE_CAUTION,
                             "The graph: %s %s not among the variables; arrows through %s go on to what "
                             "%s.",
                             show_list_end(&missing), missing.count == 1 ? "is" : "are",
                             missing.count == 1 ? "it" : "them", missing.count == 1 ? "it causes" : "they cause");
}

/* Joins variables by arrows that lead through nodes that the data do not have. */
typedef struct bridge {
    const nonsens_graph *g;
    const int64_t *variable; /* (nodes) */
    bool reversed;
    bool *passed; /* (nodes) */
    bool *joined; /* (d, d) */
    int64_t d;
    nonsens_result *result;
} bridge;

static void ends_of(const bridge *b, const nonsens_edge *e, int64_t *from, int64_t *to)
{
    bool is_reversed = b->reversed && e->type == NONSENS_EDGE_DIRECTED;
    *from = is_reversed ? e->to : e->from;
    *to = is_reversed ? e->from : e->to;
}

/* Adds arrows from a variable to all variables that arrows from `node` reach directly or through nodes without data. */
static nonsens_status add_beyond(nonsens_context *ctx, bridge *b, int64_t from, int64_t node)
{
    b->passed[node] = true;
    for (int64_t i = 0; i < b->g->edges; i++) {
        int64_t cause, effect;
        ends_of(b, &b->g->edge[i], &cause, &effect);
        if (cause != node || b->g->edge[i].type != NONSENS_EDGE_DIRECTED) {
            continue;
        }
        int64_t to = b->variable[effect];
        if (to < 0 && !b->passed[effect]) {
            TRY(add_beyond(ctx, b, from, effect));
        } else if (to >= 0 && to != from && !b->joined[from * b->d + to]) {
            b->joined[from * b->d + to] = true;
            TRY(result_edge(ctx, b->result, from, to, NONSENS_EDGE_DIRECTED, NAN, NAN));
        }
    }
    return NONSENS_OK;
}

static nonsens_status add_edges(nonsens_context *ctx, arena *scratch, bridge *b)
{
    ARENA_TRY(ctx, scratch, b->passed, b->g->nodes + 1);
    ARENA_TRY(ctx, scratch, b->joined, b->d * b->d);
    for (int64_t i = 0; i < b->g->edges; i++) {
        const nonsens_edge *e = &b->g->edge[i];
        int64_t from, to;
        ends_of(b, e, &from, &to);
        if (b->variable[from] >= 0 && b->variable[to] >= 0) {
            b->joined[b->variable[from] * b->d + b->variable[to]] = true;
            TRY(result_edge(ctx, b->result, b->variable[from], b->variable[to], e->type, e->weight, e->p_value));
            b->result->edge[b->result->edges - 1].confounded = e->confounded;
        }
    }
    for (int64_t i = 0; i < b->g->edges; i++) {
        int64_t from, to;
        ends_of(b, &b->g->edge[i], &from, &to);
        if (b->variable[from] >= 0 && b->variable[to] < 0 && b->g->edge[i].type == NONSENS_EDGE_DIRECTED) {
            memset(b->passed, 0, (size_t)b->g->nodes * sizeof *b->passed);
            TRY(add_beyond(ctx, b, b->variable[from], to));
        }
    }
    return NONSENS_OK;
}

static nonsens_status take_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *g,
                                 nonsens_result *result)
{
    int64_t *variable;
    ARENA_TRY(ctx, scratch, variable, g->nodes + 1);
    TRY(match_nodes(ctx, scratch, data, g, variable, result));
    bridge b = {.g = g, .variable = variable, .reversed = result->options.reversed, .d = data->d, .result = result};
    TRY(add_edges(ctx, scratch, &b));
    for (int64_t i = 0; i < g->cautions; i++) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION, "The graph: %s", g->caution[i]));
    }
    const method *found_by = g->method ? method_find(g->method) : NULL;
    result->method = "given";
    result->bidirected_meaning = found_by ? found_by->bidirected_meaning : NULL;
    result->assumes = assumptions(&result->options);
    return NONSENS_OK;
}

static nonsens_status read_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                 const nonsens_options *options, nonsens_result *result)
{
    SCOPED(memory_release_scoped) nonsens_graph *g = NULL;
    nonsens_status status = graph_read(ctx, options->graph, NULL, &g);
    if (status == NONSENS_ERR_DATA) { // the message must name the file: it is not the data file
        char reason[MESSAGE_BYTES - 20];
        snprintf(reason, sizeof reason, "%s", nonsens_context_message(ctx));
        return fail(ctx, status, "graph file %s", reason);
    }
    TRY(status);
    return take_graph(ctx, scratch, data, g, result);
}

/* Adds the edges of another result. */
static nonsens_status copy_edges(nonsens_context *ctx, const nonsens_result *from, nonsens_result *to)
{
    for (int64_t i = 0; i < from->edges; i++) {
        const nonsens_edge *e = &from->edge[i];
        TRY(result_edge(ctx, to, e->from, e->to, e->type, e->weight, e->p_value));
        to->edge[to->edges - 1].directed_by = e->directed_by;
        to->edge[to->edges - 1].confounded = e->confounded;
    }
    return NONSENS_OK;
}

/* ---- by a method ------------------------------------------------------------------------------------------------ */

/* Returns why no reliable graph can be found; NULL if one can. */
static const char *why_no_graph(const nonsens_data *data, const nonsens_options *options)
{
    if (data->gap) {
        return "values are missing";
    }
    if (data->segments <= ENOUGH_SEGMENTS) {
        return "fewer than three segments besides the one in question show how variables change";
    }
    return data->in_time && options->block_length == 1 ? "neighbouring rows depend on one another" : NULL;
}

/* Goes on without a graph: each variable is judged by itself. */
static nonsens_status judge_alone(nonsens_context *ctx, const char *why, nonsens_result *result)
{
    result->method = "none";
    result->assumes = "No variable causes another, since no graph is given; rows, or blocks of neighbouring rows if "
                      "they depend on one another, are independent inside segments.";
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "No graph was searched for, because %s: each variable is judged by itself, so a variable "
                       "that only follows its causes counts as changed. Give a --graph if you know one.",
                       why);
}

static nonsens_status find_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 nonsens_result *result)
{
    const char *why = why_no_graph(data, options);
    if (why) {
        return judge_alone(ctx, why, result);
    }
    SCOPED(memory_release_scoped) nonsens_result *found = NULL;
    TRY(run_graph(ctx, data, options, &found));
    TRY(copy_edges(ctx, found, result));
    for (int64_t i = 0; i < found->notes; i++) {
        TRY(result_note(ctx, result, found->note[i].level, "The graph: %s", found->note[i].text));
    }
    result->method = found->method;
    result->bidirected_meaning = found->bidirected_meaning;
    result->assumes = arena_format(ctx, &result->memory, "%s" RESULT_GRAPH_ASSUMES "%s: %s", assumptions(options),
                                   found->method, found->assumes);
    return result->assumes ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- its marks -------------------------------------------------------------------------------------------------- */

nonsens_status explain_marks(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
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
                                               "graph file %.400s: arrows form a cycle, in which no variable comes "
                                               "first; give a graph without one",
                                               result->options.graph)
                                        : fail(ctx, NONSENS_ERR_DATA,
                                               "the graph by %s has a cycle of arrows, in which no variable comes "
                                               "first; take another --method, or give a --graph",
                                               result->method);
    }
    return NONSENS_OK;
}

nonsens_status explain_graph(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const nonsens_graph *given,
                             nonsens_result *result)
{
    const nonsens_options *options = &result->options;
    return given               ? take_graph(ctx, scratch, data, given, result)
           : options->graph[0] ? read_graph(ctx, scratch, data, options, result)
                               : find_graph(ctx, data, options, result);
}

nonsens_status explain_check_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *given,
                                   const nonsens_options *options)
{
    bool is_found = !given && !options->graph[0] && !why_no_graph(data, options);
    return is_found ? run_check_graph(ctx, options) : NONSENS_OK;
}

nonsens_status explain_copy_graph(nonsens_context *ctx, const nonsens_result *from, nonsens_result *to)
{
    TRY(copy_edges(ctx, from, to));
    for (int64_t i = 0; i < from->notes; i++) {
        TRY(result_note(ctx, to, from->note[i].level, "%s", from->note[i].text));
    }
    to->method = from->method;
    to->bidirected_meaning = from->bidirected_meaning;
    to->assumes = arena_text(ctx, &to->memory, from->assumes);
    return to->assumes ? NONSENS_OK : NONSENS_ERR_MEMORY;
}
