/*
 * bootstrap.c - finds the graph again in bootstrap samples of the rows, and counts how many of them have each edge.
 *
 * Friedman, Goldszmidt, Wyner, "Data analysis with Bayesian networks: a bootstrap approach", UAI 1999, count edges over
 * bootstrap samples; Meinshausen, Buehlmann, "Stability selection", JRSS B 72, 2010, over random halves of the rows.
 *
 * Half samples are the default (--resample half), for these reasons.  A bootstrap sample repeats rows: some 37 % of the
 * rows are missing and others occur two or three times.  Tests take repeated rows for new ones.  The correlation of
 * independent variables in a bootstrap sample has twice the variance that the test expects (one part from the data, one
 * from drawing).  A test at 5 % then rejects in P(|N(0, 2)| > 1.96) = 17 % of samples, and false edges gain support.
 * Repeated rows are also at distance 0 in kernel tests and tied in ranks.  A half sample has distinct rows only, and
 * its tests keep their level.  A statistic varies over half samples as it does over bootstrap samples, with variance
 * (1 - 1/2) / (n / 2) = 1 / n, which is also that of the data.  A half sample costs power: support is that of half the
 * rows, and edges that are barely visible in all rows have little.
 *
 * Rows are drawn within segments, which keep their sizes (bootstrap) or half of them, rounded up and at least two rows.
 * Sample b has the stream (seed, RNG_BOOTSTRAP, b) over the rows in canonical order, so it does not depend on names or
 * on the order of rows, columns and segments.  The method's own seed comes from the same stream, so support also shows
 * how far a random method depends on its seed.  Counts are whole numbers: neither threads nor the order in which
 * samples finish can change them.
 */
#include "tasks/bootstrap.h"

#include "base/parallel.h"
#include "pool/journal.h"
#include "pool/process_pool.h"
#include "pool/shard.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct bootstrap {
    const bootstrap_input *in;
    const nonsens_data *data;
    const nonsens_options *options;
    int threads, workers;   /* threads of each bootstrap sample; how many samples run at once */
    int64_t *rank;          /* (d) canonical rank of the user's columns */
    result_edge_counts *at; /* (d, d) counts by canonical ranks a < b; the fields a and b are not used */
    int64_t *last;          /* (d, d) by ranks: the last bootstrap sample, from 1, that counted the pair as adjacent */
    int64_t failed, first_failed;
    char failure[MESSAGE_BYTES]; /* message of the first that failed */
    journal *journal;            /* NULL: none is kept */
    int64_t *missing;            /* (jobs) bootstrap samples to run */
    int64_t jobs;
};

/* ---- drawing ---- */

/*
 * Draws the rows of a bootstrap sample segment by segment (without segments: from all rows); returns how many.  index
 * is scratch; index and row have space for n.
 */
static int64_t draw(rng *r, const nonsens_data *data, enum option_resample kind, int64_t *index, int64_t *row)
{
    int64_t segments = data->segments > 0 ? data->segments : 1, count = 0;
    bool with_replacement = kind == RESAMPLE_BOOTSTRAP;
    for (int64_t e = 0; e < segments; e++) {
        int64_t begin = data->start[e], rows = data->start[e + 1] - begin;
        int64_t half = (rows + 1) / 2 > 2 ? (rows + 1) / 2 : 2, drawn = with_replacement || half > rows ? rows : half;
        for (int64_t i = 0; i < rows; i++) {
            index[i] = begin + i;
        }
        for (int64_t i = 0; i < drawn; i++) {
            row[count++] =
                with_replacement ? begin + (int64_t)rng_below(r, (uint64_t)rows) : rng_draw(r, i, rows, index);
        }
    }
    return count;
}

nonsens_status bootstrap_draw(nonsens_context *ctx, arena *scratch, const nonsens_data *data, enum option_resample kind,
                              rng *r, nonsens_data **out)
{
    int64_t *index, *row;
    *out = NULL;
    ARENA_TRY(ctx, scratch, index, data->n);
    ARENA_TRY(ctx, scratch, row, data->n);
    return dataset_rows(ctx, scratch, data, draw(r, data, kind, index, row), row, out);
}

/* ---- counting ---- */

/* Counts an edge.  Two variables may have two edges, directed and bidirected; they count as adjacent only once. */
static void tally_edge(bootstrap *s, int64_t number, const bootstrap_edge *e)
{
    bool reversed = e->to < e->from;
    int64_t at = reversed ? e->to * s->data->d + e->from : e->from * s->data->d + e->to;
    result_edge_counts *pair = &s->at[at];
    pair->adjacent += s->last[at] != number + 1;
    s->last[at] = number + 1;
    pair->undirected += e->type == NONSENS_EDGE_UNDIRECTED;
    pair->bidirected += e->type == NONSENS_EDGE_BIDIRECTED;
    pair->forward += e->type == NONSENS_EDGE_DIRECTED && !reversed;
    pair->backward += e->type == NONSENS_EDGE_DIRECTED && reversed;
}

static void tally(bootstrap *s, int64_t number, const bootstrap_outcome *outcome)
{
    for (int64_t i = 0; i < outcome->edges; i++) {
        tally_edge(s, number, &outcome->edge[i]);
    }
    if (outcome->failure && (s->failed == 0 || number < s->first_failed)) {
        s->first_failed = number;
        snprintf(s->failure, sizeof s->failure, "%s", outcome->failure);
    }
    s->failed += outcome->failure != NULL;
}

/* ---- one bootstrap sample ---- */

static nonsens_status find_graph(nonsens_context *ctx, arena *scratch, const bootstrap *s, int64_t number,
                                 nonsens_result **found)
{
    rng r = rng_new((uint64_t)s->options->seed, RNG_BOOTSTRAP, (uint64_t)number);
    SCOPED(memory_release_scoped) nonsens_data *data = NULL;
    nonsens_options options = *s->options;
    options.seed = (int64_t)(rng_u64(&r) >> 11); // 53 bits, the range of --seed
    options.threads = s->threads;
    options.bootstrap = 0;
    TRY(bootstrap_draw(ctx, scratch, s->data, options.resample, &r, &data));
    return s->in->find(ctx, data, &options, s->in->state, found);
}

nonsens_status bootstrap_make(nonsens_context *ctx, arena *scratch, const void *state, int64_t number, int64_t seed,
                              json_value **line)
{
    const bootstrap *s = state;
    SCOPED(memory_release_scoped) nonsens_result *found = NULL;
    bootstrap_outcome outcome = {.failure = ctx->message};
    (void)seed; // each sample number has its own random stream
    nonsens_status status = find_graph(ctx, scratch, s, number, &found);
    if (status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC || status == NONSENS_ERR_USAGE) {
        *line = bootstrap_line(number, &outcome); // a failure of this sample only; any other failure ends the run
        return NONSENS_OK;
    }
    TRY(status);
    outcome = (bootstrap_outcome){.edges = found->edges};
    ARENA_TRY(ctx, scratch, outcome.edge, found->edges);
    for (int64_t i = 0; i < found->edges; i++) {
        const nonsens_edge *e = &found->edge[i];
        outcome.edge[i] = (bootstrap_edge){s->rank[e->from], s->rank[e->to], e->type};
    }
    *line = bootstrap_line(number, &outcome);
    return NONSENS_OK;
}

/* ---- all bootstrap samples ---- */

static void name_sample(const void *sink, int64_t job, int64_t *number, int64_t *seed)
{
    const bootstrap *s = sink;
    *number = s->missing[job];
    *seed = s->options->seed;
}

/* Counts the bootstrap sample of a line; *read is false if the line is not that of one. */
static nonsens_status take_line(nonsens_context *ctx, bootstrap *s, int64_t number, const json_value *line, bool *read)
{
    SCOPED_ARENA(scratch);
    bootstrap_outcome outcome;
    TRY(bootstrap_read_line(ctx, &scratch, line, s->data->d, read, &outcome));
    if (*read) {
        tally(s, number, &outcome);
    }
    return NONSENS_OK;
}

static nonsens_status keep_sample(nonsens_context *ctx, void *sink, int64_t job, json_value *line)
{
    bootstrap *s = sink;
    bool read = false;
    nonsens_status status = json_is_complete(line) ? take_line(ctx, s, s->missing[job], line, &read) : fail_memory(ctx);
    if (status == NONSENS_OK && s->journal) {
        return journal_append(ctx, s->journal, line);
    }
    json_decref(line);
    return status;
}

/* Counts the bootstrap samples that the journal has, and lists the others of the shard. */
static nonsens_status list_missing(nonsens_context *ctx, arena *scratch, bootstrap *s)
{
    shard part;
    TRY(shard_read(ctx, s->options->shard, &part));
    ARENA_TRY(ctx, scratch, s->missing, s->options->bootstrap);
    for (int64_t number = 0; number < s->options->bootstrap; number++) {
        bool found = false;
        if (s->journal) {
            TRY(take_line(ctx, s, number, bootstrap_journal_find(s->journal, number), &found));
        }
        if (!found && shard_has(part, number)) {
            s->missing[s->jobs++] = number;
        }
    }
    return NONSENS_OK;
}

static nonsens_status run_missing(nonsens_context *ctx, arena *scratch, bootstrap *s)
{
    pool_work work = {.phase = "bootstrap samples",
                      .threads = s->workers,
                      .make = bootstrap_make,
                      .state = s,
                      .name = name_sample,
                      .keep = keep_sample,
                      .sink = s};
    TRY(list_missing(ctx, scratch, s));
    work.jobs = s->jobs;
    return process_pool_run(ctx, scratch, &work);
}

/* ---- the result ---- */

/* Returns the counts of two of the user's variables, a < b. */
static result_edge_counts pair_of(const bootstrap *s, int64_t a, int64_t b)
{
    int64_t first = s->rank[a], second = s->rank[b];
    bool reversed = second < first;
    result_edge_counts pair = s->at[reversed ? second * s->data->d + first : first * s->data->d + second];
    return (result_edge_counts){.a = a,
                                .b = b,
                                .forward = reversed ? pair.backward : pair.forward,
                                .backward = reversed ? pair.forward : pair.backward,
                                .undirected = pair.undirected,
                                .bidirected = pair.bidirected,
                                .adjacent = pair.adjacent};
}

static nonsens_status keep_pairs(nonsens_context *ctx, const bootstrap *s, nonsens_result *result)
{
    result_bootstrap *out = &result->bootstrap;
    int64_t count = 0;
    for (int64_t i = 0; i < s->data->d * s->data->d; i++) {
        count += s->at[i].adjacent > 0;
    }
    ARENA_TRY(ctx, &result->memory, out->pair, count);
    for (int64_t a = 0; a < s->data->d; a++) {
        for (int64_t b = a + 1; b < s->data->d; b++) {
            result_edge_counts pair = pair_of(s, a, b);
            if (pair.adjacent > 0) {
                out->pair[out->pairs++] = pair;
            }
        }
    }
    return NONSENS_OK;
}

static void set_support(const bootstrap *s, nonsens_result *result)
{
    int64_t good = result->bootstrap.replicates - result->bootstrap.failed;
    for (int64_t i = 0; i < result->edges; i++) {
        nonsens_edge *e = &result->edge[i];
        bool reversed = e->to < e->from;
        result_edge_counts pair = pair_of(s, reversed ? e->to : e->from, reversed ? e->from : e->to);
        int64_t arrow = reversed ? pair.backward : pair.forward;
        int64_t same = e->type == NONSENS_EDGE_DIRECTED     ? arrow
                       : e->type == NONSENS_EDGE_UNDIRECTED ? pair.undirected
                                                            : pair.bidirected;
        e->support = good > 0 ? (double)same / (double)good : NAN;
    }
}

static void close_journal(journal *j)
{
    journal_close(j);
}

/* Many bootstrap samples run in parallel, with one thread each; few run one after another, each with all threads. */
nonsens_status bootstrap_new(nonsens_context *ctx, arena *a, const bootstrap_input *in, bootstrap **out)
{
    int threads = parallel_threads((int)in->options->threads);
    bool side_by_side = in->options->bootstrap >= threads;
    bootstrap *s;
    ARENA_TRY(ctx, a, s, 1);
    s->in = in;
    s->data = in->data;
    s->options = in->options;
    s->threads = side_by_side ? 1 : threads;
    s->workers = side_by_side || in->options->bootstrap == 0 ? threads : 1;
    *out = s;
    return dataset_column_places(ctx, a, in->data, &s->rank);
}

int bootstrap_workers(const bootstrap *s)
{
    return s->workers;
}

static nonsens_status note_failed(nonsens_context *ctx, const bootstrap *s, nonsens_result *result)
{
    if (s->failed == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64
                       " bootstrap samples failed and do not count, the first (number %" PRId64
                       ") with this message: %s",
                       s->failed, s->options->bootstrap, s->first_failed + 1, s->failure);
}

nonsens_status bootstrap_run(nonsens_context *ctx, const bootstrap_input *in, nonsens_result *result)
{
    SCOPED_ARENA(scratch);
    const nonsens_options *options = in->options;
    bootstrap *s;
    if (options->bootstrap == 0) {
        return NONSENS_OK;
    }
    TRY(bootstrap_new(ctx, &scratch, in, &s));
    SCOPED(close_journal) journal kept = {0};
    ARENA_TRY(ctx, &scratch, s->at, in->data->d * in->data->d);
    ARENA_TRY(ctx, &scratch, s->last, in->data->d * in->data->d);
    if (options->journal[0]) {
        TRY(bootstrap_journal_open(ctx, in, &kept));
        s->journal = &kept;
    }
    TRY(run_missing(ctx, &scratch, s));
    if (options->shard[0]) {
        return NONSENS_OK;
    }
    result->bootstrap = (result_bootstrap){.replicates = options->bootstrap, .failed = s->failed};
    TRY(keep_pairs(ctx, s, result));
    set_support(s, result);
    return note_failed(ctx, s, result);
}
