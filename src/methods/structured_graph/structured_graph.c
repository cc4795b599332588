/*
 * structured_graph.c - the graph of many variables by segment likelihood (docs/many-variables.md).
 *
 * A mechanism that is the same in all segments and a disturbance that changes over them explain every variable
 * (mechanism.h).  Graphs are compared by the log likelihood of held-out rows (structured_search.h).
 */
#include "base/number.h"
#include "base/show.h"
#include "math/special.h"
#include "methods/shared/reasoning.h"
#include "methods/structured_graph/structured_differences.h"
#include "methods/structured_graph/structured_directions.h"
#include "methods/structured_graph/structured_disturbances.h"
#include "methods/structured_graph/structured_graph_method.h"
#include "methods/structured_graph/structured_hidden.h"
#include "methods/structured_graph/structured_moves.h"
#include "methods/structured_graph/structured_separations.h"
#include "pool/process_pool.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MIN_GAIN = 0.002; /* nats per row */
enum {
    MAX_SEGMENTS = 5000, /* memory of a fit grows with segments x coefficients */
    FEW_VARIABLES = 10   /* up to this many, all candidate causes are fitted; with more, they are screened */
};

static const char *name_of(const nonsens_data *data, int64_t node)
{
    return data->names[data->column_rank[node]];
}

/* Says in half a sentence why the arrow is reported with its direction, or without. */
static const char *verdict_of(const structured_arrow *arrow, double alpha)
{
    static const char *const verdict[] = {
        [NONSENS_DIRECTED_BY_KNOWLEDGE] = "its direction is known beforehand",
        [NONSENS_DIRECTED_BY_CHANGES] = "a disturbance that changes over segments establishes the direction",
        [NONSENS_DIRECTED_BY_V_STRUCTURE] = "it is part of a v-structure, which establishes the direction",
        [NONSENS_DIRECTED_BY_RULES] =
            "its direction follows from other arrows, because the other one would make a cycle or a new v-structure",
        [NONSENS_DIRECTED_BY_LIKELIHOOD] =
            "nothing changes at either end, but the likelihood inside segments clearly supports the direction"};
    if (arrow->by != NONSENS_DIRECTED_BY_NONE) {
        return verdict[arrow->by];
    }
    return !arrow->possible || arrow->loss_p < 0.5 * alpha
               ? "but nothing changes at either end, and the direction stays open"
               : "not enough to name a direction";
}

/* Says what the arrow gains, and why it has its direction. */
static nonsens_status say_arrow(nonsens_context *ctx, nonsens_result *result, const nonsens_data *data,
                                const structured_arrow *arrow)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES], gain[NUMBER_BYTES], loss[NUMBER_BYTES], p[REASONING_P_BYTES],
        reversed_p[REASONING_P_BYTES];
    double n = (double)data->n;
    const char *verdict = verdict_of(arrow, result->options.alpha);
    show_bare(a, name_of(data, arrow->from));
    show_bare(b, name_of(data, arrow->to));
    number_print(gain, arrow->present.total / n, REASONING_DIGITS);
    reasoning_p(p, arrow->gain_p);
    if (arrow->by == NONSENS_DIRECTED_BY_KNOWLEDGE) {
        return result_reason(ctx, result, "%s -> %s predicts held-out rows better by %s nats per row (%s); %s.", a, b,
                             gain, p, verdict);
    }
    if (!arrow->possible) {
        return result_reason(ctx, result,
                             "%s -> %s predicts held-out rows better by %s nats per row (%s). Reversed, it would close "
                             "a cycle with other arrows, or have an effect with too many causes: %s.",
                             a, b, gain, p, verdict);
    }
    return result_reason(ctx, result,
                         "%s -> %s predicts held-out rows better by %s nats per row (%s); reversed, it would lose %s "
                         "of them (%s): %s.",
                         a, b, gain, p, number_print(loss, -arrow->reversed.total / n, REASONING_DIGITS),
                         reasoning_p(reversed_p, arrow->loss_p), verdict);
}

/* Reports one arrow with the evidence for it and against the other direction. */
static nonsens_status report_arrow(nonsens_context *ctx, const nonsens_data *data, const structured_arrow *arrow,
                                   nonsens_result *result)
{
    const char *from = name_of(data, arrow->from), *to = name_of(data, arrow->to);
    bool directed = arrow->by != NONSENS_DIRECTED_BY_NONE, possible = arrow->possible;
    double n = (double)data->n;
    TRY(result_edge(ctx, result, data->column_rank[arrow->from], data->column_rank[arrow->to],
                    directed ? NONSENS_EDGE_DIRECTED : NONSENS_EDGE_UNDIRECTED, NAN, arrow->gain_p));
    result->edge[result->edges - 1].directed_by = arrow->by;
    TRY(say_arrow(ctx, result, data, arrow));
    TRY(result_add(ctx, result, arrow->present.total / n, arrow->gain_p,
                   "nats per row gained on held-out rows by this edge", "gain(%s->%s)", from, to));
    return result_add(ctx, result, possible ? -arrow->reversed.total / n : NAN, arrow->loss_p,
                      possible
                          ? "nats per row lost on held-out rows if this edge is reversed"
                          : "this edge cannot be reversed: that would close a cycle, give a variable too many causes "
                            "to fit, or contradict what is known",
                      "reversed(%s->%s)", to, from);
}

/* Reports the nodes from causes to effects; if several can come next, the first in canonical order does. */
static nonsens_status report_order(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                   nonsens_result *result)
{
    int64_t d = s->graph.d, placed = 0, *order, *nodes;
    bool *done;
    ARENA_TRY(ctx, scratch, order, d);
    ARENA_TRY(ctx, scratch, nodes, d);
    ARENA_TRY(ctx, scratch, done, d);
    while (placed < d) {
        for (int64_t j = 0; j < d; j++) {
            int64_t parents = pdag_parents(&s->graph, j, nodes), waiting = 0;
            for (int64_t i = 0; i < parents; i++) {
                waiting += !done[nodes[i]];
            }
            if (!done[j] && waiting == 0) {
                done[j] = true;
                order[placed++] = j;
                break;
            }
        }
    }
    return result_keep_order(ctx, result, s->scores->data->column_rank, order);
}

/* Reports the log likelihood of the graph, and that of the graph without edges. */
static nonsens_status report_likelihood(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                        nonsens_result *result)
{
    int64_t d = s->graph.d, *nodes;
    double graph = 0.0, empty = 0.0, n = (double)s->scores->data->n;
    char more[NUMBER_BYTES];
    ARENA_TRY(ctx, scratch, nodes, d);
    for (int64_t j = 0; j < d; j++) {
        TRY(scores_want(ctx, s->scores, j, 0, nodes));
        TRY(scores_want(ctx, s->scores, j, pdag_parents(&s->graph, j, nodes), nodes));
    }
    TRY(scores_settle(ctx, s->scores, NULL));
    for (int64_t j = 0; j < d; j++) {
        const structured_score *fit = scores_get(s->scores, j, pdag_parents(&s->graph, j, nodes), nodes);
        const structured_score *alone = scores_get(s->scores, j, 0, nodes);
        graph += fit->total / n;
        empty += (s->scores->gaps ? fit->total - structured_difference(s->scores, alone, fit) : alone->total) / n;
    }
    TRY(result_reason(
        ctx, result,
        "Every variable is explained by a mechanism that is the same in all segments and a disturbance that "
        "changes over them; graphs are compared by the log likelihood of rows that the fits have not seen. "
        "The best one found gains %s nats per row over the graph without edges.",
        number_print(more, graph - empty, REASONING_DIGITS)));
    TRY(result_add(ctx, result, graph, NAN,
                   "log likelihood of held-out rows by the graph, in nats per row of warped ranks",
                   "likelihood(graph)"));
    return result_add(ctx, result, empty, NAN, "the same without any edge", "likelihood(no edges)");
}

/* Finds hidden common causes as if all segments shared their mechanisms, in the graph found on that assumption. */
static nonsens_status find_shared_hidden(nonsens_context *ctx, arena *scratch, double alpha,
                                         const structured_differences *different, structured_search *s,
                                         hidden_causes *out)
{
    pdag own_graph = s->graph;
    int64_t *own_version = s->scores->parts.version;
    s->graph = different->shared;
    s->scores->parts.version = different->shared_version;
    nonsens_status status = structured_find_hidden(ctx, scratch, s, alpha, out);
    s->graph = own_graph;
    s->scores->parts.version = own_version;
    return status;
}

/* Adds pairs that are explained by a mechanism that differs in a segment that is not known to intervene. */
static nonsens_status add_different(nonsens_context *ctx, arena *scratch, structured_search *s, double alpha,
                                    const targets *hit, const structured_differences *different, hidden_causes *hidden)
{
    bool *differs;
    hidden_causes shared;
    if (!different->found) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, differs, different->d);
    for (int64_t e = 0; e < different->segments; e++) {
        for (int64_t j = 0; j < different->d; j++) {
            differs[j] = differs[j] || (!hit->unknown[e] && !isnan(different->p_value[e * different->d + j]));
        }
    }
    TRY(find_shared_hidden(ctx, scratch, alpha, different, s, &shared));
    structured_add_different(&s->graph, &shared, differs, hidden);
    return NONSENS_OK;
}

/* Reports the graph; its arrows that common causes replace are taken out first. */
static nonsens_status report_graph(nonsens_context *ctx, arena *scratch, structured_search *s, const targets *hit,
                                   const structured_differences *different, nonsens_result *result)
{
    hidden_causes hidden = {0};
    if (!result->unfinished && !s->scores->gaps) {
        TRY(structured_find_hidden(ctx, scratch, s, result->options.alpha, &hidden));
        TRY(add_different(ctx, scratch, s, result->options.alpha, hit, different, &hidden));
    }
    int64_t arrows = pdag_edge_count(&s->graph);
    structured_arrow *arrow;
    structured_disturbances noise;
    ARENA_TRY(ctx, scratch, arrow, arrows + 1);
    TRY(report_likelihood(ctx, scratch, s, result));
    TRY(structured_report_disturbances(ctx, scratch, s, &hidden, result, &noise));
    TRY(structured_judge_arrows(ctx, scratch, s, arrow));
    TRY(structured_direct(ctx, scratch, s, &noise, result->options.alpha, arrows, arrow));
    for (int64_t i = 0; i < arrows; i++) {
        TRY(report_arrow(ctx, s->scores->data, &arrow[i], result));
    }
    TRY(structured_report_hidden(ctx, s->scores->data, &hidden, result));
    return report_order(ctx, scratch, s, result);
}

static nonsens_status note_blocks(nonsens_context *ctx, const structured_scores *s, nonsens_result *result)
{
    if (!time_blocks_do_not_suffice(&s->time)) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                       "The dependence between rows reaches so far back in time that segments hold too few independent "
                       "blocks: edges and p-values look surer than they are. Longer segments would help.");
}

/* Refuses what needs all values, and says what is not looked for without them. */
static nonsens_status check_gaps(nonsens_context *ctx, const nonsens_data *data, nonsens_result *result)
{
    if (!data->gap) {
        return NONSENS_OK;
    }
    if (result->targets) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--targets: values are missing, and mechanisms that differ between segments need all of them; "
                    "leave out rows with missing ones by --na drop-rows");
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "Since values are missing, hidden common causes, and mechanisms that differ between segments, "
                       "were not looked for.");
}

/* Searches for the graph; repeats this without edges whose ends turn out to be independent of one another. */
static nonsens_status find_graph(nonsens_context *ctx, arena *scratch, const nonsens_options *options,
                                 structured_search *s, knowledge *known)
{
    bool separated = true;
    while (separated) {
        TRY(search_run(ctx, scratch, s));
        TRY(pdag_new(ctx, scratch, s->graph.d, &s->found));
        pdag_copy(&s->graph, &s->found);
        TRY(structured_separate(ctx, scratch, options, s, known, &separated));
    }
    return NONSENS_OK;
}

/* ---- interventions ---------------------------------------------------------------------------------------------- */

enum { MAX_ROUNDS = 3, LISTED_SEGMENTS = 8 };

/* Finds the graph, and mechanisms that differ in segments, in turn. */
static nonsens_status find_all(nonsens_context *ctx, arena *scratch, const nonsens_options *options, const targets *hit,
                               structured_search *s, knowledge *known, structured_differences *different)
{
    int64_t d = s->scores->data->d;
    bool any = true;
    TRY(find_graph(ctx, scratch, options, s, known));
    TRY(pdag_new(ctx, scratch, d, &different->shared));
    ARENA_TRY(ctx, scratch, different->shared_version, d);
    pdag_copy(&s->graph, &different->shared);
    memcpy(different->shared_version, s->scores->parts.version, (size_t)d * sizeof *different->shared_version);
    for (int round = 0; any && !s->scores->gaps && round < MAX_ROUNDS; round++) {
        TRY(structured_differ(ctx, scratch, s, hit->unknown, options->alpha, different, &any));
        if (any) {
            different->found = true;
            TRY(find_graph(ctx, scratch, options, s, known));
        }
    }
    return NONSENS_OK;
}

/* Searches until the graph is found, or until a time limit or a request to finish ends the search between two moves. */
static nonsens_status find_in_time(nonsens_context *ctx, arena *scratch, const nonsens_options *options,
                                   const targets *hit, structured_search *s, knowledge *known,
                                   structured_differences *different, nonsens_result *result)
{
    char why[NUMBER_BYTES + 20] = "interrupted", seconds[NUMBER_BYTES];
    finish_begin(ctx);
    TRY(finish_catch(ctx, find_all(ctx, scratch, options, hit, s, known, different), &result->unfinished));
    if (!result->unfinished) {
        return NONSENS_OK;
    }
    if (!finish_was_asked(ctx)) {
        snprintf(why, sizeof why, "--time-limit %s", number_print(seconds, options->time_limit, REASONING_DIGITS));
    }
    if (s->found.d > 0) {
        pdag_copy(&s->found, &s->graph); // another search had begun: back to the last complete graph
    }
    return result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                       "The search was ended early (%s): edges may be missing, superfluous or reversed. How "
                       "far it gets depends on the machine; more time, fewer variables or fewer rows would finish it.",
                       why);
}

static nonsens_status report_target(nonsens_context *ctx, const nonsens_data *data, int64_t segment, int64_t node,
                                    int kind, double p_value, nonsens_result *result)
{
    char name[SHOWN_BYTES], label[SHOWN_BYTES], p[REASONING_P_BYTES];
    static const char *const MEANING[] = {[TARGET_FIXED] = "is set from outside, so its causes explain nothing there",
                                          [TARGET_CHANGED] = "has a mechanism of its own there",
                                          [TARGET_ACTIVITY] = "acts differently there: its effects have mechanisms of "
                                                              "their own"};
    TRY(result_target(ctx, result, segment, data->column_rank[node], kind, isnan(p_value), p_value));
    show_bare(name, name_of(data, node));
    show_quoted(label, data->labels[segment]);
    return isnan(p_value) ? result_reason(ctx, result, "Segment %s: %s %s (--targets).", label, name, MEANING[kind])
                          : result_reason(ctx, result,
                                          "Segment %s: a mechanism of its own predicts held-out rows of %s better than "
                                          "that of the other segments (%s).",
                                          label, name, reasoning_p(p, p_value));
}

static int compare_labels(const void *a, const void *b)
{
    const nonsens_target *left = a, *right = b;
    int order = strcmp(left->segment, right->segment);
    if (order != 0 || left->variable != right->variable) {
        return order != 0 ? order : left->variable < right->variable ? -1 : 1;
    }
    return right->known - left->known;
}

/* Notes segments known to intervene in which no mechanism was found to differ. */
static nonsens_status note_not_found(nonsens_context *ctx, const nonsens_data *data, const targets *hit,
                                     const structured_differences *different, nonsens_result *result)
{
    show_list list = {.max = LISTED_SEGMENTS};
    for (int64_t e = 0; different->p_value && e < data->segments; e++) {
        bool any = false;
        for (int64_t j = 0; j < data->d; j++) {
            any = any || !isnan(different->p_value[e * data->d + j]);
        }
        if (hit->unknown[e] && !any) {
            show_list_add(&list, data->labels[e]);
        }
    }
    return list.count == 0 || result->unfinished
               ? NONSENS_OK
               : result_note(ctx, result, NONSENS_NOTE_INFO,
                             "No mechanism was found to differ in %s (--targets: unknown). A variable without causes "
                             "whose location or scale alone was hit is not found.",
                             show_list_end(&list));
}

/* Lists the interventions that are known, then those that were found, ordered by label and variable. */
static nonsens_status report_targets(nonsens_context *ctx, const nonsens_data *data, const targets *hit,
                                     const structured_differences *different, nonsens_result *result)
{
    int64_t found = 0, small = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        for (int64_t j = 0; j < data->d; j++) {
            enum target_kind kind = targets_kind(hit, e, j);
            double p_value = different->p_value ? different->p_value[e * data->d + j] : NAN;
            bool is_found = !isnan(p_value);
            found += is_found;
            small += kind > TARGET_FIXED && data->start[e + 1] - data->start[e] < MIN_PART_ROWS;
            if (kind != TARGET_NONE) {
                TRY(report_target(ctx, data, e, j, (int)kind, NAN, result));
            }
            if (is_found) {
                TRY(report_target(ctx, data, e, j, (int)TARGET_CHANGED, p_value, result));
            }
        }
    }
    if (result->target_count > 0) {
        qsort(result->target, (size_t)result->target_count, sizeof *result->target, compare_labels);
    }
    if (small > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "%" PRId64 " of the --targets are in segments with fewer than %d rows, too few for a mechanism "
                        "of their own; what these rows say of the variable does not count.",
                        small, MIN_PART_ROWS));
    }
    TRY(note_not_found(ctx, data, hit, different, result));
    return found == 0 ? NONSENS_OK
                      : result_note(ctx, result, NONSENS_NOTE_INFO,
                                    "%" PRId64 " %s in single segments from that in the other segments. A hidden "
                                    "common cause can look the same.",
                                    found, found == 1 ? "mechanism differs" : "mechanisms differ");
}

nonsens_status structured_discover(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                   const nonsens_options *options, nonsens_result *result)
{
    SCOPED(structured_scores_free) structured_scores sc = {0};
    SCOPED(screen_free) structured_screen screen = {0};
    double d = (double)data->d;
    knowledge known;
    targets hit;
    structured_differences different = {0};
    structured_search s = {.scores = &sc, .known = &known, .min_gain = MIN_GAIN * (double)data->n};
    if (data->segments > MAX_SEGMENTS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "there are %" PRId64 " segments; structured takes at most %d for a graph, merge some of them",
                    data->segments, MAX_SEGMENTS);
    }
    TRY(check_gaps(ctx, data, result));
    TRY(targets_match(ctx, scratch, result->targets, data->segments, (const char *const *)data->labels, data->d,
                      data->column_rank, &hit));
    TRY(structured_scores_new(ctx, scratch, data, options, &hit, &sc));
    sc.shared = process_pool_leads(ctx);
    sc.journal = result->journal;
    TRY(note_blocks(ctx, &sc, result));
    s.level = -special_normal_quantile(result->options.alpha / (d * (d - 1.0)));
    TRY(result->known ? knowledge_permute(ctx, scratch, result->known, data->column_rank, &known)
                      : knowledge_new(ctx, scratch, data->d, &known));
    if (data->d > FEW_VARIABLES) {
        TRY(screen_new(ctx, &sc, s.min_gain, &screen));
        s.screen = &screen;
    }
    TRY(find_in_time(ctx, scratch, options, &hit, &s, &known, &different, result));
    TRY(report_targets(ctx, data, &hit, &different, result));
    return report_graph(ctx, scratch, &s, &hit, &different, result);
}
