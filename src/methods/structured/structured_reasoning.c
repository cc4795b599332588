/* structured_reasoning.c - says in words how `structured` decides on a pair. */
#include "base/number.h"
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "methods/structured/structured.h"

#include <inttypes.h>
#include <math.h>

static nonsens_status say_dependence(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES], p_value[REASONING_P_BYTES];
    if (s->dependence.segments_used == 0) {
        return result_reason(ctx, result, "It cannot be tested whether %s and %s are dependent inside segments.",
                             show_bare(a, result->names[0]), show_bare(b, result->names[1]));
    }
    return result_reason(ctx, result, "Inside the segments %s and %s are %s (kernel test of independence, %s).",
                         show_bare(a, result->names[0]), show_bare(b, result->names[1]),
                         s->dependent ? "dependent, so there is something to explain" : "not seen to be dependent",
                         reasoning_p(p_value, s->dependence.p_value));
}

static nonsens_status say_rank(nonsens_context *ctx, const structured *s, int64_t r, nonsens_result *result)
{
    const rank_search_outcome *f = &s->free;
    char gain[NUMBER_BYTES], p_value[REASONING_P_BYTES];
    bool fitted = r <= f->fitted && f->fit[r].held_out;
    const char *which = r == 1 ? "One feature of both variables" : "A further feature",
               *verdict = r <= f->rank ? "it is needed"
                          : f->step[r].p_value > rank_search_rank_level(&s->search, KIND_BOTH, r)
                              ? "it is not needed"
                              : "significant, but too small to count";
    if (!fitted) {
        return result_reason(ctx, result, "%s would not distinguish the segments better (%s): %s.", which,
                             reasoning_p(p_value, f->step[r].p_value), verdict);
    }
    return result_reason(ctx, result, "%s classifies held-out rows %s by %s nats per row (%s): %s.", which,
                         f->step[r].mean < 0.0 ? "worse" : "better",
                         number_print(gain, fabs(f->step[r].mean), REASONING_DIGITS),
                         reasoning_p(p_value, f->step[r].p_value), verdict);
}

/* Is this a significant loss that is attributed to approximation error (structured.c)? */
static bool is_excused(const structured *s, const structured_hypothesis *h)
{
    return h->verdict == FITS && h->loss.p_value <= 0.5 * s->search.options->alpha;
}

static const char *const VERDICT[] = {
    [FITS] = "nothing speaks against this direction",
    [DOUBTFUL] = "this direction is doubtful",
    [REJECTED] = "this direction is refuted",
};

static nonsens_status say_direction(nonsens_context *ctx, const structured *s, int j, nonsens_result *result)
{
    const structured_hypothesis *h = &s->cause[j];
    char cause[SHOWN_BYTES], effect[SHOWN_BYTES], loss[NUMBER_BYTES], p_value[REASONING_P_BYTES];
    show_bare(cause, result->names[s->search.user[j]]);
    show_bare(effect, result->names[s->search.user[1 - j]]);
    if (h->own == 0) {
        return result_reason(
            ctx, result,
            "%s->%s: no change is seen in %s alone, and this direction needs none, so nothing speaks against it.",
            cause, effect, cause);
    }
    return result_reason(
        ctx, result,
        "If %s causes %s, the changes in the noise of %s are a function of %s alone: %" PRId64 " of %" PRId64
        " features that depend on %s alone should lose nothing. They lose %s nats per row on held-out rows (%s): %s.",
        cause, effect, cause, cause, h->own, s->rank, cause, number_print(loss, h->loss.mean, REASONING_DIGITS),
        reasoning_p(p_value, h->loss.p_value),
        is_excused(s, h) ? "on held-out rows this is less than a twentieth of the other direction's loss"
                         : VERDICT[h->verdict]);
}

/* Says what the classifiers find in either direction, in the user's order of columns. */
static nonsens_status say_directions(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    char z[NUMBER_BYTES];
    if (s->rank > s->free.rank) {
        TRY(result_reason(
            ctx, result,
            "One way in which the segments differ is certain, and neither variable alone shows all of it. The "
            "directions are compared with two features, where changes in proportion would fit both ways."));
    }
    for (int c = 0; c < 2; c++) {
        TRY(say_direction(ctx, s, structured_in_user_order(s) ? c : 1 - c, result));
    }
    return result_reason(ctx, result, "On held-out rows%s the two directions differ by %s standard errors.",
                         s->at_rank_two ? ", with two features although only one is certain," : "",
                         number_print(z, fabs(s->between.z), REASONING_DIGITS));
}

/* Says what the mechanisms leave if the user's column is the cause. */
static nonsens_status say_opinion(nonsens_context *ctx, const structured *s, int column, nonsens_result *result)
{
    const structured_way *way = &s->opinion.way[column];
    char cause[SHOWN_BYTES], effect[SHOWN_BYTES], p_value[REASONING_P_BYTES];
    show_bare(cause, result->names[column]);
    show_bare(effect, result->names[1 - column]);
    if (!way->explains) {
        return result_reason(ctx, result, "A mechanism of %s does not predict held-out rows better with %s as a cause.",
                             effect, cause);
    }
    return result_reason(
        ctx, result, "Mechanisms by which %s causes %s leave disturbances that are %s inside segments (%s).", cause,
        effect, way->dependence.p_value < s->search.options->alpha ? "dependent" : "not seen to be dependent",
        reasoning_p(p_value, way->dependence.p_value));
}

nonsens_status structured_say_reasoning(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    TRY(say_dependence(ctx, s, result));
    for (int64_t r = 1; r <= s->free.tried; r++) {
        TRY(say_rank(ctx, s, r, result));
    }
    if (s->free.rank > 0) {
        TRY(say_directions(ctx, s, result));
    }
    for (int column = 0; column < 2 && s->asked; column++) {
        TRY(say_opinion(ctx, s, column, result));
    }
    return NONSENS_OK;
}
