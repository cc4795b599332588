/*
 * pairs.c - nonsens_run_pairs: decides each pair, in parallel and in several processes, and computes q-values when all
 * are done.
 *
 * If there are at least as many pairs as threads, each pair runs on one thread; else the pairs run one after another on
 * all threads.  A pair's line depends neither on that nor on the other pairs.
 */
#include "tasks/pairs/pairs.h"

#include "base/parallel.h"
#include "data/audit.h"
#include "data/complete.h"
#include "math/fdr.h"
#include "pool/process_pool.h"
#include "pool/shard.h"
#include "tasks/choose_method.h"
#include "tasks/run.h"
#include "write/write_internal.h"

#include <math.h>

typedef struct pairs_run {
    const nonsens_data *data;
    nonsens_pairs *pairs;
    pairs_sink sink;
    nonsens_options options; // of one pair
    int64_t *missing;        // (jobs) pairs that are not done yet
    int64_t jobs;
} pairs_run;

/* ---- one pair ---- */

static nonsens_status decide_pair(nonsens_context *ctx, const pairs_run *r, const nonsens_pair *pair,
                                  nonsens_result **out)
{
    SCOPED(memory_release_scoped) nonsens_data *two = NULL;
    *out = NULL;
    TRY(complete_select(ctx, r->data, &r->options, 2, (int64_t[]){pair->x, pair->y}, &two));
    return run_direction(ctx, two, &r->options, out);
}

/* Makes the line of the pair with this number in the list. */
static nonsens_status make_line(nonsens_context *ctx, arena *scratch, const void *state, int64_t index, int64_t seed,
                                json_value **line)
{
    const pairs_run *r = state;
    const nonsens_pair *pair = &r->pairs->pair[index];
    nonsens_result *result;
    nonsens_status status = decide_pair(ctx, r, pair, &result);
    if (status != NONSENS_ERR_DATA && status != NONSENS_ERR_NUMERIC) { // other errors would also stop the next pair
        TRY(status);
    }
    report_pair said = {r->data->names[pair->x], r->data->names[pair->y], r->pairs->method->info.name, result,
                        status == NONSENS_OK ? NULL : ctx->message};
    *line = report_pair_line(ctx, scratch, &said, seed);
    nonsens_result_free(result);
    return NONSENS_OK;
}

/* ---- all pairs ---- */

static void name_pair(const void *sink, int64_t job, int64_t *index, int64_t *seed)
{
    const pairs_run *r = sink;
    *index = r->missing[job];
    *seed = r->options.seed;
}

static nonsens_status keep_pair(nonsens_context *ctx, void *sink, int64_t job, json_value *line)
{
    pairs_run *r = sink;
    return pairs_keep(ctx, &r->sink, r->missing[job], line);
}

static nonsens_status list_missing(nonsens_context *ctx, arena *scratch, pairs_run *r)
{
    shard part;
    TRY(shard_read(ctx, r->options.shard, &part));
    ARENA_TRY(ctx, scratch, r->missing, r->pairs->count);
    for (int64_t k = 0; k < r->pairs->count; k++) {
        if (!r->pairs->lines.line[k].done && shard_has(part, k)) {
            r->missing[r->jobs++] = k;
        }
    }
    return NONSENS_OK;
}

/* Runs the missing pairs.  Members other than the first do not know which are missing, so they count all pairs. */
static nonsens_status run_missing(nonsens_context *ctx, arena *scratch, pairs_run *r)
{
    int threads = parallel_threads((int)r->options.threads);
    bool side_by_side = (ctx->processes ? r->pairs->count : r->jobs) >= threads;
    pool_work work = {.phase = "pairs",
                      .threads = side_by_side ? threads : 1,
                      .make = make_line,
                      .state = r,
                      .jobs = r->jobs,
                      .name = name_pair,
                      .keep = keep_pair,
                      .sink = r};
    r->options.threads = side_by_side ? 1 : threads;
    return process_pool_run(ctx, scratch, &work);
}

/* Computes the q-values; pairs that failed were not tested and do not count. */
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
    pairs->lines.journal = journal_path ? arena_text(ctx, &pairs->memory, journal_path) : NULL;
    return journal_path && !pairs->lines.journal ? NONSENS_ERR_MEMORY : NONSENS_OK;
}

static nonsens_status lead(nonsens_context *ctx, arena *scratch, pairs_run *r)
{
    TRY(pairs_sink_new(ctx, scratch, r->data, r->pairs, &r->sink));
    nonsens_status status = list_missing(ctx, scratch, r);
    status = status == NONSENS_OK ? run_missing(ctx, scratch, r) : status;
    pairs_sink_free(&r->sink);
    return status;
}

/* Runs the pairs; a member of the pool other than the first runs units for it and has no result. */
static nonsens_status fill(nonsens_context *ctx, const nonsens_data *data, const char *journal_path,
                           nonsens_pairs *pairs)
{
    SCOPED_ARENA(scratch);
    TRY(copy_facts(ctx, data, journal_path, pairs));
    TRY(pairs_list(ctx, data, pairs));
    pairs_run r = {.data = data, .pairs = pairs, .options = pairs->options};
    TRY(pairs_set_key(ctx, data, pairs));
    if (process_pool_follows(ctx)) {
        return run_missing(ctx, &scratch, &r);
    }
    TRY(lead(ctx, &scratch, &r));
    return pairs->options.shard[0] ? NONSENS_OK : add_q_values(ctx, &scratch, pairs);
}

static nonsens_status check_run(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                const char *journal_path, const method **m)
{
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DIRECTION));
    TRY(choose_method(ctx, options, m));
    if (!options->pairs[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "no pairs are named; set the option pairs to all or to a file with two names per line");
    }
    if (options->resume && !journal_path) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--resume needs a journal; give --json FILE or --journal FILE as in the run that was stopped");
    }
    if (options->shard[0] && !journal_path) {
        return fail(ctx, NONSENS_ERR_USAGE, "--shard writes a journal; name it with --journal FILE or --json FILE");
    }
    shard part;
    TRY(shard_read(ctx, options->shard, &part));
    warn_unused_options(ctx, options, *m);
    return (*m)->info.needs_segments ? audit_require_segments(ctx, data) : NONSENS_OK;
}

static nonsens_status run_pairs(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                const char *journal_path, nonsens_pairs **out)
{
    const method *m;
    journal_path = journal_path || !options->journal[0] ? journal_path : options->journal;
    TRY(check_run(ctx, data, options, journal_path, &m));
    nonsens_pairs *pairs = memory_get(1, sizeof *pairs);
    if (!pairs) {
        return fail_memory(ctx);
    }
    pairs->method = m;
    nonsens_status status = options_copy(ctx, &pairs->memory, options, &pairs->options);
    status = status == NONSENS_OK ? fill(ctx, data, journal_path, pairs) : status;
    if (status != NONSENS_OK || process_pool_follows(ctx) || options->shard[0]) {
        nonsens_pairs_free(pairs);
        return status;
    }
    *out = pairs;
    return NONSENS_OK;
}

nonsens_status nonsens_run_pairs(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const char *journal_path, nonsens_pairs **out)
{
    NEEDED(ctx, data, options, out);
    process_pool processes;
    *out = NULL;
    process_pool_begin(ctx, &processes);
    nonsens_status status = process_pool_end(ctx, &processes, run_pairs(ctx, data, options, journal_path, out));
    if (status != NONSENS_OK) { // another process may have failed at the end
        nonsens_pairs_free(*out);
        *out = NULL;
    }
    return status;
}

void nonsens_pairs_free(nonsens_pairs *pairs)
{
    if (pairs) {
        journal_file_close(&pairs->lines.file);
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
