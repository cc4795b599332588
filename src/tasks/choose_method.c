/*
 * choose_method.c - decides which method runs and whether the options suit it; also the public check of options, both
 * on their own and against the method.
 */
#include "tasks/choose_method.h"

#include "base/nearest.h"
#include "base/require.h"
#include "data/audit.h"
#include "methods/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 400, RESTS_ON_GRAPH = NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT };

static nonsens_status refuse_method(nonsens_context *ctx, const nonsens_options *options)
{
    show_list list = {.max = SHOW_LIST_MAX};
    char shown[SHOWN_BYTES];
    nearest near = nearest_to(options->method);
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *info = nonsens_method_at(i);
        if (info->commands & options->command) {
            nearest_offer(&near, info->name);
            show_list_add(&list, info->name);
        }
    }
    bool is_near = near.found && !near.tied;
    return fail(ctx, NONSENS_ERR_USAGE, "--method %s: there is no such method for %s; there are %s%s%s%s",
                show_bare(shown, options->method), option_command_name(options->command), show_list_end(&list),
                is_near ? ". Did you mean " : "", is_near ? near.found : "", is_near ? "?" : "");
}

/* Returns whether the option was set: its value is neither the default nor that of --as-published. */
static bool is_set(const nonsens_options *options, const nonsens_option_info *info)
{
    char value[OPTION_VALUE_BYTES];
    return strcmp(option_print(options, info, value), option_usual(options, info)) != 0;
}

/* Returns whether the method, or one whose opinion it asks for, uses the option; m NULL: whether any method does. */
static bool is_used(const nonsens_options *options, const method *m, const char *key)
{
    bool asks = m && options->opinions == OPINIONS_ALL && method_uses(m, options->command, "opinions"), used = false;
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const method *other = method_at(i);
        bool counts = !m || m == other || (asks && other->is_opinion);
        used = used || (counts && method_uses(other, options->command, key));
    }
    return used;
}

void warn_unused_options(nonsens_context *ctx, const nonsens_options *options, const method *m)
{
    show_list list = {.max = SHOW_LIST_MAX};
    char name[SHOWN_BYTES];
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        bool of_task = strcmp(info->key, "block-length") == 0 || !(info->commands & NONSENS_COMMAND_DISCOVER);
        bool is_own = (options->command & RESTS_ON_GRAPH) && of_task; // --target of explain is not that of icp
        if (!is_own && (info->commands & options->command) && is_set(options, info) &&
            is_used(options, NULL, info->key) && !is_used(options, m, info->key)) {
            snprintf(name, sizeof name, "--%s", info->key);
            show_list_add(&list, name);
        }
    }
    if (list.count > 0) {
        leave_warning(ctx, "%s %s no effect with %s", show_list_end(&list), list.count > 1 ? "have" : "has",
                      m->info.name);
    }
}

/* Lists the methods of the command that use the option. */
static const char *list_users(unsigned command, const char *key, show_list *list)
{
    *list = (show_list){.max = SHOW_LIST_MAX};
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        if (method_uses(method_at(i), command, key)) {
            show_list_add(list, method_at(i)->info.name);
        }
    }
    return show_list_end(list);
}

static nonsens_status refuse_published(nonsens_context *ctx, unsigned command)
{
    char list[LIST_BYTES] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < nonsens_method_count() && used < sizeof list; i++) {
        const method *m = method_at(i);
        if ((m->info.commands & command) && m->published_as) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? " and " : "", m->published_as);
            count++;
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE, "--as-published is for %s%s", list, count > 1 ? "; name one of them" : "");
}

/* Returns whether --as-published suits the method and, if it asks another one about pairs, also that one. */
static bool is_published(const method *m, const nonsens_options *options)
{
    const method *for_pairs = method_for_pairs(m, options);
    return method_uses(m, options->command, "as-published") &&
           (!for_pairs || method_uses(for_pairs, NONSENS_COMMAND_DIRECTION, "as-published"));
}

/* Lists the methods that find graphs of data with missing values. */
static const char *list_missing_takers(show_list *list)
{
    *list = (show_list){.max = SHOW_LIST_MAX};
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        if (method_at(i)->takes_missing) {
            show_list_add(list, method_at(i)->info.name);
        }
    }
    return show_list_end(list);
}

nonsens_status choose_needs_values(nonsens_context *ctx, const nonsens_data *data, const char *what)
{
    show_list list;
    return data->gap ? fail(ctx, NONSENS_ERR_DATA,
                            "values are missing, and %s needs all of them; leave out their rows with --na drop-rows "
                            "(direction, and discover by %s, take missing values with --na pairwise)",
                            what, list_missing_takers(&list))
                     : NONSENS_OK;
}

nonsens_status choose_method(nonsens_context *ctx, const nonsens_options *options, const method **out)
{
    show_list list;
    const method *m = *out = method_find(options->method);
    if (!m || !(m->info.commands & options->command)) {
        return refuse_method(ctx, options);
    }
    if (options->as_published && !is_published(m, options)) {
        return refuse_published(ctx, options->command);
    }
    bool explains = options->command == NONSENS_COMMAND_EXPLAIN; // its --target is where the fault was seen
    if (options->target[0] && !explains && !method_uses(m, options->command, "target")) {
        return fail(ctx, NONSENS_ERR_USAGE, "--target is for --method %s; %s finds the graph of all variables",
                    list_users(options->command, "target", &list), m->info.name);
    }
    if (options->knowledge[0] && !method_uses(m, options->command, "knowledge")) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--knowledge: %s does not use it; leave it out, or take a --method that does: %s", m->info.name,
                    list_users(options->command, "knowledge", &list));
    }
    if (options->na == NA_PAIRWISE && options->command == NONSENS_COMMAND_DISCOVER && !m->takes_missing) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--na pairwise: %s needs all values; leave out rows with missing ones by --na drop-rows, or take a "
                    "--method that needs only some: %s",
                    m->info.name, list_missing_takers(&list));
    }
    if (options->targets[0] && !method_uses(m, options->command, "targets")) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--targets: %s does not use it; leave it out, or take a --method that does: %s", m->info.name,
                    list_users(options->command, "targets", &list));
    }
    return NONSENS_OK;
}

/* ---- before data are read ---- */

/* Checks --vars: a pair needs two names, a test that compares segments one name. */
static nonsens_status check_pair(nonsens_context *ctx, const nonsens_options *options)
{
    char test[OPTION_WORD_BYTES];
    bool for_pair = options->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_INDEPENDENCE);
    bool takes_one = options->command == NONSENS_COMMAND_INDEPENDENCE && option_is_sample_test(options->test);
    int64_t names = option_count_names(options->vars);
    if (!for_pair || !options->vars[0] || options->pairs[0] || names == (takes_one ? 1 : 2)) {
        return NONSENS_OK;
    }
    if (takes_one) {
        return fail(ctx, NONSENS_ERR_USAGE, "--vars names %" PRId64 " variables; --test %s takes one: write --x A",
                    names, option_test_word(options->test, test));
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "--vars names %" PRId64 " variable%s; %s takes two: write --vars A,B or --x A --y B", names,
                names == 1 ? "" : "s", option_command_name(options->command));
}

static bool has_method(const nonsens_options *options)
{
    return options->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | RESTS_ON_GRAPH);
}

nonsens_status nonsens_options_check(nonsens_context *ctx, const nonsens_options *options)
{
    NEEDED(ctx, options);
    const method *m;
    TRY(options_check(ctx, options));
    TRY(has_method(options) ? choose_method(ctx, options, &m) : NONSENS_OK);
    return check_pair(ctx, options);
}

static nonsens_status refuse_sources(nonsens_context *ctx, const method *m, unsigned command)
{
    show_list list = {.max = SHOW_LIST_MAX};
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        if (nonsens_method_at(i)->disturbances & command) {
            show_list_add(&list, nonsens_method_at(i)->name);
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE, "--sources: %s estimates no disturbances; of the methods for %s these do: %s",
                m->info.name, option_command_name(command), show_list_end(&list));
}

/* Fails with a message that lists the methods that need no segments. */
static nonsens_status refuse_without_segments(nonsens_context *ctx, unsigned command)
{
    show_list list = {.max = SHOW_LIST_MAX};
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *info = nonsens_method_at(i);
        if ((info->commands & command) && !info->needs_segments && !(command & RESTS_ON_GRAPH)) {
            show_list_add(&list, info->name);
        }
    }
    return list.count == 0 ? fail(ctx, NONSENS_ERR_DATA, AUDIT_NEEDS_SEGMENTS)
                           : fail(ctx, NONSENS_ERR_DATA, AUDIT_NEEDS_SEGMENTS "; these methods need none: %s",
                                  show_list_end(&list));
}

nonsens_status nonsens_run_check(nonsens_context *ctx, const nonsens_options *options, int64_t count, unsigned wanted)
{
    NEEDED(ctx, options);
    REQUIRE_COUNT(ctx, count, 1, NONSENS_MAX_COUNT);
    if (wanted & ~(unsigned)NONSENS_WANTED_SOURCES) {
        return fail(ctx, NONSENS_ERR_USAGE, "wanted has bits without a meaning; add up values of nonsens_wanted");
    }
    TRY(nonsens_options_check(ctx, options));
    const method *m = has_method(options) ? method_find(options->method) : NULL;
    bool estimates = (options->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER)) == 0 ||
                     (m->info.disturbances & options->command);
    if ((wanted & NONSENS_WANTED_SOURCES) && !estimates) {
        return refuse_sources(ctx, m, options->command);
    }
    bool by_segment = (options->command & RESTS_ON_GRAPH) || (m && m->info.needs_segments);
    bool named = options->segment[0] || options->segments[0] || count > 1;
    return by_segment && !named ? refuse_without_segments(ctx, options->command) : NONSENS_OK;
}
