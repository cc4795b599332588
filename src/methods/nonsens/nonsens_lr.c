/*
 * nonsens_lr.c - the paper's likelihood ratio (Monti, Zhang, Hyvarinen, UAI 2019, section 3.4): an effect is assumed
 * and the direction is the sign of
 *
 *     R = -H(x1) - H(N2) + E log|dN2/dx2| + H(x2) + H(N1) - E log|dN1/dx1|  =  I(x2; N1) - I(x1; N2)
 *
 * with T_j, the estimate assigned to variable j, in place of N_j.  Differences from the paper:
 *   - Entropies are taken inside segments and averaged with n_e / n, as the model asks; entropies and derivatives are
 *     both of standardised variables (--features spline: warped ones), so no scale has to be added back.
 *   - T_j estimates q(N_j), for Laplace disturbances |N_j|, which is two-to-one.  The change of variables then lacks
 *     the branch B_j = sign(dT_j/dx_j): R gains H(B1|T1) - H(B2|T2), estimated in 50 bins of equal count of T.
 *     Two equal folds cancel; one folded and one monotone feature would give an error of log 2.
 *     With this term R is that of the signed disturbances, I(x2; N1) - I(x1; N2).
 *   - The default compares I(x2; T1) with I(x1; T2) by nearest neighbours.  For a folded T this is a smaller number
 *     than R but of the same sign: the second term vanishes for x1 -> x2 if T2 is any function of N2.  Learned features
 *     are not exactly monotone within their branches, which the change of variables needs and the information does
 *     not.  The default is correct more often (docs/results); --ratio chooses.
 *   - No p-value: how the ratio varies over segments is shown, but an error of the fit is common to all segments.
 */
#include "base/number.h"
#include "base/parallel.h"
#include "math/column.h"
#include "math/entropy.h"
#include "math/sort.h"
#include "methods/nonsens/monti.h"
#include "methods/nonsens/nonsens_method.h"

#include <math.h>

enum { BRANCH_BINS = 50, NEIGHBOURS = 5, MIN_ROWS = 10 };

static const double UNLIKE_FOLDS = 0.1; /* nats: a larger difference of branch entropies is reported */

static double binary_entropy(double p)
{
    return p <= 0.0 || p >= 1.0 ? 0.0 : -p * log(p) - (1.0 - p) * log1p(-p);
}

/* Computes H(B | T) for B = sign of the slope, in bins of T with equal counts. */
static nonsens_status branch_entropy(nonsens_context *ctx, arena *a, int64_t n, const double *t, const double *slope,
                                     double *out)
{
    sort_entry *order, *spare;
    ARENA_TRY(ctx, a, order, n);
    ARENA_TRY(ctx, a, spare, n);
    sort_column(t, n, order, spare);
    *out = 0.0;
    for (int64_t b = 0; b < BRANCH_BINS; b++) {
        int64_t from = n * b / BRANCH_BINS, to = n * (b + 1) / BRANCH_BINS, positive = 0;
        for (int64_t i = from; i < to; i++) {
            positive += slope[order[i].row] > 0.0;
        }
        if (to > from) {
            *out += (double)(to - from) / (double)n * binary_entropy((double)positive / (double)(to - from));
        }
    }
    return NONSENS_OK;
}

/* What one segment contributes: entropies, mean log slopes and mutual informations. */
typedef struct segment_terms {
    double entropy_variable[2], entropy_source[2], log_slope[2], information[2];
    bool usable;
} segment_terms;

typedef struct terms_state {
    const disturbances *d;
    segment_terms *terms; /* (segments) */
} terms_state;

/* Scales a column to unit variance inside the segment: the neighbour search needs comparable scales. */
static nonsens_status unit_column(nonsens_context *ctx, arena *a, int64_t n, const double *v, double **out)
{
    ARENA_TRY(ctx, a, *out, n);
    column_standardise(n, v, *out); // zeros if it is constant: the entropies then mark the segment as unusable
    return NONSENS_OK;
}

static nonsens_status segment_job(nonsens_context *ctx, arena *a, int64_t e, void *state)
{
    const terms_state *s = state;
    const disturbances *d = s->d;
    segment_terms *t = &s->terms[e];
    int64_t first = d->start[e], n = d->start[e + 1] - first;
    if (n < MIN_ROWS) {
        return NONSENS_OK;
    }
    double *x[2], *source[2];
    for (int j = 0; j < 2; j++) {
        TRY(entropy_spacing(ctx, a, n, matrix_col(d->z, j) + first, &t->entropy_variable[j]));
        TRY(entropy_spacing(ctx, a, n, matrix_col(d->source, j) + first, &t->entropy_source[j]));
        t->log_slope[j] = disturbances_mean_log(n, d->slope[j][j] + first, d->min_slope[j][j]);
        TRY(unit_column(ctx, a, n, matrix_col(d->z, j) + first, &x[j]));
        TRY(unit_column(ctx, a, n, matrix_col(d->source, j) + first, &source[j]));
    }
    for (int j = 0; j < 2; j++) { /* variable j against the other's disturbance */
        TRY(entropy_mutual_information(ctx, a, n, x[j], source[1 - j], NEIGHBOURS, &t->information[j]));
    }
    t->usable = true;
    for (int j = 0; j < 2; j++) {
        t->usable = t->usable && isfinite(t->entropy_variable[j]) && isfinite(t->entropy_source[j]) &&
                    isfinite(t->information[j]);
    }
    return NONSENS_OK;
}

static double printed_ratio(const segment_terms *t)
{
    return t->entropy_variable[1] - t->entropy_variable[0] + t->entropy_source[0] - t->entropy_source[1] +
           t->log_slope[1] - t->log_slope[0];
}

static double information_ratio(const segment_terms *t)
{
    return t->information[1] - t->information[0];
}

static void add_segment(const segment_terms *t, double weight, monti_ratio *out)
{
    for (int j = 0; j < 2; j++) {
        out->entropy_variable[j] += weight * t->entropy_variable[j];
        out->entropy_source[j] += weight * t->entropy_source[j];
        out->log_slope[j] += weight * t->log_slope[j];
        out->information[j] += weight * t->information[j];
    }
    out->value[RATIO_PRINTED] += weight * printed_ratio(t);
    out->value[RATIO_INFORMATION] += weight * information_ratio(t);
}

/* Averages the segments' terms with n_e / n; standard errors are those of a weighted mean over segments. */
static nonsens_status combine(nonsens_context *ctx, const disturbances *d, const segment_terms *terms, monti_ratio *out)
{
    double rows = 0.0, printed = 0.0, information = 0.0, usable = 0.0;
    for (int64_t e = 0; e < d->segments; e++) {
        rows += terms[e].usable ? (double)(d->start[e + 1] - d->start[e]) : 0.0;
        usable += terms[e].usable;
    }
    if (rows <= 0.0) {
        return fail(
            ctx, NONSENS_ERR_DATA,
            "no segment has the %d distinct rows that entropies need; merge small segments, or take another --method",
            MIN_ROWS);
    }
    for (int64_t e = 0; e < d->segments; e++) {
        if (terms[e].usable) {
            add_segment(&terms[e], (double)(d->start[e + 1] - d->start[e]) / rows, out);
        }
    }
    for (int64_t e = 0; e < d->segments; e++) {
        if (terms[e].usable) {
            double weight = (double)(d->start[e + 1] - d->start[e]) / rows;
            printed += pow(weight * (printed_ratio(&terms[e]) - out->value[RATIO_PRINTED]), 2.0);
            information += pow(weight * (information_ratio(&terms[e]) - out->value[RATIO_INFORMATION]), 2.0);
        }
    }
    double unbiased = usable > 1.0 ? usable / (usable - 1.0) : NAN;
    out->standard_error[RATIO_PRINTED] = out->standard_error[RATIO_JACOBIAN] = sqrt(unbiased * printed);
    out->standard_error[RATIO_INFORMATION] = sqrt(unbiased * information);
    return NONSENS_OK;
}

nonsens_status monti_likelihood_ratio(nonsens_context *ctx, arena *a, const disturbances *d, monti_ratio *out)
{
    terms_state s = {.d = d};
    *out = (monti_ratio){{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    ARENA_TRY(ctx, a, s.terms, d->segments);
    TRY(parallel_for(ctx, d->fit.options.threads, d->segments, NULL, segment_job, &s));
    TRY(combine(ctx, d, s.terms, out));
    for (int j = 0; j < 2; j++) {
        TRY(branch_entropy(ctx, a, d->n, matrix_col(d->source, j), d->slope[j][j], &out->branch[j]));
    }
    out->value[RATIO_JACOBIAN] = out->value[RATIO_PRINTED] + out->branch[0] - out->branch[1];
    return NONSENS_OK;
}

static nonsens_status report_ratio(nonsens_context *ctx, const monti_ratio *r, bool warped, nonsens_result *result)
{
    static const struct {
        const char *name, *text;
    } shown[] = {
        {"R by information",
         "I(second; N of first) - I(first; N of second) in nats per row, by nearest neighbours; positive prefers "
         "the first variable as the cause"},
        {"R by derivatives",
         "likelihood ratio by entropies and derivatives with the fold correction; positive prefers the same"},
        {"R as printed", "the same as the paper prints it, without the fold correction"}};
    for (int k = 0; k < 3; k++) {
        TRY(result_add(ctx, result, r->value[k], NAN, shown[k].text, "%s", shown[k].name));
        TRY(result_add(ctx, result, r->standard_error[k], NAN,
                       "standard error from the variation over segments; errors of the fit are not in it",
                       "standard error of %s", shown[k].name));
    }
    for (int j = 0; j < 2; j++) {
        const char *own = result->names[j], *other = result->names[1 - j];
        TRY(result_add(ctx, result, r->information[j], NAN, "inside segments, nats; 0 for the cause", "I(%s, N_%s)",
                       own, other));
        TRY(result_add(ctx, result, r->entropy_variable[j], NAN,
                       warped ? "inside segments, nats, of the ranks" : "inside segments, nats, standardised", "H(%s)",
                       own));
        TRY(result_add(ctx, result, r->entropy_source[j], NAN, "inside segments, nats", "H(N_%s)", own));
        TRY(result_add(ctx, result, r->log_slope[j], NAN, "mean log |d disturbance / d variable|", "log slope(N_%s)",
                       own));
        TRY(result_add(ctx, result, r->branch[j], NAN,
                       "entropy of the slope's sign given the disturbance: 0 for a monotone one, log 2 for a fold",
                       "fold(N_%s)", own));
    }
    return NONSENS_OK;
}

static nonsens_status judge(nonsens_context *ctx, const monti_ratio *r, nonsens_result *result)
{
    enum option_ratio ratio = result->options.ratio;
    bool first = r->value[ratio] > 0.0;
    result->score = r->value[ratio];
    result->better = first ? BETTER_FIRST : BETTER_SECOND;
    result->decision = first ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
    result->assumes_effect = true;
    if (!(fabs(result->score) > 2.0 * r->standard_error[ratio])) {
        result->reason = "The score is within two standard errors of zero: treat this as undecided.";
    }
    if (fabs(r->branch[0] - r->branch[1]) > UNLIKE_FOLDS) {
        char first_fold[NUMBER_BYTES], second_fold[NUMBER_BYTES];
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "The two disturbances fold differently (%s and %s nats): the ratio by derivatives leans on the "
                        "fold correction.",
                        number_print(first_fold, r->branch[0], 2), number_print(second_fold, r->branch[1], 2)));
    }
    if ((r->value[RATIO_INFORMATION] > 0.0) != (r->value[RATIO_JACOBIAN] > 0.0)) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "The ratio by information and the one by derivatives prefer different "
                        "directions: take the answer with care."));
    }
    return NONSENS_OK;
}

nonsens_status monti_report_ratio(nonsens_context *ctx, arena *a, const disturbances *d, nonsens_result *result)
{
    monti_ratio ratio;
    TRY(monti_likelihood_ratio(ctx, a, d, &ratio));
    TRY(report_ratio(ctx, &ratio, d->warped, result));
    return judge(ctx, &ratio, result);
}

nonsens_status monti_lr_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                  const nonsens_options *options, nonsens_result *result)
{
    disturbances d;
    TRY(disturbances_fit(ctx, a, pair, options, &d));
    TRY(monti_report_ratio(ctx, a, &d, result));
    TRY(disturbances_report(ctx, &d, result));
    const char *doubt = disturbances_doubt(&d);
    return doubt ? result_note(ctx, result, NONSENS_NOTE_PROBLEM, "%s", doubt) : NONSENS_OK;
}
