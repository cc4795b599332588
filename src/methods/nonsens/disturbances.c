/* disturbances.c - learns time-contrastive features by networks or splines, unmixes and differentiates them. */
#include "methods/nonsens/disturbances.h"

#include "math/column.h"
#include "math/sort.h"
#include "math/special.h"
#include "methods/nonsens/disturbances_spline.h"
#include "methods/shared/unmixing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MIN_SEGMENTS = 3,    /* two changing disturbances need three segments */
    MAX_SEGMENTS = 1000, /* time and memory grow with rows x segments */
    MIN_ROWS = 10,       /* that a segment needs to count; tests and entropies need them too */
};

static const double CLAMP = 1e-6;       /* smaller |derivatives| count as this share of the median */
static const double GAIN_Z = 3.0;       /* standard errors by which held-out likelihood must beat chance */
static const double WEAK_SECOND = 0.06; /* second singular value over the first; below, only one change is visible */
static const double STRONG_THIRD = 0.5; /* third over the second; above, more than two statistics change */

double disturbances_mean_log(int64_t n, const double *slope, double min_slope)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += log(fmax(fabs(slope[i]), min_slope));
    }
    return sum / (double)n;
}

/* The smallest |slope| that counts; size and spare (n) are scratch. */
static double min_counted(int64_t n, const double *slope, double *size, double *spare)
{
    for (int64_t i = 0; i < n; i++) {
        size[i] = fabs(slope[i]);
    }
    sort_doubles(n, size, spare);
    return fmax(CLAMP * size[n / 2], 1e-300);
}

/* Two variables as the features see them, in the order of the features; rows are those of the data set. */
typedef struct variables {
    matrix z;            /* (n, 2) */
    const int32_t *user; /* (2) the user's column of each */
    double *slope[2][2]; /* slope[k][j] (n): derivative of unmixed source k by variable j */
} variables;

static nonsens_status allocate_slopes(nonsens_context *ctx, arena *a, int64_t n, variables *v)
{
    for (int k = 0; k < 4; k++) {
        ARENA_TRY(ctx, a, v->slope[k / 2][k % 2], n);
    }
    return NONSENS_OK;
}

/* ---- networks ---- */

/* Computes derivatives of the unmixed sources: by the views from networks, then by the variables (chain rule). */
static nonsens_status differentiate(nonsens_context *ctx, arena *a, const nn_inputs *inputs, const disturbances *d,
                                    variables *v)
{
    int64_t n = d->n;
    double *by_view[2], *by_z;
    ARENA_TRY(ctx, a, by_z, n * 2);
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, a, by_view[k], n * 4);
    }
    TRY(tcl_jacobian(ctx, a, &d->fit, d->ica.unmix, 4, by_view));
    for (int k = 0; k < 2; k++) {
        nn_inputs_chain(inputs, by_view[k], by_z);
        for (int j = 0; j < 2; j++) {
            for (int64_t i = 0; i < n; i++) {
                v->slope[k][j][i] = by_z[2 * i + j];
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status unmix(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                            disturbances *d)
{
    d->algorithm = options->unmixing == UNMIX_AUTO ? UNMIX_JOINT_DIAGONALISATION : options->unmixing;
    ica_options ica = ica_options_for(d->algorithm);
    if (options->statistic != STATISTIC_AUTO && ica.algorithm == UNMIX_SCORE_MATCHING) {
        ica.statistic = options->statistic;
    }
    return ica_unmix(ctx, a, d->fit.h, pair->segments, pair->start, &ica, &d->ica);
}

static nonsens_status fit_networks(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                   const nonsens_options *options, disturbances *d, variables *v)
{
    matrix x;
    nn_inputs inputs;
    tcl_options tcl;
    TRY(dataset_in_rank_order(ctx, a, pair, &x));
    TRY(nn_inputs_new(ctx, a, x, &inputs));
    tcl_options_from(options, 2, &tcl);
    matrix view = inputs.view;
    if (options->inputs == INPUTS_PLAIN) {
        view.cols = 2;
    } else if (options->inputs == INPUTS_MIXED) {
        tcl.basic = 2;
    }
    TRY(tcl_fit_new(ctx, a, view, pair->segments, pair->segment, pair->start, &tcl, &d->fit));
    TRY(unmix(ctx, a, pair, options, d));
    d->one_change = d->fit.singular[1] < WEAK_SECOND * d->fit.singular[0];
    v->z = inputs.z;
    v->user = pair->column_rank;
    return differentiate(ctx, a, &inputs, d, v);
}

/* ---- splines ---- */

/* Fills in direction (2, E): unmixed source k is the sum of direction_ke times logit e. */
static void source_directions(const disturbances *d, double *direction)
{
    for (int64_t k = 0; k < 2; k++) {
        for (int64_t e = 0; e < d->segments; e++) {
            direction[k * d->segments + e] =
                d->ica.unmix[k] * d->fit.loading[e] + d->ica.unmix[2 + k] * d->fit.loading[d->segments + e];
        }
    }
}

static nonsens_status fit_splines(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                  const nonsens_options *options, disturbances *d, variables *v)
{
    disturbances_spline *s;
    double *direction, *z;
    ARENA_TRY(ctx, a, s, 1);
    TRY(spline_fit_new(ctx, a, pair, options, s));
    d->fit = (tcl_fit){.n = pair->n, .classes = pair->segments, .features = 2};
    d->fit.options.threads = (int)options->threads;
    ARENA_TRY(ctx, a, d->fit.logits, pair->n * pair->segments);
    spline_fit_logits(s, d->fit.logits);
    TRY(tcl_factor(ctx, a, pair->segment, pair->start, &d->fit));
    TRY(unmix(ctx, a, pair, options, d));
    ARENA_TRY(ctx, a, direction, 2 * pair->segments);
    source_directions(d, direction);
    spline_fit_jacobian(s, direction, v->slope);
    d->one_change = s->rank < 2;
    d->warped = true;
    v->user = s->search.user;
    ARENA_TRY(ctx, a, z, pair->n * 2);
    v->z = matrix_view(z, pair->n, 2);
    for (int64_t j = 0; j < 2; j++) {
        for (int64_t i = 0; i < pair->n; i++) {
            matrix_col(v->z, j)[s->search.user_row[i]] = s->search.warped[j][i];
        }
    }
    return NONSENS_OK;
}

/* ---- assignment ---- */

/* Unmixes the features (n, 2), and puts variables and sources into the user's order. */
static nonsens_status assign(nonsens_context *ctx, arena *a, const variables *v, matrix features, disturbances *d)
{
    int64_t n = d->n;
    double *size, *spare, mean_log[2][2], min_slope[2][2], *unassigned, *z, *source;
    ARENA_TRY(ctx, a, unassigned, n * 2);
    matrix raw = matrix_view(unassigned, n, 2);
    ica_apply(features, d->ica.unmix, raw);
    ARENA_TRY(ctx, a, size, n);
    ARENA_TRY(ctx, a, spare, n);
    ARENA_TRY(ctx, a, z, n * 2);
    ARENA_TRY(ctx, a, source, n * 2);
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 2; j++) {
            min_slope[k][j] = min_counted(n, v->slope[k][j], size, spare);
            mean_log[k][j] = disturbances_mean_log(n, v->slope[k][j], min_slope[k][j]);
        }
    }
    double straight = mean_log[0][0] + mean_log[1][1], crossed = mean_log[0][1] + mean_log[1][0];
    bool cross = crossed > straight;
    d->assignment_gap = fabs(straight - crossed);
    d->z = matrix_view(z, n, 2);
    d->source = matrix_view(source, n, 2);
    for (int j = 0; j < 2; j++) { /* variable j is the user's variable own */
        int own = (int)v->user[j], k = cross ? 1 - j : j;
        memcpy(matrix_col(d->z, own), matrix_col(v->z, j), (size_t)n * sizeof *z);
        memcpy(matrix_col(d->source, own), matrix_col(raw, k), (size_t)n * sizeof *source);
        for (int other = 0; other < 2; other++) {
            d->slope[own][v->user[other]] = v->slope[k][other];
            d->min_slope[own][v->user[other]] = min_slope[k][other];
        }
    }
    return NONSENS_OK;
}

/* Refuses data with segments that a fit cannot use, before anything is trained. */
static nonsens_status check_segments(nonsens_context *ctx, const nonsens_data *pair)
{
    if (pair->segments < MIN_SEGMENTS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "two changing disturbances need at least %d segments, but there are %d; use "
                    "finer segments (--segments equal:K cuts the rows into K blocks)",
                    MIN_SEGMENTS, (int)pair->segments);
    }
    if (pair->segments > MAX_SEGMENTS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%" PRId64 " segments are more than the %d that a segment classifier can "
                    "distinguish in reasonable time; merge neighbouring segments",
                    pair->segments, MAX_SEGMENTS);
    }
    int64_t usable = 0;
    for (int64_t e = 0; e < pair->segments; e++) {
        usable += pair->start[e + 1] - pair->start[e] >= MIN_ROWS;
    }
    if (usable < MIN_SEGMENTS) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "only %" PRId64 " of %" PRId64 " segments have the %d rows that disturbances can be learned from, "
                    "and %d are needed; merge small segments or use fewer blocks",
                    usable, pair->segments, MIN_ROWS, MIN_SEGMENTS);
    }
    return NONSENS_OK;
}

nonsens_status disturbances_fit(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                const nonsens_options *options, disturbances *d)
{
    variables v = {0};
    bool splines = options->features == FEATURES_SPLINE;
    *d = (disturbances){.n = pair->n, .segments = pair->segments, .start = pair->start};
    TRY(check_segments(ctx, pair));
    TRY(allocate_slopes(ctx, a, pair->n, &v));
    TRY((splines ? fit_splines : fit_networks)(ctx, a, pair, options, d, &v));
    return assign(ctx, a, &v, d->fit.h, d);
}

nonsens_status disturbances_fit_linear(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                       const nonsens_options *options, disturbances *d)
{
    variables v = {.user = pair->column_rank};
    *d = (disturbances){.n = pair->n, .segments = pair->segments, .start = pair->start};
    d->fit.options.threads = (int)options->threads;
    d->algorithm = unmixing_resolved(options->unmixing);
    TRY(dataset_in_rank_order(ctx, a, pair, &v.z));
    for (int64_t j = 0; j < 2; j++) {
        column_standardise(pair->n, matrix_col(v.z, j), matrix_col(v.z, j));
    }
    TRY(unmixing_of_variables(ctx, a, pair, options, v.z, &d->ica));
    TRY(allocate_slopes(ctx, a, pair->n, &v));
    for (int k = 0; k < 2; k++) { // slope[k][j] is unmix_kj in every row
        for (int j = 0; j < 2; j++) {
            for (int64_t i = 0; i < pair->n; i++) {
                v.slope[k][j][i] = d->ica.unmix[k + 2 * j];
            }
        }
    }
    return assign(ctx, a, &v, v.z, d);
}

/* Did networks score the rows that they were trained on? */
static bool is_in_sample(const disturbances *d)
{
    return d->fit.options.folds == 1;
}

const char *disturbances_doubt(const disturbances *d)
{
    if (!(d->fit.chance - d->fit.loss > GAIN_Z * d->fit.gain_se)) {
        return is_in_sample(d)
                   ? "The segments cannot be distinguished even on the rows that the network was trained on, so the "
                     "method has no change to learn from. More rows or more different segments are needed."
                   : "The segments cannot be distinguished on held-out rows, so the method has no change to learn "
                     "from. More rows or more different segments are needed.";
    }
    if (d->one_change) {
        return "Only one direction of change is visible in the segments: one disturbance may not change, or both "
               "change in proportion; the disturbances are then not identified.";
    }
    return NULL;
}

nonsens_status disturbances_report_sources(nonsens_context *ctx, const disturbances *d, nonsens_result *result)
{
    TRY(result_make_sources(ctx, result, 2));
    memcpy(result->source.v, d->source.v, (size_t)(d->n * 2) * sizeof *d->source.v);
    unmixing_modulation(d->source, d->segments, d->start, result->modulation);
    return NONSENS_OK;
}

static nonsens_status report_rank(nonsens_context *ctx, const disturbances *d, nonsens_result *result)
{
    const double *s = d->fit.singular;
    double second = s[1] / s[0], third = d->segments > 2 ? s[2] / s[1] : 0.0;
    TRY(result_add(ctx, result, second, NAN,
                   "second singular value of the segment logits over the first; near 0 means that only one disturbance "
                   "changes, or that both change in proportion",
                   "second singular value ratio"));
    if (d->fit.nets < 2) { // no third value: splines start from one fit of rank two, one network has two features
        return NONSENS_OK;
    }
    TRY(result_add(ctx, result, third, NAN,
                   "third singular value over the second; far above 0.1 means that more changes than one statistic per "
                   "disturbance (means and scales, a hidden common cause, a changing mechanism)",
                   "third singular value ratio"));
    if (!d->one_change && third > STRONG_THIRD) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "The segments differ in more than two ways: several statistics per disturbance, a "
                        "changing mechanism or a hidden common cause are possible."));
    }
    return NONSENS_OK;
}

static nonsens_status report_gain(nonsens_context *ctx, const disturbances *d, nonsens_result *result)
{
    double gain = d->fit.chance - d->fit.loss;
    if (!is_in_sample(d)) {
        return result_add(
            ctx, result, gain, special_normal_tail(gain / d->fit.gain_se),
            "nats per row by which the segment classifier beats the segment shares on rows it has not seen",
            "held-out gain");
    }
    TRY(result_add(ctx, result, gain, NAN,
                   "nats per row by which the segment classifier beats the segment shares on the rows it was trained "
                   "on; more than on rows that it has not seen",
                   "in-sample gain"));
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "The disturbances of every row come from a network that was trained on that row (--folds 1): "
                       "they fit these rows better than others, and p-values that rest on them are too small.");
}

/* Summarises the losses of epoch e (from 0) of networks that reached it and did not diverge; loss, spare (nets). */
static void summarise_epoch(const tcl_fit *ensemble, int64_t e, int rows, double *loss, double *spare,
                            result_training *out)
{
    int64_t count = 0;
    for (int64_t net = 0; net < ensemble->nets; net++) {
        double value = ensemble->curve[(2 * net + rows) * ensemble->curve_epochs + e];
        if (e < ensemble->report[net].epochs_run && isfinite(value)) {
            loss[count++] = value;
        }
    }
    sort_doubles(count, loss, spare);
    out->loss[rows][0][e] = count ? loss[0] : NAN;
    out->loss[rows][1][e] = count ? 0.5 * (loss[(count - 1) / 2] + loss[count / 2]) : NAN;
    out->loss[rows][2][e] = count ? loss[count - 1] : NAN;
    out->running[e] = rows == 0 ? count : out->running[e];
}

/* Keeps the training curves, up to the last epoch that a network reached. */
static nonsens_status keep_training(nonsens_context *ctx, const tcl_fit *ensemble, nonsens_result *result)
{
    result_training *t = &result->training;
    double *loss, *spare;
    for (int64_t net = 0; net < ensemble->nets; net++) {
        int64_t run = ensemble->report[net].epochs_run < ensemble->curve_epochs ? ensemble->report[net].epochs_run
                                                                                : ensemble->curve_epochs;
        t->epochs = run > t->epochs ? run : t->epochs;
    }
    t->networks = ensemble->nets;
    t->chance = ensemble->chance;
    ARENA_TRY(ctx, &result->memory, t->running, t->epochs);
    ARENA_TRY(ctx, &result->memory, loss, ensemble->nets);
    ARENA_TRY(ctx, &result->memory, spare, ensemble->nets);
    for (int rows = 0; rows < 2; rows++) {
        for (int k = 0; k < 3; k++) {
            ARENA_TRY(ctx, &result->memory, t->loss[rows][k], t->epochs);
        }
        for (int64_t e = 0; e < t->epochs; e++) {
            summarise_epoch(ensemble, e, rows, loss, spare, t);
        }
    }
    return NONSENS_OK;
}

static nonsens_status report_training(nonsens_context *ctx, const disturbances *d, nonsens_result *result)
{
    int64_t diverged = 0;
    TRY(report_gain(ctx, d, result));
    if (d->fit.nets > 0) {
        TRY(keep_training(ctx, &d->fit, result));
    }
    for (int64_t net = 0; net < d->fit.nets; net++) {
        diverged += d->fit.report[net].reason == TRAIN_DIVERGED;
    }
    if (diverged > 0) {
        TRY(result_note(ctx, result, diverged < d->fit.nets ? NONSENS_NOTE_CAUTION : NONSENS_NOTE_PROBLEM,
                        "%" PRId64 " of %" PRId64 " networks diverged in training and count with their best epoch "
                        "before that, if there was one; a lower --learning-rate avoids it.",
                        diverged, d->fit.nets));
    }
    return NONSENS_OK;
}

nonsens_status disturbances_report_unmixing(nonsens_context *ctx, const disturbances *d, nonsens_result *result)
{
    TRY(result_add(ctx, result, d->ica.contrast_gap, NAN, unmixing_gap_words(d->algorithm), "contrast gap"));
    if (!d->ica.converged) {
        TRY(result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                        "The unmixing stopped after %d iterations without converging: the disturbances may still be "
                        "mixed. Another --unmixing may do better.",
                        d->ica.iterations));
    }
    return result_add(ctx, result, d->assignment_gap, NAN,
                      "nats per row by which the other assignment of disturbances to variables is worse; near 0 means "
                      "that it is not clear which disturbance belongs to which variable",
                      "assignment gap");
}

nonsens_status disturbances_report(nonsens_context *ctx, const disturbances *d, nonsens_result *result)
{
    TRY(disturbances_report_sources(ctx, d, result));
    TRY(report_training(ctx, d, result));
    TRY(report_rank(ctx, d, result));
    return disturbances_report_unmixing(ctx, d, result);
}
