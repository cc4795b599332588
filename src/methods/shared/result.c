/* result.c - fills in, queries and frees a result. */
#include "methods/shared/result.h"

#include "base/natural.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "graph/edge.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- making ---- */

static nonsens_status copy_data_facts(nonsens_context *ctx, nonsens_result *result, const nonsens_data *data)
{
    arena *a = &result->memory;
    result->rows = data->n;
    result->segments = data->segments;
    result->variables = data->d;
    result->warnings = data->warnings;
    result->data_notes = data->notes;
    result->data_hash = data->hash;
    TRY(arena_texts(ctx, a, data->d, (const char *const *)data->names, &result->names));
    TRY(arena_texts(ctx, a, data->segments, (const char *const *)data->labels, &result->labels));
    TRY(natural_order(ctx, a, data->segments, (const char *const *)data->labels, &result->label_order));
    TRY(arena_texts(ctx, a, data->warnings, (const char *const *)data->warning, &result->warning));
    TRY(arena_texts(ctx, a, data->notes, (const char *const *)data->note, &result->data_note));
    ARENA_TRY(ctx, a, result->input_row, data->n);
    memcpy(result->input_row, data->input_row, (size_t)data->n * sizeof *result->input_row);
    ARENA_TRY(ctx, a, result->start, data->segments + 1);
    memcpy(result->start, data->start, (size_t)(data->segments + 1) * sizeof *result->start);
    return NONSENS_OK;
}

nonsens_status result_new(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                          const char *method, nonsens_result **out)
{
    *out = NULL;
    SCOPED(memory_release_scoped) nonsens_result *result = memory_get(1, sizeof *result);
    if (!result) {
        return fail_memory(ctx);
    }
    result->method = method;
    result->decision = DECISION_NONE;
    result->better = BETTER_NONE;
    result->score = NAN;
    result->p_value = NAN;
    result->threads = parallel_threads((int)options->threads);
    TRY(options_copy(ctx, &result->memory, options, &result->options));
    TRY(copy_data_facts(ctx, result, data));
    *out = result;
    result = NULL;
    return NONSENS_OK;
}

void nonsens_result_free(nonsens_result *result)
{
    memory_release_owner(result);
}

nonsens_status result_add(nonsens_context *ctx, nonsens_result *result, double value, double p_value, const char *text,
                          const char *name_format, ...)
{
    va_list args;
    ARENA_GROW(ctx, &result->memory, result->evidence, result->evidence_count, result->evidence_capacity);
    nonsens_evidence *item = &result->evidence[result->evidence_count];
    va_start(args, name_format);
    *item = (nonsens_evidence){arena_format_list(ctx, &result->memory, name_format, args), value, p_value, NULL};
    va_end(args);
    item->text = arena_text(ctx, &result->memory, text ? text : "");
    if (!item->name || !item->text) {
        return NONSENS_ERR_MEMORY;
    }
    result->evidence_count++;
    return NONSENS_OK;
}

nonsens_status result_note(nonsens_context *ctx, nonsens_result *result, nonsens_note_level level, const char *format,
                           ...)
{
    va_list args;
    ARENA_GROW(ctx, &result->memory, result->note, result->notes, result->note_capacity);
    va_start(args, format);
    char *text = arena_format_list(ctx, &result->memory, format, args);
    va_end(args);
    result->note[result->notes] = (nonsens_note){text, level};
    result->notes += text != NULL;
    return text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status result_check(nonsens_context *ctx, nonsens_result *result, const char *text)
{
    result->passed += text == NULL;
    return text ? result_note(ctx, result, NONSENS_NOTE_CAUTION, "%s", text) : NONSENS_OK;
}

nonsens_status result_add_opinion(nonsens_context *ctx, nonsens_result *result, const nonsens_opinion *opinion)
{
    arena *a = &result->memory;
    ARENA_GROW(ctx, a, result->opinion, result->opinions, result->opinion_capacity);
    nonsens_opinion *copy = &result->opinion[result->opinions];
    *copy = *opinion;
    copy->method = arena_text(ctx, a, opinion->method);
    copy->decision = arena_text(ctx, a, opinion->decision);
    copy->direction = opinion->direction ? arena_text(ctx, a, opinion->direction) : NULL;
    if (!copy->method || !copy->decision || (opinion->direction && !copy->direction)) {
        return NONSENS_ERR_MEMORY;
    }
    result->opinions++;
    return NONSENS_OK;
}

nonsens_status result_reason(nonsens_context *ctx, nonsens_result *result, const char *format, ...)
{
    va_list args;
    ARENA_GROW(ctx, &result->memory, result->step, result->steps, result->step_capacity);
    va_start(args, format);
    char *text = arena_format_list(ctx, &result->memory, format, args);
    va_end(args);
    result->step[result->steps] = text;
    result->steps += text != NULL;
    return text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status result_edge(nonsens_context *ctx, nonsens_result *result, int64_t from, int64_t to, int type,
                           double weight, double p_value)
{
    ARENA_GROW(ctx, &result->memory, result->edge, result->edges, result->edge_capacity);
    bool reversed = type != NONSENS_EDGE_DIRECTED && to < from;
    result->edge[result->edges++] = (nonsens_edge){reversed ? to : from, reversed ? from : to, type, weight, p_value,
                                                   .support = NAN,       EDGE_NO_EFFECT};
    return NONSENS_OK;
}

nonsens_status result_make_sources(nonsens_context *ctx, nonsens_result *result, int64_t columns)
{
    double *source, *change;
    ARENA_TRY(ctx, &result->memory, source, result->rows * columns);
    ARENA_TRY(ctx, &result->memory, change, result->segments * columns);
    result->source = matrix_view(source, result->rows, columns);
    result->modulation = matrix_view(change, result->segments, columns);
    return NONSENS_OK;
}

nonsens_status result_keep_order(nonsens_context *ctx, nonsens_result *result, const int32_t *column_rank,
                                 const int64_t *order)
{
    ARENA_TRY(ctx, &result->memory, result->order, result->variables);
    for (int64_t k = 0; k < result->variables; k++) {
        result->order[k] = column_rank[order[k]];
    }
    return NONSENS_OK;
}

static bool edge_comes_before(const nonsens_edge *a, const nonsens_edge *b)
{
    return a->from < b->from || (a->from == b->from && a->to < b->to);
}

/* Sorts by insertion: methods add edges nearly in order, and there are few. */
static void order_edges(nonsens_result *result)
{
    for (int64_t i = 1; i < result->edges; i++) {
        nonsens_edge moved = result->edge[i];
        int64_t at = i;
        for (; at > 0 && edge_comes_before(&moved, &result->edge[at - 1]); at--) {
            result->edge[at] = result->edge[at - 1];
        }
        result->edge[at] = moved;
    }
}

/* Returns the position of the intervention's segment in the order of labels. */
static int64_t target_place(const nonsens_result *result, const nonsens_target *t)
{
    int64_t place = 0;
    while (place < result->segments && result->labels[result->label_order[place]] != t->segment) {
        place++;
    }
    return place;
}

/* Orders interventions by segment, as labels are listed; those of one segment keep their order. */
static void order_targets(nonsens_result *result)
{
    for (int64_t i = 1; i < result->target_count; i++) {
        nonsens_target moved = result->target[i];
        int64_t at = i, place = target_place(result, &moved);
        for (; at > 0 && target_place(result, &result->target[at - 1]) > place; at--) {
            result->target[at] = result->target[at - 1];
        }
        result->target[at] = moved;
    }
}

/* ---- the decision in words ---- */

bool result_names_direction(const nonsens_result *result)
{
    return result->decision == DECISION_FIRST_CAUSES || result->decision == DECISION_SECOND_CAUSES;
}

char *result_arrow(nonsens_context *ctx, nonsens_result *result, bool first_causes)
{
    return arena_format(ctx, &result->memory, "%s->%s", result->names[!first_causes], result->names[first_causes]);
}

nonsens_status result_finish(nonsens_context *ctx, nonsens_result *result)
{
    static const char *const word[] = {
        [DECISION_INDEPENDENT] = "independent",
        [DECISION_NEITHER] = "neither",
        [DECISION_INCONCLUSIVE] = "inconclusive",
        [DECISION_DEPENDENT] = "dependent",
        [DECISION_NONE] = "none",
    };
    bool named = result_names_direction(result);
    bool directed = result->better != BETTER_NONE;
    order_edges(result);
    order_targets(result);
    result->decision_text = named ? result_arrow(ctx, result, result->decision == DECISION_FIRST_CAUSES)
                                  : arena_text(ctx, &result->memory, word[result->decision]);
    result->direction_text = directed ? result_arrow(ctx, result, result->better == BETTER_FIRST) : NULL;
    return result->decision_text && (result->direction_text || !directed) ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- queries ---- */

nonsens_kind nonsens_result_kind(const nonsens_result *result)
{
    switch (result ? result->options.command : 0) {
    case NONSENS_COMMAND_DIRECTION:
        return NONSENS_KIND_DIRECTION;
    case NONSENS_COMMAND_DISCOVER:
        return NONSENS_KIND_GRAPH;
    case NONSENS_COMMAND_INDEPENDENCE:
        return NONSENS_KIND_INDEPENDENCE;
    case NONSENS_COMMAND_DIAGNOSE:
        return NONSENS_KIND_DIAGNOSIS;
    case NONSENS_COMMAND_EXPLAIN:
        return NONSENS_KIND_EXPLANATION;
    case NONSENS_COMMAND_ICA:
        return NONSENS_KIND_ICA;
    case NONSENS_COMMAND_EFFECT:
        return NONSENS_KIND_EFFECT;
    default:
        return NONSENS_KIND_NONE;
    }
}

const char *nonsens_result_decision(const nonsens_result *result)
{
    return result ? result->decision_text : NULL;
}

const char *nonsens_result_direction(const nonsens_result *result)
{
    return result ? result->direction_text : NULL;
}

double nonsens_result_score(const nonsens_result *result)
{
    return result ? result->score : NAN;
}

double nonsens_result_p_value(const nonsens_result *result)
{
    return result ? result->p_value : NAN;
}

int64_t nonsens_result_evidence_count(const nonsens_result *result)
{
    return result ? result->evidence_count : 0;
}

const nonsens_evidence *nonsens_result_evidence_at(const nonsens_result *result, int64_t index)
{
    return result && index >= 0 && index < result->evidence_count ? &result->evidence[index] : NULL;
}

int64_t nonsens_result_note_count(const nonsens_result *result)
{
    return result ? result->notes : 0;
}

const nonsens_note *nonsens_result_note_at(const nonsens_result *result, int64_t index)
{
    return result && index >= 0 && index < result->notes ? &result->note[index] : NULL;
}

int64_t nonsens_result_reasoning_count(const nonsens_result *result)
{
    return result ? result->steps : 0;
}

const char *nonsens_result_reasoning_at(const nonsens_result *result, int64_t index)
{
    return result && index >= 0 && index < result->steps ? result->step[index] : NULL;
}

nonsens_firm nonsens_result_firm(const nonsens_result *result)
{
    return result ? result->firm : NONSENS_FIRM_NONE;
}

static const char *const ALTERNATIVE[] = {"hidden-cause", "measurement-error", "mechanism-change", "selection"};
enum { ALTERNATIVES = sizeof ALTERNATIVE / sizeof *ALTERNATIVE };

const char *nonsens_result_alternative_at(const nonsens_result *result, int64_t index)
{
    for (int k = 0; result && index >= 0 && k < ALTERNATIVES; k++) {
        if (result->alternatives >> k & 1U && index-- == 0) {
            return ALTERNATIVE[k];
        }
    }
    return NULL;
}

int64_t nonsens_result_alternative_count(const nonsens_result *result)
{
    int64_t count = 0;
    while (nonsens_result_alternative_at(result, count)) {
        count++;
    }
    return count;
}

int64_t nonsens_result_opinion_count(const nonsens_result *result)
{
    return result ? result->opinions : 0;
}

const nonsens_opinion *nonsens_result_opinion_at(const nonsens_result *result, int64_t index)
{
    return result && index >= 0 && index < result->opinions ? &result->opinion[index] : NULL;
}

const char *nonsens_result_reason(const nonsens_result *result)
{
    return result ? result->reason : NULL;
}

int64_t nonsens_result_edge_count(const nonsens_result *result)
{
    return result ? result->edges : 0;
}

const nonsens_edge *nonsens_result_edge_at(const nonsens_result *result, int64_t index)
{
    return result && index >= 0 && index < result->edges ? &result->edge[index] : NULL;
}

nonsens_status result_target(nonsens_context *ctx, nonsens_result *result, int64_t segment, int64_t variable, int kind,
                             bool known, double p_value)
{
    ARENA_GROW(ctx, &result->memory, result->target, result->target_count, result->target_capacity);
    result->target[result->target_count++] = (nonsens_target){.segment = result->labels[segment],
                                                              .variable = variable,
                                                              .kind = (nonsens_target_kind)kind,
                                                              .known = known,
                                                              .p_value = p_value};
    return NONSENS_OK;
}

int64_t nonsens_result_target_count(const nonsens_result *result)
{
    return result ? result->target_count : 0;
}

const nonsens_target *nonsens_result_target_at(const nonsens_result *result, int64_t index)
{
    return result && index >= 0 && index < result->target_count ? &result->target[index] : NULL;
}

int nonsens_result_is_unfinished(const nonsens_result *result)
{
    return result && result->unfinished;
}

const int64_t *nonsens_result_order(const nonsens_result *result)
{
    return result ? result->order : NULL;
}

int64_t nonsens_result_change_count(const nonsens_result *result)
{
    return result && result->explained.variable ? result->variables : 0;
}

const nonsens_change *nonsens_result_change_at(const nonsens_result *result, int64_t index)
{
    return index >= 0 && index < nonsens_result_change_count(result) ? &result->explained.variable[index] : NULL;
}

const nonsens_target_change *nonsens_result_target_change(const nonsens_result *result)
{
    return result ? result->explained.target : NULL;
}

int64_t nonsens_result_effect_count(const nonsens_result *result)
{
    return result ? result->effects.effects : 0;
}

const nonsens_effect *nonsens_result_effect_at(const nonsens_result *result, int64_t index)
{
    return index >= 0 && index < nonsens_result_effect_count(result) ? &result->effects.effect[index] : NULL;
}

int64_t nonsens_result_quartile_effect_count(const nonsens_result *result)
{
    return result ? result->effects.quartile_effects : 0;
}

const nonsens_quartile_effect *nonsens_result_quartile_effect_at(const nonsens_result *result, int64_t index)
{
    return index >= 0 && index < nonsens_result_quartile_effect_count(result) ? &result->effects.quartile_effect[index]
                                                                              : NULL;
}

int64_t nonsens_result_counterfactual_count(const nonsens_result *result)
{
    return result ? result->effects.counterfactuals : 0;
}

const nonsens_counterfactual *nonsens_result_counterfactual_at(const nonsens_result *result, int64_t index)
{
    return index >= 0 && index < nonsens_result_counterfactual_count(result) ? &result->effects.counterfactual[index]
                                                                             : NULL;
}

int64_t nonsens_result_row_count(const nonsens_result *result)
{
    return result ? result->rows : 0;
}

const int64_t *nonsens_result_input_rows(const nonsens_result *result)
{
    return result ? result->input_row : NULL;
}

int64_t nonsens_result_source_count(const nonsens_result *result)
{
    return result && result->source.v ? result->source.cols : 0;
}

const double *nonsens_result_source_at(const nonsens_result *result, int64_t source)
{
    bool exists = source >= 0 && source < nonsens_result_source_count(result);
    return exists ? matrix_col(result->source, source) : NULL;
}

const double *nonsens_result_unmixing(const nonsens_result *result)
{
    return result ? result->unmixed.unmixing : NULL;
}

const double *nonsens_result_mixing(const nonsens_result *result)
{
    return result ? result->unmixed.mixing : NULL;
}

nonsens_status result_note_skipped(nonsens_context *ctx, nonsens_result *result, int64_t skipped, int64_t min_rows)
{
    if (skipped == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64 " segments did not enter the test: fewer than %" PRId64 " rows, or a "
                       "variable that is constant there.",
                       skipped, result->segments, min_rows);
}
