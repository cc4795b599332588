/* explain_judge.c - turns measured changes into verdicts: which variables changed themselves, and which follow. */
#include "base/number.h"
#include "base/show.h"
#include "math/fdr.h"
#include "math/special.h"
#include "tasks/explain/explain.h"

#include <inttypes.h>
#include <math.h>

enum { FEW_ROWS = 100, LISTED = 8 };

typedef struct judgement {
    const nonsens_data *data;
    const pdag *graph;
    const explain_node *node; /* (d) */
    const explain_groups *groups;
    const time_blocks *time;
    const explain_recording *recording;
    nonsens_result *result;
    explain_drift drift;
    double alpha, reach;    /* reach: quantile of intervals */
    double *q, *marginal_q; /* (d) NaN with --fdr none */
    bool *changed;          /* (d) it changed itself */
    bool *moved;            /* (d) its marginal distribution changed */
    double sum;             /* sum of the positive own changes */
    bool blind;             /* there are so few rows that no change can be distinguished from chance */
} judgement;

/* Returns the value that Student's |T| exceeds with probability alpha. */
static double quantile_of(double degrees, double alpha)
{
    double low = special_normal_quantile(1.0 - 0.5 * alpha), high = fmax(low, 1.0);
    if (isinf(degrees)) {
        return low;
    }
    while (special_student_tail(degrees, high) > alpha) {
        high *= 2.0;
    }
    for (int step = 0; step < 100; step++) {
        double middle = 0.5 * (low + high);
        *(special_student_tail(degrees, middle) > alpha ? &low : &high) = middle;
    }
    return high;
}

/* ---- q-values --------------------------------------------------------------------------------------------------- */

static nonsens_status fill_q(nonsens_context *ctx, arena *scratch, judgement *j, bool marginal, double *q)
{
    int64_t d = j->data->d;
    enum option_fdr fdr = j->result->options.fdr;
    double *p;
    ARENA_TRY(ctx, scratch, p, d);
    for (int64_t k = 0; k < d; k++) {
        p[k] = !j->node[k].reaches ? NAN : marginal ? j->node[k].marginal_p : j->node[k].p;
        q[k] = NAN;
    }
    return fdr == FDR_NONE ? NONSENS_OK : fdr_q_values(ctx, scratch, d, p, fdr == FDR_BY, q);
}

static bool is_small(const judgement *j, double p, double q)
{
    return (j->result->options.fdr == FDR_NONE ? p : q) <= j->alpha; // false for NaN
}

static nonsens_status decide(nonsens_context *ctx, arena *scratch, judgement *j)
{
    int64_t d = j->data->d;
    ARENA_TRY(ctx, scratch, j->q, d);
    ARENA_TRY(ctx, scratch, j->marginal_q, d);
    ARENA_TRY(ctx, scratch, j->changed, d);
    ARENA_TRY(ctx, scratch, j->moved, d);
    TRY(fill_q(ctx, scratch, j, false, j->q));
    TRY(fill_q(ctx, scratch, j, true, j->marginal_q));
    bool calls = !j->result->explained.ranking_only;
    for (int64_t k = 0; k < d; k++) {
        const explain_node *at = &j->node[k];
        bool odd = !j->recording->in_time || !j->drift.everywhere || j->drift.stands_out[k];
        j->changed[k] = calls && odd && at->reaches && !at->untried && !at->apart && is_small(j, at->p, j->q[k]);
        j->moved[k] = is_small(j, at->marginal_p, j->marginal_q[k]);
        j->sum += at->own.value > 0.0 ? at->own.value : 0.0;
    }
    return NONSENS_OK;
}

/* ---- one variable ----------------------------------------------------------------------------------------------- */

static int verdict_of(const judgement *j, int64_t node, int64_t followed)
{
    const explain_node *at = &j->node[node];
    bool in_doubt = (j->blind && !at->by_size) || j->result->explained.ranking_only || at->untried || at->apart ||
                    isnan(at->p) || (at->is_open && at->min_p <= j->alpha);
    if (j->changed[node]) {
        return NONSENS_VERDICT_CHANGED;
    }
    if (!at->reaches) {
        return NONSENS_VERDICT_ELSEWHERE;
    }
    if (in_doubt || (j->moved[node] && followed == 0)) {
        return NONSENS_VERDICT_UNCLEAR;
    }
    return j->moved[node] ? NONSENS_VERDICT_FOLLOWS : NONSENS_VERDICT_UNCHANGED;
}

/* Returns words such as "wider, higher", as far as the bounds support them. */
static const char *words_of(const nonsens_change *c)
{
    static const char *const word[3][3] = {{"narrower, lower", "narrower", "narrower, higher"},
                                           {"lower", "", "higher"},
                                           {"wider, lower", "wider", "wider, higher"}};
    int wide = c->scale_low > 1.0 ? 2 : c->scale_high < 1.0 ? 0 : 1;
    int high = c->shift_low > 0.0 ? 2 : c->shift_high < 0.0 ? 0 : 1;
    return word[wide][high];
}

/* Lists in ascending order the user's variables whose nodes `pick` accepts. */
static nonsens_status list_nodes(nonsens_context *ctx, const judgement *j, int64_t node,
                                 bool (*pick)(const judgement *, int64_t, int64_t), int64_t *count,
                                 const int64_t **list)
{
    int64_t *out;
    *count = 0;
    ARENA_TRY(ctx, &j->result->memory, out, j->data->d);
    for (int64_t k = 0; k < j->data->d; k++) {
        if (k != node && pick(j, node, k)) {
            int64_t at = (*count)++;
            for (; at > 0 && out[at - 1] > j->data->column_rank[k]; at--) {
                out[at] = out[at - 1];
            }
            out[at] = j->data->column_rank[k];
        }
    }
    *list = out;
    return NONSENS_OK;
}

static bool is_cause(const judgement *j, int64_t node, int64_t other)
{
    return pdag_is_arrow(j->graph, other, node);
}

static bool is_followed(const judgement *j, int64_t node, int64_t other)
{
    return j->changed[other] && pdag_is_ancestor(j->graph, other, node);
}

/* Returns the direction of a large shift, if only sizes were measured. */
static const char *word_of_size(const judgement *j, const explain_node *at, double sign)
{
    return !at->by_size || fabs(at->size.shift) < 1.0 || j->recording->in_time ? ""
           : sign * at->size.shift > 0.0                                       ? "higher"
                                                                               : "lower";
}

static nonsens_status describe(nonsens_context *ctx, const judgement *j, int64_t node, nonsens_change *out)
{
    const explain_node *at = &j->node[node];
    const explain_change *own = &at->own, *marginal = &at->marginal;
    double sign = j->data->sign[j->data->column_rank[node]];
    double reach = j->reach, shift = sign * own->shift + 0.0; // + 0.0: no minus zero
    bool wider = own->scale >= 0.0, higher = shift >= 0.0;
    *out = (nonsens_change){
        .variable = j->data->column_rank[node],
        .size = fabs(at->size.shift),
        .score = at->size.score * j->drift.weight[node],
        .own = own->value,
        .own_error = own->error,
        .own_low = isnan(own->value) || isnan(own->error) ? NAN : fmax(own->value - reach * own->error, 0.0),
        .p_value = at->p,
        .q_value = j->q[node],
        .share = isnan(own->value) || !(j->sum > 0.0) ? NAN : fmax(own->value, 0.0) / j->sum,
        .scale = exp(own->scale),
        .scale_low = wider ? exp(own->scale - reach * own->scale_error) : 0.0,
        .scale_high = wider ? INFINITY : exp(own->scale + reach * own->scale_error),
        .shift = shift,
        .shift_low = higher ? shift - reach * own->shift_error : -INFINITY,
        .shift_high = higher ? INFINITY : shift + reach * own->shift_error,
        .marginal = marginal->value,
        .marginal_error = marginal->error,
        .marginal_p = at->marginal_p,
        .marginal_q = j->marginal_q[node],
        .effect_share = NAN,
        .effect_error = NAN,
        .effect_part = NAN,
    };
    out->description = !j->changed[node] ? "" : at->by_size ? word_of_size(j, at, sign) : words_of(out);
    TRY(list_nodes(ctx, j, node, is_cause, &out->causes, &out->cause));
    TRY(list_nodes(ctx, j, node, is_followed, &out->followed, &out->follows));
    out->verdict = verdict_of(j, node, out->followed);
    return NONSENS_OK;
}

/*
 * Returns the value that ranks a variable, in nats: its own change if that is known and not too large to be estimated;
 * else the divergence of a normally distributed variable with this score, if the score came from a shift.
 */
static double rank_value(const judgement *j, const nonsens_change *c)
{
    static const double SATURATED = 8.0; /* in nats; beyond it, few rows of one group resemble those of the other */
    double by_score = c->score * c->score - 1.0;
    if (j->result->explained.ranking_only || isnan(c->own)) {
        return by_score;
    }
    return c->own < SATURATED || isnan(by_score) ? c->own : fmax(c->own, by_score);
}

/* Orders root causes first and what cannot reach the target last; within each class by rank_value, NaN last. */
static bool comes_before(const judgement *j, const nonsens_change *a, const nonsens_change *b)
{
    static const int place[] = {[NONSENS_VERDICT_CHANGED] = 0,
                                [NONSENS_VERDICT_FOLLOWS] = 1,
                                [NONSENS_VERDICT_UNCHANGED] = 1,
                                [NONSENS_VERDICT_UNCLEAR] = 1,
                                [NONSENS_VERDICT_ELSEWHERE] = 2};
    if (place[a->verdict] != place[b->verdict]) {
        return place[a->verdict] < place[b->verdict];
    }
    double first = rank_value(j, a), second = rank_value(j, b);
    return isnan(second) ? !isnan(first) : first > second;
}

static nonsens_status rank_all(nonsens_context *ctx, const judgement *j)
{
    nonsens_change *ranked;
    ARENA_TRY(ctx, &j->result->memory, ranked, j->data->d);
    for (int64_t k = 0; k < j->data->d; k++) {
        nonsens_change moved;
        int64_t at = k;
        TRY(describe(ctx, j, k, &moved));
        for (; at > 0 && comes_before(j, &moved, &ranked[at - 1]); at--) {
            ranked[at] = ranked[at - 1];
        }
        ranked[at] = moved;
    }
    j->result->explained.variable = ranked;
    return NONSENS_OK;
}

/* ---- notes ------------------------------------------------------------------------------------------------------ */

/* Returns whether every variable was judged by its size. */
static bool judges_by_size(const judgement *j)
{
    bool sizes = true;
    for (int64_t k = 0; k < j->data->d; k++) {
        sizes = sizes && j->node[k].by_size;
    }
    return sizes;
}

static nonsens_status note_few(nonsens_context *ctx, const judgement *j)
{
    const result_explanation *e = &j->result->explained;
    bool fewer_in = e->of_rows <= e->other_rows;
    int64_t rows = fewer_in ? e->of_rows : e->other_rows;
    char shown[SHOWN_BYTES] = "All other segments together have";
    const char *label = fewer_in ? e->of : e->against; // NULL: all others together
    if (rows >= FEW_ROWS) {
        return NONSENS_OK;
    }
    bool sizes = judges_by_size(j);
    const char *told =
        j->blind && !sizes ? "no change, however large, can be distinguished from chance at this level"
        : sizes
            ? "own changes could not be measured, and each variable is judged by how far its rows are from normal ones"
            : "small changes are not visible, and bounds are rough";
    nonsens_note_level level = j->blind && !sizes ? NONSENS_NOTE_PROBLEM : NONSENS_NOTE_CAUTION;
    if (!label) {
        return result_note(ctx, j->result, level, "%s only %" PRId64 " rows: %s.", shown, rows, told);
    }
    return result_note(ctx, j->result, level, "Segment %s has only %" PRId64 " row%s: %s.", show_quoted(shown, label),
                       rows, rows == 1 ? "" : "s", told);
}

/* Notes how far most variables shifted, and what that means for the verdicts. */
static nonsens_status note_drift(nonsens_context *ctx, const judgement *j)
{
    const result_explanation *e = &j->result->explained;
    char drift[NUMBER_BYTES];
    if (j->recording->in_time && j->drift.everywhere && !e->ranking_only) {
        TRY(result_note(ctx, j->result, NONSENS_NOTE_CAUTION,
                        "Most variables changed, as they do between recordings: only those that stand out from the "
                        "others are called root causes."));
    }
    if (j->recording->drift > 0.0 && !e->ranking_only) {
        number_print(drift, j->recording->drift, 2);
        TRY(result_note(ctx, j->result, NONSENS_NOTE_CAUTION,
                        "Most disturbances shifted, by %s standard deviations or so, as they do between recordings: a "
                        "variable is called a root cause only if it changed more than such shifts explain.",
                        drift));
    }
    if (e->drift <= 1.0) {
        return NONSENS_OK;
    }
    number_print(drift, e->drift, 2);
    if (!e->ranking_only) {
        return result_note(ctx, j->result, NONSENS_NOTE_INFO,
                           "Half of the variables shifted by %s interquartile ranges or more: shifts are discounted by "
                           "it.",
                           drift);
    }
    return result_note(ctx, j->result, NONSENS_NOTE_PROBLEM,
                       "Ranking only: half of the variables shifted by %s interquartile ranges or more, as recordings "
                       "that lie far apart do, and chance cannot be judged. Compare with rows recorded just before the "
                       "fault, or name the row at which it begins with --onset.",
                       drift);
}

/* Notes which rows count as independent, if neighbouring rows may depend on one another. */
static nonsens_status note_blocks(nonsens_context *ctx, const judgement *j)
{
    const explain_groups *g = j->groups;
    bool sizes = judges_by_size(j);
    if (sizes && j->recording->in_time) {
        return result_note(ctx, j->result, NONSENS_NOTE_INFO,
                           "Neighbouring rows depend on one another: the segment is compared with stretches of as many "
                           "neighbouring rows.");
    }
    if (sizes || j->result->options.block_length == 1 || (!g->block_of && !g->too_few)) {
        return NONSENS_OK;
    }
    if (g->block_of) {
        TRY(result_note(ctx, j->result, NONSENS_NOTE_INFO,
                        "Blocks of %" PRId64 " neighbouring rows count as independent: %" PRId64
                        " in the segment, %" PRId64 " in what it is compared with.",
                        j->time->length, g->group_blocks[1], g->group_blocks[0]));
    }
    if (!g->too_few) {
        return NONSENS_OK;
    }
    return result_note(
        ctx, j->result, NONSENS_NOTE_PROBLEM,
        "%s: no p-value can be computed, and the verdicts are unclear. Record longer segments%s.",
        time_blocks_do_not_suffice(j->time)
            ? "The dependence between rows reaches so far back in time that segments hold too few independent "
              "blocks"
            : "There are too few blocks to see how much they vary",
        time_blocks_do_not_suffice(j->time) ? "" : ", or take shorter blocks if the rows allow it");
}

static void list_if(bool flag, const char *name, show_list *list)
{
    if (flag) {
        show_list_add(list, name);
    }
}

static nonsens_status note_graph(nonsens_context *ctx, arena *scratch, const judgement *j)
{
    show_list open = {.max = LISTED}, untried = open, many = open, apart = open;
    int64_t *place;
    TRY(dataset_column_places(ctx, scratch, j->data, &place));
    for (int64_t v = 0; v < j->data->d; v++) {
        const explain_node *node = &j->node[place[v]];
        list_if(node->is_open, j->data->names[v], &open);
        list_if(node->untried, j->data->names[v], &untried);
        list_if(node->too_many, j->data->names[v], &many);
        list_if(node->apart, j->data->names[v], &apart);
    }
    if (open.count > 0) {
        TRY(result_note(ctx, j->result, NONSENS_NOTE_CAUTION,
                        "%s: edges of these have no direction in the graph. Their values are those of the choice of "
                        "causes that speaks least for a change; if choices disagree, the verdict is unclear.",
                        show_list_end(&open)));
    }
    if (untried.count > 0) {
        TRY(result_note(ctx, j->result, NONSENS_NOTE_CAUTION,
                        "%s: too many edges without direction to try all choices of causes; the verdict is "
                        "unclear.",
                        show_list_end(&untried)));
    }
    if (many.count > 0) {
        TRY(result_note(ctx, j->result, NONSENS_NOTE_CAUTION,
                        "%s: more than %d causes, which is more than a mechanism is fitted with; judged by size alone.",
                        show_list_end(&many), MECHANISM_MAX_CAUSES));
    }
    if (apart.count > 0) {
        TRY(result_note(ctx, j->result, NONSENS_NOTE_CAUTION,
                        "%s: its causes are so different in the segment that no rows of both are alike; whether it "
                        "changed itself is not known.",
                        show_list_end(&apart)));
    }
    return NONSENS_OK;
}

nonsens_status explain_judge(nonsens_context *ctx, arena *scratch, const explain_facts *facts, nonsens_result *result)
{
    static const double MAX_DRIFT = 2.0; /* with more drift, p-values are not calibrated, and there is only a ranking */
    double alpha = result->options.alpha;
    result_explanation *e = &result->explained;
    judgement j = {.data = facts->data,
                   .graph = facts->graph,
                   .node = facts->node,
                   .groups = facts->groups,
                   .time = facts->time,
                   .recording = facts->recording,
                   .result = result,
                   .alpha = alpha,
                   .reach = quantile_of(facts->groups->difference_degrees, alpha)};
    double tests = result->options.fdr == FDR_NONE ? 1.0 : (double)j.data->d; // for which q-values correct
    j.blind = !j.groups->block_of && // with blocks, p-values have no such lower bound
              tests * explain_min_p(e->of_rows, e->other_rows) > alpha;
    TRY(explain_find_drift(ctx, scratch, j.data->d, j.node, j.recording->onset > 0, alpha, &j.drift));
    e->drift = j.drift.size;
    e->ranking_only = e->drift > MAX_DRIFT;
    TRY(decide(ctx, scratch, &j));
    TRY(rank_all(ctx, &j));
    TRY(note_few(ctx, &j));
    TRY(note_drift(ctx, &j));
    TRY(note_blocks(ctx, &j));
    return note_graph(ctx, scratch, &j);
}
