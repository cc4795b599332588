/*
 * run.c - the public run on a pair of variables: nonsens_direction (the other runs: independence.c, diagnose.c,
 * ica_run.c).
 */
#include "methods/run.h"

#include "data/audit.h"
#include "methods/method.h"
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

static nonsens_status pick_method(nonsens_context *ctx, const char *name, const method **out)
{
    char list[LIST_BYTES] = "";
    size_t used = 0;
    *out = method_find(name);
    if (*out && (*out)->direction) {
        return NONSENS_OK;
    }
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *info = nonsens_method_at(i);
        if (info->direction && used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", info->name);
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE, "--method %s: there is no such method for direction; there are %s", name, list);
}

static nonsens_status decide(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             const method *m, nonsens_result *result)
{
    arena scratch = {0};
    result->assumes = m->info.assumes;
    nonsens_status status = m->direction(ctx, &scratch, pair, options, result);
    arena_free(&scratch);
    TRY(status);
    return result_finish(ctx, result);
}

static nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                                    const method *m, nonsens_result **out)
{
    if (m->info.needs_segments) {
        TRY(audit_require_segments(ctx, pair));
    }
    TRY(audit_require_pair(ctx, pair));
    TRY(result_new(ctx, pair, options, m->info.name, out));
    nonsens_status status = decide(ctx, pair, options, m, *out);
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
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
    TRY(pick_method(ctx, options->method, &m));
    TRY(variables_pair(ctx, data, options, &pair, &owned));
    nonsens_status status = run_direction(ctx, pair, options, m, out);
    nonsens_data_free(owned);
    if (status == NONSENS_OK) {
        (*out)->seconds = run_seconds() - begun;
    }
    return status;
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
