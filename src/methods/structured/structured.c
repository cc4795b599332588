/*
 * structured.c - direction by structured segment likelihood (docs/structured.md; no publication is known to us).
 *
 * If x1 causes x2, what changes in the disturbance of x1 is a function of x1 alone.  A segment classifier with at least
 * one feature that sees x1 alone then loses nothing against a free one of the same rank; the reverse restriction does.
 * The rank r is found first; then k_j of the r features are restricted to variable j.  k_j is the rank of the
 * classifier of x_j alone, but at most 1 for r <= 2 and at most 2 for more; k_j = 0 means no restriction.  A smaller
 * k_j is as true as a larger one, and does not need the exact rank of x_j alone.
 */
#include "methods/structured/structured.h"

#include "math/special.h"
#include "methods/shared/rank_search_features.h"
#include "methods/structured/structured_method.h"

#include <math.h>

static const double NEGLIGIBLE = 0.05; /* share of the other direction's loss */
static const double FAR_BELOW = 10.0;  /* errors of splines do not explain a p-value below alpha over this */

/* ---- fits ---- */

static nonsens_status test_dependence(nonsens_context *ctx, structured *s)
{
    const rank_search *l = &s->search;
    hsic_options hsic = hsic_options_from(l->options, l->options->alpha, 0);
    SCOPED_ARENA(scratch);
    TRY(hsic_test_scalars(ctx, &scratch, l->pair->n, l->warped[0], l->warped[1], l->pair->segments, l->start, &hsic,
                          &s->dependence));
    if (s->dependence.segments_used == 0) { // without a test they do not count as independent
        s->dependence.p_value = NAN;
    }
    s->dependent = !(s->dependence.p_value > l->options->alpha);
    return NONSENS_OK;
}

/* Fits all rows with k_j features of variable j alone; if k_j is 0, there is nothing to fit. */
static nonsens_status fit_hypothesis(nonsens_context *ctx, arena *a, structured *s, int j)
{
    int64_t r = s->rank, max_own = r > 2 ? 2 : 1;
    structured_hypothesis *h = &s->cause[j];
    h->own = s->alone[j].rank < max_own ? s->alone[j].rank : max_own;
    if (h->own == 0) {
        return NONSENS_OK;
    }
    classifier_shape restricted = {j == 0 ? (int)h->own : 0, j == 1 ? (int)h->own : 0, (int)(r - h->own)};
    return s->search.features->fit_restricted(ctx, a, &s->search, restricted, &s->free.fit[r], &h->fit);
}

/*
 * Features are splines, so even a true restriction has a small error.  A loss on held-out rows below a twentieth of the
 * other direction's clear loss is put down to this error, unless the test is very sure.
 */
static bool is_negligible(const structured *s, int j)
{
    const classifier_difference *loss = &s->cause[j].loss, *other = &s->cause[1 - j].loss;
    double alpha = s->search.options->alpha;
    return loss->p_value > alpha / FAR_BELOW && loss->mean <= NEGLIGIBLE * other->mean &&
           other->z > special_normal_quantile(1.0 - alpha);
}

static enum structured_verdict judge(const structured *s, int j)
{
    const classifier_difference *loss = &s->cause[j].loss;
    double alpha = s->search.options->alpha;
    return loss->p_value > 0.5 * alpha || is_negligible(s, j) ? FITS
           : loss->p_value > rank_search_level(&s->search)    ? DOUBTFUL
                                                              : REJECTED;
}

/* Compares the two directions at s->rank.  Either fit may improve the free one, so both come before any comparison. */
static nonsens_status compare_directions(nonsens_context *ctx, arena *a, structured *s)
{
    for (int j = 0; j < 2; j++) {
        TRY(fit_hypothesis(ctx, a, s, j));
    }
    for (int j = 0; j < 2; j++) {
        structured_hypothesis *h = &s->cause[j];
        const classifier_fit *whole = &s->free.fit[s->rank];
        h->held_out = whole->held_out;
        h->loss = (classifier_difference){.p_value = 1.0, .ratio = NAN, .null_mean = NAN};
        if (h->own > 0) {
            TRY(s->search.features->judge(ctx, &s->search, &h->fit, whole, &h->loss));
            h->held_out = h->fit.held_out;
        }
    }
    for (int j = 0; j < 2; j++) {
        s->cause[j].verdict = judge(s, j);
    }
    rank_search_compare(&s->search, s->cause[0].held_out, s->cause[1].held_out, &s->between);
    return NONSENS_OK;
}

/*
 * Only rank one is sure, and neither variable alone shows all of it: both change in proportion, or nearly so.  With two
 * features an exact proportion fits both directions, so comparing them at rank two errs on the safe side.
 */
static bool is_nearly_proportional(const structured *s)
{
    return s->rank == 1 && s->cause[0].verdict == REJECTED && s->cause[1].verdict == REJECTED && s->free.fitted > 1 &&
           s->free.fit[2].held_out;
}

static nonsens_status step_done(nonsens_context *ctx, int64_t done)
{
    report_progress(ctx, "fitting segment classifiers", done, 4);
    return check_cancelled(ctx);
}

/* Fits penalty, ranks, and the two directions. */
static nonsens_status fit_everything(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                     const nonsens_options *options, structured *s)
{
    TRY(rank_search_new(ctx, a, pair, options, &s->search));
    TRY(step_done(ctx, 1));
    TRY(test_dependence(ctx, s));
    TRY(rank_search_ranks(ctx, a, &s->search, KIND_BOTH, RANK_SEARCH_MAX_RANK + 1, &s->free));
    TRY(step_done(ctx, 2));
    s->rank = s->free.rank;
    if (s->rank == 0) {
        return NONSENS_OK;
    }
    for (int j = 0; j < 2; j++) {
        TRY(rank_search_ranks(ctx, a, &s->search, j == 0 ? KIND_FIRST : KIND_SECOND, s->rank > 2 ? s->rank - 1 : 1,
                              &s->alone[j]));
    }
    TRY(step_done(ctx, 3));
    TRY(compare_directions(ctx, a, s));
    if (is_nearly_proportional(s)) {
        s->rank = 2;
        TRY(compare_directions(ctx, a, s));
    }
    return step_done(ctx, 4);
}

/*
 * Finds the better direction although only rank one is sure: it assumes rank two, which the model expects.
 */
static nonsens_status compare_at_two(nonsens_context *ctx, arena *a, structured *s)
{
    classifier_fit restricted[2];
    if (s->free.fitted < 2 || !s->free.fit[2].held_out) {
        return NONSENS_OK;
    }
    for (int j = 0; j < 2; j++) {
        TRY(s->search.features->fit_restricted(ctx, a, &s->search, (classifier_shape){j == 0, j == 1, 1},
                                               &s->free.fit[2], &restricted[j]));
    }
    rank_search_compare(&s->search, restricted[0].held_out, restricted[1].held_out, &s->between);
    s->at_rank_two = true;
    return NONSENS_OK;
}

/* ---- decision ---- */

/* Does this cause predict held-out rows better than the other?  The models are not nested (k = 0: conservative). */
static bool is_clear(const structured *s, int cause)
{
    double z = cause == 0 ? s->between.z : -s->between.z;
    return z > special_normal_quantile(1.0 - s->search.options->alpha);
}

/*
 * Do the segments differ in more ways than two disturbances explain, each changing in as many ways as the cause is seen
 * to?  A hidden cause that changes looks like that.
 */
static bool is_excess(const structured *s, int cause)
{
    int64_t own = s->alone[cause].rank;
    return s->free.rank > (own > 1 ? 2 * own + 1 : 2);
}

/* Decides when one direction is rejected. */
static void decide_one(const structured *s, int cause, nonsens_result *result)
{
    if (s->cause[cause].verdict == DOUBTFUL) {
        result->reason = "One direction loses against the free classifier, and the other may, too.";
    } else if (!is_clear(s, cause)) {
        result->reason = "One direction loses against the free classifier and the other does not, but on unseen rows "
                         "the difference between the two is within its error.";
    } else if (is_excess(s, cause)) {
        result->reason = "One direction loses against the free classifier and the other does not, but the segments "
                         "differ in more ways than two disturbances would explain: a hidden cause that changes, a "
                         "changing mechanism, mixed segments or an effect that changes in several ways are possible.";
    } else {
        bool user_order = (cause == 0) == structured_in_user_order(s);
        result->decision = user_order ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
        result->p_value = fmin(1.0, 2.0 * s->cause[1 - cause].loss.p_value);
        result->reason =
            s->cause[cause].own > 0
                ? "The segments are told apart as well when the cause's features see the cause alone, and worse when "
                  "the effect's would have to see the effect alone."
                : "Nothing changes in the cause alone, and what changes in the effect is no function of the effect "
                  "alone: the other variable acts on it, or a hidden cause that does not change acts on both.";
    }
}

static void decide(const structured *s, nonsens_result *result)
{
    bool first = s->cause[0].verdict == REJECTED, second = s->cause[1].verdict == REJECTED;
    result->decision = DECISION_INCONCLUSIVE;
    if (!s->dependent && !(first && second)) {
        result->decision = DECISION_INDEPENDENT;
        result->p_value = s->dependence.p_value;
        result->reason = "Inside the segments no dependence is found.";
    } else if (s->free.rank == 0) {
        result->reason = "The segments cannot be told apart on rows that the classifier has not seen: nothing that "
                         "changes is visible, so direction is not identified.";
    } else if (first != second) {
        decide_one(s, first ? 1 : 0, result);
    } else if (s->free.rank == 1 && (first || s->rank > 1)) {
        result->reason = "The segments differ in one way only that is sure, and it involves both variables: both "
                         "disturbances change in proportion or nearly so, and direction is not seen.";
    } else if (!first) {
        result->reason = "Neither direction loses against the free classifier: with more rows or segments one may, or "
                         "the mechanism is one of those that fit both ways.";
    } else {
        result->decision = DECISION_NEITHER;
        result->reason = "Both directions lose against the free classifier: the variables cause one another, share a "
                         "hidden cause that changes, or the mechanism itself changes.";
    }
}

nonsens_status structured_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                    const nonsens_options *options, nonsens_result *result)
{
    structured *s;
    ARENA_TRY(ctx, a, s, 1);
    TRY(fit_everything(ctx, a, pair, options, s));
    decide(s, result);
    if (result->decision == DECISION_INCONCLUSIVE && s->rank < 2) {
        TRY(compare_at_two(ctx, a, s));
    }
    double sign = structured_in_user_order(s) ? 1.0 : -1.0;
    result->score = sign * s->between.z + 0.0; // no minus zero
    result->better = result->score > 0 ? BETTER_FIRST : result->score < 0 ? BETTER_SECOND : BETTER_NONE;
    TRY(structured_say_reasoning(ctx, s, result));
    return structured_report(ctx, a, s, result);
}

/* Bytes for rows, and for Fisher matrices and their factors. */
double structured_classifier_memory(const nonsens_options *options, double rows, int64_t segments)
{
    enum { NUMBERS_PER_ROW = 60, MATRICES = 15, RANK = 2 };
    double basis = (double)rank_search_spline_basis(options, (int64_t)rows);
    double parameters = RANK * basis * basis + (RANK + 1) * (double)segments;
    return rows * sizeof(double) * NUMBERS_PER_ROW + MATRICES * parameters * parameters * sizeof(double);
}
