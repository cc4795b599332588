/*
 * run.c - the public runs of registered methods: nonsens_direction on a pair of variables, nonsens_discover on all (the
 * other runs: independence.c, diagnose.c, ica_run.c).
 */
#include "methods/run.h"

#include "base/number.h"
#include "data/audit.h"
#include "methods/variables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double run_seconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { LIST_BYTES = 400 };

static bool can_run(const nonsens_method_info *info, unsigned command)
{
    return command == NONSENS_CMD_DISCOVER ? info->discover : info->direction;
}

nonsens_status run_pick_method(nonsens_context *ctx, const nonsens_options *options, const method **out)
{
    char list[LIST_BYTES] = "";
    size_t used = 0;
    *out = method_find(options->method);
    if (*out && can_run(&(*out)->info, options->command)) {
        return NONSENS_OK;
    }
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *info = nonsens_method_at(i);
        if (can_run(info, options->command) && used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", info->name);
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE, "--method %s: there is no such method for %s; there are %s", options->method,
                option_command_name(options->command), list);
}

/* Permutations bound p-values from below; methods that correct for several tests may then be unable to reject. */
static nonsens_status note_permutations(nonsens_context *ctx, nonsens_result *result)
{
    const nonsens_options *o = &result->options;
    double tests = result->is_graph && result->variables > 4 ? (double)result->variables : 4.0;
    char least[NUMBER_BYTES];
    if (o->null_kind != NULL_PERMUTATION || o->alpha * (double)(o->permutations + 1) >= tests) {
        return NONSENS_OK;
    }
    return result_note(ctx, result,
                       "With %" PRId64
                       " permutations no p-value is below %s: tests, whose levels are corrected for their "
                       "number, may be unable to reject. Take more --permutations, or --null gamma.",
                       o->permutations, number_print(least, 1.0 / (double)(o->permutations + 1), 2));
}

static nonsens_status decide(nonsens_context *ctx, const nonsens_data *data, const method *m, nonsens_result *result)
{
    arena scratch = {0};
    result->assumes = m->info.assumes;
    result->is_graph = result->options.command == NONSENS_CMD_DISCOVER;
    nonsens_status status =
        (result->is_graph ? m->discover : m->direction)(ctx, &scratch, data, &result->options, result);
    arena_free(&scratch);
    TRY(status);
    TRY(note_permutations(ctx, result));
    return result_finish(ctx, result);
}

static nonsens_status run_method(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const method *m, nonsens_result **out)
{
    if (m->info.needs_segments) {
        TRY(audit_require_segments(ctx, data));
    }
    TRY(result_new(ctx, data, options, m->info.name, out));
    nonsens_status status = decide(ctx, data, m, *out);
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result **out)
{
    const method *m;
    *out = NULL;
    TRY(run_pick_method(ctx, options, &m));
    TRY(audit_require_pair(ctx, pair));
    return run_method(ctx, pair, options, m, out);
}

nonsens_status nonsens_direction(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 nonsens_result **out)
{
    double begun = run_seconds();
    const nonsens_data *pair;
    nonsens_data *owned;
    const method *m;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_CMD_DIRECTION));
    TRY(run_pick_method(ctx, options, &m));
    TRY(variables_pair(ctx, data, options, &pair, &owned));
    nonsens_status status = run_direction(ctx, pair, options, out);
    nonsens_data_free(owned);
    if (status == NONSENS_OK) {
        (*out)->seconds = run_seconds() - begun;
    }
    return status;
}

nonsens_status nonsens_discover(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                nonsens_result **out)
{
    double begun = run_seconds();
    const method *m;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_CMD_DISCOVER));
    TRY(run_pick_method(ctx, options, &m));
    if (options->target[0] && m->discover != icp_discover) {
        return fail(ctx, NONSENS_ERR_USAGE, "--target is for --method icp; %s finds the graph of all variables",
                    m->info.name);
    }
    TRY(audit_require_several(ctx, data));
    TRY(run_method(ctx, data, options, m, out));
    (*out)->seconds = run_seconds() - begun;
    return NONSENS_OK;
}

nonsens_status run_note_skipped(nonsens_context *ctx, nonsens_result *result, int64_t skipped, int64_t least_rows)
{
    if (skipped == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result,
                       "%" PRId64 " of %" PRId64 " segments did not enter the test: fewer than %" PRId64 " rows, or a "
                       "variable that is constant there.",
                       skipped, result->segments, least_rows);
}
