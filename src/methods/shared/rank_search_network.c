/*
 * rank_search_network.c - segment classifiers whose features are networks (nn/restricted.h), compared on held-out rows
 * alone.
 *
 * There is no test on all rows: p-values are the upper normal tail of z.  For nested models that is conservative
 * (docs/structured.md, section 7), so alpha is divided by fewer tests than for splines; at alpha = .05 a difference
 * counts from z = 2.24 on.  This holds for networks that have learned what they can.  With few epochs, restarts or
 * units a restricted model lags for lack of training, and the tests then find a further rank or a loss that does not
 * exist.
 *
 * The options set width, layers, restarts and training.  The networks see the warped variables; --inputs has no effect
 * on them.
 */
#include "math/special.h"
#include "methods/shared/rank_search_features.h"
#include "nn/restricted.h"

#include <math.h>

enum { TESTS = 4 };

static nonsens_status begin(nonsens_context *ctx, arena *a, rank_search *l)
{
    (void)ctx, (void)a, (void)l;
    return NONSENS_OK;
}

static nonsens_status fit_restricted(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                                     const classifier_fit *whole, classifier_fit *out)
{
    restricted_data data = {l->pair->n, l->segments, l->options->score_folds, {l->warped[0], l->warped[1]},
                            l->label,   l->fold};
    restricted_spec spec = {s.first, s.second, s.both};
    SCOPED_ARENA(scratch);
    (void)whole; // all models of one rank have the same starting weights, whatever they see
    *out = (classifier_fit){.model = {.shape = s, .rank = shape_rank(s)}};
    ARENA_TRY(ctx, a, out->held_out, l->pair->n);
    return restricted_fit(ctx, &scratch, &data, spec, l->options, out->held_out, NULL);
}

static nonsens_status improve(nonsens_context *ctx, arena *a, const rank_search *l, const classifier_fit *restricted,
                              classifier_fit *whole, bool *improved)
{
    (void)ctx, (void)a, (void)l, (void)restricted, (void)whole;
    *improved = false;
    return NONSENS_OK;
}

static nonsens_status judge(nonsens_context *ctx, const rank_search *l, const classifier_fit *small,
                            const classifier_fit *large, classifier_difference *out)
{
    (void)ctx;
    *out = (classifier_difference){.ratio = NAN, .null_mean = NAN, .null_sd = NAN};
    rank_search_compare(l, large->held_out, small->held_out, out);
    out->p_value = special_normal_tail(out->z);
    return NONSENS_OK;
}

static nonsens_status try_rank(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                               rank_search_outcome *out)
{
    int64_t r = shape_rank(s);
    classifier_fit shares = {.held_out = l->chance};
    TRY(fit_restricted(ctx, a, l, s, NULL, &out->fit[r]));
    out->fitted = r;
    return judge(ctx, l, r == 1 ? &shares : &out->fit[r - 1], &out->fit[r], &out->step[r]);
}

const rank_search_features rank_search_network = {
    TESTS,   TESTS, LOSS_TEXT "that of this loss over its standard error", begin, try_rank, fit_restricted,
    improve, judge};
