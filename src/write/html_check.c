/* html_check.c - checks that a JSON file is a result: every part that a page shows exists and has the right type. */
#include "base/input.h"
#include "base/show.h"
#include "base/text_set.h"
#include "write/html.h"
#include "json/json.h"

#include <stdarg.h>
#include <string.h>

nonsens_status html_fail_result(nonsens_context *ctx, const char *path, const char *what)
{
    char shown[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_DATA,
                "result file %s: %s; give what --json of nonsens direction, discover, explain or effect wrote",
                show_bare(shown, input_name(path)), what);
}

enum {
    OPTIONAL_NUMBER = JSON_NUMBER | JSON_NULL | JSON_MISSING,
    OPTIONAL_TEXT = JSON_STRING | JSON_NULL | JSON_MISSING
};

/* Returns whether the members with these keys (NULL ends the list) all have one of the types. */
static __attribute__((sentinel)) bool has_all(const json_value *object, unsigned types, ...)
{
    va_list keys;
    const char *key;
    bool ok = true;
    va_start(keys, types);
    while ((key = va_arg(keys, const char *))) {
        ok = ok && json_has(object, key, types);
    }
    va_end(keys);
    return ok;
}

/* Returns whether the value is an array whose items all pass. */
static bool all_are(const json_value *array, bool (*is_item)(const json_value *item))
{
    bool ok = json_is(array, JSON_ARRAY);
    for (size_t k = 0; ok && k < json_array_size(array); k++) {
        ok = is_item(json_array_get(array, k));
    }
    return ok;
}

static bool is_text(const json_value *item)
{
    return json_is(item, JSON_STRING);
}

static bool has_texts(const json_value *object, const char *key)
{
    return all_are(json_object_get(object, key), is_text);
}

static bool is_evidence(const json_value *item)
{
    return has_all(item, JSON_STRING, "name", "text", NULL) && has_all(item, OPTIONAL_NUMBER, "value", "p_value", NULL);
}

static bool is_opinion(const json_value *item)
{
    return has_all(item, JSON_STRING, "method", "decision", NULL) && has_all(item, OPTIONAL_TEXT, "direction", NULL) &&
           has_all(item, OPTIONAL_NUMBER, "score", "p_value", NULL);
}

/* Checks what a direction has besides its decision; results of version 0.1 lack it. */
static bool has_firm(const json_value *root)
{
    const json_value *alternatives = json_object_get(root, "alternatives"),
                     *opinions = json_object_get(root, "opinions");
    return json_has(root, "firm", JSON_BOOLEAN | JSON_NULL | JSON_MISSING) &&
           (!alternatives || all_are(alternatives, is_text)) && (!opinions || all_are(opinions, is_opinion));
}

static bool is_number(const json_value *item)
{
    return json_is(item, JSON_NUMBER);
}

/* Checks what an edge has on its direct effect; results of version 0.1 lack it. */
static bool has_effect(const json_value *edge)
{
    const json_value *interval = json_object_get(edge, "effect_interval"), *step = json_object_get(edge, "step"),
                     *curve = json_object_get(edge, "curve");
    unsigned none = JSON_NULL | JSON_MISSING;
    return json_has(edge, "effect", OPTIONAL_NUMBER) && (json_is(interval, none) || all_are(interval, is_number)) &&
           (json_is(step, none) || all_are(step, is_number)) &&
           (json_is(curve, none) ||
            (all_are(json_object_get(curve, "x"), is_number) && all_are(json_object_get(curve, "y"), is_number)));
}

static bool is_edge(const json_value *item)
{
    return has_all(item, JSON_STRING, "from", "to", "type", NULL) &&
           has_all(item, OPTIONAL_NUMBER, "weight", "p_value", "support", NULL) && has_effect(item);
}

static nonsens_status put_name(nonsens_context *ctx, text_set *names, const char *name, int32_t *index)
{
    return text_set_put(ctx, names, name, (int64_t)strlen(name), index);
}

/* Sets *ok to whether both ends of every edge are among the nodes; finds names by hash, in linear time. */
static nonsens_status check_ends(nonsens_context *ctx, arena *scratch, const json_value *nodes, const json_value *edges,
                                 bool *ok)
{
    text_set names = {.keep = scratch, .scratch = scratch};
    int32_t from, to;
    for (size_t k = 0; k < json_array_size(nodes); k++) {
        TRY(put_name(ctx, &names, json_string_value(json_array_get(nodes, k)), &from));
    }
    int64_t count = names.count;
    *ok = true;
    for (size_t k = 0; *ok && k < json_array_size(edges); k++) {
        const json_value *edge = json_array_get(edges, k);
        TRY(put_name(ctx, &names, json_get_string(edge, "from"), &from));
        TRY(put_name(ctx, &names, json_get_string(edge, "to"), &to));
        *ok = from < count && to < count;
    }
    return NONSENS_OK;
}

/* Sets *ok to whether this is a graph; fails only if memory runs out. */
static nonsens_status is_graph(nonsens_context *ctx, const json_value *nodes, const json_value *edges, bool *ok)
{
    arena scratch = {0};
    *ok = all_are(nodes, is_text) && all_are(edges, is_edge);
    nonsens_status status = *ok ? check_ends(ctx, &scratch, nodes, edges, ok) : NONSENS_OK;
    arena_free(&scratch);
    return status;
}

/* Checks {variable: {segment: number or null}}. */
static bool is_modulation(const json_value *modulation)
{
    const json_value *of, *value;
    const char *key;
    bool ok = true;
    for (size_t j = 0; (of = json_at(modulation, j, &key)); j++) {
        ok = ok && json_is(of, JSON_OBJECT);
        for (size_t e = 0; (value = json_at(of, e, &key)); e++) {
            ok = ok && json_is(value, OPTIONAL_NUMBER);
        }
    }
    return ok;
}

/* Checks null or [low, high]. */
static bool is_interval(const json_value *pair)
{
    return json_is(pair, JSON_NULL) ||
           (json_array_size(pair) == 2 && json_is(json_array_get(pair, 0), OPTIONAL_NUMBER) &&
            json_is(json_array_get(pair, 1), OPTIONAL_NUMBER));
}

static bool is_change(const json_value *item)
{
    return has_all(item, JSON_STRING, "variable", "verdict", "how", NULL) && json_has(item, "rank", JSON_INTEGER) &&
           has_all(item, OPTIONAL_NUMBER, "own_change", "p_value", "q_value", "scale", "shift", "marginal_change",
                   "standard_error", NULL) &&
           has_texts(item, "follows") && is_interval(json_object_get(item, "interval")) &&
           is_interval(json_object_get(item, "scale_interval"));
}

static bool is_explained(const json_value *object)
{
    return json_has(object, "of", JSON_STRING) && json_has(object, "against", JSON_STRING | JSON_NULL) &&
           has_all(object, JSON_INTEGER, "of_rows", "against_rows", NULL) && has_texts(object, "root_causes") &&
           all_are(json_object_get(object, "variables"), is_change);
}

static bool is_pair(const json_value *item)
{
    return has_all(item, JSON_STRING, "a", "b", NULL);
}

/* Returns whether this is the table of how often each pair had which edge. */
static bool is_bootstrap(const json_value *object)
{
    return has_all(object, JSON_INTEGER, "replicates", "failed", NULL) &&
           all_are(json_object_get(object, "pairs"), is_pair);
}

/* Returns whether notes and their levels are valid; files of earlier versions lack levels. */
static bool has_notes(const json_value *root)
{
    const json_value *notes = json_object_get(root, "notes"), *levels = json_object_get(root, "note_levels");
    return (!notes || all_are(notes, is_text)) &&
           (!levels || (all_are(levels, is_text) && json_array_size(levels) == json_array_size(notes)));
}

/* ---- what `effect` answers ---- */

/* Checks an object of numbers or nulls, such as {"0.05": 1.2}. */
static bool is_numbers(const json_value *object)
{
    const json_value *value;
    const char *key;
    bool ok = json_is(object, JSON_OBJECT);
    for (size_t k = 0; ok && (value = json_at(object, k, &key)); k++) {
        ok = json_is(value, OPTIONAL_NUMBER);
    }
    return ok;
}

static bool is_distribution(const json_value *object)
{
    return has_all(object, OPTIONAL_NUMBER, "mean", "low", "high", NULL) &&
           is_numbers(json_object_get(object, "quantiles"));
}

static bool is_baseline(const json_value *item)
{
    return json_has(item, "on", JSON_STRING) && is_distribution(item);
}

static bool is_effect(const json_value *item)
{
    return is_baseline(item) && has_all(item, JSON_STRING, "answered", "reason", NULL) &&
           has_all(item, OPTIONAL_TEXT, "segment", "settle", NULL) &&
           has_all(item, OPTIONAL_NUMBER, "at", "support", "robustness", "robustness_of_interval", NULL) &&
           is_interval(json_object_get(item, "range")) && is_distribution(json_object_get(item, "difference"));
}

static bool is_quartile_effect(const json_value *item)
{
    return has_all(item, JSON_STRING, "cause", "on", "answered", "reason", NULL) &&
           has_all(item, OPTIONAL_NUMBER, "from", "to", "total", "direct", "standardised", "support", NULL) &&
           is_interval(json_object_get(item, "total_interval")) &&
           is_interval(json_object_get(item, "direct_interval"));
}

static bool is_counterfactual(const json_value *item)
{
    return json_has(item, "row", JSON_INTEGER) && json_has(item, "on", JSON_STRING) &&
           has_all(item, OPTIONAL_NUMBER, "now", "then", NULL) && is_interval(json_object_get(item, "interval"));
}

static bool is_action(const json_value *item)
{
    return has_all(item, JSON_STRING, "variable", "kind", NULL) && json_has(item, "value", OPTIONAL_NUMBER);
}

/* Returns whether the answers are valid; files of development versions lack "changes". */
static bool has_answers(const json_value *root)
{
    const json_value *changes = json_object_get(root, "changes"), *effects = json_object_get(root, "effects"),
                     *baseline = json_object_get(root, "baseline");
    return json_has(root, "question", JSON_STRING) && json_has(root, "graph_check", OPTIONAL_TEXT) &&
           json_has(root, "edges", JSON_ARRAY) && (!changes || all_are(changes, is_action)) &&
           all_are(effects, is_effect) && all_are(baseline, is_baseline) &&
           json_array_size(effects) == json_array_size(baseline) &&
           all_are(json_object_get(root, "quartile_effects"), is_quartile_effect) &&
           all_are(json_object_get(root, "rows"), is_counterfactual);
}

/* ---- the whole ---- */

nonsens_status html_check_result(nonsens_context *ctx, const char *path, const json_value *root)
{
    const json_value *program = json_object_get(root, "nonsens"), *data = json_object_get(root, "data");
    const json_value *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
    const json_value *explained = json_object_get(root, "explain"), *bootstrap = json_object_get(root, "bootstrap");
    bool ok = true;
    if (!json_has(program, "options", JSON_OBJECT) || !has_all(program, JSON_STRING, "version", "data_hash", NULL)) {
        return html_fail_result(ctx, path, "no result: \"nonsens\" with version, options and data_hash is missing");
    }
    if (!has_all(data, JSON_INTEGER, "rows", "segments", NULL) || !has_texts(data, "variables") ||
        !has_texts(data, "warnings")) {
        return html_fail_result(ctx, path, "\"data\" lacks rows, segments, variables or warnings");
    }
    if (!json_has(root, "method", JSON_STRING) || !all_are(json_object_get(root, "evidence"), is_evidence)) {
        return html_fail_result(ctx, path,
                                "\"method\" or \"evidence\" is missing or is not as documented (docs/json.md)");
    }
    if (explained && !is_explained(explained)) {
        return html_fail_result(ctx, path, "\"explain\" is not as documented (docs/json.md)");
    }
    if (json_object_get(root, "effects") && !has_answers(root)) {
        return html_fail_result(ctx, path, "\"effects\" and what belongs to them are not as documented (docs/json.md)");
    }
    if (edges || nodes) {
        TRY(is_graph(ctx, nodes, edges, &ok));
    }
    if (!ok) {
        return html_fail_result(ctx, path, "\"nodes\" and \"edges\" are no graph");
    }
    ok = json_has(root, "modulation", JSON_OBJECT | JSON_MISSING) &&
         is_modulation(json_object_get(root, "modulation")) && has_notes(root) &&
         (!bootstrap || is_bootstrap(bootstrap)) &&
         has_all(root, OPTIONAL_TEXT, "decision", "direction", "reason", "assumptions", NULL) &&
         has_all(root, OPTIONAL_NUMBER, "score", "p_value", NULL) && has_firm(root);
    return ok ? NONSENS_OK : html_fail_result(ctx, path, "a part of it is not as documented (docs/json.md)");
}
