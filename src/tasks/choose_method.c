/*
 * choose_method.c - which method runs, and whether the options suit it; also the public check of options, which asks
 * both the options themselves and the method.
 */
#include "tasks/choose_method.h"

#include "base/nearest.h"
#include "methods/registry.h"

#include <stdio.h>

enum { LIST_BYTES = 400 };

static nonsens_status refuse_method(nonsens_context *ctx, const nonsens_options *options)
{
    char list[LIST_BYTES] = "", shown[SHOWN_BYTES];
    size_t used = 0;
    nearest near = nearest_to(options->method);
    for (size_t i = 0; i < nonsens_method_count() && used < sizeof list; i++) {
        const nonsens_method_info *info = nonsens_method_at(i);
        if (info->commands & options->command) {
            nearest_offer(&near, info->name);
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", info->name);
        }
    }
    bool is_near = near.found && !near.tied;
    return fail(ctx, NONSENS_ERR_USAGE, "--method %s: there is no such method for %s; there are %s%s%s%s",
                show_bare(shown, options->method), option_command_name(options->command), list,
                is_near ? ". Did you mean " : "", is_near ? near.found : "", is_near ? "?" : "");
}

/* The names of the methods of the command that use the option. */
static const char *list_users(unsigned command, const char *key, char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < nonsens_method_count() && used < LIST_BYTES; i++) {
        const method *m = method_at(i);
        if (method_uses(m, command, key)) {
            used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", used ? ", " : "", m->info.name);
        }
    }
    return list;
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

/* A method that asks another one about pairs is as published if that one is. */
static bool is_published(const method *m, const nonsens_options *options)
{
    const method *for_pairs = method_for_pairs(m, options);
    return method_uses(m, options->command, "as-published") &&
           (!for_pairs || method_uses(for_pairs, NONSENS_COMMAND_DIRECTION, "as-published"));
}

nonsens_status choose_method(nonsens_context *ctx, const nonsens_options *options, const method **out)
{
    char list[LIST_BYTES];
    const method *m = *out = method_find(options->method);
    if (!m || !(m->info.commands & options->command)) {
        return refuse_method(ctx, options);
    }
    if (options->as_published && !is_published(m, options)) {
        return refuse_published(ctx, options->command);
    }
    if (options->target[0] && !method_uses(m, options->command, "target")) {
        return fail(ctx, NONSENS_ERR_USAGE, "--target is for --method %s; %s finds the graph of all variables",
                    list_users(options->command, "target", list), m->info.name);
    }
    if (options->knowledge[0] && !method_uses(m, options->command, "knowledge")) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--knowledge: %s makes no use of it; leave it out, or take a --method that does: %s", m->info.name,
                    list_users(options->command, "knowledge", list));
    }
    return NONSENS_OK;
}

nonsens_status nonsens_options_check(nonsens_context *ctx, const nonsens_options *options)
{
    NEEDED(ctx, options);
    const method *m;
    bool by_method = options->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN);
    TRY(options_check(ctx, options));
    return by_method ? choose_method(ctx, options, &m) : NONSENS_OK;
}
