/*
 * structured_decide.c - what classifiers and mechanisms together say about a pair.
 *
 * Classifiers (structured.c) say in which direction the differences between segments are explained.  Mechanisms
 * (structured_opinion.c) say in which direction disturbances are independent inside segments.  Mechanisms may conclude
 * if the classifiers reject both directions or neither, and they veto a direction in which disturbances stay dependent.
 * A decision is firm if the mechanisms are clear about it and no explanation that looks alike is left open.
 */
#include "math/special.h"
#include "methods/structured/structured.h"

#include <math.h>

/* ---- what the mechanisms say ---- */

static const double CLEARLY = 0.001;     /* level at which disturbances are clearly dependent */
static const double FITTING = 0.05;      /* from this p-value on they count as independent */
static const double VETO_LEVEL = 0.01;   /* level of the test by which a direction is vetoed */
static const double MIN_EXCESS = 0.0002; /* dependence per row that counts; that of the variables is about .01 to .05 */
static const double FAR_LESS = 0.1;      /* dependence left, over that of the other direction, that counts as zero */
static const double ALIKE = 0.6;         /* the same from which on both leave about as much: a veto */
static const double CHANGE_LEVEL = 0.01; /* of the tests that a disturbance changes */
static const double PREFERRED = 3.0;     /* standard errors by which held-out likelihood clearly prefers */
static const double LEVEL = 0.25;        /* of each direction's test, over alpha: mechanisms get half of alpha */
static const double MIN_SQUARED = 0.005; /* squared correlation inside segments that counts: a correlation of .07 */

static const structured_way *way(const structured *s, int cause)
{
    return &s->opinion.way[s->search.user[cause]];
}

/* Returns the dependence that a direction leaves, over what the other one leaves. */
static double ratio_left(const structured *s, int cause)
{
    double other = way(s, 1 - cause)->excess;
    return other > 0.0 ? fmax(way(s, cause)->excess, 0.0) / other : INFINITY;
}

/* Returns the standard errors by which the held-out likelihood prefers a direction. */
static double likelihood_z(const structured *s, int cause)
{
    return s->search.user[cause] == 0 ? s->opinion.z : -s->opinion.z;
}

/* Do the mechanisms say anything?  With few rows one may not find the cause and then leaves all dependence. */
static bool is_informed(const structured *s, int cause)
{
    return s->asked && way(s, cause)->explains;
}

/* Are the disturbances of a direction correlated inside segments, significantly and more than slightly? */
static bool is_correlated(const structured *s, int cause)
{
    return way(s, cause)->correlation.p_value < VETO_LEVEL && way(s, cause)->squared_correlation > MIN_SQUARED;
}

/* Are disturbances clearly dependent in the other direction, and in this one independent or far less dependent? */
static bool is_supported(const structured *s, int cause)
{
    const structured_way *this_way = way(s, cause), *other = way(s, 1 - cause);
    return is_informed(s, cause) && other->dependence.p_value < CLEARLY && other->excess > MIN_EXCESS &&
           (this_way->dependence.p_value > FITTING || ratio_left(s, cause) < FAR_LESS) && likelihood_z(s, cause) > 0.0;
}

/* Does the likelihood clearly prefer a direction in which disturbances pass for independent, unlike in the other? */
static bool is_preferred(const structured *s, int cause)
{
    return is_informed(s, cause) && likelihood_z(s, cause) > PREFERRED && !is_correlated(s, cause) &&
           way(s, cause)->dependence.p_value > FITTING && way(s, 1 - cause)->dependence.p_value < VETO_LEVEL &&
           s->cause[cause].verdict != REJECTED;
}

/*
 * Is the other direction supported, or does this one leave about as much dependence as the other?  The latter is no
 * veto if the likelihood clearly prefers the direction: mechanisms are then not flexible enough.  Nor is it if nothing
 * changes in the cause: the direction is then not firm, whatever the mechanisms say.
 */
static bool is_vetoed(const structured *s, int cause)
{
    const structured_way *this_way = way(s, cause);
    bool is_alike = is_informed(s, cause) && this_way->dependence.p_value < VETO_LEVEL &&
                    this_way->excess > MIN_EXCESS && ratio_left(s, cause) > ALIKE &&
                    likelihood_z(s, cause) <= PREFERRED && s->cause[cause].own > 0;
    return is_alike || is_supported(s, 1 - cause);
}

static bool changes(const change_test *location, const change_test *scale)
{
    return location->certain || location->p_value < CHANGE_LEVEL || scale->p_value < CHANGE_LEVEL;
}

static bool both_change(const structured *s, int cause)
{
    const structured_way *w = way(s, cause);
    return changes(&w->location[0], &w->scale[0]) && changes(&w->location[1], &w->scale[1]);
}

/* ---- firm, or not ---- */

static const double FIRM_EXCESS = 0.001, FIRM_RATIO = 0.5;
static const double STRICT_EXCESS = 0.002, STRICT_RATIO = 0.02;
static const double NO_THIRD = 0.05; /* from this p-value on there is no sign of a third way */

/* Do the segments differ in two ways, one for each disturbance, with no sign of a third? */
static bool is_rank_two(const structured *s)
{
    return s->free.rank == 2 && (s->free.tried == 2 || s->free.step[3].p_value > NO_THIRD);
}

/* With few rows per segment a misfit is not visible yet, so twice the evidence is required. */
static double evidence_factor(const structured *s)
{
    return s->search.pair->n < STRUCTURED_FEW_ROWS * s->search.pair->segments ? 2.0 : 1.0;
}

/* Does a direction leave next to nothing of a dependence that the other leaves? */
static bool is_strict(const structured *s, int cause)
{
    return ratio_left(s, cause) < STRICT_RATIO && way(s, 1 - cause)->excess > evidence_factor(s) * STRICT_EXCESS;
}

/* If rows follow one another in time and this was ignored, differences look more certain than they are. */
static bool is_time_ignored(const structured *s)
{
    return s->search.pair->in_time && s->search.options->block_length == 1;
}

/* Groups are never firm: how often firm answers are wrong was measured for single segments only. */
static bool is_firm(const structured *s, int cause)
{
    const structured_way *other = way(s, 1 - cause);
    double factor = evidence_factor(s);
    bool plain = is_rank_two(s) && ratio_left(s, cause) < FIRM_RATIO && other->excess > factor * FIRM_EXCESS;
    return is_informed(s, cause) && (is_strict(s, cause) || plain) && other->dependence.p_value < CLEARLY &&
           !is_correlated(s, cause) && likelihood_z(s, cause) > factor * PREFERRED && s->free.rank >= 2 &&
           s->cause[cause].own > 0 && both_change(s, cause) && !is_time_ignored(s) && !s->search.grouped;
}

/*
 * Returns what else can look like this direction.  Measurement error, mechanisms that differ and selected rows leave
 * dependent disturbances; a hidden cause need not.
 */
static unsigned alternatives_to(const structured *s, int cause)
{
    bool is_independent = is_informed(s, cause) && is_strict(s, cause) && way(s, cause)->dependence.p_value > FITTING;
    return is_independent ? ALTERNATIVE_HIDDEN_CAUSE : ALTERNATIVE_ALL;
}

/* ---- decision ---- */

static const char EXPLAINED[] =
    "With this cause the differences between segments are explained; with the other they are not.";
static const char UNCHANGED[] = "The cause does not change, and what changes in the effect is not a function of the "
                                "effect alone. So the cause acts "
                                "on it, or a hidden cause that does not change acts on both.";
static const char BY_MECHANISMS[] =
    "In this direction, mechanisms that are the same in all segments leave disturbances that are independent or nearly "
    "so; in the other they do not. The differences between segments alone do not decide.";
static const char VETOED[] =
    "The differences between the segments speak for one direction, but its disturbances stay dependent inside "
    "segments: the cause may be measured with error, the mechanism may differ between segments, rows may be selected, "
    "or a hidden cause may act.";

static void conclude(const structured *s, int cause, double p_value, const char *reason, nonsens_result *result)
{
    result->decision = s->search.user[cause] == 0 ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
    result->p_value = fmin(1.0, p_value);
    result->reason = reason;
    result->is_plain = reason == EXPLAINED && s->cause[cause].verdict == FITS;
    result->firm = is_firm(s, cause) ? NONSENS_FIRM_YES : NONSENS_FIRM_NO;
    result->alternatives = result->firm == NONSENS_FIRM_YES ? 0 : alternatives_to(s, cause);
}

/* Are held-out rows clearly predicted better with this cause?  Models are not nested; if k = 0, z is conservative. */
static bool is_clear(const structured *s, int cause)
{
    double z = cause == 0 ? s->between.z : -s->between.z;
    return z > special_normal_quantile(1.0 - s->search.options->alpha);
}

/*
 * Do the segments differ in more ways than two disturbances would, if each changes in as many ways as the cause does?
 * A hidden cause that changes looks like that.
 */
static bool is_excess(const structured *s, int cause)
{
    int64_t own = s->alone[cause].rank;
    return s->free.rank > (own > 1 ? 2 * own + 1 : 2);
}

/* Decides if the classifiers reject exactly one direction. */
static void decide_one(const structured *s, int cause, nonsens_result *result)
{
    if (s->cause[cause].verdict == DOUBTFUL) {
        result->reason = "One direction is rejected, and the other is doubtful.";
    } else if (is_vetoed(s, cause)) {
        result->reason = VETOED;
    } else if (!is_clear(s, cause) && !is_supported(s, cause)) {
        result->reason =
            "One direction is rejected and the other is not, but on held-out rows their difference is within "
            "its error.";
    } else if (is_excess(s, cause)) {
        result->reason =
            "One direction is rejected and the other is not, but the segments differ in more ways than two "
            "disturbances explain: a hidden cause that changes, a changing mechanism, mixed "
            "segments or an effect that changes in several ways are possible.";
    } else {
        conclude(s, cause, 2.0 * s->cause[1 - cause].loss.p_value, s->cause[cause].own > 0 ? EXPLAINED : UNCHANGED,
                 result);
    }
}

static void decide_by_classifiers(const structured *s, nonsens_result *result)
{
    bool first = s->cause[0].verdict == REJECTED, second = s->cause[1].verdict == REJECTED;
    result->decision = DECISION_INCONCLUSIVE;
    if (!s->dependent && !(first && second)) {
        result->decision = DECISION_INDEPENDENT;
        result->p_value = s->dependence.p_value;
        result->reason = "No dependence is found inside segments.";
    } else if (s->free.rank == 0) {
        result->reason = "Held-out rows cannot be classified by segment: no change is visible, so the direction is not "
                         "identified.";
    } else if (first != second) {
        decide_one(s, first ? 1 : 0, result);
    } else if (s->free.rank == 1 && (first || s->rank > 1)) {
        result->reason = "Only one way in which the segments differ is certain, and it involves both variables: both "
                         "disturbances change in proportion or nearly so, and the direction is not visible.";
    } else if (!first) {
        result->reason =
            "Neither direction is rejected. With more rows or segments one may be, or the mechanism is one "
            "of those that fit both ways.";
    } else {
        result->decision = DECISION_NEITHER;
        result->reason = "Both directions are rejected. The variables may cause one another, a hidden cause may act on "
                         "both, the mechanism may change, or the cause may be measured with error.";
    }
}

/*
 * Mechanisms may name a direction if the classifiers name none.  If these reject it, next to no dependence may be left:
 * variables that cause one another leave at least a tenth of that of the other direction (docs/structured.md).
 */
static bool may_conclude(const structured *s, int cause, const nonsens_result *result)
{
    bool is_other_refuted = way(s, 1 - cause)->dependence.p_value <= LEVEL * s->search.options->alpha;
    bool is_this_open = s->cause[cause].verdict != REJECTED || ratio_left(s, cause) < FAR_LESS;
    if (!is_other_refuted || !is_this_open || result->reason == VETOED) {
        return false;
    }
    return result->decision == DECISION_NEITHER
               ? is_supported(s, cause)
               : result->decision == DECISION_INCONCLUSIVE && s->dependent && s->free.rank > 0 &&
                     (is_supported(s, cause) || is_preferred(s, cause)) && both_change(s, cause);
}

/* The mechanisms' own answer, for the list of opinions. */
nonsens_status structured_add_opinion(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    char *arrow[2] = {result_arrow(ctx, result, true), result_arrow(ctx, result, false)};
    const structured_opinion *o = &s->opinion;
    if (!s->asked) {
        return NONSENS_OK;
    }
    if (!arrow[0] || !arrow[1]) {
        return NONSENS_ERR_MEMORY;
    }
    nonsens_opinion opinion = {"graph", "inconclusive",
                               o->z > 0.0   ? arrow[0]
                               : o->z < 0.0 ? arrow[1]
                                            : NULL,
                               o->z, NAN};
    for (int cause = 0; cause < 2; cause++) {
        if (is_supported(s, cause)) {
            opinion.decision = arrow[s->search.user[cause]];
            opinion.p_value = way(s, 1 - cause)->dependence.p_value;
        }
    }
    return result_add_opinion(ctx, result, &opinion);
}

void structured_decide(const structured *s, nonsens_result *result)
{
    if (time_blocks_do_not_suffice(&s->search.time)) {
        result->decision = DECISION_INCONCLUSIVE;
        result->reason =
            "Rows depend on rows so far back in time that segments have too few independent blocks. Longer "
            "segments would help.";
        return;
    }
    decide_by_classifiers(s, result);
    for (int cause = 0; cause < 2; cause++) {
        if (may_conclude(s, cause, result)) {
            conclude(s, cause, 2.0 * way(s, 1 - cause)->dependence.p_value, BY_MECHANISMS, result);
            return;
        }
    }
}

/* ---- the direction to name if one must be named ---- */

/* Compares likelihoods and dependence left: from -2 to 2, positive if the user's first column is the likelier cause. */
static double mechanism_score(const structured *s)
{
    static const double LITTLE = 3e-4; /* dependence per row that says nothing */
    double first = fmax(s->opinion.way[0].excess, 0.0), second = fmax(s->opinion.way[1].excess, 0.0);
    return tanh(0.5 * s->opinion.z) + (second - first) / (first + second + LITTLE);
}

/* The classifiers' score is better if the model holds, that of mechanisms if it does not (docs/real-data.md). */
void structured_name(const structured *s, nonsens_result *result)
{
    double by_classifiers = (structured_in_user_order(s) ? 1.0 : -1.0) * s->between.z;
    bool is_named = result_names_direction(result), is_first = result->decision == DECISION_FIRST_CAUSES;
    bool agrees = is_named && (is_first ? by_classifiers > 0.0 : by_classifiers < 0.0);
    result->score = (agrees || !(is_informed(s, 0) || is_informed(s, 1)) ? by_classifiers : mechanism_score(s)) +
                    0.0; // no minus zero
    bool first = is_named ? is_first : result->score > 0.0, second = is_named ? !is_first : result->score < 0.0;
    result->better = first ? BETTER_FIRST : second ? BETTER_SECOND : BETTER_NONE;
}
