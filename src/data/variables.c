/*
 * variables.c - finds the variables that --x, --y, --given and --target name, and makes the data set with just these.
 */
#include "data/variables.h"

#include "data/complete.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 400 };

/* Lists the names, separated by commas; "..." ends the list if there are too many. */
static const char *list_names(const nonsens_data *data, char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (int64_t j = 0; j < data->d; j++) {
        const char *separator = j ? ", " : "";
        if (used + strlen(separator) + strlen(data->names[j]) + sizeof ", ..." > LIST_BYTES) {
            snprintf(list + used, LIST_BYTES - used, "%s...", separator);
            break;
        }
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", separator, data->names[j]);
    }
    return list;
}

/* One name that an option gives, and the variable that it means. */
typedef struct naming {
    const char *key;
    char *name;
    int64_t index; /* -1: not found yet */
} naming;

typedef struct namings {
    naming *item;
    int64_t count;
} namings;

/* Finds the variable with the name as it stands or, if there is none, without blanks around it. */
static nonsens_status add_name(nonsens_context *ctx, arena *a, const nonsens_data *data, const char *key,
                               const char *begin, const char *end, namings *all)
{
    naming *item = &all->item[all->count];
    *item = (naming){key, arena_format(ctx, a, "%.*s", (int)(end - begin), begin), -1};
    if (!item->name) {
        return NONSENS_ERR_MEMORY;
    }
    item->index = dataset_find_name(data, item->name);
    if (item->index < 0) {
        size_t length = strlen(item->name), blanks = strspn(item->name, " \t");
        while (length > blanks && strchr(" \t", item->name[length - 1])) {
            item->name[--length] = '\0';
        }
        item->name += blanks;
        item->index = dataset_find_name(data, item->name);
    }
    all->count++;
    return NONSENS_OK;
}

/* Adds the names of a list; the whole list may also be one name that contains commas. */
static nonsens_status add_list(nonsens_context *ctx, arena *a, const nonsens_data *data, const char *key,
                               const char *list, namings *all, int64_t *count)
{
    const char *begin, *end;
    int64_t before = all->count;
    if (list[0] && dataset_find_name(data, list) >= 0) {
        TRY(add_name(ctx, a, data, key, list, list + strlen(list), all));
    } else {
        while (option_next_name(&list, &begin, &end)) {
            TRY(add_name(ctx, a, data, key, begin, end, all));
        }
    }
    *count = all->count - before;
    return NONSENS_OK;
}

static bool is_taken(const namings *all, int64_t index)
{
    for (int64_t k = 0; k < all->count; k++) {
        if (all->item[k].index == index) {
            return true;
        }
    }
    return false;
}

/*
 * Resolves #k, the k-th variable.  But if the data have only the columns of a file that were named, in this order, #k
 * counted the file's columns when they were read; it is then the next variable that is not named.
 */
static void place_numbers(const nonsens_data *data, namings *all)
{
    bool kept_just_these = data->by_role && all->count == data->d;
    int64_t next = 0;
    for (int64_t k = 0; k < all->count; k++) {
        naming *item = &all->item[k];
        if (item->index >= 0 || item->name[0] != '#') {
            continue;
        }
        while (kept_just_these && next < data->d && is_taken(all, next)) {
            next++;
        }
        item->index = kept_just_these ? next : option_column_number(item->name, data->d);
    }
}

static nonsens_status check_namings(nonsens_context *ctx, const nonsens_data *data, const namings *all)
{
    char list[LIST_BYTES];
    for (int64_t k = 0; k < all->count; k++) {
        const naming *item = &all->item[k];
        if (item->index < 0 || item->index >= data->d) {
            return fail(ctx, NONSENS_ERR_DATA, "--%s %s: there is no such variable; there are %s", item->key,
                        item->name, list_names(data, list));
        }
        for (int64_t j = 0; j < k; j++) {
            if (all->item[j].index == item->index) {
                return fail(ctx, NONSENS_ERR_USAGE, "--%s and --%s both name %s; name different variables",
                            all->item[j].key, item->key, data->names[item->index]);
            }
        }
    }
    return NONSENS_OK;
}

/* Finds all variables of all lists, and how many of them each list has. */
static nonsens_status find_all(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               int64_t **index, int64_t count[3])
{
    namings all = {NULL, 0};
    int64_t names = option_count_names(options->x) + option_count_names(options->y);
    ARENA_TRY(ctx, a, all.item, names + option_count_names(options->given));
    TRY(add_list(ctx, a, data, "x", options->x, &all, &count[0]));
    TRY(add_list(ctx, a, data, "y", options->y, &all, &count[1]));
    TRY(add_list(ctx, a, data, "given", options->given, &all, &count[2]));
    place_numbers(data, &all);
    TRY(check_namings(ctx, data, &all));
    ARENA_TRY(ctx, a, *index, all.count);
    for (int64_t k = 0; k < all.count; k++) {
        (*index)[k] = all.item[k].index;
    }
    return NONSENS_OK;
}

static bool has_warning(const nonsens_data *data, const char *sentence)
{
    for (int64_t i = 0; i < data->warnings; i++) {
        if (strcmp(data->warning[i], sentence) == 0) {
            return true;
        }
    }
    return false;
}

/* Copies the warnings and notes about the whole table, which concern its pairs too. */
static nonsens_status pass_warnings(nonsens_context *ctx, const nonsens_data *data, nonsens_data *pair)
{
    for (int64_t i = 0; i < data->warnings; i++) {
        if (!has_warning(pair, data->warning[i])) {
            TRY(dataset_warn(ctx, pair, "%s", data->warning[i]));
        }
    }
    for (int64_t i = 0; i < data->notes; i++) {
        TRY(dataset_note(ctx, pair, data->note[i]));
    }
    return NONSENS_OK;
}

/* Returns the data themselves if they have just these variables in this order, or a new data set of complete rows. */
static nonsens_status select_columns(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                     int64_t count, const int64_t *index, const nonsens_data **out,
                                     nonsens_data **owned)
{
    bool as_they_are = count == data->d && !data->gap;
    *out = data;
    *owned = NULL;
    for (int64_t k = 0; k < count; k++) {
        as_they_are = as_they_are && index[k] == k;
    }
    if (as_they_are) {
        return NONSENS_OK;
    }
    SCOPED(memory_release_scoped) nonsens_data *selected = NULL;
    TRY(complete_select(ctx, data, options, count, index, &selected));
    TRY(pass_warnings(ctx, data, selected));
    *out = *owned = selected;
    selected = NULL;
    return NONSENS_OK;
}

static nonsens_status ask_for_names(nonsens_context *ctx, const nonsens_data *data, unsigned command, bool x_only)
{
    char list[LIST_BYTES];
    if (x_only) {
        return fail(ctx, NONSENS_ERR_USAGE, "there are %" PRId64 " variables (%s); name one of them with --x A",
                    data->d, list_names(data, list));
    }
    if (data->d < 2) {
        return fail(ctx, NONSENS_ERR_DATA, "two variables are needed, but %s is the only one", data->names[0]);
    }
    return fail(ctx, NONSENS_ERR_USAGE, "there are %" PRId64 " variables (%s); name two of them with --x A --y B%s",
                data->d, list_names(data, list),
                command == NONSENS_COMMAND_DIRECTION ? ", or find the graph of all with `nonsens discover`" : "");
}

nonsens_status variables_roles(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               bool x_only, variable_roles *out)
{
    char list[LIST_BYTES];
    SCOPED_ARENA(local);
    int64_t *index;
    *out = (variable_roles){.data = data, .count = {1, x_only ? 0 : 1, 0}};
    if (x_only && (options->y[0] || options->given[0])) {
        return fail(ctx, NONSENS_ERR_USAGE, "this test asks whether x changes over segments; leave out y and given");
    }
    if (options->given[0] && !options->x[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--given needs --x and --y; name the two variables as well");
    }
    if (!options->x[0] && !options->y[0] && data->d == (x_only ? 1 : 2)) {
        return select_columns(ctx, data, options, data->d, (const int64_t[]){0, 1}, &out->data, &out->owned);
    }
    if (!options->x[0] && !options->y[0]) {
        return ask_for_names(ctx, data, options->command, x_only);
    }
    if (!options->x[0] || (!options->y[0] && !x_only)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--x and --y go together; there are the variables %s",
                    list_names(data, list));
    }
    TRY(find_all(ctx, &local, data, options, &index, out->count));
    if (x_only && out->count[0] != 1) {
        return fail(ctx, NONSENS_ERR_USAGE, "this test takes one variable; --x names %" PRId64, out->count[0]);
    }
    return select_columns(ctx, data, options, out->count[0] + out->count[1] + out->count[2], index, &out->data,
                          &out->owned);
}

nonsens_status variables_pair(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              const nonsens_data **pair, nonsens_data **owned)
{
    variable_roles roles;
    TRY(variables_roles(ctx, data, options, false, &roles));
    *pair = roles.data;
    *owned = roles.owned;
    if (roles.count[0] == 1 && roles.count[1] == 1 && roles.count[2] == 0) {
        return NONSENS_OK;
    }
    nonsens_data_free(roles.owned);
    *owned = NULL;
    return fail(ctx, NONSENS_ERR_USAGE, "--x and --y must name one variable each; lists are for independence alone");
}

nonsens_status variables_find(nonsens_context *ctx, const nonsens_data *data, const char *key, const char *wanted,
                              int64_t *index)
{
    naming item;
    namings one = {&item, 0};
    char list[LIST_BYTES];
    SCOPED_ARENA(local);
    TRY(add_name(ctx, &local, data, key, wanted, wanted + strlen(wanted), &one));
    *index = item.index >= 0 ? item.index : option_column_number(item.name, data->d);
    return *index >= 0 ? NONSENS_OK
                       : fail(ctx, NONSENS_ERR_DATA, "--%s %s: there is no such variable; there are %s", key, item.name,
                              list_names(data, list));
}
