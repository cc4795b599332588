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
#include "read/targets_file.h"
#include "tasks/bootstrap.h"
#include "tasks/choose_method.h"
#include "tasks/opinions.h"

#include <inttypes.h>

/* Permutations bound p-values from below; methods that correct for several tests may then be unable to reject. */
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

static nonsens_status decide(nonsens_context *ctx, const nonsens_data *data, const method *m, nonsens_result *result)
{
    SCOPED_ARENA(scratch);
    result->assumes = m->info.assumes;
    result->bidirected_meaning = m->bidirected_meaning;
    result->is_graph = result->options.command == NONSENS_COMMAND_DISCOVER;
    TRY(reasoning_begin(ctx, m, result));
    TRY((result->is_graph ? m->discover : m->direction)(ctx, &scratch, data, &result->options, result));
    if (result_names_direction(result) && result->firm == NONSENS_FIRM_NONE) { // the method does not look for others
        result->firm = NONSENS_FIRM_NO;
        result->alternatives = ALTERNATIVE_ALL;
    }
    TRY(note_permutations(ctx, result));
    TRY(result_finish(ctx, result));
    return reasoning_end(ctx, result);
}

/* Makes a result from a sample one of all rows; drops disturbances, which would be taken for those of all rows. */
static nonsens_status describe_all_rows(nonsens_context *ctx, const nonsens_data *data, int64_t used,
                                        nonsens_result *result)
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

/* What a run needs beside data and options, also on a bootstrap sample. */
typedef struct discovery {
    const method *method;
    const knowledge *known; /* prior knowledge; NULL: none */
    const targets *targets; /* interventions; NULL: none */
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
    TRY(note_ignored(ctx, d->targets, result));
    TRY(decide(ctx, sample ? sample : data, m, result));
    result->known = NULL;
    result->targets = NULL;
    result->pair_method = NULL;
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

/* Clears the edge in `lacking` (d, d), the missing required arrows; fails on an edge that is not allowed. */
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
    TRY(audit_require_several(ctx, data));
    TRY(run_method(ctx, data, options, d, &found));
    TRY(run_check_knowledge(ctx, found, d->known));
    *out = found;
    found = NULL;
    return NONSENS_OK;
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
    TRY(bootstrap_check_journal(ctx, data, options, d.known, d.targets));
    TRY(find_graph(ctx, data, options, &d, &found));
    TRY(bootstrap_run(ctx, data, options, d.known, d.targets, find_graph, &d, found));
    *out = found;
    found = NULL;
    return NONSENS_OK;
}

nonsens_status run_graph(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         nonsens_result **out)
{
    nonsens_options adapted = *options;
    const method *m;
    *out = NULL;
    adapted.command = NONSENS_COMMAND_DISCOVER;
    TRY(choose_method(ctx, &adapted, &m));
    warn_unused_options(ctx, options, m);
    return discover(ctx, data, &adapted, m, out);
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
    warn_unused_options(ctx, options, m);
    TRY(bootstrap_check(ctx, options));
    if (options->bootstrap == 0) {
        finish_allow(ctx, options->time_limit);
    }
    TRY(discover(ctx, data, options, m, out));
    (*out)->seconds = clock_seconds() - begun;
    return NONSENS_OK;
}
