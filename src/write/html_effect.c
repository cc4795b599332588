/*
 * html_effect.c - removes from a result of `effect` what its page does not show, so that the page stays small: the JSON
 * file has everything.
 */
#include "write/html.h"

#include <string.h>

enum { MAX_EFFECTS = 1000, MAX_PAIRS = 2000, MAX_ROWS = 2000 };

static const char *variable_of(const json_value *effects, size_t k)
{
    return json_get_string(json_array_get(effects, k), "on");
}

/* Counts the variables of effects, which are listed variable by variable. */
static size_t count_variables(const json_value *effects)
{
    size_t count = 0;
    for (size_t k = 0; k < json_array_size(effects); k++) {
        count += k == 0 || strcmp(variable_of(effects, k), variable_of(effects, k - 1)) != 0;
    }
    return count;
}

/* Keeps the first answers for each variable: those for all rows, for a curve, then for the first segments. */
static size_t thin_answers(json_value *result)
{
    json_value *effects = json_object_get(result, "effects"), *baseline = json_object_get(result, "baseline");
    json_value *kept = json_array(), *kept_baseline = json_array();
    size_t all = json_array_size(effects), variables = count_variables(effects), of_variable = 0;
    size_t most = variables < MAX_EFFECTS ? MAX_EFFECTS / (variables ? variables : 1) : 1;
    for (size_t k = 0; k < all; k++) {
        bool begins = k == 0 || strcmp(variable_of(effects, k), variable_of(effects, k - 1)) != 0;
        of_variable = begins ? 1 : of_variable + 1;
        if (of_variable <= most && json_array_size(kept) < MAX_EFFECTS) {
            json_array_append(kept, json_incref(json_array_get(effects, k)));
            json_array_append(kept_baseline, json_incref(json_array_get(baseline, k)));
        }
    }
    size_t left_out = all - json_array_size(kept);
    json_object_set(result, "effects", kept);
    json_object_set(result, "baseline", kept_baseline);
    return left_out;
}

/* Removes pairs without a path, and all but the first `most` other items; returns how many of the latter it removed. */
static size_t thin_list(json_value *result, const char *key, size_t most)
{
    const json_value *list = json_object_get(result, key);
    json_value *kept = json_array();
    size_t left_out = 0;
    for (size_t k = 0; k < json_array_size(list); k++) {
        json_value *item = json_array_get(list, k);
        const char *answered = json_get_string(item, "answered");
        if (answered && strcmp(answered, "no path") == 0) {
            continue;
        }
        if (json_array_size(kept) < most) {
            json_array_append(kept, json_incref(item));
        } else {
            left_out++;
        }
    }
    json_object_set(result, key, kept);
    return left_out;
}

json_value *html_thin_effects(json_value *result)
{
    if (!json_object_get(result, "effects")) {
        return json_null();
    }
    size_t effects = thin_answers(result), pairs = thin_list(result, "quartile_effects", MAX_PAIRS),
           rows = thin_list(result, "rows", MAX_ROWS);
    return json_object_of("effects", json_integer((int64_t)effects), "pairs", json_integer((int64_t)pairs), "rows",
                          json_integer((int64_t)rows), NULL);
}
