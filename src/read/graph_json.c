/*
 * graph_json.c - graphs as JSON: results of discover ("edges" of objects) and truths of simulate ("edges" of pairs).
 *
 * Whatever else the document holds is not looked at.  The JSON library keeps no lines for what is well formed, so
 * messages about edges count them from 1.
 */
#include "json/json_text.h"
#include "base/memory.h"
#include "read/graph_internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* The message about edge k, from 0. */
static nonsens_status fail_edge(graph_builder *b, size_t k, const char *what)
{
    return graph_fail(b, 0, "edge %zu of \"edges\" %s", k + 1, what);
}

static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static nonsens_status take_end(graph_builder *b, size_t k, const json_t *name, int64_t *node)
{
    if (!json_is_string(name)) {
        return fail_edge(b, k,
                         "lacks the name of a node; write {\"from\": \"a\", \"to\": \"b\", \"type\": \"-->\"} or "
                         "[\"a\", \"b\"]");
    }
    return graph_find_node(b, 0, json_string_value(name), (int64_t)json_string_length(name), node);
}

static nonsens_status take_edge(graph_builder *b, size_t k, const json_t *item)
{
    bool pair = json_is_array(item) && json_array_size(item) == 2, turned = false;
    const json_t *type = json_object_get(item, "type");
    nonsens_edge e = {.type = NONSENS_EDGE_DIRECTED,
                      .weight = number_at(item, "weight"),
                      .p_value = number_at(item, "p_value"),
                      .support = number_at(item, "support")};
    if (!pair && !json_is_object(item)) {
        return fail_edge(b, k, "is neither an object nor a pair of names");
    }
    if (type && !json_is_string(type)) {
        return fail_edge(b, k, "has a \"type\" that is no text; write \"-->\", \"---\" or \"<->\"");
    }
    TRY(take_end(b, k, pair ? json_array_get(item, 0) : json_object_get(item, "from"), &e.from));
    TRY(take_end(b, k, pair ? json_array_get(item, 1) : json_object_get(item, "to"), &e.to));
    if (type) {
        TRY(graph_read_type(b, 0, json_string_value(type), (int64_t)json_string_length(type), &e.type, &turned));
    }
    if (turned) {
        e = (nonsens_edge){e.to, e.from, e.type, e.weight, e.p_value, e.support};
    }
    return graph_take_edge(b, 0, e);
}

/* Notes that do more than inform, as whoever goes on with the graph should know. */
static nonsens_status take_cautions(graph_builder *b, const json_t *notes, const json_t *levels)
{
    nonsens_graph *g = b->graph;
    const json_t *item;
    size_t k;
    ARENA_TRY(b->ctx, &g->memory, g->caution, (int64_t)json_array_size(notes));
    json_array_foreach(notes, k, item)
    {
        const char *level = json_string_value(json_array_get(levels, k)), *text = json_string_value(item);
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

static nonsens_status take_document(graph_builder *b, const json_t *root)
{
    const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges"), *item;
    size_t k;
    if (!json_is_array(nodes) || !json_is_array(edges)) {
        return graph_fail(b, 0,
                          "no graph: the lists \"nodes\" and \"edges\" are missing; give what discover --json or "
                          "simulate --truth wrote");
    }
    json_array_foreach(nodes, k, item)
    {
        if (!json_is_string(item)) {
            return graph_fail(b, 0, "entry %zu of \"nodes\" is no text; list the names of the nodes", k + 1);
        }
        TRY(graph_list_node(b, 0, json_string_value(item), (int64_t)json_string_length(item)));
    }
    json_array_foreach(edges, k, item)
    {
        TRY(take_edge(b, k, item));
    }
    b->graph->format = "JSON";
    b->graph->lists_nodes = true;
    return take_cautions(b, json_object_get(root, "notes"), json_object_get(root, "note_levels"));
}

nonsens_status graph_parse_json(graph_builder *b, const char *bytes, size_t size)
{
    json_error_t error;
    bool no_memory;
    TRY(memory_allow(b->ctx, json_memory(bytes, size)));
    json_t *root = json_parse(bytes, size, JSON_REJECT_DUPLICATES, &error, &no_memory);
    if (!root) {
        return no_memory ? fail_memory(b->ctx) : graph_fail(b, error.line, "not JSON: %s; repair the file", error.text);
    }
    nonsens_status status = take_document(b, root);
    json_decref(root);
    return status;
}
