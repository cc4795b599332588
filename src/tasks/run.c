/*
 * run.c - the public runs of registered methods: nonsens_run_direction on a pair of variables, nonsens_run_discover on
 * all (the other runs: independence.c, diagnose.c, ica_run.c).
 */
#include "tasks/run.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/show.h"
#include "data/audit.h"
#include "data/subsample.h"
#include "data/variables.h"
#include "methods/registry.h"
#include "methods/shared/reasoning.h"
#include "read/knowledge_file.h"
#include "tasks/bootstrap.h"
#include "tasks/choose_method.h"

#include <inttypes.h>

/* Permutations bound p-values from below; methods that correct for several tests may then be unable to reject. */
static nonsens_status note_permutations(nonsens_context *ctx, nonsens_result *result)
{
    const nonsens_options *o = &result->options;
    double tests = result->is_graph && result->variables > 4 ? (double)result->variables : 4.0;
    char least[NUMBER_BYTES];
    if (o->null_kind != NULL_PERMUTATION || o->alpha * (double)(o->permutations + 1) >= tests) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "With %" PRId64
                       " permutations no p-value is below %s: tests, whose levels are corrected for their "
                       "number, may be unable to reject. Take more --permutations, or --null gamma.",
                       o->permutations, number_print(least, 1.0 / (double)(o->permutations + 1), 2));
}

static nonsens_status decide(nonsens_context *ctx, const nonsens_data *data, const method *m, nonsens_result *result)
{
    arena scratch = {0};
    result->assumes = m->info.assumes;
    result->bidirected_meaning = m->bidirected_meaning;
    result->is_graph = result->options.command == NONSENS_COMMAND_DISCOVER;
    TRY(reasoning_begin(ctx, m, result));
    nonsens_status status =
        (result->is_graph ? m->discover : m->direction)(ctx, &scratch, data, &result->options, result);
    arena_free(&scratch);
    TRY(status);
    TRY(note_permutations(ctx, result));
    TRY(result_finish(ctx, result));
    return reasoning_end(ctx, result);
}

/* known: as in the result, while the method runs. */
static nonsens_status run_on_rows(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                  const method *m, const knowledge *known, nonsens_result **out)
{
    TRY(result_new(ctx, data, options, m->info.name, out));
    (*out)->known = known;
    (*out)->pair_method = method_for_pairs(m, options);
    nonsens_status status = decide(ctx, data, m, *out);
    (*out)->known = NULL;
    (*out)->pair_method = NULL;
    return status;
}

/* A result from a sample of the rows is one of the data; disturbances of the sample alone would be taken for all. */
static nonsens_status turn_to_all(nonsens_context *ctx, const nonsens_data *data, int64_t used, nonsens_result *result)
{
    result->rows = data->n;
    result->data_hash = data->hash;
    result->source = (matrix){0};
    result->sampled = true;
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "%" PRId64 " of %" PRId64 " rows were used, drawn evenly from all segments (--most-rows); "
                       "disturbances of single rows are not kept then.",
                       used, data->n);
}

static nonsens_status run_method(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const method *m, const knowledge *known, nonsens_result **out)
{
    nonsens_data *fewer;
    *out = NULL;
    if (m->info.needs_segments) {
        TRY(audit_require_segments(ctx, data));
    }
    TRY(subsample(ctx, data, options, method_max_rows(m, options), &fewer));
    nonsens_status status = run_on_rows(ctx, fewer ? fewer : data, options, m, known, out);
    if (status == NONSENS_OK && fewer) {
        status = turn_to_all(ctx, data, fewer->n, *out);
    }
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    nonsens_data_free(fewer);
    return status;
}

nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result **out)
{
    const method *m;
    *out = NULL;
    TRY(choose_method(ctx, options, &m));
    TRY(audit_require_pair(ctx, pair));
    return run_method(ctx, pair, options, m, NULL, out);
}

nonsens_status nonsens_run_direction(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                     nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    const nonsens_data *pair;
    nonsens_data *owned;
    const method *m;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DIRECTION));
    TRY(choose_method(ctx, options, &m));
    TRY(variables_pair(ctx, data, options, &pair, &owned));
    nonsens_status status = run_direction(ctx, pair, options, out);
    nonsens_data_free(owned);
    if (status == NONSENS_OK) {
        (*out)->seconds = clock_seconds() - begun;
    }
    return status;
}

/* ---- discover: what is known beforehand ---- */

/* *known is NULL if there is no file. */
static nonsens_status read_knowledge(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, knowledge **known)
{
    *known = NULL;
    if (!options->knowledge[0]) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, *known, 1);
    return knowledge_read(ctx, a, options->knowledge, data->d, (const char *const *)data->names, *known);
}

static nonsens_status contradicted(nonsens_context *ctx, const nonsens_result *result, int64_t from, int64_t to,
                                   const char *what)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_NUMERIC,
                "the graph of %s contradicts --knowledge: the arrow from %s to %s is %s; please report this",
                result->method, show_quoted(a, result->names[from]), show_quoted(b, result->names[to]), what);
}

/* Takes the required arrows that are there out of `lacking` (d, d); fails on an edge that cannot be. */
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

/* Required arrows that no edge of the graph is; lacking (d, d). */
static nonsens_status check_edges(nonsens_context *ctx, const nonsens_result *result, const knowledge *k, bool *lacking)
{
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

nonsens_status run_check_knowledge(nonsens_context *ctx, const nonsens_result *result, const knowledge *k)
{
    arena scratch = {0};
    if (!k) {
        return NONSENS_OK;
    }
    bool *lacking = arena_get(ctx, &scratch, k->d * k->d, sizeof *lacking);
    nonsens_status status = lacking ? check_edges(ctx, result, k, lacking) : NONSENS_ERR_MEMORY;
    arena_free(&scratch);
    return status;
}

/* ---- discover ---- */

/* What a run needs beside data and options, also on a bootstrap sample. */
typedef struct discovery {
    const method *method;
    const knowledge *known; /* beforehand; NULL: nothing */
} discovery;

static nonsens_status find_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 const void *state, nonsens_result **out)
{
    const discovery *d = state;
    *out = NULL;
    TRY(audit_require_several(ctx, data));
    TRY(run_method(ctx, data, options, d->method, d->known, out));
    nonsens_status status = run_check_knowledge(ctx, *out, d->known);
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

static nonsens_status discover(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               const method *m, nonsens_result **out)
{
    knowledge *known;
    TRY(read_knowledge(ctx, a, data, options, &known));
    TRY(bootstrap_check_journal(ctx, data, options, known));
    discovery d = {m, known};
    TRY(find_graph(ctx, data, options, &d, out));
    nonsens_status status = bootstrap_run(ctx, data, options, known, find_graph, &d, *out);
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

static nonsens_status discover_as(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                  const nonsens_options *options, nonsens_result **out)
{
    nonsens_options as = *options;
    const method *m;
    as.command = NONSENS_COMMAND_DISCOVER;
    TRY(choose_method(ctx, &as, &m));
    return discover(ctx, a, data, &as, m, out);
}

nonsens_status run_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         nonsens_result **out)
{
    arena memory = {0};
    *out = NULL;
    nonsens_status status = discover_as(ctx, &memory, data, options, out);
    arena_free(&memory);
    return status;
}

nonsens_status nonsens_run_discover(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    const method *m;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DISCOVER));
    TRY(choose_method(ctx, options, &m));
    TRY(bootstrap_check(ctx, options));
    arena memory = {0};
    nonsens_status status = discover(ctx, &memory, data, options, m, out);
    arena_free(&memory);
    if (status == NONSENS_OK) {
        (*out)->seconds = clock_seconds() - begun;
    }
    return status;
}
