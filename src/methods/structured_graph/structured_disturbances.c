/* structured_disturbances.c - computes the disturbances, tests their changes and their independence, reports both. */
#include "methods/structured_graph/structured_disturbances.h"

#include "base/number.h"
#include "base/parallel.h"
#include "base/show.h"
#include "math/column.h"
#include "methods/shared/change.h"
#include "methods/shared/reasoning.h"
#include "methods/structured_graph/structured_gaps.h"

#include <math.h>
#include <stdio.h>

enum { LISTED = 8, LIST_BYTES = LISTED * (2 * SHOWN_BYTES + 8) + 40, MAX_TESTED = 30 };

/* Fills source (n) with the variable itself, which stands for the disturbance in segments in which it is fixed. */
static void fill_without(const nonsens_data *data, int64_t column, double *source, double *modulation)
{
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        const double *x = matrix_col(data->x, column) + data->start[e];
        column_standardise(rows, x, source + data->start[e]);
        modulation[e] = NAN;
    }
}

/* Fills in the disturbances of one part, and the scales of the segments that share a mechanism. */
static nonsens_status fill_part(nonsens_context *ctx, const structured_score *entry, const structured_part *part,
                                int64_t segments, double *source, double *modulation)
{
    const mechanism_data *rows = &part->of->data;
    const double *scale = part->theta + mechanism_size(rows, entry->causes) - rows->segments;
    bool compares = rows->segments > 1 || segments == 1; // else its only scale is 1 by definition
    for (int64_t k = 0; compares && k < rows->segments; k++) {
        modulation[part->of->segment ? part->of->segment[k] : k] = exp(scale[k]);
    }
    return mechanism_disturbance(ctx, rows, entry->effect, entry->causes, entry->cause, part->theta, source);
}

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
        double *source = matrix_col(result->source, column), *modulation = matrix_col(result->modulation, column);
        fill_without(data, column, source, modulation);
        for (int64_t k = 0; k < entry->parts; k++) {
            TRY(fill_part(ctx, entry, &entry->part[k], data->segments, source, modulation));
        }
        gaps_mark_rows(s->scores, j, causes, nodes, source);
        for (int64_t i = 0; i < data->n; i++) {
            source[i] *= data->sign[column];
        }
    }
    return NONSENS_OK;
}

static nonsens_status say_change(nonsens_context *ctx, nonsens_result *result, const char *variable,
                                 const change_test *location, const change_test *scale, bool changes)
{
    char name[SHOWN_BYTES], ratio[NUMBER_BYTES], shift[NUMBER_BYTES], scale_p[REASONING_P_BYTES],
        location_p[REASONING_P_BYTES];
    return result_reason(
        ctx, result,
        "The disturbance of %s is %s: its standard deviation is up to %s times as large in one segment "
        "as in another (%s), and its means differ by up to %s standard deviations (%s).",
        show_bare(name, variable),
        changes ? "seen to change over the segments" : "not seen to change over the segments",
        isnan(scale->effect) ? "-" : number_print(ratio, scale->effect, REASONING_DIGITS),
        isnan(scale->p_value) ? "not tested" : reasoning_p(scale_p, scale->p_value),
        isnan(location->effect) ? "-" : number_print(shift, location->effect, REASONING_DIGITS),
        isnan(location->p_value) ? "not tested" : reasoning_p(location_p, location->p_value));
}

static nonsens_status test_changes(nonsens_context *ctx, arena *a, const structured_search *s, const int64_t *node_of,
                                   nonsens_result *result, bool *changes)
{
    const nonsens_data *data = s->scores->data;
    double level = 0.5 * result->options.alpha / (double)data->d;
    int64_t *nodes;
    ARENA_TRY(ctx, a, nodes, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        const double *v = matrix_col(result->source, j);
        change_test location, scale;
        SCOPED_ARENA(scratch);
        int64_t node = node_of[j], causes = pdag_parents(&s->graph, node, nodes);
        const structured_score *fit = scores_get(s->scores, node, causes, nodes);
        TRY(scores_test_changes(ctx, &scratch, s->scores, scores_shared(fit), v, &location, &scale));
        changes[node] = scores_is_target(s->scores, fit) || location.p_value < level || scale.p_value < level;
        TRY(say_change(ctx, result, data->names[j], &location, &scale, changes[node]));
        TRY(result_add(ctx, result, location.effect, location.p_value,
                       "largest difference of the disturbance's means over segments, in standard deviations",
                       "location(%s)", data->names[j]));
        TRY(result_add(ctx, result, scale.effect, scale.p_value,
                       "largest standard deviation of the disturbance in a segment over the smallest", "scale(%s)",
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
                       "is directed only by a v-structure, by other arrows, or by a clear difference in likelihood.",
                       show_list_end(&list));
}

/* Pairs whose disturbances are tested. */
typedef struct tested_pairs {
    const structured_scores *scores;
    const nonsens_result *result;
    hsic_options hsic;
    const hsic_sides *sides; /* of the user's columns */
    int64_t (*pair)[2];      /* the user's columns */
    double *p_value;
    int64_t count;
} tested_pairs;

static nonsens_status test_pair(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    tested_pairs *t = state;
    hsic_options options = t->hsic;
    const double *x = matrix_col(t->result->source, t->pair[job][0]);
    const double *y = matrix_col(t->result->source, t->pair[job][1]);
    for (int side = 0; t->sides && side < 2; side++) {
        options.side[side] = hsic_sides_of(t->sides, t->scores->data->segments, t->pair[job][side]);
    }
    return gaps_test(ctx, scratch, t->scores, x, y, &options, &t->p_value[job]);
}

/* Computes what the tests need of each disturbance; NULL if pairs are few, or if each has rows of its own. */
static nonsens_status find_sides(nonsens_context *ctx, arena *scratch, const tested_pairs *t, int threads,
                                 hsic_sides **out)
{
    const nonsens_data *data = t->scores->data;
    const double **source;
    if (t->count < data->d || t->scores->gaps) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, source, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        source[j] = matrix_col(t->result->source, j);
    }
    return hsic_sides_new(ctx, scratch, &(column_set){data->n, data->d, source},
                          &(row_groups){data->segments, data->start}, threads, out);
}

/* Tests all pairs of disturbances inside segments; if there are many variables, only those with an edge. */
static nonsens_status test_pairs(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                 const int64_t *node_of, const nonsens_result *result, bool *dependent)
{
    int64_t d = s->graph.d;
    bool all = d <= MAX_TESTED;
    tested_pairs t = {.scores = s->scores, .result = result};
    SCOPED(hsic_sides_free) hsic_sides *sides = NULL;
    ARENA_TRY(ctx, scratch, t.pair, d * (d - 1) / 2 + 1);
    ARENA_TRY(ctx, scratch, t.p_value, d * (d - 1) / 2 + 1);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = a + 1; b < d; b++) {
            if (all || pdag_is_adjacent(&s->graph, node_of[a], node_of[b])) {
                t.pair[t.count][0] = a;
                t.pair[t.count++][1] = b;
            }
        }
    }
    bool many = t.count >= parallel_threads(s->scores->threads); // else a test shares its segments among threads
    t.hsic = scores_test_options(s->scores, &result->options);
    t.hsic.threads = many ? 1 : s->scores->threads;
    TRY(find_sides(ctx, scratch, &t, s->scores->threads, &sides));
    t.sides = sides;
    TRY(parallel_for(ctx, many ? s->scores->threads : 1, t.count, NULL, test_pair, &t));
    for (int64_t k = 0; k < t.count; k++) {
        int64_t i = node_of[t.pair[k][0]], j = node_of[t.pair[k][1]];
        dependent[i * d + j] = dependent[j * d + i] = t.p_value[k] < result->options.alpha / (double)t.count;
    }
    return NONSENS_OK;
}

static nonsens_status note_dependent(nonsens_context *ctx, const structured_search *s, const int64_t *node_of,
                                     const bool *dependent, const hidden_causes *hidden, nonsens_result *result)
{
    const nonsens_data *data = s->scores->data;
    char list[LIST_BYTES] = "", first[SHOWN_BYTES], second[SHOWN_BYTES];
    size_t used = 0;
    int64_t count = 0;
    for (int64_t a = 0; a < data->d; a++) {
        for (int64_t b = a + 1; b < data->d; b++) {
            bool is_listed =
                dependent[node_of[a] * data->d + node_of[b]] && !hidden_find(hidden, node_of[a], node_of[b]);
            if (is_listed && ++count <= LISTED) {
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
                                              const hidden_causes *hidden, nonsens_result *result,
                                              structured_disturbances *out)
{
    int64_t *node_of; // (d) the node of each of the user's columns; reports are in their order
    ARENA_TRY(ctx, scratch, out->changes, s->graph.d);
    ARENA_TRY(ctx, scratch, out->dependent, s->graph.d * s->graph.d);
    TRY(dataset_column_places(ctx, scratch, s->scores->data, &node_of));
    TRY(fill_sources(ctx, scratch, s, result));
    TRY(test_changes(ctx, scratch, s, node_of, result, out->changes));
    TRY(note_unchanged(ctx, s, node_of, out->changes, result));
    TRY(test_pairs(ctx, scratch, s, node_of, result, out->dependent));
    if (s->scores->gaps) { // rows without a value have no disturbance
        result->source = (matrix){0};
    }
    return note_dependent(ctx, s, node_of, out->dependent, hidden, result);
}
