/* found_graph.c - runs `discover`, stores its graph in a line of a journal, and reads it back. */
#include "figures/found_graph.h"

#include "base/clock.h"
#include "tasks/run.h"

#include <string.h>

/* ---- running ---- */

static nonsens_status make_options(nonsens_context *ctx, const found_by *finder, uint64_t seed,
                                   nonsens_options *options)
{
    for (int i = 0; i < FOUND_SETTINGS && finder->set[i].key; i++) {
        TRY(nonsens_options_set(ctx, options, finder->set[i].key, finder->set[i].value));
    }
    options->seed = (int64_t)seed;
    options->threads = 1; // units run in parallel
    return NONSENS_OK;
}

/* Returns whether to store the outcome: a failure due to the data is a result; exhausted memory and Ctrl-C are not. */
static bool is_result(nonsens_status status)
{
    return status == NONSENS_OK || status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC;
}

static nonsens_status find(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                           json_value *line)
{
    nonsens_result *result;
    double begun = clock_seconds();
    nonsens_status status = nonsens_run_discover(ctx, data, options, &result);
    if (!is_result(status)) {
        return status;
    }
    double seconds = clock_seconds() - begun;
    json_value *what = result ? found_graph_edges(result->edges, result->edge) : json_string(ctx->message);
    bool kept = json_object_set(line, result ? "edges" : "failed", what) &&
                json_object_set(line, "seconds", json_real(seconds));
    nonsens_result_free(result);
    return kept ? NONSENS_OK : fail_memory(ctx);
}

nonsens_status found_graph_run(nonsens_context *ctx, const found_by *finder, const nonsens_data *data, uint64_t seed,
                               json_value *line)
{
    nonsens_options *options;
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_DISCOVER, &options));
    nonsens_status status = make_options(ctx, finder, seed, options);
    status = status == NONSENS_OK ? find(ctx, data, options, line) : status;
    nonsens_options_free(options);
    return status;
}

/* ---- writing and reading ---- */

const char *found_graph_word(int type)
{
    return type == NONSENS_EDGE_DIRECTED ? "-->" : type == NONSENS_EDGE_UNDIRECTED ? "---" : "<->";
}

json_value *found_graph_edges(int64_t edges, const nonsens_edge *edge)
{
    json_value *all = json_array();
    for (int64_t i = 0; i < edges; i++) {
        json_array_append(all, json_array_of(3, json_integer(edge[i].from), json_integer(edge[i].to),
                                             json_string(found_graph_word(edge[i].type))));
    }
    return all;
}

static enum pdag_mark mark_of(const char *word, bool reversed)
{
    if (strcmp(word, "-->") == 0) {
        return reversed ? PDAG_BACK : PDAG_ARROW;
    }
    return strcmp(word, "---") == 0 ? PDAG_LINE : strcmp(word, "<->") == 0 ? PDAG_BOTH : PDAG_NONE;
}

/* Reads an edge.  Two edges between the same nodes become a bidirected one, as in `nonsens compare`. */
static bool read_edge(const json_value *edge, found_graph *out)
{
    const json_value *first = json_array_get(edge, 0), *second = json_array_get(edge, 1);
    int64_t from = json_integer_value(first), to = json_integer_value(second);
    const char *word = json_string_value(json_array_get(edge, 2));
    if (!json_is(first, JSON_INTEGER) || !json_is(second, JSON_INTEGER) || !word || from == to || from < 0 || to < 0 ||
        from >= FOUND_NODES || to >= FOUND_NODES) {
        return false;
    }
    enum pdag_mark mark = mark_of(word, to < from);
    unsigned char *place = &out->mark[from < to ? from : to][from < to ? to : from];
    *place = *place == PDAG_NONE ? (unsigned char)mark : PDAG_BOTH;
    return mark != PDAG_NONE;
}

bool found_graph_read_edges(const json_value *edges, found_graph *out)
{
    *out = (found_graph){0};
    for (size_t i = 0; i < json_array_size(edges); i++) {
        if (!read_edge(json_array_get(edges, i), out)) {
            return false;
        }
    }
    return json_is(edges, JSON_ARRAY);
}

bool found_graph_read(const json_value *line, found_graph *out)
{
    if (json_has(line, "failed", JSON_STRING)) {
        *out = (found_graph){.failed = true};
        return true;
    }
    return found_graph_read_edges(json_object_get(line, "edges"), out);
}

nonsens_status found_graph_to_pdag(nonsens_context *ctx, arena *a, const found_graph *g, pdag *out)
{
    TRY(pdag_new(ctx, a, FOUND_NODES, out));
    for (int64_t i = 0; i < FOUND_NODES; i++) {
        for (int64_t j = i + 1; j < FOUND_NODES; j++) {
            pdag_set(out, i, j, (enum pdag_mark)g->mark[i][j]);
        }
    }
    return NONSENS_OK;
}
