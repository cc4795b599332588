/*
 * icp.c - nonlinear invariant causal prediction (Heinze-Deml, Peters, Meinshausen, J. Causal Inference 6, 2018; Peters,
 * Buehlmann, Meinshausen, JRSS-B 78, 2016): the direction of a pair, and the causes of each of several variables.
 *
 * Pair: x causes y if both change over the segments, the residual of y given x does not, and that of x given y does.
 * That both must change is not in the paper, but follows from its model: an effect whose noise stays the same changes
 * only if its cause does.  If one of them is not seen to change, the regression of the other on it says little.
 * Without this condition the direction was wrong in .03 of the simulated pairs of icp_sets.c (ks).
 *
 * Levels: each of the four tests has level alpha, without correction, since every false conclusion needs the rejection
 * of one hypothesis that is true.  If a variable does not change, that is the test of this variable alone.  If both
 * change and x causes y with noise that stays the same, it is the test of the residual of y given x.  Whether x and y
 * depend on one another at all is a separate question, at level alpha.
 *
 * If no direction is decided but one must be named, it is the one whose noise test has the larger p-value (score_of).
 * How much residuals change is then no guide: if both disturbances change, they mostly change less in the wrong
 * direction (docs/baselines.md).
 *
 * Several variables: for each target the intersection of all accepted sets (icp_sets.c), with edges from its members.
 * Each target has level alpha / d, or alpha if the user names the one target, so that all edges into targets whose
 * noise stays the same are true with probability 1 - alpha.  The p-value of an edge is the largest among the sets
 * without its cause (as in Peters et al.), times the number of targets.  As for a pair, a target has no edges if one of
 * its accepted sets has no member that is seen to change; leaving edges out costs no level.  Two edges of opposite
 * directions between the same variables are both left out: at least one of the two targets has noise that changes.
 */
#include "base/number.h"
#include "base/parallel.h"
#include "base/show.h"
#include "data/variables.h"
#include "indep/hsic.h"
#include "methods/icp/icp_method.h"
#include "methods/icp/icp_sets.h"
#include "methods/icp/icp_targets.h"
#include "methods/shared/reasoning.h"

#include <inttypes.h>
#include <math.h>

/* ---- a pair ---------------------------------------------------------------------------------------------------- */

/* Variables in canonical order. */
typedef struct pair_tests {
    icp_data data;
    icp_invariance alone[2], given[2]; /* of the variable, and of its residual given the other */
    double noise_p[2];                 /* p-value of this residual being independent of the other, inside segments */
    hsic_result dependence;
    bool changes[2], stays[2]; /* does the variable change?  does its residual stay the same? */
} pair_tests;

static nonsens_status run_pair_test(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    pair_tests *t = state;
    int64_t target = job % 2, other = 1 - target;
    return job < 2   ? icp_test(ctx, scratch, &t->data, target, 0, NULL, &t->alone[target])
           : job < 4 ? icp_test(ctx, scratch, &t->data, target, 1, &other, &t->given[target])
                     : icp_test_noise(ctx, scratch, &t->data, target, 1, &other, &t->noise_p[target]);
}

static nonsens_status test_pair(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                const nonsens_options *options, pair_tests *t)
{
    hsic_options hsic = hsic_options_from(options, options->alpha, 0);
    TRY(icp_new(ctx, a, pair, options, &t->data));
    column_set x = {pair->n, 1, &t->data.column[0]}, y = {pair->n, 1, &t->data.column[1]};
    TRY(hsic_test(ctx, a, &x, &y, &t->data.inside, &hsic, &t->dependence));
    TRY(parallel_for(ctx, (int)options->threads, 6, "testing invariance", run_pair_test, t));
    for (int j = 0; j < 2; j++) {
        t->changes[j] = t->alone[j].p_value <= options->alpha;
        t->stays[j] = t->given[j].p_value > options->alpha;
    }
    return NONSENS_OK;
}

/* Decides when both variables change: the effect is the one whose residual given the other stays the same. */
static void decide_changing(const pair_tests *t, const int32_t *rank, nonsens_result *result)
{
    int effect = t->stays[1] ? 1 : 0, cause = 1 - effect;
    if (t->stays[0] == t->stays[1]) {
        result->decision = t->stays[0] ? DECISION_INCONCLUSIVE : DECISION_NEITHER;
        result->reason =
            t->stays[0] ? "What either variable leaves of the other is not seen to change over the segments: both "
                          "directions fit, and more rows or larger changes may distinguish them."
                        : "What either variable leaves of the other changes over the segments: the noise of the effect "
                          "changes too, or a hidden common cause acts, or the mechanism itself changes or is not "
                          "additive.";
    } else if (t->given[effect].distance >= t->given[cause].distance) { // p-values may disagree with distances
        result->reason = "One direction is rejected and the other is not, but what is left over changes no less in it.";
    } else {
        result->decision = rank[cause] == 0 ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
        result->p_value = fmax(t->given[cause].p_value, fmax(t->alone[effect].p_value, t->alone[cause].p_value));
        result->reason = "Both variables change over the segments; what the cause leaves of the effect does not, and "
                         "what the effect leaves of the cause does.";
    }
}

static void decide_pair(const pair_tests *t, const nonsens_data *pair, nonsens_result *result)
{
    const hsic_result *h = &t->dependence;
    result->decision = DECISION_INCONCLUSIVE;
    if (h->segments_used > 0 && h->p_value > result->options.alpha) {
        result->decision = DECISION_INDEPENDENT;
        result->p_value = h->p_value;
        result->reason = result->options.pooling == POOLING_POOLED ? "No dependence is found."
                                                                   : "No dependence is found inside segments.";
    } else if (!t->changes[0] && !t->changes[1]) {
        result->reason = "The test sees no change over segments, so the direction is not identified.";
    } else if (t->changes[0] != t->changes[1]) {
        result->reason = "Only one of the two variables is seen to change over the segments: it is the cause and too "
                         "little of its changes reaches the effect, or it is the effect and its own noise changes.";
    } else {
        decide_changing(t, pair->column_rank, result);
    }
}

/*
 * Computes the score of variable 0 as the cause.  A decision rests on how much residuals change, and so does its score.
 * Without one, the p-values of the noise tests are compared, as logarithms: the residual of an effect is independent of
 * its cause.  0 if they are equal, or one is missing.
 */
static double score_of(const pair_tests *t, bool decided)
{
    static const double MIN_P = 1e-300; // smaller ones are only rounding
    if (decided) {
        return t->given[0].distance - t->given[1].distance;
    }
    double score = log(fmax(t->noise_p[1], MIN_P)) - log(fmax(t->noise_p[0], MIN_P));
    return isnan(t->noise_p[0]) || isnan(t->noise_p[1]) ? 0.0 : score;
}

/* ---- a pair in words ------------------------------------------------------------------------------------------- */

static nonsens_status report_pair_tests(nonsens_context *ctx, const pair_tests *t, const nonsens_data *pair,
                                        nonsens_result *result)
{
    char *const *name = result->names;
    const hsic_result *h = &t->dependence;
    for (int user = 0; user < 2; user++) {
        const icp_invariance *alone = &t->alone[pair->column_rank[0] == user ? 0 : 1];
        TRY(result_add(ctx, result, alone->distance, alone->p_value, "how much the variable changes over the segments",
                       "invariance(%s)", name[user]));
    }
    for (int user = 0; user < 2; user++) {
        const icp_invariance *given = &t->given[pair->column_rank[0] == user ? 0 : 1];
        TRY(result_add(ctx, result, given->distance, given->p_value,
                       "how much changes that the other variable leaves of it: nothing, if the other is its cause",
                       "invariance(%s | %s)", name[user], name[1 - user]));
    }
    for (int user = 0; user < 2; user++) {
        TRY(result_add(ctx, result, NAN, t->noise_p[pair->column_rank[0] == user ? 0 : 1],
                       "what is left of it against the other inside the segments: independent, if the other is its "
                       "cause and noise is added",
                       "noise(%s | %s)", name[user], name[1 - user]));
    }
    return result_add(ctx, result, h->statistic, h->segments_used > 0 ? h->p_value : NAN,
                      result->options.pooling == POOLING_POOLED ? "dependence over all rows"
                                                                : "dependence inside the segments",
                      "hsic(%s, %s)", name[0], name[1]);
}

static nonsens_status note_assumption(nonsens_context *ctx, const pair_tests *t, nonsens_result *result)
{
    char p_value[REASONING_P_BYTES];
    bool decided = result->decision == DECISION_FIRST_CAUSES || result->decision == DECISION_SECOND_CAUSES;
    if (decided) {
        int effect = t->stays[1] ? 1 : 0;
        if (t->noise_p[effect] <= result->options.alpha) {
            TRY(result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                            "What the cause leaves of the effect depends on the cause inside the segments (%s), so "
                            "the data contradict noise that is simply added; the direction is doubtful.",
                            reasoning_p(p_value, t->noise_p[effect])));
        }
        return result_note(ctx, result, NONSENS_NOTE_INFO,
                           "The noise of the effect must be the same in all segments, and the data do not contradict "
                           "this (%s).",
                           reasoning_p(p_value, t->given[effect].p_value));
    }
    bool contradicted = !t->stays[0] && !t->stays[1];
    return result_note(ctx, result, contradicted ? NONSENS_NOTE_PROBLEM : NONSENS_NOTE_INFO,
                       "The noise of the effect must be the same in all segments%s. Where every disturbance changes, "
                       "this method has no answer; --method structured asks for less.",
                       contradicted ? ", and the data contradict this in both directions" : "");
}

static nonsens_status note_pair(nonsens_context *ctx, const pair_tests *t, const nonsens_data *pair,
                                nonsens_result *result)
{
    TRY(note_assumption(ctx, t, result));
    for (int user = 0; user < 2; user++) {
        bool nothing = t->given[pair->column_rank[0] == user ? 0 : 1].nothing_found;
        char own[SHOWN_BYTES], other[SHOWN_BYTES];
        if (nothing && result->decision != DECISION_INDEPENDENT) {
            TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                            "The regression of %s on %s finds no function: its residuals are %s itself, and say "
                            "nothing on that direction.",
                            show_bare(own, result->names[user]), show_bare(other, result->names[1 - user]), own));
        }
    }
    if (result->decision == DECISION_INCONCLUSIVE && result->options.invariance == INVARIANCE_KS) {
        TRY(result_note(ctx, result, NONSENS_NOTE_INFO,
                        "--invariance levene-rank sees changes of scale and of location more clearly."));
    }
    return result_note_skipped(ctx, result, t->dependence.segments_skipped, HSIC_MIN_ROWS);
}

nonsens_status icp_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result *result)
{
    pair_tests t = {0};
    TRY(test_pair(ctx, a, pair, options, &t));
    decide_pair(&t, pair, result);
    double sign = pair->column_rank[0] == 0 ? 1.0 : -1.0;
    result->score = sign * score_of(&t, result_names_direction(result)) + 0.0; // no minus zero
    result->better = result->score > 0 ? BETTER_FIRST : result->score < 0 ? BETTER_SECOND : BETTER_NONE;
    TRY(report_pair_tests(ctx, &t, pair, result));
    return note_pair(ctx, &t, pair, result);
}

/* ---- several variables ----------------------------------------------------------------------------------------- */

enum { LISTED_SETS = 10, LISTED_NAMES = 12 };

typedef struct discovery {
    icp_data data;
    const nonsens_data *source;
    arena *scratch;
    int64_t targets;
    icp_target *target;
    double level;
    nonsens_result *result;
} discovery;

static const char *name_of(const discovery *s, int64_t variable)
{
    return s->result->names[s->source->column_rank[variable]];
}

enum outcome { NOT_CHANGING, NO_SET, NOTHING_IN_COMMON, UNMOVED, DOUBTFUL, IDENTIFIED };

static enum outcome outcome_of(const icp_target *t, double level)
{
    return t->alone.p_value > level ? NOT_CHANGING
           : t->accepted == 0       ? NO_SET
           : t->common == 0         ? NOTHING_IN_COMMON
           : t->unmoved             ? UNMOVED
           : t->noise_p <= level    ? DOUBTFUL
                                    : IDENTIFIED;
}

static bool has_causes(const icp_target *t, double level)
{
    enum outcome outcome = outcome_of(t, level);
    return outcome == DOUBTFUL || outcome == IDENTIFIED;
}

static nonsens_status choose_targets(nonsens_context *ctx, discovery *s)
{
    const nonsens_options *o = &s->result->options;
    int64_t wanted = -1;
    if (o->target[0]) {
        TRY(variables_find(ctx, s->source, "target", o->target, &wanted));
    }
    ARENA_TRY(ctx, s->scratch, s->target, s->source->d);
    for (int64_t k = 0; k < s->source->d; k++) {
        if (wanted < 0 || s->source->column_rank[k] == wanted) {
            s->target[s->targets++].variable = k;
        }
    }
    s->level = o->alpha / (double)s->targets;
    return NONSENS_OK;
}

static nonsens_status report_set(nonsens_context *ctx, const discovery *s, const icp_target *t, uint32_t set,
                                 const icp_invariance *test)
{
    int64_t member[ICP_CANDIDATES], count = icp_members(t, set, member);
    const char *list = "";
    for (int64_t k = 0; k < count && list; k++) {
        list = arena_format(ctx, s->scratch, "%s%s%s", list, k ? ", " : " | ", name_of(s, member[k]));
    }
    if (!list) {
        return NONSENS_ERR_MEMORY;
    }
    const char *text = test->p_value <= s->level ? "rejected: the variable changes over the segments"
                       : count == 0              ? "accepted: the variable is not seen to change over the segments"
                                                 : "accepted: what these leave of it is not seen to change";
    return result_add(ctx, s->result, test->distance, test->p_value, text, "invariance(%s%s)", name_of(s, t->variable),
                      list);
}

/* Reports the empty set always, and the first accepted sets by size. */
static nonsens_status report_sets(nonsens_context *ctx, const discovery *s, const icp_target *t)
{
    int64_t listed = 0;
    TRY(report_set(ctx, s, t, 0, &t->alone));
    for (int64_t size = 1; size <= t->largest; size++) {
        for (uint32_t set = 1; set < 1U << t->candidates && listed < LISTED_SETS; set++) {
            if (__builtin_popcount(set) == size && icp_was_tested(t, set) && t->set[set].p_value > s->level) {
                TRY(report_set(ctx, s, t, set, &t->set[set]));
                listed++;
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status report_target(nonsens_context *ctx, const discovery *s, const icp_target *t)
{
    int64_t member[ICP_CANDIDATES], plausible = icp_members(t, t->any, member);
    int64_t causes = has_causes(t, s->level) ? __builtin_popcount(t->common) : 0;
    show_list list = {.max = LISTED_NAMES};
    for (int64_t k = 0; k < plausible; k++) {
        show_list_add(&list, name_of(s, member[k]));
    }
    const char *text =
        arena_format(ctx, s->scratch, "causes identified; %" PRId64 " of %" PRId64 " sets accepted%s%s%s", t->accepted,
                     t->tested, plausible ? ", with " : "", show_list_end(&list),
                     t->stopped && t->largest > 0 ? "; they have nothing in common" : "");
    if (!text) {
        return NONSENS_ERR_MEMORY;
    }
    TRY(result_add(ctx, s->result, (double)causes, icp_largest_p(t, -1), text, "causes(%s)", name_of(s, t->variable)));
    if (!isnan(t->noise_p)) {
        TRY(result_add(ctx, s->result, NAN, t->noise_p,
                       "what the best accepted set leaves of it against that set, inside the segments", "noise(%s)",
                       name_of(s, t->variable)));
    }
    return report_sets(ctx, s, t);
}

/* ---- edges ----------------------------------------------------------------------------------------------------- */

/* Drops edges of opposite directions between the same variables. */
static nonsens_status drop_contradictions(nonsens_context *ctx, const discovery *s, double *p)
{
    int64_t d = s->source->d;
    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = a + 1; b < d; b++) {
            double *forward = &p[a * d + b], *backward = &p[b * d + a];
            char first[SHOWN_BYTES], second[SHOWN_BYTES];
            if (isnan(*forward) || isnan(*backward)) {
                continue;
            }
            *forward = *backward = NAN;
            TRY(result_note(ctx, s->result, NONSENS_NOTE_PROBLEM,
                            "%s and %s are each identified as a cause of the other, so the noise of at least one of "
                            "them changes over the segments; no edge between them is shown.",
                            show_bare(first, name_of(s, a)), show_bare(second, name_of(s, b))));
        }
    }
    return NONSENS_OK;
}

/* Removes variables without causes among the remaining ones, one after another; if any remain, there is a cycle. */
static nonsens_status note_cycle(nonsens_context *ctx, const discovery *s, const double *p)
{
    int64_t d = s->source->d, left = d, before = d + 1;
    bool *gone;
    ARENA_TRY(ctx, s->scratch, gone, d);
    while (left < before) {
        before = left;
        for (int64_t b = 0; b < d; b++) {
            bool caused = false;
            for (int64_t a = 0; a < d && !gone[b] && !caused; a++) {
                caused = !gone[a] && !isnan(p[a * d + b]);
            }
            left -= !gone[b] && !caused;
            gone[b] = gone[b] || !caused;
        }
    }
    return left == 0 ? NONSENS_OK
                     : result_note(ctx, s->result, NONSENS_NOTE_PROBLEM,
                                   "The edges form a cycle: the noise of at least one variable in it changes over "
                                   "the segments, or variables cause one another.");
}

static nonsens_status report_edges(nonsens_context *ctx, const discovery *s)
{
    int64_t d = s->source->d;
    const int32_t *rank = s->source->column_rank;
    double *p; // (d, d) of the edge from row to column in canonical order; NaN if there is none
    ARENA_TRY(ctx, s->scratch, p, d * d);
    for (int64_t k = 0; k < d * d; k++) {
        p[k] = NAN;
    }
    for (int64_t i = 0; i < s->targets; i++) {
        const icp_target *t = &s->target[i];
        for (int64_t k = 0; has_causes(t, s->level) && k < t->candidates; k++) {
            if (t->common >> k & 1) {
                p[t->candidate[k] * d + t->variable] = fmin(1.0, (double)s->targets * icp_largest_p(t, k));
            }
        }
    }
    TRY(drop_contradictions(ctx, s, p));
    TRY(note_cycle(ctx, s, p));
    for (int64_t a = 0; a < d; a++) {
        for (int64_t b = 0; b < d; b++) {
            if (!isnan(p[a * d + b])) {
                TRY(result_edge(ctx, s->result, rank[a], rank[b], NONSENS_EDGE_DIRECTED, NAN, p[a * d + b]));
            }
        }
    }
    return NONSENS_OK;
}

/* ---- notes ----------------------------------------------------------------------------------------------------- */

/* Adds one note on all targets with this outcome. */
static nonsens_status note_outcome(nonsens_context *ctx, const discovery *s, enum outcome outcome,
                                   nonsens_note_level level, const char *words)
{
    show_list list = {.max = LISTED_NAMES};
    for (int64_t i = 0; i < s->targets; i++) {
        if (outcome_of(&s->target[i], s->level) == outcome) {
            show_list_add(&list, name_of(s, s->target[i].variable));
        }
    }
    return list.count ? result_note(ctx, s->result, level, "%s: %s", show_list_end(&list), words) : NONSENS_OK;
}

static nonsens_status note_outcomes(nonsens_context *ctx, const discovery *s)
{
    TRY(note_outcome(ctx, s, NO_SET, NONSENS_NOTE_PROBLEM,
                     "no set of causes is accepted, so the data contradict the method's assumption here. The noise of "
                     "the variable itself changes over the segments, a cause is hidden, there are more causes than "
                     "--max-given allows, or the mechanism changes or is not additive; --method cdnod lets noise "
                     "change."));
    TRY(note_outcome(ctx, s, DOUBTFUL, NONSENS_NOTE_PROBLEM,
                     "what the accepted sets leave depends on them inside the segments, so the data contradict noise "
                     "that is simply added, and edges into this are doubtful; they are false if its own noise changes. "
                     "--method cdnod lets noise change."));
    TRY(note_outcome(ctx, s, UNMOVED, NONSENS_NOTE_CAUTION,
                     "changes over the segments, and an accepted set has no variable that is seen to change, so it "
                     "cannot be what moves it. Its own noise changes, or what changes in its causes is too faint to be "
                     "seen; no edge is shown."));
    TRY(note_outcome(ctx, s, NOT_CHANGING, NONSENS_NOTE_INFO,
                     "not seen to change over the segments, so the empty set is accepted and nothing is said about "
                     "causes."));
    return note_outcome(ctx, s, NOTHING_IN_COMMON, NONSENS_NOTE_INFO,
                        "several sets of causes are accepted and have nothing in common, so no cause is identified; "
                        "the evidence lists them.");
}

static nonsens_status note_search(nonsens_context *ctx, const discovery *s)
{
    const nonsens_options *o = &s->result->options;
    char level[NUMBER_BYTES];
    bool screened = false;
    for (int64_t i = 0; i < s->targets; i++) {
        screened = screened || s->target[i].screened;
    }
    TRY(result_note(ctx, s->result, NONSENS_NOTE_INFO,
                    "Sets of up to %" PRId64 " variables are accepted above a p-value of %s (alpha over the number of "
                    "targets). Edges stand for causes found in every accepted set, and are as sure as the assumption "
                    "that the noise of their effect stays the same; a missing edge is no sign that there is no effect.",
                    o->max_given, number_print(level, s->level, 3)));
    if (screened) {
        TRY(result_note(ctx, s->result, NONSENS_NOTE_INFO,
                        "Causes of a target are looked for among the %d variables at most that depend on it most "
                        "clearly inside the segments.",
                        ICP_CANDIDATES));
    }
    return result_note_skipped(ctx, s->result, s->target[0].alone.skipped, o->invariance == INVARIANCE_KS ? 2 : 3);
}

nonsens_status icp_discover(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                            nonsens_result *result)
{
    discovery s = {.source = data, .scratch = a, .result = result};
    TRY(icp_new(ctx, a, data, options, &s.data));
    TRY(choose_targets(ctx, &s));
    TRY(icp_search_without_hits(ctx, a, data, result, s.level, &s.data, s.targets, s.target));
    for (int64_t i = 0; i < s.targets; i++) {
        TRY(report_target(ctx, &s, &s.target[i]));
    }
    TRY(report_edges(ctx, &s));
    TRY(note_outcomes(ctx, &s));
    TRY(note_search(ctx, &s));
    if (result->edges == 0) {
        result->reason = "No cause is identified; the notes say why.";
    }
    return NONSENS_OK;
}
