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
#include "methods/structured/structured_disturbances.h"
#include "methods/structured/structured_method.h"

#include <inttypes.h>
#include <math.h>

static const double MIN_GAIN = 0.002; /* nats per row */
enum { MAX_SEGMENTS = 1000 };         /* the time of a fit grows with their third power */

static const char *name_of(const nonsens_data *data, int64_t node)
{
    return data->names[data->column_rank[node]];
}

typedef struct arrow_facts {
    double gain, gain_p, loss, loss_p; /* of the arrow, and of reversing it, nats per row; loss NaN if not possible */
    bool possible, required, directed; /* a reversal is possible; prior knowledge decides; the result has an arrow */
} arrow_facts;

/* Says what the arrow gains, and why it has its direction. */
static nonsens_status say_arrow(nonsens_context *ctx, nonsens_result *result, const char *from, const char *to,
                                const arrow_facts *f)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES], gain[NUMBER_BYTES], loss[NUMBER_BYTES], p[REASONING_P_BYTES],
        reversed_p[REASONING_P_BYTES];
    show_bare(a, from);
    show_bare(b, to);
    number_print(gain, f->gain, REASONING_DIGITS);
    reasoning_p(p, f->gain_p);
    if (f->required) {
        return result_reason(ctx, result,
                             "%s -> %s predicts unseen rows better by %s nats per row (%s); its direction is "
                             "known beforehand.",
                             a, b, gain, p);
    }
    if (!f->possible) {
        return result_reason(ctx, result,
                             "%s -> %s predicts unseen rows better by %s nats per row (%s). Turned round it "
                             "would close a circle with other arrows, or have an effect with too many causes: %s.",
                             a, b, gain, p,
                             f->directed ? "so its direction follows from theirs"
                                         : "but nothing changes at either end, "
                                           "so its direction stays open");
    }
    return result_reason(ctx, result,
                         "%s -> %s predicts unseen rows better by %s nats per row (%s); turned round it would "
                         "lose %s of them (%s): %s.",
                         a, b, gain, p, number_print(loss, f->loss, REASONING_DIGITS),
                         reasoning_p(reversed_p, f->loss_p),
                         f->directed                               ? "the direction is established"
                         : f->loss_p < 0.5 * result->options.alpha ? "but no change of a disturbance at either end "
                                                                     "supports it, and the direction stays open"
                                                                   : "not enough to name a direction");
}

/* Reports one arrow with the evidence for it and against the other direction. */
static nonsens_status report_arrow(nonsens_context *ctx, arena *scratch, structured_search *s, int64_t a, int64_t b,
                                   const bool *changes, nonsens_result *result)
{
    const nonsens_data *data = s->scores->data;
    structured_gain present, reversed;
    bool possible;
    double n = (double)data->n;
    TRY(search_judge(ctx, scratch, s, a, b, &present, &reversed, &possible));
    double p = special_normal_tail(present.z), reversed_p = possible ? special_normal_tail(-reversed.z) : NAN;
    bool required = knowledge_requires(s->known, a, b) || !knowledge_allows(s->known, b, a);
    bool directed = required || ((changes[a] || changes[b]) && (!possible || reversed_p < 0.5 * result->options.alpha));
    TRY(result_edge(ctx, result, data->column_rank[a], data->column_rank[b],
                    directed ? NONSENS_EDGE_DIRECTED : NONSENS_EDGE_UNDIRECTED, NAN, p));
    TRY(say_arrow(ctx, result, name_of(data, a), name_of(data, b),
                  &(arrow_facts){present.total / n, p, -reversed.total / n, reversed_p, possible, required, directed}));
    TRY(result_add(ctx, result, present.total / n, p, "nats per row that this arrow gains on unseen rows",
                   "gain(%s->%s)", name_of(data, a), name_of(data, b)));
    return result_add(ctx, result, possible ? -reversed.total / n : NAN, reversed_p,
                      possible ? "nats per row that turning this arrow would lose on unseen rows"
                               : "this arrow cannot be turned: that would close a circle, make more causes of a "
                                 "variable than are fitted, or contradict what is known",
                      "turned(%s->%s)", name_of(data, b), name_of(data, a));
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
        graph += scores_get(s->scores, j, pdag_parents(&s->graph, j, nodes), nodes)->total / n;
        empty += scores_get(s->scores, j, 0, nodes)->total / n;
    }
    TRY(result_reason(
        ctx, result,
        "Every variable is explained by a mechanism that is the same in all segments and a disturbance that "
        "changes over them; graphs are compared by the log likelihood of rows that the fits have not seen. "
        "The best one found has %s nats per row more than none at all.",
        number_print(more, graph - empty, REASONING_DIGITS)));
    TRY(result_add(ctx, result, graph, NAN,
                   "log likelihood of unseen rows by the graph, in nats per row of warped ranks", "likelihood(graph)"));
    return result_add(ctx, result, empty, NAN, "the same without any edge", "likelihood(no edges)");
}

static nonsens_status report_graph(nonsens_context *ctx, arena *scratch, structured_search *s, nonsens_result *result)
{
    int64_t edges = pdag_edge_count(&s->graph);
    pdag_edge *edge;
    bool *changes;
    ARENA_TRY(ctx, scratch, edge, edges + 1);
    ARENA_TRY(ctx, scratch, changes, s->graph.d);
    pdag_to_edges(&s->graph, edge);
    TRY(report_likelihood(ctx, scratch, s, result));
    TRY(structured_report_disturbances(ctx, scratch, s, result, changes));
    for (int64_t i = 0; i < edges; i++) {
        TRY(report_arrow(ctx, scratch, s, edge[i].from, edge[i].to, changes, result));
    }
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

nonsens_status structured_discover(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                   const nonsens_options *options, nonsens_result *result)
{
    SCOPED(structured_scores_free) structured_scores sc = {0};
    double d = (double)data->d;
    knowledge space;
    structured_search s = {.scores = &sc, .min_gain = MIN_GAIN * (double)data->n};
    if (data->segments > MAX_SEGMENTS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "there are %" PRId64 " segments; structured takes at most %d for a graph, merge some of them",
                    data->segments, MAX_SEGMENTS);
    }
    TRY(structured_scores_new(ctx, scratch, data, options, &sc));
    TRY(note_blocks(ctx, &sc, result));
    s.level = -special_normal_quantile(result->options.alpha / (d * (d - 1.0)));
    if (result->known) {
        TRY(knowledge_permute(ctx, scratch, result->known, data->column_rank, &space));
        s.known = &space;
    }
    TRY(search_run(ctx, scratch, &s));
    return report_graph(ctx, scratch, &s, result);
}
