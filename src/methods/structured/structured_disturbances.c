/* structured_disturbances.c - computes the disturbances, tests their changes and their independence, reports both. */
#include "methods/structured/structured_disturbances.h"

#include "base/number.h"
#include "base/show.h"
#include "indep/hsic.h"
#include "methods/shared/change.h"
#include "methods/shared/reasoning.h"

#include <math.h>
#include <stdio.h>

enum { LISTED = 8, LIST_BYTES = LISTED * (2 * SHOWN_BYTES + 8) + 40, MAX_TESTED = 30 };

static nonsens_status fill_sources(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                   nonsens_result *result)
{
    const nonsens_data *data = s->scores->data;
    int64_t *nodes;
    TRY(result_make_sources(ctx, result, data->d));
    ARENA_TRY(ctx, scratch, nodes, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        int64_t causes = pdag_parents(&s->graph, j, nodes), column = data->column_rank[j];
        const structured_score *entry = scores_get(s->scores, j, causes, nodes);
        const double *scale = entry->theta + mechanism_size(&s->scores->rows, causes) - data->segments;
        TRY(mechanism_disturbance(ctx, &s->scores->rows, j, causes, nodes, entry->theta,
                                  matrix_col(result->source, column)));
        for (int64_t i = 0; i < data->n; i++) {
            matrix_col(result->source, column)[i] *= data->sign[column];
        }
        for (int64_t e = 0; e < data->segments; e++) {
            matrix_col(result->modulation, column)[e] = exp(scale[e]);
        }
    }
    return NONSENS_OK;
}

static nonsens_status say_change(nonsens_context *ctx, nonsens_result *result, const char *variable,
                                 const change_test *location, const change_test *scale, bool changes)
{
    char name[SHOWN_BYTES], ratio[NUMBER_BYTES], shift[NUMBER_BYTES], scale_p[REASONING_P_BYTES],
        location_p[REASONING_P_BYTES];
    return result_reason(ctx, result,
                         "The disturbance of %s is %s: its deviation is up to %s times as large in one segment as in "
                         "another (%s), its means are up to %s deviations apart (%s).",
                         show_bare(name, variable),
                         changes ? "seen to change over the segments" : "not seen to change over the segments",
                         isnan(scale->effect) ? "-" : number_print(ratio, scale->effect, REASONING_DIGITS),
                         isnan(scale->p_value) ? "not tested" : reasoning_p(scale_p, scale->p_value),
                         isnan(location->effect) ? "-" : number_print(shift, location->effect, REASONING_DIGITS),
                         isnan(location->p_value) ? "not tested" : reasoning_p(location_p, location->p_value));
}

static nonsens_status test_changes(nonsens_context *ctx, const structured_search *s, const int64_t *node_of,
                                   nonsens_result *result, bool *changes)
{
    const nonsens_data *data = s->scores->data;
    double level = 0.5 * result->options.alpha / (double)data->d;
    for (int64_t j = 0; j < data->d; j++) {
        const double *v = matrix_col(result->source, j);
        change_test location, scale;
        SCOPED_ARENA(scratch);
        TRY(scores_test_changes(ctx, &scratch, s->scores, v, &location, &scale));
        changes[node_of[j]] = location.p_value < level || scale.p_value < level;
        TRY(say_change(ctx, result, data->names[j], &location, &scale, changes[node_of[j]]));
        TRY(result_add(ctx, result, location.effect, location.p_value,
                       "largest difference of the disturbance's means over segments, in deviations", "place(%s)",
                       data->names[j]));
        TRY(result_add(ctx, result, scale.effect, scale.p_value,
                       "largest deviation of the disturbance in a segment over the smallest", "scale(%s)",
                       data->names[j]));
    }
    return NONSENS_OK;
}

static nonsens_status note_unchanged(nonsens_context *ctx, const structured_search *s, const int64_t *node_of,
                                     const bool *changes, nonsens_result *result)
{
    show_list list = {.max = LISTED};
    for (int64_t j = 0; j < s->graph.d; j++) {
        if (!changes[node_of[j]]) {
            show_list_add(&list, s->scores->data->names[j]);
        }
    }
    if (list.count == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%s: no change of the disturbance over the segments is seen. An edge between two such variables "
                       "is left without direction, since only the shape of the mechanism would speak for one.",
                       show_list_end(&list));
}

/* Tests all pairs of disturbances inside segments and notes those that are dependent. */
static nonsens_status note_dependent(nonsens_context *ctx, const structured_search *s, nonsens_result *result)
{
    const nonsens_data *data = s->scores->data;
    double pairs = 0.5 * (double)data->d * (double)(data->d - 1), level = result->options.alpha / pairs;
    char list[LIST_BYTES] = "", first[SHOWN_BYTES], second[SHOWN_BYTES];
    size_t used = 0;
    int64_t count = 0;
    hsic_options hsic = hsic_options_from(&result->options, 0.0, 0);
    hsic.null_kind = NULL_GAMMA;
    hsic.time_order = s->scores->time_order;
    hsic.min_shift = s->scores->time.length;
    hsic.memory = s->scores->time_order ? time_blocks_memory(&s->scores->time) : 0.0;
    for (int64_t a = 0; a < data->d && data->d <= MAX_TESTED; a++) {
        for (int64_t b = a + 1; b < data->d; b++) {
            SCOPED_ARENA(scratch);
            hsic_result h;
            TRY(hsic_test_scalars(ctx, &scratch, data->n, matrix_col(result->source, a), matrix_col(result->source, b),
                                  data->segments, data->start, &hsic, &h));
            if (h.p_value < level && ++count <= LISTED) {
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s and %s", used ? ", " : "",
                                         show_bare(first, data->names[a]), show_bare(second, data->names[b]));
            }
        }
    }
    if (count == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "Disturbances are dependent inside segments: %s%s. Either a mechanism is not followed closely "
                       "enough, or a hidden common cause acts, or an edge is missing.",
                       list, count > LISTED ? " and others" : "");
}

nonsens_status structured_report_disturbances(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                              nonsens_result *result, bool *changes)
{
    int64_t *node_of; // (d) the node of each of the user's columns; reports are in their order
    TRY(dataset_column_places(ctx, scratch, s->scores->data, &node_of));
    TRY(fill_sources(ctx, scratch, s, result));
    TRY(test_changes(ctx, s, node_of, result, changes));
    TRY(note_unchanged(ctx, s, node_of, changes, result));
    return note_dependent(ctx, s, result);
}
