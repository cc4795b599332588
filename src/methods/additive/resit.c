/*
 * resit.c - regression with subsequent independence test, of two variables: effect = f(cause) + noise with a smooth f
 * (Hoyer et al., NIPS 2008; Peters, Mooij, Janzing, Schoelkopf, "Causal discovery with continuous additive noise
 * models", JMLR 15, 2014).  Many variables: resit_order.c.
 *
 * Gaussian-process regression in both directions, and HSIC of residual and regressor at alpha / 2 (additive.c says how
 * that decides).  The process has one regressor, a Matern kernel of order 5/2 and hyper-parameters by the largest
 * marginal likelihood: O(n), all rows are used.  It always keeps a signal: a missed signal would leave a
 * dependent residual, and the true direction would be rejected.
 */
#include "methods/additive/additive.h"
#include "methods/additive/additive_method.h"
#include "regress/gp.h"

#include <string.h>

static nonsens_status regress_curve(nonsens_context *ctx, arena *scratch, int64_t n, const double *cause,
                                    const double *effect, double *residual)
{
    column_set regressor = {n, 1, &cause};
    gp_options gp = {.threads = 1, .keep_signal = true};
    arena_mark mark = arena_tell(scratch);
    SCOPED_ARENA(keep);
    gp_fit fit;
    TRY(gp_regress(ctx, &keep, scratch, &regressor, effect, &gp, &fit));
    memcpy(residual, fit.residual, (size_t)n * sizeof *residual);
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

nonsens_status resit_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                               nonsens_result *result)
{
    static const additive_words words = {
        "Gaussian-process regression",
        "Neither direction is rejected: a linear mechanism with Gaussian noise fits both ways, or there are too few "
        "rows.",
        "Both directions are rejected: the noise is not additive, or a hidden common cause acts on both variables."};
    additive fit;
    TRY(additive_fit(ctx, a, pair, options, regress_curve, &fit));
    TRY(additive_judge(ctx, a, &fit, &words, result));
    if (result->decision != DECISION_NEITHER) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                       "The data contradict additive noise. The direction that comes closer to it, which the score "
                       "names, is then often the wrong one, most of all where the noise is multiplied.");
}
