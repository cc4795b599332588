/*
 * linear_ica.c - the paper's baseline (Monti, Zhang, Hyvarinen, UAI 2019, section 5: "Linear-ICA NonSENS"): linear ICA
 * of the two variables themselves gives the disturbances of a linear mechanism; then the same four tests, or the same
 * likelihood ratio, which assumes an effect.
 *
 * The unmixed sources have signs, so the ratio needs no fold correction.  A linear mechanism leaves sources that are
 * independent inside segments: a test of that says when the data contradict it.
 */
#include "methods/nonsens/monti.h"
#include "methods/nonsens/nonsens_method.h"
#include "methods/shared/reasoning.h"
#include "methods/shared/unmixing.h"

#include <math.h>

/* The random streams of the four tests are numbered from 0; this one must differ from them. */
enum { RESIDUAL_TEST = 1 << 20 };

static const char *doubt_words(enum unmixing_failure why)
{
    switch (why) {
    case IDENTIFIED:
        break;
    case PROPORTIONAL:
        return "The variances inside the segments do not change, or change in proportion, so joint diagonalisation "
               "cannot separate the disturbances; --unmixing score-matching uses their shape as well.";
    case GAUSSIAN:
        return "Both disturbances look Gaussian, so this unmixing cannot separate them; --unmixing "
               "joint-diagonalisation uses how their variances change over the segments.";
    case GAUSSIAN_PROPORTIONAL:
        return "Both disturbances look Gaussian inside the segments and their variances change in proportion or not at "
               "all: a linear mechanism then has no direction that data could show.";
    }
    return NULL;
}

/* Are the two sources independent inside segments, as a linear mechanism would leave them? */
static nonsens_status test_sources(nonsens_context *ctx, arena *a, const nonsens_data *pair, const disturbances *d,
                                   nonsens_result *result)
{
    hsic_options hsic = hsic_options_from(&result->options, result->options.alpha, RESIDUAL_TEST);
    hsic_result test;
    int32_t first = pair->column_rank[0]; // so that the result does not depend on the order of the columns
    char p_value[REASONING_P_BYTES];
    TRY(hsic_test_scalars(ctx, a, d->n, matrix_col(d->source, first), matrix_col(d->source, 1 - first), d->segments,
                          d->start, &hsic, &test));
    bool tested = test.segments_used > 0;
    TRY(result_add(ctx, result, test.statistic, tested ? test.p_value : NAN,
                   "the two disturbances inside segments: a linear mechanism leaves them independent",
                   "hsic(N_%s, N_%s)", result->names[0], result->names[1]));
    if (tested && test.p_value <= result->options.alpha) {
        TRY(result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                        "The data contradict a linear mechanism: the two disturbances depend on one another inside "
                        "segments (%s). A non-linear mechanism, a hidden common cause or a mechanism that "
                        "changes look like this; --method structured asks for less.",
                        reasoning_p(p_value, test.p_value)));
    }
    return NONSENS_OK;
}

nonsens_status linear_ica_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                    const nonsens_options *options, nonsens_result *result)
{
    disturbances d;
    unmixing_identification known;
    monti_tests tests;
    bool by_ratio = options->rule == DECIDE_BY_RATIO;
    TRY(disturbances_fit_linear(ctx, a, pair, options, &d));
    TRY(unmixing_identified(ctx, a, d.algorithm, d.ica.contrast_gap, d.source, d.segments, d.start, &known));
    const char *doubt = doubt_words(known.why);
    if (by_ratio) {
        TRY(monti_report_ratio(ctx, a, &d, result));
    } else {
        TRY(monti_four_tests(ctx, a, pair, &result->options, d.z, d.source, &tests));
        TRY(monti_report_tests(ctx, &tests, result));
    }
    TRY(disturbances_report_sources(ctx, &d, result));
    TRY(test_sources(ctx, a, pair, &d, result));
    TRY(disturbances_report_unmixing(ctx, &d, result));
    if (by_ratio) {
        return doubt ? result_note(ctx, result, NONSENS_NOTE_PROBLEM, "%s", doubt) : NONSENS_OK;
    }
    return monti_judge_tests(ctx, &tests, doubt,
                             "Where one of the two surely causes the other, --rule likelihood-ratio names the likelier "
                             "direction; other methods need no linear mechanism.",
                             result);
}
