/*
 * rank_search_spline.c - segment classifiers on splines: penalty by nested cross-validation, likelihood-ratio tests on
 * all rows (classifier/classifier_compare.h), held-out rows for the size of differences.
 */
#include "math/special.h"
#include "methods/shared/rank_search_features.h"

#include <inttypes.h>
#include <math.h>

static const double CLEARLY_NOT = 0.05; /* a further rank is not fitted if its score test has a larger p-value */
/*
 * A test of a rank needs few draws if p is far from every level: below FAR_BELOW times the strictest level, or above
 * FAR_ABOVE, five times CLEARLY_NOT.
 */
static const double FAR_BELOW = 1e-4, FAR_ABOVE = 0.25;
static const double TOLERATED = 0.003; /* share of the free classifier's gain over chance that may be lost */
enum { CALIBRATION_DRAWS = 199, MAX_SEGMENTS = 400 };
/*
 * TESTS: how many tests a decision usually rests on: three ranks of each kind of feature and two restrictions.
 * FURTHER_TESTS: a stricter level for further free features, where the approximation error of splines shows first.
 */
enum { TESTS = 8, FURTHER_TESTS = 250 };
enum { ALWAYS_SCORED = 2 }; /* higher ranks are rare, so they are scored only if the test on all rows rejects */

enum { BASES = 2, MIN_BASIS = 14, MAX_BASIS = 20, BASIS_STEP = 4 };

/* The more rows, the smaller the spline errors that tests detect, so the basis grows; MAX_BASIS bounds the time. */
int64_t rank_search_spline_basis(const nonsens_options *options, int64_t n)
{
    double wanted = MIN_BASIS * cbrt((double)n / 5000.0);
    return options->basis > 0 ? options->basis : (int64_t)lround(fmin(fmax(wanted, MIN_BASIS), MAX_BASIS));
}

/* Chooses the penalty, and one of several sizes of the basis unless the user asks for one. */
static nonsens_status begin(nonsens_context *ctx, arena *a, rank_search *l)
{
    if (l->segments > MAX_SEGMENTS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "there are %" PRId64 " segments; classifiers of single segments take at most %d: merge some of "
                    "them, or take --method structured, which groups segments",
                    l->segments, MAX_SEGMENTS);
    }
    int64_t largest = rank_search_spline_basis(l->options, l->pair->n), bases = l->options->basis == 0 ? BASES : 1;
    classifier_sample *data;
    ARENA_TRY(ctx, a, data, bases);
    for (int64_t b = 0; b < bases; b++) {
        TRY(classifier_sample_new(ctx, a, (const double *const *)l->warped, l->segments, l->start, l->fold,
                                  l->options->score_folds, largest - b * BASIS_STEP, &data[b]));
    }
    TRY(penalty_choose(ctx, a, l->threads, bases, data, &l->penalty));
    l->sample = data[0];
    l->penalty.test = l->penalty.all / l->options->undersmooth;
    return NONSENS_OK;
}

/* Fits all rows with this penalty, starting from the current theta. */
static nonsens_status fit_rows(nonsens_context *ctx, const rank_search *l, double lambda, classifier_fit *f)
{
    SCOPED_ARENA(scratch);
    f->lambda = lambda;
    return fit_all(ctx, &scratch, l->threads, f);
}

/* Fits all rows and every fold for scoring, then all rows for testing. */
static nonsens_status fit_and_score(nonsens_context *ctx, arena *a, const rank_search *l, classifier_fit *f)
{
    TRY(fit_rows(ctx, l, l->penalty.all, f));
    TRY(fit_folds(ctx, a, l->threads, f));
    bool scored = f->converged;
    TRY(fit_rows(ctx, l, l->penalty.test, f));
    f->converged = f->converged && scored;
    return NONSENS_OK;
}

static nonsens_status fit_cold(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                               classifier_fit *out)
{
    SCOPED_ARENA(scratch);
    TRY(fit_new(ctx, a, &l->sample, s, &l->penalty, out));
    TRY(fit_start_cold(ctx, &scratch, out));
    arena_free(&scratch);
    if (shape_rank(s) <= ALWAYS_SCORED) {
        return fit_and_score(ctx, a, l, out);
    }
    TRY(fit_rows(ctx, l, l->penalty.all, out));
    return fit_rows(ctx, l, l->penalty.test, out);
}

static nonsens_status fit_restricted(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                                     const classifier_fit *whole, classifier_fit *out)
{
    SCOPED_ARENA(scratch);
    TRY(fit_new(ctx, a, &l->sample, s, &l->penalty, out));
    TRY(fit_start_restricted(ctx, &scratch, whole, out));
    arena_free(&scratch);
    return fit_and_score(ctx, a, l, out);
}

static nonsens_status improve(nonsens_context *ctx, arena *a, const rank_search *l, const classifier_fit *restricted,
                              classifier_fit *whole, bool *improved)
{
    *improved = restricted->objective < whole->objective;
    if (!*improved) {
        return NONSENS_OK;
    }
    fit_start_extended(restricted, whole);
    return fit_and_score(ctx, a, l, whole);
}

static compare_draws rank_draws(const rank_search *l)
{
    compare_draws by = rank_search_draws(l, l->threads, CALIBRATION_DRAWS);
    by.low = FAR_BELOW * l->options->alpha / FURTHER_TESTS;
    by.high = FAR_ABOVE;
    return by;
}

/* Compares two neighbouring ranks; small is NULL for rank 0. */
static nonsens_status judge_rank(nonsens_context *ctx, arena *a, const rank_search *l, const classifier_fit *small,
                                 classifier_fit *large, classifier_difference *out)
{
    SCOPED_ARENA(scratch);
    compare_draws by = rank_draws(l);
    TRY(compare_rank(ctx, &scratch, &by, small, large, out));
    arena_free(&scratch);
    if (!large->held_out && out->p_value <= rank_search_level(l)) {
        TRY(fit_and_score(ctx, a, l, large));
    }
    if (large->held_out) {
        rank_search_compare(l, large->held_out, small ? small->held_out : l->chance, out);
        if (l->grouped) { // the test may miss a gain: few segments per group make its null distribution wide
            out->p_value = fmin(out->p_value, special_normal_tail(out->z));
        }
    }
    return NONSENS_OK;
}

static nonsens_status try_rank(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                               rank_search_outcome *out)
{
    int64_t r = shape_rank(s);
    const classifier_fit *small = r == 1 ? NULL : &out->fit[r - 1];
    if (r > ALWAYS_SCORED) { // rare ranks: the score test, which needs no fit, comes first
        SCOPED_ARENA(scratch);
        compare_draws by = rank_draws(l);
        TRY(compare_rank_score(ctx, &scratch, &by, small, &out->step[r]));
        if (out->step[r].p_value > CLEARLY_NOT) {
            return NONSENS_OK;
        }
    }
    TRY(fit_cold(ctx, a, l, s, &out->fit[r]));
    out->fitted = r;
    return judge_rank(ctx, a, l, small, &out->fit[r], &out->step[r]);
}

/*
 * Splines only approximate the features, so even a true restriction costs some nats, and more of them the better the
 * segments can be distinguished.  TOLERATED allows for that.
 */
static nonsens_status judge(nonsens_context *ctx, const rank_search *l, const classifier_fit *small,
                            const classifier_fit *large, classifier_difference *out)
{
    SCOPED_ARENA(scratch);
    classifier_difference known = {0};
    rank_search_compare(l, large->held_out, l->chance, &known);
    *out = (classifier_difference){.tolerated = TOLERATED * fmax(known.mean, 0.0) * (double)l->pair->n};
    compare_draws by = rank_search_draws(l, l->threads, CALIBRATION_DRAWS);
    TRY(compare_restriction(ctx, &scratch, &by, small, large, out));
    rank_search_compare(l, large->held_out, small->held_out, out);
    return NONSENS_OK;
}

const rank_search_features rank_search_spline = {
    TESTS,
    FURTHER_TESTS,
    LOSS_TEXT "that of the likelihood ratio on all rows, with .3 % of the free classifier's gain, at most two "
              "standard deviations, tolerated",
    begin,
    try_rank,
    fit_restricted,
    improve,
    judge};
