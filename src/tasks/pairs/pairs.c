/*
 * pairs.c - nonsens_run_pairs: decides each pair, in parallel, and computes q-values when all are done.
 *
 * If there are at least as many pairs as threads, one thread runs each pair; else all threads run one pair after
 * another.  A pair's line does not depend on that, nor on the other pairs.
 */
#include "tasks/pairs/pairs.h"

#include "base/parallel.h"
#include "data/audit.h"
#include "math/fdr.h"
#include "tasks/choose_method.h"
#include "tasks/run.h"
#include "write/write_internal.h"

#include <math.h>
#include <pthread.h>

typedef struct pairs_run {
    const nonsens_data *data;
    nonsens_pairs *pairs;
    pairs_sink sink;
    nonsens_options options; // of one pair
    int64_t *missing;        // (jobs) pairs that are not done yet
    int64_t jobs;
    bool broken; // no further line can be kept
    pthread_mutex_t keeping;
} pairs_run;

/* ---- one pair ---- */

static nonsens_status keep_line(nonsens_context *ctx, pairs_run *r, int64_t index, json_value *line)
{
    pthread_mutex_lock(&r->keeping);
    nonsens_status status = pairs_keep(ctx, &r->sink, index, line);
    if (status != NONSENS_OK) {
#pragma omp atomic write
        r->broken = true;
    }
    pthread_mutex_unlock(&r->keeping);
    return status;
}

static nonsens_status decide_pair(nonsens_context *ctx, const pairs_run *r, const nonsens_pair *pair,
                                  nonsens_result **out)
{
    SCOPED(memory_release_scoped) nonsens_data *two = NULL;
    *out = NULL;
    TRY(dataset_pair(ctx, r->data, pair->x, pair->y, &two));
    return run_direction(ctx, two, &r->options, out);
}

static nonsens_status run_pair(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    pairs_run *r = state;
    int64_t index = r->missing[job];
    const nonsens_pair *pair = &r->pairs->pair[index];
    nonsens_result *result;
    bool broken;
#pragma omp atomic read
    broken = r->broken;
    if (broken) {
        return NONSENS_OK; // the run returns the failure that broke it
    }
    nonsens_status status = decide_pair(ctx, r, pair, &result);
    if (status != NONSENS_ERR_DATA && status != NONSENS_ERR_NUMERIC) { // other errors would also stop the next pair
        TRY(status);
    }
    report_pair said = {r->data->names[pair->x], r->data->names[pair->y], r->pairs->method->info.name, result,
                        status == NONSENS_OK ? NULL : ctx->message};
    json_value *line = report_pair_line(ctx, scratch, &said, r->options.seed);
    nonsens_result_free(result);
    return keep_line(ctx, r, index, line);
}

/* ---- all pairs ---- */

static nonsens_status run_missing(nonsens_context *ctx, arena *scratch, pairs_run *r)
{
    ARENA_TRY(ctx, scratch, r->missing, r->pairs->count);
    for (int64_t k = 0; k < r->pairs->count; k++) {
        if (!r->pairs->line[k].done) {
            r->missing[r->jobs++] = k;
        }
    }
    int threads = parallel_threads((int)r->options.threads);
    bool side_by_side = r->jobs >= threads;
    r->options.threads = side_by_side ? 1 : threads;
    return parallel_for(ctx, side_by_side ? threads : 1, r->jobs, "pairs", run_pair, r);
}

/* Pairs that failed were not tested and do not count. */
static nonsens_status add_q_values(nonsens_context *ctx, arena *scratch, nonsens_pairs *pairs)
{
    double *p, *q; // (tested)
    int64_t tested = 0;
    if (pairs->options.fdr == FDR_NONE) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, p, pairs->count);
    ARENA_TRY(ctx, scratch, q, pairs->count);
    for (int64_t k = 0; k < pairs->count; k++) {
        if (!pairs->pair[k].error) {
            p[tested++] = pairs->pair[k].p_value;
        }
    }
    TRY(fdr_q_values(ctx, scratch, tested, p, pairs->options.fdr == FDR_BY, q));
    tested = 0;
    for (int64_t k = 0; k < pairs->count; k++) {
        pairs->pair[k].q_value = pairs->pair[k].error ? NAN : q[tested++];
    }
    return NONSENS_OK;
}

static nonsens_status copy_facts(nonsens_context *ctx, const nonsens_data *data, const char *journal_path,
                                 nonsens_pairs *pairs)
{
    pairs->variables = data->d;
    pairs->rows = data->n;
    pairs->segments = data->segments;
    pairs->data_hash = data->hash;
    TRY(arena_texts(ctx, &pairs->memory, data->d, (const char *const *)data->names, &pairs->names));
    pairs->journal = journal_path ? arena_text(ctx, &pairs->memory, journal_path) : NULL;
    return journal_path && !pairs->journal ? NONSENS_ERR_MEMORY : NONSENS_OK;
}

static nonsens_status fill(nonsens_context *ctx, const nonsens_data *data, const char *journal_path,
                           nonsens_pairs *pairs)
{
    SCOPED_ARENA(scratch);
    TRY(copy_facts(ctx, data, journal_path, pairs));
    TRY(pairs_list(ctx, data, pairs));
    pairs_run r = {.data = data, .pairs = pairs, .options = pairs->options, .keeping = PTHREAD_MUTEX_INITIALIZER};
    TRY(pairs_sink_new(ctx, &scratch, data, pairs, &r.sink));
    nonsens_status status = run_missing(ctx, &scratch, &r);
    pairs_sink_free(&r.sink);
    TRY(status);
    return add_q_values(ctx, &scratch, pairs);
}

static nonsens_status check_run(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                const char *journal_path, const method **m)
{
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DIRECTION));
    TRY(choose_method(ctx, options, m));
    if (!options->pairs[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "which pairs? Set the option pairs to all or to a file with two names a line");
    }
    if (options->resume && !journal_path) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--resume needs a journal; give --json FILE as in the run that was stopped");
    }
    warn_unused_options(ctx, options, *m);
    return (*m)->info.needs_segments ? audit_require_segments(ctx, data) : NONSENS_OK;
}

nonsens_status nonsens_run_pairs(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const char *journal_path, nonsens_pairs **out)
{
    NEEDED(ctx, data, options, out);
    const method *m;
    *out = NULL;
    TRY(check_run(ctx, data, options, journal_path, &m));
    nonsens_pairs *pairs = memory_get(1, sizeof *pairs);
    if (!pairs) {
        return fail_memory(ctx);
    }
    pairs->method = m;
    nonsens_status status = options_copy(ctx, &pairs->memory, options, &pairs->options);
    status = status == NONSENS_OK ? fill(ctx, data, journal_path, pairs) : status;
    if (status != NONSENS_OK) {
        nonsens_pairs_free(pairs);
        return status;
    }
    *out = pairs;
    return NONSENS_OK;
}

void nonsens_pairs_free(nonsens_pairs *pairs)
{
    if (pairs) {
        journal_file_close(&pairs->file);
    }
    memory_release_owner(pairs);
}

int64_t nonsens_pairs_count(const nonsens_pairs *pairs)
{
    return pairs ? pairs->count : 0;
}

const nonsens_pair *nonsens_pairs_at(const nonsens_pairs *pairs, int64_t index)
{
    return pairs && index >= 0 && index < pairs->count ? &pairs->pair[index] : NULL;
}
