/*
 * segments.c - nonsens_run_explain_all: explains each segment, in parallel and in several processes, and computes
 * q-values over segments when all are done.
 *
 * The graph and the mechanisms do not depend on the segment that is explained, so they are found once.  If there are at
 * least as many segments as threads, each is explained on one thread; else one after another on all threads.
 */
#include "tasks/segments/segments.h"

#include "base/natural.h"
#include "base/parallel.h"
#include "math/fdr.h"
#include "pool/process_pool.h"
#include "pool/shard.h"
#include "read/graph_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct segments_run {
    const nonsens_data *data;
    nonsens_explanations *all;
    segments_sink sink;
    nonsens_options options; // of one segment, without its label
    explain_basis basis;
    char *text;       // the basis as text, for other processes
    int64_t *missing; // (jobs) positions in the list of segments that are not done yet
    int64_t jobs;
    int threads; // for each segment
} segments_run;

int nonsens_explains_all(const nonsens_data *data, const nonsens_options *options)
{
    bool all = data && options && strcmp(options->of, NONSENS_ALL_SEGMENTS) == 0;
    for (int64_t e = 0; all && e < data->segments; e++) {
        all = strcmp(data->labels[e], NONSENS_ALL_SEGMENTS) != 0;
    }
    return all;
}

/* ---- units ---- */

static nonsens_status make_unit(nonsens_context *ctx, arena *scratch, const void *state, int64_t segment, int64_t seed,
                                json_value **line)
{
    segments_run *r = (segments_run *)(uintptr_t)state; // only reads: the basis is complete
    (void)seed;
    return segments_make_line(ctx, scratch, &r->basis, segment, r->threads, line);
}

static nonsens_status make_task(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                                json_value **line)
{
    const segments_run *r = state;
    return make_unit(ctx, scratch, state, segments_of_task(task, r->data), 0, line);
}

static void name_unit(const void *sink, int64_t job, int64_t *segment, int64_t *seed)
{
    const segments_run *r = sink;
    *segment = r->all->segment[r->missing[job]];
    *seed = r->options.seed;
}

static json_value *describe_unit(const void *sink, int64_t job)
{
    const segments_run *r = sink;
    return segments_task(r->all->segment[r->missing[job]], r->text);
}

static nonsens_status keep_unit(nonsens_context *ctx, void *sink, int64_t job, json_value *line)
{
    segments_run *r = sink;
    return segments_keep(ctx, &r->sink, r->missing[job], line);
}

/* ---- the run ---- */

static nonsens_status list_missing(nonsens_context *ctx, arena *scratch, segments_run *r)
{
    shard part;
    TRY(shard_read(ctx, r->all->options.shard, &part));
    ARENA_TRY(ctx, scratch, r->missing, r->all->count);
    for (int64_t k = 0; k < r->all->count; k++) {
        if (!r->all->lines.line[k].done && shard_has(part, k)) {
            r->missing[r->jobs++] = k;
        }
    }
    return NONSENS_OK;
}

/* Returns whether a missing segment has enough rows for mechanisms, and no --onset rules them out. */
static bool needs_fits(const segments_run *r)
{
    bool needed = false;
    for (int64_t k = 0; k < r->jobs && r->options.onset <= 1; k++) {
        result_explanation e = {.of_rows = r->all->item[r->missing[k]].rows, .other_rows = r->data->n};
        needed = needed || explain_has_rows(&e);
    }
    return needed;
}

static nonsens_status run_missing(nonsens_context *ctx, arena *scratch, segments_run *r)
{
    int threads = parallel_threads((int)r->options.threads);
    bool side_by_side = (ctx->processes ? r->all->count : r->jobs) >= threads;
    TRY(explain_basis_find(ctx, &r->basis));
    TRY(needs_fits(r) ? explain_basis_fit(ctx, &r->basis) : NONSENS_OK);
    r->text = process_pool_leads(ctx) ? segments_give_basis(ctx, &r->basis) : NULL;
    TRY(process_pool_leads(ctx) && !r->text ? fail_memory(ctx) : NONSENS_OK);
    r->threads = side_by_side ? 1 : threads;
    pool_work work = {.phase = "segments",
                      .threads = side_by_side ? threads : 1,
                      .make = make_unit,
                      .make_task = make_task,
                      .state = r,
                      .jobs = r->jobs,
                      .name = name_unit,
                      .describe = r->text ? describe_unit : NULL,
                      .keep = keep_unit,
                      .sink = r};
    return process_pool_run(ctx, scratch, &work);
}

/* Runs as the first process.  A given graph is needed first, since lines depend on it; one that is found is not. */
static nonsens_status lead(nonsens_context *ctx, arena *scratch, segments_run *r)
{
    bool given = r->basis.given || r->options.graph[0];
    TRY(given ? explain_basis_find(ctx, &r->basis) : NONSENS_OK);
    TRY(segments_sink_new(ctx, &r->basis, r->all, &r->sink));
    nonsens_status status = list_missing(ctx, scratch, r);
    status = status == NONSENS_OK && r->jobs > 0 ? run_missing(ctx, scratch, r) : status;
    segments_sink_free(&r->sink);
    return status;
}

/* ---- the list ---- */

/* Lists the segments in natural order of labels, except the one with which all others are compared. */
static nonsens_status list_segments(nonsens_context *ctx, const nonsens_data *data, nonsens_explanations *all)
{
    SCOPED_ARENA(scratch);
    const char **label; // (numbers)
    int64_t *order, numbers = segments_count(data);
    ARENA_TRY(ctx, &scratch, label, numbers);
    ARENA_TRY(ctx, &all->memory, all->segment, numbers);
    ARENA_TRY(ctx, &all->memory, all->item, numbers);
    for (int64_t e = 0; e < numbers; e++) {
        label[e] = segments_label(data, e);
    }
    TRY(natural_order(ctx, &scratch, numbers, label, &order));
    for (int64_t i = 0; i < numbers; i++) {
        int64_t e = order[i], k = all->count;
        if (strcmp(label[e], all->options.against) == 0) {
            continue;
        }
        all->count++;
        all->segment[k] = e;
        all->item[k] = (nonsens_explained){.segment = arena_text(ctx, &all->memory, label[e]),
                                           .rows = e < data->segments ? data->start[e + 1] - data->start[e] : 0,
                                           .size = NAN,
                                           .p_value = NAN,
                                           .q_value = NAN};
        TRY(all->item[k].segment ? NONSENS_OK : NONSENS_ERR_MEMORY);
    }
    return NONSENS_OK;
}

/* Computes the q-values; segments that failed were not tested and do not count. */
static nonsens_status add_q_values(nonsens_context *ctx, arena *scratch, nonsens_explanations *all)
{
    double *p, *q; // (tested)
    int64_t tested = 0;
    if (all->options.fdr == FDR_NONE) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, p, all->count);
    ARENA_TRY(ctx, scratch, q, all->count);
    for (int64_t k = 0; k < all->count; k++) {
        if (!all->item[k].error) {
            p[tested++] = all->item[k].p_value;
        }
    }
    TRY(fdr_q_values(ctx, scratch, tested, p, all->options.fdr == FDR_BY, q));
    tested = 0;
    for (int64_t k = 0; k < all->count; k++) {
        all->item[k].q_value = all->item[k].error ? NAN : q[tested++];
    }
    return NONSENS_OK;
}

static nonsens_status copy_facts(nonsens_context *ctx, const nonsens_data *data, const char *journal_path,
                                 nonsens_explanations *all)
{
    all->rows = data->n;
    all->variables = data->d;
    all->segments = data->segments;
    all->data_hash = data->hash;
    all->lines.journal = journal_path ? arena_text(ctx, &all->memory, journal_path) : NULL;
    return journal_path && !all->lines.journal ? NONSENS_ERR_MEMORY : NONSENS_OK;
}

static void free_run(segments_run *r)
{
    explain_basis_free(&r->basis);
    memory_release(r->text);
}

static nonsens_status fill(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                           const char *journal_path, nonsens_explanations *all)
{
    SCOPED_ARENA(scratch);
    SCOPED(free_run) segments_run r = {.data = data, .all = all, .options = all->options};
    int64_t target;
    r.options.journal = r.options.shard = ""; // the graph has no journal of its own
    r.options.resume = false;
    r.basis = (explain_basis){.data = data, .given = graph, .options = &r.options};
    TRY(explain_check_reference(ctx, data, &all->options));
    TRY(explain_find_target(ctx, data, &all->options, &target));
    TRY(explain_check_graph(ctx, data, graph, &r.options));
    TRY(copy_facts(ctx, data, journal_path, all));
    TRY(list_segments(ctx, data, all));
    TRY(lead(ctx, &scratch, &r));
    return all->options.shard[0] ? NONSENS_OK : add_q_values(ctx, &scratch, all);
}

static nonsens_status check_run(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                const nonsens_options *options, const char *journal_path)
{
    shard part;
    TRY(explain_begin(ctx, data, graph, options));
    if (!nonsens_explains_all(data, options)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the option of names one segment; set it to " NONSENS_ALL_SEGMENTS
                    " to explain all, unless a segment has this label");
    }
    if (options->resume && !journal_path) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--resume needs a journal; give --json FILE or --journal FILE as in the run that was stopped");
    }
    if (options->shard[0] && !journal_path) {
        return fail(ctx, NONSENS_ERR_USAGE, "--shard writes a journal; name it with --journal FILE or --json FILE");
    }
    TRY(shard_read(ctx, options->shard, &part));
    return segments_set_key(ctx, data, options);
}

static nonsens_status run_all(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                              const nonsens_options *options, const char *journal_path, nonsens_explanations **out)
{
    nonsens_options own = *options;
    journal_path = journal_path || !options->journal[0] ? journal_path : options->journal;
    TRY(check_run(ctx, data, graph, options, journal_path));
    if (process_pool_follows(ctx)) {
        return segments_follow(ctx, data, options);
    }
    own.graph = graph ? graph->path : own.graph;
    nonsens_explanations *all = memory_get(1, sizeof *all);
    if (!all) {
        return fail_memory(ctx);
    }
    nonsens_status status = options_copy(ctx, &all->memory, &own, &all->options);
    status = status == NONSENS_OK ? fill(ctx, data, graph, journal_path, all) : status;
    if (status != NONSENS_OK || options->shard[0]) {
        nonsens_explanations_free(all);
        return status;
    }
    *out = all;
    return NONSENS_OK;
}

nonsens_status nonsens_run_explain_all(nonsens_context *ctx, const nonsens_data *data, const nonsens_graph *graph,
                                       const nonsens_options *options, const char *journal_path,
                                       nonsens_explanations **out)
{
    NEEDED(ctx, data, options, out);
    process_pool processes;
    *out = NULL;
    process_pool_begin(ctx, &processes);
    nonsens_status status = process_pool_end(ctx, &processes, run_all(ctx, data, graph, options, journal_path, out));
    if (status != NONSENS_OK) { // another process may have failed at the end
        nonsens_explanations_free(*out);
        *out = NULL;
    }
    return status;
}

void nonsens_explanations_free(nonsens_explanations *all)
{
    if (all) {
        journal_file_close(&all->lines.file);
    }
    memory_release_owner(all);
}

int64_t nonsens_explanations_count(const nonsens_explanations *all)
{
    return all ? all->count : 0;
}

const nonsens_explained *nonsens_explanations_at(const nonsens_explanations *all, int64_t index)
{
    return all && index >= 0 && index < all->count ? &all->item[index] : NULL;
}
