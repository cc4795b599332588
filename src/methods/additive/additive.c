/*
 * additive.c - decisions under additive noise (Hoyer, Janzing, Mooij, Peters, Schoelkopf, "Nonlinear causal discovery
 * with additive noise models", NIPS 2008; bivariate form of Shimizu et al., "DirectLiNGAM", JMLR 12, 2011).
 *
 * If x causes y by y = f(x) + N with N independent of x, the residual of y given x is independent of x.  Except for
 * special pairs of f and distributions, that of x given y depends on y.  HSIC tests both residuals at alpha / 2:
 *
 *     x -> y   iff p(y - f(x), x) > alpha / 2 and p(x - g(y), y) <= alpha / 2; y -> x iff the reverse holds
 *     both above: "independent" if HSIC of x and y themselves does not reject at alpha, else inconclusive
 *     both at or below: neither
 *
 * A wrong direction needs a rejection of the true one, so its probability is at most the size of that test, nominally
 * alpha / 2.  The better direction is the one with the larger p-value.  With many rows both p-values are 0 in double
 * precision, so they are compared by logarithms from the moments of the null distribution; the score is the difference.
 * If both are 1, and the score is 0, the smaller statistic, in standard deviations from its mean under independence, is
 * better.
 *
 * Residuals are those of a regression fitted to the same rows, which the null distribution of HSIC does not account
 * for.  With symmetric noise this makes the test conservative; with skewed noise it rejects too often.  At a nominal
 * .025 it rejects the true direction in less than .01 of data sets with Gaussian noise.  With exponential noise it does
 * so in .05 of data sets of 300 to 1,000 rows (linear), and in .07 of those of 480 rows and .11 of those of 2,000
 * (Gaussian processes, eight segments); the answer is then mostly "neither".  Residuals of held-out rows make no
 * difference; plain ones are used.
 *
 * The regression sees all rows together; tests are made inside segments (--pooling).  Noise whose spread or level
 * changes over segments is not "additive and the same": Levene's and Kruskal's tests of the residuals say so.
 */
#include "methods/additive/additive.h"

#include "base/parallel.h"
#include "base/show.h"
#include "indep/samples.h"
#include "math/column.h"
#include "math/special.h"
#include "methods/shared/reasoning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOBS = 3, TEXT_BYTES = 512 };

/* A residual with a smaller share of the variance is rounding error, or the smallest noise that a regression allows. */
static const double MIN_LEFT = 1e-7;

/* ---- regressions and tests ---- */

static double log_tail(const hsic_result *test)
{
    const double min_skew = 1e-3; // below this the distribution is practically normal
    double sd = sqrt(test->variance);
    if (!(sd > 0.0)) {
        return 0.0;
    }
    double mean = 2.0 / fmax(test->skewness, min_skew); // of the gamma distribution of variance 1 with this skewness
    double at = mean + (test->statistic - test->mean) / sd;
    return at <= 0.0 ? 0.0 : special_log_gamma_q(mean * mean, mean * at);
}

double additive_log_p(const hsic_result *test, int64_t permutations)
{
    double min_p = test->by_permutation ? 1.5 / (double)(permutations + 1) : 1e-290;
    return test->p_value > min_p ? log(test->p_value) : fmin(log_tail(test), log(min_p));
}

typedef struct fit_state {
    additive *fit;
    const nonsens_options *options;
    additive_regress_fn regress;
} fit_state;

static nonsens_status test_pair(nonsens_context *ctx, arena *scratch, const fit_state *s, const double *x,
                                const double *y, double level, int64_t job, hsic_result *out)
{
    const additive *fit = s->fit;
    hsic_options hsic = hsic_options_from(s->options, level, (uint64_t)job);
    hsic.threads = 1;
    return hsic_test_scalars(ctx, scratch, fit->n, x, y, fit->groups.count, fit->groups.start, &hsic, out);
}

static double mean_square(int64_t n, const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i] * v[i];
    }
    return sum / (double)n;
}

/*
 * Copies the residual and sets it to 0 in groups where the effect is constant: there it is a function of the cause that
 * the regression took from the other groups.  The test leaves such groups out, as it does if the cause is constant.
 */
static nonsens_status silence_constants(nonsens_context *ctx, arena *scratch, const additive *fit, const double *effect,
                                        const double *residual, const double **out)
{
    double *copy;
    ARENA_TRY(ctx, scratch, copy, fit->n);
    memcpy(copy, residual, (size_t)fit->n * sizeof *copy);
    for (int64_t g = 0; g < fit->groups.count; g++) {
        int64_t first = fit->groups.start[g], end = fit->groups.start[g + 1], same = first;
        while (same < end && effect[same] == effect[first]) {
            same++;
        }
        for (int64_t i = first; same == end && i < end; i++) {
            copy[i] = 0.0;
        }
    }
    *out = copy;
    return NONSENS_OK;
}

/* Jobs 0 and 1: variable `job` as the cause; job 2: are the two dependent at all? */
static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const fit_state *s = state;
    additive *fit = s->fit;
    if (job == 2) {
        return test_pair(ctx, scratch, s, fit->z[0], fit->z[1], s->options->alpha, job, &fit->plain);
    }
    additive_way *way = &fit->way[job];
    const double *tested;
    TRY(s->regress(ctx, scratch, fit->n, fit->z[job], fit->z[1 - job], way->residual));
    way->left = mean_square(fit->n, way->residual);
    way->determined = way->left <= MIN_LEFT;
    TRY(silence_constants(ctx, scratch, fit, fit->z[1 - job], way->residual, &tested));
    TRY(test_pair(ctx, scratch, s, tested, fit->z[job], 0.5 * s->options->alpha, job, &way->test));
    way->log_p = additive_log_p(&way->test, s->options->permutations);
    return NONSENS_OK;
}

nonsens_status additive_fit(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                            additive_regress_fn regress, additive *out)
{
    *out = (additive){.pair = pair, .n = pair->n};
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, a, out->z[k], pair->n);
        ARENA_TRY(ctx, a, out->way[k].residual, pair->n);
        column_standardise(pair->n, matrix_col(pair->x, pair->column_rank[k]), out->z[k]);
    }
    out->groups = dataset_groups(pair, options, out->whole);
    fit_state s = {out, options, regress};
    return parallel_for(ctx, (int)options->threads, JOBS, "regressing and testing", run_job, &s);
}

int additive_place(const nonsens_data *pair, int variable)
{
    return pair->column_rank[0] == variable ? 0 : 1;
}

/* ---- change over segments ---- */

nonsens_status additive_changes(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const double *residual,
                                additive_change *out)
{
    row_groups groups = {data->segments, data->start};
    samples_options samples = {.kind = SAMPLES_LEVENE, .null_kind = NULL_GAMMA, .threads = 1};
    samples_result spread, level;
    *out = (additive_change){NAN, NAN, NAN, NAN};
    if (data->segments < 2) {
        return NONSENS_OK;
    }
    TRY(samples_test(ctx, scratch, residual, &groups, &samples, &spread));
    samples.kind = SAMPLES_KRUSKAL;
    TRY(samples_test(ctx, scratch, residual, &groups, &samples, &level));
    if (spread.groups_used >= 2) {
        out->spread = spread.p_value;
        out->spread_ratio = spread.effect;
    }
    if (level.groups_used >= 2) {
        out->level = level.p_value;
        out->level_shift = level.effect;
    }
    return NONSENS_OK;
}

static nonsens_status note_change(nonsens_context *ctx, const additive_change *change, const char *effect,
                                  const char *cause, nonsens_result *result)
{
    double level = 0.5 * result->options.alpha; // two tests
    bool spread = change->spread <= level, shift = change->level <= level;
    char p_value[REASONING_P_BYTES];
    if (!spread && !shift) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                       "The data contradict noise that is the same in all segments: what the regression of %s on %s "
                       "leaves over changes its %s (%s). --method structured works with such changes.",
                       effect, cause,
                       spread && shift ? "spread and its level over the segments"
                       : spread        ? "spread over the segments"
                                       : "level over the segments",
                       reasoning_p(p_value, spread && shift ? fmin(change->spread, change->level)
                                            : spread        ? change->spread
                                                            : change->level));
}

nonsens_status additive_report_change(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                      const double *residual, int effect, bool note, nonsens_result *result)
{
    additive_change change;
    char shown[2][SHOWN_BYTES];
    TRY(additive_changes(ctx, scratch, pair, residual, &change));
    if (isnan(change.spread) && isnan(change.level)) {
        return NONSENS_OK;
    }
    const char *of = result->names[effect], *given = result->names[1 - effect];
    static const char untested[] = "change of the residual: not tested, too few segments have rows enough for it";
    TRY(result_add(ctx, result, change.spread_ratio, change.spread,
                   isnan(change.spread) ? untested : "largest over smallest spread of the residual in a segment",
                   "levene(residual of %s given %s)", of, given));
    TRY(result_add(ctx, result, change.level_shift, change.level,
                   isnan(change.level)
                       ? untested
                       : "largest difference of the residual's mean ranks between segments, over the rows",
                   "kruskal(residual of %s given %s)", of, given));
    return note ? note_change(ctx, &change, show_bare(shown[0], of), show_bare(shown[1], given), result) : NONSENS_OK;
}

/* ---- decision ---- */

static bool is_testable(const additive *fit)
{
    return fit->way[0].test.segments_used > 0 && fit->way[1].test.segments_used > 0 && !fit->way[0].determined &&
           !fit->way[1].determined;
}

static bool passes(const additive_way *way, double alpha)
{
    return way->test.p_value > 0.5 * alpha;
}

/* How many standard deviations the statistic is above its mean under independence: for p-values that are both 1. */
static double height(const additive_way *way)
{
    return way->test.variance > 0.0 ? (way->test.statistic - way->test.mean) / sqrt(way->test.variance) : 0.0;
}

static void decide(const additive *fit, const additive_words *words, nonsens_result *result)
{
    const additive_way *first = &fit->way[additive_place(fit->pair, 0)];
    const additive_way *second = &fit->way[additive_place(fit->pair, 1)];
    double alpha = result->options.alpha;
    bool first_passes = passes(first, alpha), second_passes = passes(second, alpha);
    result->decision = DECISION_INCONCLUSIVE;
    if (!is_testable(fit)) {
        result->reason =
            first->determined || second->determined
                ? "One variable is a function of the other except for less than a ten-millionth of its variance, so no "
                  "noise is left to test. Outliers can have the same effect."
                : "The tests could not be run: there are fewer than ten rows in every segment (or in all), or a "
                  "variable is constant there.";
        return;
    }
    result->score = first->log_p - second->log_p + 0.0; // no minus zero
    double by = first->log_p != second->log_p ? first->log_p - second->log_p : height(second) - height(first);
    result->better = by > 0 ? BETTER_FIRST : by < 0 ? BETTER_SECOND : BETTER_NONE;
    if (first_passes != second_passes) {
        result->decision = first_passes ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
        result->p_value = fmin(1.0, 2.0 * (first_passes ? second : first)->test.p_value);
        result->reason = "What the regression of the effect on the cause leaves over is independent of the cause, and "
                         "the reverse is rejected. The p-value is that of the rejected direction, times two.";
    } else if (first_passes && fit->plain.p_value > alpha) {
        result->decision = DECISION_INDEPENDENT;
        result->p_value = fit->plain.p_value;
        result->reason = "The two variables themselves are not seen to depend on one another.";
    } else if (first_passes) {
        result->reason = words->both;
    } else {
        result->decision = DECISION_NEITHER;
        result->reason = words->none;
    }
}

/* ---- report ---- */

static nonsens_status report_way(nonsens_context *ctx, const additive *fit, const additive_words *words, int cause,
                                 nonsens_result *result)
{
    const additive_way *way = &fit->way[additive_place(fit->pair, cause)];
    const char *name = result->names[cause], *effect = result->names[1 - cause];
    char text[TEXT_BYTES];
    bool tested = is_testable(fit);
    snprintf(text, sizeof text, "%s, then HSIC of what is left over and the regressor: independence is %s",
             words->regression,
             !tested                              ? "not tested"
             : passes(way, result->options.alpha) ? "not rejected"
                                                  : "rejected");
    TRY(result_add(ctx, result, way->test.statistic, tested ? way->test.p_value : NAN, text,
                   "hsic(residual of %s given %s, %s)", effect, name, name));
    TRY(result_add(ctx, result, tested ? way->log_p : NAN, NAN,
                   "natural logarithm of that p-value, which ranks the two directions: the larger one is better",
                   "log p(%s->%s)", name, effect));
    return result_add(ctx, result, 1.0 - way->left, NAN, "share of its variance that the regression explains",
                      "explained(%s by %s)", effect, name);
}

nonsens_status additive_judge(nonsens_context *ctx, arena *a, const additive *fit, const additive_words *words,
                              nonsens_result *result)
{
    decide(fit, words, result);
    for (int cause = 0; cause < 2; cause++) {
        TRY(report_way(ctx, fit, words, cause, result));
    }
    bool tested = fit->plain.segments_used > 0;
    TRY(result_add(ctx, result, fit->plain.statistic, tested ? fit->plain.p_value : NAN,
                   "do the two variables depend on one another at all?", "hsic(%s, %s)", result->names[0],
                   result->names[1]));
    TRY(result_add(ctx, result, 0.5 * result->options.alpha, NAN, "level at which each of the two directions is judged",
                   "level of each test"));
    for (int cause = 0; cause < 2; cause++) {
        bool named = result->better == BETTER_NONE || (result->better == BETTER_FIRST) == (cause == 0);
        const additive_way *way = &fit->way[additive_place(fit->pair, cause)];
        TRY(additive_report_change(ctx, a, fit->pair, way->residual, 1 - cause, named && !way->determined, result));
    }
    return fit->groups.count > 1 ? result_note_skipped(ctx, result, fit->plain.segments_skipped, HSIC_MIN_ROWS)
                                 : NONSENS_OK;
}
