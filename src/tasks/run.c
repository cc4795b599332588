/*
 * run.c - the public runs of registered methods: nonsens_run_direction on a pair of variables, nonsens_run_discover on
 * all (the other runs: independence.c, diagnose.c, ica_run.c).
 */
#include "tasks/run.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/show.h"
#include "data/audit.h"
#include "data/subsample.h"
#include "data/variables.h"
#include "methods/registry.h"
#include "methods/shared/reasoning.h"
#include "pool/journal_index.h"
#include "pool/process_pool.h"
#include "read/knowledge_file.h"
#include "read/targets_file.h"
#include "tasks/bootstrap.h"
#include "tasks/choose_method.h"
#include "tasks/edge_effects.h"
#include "tasks/opinions.h"

#include <inttypes.h>
#include <string.h>

/* Notes if permutations bound p-values so far from 0 that methods that correct for several tests may never reject. */
static nonsens_status note_permutations(nonsens_context *ctx, nonsens_result *result)
{
    const nonsens_options *o = &result->options;
    double tests = result->is_graph && result->variables > 4 ? (double)result->variables : 4.0;
    char min_p[NUMBER_BYTES];
    if (o->null_kind != NULL_PERMUTATION || o->alpha * (double)(o->permutations + 1) >= tests) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "With %" PRId64
                       " permutations no p-value is below %s: tests, whose levels are corrected for their "
                       "number, may be unable to reject. Take more --permutations, or --null gamma.",
                       o->permutations, number_print(min_p, 1.0 / (double)(o->permutations + 1), 2));
}

/* What a method's own part of a run needs. */
typedef struct deciding {
    const nonsens_data *data;
    const method *method;
    nonsens_result *result;
} deciding;

static nonsens_status decide_by_method(nonsens_context *ctx, void *state)
{
    SCOPED_ARENA(scratch);
    const deciding *s = state;
    bool is_graph = s->result->is_graph;
    return (is_graph ? s->method->discover : s->method->direction)(ctx, &scratch, s->data, &s->result->options,
                                                                   s->result);
}

static nonsens_status decide(nonsens_context *ctx, const nonsens_data *data, const method *m, nonsens_result *result)
{
    result->assumes = m->info.assumes;
    result->assumes_briefly = m->assumes_briefly;
    result->bidirected_meaning = m->bidirected_meaning;
    result->is_graph = result->options.command == NONSENS_COMMAND_DISCOVER;
    TRY(reasoning_begin(ctx, m, result));
    TRY(parallel_region(ctx, (int)result->options.threads, decide_by_method, &(deciding){data, m, result}));
    if (result_names_direction(result) && result->firm == NONSENS_FIRM_NONE) { // the method checks no other explanation
        result->firm = NONSENS_FIRM_NO;
        result->alternatives = ALTERNATIVE_ALL;
    }
    TRY(note_permutations(ctx, result));
    TRY(result_finish(ctx, result));
    return reasoning_end(ctx, result);
}

/* Turns the result of a sample into one of all rows; drops disturbances, which would seem to be those of all rows. */
static nonsens_status describe_all_rows(nonsens_context *ctx, const nonsens_data *data, int64_t used,
                                        nonsens_result *result)
{
    result->rows = data->n;
    result->data_hash = data->hash;
    result->source = (matrix){0};
    result->sampled = true;
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "%" PRId64 " of %" PRId64 " rows were used, drawn evenly from all segments (--max-rows); "
                       "disturbances of single rows are not kept then.",
                       used, data->n);
}

/* What a run needs besides data and options, also on a bootstrap sample. */
typedef struct discovery {
    const method *method;
    const knowledge *known; /* prior knowledge; NULL: none */
    const targets *targets; /* interventions; NULL: none */
    journal_index *journal; /* keeps units of the method's work; NULL: none does */
} discovery;

static nonsens_status note_ignored(nonsens_context *ctx, const targets *t, nonsens_result *result)
{
    return t && t->ignored ? result_note(ctx, result, NONSENS_NOTE_CAUTION, "%s", t->ignored) : NONSENS_OK;
}

/* Runs a method, on a sample if there are too many rows. */
static nonsens_status run_method(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const discovery *d, nonsens_result **out)
{
    const method *m = d->method;
    SCOPED(memory_release_scoped) nonsens_data *sample = NULL;
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    *out = NULL;
    if (m->info.needs_segments) {
        TRY(audit_require_segments(ctx, data));
    }
    TRY(subsample(ctx, data, options, method_max_rows(m, options), &sample));
    TRY(result_new(ctx, sample ? sample : data, options, m->info.name, &result));
    result->known = d->known;
    result->targets = d->targets;
    result->pair_method = method_for_pairs(m, options);
    result->journal = d->journal;
    TRY(note_ignored(ctx, d->targets, result));
    TRY(decide(ctx, sample ? sample : data, m, result));
    result->known = NULL;
    result->targets = NULL;
    result->pair_method = NULL;
    result->journal = NULL;
    TRY(sample ? describe_all_rows(ctx, data, sample->n, result) : NONSENS_OK);
    *out = result;
    result = NULL;
    return NONSENS_OK;
}

nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result **out)
{
    const method *m;
    *out = NULL;
    TRY(choose_method(ctx, options, &m));
    TRY(audit_require_pair(ctx, pair));
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    TRY(run_method(ctx, pair, options, &(discovery){.method = m}, &result));
    if (options->opinions == OPINIONS_ALL && method_uses(m, NONSENS_COMMAND_DIRECTION, "opinions")) {
        TRY(opinions_ask(ctx, pair, m, result));
    }
    *out = result;
    result = NULL;
    return NONSENS_OK;
}

nonsens_status nonsens_run_direction(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                     nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    const nonsens_data *pair;
    SCOPED(memory_release_scoped) nonsens_data *owned = NULL;
    const method *m;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DIRECTION));
    TRY(choose_method(ctx, options, &m));
    warn_unused_options(ctx, options, m);
    TRY(variables_pair(ctx, data, options, &pair, &owned));
    TRY(run_direction(ctx, pair, options, out));
    (*out)->seconds = clock_seconds() - begun;
    return NONSENS_OK;
}

/* ---- discover: prior knowledge ---- */

static nonsens_status contradicted(nonsens_context *ctx, const nonsens_result *result, int64_t from, int64_t to,
                                   const char *what)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_NUMERIC,
                "the graph of %s contradicts --knowledge: the arrow from %s to %s is %s; please report this",
                result->method, show_quoted(a, result->names[from]), show_quoted(b, result->names[to]), what);
}

/* Clears the edge in `lacking` (d, d), the required arrows not yet seen; fails on an edge that is not allowed. */
static nonsens_status check_edge(nonsens_context *ctx, const nonsens_result *result, const knowledge *k,
                                 const nonsens_edge *e, bool *lacking)
{
    bool arrow = e->type == NONSENS_EDGE_DIRECTED, open = e->type == NONSENS_EDGE_UNDIRECTED;
    if (arrow) {
        lacking[e->from * k->d + e->to] = false;
    }
    if ((!knowledge_allows(k, e->from, e->to) && (arrow || open)) || knowledge_separates(k, e->from, e->to)) {
        return contradicted(ctx, result, e->from, e->to, "forbidden, and the graph has it or leaves it open");
    }
    if (!knowledge_allows(k, e->to, e->from) && open) {
        return contradicted(ctx, result, e->to, e->from, "forbidden, and the graph leaves it open");
    }
    return NONSENS_OK;
}

nonsens_status run_check_knowledge(nonsens_context *ctx, const nonsens_result *result, const knowledge *k)
{
    SCOPED_ARENA(scratch);
    bool *lacking; // (d, d) required arrows that the graph does not have
    if (!k) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &scratch, lacking, k->d * k->d);
    for (int64_t i = 0; i < k->d * k->d; i++) {
        lacking[i] = knowledge_requires(k, i / k->d, i % k->d);
    }
    for (int64_t i = 0; i < result->edges; i++) {
        TRY(check_edge(ctx, result, k, &result->edge[i], lacking));
    }
    for (int64_t i = 0; i < k->d * k->d; i++) {
        if (lacking[i]) {
            return contradicted(ctx, result, i / k->d, i % k->d, "required, and the graph lacks it");
        }
    }
    return NONSENS_OK;
}

/* ---- discover ---- */

static nonsens_status find_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const void *state, nonsens_result **out)
{
    const discovery *d = state;
    SCOPED(memory_release_scoped) nonsens_result *found = NULL;
    *out = NULL;
    TRY(d->method->takes_missing ? NONSENS_OK : choose_needs_values(ctx, data, d->method->info.name));
    TRY(audit_require_several(ctx, data));
    TRY(run_method(ctx, data, options, d, &found));
    TRY(run_check_knowledge(ctx, found, d->known));
    *out = found;
    found = NULL;
    return NONSENS_OK;
}

/* What another member of the pool runs: bootstrap samples and units of the method's own work. */
typedef struct follower {
    bootstrap *samples;
    const method_server *server; /* NULL: the method does not share its work */
    void *state;                 /* of the server */
} follower;

static void free_follower(follower *f)
{
    if (f->server) {
        f->server->free(f->state);
    }
}

static nonsens_status make_sample(nonsens_context *ctx, arena *scratch, const void *state, int64_t number, int64_t seed,
                                  json_value **line)
{
    const follower *f = state;
    return bootstrap_make(ctx, scratch, f->samples, number, seed, line);
}

static nonsens_status make_unit(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                                json_value **line)
{
    const follower *f = state;
    return f->server->make(ctx, scratch, f->state, task, line);
}

static nonsens_status follow(nonsens_context *ctx, arena *a, const bootstrap_input *in, const discovery *d)
{
    SCOPED(memory_release_scoped) nonsens_data *sample = NULL;
    SCOPED(free_follower) follower f = {.server = in->options->shard[0] ? NULL : d->method->server};
    TRY(subsample(ctx, in->data, in->options, method_max_rows(d->method, in->options), &sample));
    TRY(bootstrap_new(ctx, a, in, &f.samples));
    if (f.server) {
        TRY(f.server->new (ctx, a, sample ? sample : in->data, in->options, d->targets, &f.state));
    }
    pool_work work = {.phase = "waiting",
                      .threads = bootstrap_workers(f.samples),
                      .make = make_sample,
                      .make_task = make_unit,
                      .state = &f};
    return process_pool_run(ctx, a, &work);
}

/* Opens the journal for the method's own work; with bootstrap samples the journal holds only these. */
static nonsens_status open_journal(nonsens_context *ctx, const bootstrap_input *in, journal_index *own, discovery *d)
{
    if (!in->options->journal[0] || in->options->bootstrap > 0 || !d->method->server) {
        return NONSENS_OK;
    }
    d->journal = own;
    return bootstrap_index_open(ctx, in, own);
}

static nonsens_status discover(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               const method *m, nonsens_result **out)
{
    SCOPED_ARENA(memory);
    SCOPED(memory_release_scoped) nonsens_result *found = NULL;
    knowledge known;
    targets hit;
    discovery d = {.method = m};
    if (options->knowledge[0]) {
        TRY(knowledge_read(ctx, &memory, options->knowledge, data->d, (const char *const *)data->names, &known));
        d.known = &known;
    }
    if (options->targets[0]) {
        TRY(targets_read(ctx, &memory, options->targets, data, &hit));
        d.targets = &hit;
    }
    bootstrap_input samples = {data, options, d.known, d.targets, find_graph, &d};
    TRY(bootstrap_set_key(ctx, &samples));
    if (process_pool_follows(ctx)) {
        return follow(ctx, &memory, &samples, &d);
    }
    SCOPED(journal_index_close) journal_index fits = {.places = NULL};
    TRY(bootstrap_check_journal(ctx, &samples));
    TRY(open_journal(ctx, &samples, &fits, &d));
    TRY(options->shard[0] ? NONSENS_OK : find_graph(ctx, data, options, &d, &found));
    TRY(bootstrap_run(ctx, &samples, found));
    *out = found;
    found = NULL;
    return NONSENS_OK;
}

/* Turns options of explain and effect into those of discover, whose --target is a different one and only icp's. */
static nonsens_options as_discover(const nonsens_options *options)
{
    nonsens_options adapted = *options;
    adapted.command = NONSENS_COMMAND_DISCOVER;
    adapted.target = strcmp(options->method, "icp") == 0 ? options->target : "";
    adapted.na = NA_ERROR; // these commands search for no graph if values are missing
    return adapted;
}

nonsens_status run_check_graph(nonsens_context *ctx, const nonsens_options *options)
{
    nonsens_options adapted = as_discover(options);
    const method *m;
    return choose_method(ctx, &adapted, &m);
}

nonsens_status run_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         nonsens_result **out)
{
    nonsens_options adapted = as_discover(options);
    const method *m;
    *out = NULL;
    TRY(choose_method(ctx, &adapted, &m));
    warn_unused_options(ctx, options, m);
    process_pool *processes = ctx->processes;
    int64_t max_rows = method_max_rows(m, options);
    ctx->processes =
        max_rows > 0 && data->n > max_rows ? NULL : processes; // the others know the whole data, not a sample
    nonsens_status status = discover(ctx, data, &adapted, m, out);
    ctx->processes = processes;
    return status;
}

/* A graph, and the data in which its effects are estimated. */
typedef struct effects_of {
    const nonsens_data *data;
    nonsens_result *result;
} effects_of;

static nonsens_status find_effects(nonsens_context *ctx, void *state)
{
    const effects_of *s = state;
    return edge_effects_fill(ctx, s->data, s->result);
}

static nonsens_status run_discover(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                   nonsens_result **out)
{
    double begun = clock_seconds();
    const method *m;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DISCOVER));
    TRY(choose_method(ctx, options, &m));
    warn_unused_options(ctx, options, m);
    TRY(bootstrap_check(ctx, options, m->server != NULL));
    if (options->bootstrap == 0 && !process_pool_follows(ctx)) {
        finish_allow(ctx, options->time_limit);
    }
    TRY(discover(ctx, data, options, m, out));
    if (*out) {
        TRY(parallel_region(ctx, (int)options->threads, find_effects, &(effects_of){data, *out}));
        (*out)->seconds = clock_seconds() - begun;
    }
    return NONSENS_OK;
}

nonsens_status nonsens_run_discover(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    process_pool processes;
    *out = NULL;
    process_pool_begin(ctx, &processes);
    nonsens_status status = process_pool_end(ctx, &processes, run_discover(ctx, data, options, out));
    if (status != NONSENS_OK) { // another process may have failed at the end
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}
