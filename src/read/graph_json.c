/*
 * graph_json.c - reads graphs from JSON: results of discover ("edges" of objects) and truths of simulate ("edges" of
 * pairs).
 *
 * Anything else in the document is ignored.  Parsed JSON has no line numbers, so messages number the edges from 1.
 */
#include "base/memory.h"
#include "graph/edge.h"
#include "read/graph_internal.h"
#include "json/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Fails with a message about edge k, counted from 0. */
static nonsens_status fail_edge(graph_builder *b, size_t k, const char *what)
{
    return graph_fail(b, 0, "edge %zu of \"edges\" %s", k + 1, what);
}

static nonsens_status take_end(graph_builder *b, size_t k, const json_value *name, int64_t *node)
{
    if (!json_is(name, JSON_STRING)) {
        return fail_edge(b, k,
                         "lacks the name of a node; write {\"from\": \"a\", \"to\": \"b\", \"type\": \"-->\"} or "
                         "[\"a\", \"b\"]");
    }
    return graph_find_node(b, 0, json_string_value(name), (int64_t)strlen(json_string_value(name)), node);
}

static nonsens_status take_edge(graph_builder *b, size_t k, const json_value *item)
{
    bool pair = json_is(item, JSON_ARRAY) && json_array_size(item) == 2, reversed = false;
    const char *type = json_get_string(item, "type");
    nonsens_edge e = {.type = NONSENS_EDGE_DIRECTED,
                      .weight = json_get_number(item, "weight"),
                      .p_value = json_get_number(item, "p_value"),
                      .support = json_get_number(item, "support"),
                      .confounded = json_object_get(item, "confounded") == json_boolean(true),
                      EDGE_NO_EFFECT};
    if (!pair && !json_is(item, JSON_OBJECT)) {
        return fail_edge(b, k, "is neither an object nor a pair of names");
    }
    if (!json_has(item, "type", JSON_STRING | JSON_MISSING)) {
        return fail_edge(b, k, "has a \"type\" that is not a string; write \"-->\", \"---\" or \"<->\"");
    }
    TRY(take_end(b, k, pair ? json_array_get(item, 0) : json_object_get(item, "from"), &e.from));
    TRY(take_end(b, k, pair ? json_array_get(item, 1) : json_object_get(item, "to"), &e.to));
    if (type) {
        TRY(graph_read_type(b, 0, type, (int64_t)strlen(type), &e.type, &reversed));
    }
    if (reversed) {
        int64_t from = e.from;
        e.from = e.to;
        e.to = from;
    }
    return graph_take_edge(b, 0, e);
}

/* Takes the pairs of nodes in a truth of simulate that have a hidden common cause: a <-> b. */
static nonsens_status take_hidden(graph_builder *b, const json_value *hidden)
{
    for (size_t k = 0; k < json_array_size(hidden); k++) {
        const json_value *pair = json_array_get(hidden, k);
        nonsens_edge e = {.type = NONSENS_EDGE_BIDIRECTED,
                          .weight = NAN,
                          .p_value = NAN,
                          .support = NAN,
                          .confounded = 1,
                          EDGE_NO_EFFECT};
        TRY(take_end(b, k, json_array_get(pair, 0), &e.from));
        TRY(take_end(b, k, json_array_get(pair, 1), &e.to));
        TRY(graph_take_edge(b, 0, e));
    }
    return NONSENS_OK;
}

/* Keeps the notes above the level "info". */
static nonsens_status take_cautions(graph_builder *b, const json_value *notes, const json_value *levels)
{
    nonsens_graph *g = b->graph;
    ARENA_TRY(b->ctx, &g->memory, g->caution, (int64_t)json_array_size(notes));
    for (size_t k = 0; k < json_array_size(notes); k++) {
        const char *level = json_string_value(json_array_get(levels, k));
        const char *text = json_string_value(json_array_get(notes, k));
        if (!level || !text || strcmp(level, "info") == 0) {
            continue;
        }
        g->caution[g->cautions] = arena_text(b->ctx, &g->memory, text);
        if (!g->caution[g->cautions++]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    return NONSENS_OK;
}

/* Keeps the name of the method, which says what a <-> b means in its graphs. */
static nonsens_status take_method(graph_builder *b, const char *method)
{
    b->graph->method = method ? arena_text(b->ctx, &b->graph->memory, method) : NULL;
    return method && !b->graph->method ? NONSENS_ERR_MEMORY : NONSENS_OK;
}

static nonsens_status take_document(graph_builder *b, const json_value *root)
{
    const json_value *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
    if (!json_is(nodes, JSON_ARRAY) || !json_is(edges, JSON_ARRAY)) {
        return graph_fail(b, 0,
                          "no graph: the lists \"nodes\" and \"edges\" are missing; give what discover --json or "
                          "simulate --truth wrote");
    }
    for (size_t k = 0; k < json_array_size(nodes); k++) {
        const char *name = json_string_value(json_array_get(nodes, k));
        if (!name) {
            return graph_fail(b, 0, "entry %zu of \"nodes\" is not a string; list the names of the nodes", k + 1);
        }
        TRY(graph_list_node(b, 0, name, (int64_t)strlen(name)));
    }
    for (size_t k = 0; k < json_array_size(edges); k++) {
        TRY(take_edge(b, k, json_array_get(edges, k)));
    }
    TRY(take_hidden(b, json_object_get(root, "hidden")));
    TRY(take_method(b, json_get_string(root, "method")));
    b->graph->format = "JSON";
    b->graph->lists_nodes = true;
    return take_cautions(b, json_object_get(root, "notes"), json_object_get(root, "note_levels"));
}

nonsens_status graph_parse_json(graph_builder *b, const char *bytes, size_t size)
{
    json_error error;
    json_value *root;
    nonsens_status status = json_parse(b->ctx, bytes, size, true, &error, &root);
    if (status == NONSENS_ERR_DATA) {
        return graph_fail(b, error.line, "not JSON: %s; repair the file", error.what);
    }
    status = status == NONSENS_OK ? take_document(b, root) : status;
    json_decref(root);
    return status;
}
